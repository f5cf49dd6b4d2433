#!/usr/bin/env python3
# BOUND
"""One error for one number: what a line shows, its standard error and the intervals are those that
follow from the repetitions and from what was subtracted, computed here once more."""

import csv
import json
import math
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from harness import Tap, read_text, skampi

SCRIPTS = os.path.join(harness.ROOT, "scripts")
sys.path.insert(0, SCRIPTS)
from skampi_tools import results, statistics
from skampi_tools.formats.sko.lines import said_of
from skampi_tools.formats.sko.texts import number_text

# Until each median has an interval, which repetitions that are alike do not give; one that has none is not compared.
ATTEMPTS = 5
TRIMS = (0.01, 0.1, 0.25, 0.4)
NORMAL = 1.959963984540054  # 97.5 %
matplotlib = harness.optional("matplotlib")
tap = Tap()


def close(a, b):
    return abs(a - b) <= 1e-6 * max(abs(a), abs(b)) + 1e-15


def measured(script):
    """The run, its results from JSON, and its rows of CSV."""
    run = skampi(script, np=2, args=["--raw", "-o", "a.json", "-o", "a.csv", "-o", "a.sko"])
    records = run.records("a.json")
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
    run, measurements, rows = measured(script + 'set_window_rule("classic")\nbegin measurement "classic"\n'
                                           "  measure comm(2) : WaitPatternUp()\nend measurement\n")
    tap.equal((run.status, len(measurements)), (0, len(TRIMS) + 1), "the rule measures", run)
    for trim, result, row in zip(TRIMS, measurements, rows):
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
    blocks, _, _ = harness.parse_sko(run.read("a.sko"))
    times = [block.rows[0] for block in blocks]
    tap.ok(all(abs(row.time * 1e-6 - result["time"]) <= 1e-3 * result["time"] and
               abs(row.error * 1e-6 - result["standard_error"]) <= 2e-3 * result["standard_error"]
               for row, result in zip(times, measurements)), ".sko shows them", times)
    classic = measurements[-1]
    tap.ok(classic["kept"] == classic["valid"] - classic["valid"] // 4 * 2 and
           all(classic[name] is None and rows[-1][name] == ""
               for name in ("error", "time_low", "time_high", "time_confidence")),
           "the classic rule states none of it", classic)


# ---- What tools show ----


def tools():
    """Table, figure and report of one file show the same number with the same error, and name it."""
    for _ in range(ATTEMPTS):
        run = skampi('set_min_repetitions(60)\nset_max_repetitions(100)\nbegin measurement "b"\n'
                     "  for i = 1 to 3 do\n    measure comm(2) : "
                     "WaitPatternLevels(i*1.0e-5, i*1.0e-5, 1.0)\n  od\nend measurement\n", np=2,
                     args=["-o", "a.json", "-o", "a.sko", "--unit", "ns"])
        if all(math.isfinite(result.shown().low) for result in results.read(run.path("a.json")).results):
            break
    folder = os.path.dirname(run.path("a.json"))
    for name, what, other in (("a.json", "median", "mean of the middle"),
                              ("a.sko", "mean of the middle", "median")):
        shown = [result.shown() for result in results.read(run.path(name)).results]
        tap.equal([s.what for s in shown], 3 * [what], f"{name}: what is shown", run)
        table = harness.run([os.path.join(SCRIPTS, "skampi-table"), name], cwd=folder)
        rows = [line.split() for line in table.out.splitlines() if line.split()[:1] in (["1"], ["2"], ["3"])]
        errors = [[s.low, s.high] if what == "median" else [s.high - s.value] for s in shown]
        wanted = [[number_text(x * 1e9) for x in (s.value, *error)]
                  for s, error in zip(shown, errors)]
        # To two digits of the error, which is the longer side of an interval.
        digits = [0.06e9 * max(s.high - s.value, s.value - s.low) if what == "median" else
                  0.06e9 * (s.high - s.value) for s in shown]
        tap.ok(f"{what} [ns]" in table.out and f"{other} [" not in table.out and
               all(math.isnan(digit) or abs(float(have) - float(want)) < max(digit, 0.11)
                   for row, numbers, digit in zip(rows, wanted, digits) for have, want in zip(row[2:], numbers)) and
               len(rows) == 3, f"{name}: the table", (table.out, wanted))
        report = harness.run([os.path.join(SCRIPTS, "skampi-report"), name, "-o", "-"], cwd=folder)
        data = re.search(r'"what": ?"([^"]*)", ?"value": ?(\[.*?\]), ?"low": ?(\[.*?\]), ?"high": ?(\[.*?\])',
                         report.out)
        found = data and [data.group(1), *map(json.loads, data.groups()[1:])]
        # Numbers of the page have some digits less.
        tap.ok(found and found[0] == what and
               all(math.isnan(b) if a is None else abs(a - b) <= 1e-4 * abs(b)
                   for column, field in zip(found[1:], ("value", "low", "high"))
                   for a, b in zip(column, [getattr(s, field) for s in shown])),
               f"{name}: the report", (found, shown, report.err))
        if not matplotlib:
            tap.skip(f"{name}: the figure", "matplotlib is not installed")
            continue
        plot = harness.run([os.path.join(SCRIPTS, "skampi-plot"), name, "-o", "a.svg"], cwd=folder)
        texts = re.findall(r">([^<>]+)</text>", read_text(folder, "a.svg"))
        tap.ok(what in texts and other not in texts, f"{name}: the figure's axis", (plot, texts))


