#!/usr/bin/env python3
# PLAIN
"""States of the machine in result files: which one a result belongs to, which states of several files are the
same; JSON, CSV and .sko keep what they can hold of them; skampi-table shows values by state."""

import csv
import io
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap, read_records, read_text, run, scratch_directory, write_text
import made_results
import schema
from made_results import state
from skampi_tools import results
from skampi_tools.formats.sko.texts import span_text
from skampi_tools.states import Range, State, match_states

CONVERT = os.path.join(ROOT, "scripts/skampi-convert")
TABLE = os.path.join(ROOT, "scripts/skampi-table")
FOLDER = scratch_directory()
tap = Tap()


def path(name):
    return os.path.join(FOLDER, name)


def shown(value):
    """StateValues with None for NaN, which is not equal to itself."""
    return {number: tuple(None if x != x else x for x in entry) for number, entry in value.items()}


# ---- A file with two states ----

CONTROLS = {"hand_over_slowest": 2e-7, "hand_over_shared": 5e-8, "addition": 3e-10, "copy": 1.25e-10}


def barrier(number, hand_over, time, **more):
    return made_results.point("barrier", "Shmem_Barrier_All", {"iterations": number}, time,
                              hand_over=hand_over, **{**CONTROLS, **more})


PARTS = [{"hand_over": 6.1e-8, "addition": 3e-10, "valid": 30, "median": 1.956e-7, "p25": 1.901e-7, "p75": 2.004e-7},
         {"hand_over": 1.64e-7, "addition": 2.9e-10, "valid": 10, "median": 4.876e-7, "p25": 4.8e-7, "p75": None}]
POINTS = [
    barrier(1, 6.25e-8, 1.95e-7), barrier(2, 1e-7, 4.9e-7), barrier(3, None, 2e-7),
    barrier(4, 8e-8, 2.5e-7, parts=PARTS, flags=["state_changed"]),
    barrier(5, 8e-8, 2.5e-7, parts=[PARTS[0], {**PARTS[0], "hand_over": 6.4e-8, "valid": 31}]),
    made_results.point("alone", "wtime", {"iterations": 10}, 2e-8, hand_over=None, hand_over_slowest=None,
                       hand_over_shared=None, addition=3.1e-10, copy=None,
                       pe_set={"size": 1, "members": "0", "placement": "on one node"}),
]
BY_STATE = [{"state": 1, "rounds": 7, "median": 1.956e-7, "median_low": 1.9e-7, "median_high": 2e-7,
             "reached": 0.984, "next_low": 1.8e-7, "next_high": 2.1e-7, "between": 0.03},
            {"state": 2, "rounds": 3, "median": 4.876e-7, "median_low": None, "median_high": None,
             "reached": None, "next_low": None, "next_high": None, "between": 0.02}]
ROUNDS = {**{name: POINTS[0][name] for name in
             "block function call arguments variables pe_set bytes quantity unit".split()},
          "record": "rounds", "number": 1, "rounds": 10, "median": 2e-7, "median_low": 1.9e-7,
          "median_high": 4.8e-7, "reached": 0.95, "next_low": 1.8e-7, "next_high": 5e-7,
          "confidence": 0.95, "between": 0.9, "within": 0.1, "flags": [], "notes": [],
          "medians": [1.95e-7] * 7 + [4.9e-7] * 3, "states": BY_STATE, "round_states": [1] * 7 + [2, 2, 0]}


STATES = [state(1, 6.1e-8, None, 1e-7, 0.6), state(2, 1.64e-7, 1e-7, None, 0.4),
          state(1, 3.1e-10, pes=1, members="0")]
OVER_TIME = {"record": "controls", "members": "0-1", "pes": 2, "at": [0.5, 1.5], "hand_over": [6.1e-8, 1.64e-7],
             "hand_over_shared": [5e-8, None], "addition": [3e-10, 3.1e-10], "copy": [None, 1.25e-10]}


def write(name, points, further=(), **header):
    """A file whose end is preceded by further records."""
    lines = made_results.records(points, header=header)
    lines[-1:-1] = further
    return made_results.write_records(path(name), lines)


write("two.json", POINTS, [*STATES, OVER_TIME, ROUNDS], controls={"on": True})
file = results.read(path("two.json"))
tap.equal(file.states[0], State(1, "0-1", 2, {"hand_over": Range(6.1e-8, None, 1e-7), "addition": Range(3e-10, None, None)}, 0.6,
                                12.0, False, False),
          "a state of a file")
