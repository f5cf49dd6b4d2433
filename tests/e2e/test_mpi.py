#!/usr/bin/env python3
# LONG
# TIMEOUT: 200
"""MPI does in the language and in measurements what is documented: arguments that make no sense, messages of all types on all
sets, sub-communicators while others wait, wrong data noticed, start and end of the library."""

import itertools
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from builds import preloadable
from harness import SAMPLE, Tap, block, in_parallel, refused, skampi

FEW = """set_min_repetitions(4)
set_max_repetitions(8)
set_max_relative_standard_error(1.0)
"""

# Line of a block, words of the message.
REFUSED = [
    ("d = mpi_type_contiguous(-1, MPI_INT)", "0 to 2147483647"),
    ("d = mpi_type_vector(1, 1, 1, MPI_SUM)", "must be a datatype, this is an operation"),
    ("d = mpi_type_indexed({1}, {1, 2}, MPI_INT)", "same length"),
    ("d = mpi_type_struct({1}, {1}, {1})", "must be a datatype array"),
    ("d = mpi_type_struct({1}, {1}, alloc_datatype_array(1))", "datatype 0 of the array has not been"),
    ("d = mpi_type_create_subarray({4}, {4}, {1}, MPI_INT)", "within the array"),
    ("d = mpi_type_create_darray(2, 0, {4}, {77}, {1}, {2}, MPI_INT)", "MPI_DISTRIBUTE_BLOCK"),
    ("d = {MPI_INT, 3}", "must be a datatype, this is an integer"),
    ("d = {3, MPI_INT}", "must be an integer, this is a datatype"),
    ("d = MPI_INT + 1", "cannot be operands"),
    ("d = datatype_array_get(alloc_datatype_array(2), 2)", "no element 2"),
    ("d = alloc_datatype_array(100000000)", "out of range"),
    ("info_set(MPI_INFO_NULL, \"a\", \"b\")", "info_create()"),
    ("info_set(info_create(), \"\", \"b\")", "empty"),
    ("c = topology_cartesian(MPI_COMM_WORLD, {2, 2}, {0, 0}, 0)", "4 places"),
    ("c = topology_cartesian(MPI_COMM_WORLD, {2}, {0, 0}, 0)", "same length"),
    ("c = topology_cartesian(MPI_COMM_WORLD, {2}, {2}, 0)", "allowed is 0 to 1"),
    ("c = topology_cartesian(MPI_COMM_WORLD, {0}, {0}, 0)", "at least 1"),
    ("c = topology_graph(MPI_COMM_WORLD, {2, 1}, {1}, 0)", "index"),
    ("c = topology_graph(MPI_COMM_WORLD, {1, 2}, {1, 5}, 0)", "allowed is 0 to 1"),
    ("c = topology_graph2(MPI_COMM_WORLD, {0, 1, 1}, 0)", "pairs"),
    ("set_io_datarep(\"text\")", "\"text\" is unknown; allowed is \"native\", \"internal\" or"),
    ("print_data_access_settings(0x131, 3)", "daccess must be a sum of"),
    ("print_data_access_settings(0x111, 4)", "allowed is 1 to 3"),
    ("set_file_info(\"\", \"b\")", "empty"),
    ("x = int_array_allgather(comm(1), 1.5)", "must be a whole number"),
    ("measure comm(2) : Pingpong_Send_Recv(1, 4, 0, 1)", "(datatype) must be a datatype"),
]
# The same where MPI is there: a build without it measures nothing that could be refused.
REFUSED_WITH_MPI = [
    ("measure comm(2) : Pingpong_Send_Recv(1, MPI_INT, 40000, 1)", "tag is 40000"),
    ("measure comm(2) : Pingpong_Sendrecv(2, MPI_INT, 0, 1, MPI_INT, 0, 1)", "at least as large"),
    ("measure comm(2) : Par_Pingpong_Send_Recv(1, MPI_INT, 0, 1, 2, 1)", "at most nodesize"),
    ("measure comm(2) : delayed_Gather(1, MPI_INT, 1, MPI_INT, 0, 2.0, 1)", "delay is 2, but may be at most 1"),
]
# What depends on the set leaves out this measurement alone: all in one run.
LEFT_OUT = [
    ("comm(1) : Pingpong_Send_Recv(1, MPI_CHAR, 0, 1)", "at least 2 PEs"),
    ("comm(2) : Isend_Irecv_Rate(1, MPI_CHAR, 4, 2, 1)", "pairs is 2, but 2 PEs make only 1"),
    ("comm(2) : Par_Pingpong_Send_Recv(1, MPI_INT, 0, 1, 1, 2)", "procs and nodesize"),
    ("comm(2) : Exchange(1, MPI_INT, 2)", "number of other ranks"),
    ("comm(2) : delayed_Gather(1, MPI_INT, 1, MPI_INT, 0, 0.1, 2)", "node is 2, but the communicator has"),
    ("comm(2) : waitpattern_up(0.9)", "longer than 1 s"),
]

