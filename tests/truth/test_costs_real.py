#!/usr/bin/env python3
# TIMEOUT: 240
# BOUND
"""One function for each way of timing finds by real clocks what was programmed, on a busy machine, too: its interval holds
that, or skampi calls the result doubtful, and then no repetition is faster; where PEs do not wait for each other the fastest
one is right.

No quiet machine is needed: other programs only make repetitions longer, seldom all of them, unless PEs wait for each other.
What disagrees is measured again, and is wrong if it disagrees in all attempts. The costs of all functions, exactly:
test_costs.py."""

import json
import os

import mpi_network
import truth
from harness import ROOT, SAMPLE, Tap, has, read_records, scratch_directory, write_text

PES = 2
POST, WIRE, QUIET = 50000, 200000, 30000  # ns: long compared with what the library itself takes
FULL, WINDOW = POST + WIRE + QUIET, 4
BROADCAST = 240000
COSTS = {name: 20 * cost for name, cost in truth.FAMILIES.items()}
OF_MPI = {"flush": 40000, "send": 70000}
HOLD = 2000  # ns for which skampi holds contended locks
SIDE = '"half", 0'
PREAMBLE = ("set_controls(0)\nset_max_relative_standard_error(0.03)\nset_min_repetitions(8)\nset_max_repetitions(16)\n"
            "set_skampi_buffer(64KB)\n")

# Way of timing, call, its cost; where something is subtracted, also the cost before, of which the tolerance is a part.
CALLS = [
    ("a call", "Shmem_Put_Call(8, 2)", POST, None),
    ("calls in a row", "Shmem_Put_Nonblocking_Post(8, 2)", POST, None),
    ("post and completion", "Shmem_Put_Nonblocking_Full(1024, 2)", FULL, None),
    # Of a PE that is held up between the post and the completion, a part of the wire has passed already.
    ("the completion", "Shmem_Get_Nonblocking_Quiet(1024, 2)", WIRE + QUIET, FULL),
    ("the completion after a delay", "Shmem_Put_Nonblocking_Quiet_Delayed(1024, 2)", QUIET, FULL),
    ("both beside computation", "Shmem_Put_Nonblocking_Overlap(1024, 2)", POST + QUIET, FULL),
    ("an answer", "Shmem_Get_Simple(8, 2)", POST + WIRE, None),
    ("a ring of PEs", "Shmem_Put_Round(8, 2)", POST + WIRE, None),
    ("round trips by flags", f"Shmem_Round_Trip_Put_Put_Flag(8, {SIDE}, 2)", 2 * (2 * POST + 700 + WIRE), None),
    ("an atomic that fetches", "Shmem_Atomic_Fetch_Add(2)", COSTS["fetch"], None),
    ("an atomic that does not", "Shmem_Atomic_Inc(2)", POST + WIRE, None),
    ("PEs in turns", "Shmem_Set_Lock()", COSTS["set_lock"], None),
    ("one lock that all want", "Shmem_Lock_Contended(2)", COSTS["set_lock"] + COSTS["clear_lock"], FULL),
    ("a lock handed on", "Shmem_Lock_Handed_Over(2)", COSTS["set_lock"] + COSTS["clear_lock"], FULL),
    ("a queue lock handed on", "Shmem_Mcs_Handed_Over(2)", FULL, None),
    # Who is next comes in the time of the swap, and is known a put later: a compare-and-swap fails meanwhile.
    ("a queue lock that all want", "Shmem_Mcs_Contended(20)", 2 * (POST + WIRE) + QUIET + COSTS["fetch"] - HOLD, FULL),
    ("a collective from a window on", "Shmem_Barrier()", COSTS["barrier"], None),
    ("collectives in a row", "Shmem_Fcollect_Consecutive(2, 8)", COSTS["fcollect"], None),
    ("a collective and a barrier", "Shmem_Reduce_And_Barrier(2, 8)", COSTS["reduce"],
     COSTS["reduce"] + COSTS["barrier"]),
    ("a broadcast from a window on", "Shmem_Bcast_All_Synchro(8, 0)", BROADCAST, None),
    ("waits for what is there", "Shmem_Wait_Until(2)", COSTS["wait"], None),
    ("memory of all PEs", "Shmem_Malloc(2, 64)", COSTS["allocate"], None),
    ("windows of many ranks", f"Shmem_Put_Pairs_Rate(8, {SIDE}, 1, {WINDOW}, 2)",
     (WINDOW * POST + WIRE + QUIET) / WINDOW, None),
    ("round trips of messages", f"Round_Trip_Send_Recv(8, {SIDE}, 2)", 2 * (OF_MPI["send"] + WIRE), None),
    ("puts of MPI, complete", f"Put_Pairs_Flush(8, {SIDE}, 1, 2)", POST + WIRE + OF_MPI["flush"], None),
]
TOLERANCE = 0.05
HAND_OVER = 2000  # ns until a PE sees what another one has written, in slow states of the processors
# Functions in which PEs wait for each other: on a busy machine that can make all repetitions longer.
WAITING = ("Round_Trip", "Shmem_Round_Trip", "Shmem_Set_Lock", "Shmem_Lock", "Shmem_Mcs", "Shmem_Barrier", "Shmem_Fcollect",
           "Shmem_Reduce", "Shmem_Bcast", "Shmem_Malloc")
