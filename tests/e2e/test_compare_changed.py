#!/usr/bin/env python3
# LONG
# PLAIN
# TIMEOUT: 60
"""skampi-compare, where many points have changed much: the others raise no more false alarms than
promised, and what has changed is found."""

import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap, optional, run, scratch_directory, skip_all
from made_results import point, records, write, write_records
from skampi_tools import results

if not optional("numpy"):
    skip_all("numpy is not installed")
from skampi_tools.compare.comparison import compare_files

COMPARISONS = 60
MOST_ALARMS = 9  # of 60 with a chance of 5 % each: more has a chance of less than 0.1 %
folder = scratch_directory()
tap = Tap()


def launch(factor, changed, points):
    drift = random.lognormvariate(0, 0.01)
    path = os.path.join(folder, "launch.json")
    write(path, [point("b", "F", {"count": k}, 1e-6 * drift * random.lognormvariate(0, 0.01)
                       * (factor if k < changed else 1)) for k in range(points)])
    return results.read(path)


for changed, points, launches in ((3, 6, 8), (6, 12, 6), (1, 6, 6)):
    random.seed(f"{changed} of {points}")
    alarms = found = 0
    for _ in range(COMPARISONS):
        rows = compare_files([launch(1, changed, points) for _ in range(launches)],
                             [launch(0.7, changed, points) for _ in range(launches)]).rows
        same = [row for row in rows if int(row.label.split("=")[1].split(")")[0]) >= changed]
        alarms += any(row.verdict in ("slower", "faster") for row in same)
        found += sum(row.verdict == "faster" for row in rows if row not in same)
    tap.ok(alarms <= MOST_ALARMS, f"{changed} of {points} points changed: false alarms about the others are rare",
           f"{alarms} of {COMPARISONS}")
    tap.equal(found, changed * COMPARISONS, "... and what has changed is found")
for side, status in (("old", 0), ("new", 139)):
    for number in range(4):
        lines = records([point("b", "Reused", {}, 0)], status=status)
        if status:
            lines[-1]["reason"] = "PE 1: segmentation fault"
        os.makedirs(os.path.join(folder, side), exist_ok=True)
        write_records(os.path.join(folder, side, f"{number}.json"), lines)
zero = run([os.path.join(ROOT, "scripts/skampi-compare"), "--fail-over", "5%", "old", "new"], cwd=folder)
tap.ok(zero.status == 2 and "not all values are above 0, so there is no ratio" in zero.err and "few" not in zero.err,
       "values of 0 have no ratio, which is said", zero)
tap.ok("caution: new/0.json and 3 more: results may be missing: PE 1: segmentation fault" in zero.out and "caution: old" not in zero.out,
       "runs that crashed are named with their reason", zero)
tap.done()
