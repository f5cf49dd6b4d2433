#!/usr/bin/env python3
# LONG
# PLAIN
# TIMEOUT: 300
"""Traces of programs that call every routine of the library show every call with its parameters, as the
lists that scripts/shmembench writes beside them say, on 2 PEs, and on 1 or 4; a list that says something else
is told from the trace."""

import csv
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import (ROOT, Tap, has, in_parallel, launch_environment, launch_line, run,
                     scratch_directory, skip_all)

BENCH = os.path.join(ROOT, "scripts/shmembench")
TRACER = os.path.join(ROOT, "shmemtrace")
NAMES = {1: "put", 2: "get", 3: "collectives", 4: "synchronization", 5: "atomics", 6: "nonblocking",
         7: "contexts", 8: "locks", 9: "memory"}
# Of each class a routine, one of its parameters in the list, and another value for it.
CHANGES = {1: ("shmem_double_iput", "source_stride", "7"), 2: ("shmem_get64", "bytes", "1"),
           3: ("shmem_int_sum_to_all", "set_stride", "3"), 4: ("shmem_long_wait_until", "comparison", "ne"),
           5: ("shmem_ulong_atomic_add", "value", "123"), 6: ("shmem_put16_nbi", "peer", "-1"),
           7: ("shmem_ctx_float_put", "context", "5"), 8: ("shmem_test_lock", "result", "7"),
           9: ("shmem_malloc", "flags", "")}


def stem(number):
    return f"test{number}_{NAMES[number]}"


def record(folder, number, pes, *options, language="c"):
    """The finished run, and the trace's folder."""
    trace = os.path.join(scratch_directory(), "trace")
    program = os.path.join(folder, f"{stem(number)}_{language}")
    return run([TRACER, *options, "-o", trace, *launch_line(pes, [program])], launch_environment(), 60), trace


def compare(trace, path, *options):
    return run([BENCH, "compare", trace, path, *options, "--shmemtrace", TRACER])


def as_expected(tap, folder, name, recorded, number, pes, *options, recorded_if=None):
    """recorded_if: of a row of the list, whether it must be in the trace."""
    outcome, trace = recorded
    path = os.path.join(folder, f"{stem(number)}.expected-{pes}.csv")
    if not tap.equal(outcome.status, 0, f"{name}: the traced program finds nothing wrong", outcome):
        return
    verdict = compare(trace, path, *options)
    wanted = recorded_if or (lambda row: row["class"] != "query" or "--queries" in options)
    with open(path, encoding="utf-8", newline="") as file:
        calls = sum(map(wanted, csv.DictReader(file)))
    tap.ok(verdict.status == 0 and f"{calls} calls equal, 0 different, 0 missing" in verdict.out,
           f"{name}: the trace shows the {calls} calls of the list", verdict)


def test_change(tap, folder, number, trace):
    """The same list with one parameter of one call of the last PE that is not so."""
    path = os.path.join(folder, f"{stem(number)}.expected-2.csv")
    with open(path, encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        columns, calls = reader.fieldnames, list(reader)
    routine, column, value = CHANGES[number]
    changed = [call for call in calls if call["routine"] == routine and call["pe"] == "1"]
    if not tap.ok(changed and changed[-1][column] != value, f"{stem(number)}: the list has {routine}"):
        return
    changed[-1][column] = value
    path = os.path.join(scratch_directory(), "changed.csv")

    def verdict():
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, columns)
            writer.writeheader()
            writer.writerows(calls)
        return compare(trace, path)

    outcome = verdict()
    tap.ok(outcome.status == 1 and f"{routine}: {column}: expected {value or 'nothing'}, in the trace"
           in outcome.out and "PE 1, call" in outcome.out and ", 1 different, 0 missing" in outcome.out,
           f"{stem(number)}: another {column} of one {routine} in the list is told", outcome)
    calls.remove(changed[-1])
    outcome = verdict()
    tap.ok(outcome.status == 1 and f"in the trace {routine}\n" in outcome.out
           and "0 missing in the trace, 1 too many" in outcome.out,
           f"{stem(number)}: a call that is not in the list is told", outcome)


def test_options(tap, folder):
    """What is recorded otherwise, or only in part, is the same, with contexts and places numbered so."""
    both = ("--queries", "--results")
    cases = [(5, both, both, None), (9, both, both, None), (7, ("--ring=64M",), (), None),
             (2, ("--recorder", "clock_gettime"), (), None)]
    put = ("--only", "put,ctx_quiet")
    cases.append((7, put, put, lambda row: row["class"] == "put" or row["routine"] == "shmem_ctx_quiet"))
    less = ("--exclude", "synchronization,shmem_ctx_*")
    cases.append((7, less, less, lambda row: row["class"] not in ("synchronization", "query")
                  and not row["routine"].startswith("shmem_ctx_")))
    for (number, options, told, wanted), recorded in in_parallel(
            cases, lambda case: record(folder, case[0], 2, *case[1]), width=3):
        as_expected(tap, folder, f"{stem(number)} with {' '.join(options)}", recorded, number, 2, *told,
                    recorded_if=wanted)


def main():
    if not has("SHMEM") or not shutil.which("oshcc") or not os.access(TRACER, os.X_OK):
        skip_all("no OpenSHMEM with the compiler oshcc, or no tracer")
    tap = Tap()
    directory = scratch_directory()
    folder = os.path.join(directory, "programs")
    with open(os.path.join(directory, "all.conf"), "w", encoding="utf-8") as file:
        file.writelines(f"{number} {number} {9 + 4 * number} {1 + number % 3}\n" for number in NAMES)
    written = run([BENCH, "all.conf", "-o", folder, "--lang", "all"], cwd=directory)
    targets = [f"{stem(number)}_c" for number in NAMES]
    built = run(["make", "-j2", "CFLAGS=-O0 -Wall -Wextra -Werror", *targets, "test7_contexts_cc"],
                timeout=200, cwd=folder)
    if not tap.ok(written.status == 0 and built.status == 0,
                  "programs of every class are built without warnings", f"{written}\n{built}"):
        tap.done()
    cases = [(number, pes) for number in NAMES for pes in (2, 1 if number % 2 else 4)]
    traces = {}
    for (number, pes), recorded in in_parallel(cases, lambda case: record(folder, *case), width=3):
        as_expected(tap, folder, f"{stem(number)} on {pes} PEs", recorded, number, pes)
        traces[number, pes] = recorded[1]
    for number in NAMES:
        test_change(tap, folder, number, traces[number, 2])
    as_expected(tap, folder, "C++", record(folder, 7, 2, language="cc"), 7, 2)
    test_options(tap, folder)
    tap.done()


main()
