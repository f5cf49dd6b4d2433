#!/usr/bin/env python3
# LONG
# PLAIN
# TIMEOUT: 200
"""What figures of scripts/skampi-plot say of what they show: doubt, what is subtracted, what is cut or lies outside;
units and titles of several diagrams; launches, traces and conditions by their names. And that too many diagrams are
refused at once."""

import json
import os
import re
import sys
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from drawing import SVG, plot, texts_in
from harness import Tap, read_text, scratch_directory, write_text
from made_results import over_rounds, point, write

from skampi_tools import results, style
from skampi_tools.plot import curves

tap = Tap()
folder = scratch_directory()
os.chdir(folder)
SIZES = [2**i for i in range(12)]
PARTS = ("Post", 0.4), ("Quiet", 0.6)


def made(name, points, **more):
    write(name, points, **more)
    return name


def sweep(block, function, factor=1.0):
    return [point(block, function, {"count": n, "iterations": 0}, factor * (20 + n / 10) * 1e-9) for n in SIZES]


def drawing_of(name, *arguments):
    """(texts, SVG) of a figure."""
    done = plot(*arguments, "-o", f"{name}.svg")
    if not tap.ok(done.status == 0, f"{name}: drawn", done):
        return "", ""
    text = read_text(f"{name}.svg")
    return " | ".join(texts_in(xml.etree.ElementTree.fromstring(text))), text


def drawing(name, points, *arguments, **more):
    return drawing_of(name, made(f"{name}.json", points, **more), *arguments)


def stated():
    return sweep("put", "F")


SHARE = "subtracted: an empty quiet, 12 ns (34 % of the result)"
marked = stated()
marked[3]["flags"] = ["autocorrelated"]
marked[4].update(subtracted="an empty quiet", subtracted_time=12e-9, subtracted_share=0.34)
texts, text = drawing("no-doubt", marked)
tap.ok("doubtful" not in texts and not re.search("<use [^>]*fill: #ffffff", text),
       "a flag that speaks against nothing is no doubt", texts)
tap.ok(SHARE in texts, "what is subtracted is said, where it is much", texts)
tap.ok("triangles at the frame" not in texts, "intervals that are there in whole are not marked", texts)
wide = stated()
wide[5]["median_high"], wide[6]["median_low"] = 1.0, 1e-15
for kind in ("curve", "dots"):
    texts, text = drawing(f"wide-{kind}", wide, "--kind", kind)
    tap.ok("triangles at the frame" in texts, f"{kind}: bars that leave the axes are marked", texts)
alone = {**over_rounds(stated()[0]), "variables": {"count": 1, "n": 1}}
twice = [*[over_rounds({**p, "variables": {"count": p["bytes"], "n": 2}}) for p in stated()], alone]
made("lone.json", twice)
write_text("lone.spec", json.dumps({"panels": [{"x": "count", "series": [{"variables": {"n": 1}, "color": 1, "marker": "none"}]}]}))
texts, text = drawing_of("lone", "lone.json", "--spec", "lone.spec")
tap.ok('id="LineCollection' in text and "median of 10 rounds" in texts, "the interval of one point is a bar", texts)
texts, text = drawing_of("mark", "lone.json", "--spec", "lone.spec", "--intervals", "none")
tap.ok(any(style.PALETTE[0] in use.get("style", "") for use in xml.etree.ElementTree.fromstring(text).iter(f"{SVG}use")),
       "a curve of one point is seen, whatever its marker", texts)
one_size = [point(f"put, {part.lower()}", f"Shmem_Put_Nonblocking_{part}", {"count": n}, factor * 1e-6)
            for part, factor in PARTS for n in (8, 16)]
write_text("stack.spec", json.dumps({"panels": [{"kind": "stack", "x": "count", "series": [
                              {"function": "*_Post", "variables": {"count": 8}}, {"function": "*_Quiet", "variables": {"count": 8}}]}]}))
made("one-size.json", one_size)
texts, text = drawing_of("one-size", "one-size.json", "--spec", "stack.spec")
areas = [path for path in xml.etree.ElementTree.fromstring(text).iter(f"{SVG}path")
         if "fill: url(" in path.get("style", "") or "opacity: 0.75" in path.get("style", "")]
spans = [max(xs) - min(xs) for path in areas
         for xs in [[float(x) for x, _ in re.findall(r"(-?[\d.]+) (-?[\d.]+)", path.get("d"))]] if xs]
tap.ok(spans and min(spans) > 2, "a stack of one size has a width", spans)
apart = sweep("slow", "F", 50.0) + sweep("fast", "G")
texts, _ = drawing("units", apart, "--panel", "block")
tap.equal(len(set(re.findall(r"Time \[\w+\]", texts))), 1, "diagrams of one quantity share their unit", texts)
texts, _ = drawing("own-units", [*sweep("slow", "F", 1e9), *sweep("fast", "G")], "--panel", "block")
tap.equal(len(set(re.findall(r"Time \[\w+\]", texts))), 2, "... unless its numbers were hard to read", texts)
write_text("outside.spec", json.dumps({"panels": [{"y_range": [1, 1e5], "unit": "ns", "y_scale": "log10", "series": [
                                {"block": "slow", "label": "far"}, {"block": "fast", "label": "near"}]}]}))
