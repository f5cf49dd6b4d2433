#!/usr/bin/env python3
# PLAIN
"""skampi-table shares says of traces, and of summaries that are known, what share of their time applications spend
in reductions, remote access and computation; and refuses what is neither."""

import csv
import io
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
import traces
from harness import ROOT, Tap, run, scratch_directory, write_text

TOOL = [os.path.join(ROOT, "scripts/skampi-table"), "shares"]
# Seconds of each routine of two PEs, 10 s each; setup and memory take 4 s: 100 % are 16 s.
ROUTINES = [("shmem_double_sum_to_all", "collective", 1.6), ("shmem_int_max_reduce", "collective", 0.8),
            ("shmem_broadcast64", "collective", 0.32), ("shmem_putmem", "put", 0.16),
            ("shmem_long_g", "get", 0.16), ("shmem_getmem_nbi", "nonblocking", 0.16),
            ("shmem_long_atomic_add", "atomic", 0.16), ("shmem_barrier_all", "synchronization", 1.6),
            ("shmem_set_lock", "lock", 0.16), ("shmem_ctx_create", "context", 0.08),
            ("shmem_init", "setup", 3.0), ("shmem_malloc", "memory", 1.0)]
WANTED = {"reductions": 15, "remote_access": 4, "other_collectives": 2, "synchronization": 11, "other_calls": 0.5,
          "computation": 67.5}

tap = Tap()
folder = scratch_directory()


def write(name, value):
    path = os.path.join(folder, name)
    write_text(path, value if isinstance(value, str) else json.dumps(value))
    return path


def summary(**others):
    made = {"summary": 1, "command": "./my|app --size 3", "pes": 2, "whole": True,
            "per_pe": [{"pe": pe, "elapsed": 10} for pe in range(2)],
            "routines": [{"routine": name, "class": kind, "seconds": seconds}
                         for name, kind, seconds in ROUTINES]}
    return {**made, **others}


def shown(*arguments):
    return run([*TOOL, *arguments])


def check_known():
    path = write("known.json", summary())
    out = shown(path, "--to", "csv")
    rows = list(csv.DictReader(io.StringIO(out.out)))
    tap.ok(out.status == 0 and len(rows) == 1, "a summary is read", out)
    row = rows[0]
    tap.equal((row["application"], row["pes"], float(row["seconds"])), ("my|app", "2", 8.0), "whose, and how long")
    for name, percent in WANTED.items():
        tap.ok(abs(float(row[name]) - percent) < 1e-6, f"{name}: {percent} %", row)
    text = shown(path).out.splitlines()
    tap.ok(len(text) == 2 and len(text[0]) == len(text[1]) and "15.0 %" in text[1] and "67.5 %" in text[1],
           "a table of text, aligned", text)
    marked = shown(path, path, "--to", "markdown").out.splitlines()
    tap.ok(len(marked) == 4 and all(line.replace("\\|", "").count("|") == 10 for line in marked),
           "a table of Markdown, a row for each", marked)
    file = os.path.join(folder, "table.json")
    shown(path, "--to", "json", "-o", file)
    with open(file, encoding="utf-8") as opened:
        tap.ok(abs(sum(json.load(opened)[0]["percent"].values()) - 100) < 1e-9, "JSON: 100 % in all")


def check_refused():
    cases = [("no such file", os.path.join(folder, "none")), ("no JSON", write("a.txt", "text")),
             ("other JSON", write("b.json", {"record": "header"})), ("a list", write("c.json", [1])),
             ("not complete", write("d.json", {"summary": 1})),
             ("sums only", write("e.json", summary(per_pe=[{"pe": 0, "elapsed": None}]))),
             ("an empty folder", os.path.join(folder, "empty"))]
    os.mkdir(cases[-1][1])
    for name, path in cases:
        out = shown(path)
        tap.ok(out.status == 2 and out.err.count("\n") == 1 and path in out.err and not out.out,
               f"{name} is refused", out)
    out = shown(write("damaged.json", summary(whole=False)))
    tap.ok(out.status == 1 and "damaged" in out.err and "67.5" in out.out, "a damaged trace is shown, and said", out)


def check_trace():
    """A real one: the stencil reduces, gets and waits."""
    traced = traces.recorded(2, [traces.app("stencil"), "--size", "64", "--steps", "200"])
    out = shown(traced.path(traces.TRACE), "--to", "csv")
    rows = list(csv.DictReader(io.StringIO(out.out)))
    if tap.ok(traced.status == 0 and out.status == 0 and len(rows) == 1, "a trace is read", f"{traced}\n{out}"):
        percents = {name: float(rows[0][name]) for name in WANTED}
        tap.ok(abs(sum(percents.values()) - 100) < 0.1 and percents["remote_access"] > 0
               and percents["synchronization"] > 0, "its shares", rows)


check_known()
check_refused()
if harness.has("SHMEM") and traces.is_built() and os.path.exists(traces.app("stencil")):
    check_trace()
else:
    tap.skip("a trace", "the tracer or its applications are not built")
tap.done()
