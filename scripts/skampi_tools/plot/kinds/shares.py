"""Diagrams of how times make up others: stacks, shares of a sum, overlap with computation."""

import math

import numpy
from matplotlib.patches import Patch

from ... import style
from ...cli import Error
from .. import curves as cv
from ..axes import Legend, Look, Scale, area_look, handle_of, mark_cut, mark_doubtful, x_axis, y_axis
from .lines import NAN

OVERLAP_SHOWN = (-50, 150)  # percent; beyond, the three times do not belong together


def draw_stack(axes, panel, chosen, notes):
    areas = [(s, c) for s, c in chosen if s.get("role", "area") == "area"]
    others = [(s, c) for s, c in chosen if s.get("role") == "line"]
    if not areas:
        raise Error("no series has the role area")
    share = panel["kind"] == "share"
    xs = sorted(set.intersection(*({p.x for p in c.points if math.isfinite(p.time)}
                                   for _, c in areas)))
    if not xs or xs[0] is None:
        raise Error("the parts have no point in common")
    alone = len(xs) == 1
    points = [p for _, c in chosen for p in c.points]
    scale = Scale(panel, points)
    if scale.rate:
        raise Error("times of parts add up, but rates do not: leave out y")
    layers = []
    for _, curve in areas:
        of_x = {p.x: p for p in curve.points}
        layers.append(numpy.array([max(scale.of(of_x[x])[0], 0.0) for x in xs]))
    total = sum(layers)
    if share:
        layers = [numpy.divide(100 * layer, total, out=numpy.zeros_like(total), where=total > 0)
                  for layer in layers]
    legend = Legend()
    look = [Look(series, place) for place, (series, _) in enumerate(chosen)]
    base = numpy.zeros(len(xs))
    handles = []
    for place, layer in enumerate(layers):
        area = area_look(place, look[place].color)
        edges = (base, base + layer)
        if alone:  # an area of one point has a width, too
            edges = [numpy.repeat(edge, 2) for edge in edges]
        axes.fill_between([0.97 * xs[0], 1.03 * xs[0] or 1.0] if alone else xs, *edges, **area)
        handles.append((Patch(**area), areas[place][0].get("label", "")))
        base = base + layer
    for handle, label in reversed(handles):
        legend.add(handle, label)
    tops = list(base)
    for place, (series, curve) in enumerate(others, len(areas)):
        values = {id(p): scale.of(p) for p in curve.points}
        ys = [values[id(p)][0] for p in curve.points]
        line = look[place]
        line.color = series.get("color", style.PALETTE[3])
        line.color = line.color if isinstance(line.color, str) else style.PALETTE[line.color - 1]
        axes.plot([p.x for p in curve.points], ys, color=line.color, linewidth=line.width,
                  marker=line.marker, linestyle=line.line, zorder=4)
        legend.add(handle_of(line), series.get("label", ""))
        tops += ys
    doubtful = [p for _, c in areas for p in c.points if p.doubtful and p.x in set(xs)]
    for x in sorted({p.x for p in doubtful}):
        axes.plot([x], [base[xs.index(x)]], marker="o", color=style.GREY, markerfacecolor="white",
                  linestyle="none", zorder=5, clip_on=False)
    legend.add_doubt([p for _, c in areas for p in c.points if p.x in set(xs)])
    settled = {"y_scale": "linear", **panel}
    if share:
        settled.setdefault("y_range", [0, 100])
        y_axis(axes, settled, [0, 100], None, "Share of the sum [%]")
    else:
        y_axis(axes, settled, tops if settled["y_scale"] == "log10" else [0.0, *tops], scale,
               scale.value_label)
        if settled["y_scale"] == "linear" and "y_range" not in panel:
            axes.set_ylim(bottom=0)
    x_axis(axes, panel, xs, all(c.size for _, c in chosen), chosen[0][1].x)
    legend.draw(axes, {"legend": "inside", **panel})


def draw_overlap(axes, panel, chosen, notes):
    legend, drawn = Legend(), []
    all_values, all_x, left_out, outside = [], [], 0, 0
    shown = []
    sizes = True
    for place, (series, parts) in enumerate(chosen):
        look = Look(series, place)
        of_x = [{p.x: p for p in parts[name].points} for name in ("full", "rest", "post")]
        sizes = sizes and parts["full"].size
        rows = []
        for x in sorted(set(of_x[0]) & set(of_x[1]) & set(of_x[2])):
            three = [of[x] for of in of_x]
            value, low, high = cv.overlap_of(*three)
            if math.isnan(value):
                left_out += 1
                continue
            rows.append((x, value, low, high, any(p.doubtful for p in three)))
            shown += three
        if not rows:
            notes.append(f"{series.get('label') or 'an operation'}: nothing to hide")
            continue
        xs, ys, lows, highs, doubtful = (list(column) for column in zip(*rows))
        in_range = [OVERLAP_SHOWN[0] <= y <= OVERLAP_SHOWN[1] for y in ys]
        outside += len(ys) - sum(in_range)
        ys = [y if there else NAN for y, there in zip(ys, in_range)]
        bars = [row for row, there in zip(rows, in_range) if there]
        axes.vlines([bar[0] for bar in bars], [bar[2] for bar in bars], [bar[3] for bar in bars],
                    color=look.color, linewidth=0.9)
        drawn.append(([(bar[0], bar[2], bar[3]) for bar in bars], look.color))
        axes.plot(xs, ys, color=look.color, linestyle=look.line, marker=look.marker, zorder=3)
        mark_doubtful(axes, look, [(x, y) for x, y, f in zip(xs, ys, doubtful) if f])
        legend.add(handle_of(look), series.get("label", ""))
        all_values += [y for y in ys if math.isfinite(y)]
        all_x += xs
    if not all_x:
        raise Error("the full operation never takes clearly longer than its post: there is "
                    "nothing to overlap")
    legend.add_doubt(shown)
    low, high = min([-5, *all_values]) - 5, max([105, *all_values]) + 5
    y_axis(axes, {"y_scale": "linear", "y_range": [low, high], **panel}, [low, high], None,
           "Overlap [%]")
    for bars, color in drawn:
        mark_cut(axes, notes, bars, color)
    axes.axhline(100, color=style.GREY, linewidth=0.7)
    axes.axhline(0, color=style.GREY, linewidth=0.7)
    x_axis(axes, panel, all_x, sizes, chosen[0][1]["full"].x)
    notes.append("overlap: 100 (full - rest) / (full - post)")
    if outside:
        notes.append(f"{style.count_text(outside, 'point')} not shown: overlap beyond "
                     f"{OVERLAP_SHOWN[0]} to {OVERLAP_SHOWN[1]} %")
    if left_out:
        notes.append(f"{style.count_text(left_out, 'point')} left out: full is not clearly above "
                     "post")
    legend.draw(axes, panel)
