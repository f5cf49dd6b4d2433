"""Results ordered for a reader: blocks with their points, and along which axes points make lines.

A section is what files have in common: the first block called NAME of each file, the second, ...
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from ..points import differences
from ..records import ROUNDS_BLOCK
from ..results import Result
from ..users_json import is_number


@dataclass
class Point:
    file: str       # its short name
    result: Result
    call: str = ""  # what distinguishes it from others with the same function, variables and PEs


@dataclass
class Section:
    name: str
    points: list = field(default_factory=list)
    missing: list = field(default_factory=list)  # (file, record)

    @property
    def functions(self):
        return list(dict.fromkeys(p.result.function for p in self.points))

    @property
    def variables(self):
        """Names of loop variables, outermost first as far as results agree."""
        return list(dict.fromkeys(n for p in self.points for n in p.result.variables))


@dataclass
class Axis:
    """One choice for the horizontal axis; positions[i] and series[i] belong to point
    i of the section; None where the point has no position."""
    name: str
    unit: str
    positions: list
    series: list = field(default_factory=list)
    labels: list = field(default_factory=list)


def sections_of(files):
    """files: (short name, ResultFile) pairs. In the order of first appearance."""
    sections = {}

    def section(block, occurrence):
        return sections.setdefault((block, occurrence), Section(block))

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
                section(block, occurrence(block, number)).points.append(
                    Point(name, aggregated.get(result.key, result)))
        for key, result in aggregated.items():  # with no result of the first round
            if key not in shown:
                block = result.block or ""
                section(block, occurrence(block, result.number)).points.append(Point(name, result))
    filled = {one.name for one in sections.values() if one.points or one.missing}
    # A block without results is reported as empty, unless it only marks where aggregates are.
    kept = [one for one in sections.values() if one.points or one.missing or (
        one.name not in filled and one.name.removesuffix(ROUNDS_BLOCK) not in filled)]
    for one in kept:
        tell_apart(one.points)
    return kept


def argument_values(result):
    return {name: a.get("value") for name, a in result.arguments.items() if isinstance(a, dict)}


def tell_apart(points):
    """Names the arguments of calls that nothing else distinguishes, and what else is stated of them and differs."""
    groups = defaultdict(list)
    for point in points:
        r = point.result
        groups[point.file, r.function, r.pes, str(r.variables)].append(point)
    for group in groups.values():
        values = [argument_values(p.result) for p in group]
        differing = [n for n in values[0] if len({str(v.get(n)) for v in values}) > 1]
        calls = len({p.result.call for p in group}) > 1
        for point, own, stated in zip(group, values, differences([p.result.stated for p in group])):
            call = ", ".join(f"{n}={own.get(n)}" for n in differing) if differing else str(point.result.call)
            point.call = ", ".join(filter(None, [call if calls else "", stated]))


def axes_of(section):
    """The axes along which the section's points can be drawn, the best first; none where nothing
    that is a number differs."""
    points = section.points
    candidates = []
    for name in reversed(section.variables):
        candidates.append(Axis(name, unit_of(name, points), [p.result.variables.get(name) for p in points]))
    for name in dict.fromkeys(n for p in points for n in p.result.arguments):
        candidates.append(Axis(name, unit_of(name, points),
                               [argument_values(p.result).get(name) for p in points]))
    candidates.append(Axis("bytes", "bytes", [p.result.bytes for p in points]))
    candidates.append(Axis("PEs", "", [p.result.pes for p in points]))
    axes = []
    for axis in candidates:
        axis.positions = [value if is_number(value) else None for value in axis.positions]
        if len(set(axis.positions) - {None}) < 2:
            continue
        if any(axis.positions == other.positions or axis.name == other.name for other in axes):
            continue
        if axis.positions == [p.result.bytes for p in points]:
            axis.unit = "bytes"
        axes.append(axis)
    # The one that places most points, then with most values; a loop before what follows from it.
    axes.sort(key=lambda a: (a.positions.count(None), -len(set(a.positions))))
    for axis in axes:
        split_into_series(axis, section)
    return axes


def unit_of(name, points):
    units = {p.result.arguments[name].get("unit", "") for p in points
             if isinstance(p.result.arguments.get(name), dict)}
    return units.pop() if len(units) == 1 else ""


def split_into_series(axis, section):
    """What differs besides the position makes another line, except what follows from it."""
    points = section.points
    dimensions = [("file", [p.file for p in points]),
                  ("", [str(p.result.function) for p in points])]
    dimensions += [(name, [str(p.result.variables.get(name, "")) for p in points])
                   for name in section.variables if name != axis.name]
    if axis.name != "PEs":
        dimensions.append(("PEs", [str(p.result.pes) for p in points]))
    if axis.name not in {n for p in points for n in argument_values(p.result)} or (
            axis.name in section.variables):
        dimensions.append(("call", [p.call for p in points]))
    kept = []
    for name, values in dimensions:
        if len(set(values)) < 2 or any(values == others for _, others in kept):
            continue
        if name in ("", "file") or not follows(values, axis.positions, points):
            kept.append((name, values))
    texts = [[values[i] if name in ("", "file", "call") else f"{name}={values[i]}" for name, values in kept if values[i]]
             for i, _ in enumerate(points)]
    if len(section.functions) < 2 and not all(texts):  # a line without a name: all begin with the function
        texts = [[str(point.result.function or section.name), *parts] for point, parts in zip(points, texts)]
    labels = []
    seen = Counter()
    for i, parts in enumerate(texts):
        label = ", ".join(parts)
        seen[label, axis.positions[i]] += 1
        again = seen[label, axis.positions[i]]
        labels.append(label if again == 1 else f"{label} ({again})")
    axis.labels = list(dict.fromkeys(labels))
    index = {label: number for number, label in enumerate(axis.labels)}
    axis.series = [index[label] for label in labels]


def follows(values, positions, points):
    """Whether position and function determine the value, and each value has one position alone."""
    values_at, positions_of = defaultdict(set), defaultdict(set)
    for value, position, point in zip(values, positions, points):
        values_at[point.result.function, position].add(value)
        positions_of[point.result.function, value].add(position)
    return (all(len(v) == 1 for v in values_at.values())
            and all(len(p) == 1 for p in positions_of.values())
            and len(set(positions)) > 1)
