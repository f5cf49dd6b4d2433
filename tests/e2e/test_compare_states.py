#!/usr/bin/env python3
# LONG
# PLAIN
# TIMEOUT: 120
"""skampi-compare compares state by state: more time in a slow state is no change, what changed in a state is
found, and with one state everything is as without states. How often it is wrong is counted on made data; more
of them with SKAMPI_STUDY_RUNS=400."""

import json
import math
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap, optional, read_records, run, scratch_directory, skip_all, unread_status
from made_results import HEADER, point, records, write_records
from made_states import FOUR, HAND_OVER, controls_of, in_parts, in_rounds, in_state, states_of


if not optional("numpy"):
    skip_all("numpy is not installed")

import numpy as np
from skampi_tools import cli, reading
from skampi_tools.compare import by_state, comparison as compare, output
from skampi_tools.results import ResultFile

COMPARE = os.path.join(ROOT, "scripts/skampi-compare")
RUNS = int(os.environ.get("SKAMPI_STUDY_RUNS", "40"))
LAUNCHES, ROUNDS = 8, 10
LEVEL = 2.5           # the barrier in state 2 over that in state 1
POINTS = 4            # of which the first is the barrier
tap = Tap()
folder = scratch_directory()


# ---- How often it is wrong, and how often it finds what is there ----


def launch(generator, share, slower, with_rounds):
    """A launch with this share of rounds (or of points) in state 2: what it adds to all points and to each,
    of 1 and 3 %, and noise of rounds of 2 %."""
    file = ResultFile("made", dict(HEADER), end={"status": 0})
    states = [int(x) for x in 1 + (generator.random(ROUNDS) < share)]
    drift = generator.normal(0, 0.01)
    for index in range(POINTS):
        time = 1e-6 * math.exp(drift + generator.normal(0, 0.03)) * (1 if index else slower)
        factor = {1: 1.0, 2: 1.0 + 0.3 * (index % 2) if index else LEVEL}
        if with_rounds:
            file.add(in_rounds(point("b", f"f{index}", {"count": 8}, time), [
                time * factor[state] * math.exp(generator.normal(0, 0.02)) for state in states], states))
        else:
            state = 2 if generator.random() < share else 1
            file.add(in_state(point("b", f"f{index}", {"count": 8}, time * factor[state]), state))
    there = sorted(set(states)) if with_rounds else [1, 2]
    for record in states_of({state: max(states.count(state), 1) / ROUNDS for state in there}):
        file.add(record)
    return file


NOISE = {1: 0.03, 2: 0.09, 3: 0.04, 4: 0.09}  # of rounds: processors that others slow down vary more
FEW_LEVELS = {1: 1.0, 2: 1.3, 3: 2.5, 4: 2.9}


def short_launch(generator, slower):
    """5 rounds in four states; in 5 % of them something else held it up."""
    file = ResultFile("made", dict(HEADER), end={"status": 0})
    states = [int(x) for x in generator.choice(list(NOISE), 5, p=generator.dirichlet([1] * len(NOISE)))]
    drift = generator.normal(0, 0.01)
    for index in range(POINTS):
        time = 1e-6 * math.exp(drift + generator.normal(0, 0.012)) * (1 if index else slower)
        file.add(in_rounds(point("b", f"f{index}", {"count": 8}, time), [
            time * FEW_LEVELS[state] * math.exp(generator.normal(0, NOISE[state]) + (generator.random() < 0.05) *
                                                abs(generator.normal(0, 0.3))) for state in states], states))
    for record in states_of({state: states.count(state) / 5 for state in sorted(set(states))}, FOUR):
        file.add(record)
    return file


def short_study(slower):
    """(comparisons with a false alarm, with the barrier slower)"""
    alarms = found = 0
    for number in range(RUNS):
        generator = np.random.default_rng([number, 4])
        old, new = ([short_launch(generator, factor) for _ in range(LAUNCHES)] for factor in (1, slower))
        called = {row.function: row.verdict for row in compare.compare_files(old, new).rows
                  if row.verdict in (compare.SLOWER, compare.FASTER)}
        alarms += any(slower == 1 or function != "f0" for function in called)
        found += called.get("f0") == compare.SLOWER
    return alarms, found


