#!/usr/bin/env python3
# LONG
# SERIAL
# TIMEOUT: 240
"""Wrong clocks are found out, right ones are left alone, and windows start together. Wrong
clocks are made by SKAMPI_TEST_CLOCK_SKEW, so that the truth is known."""

import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))

import harness
from builds import preloadable
from quiet import Attempts
from skampi_tools import results
from skampi_tools.report import verdicts

ALGORITHMS = ("linear", "ring", "tree", "hca")
RULES = ("classic", "mpiperf", "round_time", "dissemination")
OFFSET = "  measure MPI_COMM_WORLD : Clock_Offset()\n"
# One PE waits three times, for at least 8 times so many seconds, while clocks drift: a second in all.
WAIT = "  set_min_repetitions(8)\n  set_max_repetitions(8)\n" \
       "  measure comm(1) : WaitPatternNull()\n" \
       "  for i = 1 to 3 do\n    measure comm(1) : WaitPatternLevels(%g, %g, 1.0)\n  od\n" + OFFSET
AGAIN = "  measure comm(1) : WaitPatternLevels(%g, %g, 1.0)\n"
WHILE = (0.04, 0.04)

tap = harness.Tap()


def skewed(skew, script, np=2, args=(), timeout=60):
    env = {"SKAMPI_TEST_CLOCK_SKEW": skew} if skew else {}
    return harness.skampi(script, np=np, args=args, env=env, timeout=timeout)


def bound_ns(block):
    found = re.search(r"# clocks: \w+, error bound ([\d.e+-]+) ns", "\n".join(block.comments))
    return float(found.group(1)) if found else None


def again(check):
    """Other programs may disturb an exchange; says so when a further try was needed."""
    attempts = Attempts(tap)
    for _ in attempts:
        good, name, diagnostic = check()
        if good:
            break
        tap.note(f"'{name}' failed: {str(diagnostic)[-300:]}")
    return attempts.decide(good, name, diagnostic)


def each(kinds, setting, body):
    """A script with a block for each kind, called like it."""
    return "set_unit(1e9)\n" + "".join(
        f'{setting}("{kind}")\n' + harness.block(kind, body.rstrip("\n")) for kind in kinds)


def wrong_blocks(run, kinds, good):
    """(whether all is good, what is not) of the blocks of a run; good(block) says it of one."""
    blocks = {block.name: block for block in run.blocks}
    wrong = [kind for kind in kinds if kind not in blocks or not good(blocks[kind])]
    return run.status == 0 and not wrong, f"wrong: {wrong}\n{run}"


def default_on_one_node():
    run = skewed(None, each(["o"], "set_clock_sync", OFFSET).replace('set_clock_sync("o")', ""))
    tap.ok(run.status == 0 and "# clocks: none, all PEs share one clock" in run.out,
           "one node: clocks are seen to be one, nothing is estimated", run)
    tap.equal([value for row in run.rows for value in row.per_pe], [0.0, 0.0],
              "one node: no offsets", run)
    run = skewed("1:0.5:0", harness.block("o", OFFSET))
    tap.ok("# clocks: hca" in run.out and "clocks are made wrong for a test" in run.out,
           "a wrong clock is noticed, hca is used, and the header says why", run)


def offsets_are_recovered():
    for offset in (10.0, -0.25):
        def check():
            run = skewed(f"1:{offset}:0", each(ALGORITHMS, "set_clock_sync", OFFSET))
            good, wrong = wrong_blocks(run, ALGORITHMS, lambda block: any(
                abs(row.per_pe[1] + offset * 1e9) < 2000 for row in block.rows))
            return good, f"all algorithms: an offset of {offset} s is found within 2 us", wrong
        again(check)


def nothing_wrong_stays_so():
    """Right after synchronizing and a second later, at 2 PEs."""
    def is_right(block):
        offsets = [row.per_pe[1] for row in block.rows if len(row.per_pe) == 2]
        return len(offsets) == 2 and all(abs(offset) < 100 for offset in offsets)

    def check():
        run = skewed(None, each(ALGORITHMS, "set_clock_sync", OFFSET + WAIT % WHILE))
        good, wrong = wrong_blocks(run, ALGORITHMS, is_right)
        return good, "all algorithms: without skew within 100 ns, at once and later", wrong
    again(check)