PINGPONGS = """Send_Recv Send_Iprobe_Recv Send_Irecv Send_Recv_AT Ssend_Recv Isend_Recv Issend_Recv Bsend_Recv
    Isend_Irecv Persistent""".split()
# With gaps, with data before the start, of several types; a pair, with padding at its end.
TYPES = ["MPI_CHAR", "MPI_LONG_DOUBLE", "MPI_DOUBLE_INT", "mpi_type_vector(3, 2, 5, MPI_SHORT)",
         "mpi_type_hindexed({1, 1}, {-8, 16}, MPI_LONG)",
         "mpi_type_struct({1, 2}, {0, 8}, {MPI_DOUBLE, MPI_CHAR})",
         "mpi_type_create_subarray({4, 6}, {2, 3}, {1, 2}, MPI_INT)",
         "mpi_type_create_darray(4, 3, {6, 4}, {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK},"
         " {2, MPI_DISTRIBUTE_DFLT_DARG}, {2, 2}, MPI_FLOAT)"]

# Data that begin before the element's start, with a gap; gaps alone; data that begin after it, out of order.
PLACED = ["mpi_type_hindexed({1, 1}, {-8, 16}, MPI_LONG)", "mpi_type_vector(3, 2, 5, MPI_SHORT)",
          "mpi_type_contiguous(2, mpi_type_hindexed({4, 4}, {64, 32}, MPI_BYTE))"]
PREDEFINED_ONLY = re.compile("^(Fetch_and_op|Compare_and_swap)_")

