"""Which of several ways to do the same is the fastest, by PEs and size, and where two of them cross.

Blocks whose names are GROUP: WAY compete with the others of their group.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

from ..statistics import median
from ..style import printable

SEPARATOR = ": "
# Loop variables that say what a result states anyway.
SIZES = ("count", "bytes")
NUMBERS_OF_PES = ("pes", "n", "np")


class Case(NamedTuple):
    """Where ways compete. other: of loop variables that are neither the size nor the PEs."""
    pes: int
    bytes: int
    other: tuple


@dataclass
class Cost:
    """Of a way in a case: seconds, and what they may be."""
    way: str
    value: float
    low: float
    high: float
    doubtful: bool = False

    @property
    def half_width(self):
        return (self.high - self.low) / 2


@dataclass
class Place:
    case: Case
    costs: list  # Cost, the fastest first

    @property
    def fastest(self):
        return self.costs[0]

    @property
    def close(self):
        """The others whose intervals overlap that of the fastest one."""
        return [cost for cost in self.costs[1:] if cost.low <= self.fastest.high]


@dataclass
class Group:
    name: str
    places: list  # Place, ascending


@dataclass
class Crossing:
    """How two ways compare over the sizes of one number of PEs. turns: (bytes, way that is faster from there
    on), bytes between two measured sizes; the first one has the smallest size."""
    group: str
    pes: int
    other: tuple
    first: str
    second: str
    least: int
    most: int
    turns: list


def _case(result):
    other = tuple((name, str(value)) for name, value in result.variables.items()
                  if name not in SIZES and not (name in NUMBERS_OF_PES and value == result.pes))
    return Case(result.pes or 0, int(result.bytes), other)


def _order(case):
    return (case.pes, case.other, case.bytes)


def _cost(way, results):
    """Of one result what it shows; of several, from several files, their median and their range."""
    shown = [result.shown() for result in results]
    values = [s.value for s in shown]
    doubtful = any(result.doubtful for result in results)
    if len(values) > 1:
        return Cost(way, median(values), min(values), max(values), doubtful)
    low, high = (s if math.isfinite(s) else values[0] for s in (shown[0].low, shown[0].high))
    return Cost(way, values[0], low, high, doubtful)


def groups(files, separator=SEPARATOR):
    """The Groups of all files together, in the order of their first results. Ways without another one to
    compete with are no group; a case has two ways at least."""
    found = {}
    for file in files:
        for result in file.points:
            group, middle, way = str(result.block).partition(separator)
            if middle and result.quantity in (None, "time") and math.isfinite(result.shown().value):
                found.setdefault(group, {}).setdefault(_case(result), {}).setdefault(way, []).append(result)
    every = []
    for name, cases in found.items():
        places = []
        for case in sorted(cases, key=_order):
            costs = sorted((_cost(way, results) for way, results in cases[case].items()),
                           key=lambda cost: cost.value)
            if len(costs) > 1:
                places.append(Place(case, costs))
        if places:
            every.append(Group(name, places))
    return every


# ---- Crossings ----


def _turn(before, after):
    """Where two curves cross between two sizes at which one is above, then the other: straight lines on
    logarithmic axes. before, after: (bytes, ratio of the times)."""
    (x0, y0), (x1, y1) = ((b, math.log(ratio)) for b, ratio in (before, after))
    if x0 <= 0:  # a size without a logarithm
        return x1
    share = y0 / (y0 - y1)
    return math.exp(math.log(x0) + share * (math.log(x1) - math.log(x0)))


def _crossing(group, pes, other, names, points):
    """points: (bytes, first's time / second's), ascending."""
    first, second = names
    turns = []
    for number, (size, ratio) in enumerate(points):
        faster = first if ratio <= 1 else second
        if not turns:
            turns.append((size, faster))
        elif faster != turns[-1][1]:
            turns.append((_turn(points[number - 1], (size, ratio)), faster))
    return Crossing(group, pes, other, first, second, points[0][0], points[-1][0], turns)


def crossings(every, one, two):
    """Of each pair of ways whose names differ in that the one has `one` where the other has `two`, in each
    group, for each number of PEs."""
    found = []
    for group in every:
        ways = {cost.way for place in group.places for cost in place.costs}
        pairs = sorted((way, way.replace(one, two)) for way in ways
                       if one in way and way.replace(one, two) in ways - {way})
        for names in pairs:
            series = {}
            for place in group.places:
                values = {cost.way: cost.value for cost in place.costs}
                if all(values.get(name, 0) > 0 for name in names):
                    series.setdefault((place.case.pes, place.case.other), []).append(
                        (place.case.bytes, values[names[0]] / values[names[1]]))
            found += [_crossing(group.name, *key, names, points) for key, points in series.items()]
    return found


def other_text(other):
    return ", ".join(f"{printable(name)}={printable(value)}" for name, value in other)
