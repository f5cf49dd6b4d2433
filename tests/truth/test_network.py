#!/usr/bin/env python3
# LONG
"""The programmed network costs what is programmed, by its simulated clock, as seen by a program other than skampi. By real
clocks truth/test_costs_real.py measures it."""

import truth
from harness import Tap

PES = 2
COSTS = ("network_check", "costs")
EXACT = 0.002  # of the time: what the program itself takes

tap = Tap()


def network_of(*costs, **others):
    return truth.Network(*costs, clock="simulated", **others)


def measured(network, program, mode):
    """(name, nanoseconds) of each line of the program."""
    run = truth.launch(PES, [truth.program(program), mode], network.environment())
    if run.status != 0:
        tap.note(run)
        return []
    lines = [line.split() for line in run.out.splitlines()]
    return [(name, float(time)) for name, time in lines]


def exact(_, cost):
    return max(EXACT * cost, 1)


def agree(values, expected, tolerance):
    """For each value whether it is what expected(name) says."""
    return [truth.close(time, expected(name), tolerance(name, expected(name))) for name, time in values]


def check(name, network, program, mode, expected, count, tolerance=exact):
    values = measured(network, program, mode)
    good = agree(values, expected, tolerance)
    tap.ok(len(values) == count and all(good), name, [
        f"{called}: {time} ns instead of {expected(called)}" for (called, time), right in zip(values, good) if not right]
        or f"{len(values)} values instead of {count}")


def check_noticed(name, network, program, mode, expected, count):
    """A network with other costs than those expected is wrong in all values."""
    values = measured(network, program, mode)
    good = agree(values, expected, exact)
    tap.ok(len(values) == count and not any(good), name, [value for value, right in zip(values, good) if right])


def cost_of(network):
    post, wire, quiet, fence = network.post, network.wire, network.quiet, network.fence
    by_itself = network.progress == "self"
    full = network.full
    costs = {
        "put": post,
        "put_nbi": post,
        "get": post + wire,
        "get_nbi": post,
        "quiet": quiet,
        "fence": fence,
        "put_quiet": full,
        "put_nbi_quiet": full,
        "get_nbi_quiet": full,
        "two_puts_quiet": full + post,
        # The quiet of the other context costs, and wire time can pass meanwhile.
        "context_apart": post + max(wire, quiet) + quiet if by_itself else full + quiet,
        "put_fence_quiet": post + max(wire, fence) + quiet if by_itself else full + fence,
        # Found as a difference of two sums that are much longer than itself.
        "quiet_delayed": network.hidden + quiet,
    }
    return lambda name: costs[name]


def variant_cost(network):
    """By what the name says: gets that block wait for the wire."""

    def cost(name):
        blocking_get = "_nbi" not in name and any(part in name for part in ("get", "_g"))
        return network.post + (network.wire if blocking_get else 0)

    return cost


def atomic_cost(network):
    """By what the name says: what returns a value waits for it."""

    def cost(name):
        fetches = any(part in name for part in ("fetch", "swap", "finc", "fadd"))
        return network.others["fetch"] if fetches else network.post

    return cost


def wait_cost(network):
    post, wire, costs = network.post, network.wire, network.others
    lock = costs["set_lock"] + costs["clear_lock"]
    context = costs["ctx_create"] + costs["ctx_destroy"]
    expected = {
        "wait": costs["wait"],
        "test": costs["test"],
        "pingpong_put": 2 * (post + wire),
        "pingpong_add": 2 * (post + wire),
        # The one that waits behind its own atomic has the answer already.
        "pingpong_fetch": costs["fetch"] + costs["wait"],
        "lock_all": PES * lock,
        "context_pair": context,
        "context_put": context + post + wire,
    }
    of_first = {
        "lock_alone": lock,
        "test_lock_free": costs["test_lock"] + costs["clear_lock"],
        "test_lock_busy": costs["test_lock"],
    }

    def cost(name):
        name, pe = name.split("@")
        return (of_first[name] if pe == "0" else 0) if name in of_first else expected[name]

    return cost


