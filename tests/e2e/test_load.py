#!/usr/bin/env python3
"""skampi-table load shows percentiles of single operations with and without aggressors, and what these achieve; each
kind of aggressors runs, is refused where there are too few PEs, and leaves the right data behind."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from harness import ROOT, Tap, has, read_text, run, scratch_directory, skampi
from made_results import ToolOnResults, point

TOOL = [os.path.join(ROOT, "scripts/skampi-table"), "load"]
US = 1e-6
PUT = "Shmem_Put_Under_Load"
KINDS = {"none": 2, "incast": 3, "memory": 3, "puts": 4, "gets": 4, "incast_apart": 4}  # and PEs that they need

tap = Tap()
folder = scratch_directory()
tool = ToolOnResults(tap, TOOL, folder, "aggressors")


def made(aggressors, median, p99, p999, valid=2000, low=None, memory=None, placement="on one node", **more):
    """An operation under load; low: MB/s that the slowest aggressor achieves."""
    notes = [f"aggressors: 2, puts to the next one, 8 bytes each time, at {low} to {2 * low} MB/s each"] if low else []
    arguments = {"count": 8, "aggressors": aggressors, "flood": 8, **({"memory": memory} if memory else {})}
    more["pe_set"] = {"size": 2, "members": "0-1", "placement": placement}
    return point("b", PUT, arguments, median, p99=p99, p999=p999, valid=valid, notes=notes, **more)


def check_table():
    points = [made("none", US, 2 * US, 5 * US), made("puts", 3 * US, 8 * US, 50 * US, low=1000),
              made("memory", 2 * US, 9 * US, 9 * US, valid=999)]
    found = tool.table(points)
    tap.equal(list(found), ["none", "puts", "memory"], "each kind of aggressors has an entry", found)
    tap.ok(all(abs(found["puts"]["ratios"][name] - ratio) < 1e-9
               for name, ratio in (("median", 3), ("p99", 4), ("p999", 10))), "ratios to no aggressors", found["puts"])
    tap.equal(found["puts"]["rate"], [1e9, 2e9], "what the aggressors achieve")
    tap.ok(found["memory"]["times"]["p999"] is None and found["memory"]["times"]["p99"],
           "999 operations have no p99.9", found["memory"])
    lines = tool.shown(points).out.splitlines()
    tap.ok("REPETITIONS=1000" in lines[-1] and lines[2].endswith(" 1.00 to 2.00") and
           all(f"{name} [µs]" in lines[0] for name in ("median", "p99", "p99.9")) and
           lines[0].endswith("[GB/s]"), "as a table, with a unit a column", lines)
    tap.equal(lines[2].split()[-6:-3], ["3", "4", "10"], "the ratios stand in it", lines)
    two = tool.table([made("none", US, US, US), made("puts", 2 * US, US, US), made("puts", 4 * US, US, US, round=2)])
    tap.equal(two["puts"]["ratios"]["median"], 3.0, "of several rounds the median", two)
    apart = json.loads(tool.shown([made(kind, scale * US, US, US, **where)
                                   for where, factor in (({}, 2), ({"memory": "create"}, 3), ({"memory": "shared"}, 4),
                                                         ({"placement": "on several nodes"}, 5))
                                   for kind, scale in (("none", 1), ("puts", factor))], "--json", "-").out)["operations"]
    tap.equal([row["ratios"]["median"] for row in apart if row["aggressors"] == "puts"], [2.0, 3.0, 4.0, 5.0],
              "kinds of windows, and places of PEs, are operations of their own", apart)
    tap.equal([row["operation"] for row in apart[2:6:2]], ["Shmem_Put (create)", "Shmem_Put (shared)"],
              "... by their names", apart)


def functions(api):
    return [f["name"] for f in harness.functions()
            if f["name"].endswith("_Under_Load") and f["api"] == api and not f.get("unsupported")]


def check_real(api, script, pes):
    """load.ski measures all functions beside all aggressors for which there are PEs; data are verified each time."""
    names = functions(api)
    if not names:
        tap.skip(f"load.ski: {api}", "this build has none of it")
        return
    path = os.path.join(folder, f"{api}.json")
    small = [word for name in ("MAXSIZE=8", "FLOOD=64", "REPETITIONS=2") for word in ("--set", name)]
    done = skampi('set_verify("every")\n' + script, pes, [*small, "-o", path], timeout=100)
    found = run([*TOOL, path, "--json", "-"])
    rows = json.loads(found.out)["operations"] if found.status == 0 else []
    wanted = {(name.removesuffix("_Under_Load"), kind) for name in names
              for kind, need in KINDS.items() if need <= pes}
    tap.equal({(row["operation"].partition(" ")[0], row["aggressors"]) for row in rows}, wanted, f"load.ski on {pes} PEs measures {api}",
              f"{done}\n{found}")
    tap.ok(rows and all((row["rate"] is not None and row["rate"][0] > 0) == (row["aggressors"] != "none")
                        for row in rows), "... and all aggressors move something", rows)


def check_script():
    """MPI on fewer PEs: where they share processors, its operations take milliseconds."""
    script = read_text(ROOT, "inputs/load.ski")
    head = script[:script.index("# ---- OpenSHMEM ----")]
    openshmem, mpi = script[len(head):].split("# ---- MPI ----")
    check_real("OpenSHMEM", head + openshmem, 4)
    check_real("MPI", head + mpi, 3)


def call(name, kind):
    return f'begin measurement "{kind}"\nmeasure MPI_COMM_WORLD : {name}(8, "{kind}")\nend measurement\n'


def check_too_few():
    """What cannot be measured has a reason, and nothing hangs: on 2 and 3 PEs."""
    name = PUT if has("SHMEM") else "Put_Flush_Under_Load"
    for pes in (2, 3):
        kinds = [kind for kind, need in KINDS.items() if need > pes]
        done = skampi("".join(call(name, kind) for kind in kinds), pes)
        reasons = [line for line in done.err.splitlines() if "needs at least" in line]
        tap.ok(done.status == 3 and not done.rows and len(reasons) == len(kinds) and
               all(f"at least {KINDS[kind]} PEs" in line for kind, line in zip(kinds, reasons)),
               f"too few PEs for {', '.join(kinds)}: {pes}", done)
    total = "Shmem_Reduce_Sum_Long_Under_Load" if has("SHMEM") else "Allreduce_Under_Load"
    cold = skampi('set_cache_state("cold")\n'
                  f'begin measurement "cold"\nmeasure MPI_COMM_WORLD : {total}(8, 2, "none")\nend measurement\n', 2)
    tap.ok(cold.status == 3 and not cold.rows and "cold caches" in cold.err, "a sum beside aggressors is never cold", cold)
    bad = skampi(call(name, "put"), 2)
    tap.ok(bad.status not in (0, 3) and '"puts"' in bad.err and not bad.rows, "aggressors that do not exist", bad)


check_table()
tool.refused([point("b", "Shmem_Put_Round", {"count": 8}, US)], "load.ski", "results of something else")
missing = run([*TOOL, os.path.join(folder, "none.json")])
tap.ok(missing.status == 2 and "none.json" in missing.err, "no file", missing)
check_too_few()
check_script()
tap.done()
