#!/usr/bin/env python3
# LONG
# PLAIN
# TIMEOUT: 180
"""skampi-campaign coverage counts which later medians lie in prediction intervals, and how wide those
are, and runs skampi for it."""

import json
import math
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from harness import ROOT, Tap, read_text, run, scratch_directory, unread_status, write_text
from made_results import point, records, write, write_records
from made_states import FOUR, in_rounds, states_of
from skampi_tools.statistics import rounds_of

COVERAGE = [os.path.join(ROOT, "scripts/skampi-campaign"), "coverage"]
tap = Tap()
folder = scratch_directory()


def in_folder(name):
    return os.path.join(folder, name)


def tool(*arguments, **more):
    return run([*COVERAGE, *map(str, arguments)], cwd=folder, **more)


def made(name, points, started, **more):
    """A run's file: points are (label, median, low, high), with low and high of the prediction interval, and may go
    on with medians of rounds."""
    records = []
    for label, middle, low, high, *medians in points:
        record = point("b", f"f{label}", {}, middle)
        record.update(record="rounds", rounds=10, medians=medians or [middle] * 10, next_low=low, next_high=high)
        records.append(record)
    return write(in_folder(name), records, header={"started": f"2026-01-02T{started}:00:00+00:00"}, **more)


def predicted(medians):
    """Of a point, after its label."""
    found = rounds_of(medians)
    return found.median, found.next_low, found.next_high, *medians


# Three runs, in the order of their start, not of their names: 1.0, 1.1, 1.3; intervals of 0.9 to
# 1.2 each: both later medians of the first are tried, one is inside; that of the second is not.
made("c.json", [("x", 1.0, 0.9, 1.2)], "01")
made("a.json", [("x", 1.1, 0.9, 1.2)], "02")
made("b.json", [("x", 1.3, 0.9, 1.2)], "03")
three = tool("--from", "a.json", "b.json", "c.json", "--json", "out.json")
with open(in_folder("out.json"), encoding="utf-8") as file:
    written = json.load(file)
tap.ok(three.status == 0 and abs(written["contained"] - 1 / 3) < 1e-12 and
       written["points"][0]["pairs"] == 3 and written["points"][0]["inside"] == 1
       and written["lowest_pair"] == 0, "later medians are those of runs that began later", three)
tap.ok(written["promise"] is False and three.out.startswith("promise: not kept\n"), "not kept", three)
tap.ok("33.3 %" in three.out and "width: not judged from 3 runs" in three.out, "said to people", three)
tap.equal(tool("--from", "a.json", "b.json", "c.json", "--fail").status, 1, "--fail")
tap.equal(unread_status([*COVERAGE, "--from", "a.json", "b.json", "c.json", "--fail"], folder), 1,
          "... also if nobody reads it")

made("other.json", [("x", 1.1, 0.9, 1.2)], "04")
lines = read_text(in_folder("other.json")).replace('"made library 1.0"', '"another"').replace('"status": 0', '"status": 139, "reason": "PE 1: crashed"')
write_text(in_folder("other.json"), lines)
told = tool("--from", "a.json", "other.json")
tap.ok("caution: the runs differ in library: " in told.err and "other.json: results may be missing: PE 1: crashed" in told.err,
       "runs of another library, and runs that crashed, are named", told)

# Five runs: medians differ by factors up to e^0.1; an interval of e^-0.15 to e^0.15 is 1.5 times
# as wide as needed, and one of e^-0.25 to e^0.25, 2.5 times.
for name, half in (("narrow", 0.15), ("wide", 0.25)):
    for number, place in enumerate((0.0, 0.025, 0.05, 0.075, 0.1)):
        middle = math.exp(place)
        made(f"{name}{number}.json",
             [("x", middle, middle * math.exp(-half), middle * math.exp(half))], f"0{number}")
for name, ratio, promise in (("narrow", 1.5, True), ("wide", 2.5, False)):
    five = tool("--from", *(f"{name}{n}.json" for n in range(5)), "--json", "-")
    got = json.loads(five.out)
    tap.ok(abs(got["width_ratio"] - ratio) < 1e-9 and got["contained"] == 1
           and got["promise"] is promise, f"width: {ratio} times the need", got)
four = tool("--from", *(f"narrow{n}.json" for n in range(4)))
tap.ok(four.out.startswith("promise: cannot tell") and four.status == 0, "too few runs for widths", four)

# What rounds of independent values give: 40 points, 6 runs.
generator = random.Random(1)
for number in range(6):
    points = []
    for label in range(40):
        points.append((label, *predicted([math.exp(generator.gauss(0, 0.05)) for _ in range(10)])))
    made(f"r{number}.json", points, f"0{number}")
independent = json.loads(tool("--from", *(f"r{n}.json" for n in range(6)), "--json", "-").out)
tap.ok(independent["contained"] >= 0.9 and independent["promise"] is True,
       "the intervals of independent rounds keep the promise", independent["contained"])

