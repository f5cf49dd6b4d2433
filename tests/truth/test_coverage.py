#!/usr/bin/env python3
# LONG
# SERIAL
# TIMEOUT: 240
"""The stated 95 % interval contains the programmed cost for most functions on networks of random costs, by the real clock, and
does not contain what is beside it; what follows the wait for a common start is measured as warm as what is subtracted from it.
coverage.py, by hand, measures the share exactly."""

import random

import coverage
import truth
from harness import Tap
from quiet import Beside

NETWORKS = 2
# Fails if the upper end of the share's own 95 % interval is below LEAST: with 40 results, fewer than 25 contain the cost.
LEAST = 0.75
BESIDE, MOST = 1.3, 0.5  # of what costs so much more the lower end is below MOST
ATTEMPTS, WARM = 5, 1.3  # with cold caches it is 1.5 and more

tap = Tap()


def wrong_with(results):
    """What is wrong with the shares; nothing if they are as they must be."""
    n = len(results)
    good = sum(map(coverage.contains, results))
    beside = sum(coverage.contains({**result, "cost": BESIDE * result["cost"]}) for result in results)
    said = f"of {n} results {good} contain the cost, {beside} {BESIDE} times as much"
    tap.note(said)
    return "" if n and coverage.wilson(good, n)[1] >= LEAST and coverage.wilson(beside, n)[0] <= MOST else said


def check_coverage():
    chance = random.Random()
    attempts = Beside(tap, wanted=3, seconds=60)
    for _ in attempts:
        networks = [coverage.random_network(chance) for _ in range(NETWORKS)]
        wrong = wrong_with(list(coverage.of_networks(networks, ["alone"])))
        if not wrong:
            break
    attempts.decide(not wrong, "most intervals contain the cost", wrong)


def check_after_a_wait():
    """Other programs take the processors while PEs wait for their start, and the caches with them: the first operation after that
    must not count, since what is subtracted was measured warm."""
    network, call = truth.Network(655, 12405, 2671), "Shmem_Put_Nonblocking_Quiet_Delayed(8, 9)"
    for _ in range(ATTEMPTS):
        with coverage.circumstance("beside others"):
            rows = truth.measure(f'set_unit(1e9)\nset_min_repetitions(16)\nbegin measurement "0"\nmeasure comm(2) : {call}\n'
                                 "end measurement\n", environment=network.environment())
        found = rows[0].time
        tap.note(f"{found:g} ns")
        if found <= WARM * network.quiet:
            break
    tap.ok(found <= WARM * network.quiet, f"{call} beside other programs: at most {WARM} times {network.quiet} ns",
           f"{found:g} ns")


def main():
    truth.require()
    check_after_a_wait()
    check_coverage()
    tap.done()


main()
