#!/usr/bin/env python3
# LONG
# TIMEOUT: 400
"""States of the machine, on a network that has two of them in turns, by a simulated clock: they are found,
with their shares of the time, every round and every part of a result is in the right one, and the medians
are those that are programmed; --state, --known and sets of PEs keep their promises; and a network that
stays as it is has one state."""

import os
import statistics

import truth
from truth import harness
from harness import Tap, read_records, write_text

FAST, SLOW = 3e-6, 8e-6  # seconds: a hand-over, a barrier
BEGIN = 1000  # seconds: of the simulated clock
NOISE = "0.01:0.001"  # of each call, and the share of outliers: ten times as long
MORE_NOISE = "0.05:0.01"
CLOSE = 0.02
BOTH = """begin measurement "barrier"
  measure comm(2) : Shmem_Barrier_Consecutive(20)
end measurement
begin measurement "ping-pong"
  measure comm(2) : Shmem_Pingpong_P_P(20)
end measurement
"""
# Lasts longer than a second.
LONG_ONE = """set_min_repetitions(20)
set_max_repetitions(3000)
set_max_relative_standard_error(1e-9)
begin measurement "long"
  measure comm(2) : Shmem_Pingpong_P_P(20)
end measurement
"""
CONSTANT_RUNS = 4  # that many more are as good is for unit/test_states.c

tap = Tap()


class Measurement:
    """A run's status, messages and records, by their kind."""

    def __init__(self, run, path):
        self.run, self.path, self.status = run, path, run.status
        self.records = []
        if os.path.exists(path):
            self.records = read_records(path)

    def of(self, kind):
        return [record for record in self.records if record["record"] == kind]

    @property
    def states(self):
        return self.of("state")

    def values(self):
        return [hand_over(state) for state in self.states]


def hand_over(state):
    return state["hand_over"]["value"]


def measure(script, *options, pes=2, dwell=(1, 1), constant=False, sko=False, timeout=120, **others):
    """Runs the script on the network of two states, or on one that stays in the fast one."""
    schedule = [] if constant else [(dwell[0], 1), (dwell[1], SLOW / FAST)]
    others = {"clock": "simulated", "noise": NOISE, "seed": 1, "start": BEGIN} | others
    network = truth.Network(1000, 1e9 * FAST - 1000, 500, fence=500, barrier=1e9 * FAST, wait=100,
                            schedule=schedule, **others)
    directory = harness.scratch_directory()
    path = os.path.join(directory, "states.ski")
    write_text(path, "set_unit(1e9)\n" + script)
    results = os.path.join(directory, "results.json")
    command = [harness.program(), "-i", path, "-o", results, *options]
    if others["clock"]:
        command += ["--timer", "clock_gettime"]
    if sko:
        command += ["-o", "-"]
    return Measurement(truth.launch(pes, command, network.environment(), timeout), results)


def near(value, truth_, tolerance=CLOSE):
    return value is not None and abs(value / truth_ - 1) <= tolerance


def median(values):
    return statistics.median(values) if values else float("nan")


def programmed_share(measured, dwell):
    """Of the fast state, of the time between the first control and the last one. The run began some
    time after the schedule: as late as explains most controls."""
    record = measured.of("controls")[0]
    controls = [(at, value < (FAST * SLOW) ** 0.5) for at, value in
                zip(record["at"], record["hand_over"]) if value is not None]
    cycle = sum(dwell)

    def right(begin):
        return sum(((at + begin) % cycle < dwell[0]) == fast for at, fast in controls)

    begin = max((cycle * i / 200 for i in range(200)), key=right)
    steps = 20000
    first, last = controls[0][0], controls[-1][0]
    moments = (first + (last - first) * (i + 0.5) / steps for i in range(steps))
    return (sum((moment + begin) % cycle < dwell[0] for moment in moments) / steps,
            right(begin) / len(controls))


# ---- Two states ----