def inside_the_stated_bound():
    def is_inside(block):
        bound = bound_ns(block)
        return bound is not None and all(abs(offset) <= bound + 1 for offset in block.rows[0].per_pe)

    for np in (3, 4):
        def check():
            run = skewed(None, "set_clock_patience(10)\n" + each(ALGORITHMS, "set_clock_sync", OFFSET), np=np)
            good, wrong = wrong_blocks(run, ALGORITHMS, is_inside)
            return good, f"all algorithms: offsets at {np} PEs lie inside the stated bound", wrong
        again(check)


def drift():
    """200 us/s: hca allows for it, the others show the error that they make."""
    end = r"off by at least ([\d.e+-]+) ns at the end of the block"

    def allowed_for():
        run = skewed("1:0.01:200e-6", each(("hca", "linear"), "set_clock_sync",
                                           WAIT % WHILE + AGAIN % WHILE))
        found = [float(value) for value in re.findall(end, run.out)]
        return (run.status == 0 and len(found) == 2 and found[0] < 1000 and found[1] > 100_000 and
                "assumed to drift by up to" in run.out,
                "a drift of 200 us/s: hca is wrong by less than 1 us a second later, linear by more than 100 us, and "
                "the output says so", run)

    def redone():
        run = skewed("1:0.01:200e-6", each(["linear"], "set_clock_sync", WAIT % (0.02, 0.02) +
                                           "  measure MPI_COMM_WORLD : Shmem_Put_Full(8, 100)\n"))
        return (run.status == 0 and "note: measured again, since clocks had moved" in run.out,
                "a measurement whose clocks moved is made again, and says so", run)

    def moved():
        run = skewed("1:0.01:200e-6", each(["linear"], "set_clock_sync", "  for t in [0.1, 0.5] do\n"
                                           "    measure MPI_COMM_WORLD : Clock_Drift(t)\n  od\n"))
        times = [row.time for row in run.rows]
        return (run.status == 0 and len(times) == 2 and abs(times[0] - 20e3) < 1500
                and abs(times[1] - 100e3) < 5000,
                "Clock_Drift: a drift of 200 us/s is 20 us in 0.1 s and 100 us in 0.5 s", run)

    again(allowed_for)
    again(moved)
    if harness.has("SHMEM"):
        again(redone)


def patterns():
    def is_right(block):
        times = [row.time for row in block.rows]
        return len(times) == 3 and all(abs(time - 2000) <= 100 for time in times[:2]) and abs(times[2]) < 130

    def check():
        nonlocal run
        run = harness.skampi("set_time_slice(0.02)\n" + each(RULES, "set_window_rule", "  measure MPI_COMM_WORLD : "
                             "WaitPatternUp()\n  measure MPI_COMM_WORLD : WaitPatternDown()\n"
                             "  measure MPI_COMM_WORLD : WaitPatternNull()\n"), np=2)
        good, wrong = wrong_blocks(run, RULES, is_right)
        return good, "all rules: wait patterns of 2 us within 5 %, nothing below 100 ns and a reading", wrong
    run = None
    again(check)
    tap.ok(re.search(r"# note: mpiperf: runs \d+, valid \d+, kept \d+, mean .* 95 % interval \[",
                     run.out), "mpiperf: its columns are there", run)
    tap.ok(re.search(r"# windows: \d+ late starts, \d+ overruns, \d+ changes", run.out),
           "late starts, overruns and changes are counted at the end of the block", run)
    tap.ok("# note: starts: skew after the dissemination barrier" in run.out,
           "dissemination: its skew is stated", run)


