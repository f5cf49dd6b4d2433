"""What a figure shows, as a JSON object: read from a file and checked, or made from the data.

Keys and their values are documented in docs/tools/skampi-plot.md.
"""

import json
import math
import re
from collections import Counter
from functools import partial
from operator import methodcaller

from .. import style, users_json
from ..cli import Error
from ..reading import at_most
from ..states import WORDS
from ..users_json import is_number, is_whole
from . import curves as cv
from .strips import strips

KINDS = ("curve", "dots", "stack", "share", "overlap", "heatmap", "ecdf", "histogram", "violin",
         "order", "spread", "states")
BY_STATE = ("curve", "dots")  # kinds that show states of the machine apart
STATES = ("separate", "together")
INTERVALS = ("bars", "bands", "none")
LEGENDS = ("inside", "right", "below", "none")
TIME_UNITS = {"ns": "ns", "us": "µs", "µs": "µs", "ms": "ms", "s": "s"}
RATE_UNITS = tuple(name for name, _ in style.RATE_UNITS)
MESSAGE_UNITS = tuple(name for name, _ in style.MESSAGE_UNITS)
UNITS = {"time": tuple(TIME_UNITS), "bandwidth": RATE_UNITS, "bus_bandwidth": RATE_UNITS, "rate": MESSAGE_UNITS}
PLACEMENTS = ("on one node", "on several nodes", "on several nodes, mixed", "")
MAX_CURVES = 8  # curves that a diagram made from the data shows at most
MAX_CURVES_BLOCK = 14  # ... if all are of one block
MAX_DOTS = 30
PANELS_PER_PAGE = 6
MAX_CM = 500
MOST_PANELS = 60  # panels that are drawn without a spec
MOST_SERIES = 200  # series of a panel that are drawn without a spec
CHOOSE = "choose with --block, --function or --panel, or draw all with --write-spec FILE, then --spec FILE"
HINT = "; --write-spec FILE writes one that is right, to be edited"


# ---- Checking: a function for each key, which takes its users_json.Value and refuses what drawing would not understand ----


_text = methodcaller("text", empty=True)
_number, _count = partial(methodcaller, "number"), partial(methodcaller, "whole")


def _one_of(*choices):
    return methodcaller("one_of", choices)


def _flag(value):
    return value.must(isinstance(value.content, bool), "true or false")


def _footer(value):
    return value.must(isinstance(value.content, bool) or value.content == "short", 'true, false or "short"')


def _each(check):
    """Of an object whose names are free."""
    return lambda value: [check(own) for own in value.members().values()]


def _scalar(value):
    return value.must(isinstance(value.content, str) or is_number(value.content), "a number or a text")


def _range(value):
    ends = value.content
    value.must(isinstance(ends, list) and len(ends) == 2 and all(end is None or is_number(end) for end in ends),
               "a pair of numbers, [from, to] (null: from the data)")
    if None not in ends and ends[0] >= ends[1]:
        value.refuse("the end is not above the begin")


def _color(value):
    color = value.content
    value.must(1 <= color <= len(style.PALETTE) if is_whole(color) else
               isinstance(color, str) and re.fullmatch(r"#[0-9a-fA-F]{6}", color),
               f'"#rrggbb" or a number from 1 to {len(style.PALETTE)}')


def _file(value):
    value.must(isinstance(value.content, str) or is_whole(value.content) and value.content >= 1,
               "a number from 1 or a pattern of names")


def _members(value, keys, needed=()):
    """{key: Value} of an object whose members pass the checks of their keys."""
    members = value.members(needed, keys)
    for key, member in members.items():
        keys[key](member)
    return members


