#!/usr/bin/env python3
# LONG
# TIMEOUT: 400
# BOUND
"""Collectives of MPI are measured right: every function on 1 to 7 processes, roots, sizes, no data at all, derived
datatypes, operations, topologies, errors, and that wrong data are noticed. The set-up of each
function compares all data with what they must be; exit status 0 says that they were right."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from builds import preloadable
from harness import Tap, block, skampi, skip_all
from quiet import Beside

# As few operations as there can be, started without clocks: more processes than processors.
PREAMBLE = """set_min_repetitions(1)
set_max_repetitions(1)
set_max_relative_standard_error(1.0)
choose_barrier_synchronization()
"""

ROUTINES = """Bcast Gather Gatherv Scatter Scatterv Allgather Allgatherv Alltoall Alltoallv Alltoallw
    Reduce Allreduce Reduce_scatter Reduce_scatter_block Scan Exscan""".split()
NEIGHBORS = [f"Neighbor_{name}" for name in
             "allgather allgatherv alltoall alltoallv alltoallw".split()]
PARTS = ["Post", "Wait", "Full", "Overlap", "Overlap_Test"]
ALGORITHMS = """Bcast_using_Send_Recv Allreduce_using_Reduce_Bcast Reduce_Scatterv
    Alltoall_using_Isend_Irecv Alltoallv_using_Isend_Irecv Gather_using_Send_Recv
    Gather_using_Isend_Irecv_Waitall myalltoallv delayed_Alltoall delayed_Gather
    multi_Alltoall""".split()
REDUCTIONS = [name for name in ROUTINES if re.search("educe|can", name)]


def nonblocking(name):
    return f"I{name[0].lower()}{name[1:]}"


def forms(name):
    return [name, f"{name}_Consecutive", f"{name}_Barrier"]


def parts(name):
    return [f"{nonblocking(name)}_{part}" for part in PARTS]


EVERYWHERE = (["Barrier", "Barrier_Consecutive", *parts("Barrier"), *ALGORITHMS]
              + [form for name in ROUTINES for form in (*forms(name), *parts(name))]
              + [f"{name}_In_Place" for name in ROUTINES if name != "Bcast"])
AMONG_NEIGHBORS = [form for name in NEIGHBORS for form in (*forms(name), *parts(name))]
PERSISTENT = [f"{name}_Persistent_{part}" for name in ("Barrier", *ROUTINES)
              for part in ("Init", "Start", "Full")]

SIGNATURES = {}


def read_signatures():
    listed = harness.signatures()
    SIGNATURES.update(re.findall(r"^(\w+)\((.*)\)$", listed, re.MULTILINE))


def call(name, **given):
    """A call with sensible arguments, but for those that are given: count, datatype, s_datatype, ..."""
    values = {"iterations": 2, "tests": 3, "root": 0, "op": "MPI_SUM", "charged_rank": 0,
              "ratio": 2.5, "delay": 0.001, "node": 0, "n": 2, "count": 3, "datatype": "MPI_INT"} | given
    arguments = []
    for parameter in filter(None, SIGNATURES[name].split(", ")):
        key = parameter.split()[-1]
        plain = re.sub("^[sr]_", "", key)
        arguments.append(str(values.get(key, values.get(plain))))
    return f"{name}({', '.join(arguments)})"


def measure(np, set_of, calls, preamble=""):
    """A run of a block with one line for each call."""
    lines = [f"measure {set_of} : {text}" for text in calls]
    return skampi(f"{PREAMBLE}{preamble}" + block("b", *lines), np=np, timeout=120)


def right(tap, what, run, calls):
    tap.equal((run.status, len(run.rows)), (0, len(calls)), f"{what}: {len(calls)} results", run)


# ---- Every function ----


def test_list(tap):
    for names in (EVERYWHERE, AMONG_NEIGHBORS, PERSISTENT):
        tap.equal([name for name in names if name not in SIGNATURES], [],
                  f"{names[0]} and {len(names) - 1} others are listed")


def test_processes(tap, np):
    """Each function once, the last rank being the root."""
    calls = [call(name, root=np - 1, charged_rank=np - 1) for name in EVERYWHERE]
    right(tap, f"{np} processes", measure(np, "MPI_COMM_WORLD", calls), calls)


def test_neighbors(tap, np):
    grids = [f"topology_cartesian(MPI_COMM_WORLD, dims_create({np}, {{0, 0}}), {{{p}, {p}}}, 0)"
             for p in (0, 1)]
    ring = f"topology_cartesian(MPI_COMM_WORLD, {{{np}}}, {{1}}, 0)"
    star = f"topology_graph2(MPI_COMM_WORLD, {{{', '.join(f'0, {i}' for i in range(1, np))}}}, 0)"
    for what, topology in (("open grid", grids[0]), ("torus", grids[1]), ("ring", ring),
                           ("star", star)):
        if what == "star" and np == 1:
            continue
        calls = [call(name) for name in (AMONG_NEIGHBORS if what == "torus" else
                                         [n for n in AMONG_NEIGHBORS if n in NEIGHBORS])]
        calls += [call(name, root=np - 1) for name in ("Bcast", "Alltoallv", "Scan")]
        right(tap, f"{what} of {np}", measure(np, "s", calls, f"s = {topology}\n"), calls)


# ---- Sizes, roots, datatypes, operations ----

SIZED = ROUTINES + ALGORITHMS + [f"{name}_In_Place" for name in ROUTINES if name != "Bcast"]


def test_sizes(tap, np):
    """No element at all, one, fewer and more than there are processes, odd ones, many."""
    counts = [0, 1, 2, 5, 7, 1001, 20011]
    calls = [call(name, count=count, root=count % np) for name in SIZED for count in counts]
    run = measure(np, "MPI_COMM_WORLD", calls, "set_skampi_buffer(8mb)\n")
    right(tap, f"sizes on {np}", run, calls)
    tap.equal([row.bytes for row in run.rows[:len(counts)]], [4 * count for count in counts],
              "the size reported is that of a rank's own block")


def test_roots(tap, np):
    names = [name for name in SIZED if "root" in SIGNATURES[name]]
    calls = [call(name, count=4, root=root) for name in names for root in range(np)]
    calls += [call("myalltoallv", count=4, charged_rank=rank, ratio=ratio) for rank in range(np)
              for ratio in (0.0, 0.3, 1.0)]
    right(tap, f"all roots of {np}", measure(np, "MPI_COMM_WORLD", calls), calls)


DERIVED = """vec = mpi_type_vector(3, 2, 5, MPI_INT)
ind = mpi_type_indexed({3, 2, 1}, {7, 0, 4}, MPI_INT)
str = mpi_type_struct({2, 4}, {4, 16}, {MPI_INT, MPI_INT})
neg = mpi_type_hindexed({4, 2}, {-8, 24}, MPI_INT)
mix = mpi_type_struct({1, 1, 1}, {0, 8, 17}, {MPI_DOUBLE, MPI_CHAR, MPI_SHORT})
"""


def test_datatypes(tap):
    """Derived ones on both sides, and different ones with the same data on either."""
    moved = [name for name in SIZED if not re.search(r"\bop\b", SIGNATURES[name])]
    calls = [call(name, datatype=kind, count=5, root=1) for name in moved
             for kind in ("vec", "ind", "str", "neg", "mix", "MPI_CHAR", "MPI_LONG_DOUBLE_INT")]
    two = [name for name in moved if "r_datatype" in SIGNATURES[name]]
    for sent, received in (("vec", "ind"), ("ind", "str"), ("neg", "vec")):
        calls += [call(name, s_datatype=sent, r_datatype=received, count=4) for name in two]
    calls += [call(name, s_datatype="vec", r_datatype="MPI_INT", s_count=2, r_count=12)
              for name in two if name != "myalltoallv"]
    right(tap, "derived datatypes", measure(3, "MPI_COMM_WORLD", calls, DERIVED), calls)
    calls = [call(name, s_datatype="vec", r_datatype="str") for name in NEIGHBORS]
    grid = DERIVED + "s = topology_cartesian(MPI_COMM_WORLD, {3}, {1}, 0)\n"
    right(tap, "derived datatypes of neighbours", measure(3, "s", calls, grid), calls)


OPERATIONS = {
    "MPI_MAX MPI_MIN MPI_SUM MPI_PROD": """MPI_SIGNED_CHAR MPI_UNSIGNED_CHAR MPI_SHORT
        MPI_UNSIGNED_SHORT MPI_INT MPI_UNSIGNED MPI_LONG MPI_UNSIGNED_LONG MPI_LONG_LONG
        MPI_UNSIGNED_LONG_LONG MPI_FLOAT MPI_DOUBLE MPI_LONG_DOUBLE""",
    "MPI_LAND MPI_LOR MPI_LXOR": "MPI_SIGNED_CHAR MPI_UNSIGNED_SHORT MPI_INT MPI_LONG",
    "MPI_BAND MPI_BOR MPI_BXOR": "MPI_UNSIGNED_CHAR MPI_SHORT MPI_INT MPI_LONG MPI_BYTE",
    "MPI_MINLOC MPI_MAXLOC": """MPI_FLOAT_INT MPI_DOUBLE_INT MPI_LONG_INT MPI_2INT MPI_SHORT_INT
        MPI_LONG_DOUBLE_INT""",
}


def test_operations(tap):
    """All operations on all kinds of data that they are for."""
    pairs = [(op, kind) for ops, kinds in OPERATIONS.items() for op in ops.split()
             for kind in kinds.split()]
    calls = [call("Allreduce", op=op, datatype=kind, count=9) for op, kind in pairs]
    calls += [call(name, op=op, datatype=kind, count=10, root=1) for name in REDUCTIONS
              for op, kind in (("MPI_PROD", "MPI_DOUBLE"), ("MPI_MAXLOC", "MPI_2INT"),
                               ("MPI_BXOR", "MPI_BYTE"))]
    right(tap, "operations", measure(3, "MPI_COMM_WORLD", calls), calls)


# ---- Sets, windows, late arrivals ----


def test_sets(tap):
    """Any processes in any order; the others stay out."""
    calls = [call(name, root=1) for name in ("Bcast", "Alltoallw_Barrier", "Iscan_Overlap_Test")]
    run = measure(4, "comm2(3, 1)", calls)
    right(tap, "ranks 3 and 1 of 4", run, calls)
    tap.ok(all(len(row.per_pe) == 2 and None not in row.per_pe for row in run.rows),
           "both members report", run)


def test_windows(tap):
    """Started by the clock; how late a rank comes does not count for that rank."""
    late = 20e-3
    preamble = ("choose_real_synchronization()\nset_unit(1.0)\nset_min_repetitions(4)\n"
                f'set_max_repetitions(8)\nset_arrival_skew("one", {late})\n')
    calls = [call(name) for name in ("Barrier", "Alltoall", "Iallreduce_Full")]
    shown = dict.fromkeys(calls, False)
    attempts = Beside(tap)
    for _ in attempts:
        run = measure(2, "MPI_COMM_WORLD", calls, preamble)
        for row, text in zip(run.rows, calls):
            early, last = row.per_pe
            shown[text] |= late <= early < 2 * late and last < late / 2 and row.time >= late
        if run.status == 0 and all(shown.values()):
            break
    right(tap, "windows", run, calls)
    for text in calls:
        attempts.decide(shown[text], f"{text}: rank 0 waits for the late one, whose time counts from its own "
                        "entry", run)


# ---- Errors ----

ERRORS = {
    "Gather(-1, MPI_INT, -1, MPI_INT, 0)": r"\(s_count\) must be at least 0",
    "Allgather(3, MPI_INT, 2, MPI_INT)": "bytes received must be equal",
    "Allreduce(1, MPI_DOUBLE, MPI_BAND)": "MPI_BAND is for integers and MPI_BYTE",
    "Alltoallw(1000000000, MPI_INT, 1000000000, MPI_INT)": "places of blocks in an int",
    "myalltoallv(1, MPI_INT, 1, MPI_INT, 0, -1.0)": "ratio is -1, but must be at least 0",
    "Ibcast_Overlap_Test(0, 1, MPI_INT, 0)": r"\(tests\) must be at least 1",
}


def test_errors(tap):
    def check(case):
        return skampi(block("e", f"measure comm(2) : {case}"), np=2)

    for (text, wanted), run in harness.in_parallel(ERRORS.items(), lambda case: check(case[0]), 2):
        tap.equal(run.status, 2, f"{text} is refused", run)
        tap.ok(re.search(r"^test\.ski:2:\d+: error: .*" + wanted, run.err, re.MULTILINE),
               f"{text}: {wanted}", run.err)
    run = skampi(block("e", "measure comm(2) : Bcast(1, MPI_INT, 2)"), np=2)
    tap.ok(run.status == 3 and "root is 2" in run.err, "a root that the set does not have", run)
    run = skampi(block("e", "measure comm(2) : Neighbor_allgather(1, MPI_INT, 1, MPI_INT)"), np=2)
    tap.ok(run.status == 3 and "needs a communicator with a topology" in run.err,
           "a set without a topology is left out", run)
    run = skampi("s = topology_graph(MPI_COMM_WORLD, {1, 1}, {1}, 0)\n"
                 + block("e", f"measure s : {call('Neighbor_alltoall')}"), np=2)
    tap.ok(run.status == 3 and "an edge is missing the way back" in run.err,
           "a graph whose neighbours do not know each other is refused", run)


def test_buffer(tap):
    """Both buffers together fit twice, since they cycle, or the loop ends."""
    run = skampi(PREAMBLE + "set_skampi_buffer(64kb)\n"
                 + block("b", "for count = 1024 to ... step *2 do",
                         f"measure MPI_COMM_WORLD : {call('Alltoall', count='count')}", "od"), np=2)
    tap.equal((run.status, [row.bytes for row in run.rows]), (0, [4096, 8192]),
              "a loop without end stops where twice two blocks to send and to receive do not fit", run)


# ---- Wrong data ----

CORRUPTED = {
    "Bcast": "void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm",
    "Gather": "const void *s, int sc, MPI_Datatype st, void *buffer, int count, MPI_Datatype type, "
              "int root, MPI_Comm comm",
    "Scatter": "const void *s, int sc, MPI_Datatype st, void *buffer, int count, MPI_Datatype type, "
               "int root, MPI_Comm comm",
    "Allgather": "const void *s, int sc, MPI_Datatype st, void *buffer, int count, "
                 "MPI_Datatype type, MPI_Comm comm",
    "Alltoall": "const void *s, int sc, MPI_Datatype st, void *buffer, int count, "
                "MPI_Datatype type, MPI_Comm comm",
    "Neighbor_alltoall": "const void *s, int sc, MPI_Datatype st, void *buffer, int count, "
                         "MPI_Datatype type, MPI_Comm comm",
    "Gatherv": "const void *s, int sc, MPI_Datatype st, void *buffer, const int *counts, "
               "const int *places, MPI_Datatype type, int root, MPI_Comm comm",
    "Scatterv": "const void *s, const int *sc, const int *sp, MPI_Datatype st, void *buffer, "
                "int count, MPI_Datatype type, int root, MPI_Comm comm",
    "Allgatherv": "const void *s, int sc, MPI_Datatype st, void *buffer, const int *counts, "
                  "const int *places, MPI_Datatype type, MPI_Comm comm",
    "Alltoallv": "const void *s, const int *sc, const int *sp, MPI_Datatype st, void *buffer, "
                 "const int *counts, const int *places, MPI_Datatype type, MPI_Comm comm",
    "Alltoallw": "const void *s, const int *sc, const int *sp, const MPI_Datatype *st, "
                 "void *buffer, const int *counts, const int *places, const MPI_Datatype *types, "
                 "MPI_Comm comm",
    "Reduce": "const void *s, void *buffer, int count, MPI_Datatype type, MPI_Op op, int root, "
              "MPI_Comm comm",
    "Allreduce": "const void *s, void *buffer, int count, MPI_Datatype type, MPI_Op op, "
                 "MPI_Comm comm",
    "Reduce_scatter": "const void *s, void *buffer, const int *counts, MPI_Datatype type, "
                      "MPI_Op op, MPI_Comm comm",
    "Reduce_scatter_block": "const void *s, void *buffer, int count, MPI_Datatype type, MPI_Op op, "
                            "MPI_Comm comm",
    "Scan": "const void *s, void *buffer, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm",
    "Exscan": "const void *s, void *buffer, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm",
}


def corrupting_library():
    """Makes every collective get the first block's second byte wrong on the last process."""
    source = """#include <mpi.h>
static void corrupt(void *buffer)
{
    int rank, size;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == size - 1)
        ((unsigned char *)buffer)[1] ^= 0x10;
}
"""
    for name, parameters in CORRUPTED.items():
        arguments = ", ".join(re.findall(r"(\w+)(?:,|$)", parameters))
        source += (f"int MPI_{name}({parameters})\n{{\n    int code = PMPI_{name}({arguments});\n"
                   "    corrupt(buffer);\n    return code;\n}\n")
        posted = f"I{name[0].lower()}{name[1:]}"
        source += (f"int MPI_{posted}({parameters}, MPI_Request *request)\n{{\n"
                   f"    int code = PMPI_{posted}({arguments}, request);\n"
                   "    PMPI_Wait(request, MPI_STATUS_IGNORE);\n"
                   "    corrupt(buffer);\n    return code;\n}\n")
    return preloadable(source)


