#!/usr/bin/env python3
# LONG
# TIMEOUT: 400
"""Kernels take what their calls cost, on a network with programmed costs and a simulated clock, with each
algorithm on 2, 3 and 4 PEs; their computation is no part of what they report as communication."""

import truth
from harness import Tap, write_text
from truth import harness, launch

STEPS = 10
OUTSTANDING = 16  # set_max_outstanding()
APART, WAITING = 0.03, 0.05
ATTEMPTS = 8  # by a real clock, beside other tests
NETWORKS = [
    truth.Network(2000, 10000, 1000, fence=700, barrier=15000, reduce=11000, fetch=8000,
                  alltoall=14000, clock="simulated"),
    truth.Network(500, 30000, 3000, fence=1500, barrier=4000, reduce=25000, fetch=12000,
                  alltoall=6000, clock="simulated"),
]

tap = Tap()


# ---- What the calls are ----


def part(cells, parts):
    """Cells of the first PE along a dimension, which has most."""
    return -(-cells // parts)


def calls_of(way, rows):
    """Puts of a face whose contiguous rows, in runs of `rows[-1]` cells, are rows[0] x ... in number."""
    *others, last = rows
    number = 1
    for other in others:
        number *= other
    if way == "pack":
        return 1
    if way == "iput":
        return number * last // max(rows)
    return number


def flags(net, calls, sides):
    """Puts to the neighbours, a fence, a flag to each; the last one arrives."""
    return calls * net.post + net.fence + sides * net.post + net.wire


def stencil(net, pes, way, how, rows, columns):
    first, second = {2: (2, 1), 4: (2, 2)}[pes]
    calls = calls_of(way, [part(columns, second)])
    sides = 1
    if second > 1:  # a column has no runs
        calls += {"runs": part(rows, first)}.get(way, 1)
        sides = 2
    if how == "barrier":
        return calls * net.post + net.wire + net.others["barrier"]
    return flags(net, calls, sides)


def himeno(net, pes, way, cut, *whole):
    i, j, k = whole
    first, second = {2: (2, 1), 4: (2, 2)}[pes]
    if cut == "ij":
        faces = [[part(j, second), k], [part(i, first) + 2, k]]
    elif cut == "jk":
        faces = [[i, part(k, second)], [i, part(j, first) + 2, 1]]
        if way == "iput":  # with what came before, all rows are at one distance
            faces[1] = [i * (part(j, first) + 2), 1]
    else:
        faces = [[j, part(k, second)], [part(i, first) + 2, j, 1]]
    if second == 1:
        faces.pop()
    return sum(flags(net, calls_of(way, face), 1) for face in faces) + net.others["reduce"]


def access(net, way, updates):
    each = net.post if way == "Atomic" else 2 * net.post + net.wire
    quiets = updates // OUTSTANDING
    rest = net.wire if updates % OUTSTANDING else 0
    return updates * each + quiets * (net.wire + net.quiet) + rest + net.others["barrier"]


def keys(net, pes, reduction, offsets):
    send = 2 * net.post + net.fence  # values and a flag
    # Along the tree: to rank 0, and back to the last one that it sends to.
    back = {2: 1, 3: 2, 4: 2}[pes]
    tree = (back if pes == 4 else 1) * (send + net.wire) + back * send + net.wire
    if pes == 4:  # rank 0 sends to rank 2, which sends to rank 3 while rank 0 sends to rank 1
        tree = 2 * (send + net.wire) + 2 * (send + net.wire)
    total = {"to_all": net.others["reduce"], "puts": tree}[reduction]
    places = {"fetch_add": pes * net.others["fetch"], "alltoall": 2 * net.others["alltoall"]}[offsets]
    return total + places + pes * net.post + net.wire + net.others["barrier"]


# ---- The cases: a call, the PEs, what it costs ----


def cases(net):
    for pes in (2, 4):
        for way in ("runs", "iput", "pack"):
            for how in ("flags", "barrier"):
                yield (f'Kernel_Stencil(9, 14, {STEPS}, "{how}", "{way}")', pes, WAITING,
                       stencil(net, pes, way, how, 9, 14))
            for cut in ("ij", "jk", "ik"):
                yield (f'Kernel_Himeno(8, 5, 6, {STEPS}, "{way}", "{cut}")', pes, WAITING,
                       himeno(net, pes, way, cut, 8, 5, 6))
    for pes in (1, 3):
        for way in ("Atomic", "Get_Put"):
            for updates in (0, 16, 40):
                # Without other PEs a barrier's wait is none.
                yield (f"Kernel_Random_Access_{way}(500, {updates}, {STEPS})", pes,
                       APART if pes == 1 else WAITING, access(net, way, updates))
    for pes in (2, 3, 4):
        for reduction in ("to_all", "puts"):
            for offsets in ("fetch_add", "alltoall"):
                yield (f'Kernel_Key_Exchange(500, 65537, {STEPS}, 256, "{reduction}", "{offsets}")', pes,
                       WAITING, keys(net, pes, reduction, offsets))


def communication(call):
    name, arguments = call.split("(", 1)
    return f"{name}_Communication({arguments}"


def measure(calls, pes, net, *options):
    """Times in ns, in the order of the calls."""
    script = "set_unit(1e9)\nset_min_repetitions(4)\nset_max_repetitions(4)\n" + "".join(
        f'begin measurement "{i}"\n  measure MPI_COMM_WORLD : {call}\nend measurement\n'
        for i, call in enumerate(calls))
    path = f"{harness.scratch_directory()}/kernels.ski"
    write_text(path, script)
    run = launch(pes, [harness.program(), "-i", path, *options], net.environment())
    tap.ok(run.status == 0 and len(run.rows) == len(calls), f"{net}: {pes} PEs: all are measured", run)
    return [row.time for row in run.rows]


def check_costs(net):
    every = list(cases(net))
    for pes in sorted({case[1] for case in every}):
        chosen = [case for case in every if case[1] == pes]
        for of in (str, communication):
            # More PEs than processors take long, whatever their clock says.
            chosen = chosen if pes == 2 else chosen[of is communication :: 3]
            calls = [of(case[0]) for case in chosen]
            times = measure(calls, pes, net, "--timer", "clock_gettime")
            for call, (_, _, tolerance, cost), time in zip(calls, chosen, times):
                tap.ok(truth.close(time, cost, tolerance * cost), f"{net}: {pes} PEs: {call}",
                       f"{time:g} ns instead of {cost:g}")


def check_share():
    """By a real clock: a computation of milliseconds, and a reduction that takes less."""
    net = truth.Network(500, 1000, 500, reduce=200000)
    for _ in range(ATTEMPTS):
        # Other programs may have the processor for milliseconds, also during the reduction.
        step, share = measure(["Kernel_Himeno(64, 64, 64, 3)", "Kernel_Himeno_Communication(64, 64, 64, 3)"],
                              1, net)
        if good := 0.95 * 200000 <= share <= 0.6 * step:
            break
        tap.note(f"{share:g} ns of {step:g}")
    tap.ok(good, "communication is the reduction, and the step is more", f"{share:g} ns of {step:g}")


def main():
    truth.require()
    for net in NETWORKS:
        check_costs(net)
    check_share()
    tap.done()


main()