SELECTOR = {
    "file": _file, "block": _text, "function": _text, "occurrence": _count(0, 10**9),
    "variables": _each(_scalar), "arguments": _each(_scalar), "pes": _count(0, 10**9),
    "placement": _one_of(*PLACEMENTS), "repeated": _count(1, 10**9), "members": _text,
    "stated": _each(_text), "state": _count(0, 10**9), "control": _one_of(*WORDS.values()),
}
STRIP = ("file", "members", "control")  # what selects a strip of states
PARTS = ("full", "rest", "post")
SERIES = {
    **SELECTOR,
    "label": _text, "color": _color, "marker": _one_of(*style.MARKERS, "none"),
    "line": _one_of(*style.LINES, "none"), "width": _number(0.1, 20),
    "role": _one_of("area", "line"), **dict.fromkeys(PARTS, lambda value: _members(value, SELECTOR)),
}
PANEL = {
    "title": _text, "kind": _one_of(*KINDS), "x": _text, "y": _one_of(*UNITS),
    "x_label": _text, "y_label": _text, "x_scale": _one_of("linear", "log2", "log10"),
    "y_scale": _one_of("linear", "log10"), "x_range": _range, "y_range": _range,
    "unit": _one_of(*TIME_UNITS, *RATE_UNITS, *MESSAGE_UNITS), "intervals": _one_of(*INTERVALS),
    "legend": _one_of(*LEGENDS), "values": lambda value: [own.number() for own in value.entries("numbers")],
    "optional": _flag, "states": _one_of(*STATES), "thresholds": _flag,
    "series": lambda value: [_members(one, SERIES) for one in value.entries("what to draw; [{}] takes all")],
}
FONT = {"family": _text, "size": _number(3, 40)}
FIGURE = {
    "title": _text, "width_cm": _number(3, MAX_CM), "height_cm": _number(3, MAX_CM),
    "dpi": _count(30, 1200), "columns": _count(1, 10), "panels_per_page": _count(1, 100),
    "footer": _footer,
    "font": lambda value: _members(value, FONT), "panels": lambda value: list(map(_check_panel, value.entries("panels"))),
}


def _check_panel(panel):
    """Its keys, and those that do not belong together."""
    own, given = _members(panel, PANEL, ("series",)), panel.content
    kind, measure = given.get("kind", "curve"), given.get("y", "time")
    if "unit" in own and given["unit"] not in UNITS[measure]:
        own["unit"].refuse(f"{given['unit']} is no unit of {measure}")
    if "states" in own and kind not in BY_STATE:
        own["states"].refuse(f"is only for panels of kind {' and '.join(BY_STATE)}")
    if "thresholds" in own and kind != "curve":
        own["thresholds"].refuse("is only for panels of kind curve")
    for series in own["series"].entries(""):
        members = series.members()
        parts = [members[part] for part in PARTS if part in members]
        for selector in (members, *(part.members() for part in parts)):
            _check_states(selector, given)
        if kind == "overlap" and len(parts) < 3:
            series.refuse("overlap needs the selectors full, rest and post")
        if kind != "overlap" and parts:
            parts[0].refuse("is only for panels of kind overlap")


def _check_states(selector, panel):
    """The members of what selects results of a panel, and the states of the machine."""
    kind = panel.get("kind", "curve")
    if "state" in selector and (kind not in BY_STATE or panel.get("states") == "together"):
        selector["state"].refuse(f"is only for panels of kind {' and '.join(BY_STATE)} whose states are separate")
    if kind == "states":
        for key, value in selector.items():
            if key not in STRIP:
                value.refuse(f"a strip of states is selected by {', '.join(STRIP)} alone")
    elif "control" in selector:
        selector["control"].refuse("is only for panels of kind states")


def read(path):
    """A checked spec from a file; "-" is standard input."""
    try:
        top = users_json.read(path)
        _members(top, FIGURE, ("panels",))
        return top.content
    except OSError as error:
        raise Error(f"{path}: {error.strerror or error}{HINT}") from None
    except Error as error:
        raise Error(f"{error}{HINT}") from None


def text(spec):
    """The spec as a file that people edit: one series a line."""
    def line(value):
        return json.dumps(value, ensure_ascii=False)

    def members(pairs, indent):
        return ",\n".join(f"{' ' * indent}{line(key)}: {value}" for key, value in pairs)

    panels = []
    for panel in spec["panels"]:
        series = ",\n".join(f"        {line(one)}" for one in panel["series"])
        pairs = [(key, line(value)) for key, value in panel.items() if key != "series"]
        panels.append("    {\n" + members([*pairs, ("series", f"[\n{series}\n      ]")], 6)
                      + "\n    }")
    pairs = [(key, line(value)) for key, value in spec.items() if key != "panels"]
    return "{\n" + members([*pairs, ("panels", "[\n" + ",\n".join(panels) + "\n  ]")], 2) + "\n}\n"


