#!/usr/bin/env python3
# LONG
# SERIAL
# TIMEOUT: 240
"""The promise about rounds, on times that jump between two levels and stay on each for longer than a
measurement takes: the stated prediction interval contains the median of a later run in at least 90 % of
the points, and is no wider than twice what the spread needs. What a single round states does not."""

import json
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from harness import ROOT, Tap, scratch_directory

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

tap = Tap()
directory = scratch_directory()
script = os.path.join(directory, "levels.ski")
with open(script, "w", encoding="utf-8") as file:
    file.write(SCRIPT)
files = os.path.join(directory, "runs")
run = harness.run([os.path.join(ROOT, "scripts", "skampi-coverage"), "--script", script, "--runs",
                   str(RUNS), "--rounds", ROUNDS, "--pes", "1", "--program", harness.program(),
                   "--launch", os.path.join(ROOT, "mk", "launch") + " {pes}",
                   "-o", files, "--json", "-"], {**harness.launch_environment()}, 120)
tap.equal(run.status, 0, "the runs were made", run)
try:
    found = json.loads(run.out)
except ValueError:
    found = {}
tap.note(json.dumps(found)[:1500])


def results(path):
    with open(path, encoding="utf-8") as stream:
        records = [json.loads(line) for line in stream]
    return {(r["block"], r["call"]): r for r in records
            if r["record"] == "rounds"}, {(r["block"], r["call"]): r for r in records
                                          if r["record"] == "result" and r["round"] == 1}


paths = sorted(os.path.join(base, name) for base, _, names in os.walk(files) for name in names
               if name.endswith(".json"))
runs = [results(path) for path in paths]
runs = [both for both in runs if both[0]]
tap.equal(len(runs), RUNS, "each run has its rounds", paths)

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
for block, hits in contained.items():
    share = sum(hits) / len(hits) if hits else 0
    tap.ok(len(hits) >= 150 and share >= 0.9,
           f"{block}: the prediction interval contains the median of a later run in 90 %",
           f"{share:.3f} of {len(hits)}")

# What the spread needs: from the lowest to the highest median that was seen, where there are two
# levels; the interval may be twice as wide, as factors.
if runs:
    too_wide = 0
    keys = [key for key in runs[0][0] if key[0] == "levels"]
    for key in keys:
        medians = [rounds[key]["median"] for rounds, _ in runs]
        needed = math.log(max(medians) / min(medians))
        stated = sum(math.log(r[key]["next_high"] / r[key]["next_low"]) for r, _ in runs) / RUNS
        if needed > math.log(1.5):  # both levels have been medians
            too_wide += stated > 2 * needed
    tap.ok(too_wide <= len(keys) // 10, "no wider than twice what the levels need", too_wide)

share = sum(single) / len(single) if single else 1
tap.ok(share < 0.75, "a single round and its standard error would not keep that promise",
       f"{share:.3f}")
tap.done()
