#!/usr/bin/env python3
# TIMEOUT: 300
"""Collectives made of one-sided operations take as long as their rounds say, on a network with programmed
costs, by a simulated clock: each algorithm on 1, 2, 3, 4, 7 and 8 PEs, with pieces, in place, and where senders
ask whether targets are free."""

import truth
from harness import SAMPLE, Tap

POST, WIRE, FENCE = 1500, 12000, 300
# Data, a fence, and their number: the sender is busy for SEND; the number has arrived after a hop.
SEND = POST + FENCE + POST
HOP = SEND + WIRE
TELL = POST + WIRE  # a number without data
TOLERANCE = 0.05
LEAST = 400  # ns: a few readings of the clock
PES = (3, 4) if SAMPLE else (1, 2, 3, 4, 7, 8)
COUNT = 1200  # bytes: not divisible by all numbers of PEs
PIECES = 4

tap = Tap()


# ---- What each algorithm takes, from its definition ----


def children(rank, n):
    """In a binomial tree, the largest subtree first."""
    bit = 1
    while bit < n and not rank & bit:
        bit *= 2
    while bit > 1:
        bit //= 2
        if rank + bit < n:
            yield rank + bit


def down(n, send, start=0):
    """From rank 0 along a binomial tree until the last one has left."""
    end, last = {0: start}, start
    for rank in range(n):  # parents come before their children
        time = end[rank]
        for child in children(rank, n):
            time += send
            end[child] = time + WIRE
        last = max(last, time)
    return last


def up(n, send):
    """To rank 0, which has received everything then."""
    sent = {}
    for rank in reversed(range(n)):
        time = 0
        for child in reversed(list(children(rank, n))):
            time = max(time, sent[child] + WIRE)
        sent[rank] = time + send
    return sent[0] - send


def doubling(n, send, rounds):
    """Rounds of (bit of the partner) among the largest power of two; each of the others gives its data to
    the rank before and gets the result from there."""
    power = 1 << n.bit_length() - 1
    rest = n - power
    time = [send + WIRE if place < rest else 0 for place in range(power)]
    for bit in rounds(power):
        sent = [t + send for t in time]
        time = [max(sent[place], sent[place ^ bit] + WIRE) for place in range(power)]
    return max([*time, *(time[place] + send + WIRE for place in range(rest))])


def upwards(power):
    return [1 << k for k in range(power.bit_length() - 1)]


def halves_and_doubles(power):
    return upwards(power)[::-1] + upwards(power)


def ring(rounds, pieces, send):
    """Each piece goes on as soon as it is there, and the sender is free."""
    if not rounds:
        return 0
    return (rounds - 1) * max(pieces * send, send + WIRE) + pieces * send + WIRE


def chain(n, pieces, send):
    return (n - 1) * (send + WIRE) + (pieces - 1) * send if n > 1 else 0


def scattered(n, send):
    """Binomial scatter, and a ring in which the root only sends."""
    free, ready = [0] * n, [0] * n
    for rank in range(n):
        free[rank] = ready[rank]
        for child in children(rank, n):
            free[rank] += send
            ready[child] = free[rank] + WIRE
    arrived = [[0] * n for _ in range(n)]  # of each round
    for step in range(n - 1):
        for rank in range(n - 1):
            begin = free[rank] if rank == 0 or step == 0 else max(free[rank], arrived[step - 1][rank])
            free[rank] = begin + send
            arrived[step][rank + 1] = free[rank] + WIRE
    return max([*free, *(max(row) for row in arrived)])


