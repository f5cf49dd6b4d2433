#!/usr/bin/env python3
# LONG
# SERIAL
# TIMEOUT: 300
"""Loops without synchronization, on a linear broadcast of MPI that takes i a for process i (Kurnosov,
MPIPerf, section 3): with n processes and k calls process i > 0 reports r_i(n, k) = ((n-1)(k-1)+i)/(ik)
times its true time; the root's own time, and so the maximum, is right. Measured against the formula
within 10 %; docs/method.md has both in a table. After a change,
`tests/truth/test_mpi_consecutive.py --write` brings that up to date.

With more processes than processors one whose time has come may wait for its turn: costs are then far
above the scheduler's quantum."""

import os
import re
import sys

import mpi_network
import truth
from harness import ROOT, Tap, read_text, write_text
from quiet import Attempts

DOCUMENT = os.path.join(ROOT, "docs", "method.md")
SECTION = re.compile(r"(<!-- begin mpi consecutive -->\n)(.*?)(<!-- end -->\n)", re.DOTALL)
ATTEMPTS = 3
TOLERANCE = 0.1
FEW = ("set_min_repetitions(2)\nset_max_repetitions(2)\nset_max_relative_standard_error(1.0)\n"
       "choose_barrier_synchronization()")


def ratio(i, n, k):
    """r_i(n, k) for i > 0."""
    return ((n - 1) * (k - 1) + i) / (i * k)


class Case:
    """So many processes and calls in a row, at a cost in ns that this machine can keep."""

    def __init__(self, n, k, a, preamble):
        self.n, self.k, self.a, self.preamble = n, k, a, preamble
        self.call = f"Bcast_Consecutive({k}, 1, MPI_INT, 0)"
        self.measured = None  # of processes 1, 2, ...: times their true time

    def expected(self):
        return [ratio(i, self.n, self.k) for i in range(1, self.n)]

    def measure(self):
        """What is wrong, or None."""
        try:
            row = mpi_network.measure([self.call], self.n, {"bcast": self.a}, self.preamble)[self.call]
        except truth.RunFailed as error:
            return str(error)
        found = [time / (i * self.a) for i, time in enumerate(row.per_pe) if i > 0]
        if self.measured is None or self.error(found) < self.error(self.measured):
            self.measured = found
        maximum = (self.n - 1) * self.a
        if not truth.close(row.time, maximum, TOLERANCE * maximum):
            return f"the maximum is {row.time / self.a:.3f} a instead of {self.n - 1} a"
        return f"{found} instead of {self.expected()}" if self.error(found) > TOLERANCE else None

    def error(self, found):
        return max(abs(f / e - 1) for f, e in zip(found, self.expected()))


CASES = [Case(2, 2, 20000, ""), Case(2, 20, 20000, ""), Case(3, 2, 40e6, FEW), Case(3, 6, 40e6, FEW)]


def table():
    lines = ["| n | k | i | r_i(n, k) | measured |", "|---|---|---|---|---|"]
    for case in CASES:
        for i, wanted in enumerate(case.expected(), 1):
            found = f"{case.measured[i - 1]:.2f}" if case.measured else ""
            lines.append(f"| {case.n} | {case.k} | {i} | {wanted:.2f} | {found} |")
    for n, k in ((8, 10), (8, 1000)):
        lines += [f"| {n} | {k} | {i} | {ratio(i, n, k):.2f} | |" for i in (1, 4, 7)]
    return "\n".join(lines) + "\n"


def main():
    mpi_network.require()
    tap = Tap()
    for case in CASES:
        attempts = Attempts(tap, ATTEMPTS)
        for _ in attempts:
            wrong = case.measure()
            if not wrong:
                break
            tap.note(f"{case.n} processes, {case.k} calls: {wrong}")
        attempts.decide(not wrong, f"{case.n} processes, {case.k} calls: each reports r_i(n, k) times "
                        "its time", wrong)
    text = read_text(DOCUMENT)
    if sys.argv[1:] == ["--write"]:
        write_text(DOCUMENT, SECTION.sub(lambda found: found[1] + table() + found[3], text))
        return
    numbers = [re.findall(r"\| (\d+) \| (\d+) \| (\d+) \| ([\d.]+) \|", part[1])
               for part in SECTION.findall(text)]
    tap.equal([[r for *_, r in rows] for rows in numbers],
              [[f"{ratio(int(i), int(n), int(k)):.2f}" for n, k, i, _ in rows] for rows in numbers],
              "the table in docs/method.md has what the formula says")
    tap.ok(len(numbers) == 1 and len(numbers[0]) >= 6, "there is such a table")
    tap.done()


main()
