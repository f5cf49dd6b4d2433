#!/usr/bin/env python3
# PLAIN
"""The summary of a campaign says by state of the machine what its launches say: one value for each launch and
state, with numbers of states that mean the same in all launches and configurations."""

import itertools
import json
import math
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import schema
from harness import ROOT, Tap, read_records, run, scratch_directory, write_text
from made_results import point, records, write_records
from made_states import FOUR, in_rounds, in_state, states_of
from skampi_tools import results
from skampi_tools.statistics import rounds_of

CAMPAIGN = os.path.join(ROOT, "scripts/skampi-campaign")
tap = Tap()
folder = scratch_directory()
LEVEL = {1: 2e-7, 2: 5e-7}


def launch(name, configuration, number, points, shares, values, seconds=60.0):
    where = os.path.join(folder, name, "launches", configuration, f"{number:04d}")
    os.makedirs(where)
    lines = records(points)
    lines[-1:-1] = states_of(shares, values, seconds=seconds) if shares else []
    write_records(os.path.join(where, "results.json"), lines)


def campaign(name, launches):
    """launches: {configuration: [(points, shares, values of the states[, seconds]), ...]}"""
    os.makedirs(os.path.join(folder, name))
    write_text(os.path.join(folder, name, "campaign.json"), json.dumps({"campaign": 1, "launches": max(map(len, launches.values())),
                                                                        "configurations": [{"name": configuration} for configuration in launches]}))
    for configuration, own in launches.items():
        for number, what in enumerate(own, 1):
            launch(name, configuration, number, *what)
    return run([CAMPAIGN, "--summarize", name], cwd=folder)


def summary(*names):
    return results.read(os.path.join(folder, *names))


def barrier(states, factor):
    return in_rounds(point("b", "Shmem_Barrier", {}, 1e-6), [LEVEL[abs(s)] * factor for s in states],
                     [max(s, 0) for s in states])


# Configuration A: six launches in two states, B: the same machine in state 2 only, which is its state 1.
SLOW = {1: 164e-9}
made = campaign("two", {
    "A": [([barrier([1] * 6 + [2] * 4, 1 + n / 100)], {1: 0.6, 2: 0.4},
           {1: 60e-9 + n * 1e-9, 2: 160e-9 + n * 1e-9}) for n in range(6)],
    "B": [([in_rounds(point("b", "Shmem_Barrier", {}, 1e-6), [5e-7 * (1 + n / 100)] * 10, [1] * 10)],
           {1: 1.0}, SLOW, 120.0) for n in range(6)]})
tap.ok(made.status == 0 and made.err == "", "a campaign whose launches were in several states is summarized", made)
whole = summary("two", "summary.json")
a, b = whole.rounds
tap.equal([(s.number, s.members, s.pes, [*s.controls], round(s.share, 9), s.seconds) for s in whole.states],
          [(1, "0-1", 2, ["hand_over", "addition"], 0.2, 6 * 36.0),
           (2, "0-1", 2, ["hand_over", "addition"], 0.8, 6 * 24.0 + 6 * 120.0)],
          "states have one number in all configurations, and their share of all launches")
low, high = (state.controls["hand_over"] for state in whole.states)
bounds = sorted(math.sqrt((60e-9 + n * 1e-9) * (160e-9 + n * 1e-9)) for n in range(6))
tap.near(low.high, (bounds[2] + bounds[3]) / 2, 1e-15, "the bound is the median of those of the launches")
tap.ok(low.low is None and low.high == high.low and high.high is None and low.value == 62.5e-9
       and 160e-9 < high.value <= 164e-9, "... values and bounds", whole.states)
tap.equal([state.controls["addition"][1:] for state in whole.states], [(None, None)] * 2,
          "... none in the control that tells nothing")
wanted = {state: rounds_of([level * (1 + n / 100) for n in range(6)]) for state, level in LEVEL.items()}
for state, value in a.by_state().items():
    own = wanted[state]
    for name, number in (("count", 6), ("median", own.median), ("median_low", own.low), ("median_high", own.high),
                         ("next_low", own.next_low), ("next_high", own.next_high), ("between", own.between)):
        tap.near(getattr(value, name), number, 1e-9 * number, f"state {state}: {name} of the launches' values")
tap.equal((list(a.by_state()), list(b.by_state()), a.round_states, b.round_states),
          ([1, 2], [2], [0] * 6, [2] * 6), "... of the states that a configuration was in")
own = summary("two", "summaries", "B.json")
tap.equal(([s.number for s in own.states], list(own.rounds[0].by_state()), own.states[0].share), ([2], [2], 1.0),
          "a configuration's summary has its states, with the same numbers")
