#!/usr/bin/env python3
# LONG
# PLAIN
"""skampi-plot draws predictions of shmemsim: the parts of each PE and of routines are those of the prediction, what-if
has a curve for each combination with its points in their places, and what is no prediction is refused in one line."""

import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap, read_text, run, skip_all, write_text
from made_runs import Program, Simulator, ps
from skampi_tools import cli
from skampi_tools.plot import predictions

PLOT = os.path.join(ROOT, "scripts/skampi-plot")
try:
    cli.need("numpy", "matplotlib")  # may start this anew with the system's Python
except SystemExit:
    skip_all("numpy or matplotlib for Python is not installed")
tap = Tap()
sim = Simulator()
MACHINE = sim.machine(ratio=2)


def recorded():
    program = Program(4)
    for pe in range(4):
        program.put(pe, (pe + 1) % 4, 5000, burst=10000 * (pe + 1))
    program.barrier()
    return sim.trace(program)


TRACE = recorded()


def predicted(name, *words):
    done = sim.run(*words, "--json", "-o", name, MACHINE, TRACE)
    assert done.status == 0, done
    with open(sim.path(name), encoding="utf-8") as file:
        return json.load(file)


def plot(*arguments):
    return run([PLOT, *arguments], cwd=sim.folder)


def load(name, **how):
    return predictions.load(sim.path(name), name, **how)


def content(name):
    with open(sim.path(name), "rb") as file:
        return file.read()


def texts(name):
    return re.findall(r"<text[^>]*>([^<]*)</text>", content(name).decode("utf-8"))


def test_prediction():
    record = predicted("one.json")
    pes, routines = load("one.json")
    parts = dict(pes.series)
    tap.equal([parts["computing"], [ps(a + b) for a, b in zip(parts["communication"], parts["waiting"])]],
              [[pe["compute"] for pe in record["per_pe"]], [ps(pe["communication"]) for pe in record["per_pe"]]],
              "computing, and communication with its waiting, of each PE")
    tap.ok(parts["waiting"] == [pe["waiting"] for pe in record["per_pe"]] and parts["waiting"][0] > 0, "waiting", parts)
    wanted = sorted((r for r in record["routines"] if r["time"] > 0), key=lambda r: -r["time"])
    tap.equal([routines.x, [ps(sum(values)) for values in zip(*(values for _, values in routines.series))]],
              [[r["name"] for r in wanted], [ps(r["time"]) for r in wanted]], "routines by their time")
    drawn = plot("one.json", "-o", "one.svg", "--title", "My run")
    shown = texts("one.svg")
    tap.ok(drawn.status == 0 and drawn.out == "one.svg\n" and
           {"one: each PE", "one: routines", "computing", "communication", "waiting", "PE", "Time [µs]",
            "shmem_putmem", "shmem_barrier_all", "My run", "1", "2", "3"} <= set(shown), "both are drawn", (drawn, shown))
    tap.ok(any("model loggp" in text and "4 PEs on" in text for text in shown), "the small print", shown)
    write_text(sim.path("folders.json"), json.dumps({**record, "command": "/opt/there/app -n 4"}))
    plot("folders.json", "-o", "folders.svg")
    shown = texts("folders.svg")
    tap.ok(any("app -n 4: " in text for text in shown) and "/opt" not in " ".join(shown), "... has no folders", shown)
    again = plot("one.json", "-o", "again.svg", "--title", "My run")
    tap.ok(again.status == 0 and content("one.svg") == content("again.svg"), "the same input gives the same bytes", again)
    drawn = plot("one.json", "--kind", "routines", "--unit", "ms", "-o", "kind.svg", "--no-footer")
    shown = texts("kind.svg")
    tap.ok(drawn.status == 0 and "Time, all PEs [ms]" in shown and "one: each PE" not in shown and
           not any("model loggp" in text for text in shown), "--kind, --unit and --no-footer", (drawn, shown))
    drawn = plot("one.json")
    tap.ok(drawn.out == "one.png\n" and content("one.png").startswith(b"\x89PNG"), "a PNG without options", drawn)


def test_what_if():
    record = predicted("swept.json", "what-if", "--latency", "1 us,x4,16 us", "--bandwidth", "100 MB/s,x1",
                       "--ratio", "x8,x1,x2,x4")
    times = {tuple(point["values"]): point for point in record["points"]}
    found = load("swept.json")
    tap.equal([(panel.x, panel.x_unit, panel.level) for panel in found],
              [([1, 2, 4, 8], "", record["as_described"][what]) for what in ("run_time", "communication")],
              "the quantity with the most values is the x axis, in order")
    tap.equal(dict(found[1].series),
              {f"latency {latency}, bandwidth {bandwidth}":
               [times[latency, bandwidth, f"x{ratio}"]["communication"] for ratio in (1, 2, 4, 8)]
               for latency in ("1 us", "x4", "16 us") for bandwidth in ("100 MB/s", "x1")},
              "a curve for each combination of the others")
    found = load("swept.json", x="latency")
    tap.ok(found[0].x == ["1 us", "x4", "16 us"] and sum(len(panel.series) for panel in found) == 16 and
           max(len(panel.series) for panel in found) <= predictions.MOST_CURVES,
           "--x; values and factors together are texts; diagrams with few curves", found)
    drawn = plot("swept.json", "-o", "swept.svg", "--linear", "x")
    shown = texts("swept.svg")
    tap.ok(drawn.status == 0 and {"swept: run time", "machine as described", "latency x4, bandwidth x1",
                                  "ratio, times that of the description"} <= set(shown), "drawn", (drawn, shown))
    predicted("values.json", "what-if", "--latency", "1 us,10 us,100 us,1 ms", "--pes-per-node", "1")
    drawn = plot("values.json", "-o", "values.svg")
    shown = texts("values.svg")
    tap.ok(drawn.status == 0 and {"latency [ms]", "0.001", "0.01", "0.1", "1"} <= set(shown), "values have a unit",
           (drawn, shown))


def test_refused():
    text = read_text(sim.path("one.json"))
    sim.write(text[:len(text) // 2], "cut.json")
    sim.write('{"command": "x"}', "empty.json")
    sim.write(text.replace('"compute":', '"compute":"x","c":'), "wrong.json")
    sim.write('{"what_if":"x","model":"paper","contention":false,"pes":1,"machine":"m","swept":[],"points":[]}', "no.json")
    for words, said in (
            (("cut.json",), "the prediction is damaged"), (("empty.json",), "no prediction as shmemsim --json"),
            (("wrong.json",), "no prediction"), (("no.json",), "no prediction"),
            (("one.json", "--block", "x"), "--block is for result files"),
            (("one.json", "--write-spec", "-"), "--write-spec is for result files"),
            (("one.json", "--kind", "what-if"), "nothing to draw as what-if"),
            (("swept.json", "--kind", "pes"), "nothing to draw as pes"),
            (("one.json", "--kind", "curve"), "nothing to draw as curve"), (("one.json", "--x", "PE"), "one prediction"),
            (("swept.json", "--x", "gap"), "was not swept; there are latency, bandwidth, ratio"),
            (("one.json", "--unit", "h"), "--unit h: must be one of"), (("one.json", "nothing.json"), "draw them apart"),
            (("one.json", "-o", "one.json", "-f", "png"), "would overwrite")):
        done = plot(*words)
        tap.ok(done.status == 2 and said in done.err and done.err.count("\n") == 1, f"refused: {' '.join(words)}", done)


test_prediction()
test_what_if()
test_refused()
tap.done()
