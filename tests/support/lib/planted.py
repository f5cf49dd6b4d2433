"""Runs of tests/support/planted under the tracer: what is planted, and what `shmemtrace explain` makes of it."""

import collections
import json
import os
import re

import harness
import traces
from harness import ROOT, run, scratch_directory

FOLDER = os.path.join(ROOT, "tests/support/planted")
# Name of the cause in explain; the routine in which PEs wait.
CAUSES = {
    "late_pe": ("wait at barrier", "shmem_barrier_all"),
    "early_barrier": ("wait at barrier", "shmem_barrier_all"),
    "imbalance": ("imbalance before a collective", "shmem_long_sum_to_all"),
    "polling": ("late writer", "shmem_long_test"),
    "lock_queue": ("lock queue", "shmem_set_lock"),
    "hot_atomic": ("contended atomic", "shmem_long_atomic_fetch_add"),
    "busy_target": ("late progress", "shmem_getmem"),
    "needless_quiet": ("needless quiet", "shmem_quiet"),
}

Outcome = collections.namedtuple("Outcome", "planted waited first place text")


def program():
    """The program, and its library beside it; ends the test where they, or the tracer, cannot be built."""
    with open(os.path.join(FOLDER, "planted.c"), encoding="utf-8") as file:
        text = file.read()
    folder = scratch_directory()
    library = os.path.join(folder, "libslow.so")
    flags = ["-I", FOLDER, "-L", folder, "-lslow", f"-Wl,-rpath,{folder}", "-g"]
    built = run([os.environ.get("OSHCC", "oshcc"), "-w", "-O1", "-shared", "-fPIC", "-I", FOLDER, "-o", library,
                 os.path.join(FOLDER, "slow.c")])
    if built.status != 0:
        harness.skip_all(f"no compiler for OpenSHMEM: {built.err}")
    return traces.compiled(text, flags)


def planted_seconds(cause, pes, waits, rounds):
    """What all PEs together wait, from how long each PE's delays have been; waits: by PE."""
    everything = [seconds for each in waits.values() for seconds in each]
    if cause in ("late_pe", "early_barrier", "imbalance"):
        by_round = [[waits[pe][number] if pe in waits else 0 for pe in range(pes)] for number in range(rounds)]
        return sum(max(row) - one for row in by_round for one in row)
    if cause in ("lock_queue", "hot_atomic"):
        return sum(range(pes)) * rounds * sum(everything) / len(everything)
    if cause == "needless_quiet":  # the last one has no put behind it
        return sum(sum(each[:-1]) for each in waits.values())
    return (pes - 1) * sum(everything)


def explained(path, cause, pes, milliseconds, rounds):
    """Outcome: seconds planted and found, the first row of findings, whether it is the planted cause at its place."""
    folder = scratch_directory()
    done = traces.recorded(pes, [path, cause, str(rounds), str(milliseconds)], cwd=folder,
                           env={"PLANTED_FILE": os.path.join(folder, "lock")})
    told = run([traces.command(), "explain", "--json", "explained.json", traces.TRACE], cwd=folder)
    text = f"{done}\n{told}"
    if done.status or told.status:
        return Outcome(0, 0, None, False, text)
    waits = collections.defaultdict(list)
    for pe, seconds in re.findall(r"^waited (\d+) ([\d.]+)$", done.out, re.MULTILINE):
        waits[int(pe)].append(float(seconds))
    with open(os.path.join(folder, "explained.json"), encoding="utf-8") as file:
        rows = [row for row in json.load(file)["findings"] if row["cause"] != "communication"]
    name, routine = CAUSES[cause]

    def is_it(row):
        return row["cause"] == name and row["in"]["routine"] == routine and cause in row["in"].get("site", "")

    waited = sum(row["waited"] for row in rows if is_it(row))
    return Outcome(planted_seconds(cause, pes, waits, rounds), waited, rows[0] if rows else None,
                   bool(rows) and is_it(rows[0]), text)
