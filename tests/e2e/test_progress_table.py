#!/usr/bin/env python3
# LONG
"""skampi-table progress says which operations make progress while the target computes, which wait for its next call, and
of which that is not certain; from made results, and from one run."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap, has, read_text, run, scratch_directory, skampi
from made_results import ToolOnResults, point

TOOL = [os.path.join(ROOT, "scripts/skampi-table"), "progress"]
US, MS = 1e-6, 1e-3
YES, INSIDE, UNCERTAIN = "yes", "only inside calls", "not certain"
PUT, GET, ATOMIC = (f"Shmem_{name}_Target_Computes" for name in ("Put", "Get", "Atomic_Fetch_Add_Long"))

tap = Tap()
folder = scratch_directory()
tool = ToolOnResults(tap, TOOL, folder, "operation")


def target(function, alone, computing, computation=10 * MS, **size):
    """An operation alone, and on a target that computes."""
    return [point("b", function, {**size, "computation": seconds}, time)
            for seconds, time in ((0.0, alone), (computation, computing))]


def collective(name, post, full, overlap, **more):
    return [point("b", name + part, {"count": 8}, time, **more)
            for part, time in (("_Post", post), ("_Full", full), ("_Overlap", overlap))]


def check_targets():
    # The rest of a computation of 10 ms is 8.75 ms.
    found = tool.table(target(PUT, US, 3 * US, count=8) + target(GET, US, US + 8.75 * MS, count=8) +
                  target(ATOMIC, US, US + 4 * MS))
    tap.equal({name: one["verdict"] for name, one in found.items()},
              {"put and quiet": YES, "get": INSIDE, "fetching atomic": UNCERTAIN}, "verdicts of put, get and atomic")
    tap.ok(abs(found["get"]["share"]["value"] - 1) < 1e-6 and abs(found["fetching atomic"]["share"]["value"] - 4 / 8.75)
           < 1e-6, "the share of the rest of the computation", found)
    wide = target(GET, US, US + 6 * MS, count=8)
    wide[1]["median_low"], wide[1]["median_high"] = MS, 9 * MS
    tap.equal(tool.table(wide)["get"]["verdict"], UNCERTAIN, "an interval that reaches below the limit")
    short = tool.table(target(GET, MS, 11 * MS, count=8))["get"]
    tap.ok(short["verdict"] == UNCERTAIN and "larger COMPUTATION" in short["why"],
           "a computation that is not much longer than the operation tells nothing", short)
    sizes = tool.shown(target(GET, US, US, count=8) + target(GET, US, US + 9 * MS, count=8192)).out.splitlines()
    tap.ok("8 B" in sizes[1] and sizes[1].endswith(YES) and "8 KiB" in sizes[2] and sizes[2].endswith(INSIDE),
           "each size has its own line", sizes)


def check_windows():
    """Each kind of window by itself."""
    name = "Put_Flush_Target_Computes"
    found = tool.table(target(name, US, US, count=8, memory="allocate") +
                  target(name, US, 10 * MS, count=8, memory="create"))
    tap.equal({name: one["verdict"] for name, one in found.items()},
              {"MPI_Put (allocate)": YES, "MPI_Put (create)": INSIDE}, "verdicts of MPI by the kind of the window")


def check_collectives():
    for overlap, verdict in ((1.1 * US, YES), (4.9 * US, INSIDE), (2.6 * US, UNCERTAIN)):
        found = tool.table(collective("Ibarrier", US, 5 * US, overlap))
        tap.equal(found["MPI_Ibarrier"]["verdict"], verdict, f"a collective of which {overlap / US:g} us are left")
    done = tool.shown(collective("Ibcast", 4.5 * US, 5 * US, 4.5 * US))
    tap.ok(done.status == 0 and "nothing to be covered" in done.out and UNCERTAIN in done.out,
           "a collective that is over when the post returns", done)


def check_refused():
    tool.refused([point("b", "Shmem_Put_Round", {"count": 8}, US)], "progress.ski", "results of something else")
    tool.refused(target(GET, US, US, count=8)[1:], "progress.ski", "nothing to compare with")
    tool.refused(collective("Ibcast", US, 2 * US, US)[:2], "progress.ski", "a collective without its overlap")
    done = run([*TOOL, os.path.join(folder, "none.json")])
    tap.ok(done.status == 2 and "none.json" in done.err, "no file", done)


def check_real():
    """All operations that this build has are measured and shown."""
    path = os.path.join(folder, "real.json")
    script = "set_max_repetitions(8)\n" + read_text(ROOT, "inputs/progress.ski")
    done = skampi(script, 2, ["--set", "MAXSIZE=8", "--set", "COMPUTATION=0.002", "-o", path])
    found = run([*TOOL, path, "--json", "-"])
    rows = json.loads(found.out)["operations"] if found.status == 0 else []
    wanted = {"put and quiet", "get", "fetching atomic"} if has("SHMEM") else set()
    if has("MPI"):
        wanted |= {f"{name} ({memory})" for name in ("MPI_Put", "MPI_Get", "MPI_Fetch_and_op")
                   for memory in ("allocate", "create")}
        wanted |= {"MPI_Ibarrier", "MPI_Ibcast", "MPI_Iallreduce", "MPI_Ialltoall"}
    tap.equal({row["operation"] for row in rows}, wanted, "progress.ski measures all operations", f"{done}\n{found}")
    tap.ok(rows and all(row["alone"]["value"] > 0 and row["verdict"] in (YES, INSIDE, UNCERTAIN) for row in rows),
           "... and each has a verdict", rows)


check_targets()
check_windows()
check_collectives()
check_refused()
check_real()
tap.done()