# Launches that differ by more than rounds show: 1.5 % beside 2 % from round to round, few rounds and launches.
for number in range(6):
    shifts = [generator.gauss(0, 0.015) for _ in range(60)]
    made(f"l{number}.json", [(label, *predicted([math.exp(shift + generator.gauss(0, 0.02)) for _ in range(6)]))
                             for label, shift in enumerate(shifts)], f"0{number}")
launches = tool("--from", *(f"l{n}.json" for n in range(6)), "--json", "out.json")
with open(in_folder("out.json"), encoding="utf-8") as file:
    launches_json = json.load(file)
tap.ok(0.0125 <= launches_json["launch_difference"] <= 0.0175 and
       "\nlaunches: their medians differ by 1." in launches.out and
       f"set_launch_difference({launches_json['launch_difference']:.2g}) in the script" in launches.out,
       "what differs from launch to launch is told from what differs from round to round", launches)
tap.ok(independent["launch_difference"] < 0.005 and written["launch_difference"] is None,
       "... it is little where rounds explain all, and needs 5 runs", independent["launch_difference"])
same = tool("--from", *(f"narrow{n}.json" for n in (0, 0, 0, 0, 0)))
tap.ok(same.status == 0 and "differ by no more than rounds explain" in same.out, "equal launches", same)

# ---- States of the machine ----


def in_states(name, started, rounds, values=None):
    """A run's file. rounds: (state, median) of each round of a barrier."""
    states = [state for state, _ in rounds]
    record = in_rounds(point("b", "barrier", {}, 1e-6, confidence=0.95), [median for _, median in rounds], states)
    lines = records([record], header={"started": f"2026-01-02T{started:02}:00:00+00:00"})
    lines[-1:-1] = states_of({s: states.count(s) / len(states) for s in sorted(set(states))}, values)
    return write_records(in_folder(name), lines)


# Five runs on two levels; in every second one most rounds are in state 2. The
# fourth has too few rounds in state 1 to be judged there.
generator = random.Random(2)
for number in range(5):
    counts = {1: 3 if number == 3 else 6, 2: 12} if number % 2 else {1: 14, 2: 5}
    in_states(f"s{number}.json", number, [
        (state, {1: 2e-7, 2: 5e-7}[state] * generator.uniform(0.95, 1.05))
        for state, count in counts.items() for _ in range(count)], {1: 6e-8 + number * 1e-9, 2: 1.6e-7})
paths = [f"s{n}.json" for n in range(5)]
made_of = tool("--from", *paths, "--json", "-")
got = json.loads(made_of.out)
first, second = got["states"]["points"]
tap.ok(first["state"] == 1 and first["text"] == "state 1 (hand-over 62 ns)" and first["runs"] == 4
       and first["pairs"] == 6 and second["state"] == 2 and second["runs"] == 5 and second["pairs"] == 10,
       "each state is judged in the runs that have 5 rounds in it", got)
tap.ok(got["states"]["contained"] == (first["inside"] + second["inside"]) / 16 >= 0.8
       and 0 < first["spread"] < 0.06 and second["spread"] < 0.06 and got["states"]["largest_spread"] == max(first["spread"], second["spread"])
       and second["width_ratio"] > 0 and first["width_ratio"] is None,
       "in a state the later medians lie in the interval, and runs hardly differ", got)
tap.ok(got["points"][0]["pairs"] == 10 and got["points"][0].keys() == written["points"][0].keys(),
       "... overall, all of them count", got)
text = tool("--from", *paths)
tap.ok(text.status == 0 and f"contained: {100 * got['contained']:.3g} %" in text.out and
       "\nin the same state: " in text.out and "spread of runs: " in text.out and any(
           line.split()[:8] == ["b", "barrier()", "state", "2", "(hand-over", "160", "ns)", "5"]
           for line in text.out.splitlines()), "people read a line for each state and point", text)
# Four states from two controls.
for number in range(2):
    in_states(f"four{number}.json", number, [(state, state * 1e-7 * generator.uniform(0.95, 1.05))
                                             for state in FOUR for _ in range(6)], FOUR)
got = json.loads(tool("--from", "four0.json", "four1.json", "--json", "-").out)["states"]["points"]
tap.equal([(p["state"], p["text"], p["runs"]) for p in got], [
    (1, "state 1 (hand-over 61 ns, addition 285 ps)", 2), (2, "state 2 (hand-over 61 ns, addition 480 ps)", 2),
    (3, "state 3 (hand-over 164 ns, addition 285 ps)", 2), (4, "state 4 (hand-over 164 ns, addition 480 ps)", 2)],
          "each of four states is judged")
# A level that moves inside a state is found there: state 2 of the last run is 30 % slower.
in_states("moved.json", 9, [(1, 2e-7), (2, 6.5e-7)] * 6)
moved = tool("--from", *paths, "moved.json", "--json", "-")
got = json.loads(moved.out)["states"]
tap.ok(got["points"][1]["inside"] < got["points"][1]["pairs"] and 0.25 < got["largest_spread"] < 0.35 and
       got["largest_spread"] == got["points"][1]["spread"] and got["points"][0]["spread"] < 0.06,
       "a state in which a run is slower is found", got)
