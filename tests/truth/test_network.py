#!/usr/bin/env python3
# SERIAL
# TIMEOUT: 300
"""The programmed network costs what is programmed, as a program sees it that is not skampi."""

import truth
from harness import Tap

RETRIES = 2
tap = Tap()


def measured(network, pes, mode):
    """(name, nanoseconds) of each line of network_check."""
    run = truth.launch(pes, [truth.program("network_check"), mode], network.environment())
    if run.status != 0:
        tap.note(run)
        return []
    lines = [line.split() for line in run.out.splitlines()]
    return [(name, float(time)) for name, time in lines]


def wrong(values, expected, tolerance):
    """Names, with a text, of the values that are not what expected(name) says."""
    texts = {}
    for i, (name, time) in enumerate(values):
        cost = expected(name)
        if not truth.close(time, cost, tolerance(name, cost)):
            texts[i, name] = f"{name}: {time} ns instead of {cost}"
    return texts


def check(name, network, pes, mode, expected, count, tolerance):
    """What is wrong in every one of a few attempts is wrong: the machine is shared."""
    failed = None
    for attempt in range(1 + RETRIES):
        if attempt > 0:
            truth.settle()
        values = measured(network, pes, mode)
        errors = wrong(values, expected, tolerance)
        if len(values) != count:
            errors[None] = f"{len(values)} values instead of {count}"
        failed = set(errors) if failed is None else failed & set(errors)
        if errors:
            tap.note(f"{name}, attempt {attempt + 1} of {1 + RETRIES}:")
            tap.note("\n".join(errors.values()))
        if not failed:
            break
    tap.ok(not failed, name)
    return values


def tight(name, cost):
    """0.3 %, but not less than a step of the clock; what is a small difference of long sums, and
    what waits long enough to be interrupted, less tightly."""
    if name == "quiet_delayed":
        return 0.02 * cost + 10
    return max(0.003 * cost, 8) + (20 if cost > 10000 else 0)


def loose(name, cost):
    return 0.02 * cost + 10


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


def collective_cost(network, pes):
    kind, time = network.bcast.split(":")
    alpha = float(time)

    def cost(name):
        name, pe = name.split("@")
        if name == "barrier_late":
            return network.barrier + 30000
        if name.startswith("barrier") or name == "sync_all":
            return network.barrier
        distance = int(pe)
        own = {
            "linear": distance if distance > 0 else pes - 1,
            "chain": min(distance + 1, pes - 1),
            "flat": 1,
        }[kind]
        if name == "broadcast":
            return own * alpha
        # Ten in a row: the root begins again when it has sent, and everyone follows it.
        rounds = pes - 1 if kind == "linear" else 1
        return (9 * rounds + own) * alpha / 10

    return cost


def main():
    truth.require()
    for progress in ("self", "quiet"):
        for costs in ((2000, 10000, 1000), (500, 3000, 200), (20000, 1000, 5000)):
            network = truth.Network(*costs, progress=progress)
            check(f"costs {network}", network, 2, "costs", cost_of(network), 26, tight)

    network = truth.Network(2000, 10000, 1000)
    values = measured(network.slower(1.03), 2, "costs")
    values = [value for value in values if value[0] != "quiet_delayed"]
    unnoticed = len(values) - len(wrong(values, cost_of(network), tight))
    tap.ok(len(values) == 24 and unnoticed == 0, "3 % more are noticed")

    network = truth.Network(1000, 4000, 300)
    check("all variants of put and get", network, 2, "variants", variant_cost(network), 452, loose)

    for bcast in ("linear:6000", "chain:6000", "flat:6000"):
        network = truth.Network(500, 1000, 300, barrier=15000, bcast=bcast)
        expected = collective_cost(network, 2)
        check(f"barrier, {bcast}", network, 2, "collectives", expected, 12, loose)

    for bad in ("post", "post=x", "speed=1", "progress=never", "bcast=tree:1", "post=-1"):
        environment = {"LD_PRELOAD": str(truth.library()), "SKAMPI_TRUTH": bad}
        run = truth.launch(1, [truth.program("network_check")], environment)
        tap.ok(run.status != 0 and "libnetwork:" in run.err, f"{bad} is refused")
    tap.done()


if __name__ == "__main__":
    main()
