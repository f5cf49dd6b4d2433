#!/usr/bin/env python3
"""The runner gives failed files of a whole run a second try, alone, and says what failed at first."""

import contextlib
import importlib.machinery
import importlib.util
import io
import os
import sys
import tempfile
import time
import types

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap

tap = Tap()
loader = importlib.machinery.SourceFileLoader("runner", os.path.join(ROOT, "tests", "run"))
runner = importlib.util.module_from_spec(importlib.util.spec_from_loader("runner", loader))
sys.modules["runner"] = runner  # dataclasses look for it
loader.exec_module(runner)


def outcome_of(scripts):
    """(exit status, what is printed) of a whole run of such test files: their shell scripts by name."""
    with tempfile.TemporaryDirectory() as directory:
        tests = []
        for name, script in scripts.items():
            tests.append(types.SimpleNamespace(name=name, argv=["sh", "-c", script.replace("DIR", directory)],
                                               timeout=20, serial=False, runs=True, shares=True))
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            outcomes = runner.run_all(tests, 2, False, True)
            status = runner.summarize(outcomes, len(tests), 0, types.SimpleNamespace(names=[], all=True))
        return status, printed.getvalue()


GOOD = "echo 'ok 1 - fine'; echo 1..1"
BAD = "echo 'not ok 1 - broken'; echo 1..1; exit 1"
FIRST = f"if [ -e DIR/was ]; then {GOOD}; else touch DIR/was; {BAD}; fi"

status, text = outcome_of({"good": GOOD, "first": FIRST})
tap.ok(status == 0 and text.endswith("2 passed, 0 failed, 0 skipped, 1 unsteady\n") and "  first: broken\n" in text,
       "what fails beside others and passes alone is unsteady, and said", text)
status, text = outcome_of({"good": GOOD, "bad": BAD})
tap.ok(status == 1 and text.count("again, alone: bad\n") == 1 and text.endswith("1 passed, 1 failed, 0 skipped\n"),
       "what fails twice has failed", text)
for variable in runner.SHARING:
    os.environ.pop(variable, None)
waits = "$OMPI_MCA_mpi_yield_when_idle"
status, text = outcome_of({"shares": f'[ -e DIR/was ] && [ -z "{waits}" ] && {{ {GOOD}; exit; }}; touch DIR/was; '
                                     f'[ "{waits}" = 1 ] && {BAD}'})
tap.ok(status == 0 and "  shares: broken\n" in text, "PEs yield where files run beside each other, and are the library's in the second try",
       text)
status, text = outcome_of({f"bad{i}": BAD for i in range(runner.MOST_AGAIN + 1)})
tap.ok(status == 1 and "again, alone" not in text, "many failures are no accident: none runs again", text)

config = os.path.join(tempfile.mkdtemp(prefix="skampi-test-"), "config.mk")
runner.harness.build_config = lambda: os.path.exists(config)
status, text = outcome_of({"good": GOOD, "makes": f"touch {config}; {GOOD}"})
tap.ok(status == 1 and ": this file, or one beside it, configured" in text and "again, alone" not in text,
       "a file that configures the build under test ends the run", text)


def beside(least, most_beside, idle):
    """(the order in which files begin, how many of them run at the same time at most) on processors that idle or never do."""
    begun, running, most = [], [], []

    def run_test(test, _, alone):
        begun.append(test.name)
        running.append(test)
        time.sleep(0.1)
        most.append(len(running))
        running.remove(test)
        return test

    runner.IDLE, runner.IDLE_SECONDS, runner.run_test = (-1 if idle else 2), 0.01, run_test
    runner.known_costs = lambda: {"short": (1, 1), "long": (9, 9), "middling": (5, 5)}
    tests = [types.SimpleNamespace(name=name, timeout=7) for name in ("short", "middling", "unknown", "long")]
    runner.run_group(tests, least, most_beside, None, lambda outcome: None)
    return begun, max(most)


tap.equal(beside(1, 1, True), (["long", "unknown", "middling", "short"], 1), "the longest files begin; alone if that is wanted")
tap.equal(beside(2, 3, False)[1], 2, "a file runs on each processor")
tap.equal(beside(2, 3, True)[1], 3, "... and others beside them while processors idle")
idled = runner.Idleness.read()[1]
time.sleep(0.05)
tap.ok(0 < idled <= runner.Idleness.read()[1], "how long processors idled is known")
tap.done()
