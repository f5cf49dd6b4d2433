"""Results ordered for a reader: blocks with their points, and along which axes points make lines.

A section is what files have in common: the first block called NAME of each file, the second, ...
"""

from collections import defaultdict
from dataclasses import dataclass, field

from ..plot import breaks, curves as cv
from ..points import differences
from ..records import ROUNDS_BLOCK
from ..results import Result
from ..states import common
from ..users_json import is_number


@dataclass
class Point:
    file: str       # its short name
    result: Result
    drawn: cv.Point  # the same for plots; its parts are those of states, if there are several
    call: str = ""  # what distinguishes it from others with the same function, variables and PEs


@dataclass
class Section:
    name: str
    points: list = field(default_factory=list)
    missing: list = field(default_factory=list)  # (file, record)

    @property
    def variables(self):
        """Names of loop variables, outermost first as far as results agree."""
        return list(dict.fromkeys(n for p in self.points for n in p.result.variables))


def sections_of(files):
    """files: (short name, ResultFile) pairs. In the order of first appearance."""
    sections = {}

    def section(block, occurrence):
        return sections.setdefault((block, occurrence), Section(block))

    points = cv.load_all([cv.Source(place, *pair) for place, pair in enumerate(files)])
    if not common.differ(part.state for point in points for part in point.parts):
        for point in points:
            point.parts = []
    drawn = dict(zip((id(result) for _, file in files for result in file.points), points))
    for name, file in files:
        numbers = defaultdict(dict)  # of blocks, by their name

        def occurrence(block, number):
            return numbers[block].setdefault(number, len(numbers[block]))

        # They may be in their results' block or in one of their own.
        aggregated = {r.key: r for r in file.rounds}
        result_of = {id(r.record): r for r in file.results}
        shown = set()
        for record in file.records:
            kind, block, number = record["record"], record.get("block") or "", record.get("number")
            if kind == "block":
                section(block, occurrence(block, number))
            elif kind == "missing":
                section(block, occurrence(block, number)).missing.append((name, record))
            elif kind == "result" and record.get("round", 1) == 1:
                result = result_of[id(record)]
                shown.add(result.key)
                result = aggregated.get(result.key, result)
                section(block, occurrence(block, number)).points.append(Point(name, result, drawn[id(result)]))
        for key, result in aggregated.items():  # with no result of the first round
            if key not in shown:
                block = result.block or ""
                section(block, occurrence(block, result.number)).points.append(Point(name, result, drawn[id(result)]))
    filled = {one.name for one in sections.values() if one.points or one.missing}
    # A block without results is reported as empty, unless it only marks where aggregates are.
    kept = [one for one in sections.values() if one.points or one.missing or (
        one.name not in filled and one.name.removesuffix(ROUNDS_BLOCK) not in filled)]
    for one in kept:
        tell_apart(one.points)
    return kept


def tell_apart(points):
    """Names the arguments of calls that nothing else distinguishes, and what else is stated of them and differs."""
    groups = defaultdict(list)
    for point in points:
        r = point.result
        groups[point.file, r.function, r.pes, str(r.variables)].append(point)
    for group in groups.values():
        values = [{name: a.get("value") for name, a in p.result.arguments.items() if isinstance(a, dict)} for p in group]
        differing = [n for n in values[0] if len({str(v.get(n)) for v in values}) > 1]
        calls = len({p.result.call for p in group}) > 1
        for point, own, stated in zip(group, values, differences([p.result.stated for p in group])):
            call = ", ".join(f"{n}={own.get(n)}" for n in differing) if differing else str(point.result.call)
            point.call = ", ".join(filter(None, [call if calls else "", stated]))


def axes_of(section):
    """The axes along which the section's points can be drawn, the best first; none where nothing
    that is a number differs. What differs besides the position makes another line, as in skampi plot. positions[i] and
    series[i] belong to point i; None: it has no position. marks: breaks of lines at sizes where a protocol changes."""
    points = [p.drawn for p in section.points]
    axes = []
    for name in dict.fromkeys([*reversed(section.variables), *(n for p in points for n in p.arguments), "bytes", "pes"]):
        values = [cv.value_of(point, name) for point in points]
        positions = [value if is_number(value) else None for value in values]
        known = [position for position in positions if position is not None]
        if len(set(known)) > 1 and all(positions != other["positions"] for other in axes):
            series, labels, marks = lines_of(points, name, section.name)
            axes.append({"name": "PEs" if name == "pes" else name, "unit": unit_of(name, section.points), "positions": positions,
                         "series": series, "spacing": cv.spacing(known), "labels": labels, "marks": marks})
    # The one that places most points, then with most values; a loop before what follows from it.
    return sorted(axes, key=lambda axis: (axis["positions"].count(None), -len(set(axis["positions"]))))


def unit_of(name, points):
    if all(cv.value_of(p.drawn, name) == p.result.bytes for p in points):
        return "bytes"
    units = {p.result.arguments[name].get("unit", "") for p in points
             if isinstance(p.result.arguments.get(name), dict)}
    return units.pop() if len(units) == 1 else ""


def lines_of(points, name, block):
    """(the line of each point, names of lines, marks at them)"""
    curves = cv.curves(points, name)
    place = {id(point): number for number, curve in enumerate(curves) for point in curve.points}
    labels = [label or curve.first.function or block for label, curve in zip(cv.labels(curves)[0], curves)]
    marks = [{"x": position, "series": number, "label": mark.label, "sentence": mark.sentence}
             for number, curve in enumerate(curves) for position, mark in breaks.marks_of(curve)]
    return [place.get(id(point), 0) for point in points], labels, marks
