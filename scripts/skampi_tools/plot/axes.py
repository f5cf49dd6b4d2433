"""Axes, looks and legends: what all kinds of diagrams share."""

import math
import statistics

import matplotlib
from matplotlib import ticker
from matplotlib.lines import Line2D
from matplotlib.markers import CARETDOWN, CARETLEFT, CARETRIGHT, CARETUP

from .. import doubt, style
from ..cli import Error
from ..results import LAUNCHES, PER_SECOND, shown_as
from . import curves as cv, layout
from .spec import TIME_UNITS

NAN = math.nan
MAX_TICKS = 9  # labelled ticks of an x axis
LONGEST_LABEL = 120
# What is on the axis, and its units.
NAMES = {None: ("Time", style.TIME_UNITS), "bandwidth": ("Bandwidth", style.RATE_UNITS),
         "bus_bandwidth": ("Bus bandwidth", style.RATE_UNITS), "rate": ("Message rate", style.MESSAGE_UNITS)}
WITHOUT = {"bandwidth": "there is no bandwidth: no result has both bytes that are moved and a time above 0",
           "bus_bandwidth": "there is no bus bandwidth: only results of collectives have one",
           "rate": "there is no message rate: no result states one"}
MANY_CURVES = 5  # from this many curves on, the legend of a panel is beside the axes


def plain(text, width=None):
    """Text that matplotlib takes as it is: no formulas, no control characters, no lone surrogates;
    cut to this many characters."""
    text = "".join(c if c.isprintable() else " " for c in str(text))
    if width and len(text) > width:
        text = text[:width - 1].rstrip() + "…"
    return text.replace("$", r"\$")


# ---- What a point has to say on an axis ----


class Scale:
    """The y axis of a panel: a time, a rate (of PER_SECOND) or a memory size, in one unit."""

    def __init__(self, panel, points):
        self.sizes = any(point.quantity == "bytes" for point in points)
        self.rate = panel["y"] if panel.get("y") in PER_SECOND and not self.sizes else None
        self.name, self.factor = "", 1.0
        self.what = shown_as({point.what for point in points})
        values = [abs(v) for point in points for v in [self.base(point)[0]]
                  if math.isfinite(v) and v != 0]
        units = NAMES[self.rate][1]
        if self.sizes:
            self.name = "B"
        elif "unit" in panel:
            wanted = panel["unit"] if self.rate else TIME_UNITS[panel["unit"]]
            self.name, self.factor = next(unit for unit in units if unit[0] == wanted)
        elif values:
            # The unit in which the middle, on a logarithmic scale, is at least 1; rates are
            # called by what they reach.
            middle = math.exp(statistics.fmean([math.log(min(values)), math.log(max(values))]))
            self.name, self.factor = style.choose_unit(max(values) if self.rate else middle,
                                                       units)
        else:
            self.name, self.factor = units[0]

    def base(self, point):
        """(value, low, high, next_low, next_high) in seconds, bytes, or bytes or messages a second."""
        five = (point.time, point.low, point.high, point.next_low, point.next_high)
        if not self.rate:
            return five
        amount = point.amounts[self.rate]

        def rate(time):
            return amount / time if time > 0 and amount > 0 else NAN
        value, low, high, next_low, next_high = (rate(time) for time in five)
        return value, high, low, next_high, next_low

    def ends(self, points):
        """The least and the largest value of these points, in the unit of the axis; [] without any."""
        values = [abs(self.of(point)[0]) for point in points]
        values = [v for v in values if 0 < v < math.inf]
        return [min(values), max(values)] if values else []

    def of(self, point):
        return tuple(value / self.factor for value in self.base(point))

    @property
    def nothing(self):
        """Why there is nothing to draw."""
        return WITHOUT[self.rate] if self.rate else "nothing but missing values"

    @property
    def label(self):
        if self.sizes:
            return "Memory"
        return f"{NAMES[self.rate][0]} [{self.name}]"

    @property
    def value_label(self):
        """The label of an axis of values, whose second line says which value is shown: a median, a mean, ..."""
        return f"{self.label}\n{'at the ' if self.rate else ''}{self.what}"


def span(values, logarithmic, margin=0.06):
    """Limits of an axis with room at both ends; None without values."""
    finite = [v for v in values if math.isfinite(v) and (v > 0 or not logarithmic)]
    if not finite:
        return None
    low, high = min(finite), max(finite)
    if logarithmic:
        room = max(math.log(high) - math.log(low), 0.3) * margin
        return (math.exp(max(math.log(low) - room, -690)),  # what a double can hold
                math.exp(min(math.log(high) + room, 709)))
    room = (high - low) * margin or abs(high) * 0.1 or 1.0
    return low - room, high + room


# ---- Axes ----


def _crowded(values, limits, base):
    if base and (values[0] <= 0 or limits[0] <= 0):
        return True
    place = math.log if base else float
    least = (place(limits[1]) - place(limits[0])) / 11
    return any(place(b) - place(a) < least for a, b in zip(values, values[1:]))