def check_rounds(dwell, rounds, tolerance):
    """All that rounds say, on states that last so long."""
    name = f"states of {dwell[0]:g} s and {dwell[1]:g} s"
    measured = measure(BOTH, "--rounds", rounds, dwell=dwell)
    values = measured.values()
    tap.ok(measured.status == 0 and len(values) == 2 and near(values[0], FAST) and
           near(values[1], SLOW), f"{name}: two are found, at the programmed costs",
           f"{values}\n{measured.run}")
    if len(values) != 2:
        return
    share, explained = programmed_share(measured, dwell)
    tap.ok(explained > 0.97, f"{name}: controls follow the schedule", explained)
    found = [state["share"] for state in measured.states]
    tap.ok(abs(found[0] - share) <= tolerance and abs(sum(found) - 1) < 1e-6,
           f"{name}: their shares of the time", f"{found}, programmed {share:.3f}")
    for record in measured.of("rounds"):
        by_state = {state["state"]: state for state in record["states"]}
        tap.ok(set(by_state) == {1, 2} and near(by_state[1]["median"], FAST, 0.03) and
               near(by_state[2]["median"], SLOW, 0.03),
               f"{name}, {record['block']}: medians by state are those programmed", record["states"])
        check_round_states(name, record)
        fewest = min(state["rounds"] for state in by_state.values())
        low, high = record["next_low"], record["next_high"]
        tap.ok(fewest >= 5 and low <= FAST * 1.01 and high >= SLOW * 0.99,
               f"{name}, {record['block']}: 5 rounds in each, and both are predicted",
               f"{fewest} rounds, {low} to {high}")


def check_round_states(name, record):
    """The state of each round follows from its median; one that lies across a switch has none, or a
    median in between."""
    wrong = []
    for value, number in zip(record["medians"], record["round_states"]):
        fast, slow = near(value, FAST, 0.1), near(value, SLOW, 0.1)
        if (fast and number == 2) or (slow and number == 1):
            wrong.append((value, number))
    tap.ok(not wrong and len(record["round_states"]) == len(record["medians"]),
           f"{name}, {record['block']}: the state of every round", wrong)


def check_parts():
    """A measurement that lasts longer than a state."""
    measured = measure(LONG_ONE, dwell=(0.1, 0.1), sko=True)
    result = (measured.of("result") or [{}])[0]
    parts = result.get("parts") or []
    tap.ok(measured.status == 0 and len(parts) == 2 and near(parts[0]["median"], FAST) and
           near(parts[1]["median"], SLOW) and near(parts[0]["hand_over"], FAST) and
           near(parts[1]["hand_over"], SLOW), "a result has parts, each at its state's cost",
           f"{parts}\n{measured.run}")
    tap.ok(result.get("repeated", 0) >= 1, "what lies across a switch is made again",
           result.get("repeated"))
    # Ten stretches are made again, at most; of later ones the state is not known.
    counted = sum(part["valid"] for part in parts)
    tap.ok(0.85 * result.get("valid", 1) <= counted <= result.get("valid", 0),
           "all repetitions but those across a switch are in a part", f"{counted}, {result.get('valid')}")
    tap.ok(all(part["p75"] / part["p25"] < 1.05 for part in parts),
           "no part has repetitions of the other", parts)
    text = [line for line in measured.run.out.splitlines() if line.startswith("# part: ")]
    tap.equal(len(text), 2, "the parts are in .sko", measured.run.out)


def check_added():
    """Points get enough rounds in each state, and only those that were asked for make their medians."""
    measured = measure(BOTH, "--rounds", "4,6s", "--time-limit", "30s", dwell=(1.4, 0.6))
    tap.ok(measured.status in (0, 4) and len(measured.states) == 2, "a run with few rounds finds both states", measured.run)
    for rounds in measured.of("rounds"):
        name, medians = rounds["call"], rounds["medians"]
        asked = [value for value in medians[:4] if value is not None]
        tap.ok(len(medians) > 4 and len(rounds["round_states"]) == len(medians), f"{name}: rounds are added", rounds)
        tap.ok(rounds["rounds"] == len(asked) and near(rounds["median"], statistics.median(asked), 1e-9),
               f"{name}: only rounds that were asked for make its median", rounds)
        made = [result["round"] for result in measured.of("result") if result["call"] == name]
        tap.equal(made, sorted(set(made)), f"{name}: each round has a number of its own")
        few = [state for state in rounds["states"] if state["rounds"] < 5]
        tap.ok(not few or measured.status == 4, f"{name}: 5 rounds in each state", rounds["states"])
        tap.equal(len([note for note in rounds["notes"] if "state" in note]), len(few),
                  f"{name}: a note for each state that has fewer", rounds["notes"])