tap.equal([(s.members, s.number) for s in file.states], [("0-1", 1), ("0-1", 2), ("0", 1)], "all sets' states")
tap.equal([record["at"] for record in file.controls], [[0.5, 1.5]], "controls over time")
tap.equal([result.state for result in file.results], [1, 2, None, None, 1, 1],
          "the state of each result: inside bounds, on one, without control, with parts in two, in one, of one PE")
tap.equal((file.results[0].hand_over, math.isnan(file.results[2].hand_over), file.results[0].copy),
          (6.25e-8, True, 1.25e-10), "controls of a result are numbers")
tap.equal(shown(file.results[0].by_state()), {1: (20, 1.95e-7, 1.95e-7 * 0.98, 1.95e-7 * 1.02, None, None, None)},
          "a result of one state is that state's value")
tap.equal(shown(file.results[3].by_state()), {1: (30, 1.956e-7, *[None] * 5), 2: (10, 4.876e-7, *[None] * 5)},
          "parts are values by state")
tap.equal(file.results[4].by_state()[1].count, 20, "parts of one state are the complete result")
tap.equal(shown(results.Result({**POINTS[3], "parts": [*PARTS, {**PARTS[0], "valid": 5, "median": 1e-7}]}, False,
                               file.states).by_state())[1][:2], (35, 1.956e-7),
          "parts of one state beside another's are counted together, with the larger one's median")
tap.equal(file.results[2].by_state(), {}, "no control, no values by state")
tap.equal(shown(file.rounds[0].by_state()),
          {1: (7, 1.956e-7, 1.9e-7, 2e-7, 1.8e-7, 2.1e-7, 0.03), 2: (3, 4.876e-7, *[None] * 4, 0.02)},
          "rounds by state")
tap.equal((file.rounds[0].round_states, file.rounds[0].state), ([1] * 7 + [2, 2, 0], None), "rounds' states")
write("old.json", [made_results.point("put", "F", {"count": 8}, 1e-6)])
old = results.read(path("old.json"))
tap.equal((old.states, old.controls, old.results[0].state, old.results[0].by_state(), old.results[0].parts),
          ([], [], None, {}, []), "a file without states")
other = results.Result({**POINTS[0], "pe_set": {"size": 2, "members": "0,2", "placement": ""}}, False, file.states)
tap.equal(other.state, None, "states of another set of PEs do not count")
unnamed = results.Result({**POINTS[0], "pe_set": {"size": 2, "placement": ""}}, False, file.states)
tap.equal(unnamed.state, 1, "a set whose members are not stated is found by its size")

# ---- The same state in several files ----


def with_states(*states):
    made = results.ResultFile("made")
    for record in states:
        made.add(record)
    return made


def matched(*files):
    """Common numbers of each file's states, in their order; "0" is one set more."""
    files = [with_states(*states) for states in files]
    numbers, common = match_states([file.states for file in files])
    return [[numbers[index, s.members, s.number] for s in file.states] for index, file in enumerate(files)], common


two = [state(1, 6.1e-8, None, 1e-7, 0.75), state(2, 1.64e-7, 1e-7, None, 0.25)]
numbers, common = matched(two, [state(1, 1.8e-7)])
tap.equal(numbers, [[1, 2], [2]], "within 20 %")
tap.equal([(c.number, c.told, c.pes, c.values, round(c.share, 3)) for c in common],
          [(1, ("hand_over",), 2, {"hand_over": 6.1e-8, "addition": 3e-10}, 0.375),
           (2, ("hand_over",), 2, {"hand_over": 1.72e-7, "addition": 3e-10}, 0.625)],
          "common states have median values and the share of all time")
tap.equal(matched(two, [state(1, 9e-8)])[0], [[1, 2], [1]], "inside the other's bounds")
tap.equal(matched([state(1, 9e-8)], two)[0], [[1], [1, 2]], "... in any order")
tap.equal(matched(two, [state(1, 7e-8, None, 8e-8), state(2, 9e-8, 8e-8)])[0], [[1, 3], [1, 2]],
          "inside the bounds, but with another state between")
tap.equal(matched([state(1, 6.1e-8)], [state(1, 1.64e-7)])[0], [[1], [2]],
          "that a run has one state only does not make it everybody's")
tap.equal(matched(two, [state(1, 1e-8)])[0] + matched(two, [state(1, 4.5e-8)])[0], [[2, 3], [1], [1, 2], [1]],
          "a side without a bound reaches as far as the other one")
tap.equal(matched([state(1, 1e-7, None, 1.09e-7), state(2, 1.18e-7, 1.09e-7)],
                  [state(1, 1.17e-7, None, 1.18e-7), state(2, 1.19e-7, 1.18e-7)])[0][0], [1, 2],
          "two states of a file are never one")
