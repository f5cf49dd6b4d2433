#!/usr/bin/env python3
# PLAIN
# TIMEOUT: 300
"""What a library does wrong while it is timed is noticed: operations that are dropped, changed, or that
write too much from some call on; locks, barriers, quiet and fence that do nothing. Then there is no time, but a
reason, and the status is 3."""

import os
import re
import shlex
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from builds import preloadable
from harness import Tap, in_parallel, read_text, skampi, skip_all

BYTES = 1000
PREAMBLE = "set_unit(1e9)\nset_min_repetitions(8)\nset_max_repetitions(8)\nset_max_relative_standard_error(0.9)\n"
LATER = 10**9

# Routine, what it does wrong, first and last call that it does so, function that must notice it.
SHMEM = [
    *(("shmem_putmem", kind, 200, LATER, f"Shmem_Put_Full({BYTES}, 50)")
      for kind in ("drop", "flip", "long")),
    *(("shmem_getmem", kind, 200, LATER, f"Shmem_Get_Round({BYTES}, 50)")
      for kind in ("drop", "flip", "long")),
    ("shmem_putmem_nbi", "drop", 200, LATER, f"Shmem_Put_Nonblocking_Post({BYTES}, 50)"),
    ("shmem_getmem_nbi", "long", 200, LATER, f"Shmem_Get_Nonblocking_Full({BYTES}, 50)"),
    ("shmem_putmem", "drop", 200, LATER, f"Shmem_Pingpong_Put_Put({BYTES}, 50)"),
    ("shmem_putmem", "flip", 200, LATER, f"Shmem_Quiet_Put(50, {BYTES})"),
    ("shmem_int_atomic_add", "drop", 200, 200, "Shmem_Atomic_Add(50)"),
    ("shmem_int_atomic_add", "flip", 200, 200, "Shmem_Atomic_Add_Contended(50)"),
    ("shmem_int_atomic_fetch_inc", "drop", 200, LATER, "Shmem_Atomic_Fetch_Inc(50)"),
    *(("shmem_broadcast32", kind, 200, LATER, f"Shmem_Bcast_All(50, {BYTES}, 0)")
      for kind in ("drop", "flip", "long")),
    ("shmem_broadcast32", "drop", 200, LATER, f"Shmem_Bcast_All_SK(50, {BYTES}, 0)"),
    ("shmem_int_sum_to_all", "flip", 200, LATER, f"Shmem_Reduce_Sum_Int_Barrier(50, {BYTES})"),
    ("shmem_int_sum_to_all", "long", 200, LATER, f"Shmem_Reduce_Sum_Int_Barrier(50, {BYTES})"),
]
MPI = [
    *(("MPI_Bcast", kind, 200, LATER, f"Bcast_Consecutive(50, {BYTES}, MPI_BYTE, 0)")
      for kind in ("drop", "flip", "long")),
    ("MPI_Allreduce", "drop", 200, LATER, f"Allreduce_Consecutive(50, {BYTES // 4}, MPI_INT, MPI_SUM)"),
    ("MPI_Send", "flip", 200, LATER, f"Pingpong_Send_Recv({BYTES}, MPI_BYTE, 0, 50)"),
    ("MPI_Recv", "long", 200, LATER, f"Pingpong_Send_Recv({BYTES}, MPI_BYTE, 0, 50)"),
    ("MPI_Put", "drop", 200, LATER, f'Put_Flush({BYTES}, MPI_BYTE, "create", 50)'),
    ("MPI_Put", "flip", 200, LATER, f'Put_Flush({BYTES}, MPI_BYTE, "create", 50)'),
]
# Wrong for a while only: the first repetition's data are there when the last one's are looked at.
PASSING = [
    ("shmem_putmem", "drop", 40, 47, f"Shmem_Put_Full({BYTES}, 1)"),
    ("shmem_getmem", "flip", 40, 47, f"Shmem_Get_Round({BYTES}, 1)"),
]
AFTER = "wtime(10)"
# What faulty_library.c does wrong, a function that must notice it each time, and its words.
EXCLUDE, TOGETHER = "does not exclude", "it does not synchronize: rank"
BEFORE = "what was put before the"
ORDER = [
    ("set_lock excludes nobody", "Shmem_Set_Lock()", EXCLUDE),
    ("set_lock excludes nobody", "Shmem_Lock_Contended(3)", EXCLUDE),
    ("set_lock excludes nobody", "Shmem_Lock_Random_Put(8, 3)", EXCLUDE),
    *((f"shmem_{name}_all synchronizes nobody", call, TOGETHER) for name, call in (
        ("barrier", "Shmem_Barrier()"), ("barrier", "Shmem_Barrier_Consecutive(5)"), ("sync", "Shmem_Sync()"))),
    *((f"shmem_{name} synchronizes nobody", call, TOGETHER) for name, call in (
        ("barrier", "Shmem_Barrier_Half()"), ("sync", "Shmem_Sync_Half_Consecutive(5)"))),
    *(("quiet completes nothing", call, BEFORE) for call in ("Shmem_Quiet(5)", "Shmem_Quiet_Put(5, 8)")),
    *(("fence orders nothing", call, BEFORE) for call in ("Shmem_Fence(5)", "Shmem_Fence_Put(5, 8)")),
]
MPI_BARRIERS = ["Barrier()", "Barrier_Consecutive(5)", "Ibarrier_Full()", "Ibarrier_Post()"]
NO_BARRIER = """
#include <mpi.h>
int MPI_Barrier(MPI_Comm comm)
{
    return MPI_SUCCESS;
}
int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}
"""
TIMES = 2
MORE = {} if harness.SAMPLE else {"Shmem_Set_Lock()": 20, "Shmem_Barrier()": 20}
SAID = re.compile(r"wrong data: .*PE \d+.*should|wrong data: the last of \d+ operations")