def study(mixtures, slower, with_rounds):
    """{whether states are looked at: (comparisons with a false alarm, with the barrier slower)}"""
    counts = {True: [0, 0], False: [0, 0]}
    for number in range(RUNS):
        generator = np.random.default_rng([number, LAUNCHES])
        old, new = ([launch(generator, mixture(generator), factor, with_rounds) for _ in range(LAUNCHES)]
                    for mixture, factor in zip(mixtures, (1, slower)))
        for states in (True, False):
            rows = compare.compare_files(old, new, states=states).rows
            called = [row.function for row in rows if row.verdict in (compare.SLOWER, compare.FASTER)]
            counts[states][0] += any(slower == 1 or function != "f0" for function in called)
            counts[states][1] += any(row.function == "f0" and row.verdict == compare.SLOWER for row in rows)
    return counts


def uniform(generator):
    return generator.random()


def mostly(state):
    return lambda generator: generator.beta(*((5, 2) if state == 2 else (2, 5)))


MOST = next(k for k in range(RUNS + 1) if sum(
    math.comb(RUNS, j) * 0.05**j * 0.95**(RUNS - j) for j in range(k, RUNS + 1)) < 1e-2)
for text, mixtures, with_rounds, wanted in (
        ("random mixtures", (uniform, uniform), True, 0.9),
        ("30 and 70 % in state 2", (mostly(1), mostly(2)), True, 0.9),
        ("random mixtures, no rounds", (uniform, uniform), False, 0.8)):
    for slower in (1, 1.1) if with_rounds else (1.1,):
        counts = study(mixtures, slower, with_rounds)
        (alarms, found), (plain_alarms, plain_found) = counts[True], counts[False]
        tap.note(f"{text}, barrier {slower:g} times: of {RUNS} comparisons with false alarms {alarms}, without "
                 f"states {plain_alarms}; barrier slower in {found}, without states {plain_found}")
        limit = 0.05 * RUNS if text == "random mixtures" and RUNS == 40 else MOST - 1
        tap.ok(alarms <= limit, f"{text}, barrier {slower:g} times: at most 5 % false alarms", counts)
        if slower > 1:
            tap.ok(found >= wanted * RUNS, f"{text}: 10 % in the barrier are found", counts)
            if text == "random mixtures":
                tap.ok(plain_found <= 0.3 * RUNS, "... which without states are not", counts)
        elif text.startswith("30"):
            tap.ok(plain_alarms >= 0.5 * RUNS, "... which there are without states", counts)

alarms, found = short_study(1)[0], short_study(1.1)[1]
tap.note(f"5 rounds in four states: of {RUNS} comparisons with false alarms {alarms}; barrier 10 % slower in {found}")
tap.ok(alarms <= MOST - 1, "5 rounds in four states: at most 5 % false alarms", alarms)
tap.ok(found >= 0.85 * RUNS, "5 rounds in four states: 10 % in the barrier are found", found)

# Launches of 0, 1 and 10 % more, in states that none of them sees all of.
FACTORS, LEVELS = [1, 1.01, 1.1], {1: 1.0, 2: 3.0, 5: 7.0}
seen = [by_state.StateSample(launch, state, FACTORS[launch] * LEVELS[state], count)
        for launch, state, count in ((0, 1, 3), (0, 2, 1), (1, 2, 2), (1, 5, 9), (2, 1, 1), (2, 5, 4))]
factors = by_state.launch_factors(seen, 4)
tap.ok(all(abs(mine / factors[0] - right) < 1e-3 for mine, right in zip(factors, FACTORS)) and math.isnan(factors[3]),
       "what launches add to the levels of states, where states connect them", factors)
outlier = [by_state.StateSample(launch, 1, 2e-7 * (1 + 0.005 * number) * (5 if (launch, number) == (1, 2) else 1), 1)
           for launch in range(3) for number in range(5)]