class DistinctNumbers(ticker.Formatter):
    """Numbers with this many digits, or with as many more as ticks need to differ."""

    def __init__(self, text, digits):
        self.text, self.digits = text, digits

    def __call__(self, value, position=None):
        return self.text(value, self.digits)

    def format_ticks(self, values):
        return cv.distinct_texts(values, self.text, self.digits)


def set_ticks(axis, limits, scale, sizes, values=()):
    """Ticks for these limits; at the values themselves where there are few of them and they are
    not crowded."""
    text, digits = (style.size_text, 3) if sizes else (style.number_text, 6)
    base = {"log2": 2, "log10": 10}.get(scale)
    if base:
        low, high = (max(limit, 1e-300) for limit in limits)
        ticks = cv.log_ticks(low, high, base, MAX_TICKS)
        if limits[0] <= 0:
            ticks.insert(0, 0.0)
        axis.set_major_locator(ticker.FixedLocator(ticks))
        if base == 10 and len(ticks) > 1 and ticks[1] / max(ticks[0], 1e-300) > 9:
            axis.set_minor_locator(ticker.LogLocator(base=10, subs=range(2, 10), numticks=100))
        else:
            axis.set_minor_locator(ticker.NullLocator())
    elif sizes:
        low, high = limits
        step = 2.0 ** math.floor(math.log2(max((high - low) / 5, 1)))
        axis.set_major_locator(ticker.FixedLocator(
            [step * i for i in range(math.ceil(low / step), math.floor(high / step) + 1)]))
        axis.set_minor_locator(ticker.NullLocator())
    else:
        axis.set_major_locator(ticker.MaxNLocator(7, steps=[1, 2, 2.5, 5, 10]))
    if 0 < len(values) <= MAX_TICKS and not _crowded(sorted(values), limits, base):
        axis.set_major_locator(ticker.FixedLocator(sorted(values)))
        axis.set_minor_locator(ticker.NullLocator())
    axis.set_major_formatter(DistinctNumbers(text, digits))
    axis.set_minor_formatter(ticker.NullFormatter())


def limits_of(panel, key, automatic):
    low, high = panel.get(key) or (None, None)
    return (automatic[0] if low is None else low, automatic[1] if high is None else high)


def x_axis(axes, panel, values, sizes, name):
    """Sets up the x axis for these numbers; returns its scale."""
    scale = panel.get("x_scale") or cv.spacing(values)
    positive = [v for v in values if v > 0]
    if scale != "linear" and (not positive or min(values) < 0):
        raise Error(f"a logarithmic x axis cannot show values of {name} below zero")
    base = {"log2": 2, "log10": 10}.get(scale)
    limits = span(values, bool(base), 0.03)
    if base and min(values) <= 0:
        # Zero is one step left of the smallest number above it.
        axes.set_xscale("symlog", base=base, linthresh=min(positive), linscale=1)
        limits = (-0.15 * min(positive), limits[1])
    elif base:
        axes.set_xscale("log", base=base)
    limits = limits_of(panel, "x_range", limits)
    if base and limits[0] <= 0 and min(values) > 0:
        raise Error("x_range: begins at or below zero on a logarithmic axis")
    axes.set_xlim(*limits)
    set_ticks(axes.xaxis, limits if not base or limits[0] > 0 else (0, limits[1]) if 0 in values
              else limits, scale, sizes, {v for v in values if limits[0] <= v <= limits[1]})
    if base and limits[0] <= 0:
        ticks = [0.0] + cv.log_ticks(min(positive), limits[1], base, MAX_TICKS)
        axes.xaxis.set_major_locator(ticker.FixedLocator(ticks))
    title = {"pes": "PEs", "bytes": "Bytes moved"}.get(name, f"Size ({name})" if sizes else name)
    axes.set_xlabel(plain(panel.get("x_label", title), 80))
    return scale


def y_axis(axes, panel, values, scale_of, label=None, across=False):
    """Sets up the axis of values for these numbers; returns whether it is logarithmic. across: it lies along x, and
    begins at 0 where it can."""
    wanted = panel.get("y_scale")
    logarithmic = wanted == "log10" or (wanted is None and cv.wants_log(values))
    limits = span(values, logarithmic)
    if logarithmic and limits is None:
        raise Error("a logarithmic y axis has nothing to show: no value is above zero")
    limits = limits or (0, 1)
    if not logarithmic and "y_range" not in panel and 0 < limits[0] and (across or limits[0] < 0.5 * limits[1]):
        limits = (0, limits[1])  # a bar of zero is part of what a reader compares with
    limits = limits_of(panel, "y_range", limits)
    if logarithmic and limits[0] <= 0:
        raise Error("y_range: begins at or below zero on a logarithmic axis")
    if limits[0] >= limits[1]:
        raise Error("y_range: none of the data is in it")
    which = "x" if across else "y"
    if logarithmic:
        axes.set(**{f"{which}scale": "log"})
    lines = [panel["y_label"]] if "y_label" in panel else (label or scale_of.label).split("\n")
    axes.set(**{f"{which}lim": limits, f"{which}label": "\n".join(plain(line, 60) for line in lines)})
    sizes = scale_of is not None and scale_of.sizes
    set_ticks(axes.xaxis if across else axes.yaxis, limits, ("log2" if sizes else "log10") if logarithmic else "linear", sizes)
    return logarithmic