def errors():
    for call, part in (('set_clock_sync("best")', "unknown"), ('set_window_rule("best")', "unknown"),
                       ("set_clock_patience(0)", "at least 1"),
                       ("set_mpiperf_trim(0.5)", "less than 0.5"),
                       ("set_mpiperf_growth(1)", "more than 1")):
        run = harness.skampi(f"{call}\nbegin measurement \"e\" end measurement\n", args=["-n"], launch=False)
        tap.ok(run.status == 2 and "error: " in run.err and part in run.err,
               f"{call} is refused", run)
    run = harness.skampi("x = 1", np=1, args=["--clock-sync", "best"])
    tap.ok(run.status == 2 and "--clock-sync best" in run.err, "--clock-sync best is refused", run)


SLOW_CLOCK = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/time.h>
int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
    int (*real)(struct timeval *, void *);
    *(void **)&real = dlsym(RTLD_NEXT, "gettimeofday");
    int status = real(t, zone);
    long long micro = (t->tv_sec * 1000000LL + t->tv_usec) / 10 * 9;
    t->tv_sec = micro / 1000000;
    t->tv_usec = micro % 1000000;
    return status;
}
"""


def wrong_timer():
    """A preloaded gettimeofday() that is a tenth too slow is refused; the others are not."""
    library = preloadable(SLOW_CLOCK)
    run = harness.skampi(np=1, args=["--timers"], launch=False, env={"LD_PRELOAD": library})
    table = {line.split()[0]: line for line in run.out.splitlines() if line.strip()}
    tap.ok("disagrees with CLOCK_MONOTONIC" in table.get("gettimeofday", ""),
           "--timers refuses a clock that runs slow", run)
    tap.ok(table.get("clock_gettime", "").endswith("yes"), "--timers takes the others", run)
    run = harness.skampi("x = 1", np=2, args=["--timer", "gettimeofday"],
                         env={"LD_PRELOAD": library})
    tap.ok(run.status == 2 and run.err.count("disagrees with CLOCK_MONOTONIC") == 1,
           "--timer refuses it, once", run)


def levels():
    """A change of level inside a measurement is told, and none where there is none."""
    def notes(high, dwell):
        # A window that was laid on the low level would leave out the high one.
        run = harness.skampi("set_min_repetitions(120)\nset_max_repetitions(120)\nset_unit(1e6)\n"
                             "choose_barrier_synchronization()\n"
                             'begin measurement "l"\n  for i = 1 to 8 do\n'
                             f"    measure MPI_COMM_WORLD : WaitPatternLevels(50e-6, {high}, {dwell})\n"
                             "  od\nend measurement\n", np=2)
        return run, [{note.split(":")[0] for note in row.notes} for row in run.rows]

    def told():
        # 120 repetitions last 6 to 18 ms. Where the high level comes first, it is a warm-up.
        run, found = notes(150e-6, 0.006)
        levels = sum("level changed" in row for row in found)
        either = sum(bool(row & {"level changed", "warm-up"}) for row in found)
        return (run.status == 0 and len(found) == 8 and levels >= 1 and either >= 5,
                "a change of level within a measurement is told", run)

    def silent():
        run, found = notes(50e-6, 0.006)
        return (run.status == 0 and len(found) == 8
                and sum("level changed" in row for row in found) <= 1,
                "where there is none, none is told", run)

    again(told)
    again(silent)


def selfcheck():
    def check():
        run = harness.skampi(os.path.join(harness.ROOT, "inputs", "selfcheck.ski"), np=2, args=["-o", "a.json"])
        file = results.read(run.path("a.json"))
        printed = sum(record["record"] == "print" for record in file.records)
        states = [one.state for one in verdicts.check_self(file)]
        return (run.status == 0 and len(states) == printed >= 5 and set(states) == {"ok"},
                "selfcheck: skampi report understands each line that it prints, and all checks are ok", run)
    again(check)


def main():
    default_on_one_node()
    offsets_are_recovered()
    nothing_wrong_stays_so()
    inside_the_stated_bound()
    drift()
    patterns()
    errors()
    wrong_timer()
    levels()
    selfcheck()
    tap.done()


main()