tap.equal(matched(*([state(1, value)] for value in (1e-7, 1.18e-7, 1.39e-7, 1.64e-7)))[0][3] !=
          matched(*([state(1, value)] for value in (1e-7, 1.18e-7, 1.39e-7, 1.64e-7)))[0][0], True,
          "a chain of files does not make far states one")
tap.equal(matched(two, [state(1, 6.1e-8, pes=4, members="0-3")])[0], [[1, 3], [2]] , "sets of other sizes differ")
tap.equal(matched([*two, state(1, 6e-8, members="2-3")])[0], [[1, 2, 1]], "two sets of a file")
tap.equal(matched(two, [])[0], [[1, 2], []], "a file without states")
tap.equal(match_states([]), ({}, []), "no files")
tap.equal([round(c.share, 3) for c in matched([state(1, 6e-8, seconds=30.0)], [state(1, 2e-7, seconds=10.0)])[1]],
          [0.75, 0.25], "a longer run counts more")


def both(number, hand_over, addition, **more):
    """A state by both controls, each (value, low, high)."""
    return state(number, *hand_over, addition=addition, **more)


FAST, SLOW = (6.1e-8, None, 1e-7), (1.64e-7, 1e-7, None)          # hand-over
QUICK, LAZY = (2.85e-10, None, 3.7e-10), (4.8e-10, 3.7e-10, None)  # addition
FOUR = [both(1, FAST, QUICK, share=0.4), both(2, FAST, LAZY, share=0.3), both(3, SLOW, QUICK, share=0.2),
        both(4, SLOW, LAZY, share=0.1)]
four = with_states(*FOUR)
at = [(7e-8, 3e-10), (7e-8, 3.7e-10), (1e-7, 3e-10), (2e-7, 5e-10), (7e-8, None), (None, 3e-10)]
tap.equal([results.Result(barrier(1, own, 1e-7, addition=other), False, four.states).state for own, other in at],
          [1, 2, 3, 4, None, None], "four states from two controls; a result that lacks one is in none")
lacking = {name: value for name, value in POINTS[0].items() if name != "addition"}
tap.equal((results.Result(lacking, False, four.states).state, results.Result(lacking, False, four.states).by_state()),
          (None, {}), "... nor one without the member")
numbers, common = matched([state(1, 6.1e-8, addition=(2.85e-10,))], [state(1, 6.2e-8, addition=(4.8e-10,))])
tap.equal((numbers, [c.told for c in common]), ([[1], [2]], [("addition",)] * 2),
          "files that differ in the addition only have different states, which it tells apart")
tap.equal(matched([state(1, 6.1e-8, addition=(2.85e-10,))], [state(1, 6.2e-8, addition=(3.3e-10,))])[0], [[1], [1]],
          "... unless they are near each other in both controls")
numbers, common = matched(FOUR, [both(1, (1.7e-7,), (5e-10,))], [both(1, (1.7e-7,), (2.8e-10,))], [both(1, FAST[:1], LAZY)])
tap.equal((numbers, [c.told for c in common]), ([[1, 2, 3, 4], [4], [3], [2]], [("hand_over", "addition")] * 4),
          "files with one state and with four")
tap.equal([c.values for c in common][3], {"hand_over": 1.67e-7, "addition": 4.9e-10}, "... have the medians of both")
tap.equal(matched([both(1, FAST, (3e-10,)), both(2, SLOW, (3e-10,))], FOUR)[0], [[1, 3], [1, 2, 3, 4]],
          "states of one control among those of two")
numbers, _ = matched([both(1, (1e-7,), (3e-10,)), both(2, (1.1e-7,), (3e-10,))], [both(1, (1.11e-7,), (3e-10,))],
                     [both(1, (0.99e-7,), (3e-10,))])
tap.equal(numbers, [[1, 2], [2], [1]], "of two that would do, the closer one")

# ---- JSON, CSV and .sko into each other ----


def converted(source, target, *arguments):
    """What the target cannot hold; the file that it becomes."""
    done = run([CONVERT, source, "-o", target, *arguments], cwd=FOLDER)
    tap.ok(done.status == 0 and not done.out, f"{source} -> {target}", done)
    return done.err, results.read(path(target))


def text(name):
    return read_text(path(name))


def records(file, *kinds):
    return [record for record in file.records if record["record"] in kinds]


def full(record):
    """Without members that state nothing, and those of states that CSV has no column for."""
    return {name: value for name, value in record.items() if value not in (None, [], {}, "", False)
            and (record["record"] != "state" or name not in ("seconds", "known"))}


