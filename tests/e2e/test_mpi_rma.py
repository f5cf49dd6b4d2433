#!/usr/bin/env python3
# LONG
# TIMEOUT: 300
# BOUND
"""One-sided communication of MPI, windows and communicators are measured right: every function on 1, 2 and 3 PEs,
arguments that are refused, wrong data noticed, delays that show where they should, memory."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from builds import preloadable
from harness import Tap, in_parallel, measuring, refused, skampi
from quiet import Beside

FEW = """set_min_repetitions(4)
set_max_repetitions(4)
set_max_relative_standard_error(1.0)
choose_barrier_synchronization()
set_skampi_buffer(1MB)
"""
# Values for the parameters by their names; others by their types.
VALUES = {"dest": "1", "us": "20", "rank": "0", "count": "100", "n": "3", "size": "1000", "msgs": "2",
          "doput": "1", "type": "MPI_LOCK_SHARED", "iterations": "3", "dist": "1", "disjoint": "0"}
TYPES = {"int": "0", "datatype": "MPI_INT", "op": "MPI_SUM", "info": "MPI_INFO_NULL",
         "string": '"create"'}
FAMILY = re.compile(r"^(?:Win_|Comm_|Put|Get_|Accumulate|Caching|Combining|onesided_|Pingpong_Put_Put|Rput|Rget"
                    r"|Raccumulate|Fetch_and|Compare_and|Shared_|Memory_Footprint_MPI|Datatype_|twosided_)")

# Families with tests of their own: test_pairs.py, test_load.py, test_progress_table.py.
ELSEWHERE = re.compile(r"_Pairs_|_Under_Load$|_Target_Computes$")

# Arguments of calls, and words of the message.
REFUSED = [
    ("Win_fence_open(1, MPI_INT, MPI_INFO_NULL, MPI_MODE_NOCHECK)", "assert of a fence"),
    ("Win_fence_close(1, MPI_INT, MPI_INFO_NULL, MPI_MODE_NOPRECEDE, 1)", "NOPRECEDE does not hold"),
    ("Win_lock(1, MPI_INT, MPI_INFO_NULL, MPI_MODE_NOPUT, MPI_LOCK_SHARED, 1)", "assert of a lock"),
    ("Win_lock(1, MPI_INT, MPI_INFO_NULL, 0, 77, 1)", "MPI_LOCK_EXCLUSIVE"),
    ("Win_start(1, MPI_INT, MPI_INFO_NULL, MPI_MODE_NOPRECEDE)", "assert of start and post"),
    ("Win_complete(1, MPI_INT, MPI_INFO_NULL, MPI_MODE_NOPUT, 1)", "NOPUT does not hold"),
    ("Win_start_delayed_post(1, MPI_INT, MPI_INFO_NULL, MPI_MODE_NOCHECK, 5, 1)", "post comes late"),
    ("Put(-1, MPI_INT, MPI_INFO_NULL)", "at least 0"),
    ("Put(1, MPI_SUM, MPI_INFO_NULL)", "datatype"),
    ("Accumulate(1, MPI_DOUBLE, MPI_INFO_NULL, MPI_BAND)", "MPI_BAND"),
    ("Put_Flush(1, MPI_INT, \"dynamic\", 1)", "\"shared\""),
    ("Compare_and_swap_Flush(MPI_DOUBLE, \"create\", 1)", "integers"),
    ("Win_memory(1, 1, \"none\")", "\"shared\""),
    ("Comm_dup_memory(0)", "at least 1"),
    ("Datatype_int(0, MPI_INFO_NULL)", "at least 1"),
    ("onesided_borderexchange(0, MPI_INFO_NULL, 1, 0)", "at least 1"),
]

# Gaps, data before the start, several types.
DERIVED = ["mpi_type_vector(3, 2, 5, MPI_SHORT)", "mpi_type_hindexed({1, 1}, {-8, 16}, MPI_LONG)",
           "mpi_type_struct({1, 2}, {0, 8}, {MPI_DOUBLE, MPI_CHAR})"]
DATATYPES = [f"Datatype_{name}" for name in """int simple simple_Get complex_once complex_everytime
    complex_mixed_once complex_mixed_everytime complex_Get""".split()]
OPERATIONS = [("MPI_INT", "MPI_SUM"), ("MPI_LONG", "MPI_BXOR"), ("MPI_DOUBLE", "MPI_PROD"),
              ("MPI_BYTE", "MPI_BOR"), ("MPI_FLOAT", "MPI_MAX"), ("MPI_INT", "MPI_REPLACE"),
              ("MPI_UNSIGNED_SHORT", "MPI_MIN")]

# Data that are put do not arrive; accumulates do something else.
LOST = r"""
#include <mpi.h>
int MPI_Put(const void *from, int n, MPI_Datatype t, int to, MPI_Aint at, int m, MPI_Datatype u, MPI_Win w)
{
    return PMPI_Put(from, n > 0 ? n - 1 : 0, t, to, at, m > 0 ? m - 1 : 0, u, w);
}
int MPI_Accumulate(const void *from, int n, MPI_Datatype t, int to, MPI_Aint at, int m, MPI_Datatype u,
                   MPI_Op op, MPI_Win w)
{
    (void)op;
    return PMPI_Accumulate(from, n, t, to, at, m, u, MPI_REPLACE, w);
}
"""


def functions():
    """Name -> (parameters' types and names, PEs needed) of all in these families."""
    listed = harness.signatures()
    found = {}
    for name, text in re.findall(r"^(\w+)\((.*)\)", listed, re.MULTILINE):
        if not FAMILY.match(name) or ELSEWHERE.search(name):
            continue
        described = skampi(args=["--describe", name], launch=False).out
        if "MPI" not in described:
            continue
        pes = re.search(r"^PEs: at least (\d+)", described, re.MULTILINE)
        found[name] = ([tuple(word.split()) for word in text.split(", ") if word], int(pes[1]))
    return found


def call(name, parameters, **other):
    values = {**VALUES, **other}
    return f"{name}({', '.join(values[p] if p in values else TYPES[t] for t, p in parameters)})"


def test_refusals(tap):
    runs = in_parallel(REFUSED, lambda case: refused(measuring("b", case[0])))
    for (line, words), run in zip(REFUSED, (run for _, run in runs)):
        first = (run.err.splitlines() or [""])[0]
        tap.ok(run.status == 2 and re.match(r"test\.ski:2:\d+: error: ", first) and words in first,
               f"refused: {line}", f"without {words!r}\n{run}")


def test_all(tap, found):
    """Every function, where there are ranks for it."""
    tap.ok(len(found) >= 60, "there are functions", sorted(found))
    for pes in (1, 2, 3):
        calls = [call(name, parameters, msgs=str(pes - 1), dest=str(pes - 1))
                 for name, (parameters, least) in found.items() if least <= pes]
        if pes == 1:
            # Open MPI cannot make these of one rank: said, and the rest goes on.
            calls = [c.replace('"create"', '"allocate"') for c in calls]
        run = skampi(FEW + measuring("b", *calls), np=pes, timeout=150)
        refused = re.findall(r"error: (\w+).*MPI_Win_create: ", run.err) if pes == 1 else []
        tap.equal(len(run.rows) + len(refused), len(calls), f"all functions on {pes} PEs", run)
        tap.equal(run.status, 3 if refused else 0, "... and the status says so", run)


def test_data(tap):
    """Types and operations; data of all sizes, none at all included; kinds of windows."""
    calls = [f"{name}({count}, {kind}, MPI_INFO_NULL)" for name in ("Put_fence", "Put_dedicated",
             "Put_passive", "Get_fence", "Get_dedicated", "Get_passive")
             for kind in ("MPI_CHAR", *DERIVED) for count in (0, 777)]
    calls += [f"{name}(5, {kind}, MPI_INFO_NULL, {op})" for name in ("Accumulate", "Accumulate_fence",
              "Accumulate_passive") for kind, op in OPERATIONS]
    calls += [f"Accumulate_concurrent(5, MPI_INT, MPI_INFO_NULL, {op}, {disjoint})"
              for op in ("MPI_SUM", "MPI_REPLACE") for disjoint in (0, 1)]
    calls += [f"Get_accumulate_Flush(5, {kind}, {op}, \"{window}\", 2)" for kind, op in OPERATIONS
              for window in ("create", "allocate")]
    calls += [f"Fetch_and_op_Flush({kind}, {op}, \"{window}\", 2)" for kind, op in OPERATIONS
              for window in ("create", "allocate", "shared")]
    calls += [f"{name}(777, {kind}, \"{window}\", 2)" for name in ("Put_Flush_Round", "Get_Flush_Round", "Rget_Wait")
              for kind in ("MPI_CHAR", *DERIVED) for window in ("create", "allocate", "shared")]
    calls += [f"Compare_and_swap_Flush({kind}, \"{window}\", 2)" for kind, window in
              (("MPI_LONG", "create"), ("MPI_LONG", "shared"), ("MPI_INT", "allocate"))]
    run = skampi(FEW + measuring("b", *calls), np=2, timeout=150)
    tap.ok(run.status == 0 and len(run.rows) == len(calls), "types, operations and windows", run)


def test_made_of_others(tap):
    """Collectives, active waits, derived datatypes, borders of grids: all sizes, on even and odd
    numbers of ranks."""
    calls = [f"onesided_{name}({count}, {kind}, MPI_INFO_NULL, {n})" for name in ("bcast", "alltoall")
             for kind in ("MPI_CHAR", *DERIVED) for count, n in ((0, 1), (33, 0), (33, 3))]
    calls += [f"onesided_{name}(5, {kind}, MPI_INFO_NULL, {op})" for name in ("reduce", "allreduce")
              for kind, op in OPERATIONS]
    calls += [f"{name}({count}, MPI_INFO_NULL)" for name in ("Put_activewait_get", "Get_activewait",
              "Put_activewait_twosided", "Accumulate_activewait_twosided") for count in (1, 2, 1001)]
    calls += [f"{name}({count}, MPI_INFO_NULL)" for name in DATATYPES for count in (1, 2, 1001)]
    calls += [f"{name}({count}, {info}2, {compute})" for name, info in (
              ("onesided_borderexchange", "MPI_INFO_NULL, "), ("twosided_borderexchange", ""),
              ("onesided_borderexchange_fence", "MPI_INFO_NULL, ")) for count, compute in ((1, 0), (17, 2))]
    for pes in (2, 4, 5):
        run = skampi(FEW + "set_max_repetitions(1) set_min_repetitions(1)\n" + measuring("b", *calls), np=pes,
                     timeout=200)
        tap.equal((run.status, len(run.rows)), (0, len(calls)), f"made of others, {pes} PEs", run)


def test_sets(tap):
    """Others wait."""
    sets = ["comm2(2, 0)", "comm_from_to(1, 3)", "comm(2)"]
    calls = [(call_, where) for where in sets for call_ in
             ("Put_dedicated(9, MPI_INT, MPI_INFO_NULL)", "Put_passive(9, MPI_INT, MPI_INFO_NULL)",
              "Put_Flush(9, MPI_INT, \"create\", 2)", "Comm_dup()", "Comm_split()",
              "Win_create(9, MPI_INT, MPI_INFO_NULL)")]
    run = skampi(FEW + "".join(measuring(f"b{i}", c, where=where) for i, (c, where) in enumerate(calls)), np=3,
                 timeout=150)
    tap.ok(run.status == 0 and len(run.rows) == len(calls), "parts of the world", run)


def test_values(tap):
    """Who reports, delays, bytes."""
    attempts = Beside(tap)
    for _ in attempts:
        run = skampi(FEW + measuring(
            "b",
            "Win_start_delayed_post(1, MPI_INT, MPI_INFO_NULL, 0, 30000, 1)",
            "Win_wait_delayed_complete(1, MPI_INT, MPI_INFO_NULL, 0, 1, 30000)",
            "Win_complete_n(1, MPI_INT, MPI_INFO_NULL, 0, 1, 30000)",
            "Put_dedicated(25, MPI_INT, MPI_INFO_NULL)",
            "Comm_dup_memory(20)", "Memory_Footprint_MPI()", "Win_memory(2, 4000000, \"create\")"), np=2)
        if run.status != 0 or len(run.rows) != 7:
            break
        post, complete, early = (row.per_pe[0] for row in run.rows[:3])
        shown = [post >= 20000, complete >= 20000, early < complete]
        if all(shown):
            break
    if not tap.ok(run.status == 0 and len(run.rows) == 7, "delays and memory", run):
        return
    post, complete, early, both, duplicates, footprint, windows = run.rows
    # What computing takes at least is no matter of how busy the machine is, but a PE may come to the wait late.
    tap.ok(post.per_pe[1] is None, "only rank 0 reports a start", run)
    attempts.decide(shown[0], "a late post shows in start", run)
    attempts.decide(shown[1], "a late complete shows in wait", run)
    attempts.decide(shown[2], "computing is not a part of complete", run)
    tap.ok(both.bytes == 100 and None not in both.per_pe, "both sides of an epoch report", run)
    tap.ok(duplicates.time >= 0, "memory of duplicates", run)
    tap.ok(footprint.time > 1e6, "memory of a process", run)
    tap.ok(windows.time >= 4e6, "windows' memory is counted", run)
    notes = "\n".join(run.comments)
    tap.ok("with the duplicates" in notes and "the first all-to-all" in notes, "steps are noted", run)


def test_lost_data(tap):
    library = preloadable(LOST)
    calls = ["Put_fence(10, MPI_INT, MPI_INFO_NULL)", "Put_Flush(10, MPI_INT, \"create\", 1)",
             "Put_Exchange(10, MPI_INT, MPI_INFO_NULL, 1)", "Win_free(10, MPI_INT, MPI_INFO_NULL, 1)",
             "Accumulate(10, MPI_INT, MPI_INFO_NULL, MPI_SUM)",
             "Accumulate_Flush(10, MPI_INT, MPI_SUM, \"create\", 1)",
             "Datatype_complex_mixed_once(10, MPI_INFO_NULL)", "Datatype_int(10, MPI_INFO_NULL)",
             "onesided_alltoall(10, MPI_INT, MPI_INFO_NULL, 1)",
             "onesided_allreduce(10, MPI_INT, MPI_INFO_NULL, MPI_SUM)"]
    run = skampi(FEW + measuring("b", *calls), np=2, env={"LD_PRELOAD": library})
    errors = len(re.findall(r"wrong data: |is not there", run.err))
    tap.ok(run.status == 3 and errors == len(calls) and not run.rows, "wrong data are noticed", run)


def main():
    tap = Tap()
    if not harness.has("MPI"):
        tap.skip("one-sided communication of MPI", "this program was built without MPI")
        tap.done()
        return
    test_refusals(tap)
    test_all(tap, functions())
    test_data(tap)
    test_made_of_others(tap)
    test_sets(tap)
    test_values(tap)
    test_lost_data(tap)
    tap.done()


main()
