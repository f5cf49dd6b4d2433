#!/usr/bin/env python3
# TIMEOUT: 300
# PLAIN
"""What a runtime of Coarray Fortran does on OpenSHMEM: on 1, 2, 3 and 7 PEs and where PEs must help each
other, collisions and fragmentation are what a model says, faults of a library are noticed, and a library
that is only late is right."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import hash_model
import harness
import segment_model
from builds import preloadable
from harness import SAMPLE, Tap, in_parallel, refused, skampi, skip_all

PREAMBLE = ("set_unit(1e9)\nset_min_repetitions(2)\nset_max_repetitions(4)\n"
            "choose_barrier_synchronization()\n")
ORDER = ["Shmem_Quiet_Get(24, 3)", "Shmem_Put_Quiet_Get(24, 3)", "Shmem_Rmw_Local(24, 37)",
         "Shmem_Rmw_Put_Quiet(24, 3)", "Shmem_Rmw_Quiet_Get(24, 3)", "Shmem_Rmw_Quiet_Both(24, 3)"]
LOCKS = ["Shmem_Mcs_Set()", "Shmem_Mcs_Clear()", "Shmem_Mcs_Test_Free()", "Shmem_Mcs_Contended(3)",
         "Shmem_Mcs_Contended_Wait(3)"]
HELD = ["Shmem_Mcs_Test_Busy()", "Shmem_Mcs_Test_Busy_All()", "Shmem_Mcs_Handed_Over(3)",
        "Shmem_Lock_Handed_Over(3)", "Shmem_Lock_Set_Busy()"]
ACCESS = [f"Shmem_{lock}_Random_{direction}(100, 3)" for lock in ("Mcs", "Lock", "One_Lock")
          for direction in ("Put", "Get")]
MEMORY = [f"Shmem_{kind}(5000, 9, 60)" for kind in
          ("Malloc_Sequence", "Segment_Sequence", "Segment_Sequence_Barrier", "Malloc_Sequence_Span",
           "Segment_Sequence_Span")]
KEYS = 11
HASH = [f"Shmem_Hash_{kind}({KEYS})" for kind in
        ("Mcs", "Mcs_Insert", "Mcs_Update", "Lock", "Lock_Insert", "Lock_Update", "Atomic",
         "Atomic_Insert", "Atomic_Update")]
ALL = ORDER + LOCKS + ACCESS + MEMORY + HASH
SPANS = [(64, 1, 5), (16, 7, 50), (5000, 9, 60), (65536, 40, 700), (65536, 40, 700, 2)]

# What the library does, a function that must notice it, words of its reason.
FAULTS = [
    ("late quiet", "Shmem_Rmw_Put_Quiet(72, 9)", "updates of a record"),
    ("late quiet", "Shmem_Rmw_Quiet_Get(72, 9)", "updates of a record"),
    ("late quiet", "Shmem_Put_Quiet_Get(72, 9)", "wrong data: "),
    ("late quiet", "Shmem_Hash_Mcs(20)", "wrong data: "),
    ("late quiet", "Shmem_Mcs_Random_Put(72, 9)", "is not what a single rank had"),
    ("atomics succeed", "Shmem_Mcs_Set()", "does not exclude"),
    ("atomics succeed", "Shmem_Mcs_Test_Busy()", "acquired a lock that another one holds"),
    ("atomics succeed", "Shmem_Mcs_Random_Put(72, 9)", "does not exclude"),
    ("atomics succeed", "Shmem_Hash_Atomic(20)", "wrong data: "),
    ("add is lost", "Shmem_Hash_Atomic(20)", "were not counted twice"),
    ("malloc repeats", "Shmem_Malloc_Sequence(64, 6, 100)", "a block in use"),
]

# Call, set, words of the message, exit status.
REFUSED = [
    ("Shmem_Segment_Sequence(4096, 8, 10)", "comm(1)", "by all PEs of the job together", 3),
    ("Shmem_Malloc_Sequence(1mb, 65, 10)", "MPI_COMM_WORLD", "more than 64 MiB together", 2),
    ("Shmem_Segment_Sequence(8, 8, 10)", "MPI_COMM_WORLD", "(size) must be at least 16", 2),
    ("Shmem_Rmw_Local(7, 1)", "MPI_COMM_WORLD", "(count) must be at least 8", 2),
    ("Shmem_Hash_Mcs(0)", "MPI_COMM_WORLD", "(inserts) must be at least 1", 2),
    ("Shmem_Hash_Atomic(2000001)", "MPI_COMM_WORLD", "inserts is 2000001, but may be at most 2000000", 2),
    ("Shmem_Mcs_Handed_Over(1)", "comm(1)", "at least 2 PEs", 3),
]


def script(calls, where="MPI_COMM_WORLD", settings=""):
    return PREAMBLE + settings + "".join(
        f'begin measurement "{call}"\n  measure {where} : {call}\nend measurement\n'
        for call in calls)


def rows_of(outcome):
    return {row.block: row for row in outcome.rows}


def check_collisions(tap, rows, pes):
    met = hash_model.met(pes, KEYS)
    wanted = f"collisions: {pes * KEYS} insertions met {met} places that others had taken"
    missing = [call for call in HASH if call not in rows or wanted not in rows[call].notes]
    tap.equal(missing, [], f"{pes} PEs: {met} collisions, however the table is protected")


def test_numbers_of_pes(tap):
    for pes in (2,) if SAMPLE else (1, 2, 3, 7):
        calls = ALL + (HELD if pes > 1 else [])
        outcome = skampi(script(calls), np=pes, timeout=100)
        rows = rows_of(outcome)
        tap.equal((outcome.status, list(rows)), (0, calls), f"{pes} PEs: all are measured", outcome)
        check_collisions(tap, rows, pes)


def test_parts(tap):
    """On a set in any order, with another PE outside."""
    calls = ORDER + LOCKS + HELD + ACCESS + HASH
    outcome = skampi(script(calls, "comm4(3, 0, 2, 1)"), np=5, timeout=100)
    tap.equal((outcome.status, list(rows_of(outcome))), (0, calls),
              "four of five PEs, in any order", outcome)
    check_collisions(tap, rows_of(outcome), 4)


def test_progress(tap):
    """Over TCP, everything needs a PE that is inside the library."""
    calls = ORDER + LOCKS + HELD + ACCESS + HASH
    for _ in range(3):  # what PEs hand over takes long where other programs have their processors
        outcome = skampi(script(calls), np=2, timeout=100,
                         env={"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo"})
        slow = {call: row.time for call, row in rows_of(outcome).items() if not row.time < 1e8}
        if not slow or outcome.status != 0:
            break
    tap.ok(outcome.status == 0 and not slow, "over TCP", f"{slow}\n{outcome}")


def test_cold(tap):
    outcome = skampi(script(ALL + HELD, settings='set_cache_state("cold")\nset_verify("every")\n'),
                     np=2, timeout=100)
    tap.equal(outcome.status, 0, "in cold memory, with every repetition verified", outcome)


def test_spans(tap):
    """The free list is a first fit: it needs exactly as much of the segment. What malloc needs depends on
    the library, and is never less than what is in use."""
    calls = {f"{arguments}": ", ".join(map(str, arguments)) for arguments in SPANS}
    kinds = ("Segment", "Malloc")
    outcome = skampi(script([f"Shmem_{kind}_Sequence_Span({call})" for call in calls.values()
                             for kind in kinds]), np=2)
    rows = rows_of(outcome)
    for arguments in SPANS:
        span, most = segment_model.span(*arguments)
        call = calls[f"{arguments}"]
        segment, malloc = (rows.get(f"Shmem_{kind}_Sequence_Span({call})") for kind in kinds)
        tap.ok(segment and segment.time == span, f"the segment for {call}: {span} bytes",
               f"{segment and segment.line}\n{outcome.err}")
        tap.ok(segment and any(f"at most {most} bytes are in use" in note for note in segment.notes),
               f"... of which {most} are in use", segment and segment.notes)
        tap.ok(malloc and malloc.time >= most, f"malloc for {call}: no less",
               malloc and malloc.line)


def test_fairness(tap):
    outcome = skampi(script(["Shmem_Mcs_Contended_Wait(50)"]), np=2)
    notes = [note for row in outcome.rows for note in row.notes if note.startswith("fairness: ")]
    tap.equal(len(notes), 1, "waiting for an MCS lock: one note on fairness", outcome)


def test_faults(tap, library):
    after = "Shmem_Barrier()"

    def measure(case):
        fault, call, _ = case
        return skampi(script([call, after]), np=2,
                      env={"LD_PRELOAD": library, "SKAMPI_FAULT": fault})

    chosen = FAULTS[::4] if SAMPLE else FAULTS
    for (fault, call, words), outcome in in_parallel(chosen, measure, width=2):
        failed = [line for line in outcome.comments if line.startswith("# failed: ")]
        tap.ok(outcome.status == 3 and len(failed) == 1 and words in failed[0]
               and list(rows_of(outcome)) == [after], f"{fault}: {call} fails with the reason",
               f"{failed}\n{outcome}")


def test_late(tap, library):
    """What the standard allows is no fault: puts are there after a quiet, not before."""
    calls = ORDER + LOCKS + HELD + ACCESS + HASH
    outcome = skampi(script(calls), np=2,
                     env={"LD_PRELOAD": library, "SKAMPI_FAULT": "late puts"})
    tap.equal((outcome.status, list(rows_of(outcome))), (0, calls),
              "puts that arrive with the quiet are waited for", outcome)


def test_refusals(tap):
    for (call, where, words, status), outcome in in_parallel(
            REFUSED, lambda case: refused(script([case[0]], case[1]))):
        tap.ok(outcome.status == status and words in outcome.err and not outcome.rows,
               f"{call} on {where} is refused", outcome)


def test_heap(tap):
    """Segments and blocks are freed: more than the heap holds goes through it."""
    calls = ["Shmem_Malloc_Sequence(65536, 64, 500)", "Shmem_Segment_Sequence(65536, 64, 500)",
             "Shmem_Segment_Sequence(65536, 63, 500)", "Shmem_Segment_Sequence(65536, 62, 500)",
             "Shmem_Segment_Sequence(1mb, 32, 500)", "Shmem_Malloc_Sequence(65536, 64, 400)"]
    outcome = skampi(script(calls, settings="set_skampi_buffer(4kb)\n"), np=2,
                     env={"SHMEM_SYMMETRIC_SIZE": "16M", "SMA_SYMMETRIC_SIZE": "16M"})
    failed = [line for line in outcome.comments if line.startswith("# failed: ")]
    tap.equal((outcome.status, list(rows_of(outcome))), (3, calls[:4] + calls[5:]),
              "a heap of 16 MiB: what fits is measured", outcome)
    tap.ok(len(failed) == 1 and "SHMEM_SYMMETRIC_SIZE" in failed[0],
           "... what does not fit fails with a reason", failed)


def main():
    if not harness.has("SHMEM"):
        skip_all("built without OpenSHMEM")
    tap = Tap()
    library = preloadable("faulty_images.c")
    tap.ok(library, "the faulty library is built")
    test_numbers_of_pes(tap)
    test_spans(tap)
    test_faults(tap, library)
    if not SAMPLE:
        test_parts(tap)
        test_progress(tap)
        test_cold(tap)
        test_fairness(tap)
        test_late(tap, library)
        test_refusals(tap)
        test_heap(tap)
    tap.done()


main()
