"""Draws panels of predictions (predictions.py): times of PEs and routines in parts, and sweeps of what-if."""

import textwrap

import numpy
from matplotlib.patches import Patch

from .. import style
from . import pages
from .axes import Legend, Look, area_look, handle_of, plain
from .curves import spacing, wants_log
from .predictions import unit_of

PER_PAGE = 6
CM_A_ROUTINE = 0.55


def _legend_of_parts(axes, series, colors):
    legend = Legend()
    for place, (label, _) in enumerate(series):
        legend.add(Patch(**area_look(colors[place])), label)
    legend.draw(axes, {"legend": "below"})


def _draw_pes(axes, panel, unit, options):
    """A step for each PE, so that thousands are no thousands of bars."""
    count = len(panel.x)
    edges = numpy.repeat(numpy.arange(count + 1) - 0.5, 2)[1:-1]
    base = numpy.zeros(2 * count)
    for place, (_, values) in enumerate(panel.series):
        top = base + numpy.repeat(numpy.array(values) / unit[1], 2)
        axes.fill_between(edges, base, top, **area_look(place))
        base = top
    axes.set_xlim(-0.5, count - 0.5)
    axes.set_ylim(0, max(base.max(), 1e-300) * 1.05)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_xlabel(panel.x_label)
    axes.set_ylabel(f"{panel.y_label} [{unit[0]}]")
    _legend_of_parts(axes, panel.series, range(len(panel.series)))


def _draw_routines(axes, panel, unit, options):
    base = numpy.zeros(len(panel.x))
    rows = numpy.arange(len(panel.x))
    for place, (_, values) in enumerate(panel.series, 1):
        widths = numpy.array(values) / unit[1]
        axes.barh(rows, widths, left=base, height=0.7, **area_look(place))
        base = base + widths
    axes.set_yticks(rows, [plain(name, 40) for name in panel.x])
    axes.set_ylim(len(panel.x) - 0.4, -0.6)
    axes.grid(False, axis="y")
    axes.set_xlim(0, max(base.max(initial=0.0), 1e-300) * 1.05)
    axes.set_xlabel(f"{panel.y_label}, all PEs [{unit[0]}]")
    _legend_of_parts(axes, panel.series, range(1, 1 + len(panel.series)))


def _x_values(axes, panel):
    """Places on the x axis, which gets its label."""
    if any(isinstance(x, str) for x in panel.x):
        axes.set_xticks(range(len(panel.x)), [plain(x, 20) for x in panel.x])
        axes.set_xlabel(panel.x_label)
        return list(range(len(panel.x)))
    units = {"s": style.TIME_UNITS, "B/s": style.RATE_UNITS}.get(panel.x_unit, (("", 1),))
    unit = style.choose_unit(max(panel.x), units)
    axes.set_xlabel(f"{panel.x_label} [{unit[0]}]" if unit[0] else panel.x_label)
    values = [x / unit[1] for x in panel.x]
    axes.set_xticks(values, [style.number_text(value) for value in values])
    return values


def _logarithmic(options, axis, otherwise):
    return axis in (options.log or []) or (otherwise and axis not in (options.linear or []))


def _draw_what_if(axes, panel, unit, options):
    numeric = not any(isinstance(x, str) for x in panel.x)
    xs = _x_values(axes, panel)
    legend = Legend()
    values = []
    for place, (label, times) in enumerate(panel.series):
        look = Look({}, place)
        ys = [time / unit[1] for time in times]
        axes.plot(xs, ys, color=look.color, marker=look.marker, linestyle=look.line if numeric else "none",
                  linewidth=look.width)
        legend.add(handle_of(look), label)
        values += ys
    level = axes.axhline(panel.level / unit[1], color=style.GREY, linestyle="dashed", linewidth=1)
    legend.add(level, "machine as described")
    if numeric and min(xs) > 0 and _logarithmic(options, "x", spacing(xs) != "linear"):
        ticks, labels = list(xs), [tick.get_text() for tick in axes.get_xticklabels()]
        axes.set_xscale("log")
        axes.set_xticks(ticks, labels)
        axes.set_xticks([], minor=True)
    if min(values) > 0 and _logarithmic(options, "y", wants_log(values)):
        axes.set_yscale("log")
    else:
        axes.set_ylim(0, max(*values, panel.level / unit[1], 1e-300) * 1.08)
    axes.set_ylabel(f"{panel.y_label} [{unit[0]}]")
    legend.draw(axes, {"legend": "below"})


DRAW = {"pes": _draw_pes, "routines": _draw_routines, "what-if": _draw_what_if}


def figures(panels, spec, options):
    """One after the other. spec: what options say of size, title and footer."""
    size = pages.settings(spec.get("font", {}))

    def draw(axes, panel, _):
        axes.set_title(plain(panel.title, 50), loc="left", fontweight="bold")
        DRAW[panel.kind](axes, panel, unit_of(panel, options.unit), options)
    for begin in range(0, len(panels), PER_PAGE):
        page = panels[begin:begin + PER_PAGE]
        lines = dict.fromkeys(line for panel in page for line in panel.footer)
        yield pages.composed(
            spec, size, page, 2, lambda columns: 13.0 * columns if columns > 1 else 16.0,
            lambda panel: max(4.0, CM_A_ROUTINE * len(panel.x) + 3) if panel.kind == "routines" else 8.0, draw,
            lambda characters, lines=lines: [part for line in lines for part in textwrap.wrap(plain(line), characters)])
