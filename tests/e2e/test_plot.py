#!/usr/bin/env python3
# LONG
# PLAIN
# TIMEOUT: 500
"""scripts/skampi-plot draws what is in the files: every kind, labels, units, intervals, flags and
configuration are there, the places of points are right, colours differ in grey, the same input gives
the same bytes; and what it cannot draw it says in one line. make figures draws what the scripts in
inputs/figures measure."""

import glob
import json
import math
import os
import re
import struct
import sys
import xml.etree.ElementTree
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from drawing import PLOT, SVG, plot, texts_in
from harness import ROOT, Tap, read_text, run, scratch_directory, write_text
from made_results import over_rounds, point, write
from made_states import FOUR, controls_of, in_parts, in_rounds, in_state, states_of, write_states
from skampi_tools import results, style
from skampi_tools.plot import curves, spec as spec_module
from skampi_tools.plot.axes import Scale
tap = Tap()
folder = scratch_directory()
os.chdir(folder)


def start_plot(*arguments, **further):
    """Runs the script as users do, in a process of its own."""
    return run([PLOT, *arguments], cwd=folder, **further)


def made(name, points, **more):
    write(os.path.join(folder, name), points, **more)
    return name


def nanoseconds(size):
    """The programmed time of a message: 20 ns and a nanosecond for 10 bytes."""
    return (20 + size / 10) * 1e-9


SIZES = [2**i for i in range(18)]


def sweep(block, function, factor=1.0, **more):
    return [point(block, function, {"count": n, "iterations": 0}, factor * nanoseconds(n), **more)
            for n in SIZES]


made("dots.json", [point("<b> & \"$x$\" 'ü'", "wtime", {}, 2e-8),
                   point("quiet", "Shmem_Quiet", {}, 3e-8, flags=["unstable"])])

# ---- Units and colours ----

for got, wanted in (
        (style.time_text(1.234e-6), "1.23 µs"), (style.time_text(0), "0 ns"),
        (style.time_text(999.6e-9), "1 µs"), (style.time_text(2.5e-10), "0.25 ns"),
        (style.time_text(math.nan), "---"), (style.time_text(None), "---"),
        (style.time_text(-2e-3), "-2 ms"), (style.time_text(90), "90 s"),
        (style.size_text(65536), "64 KiB"), (style.size_text(1000), "1000 B"),
        (style.size_text(0), "0 B"), (style.size_text(100000), "97.7 KiB"),
        (style.size_text(3 * 2**29), "1.5 GiB"), (style.rate_text(2.5e9), "2.5 GB/s"),
        (style.number_text(1.5), "1.5"), (style.number_text(1e-9), "1e-9"),
        (style.number_text(120), "120"), (style.percent_text(0.125), "12.5 %")):
    tap.equal(got, wanted, f"as people write it: {wanted}")
