#!/usr/bin/env python3
# LONG
# PLAIN
# TIMEOUT: 300
"""Where memory or writing fails inside the tracer, the program ends with its own status and output, and what the trace
lacks is said by it."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
import traces
from harness import ROOT, Tap, in_parallel, run, scratch_directory, skip_all
from traces import TRACE

ALL = 1000000  # more calls than there are
SUMMARY = ("--summary",)


def library():
    path = os.path.join(scratch_directory(), "faults.so")
    built = run([os.environ.get("CC", "cc"), "-O1", "-shared", "-fPIC",
                 os.path.join(ROOT, "tests/support/stub/tracer_faults.c"), "-o", path])
    assert built.status == 0, built
    return path


def traced(faults, call=None, how=None, first=0, last=0, pe=0, options=(), count=None):
    """A program of many calls, of which some of the tracer's own fail on one PE."""
    env = {"LD_PRELOAD": faults, "FAULT_AT": str(first), "FAULT_TO": str(last), "FAULT_PE": str(pe)}
    env.update({name: value for name, value in (("FAULT_CALL", call), ("FAULT_HOW", how), ("FAULT_COUNT", count))
                if value})
    done = traces.recorded(2, [traces.app("stencil"), "--size", "32", "--steps", "3000"], options, env)
    done.checked = traces.read("check", done.path(TRACE))
    if messages(done):
        done.summed = traces.read("summary", done.path(TRACE))
    return done


def ends_well(done):
    return done.status == 0 and done.out.count("verified") == 1


def messages(done):
    return [line for line in done.err.splitlines() if line.startswith("shmemtrace: ")]


def is_told(done):
    """Once as it happens, and by the trace: by check as a finding, by summary in a line. If no PE is traced, there is
    no trace."""
    if re.search(r"nothing is traced", done.err) and done.checked.status == 2:
        return True
    return (len(messages(done)) == 1 and done.checked.status == 1 and "all well" not in done.checked.out
            and "incomplete: " in done.summed.err)


def ends_of(paths):
    """Of the allocations to which the same calls led, the numbers of the first and the last one."""
    found = {}
    for number, path in enumerate(paths, 1):
        found.setdefault(path, [number, number])[1] = number
    return sorted({number for both in found.values() for number in both})


def check_memory(tap, faults, paths):
    cases = []
    for pe in (0, 1):
        # The last allocations are those of the thread that makes the calls.
        last = len(paths[pe]) - 14
        # PEs do mostly the same: each of the ends on one of them.
        cases += [(pe, n, n, ()) for n in ends_of(paths[pe])[pe::2]]
        cases += [(pe, n, ALL, ()) for n in ((1, 40) if pe else (9, last))]
        cases += [(pe, last, ALL, SUMMARY)]
        cases += [(pe, n, n, ("--ring",)) for n in range(last - 2 + pe, last + 8, 2)]
    runs = in_parallel(cases, lambda case: traced(faults, "malloc", None, *case[1:3], case[0], case[3]), 3)
    silent = 0
    for (pe, first, last, options), done in runs:
        name = f"PE {pe}: {'no allocation from the %d. on' if last == ALL else 'the %d. allocation fails'}" % first
        tap.ok(ends_well(done) and "skampi" not in done.err, f"{' '.join([name, *options])}: the program is as ever",
               done)
        silent += not messages(done)
        if messages(done):
            tap.ok(is_told(done), "... what is missing is said", f"{done}\n{done.checked}")
        else:
            tap.equal(done.checked.status, 0, "... nothing is missing", done.checked)
    tap.ok(0 < silent < len(cases), "some failures cost nothing, some do", f"{silent} of {len(cases)}")


def check_writes(tap, faults):
    for how in ("interrupt", "short"):
        # The call after these succeeds.
        for first, last in ((1, 1), (5, 5), (2, 4)):
            done = traced(faults, "pwritev", how, first, last, 1)
            tap.ok(ends_well(done) and not messages(done) and done.checked.status == 0,
                   f"{how} of writes {first} to {last}: nothing is lost", f"{done}\n{done.checked}")
    for how, said in (("full", "the disk is full"), ("broken", "Input/output error")):
        for first in (1, 3):
            done = traced(faults, "pwritev", how, first, ALL, 1)
            tap.ok(ends_well(done) and said in done.err, f"{how} from write {first} on: said, the program goes on", done)
            tap.ok(is_told(done), "... and by the trace", f"{done}\n{done.checked}")


def check_old_trace(tap, faults):
    """What does not begin does not replace what is there."""
    folder = scratch_directory()
    argv = [traces.app("stencil"), "--size", "32", "--steps", "10"]
    before = traces.recorded(2, argv, cwd=folder)
    kept = {name: os.stat(before.path(os.path.join(TRACE, name))).st_ino for name in os.listdir(before.path(TRACE))}
    env = {"LD_PRELOAD": faults, "FAULT_CALL": "pwritev", "FAULT_HOW": "full", "FAULT_AT": "1", "FAULT_TO": str(ALL)}
    again = traces.recorded(2, argv, env=env, cwd=folder)
    tap.ok(ends_well(again) and "nothing is traced" in again.err, "PE 0 cannot begin its file", again)
    tap.equal({name: os.stat(again.path(os.path.join(TRACE, name))).st_ino for name in os.listdir(again.path(TRACE))},
              kept, "... so the old trace stays, and nothing else")


def main():
    if harness.sanitized() or not traces.is_built():
        skip_all("no tracer was built")
    tap = Tap()
    faults = library()
    paths = []
    for pe in (0, 1):
        file = os.path.join(scratch_directory(), "count")
        done = traced(faults, pe=pe, count=file)
        tap.ok(ends_well(done) and not done.err and done.checked.status == 0, f"no failure, PE {pe}", done)
        with open(file, encoding="utf-8") as numbers:
            paths.append(numbers.read().split())
    tap.ok(min(map(len, paths)) > 30, "the tracer allocates", paths)
    check_memory(tap, faults, paths)
    check_writes(tap, faults)
    check_old_trace(tap, faults)
    tap.done()


main()
