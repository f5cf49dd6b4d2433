#!/usr/bin/env python3
# LONG
# SERIAL
# TIMEOUT: 180
"""The completion of a non-blocking operation is measured right, even where
a post costs more the more is outstanding, as in libraries that complete small operations inside the post."""

import truth
from harness import Tap
from quiet import Attempts

PES = 2
BURST = 16  # set_max_outstanding()
ITERATIONS = 5 * BURST
# Post, wire, quiet, and what each outstanding operation adds to a post: the mean post of a burst then
# costs more than a post and its quiet together.
NETWORKS = (
    truth.Network(600, 0, 300, outstanding=150),
    truth.Network(2000, 10000, 1000, outstanding=200),
    truth.Network(800, 3000, 400, progress="quiet", outstanding=1000),
    truth.Network(600, 0, 300, outstanding=0),
)
FUNCTIONS = {
    "Shmem_Put_Nonblocking_Full": "post + wire + quiet",
    "Shmem_Put_Nonblocking_Post": f"post + outstanding * {(BURST - 1) / 2}",
    "Shmem_Put_Nonblocking_Quiet": "wire + quiet",
    "Shmem_Put_Nonblocking_Quiet_Single": "wire + quiet",
    "Shmem_Put_Nonblocking_Quiet_Delayed": "hidden + quiet",
    "Shmem_Put_Nonblocking_Overlap": "post + hidden + quiet",
    "Shmem_Get_Nonblocking_Quiet": "wire + quiet",
    "Shmem_Get_Nonblocking_Quiet_Delayed": "hidden + quiet",
    "Shmem_Quiet_Put": "wire + quiet",
    "Shmem_Ctx_Put_Nonblocking_Quiet": "wire + quiet",
    "Shmem_Ctx_Quiet_Put": "wire + quiet",
    "Shmem_Put_Round": "post + wire",
}

tap = Tap()


def call(name):
    if name.endswith("_Quiet_Put"):
        return f"{name}({ITERATIONS}, 8)"
    return f"{name}(8, {ITERATIONS}{', 1' if name.endswith('_Single') else ''})"


def script(names):
    return f"""
set_unit(1e9)
set_max_outstanding({BURST})
set_max_relative_standard_error(0.03)
set_max_repetitions(16)
""" + "".join(f'begin measurement "{name}"\nmeasure comm({PES}) : {call(name)}\nend measurement\n'
              for name in names)


def check(network):
    """Wrong is what is so each time; 2 % of the whole operation may be."""
    costs = network.costs(PES)
    wrong = dict.fromkeys(FUNCTIONS, "no result")
    attempts = Attempts(tap, 4)
    for _ in attempts:
        try:
            rows = truth.measure(script(wrong), PES, network.environment())
        except truth.RunFailed as error:
            tap.note(error)
            rows = []
        for row in rows:
            cost = truth.evaluate(FUNCTIONS[row.block], costs)
            tolerance = max(0.02 * (costs["outstanding"] + network.full), 2 * truth.clock_step())
            wrong[row.block] = f"{row.time:g} ns instead of {cost:g}"
            if truth.close(row.time, cost, tolerance):
                del wrong[row.block]
        if not wrong:
            break
    for name in FUNCTIONS:
        attempts.decide(name not in wrong, f"{name}, {network}", wrong.get(name))


truth.require()
for chosen in NETWORKS:
    check(chosen)
tap.done()