# ---- What was subtracted ----


def subtracted():
    """The reference's error, as the standard error shows it, is in the median's interval, too."""
    # Many, since few that are alike, as on a machine that others slow down, have no interval.
    run, measurements, _ = measured("set_min_repetitions(100)\nset_max_repetitions(150)\n"
                               'begin measurement "b"\n  for i = 1 to 10 do\n'
                               "    measure comm(2) : Shmem_Put_Round(8, 20)\n  od\n"
                               "  measure comm(1) : WaitPatternUp()\nend measurement\n")
    tap.ok(run.status == 0 and len(measurements) == 11, "put less quiet is measured", run)
    seen = []
    for number, result in enumerate(measurements):
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
        wanted[0] = min(wanted[0], result["median"]) if result["median"] >= 0 else wanted[0]  # no time is below 0
        stated = [result["median"] - result["median_low"], result["median_high"] - result["median"]]
        good = all(abs(a - b) <= 0.01 * b + 1e-14 for a, b in zip(stated, wanted))
        seen.append(wanted[0] > 1.001 * sides[0])
        tap.ok(good, f"result {number}: the interval of the median includes what was subtracted",
               (stated, wanted, sides, reference))
    tap.ok(len(seen) > 5 and any(seen[:-1]), "there was something to include", seen)


def doubt():
    """skampi, table and tools doubt the same results; what is subtracted is timed well, however long the operation."""
    run = skampi("""set_skampi_buffer(1mb)
begin measurement "b"
  for count in [8, 1mb] do measure comm(2) : Shmem_Put_Round(count, 1) od
end measurement
begin measurement "few"
  set_min_repetitions(2)
  set_max_repetitions(2)
  measure comm(1) : wtime(100)
end measurement
""", np=2, args=["-o", "a.json", "-o", "a.sko", "--summary", "always"])
    found = [results.read(run.path(name)).points for name in ("a.json", "a.sko")]
    said = re.search(r"results?(?:, (\d+) of them doubtful)?", run.err)
    counts = [sum(result.doubtful for result in points) for points in found]
    tap.equal(counts, 2 * [int(said.group(1) or 0)], "skampi's last lines, JSON and .sko count the same", run)
    shown = harness.run([os.path.join(SCRIPTS, "skampi-table"), run.path("a.json")])
    tap.ok(f"* doubtful: {counts[0]} of 3 results" in shown.out and shown.out.count(" *\n") == counts[0],
           "... and so does the table", shown)
    tap.ok("imprecise" in found[0][2].flags and found[0][2].doubtful, "two repetitions have no interval", found[0][2].record)
    tap.ok("below_resolution" not in found[0][1].flags,
           "one empty quiet is short beside the put of 1 MiB, but not timed alone", found[0][1].record)
    much, little = found[0][0], found[0][2]
    tap.ok(any(note.startswith("subtracted: an empty quiet, ") for note in much.notes) and "subtracted" not in little.record,
           "what is subtracted is said where it is much", much.record)
    said = [said_of(note) for note in much.notes if note.startswith("subtracted")]
    tap.ok(much.subtracted == "an empty quiet" and much.subtracted_share > 0.1
           and math.isclose(much.subtracted_time, said[0]["subtracted_time"], rel_tol=0.01)
           and (said[0]["subtracted_share"] is None or math.isclose(much.subtracted_share, said[0]["subtracted_share"], rel_tol=0.06)),
           "... by members, too", much.record)
    tap.equal(found[1][0].subtracted_time, said[0]["subtracted_time"], "... and in .sko")


mpiperf()
tools()
if harness.has("SHMEM"):
    subtracted()
    doubt()
else:
    tap.skip("what is subtracted, and doubt", "built without OpenSHMEM")
tap.done()