tap.ok("states" not in independent and "state" not in three.out, "runs without states: nothing of them")
for number in range(2):
    in_states(f"one{number}.json", number, [(1, 2e-7 * (1 + n / 1000)) for n in range(10)])
one = tool("--from", "one0.json", "one1.json")
tap.ok("in the same state: " in one.out and "state 1" not in one.out, "one state: a line, no table", one)

# Medians that are all equal, points without an interval, and a median of 0.
made("z0.json", [("x", 1.0, 1.0, 1.0), ("n", 1.0, None, None), ("o", 0.0, None, None)], "00")
for number in range(1, 5):
    made(f"z{number}.json", [("x", 1.0, 1.0, 1.0), ("n", 1.0, None, None)], f"0{number}")
odd = tool("--from", *(f"z{n}.json" for n in range(5)), "--json", "-")
tap.ok(odd.status == 0 and json.loads(odd.out)["contained"] == 1, "equal medians, points without interval",
       odd)

write(in_folder("plain.json"), [point("b", "f", {}, 1.0)])
with open(in_folder("empty.json"), "w", encoding="utf-8"):
    pass
for arguments, text in (
        (("--from", "a.json"), "one run has no later run: give at least 2, and 5 to judge widths"),
        (("--from", "a.json", "plain.json"),
         "plain.json: no result over rounds: measure with --rounds 10"),
        (("--from", "empty.json"), "empty.json: the file is empty"),
        (("--from", "none.json"), "none.json: No such file or directory"),
        (("--rounds", "3"), "--rounds 3: give at least 5, such as 10 or 10,5m"),
        (("--runs", "1"), "argument --runs: 1: give a whole number from 2 to 999; --help shows all "
         "options"),
        (("--launch", "no-such-launcher"), "--launch no-such-launcher: there is no such launcher: give "
         "yours, such as 'srun -n {pes}'"),
        (("--launch", "'", "--program", "true"), "--launch: ': no closing quotation"),
        (("--program", "no-such-program"), "no-such-program: there is no such program: build it with make, "
         "or name it with --program"),
        (("--from", "a.json", "c.json", "--json", "/dev/full"),
         "/dev/full: No space left on device")):
    refused = tool(*arguments, env={"SKAMPI_LAUNCH": None})
    tap.ok(refused.status == 2 and refused.err == f"skampi-campaign: error: {text}\n",
           f"refused in one line: {text}", refused)
usage = tool("--help")
tap.ok(usage.status == 0 and usage.out.startswith("usage: skampi campaign coverage") and "examples:" in usage.out,
       "--help", usage)

# ---- Running: a stand-in that writes one of the files above, then the program itself ----

stand_in = in_folder("stand in")
write_text(stand_in, '#!/bin/sh\n'
                     'echo "$@" >>calls\n'
                     'for last; do :; done\n'
                     'n=$(wc -l <calls)\n'
                     '[ "$n" != 2 ] || { echo "skampi: error: made to fail" >&2; exit 1; }\n'
                     'cp "narrow$(((n - 1) % 5)).json" "$last"\n', 0o755)
options = ("--program", stand_in, "--launch", "env PES={pes}", "--runs", 6, "-o", "runs", "--set", "A=1")
failing = tool(*options, "--rounds", "12,3s")
calls = read_text(in_folder("calls")).splitlines()
tap.ok(failing.status == 3 and "run 2 failed (status 1): see runs/run-002.log" in failing.err
       and len(calls) == 6 and calls[0] == "-i quickstart.ski --rounds 12,3s --set A=1 -o "
       "runs/run-001.json", "runs one after the other; one fails", failing)
again = tool(*options)
calls = read_text(in_folder("calls")).splitlines()
tap.ok(again.status == 0 and len(calls) == 7 and calls[6].endswith("runs/run-002.json"),
       "again: what is missing is run, and nothing else", again)

known = tool(*options[:-4], "-o", "known", "--known", "--runs", 3)
calls = read_text(in_folder("calls")).splitlines()[7:]
tap.ok(known.status == 0 and "--known" not in calls[0] and calls[1].count("--known known/run-001.json") == 1
       and "--known known/run-001.json --known known/run-002.json -o" in calls[2],
       "--known: each run gets those before it", (known, calls))


def real_runs():
    return tool("--program", harness.program(), "--launch", os.path.join(ROOT, "mk/launch") + " {pes}",
                "--runs", 2, "--rounds", 5, "--script", "tiny.ski", "--json", "real.json",
                env=harness.launch_environment(), timeout=100)


refused = real_runs()
write_text(in_folder("tiny.ski"), 'begin measurement "clock"\nmeasure comm(2) : wtime(100)\nend measurement\n')
real = real_runs()
tap.ok(refused.status == 2 and "tiny.ski" in refused.err.splitlines()[-1],
       "a script that is not there is skampi's error", refused)
tap.ok(real.status == 0, "two short runs of skampi", real)
if real.status == 0:
    with open(in_folder("real.json"), encoding="utf-8") as file:
        written = json.load(file)
    tap.ok(written["runs"] == 2 and written["confidence"] == 0.95 and written["points"][0]["pairs"] == 1
           and written["promise"] is not True, "... are evaluated", written)
tap.done()