# ---- One state ----


def check_constant():
    several = []
    for seed in range(1, CONSTANT_RUNS + 1):
        measured = measure(BOTH, "--rounds", "5,3s", constant=True, seed=seed,
                           noise=MORE_NOISE)
        if len(measured.states) != 1 or measured.status != 0:
            several.append((seed, measured.values(), measured.status))
    tap.ok(not several, f"{CONSTANT_RUNS} runs on a network that stays as it is "
           "have one state each", several)


# ---- A state that is asked for ----


def check_wanted():
    cases = [("fastest", (1, 1), FAST), ("most", (0.5, 1.5), SLOW), ("hand-over>4us", (1, 1), SLOW)]
    for state, dwell, cost in cases:
        measured = measure(BOTH, "--rounds", "4,6s", "--state", state, dwell=dwell)
        medians = [value for record in measured.of("rounds") for value in record["medians"]]
        tap.ok(measured.status == 0 and len(medians) == 8 and
               all(near(value, cost) for value in medians),
               f"--state {state} with states of {dwell}: all rounds are in it",
               f"{medians}\n{measured.run}")
        tap.equal(measured.records[0].get("controls", {}).get("state"), state, "the header names it")
    measured = measure(LONG_ONE, "--state", "fastest", dwell=(0.2, 0.2))
    result = (measured.of("result") or [{}])[0]
    tap.ok(measured.status == 0 and near(result.get("p25"), FAST) and near(result.get("p75"), FAST) and
           not result.get("parts"), "--state fastest: a measurement that lasts longer than the state",
           f"{result}\n{measured.run}")


def check_later():
    """The machine leaves the slow state for the first time in the middle of the run."""
    measured = measure(BOTH, "--rounds", "6,12s", "--state", "fastest", dwell=(7, 7), start=BEGIN - 7, sko=True)
    tap.ok(measured.status == 3 and "# warning: --state fastest: state " in measured.run.out,
           "a faster state that comes later is reported", measured.run)


def check_never():
    measured = measure(BOTH, "--state", "hand-over<1us", "--state-wait", "2s", constant=True)
    missing = measured.of("missing")
    tap.ok(measured.status == 3 and len(missing) == 2 and
           all(record.get("kind") == "state" for record in missing) and not measured.of("result"),
           "a state that never comes: points are missing, and the status is 3",
           f"{missing}\n{measured.run}")
    lasted = measured.of("controls")[0]["at"][-1] if measured.of("controls") else 0
    tap.ok(3.9 <= lasted <= 5, "each point waits as long as --state-wait says", lasted)


# ---- Earlier runs ----


def check_known():
    earlier = measure(BOTH, "--rounds", "12,10s", dwell=(1, 1))
    again = measure(BOTH, "--rounds", "12,10s", "--known", earlier.path, dwell=(0.7, 1.2), seed=2)
    tap.equal([(state["state"], state["known"], state["new"]) for state in again.states],
              [(1, True, False), (2, True, False)], "--known: the same numbers", again.run)

    fast = measure(BOTH, "--rounds", "6,4s", "--known", earlier.path, constant=True, sko=True, seed=3)
    tap.equal([(state["state"], round(state["share"], 6), state["known"]) for state in fast.states],
              [(1, 1, True), (2, 0, True)], "a state that only the earlier run has seen", fast.run)
    tap.ok("only in earlier runs" in fast.run.out, "it is listed in .sko", fast.run.out)
    for record in fast.of("rounds"):
        tap.ok(near(record["median"], FAST, 0.03) and record["next_high"] >= SLOW * 0.98,
               f"{record['block']}: the prediction covers it",
               f"{record['next_low']} to {record['next_high']}")
        tap.ok(set(record["round_states"]) == {1}, f"{record['block']}: all rounds are in state 1",
               record["round_states"])

    new = measure(BOTH, "--rounds", "12,10s", "--known", fast_only().path, sko=True, seed=4)
    tap.equal([(state["state"], state["known"], state["new"]) for state in new.states],
              [(1, True, False), (2, False, True)], "a new state", new.run)
    tap.ok(", new" in new.run.out, "it is called new in .sko", new.run.out)

    for number, cost in ((1, FAST), (2, SLOW)):
        wanted = measure(BOTH, "--rounds", "3,3s", "--known", earlier.path, "--state", str(number))
        medians = [value for record in wanted.of("rounds") for value in record["medians"]]
        tap.ok(wanted.status == 0 and len(medians) == 6 and
               all(near(value, cost) for value in medians),
               f"--state {number} of --known: all rounds are in it", f"{medians}\n{wanted.run}")