KINDS = ("result", "rounds", "state")
lost, same = converted("two.json", "same.json")
tap.equal((lost, text("same.json")), ("", text("two.json")), "JSON keeps everything")
lost, table = converted("two.json", "two.csv")
tap.ok("controls over time (1)" in lost and "the seconds of states" in lost, "CSV cannot hold all of states", lost)
rows = list(csv.DictReader(io.StringIO(text("two.csv"))))
tap.equal([rows[0][name] for name in ("hand_over", "hand_over_slowest", "hand_over_shared", "addition", "copy")],
          ["6.25e-08", "2e-07", "5e-08", "3e-10", "1.25e-10"], "columns of controls")
tap.equal(rows[3]["parts"], "6.1e-08:3e-10:30:1.956e-07:1.901e-07:2.004e-07;1.64e-07:2.9e-10:10:4.876e-07:4.8e-07:nan",
          "parts in a cell")
tap.equal([[row[name] for name in ("number", "pes", "members", "hand_over", "addition", "hand_over_low",
                                    "hand_over_high", "addition_low", "addition_high", "share")]
           for row in rows if row["record"] == "state"],
          [["1", "2", "0-1", "6.1e-08", "3e-10", "", "1e-07", "", "", "0.6"],
           ["2", "2", "0-1", "1.64e-07", "3e-10", "1e-07", "", "", "", "0.4"],
           ["1", "1", "0", "", "3.1e-10", "", "", "", "", "1.0"]], "rows of states")
tap.equal((rows[-1]["states"], rows[-1]["round_states"]),
          ("1:7:1.956e-07:1.9e-07:2e-07:0.984:1.8e-07:2.1e-07:0.03;2:3:4.876e-07:nan:nan:nan:nan:nan:0.02",
           "1;1;1;1;1;1;1;2;2;0"), "rounds by state in cells")
_, back = converted("two.csv", "back.json")
tap.equal(list(map(full, records(back, *KINDS))), list(map(full, records(file, *KINDS))),
          "JSON -> CSV -> JSON keeps controls, parts, states and rounds by state")
tap.equal([(r["block"], r["number"]) for r in records(back, "block")], [("barrier", 1), ("alone", 2)],
          "... and blocks, which states are not part of")
tap.equal([record["record"] for record in back.records][-5:], ["state", "state", "state", "rounds", "end"],
          "... and states stand outside of blocks")
converted("back.json", "again.csv")
tap.equal(text("again.csv"), text("two.csv"), "... and gives the same CSV again")

only_pair = [p for p in POINTS if p["pe_set"]["size"] == 2]
write("pair.json", only_pair, [*STATES[:2], ROUNDS], controls={"on": True})
lost, _ = converted("pair.json", "pair.sko")
for what in ("how many seconds states lasted", "most controls of results", "spreads in each state"):
    tap.ok(what in lost, f".sko cannot hold {what}", lost)
comments = [line for line in text("pair.sko").splitlines()
            if line.startswith(("# state", "# hand-over", "# part"))]
tap.equal(comments, [
    "# hand-over: 62.50 ns, addition: 300.0 ps", "# hand-over: 100.0 ns, addition: 300.0 ps",
    "# hand-over: 80.00 ns, addition: 300.0 ps",
    "# part: hand-over 61.00 ns, addition 300.0 ps: 30 repetitions, median 0.1956 us, quartiles 0.1901 us to 0.2004 us",
    "# part: hand-over 164.0 ns, addition 290.0 ps: 10 repetitions, median 0.4876 us, quartiles 0.4800 us to --- us",
    "# hand-over: 80.00 ns, addition: 300.0 ps",
    "# part: hand-over 61.00 ns, addition 300.0 ps: 30 repetitions, median 0.1956 us, quartiles 0.1901 us to 0.2004 us",
    "# part: hand-over 64.00 ns, addition 300.0 ps: 31 repetitions, median 0.1956 us, quartiles 0.1901 us to 0.2004 us",
    "# state 1: hand-over 61.00 ns (below 100.0 ns), addition 300.0 ps, 60 % of the time",
    "# state 2: hand-over 164.0 ns (above 100.0 ns), addition 300.0 ps, 40 % of the time",
    "# state 1: 7 rounds, median 0.1956 us, 98.4 % interval [0.1900, 0.2000], 95 % prediction interval "
    "[0.1800, 0.2100]",
    "# state 2: 3 rounds, median 0.4876 us, --- interval [---, ---], 95 % prediction interval [---, ---]"],
          "states in comments of .sko")
tap.equal([line for line in text("pair.sko").splitlines() if line.startswith(("# state 2: hand", "# begin"))],
          ['# begin result "barrier"',
           "# state 2: hand-over 164.0 ns (above 100.0 ns), addition 300.0 ps, 40 % of the time",
           '# begin result "barrier (rounds)"'], "... before the rounds")
