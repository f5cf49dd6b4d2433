"""Diagrams of results with their intervals: curves against a parameter, and dots one by one."""

import math

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ... import style
from ...cli import Error
from ...results import MEAN
from ...statistics import known
from .. import breaks
from ..axes import (MANY_CURVES, Legend, Look, Scale, handle_of, looks, mark_cut, mark_doubtful, plain, runs_of, x_axis,
                    y_axis)

NAN = math.nan
MAX_BARS = 24           # points of a curve with error bars; more have bands
MAX_MARKERS = 40        # points of a curve that all have a marker
MARKER_ROOM = 24        # points of the axes' width for each marker, where dashes between them tell curves apart


def _value_axis(axes, panel, chosen, across=False):
    """Sets up the axis of values. Returns all points, what Scale.of() says of each by its id, and whether the axis is
    logarithmic."""
    points = [point for _, curve in chosen for point in curve.points]
    scale = Scale(panel, points)
    values = {id(point): scale.of(point) for point in points}
    firsts = known(five[0] for five in values.values())
    if not any(map(math.isfinite, firsts)):
        raise Error(scale.nothing)
    # Of intervals only what is not absurdly far away.
    positive = [value for value in firsts if 0 < value < math.inf]
    near = [v for five in values.values() for v in five if min(positive) / 3 <= v <= max(positive) * 3] if positive else []
    return points, values, y_axis(axes, panel, firsts + near, scale, scale.value_label, across)


def draw_curve(axes, panel, chosen, notes):
    points, values, logarithmic = _value_axis(axes, panel, chosen)
    if any(curve.x is None for _, curve in chosen):
        raise Error("nothing varies in some of the results: draw them as dots")
    first = chosen[0][1]
    x_axis(axes, panel, [point.x for point in points],
           all(curve.size for _, curve in chosen), first.x)
    legend = Legend()
    if len(chosen) >= MANY_CURVES:
        panel = {"legend": "right", **panel}
    bands = set()
    all_looks = looks(chosen)
    markers = MAX_MARKERS  # of a curve
    if any(look.line not in ("", "solid") for look in all_looks):
        markers = min(markers, max(4, int(axes.bbox.width / axes.figure.dpi * 72 / MARKER_ROOM)))
    for (series, curve), look in zip(chosen, all_looks):
        kind = panel.get("intervals") or (
            "bands" if len(curve.points) > MAX_BARS or curve.first.is_rounds else "bars")
        if kind == "bands" and len(curve.points) == 1:
            kind = "bars"  # a band of one point has no width
        if len(curve.points) == 1 and not look.marker:
            look.marker = "o"  # nor has a line
        bands |= _one_curve(axes, curve, values, look, markers, kind, logarithmic)
        if kind != "none":
            of_interval = (3, 4) if kind == "bands" and "next" in bands else (1, 2)
            mark_cut(axes, notes, [(point.x, *(values[id(point)][end] for end in of_interval))
                                   for point in curve.points], look.color)
        if (len(chosen) > 1 or "label" in series) and _is_visible(axes, curve, values):
            legend.add(handle_of(look), series.get("label", ""))
    if panel.get("thresholds", True):
        breaks.draw(axes, chosen, lambda curve: [(p.x, values[id(p)][0]) for p in curve.points
                                                 if _on_axis(values[id(p)][0], logarithmic) == values[id(p)][0]],
                    style.GREY, notes)
    _legend_of_marks(legend, points, values, logarithmic)
    _intervals_note(points, bands, legend, notes)
    legend.draw(axes, panel)


def _is_visible(axes, curve, values):
    """Whether any part of it is in the axes, or marked at their bottom."""
    known = [(point.x, values[id(point)][0]) for point in curve.points if math.isfinite(values[id(point)][0])]
    return bool(known) and all(min(have) <= high and (max(have) >= low or low > 0 >= min(have))
                               for have, (low, high) in zip(zip(*known), (axes.get_xlim(), axes.get_ylim())))


def _on_axis(value, logarithmic):
    return value if not logarithmic or value > 0 else NAN