texts, _ = drawing_of("outside", "own-units.json", "--spec", "outside.spec")
tap.ok("near" in texts and "far" not in texts, "legends name only curves that are there", texts)
done = plot(made("mixed.json", [*sweep("a", "F"), *sweep("b", "G"),
                                *(point("c", "H", {"size": n}, 1e-6, variables={"size": n}) for n in SIZES)]),
            "--write-spec", "-")
tap.ok(all(panel["title"] for panel in json.loads(done.out)["panels"]), "titles on each diagram", done.out)
LAUNCHES = {"notes": ["launches are in the place of rounds"]}
for kind, wanted in (("spread", "k = 10 launches"), ("order", "Launch"), ("curve", "median of 10 launches")):
    texts, _ = drawing(f"launches-{kind}", [over_rounds(p) for p in stated()], "--kind", kind, header=LAUNCHES)
    tap.ok(wanted in texts and "ound" not in texts, f"{kind}: launches are called launches", texts)
made("put.json", stated())
texts, _ = drawing_of("twice", os.path.abspath("put.json"), os.path.abspath("put.json"))
tap.ok("put (1)" in texts and os.path.abspath(".") not in texts, "no absolute path is in a figure", texts)
LIBRARIES = [made(f"library {n}.json", [*sweep("put", "F", 1 + n / 2), *sweep("put", "G", 2 + n / 2)]) for n in range(3)]
for size, width in (("8.5x6", 8.5), ("24x12", 24)):
    _, text = drawing_of(f"libraries-{size}", *LIBRARIES, "--size", size, "--intervals", "none")
    svg = xml.etree.ElementTree.fromstring(text)
    markers = sum(f"fill: {style.PALETTE[0]}" in use.get("style", "") for use in svg.iter(f"{SVG}use")) / len(LIBRARIES) - 1
    frame = [float(word) for word in re.search(r'id="patch_2">\s*<path d="([^"]*)"', text)[1].split() if word[0].isdigit()]
    tap.ok(max(frame[::2]) - min(frame[::2]) > 0.6 * width / 2.54 * 72, f"{size}: a legend leaves most of the width", frame)
    tap.ok(markers == len(SIZES) if width > 9 else 4 <= markers <= len(SIZES) / 2,
           f"{size}: markers of several files leave room for dashes", markers)
made("blocks.json", [point(f"block {b:03}", "F", {"count": n}, 1e-7 * (b + 1)) for b in range(100) for n in (1, 2)])
done = plot("blocks.json", "-o", "blocks.svg")
tap.ok(done.status == 2 and "100 diagrams, more than 60: choose with --block, --function or --panel" in done.err
       and not os.path.exists("blocks.svg"), "too many diagrams are refused at once, with what to do", done)
tap.equal(plot("blocks.json", "--write-spec", "blocks-spec.json").status, 0, "... but a spec may have them")
tap.equal(plot("blocks.json", "--panel", "function", "-o", "blocks.svg").status, 0, "... and few diagrams are drawn")
many = made("many.json", [point(f"block {b}", "F", {"count": 8}, 1e-6) for b in range(1802)])
with open(many, "a", encoding="utf-8") as file:
    file.write("what follows is not read any more\n")
done = plot(many, "-o", "many.svg")
tap.ok(done.status == 2 and "many.json: more than 1800 curves" in done.err and "--block" in done.err,
       "many more are refused while the file is read", done)
asked, selects = [], curves.selects
curves.selects = lambda selector, one: asked.append(1) or selects(selector, one)
index = curves.Index(curves.load(curves.Source(0, "blocks", results.read("blocks.json"))))
found = [index.selected(curve.selector(False)) for curve in curves.curves(index.points)]
curves.selects = selects
tap.equal((sum(map(len, found)), len(asked)), (200, 200), "a curve is looked for among the points of its block alone")
calls = point("wait", "wait_until", {"bytes": 8}, 5e-8, valid=1000, mean=6.08e-4)
texts, _ = drawing("traced", [calls], "--unit", "ms", header={
    "notes": ["times of the calls of a traced application, by routine and size; quantiles within 7 %"]})
tap.ok("sum of all calls" in texts and "600" in texts and "doubtful" not in texts,
       "of a traced application the time in all is drawn", texts)
colds = [{**p, "settings": settings, "cache": cache} for cache, settings in (
    ("warm", []), ("cold", ['set_cache_state("cold")'])) for p in stated()]
texts, _ = drawing("cold", colds)
tap.ok("warm" in texts and "cold" in texts, "two measurements of one call are called by what differs", texts)
starts = [{**p, "synchronization": start} for start in ("window", "barrier") for p in stated()]
texts, _ = drawing("starts", starts)
tap.ok("window start" in texts and "barrier start" in texts, "... also by how repetitions start", texts)
tap.done()
