#!/usr/bin/env python3
# LONG
# SERIAL
# TIMEOUT: 300
"""The programmed network costs what is programmed, as seen by a program other than skampi."""

import collections

import truth
from harness import Tap
from quiet import Attempts

ATTEMPTS = 3
PES = 2
COSTS = ("network_check", "costs")

tap = Tap()


def measured(network, pes, program, mode):
    """(name, nanoseconds) of each line of the program."""
    run = truth.launch(pes, [truth.program(program), mode], network.environment())
    if run.status != 0:
        tap.note(run)
        return []
    lines = [line.split() for line in run.out.splitlines()]
    return [(name, float(time)) for name, time in lines]


def wrong(values, expected, tolerance):
    """Texts of the values that are not what expected(name) says, by name and which it is of those of
    that name."""
    texts, seen = {}, collections.Counter()
    for name, time in values:
        seen[name] += 1
        cost = expected(name)
        if not truth.close(time, cost, tolerance(name, cost)):
            texts[name, seen[name]] = f"{name}: {time} ns instead of {cost}"
    return texts


def check(name, network, program, mode, expected, count, tolerance):
    """What is wrong in every one of a few attempts is wrong: the machine is shared."""
    failed = None
    attempts = Attempts(tap, ATTEMPTS)
    for attempt in attempts:
        values = measured(network, PES, program, mode)
        errors = wrong(values, expected, tolerance)
        if len(values) != count:
            # What is wrong in the other attempts is so nevertheless.
            tap.note(f"{name}, attempt {attempt}: {len(values)} values instead of {count}")
            failed = failed or {None}
            continue
        failed = set(errors) if failed in (None, {None}) else failed & set(errors)
        if errors:
            tap.note(f"{name}, attempt {attempt}:")
            tap.note("\n".join(errors.values()))
        if not failed:
            break
    attempts.decide(not failed, name)
    return values


def check_noticed(name, network, program, mode, expected, count, tolerance, but=()):
    """A network with other costs than those expected is wrong in all values, each in one of a few attempts at least:
    a busy machine may change a value so that it agrees by chance."""
    unnoticed = None
    for _ in range(ATTEMPTS):
        values = [value for value in measured(network, PES, program, mode) if value[0] not in but]
        if len(values) != count:
            tap.note(f"{len(values)} values instead of {count}")
            continue
        off, seen, agreeing = wrong(values, expected, tolerance), collections.Counter(), set()
        for value, _ in values:
            seen[value] += 1
            if (value, seen[value]) not in off:
                agreeing.add((value, seen[value]))
        unnoticed = agreeing if unnoticed is None else unnoticed & agreeing
        if not unnoticed:
            break
    tap.equal(unnoticed, set(), name)


def tight(name, cost):
    """0.3 %, but not much less than a step of the clock; what is a small difference of long sums, and
    what waits long enough to be interrupted, less tightly."""
    if name == "quiet_delayed":
        return 0.02 * cost + truth.clock_step()
    return max(0.003 * cost, 0.8 * truth.clock_step()) + (20 if cost > 10000 else 0)


def loose(name, cost):
    return 0.02 * cost + truth.clock_step()


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
        # Up to a test too late, twice, and then the test that says yes.
        "pingpong_test": 2 * (post + wire + 1.5 * costs["test"]),
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


def wait_tolerance(network):
    def tolerance(name, cost):
        if name.startswith("pingpong_test"):
            return loose(name, cost) + network.others["test"]
        # Who is last to begin is first to end of what the PEs do in turns.
        return 0.06 * cost if name.startswith("lock_all") else loose(name, cost)

    return tolerance


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


def main():
    truth.require()
    for progress in ("self", "quiet"):
        for costs in ((2000, 10000, 1000), (500, 3000, 200), (20000, 1000, 5000)):
            network = truth.Network(*costs, progress=progress)
            check(f"costs {network}", network, *COSTS, cost_of(network), 26, tight)

    network = truth.Network(2000, 10000, 1000)
    # Of the cheapest call, too, more than what tight() allows.
    more = max(0.03, 2 * truth.clock_step() / network.fence)
    check_noticed(f"{100 * more:.0f} % more are noticed", network.slower(1 + more), *COSTS, cost_of(network), 24, tight,
                  but=("quiet_delayed",))

    network = truth.Network(1000, 4000, 300, **truth.FAMILIES)
    for mode, cost, count in (("variants", variant_cost, 452), ("atomics", atomic_cost, 253)):
        check(f"all {mode}", network, "network_check", mode, cost(network), count, loose)
    expected = collective_variant_cost(network)
    check("all variants of collectives", network, "network_sync", "variants", expected, 152, loose)
    check_noticed("5 % more are noticed in all of them", network.slower(1.05), "network_sync", "variants", expected,
                  152, loose)
    expected, tolerance = wait_cost(network), wait_tolerance(network)
    check("waits, locks, contexts", network, "network_sync", "waits", expected, 24, tolerance)

    for bcast in ("linear:6000", "chain:6000", "flat:6000"):
        network = truth.Network(500, 1000, 300, bcast=bcast, **truth.FAMILIES)
        expected = collective_cost(network)
        check(f"collectives, {bcast}", network, "network_sync", "collectives", expected, 24, loose)

    for bad in ("post", "post=x", "speed=1", "progress=never", "bcast=tree:1", "post=-1"):
        environment = {"LD_PRELOAD": str(truth.library()), "SKAMPI_TRUTH": bad}
        run = truth.launch(1, [truth.program("network_check")], environment)
        tap.ok(run.status != 0 and "libnetwork:" in run.err, f"{bad} is refused")
    tap.done()


if __name__ == "__main__":
    main()
