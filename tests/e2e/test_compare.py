#!/usr/bin/env python3
# LONG
# PLAIN
# TIMEOUT: 180
"""scripts/skampi-compare finds what changed, calls nothing changed when nothing did, and says when
it cannot tell. How often it is wrong, or finds nothing, is counted on made data; more of them with
SKAMPI_STUDY_RUNS=1000."""

import json
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap, optional, read_text, run, scratch_directory, skip_all, write_text
from skampi_tools import style

if not optional("numpy"):
    skip_all("numpy is not installed")

import numpy as np
from made_results import HEADER, point, write
from skampi_tools.compare import comparison as compare
from skampi_tools.results import ResultFile

COMPARE = os.path.join(ROOT, "scripts/skampi-compare")
RUNS = int(os.environ.get("SKAMPI_STUDY_RUNS", "25"))
tap = Tap()
folder = scratch_directory()


def in_folder(name):
    return os.path.join(folder, name)


def tool(*arguments, **more):
    return run([COMPARE, *arguments], cwd=folder, **more)


# ---- Numbers that are known ----

uniform = compare._mann_whitney(2, 2)
tap.ok(np.allclose(uniform, np.array([1, 1, 2, 1, 1]) / 6), "the distribution of Mann and Whitney's U",
       uniform)
# Hollander & Wolfe, table A.6: for 5 and 5 values P(U <= 2) = 4/252.
tap.near(sum(compare._mann_whitney(5, 5)[:3]), 4 / 252, 1e-12, "... of 5 and 5 values")
ratio, low, high, reached = compare.ratio_interval([1, 2, 3, 4, 5], [10, 20, 30, 40, 50])
ratios = sorted(b / a for a in (1, 2, 3, 4, 5) for b in (10, 20, 30, 40, 50))
tap.equal((ratio, low, high), (ratios[12], ratios[2], ratios[22]), "the ratio and its interval")
tap.near(reached, 1 - 2 * 4 / 252, 1e-12, "... and what it reaches")
tap.equal(compare.ratio_interval([1.0], [2.0]), (2.0, 2.0, 2.0, 0.0), "one value a side reaches nothing")


for shown, ratios in (
        (("+10.3 %", "+9.1 % .. +11.2 %"), (1.103, 1.091, 1.112)), (("-4 %", "-30 % .. +2 %"), (0.964, 0.697, 1.016)),
        (("x 680", "x 600 .. x 750"), (675.6, 600.2, 750.4)), (("x 0.8", "x 0.45 .. x 1.6"), (0.8, 0.45, 1.562)),
        (("x 2.49", "x 2.48 .. x 2.49"), (2.4878, 2.4836, 2.4942)), (("x 2.49", "--- .. ---"), (2.4878,)),
        (("+0.0 %", "-0.1 % .. +0.0 %"), (0.9999, 0.999, 1.0001)), (("---", "--- .. ---"), (float("nan"),))):
    tap.equal(style.change_text(*ratios), shown, f"one notation, as many digits as the interval allows: {ratios}")

# ---- How often it is wrong, and how often it finds what is there ----


def files(medians, rounds=None):
    """ResultFile objects of medians[launch][point], or with rounds[launch][round][point]."""
    made = []
    for number, launch in enumerate(medians):
        file = ResultFile(f"{number}.json", dict(HEADER), end={"status": 0})
        for index, value in enumerate(launch):
            record = {"record": "result", "block": "b", "call": f"f({index})", "function": "f",
                      "median": value}
            if rounds is not None:
                record.update(record="rounds", medians=[float(r[index]) for r in rounds[number]])
            file.add(record)
        made.append(file)
    return made


OUTLIERS = [[1.0], [1.1], [1.2], [1.3], [90.0]], [[100.0], [110.0], [5000.0], [120.0], [700.0]]
row = compare.compare_files(*map(files, OUTLIERS)).rows[0]
tap.ok(row.verdict == compare.SLOWER and row.p < 0.01, "sides that overlap nowhere are not alike, however wide they are", row)
generator = np.random.default_rng(7)
noise = [np.exp(generator.normal(0, 0.3, 200)).tolist() for _ in range(8)]
rows = compare.compare_files(files([own + [1.0 + i] for i, own in enumerate(noise[:4])]),
                             files([own + [900.0 * (i + 1)] for i, own in enumerate(noise[4:])])).rows
tap.ok({row.label: row.verdict for row in rows}["f(200)"] == compare.SLOWER,
       "... also among many points", [row for row in rows if row.label == "f(200)"])