_, back = converted("pair.sko", "from-sko.json")
pair = results.read(path("pair.json"))
tap.equal([state._replace(members="0-1", seconds=12.0 if state.number == 1 else 8.0) for state in back.states],
          pair.states, ".sko -> JSON keeps states but for their members and seconds")
tap.equal([r.state for r in back.results], [r.state for r in pair.results], "... the states of results")
tap.equal([r.record.get("parts") for r in back.results], [r.record.get("parts") for r in pair.results],
          "... parts")
tap.equal(back.rounds[0].record["states"], [{**entry, "between": None} for entry in BY_STATE],
          "... rounds by state")
tap.equal({r.record["record"] for r in back.results + back.rounds} | {len(records(back, "comment"))},
          {"result", "rounds", 0}, "... and leaves no comment over")
converted("pair.sko", "twice.sko")
converted("twice.sko", "thrice.sko")
tap.equal(text("thrice.sko"), text("twice.sko"), ".sko -> .sko changes nothing the second time")
converted("pair.json", "ns.sko", "--unit", "ns")
tap.ok("# part: hand-over 164.0 ns, addition 290.0 ps: 10 repetitions, median 487.6 ns, quartiles 480.0 ns to --- ns"
       in text("ns.sko"), "values are in the unit of results", text("ns.sko"))

converted("two.json", "two.sko")
_, back = converted("two.sko", "sets.json")
tap.equal([(s.members, s.pes, [*s.controls], s.number) for s in back.states],
          [("0-1", 2, ["hand_over", "addition"], 1), ("0-1", 2, ["hand_over", "addition"], 2),
           ("0", 1, ["addition"], 1)],
          ".sko names the sets where there are several")
tap.equal([r.state for r in back.results], [1, 2, None, None, 1, None],
          "... which results are found by, if their set was in several states")
tap.ok("# state 1 of PEs 0: addition 310.0 ps, 100 % of the time" in text("two.sko") and
       "# addition" not in text("two.sko"), "... only their results have a control", text("two.sko"))
write("one.json", only_pair[:1], [state(1, 6.1e-8)], controls={"on": True})
lost, _ = converted("one.json", "one.sko")
tap.ok("state" not in text("one.sko") and "hand-over" not in text("one.sko")
       and "states, where there is one" in lost, "one state is not in .sko", text("one.sko") + lost)
known = [state(1, 6.1e-8, None, 1e-7, known=True), state(2, 1.64e-7, 1e-7, 3e-7, 0, known=True),
         state(3, 4e-7, 3e-7, None, 0.5, new=True)]
write("known.json", only_pair[:1], known, controls={"on": True, "known": ["a.json"], "launch_difference": 0.0172})
converted("known.json", "known.sko")
tap.equal([line for line in text("known.sko").splitlines() if line.startswith("# state")],
          ["# state 1: hand-over 61.00 ns (below 100.0 ns), addition 300.0 ps, 100 % of the time",
           "# state 2: hand-over 164.0 ns (100.0 ns to 300.0 ns), addition 300.0 ps, only in earlier runs",
           "# state 3: hand-over 400.0 ns (above 300.0 ns), addition 300.0 ps, 50 % of the time, new"], "states of earlier runs")
_, back = converted("known.sko", "known-back.json")
tap.equal([(s.known, s.new, s.share, *s.controls["hand_over"][1:]) for s in back.states],
          [(True, False, 1.0, None, 1e-7), (True, False, 0, 1e-7, 3e-7), (False, True, 0.5, 3e-7, None)],
          "... are known again")
tap.equal(back.header["controls"], {"on": True, "known": ["a.json"], "launch_difference": 0.0172},
          "... and where they are from, and how their launches differ")
write_text(path("asked.sko"), text("known.sko").replace(
                     "# earlier run: a.json",
                     "# state: only fastest, waiting up to 10 s for each point\n# earlier run: a.json"))
late = {"record": "missing", "kind": "state", "call": "F(a=1)", "reason": "no: slow"}
write("late.json", only_pair[:1], [late], controls={"on": True, "state": "fastest"})
converted("late.json", "late.sko")
_, asked = converted("late.sko", "late-back.json")
tap.equal((records(asked, "missing"), asked.header["controls"]["state"]), ([late], "fastest"),
          "what waited in vain for a state")
tap.equal(results.read(path("asked.sko")).header["controls"]["state"], "fastest", "... as skampi writes it")
many = [state(1, 1e-7, None, 2e-7, 0.5, pes=300, members=None),
        state(2, 3e-7, 2e-7, None, 0.5, pes=300, members=None),
        state(1, 5e-7, pes=400, members=None)]
