#!/usr/bin/env python3
"""shmemtrace explain on the trace of a program in which all causes of waits are planted: each is the first one that is named
of its function, with the seconds that PEs have waited by the program's own clock."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import planted
from harness import Tap

PES, ROUNDS = 2, 3
SIZES = (4, 20, 80)  # ms; the next one where other programs have delayed PEs by more than what is planted
program = planted.program()
tap = Tap()


def is_right(outcome, size):
    # That PEs have waited at all, in most rounds, is up to the machine.
    return (outcome.place and outcome.planted > 0.5 * ROUNDS * size * 1e-3
            and abs(outcome.waited - outcome.planted) < 0.1 * outcome.planted)


wrong = {cause: "not run" for cause in planted.CAUSES}
for size in SIZES:
    outcomes, text = planted.explained(program, list(wrong), PES, size, ROUNDS)
    if not outcomes:
        break
    for cause, outcome in outcomes.items():
        if is_right(outcome, size):
            del wrong[cause]
        else:
            wrong[cause] = f"{size} ms: {outcome}"
    if not wrong:
        break
for cause, (name, routine) in planted.CAUSES.items():
    tap.ok(cause not in wrong, f"{cause}: {name} in {routine} is named first, with its seconds", f"{wrong.get(cause)}\n{text}")
tap.done()
