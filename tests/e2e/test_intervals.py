#!/usr/bin/env python3
"""One error for one number: what a line shows, its standard error and the intervals are those that
follow from the repetitions and from what was subtracted, computed here once more."""

import csv
import json
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import harness
from harness import Tap, skampi

sys.path.insert(0, os.path.join(harness.ROOT, "scripts"))
from skampi_tools import statistics

TRIMS = (0.01, 0.1, 0.25, 0.4)
NORMAL = 1.959963984540054  # 97.5 %
tap = Tap()


def close(a, b):
    return abs(a - b) <= 1e-6 * max(abs(a), abs(b)) + 1e-15


def measured(script):
    """The run, its results from JSON, and its rows of CSV."""
    run = skampi(script, np=2, args=["--raw", "-o", "a.json", "-o", "a.csv", "-o", "a.sko"])
    with open(run.path("a.json"), encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    with open(run.path("a.csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return run, [record for record in records if record["record"] == "result"], rows


def classic_error(values):
    return statistics.deviation(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0


# ---- MPIPerf's rule ----


def trimmed(samples, trim, confidence):
    """(kept, mean, SE, E), with the winsorized variance."""
    ordered, n = sorted(samples), len(samples)
    cut = math.floor(trim * n * (1 + 1e-12))
    middle = ordered[cut:n - cut]
    winsorized = [middle[0]] * cut + middle + [middle[-1]] * cut
    error = classic_error(winsorized) * n / len(middle)
    t = statistics.student_quantile((1 + confidence) / 2, len(middle) - 1)
    return len(middle), math.fsum(middle) / len(middle), error, t * error


def mpiperf():
    script = 'set_window_rule("mpiperf")\nset_mpiperf_confidence(0.9)\n'
    for trim in TRIMS:
        script += (f'set_mpiperf_trim({trim})\nbegin measurement "{trim}"\n'
                   "  measure comm(2) : WaitPatternUp()\nend measurement\n")
    run, results, rows = measured(script + 'set_window_rule("classic")\nbegin measurement "classic"\n'
                                           "  measure comm(2) : WaitPatternUp()\nend measurement\n")
    tap.equal((run.status, len(results)), (0, len(TRIMS) + 1), "the rule measures", run)
    for trim, result, row in zip(TRIMS, results, rows):
        kept, mean, error, half = trimmed(result["samples"], trim, 0.9)
        wanted = {"kept": kept, "time": mean, "standard_error": error, "error": half,
                  "time_low": mean - half, "time_high": mean + half, "time_confidence": 0.9}
        wrong = [name for name, value in wanted.items()
                 if not close(result[name], value) or float(row[name]) != result[name]]
        tap.ok(not wrong, f"trim {trim}: the line, n, standard error, E and interval, in JSON and CSV",
               (wrong, wanted, {name: result[name] for name in wanted}))
        own = result["per_pe"]
        tap.ok(min(own) <= result["time"] * 1.000001 and max(own) >= 0.5 * result["time"],
               f"trim {trim}: PEs' own times are of the same repetitions", own)
    blocks, _, _ = harness.parse_sko(open(run.path("a.sko"), encoding="utf-8").read())
    times = [block.rows[0] for block in blocks]
    tap.ok(all(abs(row.time * 1e-6 - result["time"]) <= 1e-3 * result["time"] and
               abs(row.error * 1e-6 - result["standard_error"]) <= 2e-3 * result["standard_error"]
               for row, result in zip(times, results)), ".sko shows them", times)
    classic = results[-1]
    tap.ok(classic["kept"] == classic["valid"] - classic["valid"] // 4 * 2 and
           all(classic[name] is None and rows[-1][name] == ""
               for name in ("error", "time_low", "time_high", "time_confidence")),
           "the classic rule states none of it", classic)


# ---- What was subtracted ----


def subtracted():
    """The reference's error, as the standard error shows it, is in the median's interval, too."""
    run, results, _ = measured("set_min_repetitions(20)\nset_max_repetitions(40)\n"
                               'begin measurement "b"\n  for i = 1 to 10 do\n'
                               "    measure comm(2) : Shmem_Put_Round(8, 20)\n  od\n"
                               "  measure comm(1) : WaitPatternUp()\nend measurement\n")
    tap.ok(run.status == 0 and len(results) == 11, "put less quiet is measured", run)
    seen = []
    for number, result in enumerate(results):
        samples = sorted(result["samples"])
        n, cut = len(samples), len(samples) // 4
        own = classic_error(samples[cut:n - cut])
        reference = math.sqrt(max(result["standard_error"] ** 2 - own ** 2, 0))
        few = int(min(result["effective"], n))
        low, high = statistics.median_ranks(few, 0.95)
        if low == 1 and few < 6:
            continue  # no interval from so few
        stretch = (n + 1) / (few + 1)
        middle = statistics.median(samples)
        sides = [middle - statistics.quantile(samples, (low * stretch - 1) / (n - 1)),
                 statistics.quantile(samples, (high * stretch - 1) / (n - 1)) - middle]
        wanted = [math.hypot(side, NORMAL * reference) for side in sides]
        stated = [result["median"] - result["median_low"], result["median_high"] - result["median"]]
        good = all(abs(a - b) <= 0.01 * b + 1e-14 for a, b in zip(stated, wanted))
        seen.append(wanted[0] > 1.001 * sides[0])
        tap.ok(good, f"result {number}: the interval of the median includes what was subtracted",
               (stated, wanted, sides, reference))
    tap.ok(len(seen) > 5 and any(seen[:-1]), "there was something to include", seen)


mpiperf()
if harness.has("SHMEM"):
    subtracted()
else:
    tap.skip("what was subtracted", "built without OpenSHMEM")
tap.done()
