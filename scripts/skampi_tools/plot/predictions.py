"""Predictions of shmemsim as diagrams: what `shmemsim --json` and `shmemsim what-if --json` have written is
read, checked, and put into panels, which draw_predictions.py draws."""

import json
import math
import re
from dataclasses import dataclass, field

from .. import style
from ..cli import Error

KINDS = ("pes", "routines", "what-if")
ONLY_RESULTS = ("block", "function", "where", "panel", "states", "y", "intervals", "list", "spec", "write_spec")
MOST_ROUTINES = 15
MOST_CURVES = 7
_BEGINNING = re.compile(r'\s*\{\s*"(what_if|command)"\s*:')
PE_PARTS = (("computing", "compute"), ("communication", "active"), ("waiting", "waiting"))


@dataclass
class Panel:
    """A diagram. series: what is drawn, each a (label, values), values at x; x are numbers, or texts."""
    kind: str
    title: str
    x: list
    series: list
    x_label: str = ""
    x_unit: str = ""  # s or B/s: x is shown in a unit that suits it
    y_label: str = "Time"
    level: float = math.nan  # a line across it: the machine as described
    footer: list = field(default_factory=list)


def is_prediction(path):
    """Whether the file looks like one. What cannot be read is for others to report."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return bool(_BEGINNING.match(file.read(200)))
    except OSError:
        return False


def load(path, label, kind=None, x=None):
    """The panels of a file. kind: one of KINDS, or all that there are; x: which swept quantity is the x axis."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    try:
        record = json.loads(text)
        what_if = "what_if" in record
        found = _what_if(record, label, x) if what_if else [_pes(record, label), _routines(record, label)]
        model = record["model"] + (f", contention {record['contention']}" if record["contention"] else "")
        what = re.sub(r"(?<!\S)/\S*/", "", record["what_if" if what_if else "command"])  # no folders
        footer = [f"{what}: {record['pes']} PEs on {record['machine']}, "
                  f"shmemsim, model {model}"]
    except json.JSONDecodeError as error:
        raise Error(f"{path}:{error.lineno}:{error.colno}: the prediction is damaged: {error.msg}; predict "
                    "again") from None
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        raise Error(f"{path}: this is no prediction as shmemsim --json writes them ({error}); predict "
                    "again") from None
    if x and not what_if:
        raise Error(f"{path}: --x names a quantity that shmemsim what-if swept; this is one prediction")
    kinds = [panel.kind for panel in found]
    if kind and kind not in kinds:
        raise Error(f"{path}: nothing to draw as {kind}: there is {' and '.join(dict.fromkeys(kinds))}")
    found = [panel for panel in found if kind in (None, panel.kind)]
    for panel in found:
        panel.footer = footer
    return found


# ---- One prediction ----


def _seconds(value):
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
        raise ValueError(f"{value!r} is no time")
    return float(value)


def _pes(record, label):
    rows = [{"compute": _seconds(pe["compute"]), "waiting": _seconds(pe["waiting"]),
             "active": max(0.0, _seconds(pe["communication"]) - pe["waiting"])} for pe in record["per_pe"]]
    return Panel("pes", f"{label}: each PE", [int(pe["pe"]) for pe in record["per_pe"]],
                 [(name, [row[part] for row in rows]) for name, part in PE_PARTS], "PE")


def _routines(record, label):
    rows = sorted((row for row in record["routines"] if _seconds(row["time"]) > 0), key=lambda row: -row["time"])
    left_out = len(rows) - MOST_ROUTINES
    title = f"{label}: routines" + (f" ({left_out} more take less)" if left_out > 0 else "")
    rows = rows[:MOST_ROUTINES]
    return Panel("routines", title, [str(row["name"]) for row in rows],
                 [("communication", [max(0.0, row["time"] - _seconds(row["waiting"])) for row in rows]),
                  ("waiting", [row["waiting"] for row in rows])])


# ---- What if ----


def _numbers(swept):
    """The values as numbers, and their unit; None where some are texts, or of both kinds."""
    for key, unit in (("factor", "factor"), ("value", swept["unit"])):
        values = [value.get(key) for value in swept["values"]]
        if all(isinstance(value, (int, float)) and math.isfinite(value) for value in values):
            return values, unit
    return None, ""


def _axis(swept, x):
    """Which quantity is the x axis: the one asked for, or the one with the most values."""
    names = [one["name"] for one in swept]
    if x is None:
        return max(range(len(swept)), key=lambda i: (len(swept[i]["values"]), -i))
    if x not in names:
        raise Error(f"--x {x}: was not swept; there are {', '.join(names)}")
    return names.index(x)


def _what_if(record, label, x):
    swept, points = record["swept"], record["points"]
    place = _axis(swept, x)
    texts = [value["text"] for value in swept[place]["values"]]
    numbers, unit = _numbers(swept[place])
    if numbers and len(set(numbers)) < len(numbers):
        numbers = None
    order = sorted(range(len(texts)), key=lambda i: numbers[i]) if numbers else range(len(texts))
    groups = {}
    for point in points:
        rest = tuple(value for i, value in enumerate(point["values"]) if i != place)
        groups.setdefault(rest, {})[point["values"][place]] = point
    if any(len(group) < len(set(texts)) for group in groups.values()):
        raise ValueError("a combination is missing")
    others = [one["name"] for i, one in enumerate(swept) if i != place]
    panels = []
    for what, title in (("run_time", "run time"), ("communication", "communication, all PEs")):
        names = list(groups)
        for begin in range(0, len(names), MOST_CURVES):
            series = [(", ".join(f"{name} {value}" for name, value in zip(others, rest)),
                       [_seconds(groups[rest][texts[i]][what]) for i in order])
                      for rest in names[begin:begin + MOST_CURVES]]
            panels.append(Panel(
                "what-if", f"{label}: {title}", [numbers[i] if numbers else texts[i] for i in order], series,
                swept[place]["name"] + (", times that of the description" if unit == "factor" else ""),
                "" if unit == "factor" else unit, level=_seconds(record["as_described"][what])))
    return panels


def unit_of(panel, wanted=None):
    """The (name, size) of the unit of times."""
    if wanted:
        return next(unit for unit in style.TIME_UNITS if unit[0] == wanted)
    tops = [sum(values) for values in zip(*(values for _, values in panel.series))] \
        if panel.kind != "what-if" else [value for _, values in panel.series for value in values]
    return style.choose_unit(max(tops, default=0.0), style.TIME_UNITS)