factors = by_state.launch_factors(outlier, 3)
tap.ok(max(factors) / min(factors) < 1.03, "... which one round of five does not decide", factors)
tap.ok(all(map(math.isnan, by_state.launch_factors([], 2))), "... and launches without values have none")


# ---- What comes out ----

random.seed(1)
BARRIER = {1: 195.6e-9, 2: 487.6e-9, 3: 1200e-9, 4: 2000e-9}


def made(name, points, shares, values=None):
    lines = records(points)
    lines[-1:-1] = states_of(shares, values) if shares else []
    os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
    write_records(os.path.join(folder, name), lines)


def side(name, counts, slower=None, values=None, launches=6):
    """Launches whose rounds were so often in each state. slower: {state: factor} for the barrier."""
    states = [state for state, count in counts.items() for _ in range(count)]
    shares = {state: count / len(states) for state, count in counts.items()}
    for number in range(launches):
        random.shuffle(states)
        noise = [random.gauss(1, 0.005) for _ in states]
        barrier = [BARRIER[s] * x * (slower or {}).get(s, 1) for s, x in zip(states, noise)]
        put = [1e-6 * x for x in noise]
        made(f"{name}/{number}.json", [
            in_rounds(point("barrier", "Shmem_Barrier", {}, 1e-6), barrier, states),
            in_rounds(point("put", "Shmem_Put", {"count": 8}, 1e-6), put, states)], shares, values)


def tool(*arguments):
    return run([COMPARE, *arguments], cwd=folder)


def judged(old, new, function="Shmem_Barrier", **more):
    """The row of this function, as the tool gets it."""
    sides = (reading.launches([os.path.join(folder, name)]) for name in (old, new))
    return next(row for row in compare.compare_files(*sides, **more).rows if row.function == function)


side("old", {1: 7, 2: 3})
side("new", {1: 3, 2: 7}, values={1: 66e-9, 2: 158e-9})
MIXTURE = "new spent 70 % of its time in state 2 (hand-over 161 ns), old 30 %"
barrier, put = judged("old", "new"), judged("old", "new", function="Shmem_Put")
tap.ok(barrier.verdict == "unchanged" and barrier.reason == MIXTURE
       and barrier.overall.verdict == "slower" and barrier.overall.ratio > 2
       and 0.95 < barrier.ratio < 1.05, "what only the mixture of states makes slower is unchanged", barrier)
first, second, together = barrier.states
tap.ok([first.state, second.state] == [1, 2] and first.text == "state 1 (hand-over 63.5 ns)"
       and abs(first.old - BARRIER[1]) < 4e-9 and abs(second.new - BARRIER[2]) < 9e-9
       and [round(first.share_old, 9), round(second.share_old, 9)] == [0.7, 0.3]
       and first.verdict == second.verdict == together.verdict == "unchanged"
       and first.count_old == second.count_new == 6, "... with a verdict for each state", barrier)
tap.ok(put.verdict == "unchanged" and put.reason == "", "... a point that no state changes has no reason",
       put)
shown = tool("old", "new")
for text in ("0 slower, 0 faster, 2 unchanged", f"\n  why: {MIXTURE}\n",
             "\nstate 2 (hand-over 161 ns): 30 % of the old side's time, 70 % of the new one's\n",
             "state 2 (hand-over 161 ns): 30 % of old, 70 % of new\n"):
    tap.ok(text in shown.out, f"people read: {text.strip()}", shown)
gate = tool("--fail-over", "5%", "old", "new")
tap.ok(gate.status == 0 and "slower by more than 5 %: 0" in gate.out, "--fail-over lets it pass", gate)
without = judged("old", "new", states=False)
tap.ok(without.verdict == "slower" and not without.states and without.ratio ==
       barrier.overall.ratio, "--no-states compares everything together", without)
