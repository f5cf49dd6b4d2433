#!/usr/bin/env python3
# LONG
# PLAIN
# BOUND
"""Locks and symmetric memory are measured right: who reports, faults of a library that are noticed, what is refused, and
that nothing hangs or leaks."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from builds import preloadable
from harness import Tap, in_parallel, refused, skampi, skip_all
from quiet import Beside

PREAMBLE = "set_unit(1e9)\nset_min_repetitions(4)\nset_max_repetitions(8)\n"
LOCKS = ["Shmem_Set_Lock()", "Shmem_Clear_Lock()", "Shmem_Put_Clear_Lock()", "Shmem_Lock_Test_Free()",
         "Shmem_Lock_Test_Busy()", "Shmem_Lock_Test_Busy_All()", "Shmem_Lock_Test_Busy_Turns()",
         "Shmem_Lock_Test_Busy_Round()", "Shmem_Lock_Contended(3)",
         "Shmem_Lock_Contended_Wait(3)"]
MEMORY = ["Shmem_Malloc(20, 65536)", "Shmem_Calloc(20, 2, 32768)", "Shmem_Align(20, 65536)",
          "Shmem_Align_To(20, 65536, 16384)", "Shmem_Realloc(20, 65536)",
          "Shmem_Free_Size(20, 65536)", "Shmem_Malloc_Synchro(65536)",
          "Shmem_Calloc_Synchro(2, 32768)", "Shmem_Align_Synchro(65536, 16384)",
          "Shmem_Realloc_Synchro(65536)", "Shmem_Free_Synchro(65536)"]
MOST_NS = 1e8  # of a lock that does not stall

# Fault of the library, a function that must notice it, words of its reason.
FAULTS = [
    ("test_lock always acquires", "Shmem_Lock_Test_Busy()", "acquired a lock that another one holds"),
    ("test_lock always acquires", "Shmem_Lock_Test_Busy_Round()", "that another one holds"),
    ("test_lock never acquires", "Shmem_Lock_Test_Free()", "did not acquire a free lock"),
    ("malloc is not symmetric", "Shmem_Malloc(1, 64)", "the data that the rank before put"),
    ("calloc leaves a byte", "Shmem_Calloc(1, 8, 100)", "as the routine promises"),
    ("align is off", "Shmem_Align_To(1, 64, 32)", "as the routine promises"),
    ("realloc forgets", "Shmem_Realloc(1, 64)", "as the routine promises"),
    ("memory runs out", "Shmem_Malloc(60, 64)", "no symmetric memory for 64 bytes"),
    ("memory runs out", "Shmem_Free_Size(60, 64)", "no symmetric memory for 64 bytes"),
    ("memory runs out", "Shmem_Realloc_Synchro(64)", "no symmetric memory for 64 bytes"),
]

# Call, set, words of the message.
REFUSED = [
    ("Shmem_Malloc(1, 8)", "comm(1)", "by all PEs of the job together"),
    ("Shmem_Free_Synchro(8)", "comm(1)", "by all PEs of the job together"),
    ("Shmem_Malloc(1, 0)", "MPI_COMM_WORLD", "(size) must be at least 1"),
    ("Shmem_Calloc(1, 0, 8)", "MPI_COMM_WORLD", "(nb) must be at least 1"),
    ("Shmem_Calloc(1, 4294967296, 4294967296)", "MPI_COMM_WORLD", "more than can be addressed"),
    ("Shmem_Align_To(1, 8, 24)", "MPI_COMM_WORLD", "power of two"),
    ("Shmem_Align_Synchro(8, 4)", "MPI_COMM_WORLD", "(alignment) must be at least 8"),
    ("Shmem_Lock_Test_Busy()", "comm(1)", "at least 2 PEs"),
]


def script(calls, where="MPI_COMM_WORLD", settings=""):
    return PREAMBLE + settings + "".join(
        f'begin measurement "{call}"\n  measure {where} : {call}\nend measurement\n'
        for call in calls)


def times(outcome):
    return {row.block: row.time for row in outcome.rows}


def test_who_reports(tap):
    """Whoever holds the locks tests none. On a set in any order, with another PE outside."""
    outcome = skampi(script(LOCKS, "comm4(3, 0, 2, 1)"), np=5)
    tap.equal(outcome.status, 0, "locks on four of five PEs, in any order", outcome)
    columns = {row.block: [value is not None for value in row.per_pe] for row in outcome.rows}
    for call in LOCKS:
        wanted = [True] * 4
        if call == "Shmem_Lock_Test_Busy()":
            wanted = [True, False, False, False]
        elif call in ("Shmem_Lock_Test_Busy_All()", "Shmem_Lock_Test_Busy_Turns()"):
            wanted = [True, True, True, False]
        tap.equal(columns.get(call), wanted, f"{call}: who reports")


def test_progress(tap):
    """Over TCP, locks need a PE that is inside the library: also while it waits for its start."""
    for start in ("real", "barrier", "no"):
        attempts = Beside(tap)
        for _ in attempts:
            outcome = skampi(script(LOCKS, settings=f"choose_{start}_synchronization()\n"), np=2,
                             env={"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo"})
            found = times(outcome)
            slow = {call: found.get(call) for call in LOCKS if not found.get(call, MOST_NS) < MOST_NS}
            if not slow or len(found) < len(LOCKS):
                break
        tap.ok(outcome.status == 0 and len(found) == len(LOCKS), f"locks over TCP, {start} synchronization", outcome)
        attempts.decide(not slow, f"... none stalls, {start} synchronization", f"{slow}\n{outcome}")


def test_fairness(tap):
    outcome = skampi(script(["Shmem_Lock_Contended_Wait(50)"]), np=2)
    notes = [note for row in outcome.rows for note in row.notes if note.startswith("fairness: ")]
    tap.equal(len(notes), 1, "waiting for a lock: one note on fairness", outcome)
    words = notes[0].split() if notes else ["nan"]
    ratios = [float(word) for word in words if word[0].isdigit()]
    tap.ok(len(ratios) == 1 and ratios[0] >= 1, "... with the longest wait by the shortest", notes)


def test_faults(tap):
    """A library that does the wrong thing is noticed, the reason is told, and the script goes on."""
    library = preloadable("faulty_library.c")
    if not tap.ok(library, "the faulty library is built"):
        return
    after = "Shmem_Barrier()"

    def measure(case):
        fault, call, _ = case
        return skampi(script([call, after]), np=2,
                      env={"LD_PRELOAD": library, "SKAMPI_FAULT": fault})

    for (fault, call, words), outcome in in_parallel(FAULTS, measure, width=2):
        name = f"{fault}: {call}"
        tap.equal(outcome.status, 3, f"{name}: exit status", outcome)
        failed = [line for line in outcome.comments if line.startswith("# failed: ")]
        tap.ok(len(failed) == 1 and words in failed[0], f"{name}: the reason is told", failed)
        tap.equal(list(times(outcome)), [after], f"{name}: only what is right has a result")
    outcome = skampi(script([call for _, call, _ in FAULTS]), np=2,
                     env={"LD_PRELOAD": library, "SKAMPI_FAULT": "none"})
    tap.equal(outcome.status, 0, "the same without a fault", outcome)


def test_refusals(tap):
    for (call, where, words), outcome in in_parallel(
            REFUSED, lambda case: refused(script([case[0]], case[1]))):
        # What depends on the set leaves out this measurement alone.
        tap.ok(outcome.status == (3 if where == "comm(1)" else 2) and words in outcome.err
               and not outcome.rows,
               f"{call} on {where} is refused", outcome)


def test_heap(tap):
    """What is allocated is freed: far more than the heap holds goes through it. And what is larger
    than the heap fails, with a reason, without ending the job."""
    calls = [*MEMORY, "Shmem_Malloc(1, 1gb)", "Shmem_Realloc(1, 1gb)", "Shmem_Free(20)"]
    outcome = skampi(script(calls, settings="set_skampi_buffer(4kb)\nset_min_repetitions(30)\n"
                                            "set_max_repetitions(30)\n"),
                     np=2, env={"SHMEM_SYMMETRIC_SIZE": "16M", "SMA_SYMMETRIC_SIZE": "16M"})
    tap.equal(outcome.status, 3, "a heap of 16 MiB: exit status", outcome)
    tap.equal(list(times(outcome)), [call for call in calls if "1gb" not in call],
              "what fits is measured, again and again", outcome)
    failed = [line for line in outcome.comments if line.startswith("# failed: ")]
    tap.ok(len(failed) == 2 and all("SHMEM_SYMMETRIC_SIZE" in line for line in failed),
           "what does not fit fails with a reason", failed)
    tap.equal([row.bytes for row in outcome.rows], [65536] * len(MEMORY) + [4],
              "the size column shows the bytes of a block")


def main():
    if not harness.has("SHMEM"):
        skip_all("built without OpenSHMEM")
    tap = Tap()
    test_who_reports(tap)
    test_progress(tap)
    test_fairness(tap)
    test_faults(tap)
    test_refusals(tap)
    test_heap(tap)
    tap.done()


main()