def fast_only():
    return measure(BOTH, "--rounds", "6,4s", constant=True, seed=5)


# ---- Without, and sets of PEs ----


def check_none():
    measured = measure("set_controls(0)\n" + BOTH, "--rounds", "5,4s", sko=True)
    controlled = [record for record in measured.of("result") + measured.of("rounds")
                  if record.get("hand_over") is not None or record.get("states")]
    tap.ok(measured.status == 0 and len(measured.of("rounds")) == 2 and not measured.states and
           not measured.of("controls") and not controlled and "# state" not in measured.run.out,
           "set_controls(0): no controls and no states", f"{controlled}\n{measured.run}")

    one = measure('begin measurement "one"\n  measure comm(1) : Shmem_Fence(20)\nend measurement\n',
                  "--rounds", "5,4s", pes=1)
    result = (one.of("result") or [{}])[0]
    tap.ok(one.status == 0 and result.get("addition", 0) and result.get("hand_over", 0) is None and
           ["hand_over" in state for state in one.states] == [False],
           "one PE: the addition alone tells the state", f"{result}\n{one.states}\n{one.run}")

    crowd = measure(BOTH, "--rounds", "3,1s", pes=4, processors=2)
    tap.ok(crowd.status == 0 and len(crowd.of("rounds")) == 2 and not crowd.states,
           "more PEs than processors: no controls", crowd.run)
    # One of two nodes has more PEs than processors: no PE waits for a control that others do not take.
    crowd = measure(BOTH, "--rounds", "3,1s", pes=4, processors=2, first=3)
    tap.ok(crowd.status == 0 and len(crowd.of("rounds")) == 2 and not crowd.states,
           "more PEs than processors on one of two nodes: no controls", crowd.run)


SETS = """begin measurement "all"
  measure comm(4) : Shmem_Barrier_Consecutive(20)
end measurement
begin measurement "pair"
  measure comm(2) : Shmem_Pingpong_P_P(20)
end measurement
begin measurement "one"
  measure comm(1) : Shmem_Fence(20)
end measurement
"""


def check_sets():
    # Sets other than the world are looked at while they are measured only: with fewer than three rounds
    # in a row in one state, their states are not told apart.
    measured = measure(SETS, "--rounds", "20,2s", pes=4, processors=4, dwell=(0.5, 0.5))
    found = {}
    for state in measured.states:
        found.setdefault(state["members"], []).append(state)
    tap.equal({members: len(states) for members, states in found.items()},
              {"0-3": 2, "0-1": 2, "0": 1}, "each set of PEs has its states", measured.run)
    for members in ("0-3", "0-1"):
        states = found.get(members, [])
        tap.ok(len(states) == 2 and near(hand_over(states[0]), FAST, 0.04) and
               near(hand_over(states[1]), SLOW, 0.04), f"PEs {members}: at the programmed costs", states)
    for record in measured.of("rounds"):
        if record["block"] != "one":
            check_round_states("sets", record)


def main():
    if harness.build_config().get("SKAMPI_SHMEM") == "0":
        harness.skip_all("built without OpenSHMEM")
    if harness.sanitized():
        harness.skip_all("other libraries are preloaded")
    check_rounds((1, 1), "12,12s", 0.04)
    check_parts()
    check_added()
    check_constant()
    check_later()
    check_never()
    check_none()
    check_rounds((0.1, 0.1), "20,12s", 0.04)
    check_rounds((5, 15), "20,60s", 0.03)
    check_wanted()
    check_known()
    check_sets()
    tap.done()


if __name__ == "__main__":
    main()
