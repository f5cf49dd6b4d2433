#!/usr/bin/env python3
# LONG
# PLAIN
"""What a library does wrong is found, or is not found, as the table in docs/method.md says, with the words that it has."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from builds import preloadable
from harness import Tap, in_parallel, measuring, read_text, skampi, skip_all

SETTINGS = """set_min_repetitions(8)
set_max_repetitions(8)
set_max_relative_standard_error(0.9)
"""
IMPATIENT = "set_watchdog(5)\n"
MANY = "set_min_repetitions(12)\nset_max_repetitions(12)\n"  # what is wrong once happens in the timed part
ONCE_WRONG = "set_min_repetitions(60)\nset_max_repetitions(60)\nswitch_buffer_cycling_off()\n"
# Row of the table: what faulty_library.c or wrong_data.c is to do, what is measured, settings, and the status.
FAULT, WRONG = "SKAMPI_FAULT", "SKAMPI_WRONG"
CASES = {
    "a collective returns before its data are there": [
        ((FAULT, "shmem_broadcast32 returns early"), "Shmem_Bcast_All_Consecutive(50, 1000, 0)", "", 3),
        ((FAULT, "shmem_broadcast32 returns early"), "Shmem_Bcast_All(50, 1000, 0)", "", 3),
        ((FAULT, "shmem_int_sum_to_all returns early"), "Shmem_Reduce_Sum_Int_Consecutive(50, 1000)", "", 3)],
    "the same in functions that acknowledge": [
        ((FAULT, "shmem_broadcast32 returns early"), "Shmem_Bcast_All_SK(20, 1000, 0)", "", 0)],
    "a quiet never completes puts": [
        ((FAULT, "quiet completes nothing"), "Shmem_Put_Nonblocking_Full(1000, 50)", "", 3)],
    "a quiet leaves puts to the next quiet": [
        ((FAULT, "quiet completes late"), "Shmem_Quiet_Put(5, 8)", "", 3),
        ((FAULT, "quiet completes late"), "Shmem_Quiet(5)", "", 3)],
    "the same in other functions": [
        ((FAULT, "quiet completes late"), "Shmem_Put_Nonblocking_Full(1000, 50)", "", 0)],
    "a lock is given to two PEs": [
        ((FAULT, "set_lock excludes nobody"), "Shmem_Set_Lock()", "", 3)],
    "a lock is given to two PEs once": [
        ((FAULT, "set_lock excludes nobody once"), "Shmem_Set_Lock()", MANY, 0)],
    "a barrier does not wait": [
        ((FAULT, "shmem_barrier_all synchronizes nobody"), "Shmem_Barrier()", "", 3)],
    "data are wrong from some call on": [
        ((WRONG, "shmem_putmem flip 200 1000000000"), "Shmem_Put_Full(1000, 50)", "", 3)],
    "data are wrong for a while": [
        ((WRONG, "shmem_putmem drop 40 47"), "Shmem_Put_Full(1000, 1)", ONCE_WRONG, 0)],
    "the same with `--verify every`": [
        ((WRONG, "shmem_putmem drop 40 47"), "Shmem_Put_Full(1000, 1)", ONCE_WRONG + 'set_verify("every")\n', 3)],
    "a call never returns on one PE": [
        ((FAULT, "shmem_broadcast32 never returns"), "Shmem_Bcast_All(50, 1000, 0)", IMPATIENT, 5)],
    "the end of the library crashes": [
        ((FAULT, "finalize crashes"), "Shmem_Quiet_Put(5, 8)", "", 139)],
}


def rows_of_table():
    """{what is wrong: what you read} of the table in docs/method.md."""
    table = read_text(harness.ROOT, "docs", "method.md").split("### Faults of a library\n")[1].split("\n#")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")]
    return {cells[0]: cells[-1] for cells in rows[1:]}


def main():
    if not harness.has("SHMEM"):
        skip_all("built without OpenSHMEM")
    tap = Tap()
    libraries = {FAULT: preloadable("faulty_library.c"), WRONG: preloadable("wrong_data.c")}
    if not tap.ok(all(libraries.values()), "the faulty libraries are built"):
        tap.done()
    said = rows_of_table()
    tap.equal(list(said), list(CASES), "the table has a row for each fault")

    def measure(case):
        _, (variable, fault), call, settings, _ = case
        return skampi(SETTINGS + settings + measuring("faulty", call, "wtime(10)"), np=2,
                      env={"LD_PRELOAD": libraries[variable], variable: fault})

    cases = [(name, *case) for name, some in CASES.items() for case in some]
    for (name, (_, fault), call, _, status), run in in_parallel(cases, measure):
        words = re.findall(r"`(.*?)`", said.get(name, ""))
        tap.equal(run.status, status, f"{fault}: {call}: status {status}", run)
        if status == 0:
            tap.ok(said.get(name, "").startswith("nothing: ") and not run.err, f"{fault}: {call}: nobody can tell", run)
        else:
            tap.ok(words and all(word in run.err for word in words), f"{fault}: {call}: {', '.join(words)}", run)
        tap.equal(len(run.rows), {0: 2, 3: 1, 5: 0, 139: 2}[status], f"{fault}: {call}: no time but of what was right", run)
    tap.done()


main()