write("many.json", [barrier(1, 3.5e-7, 1e-6, pe_set={"size": 300, "placement": ""})], many)
converted("many.json", "many.sko")
for name in ("many.json", "many.sko"):
    back = results.read(path(name))
    tap.equal(([s.pes for s in back.states], back.results[0].state), ([300, 300, 400], 2),
              f"{name}: sets whose members are too many are told apart by their sizes")
tap.ok("# state 1 of 400 PEs: hand-over" in text("many.sko"), "... in .sko", text("many.sko"))
converted("known.json", "known.csv")
tap.equal([(s.known, s.new) for s in converted("known.csv", "known-csv.json")[1].states],
          [(False, False), (True, False), (False, False)], "CSV tells that a state is known by its share of 0")
alone = {**POINTS[-1], "parts": [{"addition": 3e-10, "valid": 3, "median": 2e-8, "p25": 1e-8, "p75": 3e-8},
                                 {"addition": 5e-10, "valid": 4, "median": 4e-8, "p25": 3e-8, "p75": 5e-8}]}
write("alone.json", [alone], [state(1, 3e-10, None, 4e-10, 0.4, pes=1, members="0"),
                              state(2, 5e-10, 4e-10, None, 0.6, pes=1, members="0")])
for name in ("alone.csv", "alone.sko"):
    converted("alone.json", name)
    back = results.read(path(name))
    tap.equal(([s.pes for s in back.states], {n: v.median for n, v in back.results[0].by_state().items()}),
              ([1, 1], {1: 2e-8, 2: 4e-8}), "parts of one PE are by addition")
write("seen.json", only_pair[:1], known[:1], controls={"on": True, "known": ["a.json"]})
converted("seen.json", "seen.sko")
tap.equal([s.known for s in converted("seen.sko", "seen-back.json")[1].states], [True],
          "... if there is only one, too")
slow = span_text(1.234567e-6), span_text(0.0), span_text(None), span_text(9.9999e-7), span_text(4.8e-10)
tap.equal(slow, ("1.235 us", "0.0 ns", "--- ns", "1000.0 ns", "480.0 ps"), "controls in their own units")
damaged = text("pair.sko").replace("state 1: 7 rounds", "state x: 7 rounds").replace("# part: h", "# part: H")
write_text(path("damaged.sko"), damaged)
_, back = converted("damaged.sko", "damaged.json")
tap.equal((len(records(back, "comment")), [entry["state"] for entry in back.rounds[0].states]), (5, [2]),
          "lines that are damaged remain comments")
for record, wrong in (({**STATES[0], "hand_over": 1e-7}, "its hand_over"), ({**STATES[0], "state": -1}, "its state"),
                      ({**STATES[0], "addition": {"value": 1e-9, "low": "x"}}, "its addition"), ({**OVER_TIME, "copy": 1}, "its copy"),
                      ({**POINTS[3], "parts": [{"valid": 1}]}, "its parts"),
                      ({**ROUNDS, "states": [{"state": None}]}, "its states"),
                      ({"record": "state", "state": 1}, "a state record without addition")):
    write("wrong.json", POINTS[:1], [record])
    refused = run([CONVERT, "wrong.json"], cwd=FOLDER)
    tap.ok(refused.status == 2 and refused.err.startswith(f"skampi-convert: error: wrong.json:5: {wrong}")
           and refused.err.count("\n") == 1, f"refused with its line: {wrong}", refused)
write_text(path("wrong.csv"), "record,block,number,hand_over,hand_over_low,addition\nstate,,1,6e-8,x,3e-10\n")
refused = run([CONVERT, "wrong.csv"], cwd=FOLDER)
tap.ok(refused.status == 2 and refused.err.startswith("skampi-convert: error: wrong.csv:2: column hand_over_low"),
       "... in CSV, too", refused)

for name in ("two.json", "old.json", "back.json", "from-sko.json", "known.json", "known-back.json"):
    schema.check(tap, name, read_records(path(name)))
for member in ("share", "addition") if schema.jsonschema else ():
    record = {name: value for name, value in STATES[0].items() if name != member}
    tap.ok(schema.errors([record]), f"the schema wants a state's {member}")

# ---- Four states from two controls ----


IN_FOUR = [barrier(number, *at, addition=addition) for number, (at, addition) in enumerate(
    [((7e-8, 1e-7), 3e-10), ((7e-8, 2e-7), 5e-10), ((2e-7, 3e-7), 3e-10), ((2e-7, 4e-7), 5e-10)], 1)]
IN_FOUR.append(barrier(5, 7e-8, 2e-7, parts=[
    {"hand_over": 7e-8, "addition": addition, "valid": 12, "median": time, "p25": time, "p75": time}
    for addition, time in ((3e-10, 1e-7), (5e-10, 2e-7))]))