# The fastest repetition of these is exact: relative, and ns.
PLAIN, EXACT, EXACT_NS = ("Shmem_Put_Call", "Shmem_Get_Simple", "Shmem_Atomic_Fetch_Add", "Shmem_Wait_Until"), 0.01, 500
ATTEMPTS = 3
BESIDE = 0.25     # who would believe costs that are wrong by so much is no judge


def doubtful_flags():
    with open(os.path.join(ROOT, "scripts", "flags.json"), encoding="utf-8") as file:
        return {name for name, flag in json.load(file).items() if flag["doubtful"]}


class Judge:
    """What a result says about a cost; times in ns."""

    def __init__(self, record, doubtful):
        self.fastest = 1e9 * record["min"]
        self.doubts = sorted(set(record["flags"]) & doubtful)
        if record["median_low"] is None:
            self.doubts.append("no interval")
        else:
            self.low, self.high = 1e9 * record["median_low"], 1e9 * record["median_high"]

    def agrees(self, cost, of, waiting):
        """Whether it is that cost. What is subtracted was measured apart: then one repetition may also be too fast."""
        room = TOLERANCE * (of or cost) + HAND_OVER
        if not self.doubts:
            return self.low - room <= cost <= self.high + room
        return (waiting or self.fastest <= cost + room) and (of is not None or self.fastest >= cost - room)

    def __str__(self):
        interval = "" if "no interval" in self.doubts else f"{self.low:g} to {self.high:g} ns, "
        return f"{interval}fastest {self.fastest:g} ns, doubts: {', '.join(self.doubts) or 'none'}"


def measured(calls):
    """Results by block: "0", "1" and so on; and the run."""
    path = os.path.join(scratch_directory(), "real.json")
    network = truth.Network(POST, WIRE, QUIET, bcast=f"linear:{BROADCAST}", **COSTS, **OF_MPI)
    environment = network.environment()
    if has("MPI"):
        environment["LD_PRELOAD"] = mpi_network.with_windows()
    script = os.path.join(scratch_directory(), "real.ski")
    write_text(script, PREAMBLE + "".join(f'begin measurement "{i}"\nmeasure comm({PES}) : {call}\nend measurement\n'
                                          for i, (_, call, *_) in enumerate(calls)))
    run = truth.launch(PES, [truth.harness.program(), "-i", script, "-o", path], environment, 110)
    return {record["block"]: record for record in read_records(path) if record["record"] == "result"}, run


def verdicts(judge, way, call, cost, of):
    """(whether it is right, what is checked) of a result."""
    waiting = call.startswith(WAITING)
    yield judge and judge.agrees(cost, of, waiting), f"{way}: {call} takes {cost:g} ns"
    if call.startswith(PLAIN):
        yield judge and truth.close(judge.fastest, cost, EXACT * cost + EXACT_NS), f"{way}: the fastest is exact"
    beside = cost - BESIDE * (of or cost) - HAND_OVER
    if not waiting and beside > 0:
        yield judge and not judge.agrees(beside, of, waiting), f"{way}: not {beside:g} ns"


def main():
    truth.require()
    tap = Tap()
    calls = [call for call in CALLS[::4 if SAMPLE else 1] if call[1].startswith("Shmem_") or has("MPI")]
    doubtful = doubtful_flags()
    judged, left = {}, calls
    for _ in range(ATTEMPTS):
        found, run = measured(left)
        if run.status:
            tap.note(run)  # a launcher may lose its processes on a machine that is very busy; the rest is measured again
        for number, call in enumerate(left):
            record = found.get(str(number))
            judge = Judge(record, doubtful) if record else None
            judged[call[1]] = list(verdicts(judge, *call))
            tap.note(f"{call[1]}: {judge}")
        left = [call for call in left if not all(right for right, _ in judged[call[1]])]
        if not left:
            break
    tap.equal(run.status, 0, "the last run comes to its end", run)
    for checks in judged.values():
        for right, what in checks:
            tap.ok(right, what)
    tap.done()


main()
