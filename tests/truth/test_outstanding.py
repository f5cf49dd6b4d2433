#!/usr/bin/env python3
# LONG
# TIMEOUT: 180
"""The completion of a non-blocking operation is measured right, even where a post costs more the more is outstanding, as in
libraries that complete small operations inside the post; by a simulated clock."""

import truth
from harness import Tap

PES = 2
BURST = 16  # set_max_outstanding()
ITERATIONS = 5 * BURST
READING = 20  # ns, of the simulated clock
# Post, wire, quiet, and what each outstanding operation adds to a post: the mean post of a burst then
# costs more than a post and its quiet together.
NETWORKS = (
    truth.Network(600, 0, 300, outstanding=150, clock="simulated"),
    truth.Network(2000, 10000, 1000, outstanding=200, clock="simulated"),
    truth.Network(800, 3000, 400, progress="quiet", outstanding=1000, clock="simulated"),
    truth.Network(600, 0, 300, outstanding=0, clock="simulated"),
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
    """Each function; 0.1 % of the whole operation may be missing, or a reading of the clock."""
    costs = network.costs(PES)
    tolerance = 0.001 * (costs["outstanding"] + network.full) + READING
    try:
        rows = {row.block: row for row in truth.measure(script(FUNCTIONS), PES, network.environment(),
                                                        options=["--timer", "clock_gettime"])}
    except truth.RunFailed as error:
        tap.note(error)
        rows = {}
    for name, formula in FUNCTIONS.items():
        cost, row = truth.evaluate(formula, costs), rows.get(name)
        tap.ok(row and truth.close(row.time, cost, tolerance), f"{name}, {network}",
               f"{row.time:g} ns instead of {cost:g}" if row else "no result")


truth.require()
for chosen in NETWORKS:
    check(chosen)
tap.done()