# MPI_Init comes before shmem_init, and MPI is finalized once.
START = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#define CALLED(name, parameters, ...)                                                              \
    int name parameters                                                                            \
    {                                                                                              \
        int (*real) parameters = (int (*) parameters)dlsym(RTLD_NEXT, #name);                      \
        fprintf(stderr, "called " #name "\n");                                                     \
        return real(__VA_ARGS__);                                                                  \
    }
CALLED(MPI_Init, (int *c, char ***v), c, v)
CALLED(MPI_Finalize, (void))
void shmem_init(void)
{
    void (*real)(void) = (void (*)(void))dlsym(RTLD_NEXT, "shmem_init");
    fprintf(stderr, "called shmem_init\n");
    real();
}
"""

# Messages arrive, but not what is in them.
LOST = r"""
#include <mpi.h>
static char nowhere[1 << 16];
/* What skampi itself sends is bytes. */
static void *place(void *to, MPI_Datatype type)
{
    return type == MPI_INT ? nowhere : to;
}
int MPI_Irecv(void *to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *r)
{
    return PMPI_Irecv(place(to, type), count, type, from, tag, comm, r);
}
int MPI_Recv(void *to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *s)
{
    return PMPI_Recv(place(to, type), count, type, from, tag, comm, s);
}
"""


def measured(function, arguments, where="comm(2)"):
    return f"measure {where} : {function}({arguments})"


def test_refusals(tap):
    cases = REFUSED + (REFUSED_WITH_MPI if harness.has("MPI") else [])
    runs = in_parallel(cases, lambda case: refused(block("b", case[0])))
    for (line, words), run in runs:
        first = (run.err.splitlines() or [""])[0]
        tap.ok(run.status == 2 and re.match(r"test\.ski:2:\d+: error: ", first)
               and words in first, f"refused: {line}", f"without {words!r}\n{run}")
    if not harness.has("MPI"):
        return
    run = skampi(block("b", *(f"measure {call}" for call, _ in LEFT_OUT)), np=2)
    tap.ok(run.status == 3 and not run.rows, "what depends on the set is left out", run)
    warnings = re.findall(r"^test\.ski:\d+:\d+: warning: .*", run.err, re.MULTILINE)
    for (call, words), warning in itertools.zip_longest(LEFT_OUT, warnings, fillvalue=""):
        tap.ok(words in warning, f"left out: {call}", warning)


def test_absent(tap):
    run = skampi(FEW + block("b", 'print is_supported("Pingpong_Send_Recv")',
                             measured("Pingpong_Send_Recv", "1, MPI_INT, 0, 1")), np=2)
    tap.ok(run.status == 3 and "#P[0] 0" in run.out and "built without MPI" in run.out,
           "MPI is absent, and that is said", run)
    listed = harness.signatures("Pingpong_Send_Recv")
    tap.ok("datatype datatype" in listed and "unsupported: this program was built without MPI"
           in listed, "... and its functions are listed as absent", listed)


def test_messages(tap):
    """Every way to send and receive; every type by one of them."""
    calls = [measured(f"Pingpong_{name}", f"{count}, MPI_INT, 3, 2")
             for name in PINGPONGS for count in (0, 1, 1000, 100000)]
    calls += [measured("Pingpong_Sendrecv", "5, mpi_type_contiguous(2, MPI_INT), 1, 12, MPI_INT, 2, 2"),
              measured("Pingpong_Sendrecv_replace", "7, MPI_DOUBLE, 1, 2, 2"),
              measured("Send_Recv_One_Way", "7, MPI_DOUBLE, 1, 0")]
    calls += [measured("Pingpong_Send_Recv", f"{count}, {datatype}, 0, 2")
              for datatype in TYPES for count in (0, 1, 777)]
    run = skampi(FEW + "set_skampi_buffer(4MB)\n" + block("b", *calls), np=2, timeout=100)
    tap.ok(run.status == 0 and len(run.rows) == len(calls), "messages of all kinds and types", run)
    values = [(row.per_pe[0] or 0) > 0 and row.per_pe[1] is None for row in run.rows]
    tap.ok(all(values), "rank 0 reports", run)
    sizes = [row.bytes for row in run.rows]
    tap.equal(sizes[:4], [0, 4, 4000, 400000], "their sizes are reported")


def test_parts(tap):
    """What a computation hides, exchanges, several pairs; each verifies its data itself."""
    parts = [measured(f"{name}_{part}", f"{'3, ' if part.endswith('Test') else ''}{count}, {kind}, 7",
                      "MPI_COMM_WORLD")
             for name in ("Isend", "Irecv", "Isend_Irecv")
             for part in ("Post", "Wait", "Full", "Overlap", "Overlap_Test")
             for count, kind in ((0, "MPI_INT"), (777, TYPES[3]), (50000, "MPI_CHAR"))]
    for np in (3,) if SAMPLE else (2, 3):
        calls = parts + [measured("Exchange", f"100, {TYPES[4]}, {n}", "MPI_COMM_WORLD")
                         for n in range(np)]
        calls += [measured("Isend_callduration", "9, MPI_INT", "MPI_COMM_WORLD"),
                  measured("Send", "9, MPI_INT, 3", "MPI_COMM_WORLD"),
                  measured("Par_Pingpong_Send_Recv", f"9, MPI_INT, 3, 2, 1, {np - 1}", "MPI_COMM_WORLD")]
        run = skampi(FEW + "choose_barrier_synchronization()\nset_skampi_buffer(1MB)\n"
                     + block("b", *calls), np=np, timeout=100)
        if tap.equal((run.status, len(run.rows)), (0, len(calls)), f"parts, {np} PEs", run):
            reporting = [sum(value is not None for value in row.per_pe) for row in run.rows]
            tap.equal(reporting, [1] * 30 + [np] * 15 + [np] * np + [1] * 3, "... who reports", run)


def test_rates(tap):
    """Windows of messages, by one pair and by all, one way and both."""
    calls = [measured(f"Isend_Irecv_Rate{way}", f"{count}, {kind}, {window}, {pairs}, 2", "MPI_COMM_WORLD")
             for way in ("", "_Bidirectional") for count, kind in ((0, "MPI_INT"), (100, TYPES[3]))
             for window in (1, 16) for pairs in (0, 1)]
    for np in (3,) if SAMPLE else (2, 3, 4):
        run = skampi(FEW + "choose_barrier_synchronization()\n" + block("b", *calls), np=np, timeout=100)
        reporting = [sum(value is not None for value in row.per_pe) for row in run.rows]
        pairs = [np // 2, 1] * 4
        tap.equal(reporting, pairs + [2 * n for n in pairs], f"windows of messages, {np} PEs", run)


def test_buffer(tap):
    """The classic rule ends a loop: both buffers, twice, in 64 KiB."""
    run = skampi(FEW + "set_skampi_buffer(64kb)\n" + block(
        "b", "for count = 1024 to ... step *2 do", measured("Pingpong_Send_Recv", "count, MPI_INT, 0, 1"),
        "od", "switch_buffer_cycling_off()", "for count = 1024 to ... step *2 do",
        measured("Pingpong_Send_Recv", "count, MPI_INT, 0, 1"), "od"), np=2)
    tap.equal([row.vars["count"] for row in run.rows], [1024, 2048, 4096, 1024, 2048, 4096, 8192],
              "SKaMPI 5's rule of what fits ends loops", run)


def test_sets(tap):
    """Others wait while ranks of a set exchange messages, whoever they are."""
    sets = ["comm2(2, 0)", "comm(3)", "comm_from_to(1, 3)", "comm2_max_latency_with_root()",
            "comm_second_half(MPI_COMM_WORLD)", "comm_rand(2)",
            "topology_cartesian(comm2(2, 1), {2, 1}, {1, 0}, 0)",
            "topology_cartesian(MPI_COMM_WORLD, {2}, {1}, 1)",
            "topology_graph2(MPI_COMM_WORLD, {0, 1, 1, 2}, 1)", "MPI_COMM_WORLD"]
    run = skampi(FEW + "choose_barrier_synchronization()\n" + block(
        "b", *(measured("Pingpong_Send_Recv", "10, MPI_INT, 0, 2", where) for where in sets)),
        np=3, timeout=100)
    tap.ok(run.status == 0 and len(run.rows) == len(sets), "parts of the world", run)
    # More communicators than are kept, twice: those of the first round have been given up by then.
    run = skampi(FEW + "choose_barrier_synchronization()\n" + block(
        "b", "for round = 1 to 2 do", "for set in [comm(2), comm2(1, 0)] do",
        "for extents in [{1, 2, 1}, {2, 1, 1}, {1, 1, 2}] do", "for p = 0 to 7 do",
        "grid = topology_cartesian(set, extents, {p % 2, p / 2 % 2, p / 4 % 2}, 0)",
        measured("Pingpong_Send_Recv", "1, MPI_INT, 0, 1", "grid"), "od", "od", "od", "od"), np=2)
    tap.ok(run.status == 0 and len(run.rows) == 96, "many communicators", run)


def test_values(tap):
    """What PEs have, on all of them; info for memory; what is reported of the libraries."""
    run = skampi(FEW + """h = info_create()
info_set(h, "alloc_shared_noncontig", "true")
begin measurement "b"
  a = int_array_allgather(comm2(2, 1), 10 * get_comm_rank(MPI_COMM_WORLD))
  print_all a
  print get_mpi_alloc_mem_info()
  set_mpi_alloc_mem_info(h)
  h = MPI_INFO_NULL
  print get_mpi_alloc_mem_info()
  set_skampi_buffer_mpi_alloc_mem(1000, get_mpi_alloc_mem_info())
  for count = 1 to ... step *2 do
    measure comm(2) : Pingpong_Send_Recv(count, MPI_INT, 0, 1)
  od
  if is_supported("Put_fence") then
    measure comm(2) : Put_fence(10, MPI_INT, MPI_INFO_NULL)
  fi
end measurement
""", np=3, timeout=100)
    printed = [line for line in run.comments if re.match(r"#P\[0\]|#P\[.\] \[", line)]
    tap.equal(printed, ["#P[0] [20, 10]", "#P[1] [20, 10]", "#P[2] [20, 10]", "#P[0] MPI_INFO_NULL",
                        "#P[0] {alloc_shared_noncontig=true}"],
              "int_array_allgather, get_mpi_alloc_mem_info", run)
    counts = [row.vars["count"] for row in run.rows if row.vars]
    tap.ok(run.status == 0 and counts and counts[-1] == 32, "the buffer has the size that was set", run)
    for interface in ("OpenSHMEM", "MPI"):
        if harness.has(interface.upper().replace("OPEN", "")):
            tap.ok(any(re.match(rf"# library: .*\b{interface} \d\.\d", line) for line in run.comments),
                   f"the header has the version of {interface}", run)


def test_lost_data(tap):
    library = preloadable(LOST)
    for call in ("Pingpong_Send_Recv(10, MPI_INT, 0, 1)", "Isend_Full(10, MPI_INT, 0)",
                 "Irecv_Post(10, MPI_INT, 0)", "Exchange(10, MPI_INT, 1)"):
        run = skampi(FEW + block("b", f"measure comm(2) : {call}"), np=2, env={"LD_PRELOAD": library})
        tap.ok(run.status == 3 and "wrong data: " in run.err and not run.rows,
               f"{call}: lost data are noticed", run)


def test_start(tap):
    library = preloadable(START)
    run = skampi(block("b", "measure comm(1) : wtime(10)"), np=1, env={"LD_PRELOAD": library})
    calls = re.findall(r"^called (\w+)", run.err, re.MULTILINE)
    wanted = ["MPI_Init", "shmem_init"] if harness.has("SHMEM") else ["MPI_Init"]
    tap.ok(run.status == 0 and calls[:len(wanted)] == wanted, "MPI is started first", run)
    tap.ok(calls.count("MPI_Finalize") <= 1, "... and finalized once", calls)


def typed_call(function, kind):
    """Its examples, with that datatype and few elements; None where the type must be a predefined one."""
    names = {parameter["name"] for parameter in function["parameters"]}
    # Types of views must not begin before their elements; test_mpi_io has others.
    if (PREDEFINED_ONLY.match(function["name"]) or function["name"].startswith("MPI_IO_")
            or "op" in names and not names & {"info", "window"}):
        return None
    values = {"datatype": kind, "operation": "MPI_REPLACE", "iterations": "2"}
    few = dict.fromkeys(("count", "s_count", "r_count"), "5")
    arguments = [few.get(p["name"]) or values.get(p["type"]) or
                 (f'"{p["example"]}"' if p["type"] == "string" else p["example"]) for p in function["parameters"]]
    return measured(function["name"], ", ".join(arguments), "grid" if function["topology"] else "comm(2)")


def test_placed(tap):
    """Each function that takes a datatype, with data anywhere in its elements."""
    typed = [f for f in harness.functions() if f["api"] == "MPI" and "unsupported" not in f
             and any(p["type"] == "datatype" for p in f["parameters"])]
    if "(MPICH 4.0" in skampi(block("b", "measure comm(1) : wtime(1)"), np=1).out:
        tap.skip("persistent allgathers of derived datatypes", "MPICH 4.0 aborts when one is started a second time")
        typed = [f for f in typed if not f["name"].startswith("Allgather_Persistent_")]
    head = FEW + "set_skampi_buffer(1mb)\ngrid = topology_cartesian(MPI_COMM_WORLD, {2}, {1}, 0)\n"

    def start(kind):
        calls = [call for call in (typed_call(function, kind) for function in typed) if call]
        return len(calls), skampi(head + block("b", *calls), np=2, timeout=150)

    for kind, (calls, run) in in_parallel(PLACED[:2] if SAMPLE else PLACED, start, width=2):
        tap.ok(calls > 50, f"{calls} functions take {kind}")
        tap.equal((run.status, len(run.rows)), (0, calls), f"... and move it right: {kind}", run)


def main():
    tap = Tap()
    test_refusals(tap)
    if not harness.has("MPI"):
        test_absent(tap)
    else:
        test_messages(tap)
        test_parts(tap)
        test_rates(tap)
        test_buffer(tap)
        test_sets(tap)
        test_values(tap)
        test_lost_data(tap)
        test_start(tap)
        test_placed(tap)
    tap.done()


main()
