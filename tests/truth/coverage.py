#!/usr/bin/env python3
"""How often the stated 95 % interval contains the truth: functions with cost formulas on programmed networks of random
costs, by the real clock, under named circumstances. docs/measured/truth.md has a table.

    tests/truth/coverage.py [--networks N] [--circumstance NAME]... [--seed S] [--record FILE] [--read FILE] [--settings "..."]"""

import argparse
import contextlib
import json
import math
import multiprocessing
import os
import random
import statistics
import sys
import time

import truth
from truth import harness

PES = 2
PROMISE = 0.9  # of the results
WAIT = "PEs wait for each other"
# ns: the programmed network is no more exact than that by the real clock, as programs find that time it without skampi
# (programs/network_sync.c; docs/measured/truth.md). PEs tell each other through shared memory when they may go on.
ROOM = 30
ROOM_OF_WAITS = 50
# What is timed how: calls, of whose functions the descriptors say the costs.
KINDS = {
    "nothing subtracted": ["Shmem_Put_Call(8, 0)", "Shmem_Put_Nonblocking_Post(8, 0)", "Shmem_Put_Nonblocking_Full(1024, 0)",
                           "Shmem_Get_Simple(8, 0)", "Shmem_Atomic_Fetch_Add(0)", "Shmem_Quiet(0)", "Shmem_Fence(0)"],
    "a call subtracted": ["Shmem_Put_Nonblocking_Quiet(8, 0)", "Shmem_Get_Nonblocking_Quiet(1024, 0)", "Shmem_Put_Simple(8, 0)",
                          "Shmem_Put_Round(8, 0)", "Shmem_Atomic_Inc(0)"],
    "a computation subtracted": ["Shmem_Put_Nonblocking_Quiet_Delayed(8, 0)", "Shmem_Get_Nonblocking_Quiet_Delayed(8, 0)",
                                 "Shmem_Put_Nonblocking_Overlap(8, 0)", "Shmem_Get_Nonblocking_Overlap(1024, 0)"],
    WAIT: ["Shmem_Barrier()", "Shmem_Barrier_Consecutive(0)", "Shmem_Fcollect_Consecutive(0, 8)",
                                "Shmem_Bcast_All_Synchro(8, 0)"],
}


def random_network(chance):
    """Costs over the range of real networks, each drawn evenly on a logarithmic scale."""
    def between(low, high):
        return math.exp(chance.uniform(math.log(low), math.log(high)))

    others = {name: cost * between(0.5, 2) for name, cost in truth.FAMILIES.items()}
    return truth.Network(round(between(400, 2500)), round(between(3000, 40000)), round(between(200, 3000)),
                         fence=round(between(200, 3000)), progress=chance.choice(["self", "quiet"]),
                         bcast=f"linear:{between(5000, 30000):.0f}", **{name: round(cost) for name, cost in others.items()})


# ---- Circumstances ----


def disturb(cpu, busy, idle, first):
    """Takes a processor for random times of these means, in seconds; before all others, if that is allowed."""
    if cpu is not None:
        os.sched_setaffinity(0, {cpu})
    if first:
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    chance = random.Random(cpu)
    while True:
        time.sleep(chance.expovariate(1 / idle))
        until = time.perf_counter() + chance.expovariate(1 / busy)
        while time.perf_counter() < until:
            pass


# Processes beside skampi: (processor, seconds that it is busy, and idle, whether it goes before all others).
CIRCUMSTANCES = {
    "alone": lambda: [],
    "losing 2 %": lambda: [(cpu, 0.0002, 0.0098, True) for cpu in sorted(os.sched_getaffinity(0))],
    "beside others": lambda: [(cpu, 0.001, 0.001, False) for cpu in sorted(os.sched_getaffinity(0))],
    "beside a tenth": lambda: [(None, 0.005, 0.045, False)],
}


@contextlib.contextmanager
def circumstance(name):
    disturbers = [multiprocessing.Process(target=disturb, args=how, daemon=True) for how in CIRCUMSTANCES[name]()]
    for process in disturbers:
        process.start()
    try:
        yield
    finally:
        for process in disturbers:
            process.kill()
            process.join()


# ---- Measuring ----


