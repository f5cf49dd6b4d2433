#!/usr/bin/env python3
# TIMEOUT: 240
"""Traffic of many ranks and round trips of pairs by MPI return what was programmed, on a network with
programmed costs, by a simulated clock: in every discipline and synchronization, on 2 and 5 PEs, by the ranks
that work; and cost formulas say the same."""

import os

import mpi_network
import truth
from truth import harness
from harness import SAMPLE, Tap

ALONE, WAITING = 0.03, 0.05  # tolerances: of puts and gets; where PEs wait for each other
WINDOW = 6
POST, WIRE, FLUSH, SEND, BARRIER = 2000, 10000, 1300, 3100, 15000
COSTS = {"post": POST, "wire": WIRE, "flush": FLUSH, "send": SEND, "barrier": BARRIER}
PREAMBLE = "set_unit(1e9)\nset_controls(0)\nset_min_repetitions(4)\nset_max_repetitions(4)\n"

FULL = POST + WIRE + FLUSH  # a put or a get that is complete
TRIPS = {"Barrier": 2 * (FULL + BARRIER), "Flag": 2 * (FULL + POST + WIRE),
         "Fetch_and_op": 2 * (FULL + POST + WIRE), "Message": 2 * (FULL + SEND + WIRE)}
# Without data: the flush of a word ends before the answer can be there.
EMPTY = {"Barrier": 2 * BARRIER, "Flag": 2 * (POST + WIRE), "Fetch_and_op": 2 * (POST + WIRE),
         "Message": 2 * (SEND + WIRE)}
DATA = ("Put_Put", "Put_Get", "Get_Get")

# Pattern, pairs, and who is first in them, on some number of PEs.
PATTERNS = {2: ('"half"', 0, {0}), 5: ('"neighbours"', 0, {0, 2})}


def cases(pes):
    """(call, cost, tolerance, who)"""
    pattern, pairs, first = PATTERNS[pes]
    where = f"{pattern}, {pairs}"
    found = [(f"Round_Trip_{data}_{how}(8, {where}, 10)", cost, WAITING, first)
             for how, cost in TRIPS.items() for data in DATA]
    found.append((f"Round_Trip_Send_Recv(8, {where}, 10)", 2 * (SEND + WIRE), WAITING, first))
    for routine in ("Put", "Get"):
        found += [(f"{routine}_Pairs_Flush(16, {where}, 1, 10)", FULL, ALONE, first),
                  (f"{routine}_Pairs_Rate(16, {where}, 1, {WINDOW}, 10)",
                   (WINDOW * POST + WIRE + FLUSH) / WINDOW, ALONE, first)]
    return found


def empty():
    return [(f'Round_Trip_Put_Get_{how}(0, "half", 0, 10)', cost, WAITING, {0}) for how, cost in EMPTY.items()]


def measured(pes, calls):
    network = truth.Network(POST, WIRE, 1000, 700, barrier=BARRIER, flush=FLUSH, send=SEND, wait=100,
                            clock="simulated")
    environment = {**network.environment(), "LD_PRELOAD": os.fspath(mpi_network.with_windows())}
    return truth.run_calls(pes, calls, PREAMBLE, environment)


def check(tap, pes, calls):
    truth.check_calls(tap, pes, calls, measured(pes, calls), f"{pes} PEs: all are measured")


def check_formulas(tap):
    """What --describe says of the functions."""
    names = [f"Round_Trip_{data}_{how}" for data in DATA for how in TRIPS]
    wanted = {name: TRIPS[how] for name in names for how in TRIPS if name.endswith(f"_{how}")}
    wanted["Round_Trip_Send_Recv"] = 2 * (SEND + WIRE)
    for name, cost in wanted.items():
        said = harness.run([harness.program(), "--describe", name]).out
        formula = [line.split(":", 1)[1] for line in said.splitlines() if line.startswith("cost:")]
        tap.equal([truth.evaluate(text, COSTS) for text in formula], [cost], f"{name}: formula")


def main():
    mpi_network.require()
    tap = Tap()
    check_formulas(tap)
    check(tap, 2, cases(2) + empty())
    if not SAMPLE:
        check(tap, 5, cases(5))
    tap.done()


main()
