#!/usr/bin/env python3
# LONG
# SERIAL
# TIMEOUT: 300
"""States of the machine by real clocks: on a network that has two in turns, both are found, at their costs,
and the medians of rounds in each; on one that stays as it is there is one."""

import test_states
from test_states import BOTH, FAST, SLOW, near
from truth import harness
import truth
from harness import Tap
from quiet import Attempts

tap = Tap()


def wrong_with_two():
    """What is wrong with a run on two states of a second each."""
    measured = test_states.measure(BOTH, "--rounds", "12,12s", clock=None, noise=None, seed=None)
    values = measured.values()
    if measured.status != 0 or len(values) != 2:
        return f"states {values}\n{measured.run}"
    if not near(values[0], FAST, 0.05) or not near(values[1], SLOW, 0.05):
        return f"states {values}"
    for record in measured.of("rounds"):
        medians = [state["median"] for state in record["states"]]
        if len(medians) != 2 or not near(medians[0], FAST) or not near(medians[1], SLOW):
            return f"{record['block']}: {record['states']}"
        for value, number in zip(record["medians"], record["round_states"]):
            if (near(value, FAST, 0.1) and number == 2) or (near(value, SLOW, 0.1) and number == 1):
                return f"{record['block']}: a round of {value} s is in state {number}"
    return ""


def wrong_with_one():
    measured = test_states.measure(BOTH, "--rounds", "6,5s", constant=True, clock=None, noise=None,
                                   seed=None)
    return "" if measured.status == 0 and len(measured.states) == 1 else \
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


if __name__ == "__main__":
    main()
