#!/usr/bin/env python3
# SERIAL
# TIMEOUT: 120
"""What costs less than 2 us and hands nothing over between processors takes as long with skampi as in
a loop of a million calls that a plain program times from outside."""

import statistics

import truth
from harness import Tap

ROUNDS = 5  # of skampi and the program, in turns: a whole run may be fast or slow
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
    "Shmem_Atomic_Fetch_Add(1000)": "fetch_add",
    "Shmem_Atomic_Swap_Long(1000)": "swap",
    "Shmem_Quiet(1000)": "quiet",
    "Shmem_Wait_Until(1000)": "wait_until",
    "Shmem_Test(1000)": "test",
}

tap = Tap()


def skampi_times(calls):
    """Nanoseconds by call."""
    script = ["set_unit(1e9)", "switch_buffer_cycling_off()"]
    script += [f'begin measurement "{c}"\nmeasure comm(2) : {c}\nend measurement' for c in calls]
    return {row.block: row.time for row in truth.measure("\n".join(script), timeout=60)}


def loop_times():
    """Nanoseconds by the name of the loop."""
    result = truth.launch(2, [truth.program("loops")], timeout=60)
    if result.status != 0:
        raise truth.RunFailed(str(result))
    return {name: float(time) for name, time in map(str.split, result.out.splitlines())}


def median_of(rounds, key):
    return statistics.median(values[key] for values in rounds)


def close(time, expected):
    return truth.close(time, expected, max(TOLERANCE[0] * expected, TOLERANCE[1]))


def off(calls):
    """Texts of what is not within the tolerance, by call, and the times of all loops."""
    ours, theirs = [], []
    for _ in range(ROUNDS):
        ours.append(skampi_times(calls))
        theirs.append(loop_times())
    loops = {name: median_of(theirs, name) for name in theirs[0]}
    texts = {}
    for call in calls:
        time, expected = median_of(ours, call), truth.evaluate(TRUTHS[call], loops)
        text = f"{call}: {time:.1f} ns, a loop takes {expected:.1f} ns"
        tap.note(text)
        if not close(time, expected):
            texts[call] = text
    return texts, loops


def main():
    truth.require()
    calls = list(TRUTHS)
    failed, loops = off(calls)
    for _ in range(ATTEMPTS - 1):
        if failed:
            truth.settle()
            failed, _ = off(list(failed))
    for call in calls:
        tap.ok(call not in failed, call, failed.get(call))
    noticed = not close(loops["put_quiet"], loops["put_quiet_quiet"])
    tap.ok(noticed, "a call of the library more would be noticed", loops)
    tap.done()


if __name__ == "__main__":
    main()