def test_wrong_data(tap):
    names = [name for name in CORRUPTED if not name.startswith("Neighbor")]
    names += [f"{nonblocking(name)}_Full" for name in names]
    names += ["Neighbor_alltoall", "Ineighbor_alltoall_Wait", "Allreduce_In_Place",
              "Allreduce_using_Reduce_Bcast", "Reduce_Scatterv", "myalltoallv"]
    # A broadcast behind a reduction would break on rank 1 what is broken there already.
    calls = [call(name, root=0 if "using" in name else 1, count=7) for name in names]
    library = corrupting_library()
    if not tap.ok(library, "the corrupting library is built"):
        return
    lines = [f"measure {'s' if 'eighbor' in text else 'MPI_COMM_WORLD'} : {text}" for text in calls]
    run = skampi("s = topology_cartesian(MPI_COMM_WORLD, {2}, {1}, 0)\n" + PREAMBLE
                 + block("wrong", *lines), np=2, env={"LD_PRELOAD": library})
    tap.equal(run.status, 3, "wrong data: exit status", run)
    tap.equal([row.line for row in run.rows], [], "wrong data: no results")
    noticed = re.findall(r"error: (\w+)\(.*\): wrong data: ", run.err)
    tap.equal(noticed, names, "wrong data are noticed by each function", run)


def main():
    if not harness.has("MPI"):
        skip_all("built without MPI")
    read_signatures()
    tap = Tap()
    test_list(tap)
    for np in (1, 2, 3, 4, 5, 7):
        test_processes(tap, np)
    for np in (1, 2, 3, 4):
        test_neighbors(tap, np)
    for np in (1, 2, 3):
        test_sizes(tap, np)
    test_roots(tap, 3)
    test_datatypes(tap)
    test_operations(tap)
    test_sets(tap)
    test_windows(tap)
    test_errors(tap)
    test_buffer(tap)
    test_wrong_data(tap)
    tap.done()


main()
