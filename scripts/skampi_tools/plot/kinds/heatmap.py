"""Heat maps: the time of each PE against a parameter."""

import itertools
import math
import warnings

import matplotlib
import numpy
from matplotlib import ticker
from matplotlib.colors import LogNorm, Normalize
from matplotlib.patches import Patch

from ... import style
from ...cli import Error
from .. import curves as cv
from ..axes import Legend, Scale, plain, set_ticks
from .lines import NAN

MAX_ROWS = 512  # rows of a heat map; if there are more PEs, some share a row
EMPTY = "#d9d9d9"  # colour of a PE with nothing to report


def draw_heatmap(axes, panel, chosen, notes):
    points = [p for _, curve in chosen for p in curve.points if p.per_pe]
    curve = chosen[0][1]
    if not points:
        raise Error("no result has times of its PEs")
    if panel.get("y", "time") != "time":
        raise Error("a heatmap shows times of PEs, and no rates: leave out y")
    table = numpy.array(list(itertools.zip_longest(*(p.per_pe for p in points), fillvalue=math.inf)))  # inf: no such PE
    rows, there = len(table), ~numpy.isinf(table)
    table[~there] = NAN
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
    scale = Scale(panel, points)
    table = table / (1 if relative else scale.factor)
    finite = table[numpy.isfinite(table)]
    if not finite.size:
        raise Error("no PE has anything to report")
    low, high = float(finite.min()), float(finite.max())
    logarithmic = low > 0 and cv.wants_log([low, high])
    if low == high:
        low, high = low * 0.99 - 1e-12, high * 1.01 + 1e-12
    if relative:
        low, high = min(low, 0.95), max(high, 1.05)
    norm = LogNorm(low, high) if logarithmic else Normalize(low, high)
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
        axes.set_xticks(places, [text(points[i].x) for i in places])
        axes.set_xlabel(plain(panel.get("x_label", f"Size ({curve.x})" if curve.size else curve.x), 80))
    doubtful = [i for i, p in enumerate(points) if p.doubtful]
    legend = Legend()
    if doubtful:
        axes.plot(doubtful, [0.97] * len(doubtful), linestyle="none", marker="v", color=style.GREY,
                  markerfacecolor="white", transform=axes.get_xaxis_transform(), clip_on=False)
        legend.add_doubt(points, "v")
    if (there & ~numpy.isfinite(table)).any():
        legend.add(Patch(facecolor=EMPTY), "nothing to report")
    legend.draw(axes, {"legend": "below"})
