#!/usr/bin/env python3
# LONG
# BOUND
"""Collective routines take all sizes and sets, allow for late arrivals, refuse what is wrong, and notice wrong data."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from builds import preloadable
from harness import Tap, block, skampi, skip_all
from quiet import Beside

PREAMBLE = """set_min_repetitions(4)
set_max_repetitions(8)
set_max_relative_standard_error(1.0)
set_unit(1.0e3)
"""


# ---- Sizes ----

COUNTS = [1, 2, 3, 4, 6, 8, 9]
ELEMENTS = {
    "Shmem_Bcast_All_Synchro(count, 1)": 4,
    "Shmem_Collect_Synchro(count)": 4,
    "Shmem_Fcollect_Consecutive(2, count)": 4,
    "Shmem_Alltoall_Barrier(2, count)": 4,
    "Shmem_Alltoalls_Synchro(count)": 4,
    "Shmem_Reduce_And_Synchro(count)": 2,
    "Shmem_Reduce_Sum_Int_Synchro(count)": 4,
    "Shmem_Reduce_Max_Double_Barrier(2, count)": 8,
}


def test_sizes(tap):
    """Whole elements, never none."""
    loop = f"for count in [{', '.join(map(str, COUNTS))}] do"
    run = skampi(PREAMBLE + "".join(block(call, loop, f"measure comm(2) : {call}", "od")
                                    for call in ELEMENTS), np=2)
    tap.equal(run.status, 0, "sizes: exit status", run)
    for call, element in ELEMENTS.items():
        tap.equal([row.bytes for row in run.block(call).rows],
                  [-(-count // element) * element for count in COUNTS],
                  f"{call}: counts are rounded up to whole elements of {element} bytes")


def test_buffer(tap):
    """A block may be as large as the buffer, however many PEs have one, and not larger."""
    calls = ["Shmem_Alltoall_Synchro", "Shmem_Fcollect_Synchro", "Shmem_Reduce_Sum_Long_Synchro"]
    run = skampi("set_skampi_buffer(4096)\n" + PREAMBLE
                 + "".join(block(call, "for count = 1024 to 8192 step *2 do",
                                 f"measure MPI_COMM_WORLD : {call}(count)", "od")
                           for call in calls), np=4)
    tap.equal(run.status, 3, "as large as the buffer: what is larger is reported", run)
    for call in calls:
        tap.equal([row.bytes for row in run.block(call).rows], [1024, 2048, 4096],
                  f"{call}: up to the size of the buffer", run)


# ---- Sets ----


def test_fresh_memory(tap):
    """No more iterations than there is cold memory for, on the side where there is less of it."""
    run = skampi(PREAMBLE + 'set_skampi_buffer(8mb)\nset_cache_state("cold")\n'
                 + block("cold", "measure comm(4) : Shmem_Fcollect_Consecutive(5, 8mb)"), np=4)
    tap.ok(run.status == 0 and run.rows
           and "iterations reduced to 1: there is no more fresh memory" in run.rows[0].notes,
           "cold: blocks of all PEs do not fit twice, so one iteration a repetition", run)


def test_sets(tap):
    """On any active set, the others staying out; elsewhere refused."""
    calls = ["Shmem_Barrier_Consecutive(5)", "Shmem_Sync_Half()", "Shmem_Bcast_All_SK_time(3, 8, 1)",
             "Shmem_Alltoall_Barrier(5, 8)", "Shmem_Reduce_Prod_Float_Synchro(8)"]
    columns = [[True, True], [True, False], [False, True], [True, True], [True, True]]
    run = skampi(PREAMBLE + "".join(block(call, f"measure comm_strided(1, 2, 2) : {call}")
                                    for call in calls), np=4)
    tap.equal(run.status, 0, "every other PE from 1 on: exit status", run)
    tap.equal([[value is not None for value in row.per_pe] for row in run.rows], columns,
              "every other PE from 1 on: who reports", run)
    tap.equal(run.err, "", "every other PE from 1 on: no complaint of the library")
    run = skampi(PREAMBLE + block("3", "measure comm_strided(0, 3, 2) : Shmem_Sync()"), np=4)
    tap.equal(run.status, 3, "a distance of 3 is left out", run)
    tap.ok("active set" in run.err, "a distance of 3: the reason", run)


# ---- Late arrivals ----

LATE = 20.0  # ms, far above what a routine takes


def skewed(who, call):
    return block(f"{who} {call}", f'set_arrival_skew("{who}", {LATE / 1e3})',
                 f"measure MPI_COMM_WORLD : {call}")


def late_arrivals(calls):
    """The run, and what it shows: (what is right, whether it is, the line)."""
    unaffected = "Shmem_Barrier_Consecutive(2)"
    text = PREAMBLE + "".join(skewed(who, call) for call in calls for who in ("one", "linear"))
    text += skewed("one", "Shmem_Barrier_Half()") + skewed("one", unaffected)
    text += 'set_run_time("global")\n' + skewed("one", "Shmem_Barrier() ")
    text += 'set_run_time("local")\n' + skewed("none", "Shmem_Barrier()")
    run = skampi(text, np=2, args=["-o", "-", "-o", "a.json"])
    if run.status != 0:
        return run, []
    shown = []
    records = {record["block"]: record for record in run.records("a.json", "result")}
    stated = {name: (record.get("arrival"), record.get("arrival_skew")) for name, record in records.items()}
    expected = {f"{who} {call}": (who, 0.02) for call in calls for who in ("one", "linear")}
    shown.append(("members say who comes late", expected.items() <= stated.items(), stated))
    for name in (f"one {unaffected}", "none Shmem_Barrier()"):
        shown.append((f"{name}: ... or nobody", stated[name] == (None, None), stated))
    for call in calls:
        for who in ("one", "linear"):  # the same for two PEs
            row = run.block(f"{who} {call}").rows[0]
            name = f'set_arrival_skew("{who}"), {call}'
            early, late = row.per_pe
            note = f'arrival skew: "{who}", 0.02 s; each PE\'s time counts from its own entry'
            shown += [(f"{name}: rank 0 waits for the late one",
                       LATE <= early < 2 * LATE and row.time >= LATE, row.line),
                      (f"{name}: rank 1's time counts from its own entry", late < LATE / 2, row.line),
                      (f"{name}: a note says so", note in row.notes, row.notes)]
    row = run.block("one Shmem_Barrier_Half()").rows[0]
    shown.append(("a half that is one PE waits for nobody", row.per_pe[0] < LATE / 2, row.line))
    for name in (f"one {unaffected}", "none Shmem_Barrier()"):
        row = run.block(name).rows[0]
        shown.append((f"{name}: nobody is late", row.time < LATE / 2
                      and not any("arrival" in note for note in row.notes), row.line))
    row = run.block("one Shmem_Barrier() ").rows[0]
    shown.append(("global run time: delays are part of it", min(row.per_pe) >= LATE, row.line))
    return run, shown


def test_late_arrivals(tap):
    right, calls = set(), ["Shmem_Barrier()", "Shmem_Sync()", "Shmem_Alltoall_Synchro(8)",
                           "Shmem_Reduce_And_Synchro(8)"]
    attempts = Beside(tap)
    for _ in attempts:
        run, shown = late_arrivals(calls)
        right |= {name for name, good, _ in shown if good}
        if shown and len(right) == len(shown):
            break
    tap.equal(run.status, 0, "late arrivals: exit status", run)
    for name, _, line in shown:
        attempts.decide(name in right, name, line)


# ---- Errors ----

ERRORS = {
    "Shmem_Bcast_All_SK_time(1, 4, -1)": r"\(root\) must be at least 0",
    "Shmem_Alltoall_Synchro(0)": r"\(count\) must be at least 1",
    "Shmem_Reduce_Xor_Longlong_Consecutive(-1, 8)": r"\(iterations\) must be at least 0",
    "Shmem_Collect_Barrier(1, 9223372036854775807)": "more than can be addressed",
    "Shmem_Reduce_Min_Synchro(8589934592)": "counts elements in an int",
}


def test_errors(tap):
    def check(case):
        return skampi(PREAMBLE + block("e", f"measure comm(2) : {case}"), np=2)

    for (call, text), run in harness.in_parallel(ERRORS.items(), lambda case: check(case[0]), 2):
        tap.equal(run.status, 2, f"{call} is refused", run)
        tap.ok(re.search(r"^test\.ski:6:\d+: error: .*" + text, run.err, re.MULTILINE),
               f"{call}: {text}", run.err)
    run = skampi(PREAMBLE + "set_recv_buffer_alignment(2)\n"
                 + block("e", "measure comm(2) : Shmem_Reduce_Sum_Double_Synchro(8)",
                         "measure comm(2) : Shmem_Reduce_Sum_Synchro(8)"), np=2)
    tap.ok(run.status == 3 and "elements of 8 bytes must lie at multiples of their size" in run.err,
           "doubles that are not aligned fail", run)
    tap.equal(len(run.rows), 1, "where shorts do not", run)


# ---- Wrong data ----

REDUCED = {op: "short int long longlong" + (" float double" if op in ("sum", "prod", "min", "max")
                                            else "")
           for op in ("and", "or", "xor", "sum", "prod", "min", "max")}


def breaking_library():
    """Makes every collective routine get the last byte of what the last PE receives wrong."""
    routines = [f"shmem_{name}32(void *target, const void *source, size_t n, "
                f"{'int root, ' if name == 'broadcast' else ''}int start, int log_stride, int size, "
                "long *sync)" for name in ("broadcast", "collect", "fcollect", "alltoall")]
    routines.append("shmem_alltoalls32(void *target, const void *source, ptrdiff_t dst, "
                    "ptrdiff_t sst, size_t n, int start, int log_stride, int size, long *sync)")
    element = dict.fromkeys(range(len(routines)), "int")
    for op, types in REDUCED.items():
        for name in types.split():
            c_type = "long long" if name == "longlong" else name
            element[len(routines)] = c_type
            routines.append(f"shmem_{name}_{op}_to_all({c_type} *target, const {c_type} *source, "
                            f"int n, int start, int log_stride, int size, {c_type} *work, long *sync)")
    source = "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <shmem.h>\n#include <stddef.h>\n"
    for number, routine in enumerate(routines):
        name, parameters = routine[:-1].split("(")
        arguments = ", ".join(re.findall(r"(\w+)(?:,|$)", parameters))
        blocks = "size * n" if re.search("collect|alltoall", name) else "n"
        source += (f"void {routine}\n{{\n    void (*real)({parameters});\n"
                   f'    *(void **)&real = dlsym(RTLD_NEXT, "{name}");\n    real({arguments});\n'
                   f"    if (shmem_my_pe() == shmem_n_pes() - 1)\n"
                   f"        ((char *)target)[{blocks} * sizeof({element[number]}) - 1] ^= 0x40;\n}}\n")
    return preloadable(source)


def test_wrong_data(tap):
    calls = ["Shmem_Bcast_All_Synchro(8, 0)", "Shmem_Bcast_All_Rounds(1, 8)",
             "Shmem_Bcast_All_SK_time(1, 8, 0)"]
    calls += [f"Shmem_{name}_Synchro(8)" for name in ("Collect", "Fcollect", "Alltoall", "Alltoalls")]
    calls += [f"Shmem_Reduce_{op.title()}{'' if kind == 'short' else '_' + kind.title()}_Synchro(8)"
              for op, types in REDUCED.items() for kind in types.split()]
    run = skampi(PREAMBLE + block("wrong", *(f"measure comm(2) : {call}" for call in calls)), np=2,
                 env={"LD_PRELOAD": breaking_library()})
    tap.equal(run.status, 3, "wrong data: exit status", run)
    tap.equal([row.line for row in run.rows], [], "wrong data: no results")
    noticed = re.findall(r"error: (\w+)\(.*\): wrong data: ", run.err)
    tap.equal(noticed, [call.split("(")[0] for call in calls],
              "wrong data are noticed by each function", run)


SK_ITERATIONS = 3


def test_acknowledging_tasks(tap):
    """set_sk_tasks() chooses who acknowledges a broadcast; only the root reports."""
    call = f"Shmem_Bcast_All_SK({SK_ITERATIONS}, 4, 1)"
    text = PREAMBLE + "".join(
        f'set_sk_tasks({tasks})\nbegin measurement "{tasks}"\n'
        f"measure MPI_COMM_WORLD : {call}\nend measurement\n" for tasks in (0, 1, 2, 3, 99))
    run = skampi(text, np=4)
    tap.equal(run.status, 0, "set_sk_tasks: exit status", run)
    for tasks in (0, 1, 2, 3, 99):
        rows = run.block(str(tasks)).rows if run.block(str(tasks)) else []
        tap.equal([[v is not None for v in row.per_pe] for row in rows],
                  [[False, True, False, False]], f"set_sk_tasks({tasks}): the root reports", run)
        said = [note for row in rows for note in row.notes if "acknowledge" in note]
        wanted = f"{tasks} of 3 ranks acknowledge (set_sk_tasks)"
        tap.equal(said, [wanted] if 0 < tasks < 3 else [],
                  f"set_sk_tasks({tasks}): a note says who acknowledges")
        # Never: a broadcast with its acknowledgment takes more than ten steps of any clock here.
        tap.ok(not any("timer's resolution" in note for row in rows for note in row.notes),
               f"set_sk_tasks({tasks}): regions that time nothing are no reason for a doubt",
               [row.notes for row in rows])


def main():
    if not harness.has("SHMEM"):
        skip_all("built without OpenSHMEM")
    tap = Tap()
    test_sizes(tap)
    test_buffer(tap)
    test_fresh_memory(tap)
    test_sets(tap)
    test_late_arrivals(tap)
    test_errors(tap)
    test_wrong_data(tap)
    test_acknowledging_tasks(tap)
    tap.done()


main()
