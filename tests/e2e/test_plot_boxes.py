#!/usr/bin/env python3
# LONG
# PLAIN
# TIMEOUT: 120
"""Figures of scripts/skampi-plot by the boxes that their parts take: no legend covers a point or is cut,
no text covers another or leaves the figure, and everything that looks special has a key."""

import math
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap, read_text, scratch_directory
from made_results import point, write
from skampi_tools import doubt, results
from skampi_tools.plot import curves, spec as figure_spec

import drawing
from skampi_tools.plot import pages

PICTURES = os.environ.get("PICTURES")
tap = Tap()
folder = scratch_directory()
SIZES = [2**i for i in range(18)]


# ---- Boxes ----


def texts_of(figure):
    """(what, text, box) of everything that is written."""
    renderer = figure.canvas.get_renderer()

    def box(text):
        return text.get_window_extent(renderer)

    found = [("figure", text.get_text(), box(text)) for text in figure.texts]
    for axes in figure.axes:
        for where in ("_left_title", "title", "_right_title"):
            found.append(("title", getattr(axes, where).get_text(), box(getattr(axes, where))))
        for axis in (axes.xaxis, axes.yaxis):
            if axis.label.get_visible():
                found.append((f"{axis.axis_name} label", axis.label.get_text(), box(axis.label)))
            low, high = sorted(axis.get_view_interval())
            room = (high - low) * 1e-6
            for tick in axis.get_major_ticks():
                if low - room <= tick.get_loc() <= high + room:
                    for label in (tick.label1, tick.label2):
                        if label.get_visible():
                            found.append((f"{axis.axis_name} tick", label.get_text(), box(label)))
        if legend := axes.get_legend():
            found += [("legend", text.get_text(), box(text)) for text in legend.get_texts()]
    return [(what, text, box) for what, text, box in found if text.strip()]


def overlap(a, b, room=0.5):
    return (min(a.x1, b.x1) - max(a.x0, b.x0) > room and min(a.y1, b.y1) - max(a.y0, b.y0) > room)


def inside(figure, box, room=1.0):
    return (box.x0 >= -room and box.y0 >= -room and box.x1 <= figure.bbox.width + room
            and box.y1 <= figure.bbox.height + room)


def drawn_points(axes):
    """Pixels of all points and of lines between them, with half a marker around."""
    for line in axes.lines:
        if len(line.get_xdata()):
            vertices = line.get_transform().transform(line.get_xydata())
            vertices = vertices[[all(map(math.isfinite, v)) for v in vertices]]
            half = line.get_markersize() / 2 * axes.figure.dpi / 72 if line.get_marker() not in ("", "None") else 0
            for x, y in vertices:
                yield x, y, half
            if line.get_linestyle() not in ("None", ""):
                for (x0, y0), (x1, y1) in zip(vertices, vertices[1:]):
                    for step in range(1, 20):
                        yield x0 + (x1 - x0) * step / 20, y0 + (y1 - y0) * step / 20, 0
    for collection in axes.collections:  # ends of intervals, bands
        for path in collection.get_paths():
            vertices = collection.get_transform().transform(path.vertices)
            if len(collection.get_offsets()) > 1 or not len(vertices):
                continue
            for x, y in vertices:
                if math.isfinite(x) and math.isfinite(y):
                    yield x, y, 0


def problems(figure):
    """What is wrong with the boxes of a figure, in words."""
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    found = []
    texts = texts_of(figure)
    for place, (what, text, box) in enumerate(texts):
        if not inside(figure, box):
            found.append(f"{what} {text!r} is cut: {box}")
        for other, other_text, other_box in texts[:place]:
            if overlap(box, other_box):
                found.append(f"{what} {text!r} covers {other} {other_text!r}")
    for axes in figure.axes:
        legend = axes.get_legend()
        if not legend:
            continue
        box = legend.get_window_extent(renderer)
        if not inside(figure, box):
            found.append(f"a legend is cut: {box}")
        for other in figure.axes:
            covered = sum(box.x0 - half < x < box.x1 + half and box.y0 - half < y < box.y1 + half
                          for x, y, half in drawn_points(other))
            if covered:
                found.append(f"a legend covers {covered} points")
        frame = axes.get_window_extent(renderer)
        if len(figure.axes) == 1 and figure.bbox.width > 500 and box.y1 < frame.y0 and \
                frame.width < 0.6 * figure.bbox.width:
            found.append(f"a legend below makes the axes narrow: {frame}")
        for what, text, text_box in texts:
            if what != "legend" and overlap(box, text_box):
                found.append(f"a legend covers {what} {text!r}")
    return found


# ---- Figures ----


def figures(name, points, changes=None, spec=None, kind=None, files=1, panel=None, **panel_changes):
    sources = []
    for index in range(files):
        path = os.path.join(folder, f"{name}{index}.json")
        write(path, points if index == 0 else [{**p, "median": p["median"] * (1 + index)} for p in points])
        sources.append(curves.Source(index, f"results of {name} {index}", results.read(path)))
    loaded = [p for source in sources for p in curves.load(source)]
    spec = spec or figure_spec.from_data(loaded, kind, None, panel)
    spec.update(changes or {})
    for one in spec["panels"]:
        one.update(panel_changes)
    return list(pages.pages(spec, loaded, name))


def time_of(n):
    return (20 + n / 10) * 1e-9


def sweep(block, function, factor=1.0, sizes=SIZES, **more):
    return [point(block, function, {"count": n}, factor * time_of(n), **more) for n in sizes]


def crowd(count, block="put", length=0):
    """Curves that leave no free place: from the bottom to the top everywhere."""
    made = []
    for k in range(count):
        name = f"Shmem_Put_{'Long_Name_' * length}{k}"
        made += [point(block, name, {"count": n}, 1e-6 * (1 + (i * 7 + 3 * k) % 11)) for i, n in enumerate(SIZES)]
    return made