def wait_tolerance(name, cost):
    if name.startswith("lock_all"):
        # Who asks while nobody holds it is first, in real time; at least it is held by one at a time.
        return (1 - 1 / PES) * cost
    # Both begin together, and one of them has waited half of a round less.
    return 0.025 * cost if name.startswith("pingpong") else exact(name, cost)


def collective_variant_cost(network):
    def cost(name):
        name = name.split("@")[0]
        if name.endswith("_to_all"):
            return network.others["reduce"]
        name = name.removesuffix("_until").rstrip("0123456789")
        return network.others[name if name in network.others else name.split("_")[-1]]

    return cost


def collective_cost(network):
    kind, time = network.bcast.split(":")
    alpha, costs, late = float(time), network.others, 30000
    expected = {
        "barrier_all": costs["barrier"],
        "barrier_set": costs["barrier"],
        "barrier_late": costs["barrier"] + late,
        "put_barrier": network.post + network.wire + costs["barrier"],
        "sync_all": costs["sync"],
        "sync_set": costs["sync"],
        "reduce_late": costs["reduce"] + late,
        "allocate_free": costs["allocate"] + costs["free"],
        "allocate_late": costs["allocate"] + costs["free"] + late,
        "allocate_all": 3 * costs["allocate"] + 2 * costs["free"],
    }

    def cost(name):
        name, pe = name.split("@")
        if name in expected:
            return expected[name]
        distance = int(pe)
        own = {
            "linear": distance if distance > 0 else PES - 1,
            "chain": min(distance + 1, PES - 1),
            "flat": 1,
        }[kind]
        if name == "broadcast":
            return own * alpha
        # Ten in a row: the root begins again when it has sent, and everyone follows it.
        rounds = PES - 1 if kind == "linear" else 1
        return (9 * rounds + own) * alpha / 10

    return cost


def a_reading_more(name, cost):
    """What a single call takes is seen with a reading of the clock, of 20 ns."""
    return exact(name, cost) + 20


def main():
    truth.require()
    for progress in ("self", "quiet"):
        for costs in ((2000, 10000, 1000), (500, 3000, 200), (20000, 1000, 5000)):
            network = network_of(*costs, progress=progress)
            check(f"costs {network}", network, *COSTS, cost_of(network), 26)
    network = network_of(2000, 10000, 1000)
    check_noticed("1 % more are noticed", network.slower(1.01), *COSTS, cost_of(network), 26)

    network = network_of(1000, 4000, 300, **truth.FAMILIES)
    for mode, cost, count in (("variants", variant_cost, 452), ("atomics", atomic_cost, 253)):
        check(f"all {mode}", network, "network_check", mode, cost(network), count)
    expected = collective_variant_cost(network)
    check("all variants of collectives", network, "network_sync", "variants", expected, 152)
    check_noticed("1 % more are noticed in all of them", network.slower(1.01), "network_sync", "variants", expected, 152)
    check("waits, locks, contexts", network, "network_sync", "waits", wait_cost(network), 22, wait_tolerance)

    for bcast in ("linear:6000", "chain:6000", "flat:6000"):
        network = network_of(500, 1000, 300, bcast=bcast, **truth.FAMILIES)
        check(f"collectives, {bcast}", network, "network_sync", "collectives", collective_cost(network), 24, a_reading_more)

    for bad in ("post", "post=x", "speed=1", "progress=never", "bcast=tree:1", "post=-1"):
        environment = {"LD_PRELOAD": str(truth.library()), "SKAMPI_TRUTH": bad}
        run = truth.launch(1, [truth.program("network_check")], environment)
        tap.ok(run.status != 0 and "libnetwork:" in run.err, f"{bad} is refused")
    tap.done()


main()