tap.ok(sum(row.verdict in (compare.SLOWER, compare.FASTER) for row in rows) == 1,
       "... of which some overlap nowhere by chance", rows[:3])
values = compare.compare_files(files([[27.9], [28.2], [26.0], [28.4]]), files([[26.9], [28.9], [26.8], [27.2]])).rows[0]
tap.ok(abs(values.ratio - values.new / values.old) < 1e-12 and values.low <= values.ratio <= values.high,
       "the change is that of the values beside it, and in its interval", values)

LEVELS = math.log(3)


def launches(generator, count, points, kind):
    """Logarithms of times, launches x points: what a launch adds to all points, what it adds to
    each, of 3 %, or what the kind says."""
    x = generator.normal(0, 0.03, (count, points)) + generator.normal(0, 0.01, (count, 1))
    if kind == "outliers":  # in one of ten values, 1.5 times the time and more
        x += np.where(generator.random(x.shape) < 0.1, generator.exponential(0.4, x.shape), 0)
    if kind == "two levels":  # every fifth point is three times as slow in four of ten launches
        x[:, ::5] += np.where(generator.random(x[:, ::5].shape) < 0.4, LEVELS, 0)
    return x


def share(text, old, new, points, kind, change, wanted, first=0):
    """Compares RUNS times; new points from `first` on, one in four, are slower by `change`. Shares of
    runs with false alarms and of slower points found."""
    alarms, found, there = 0, 0, 0
    slow = np.zeros(points, bool)
    if change:
        slow[1::4] = True
        slow[::5] = False  # those may be on two levels
    for number in range(RUNS):
        generator = np.random.default_rng([number, old, new, points])
        before = launches(generator, old, points, kind)
        after = launches(generator, new, points, kind)
        after[:, slow] += math.log1p(change)
        compared = compare.compare_files(files(np.exp(before)), files(np.exp(after)))
        called = {row.result.call: row.verdict in (compare.SLOWER, compare.FASTER) for row in compared.rows}
        alarms += any(called[f"f({i})"] for i in range(points) if not slow[i])
        found += sum(called[f"f({i})"] for i in range(points) if slow[i])
        there += int(slow.sum())
    if change:
        tap.ok(found >= wanted * there, f"{text}: finds most that are {100 * change:g} % slower",
               f"{found} of {there}, wanted {wanted}")
        tap.note(f"{text}: found {found} of {there}; runs with a false alarm {alarms} of {RUNS}")
    else:
        check_alarms(text, alarms)


def check_alarms(text, alarms):
    # Of so many runs, 5 % give so many or more alarms in one of 10,000 cases.
    limit = 0
    while sum(math.comb(RUNS, k) * 0.05**k * 0.95**(RUNS - k)
              for k in range(limit, RUNS + 1)) > 1e-4:
        limit += 1
    tap.ok(alarms < limit, f"{text}: no more than 5 % false alarms",
           f"{alarms} of {RUNS}, limit {limit}")
    tap.note(f"{text}: runs with a false alarm {alarms} of {RUNS}")


for text, old, new, points, kind in (
        ("4 and 4 launches", 4, 4, 20, "plain"), ("5 and 5 launches", 5, 5, 20, "plain"),
        ("5 and 5 launches, 100 points", 5, 5, 100, "plain"),
        ("5 and 5 launches with outliers", 5, 5, 20, "outliers"),
        ("5 and 5 launches on two levels", 5, 5, 20, "two levels"),
        ("10 and 10 launches", 10, 10, 20, "plain"),
        ("10 and 10 launches with outliers", 10, 10, 20, "outliers"),
        ("10 and 10 launches on two levels", 10, 10, 20, "two levels"),
        ("12 and 4 launches", 12, 4, 20, "plain")):
    share(text, old, new, points, kind, 0, 0)
for text, old, new, points, kind, wanted in (
        ("5 and 5 launches", 5, 5, 20, "plain", 0.65),
        ("10 and 10 launches", 10, 10, 20, "plain", 0.95),
        ("10 and 10 launches, 100 points", 10, 10, 100, "plain", 0.9),
        ("10 and 10 launches on two levels", 10, 10, 20, "two levels", 0.85),
        ("10 and 10 launches with outliers", 10, 10, 20, "outliers", 0.4)):
    share(text, old, new, points, kind, 0.1, wanted)


def levels_in_time(generator, times, dwell):
    """Which of two levels holds at each of the times, of a source that stays so long on each."""
    level, change, values = generator.random() < 0.5, generator.exponential(dwell), []
    for time in times:
        while time > change:
            level, change = not level, change + generator.exponential(dwell)
        values.append(level)
    return np.array(values)


