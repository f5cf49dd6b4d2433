#!/usr/bin/env python3
# LONG
# SERIAL
# TIMEOUT: 240
"""What costs less than 2 us and hands nothing over between processors takes as long with skampi as in
a loop of many calls that is timed from outside, in the same run."""

import re

import truth
from harness import Tap
from quiet import Attempts

ROUNDS = 4  # of skampi's function and the loop, in turns: processors have fast and slow moments
ATTEMPTS = 3
TOLERANCE = 0.15, 1  # of the time, and ns: a few cycles depend on the loop around the call

# Function and arguments: what it takes in terms of the program's loops.
EMPTY_QUIET = "(put_quiet_quiet - put_quiet)"
TRUTHS = {
    "Shmem_Put_Full(8, 1000)": "put_quiet",
    "Shmem_Put_Round(8, 1000)": f"put_quiet - {EMPTY_QUIET}",
    "Shmem_Get_Round(8, 1000)": "get",
    "Shmem_P_Full(1000)": "p_quiet",
    "Shmem_G_Round(1000)": "g",
    "Shmem_Put_Elements_Full(1, 8, 1000)": "put_element_quiet",
    "Shmem_Iput_Round(4, 2, 1000)": f"iput_quiet - {EMPTY_QUIET}",
    "Shmem_Iget_Round(4, 2, 1000)": "iget",
    "Shmem_Atomic_Inc(1000)": f"inc_quiet - {EMPTY_QUIET}",
    "Shmem_Atomic_Set_Long(1000)": f"set_quiet - {EMPTY_QUIET}",
    "Shmem_Atomic_Fetch(1000)": "fetch",
    "Shmem_Fence(1000)": "fence",
    "Shmem_Atomic_Fetch_Add(1000)": "fetch_add",
    "Shmem_Atomic_Swap_Long(1000)": "swap",
    "Shmem_Quiet(1000)": "quiet",
    "Shmem_Wait_Until(1000)": "wait_until",
    "Shmem_Test(1000)": "test",
}

tap = Tap()


def names_in(formula):
    return re.findall(r"[a-z_]+", formula)


def script(calls):
    """Functions and loops in turns."""
    lines = ["set_unit(1e9)", "set_skampi_buffer(4kb)", "switch_buffer_cycling_off()",
             "set_max_repetitions(8)"]
    for number in range(ROUNDS):
        for call in calls:
            lines.append(f'begin measurement "{call} {number}"\nmeasure comm(2) : {call}')
            lines += [f'measure comm(2) : Loop("{name}")'
                      for name in sorted(set(names_in(TRUTHS[call])))]
            lines.append("end measurement")
    return "\n".join(lines)


def measured(calls):
    """For each call a list, by rounds, of nanoseconds by call and by names of loops."""
    rows = {}
    for row in truth.measure(script(calls), timeout=100, program=truth.with_functions("loops")):
        rows.setdefault(row.block, []).append(row.time)
    return {call: [dict(zip([call, *sorted(set(names_in(TRUTHS[call])))], rows[f"{call} {number}"]))
                   for number in range(ROUNDS)] for call in calls}


def least_of(rounds, key):
    """What disturbs a time makes it longer, and each is measured in the fastest state of the machine, some time."""
    return min(values[key] for values in rounds)


def close(time, expected):
    return truth.close(time, expected, max(TOLERANCE[0] * expected, TOLERANCE[1]))


def off(calls, seen):
    """Texts of what is not within the tolerance, by call. seen: the rounds of earlier attempts, which count, too."""
    try:
        rows = measured(calls)
    except truth.RunFailed as error:
        tap.note(error)
        return dict.fromkeys(calls, "not measured")
    texts = {}
    for call in rows:
        rounds = seen.setdefault(call, [])
        rounds += rows[call]
        time = least_of(rounds, call)
        loops = {name: least_of(rounds, name) for name in names_in(TRUTHS[call])}
        expected = truth.evaluate(TRUTHS[call], loops)
        text = f"{call}: {time:.1f} ns, a loop takes {expected:.1f} ns"
        tap.note(text)
        if not close(time, expected):
            texts[call] = text
    return texts


def main():
    truth.require()
    failed, seen = list(TRUTHS), {}
    attempts = Attempts(tap, ATTEMPTS)
    for _ in attempts:
        failed = off(list(failed), seen)
        if not failed:
            break
    for call in TRUTHS:
        attempts.decide(call not in failed, call, failed.get(call) if failed else None)
    # The checker's own twin: an operation with two calls of quiet is not one with one.
    twin = "Shmem_Put_Full(8, 1000)"
    TRUTHS[twin] = "put_quiet_quiet"
    # By chance it may agree once, with a machine that has become faster or slower between the two.
    tap.ok(any(off([twin], {}) for _ in range(ATTEMPTS)), "a call of the library more would be noticed")
    tap.done()


main()
