#!/usr/bin/env python3
# PLAIN
"""States of the machine in result files: which one a result belongs to, which states of several files are the
same; JSON, CSV and .sko keep what they can hold of them; skampi-table shows values by state."""

import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap, scratch_directory
import made_results

sys.path.insert(0, os.path.join(ROOT, "scripts"))
from skampi_tools import results
from skampi_tools.states import State, StateValue, match_states

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


PARTS = [{"hand_over": 6.1e-8, "valid": 30, "median": 1.956e-7, "p25": 1.901e-7, "p75": 2.004e-7},
         {"hand_over": 1.64e-7, "valid": 10, "median": 4.876e-7, "p25": 4.8e-7, "p75": None}]
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


def state(number, value, low=None, high=None, share=1.0, **more):
    return {"record": "state", "state": number, "members": "0-1", "pes": 2, "control": "hand_over",
            "value": value, "low": low, "high": high, "share": share, "seconds": 20 * share,
            "known": False, "new": False, **more}


STATES = [state(1, 6.1e-8, None, 1e-7, 0.6), state(2, 1.64e-7, 1e-7, None, 0.4),
          state(1, 3.1e-10, pes=1, members="0", control="addition")]
OVER_TIME = {"record": "controls", "members": "0-1", "pes": 2, "at": [0.5, 1.5], "hand_over": [6.1e-8, 1.64e-7],
             "hand_over_shared": [5e-8, None], "addition": [3e-10, 3.1e-10], "copy": [None, 1.25e-10]}


def write(name, points, further=(), **header):
    """A file whose end is preceded by further records."""
    lines = made_results.records(points, header=header)
    lines[-1:-1] = further
    return made_results.write_records(path(name), lines)


write("two.json", POINTS, [*STATES, OVER_TIME, ROUNDS], controls={"on": True})
file = results.read(path("two.json"))
tap.equal(file.states[0], State(1, "0-1", 2, "hand_over", 6.1e-8, None, 1e-7, 0.6, 12.0, False, False),
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
    numbers, common = match_states(files)
    return [[numbers[index, s.members, s.number] for s in file.states] for index, file in enumerate(files)], common


two = [state(1, 6.1e-8, None, 1e-7, 0.75), state(2, 1.64e-7, 1e-7, None, 0.25)]
numbers, common = matched(two, [state(1, 1.8e-7)])
tap.equal(numbers, [[1, 2], [2]], "within 20 %")
tap.equal([(c.number, c.control, c.pes, c.value, round(c.share, 3)) for c in common],
          [(1, "hand_over", 2, 6.1e-8, 0.375), (2, "hand_over", 2, 1.72e-7, 0.625)],
          "common states have median values and the share of all time")
tap.equal(matched(two, [state(1, 9e-8)])[0], [[1, 2], [1]], "inside the other's bounds")
tap.equal(matched([state(1, 9e-8)], two)[0], [[1], [1, 2]], "... in any order")
tap.equal(matched(two, [state(1, 7e-8, None, 8e-8), state(2, 9e-8, 8e-8)])[0], [[1, 3], [1, 2]],
          "inside the bounds, but with another state between")
tap.equal(matched([state(1, 6.1e-8)], [state(1, 1.64e-7)])[0], [[1], [2]],
          "that a run has one state only does not make it everybody's")
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
tap.equal(StateValue(3, 1.0).count, 3, "values may be made by hand")

tap.done()