# ---- Made from the data ----


def _series(found, labels, several, **more):
    return [{**curve.selector(several), "label": label, **more}
            for curve, label in zip(found, labels)]


def _panel(kind, found, title="", **more):
    """A panel of these curves, with what they have in common as its title."""
    several = len({curve.first.source.index for curve in found}) > 1
    names, common = cv.labels(found)
    panel = {"title": title or common, "kind": kind, **more}
    if found[0].x is not None:
        panel["x"] = found[0].x
    panel["series"] = _series(found, names, several)
    return panel


def _identity(curve):
    """What makes curves of several files the same curve."""
    return str([part for part in curve.label_parts()])


def _chunks(items, size):
    return [items[i:i + size] for i in range(0, len(items), size)]


def _together(found, limit):
    return len({_identity(curve) for curve in found}) <= limit


def _grouped(found, key):
    groups = {}
    for curve in found:
        groups.setdefault(key(curve), []).append(curve)
    return list(groups.values())


def _by_block(curve):
    return (curve.first.block, curve.first.occurrence)


ARRANGEMENTS = {
    "block": _by_block,
    "function": lambda curve: curve.first.function,
    "file": lambda curve: curve.first.source.index,
    "all": lambda curve: None,
}


def _curve_panels(found, arrangement, kind):
    """Curves with the same axes; blocks stay together, and share a diagram while there are few
    curves."""
    panels, placements = [], []
    for alike in _grouped(found, lambda c: (c.x, c.size, c.first.quantity,
                                            arrangement != "all" and c.placement)):
        if arrangement:
            groups = _grouped(alike, ARRANGEMENTS[arrangement])
        elif _together(alike, MAX_CURVES):
            groups = [alike]
        else:
            groups = _grouped(alike, _by_block)
        for group in groups:
            if arrangement == "all" or _together(group, MAX_CURVES_BLOCK):
                panels.append(_panel(kind, group))
            else:
                chunks = _chunks(group, MAX_CURVES_BLOCK)
                for number, chunk in enumerate(chunks, 1):
                    panel = _panel(kind, chunk)
                    panel["title"] += f" ({number} of {len(chunks)})"
                    panels.append(panel)
            placements.extend([group[0].placement] * (len(panels) - len(placements)))
    titles = [panel["title"] for panel in panels]
    counts = Counter(titles)
    for panel, placement, title in zip(panels, placements, titles):
        if placement and counts[title] > 1:
            panel["title"] = f"{title}, {placement}" if title else placement
    return panels


def _dot_panels(found, arrangement):
    panels = []
    for alike in _grouped(found, lambda c: c.first.quantity):
        if arrangement:
            groups = _grouped(alike, ARRANGEMENTS[arrangement])
        else:
            groups = [[]]
            for block in _grouped(alike, _by_block):
                if not _together(groups[-1] + block, MAX_DOTS) and groups[-1]:
                    groups.append([])
                groups[-1] += block
        for group in groups:
            rows = {}
            for curve in group:
                rows.setdefault(_identity(curve), []).append(curve)
            for chunk in _chunks(list(rows.values()), MAX_DOTS):
                panels.append(_panel("dots", [curve for row in chunk for curve in row]))
    return panels


def _operations(found):
    """Curves of the parts of each non-blocking operation: [(operation, {part: curve})]."""
    groups = {}
    for curve in found:
        known = cv.part_of(curve.first.function)
        if known and curve.x is not None:
            operation, part = known
            parts = dict(curve.label_parts())
            for name in ("block", "function", "occurrence"):
                parts.pop(name, None)
            key = (operation, curve.first.source.index, curve.x, str(parts))
            groups.setdefault(key, (operation, {}))[1].setdefault(part, curve)
    return list(groups.values())


def _operation_name(operation):
    return operation.replace("Shmem_", "").replace("_", " ").lower()