write("four.json", IN_FOUR, FOUR)
converted("four.json", "four.csv")
_, back = converted("four.csv", "four-back.json")
tap.equal(list(map(full, records(back, *KINDS))), list(map(full, records(
    results.read(path("four.json")), *KINDS))), "JSON -> CSV -> JSON keeps both controls, of states and parts")
converted("four-back.json", "four.sko")
tap.equal([line for line in text("four.sko").splitlines() if line.startswith(("# state", "# part"))], [
    "# part: hand-over 70.00 ns, addition 300.0 ps: 12 repetitions, median 0.1000 us, quartiles 0.1000 us to 0.1000 us",
    "# part: hand-over 70.00 ns, addition 500.0 ps: 12 repetitions, median 0.2000 us, quartiles 0.2000 us to 0.2000 us",
    "# state 1: hand-over 61.00 ns (below 100.0 ns), addition 285.0 ps (below 370.0 ps), 40 % of the time",
    "# state 2: hand-over 61.00 ns (below 100.0 ns), addition 480.0 ps (above 370.0 ps), 30 % of the time",
    "# state 3: hand-over 164.0 ns (above 100.0 ns), addition 285.0 ps (below 370.0 ps), 20 % of the time",
    "# state 4: hand-over 164.0 ns (above 100.0 ns), addition 480.0 ps (above 370.0 ps), 10 % of the time"],
          "... -> .sko names both")
_, back = converted("four.sko", "four-from-sko.json")
tap.equal([own.controls for own in back.states], [own.controls for own in four.states], "... which are read again")
tap.equal([(r.state, {n: v.median for n, v in r.by_state().items()}) for r in back.results],
          [(1, {1: 1e-7}), (2, {2: 2e-7}), (3, {3: 3e-7}), (4, {4: 4e-7}), (None, {1: 1e-7, 2: 2e-7})],
          "... and the states of results")
band = both(1, FAST, (2.85e-10, 2e-10, 3.7e-10))
write("band.json", IN_FOUR[:1], [band, FOUR[3]])
converted("band.json", "band.sko")
tap.ok("# state 1: hand-over 61.00 ns (below 100.0 ns), addition 285.0 ps (200.0 ps to 370.0 ps), " in text("band.sko")
       and results.read(path("band.sko")).states[0].controls["addition"] == (2.85e-10, 2e-10, 3.7e-10),
       "a range between two bounds", text("band.sko"))

# ---- skampi-table ----


def table(*arguments, **further):
    done = run([TABLE, *arguments], cwd=FOLDER, **further)
    tap.ok(done.status == 0 and not done.err, f"skampi-table {' '.join(arguments)}", done)
    lines = [line.rstrip().removesuffix(" *") for line in done.out.splitlines()]
    return lines[:-2] if lines[-1].startswith("* doubtful: ") else lines


STATES_LINE = "  states: 1 (hand-over 61 ns, 60 % of the time), 2 (164 ns, 40 % of the time)"
RESULTS = [
    "barrier", STATES_LINE,
    "  bytes  median [us]  95 % from [us]  to [us]  repetitions  in state 1 [us]  in state 2 [us]",
    "      0       0.4900          0.4802   0.4998           20         ---                0.4900",
    "      0       0.2000          0.1960   0.2040           20         ---              ---",
    "      0       0.2500          0.2450   0.2550           20           0.1956           0.4876",
    "      0       0.2500          0.2450   0.2550           20           0.2500         ---", ""]
OVER_ROUNDS = [
    "barrier (rounds)", STATES_LINE,
    "  bytes  median of rounds [us]  95 % from [us]  to [us]  rounds  in state 1 [us]  in state 2 [us]",
    "      0                   0.20            0.19     0.48      10           0.1956           0.4876"]
tap.equal(table("pair.json"), RESULTS + OVER_ROUNDS, "values in each state, in columns; the states above")
converted("pair.json", "medians.sko", "--medians")
converted("pair.json", "pair.csv")
for name in ("medians.sko", "pair.csv"):
    tap.equal(table(name), RESULTS + OVER_ROUNDS, f"... of {name}")
tap.equal(table(stdin=text("medians.sko"))[-4:], OVER_ROUNDS, "... of rounds from standard input")
shown_first = table(stdin=text("medians.sko"))[:2]
tap.equal([line.split()[0] for line in shown_first], ["barrier", "bytes"],
          "... where states stand behind the results")