written = json.loads(tool("old", "new", "--json", "-").out)
in_json = next(p for p in written["points"] if p["function"] == "Shmem_Barrier")
tap.ok([round(s["share_new"], 9) for s in written["states"]] == [0.3, 0.7]
       and in_json["overall"]["verdict"] == "slower" and in_json["verdict"] == "unchanged"
       and [(s["state"], s["verdict"], s["count_old"]) for s in in_json["states"]] ==
       [(1, "unchanged", 6), (2, "unchanged", 6), (0, "unchanged", 6)] and in_json["states"][2]["old"] is None
       and "states" not in json.loads(tool("--no-states", "old", "new", "--json", "-").out),
       "the same as JSON", written)
gate = tool("--no-states", "--fail-over", "5%", "old", "new")
tap.equal(gate.status, 1, "... and then --fail-over fails", gate)

side("four", {1: 4, 2: 3, 3: 2, 4: 1}, values=FOUR)
side("four slower", {1: 1, 2: 2, 3: 3, 4: 4}, {2: 1.1}, values={1: FOUR[1], 2: (63e-9, 470e-12), 3: FOUR[3], 4: FOUR[4]})
barrier = judged("four", "four slower")
tap.ok(barrier.verdict == "slower" and barrier.reason == "in state 2 (hand-over 62 ns, addition 475 ps)"
       and len(barrier.states) == 5, "slower in one of four states that two controls tell apart", barrier)

side("second", {1: 3, 2: 7}, {2: 1.1})
barrier = judged("old", "second")
tap.ok(barrier.verdict == "slower" and barrier.reason == "in state 2 (hand-over 164 ns)"
       and 1.08 < barrier.ratio < 1.12 and abs(barrier.old - BARRIER[2]) < 9e-9
       and barrier.states[0].verdict == "unchanged", "slower in one state: which, and by how much", barrier)
shown = tool("old", "second")
tap.ok("Shmem_Barrier(), in state 2 (hand-over 164 ns)\n" in shown.out.splitlines()[1] + "\n",
       "... is the worst, and says where", shown)
gate = tool("--fail-over", "5%", "old", "second")
tap.ok(gate.status == 1, "... and --fail-over fails", gate)
for more in ([], ["--json", "-"]):
    tap.equal(unread_status([COMPARE, "--fail-over", "5%", *more, "old", "second"], folder), 1,
              f"... also if nobody reads it {' '.join(more)}")
side("both", {1: 7, 2: 3}, {1: 0.8, 2: 1.1})
barrier = judged("old", "both")
tap.ok(barrier.verdict == "slower" and barrier.reason ==
       "in state 2 (hand-over 164 ns); faster in state 1 (hand-over 61 ns)", "slower in one, faster in another",
       barrier)

side("first", {1: 10})
side("two", {2: 10})
barrier = judged("old", "first")
tap.ok(barrier.verdict == "cannot tell" and barrier.reason ==
       "states differ: old spent 30 % of its time in state 2 (hand-over 164 ns), new none"
       and barrier.states[1].verdict == "only old" and math.isnan(barrier.states[1].p),
       "a state that one side has never been in: cannot tell", barrier)
barrier, put = judged("first", "two"), judged("first", "two", function="Shmem_Put")
tap.ok(barrier.verdict == "slower" and barrier.ratio > 2 and 0 < barrier.p < 0.01
       and barrier.reason.startswith("each launch of new is slower than each of old, although states differ: ")
       and all(s.verdict.startswith("only") for s in barrier.states), "every launch slower, in another state: slower",
       barrier)
tap.ok(put.verdict == "cannot tell" and "new spent 100 % of its time in state 2" in put.reason,
       "... and cannot tell where launches overlap", put)
gate = tool("--fail-over", "5%", "first", "two")
tap.ok(gate.status == 1, "... --fail-over sees it", gate)
gate = tool("--fail-over", "5%", "--function", "Shmem_Put", "first", "two")
tap.ok(gate.status == 2 and "the machine was in different states" in gate.err, "... but not what overlaps", gate)

# Another library, by whose hand-over no state of this machine can be known.
SLOW = {1: 12e-6, 2: 14e-6}
LAYOUT = {1: 7, 2: 3}