def flagged(points, *flags):
    for number, record in enumerate(points):
        if number % 3 == 0:
            record["flags"] = [flags[number // 3 % len(flags)]]
    return points


FLAGS = ("level_shift", "unstable", "autocorrelated", "clocks_moved", "below_resolution", "few_valid")
raw = [point("raw", "F", {"count": n}, 0, samples=[
    time_of(n) * (3 if i % 5 == 0 else 1) * (1 + i % 7 / 50) for i in range(60)]) for n in SIZES]
rows = [point(f"a block with quite a long name, number {n}", f"Shmem_Something_Long_{n}", {}, 1e-6 * (n + 1),
              flags=["unstable"] if n == 3 else []) for n in range(12)]
pes = [point("bcast", "Bcast", {"count": n}, 1e-6, pe_set={"size": 16}, flags=["unstable"] if n == 8 else [],
             per_pe=[None if pe == 0 else 1e-6 * (1.5 if pe == 7 else 1) for pe in range(16)]) for n in SIZES]
both = [p for part, factor in (("Post", 0.4), ("Quiet", 0.6), ("Full", 1.0), ("Overlap", 0.7))
        for p in sweep(f"put, {part.lower()}", f"Shmem_Put_Nonblocking_{part}", factor)]
below = [point("b", "F", {"count": n}, -1e-9 if n == 4 else time_of(n)) for n in [0, *SIZES]]
dense = [point("dense", "F", {"count": n}, 1e-6 + n * 1e-13) for n in range(100000, 100090)]
blocks = [p for k in range(6) for p in sweep(
    f"a block with a name that needs more than a line in a figure of two columns, {k}", f"F{k}", k + 1)]

CASES = [
    ("sweep", sweep("put", "Shmem_Put")), ("two", sweep("put", "P") + sweep("get", "G", 3)),
    ("crowd", crowd(4)), ("crowd7", crowd(7)), ("crowd14", crowd(14)), ("long names", crowd(4, length=5)),
    ("long names right", crowd(7, length=5)), ("flags", flagged(crowd(3), *FLAGS)),
    ("small", flagged(crowd(4), *FLAGS), {"width_cm": 8.5, "height_cm": 6, "font": {"size": 8}}),
    ("tiny", crowd(3), {"width_cm": 6, "height_cm": 5}), ("files", crowd(2), {}, {"files": 3}),
    ("asked inside", crowd(4), {}, {"legend": "inside"}), ("asked right", crowd(4, length=3), {}, {"legend": "right"}),
    ("dots", rows), ("dots of files", rows, {}, {"files": 2}), ("ecdf", raw, {}, {"kind": "ecdf"}),
    ("histogram", raw, {}, {"kind": "histogram"}), ("violin", flagged(raw, "unstable"), {}, {"kind": "violin"}),
    ("violin of names", [{**p, "arguments": {}, "variables": {}, "function": f"Shmem_A_Long_Name_{i}", "block": f"{i}"}
                         for i, p in enumerate(raw[:12])], {}, {"kind": "violin"}),
    ("order", flagged(raw, "unstable"), {}, {"kind": "order"}), ("heatmap", pes, {}, {"kind": "heatmap"}),
    ("stack", flagged(both, *FLAGS), {}, {"kind": "stack"}), ("share", both, {}, {"kind": "share"}),
    ("overlap", flagged(both, *FLAGS), {}, {"kind": "overlap"}), ("below", below),
    ("dense", dense), ("dense, narrow", dense, {"width_cm": 8, "height_cm": 6}),
    ("blocks", blocks, {"columns": 2, "title": "A title " * 20}, {"panel": "block"}),
    ("many columns", blocks, {"columns": 4}, {"panel": "block"}),
    ("labels", crowd(2), {"width_cm": 9, "height_cm": 6},
     {"y_label": "A y axis with a label that is too long for its height", "title": "And a title " * 12,
      "x_label": "An x axis with a label that is far too long for the width of this figure"}),
]
for name, points, *more in CASES:
    changes, options = (more + [{}, {}])[:2]
    found = []
    made = figures(name, points, changes, **options)
    for number, figure in enumerate(made):
        found += problems(figure)
        if PICTURES:
            figure.savefig(os.path.join(PICTURES, f"{name.replace(' ', '_')}-{number}.png"))
    tap.ok(made and not found, f"nothing is covered or cut: {name}", "\n".join(found[:12]))

# ---- Keys ----

figure, = figures("keys", flagged(crowd(3), *FLAGS))
figure.canvas.draw()
said = " ".join(text.replace("\n", " ") for what, text, _ in texts_of(figure) if what == "legend")
against = [flag for flag in FLAGS if doubt.speaks_against(flag)]
tap.ok(all(flag in said for flag in against) and all(f"Shmem_Put_{k}" in said for k in range(3)),
       "all flags that speak against results, and all series, are in the legend", said)
written = " ".join(text for what, text, _ in texts_of(figure) if what == "figure")
tap.ok("PEs on one node" in written, "where the PEs were is written", written)
labels = [text for what, text, _ in texts_of(figures("ticks", dense)[0]) if what == "x tick"]
tap.ok(len(labels) > 2 and len(set(labels)) == len(labels), "ticks that are close have digits that differ", labels)

# ---- Specs that documents name ----

for name in ("docs/tools/skampi-plot.md", "inputs/figures/README.md"):
    named = re.findall(r"--spec ([\w./-]+\.json)", read_text(ROOT, name))
    tap.ok(named and all(os.path.exists(os.path.join(ROOT, path)) for path in named),
           f"{name}: specs that it names are there", named)
tap.done()