def _stack_panels(found, kind):
    panels = []
    for operation, parts in _operations(found):
        if "Post" not in parts or "Quiet" not in parts:
            continue
        several = len({curve.first.source.index for curve in found}) > 1
        title = [_operation_name(operation), parts["Post"].placement]
        title += [parts["Post"].first.source.label] if several else []
        series = []
        for part, label, role in (("Post", "post", "area"), ("Quiet", "quiet", "area"),
                                  ("Full", "post and quiet, measured together", "line")):
            if part in parts and (kind == "stack" or role == "area"):
                series += _series([parts[part]], [label], several, role=role)
        panels.append({"title": ", ".join(text for text in title if text), "kind": kind,
                       "x": parts["Post"].x, "series": series})
    return panels


def _overlap_panels(found):
    several = len({curve.first.source.index for curve in found}) > 1
    groups = {}
    for operation, parts in _operations(found):
        if {"Post", "Full", "Overlap"} <= set(parts):
            full = parts["Full"]
            label = _operation_name(operation)
            others = ", ".join(f"{n} = {v}" for n, v in full.others().items())
            label += f", {others}" if others else ""
            label += f", {full.first.source.label}" if several else ""
            groups.setdefault((full.x, full.placement), []).append({
                "label": label, "full": full.selector(several),
                "rest": parts["Overlap"].selector(several),
                "post": parts["Post"].selector(several)})
    return [{"title": f"Communication hidden by computation{', ' if place else ''}{place}",
             "kind": "overlap", "x": x, "series": series}
            for (x, place), series in groups.items()]


def _single_panels(found, kind):
    """Panels of kinds that show one curve each, or the points of a block that have no x axis."""
    alone = [[curve] for curve in found if curve.x is not None]
    single = [curve for curve in found if curve.x is None]
    if kind == "heatmap":
        alone += [[curve] for curve in single]
    elif single and _together(single, MAX_CURVES):
        alone += _grouped(single, lambda c: c.first.quantity)
    else:
        alone += _grouped(single, _by_block)
    blocks = {_by_block(curves[0]): curves for curves in _grouped(found, _by_block)}
    panels = []
    for group in alone:
        panel = _panel(kind, group)
        first = group[0]
        texts = {name: text for name, text in first.label_parts() if text}
        wanted = [texts.get("block", "")] if len(group) == 1 or not panel["title"] and \
            len({_by_block(c) for c in group}) == 1 else [panel["title"]]
        if len(group) == 1:
            same = blocks[_by_block(first)]
            extra = cv.labels(same)[0][next(i for i, c in enumerate(same) if c is first)]
            wanted += [extra] if extra else []
        panel["title"] = ", ".join(text for text in wanted if text)
        panels.append(panel)
    return panels


def choose_kind(found):
    """What suits these curves: "curve" and "dots" as there is something to draw against or not;
    raw samples of a few single points are shown as distributions."""
    single = [curve for curve in found if curve.x is None]
    if len(single) == len(found) <= MAX_CURVES and all(len(c.first.samples) > 1 for c in single):
        return "ecdf"
    return "curve"


def _state_panels(points):
    found = strips({point.source.index: point.source for point in points}.values())
    several = len({strip.source.index for strip in found}) > 1
    panels = []
    for strip in found:
        title = ["State of the machine"]
        title += [f"PEs {strip.members}"] if len({one.members for one in found}) > 1 else []
        title += [strip.source.label] if several else []
        for control in strip.told:
            panels.append({"title": ", ".join(title), "kind": "states",
                           "series": [strip.selector(several, control)]})
    return panels


WHAT_IS_MISSING = {
    "curve": "nothing varies: draw --kind dots",
    "stack": "needs functions ..._Nonblocking_Post and ..._Nonblocking_Quiet of one operation",
    "overlap": "needs the functions ..._Nonblocking_Post, ..._Full and ..._Overlap of one operation",
    "heatmap": "no result has times of its PEs",
    "ecdf": "no result has raw samples: measure with skampi --raw",
    "order": "no result has raw samples: measure with skampi --raw",
    "spread": "no result is over rounds: measure with skampi --rounds",
}
WHAT_IS_MISSING.update(share=WHAT_IS_MISSING["stack"], histogram=WHAT_IS_MISSING["ecdf"],
                       violin=WHAT_IS_MISSING["ecdf"])
