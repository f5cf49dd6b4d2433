#!/usr/bin/env python3
# LONG
# SERIAL
# TIMEOUT: 300
"""Waiting for the start of a window does not stall operations that need this PE's attention. Operations on a PE that
computes tell a library that progresses without it from one that does not."""

import truth
from harness import Tap
from quiet import Attempts

LIMIT = 1e6  # ns; a stalled operation takes 20 ms and more
# ms that a target stays outside: so long that it is still away when a busy machine lets the other PE begin late.
AWAY = 300

TRANSPORTS = {
    "shared memory": {},
    "TCP": {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo"},
}

CALLS = [
    "Shmem_Put_Simple(8, 5)",
    "Shmem_Put_Round(1024, 5)",
    "Shmem_Put_Full(8, 5)",
    "Shmem_Put_Full_Single(8, 5, 0)",
    "Shmem_Put_Full_Single(8, 5, 1)",
    "Shmem_Get_Simple(8, 5)",
    "Shmem_Get_Round(1024, 5)",
    "Shmem_Put_Nonblocking_Full_Single(8, 5, 0)",
    "Shmem_Put_Nonblocking_Quiet(8, 5)",
    "Shmem_Get_Nonblocking_Full(8, 5)",
    "Shmem_Get_Nonblocking_Full_Single(8, 5, 1)",
    "Shmem_Quiet_Put(5, 8)",
    "Shmem_Barrier()",
    "Shmem_Barrier_Consecutive(5)",
]

tap = Tap()


def script(calls, synchronization):
    blocks = [
        f'begin measurement "{call}"\nmeasure comm(2) : {call}\nend measurement' for call in calls
    ]
    # A stall makes the window grow: it shall not do so for long.
    return "\n".join(["set_unit(1e9)", "set_max_window(1.0)", f"choose_{synchronization}_synchronization()", *blocks])


def stalled(calls, environment, synchronization):
    """Texts of what was too slow, by call; of all when the run failed."""
    try:
        rows = truth.measure(script(calls, synchronization), 2, environment, timeout=60)
    except truth.RunFailed as error:
        tap.note(error)
        return dict.fromkeys(calls, "not measured")
    times = {row.block: row.time for row in rows}
    texts = {call: f"{times.get(call)} ns" for call in calls}
    return {call: text for call, text in texts.items() if not times.get(call, LIMIT) < LIMIT}


def check_transport(name, environment, synchronization):
    slow = dict.fromkeys(CALLS)
    attempts = Attempts(tap, wanted=2)
    for _ in attempts:
        again = stalled(list(slow), environment, synchronization)
        slow = {call: text for call, text in again.items() if call in slow}
        if not slow:
            break
        tap.note(f"{name}: {slow}")
    for call in CALLS:
        attempts.decide(call not in slow, f"{call} over {name}, {synchronization}", slow.get(call))


def check_twin():
    """That it matters: where the target does not make progress, a get over TCP does stall."""
    run = truth.launch(2, [truth.program("progress_check"), AWAY], TRANSPORTS["TCP"])
    times = dict(line.split() for line in run.out.splitlines())
    tap.note(f"{times} ns")
    waits = float(times.get("target_away", "nan"))
    tap.ok(waits > AWAY * 1e6 / 4, "a target that stays outside the library stalls a get over TCP", run)


# Not less, since a machine that is busy makes operations over TCP take milliseconds by themselves.
COMPUTATION = 0.03  # seconds
COMPUTING = ["Shmem_Get_Target_Computes(8, {})", "Shmem_Atomic_Fetch_Add_Long_Target_Computes({})"]


def shares(environment):
    """By call: the part of the computation that the operation takes; NaN if it could not be measured."""
    calls = [call.format(COMPUTATION) for call in COMPUTING]
    text = "set_max_repetitions(8)\n" + script(calls, "barrier")
    try:
        rows = truth.measure(text, 2, environment, timeout=60)
    except truth.RunFailed as error:
        tap.note(error)
        rows = []
    times = {row.block: row.time for row in rows}
    return {call: times.get(call, float("nan")) / (COMPUTATION * 1e9) for call in calls}


def check_computing_target():
    """By itself in shared memory, where the origin's processor does all, and in calls of the target over TCP."""
    for name, wanted, good in (("shared memory", "at once", lambda share: share < 0.1),
                               ("TCP", "when the target calls the library", lambda share: share > 0.5)):
        attempts = Attempts(tap, wanted=2)
        found = {}
        for _ in attempts:
            found = shares(TRANSPORTS[name])
            if all(map(good, found.values())):
                break
            tap.note(f"{name}: {found}")
        for call, share in found.items():
            attempts.decide(good(share), f"{call} over {name}: {wanted}", share)


def main():
    truth.require()
    check_twin()
    check_computing_target()
    for name, environment in TRANSPORTS.items():
        for synchronization in ("real", "barrier"):
            check_transport(name, environment, synchronization)
    tap.done()


main()
