"""Diagrams of raw samples and of rounds: distributions, their order in time, the spread of rounds."""

import math
import statistics

import matplotlib
import numpy
from matplotlib import ticker
from matplotlib.lines import Line2D

from ... import style
from ...cli import Error
from .. import curves as cv
from ..axes import (MANY_CURVES, Legend, Look, Scale, handle_of, limits_of, plain, runs_of, set_ticks, span, x_axis,
                    y_axis)

MAX_DISTRIBUTIONS = 8   # curves of samples in a panel
MAX_VIOLINS = 20


def _distributions(panel, chosen, data, limit, notes):
    """[(label, values, point)] of the points to show: of panel["values"], or some of all."""
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


def _sample_values(scale, point, samples):
    if scale.rate:
        amount = point.amounts[scale.rate]
        return [amount / s / scale.factor for s in samples if s > 0 and amount > 0]
    return [s / scale.factor for s in samples]


def _log_of(panel, values, suits):
    """Whether the axis is logarithmic. suits: whether these positive values are better drawn so."""
    wanted = panel.get("y_scale")
    positive = all(v > 0 for v in values)
    if wanted == "log10" and not positive:
        raise Error("a logarithmic axis cannot show samples at or below zero")
    if wanted:
        return wanted == "log10"
    return positive and suits(values)


def _value_axis(axes, panel, scale, values, logarithmic):
    limits = limits_of(panel, "y_range", span(values, logarithmic, 0.03))
    if logarithmic:
        axes.set_xscale("log")
    axes.set_xlim(*limits)
    set_ticks(axes.xaxis, limits, "log10" if logarithmic else "linear", scale.sizes)
    axes.set_xlabel(plain(panel.get("y_label", scale.label), 60))


def _samples(panel, chosen, most, notes):
    """(what is found, its scale, the values of each on that scale, all values in one list)"""
    found = _distributions(panel, chosen, lambda p: p.samples, most, notes)
    scale = Scale(panel, [point for _, _, point in found])
    values = [_sample_values(scale, point, samples) for _, samples, point in found]
    everything = [v for row in values for v in row]
    if not everything:
        raise Error(scale.nothing)
    return found, scale, values, everything


def draw_distribution(axes, panel, chosen, notes):
    found, scale, values, everything = _samples(panel, chosen, MAX_DISTRIBUTIONS, notes)
    logarithmic = _log_of(panel, everything, lambda values: max(values) / min(values) > 10)
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
        mark = " (doubtful)" if point.doubtful else ""
        legend.add(handle_of(look), f"{text}{mark}, {len(row)} samples" if len(found) > 1 else
                   f"{len(row)} samples{mark}")
    legend.add_doubt([point for _, _, point in found], "")
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
    found, scale, values, everything = _samples(panel, chosen, MAX_VIOLINS, notes)
    logarithmic = _log_of(panel, everything, cv.wants_log)
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
        doubtful = found[place][2].doubtful
        axes.plot([place], [statistics.median(row)], linestyle="none", marker="o", color=color,
                  markerfacecolor="white" if doubtful else color, zorder=4)
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
    legend.add_doubt([point for _, _, point in found])
    legend.draw(axes, panel)


def draw_order(axes, panel, chosen, notes):
    rounds = not any(p.samples for _, curve in chosen for p in curve.points)
    found = _distributions(panel, chosen, lambda p: p.medians if rounds else p.samples,
                           MAX_DISTRIBUTIONS, notes)
    scale = Scale(panel, [point for _, _, point in found])
    values = [_sample_values(scale, point, samples) for _, samples, point in found]
    everything = [v for row in values for v in row if math.isfinite(v)]
    if not everything:
        raise Error("nothing but missing values")
    y_axis(axes, panel, everything, scale)
    legend = Legend()
    for place, ((text, _, point), row) in enumerate(zip(found, values)):
        if not any(map(math.isfinite, row)):
            continue
        look = Look({}, place)
        look.line = "solid" if rounds else ""
        axes.plot(range(1, len(row) + 1), row, linestyle=look.line or "none", marker=look.marker,
                  color=look.color, linewidth=0.8, rasterized=len(row) > 5000,
                  markersize=matplotlib.rcParams["lines.markersize"] * (1 if rounds else 0.5),
                  markerfacecolor="white" if point.doubtful else look.color)
        legend.add(handle_of(look), text if len(found) > 1 else "")
    legend.add_doubt([point for _, _, point in found])
    axes.set_xlabel({"rounds": "Round", "launches": "Launch"}[runs_of([p for _, _, p in found])] if rounds
                    else "Repetition, in the order of time")
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
    points = [point for _, curve in chosen for point in curve.points]
    counts = sorted({len(point.medians) for point in points if len(point.medians) > 1})
    notes.append("spread: 100 sigma / (mean sqrt(k)) of the medians of k = "
                 f"{'-'.join(str(c) for c in (counts[0], counts[-1])[:len(counts)])} {runs_of(points)}")
    legend.draw(axes, panel)