# ---- Series ----


class Look:
    """How a series looks: given, or by its place among the others."""

    def __init__(self, series, place, line=0):
        palette = style.PALETTE
        color = series.get("color", place % len(palette) + 1)
        self.color = palette[color - 1] if isinstance(color, int) else color
        marker = series.get("marker", style.MARKERS[place % len(style.MARKERS)])
        self.marker = "" if marker == "none" else marker
        turn = place // len(palette) + line
        given = series.get("line", style.LINES[turn % len(style.LINES)])
        self.line = "" if given == "none" else given
        self.width = series.get("width", matplotlib.rcParams["lines.linewidth"])


def looks(chosen):
    """A Look for each (series, curve): one colour and marker for the same curve of several files, one kind
    of line for a file. With states of the machine: one colour and marker for a curve of a file, one kind of
    line for a state."""
    by_state = any(curve.first.state for _, curve in chosen)
    files = sorted({curve.first.source.index for _, curve in chosen})
    places, found = {}, []
    for number, (_, curve) in enumerate(chosen):
        parts = [part for part in curve.label_parts() if part[0] != "state" or not by_state]
        identity = (curve.first.source.index, str(parts)) if by_state else str(parts) if len(files) > 1 else number
        line = (curve.first.state.number - 1 if curve.first.state else 0) if by_state else files.index(curve.first.source.index)
        found.append((places.setdefault(identity, len(places)), line))
    # Files that show one curve each differ by colour as well.
    alone = not by_state and len(files) > 1 and len(places) == 1
    return [Look(series, line if alone else place, line if by_state or len(files) > 1 else 0)
            for (series, _), (place, line) in zip(chosen, found)]


HATCHES = ("", "////", "....", "\\\\\\\\", "xxxx")


def area_look(place, color=None):
    """How one of several areas looks."""
    return {"facecolor": color or style.PALETTE[place], "alpha": 0.75, "edgecolor": "white", "linewidth": 0.5,
            "hatch": HATCHES[place % len(HATCHES)]}


def handle_of(look):
    return Line2D([], [], color=look.color, marker=look.marker, linestyle=look.line or "none",
                  linewidth=look.width)


def mark_doubtful(axes, look, places):
    """Makes the markers of doubtful points, (x, y) each, hollow."""
    if places:
        axes.plot(*zip(*places), linestyle="none", marker=look.marker or "o", color=look.color, markerfacecolor="white",
                  markeredgewidth=1.2, zorder=4)


CUT = "triangles at the frame: the interval goes on beyond it"


def mark_cut(axes, notes, intervals, color, across=False):
    """Marks where intervals, (place, low, high) each, leave the axes; after their limits are set. across: they lie
    along x."""
    bottom, top = axes.get_xlim() if across else axes.get_ylim()
    transform = axes.get_yaxis_transform() if across else axes.get_xaxis_transform()
    for at, marker, places in (
            (0, CARETLEFT if across else CARETDOWN, [p for p, low, high in intervals if low < bottom <= high]),
            (1, CARETRIGHT if across else CARETUP, [p for p, low, high in intervals if high > top >= low])):
        if places:
            ends = [at] * len(places)
            axes.plot(*((ends, places) if across else (places, ends)), linestyle="none", marker=marker, markersize=5,
                      color=color, markeredgewidth=0, transform=transform, clip_on=False, zorder=5)
            notes.append(CUT)


def runs_of(points):
    """What aggregates of these points are over, in a word."""
    return "launches" if all(p.what == LAUNCHES for p in points if p.is_rounds) else "rounds"


class Legend:
    """Collects what a panel's legend says."""

    def __init__(self):
        self.handles, self.labels = [], []

    def add(self, handle, label):
        if label:
            self.handles.append(handle)
            self.labels.append(plain(label, LONGEST_LABEL))

    def draw(self, axes, panel):
        where = panel.get("legend", "inside" if len(self.labels) < MANY_CURVES + 3 else "right")
        if not self.labels or where == "none":
            return
        layout.ask(axes, self.handles, self.labels, where)

    def add_doubt(self, points, marker="o"):
        """What hollow markers mean, where one of these points has one."""
        if any(point.doubtful for point in points):
            legend = doubt.Tally(point.result for point in points).legend()
            self.add(Line2D([], [], linestyle="none", marker=marker, color=style.GREY, markerfacecolor="white",
                            markeredgewidth=1.2), legend.removeprefix(f"{doubt.MARK} "))
