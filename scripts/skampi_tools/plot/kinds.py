"""The kinds of diagrams. Each draws what was chosen for a panel on its axes, and may add notes, which
stand below the figure."""

import math
import statistics
import warnings

import matplotlib
import numpy
from matplotlib import ticker
from matplotlib.colors import LogNorm, Normalize
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from .. import style
from ..cli import Error
from ..results import MEAN
from . import curves as cv
from .axes import (MANY_CURVES, Legend, Look, Scale, axis_text, flag_text, handle_of, limits_of,
                   looks, plain, set_ticks, span, x_axis, y_axis)

NAN = math.nan
MAX_BARS = 24           # points of a curve with error bars; more have bands
MAX_MARKERS = 40        # points of a curve that all have a marker
MAX_DISTRIBUTIONS = 8   # curves of samples in a panel
MAX_VIOLINS = 20
OVERLAP_SHOWN = (-50, 150)  # percent; beyond, the three times do not belong together
MAX_ROWS = 512          # of a heat map; more PEs are put together
EMPTY = "#d9d9d9"       # a PE with nothing to report


def draw_curve(axes, panel, chosen, notes):
    points = [point for _, curve in chosen for point in curve.points]
    scale = Scale(panel, points)
    values = {id(point): scale.of(point) for point in points}
    shown = [v for five in values.values() for v in five if math.isfinite(v)]
    firsts = [five[0] for five in values.values()]
    if not any(math.isfinite(v) for v in firsts):
        raise Error("there is no bandwidth: no bytes are moved" if scale.bandwidth
                    else "nothing but missing values")
    logarithmic = y_axis(axes, panel, _for_limits(firsts, shown), scale, scale.value_label)
    if any(curve.x is None for _, curve in chosen):
        raise Error("nothing varies in some of the results: draw them as dots")
    first = chosen[0][1]
    x_axis(axes, panel, [point.x for point in points],
           all(curve.size for _, curve in chosen), first.x)
    legend = Legend()
    if len(chosen) >= MANY_CURVES:
        panel = {"legend": "right", **panel}
    bands = set()
    for (series, curve), look in zip(chosen, looks(chosen)):
        kind = panel.get("intervals") or (
            "bands" if len(curve.points) > MAX_BARS or curve.first.is_rounds else "bars")
        bands |= _one_curve(axes, curve, values, look, kind, logarithmic)
        if len(chosen) > 1 or "label" in series:
            legend.add(handle_of(look), series.get("label", ""))
    _legend_of_marks(legend, points, values, logarithmic)
    _intervals_note(points, bands, legend, notes)
    legend.draw(axes, panel)


def _for_limits(firsts, all_values):
    """What limits an axis: the values, and of their intervals what is not absurdly far away."""
    positive = [v for v in firsts if v > 0 and math.isfinite(v)]
    finite = [v for v in firsts if math.isfinite(v)]
    if not positive:
        return finite
    low, high = min(positive) / 3, max(positive) * 3
    return finite + [v for v in all_values if low <= v <= high]


def _on_axis(value, logarithmic):
    return value if not logarithmic or value > 0 else NAN


def _one_curve(axes, curve, values, look, intervals, logarithmic):
    """Draws it; returns which intervals were drawn."""
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
    every = max(1, math.ceil(len(xs) / MAX_MARKERS))
    axes.plot(xs, ys, color=look.color, linestyle=look.line or "none", linewidth=look.width,
              marker=look.marker, markevery=every, zorder=3)
    flagged = [(x, y) for x, y, point in zip(xs, ys, curve.points) if point.flagged]
    if flagged:
        axes.plot(*zip(*flagged), linestyle="none", marker=look.marker or "o", color=look.color,
                  markerfacecolor="white", markeredgewidth=1.2, zorder=4)
    if logarithmic:
        off = [x for x, v in zip(xs, five) if v[0] <= 0]
        if off:
            axes.plot(off, [0.015] * len(off), linestyle="none", marker="v", color=look.color,
                      transform=axes.get_xaxis_transform(), clip_on=False, zorder=4,
                      markerfacecolor="white")
    return drawn


