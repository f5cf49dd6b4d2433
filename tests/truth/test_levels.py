#!/usr/bin/env python3
# LONG
# SERIAL
# TIMEOUT: 400
"""The promise about rounds, on times that jump between two levels and stay on each for longer than a
measurement takes: the stated prediction interval contains the median of a later run in at least 90 % of
the points, and is no wider than twice what the spread needs. What a single round states does not."""

import json
import math
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from harness import ROOT, Tap, read_records, scratch_directory, write_text
from quiet import Attempts

# Levels of 20 to 400 ms; a measurement takes about 1 ms, a run's rounds 3 s. These levels are not
# those of the machine, whose own states would widen the intervals.
SCRIPT = """set_controls(0)
set_min_repetitions(12)
choose_no_synchronization()
begin measurement "levels"
  for i = 1 to 20 do
    measure comm(1) : WaitPatternLevels(4.0e-6, 12.0e-6, 0.02*i)
  od
end measurement
begin measurement "steady"
  for i = 1 to 10 do
    measure comm(1) : WaitPatternLevels(i*1.0e-5, i*1.0e-5, 1.0)
  od
end measurement
"""
RUNS = 6
ROUNDS = "15,3s"

NAMES = ("levels: the prediction interval contains the median of a later run in 90 %",
         "steady: the prediction interval contains the median of a later run in 90 %",
         "no wider than twice what the levels need",
         "a single round and its standard error would not keep that promise")

tap = Tap()
directory = scratch_directory()
script = os.path.join(directory, "levels.ski")
write_text(script, SCRIPT)


def results(path):
    records = read_records(path)
    return {(r["block"], r["call"]): r for r in records
            if r["record"] == "rounds"}, {(r["block"], r["call"]): r for r in records
                                          if r["record"] == "result" and r["round"] == 1}


def measured():
    """What skampi-campaign coverage did, and of each run its rounds and first results."""
    files = os.path.join(directory, "runs")
    shutil.rmtree(files, ignore_errors=True)
    run = harness.run([os.path.join(ROOT, "scripts", "skampi-campaign"), "coverage", "--script", script, "--runs",
                       str(RUNS), "--rounds", ROUNDS, "--pes", "1", "--program", harness.program(),
                       "--launch", os.path.join(ROOT, "mk", "launch") + " {pes}",
                       "-o", files, "--json", "-"], {**harness.launch_environment()}, 120)
    try:
        tap.note(json.dumps(json.loads(run.out))[:1500])
    except ValueError:
        pass
    paths = sorted(os.path.join(base, name) for base, _, names in os.walk(files) for name in names
                   if name.endswith(".json"))
    return run, [both for both in map(results, paths) if both[0]]


def wrong_with(runs):
    """Texts by name of what is not as it should be."""
    wrong = {}
    contained = {"levels": [], "steady": []}
    single = []
    for i, (rounds, first) in enumerate(runs):
        for later, later_first in runs[i + 1:]:
            for key, point in rounds.items():
                contained[key[0]].append(point["next_low"] <= later[key]["median"] <=
                                         point["next_high"])
                if key[0] == "levels":
                    half = 2 * first[key]["standard_error"]
                    single.append(abs(later_first[key]["time"] - first[key]["time"]) <= half)
    for name, hits in zip(NAMES, contained.values()):
        share = sum(hits) / len(hits) if hits else 0
        if len(hits) < 150 or share < 0.9:
            wrong[name] = f"{share:.3f} of {len(hits)}"

    # What the spread needs: from the lowest to the highest median that was seen, where there are two
    # levels; the interval may be twice as wide, as factors.
    too_wide = 0
    keys = [key for key in runs[0][0] if key[0] == "levels"]
    for key in keys:
        medians = [rounds[key]["median"] for rounds, _ in runs]
        needed = math.log(max(medians) / min(medians))
        stated = sum(math.log(r[key]["next_high"] / r[key]["next_low"]) for r, _ in runs) / RUNS
        if needed > math.log(1.5):  # both levels have been medians
            too_wide += stated > 2 * needed
    if too_wide > len(keys) // 10:
        wrong[NAMES[2]] = too_wide

    share = sum(single) / len(single) if single else 1
    if share >= 0.75:
        wrong[NAMES[3]] = f"{share:.3f}"
    return wrong


# The machine's own states may change between two runs, beyond what the rounds of the first one have seen.
attempts = Attempts(tap, seconds=60)
for _ in attempts:
    run, runs = measured()
    complete = run.status == 0 and len(runs) == RUNS
    wrong = wrong_with(runs) if complete else dict.fromkeys(NAMES, "not all runs have their rounds")
    if not wrong:
        break
    tap.note(wrong)
tap.equal(run.status, 0, "the runs were made", run)
tap.equal(len(runs), RUNS, "each run has its rounds")
for name in NAMES:
    attempts.decide(name not in wrong, name, wrong.get(name))
tap.done()