def one_launch(generator, rounds, points, spacing, dwell):
    """Rounds x points, logarithms: every fifth point jumps between levels; a launch adds 3 %."""
    x = generator.normal(0, 0.02, (rounds, points)) + generator.normal(0, 0.03, (1, points))
    level = levels_in_time(generator, spacing * np.arange(rounds), dwell)
    x[:, ::5] += LEVELS * level[:, None]
    return x


for text, rounds, spacing in (("10 rounds, further apart than levels last", 10, 20),
                              ("20 rounds, closer than levels last", 20, 4)):
    alarms, found = 0, 0
    for number in range(RUNS):
        generator = np.random.default_rng([number, rounds])
        sides = [np.exp(one_launch(generator, rounds, 20, spacing, 8)) for _ in range(2)]
        compared = compare.compare_files(*(files([np.median(s, axis=0)], [s]) for s in sides))
        alarms += any(row.verdict in (compare.SLOWER, compare.FASTER) for row in compared.rows)
        sides[1][:, 3] *= 1.6
        compared = compare.compare_files(*(files([np.median(s, axis=0)], [s]) for s in sides))
        found += any(row.verdict == compare.SLOWER and row.result.call == "f(3)" for row in compared.rows)
    check_alarms(f"one launch a side, {text}", alarms)
    tap.ok(found >= 0.8 * RUNS, f"one launch a side, {text}: 60 % slower is found", f"{found} of {RUNS}")
    tap.note(f"one launch a side, {text}: found {found} of {RUNS}")

# One launch a side without rounds: on one level each, ever so certain within itself.
compared = compare.compare_files(files([[1.0, 1.0]]), files([[3.0, 1.01]]))
tap.ok(all(row.verdict == compare.CANNOT_TELL and math.isnan(row.p) for row in compared.rows)
       and compared.rows[0].ratio == 3 and not compared.can_tell,
       "one launch a side without rounds: ratios, largest first, but no verdict", compared.rows)

# ---- What comes out ----


def side(name, count, factor, seed, header=None, extra=()):
    generator = np.random.default_rng(seed)
    os.makedirs(in_folder(name), exist_ok=True)
    for number in range(count):
        points = []
        for function in ("Shmem_Put_Round", "Shmem_Get_Round"):
            for size in (8, 64, 512):
                time = 1e-7 * size ** 0.3 * math.exp(generator.normal(0, 0.01))
                if function == "Shmem_Put_Round" and size == 512:
                    time *= factor
                points.append(point("a \"block\" <b>", function, {"count": size}, time))
        write(in_folder(f"{name}/{number}.json"), points + list(extra), header=header)


side("old", 6, 1, 1, extra=[point("x", "Only_Old", {}, 1e-6)])
side("new", 6, 1.1, 2, header={"library": "another library 2.0", "environment": {"UCX_TLS": "tcp"}},
     extra=[point("x", "Only_New", {}, 1e-6)])
side("same", 6, 1, 3)
made = tool("--json", "out.json", "old", "new")
tap.ok(made.status == 0 and made.err == "", "two directories are compared", made)
lines = made.out.splitlines()
tap.equal(lines[0], "8 points: 1 slower, 0 faster, 5 unchanged, 0 cannot tell, 1 only old, 1 only new; new against old: differs",
          "the summary comes first")
tap.ok(lines[1].startswith("worst: +1") and "Shmem_Put_Round(count=512)" in lines[1], "the worst", made)
for text in ("differs: library: made library 1.0 | another library 2.0",
             "differs: environment UCX_TLS: not stated | tcp", "only old", "only new",
             "5 unchanged not shown: --all shows them"):
    tap.ok(text in made.out, f"said: {text}", made)
table = [line for line in lines if line.startswith("slower ")]
tap.ok(len(table) == 1 and "Shmem_Put_Round(count=512)" in table[0], "the table begins with it", made)
with open(in_folder("out.json"), encoding="utf-8") as file:
    written = json.load(file)
first = written["points"][0]
tap.ok(written["summary"]["slower"] == 1 and written["comparison"] == 1
       and first["verdict"] == "slower" and first["low"] < 1.1 < first["high"]
       and first["unit"] == "launches" and first["count_old"] == 6 and len(written["old"]) == 6
       and first["variables"] == {"count": "512"}, "the same as JSON", first)