def _legend_of_marks(legend, points, values, logarithmic):
    if any(point.flagged for point in points):
        legend.add(Line2D([], [], linestyle="none", marker="o", color=style.GREY,
                          markerfacecolor="white", markeredgewidth=1.2), flag_text(points))
    if logarithmic and any(values[id(point)][0] <= 0 for point in points):
        legend.add(Line2D([], [], linestyle="none", marker="v", color=style.GREY,
                          markerfacecolor="white"), "zero or below: off the axis")


def _percent(shares):
    known = sorted({share for share in shares if not math.isnan(share)})
    if not known:
        return ""
    return f" {'at least ' * (len(known) > 1)}{style.number_text(100 * known[0])} %"


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
        notes.append(f"median of {'-'.join(str(c) for c in (counts[0], counts[-1])[:len(counts)])} "
                     "rounds")
    known = [point.confidence for point in points if not math.isnan(point.confidence)]
    if known:
        notes.append(f"intervals of the median: confidence{_percent(known)}")
    if any(p.what == MEAN and math.isfinite(p.low) for p in points):
        notes.append("intervals of the mean of the middle: ± standard error")


def draw_dots(axes, panel, chosen, notes):
    points = [(point, series) for series, curve in chosen for point in curve.points]
    scale = Scale(panel, [point for point, _ in points])
    values = {id(point): scale.of(point) for point, _ in points}
    firsts = [five[0] for five in values.values()]
    if not any(math.isfinite(v) for v in firsts):
        raise Error("nothing but missing values")
    shown = [v for five in values.values() for v in five if math.isfinite(v)]
    several = len({point.source.index for point, _ in points}) > 1
    rows = {}
    for (series, curve) in chosen:
        parts = str(curve.label_parts()) if several else id(curve)
        rows.setdefault(parts, []).append((series, curve))
    files = sorted({curve.first.source.index for _, curve in chosen})
    look_of = {index: Look({}, place) for place, index in enumerate(files)}
    flat = _horizontal(axes, panel, _for_limits(firsts, shown), scale)
    legend = Legend()
    drawn = set()
    texts = []
    for row, members in enumerate(rows.values()):
        texts.append(_row_text(members, several))
        for series, curve in members:
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
                        drawn.add(name)
                inside = math.isfinite(value) and (value > 0 or not flat)
                axes.plot([value if inside else 0.015], [place], marker=look.marker if inside else "<",
                          color=look.color, linestyle="none", zorder=3,
                          markerfacecolor="white" if point.flagged or not inside else look.color,
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
    all_points = [point for point, _ in points]
    _legend_of_marks(legend, all_points, values, flat)
    _intervals_note(all_points, drawn, legend, notes)
    legend.draw(axes, panel)


def _row_text(members, several):
    series, curve = members[0]
    label = series.get("label", "")
    if several:
        label = label.replace(curve.first.source.label, "").strip(" ,")
    return label or curve.first.function or curve.first.block


def _horizontal(axes, panel, values, scale):
    """The value axis of dots lies along x."""
    wanted = panel.get("y_scale")
    logarithmic = wanted == "log10" or (wanted is None and cv.wants_log(values))
    limits = span(values, logarithmic)
    if limits is None:
        raise Error("a logarithmic axis has nothing to show: no value is above zero")
    if not logarithmic and limits[0] > 0:
        limits = (0, limits[1])
    limits = limits_of(panel, "y_range", limits)
    if logarithmic:
        if limits[0] <= 0:
            raise Error("y_range: begins at or below zero on a logarithmic axis")
        axes.set_xscale("log")
    axes.set_xlim(*limits)
    set_ticks(axes.xaxis, limits, ("log2" if scale.sizes else "log10") if logarithmic else "linear",
              scale.sizes)
    axes.set_xlabel(axis_text(panel, scale.value_label))
    return logarithmic


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
    points = [p for _, c in chosen for p in c.points]
    scale = Scale(panel, points)
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
    hatches = ("", "////", "....", "\\\\\\\\", "xxxx")
    base = numpy.zeros(len(xs))
    handles = []
    for place, layer in enumerate(layers):
        color = look[place].color
        axes.fill_between(xs, base, base + layer, facecolor=color, alpha=0.75, edgecolor="white",
                          hatch=hatches[place % len(hatches)], linewidth=0.5)
        handles.append((Patch(facecolor=color, alpha=0.75, edgecolor="white",
                              hatch=hatches[place % len(hatches)]), areas[place][0].get("label", "")))
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
    flagged = [p for _, c in areas for p in c.points if p.flagged and p.x in set(xs)]
    for x in sorted({p.x for p in flagged}):
        axes.plot([x], [base[xs.index(x)]], marker="o", color=style.GREY, markerfacecolor="white",
                  linestyle="none", zorder=5, clip_on=False)
    if flagged:
        legend.add(Line2D([], [], linestyle="none", marker="o", color=style.GREY,
                          markerfacecolor="white"), flag_text(flagged))
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
    legend = Legend()
    all_values, all_x, left_out, outside = [], [], 0, 0
    flagged_points = []
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
            rows.append((x, value, low, high, any(p.flagged for p in three)))
            flagged_points += [p for p in three if p.flagged]
        if not rows:
            legend.add(handle_of(look), f"{series.get('label', '')} (nothing to hide)")
            continue
        xs, ys, lows, highs, flagged = (list(column) for column in zip(*rows))
        inside = [OVERLAP_SHOWN[0] <= y <= OVERLAP_SHOWN[1] for y in ys]
        outside += len(ys) - sum(inside)
        ys = [y if shown else NAN for y, shown in zip(ys, inside)]
        bars = [row for row, shown in zip(rows, inside) if shown]
        axes.vlines([bar[0] for bar in bars], [bar[2] for bar in bars], [bar[3] for bar in bars],
                    color=look.color, linewidth=0.9)
        axes.plot(xs, ys, color=look.color, linestyle=look.line, marker=look.marker, zorder=3)
        marked = [(x, y) for x, y, f in zip(xs, ys, flagged) if f]
        if marked:
            axes.plot(*zip(*marked), linestyle="none", marker=look.marker or "o", color=look.color,
                      markerfacecolor="white", markeredgewidth=1.2, zorder=4)
        legend.add(handle_of(look), series.get("label", ""))
        all_values += [y for y in ys if math.isfinite(y)]
        all_x += xs
    if not all_x:
        raise Error("at no point the full operation takes clearly longer than its post: there is "
                    "nothing to hide")
    if flagged_points:
        legend.add(Line2D([], [], linestyle="none", marker="o", color=style.GREY,
                          markerfacecolor="white"), flag_text(flagged_points))
    low, high = min([-5, *all_values]) - 5, max([105, *all_values]) + 5
    y_axis(axes, {"y_scale": "linear", "y_range": [low, high], **panel}, [low, high], None,
           "Overlap [%]")
    axes.axhline(100, color=style.GREY, linewidth=0.7)
    axes.axhline(0, color=style.GREY, linewidth=0.7)
    x_axis(axes, panel, all_x, sizes, chosen[0][1]["full"].x)
    notes.append("overlap: 100 (full - rest) / (full - post)")
    if outside:
        notes.append(f"{outside} point{'s' * (outside > 1)} not shown: overlap beyond "
                     f"{OVERLAP_SHOWN[0]} to {OVERLAP_SHOWN[1]} %")
    if left_out:
        notes.append(f"{left_out} point{'s' * (left_out > 1)} left out: full is not clearly above "
                     "post")
    legend.draw(axes, panel)


def draw_heatmap(axes, panel, chosen, notes):
    points = [p for _, curve in chosen for p in curve.points if p.per_pe]
    curve = chosen[0][1]
    if not points:
        raise Error("no result has times of its PEs")
    rows = max(len(p.per_pe) for p in points)
    table = numpy.full((rows, len(points)), NAN)
    for column, point in enumerate(points):
        table[:len(point.per_pe), column] = point.per_pe
    there = numpy.array([[row < len(p.per_pe) for p in points] for row in range(rows)])
    relative = panel.get("y") is None and len(points) > 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # columns without a number
        if relative:
            middle = numpy.nanmedian(table, axis=0)
            table = numpy.where(middle > 0, table / middle, NAN)
        factor = 1
        if rows > MAX_ROWS:
            factor = math.ceil(rows / MAX_ROWS)
            pad = (-rows) % factor
            table = numpy.pad(table, ((0, pad), (0, 0)), constant_values=NAN)
            table = numpy.nanmax(table.reshape(-1, factor, len(points)), axis=1)
            there = numpy.pad(there, ((0, pad), (0, 0))).reshape(-1, factor, len(points)).any(axis=1)
            notes.append(f"each row the slowest of {factor} PEs")
    finite = table[numpy.isfinite(table)]
    if not finite.size:
        raise Error("no PE has anything to report")
    scale = Scale(panel, points)
    if not relative:
        table = table / scale.factor
        finite = finite / scale.factor
    logarithmic = finite.min() > 0 and cv.wants_log([float(v) for v in (finite.min(), finite.max())])
    low, high = float(finite.min()), float(finite.max())
    if low == high:
        low, high = low * 0.99 - 1e-12, high * 1.01 + 1e-12
    if relative:
        low, high = min(low, 0.95), max(high, 1.05)
    norm = LogNorm(low, high) if logarithmic and low > 0 else Normalize(low, high)
    axes.grid(False)
    background = numpy.where(there, 1.0, NAN)
    extent = (-0.5, len(points) - 0.5, rows - 0.5, -0.5)
    axes.imshow(background, cmap=matplotlib.colors.ListedColormap([EMPTY]), aspect="auto",
                interpolation="nearest", extent=extent)
    image = axes.imshow(table, cmap="cividis", norm=norm, aspect="auto", interpolation="nearest",
                        extent=extent)
    bar = axes.figure.colorbar(image, ax=axes, pad=0.02)
    text = "Time of the PE over the median of PEs" if relative else f"Time of the PE [{scale.name}]"
    bar.set_label(plain(panel.get("y_label", text), 60))
    set_ticks(bar.ax.yaxis, (low, high), "log10" if logarithmic else "linear", False)
    bar.outline.set_visible(False)
    axes.yaxis.set_major_locator(ticker.MaxNLocator(8, integer=True, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(
        lambda value, _: f"{value:.0f}" if -0.5 <= value < rows else ""))
    axes.set_ylabel("Rank")
    if curve.x is None:
        axes.set_xticks([])
    else:
        step = math.ceil(len(points) / 9)
        places = list(range(0, len(points), step))
        text = style.size_text if curve.size else (lambda v: style.number_text(v, 6))
        axes.set_xticks(places)
        axes.set_xticklabels([text(points[i].x) for i in places])
        axes.set_xlabel(plain(panel.get("x_label", f"Size ({curve.x})" if curve.size else curve.x), 80))
    flagged = [i for i, p in enumerate(points) if p.flagged]
    legend = Legend()
    if flagged:
        axes.plot(flagged, [0.97] * len(flagged), linestyle="none", marker="v", color=style.GREY,
                  markerfacecolor="white", transform=axes.get_xaxis_transform(), clip_on=False)
        legend.add(Line2D([], [], linestyle="none", marker="v", color=style.GREY,
                          markerfacecolor="white"), flag_text(points))
    if (there & ~numpy.isfinite(table)).any():
        legend.add(Patch(facecolor=EMPTY), "nothing to report")
    legend.draw(axes, {"legend": "below"})


def _distributions(panel, chosen, data, limit, notes):
    """[(label, values, point)] of the points to show: those of panel["values"], or some of all."""
    found = []
    for series, curve in chosen:
        for point in curve.points:
            values = data(point)
            if len(values) < 1 or ("values" in panel and point.x not in panel["values"]):
                continue
            if curve.x is None:
                text = series.get("label") or point.function or point.block
            else:
                text = style.size_text(point.x) if curve.size else \
                    f"{curve.x} = {style.number_text(point.x, 6)}"
                if len(chosen) > 1 and series.get("label"):
                    text = f"{series['label']}, {text}"
            found.append((text, values, point))
    if not found:
        raise Error("no result has raw samples: measure with skampi --raw")
    if len(found) > limit and "values" not in panel:
        total = len(found)
        found = [found[round(i * (total - 1) / (limit - 1))] for i in range(limit)]
        notes.append(f"{limit} of {total} points shown")
    return found


def _samples_scale(panel, found):
    scale = Scale({**panel, "y": "time"} if panel.get("y") != "bandwidth" else panel,
                  [point for _, _, point in found])
    return scale


def _sample_values(scale, point, samples):
    if scale.bandwidth:
        return [point.bytes / s / scale.factor for s in samples if s > 0 and point.bytes > 0]
    return [s / scale.factor for s in samples]


def _log_of(panel, values):
    wanted = panel.get("y_scale")
    positive = all(v > 0 for v in values)
    if wanted == "log10" and not positive:
        raise Error("a logarithmic axis cannot show samples at or below zero")
    if wanted:
        return wanted == "log10"
    return positive and max(values) / min(values) > 10


def _value_axis(axes, panel, scale, values, logarithmic):
    limits = limits_of(panel, "y_range", span(values, logarithmic, 0.03))
    if logarithmic:
        axes.set_xscale("log")
    axes.set_xlim(*limits)
    set_ticks(axes.xaxis, limits, "log10" if logarithmic else "linear", scale.sizes)
    axes.set_xlabel(plain(panel.get("y_label", scale.label), 60))


def draw_distribution(axes, panel, chosen, notes):
    found = _distributions(panel, chosen, lambda p: p.samples, MAX_DISTRIBUTIONS, notes)
    scale = _samples_scale(panel, found)
    values = [_sample_values(scale, point, samples) for _, samples, point in found]
    everything = [v for row in values for v in row]
    if not everything:
        raise Error("there is no bandwidth: no bytes are moved")
    logarithmic = _log_of(panel, everything)
    low, high = min(everything), max(everything)
    legend = Legend()
    if panel["kind"] == "histogram":
        count = min(80, max(10, math.ceil(4 * max(len(row) for row in values) ** (1 / 3))))
        if logarithmic:
            count = max(count, math.ceil(15 * math.log10(high / low)))
        if low == high:
            low, high = low - (abs(low) * 0.01 or 1), high + (abs(high) * 0.01 or 1)
            logarithmic = False
        edges = numpy.geomspace(low, high, count + 1) if logarithmic else \
            numpy.linspace(low, high, count + 1)
        edges[0], edges[-1] = low, high
    for place, ((text, _, point), row) in enumerate(zip(found, values)):
        look = Look({}, place)
        look.marker = ""
        look.line = style.LINES[place % len(style.LINES)]
        if not row:
            continue
        if panel["kind"] == "ecdf":
            ordered = numpy.sort(row)
            share = numpy.arange(1, len(ordered) + 1) * 100 / len(ordered)
            axes.step(numpy.concatenate(([ordered[0]], ordered)), numpy.concatenate(([0], share)),
                      where="post", color=look.color, linestyle=look.line, linewidth=look.width)
        else:
            counts, _ = numpy.histogram(row, edges)
            axes.stairs(100 * counts / len(row), edges, color=look.color, linestyle=look.line,
                        linewidth=look.width)
        mark = " (flagged)" if point.flagged else ""
        legend.add(handle_of(look), f"{text}{mark}, {len(row)} samples" if len(found) > 1 else
                   f"{len(row)} samples{mark}")
    if any(point.flagged for _, _, point in found):
        legend.add(Line2D([], [], linestyle="none"), flag_text([p for _, _, p in found]))
    _value_axis(axes, panel, scale, everything, logarithmic)
    axes.set_ylabel("Repetitions, cumulative [%]" if panel["kind"] == "ecdf" else "Repetitions [%]")
    if panel["kind"] == "ecdf":
        axes.set_ylim(0, 102)
    else:
        axes.set_ylim(bottom=0)
    legend.draw(axes, {"legend": "inside" if len(legend.labels) <= 9 else "right", **panel})


def _density(values):
    """Gaussian kernel estimate at 80 places, the largest value 1. Half the width of Silverman's
    rule (Density Estimation, 1986, eq. 3.31): that is for one hump, and times often have two."""
    values = numpy.asarray(values, dtype=float)
    spread = values.std()
    low, high = values.min(), values.max()
    if len(values) < 2 or spread == 0 or high - low < 1e-9 * max(abs(high), 1e-300):
        return numpy.array([low, high]), numpy.ones(2)
    iqr = numpy.subtract(*numpy.percentile(values, [75, 25]))
    width = 0.45 * min(spread, iqr / 1.349 or spread) * len(values) ** -0.2
    width = max(width, (high - low) / 200)
    places = numpy.linspace(low, high, 80)
    some = values if len(values) <= 5000 else numpy.quantile(values, numpy.linspace(0, 1, 5000))
    density = numpy.exp(-0.5 * ((places[:, None] - some[None, :]) / width) ** 2).sum(axis=1)
    return places, density / density.max()


def draw_violin(axes, panel, chosen, notes):
    found = _distributions(panel, chosen, lambda p: p.samples, MAX_VIOLINS, notes)
    scale = _samples_scale(panel, found)
    values = [_sample_values(scale, point, samples) for _, samples, point in found]
    everything = [v for row in values for v in row]
    if not everything:
        raise Error("there is no bandwidth: no bytes are moved")
    positive = all(v > 0 for v in everything)
    logarithmic = panel.get("y_scale") == "log10" or (
        panel.get("y_scale") is None and positive and cv.wants_log(everything))
    if logarithmic and not positive:
        raise Error("a logarithmic axis cannot show samples at or below zero")
    y_axis(axes, {**panel, "y_scale": "log10" if logarithmic else "linear"}, everything, scale)
    forward, back = (numpy.log, numpy.exp) if logarithmic else (numpy.asarray, numpy.asarray)
    color = style.PALETTE[0]
    for place, row in enumerate(values):
        if not row:
            continue
        if len(row) >= 8:
            places, density = _density(forward(row))
            axes.fill_betweenx(back(places), place - 0.42 * density, place + 0.42 * density,
                               facecolor=style.PALETTE[6], edgecolor=color, linewidth=0.6)
        else:
            axes.plot([place] * len(row), row, linestyle="none", marker=".", color=color)
        flagged = found[place][2].flagged
        axes.plot([place], [statistics.median(row)], linestyle="none", marker="o", color=color,
                  markerfacecolor="white" if flagged else color, zorder=4)
    numbers = all(point.x is not None for _, _, point in found)
    step = math.ceil(len(found) / 10)
    shown = range(0, len(found), step)
    axes.set_xticks(list(shown))
    axes.set_xticklabels([plain(found[i][0], 16 if found[i][2].x is None else 24) for i in shown],
                         rotation=0 if numbers else 20, ha="center" if numbers else "right")
    axes.set_xlim(-0.6, len(found) - 0.4)
    axes.grid(axis="x", visible=False)
    name = chosen[0][1].x
    if name is not None:
        axes.set_xlabel(plain(panel.get("x_label", f"Size ({name})" if chosen[0][1].size else name), 80))
    legend = Legend()
    legend.add(Line2D([], [], linestyle="none", marker="o", color=color), "median")
    flagged_points = [p for _, _, p in found if p.flagged]
    if flagged_points:
        legend.add(Line2D([], [], linestyle="none", marker="o", color=color,
                          markerfacecolor="white"), flag_text(flagged_points))
    legend.draw(axes, panel)


def draw_order(axes, panel, chosen, notes):
    rounds = not any(p.samples for _, curve in chosen for p in curve.points)
    found = _distributions(panel, chosen, lambda p: p.medians if rounds else p.samples,
                           MAX_DISTRIBUTIONS, notes)
    scale = _samples_scale(panel, found)
    values = [_sample_values(scale, point, samples) for _, samples, point in found]
    everything = [v for row in values for v in row if math.isfinite(v)]
    if not everything:
        raise Error("nothing but missing values")
    y_axis(axes, panel, everything, scale)
    legend = Legend()
    for place, ((text, _, point), row) in enumerate(zip(found, values)):
        look = Look({}, place)
        look.line = "solid" if rounds else ""
        axes.plot(range(1, len(row) + 1), row, linestyle=look.line or "none", marker=look.marker,
                  color=look.color, linewidth=0.8, rasterized=len(row) > 5000,
                  markersize=matplotlib.rcParams["lines.markersize"] * (1 if rounds else 0.5),
                  markerfacecolor="white" if point.flagged else look.color)
        legend.add(handle_of(look), text if len(found) > 1 else "")
    flagged_points = [p for _, _, p in found if p.flagged]
    if flagged_points:
        legend.add(Line2D([], [], linestyle="none", marker="o", color=style.GREY,
                          markerfacecolor="white"), flag_text(flagged_points))
    axes.set_xlabel("Round" if rounds else "Repetition, in the order of time")
    axes.xaxis.set_major_locator(ticker.MaxNLocator(7, integer=True))
    legend.draw(axes, {"legend": "inside" if len(legend.labels) < MANY_CURVES else "right",
                       **panel})


def draw_spread(axes, panel, chosen, notes):
    """Of the medians of rounds, or of launches: their standard error in percent of their mean."""
    legend = Legend()
    all_x, all_values = [], []
    for series, curve in chosen:
        look = Look(series, len(legend.labels))
        rows = [(point.x, cv.spread_of(point.medians)) for point in curve.points]
        rows = [(x, spread) for x, spread in rows if x is not None and math.isfinite(spread)]
        if not rows:
            continue
        axes.plot(*zip(*rows), color=look.color, linestyle=look.line, marker=look.marker, zorder=3)
        legend.add(handle_of(look), series.get("label", ""))
        all_x += [x for x, _ in rows]
        all_values += [spread for _, spread in rows]
    if not all_x:
        raise Error("no result is over rounds: measure with skampi --rounds")
    top = 1.1 * max(all_values) or 1
    y_axis(axes, {"y_scale": "linear", "y_range": [0, top], **panel}, [0, top], None,
           "Standard error of the mean [%]")
    x_axis(axes, panel, all_x, all(curve.size for _, curve in chosen), chosen[0][1].x)
    counts = sorted({len(point.medians) for _, curve in chosen for point in curve.points
                     if len(point.medians) > 1})
    notes.append("spread: 100 sigma / (mean sqrt(k)) of the medians of k = "
                 f"{'-'.join(str(c) for c in (counts[0], counts[-1])[:len(counts)])} rounds")
    legend.draw(axes, panel)


DRAW = {
    "curve": draw_curve, "dots": draw_dots, "stack": draw_stack, "share": draw_stack,
    "overlap": draw_overlap, "heatmap": draw_heatmap, "ecdf": draw_distribution,
    "histogram": draw_distribution, "violin": draw_violin, "order": draw_order,
    "spread": draw_spread,
}