def script(*calls, settings=""):
    return PREAMBLE + settings + "".join(
        f'begin measurement "{call.split("(")[0]} {i}"\n  measure MPI_COMM_WORLD : {call}\n'
        "end measurement\n" for i, call in enumerate(calls))


def faults():
    return (SHMEM if harness.has("SHMEM") else []) + (MPI if harness.has("MPI") else [])


def wrong(library, routine, kind, first, last):
    return {"LD_PRELOAD": library, "SKAMPI_WRONG": f"{routine} {kind} {first} {last}"}


def test_faults(tap, library):
    def measure(case):
        *fault, call = case
        return skampi(script(call, AFTER), np=2, env=wrong(library, *fault))

    for (routine, kind, first, _, call), run in in_parallel(faults(), measure, width=2):
        name = f"{routine}: {kind} from call {first} on: {call}"
        tap.equal(run.status, 3, f"{name}: exit status", run)
        tap.ok(SAID.search(run.err), f"{name}: what is where, and should be", run.err)
        tap.ok(len(run.rows) == 1, f"{name}: no time but that of what is right", run)


def test_sound(tap, library):
    """The same library without a fault, warm and cold, on 3 PEs; repetitions each with their data."""
    calls = list(dict.fromkeys(case[-1] for case in faults()))
    cases = [("last", ""), ("every", ""), ("every", 'set_cache_state("cold")\n'),
             ("last", "switch_buffer_cycling_off()\n")]

    def measure(case):
        which, settings = case
        return skampi(script(*calls, settings=settings + f'set_verify("{which}")\n'), np=3,
                      env=wrong(library, "none", "drop", 1, LATER))

    for (which, settings), run in in_parallel(cases, measure, width=2):
        name = f"a sound library, {which} {settings.strip()}"
        tap.equal(run.status, 0, f"{name}: exit status", run)
        noted = sum(any(note.startswith("verify every:") for note in row.notes) for row in run.rows)
        tap.equal(noted, len(calls) if which == "every" else 0, f"{name}: what disturbs caches", run)


def test_every(tap, library):
    """A fault that passes is seen where each repetition is looked at."""
    text = "set_min_repetitions(60)\nset_max_repetitions(60)\nswitch_buffer_cycling_off()\n"

    def measure(case):
        (*fault, call), which = case
        return skampi(script(call, settings=text), np=2, args=["--verify", which],
                      env=wrong(library, *fault))

    cases = [(fault, which) for fault in PASSING for which in ("last", "every")]
    for ((routine, kind, *_, call), which), run in in_parallel(cases, measure, width=2):
        tap.equal(run.status, 3 if which == "every" else 0,
                  f"{routine}: {kind} for a while, --verify {which}", run)