tap.equal(json.loads(tool("--json", "-", "old", "new").out), written, "--json - has nothing else")
tap.ok(tool("--all", "old", "new").out.count("\nunchanged ") == 5, "--all shows what did not change")
only = tool("--function", "*Get*", "--block", "a*", "old", "new")
tap.ok(only.out.startswith("3 points: 0 slower, 0 faster, 3 unchanged"), "--function and --block", only)
lists = tool("--old", *(f"old/{i}.json" for i in range(6)), "--new",
             *(f"new/{i}.json" for i in range(6)), "--json", "-")
tap.equal(json.loads(lists.out)["points"], written["points"], "lists of files are the same")

for margin, sides, status in (("5%", ("old", "new"), 1), ("20%", ("old", "new"), 0),
                              ("5 %", ("old", "same"), 0), ("0%", ("old", "new"), 1),
                              ("5%", ("new", "old"), 0)):
    gate = tool("--fail-over", margin, *sides)
    tap.ok(gate.status == status and gate.err == "" and f"slower by more than {margin[:-1].strip()} %: "
           f"{status}\n" in gate.out, f"--fail-over {margin} {' '.join(sides)}: {status}", gate)

# A campaign of two configurations.
os.makedirs(in_folder("camp"))
write_text(in_folder("camp/campaign.json"), json.dumps({"campaign": 1, "launches": 6, "configurations": [{"name": "old"}, {"name": "new"}]}))
for name in ("old", "new"):
    for number in range(6):
        launch = in_folder(f"camp/launches/{name}/{number + 1:04d}")
        os.makedirs(launch)
        os.link(in_folder(f"{name}/{number}.json"), os.path.join(launch, "results.json"))
for sides in (("camp",), ("camp:old", "camp:new"), ("old", "camp:new")):
    campaign = json.loads(tool(*sides, "--json", "-").out)
    tap.equal(campaign["points"], written["points"], f"{' '.join(sides)}: launches of a campaign")

few = tool("--old", "old/0.json", "old/1.json", "--new", "new/0.json", "new/1.json")
tap.ok(few.status == 0 and "0 slower, 0 faster, 0 unchanged, 6 cannot tell" in few.out
       and "2 and 2 launches are too few" in few.out and "caution: points with too few" in few.out,
       "with too few launches nothing is called unchanged", few)
tap.ok("too few launches (2 of at least 4)" in few.out and " .. " not in few.out
       and "(2 of at least 7)" in tool("--alpha", "0.001", "--old", "old/0.json", "old/1.json", "--new",
                                       "new/0.json", "new/1.json").out,
       "... nor is there an interval, but the number of launches that are needed", few)
# One launch of five takes 100 times as long.
for name, count in (("five", 5), ("seven", 7)):
    os.makedirs(in_folder(name))
    for number in range(count):
        write(in_folder(f"{name}/{number}.json"),
              [point("b", "f", {"count": 8}, (1 + number / 50) * 1e-6 * (100 if number == 2 else 1))])
few = tool("five", "five")
tap.ok("too few launches (5 of at least 7)" in few.out and "x " not in few.out,
       "an interval that one launch decides, and that is wide, is none", few)
enough = tool("--all", "seven", "seven")
tap.ok(" .. " in enough.out and "too few" not in enough.out, "... as it is with more launches", enough)
for arguments in (("--fail-over", "5%", "five", "five"), ("--fail-over", "0%", "five", "five")):
    gate = tool(*arguments)
    tap.ok(gate.status == 2 and "--fail-over: no point could be judged: all intervals reach beyond"
           in gate.err, f"{' '.join(arguments)}: nothing was judged", gate)
write(in_folder("only.json"), [point("b", "only here", {}, 1e-6)])
gate = tool("--fail-over", "5%", "--old", "old/0.json", "--new", "only.json")
tap.ok(gate.status == 2 and "error: --fail-over" in gate.err, "--fail-over without a common point", gate)
lines = read_text(in_folder("old/0.json")).splitlines()
with open(in_folder("summary.json"), "w", encoding="utf-8") as file:
    header = {**json.loads(lines[0]), "notes": ["configuration A: 6 of 6 launches, in the place of rounds"]}
    file.write("\n".join([json.dumps(header), *lines[1:]]) + "\n")
tap.ok("summary.json: the summary of a campaign" in tool("summary.json", "new/0.json").out,
       "the summary of a campaign is not what should be compared")
itself = tool("old/0.json", "old/0.json")
tap.ok(itself.status == 0 and "old/0.json is on both sides" in itself.out, "a file with itself", itself)