write("no-rounds.json", only_pair, STATES[:2], controls={"on": True})
converted("no-rounds.json", "no-rounds.sko")
tap.equal(table(stdin=text("no-rounds.sko"))[-2:], ["", STATES_LINE.strip()], "... and are said at the end")
tap.ok("    part: hand-over 164.0 ns, addition 290.0 ps: 10 repetitions, median 0.4876 us, quartiles 0.4800 us to --- us"
       in table("-v", "medians.sko"), "-v also shows parts")
other_unit = text("medians.sko").replace("median 0.4876 us, quartiles 0.4800 us",
                                         "median 487.6 ns, quartiles 480.0 ns")
write_text(path("other.sko"), other_unit)
tap.equal(table("other.sko"), RESULTS + OVER_ROUNDS, "parts in another unit are shown in that of the table")
tap.near(results.read(path("other.sko")).results[3].parts[1]["median"], 4.876e-7, 1e-15, "... and read in it")
tap.equal(table("two.json")[0:2] + table("two.json")[8:12],
          ["barrier", STATES_LINE, "alone", "  bytes  median [us]  95 % from [us]  to [us]  repetitions",
           "      0      0.02000         0.01960  0.02040           20", ""],
          "a set of PEs with one state is shown as ever")
several = [*STATES[:2], state(3, 2.5e-7, 2e-7, None, 0, known=True),
           state(1, 3e-10, None, 4e-10, 0.25, pes=1, members="0"),
           state(2, 5e-10, 4e-10, None, 0.75, pes=1, members="0", new=True),
           state(1, 1e-6, pes=3, members="0-2")]
of_three = barrier(6, 1e-6, 1e-6, pe_set={"size": 3, "members": "0-2", "placement": ""})
write("several.json", [POINTS[-1], of_three], several)
tap.equal(table("several.json")[1:],
          ["  bytes  median [us]  95 % from [us]  to [us]  repetitions",
           "      0      0.02000         0.01960  0.02040           20", "", "barrier",
           "  bytes  median [us]  95 % from [us]  to [us]  repetitions",
           "      0        1.000           0.980    1.020           20", "",
           "states of PEs 0-1: 1 (hand-over 61 ns, 60 % of the time), 2 (164 ns, 40 % of the time), "
           "3 (250 ns, only in earlier runs)",
           "states of PEs 0: 1 (addition 300 ps, 25 % of the time), 2 (500 ps, 75 % of the time, new)"],
          "states of several sets, at the end where no value differs between them")
tap.equal(table("known.json")[1:2] + table("known.json")[-1:], [
    "  bytes  median [us]  95 % from [us]  to [us]  repetitions",
    "states: 1 (hand-over 61 ns, 100 % of the time), 2 (164 ns, only in earlier runs), "
    "3 (400 ns, 50 % of the time, new)"],
          "a state of earlier runs only is named beside two of this one")
write("new.json", only_pair[:1], [known[1], {**known[2], "share": 1.0}])
tap.equal((table("new.json")[:3], table("new.json")[-1]),
          (["barrier", *[line[:-len("  in state 1 [us]  in state 2 [us]")] for line in RESULTS[2:3]],
            "      0       0.1950          0.1911   0.1989           20"],
           "states: 2 (hand-over 164 ns, only in earlier runs), 3 (400 ns, 100 % of the time, new)"),
          "a run that was in one state has no columns, but a new state is said")
tap.ok("hand-over" not in "".join(table("seen.json")), "... a known one is not")
converted("four.json", "four-medians.sko", "--medians")
tap.equal(table("four-medians.sko"), [
    "barrier", "  state 1: hand-over 61 ns, addition 285 ps, 40 % of the time",
    "  state 2: hand-over 61 ns, addition 480 ps, 30 % of the time",
    "  state 3: hand-over 164 ns, addition 285 ps, 20 % of the time",
    "  state 4: hand-over 164 ns, addition 480 ps, 10 % of the time",
    "  bytes  median [us]  95 % from [us]  to [us]  repetitions  in state 1 [us]  in state 2 [us]  in state 3 [us]  "
    "in state 4 [us]",
    "      0       0.1000          0.0980   0.1020           20           0.1000         ---              ---"
    "              ---",
    "      0       0.2000          0.1960   0.2040           20         ---                0.2000         ---"
    "              ---",
    "      0       0.3000          0.2940   0.3060           20         ---              ---                0.3000"
    "         ---",
    "      0       0.4000          0.3920   0.4080           20         ---              ---              ---"
    "                0.4000",
    "      0       0.2000          0.1960   0.2040           20           0.1000           0.2000         ---"
    "              ---"],
          "four states from two controls have a line each")
write("plain.json", [{name: value for name, value in only_pair[0].items() if "hand_over" not in name}])
tap.equal(table("one.json"), table("plain.json"), "one state: the table is that of a file without states")

tap.done()
