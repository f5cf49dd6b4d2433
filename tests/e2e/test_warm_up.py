#!/usr/bin/env python3
# LONG
# SERIAL
"""Levels and the warm-up of a measurement, on wait patterns that have them: levels are told where that is asked for, and
what is slow only at the beginning is left out."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from harness import Tap, skampi
from quiet import Attempts

tap = Tap()
LEVELS = "measure comm(1) : WaitPatternLevels(2.0e-6, 8.0e-6, 0.0004)"
WARM_UP = "measure comm(1) : WaitPatternWarmUp(2.0e-5, 4.0e-6, 10)"


def measured(call, settings):
    """The run and its result."""
    run = skampi(f"{settings}\n{harness.block('b', call)}", np=1, args=["-o", "out.sko", "-o", "out.json"])
    records = run.records("out.json")
    return run, next(record for record in records if record["record"] == "result")


def near(value, wanted):
    return abs(value - wanted) <= 0.15 * wanted


def check_levels():
    attempts = Attempts(tap)
    for _ in attempts:
        run, result = measured(LEVELS, "set_levels(1) set_min_repetitions(400) set_max_repetitions(400)")
        levels = result.get("levels", [])
        found = "levels" in result["flags"] and len(levels) == 2
        right = found and near(levels[0]["value"], 2e-6) and near(levels[1]["value"], 8e-6)
        # Both take turns; which one has more of the time depends on which came first.
        main = right and near(result["time"], max(levels, key=lambda level: level["share"])["value"])
        if main:
            break
    attempts.decide(found, "two levels are found", result)
    attempts.decide(right, "their values", result)
    attempts.decide(main, "the result is the one with most of the time, no mean of both", result)
    tap.ok(not levels or abs(sum(level["share"] for level in levels) - 1) < 1e-9, "their shares of the time", result)
    tap.equal(any(line.startswith("# levels: ") for line in run.comments), bool(levels), ".sko has them")
    _, result = measured(LEVELS, "set_min_repetitions(400) set_max_repetitions(400) choose_no_synchronization()")
    tap.ok("levels" not in result["flags"], "unless asked for, one result", result)


def check_warm_up():
    for synchronization in ("choose_no_synchronization()", "choose_barrier_synchronization()"):
        attempts = Attempts(tap)
        for _ in attempts:
            _, result = measured(WARM_UP, f"{synchronization} set_min_repetitions(30)")
            left_out = 8 <= result["warm_up"] <= 22
            if left_out and near(result["time"], 4e-6):
                break
        attempts.decide(left_out, "the slow beginning is left out", result)
        attempts.decide(near(result["time"], 4e-6), "the rest is the result", result)
        tap.equal(any(note.startswith("warm-up: the first ") for note in result["notes"]), result["warm_up"] > 0, "noted",
                  result)
    # Without controls, since what is repeated for a change of the machine's state has no slow beginning.
    plain = "set_adaptive_warm_up(0) choose_no_synchronization() set_controls(0) set_min_repetitions(30)"
    _, result = measured(WARM_UP, f"{plain} set_max_repetitions(30)")
    tap.ok(result["warm_up"] == 0 and result["mean"] > 5e-6, "unless that is turned off", result)
    attempts = Attempts(tap)
    for _ in attempts:
        _, result = measured(WARM_UP, f"set_warm_up(11) {plain}")
        if near(result["median"], 4e-6):
            break
    attempts.decide(near(result["median"], 4e-6), "set_warm_up: the slow ones are over", result)
    tap.equal(result["warm_up"], 0, "set_warm_up: they are not among those left out", result)
    attempts = Attempts(tap)
    for _ in attempts:
        run, result = measured("measure comm(1) : WaitPatternUp()", "choose_no_synchronization()")
        steady = result["warm_up"] <= 4
        if steady:
            break
    attempts.decide(steady, "a steady time has (next to) none", run)


check_levels()
check_warm_up()
tap.done()