def lightness_of(color):
    """CIE L* (0 black, 100 white) of "#rrggbb": what is left of a colour in grey. sRGB by
    IEC 61966-2-1, L* by CIE 15:2004."""
    channels = [int(color[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return 116 * luminance ** (1 / 3) - 16 if luminance > (6 / 29) ** 3 else luminance * (29 / 3) ** 3


lightness = [lightness_of(color) for color in style.PALETTE]
tap.ok(abs(lightness_of("#ffffff") - 100) < 0.01 and lightness_of("#000000") == 0
       and abs(lightness_of("#777777") - 50.03) < 0.05, "lightness is that of CIE L*")
tap.ok(all(abs(a - b) > 18 for a, b in zip(lightness, lightness[1:] + lightness[:1])),
       "series after each other differ in grey", lightness)
tap.ok(all(abs(a - b) > 8 for i, a in enumerate(lightness) for b in lightness[:i]),
       "... and any two", lightness)

# ---- Curves ----


def loaded(points):
    path = os.path.join(folder, "loaded.json")
    write(path, points)
    return curves.load(curves.Source(0, "loaded", results.read(path)))


found = curves.curves(loaded(sweep("put, post, one node", "F") + sweep("put, quiet, one node", "G")))
tap.equal(([c.x for c in found], curves.labels(found)),
          (["count"] * 2, (["post", "quiet"], "put, one node")),
          "a curve a block, called by what tells it from the others")
two = [{**p, "variables": {"pes": pes, "count": p["bytes"]}, "pe_set": {"size": pes}}
       for pes in (2, 4) for p in sweep("b", "F")]
found = curves.curves(loaded(two))
tap.equal((len(found), found[0].x, curves.labels(found)[0]), (2, "count", ["2 PEs", "4 PEs"]),
          "of two loops, that with more values is drawn against")
found = curves.curves(loaded(two), "pes")
tap.equal((len(found), len(found[0].points)), (len(SIZES), 2), "... or the one asked for")
found = curves.curves(loaded([{**p, "variables": {}} for p in sweep("b", "F")]))
tap.equal([(c.x, c.size, len(c.points)) for c in found], [("count", True, len(SIZES))],
          "without loops, the argument that varies")
roots = [point("b", "F", {"count": n, "root": r}, 1e-6) for n in (8, 16) for r in (0, 1)]
tap.equal(curves.labels(curves.curves(loaded(roots)))[0], ["root = 0", "root = 1"],
          "arguments besides tell curves apart")
same = [point("b", "F", {"count": n}, 1e-6) for n in (8, 8, 16, 16)]
tap.equal([len(c.points) for c in curves.curves(loaded(same))], [2, 2],
          "the same measured twice makes two curves")
for values, wanted in (([1, 2, 4, 8, 16], "log2"), ([0, 1, 2, 4, 8], "log2"), ([1, 10, 100], "log10"),
                       ([1, 2, 3, 4, 50], "log2"), ([10, 20, 30, 40, 50, 60, 70, 80, 90], "linear"),
                       ([-1, 1, 10, 100], "linear"), ([5], "linear"), ([2, 4], "linear")):
    tap.equal(curves.spacing(values), wanted, f"spacing of {values}")
for values, wanted in (([1, 40], True), ([1, 20], False), ([0, 0, 1, 40], False), ([-1, 1, 2, 90], True),
                       ([math.nan, 5], False), ([], False)):
    tap.equal(curves.wants_log(values), wanted, f"logarithmic for {values}")


class Time:
    def __init__(self, time, low=math.nan, high=math.nan):
        self.time, self.low, self.high = time, low, high


tap.equal(curves.overlap_of(Time(100), Time(60), Time(20)), (50, 50, 50), "overlap by its formula")
tap.equal(curves.overlap_of(Time(100, 90, 110), Time(60, 50, 70), Time(20, 20, 20))[1:],
          (100 * 20 / 70, 100 * 60 / 90), "... its interval from the ends of three")
tap.ok(math.isnan(curves.overlap_of(Time(100, 90, 110), Time(60), Time(95))[0]),
       "... none where the full operation is not clearly above the post")

# ---- What is drawn ----

PARTS = ("Post", 0.4), ("Quiet", 0.6), ("Quiet_Delayed", 0.1), ("Full", 1.0), ("Overlap", 0.7)
put = [p for part, factor in PARTS for p in sweep(
    f"put, {part.lower()}", f"Shmem_Put_Nonblocking_{part}", factor)]
put[3]["flags"] = ["level_shift"]
made("put.json", put)
made("other.json", sweep("put, full", "Shmem_Put_Nonblocking_Full", 2.0), header={
    "library": "other library 2.0", "warnings": ["busy"]}, status=4)
raw = [point("raw", "F", {"count": n}, 0, samples=[
    nanoseconds(n) * (3 if i % 5 == 0 else 1) * (1 + i % 7 / 50) for i in range(60)]) for n in SIZES]
made("raw.json", raw)
made("single.json", [point(name, name, {}, 0, samples=[t * (1 + i % 9 / 30) for i in range(50)])
                     for name, t in (("barrier", 3e-7), ("quiet", 3e-8))])
made("pes.json", [point("bcast", "Bcast", {"count": n}, 1e-6, pe_set={"size": 16}, per_pe=[
    None if pe == 0 else 1e-6 * (1.5 if pe == 7 else 1) for pe in range(16)]) for n in SIZES])
made("rounds.json", [over_rounds(p) for p in sweep("put", "F")])
made("below.json", [point("b", "F", {"count": n}, -1e-9 if n == 4 else nanoseconds(n))
                    for n in [0, *SIZES]])
made("memory.json", [point("heap", "Memory", {"count": n}, n * 1024.0, quantity="bytes")
                     for n in SIZES])
made("many.json", [point(f"block {b:02}", "F", {"count": n}, 1e-7 * (b + 1))
                   for b in range(14) for n in (1, 2, 4, 8)])
made("cut.json", sweep("put", "F"), whole=False)
made("huge.json", [point("b", "F", {"count": n}, 1e-6, per_pe=[1e-6] * 3000 + [2e-6] * 3000)
                   for n in (8, 16)])
made("dense.json", [point("b", "F", {"count": n}, nanoseconds(n)) for n in range(1, 9000, 4)])

SLOWER = 2.5  # in state 2
LEVELS = {1: 65e-9, 2: 170e-9}  # of another file
TURNS = [1, 1, 2, 1, 2, 2, 1, 2, 1, 1, 2, 0]
CONTROLS = controls_of([1] * 30 + [None] + [2] * 20 + [1] * 10)


def in_two(block, function, factor=1.0):
    """Over rounds, in two states."""
    return [in_rounds(p, [p["median"] * (SLOWER if state == 2 else 1) * (1 + 0.001 * i)
                          for i, state in enumerate(TURNS)], TURNS) for p in sweep(block, function, factor)]


def without_states(record):
    return {name: value for name, value in record.items() if name not in ("states", "round_states")}


shares = states_of({1: 0.625, 2: 0.375})
write_states("two.json", in_two("put", "F") + in_two("get", "G", 4.0), [*shares, CONTROLS])
write_states("levels.json", in_two("put", "F", 1.5), [*states_of({1: 0.5, 2: 0.5}, LEVELS), controls_of(
    [1, 2], values=LEVELS)])
partly = in_two("put", "F")
write_states("partly.json", [*map(without_states, partly[:2]), *partly[2:]] + [
    without_states(p) for p in sweep("alone", "G")], [*shares, CONTROLS])
made("stateless.json", [without_states(p) for p in in_two("put", "F") + in_two("get", "G", 4.0)])
one_state = [in_state(p, 1) for p in sweep("put", "F")]
write_states("one.json", one_state, [*states_of({1: 1.0}), controls_of([1] * 9)])
made("no-states.json", sweep("put", "F"))
FOUR_TURNS = [1, 2, 3, 4] * 6
four_points = [in_rounds(p, [p["median"] * state * (1 + 0.001 * i) for i, state in enumerate(FOUR_TURNS)], FOUR_TURNS)
               for p in sweep("put", "F")]
write_states("four.json", four_points, [*states_of({1: 0.4, 2: 0.3, 3: 0.2, 4: 0.1}, FOUR), controls_of(
    [1] * 8 + [2] * 6 + [3] * 4 + [4] * 2, values=FOUR)])
write_states("parts.json", [in_parts(point("barrier", "B", {}, 3e-7), {1: 1.956e-7, 2: 4.876e-7}),
                            in_state(point("quiet", "Q", {}, 3e-8), 2)], shares)

def with_rates(record, factor):
    """What a broadcast states besides times."""
    time = record["median"]
    return {**record, "bandwidth": record["bytes"] / time, "bus_bandwidth": factor * record["bytes"] / time,
            "rate": 1 / time}


broadcasts = [with_rates(p, 1.5) for p in sweep("broadcast", "MPI_Bcast")]
made("bcast.json", broadcasts)
for y, name in (("bandwidth", "Bandwidth [GB/s]"), ("bus_bandwidth", "Bus bandwidth [GB/s]"),
                ("rate", "Message rate [M/s]")):
    scale = Scale({"y": y}, loaded(broadcasts))
    tap.ok(scale.label == name and all(
        math.isclose(scale.base(p)[0], record[y]) and scale.base(p)[1] < record[y] < scale.base(p)[2]
        for p, record in zip(loaded(broadcasts), broadcasts)), f"{y}: as the results state it, with its interval")

FOOTER = ["made library 1.0", "2 PEs on 1 node (node0)", "timer tsc", "2026-01-02T03:04:05+00:00",
          "made.ski 0123456789abcdef"]
INTERVALS = ["intervals of the median: confidence 95 %"]
DRAWN = [  # name, arguments, texts that must be there, in whole
    ("curves", ["put.json"],
     ["Time [ns]", "Size (count)", "1 B", "4 KiB", "post", "quiet", "full", "overlap", "100", "1000",
      "doubtful: 1 of 90 results: 1 level_shift", *FOOTER, *INTERVALS]),
    ("two-files", ["put.json", "other.json", "--block", "full"],
     ["put: ", "other: ", "other library 2.0", "1 warning in the file", "ended with status 4"]),
    ("labels", ["put.json", "other.json", "--block", "full", "--label", "Open $ MPI"],
     ["Open $ MPI", "other"]),
    ("bus", ["bcast.json", "--y", "bus_bandwidth"], ["Bus bandwidth [GB/s]", "at the median"]),
    ("rate", ["bcast.json", "--y", "rate", "--unit", "k/s"], ["Message rate [k/s]", "at the median"]),
    ("bandwidth", ["put.json", "--y", "bandwidth", "--function", "*_Full"], ["Bandwidth [GB/s]"]),
    ("unit", ["put.json", "--unit", "ms", "--title", "A title"], ["Time [ms]", "A title"]),
    ("stack", ["put.json", "--kind", "stack"],
     ["post", "quiet", "post and quiet, measured together", "put nonblocking, on one node"]),
    ("share", ["put.json", "--kind", "share"], ["Share of the sum [%]", "100"]),
    ("overlap", ["put.json", "--kind", "overlap"],
     ["Overlap [%]", "60", "overlap: 100 (full - rest) / (full - post)"]),
    ("heatmap", ["pes.json", "--kind", "heatmap"],
     ["Rank", "Time of the PE over the median of PEs", "1.5", "nothing to report", "Size (count)"]),
    ("heatmap-huge", ["huge.json", "--kind", "heatmap"], ["each row the slowest of 12 PEs", "5000", "b"]),
    ("ecdf", ["raw.json", "--kind", "ecdf"],
     ["Repetitions, cumulative [%]", "1 B, 60 samples", "128 KiB, 60 samples", "8 of 18 points shown"]),
    ("ecdf-chosen", ["single.json"], ["barrier, 50 samples", "quiet, 50 samples"]),
    ("histogram", ["single.json", "--kind", "histogram"], ["Repetitions [%]", "Time [ns]"]),
    ("violin", ["raw.json", "--kind", "violin"], ["median", "Time [ns]", "16 KiB"]),
    ("order", ["single.json", "--kind", "order"], ["Repetition, in the order of time"]),
    ("order-rounds", ["rounds.json", "--kind", "order", "--where", "count=8"], ["Round"]),
    ("spread", ["rounds.json", "--kind", "spread"],
     ["Standard error of the mean [%]", "spread: 100 sigma", "k = 10 rounds"]),
    ("rounds", ["rounds.json"],
     ["prediction of a later run 95 %", "median of 10 rounds",
      "intervals of the median: confidence 97.8 %"]),
    ("below", ["below.json"], ["0 B", "zero or below: off the axis"]),
    ("dots", ["dots.json"],
     ["<b> & \"$x$\" 'ü'", "quiet", "Time [ns]", "doubtful: 1 of 2 results: 1 unstable"]),
    ("memory", ["memory.json"], ["Memory", "32 KiB", "2 MiB", "128 MiB"]),
    ("cut", ["cut.json", "--intervals", "none"], ["the file is not complete"]),
    ("small", ["put.json", "--small"], ["made library 1.0", "2 PEs on 1 node", "2026-01-02"]),
    ("dense", ["dense.json", "--linear", "x"], ["4 KiB", "8 KiB"]),
    ("standard-input", ["-"], ["Time [ns]"]),
    ("states", ["two.json"],
     ["put, state 1 (hand-over 61 ns)", "put, state 2 (hand-over 164 ns)", "get, state 2 (hand-over 164 ns)",
      "prediction of a later run 95 %", "median of 5-6 rounds"]),
    ("states-of-two", ["two.json", "levels.json", "--block", "put"],
     ["state 1 (hand-over 63 ns), two", "state 2 (hand-over 167 ns), levels"]),
    ("partly", ["partly.json", "--block", "put"],
     ["state not known", "state 1 (hand-over 61 ns)", "state 2 (hand-over 164 ns)"]),
    ("together", ["two.json", "--states", "together"], ["put", "get", "median of 12 rounds"]),
    ("stateless", ["stateless.json"], ["put", "get"]),
    ("one", ["one.json"], ["Time [ns]"]),
    ("no-states", ["no-states.json"], ["Time [ns]"]),
    ("parts", ["parts.json"], ["barrier, state 1 (hand-over 61 ns)", "barrier, state 2 (hand-over 164 ns)",
                               "quiet, state 2 (hand-over 164 ns)"]),
    ("strip", ["two.json", "--kind", "states"],
     ["State of the machine", "Hand-over [ns]", "Time of the run [s]", "61", "164",
      "state 1 (hand-over 61 ns), 62.5 % of the time", "state 2 (hand-over 164 ns), 37.5 % of the time"]),
    ("four", ["four.json"],
     [f"state {number} (hand-over {own} ns, addition {other} ps)" for number, own, other in (
         (1, 61, 285), (2, 61, 480), (3, 164, 285), (4, 164, 480))]),
    ("strip-of-four", ["four.json", "--kind", "states"],
     ["Hand-over [ns]", "Addition [ps]", "61", "164", "285", "480",
      "state 2 (hand-over 61 ns, addition 480 ps), 30 % of the time"]),
    ("strips", ["two.json", "levels.json", "--kind", "states", "--unit", "us"],
     ["State of the machine, two", "State of the machine, levels", "Hand-over [µs]",
      "state 1 (hand-over 65 ns), 50 % of the time"]),
]


def draw(name, arguments):
    if "-" not in arguments:
        return plot(*arguments, "-o", f"{name}.svg")
    return start_plot(*arguments, "-o", f"{name}.svg", stdin=read_text(folder, "put.json"))


drawn = {}
for name, arguments, wanted in DRAWN:
    done = draw(name, arguments)
    text = ""
    svg = None
    try:
        text = read_text(folder, f"{name}.svg")
        svg = drawn[name] = xml.etree.ElementTree.fromstring(text)
    except (OSError, xml.etree.ElementTree.ParseError) as error:
        tap.note(error)
    warned = "not complete" in done.err if name == "cut" else not done.err
    good = tap.ok(svg is not None and done.status == 0 and done.out == f"{name}.svg\n" and warned,
                  f"{name}: drawn", done)
    if not good:
        continue
    there = texts_in(svg)
    joined = " ".join(there)
    lacking = [t for t in wanted if t not in there and not (len(t) > 4 and t in joined)]
    tap.ok(not lacking, f"{name}: says what it must", f"lacks {lacking}, has {there}")
    bad = [d for d in re.findall(r' d="([^"]*)"', text) if re.search("nan|inf", d)]
    tap.ok(not bad and "nan" not in joined.lower(), f"{name}: no number is missing", bad[:2])
tap.ok("node0" not in " ".join(texts_in(drawn["small"])) and "made.ski" not in
       " ".join(texts_in(drawn["small"])), "--small has a short footer")


def paths(svg, color):
    """The lines of that colour: [(x, y), ...] each."""
    found = []
    for path in svg.iter(f"{SVG}path"):
        if f"stroke: {color}" in path.get("style", "") and "clip-path" in path.attrib:
            numbers = re.findall(r"-?[\d.]+", path.get("d"))
            found.append(list(zip(map(float, numbers[::2]), map(float, numbers[1::2]))))
    return found


# Places: in "curves" the first series is 0.4 (20 + size / 10) ns over log2 and log10 axes.
line = max(paths(drawn["curves"], style.PALETTE[0]), key=len)
steps = [b[0] - a[0] for a, b in zip(line, line[1:])]
tap.ok(len(line) == len(SIZES) and max(steps) - min(steps) < 0.01, "sizes that double are equally far",
       line)
decade = (line[0][1] - line[-1][1]) / math.log10(nanoseconds(SIZES[-1]) / nanoseconds(1))
tap.ok(all(abs((line[0][1] - y) / decade - math.log10(nanoseconds(n) / nanoseconds(1))) < 1e-3
           for n, (_, y) in zip(SIZES, line)), "times are where a logarithmic axis has them", line)
uses = [u.get("style", "") for u in drawn["curves"].iter(f"{SVG}use")]
tap.equal(sum("fill: #ffffff" in u and style.PALETTE[0] in u for u in uses), 1,
          "what is doubtful has a hollow marker, and nothing else")
colors = [color for color in style.PALETTE if paths(drawn["curves"], color)]
tap.equal(colors, list(style.PALETTE[:5]), "five curves, five colours")
both = paths(drawn["two-files"], style.PALETTE[0]) and paths(drawn["two-files"], style.PALETTE[1])
tap.ok(both, "two files with one curve each have two colours")
flat = [y for path in paths(drawn["overlap"], style.PALETTE[0]) if len(path) == len(SIZES)
        for _, y in path]
tap.ok(flat and max(flat) - min(flat) < 0.01, "a constant overlap is a flat line", flat)
gap = max(len(path) for path in paths(drawn["below"], style.PALETTE[0]))
tap.ok(gap < len(SIZES) + 1, "what is below zero is not joined to the others", gap)

# States of the machine: of one curve the colour is the same, the line differs; state 2 is 2.5 times as high.


def dashes(svg, color):
    return [("stroke-dasharray" in path.get("style"), len(re.findall("[ML]", path.get("d"))))
            for path in svg.iter(f"{SVG}path") if f"stroke: {color}" in path.get("style", "")
            and "clip-path" in path.attrib and "fill: none" in path.get("style")]


for color in style.PALETTE[:2]:
    tap.equal(sorted(dashes(drawn["states"], color)), [(False, len(SIZES)), (True, len(SIZES))],
              f"states: solid and dashed in {color}")
    tap.equal(sorted(dashes(drawn["states-of-two"], color)), [(False, len(SIZES)), (True, len(SIZES))],
              f"... of one block in two files as well, {color}")
fast, slow = (line for line in paths(drawn["states"], style.PALETTE[0]) if len(line) == len(SIZES))
decade = (fast[0][1] - fast[-1][1]) / math.log10(nanoseconds(SIZES[-1]) / nanoseconds(1))
tap.ok(all(abs((a[1] - b[1]) / decade - math.log10(SLOWER)) < 0.003 for a, b in zip(fast, slow)),
       "states: each curve is at what was measured in its state", (fast, slow))


def colored(svg, color):
    """How many markers."""
    return sum(f"fill: {color}" in use.get("style", "") for use in svg.iter(f"{SVG}use"))


tap.equal([colored(drawn["strip"], color) for color in style.PALETTE[:2]], [40 + 1, 20 + 1],
          "a strip: a dot for each time at which the control was measured, and one in the legend")
ranges = [path.get("d") for path in drawn["strip"].iter(f"{SVG}path") if "opacity: 0.12" in path.get("style", "")]
tap.equal(len(ranges), 2, "... and the ranges of the states behind them")
tap.equal([colored(drawn["strip-of-four"], color) for color in style.PALETTE[:4]],
          [2 * (count + 1) for count in (8, 6, 4, 2)], "four states: a strip for each control, coloured by state")
ranges = [path.get("style") for path in drawn["strip-of-four"].iter(f"{SVG}path")
          if "opacity: 0.12" in path.get("style", "")]
tap.ok(len(ranges) == 4 and all(style.GREY in one for one in ranges),
       "... ranges that several states share are grey, and drawn once", ranges)


def all_points(*names):
    return curves.load_all([curves.Source(i, name, results.read(name)) for i, name in enumerate(names)])


apart = curves.separate(all_points("parts.json"))
tap.equal([(p.time, p.state.number) for p in apart], [(1.956e-7, 1), (4.876e-7, 2), (3e-8, 2)],
          "repetitions in several states make a point each")
tap.ok(all(math.isnan(p.low) and math.isnan(p.confidence) for p in apart[:2]) and apart[2].low > 0,
       "... without an interval, which the file does not have", apart)
for names, count in ((["one.json"], 1), (["two.json"], 2), (["stateless.json"], 0)):
    found = all_points(*names)
    tap.ok((curves.separate(found) == found) == (count < 2), f"{count} states: apart only if there are several")
found = curves.curves(curves.separate(all_points("partly.json")))
tap.equal([(c.first.block, c.first.state and c.first.state.number, len(c.points)) for c in found],
          [("put", 0, 2), ("put", 1, len(SIZES) - 2), ("put", 2, len(SIZES) - 2), ("alone", None, len(SIZES))],
          "points without a state, between others with one, make a curve of their own")
write_text("partly.spec", json.dumps({"panels": [{"kind": "curve", "series": [{"block": "put", "label": "mine"}]}]}))
drawn = plot("partly.json", "--spec", "partly.spec", "-o", "shared.svg")
tap.ok(drawn.status == 0, "... which share a label", drawn)
text = read_text("shared.svg")
tap.ok(all(f"mine, state {which}" in text for which in ("not known", 1, 2)), "... and each is named")
WIDE = {1: 70e-9, 2: 200e-9}
sets = [in_rounds({**point("b", "F", {"root": 0}, pes * 1e-7), "variables": {"pes": pes},
                   "pe_set": {"size": pes, "members": f"0-{pes - 1}"}}, [pes * 1e-7, pes * 3e-7], [1, 2])
        for pes in (2, 4)]
write_states("sets.json", sets, [*shares, *states_of({1: 0.5, 2: 0.5}, WIDE, "0-3", 4), CONTROLS, controls_of(
    [1, 1, 2], "0-3", 4, values=WIDE)])
found = curves.curves(curves.separate(all_points("sets.json")))
tap.equal(([[(p.x, p.time) for p in c.points] for c in found], curves.labels(found)[0]),
          ([[(2, 2e-7), (4, 4e-7)], [(2, 6e-7), (4, 12e-7)]],
           ["state 1 (hand-over 61 ns to 70 ns)", "state 2 (hand-over 164 ns to 200 ns)"]),
          "over the number of PEs, states of the same rank make a curve")
write_text("labelled.spec", json.dumps({"panels": [{"kind": "curve", "x": "pes", "series": [{"block": "b", "label": "mine"}]}]}))
drawn = plot("sets.json", "--spec", "labelled.spec", "-o", "labelled.svg")
tap.ok(drawn.status == 0, "a label is shared by the curves of its states", drawn)
text = read_text("labelled.svg")
tap.ok(all(f"mine, state {number}" in text for number in (1, 2)), "... each of which is named")
done = plot("sets.json", "--kind", "states", "--write-spec", "-")
tap.equal([panel["title"] + str(panel["series"]) for panel in json.loads(done.out)["panels"]],
          [f"State of the machine, PEs {pes}[{{'members': '{pes}'}}]" for pes in ("0-1", "0-3")],
          "a strip for each set of PEs")
done = plot("four.json", "--kind", "states", "--write-spec", "-")
tap.equal([panel["series"] for panel in json.loads(done.out)["panels"]],
          [[{"members": "0-1", "control": control}] for control in ("hand-over", "addition")],
          "a strip for each control that tells states apart")

# ---- Files ----


def png(path):
    """Rows of (r, g, b) of a PNG of 8 bits a channel, with or without alpha."""
    with open(os.path.join(folder, path), "rb") as file:
        data = file.read()
    position, packed = 8, b""
    while position < len(data):
        length, kind = struct.unpack(">I4s", data[position:position + 8])
        body = data[position + 8:position + 8 + length]
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", body[:10])
        elif kind == b"IDAT":
            packed += body
        position += 12 + length
    assert depth == 8 and color in (2, 6)
    channels = 3 if color == 2 else 4
    stream = zlib.decompress(packed)
    stride = width * channels
    rows, before = [], bytes(stride)
    for y in range(height):
        begin = y * (stride + 1)
        rule, row = stream[begin], bytearray(stream[begin + 1:begin + 1 + stride])
        for i in range(stride):
            left = row[i - channels] if i >= channels else 0
            up = before[i]
            corner = before[i - channels] if i >= channels else 0
            guess = left + up - corner
            paeth = min((left, up, corner), key=lambda c: abs(guess - c))
            row[i] = (row[i] + (0, left, up, (left + up) // 2, paeth)[rule]) % 256
        rows.append([tuple(row[i:i + 3]) for i in range(0, stride, channels)])
        before = row
    return rows


done = plot("put.json", "--size", "8x6", "--dpi", "60", "--function", "*_Full")
rows = png("put.png")
tap.equal((done.status, done.out, len(rows[0]), len(rows)), (0, "put.png\n", 188, 141),
          "without -o: NAME.png, of the size asked for", done)
blue = tuple(int(style.PALETTE[0][i:i + 2], 16) for i in (1, 3, 5))
count = sum(max(abs(a - b) for a, b in zip(pixel, blue)) < 40 for row in rows for pixel in row)
tap.ok(100 < count < 0.1 * 188 * 141, "the curve is there", f"{count} pixels of its colour")

done = plot("many.json", "-o", "m.png", "-o", "m.pdf", "--dpi", "30")
pages = [*(f"m-{i}.png" for i in (1, 2, 3)), "m.pdf"]
tap.equal((done.status, done.out.split()), (0, pages), "14 blocks of one curve: 6 on a page", done)


def content(name):
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()


done = plot("put.json", "-o", "again.svg", "-o", "once.pdf", "-o", "once.png")
again = start_plot("put.json", "-o", "twice.pdf", "-o", "twice.png")
tap.equal((done.status, done.out.split(), again.status),
          (0, ["again.svg", "once.pdf", "once.png"], 0), "several outputs at once", done)
for one, other in (("again.svg", "curves.svg"), ("once.pdf", "twice.pdf"), ("once.png", "twice.png")):
    tap.ok(content(one) == content(other), f"the same bytes again: {one[-3:]}")
tap.ok(content("m.pdf").startswith(b"%PDF") and content("m.pdf").count(b"/Type /Page ") == 3,
       "PDF has all pages in one file", content("m.pdf").count(b"/Type /Page "))

written = plot("put.json", "other.json", "--block", "full", "--write-spec", "spec.json")
done = plot("put.json", "other.json", "--spec", "spec.json", "-o", "spec.svg")
tap.ok(written.status == done.status == 0 and content("spec.svg") == content("two-files.svg"),
       "--write-spec says all of a figure", done)
for name, files in (("states-of-two", ["two.json", "levels.json", "--block", "put"]),
                    ("partly", ["partly.json", "--block", "put"]),
                    ("strips", ["two.json", "levels.json", "--kind", "states", "--unit", "us"])):
    plot(*files, "--write-spec", "states.json")
    done = plot(*(path for path in files if path.endswith(".json")), "--spec", "states.json", "-o", "spec.svg")
    tap.ok(done.status == 0 and content("spec.svg") == content(f"{name}.svg"), f"... also of states: {name}", done)
for one, other in (("together", "stateless"), ("one", "no-states")):
    tap.ok(content(f"{one}.svg") == content(f"{other}.svg"), f"drawn as without states: {one}")
campaign = os.path.join(folder, "campaign")
os.mkdir(campaign)
for name in ("campaign.json", "summary.json"):
    write(os.path.join(campaign, name), [over_rounds(p) for p in sweep("put", "F")])
done = plot("campaign", "-o", "c.svg")
tap.ok(done.status == 0, "a campaign's directory stands for its summary", done)
listed = plot("put.json", "raw.json", "--list")
tap.ok(listed.status == 0 and "--x count: 18 values, 1 B to 128 KiB (chosen)" in listed.out
       and "kinds: curve, dots, stack, share, overlap, heatmap, ecdf, histogram, violin, order\n"
       in listed.out and "18 results, 1 doubtful" in listed.out, "--list", listed)

# ---- A spec ----

GOOD = {"title": "Paper", "width_cm": 9, "height_cm": 6, "font": {"family": "serif", "size": 7},
        "footer": False, "panels": [{
            "kind": "curve", "x": "count", "x_scale": "log10", "y_scale": "linear", "x_label": "bytes",
            "x_range": [1, 1000], "y_range": [0, 100], "unit": "ns", "intervals": "none",
            "legend": "right", "series": [
                {"block": "put, full", "label": "whole", "color": "#ff0000", "marker": "none",
                 "line": "dashed", "width": 2},
                {"block": "put, post", "label": "post", "color": 3, "marker": "D"}]},
            {"optional": True, "series": [{"block": "nothing"}]}]}


def spec(name, value):
    write_text(os.path.join(folder, name), value if isinstance(value, str) else json.dumps(value))
    return name


done = plot("put.json", "--spec", spec("good.json", GOOD), "-o", "good.svg")
if tap.equal(done.status, 0, "a spec is drawn", done):
    svg = xml.etree.ElementTree.parse(os.path.join(folder, "good.svg")).getroot()
    there = texts_in(svg)
    red = [p.get("style") for p in svg.iter(f"{SVG}path") if "#ff0000" in p.get("style", "")]
    tap.ok({"Paper", "bytes", "Time [ns]", "whole", "post", "10 B", "100"} <= set(there)
           and "made library 1.0" not in " ".join(there), "... with its texts alone", there)
    tap.ok(red and all("stroke-dasharray" in s and "stroke-width: 2" in s for s in red),
           "... and its styles", red)
    tap.ok(abs(float(svg.get("width")[:-2]) - 9 / 2.54 * 72) < 0.01, "... and its size")


def changed(path, value):
    """GOOD with something else at a path such as panels.0.x."""
    copy = json.loads(json.dumps(GOOD))
    at = copy
    *way, last = [int(k) if k.isdigit() else k for k in path.split(".")]
    for key in way:
        at = at[key]
    at[last] = value
    return copy


REFUSED = [  # arguments, text of the error behind "skampi-plot: error: "
    (["nowhere.json"], "nowhere.json: No such file or directory"),
    (["."], ".: not a file, and not the folder of a campaign: name a result file"),
    (["empty"], "empty: the file is empty"),
    (["none.json"], "none.json: there are no results in it"),
    (["missing.json"], "missing.json: nothing but missing values"),
    ([], "the following arguments are required: FILE; --help shows all options"),
    (["put.json", "--what"], "unknown option --what; did you mean --where?; --help shows all options"),
    (["put.json", "--size", "1x1"],
     "--size 1x1: must be WIDTHxHEIGHT in cm, from 3 to 500, as 16x10"),
    (["put.json", "--dpi", "5"], "--dpi 5: must be from 30 to 1200"),
    (["put.json", "--unit", "GB/s"], "--unit GB/s: must be one of ns, us, µs, ms, s"),
    (["put.json", "--x", "nope"],
     "put.json: no result has a number called nope: there are count, iterations, bytes, pes"),
    (["put.json", "--function", "nope"], "--function nope: there is no such function; there are "
     "Shmem_Put_Nonblocking_Full, Shmem_Put_Nonblocking_Overlap, Shmem_Put_Nonblocking_Post, "
     "Shmem_Put_Nonblocking_Quiet, Shmem_Put_Nonblocking_Quiet_Delayed"),
    (["put.json", "--where", "count=7"], "--where count=7: no result has that"),
    (["put.json", "--kind", "violin"], "put.json: nothing to draw as violin: no result has raw "
     "samples: measure with skampi --raw"),
    (["raw.json", "--kind", "overlap"], "raw.json: nothing to draw as overlap: needs the functions "
     "..._Nonblocking_Post, ..._Full and ..._Overlap of one operation"),
    (["dots.json", "--kind", "curve"], "dots.json: nothing to draw as curve: nothing varies: draw "
     "--kind dots"),
    (["put.json", "-o", "a.bmp"],
     "a.bmp: the suffix must be one of .png, .svg, .pdf, or give --format"),
    (["put.json", "-o", "put.json", "-f", "svg"], "put.json: would overwrite a result file"),
    (["put.json", "-o", "nowhere/a.svg"], "nowhere/a.svg: No such file or directory"),
    (["put.json", "-o", "/dev/full", "-f", "svg"], "/dev/full: No space left on device"),
    (["zero.json", "--log", "y"], "zero.json: panels[0]: a logarithmic y axis has nothing to show: "
     "no value is above zero"),
    (["put.json", "--spec", spec("s1", "{\n  \"panels\": [,]}")],
     "s1:2:14: not JSON: Expecting value"),
    (["put.json", "--spec", spec("s2", '{"title": "a", "title": "b"}')], "s2:1:16: title: is given twice"),
    (["put.json", "--spec", spec("s3", "[]")], "s3:1:1: give an object with panels"),
    (["put.json", "--spec", spec("s4", {})], "s4:1:1: panels is missing"),
    (["put.json", "--spec", spec("s5", changed("panels.0.kynd", 1))],
     "s5: panels[0].kynd: unknown; did you mean kind?"),
    (["put.json", "--spec", spec("s6", changed("panels.0.series.1.marker", "z"))],
     's6: panels[0].series[1].marker: give o or s or ^ or D or v or P or X or < or > or none, not "z"'),
    (["put.json", "--spec", spec("s7", changed("panels.0.x_range", [5, 1]))],
     "s7: panels[0].x_range: the end is not above the begin"),
    (["put.json", "--spec", spec("s8", changed("panels.0.series.0.block", "nope"))],
     "s8: panels[0].series[0]: matches no result; skampi plot --list shows all"),
    (["put.json", "--spec", spec("s9", changed("panels.0.series.0.block", "*"))],
     "s9: panels[0].series[0]: one label, but it matches 5 curves: post; quiet; quiet_delayed; …"),
    (["put.json", "--spec", spec("s10", changed("panels.0.series.0.color", "red"))],
     's10: panels[0].series[0].color: give "#rrggbb" or a number from 1 to 7, not "red"'),
    (["put.json", "--spec", spec("s11", changed("font.family", "No Such Font"))],
     "s11: font.family: no font 'No Such Font' is installed here; serif, sans-serif and monospace "
     "always are"),
    (["put.json", "--spec", spec("s12", changed("panels.0.y", "bandwidth"))],
     "s12: panels[0].unit: ns is no unit of bandwidth"),
    (["put.json", "--y", "rate", "--unit", "GB/s"], "--unit GB/s: must be one of 1/s, k/s, M/s, G/s"),
    (["put.json", "--y", "bus_bandwidth"], "put.json: panels[0]: there is no bus bandwidth: only results of collectives have one"),
    (["dots.json", "--y", "rate"], "dots.json: panels[0]: there is no message rate: no result states one"),
    (["put.json", "--kind", "heatmap", "--y", "rate"], "put.json: panels[0]: a heatmap shows times of PEs, and no rates: leave out y"),
    (["put.json", "--spec", spec("s13", changed("panels.0.kind", "overlap"))],
     "s13: panels[0].series[0]: overlap needs the selectors full, rest and post"),
    (["two.json", "no-states.json", "--kind", "states"],
     "two.json, no-states.json: nothing to draw as states: in no-states.json no controls record says how the "
     "state changed: draw the JSON file of the run (skampi -o NAME.json), or measure again if it has none"),
    (["two.json", "--kind", "heatmap", "--states", "separate"],
     "two.json: only curve and dots show states apart, or together: draw one of these kinds"),
    (["two.json", "--states", "together", "--spec", spec("s0", GOOD)],
     "--kind, --x, --panel and --states are keys of a spec; change that instead"),
    (["two.json", "--spec", spec("s15", {"panels": [{"kind": "ecdf", "states": "together", "series": [{}]}]})],
     "s15: panels[0].states: is only for panels of kind curve and dots"),
    (["two.json", "--spec", spec("s16", {"panels": [{"states": "together", "series": [{"state": 1}]}]})],
     "s16: panels[0].series[0].state: is only for panels of kind curve and dots whose states are separate"),
    (["two.json", "--spec", spec("s17", {"panels": [{"kind": "states", "series": [{"block": "put"}]}]})],
     "s17: panels[0].series[0].block: a strip of states is selected by file, members, control alone"),
    (["sets.json", "--spec", spec("s18", {"panels": [{"kind": "states", "series": [{}]}]})],
     "s18: panels[0]: a panel of kind states shows one set of PEs of one file: give it one series with file and "
     "members: PEs 0-1, sets; PEs 0-3, sets"),
    (["two.json", "--spec", spec("s19", {"panels": [{"kind": "states", "series": [{"members": "0-7"}]}]})],
     "s19: panels[0].series[0]: there is no such file with such a set of PEs and this control"),
    (["put.json", "--spec", spec("s14", changed("panels.0.y_range", [-1, 5])), "--log", "y"],
     "s14: panels[0]: y_range: begins at or below zero on a logarithmic axis"),
]
spec("empty", "")
made("none.json", [])
made("zero.json", [point("b", "F", {"count": n}, 0.0) for n in SIZES])
made("missing.json", [{**point("b", "F", {"count": 8}, 1.0), "time": None, "median": None}])
before = set(os.listdir(folder))
UNREADABLE = tuple(f"s{i}:" for i in (1, 2, 3, 4, 5, 6, 7, 10, 12, 13, 15, 16, 17)) + ("no-spec.json:",)
REFUSED.append((["put.json", "--spec", "no-spec.json"], "no-spec.json: No such file or directory"))
tap.ok("--write-spec" in spec_module.HINT, "what is wrong with a spec names --write-spec")
for arguments, wanted in REFUSED:
    done = (start_plot if "/dev/full" in arguments else plot)(*arguments)
    hint = spec_module.HINT if wanted.startswith(UNREADABLE) else ""
    said = done.err if re.match(r"s\d+:\d", wanted) else re.sub(r"error: (s\d+):\d+:\d+:", r"error: \1:", done.err)
    tap.ok(done.status == 2 and not done.out and said == f"skampi-plot: error: {wanted}{hint}\n",
           f"refused in one line: {wanted}", done)
tap.equal(set(os.listdir(folder)), before, "... and nothing is left behind")

# ---- make figures ----

STUB = """\
#!/bin/sh
# In place of skampi: copies a made file.
while [ $# -gt 0 ]; do
    case $1 in
    -i) script=$2 ;;
    -o) output=$2 ;;
    esac
    shift
done
name=${script##*/}
[ "$name" != timers.ski ] || exit 1
cp "$MADE/${name%.ski}.json" "$output"
[ "$name" != broadcast.ski ] || exit 3
"""

STARTED = ("broadcast", "timers", "tour")  # by mk/figures; the others in this process
figures = os.path.join(folder, "figures")
os.mkdir(figures)
stub = os.path.join(folder, "stub")
write_text(stub, STUB, 0o755)
names = []
for script in sorted(glob.glob(os.path.join(ROOT, "inputs/figures/*.ski"))):
    name = os.path.basename(script)[:-len(".ski")]
    names.append(name)
    with open(script, encoding="utf-8") as file:
        blocks = re.findall(r'begin measurement "([^"\n]*)"\n.*?for (\w+) (?:=|in) .*?measure .*? : (\w+)\(',
                            file.read(), re.DOTALL)
    points = []
    for number, (block, variable, function) in enumerate(blocks):
        # Overlap is between the post and the whole.
        part = (curves.part_of(function) or ("", ""))[1]
        factor = 1 + number % 7 / 5 + {"Post": 0, "Overlap": 2}.get(part, 4)
        points += [point(block, function, {"count": n}, factor * nanoseconds(n),
                         variables={variable: n}) for n in SIZES]
    with open(script, encoding="utf-8") as file:
        if "set_rounds(" in file.read():
            points = [over_rounds(p) for p in points]
    write(os.path.join(folder, f"{name}.json"), points)
    drawn_blocks = [json.dumps(block, ensure_ascii=False) for block, _, _ in blocks]
    text = read_text(script[:-len(".ski")] + ".json")
    tap.ok(drawn_blocks and all(f'"block": {block}' in text for block in drawn_blocks),
           f"inputs/figures/{name}.json draws all blocks of its script", drawn_blocks)
    if name not in STARTED:
        drawn = plot(f"{name}.json", "--spec", script[:-len(".ski")] + ".json", "-o", os.path.join(figures, f"{name}.svg"))
        tap.equal(drawn.status, 0, f"... and is drawn: {name}", drawn)
done = run([os.path.join(ROOT, "mk/figures"), stub, figures, *STARTED], cwd=ROOT, timeout=240,
           env={"SKAMPI_LAUNCH": "env", "MADE": folder})
tap.ok(done.status == 1 and "skampi: figures that failed: broadcast timers\n" in done.err,
       "make figures: fails in the end when a script fails", done)
missing = [f"{name}.{form}" for name in STARTED for form in ("png", "svg")
           if name != "timers" and not os.path.exists(os.path.join(figures, f"{name}.{form}"))]
tap.ok(len(names) > 8 and not missing, "... which keeps no other from being drawn, nor what it measured",
       missing)
tap.ok(not os.path.exists(os.path.join(figures, "timers.png")), "... but what was not measured is not")
tap.done()
