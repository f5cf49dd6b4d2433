#!/usr/bin/env python3
# PLAIN
"""A part of a trace, by time, is exported alone, and what is large is said."""

import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import traces
from harness import Tap
from traces import HEAP, Made

CALLS = 250_000
tap = Tap()
made = Made()


def scenario(count, step):
    """Puts at 1, 1 + step, ... microseconds of 40 ns each; ticks are nanoseconds."""
    return "pe 0 1 1\n" + "".join(
        f"event 0 shmem_long_put {1000 + i * step} 40 peer=0 elements=4 bytes=32 target={HEAP} source={HEAP}\n"
        for i in range(count)) + "end finalize\n"


def starts(name):
    with open(made.path(name), encoding="utf-8") as file:
        return [event["ts"] for event in json.load(file)["traceEvents"]
                if event.get("name") == "shmem_long_put"]


made.make("small", scenario(100, 1000))
rows = traces.events_of(made.command("dump", "--csv", "small").out)
middle = [float(row["start"]) for row in rows][25:75]
window = ["--from", f"{middle[0]:.9f}", "--to", f"{middle[-1]:.9f}"]
all_ = made.command("export", "--chrome", "all.json", "small")
part = made.command("export", "--chrome", "part.json", *window, "small")
tap.ok(all_.status == 0 and part.status == 0 and len(starts("all.json")) == 100
       and starts("part.json") == starts("all.json")[25:75],
       "--from and --to, as dump shows times, select calls; their times stay", f"{part}\n{window}")
tap.equal(all_.err + part.err, "", "of small exports nothing is said")
for options, word in ((["--from", "x"], "give seconds"), (["--to", "nan"], "give seconds"),
                      (["--to", "0.1s"], "give seconds"), (["--from", "-1"], "needs a value"),
                      (["--from", "2", "--to", "1"], "before it begins"), (["--from"], "needs a value"),
                      (["--from", "99"], "no selected call")):
    done = made.command("export", "--chrome", "wrong.json", "small", *options)
    tap.ok(done.status == 2 and word in done.err, f"{' '.join(options)}: refused", done)

made.make("large", scenario(CALLS, 1000))
large = made.command("export", "--chrome", "large.json", "large", timeout=100)
said = re.search(r"has (\d+) MB", large.err)
size = os.path.getsize(made.path("large.json")) / 1e6
tap.ok(large.status == 0 and said and all(word in large.err for word in ("--from", "--to", "--pe")),
       "a large export: it is said, with the options that make it smaller", large)
tap.ok(said and abs(int(said.group(1)) - size) <= 1, "and how large it is", f"{large.err}, {size} MB")
os.remove(made.path("large.json"))
half = made.command("export", "--chrome", "half.json", "--to", "0.01", "large", timeout=100)
tap.equal((half.status, half.err), (0, ""), "not of a small part of it", half)
tap.done()