def library(name, hand_over, factor, shared=HAND_OVER, own=None, counts=None):
    """Launches of a library with these hand-overs and so much slower than others; shared: hand-overs in shared memory,
    by state; None: not known."""
    counts = counts or LAYOUT
    side(name, counts, {state: factor for state in counts}, values=hand_over)
    for number in range(6):
        path = os.path.join(folder, f"{name}/{number}.json")
        lines = read_records(path)
        lines[0].update(own or {"library": name})
        if shared:
            series = controls_of([state for state, count in counts.items() for _ in range(count)], values=hand_over)
            series["hand_over_shared"] = [shared[state] for state, count in counts.items() for _ in range(count)]
            lines.insert(-1, series)
        write_records(path, lines)


library("one", HAND_OVER, 1)
library("other", SLOW, 75)
barrier = judged("one", "other")
tap.ok(barrier.verdict == "slower" and 70 < barrier.ratio < 80 and [s.text for s in barrier.states[:2]] == [
    "state 1 (hand-over in shared memory 61 ns)", "state 2 (hand-over in shared memory 164 ns)"] and all(
        s.verdict == "slower" for s in barrier.states), "another library's hand-over is no state", barrier)
gate = tool("--fail-over", "5%", "one", "other")
tap.ok(gate.status == 1 and "\nresult: a hand-over through the library of 2 PEs took 61 ns | 12 µs in all launches, while "
       "hand-over in shared memory (61 ns | 61 ns) and addition (300 ps | 300 ps) agree" in gate.out,
       "... but a result, which is said", gate)
library("shifted", {1: HAND_OVER[2], 2: HAND_OVER[3]}, 1.2)
barrier = judged("one", "shifted")
tap.ok(barrier.verdict == "slower" and abs(barrier.ratio - 1.2) < 0.03 and all(
    abs(s.ratio - 1.2) < 0.03 for s in barrier.states), "... nor is it where it looks like a state of the other's", barrier)
library("mixed", SLOW, 1, counts={1: 3, 2: 7})
barrier = judged("one", "mixed", margin=0.05)
tap.ok(barrier.verdict == "unchanged" and "new spent 70 % of its time in state 2 (hand-over in shared memory 164 ns)"
       in barrier.reason, "... and states of the machine are still known", barrier)
library("uneven", {1: 61e-9, 2: 440e-9}, 1, shared={1: 61e-9, 2: 61e-9})
library("even", {1: 61e-9}, 1, shared={1: 61e-9}, counts={1: 10})
barrier = judged("even", "uneven")
tap.ok(not barrier.states, "a library that is slow at times, while the machine is not, has no states", barrier)
for name in ("one", "other"):
    library(f"{name} apart", HAND_OVER if name == "one" else SLOW, 1 if name == "one" else 75, shared=None)
barrier, shown = judged("one apart", "other apart"), tool("one apart", "other apart")
tap.ok(barrier.verdict == "slower" and 70 < barrier.ratio < 80 and not barrier.states and "result:" not in shown.out,
       "without shared memory another library is compared without its hand-over", shown)
library("apart", HAND_OVER, 1, shared=None, counts={1: 3, 2: 7}, own={"library": "one apart"})
barrier = judged("one apart", "apart")
tap.ok(abs(barrier.ratio - 1) < 0.03 and barrier.overall.ratio > 2 and barrier.states[1].text == "state 2 (hand-over 164 ns)",
       "... one and the same library's tells states", barrier)
side("rare", {1: 7, 2: 29, 3: 1})
side("common", {1: 7, 2: 29})
barrier = judged("common", "rare")
tap.ok(barrier.verdict == "unchanged" and len(barrier.states) == 4,
       "a state of less than 5 % of the time does not matter", barrier)

# With one state everywhere, and without states: the same to the letter.
side("first2", {1: 10}, {1: 1.1})
for name in ("first", "first2"):
    for number in range(6):
        lines = read_records(folder, f"{name}/{number}.json")
        plain = [{key: value for key, value in line.items() if key not in ("states", "round_states")}
                 for line in lines if line["record"] != "state"]
        os.makedirs(os.path.join(folder, "before", name), exist_ok=True)
        write_records(os.path.join(folder, "before", name, f"{number}.json"), plain)
