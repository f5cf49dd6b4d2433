#!/usr/bin/env python3
# LONG
# TIMEOUT: 240
"""Operations under load of OpenSHMEM and MPI on a programmed network, by a simulated clock: each aggressor that has
something under way makes them slower by what is programmed, and percentiles of single operations are those of programmed
distributions."""

import json
import math
import os

import mpi_network
import truth
from harness import Tap, has, scratch_directory

POST, WIRE, QUIET, FETCH, SLOWER = 1000, 5000, 700, 8000, 3000  # ns
FLOOD = 8192       # bytes, large on this network
RARE_BYTES = 1000  # of the operations of which a few are slow; nothing else has this size
PREAMBLE = "set_unit(1e9)\nset_controls(0)\nset_min_repetitions({0})\nset_max_repetitions({0})\n"
# What aggressors do, PEs, and how many of them the network is loaded by.
KINDS = [("none", 4, 0), ("memory", 3, 0), ("incast", 3, 1), ("incast", 4, 2), ("puts", 4, 2), ("gets", 4, 2),
         ("incast_apart", 4, 1)]
OPERATIONS = [("Shmem_Put_Under_Load(8, ", POST + WIRE + QUIET), ("Shmem_Get_Under_Load(8, ", POST + WIRE),
              ("Shmem_Atomic_Fetch_Add_Long_Under_Load(", FETCH)]
FLUSH = 900
OF_MPI = [(call, POST + WIRE + FLUSH) for call in ("Put_Flush_Under_Load(8, ", "Get_Flush_Under_Load(8, ",
                                                   "Fetch_and_op_Flush_Under_Load(")]
# One in so many operations is ten times as slow: which percentiles are, then.
RARE, OF = 10, 2001
DISTRIBUTIONS = [(50, {"p95": False, "p99": True, "p999": True}), (250, {"p95": False, "p99": False, "p999": True}),
                 (1000, {"p95": False, "p99": False, "p999": False})]


def network(**more):
    return truth.Network(POST, WIRE, QUIET, clock="simulated", fetch=FETCH, wait=500, test=100, large=4096, large_post=300,
                         large_wire=2000, **more)


def measured(pes, calls, repetitions, library=None, **more):
    """Results by block: "0", "1" and so on."""
    path = os.path.join(scratch_directory(), f"{pes}.json")
    script = PREAMBLE.format(repetitions) + "switch_buffer_cycling_off()\n" + "".join(
        f'begin measurement "{i}"\nmeasure comm({pes}) : {call}\nend measurement\n' for i, call in enumerate(calls))
    environment = network(**more).environment()
    environment["LD_PRELOAD"] = library or environment["LD_PRELOAD"]
    truth.measure(script, pes, environment, 100, options=["--timer", "clock_gettime", "-o", path])
    with open(path, encoding="utf-8") as file:
        records = map(json.loads, file)
        return {record["block"]: record for record in records if record["record"] == "result"}


def check_contention(tap, pes, operations, **more):
    cases = [(f'{call}"{kind}", {FLOOD})', cost + loaders * SLOWER, loaders)
             for kind, on, loaders in KINDS if on == pes for call, cost in operations]
    found = measured(pes, [call for call, *_ in cases], 8, contention=SLOWER, **more)
    for number, (call, cost, loaders) in enumerate(cases):
        median = found.get(str(number), {}).get("median") or math.nan
        tap.ok(truth.close(median * 1e9, cost, 0.01 * cost), f"{call} on {pes}: {loaders} make it slower",
               f"{median * 1e9:g} ns, not {cost:g} ns")


def check_percentiles(tap):
    for one_in, slow in DISTRIBUTIONS:
        found = measured(2, [f'Shmem_Put_Under_Load({RARE_BYTES}, "none")'], OF,
                         rare=f"{one_in}:{RARE}:{RARE_BYTES}").get("0", {})
        tap.equal(found.get("valid"), OF, f"1 in {one_in}: no operation is left out for being slow")
        costs = {name: ((RARE if is_slow else 1) * (POST + WIRE) + QUIET) * 1e-9
                 for name, is_slow in {"median": False, **slow, "max": True}.items()}
        wrong = {name: found.get(name) for name, cost in costs.items()
                 if not truth.close(found.get(name) or math.nan, cost, 0.01 * cost)}
        tap.equal(wrong, {}, f"1 in {one_in} is slow: median, p95, p99, p99.9 and maximum", costs)


def main():
    truth.require()
    tap = Tap()
    check_percentiles(tap)
    for pes in (3, 4):
        check_contention(tap, pes, OPERATIONS)
    if has("MPI"):
        check_contention(tap, 3, OF_MPI, flush=FLUSH, library=mpi_network.with_windows())
    tap.done()


main()
