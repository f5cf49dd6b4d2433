#!/usr/bin/env python3
# TIMEOUT: 300
"""The ways to measure a broadcast find what was programmed, on two broadcasts with a programmed completion time of each
PE, by a simulated clock.

linear: the root sends to one PE after the other, each taking a; PE i is done after i a, the root after
(n-1) a. chain: who has the data sends it on, which takes a. Both take (n-1) a; in a loop the first
overstates the times of single PEs, and the second pipelines, so that a loop shows far less. What must
come out is computed here by simulating the two broadcasts; docs/method.md has a table of it
beside what is measured. After a change, `tests/truth/test_broadcasts.py --write` brings that up to date."""

import math
import os
import re
import sys

import truth
from harness import ROOT, Tap, read_text, write_text

DOCUMENT = os.path.join(ROOT, "docs", "method.md")
SECTION = re.compile(r"(<!-- begin broadcasts -->\n)(.*?)(<!-- end -->\n)", re.DOTALL)
TOLERANCE = 0.002  # of a time, and of a where that is less
BARRIER = 0.5  # a
ROOT_RANK = 0


# ---- The two broadcasts: when PEs leave, from when they enter; in units of a ----


def linear(entries, root):
    n = len(entries)
    return [max(entry, entries[root] + ((rank - root) % n or n - 1))
            if rank != root else entry + n - 1 for rank, entry in enumerate(entries)]


def chain(entries, root):
    n, leaves, have = len(entries), list(entries), entries[root]
    for distance in range(n):
        rank = (root + distance) % n
        have = entries[rank] if distance == 0 else max(entries[rank], have + 1)
        leaves[rank] = have + (distance < n - 1)
    return leaves


BROADCASTS = {"linear": linear, "chain": chain}


# ---- The ways to measure: the time of each PE, None for one that does not report ----


def consecutive(broadcast, n, k):
    times = [0.0] * n
    for _ in range(k):
        times = broadcast(times, ROOT_RANK)
    return [time / k for time in times]


def separated(broadcast, n, k):
    times = [0.0] * n
    for _ in range(k):
        times = [max(broadcast(times, ROOT_RANK)) + BARRIER] * n
    return [time / k - BARRIER for time in times]


def synchro(broadcast, n, _):
    return broadcast([0.0] * n, ROOT_RANK)


def rounds(broadcast, n, k):
    times = [0.0] * n
    for _ in range(k):
        for root in range(n):
            times = broadcast(times, root)
    return [time / k / n for time in times]


def acknowledged(broadcast, n, k, pause=0.0):
    """Acknowledgments cost nothing here; the last rank is the only task (set_sk_tasks)."""
    times = [0.0] * n
    for step in range(k + 1):  # the first warms up
        times[ROOT_RANK] += pause if step else 0.0
        times = broadcast(times, ROOT_RANK)
        times[ROOT_RANK] = max(times[ROOT_RANK], times[n - 1])
        if step == 0:
            start = times[ROOT_RANK]
    return [(times[ROOT_RANK] - start) / k - pause] + [None] * (n - 1)


def paused(broadcast, n, k):
    return acknowledged(broadcast, n, k, 2.0 * (n - 1))


WAYS = {
    "Shmem_Bcast_All_Consecutive(k, 4, 0)": consecutive,
    "Shmem_Bcast_All(k, 4, 0)": separated,
    "Shmem_Bcast_All_Synchro(4, 0)": synchro,
    "Shmem_Bcast_All_Rounds(k, 4)": rounds,
    "Shmem_Bcast_All_SK(k, 4, 0)": acknowledged,
    "Shmem_Bcast_All_SK_time(k, 4, 0)": paused,
}