# What a point must have to be drawn; without an entry: raw samples.
NEEDED = {"heatmap": lambda point: point.per_pe, "order": lambda point: point.samples or point.medians,
          "spread": lambda point: point.medians}


def from_data(points, kind=None, x=None, arrangement=None, states=None):
    """A spec that shows all these points in the way that suits them, or in the kind asked for. states: one
    of STATES. cli.Error where the kind needs what is not there."""
    if kind == "states":
        return {"panels": _state_panels(points), "panels_per_page": PANELS_PER_PAGE}
    found = cv.curves(points, x)
    if not found:
        known = sorted({name for point in points for name in (*point.variables, *point.arguments)})
        raise Error(f"no result has a number called {x}: there are "
                    f"{', '.join(known + ['bytes', 'pes'])}")
    drawn = _with_values(found)
    if not drawn:
        raise Error("nothing but missing values")
    chosen = kind or choose_kind(drawn)
    if states and chosen not in BY_STATE:
        raise Error(f"only {' and '.join(BY_STATE)} show states apart, or together: draw one of these kinds")
    if chosen in BY_STATE and states != "together":
        apart = cv.separate(points)
        if apart is not points:
            points = apart
            drawn = _with_values(cv.curves(points, x))
    with_x = [c for c in drawn if c.x is not None]
    if chosen == "curve":
        panels = _curve_panels(with_x, arrangement, "curve")
        if kind is None:
            panels += _dot_panels([c for c in drawn if c.x is None], arrangement)
    elif chosen == "dots":
        singles = cv.curves(points, x) if x else drawn
        panels = _dot_panels([single for curve in singles for single in _one_by_one(curve)],
                             arrangement)
    elif chosen in ("stack", "share"):
        panels = _stack_panels(drawn, chosen)
    elif chosen == "overlap":
        panels = _overlap_panels(drawn)
    else:
        able = [c for c in drawn if any(map(NEEDED.get(chosen, lambda point: point.samples), c.points))]
        panels = _single_panels(able, chosen) if chosen != "spread" else \
            _curve_panels([c for c in able if c.x is not None], arrangement, chosen)
    if not panels:
        raise Error(f"nothing to draw as {chosen}: {WHAT_IS_MISSING[chosen]}")
    if states:
        panels = [{**panel, "states": states} for panel in panels]
    return {"panels": _titled(panels), "panels_per_page": PANELS_PER_PAGE}


def refuse_too_many(spec):
    """Refuses, before minutes go by, hundreds of diagrams, which nobody looks at, and hundreds of curves, which nobody tells
    apart."""
    count = len(spec["panels"])
    series = max(len(panel["series"]) for panel in spec["panels"])
    if count > MOST_PANELS or series > MOST_SERIES:
        many = (f"{count} diagrams, more than {MOST_PANELS}" if count > MOST_PANELS else
                f"a diagram of {series} curves, more than {MOST_SERIES}")
        raise Error(f"{many}: {CHOOSE}")


def refuse_while_reading():
    """What results.read() calls for each Result: an Error as soon as from_data() would make too many diagrams of them, if it
    gets neither a kind nor a name for x nor an arrangement."""
    most = MOST_PANELS * MAX_DOTS  # no diagram has more than MAX_DOTS
    return at_most(most, f"curves, which is more than {MOST_PANELS} diagrams: {CHOOSE}",
                   lambda result: (result.block, result.function) if math.isfinite(result.best()) else None)


def _titled(panels):
    """Each with a title, or none."""
    if any(panel["title"] for panel in panels):
        for panel in panels:
            names = list(dict.fromkeys(one.get("block") or one.get("function", "") for one in panel["series"]))
            panel["title"] = panel["title"] or cv.unescape(", ".join(names[:3]) + (", …" if len(names) > 3 else ""))
    return panels


def _with_values(found):
    return [c for c in found if any(not math.isnan(p.time) for p in c.points)]


def _one_by_one(curve):
    def split(point):
        apart = curve.x in ("pes", *point.arguments) and curve.x not in point.variables
        return {**curve.split, curve.x: point.x} if apart else curve.split
    return [cv.Curve(None, False, [point], split(point), curve.repeated) for point in curve.points]
