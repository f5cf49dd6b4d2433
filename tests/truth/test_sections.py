#!/usr/bin/env python3
# TIMEOUT: 200
"""Sections, strided blocks and pointers on a network with programmed costs, by a simulated clock: each algorithm
takes as long as the number of its calls says, within 3 %, on one pair and on several at once."""

import truth
from harness import SAMPLE, Tap
from sections import ALGORITHMS, calls_of, section_call

WITHIN = 0.03
NETWORKS = (truth.Network(2000, 10000, 1000, fence=700, clock="simulated"),
            truth.Network(500, 3000, 4000, fence=2500, progress="quiet", clock="simulated"))
SHAPES = ((8, [4, 8], [1, 16], [1, 32]),
          (4, [7, 5, 3], [1, 8, 40], [1, 12, 60]),
          (12, [3, 9], [2, 7], [1, 5]),
          (1, [13, 7, 2, 3], [1, 16, 160, 333], [1, 13, 91, 182]),
          (2, [33, 5], [1, 34], [1, 36]),
          (16, [11], [1], [1]),
          (8, [5, 0], [1, 5], [1, 5]))
ITERATIONS = 20
PACKED = {"Put": "3 * post + 2 * fence + 2 * wire", "Get": "3 * (post + wire) + fence"}

tap = Tap()


def formula(way, calls):
    """What so many calls cost one after the other, until all is complete."""
    if way == "Get":
        return f"{calls} * (post + wire)"
    return f"{calls} * post + {'wire' if calls else 0} + quiet"


def section_cases():
    """(the call, its cost)."""
    for shape in SHAPES:
        for algorithm in ALGORITHMS:
            for get in (False, True):
                way = "Get" if get else "Put"
                calls = sum(calls_of(get, algorithm, shape).values())
                packed = algorithm == "pack" and calls
                yield (section_call(get, algorithm, shape, ITERATIONS),
                       PACKED[way] if packed else formula(way, calls))


def other_cases():
    for how, calls in (("elements", 27), ("iput", 3), ("blocks", 9)):
        for way in ("Put", "Get"):
            yield f'Shmem_Strided_{way}("{how}", 8, 3, 9, 4, 5, {ITERATIONS})', formula(way, calls)
    for how in ("loop", "memcpy", "library"):
        yield f'Shmem_Ptr_Put("{how}", 100, {ITERATIONS})', formula("Put", int(how == "library"))
    yield f'Shmem_Ptr_Get("library", 100, {ITERATIONS})', formula("Get", 1)


def check(network, pes, cases):
    """All cases in one run, by as many pairs as there are."""
    cases = [(call[:-1] + f", {pes // 2})", cost) for call, cost in cases]
    script = "set_unit(1e9)\nset_min_repetitions(4)\nset_max_repetitions(4)\n" + "".join(
        f'begin measurement "{i}"\n  measure MPI_COMM_WORLD : {call}\nend measurement\n'
        for i, (call, _) in enumerate(cases))
    rows = truth.measure(script, pes, network.environment(), options=("--timer", "clock_gettime"))
    times = {int(row.block): row for row in rows}
    for i, (call, cost) in enumerate(cases):
        wanted = truth.evaluate(cost, network.costs(pes))
        values = [value for value in times[i].per_pe if value is not None] if i in times else []
        tap.ok(len(values) == pes // 2 and
               all(abs(value - wanted) <= WITHIN * wanted for value in [times[i].time, *values]),
               f"{network}, {pes} PEs: {call}: {cost}", f"{values} instead of {wanted:g} ns")


def main():
    truth.require()
    # Nothing to get costs nothing, of which 3 % are nothing.
    cases = [case for case in [*section_cases(), *other_cases()] if not case[1].startswith("0 * (")]
    check(NETWORKS[0], 2, cases[::5] if SAMPLE else cases)
    if not SAMPLE:
        check(NETWORKS[1], 2, cases)
        check(NETWORKS[1], 5, cases[::3])  # two pairs; who waits takes long on a busy machine
    tap.done()


main()