table = summary("two", "summary.csv")
tap.equal([r.by_state()[2].median for r in table.rounds], [r.by_state()[2].median for r in whole.rounds],
          "summary.csv has the values by state")
lines = made.out.splitlines()
tap.ok("    state 1 (hand-over 62.5 ns, 60 % of the time)" in made.out and any(
    "state 2 (hand-over " in line and ", 40 % of the time)" in line and " 512 " in line and line.endswith(" 6")
    for line in lines) and made.out.count("state 2") == 1 and " ns " not in made.out.replace(" ns, ", ""), "the table has a line a state, where there are several",
    made)

# Launches that were in one state each: a value in that state, and the state in round_states.
made = campaign("one", {"A": [([in_state(point("b", "Shmem_Barrier", {}, LEVEL[s]), s)], {1: 0.5, 2: 0.5}, None)
                              for s in (1, 2, 2, 1, 2)]})
only, = summary("one", "summary.json").rounds
tap.ok({n: (v.count, v.median) for n, v in only.by_state().items()} == {1: (2, 2e-7), 2: (3, 5e-7)} and
       only.round_states == [1, 2, 2, 1, 2], "launches in one state each", only.record)

# One state: the table has no lines of it. Launches of before: nothing of states.
made = campaign("same", {"A": [([barrier([1] * 6, 1 + n / 100)], {1: 1.0}, None) for n in range(5)]})
tap.ok(made.status == 0 and "state" not in made.out and len(summary("same", "summary.json").states) == 1,
       "one state is in the summary, not in the table", made)
made = campaign("old", {"A": [([point("b", "Shmem_Barrier", {}, 1e-6)], None, None) for n in range(5)]})
old = summary("old", "summary.json")
tap.ok(made.status == 0 and old.states == [] and "states" not in old.rounds[0].record and "state" not in made.out,
       "launches without states", made)

# ---- Two controls: ranges that do not overlap ----


def boxes(name, *launches):
    """(hand-over from, to, addition from, to) in ns and ps of each state of a campaign. launches: the values of
    the states of each."""
    made = campaign(name, {"A": [([in_state(point("b", "Shmem_Barrier", {}, 1e-6), 1, values)],
                                  {number: 1 / len(values) for number in values}, values) for values in launches]})
    tap.equal(made.status, 0, f"{name}: is summarized")
    return [tuple(None if end is None else round(end * unit, 3) for control, unit in (("hand_over", 1e9), ("addition", 1e12))
                  for end in state.controls[control][1:]) for state in summary(name, "summary.json").states]


def overlap(a, b):
    """Whether two of these boxes have a point in common."""
    def meet(low, high, other_low, other_high):
        return (low or 0) < (other_high or math.inf) and (other_low or 0) < (high or math.inf)
    return meet(*a[:2], *b[:2]) and meet(*a[2:], *b[2:])


hand_over, addition = (round(math.sqrt(FOUR[1][at] * FOUR[4][at]) * unit, 3) for at, unit in ((0, 1e9), (1, 1e12)))
wanted = [(None, hand_over, None, addition), (None, hand_over, addition, None),
          (hand_over, None, None, addition), (hand_over, None, addition, None)]
tap.equal(boxes("four", *[FOUR] * 5), wanted, "four states from two controls")
ones = [{1: value} for value in FOUR.values()]
tap.equal(boxes("one each", *ones), wanted, "... of launches that were in one each")
tap.equal(boxes("mixed", FOUR, *ones), wanted, "... some in all of them")
corner = {1: FOUR[1], 2: FOUR[2], 3: FOUR[3]}
tap.equal(boxes("three", corner, {1: FOUR[1], 2: FOUR[2]}), [
    (None, hand_over, None, addition), (None, hand_over, addition, None), (hand_over, None, None, None)],
          "a state that one control tells from all others has no bound in the other one")
for seed in range(5):
    chance = random.Random(seed)
    some = boxes(f"random {seed}", *[
        {n: (61e-9 * 1.7 ** chance.randrange(4), 285e-12 * 1.5 ** chance.randrange(4)) for n in (1, 2, 3)}
        for _ in range(4)])
    tap.ok(len(some) > 2 and not any(overlap(a, b) for a, b in itertools.combinations(some, 2)),
           f"ranges do not overlap (seed {seed})", some)

schema.check(tap, "summaries", [record for name in ("two", "one", "old") for record in read_records(folder, name, "summary.json")])
tap.done()