for arguments in (("--all",), ("--json", "-")):
    outputs = [run([COMPARE, *arguments, "first", "first2"], cwd=where).out
               for where in (folder, os.path.join(folder, "before"))]
    tap.ok(outputs[0] == outputs[1] and "slower" in outputs[0], f"one state, {arguments[0]}: as without states",
           outputs)
mixed = tool("old", "before/first")
tap.ok("caution: 6 of 12 files have no states of the machine" in mixed.out and "why:" not in mixed.out,
       "files of before on one side: compared without states, which is said", mixed)

# Rounds of one launch a side; results without rounds.
side("long", {1: 14, 2: 6}, launches=1)
side("late", {1: 6, 2: 14}, {1: 1.8, 2: 1.8}, launches=1)
side("same", {1: 6, 2: 14}, launches=1)
barrier = judged("long/0.json", "late/0.json")
tap.ok(barrier.unit == "rounds" and barrier.verdict == "slower" and 1.7 < barrier.ratio < 1.9,
       "rounds are compared state by state, too", barrier)
barrier = judged("long/0.json", "same/0.json", same_within=0.2)
tap.ok(barrier.verdict == "unchanged" and "new spent 70 % of its time" in barrier.reason,
       "... and changed mixtures are no change", barrier)
for name, states in (("points", (1, 1, 1, 1, 2, 2, 2, 2)), ("slower", (2, 2, 2, 2, 1, 1, 1, 1))):
    for number, state in enumerate(states):
        time = BARRIER[state] * (1.2 if name == "slower" else 1) * (1 + number / 1000)
        made(f"{name}/{number}.json", [in_state(point("b", "Shmem_Barrier", {}, time), state)], {1: 0.5, 2: 0.5})
        parts = {s: BARRIER[s] * (1.2 if name == "slower" else 1) * (1 + number / 1000) for s in (1, 2)}
        made(f"{name} parts/{number}.json", [in_parts(point("b", "Shmem_Barrier", {}, time), parts)],
             {1: 0.5, 2: 0.5})
for names in (("points", "slower"), ("points parts", "slower parts")):
    barrier = judged(*names)
    tap.ok(barrier.verdict == "slower" and abs(barrier.ratio - 1.2) < 0.01 and
           [s.count_old for s in barrier.states[:2]] == ([4, 4] if "parts" not in names[0] else [8, 8]),
           f"{names[0]}: results that lie in states", barrier)
for name in ("points", "slower"):  # three of each in each state
    os.makedirs(os.path.join(folder, f"few {name}"))
    for number in (0, 1, 2, 4, 5, 6):
        os.link(os.path.join(folder, f"{name}/{number}.json"), os.path.join(folder, f"few {name}/{number}.json"))
barrier = judged("few points", "few slower")
tap.ok(barrier.verdict == "slower" and barrier.reason == "in all states together" and
       abs(barrier.ratio - 1.2) < 0.01 and [part.verdict for part in barrier.states] ==
       ["cannot tell", "cannot tell", "slower"],
       "too few launches in each state, but not in all together", barrier)
barrier = judged("points/0.json", "points/7.json")
tap.ok(barrier.verdict == "cannot tell" and barrier.reason.startswith("states differ: "),
       "single results in different states", barrier)

# The tool keeps of what it reads only what a comparison looks at.
for names in (("old", "second"), ("one", "other"), ("first", "two"), ("long/0.json", "late/0.json"), ("points parts", "slower parts")):
    whole = output.as_json(compare.compare_files(*(reading.launches([os.path.join(folder, name)]) for name in names)))
    tap.equal(json.loads(tool(*names, "--json", "-").out), json.loads(cli.json_text(whole).replace(f"{folder}/", "")),
              f"{' '.join(names)}: without what a comparison does not look at it says the same")
tap.done()