class Case:
    """Numbers of PEs and of broadcasts in a row."""

    a = 20000  # ns

    def __init__(self, pes, k):
        self.pes, self.k = pes, k

    def expected(self, kind, call):
        times = WAYS[call](BROADCASTS[kind], self.pes, self.k)
        return times, max(time for time in times if time is not None)

    def measure(self, kind, calls):
        """Call -> result row."""
        script = f"set_unit(1e9)\nset_sk_tasks(1)\nset_controls(0)\nk = {self.k}\n" + "".join(
            f'begin measurement "{call}"\nmeasure MPI_COMM_WORLD : {call}\nend measurement\n'
            for call in calls)
        network = truth.Network(0, 0, 0, fence=0, fetch=0, wait=0, bcast=f"{kind}:{self.a}", barrier=BARRIER * self.a,
                                clock="simulated")
        rows = truth.measure(script, self.pes, network.environment(), options=["--timer", "clock_gettime"])
        return {row.block: row for row in rows}

    def wrong(self, kind, call, row):
        """What is not as expected: the result, and the time of each PE."""
        times, result = self.expected(kind, call)
        wanted, got = [result, *times], [row.time, *row.per_pe]
        if len(wanted) != len(got):
            return f"{len(got)} columns"
        return "; ".join(
            f"{g / self.a if g is not None else None:.3f} a instead of {w:.3f} a"
            for w, g in zip(wanted, got)
            if (w is None) != (g is None) or (w is not None and not truth.close(
                g / self.a, w, TOLERANCE * max(w, 1))))


CASES = [
    Case(2, 20),
    Case(3, 4),
]


def check_simulation(tap):
    """The simulated broadcasts show what theory says."""
    n, k = 8, 100
    for kind, broadcast in BROADCASTS.items():
        for way in (separated, synchro, acknowledged, paused):
            tap.near(max(t for t in way(broadcast, n, k) if t is not None), n - 1, 1e-9,
                     f"{kind}, {way.__name__}: (n-1) a")
    loop = consecutive(linear, n, k)
    theory = [((n - 1) * (k - 1) + i) / k for i in range(1, n)]
    tap.ok(all(math.isclose(*pair) for pair in zip(loop[1:], theory)) and loop[0] == n - 1,
           "linear in a loop: PE i reports ((n-1)(k-1)+i)/(ik) times its i a", loop)
    tap.near(max(consecutive(chain, n, k)), 1.06, 1e-9, "chain in a loop: 1.06 a for 7 a")


def measure(tap, case, kind):
    """Call -> row; a check for each."""
    try:
        rows = case.measure(kind, list(WAYS))
    except truth.RunFailed as error:
        tap.note(error)
        rows = {}
    for call in WAYS:
        wrong = case.wrong(kind, call, rows[call]) if call in rows else "not measured"
        tap.ok(not wrong, f"{case.pes} PEs, {kind}: {call}", wrong)
    return rows


def table(results):
    head = ["function", "PEs", "k"]
    for kind in BROADCASTS:
        head += [f"{kind}: expected", "measured"]
    lines = [head, ["---"] * len(head)]
    for case in CASES:
        for call in WAYS:
            cells = [f"`{call}`", str(case.pes), str(case.k)]
            for kind in BROADCASTS:
                row = results[case, kind].get(call)
                cells += [f"{case.expected(kind, call)[1]:.2f}",
                          f"{row.time / case.a:.2f}" if row else ""]
            lines.append(cells)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def check_document(tap, wanted):
    """The table there has the same expectations, and measured values that agree with them."""
    found = SECTION.findall(read_text(DOCUMENT))
    if not tap.equal(len(found), 1, "docs/method.md has the table of broadcasts"):
        return
    lines = [[line.split("|")[1:-1] for line in text.splitlines()] for text in (found[0][1], wanted)]
    tap.equal([[*cells[:4], cells[5]] for cells in lines[0]],
              [[*cells[:4], cells[5]] for cells in lines[1]], "its expected values are those of today")
    tap.equal([cells for cells in lines[0][2:] for expected, measured in (cells[3:5], cells[5:7])
               if not truth.close(float(measured), float(expected),
                                  TOLERANCE * max(float(expected), 1) + 0.01)],
              [], "its measured values agree with them")


def main():
    truth.require()
    tap = Tap()
    check_simulation(tap)
    results = {}
    for case in CASES:
        for kind in BROADCASTS:
            results[case, kind] = measure(tap, case, kind)
    if sys.argv[1:] == ["--write"] and not tap.failed:
        text = read_text(DOCUMENT)
        write_text(DOCUMENT, SECTION.sub(lambda found: found[1] + table(results) + found[3], text))
    check_document(tap, table(results))
    tap.done()


main()