def expected(n):
    """{(function, algorithm, further arguments): ns}; what a sender asks for is told first."""
    log = (n - 1).bit_length()
    some = n > 1
    barrier = {
        "flat": 2 * TELL + (n - 2) * POST if some else 0,
        "binomial": down(n, POST, up(n, POST)),
        "recursive_doubling": doubling(n, POST, upwards),
        "dissemination": log * TELL,
        "ring": (2 * n - 1) * TELL if some else 0,
    }
    asked = TELL if some else 0
    broadcast = {
        "flat": (n - 1) * SEND + WIRE if some else 0,
        "binomial": down(n, SEND),
        "scatter_allgather": scattered(n, SEND),
        "ring": chain(n, 1, SEND),
    }
    collect = {
        "flat": (n - 1) * SEND + WIRE if some else 0,
        "binomial": down(n, SEND, up(n, SEND)),
        "recursive_doubling": doubling(n, SEND, upwards),
        "ring": ring(n - 1, 1, SEND),
    }
    reduce = {
        "flat": HOP + (n - 1) * SEND + WIRE if some else 0,
        "binomial": down(n, SEND, up(n, SEND)),
        "recursive_doubling": doubling(n, SEND, upwards),
        "reduce_scatter_allgather": doubling(n, SEND, halves_and_doubles),
        "ring": ring(2 * (n - 1), 1, SEND),
    }
    every = {("Barrier", name, ""): time for name, time in barrier.items()}
    for name, time in broadcast.items():
        every["Broadcast_Synchro", name, f", {COUNT}, get_np() - 1, 0, \"ready\""] = time
    for name in ("flat", "binomial", "ring"):
        every["Broadcast_Synchro", name, f", {COUNT}, 0, 0, \"asked\""] = broadcast[name] + asked
    every["Broadcast_Synchro", "ring", f", {COUNT}, 0, {COUNT // PIECES}, \"ready\""] = chain(n, PIECES, SEND)
    for name, time in collect.items():
        every["Collect_Synchro", name, f", {COUNT}, 0, \"separate\", \"ready\""] = time
    every["Collect_Synchro", "ring", f", {COUNT}, 0, \"in_place\", \"asked\""] = collect["ring"] + asked
    every["Collect_Synchro", "ring", f", {COUNT}, {COUNT // PIECES}, \"in_place\", \"ready\""] = \
        ring(n - 1, PIECES, SEND)
    for name, time in reduce.items():
        every["Reduce_Sum_Long_Synchro", name, f", {COUNT}, 0"] = time
    every["Reduce_Sum_Long_Synchro", "ring", f", {COUNT}, 0, \"in_place\""] = reduce["ring"]
    longs = -(-COUNT // 8 // n)  # of the largest part
    segment = -(-longs // PIECES)
    every["Reduce_Sum_Long_Synchro", "ring", f", {COUNT}, {8 * segment}"] = \
        ring(2 * (n - 1), -(-longs // segment), SEND)
    # Without data there is nothing but numbers.
    every["Reduce_Sum_Long_Synchro", "recursive_doubling", ", 0"] = barrier["recursive_doubling"]
    return every


# ---- What is measured ----


def measure(n, every):
    """Seconds by block."""
    network = truth.Network(POST, WIRE, 500, fence=FENCE, wait=0, clock="simulated", barrier=5000)
    script = ["set_unit(1e9)", "set_min_repetitions(4)", "set_max_repetitions(8)",
              "set_max_relative_standard_error(0.05)"]
    for number, (function, algorithm, more) in enumerate(every):
        script += [f'begin measurement "{number}"',
                   f'measure MPI_COMM_WORLD : Shmem_Made_{function}("{algorithm}", "put"{more})',
                   "end measurement"]
    path = truth.Path(truth.harness.scratch_directory()) / "made.ski"
    path.write_text("\n".join(script) + "\n")
    run = truth.launch(n, [truth.harness.program(), "-i", path, "--timer", "clock_gettime"],
                       network.environment(), timeout=200)
    tap.ok(run.status == 0, f"{n} PEs: exit status", run)
    return {row.block: row.time for row in run.rows}


def main():
    truth.require()
    for n in PES:
        every = expected(n)
        times = measure(n, every)
        for number, ((function, algorithm, more), cost) in enumerate(every.items()):
            time = times.get(str(number), float("nan"))
            tap.ok(truth.close(time, cost, max(TOLERANCE * cost, LEAST)),
                   f"{n} PEs: {function}, {algorithm}{more}: {cost} ns", time)
    tap.done()


main()
