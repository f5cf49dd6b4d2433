#!/usr/bin/env python3
# PLAIN
"""skampi-table fastest names the fastest way for each number of PEs and each size, says when that is not
certain, and finds the sizes at which two ways cross."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap, run, scratch_directory
from made_results import point, write

FASTEST = [os.path.join(ROOT, "scripts/skampi-table"), "fastest"]
tap = Tap()
folder = scratch_directory()


def made(name, group, curves, pes=2, factor=1.0, **more):
    """curves: {way: {bytes: seconds}}."""
    points = [point(f"{group}: {way}", "f", {"count": size}, factor * time,
                    pe_set={"size": pes, "members": f"0-{pes - 1}", "placement": "on one node"}, **more)
              for way, curve in curves.items() for size, time in curve.items()]
    return write(os.path.join(folder, name), points)


def tool(*arguments):
    return run([*FASTEST, *map(str, arguments)], cwd=folder)


def as_json(*arguments):
    result = tool(*arguments, "--json", "-")
    return json.loads(result.out) if result.status == 0 else result


# A start-up of 1 µs and 1 ns a byte against 4 µs and 0.25 ns: they cross at 4000 bytes.
SIZES = [16, 256, 4096, 65536]
CURVES = {"doubling, put": {n: 1e-6 + 1e-9 * n for n in SIZES},
          "scatter, put": {n: 4e-6 + 0.25e-9 * n for n in SIZES},
          "flat": {n: 1e-3 for n in SIZES}}
a = made("a.json", "reduce", CURVES)
b = made("b.json", "reduce", CURVES, pes=4, factor=3)

text = tool(a, b, "--cross", "doubling", "scatter")
lines = text.out.splitlines()
tap.equal(text.status, 0, "exit status", text)
tap.equal(lines[0], "reduce", "the group", text)
tap.equal([line.split()[:5] for line in lines[2:6]],
          [["2", "16", "B", "doubling,", "put"], ["2", "256", "B", "doubling,", "put"],
           ["2", "4", "KiB", "~", "scatter,"], ["2", "64", "KiB", "scatter,", "put"]],
          "2 PEs: the fastest at each size, and where it is not certain", text)
tap.ok("time [µs]" in lines[1] and " 1.016 " in lines[2] and " 20.38 " in lines[5] and lines[2].endswith("3.94 x"), "its time, and how much longer the next takes",
       lines[2])
tap.ok("~ another one may be as fast" in text.out, "~ is explained", text)
tap.ok("reduce, 2 PEs: doubling, put is faster than scatter, put up to about 3962 B, then scatter, put" in text.out
       and "reduce, 4 PEs: doubling, put" in text.out, "where they cross, for each number of PEs", text)

found = as_json(a, "--cross", "doubling", "scatter")
turns = found["crossings"][0]["turns"]
tap.ok([t["faster"] for t in turns] == ["doubling, put", "scatter, put"] and turns[0]["bytes"] == 16
       and abs(turns[1]["bytes"] / 4000 - 1) < 0.05, "the crossing is at 4000 bytes, within what lines between "
       "measured sizes can tell", turns)
tap.equal([(p["bytes"], p["ways"][0]["way"], p["certain"]) for p in found["groups"][0]["places"]],
          [(16, "doubling, put", True), (256, "doubling, put", True), (4096, "scatter, put", False),
           (65536, "scatter, put", True)], "the same as JSON")

# Two crossings, none, and a size of 0.
wave = {"A": {0: 1e-6, 8: 3e-6, 64: 1e-6}, "B": {0: 2e-6, 8: 2e-6, 64: 2e-6}, "C": {0: 9e-6, 8: 9e-6, 64: 9e-6}}
c = made("c.json", "g", wave)
found = as_json(c, "--cross", "A", "B", "--cross", "A", "C")["crossings"]
tap.equal([[turn["faster"] for turn in crossing["turns"]] for crossing in found], [["A", "B", "A"], ["A"]],
          "two crossings, and none")
text = tool(c, "--cross", "A", "C", "--cross", "A", "X").out
tap.ok("A is faster than C from 0 B to 64 B" in text and "A and X: no two ways differ in that" in text,
       "no crossing, no such ways", text)

# Several runs of the same: their median, and their range.
runs = [made(f"r{i}.json", "g", {"A": {8: 1e-6 * f}, "B": {8: 2e-6}}) for i, f in enumerate((1, 1.2, 3))]
place = as_json(*runs)["groups"][0]["places"][0]
tap.ok(place["ways"][0]["way"] == "A" and abs(place["ways"][0]["time"] - 1.2e-6) < 1e-12
       and not place["certain"], "of several runs the median, and their range is uncertain", place)

# Other loop variables are cases of their own; block names without a group do not compete.
d = write(os.path.join(folder, "d.json"), [
    point(f"g: {way}", "f", {"count": 8}, time, variables={"count": 8, "stride": stride})
    for way, time, stride in (("A", 1e-6, 1), ("B", 2e-6, 1), ("A", 4e-6, 2), ("B", 3e-6, 2))])
places = as_json(d)["groups"][0]["places"]
tap.equal([(p["variables"], p["ways"][0]["way"]) for p in places], [({"stride": "1"}, "A"), ({"stride": "2"}, "B")],
          "other variables are told apart")
tap.ok("stride=2" in tool(d).out, "and shown")
e = write(os.path.join(folder, "e.json"), [point("put", "f", {"count": 8}, 1e-6),
                                           point("get", "f", {"count": 8}, 1e-6)])
for arguments, words in (([e], "no two blocks compete"), ([a, "--group", "x"], "there is no group 'x'"),
                         ([a, "--cross", "A", "A"], "two different parts"), (["none.json"], "none.json"),
                         ([a, "--separator", ""], "--separator is empty")):
    refused = tool(*arguments)
    tap.ok(refused.status == 2 and words in refused.err and "Traceback" not in refused.err,
           f"{words}: refused", refused)
tap.equal(len(as_json(a, c, "--group", "g")["groups"]), 1, "--group chooses")
tap.done()
