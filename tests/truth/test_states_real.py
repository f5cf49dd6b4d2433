#!/usr/bin/env python3
# LONG
# SERIAL
# TIMEOUT: 300
"""States of the machine by real clocks: on a network that has two in turns, both are found, at their costs,
and the medians of rounds in each; on one that stays as it is there is one. The speed of this machine's
processors, which states follow too, may tell each of them apart once more."""

import test_states
from test_states import BOTH, FAST, SLOW, near
from truth import harness
import truth
from harness import Tap
from quiet import Attempts

tap = Tap()


def costs_of(measured):
    """The programmed cost that each state's hand-over is near; None: it is near none."""
    return {state["state"]: next((cost for cost in (FAST, SLOW) if near(test_states.hand_over(state), cost, 0.05)),
                                 None) for state in measured.states}


def wrong_with_two():
    """What is wrong with a run on two states of a second each."""
    measured = test_states.measure(BOTH, "--rounds", "8,8s", clock=None, noise=None, seed=None)
    costs = costs_of(measured)
    if measured.status != 0 or set(costs.values()) != {FAST, SLOW}:
        return f"states {measured.values()}\n{measured.run}"
    for record in measured.of("rounds"):
        if {costs[state["state"]] for state in record["states"]} != {FAST, SLOW}:
            return f"{record['block']}: {record['states']}"
        for state in record["states"]:
            if state["rounds"] >= 3 and not near(state["median"], costs[state["state"]]):
                return f"{record['block']}: {record['states']}"
        for value, number in zip(record["medians"], record["round_states"]):
            if number and near(value, FAST + SLOW - costs[number], 0.1):
                return f"{record['block']}: a round of {value} s is in state {number}"
    return ""


def wrong_with_one():
    measured = test_states.measure(BOTH, "--rounds", "6,3s", constant=True, clock=None, noise=None,
                                   seed=None)
    return "" if measured.status == 0 and set(costs_of(measured).values()) == {FAST} else \
        f"states {measured.values()}\n{measured.run}"


def check(name, wrong_with):
    attempts = Attempts(tap, wanted=3, seconds=60)
    for _ in attempts:
        wrong = wrong_with()
        if not wrong:
            break
        tap.note(wrong)
    attempts.decide(not wrong, name, wrong)


def main():
    truth.require()
    if harness.sanitized():
        harness.skip_all("other libraries are preloaded")
    check("two states in turns", wrong_with_two)
    check("one state", wrong_with_one)
    tap.done()


main()