def measure(network, name, settings="", options=()):
    """A result for each call that the run came to."""
    path = os.path.join(harness.scratch_directory(), "coverage.json")
    script = os.path.join(harness.scratch_directory(), "coverage.ski")
    costs, formulas = network.costs(PES), {d["name"]: d.get("cost") for d in harness.functions()}
    calls = [(kind, call) for kind, calls in KINDS.items() for call in calls]
    harness.write_text(script, f"set_controls(0)\nset_skampi_buffer(64KB)\n{settings}\n" + "".join(
                        f'begin measurement "{i}"\nmeasure comm({PES}) : {call}\nend measurement\n' for i, (_, call) in enumerate(calls)))
    run = truth.launch(PES, [harness.program(), "-i", script, "-o", path, "--raw", *options], network.environment(), 110)
    if run.status:
        print(run, file=sys.stderr)
        return
    with open(path, encoding="utf-8") as file:
        for record in map(json.loads, file):
            if record["record"] == "result":
                kind, call = calls[int(record["block"])]
                cost = truth.evaluate(formulas[call.partition("(")[0]], costs)
                yield {"circumstance": name, "kind": kind, "call": call, "cost": cost, "network": str(network),
                       **{key: 1e9 * record[key] if record[key] is not None else None
                          for key in ("time", "median", "median_low", "median_high", "min")},
                       "iterations": record["iterations"], "samples": [1e9 * x for x in record["samples"]]}


# ---- The table ----


def room(result):
    return ROOM_OF_WAITS if result["kind"] == WAIT else ROOM


def contains(result):
    return (result["median_low"] is not None
            and result["median_low"] - room(result) <= result["cost"] <= result["median_high"] + room(result))


def wilson(good, n, z=1.96):
    """Interval of a share at 95 % (Wilson 1927)."""
    middle, root = (good + z * z / 2) / (n + z * z), z / (n + z * z) * math.sqrt(good * (n - good) / n + z * z / 4)
    return middle - root, middle + root


def width(result):
    return (result["median_high"] - result["median_low"]) / result["cost"]


def needed(result):
    """The factor by which the side of the interval that looks to the cost had to be longer, or could be shorter."""
    if result["median_low"] is None:
        return math.inf
    beyond = result["cost"] - result["median"]
    side = result["median_high"] - result["median"] if beyond > 0 else result["median"] - result["median_low"]
    return (abs(beyond) - room(result)) / side if side > 0 else math.inf if abs(beyond) > room(result) else 0


def table(results):
    """Lines of Markdown. Width: of the interval, as a share of the cost. Factor: of all widths, so that they would just keep
    the promise: 0.5 and more is not twice as wide as it must be, above 1 is too narrow; 0: the room alone keeps it."""
    yield "| circumstance | kind | results | contain the cost | 95 % interval of that | width, median | factor |"
    yield "|---|---|---|---|---|---|---|"
    for name in CIRCUMSTANCES:
        for kind in [*KINDS, "all"]:
            chosen = [r for r in results if r["circumstance"] == name and kind in (r["kind"], "all")]
            if not chosen:
                continue
            good, n = sum(map(contains, chosen)), len(chosen)
            low, high = wilson(good, n)
            widths = [width(r) for r in chosen if r["median_low"] is not None]
            factor = max(0, sorted(map(needed, chosen))[math.ceil(PROMISE * n) - 1])
            yield (f"| {name} | {kind} | {n} | {100 * good / n:.0f} % | {100 * low:.0f} to {100 * high:.0f} % | "
                   f"{100 * statistics.median(widths or [math.nan]):.2g} % | {factor:.2g} |")


def of_networks(networks, names, settings=""):
    """Results of all calls on each network under each circumstance, which take turns."""
    for network in networks:
        for name in names:
            with circumstance(name):
                yield from measure(network, name, settings)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--networks", type=int, default=10)
    parser.add_argument("--circumstance", action="append", choices=CIRCUMSTANCES)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", help="file that the results are appended to, with their repetitions, as JSON Lines")
    parser.add_argument("--read", help="measure nothing: a table of such a file")
    parser.add_argument("--settings", default="", help="lines of the script in front of the measurements: \"set_precision(2%%)\"")
    arguments = parser.parse_args()
    if arguments.read:
        results = harness.read_records(arguments.read)
    else:
        chance = random.Random(arguments.seed)
        networks = [random_network(chance) for _ in range(arguments.networks)]
        results = []
        with open(arguments.record or os.devnull, "a", encoding="utf-8") as file:
            for result in of_networks(networks, arguments.circumstance or CIRCUMSTANCES, arguments.settings):
                results.append(result)
                print(json.dumps(result), file=file, flush=True)
    print(*table(results), sep="\n")


if __name__ == "__main__":
    main()
