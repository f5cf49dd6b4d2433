#!/usr/bin/env python3
"""The runner gives failed files of a whole run a second try, alone, and says what failed at first."""

import contextlib
import importlib.machinery
import importlib.util
import io
import os
import sys
import tempfile
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
                                               timeout=20, serial=False, runs=True))
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
status, text = outcome_of({f"bad{i}": BAD for i in range(runner.MOST_AGAIN + 1)})
tap.ok(status == 1 and "again, alone" not in text, "many failures are no accident: none runs again", text)

# Seconds, and seconds of processors.
costs = {"works": (9, 9), "waits": (8, 4), "works too": (7, 7), "works as well": (6, 6), "waits too": (5, 0.1), "unknown": (0, 0)}
tests = [types.SimpleNamespace(name=name) for name in costs]


def beside(*running, room=2):
    """The name of what runs next beside these."""
    waiting = [test for test in tests if test.name not in running]
    found = runner.next_that_fits(waiting, [test for test in tests if test.name in running], room, costs)
    return found and found.name


tap.equal([beside(*list(costs)[:count]) for count in range(4)], ["works", "waits", "waits too", None],
          "the longest file runs first, and beside it what the processors have room for")
tap.equal(beside("works", "unknown"), None, "a file of which nothing is known leaves less room than one that waits")
tap.equal([beside(room=0), beside("waits", room=0)], ["works", None], "without room, files run alone")
tap.done()