def judge_order(tap, cases, environment):
    """Each fault is found in each of several runs; the function after it is measured."""
    def measure(case):
        fault, call, _ = case
        return skampi(script(call, AFTER), np=4 if "Half" in call else 2, env=environment(fault))

    found = {case: [] for case in cases}
    for case, run in in_parallel([case for case in cases for _ in range(MORE.get(case[1], TIMES))], measure, width=2):
        failed = [line for line in run.comments if line.startswith("# failed: ")]
        good = run.status == 3 and len(failed) == 1 and case[2] in failed[0] and len(run.rows) == 1
        found[case].append(None if good else run)
    for (fault, call, _), runs in found.items():
        tap.ok(not any(runs), f"{fault}: {call} notices it in each of {len(runs)} runs", next(filter(None, runs), ""))


def test_order(tap):
    """Locks, barriers, quiet and fence that do nothing; the same without a fault."""
    if harness.has("SHMEM"):
        library = preloadable("faulty_library.c")
        if tap.ok(library, "the faulty library is built"):
            judge_order(tap, ORDER, lambda fault: {"LD_PRELOAD": library, "SKAMPI_FAULT": fault})
            calls = list(dict.fromkeys(call for _, call, _ in ORDER))
            for np in (1, 2, 5):
                run = skampi(script(*calls), np=np, env={"LD_PRELOAD": library, "SKAMPI_FAULT": "none"})
                tap.equal((run.status, len(run.rows)), (0, len(calls)), f"without a fault, {np} PEs", run)
    if harness.has("MPI"):
        library = preloadable(NO_BARRIER)
        if tap.ok(library, "an MPI without barriers is built"):
            judge_order(tap, [("no barrier of MPI", call, TOGETHER) for call in MPI_BARRIERS],
                        lambda _: {"LD_PRELOAD": library})
            run = skampi(script(*MPI_BARRIERS), np=3)
            tap.equal(run.status, 0, "barriers of MPI without a fault", run)


# Functions whose data do not outlive the repetition.
OWN_CHECK = {"First_Call", "First_Call_MPI", "Memory_Footprint", "Memory_Footprint_Init",
             "Memory_Footprint_Peers", "Memory_Footprint_MPI"}
# Words in the names of what moves no data; nothing else may say so.
NO_DATA = re.compile(r"Wait|Test|Startup|time|Timer|waitpattern|Clock|Create|"
                     r"Connect|Destroy|Signal_Fetch|Team_|Comm_|Win_|"
                     r"MPI_IO_(open|close|delete|preallocate|file_seek)")


def test_all_are_verified(tap):
    """No function of the build is forgotten: its data are verified, or it moves none."""
    program = harness.scratch_directory() + "/verified"
    build = harness.build_directory()
    flags = read_text(build, "flags").strip()
    libraries = read_text(build, "commands").strip().removeprefix(flags)
    subprocess.run([*shlex.split(flags), "-o", program, "tests/check/verified.c",
                    os.path.join(build, "libskampi.a"), *shlex.split(libraries)],
                   cwd=harness.ROOT, check=True, timeout=60)
    env = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
    out = subprocess.run([program], capture_output=True, check=True, text=True, env=env, timeout=20)
    how = dict(line.split(" ", 1) for line in out.stdout.splitlines())
    tap.ok(len(how) > 10, f"{len(how)} functions", out.stdout)
    tap.equal([name for name, text in how.items() if text == "nobody"], [],
              "each function that moves data has them verified")
    tap.equal([name for name, text in how.items() if "each repetition" in text
               and name not in OWN_CHECK], [], "few check them themselves")
    tap.equal([name for name, text in how.items() if text == "none" and not NO_DATA.search(name)],
              [], "what moves no data is named so")


def test_words(tap):
    for run in (skampi(script(AFTER), args=["--verify", "all"], np=1),
                skampi('set_verify("all")\n' + script(AFTER), np=1)):
        tap.ok(run.status == 2 and "every" in run.err, "an unknown word is refused", run)


def main():
    if not harness.has("SHMEM") and not harness.has("MPI"):
        skip_all("there is nothing to be verified")
    tap = Tap()
    library = preloadable("wrong_data.c")
    if tap.ok(library, "the library that moves data wrongly is built"):
        test_faults(tap, library)
        test_sound(tap, library)
        if harness.has("SHMEM"):
            test_every(tap, library)
    test_order(tap)
    test_all_are_verified(tap)
    test_words(tap)
    tap.done()


main()
