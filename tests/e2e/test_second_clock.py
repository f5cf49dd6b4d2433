#!/usr/bin/env python3
# LONG
# SERIAL
# TIMEOUT: 120
"""Wait patterns find a timer that runs at a wrong rate, since another clock times the waits; and
arguments of measurement functions that may be left out."""

import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from quiet import Attempts

CALLS = {'WaitPatternUp()': 1000, 'WaitPatternDown("")': 1000,
         'WaitPatternUp("clock_gettime_raw")': 1000, "waitpattern_up(1e-6)": 0,
         "WaitPatternLevels(4e-6, 4e-6, 1.0)": 4000, "WaitPatternWarmUp(3e-6, 3e-6, 1)": 3000,
         "WaitPatternNull()": 0}
SCRIPT = ("set_unit(1e9)\nchoose_no_synchronization()\n" + "".join(
    f"begin measurement \"{i}\"\n  measure comm(1) : {call}\nend measurement\n"
    for i, call in enumerate(CALLS)))
SELFCHECK = os.path.join(harness.ROOT, "inputs", "selfcheck.ski")

tap = harness.Tap()


def times(timer, drift):
    """The timer in use runs fast by that share."""
    run = harness.skampi(SCRIPT, np=1, args=["--timer", timer],
                         env={"SKAMPI_TEST_CLOCK_SKEW": f"0:0:{drift}"} if drift else {})
    return run, [row.time for row in run.rows]


def rates():
    listed = harness.skampi(np=1, args=["--timers"], launch=False).out
    for timer, clock in (("tsc", "clock_gettime"), ("clock_gettime", "tsc"),
                         ("gettimeofday", "tsc")):
        if not re.search(rf"^{timer} .*yes$", listed, re.MULTILINE):
            tap.skip(f"{timer}: rates", "not usable here")
            continue
        for drift in (0, 0.2, -0.2):
            attempts = Attempts(tap)
            for _ in attempts:
                run, found = times(timer, drift)
                # A microsecond is what gettimeofday can tell.
                slack = 1000 if timer == "gettimeofday" else 60
                wrong = [f"{call}: {time}" for (call, ns), time in zip(CALLS.items(), found)
                         if abs(time - ns * (1 + drift)) > 0.05 * ns + slack]
                if run.status == 0 and len(found) == len(CALLS) and not wrong:
                    break
            attempts.decide(run.status == 0 and len(found) == len(CALLS) and not wrong,
                            f"{timer} that runs fast by {drift}: waits are so much longer", wrong or run)
        usable = re.search(rf"^{clock} .*yes$", listed, re.MULTILINE)
        tap.ok(not usable or f"note: waits are timed by {clock}\n" in run.out,
               f"{timer}: {clock} times the waits", run)


def selfcheck():
    """It sees a timer whose rate is wrong on all PEs."""
    run = harness.skampi(SELFCHECK, np=2, env={"SKAMPI_TEST_CLOCK_SKEW": "0:0:0.2,1:0:0.2"})
    verdicts = dict(re.findall(r"#P\[0\] (\w+): WaitPatternUp (ok|DOUBTFUL): ", run.out))
    tap.ok(run.status == 0 and {verdicts.get(t) for t in ("tsc", "clock_gettime")} <= {"DOUBTFUL", None}
           and verdicts.get("clock_gettime"), "selfcheck: a wrong rate is doubtful", run)
    tap.ok("gettimeofday" in verdicts, "selfcheck: gettimeofday is checked, too", verdicts)


def arguments():
    for call, texts in (('WaitPatternUp("sundial")', ("no clock of that name", "--timers")),
                        ('WaitPatternUp("tsc", 1)', ("too many arguments", "at most 1", "clock")),
                        ("waitpattern_up()", ("too few arguments", "at least 1", "step")),
                        ("WaitPatternUp(3)", ("argument 1", "clock", "string"))):
        run = harness.skampi(f'begin measurement "b"\n  measure comm(1) : {call}\nend measurement\n',
                             np=1)
        tap.ok(run.status == 2 and all(text in run.err for text in texts), f"{call} is refused", run)
    run = harness.skampi(np=1, args=["--describe", "waitpattern_up"], launch=False)
    tap.ok('waitpattern_up(double step, string clock = "")' in run.out,
           "--describe shows what may be left out", run)
    run = harness.skampi('begin measurement "b"\n  measure comm(1) : WaitPatternUp("tsc")\n'
                         "  measure comm(1) : WaitPatternUp()\nend measurement\n", np=1,
                         args=["-o", "-", "-f", "json"])
    tap.ok(run.status == 0, "JSON with an argument left out", run)


rates()
selfcheck()
arguments()
tap.done()