# Numbers of which there is no logarithm, and what is not whole.
for name, values in (("zeros", [0.0] * 5), ("nulls", [None] * 5), ("mixed", [1e-6, 0.0, 1e-6, None, 2e-6]),
                     ("equal", [1e-6] * 5)):
    os.makedirs(in_folder(name))
    for number, time in enumerate(values):
        record = point("b", "f", {"count": 8}, 1e-6)
        record.update(time=time, median=time, median_low=None, median_high=None)
        write(in_folder(f"{name}/{number}.json"), [record], whole=number > 0)
for name, text in (("zeros", "1 cannot tell"), ("nulls", "1 cannot tell"), ("mixed", "1 cannot tell")):
    odd = tool(name, "equal")
    tap.ok(odd.status == 0 and text in odd.out.splitlines()[0] and odd.err == "" and
           f"caution: {name}/0.json and 1 more: the file is not complete" in odd.out, f"{name}: {text}", odd)
os.makedirs(in_folder("busy"))
for number in range(5):
    write(in_folder(f"busy/{number}.json"), [point("b", "f", {"count": 8}, 2e-6, flags=["few_valid"])],
          header={"warnings": [f"the node was busy: load {number}.5"]})
busy = tool("equal", "busy")
tap.ok(" µs *" in busy.out and "* doubtful: 1 of 2 results: 1 few_valid" in busy.out and
       "caution: busy/0.json and 4 more: the node was busy: load 0.5" in busy.out,
       "doubtful values are marked, and what skampi warned of is repeated once", busy)
equal = tool("equal", "equal")
tap.ok(equal.status == 0 and "1 unchanged" in equal.out.splitlines()[0], "equal times are unchanged", equal)

with open(in_folder("empty"), "w", encoding="utf-8"):
    pass
os.makedirs(in_folder("nothing"))
for arguments, text in (
        ((), "give OLD and NEW, or --old PATH... --new PATH...; --help shows all options"),
        (("old",), "old: this is only one side; give OLD and NEW"),
        (("--old", "old"), "give both --old and --new, and no other paths; --help shows all options"),
        (("nowhere", "new"), "nowhere: No such file or directory"),
        (("empty", "new"), "empty: the file is empty"),
        (("nothing", "new"), "nothing: there is no result file and no campaign in this directory"),
        (("camp", "new"), "camp: this campaign has the configurations old, new: say which, as camp:old"),
        (("camp:A", "new"), "camp: there is no configuration A: it has old, new"),
        (("old:A", "new"), "old: no campaign, so it has no configuration A"),
        (("--fail-over", "5", "old", "new"),
         "argument --fail-over: 5: give a percentage such as 5%; --help shows all options"),
        (("--alpha", "nan", "old", "new"), "argument --alpha: nan: give a probability from 0.001 to "
         "0.5; --help shows all options"),
        (("--block", "none", "old", "new"),
         "nothing to compare: no result has such a block and function"),
        (("--json", "/dev/full", "old", "new"), "/dev/full: No space left on device"),
        (("--fail-over", "5%", "old/0.json", "new/0.json"), "--fail-over: too few data: 1 "
         "and 1 files: give at least 4 launches a side, or files of --rounds 10")):
    refused = tool(*arguments)
    tap.ok(refused.status == 2 and refused.err == f"skampi-compare: error: {text}\n",
           f"refused in one line: {text}", refused)
usage = tool("--help")
tap.ok(usage.status == 0 and usage.out.startswith("usage: skampi compare") and "examples:" in usage.out,
       "--help", usage)


# ---- What identifies a point ----

from made_results import point

WARM, COLD = (point("get", "F", {"count": 64}, time, cache=cache) for time, cache in ((1e-6, "warm"), (5e-6, "cold")))


def file_of(name, records):
    made = ResultFile(name, dict(HEADER), end={"status": 0})
    for record in records:
        made.add(dict(record))
    made.identify()
    return made


rows = compare.compare_files([file_of("a", [COLD, WARM])], [file_of("b", [WARM])]).rows
tap.equal({(row.label.rpartition(", ")[2], row.verdict) for row in rows},
          {("cold", compare.ONLY_OLD), ("warm", compare.CANNOT_TELL)}, "cold is not compared with warm, which stands in its place")
LOST = {"record": "missing", "kind": "too_large", "block": "get", "number": 1, "call": COLD["call"], "reason": "too large",
        "point": file_of("a", [COLD]).results[0].key}
missing = compare.compare_files([file_of("a", [COLD, WARM])], [file_of("b", [LOST, WARM])]).missing
tap.equal([(one.point, one.old, one.new, one.failed) for one in missing], [(LOST["point"], False, True, True)],
          "what a side could not measure is listed")


tap.done()
