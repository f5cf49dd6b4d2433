#!/usr/bin/env python3
# BOUND
"""Hardware counters are read right, from a stand-in for PAPI whose counts are known (tests/support/stub/papi.c)."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from builds import preloadable
from harness import ROOT, Tap, in_parallel, measuring, skampi, skip_all

QUICK = """set_min_repetitions(4)
set_max_repetitions(8)
set_max_relative_standard_error(1.0)
set_unit(1.0e9)
"""


class Stub:
    def __init__(self):
        self.library = preloadable("papi.c")

    def run(self, script, np=2, words="", args=()):
        return skampi(QUICK + script, np=np, args=args,
                      env={"LD_PRELOAD": self.library, "STUB_PAPI": words})


def counted(run, name):
    """The counters lines of a block: [{event: (most, mean)}]."""
    found = []
    for line in (run.block(name) or harness.Block(name)).comments:
        if not line.startswith("# counters:"):
            continue
        most = re.findall(r"(\w+)= (\S+)", line)
        means = line.partition("mean of PEs:")[2].split()
        found.append({event: (value, mean) for (event, value), mean in zip(most, means)})
    return found


def test_counts(tap, stub):
    """What each operation counts is what was programmed, to the last digit."""
    both = 'set_hw_counters("PAPI_TOT_CYC", "PAPI_TOT_INS")\n'
    run = stub.run(both
                   + measuring("quiet", "Shmem_Quiet(10)")
                   + measuring("fence", "Shmem_Fence(10)")
                   + measuring("put", "Shmem_Put_Full(8, 10)")
                   + measuring("subtracted", "Shmem_Quiet_Put(40, 8)")
                   + measuring("one of two", "Shmem_Put_Full_Single(8, 10, 1)")
                   + measuring("part", "Shmem_Quiet(10)", where="comm2(2, 1)")
                   + 'set_hw_counters("PAPI_TOT_INS")\n' + measuring("another", "Shmem_Fence(10)")
                   + 'set_hw_counters("none")\n' + measuring("none", "Shmem_Quiet(10)"), np=3)
    tap.equal((run.status, run.err, run.unparsed), (0, "", []), "counters: the run is good", run)
    nothing = ("0.0", "0.0")
    for name, wanted in {
            "quiet": {"PAPI_TOT_CYC": ("1200.0", "1100.0"), "PAPI_TOT_INS": nothing},
            "fence": {"PAPI_TOT_CYC": nothing, "PAPI_TOT_INS": ("70.00", "70.00")},
            "put": {"PAPI_TOT_CYC": ("1200.0", "1100.0"), "PAPI_TOT_INS": nothing},
            "subtracted": {"PAPI_TOT_CYC": ("1200.0", "1100.0"), "PAPI_TOT_INS": nothing},
            "one of two": {"PAPI_TOT_CYC": ("1100.0", "1100.0"), "PAPI_TOT_INS": nothing},
            "part": {"PAPI_TOT_CYC": ("1200.0", "1150.0"), "PAPI_TOT_INS": nothing},
            "another": {"PAPI_TOT_INS": ("70.00", "70.00")}}.items():
        tap.equal(counted(run, name), [wanted], f"counters, {name}: programmed counts", run)
    tap.equal(counted(run, "none"), [], 'set_hw_counters("none"): nothing more is counted', run)
    tap.ok(all(len(b.rows) == 1 for b in run.blocks), "counters: each measurement has its line")


def test_starts(tap, stub):
    """However PEs start, and on one PE; times in batches that drain untimed."""
    ways = ("choose_real_synchronization()", "choose_barrier_synchronization()",
            "choose_no_synchronization()", 'choose_real_synchronization() set_window_rule("mpiperf")',
            'set_window_rule("dissemination")')
    for np in (1, 2):
        run = stub.run('set_hw_counters("PAPI_TOT_CYC")\n'
                       + "".join(f"{way}\n" + measuring(str(i), "Shmem_Quiet(0)", "Shmem_Put_Call(8, 40)")
                                 for i, way in enumerate(ways)), np=np)
        most = f"{1000.0 + 100 * (np - 1)}"
        for i, way in enumerate(ways):
            found = [line.get("PAPI_TOT_CYC", ("",))[0] for line in counted(run, str(i))]
            tap.equal(found, [most, "0.0"], f"counters, {np} PEs, {way}", run)


def test_timing(tap, stub):
    """Times do not contain the reading of counters, and pauses are not counted."""
    run = stub.run('set_hw_counters("PAPI_TOT_CYC")\n' + measuring("quiet", "Shmem_Quiet(1)"),
                   np=1, words="slow")
    tap.ok(run.rows and run.rows[0].time < 20000, "reading counters is not timed", run)
    tap.equal(counted(run, "quiet"), [{"PAPI_TOT_CYC": ("1000.0", "1000.0")}],
              "nor does it change what is counted", run)
    run = stub.run('set_hw_counters("PAPI_REF_CYC")\n' + measuring("wait", "WaitPatternUp()"), np=1)
    found = counted(run, "wait")
    tap.ok(run.rows and run.rows[0].time > 900 and found
           and float(found[0]["PAPI_REF_CYC"][0]) < 500, "a pause is timed and not counted", run)
    run = stub.run('set_hw_counters("PAPI_TOT_CYC")\n'
                   + measuring("many", "wtime(1000)", "Clock_Offset()", "Memory_Footprint_Init()"))
    tap.equal(counted(run, "many"), [{"PAPI_TOT_CYC": ("---", "---")}] * 2,
              "what cannot be counted says so; memory has no counts", run)


def test_refusals(tap, stub):
    cases = (
        ("none", '"PAPI_TOT_CYC"', ("PAPI_TOT_CYC", "no hardware counters", "papi_avail")),
        ("only0", '"PAPI_TOT_CYC"', ("papi_avail",)),
        ("", '"PAPI_TOT_CYC", "NO_SUCH"', ('there is no event "NO_SUCH"', "papi_avail")),
        ("", '"PAPI_TOT_CYC", "PAPI_L1_DCM"', ('"PAPI_L1_DCM"', "together with")),
        ("", ", ".join(17 * ['"PAPI_TOT_CYC"']), ("17 events",)))

    def start(case):
        words, names, _ = case
        return stub.run(f"set_hw_counters({names})\n" + measuring("b", "Shmem_Quiet(10)"), words=words)

    for (words, names, said), run in in_parallel(cases, start):
        errors = [line for line in run.err.splitlines() if "error:" in line]
        tap.equal(run.status, 2, f"set_hw_counters({names[:40]}), {words}: status 2", run)
        tap.ok(len(errors) == 1 and errors[0].startswith("test.ski:5:1: error: set_hw_counters()")
               and all(text in errors[0] for text in said),
               f"set_hw_counters({names[:40]}), {words}: one message with place and reason", run)


def test_table(tap, stub):
    """skampi-table shows counts as columns."""
    run = stub.run('set_hw_counters("PAPI_TOT_CYC", "PAPI_TOT_INS")\n' + measuring("q", "Shmem_Quiet(10)"),
                   np=1, args=["-o", "out.sko"])
    shown = harness.run([os.path.join(ROOT, "scripts", "skampi-table"), run.path("out.sko")])
    lines = [line.split() for line in shown.out.splitlines() if line.strip()]
    head = next((line for line in lines if "bytes" in line), [])
    row = lines[lines.index(head) + 1] if head else []
    tap.equal(head[-2:], ["PAPI_TOT_CYC", "PAPI_TOT_INS"], "skampi-table: columns", shown)
    tap.equal([cell for cell in row if cell != "*"][-2:], ["1000.0", "0.0"], "skampi-table: counts", shown)


def main():
    if not harness.has("SHMEM") or not harness.has("PAPI"):
        skip_all("built without OpenSHMEM or PAPI")
    if harness.sanitized():
        skip_all("nothing is preloaded before the sanitizer's library")
    tap = Tap()
    stub = Stub()
    test_counts(tap, stub)
    test_starts(tap, stub)
    test_timing(tap, stub)
    test_refusals(tap, stub)
    test_table(tap, stub)
    tap.done()


main()