def _one_curve(axes, curve, values, look, markers, intervals, logarithmic):
    """Draws a curve with a limited number of markers. Returns which kinds of intervals were drawn."""
    xs = [point.x for point in curve.points]
    five = [values[id(point)] for point in curve.points]
    ys = [_on_axis(v[0], logarithmic) for v in five]
    drawn = set()
    bottom = axes.get_ylim()[0]

    def ends(low, high):
        return ([max(v[low], bottom) if logarithmic else v[low] for v in five],
                [v[high] for v in five])
    if intervals == "bands":
        for low, high, alpha, name in ((3, 4, 0.13, "next"), (1, 2, 0.3, "interval")):
            lows, highs = ends(low, high)
            if any(math.isfinite(a) and math.isfinite(b) for a, b in zip(lows, highs)):
                axes.fill_between(xs, lows, highs, color=look.color, alpha=alpha, linewidth=0)
                drawn.add(name)
    elif intervals == "bars":
        lows, highs = ends(1, 2)
        if any(math.isfinite(a) and math.isfinite(b) for a, b in zip(lows, highs)):
            axes.vlines(xs, lows, highs, color=look.color, linewidth=0.9)
            axes.scatter(xs * 2, lows + highs, marker="_", s=14, color=look.color, linewidth=0.9)
            drawn.add("interval")
    axes.plot(xs, ys, color=look.color, linestyle=look.line or "none", linewidth=look.width,
              marker=look.marker, markevery=max(1, math.ceil(len(xs) / markers)), zorder=3)
    mark_doubtful(axes, look, [(x, y) for x, y, point in zip(xs, ys, curve.points) if point.doubtful])
    if logarithmic:
        off = [x for x, v in zip(xs, five) if v[0] <= 0]
        if off:
            axes.plot(off, [0.015] * len(off), linestyle="none", marker="v", color=look.color,
                      transform=axes.get_xaxis_transform(), clip_on=False, zorder=4,
                      markerfacecolor="white")
    return drawn


def _legend_of_marks(legend, points, values, logarithmic):
    legend.add_doubt(points)
    if logarithmic and any(values[id(point)][0] <= 0 for point in points):
        legend.add(Line2D([], [], linestyle="none", marker="v", color=style.GREY,
                          markerfacecolor="white"), "zero or below: off the axis")


def _percent(shares):
    stated = sorted(set(known(shares)))
    if not stated:
        return ""
    return f" {'at least ' * (len(stated) > 1)}{style.number_text(100 * stated[0])} %"


def _intervals_note(points, drawn, legend, notes):
    """Says what bars and bands are."""
    if "next" in drawn:
        aimed = _percent([point.aimed for point in points])
        legend.add(Patch(color=style.GREY, alpha=0.13, linewidth=0),
                   f"prediction of a later run{aimed}")
    if "interval" not in drawn:
        return
    if any(point.is_rounds for point in points):
        counts = sorted({len(point.medians) for point in points if point.is_rounds})
        notes.append(f"median of {'-'.join(str(c) for c in (counts[0], counts[-1])[:len(counts)])} {runs_of(points)}")
    if confidences := known(point.confidence for point in points):
        notes.append(f"intervals of the median: confidence{_percent(confidences)}")
    if any(p.what == MEAN and math.isfinite(p.low) for p in points):
        notes.append("intervals of the mean of the middle: ± standard error")


def draw_dots(axes, panel, chosen, notes):
    points, values, flat = _value_axis(axes, panel, chosen, across=True)
    several = len({point.source.index for point in points}) > 1
    rows = {}
    for series, curve in chosen:
        rows.setdefault(str(curve.label_parts()) if several else id(curve), []).append((series, curve))
    files = sorted({curve.first.source.index for _, curve in chosen})
    look_of = {index: Look({}, place) for place, index in enumerate(files)}
    legend = Legend()
    drawn = set()
    texts = []
    for row, members in enumerate(rows.values()):
        texts.append(_row_text(members, several))
        for _, curve in members:
            look = look_of[curve.first.source.index]
            offset = (files.index(curve.first.source.index) - (len(files) - 1) / 2) * 0.2
            for point in curve.points:
                value, low, high, next_low, next_high = values[id(point)]
                place = row + offset
                left = axes.get_xlim()[0]
                for a, b, width, alpha, name in ((next_low, next_high, 5, 0.25, "next"),
                                                 (low, high, 1.5, 1, "interval")):
                    if math.isfinite(a) and math.isfinite(b):
                        axes.hlines(place, max(a, left), b, color=look.color, linewidth=width,
                                    alpha=alpha)
                        mark_cut(axes, notes, [(place, a, b)], look.color, across=True)
                        drawn.add(name)
                inside = math.isfinite(value) and (value > 0 or not flat)
                axes.plot([value if inside else 0.015], [place], marker=look.marker if inside else "<",
                          color=look.color, linestyle="none", zorder=3,
                          markerfacecolor="white" if point.doubtful or not inside else look.color,
                          **({} if inside else {"transform": axes.get_yaxis_transform(),
                                                "visible": not math.isnan(value)}))
    axes.set_yticks(range(len(texts)))
    axes.set_yticklabels([plain(text, 60) for text in texts])
    axes.set_ylim(len(texts) - 0.5, -0.5)
    axes.grid(axis="y", visible=False)
    if several:
        names = {curve.first.source.index: curve.first.source.label for _, curve in chosen}
        for index in files:
            look = look_of[index]
            look.line = ""
            legend.add(handle_of(look), names[index])
    _legend_of_marks(legend, points, values, flat)
    _intervals_note(points, drawn, legend, notes)
    legend.draw(axes, panel)


def _row_text(members, several):
    series, curve = members[0]
    label = series.get("label", "")
    if several:
        label = label.replace(curve.first.source.label, "").strip(" ,")
    return label or curve.first.function or curve.first.block
