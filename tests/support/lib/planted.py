"""Runs of tests/support/planted under the tracer: what is planted, and what `shmemtrace explain` makes of it."""

import collections
import json
import os
import re

import harness
import traces
from harness import ROOT, read_text, run, scratch_directory

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

Outcome = collections.namedtuple("Outcome", "planted waited first place")


def program():
    """The program, and its library beside it; ends the test where they, or the tracer, cannot be built."""
    text = read_text(FOLDER, "planted.c")
    folder = scratch_directory()
    library = os.path.join(folder, "libslow.so")
    flags = ["-I", FOLDER, "-L", folder, "-lslow", f"-Wl,-rpath,{folder}", "-g"]
    built = run([os.environ.get("OSHCC", "oshcc"), "-w", "-O1", "-shared", "-fPIC", "-I", FOLDER, "-o", library,
                 os.path.join(FOLDER, "slow.c")])
    if built.status != 0:
        harness.skip_all(f"no compiler for OpenSHMEM: {built.err}")
    return traces.compiled(text, flags)


def planted_seconds(cause, pes, rounds, comes, goes):
    """What all PEs together have waited, by the program's own clock: times at which each PE came, and at which it went on or
    did what others waited for, by PE and round."""
    if cause in ("late_pe", "early_barrier", "imbalance"):
        last = [max(comes[pe][number] for pe in range(pes)) for number in range(rounds)]
        return sum(last[number] - comes[pe][number] for pe in range(pes) for number in range(rounds))
    if cause in ("polling", "busy_target"):
        return sum(max(0, goes[0][number] - comes[pe][number]) for pe in range(1, pes) for number in range(rounds))
    if cause == "needless_quiet":  # the last one has no put behind it
        return sum(go - come for pe in range(pes) for come, go in zip(comes[pe][:-1], goes[pe]))
    seconds = 0  # one PE after the other; the first atomic is alone
    for number in range(-rounds, 0):
        queue = sorted(range(pes), key=lambda pe: goes[pe][number])
        seconds += sum(max(0, goes[before][number] - comes[pe][number]) for before, pe in zip(queue, queue[1:]))
    return seconds


def explained(path, causes, pes, milliseconds, rounds):
    """By cause, an Outcome: seconds planted and found, the first row of findings, and whether it is the planted cause at its
    place. Of several causes each has the rows of waits in its function. None, text: it failed."""
    folder = scratch_directory()
    done = traces.recorded(pes, [path, str(rounds), str(milliseconds), *causes], cwd=folder,
                           env={"PLANTED_FILE": os.path.join(folder, "lock")})
    told = run([traces.command(), "explain", "--json", "explained.json", traces.TRACE], cwd=folder)
    if done.status or told.status:
        return None, f"{done}\n{told}"
    with open(os.path.join(folder, "explained.json"), encoding="utf-8") as file:
        all_rows = [row for row in json.load(file)["findings"] if row["cause"] != "communication"]
    outcomes = {}
    for cause in causes:
        notes = {"comes": collections.defaultdict(list), "goes": collections.defaultdict(list)}
        for what, pe, seconds in re.findall(rf"^{cause} (\w+) (\d+) ([\d.]+)$", done.out, re.MULTILINE):
            notes[what][int(pe)].append(float(seconds))
        here = [row for row in all_rows if cause in row["in"].get("site", "")]
        rows = all_rows if len(causes) == 1 else here
        same = [row for row in here if (row["cause"], row["in"]["routine"]) == CAUSES[cause]]
        outcomes[cause] = Outcome(planted_seconds(cause, pes, rounds, **notes), sum(row["waited"] for row in same),
                                  rows[0] if rows else None, bool(same) and rows[0] is same[0])
    return outcomes, told.out
