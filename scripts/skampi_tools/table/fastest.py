"""Which of several ways to do the same is the fastest, by PEs and size, and where two of them cross.

Blocks whose names are GROUP: WAY compete with the others of their group.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

from .. import cli, doubt, reading, screen, style
from ..screen import printable
from ..statistics import median

DESCRIPTION = """\
Prints which of several ways to do the same is the fastest, for each number of PEs and each size. FILEs are
result files of any format, together: of other numbers of PEs, or several runs of the same, of which the
median counts. Blocks whose names are GROUP: WAY, such as "reduce: ring, put", compete with the others of
their group. A ~ marks a fastest way that is not certain, since the interval of another one overlaps its own."""

EPILOG = """\
examples:
  oshrun -np 4 skampi -i patterns/collectives.ski -o c.json && skampi-table fastest c.json
  skampi-table fastest --cross recursive_doubling reduce_scatter_allgather np*.json

exit status: 0 shown, 2 wrong usage, or a file that cannot be read or has no such blocks"""

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


# ---- What is shown ----


def chosen(every, options):
    """The groups asked for."""
    if not every:
        raise cli.Error(f"no two blocks compete: their names must be GROUP{options.separator}WAY, and they "
                        f"must have results for the same PEs and size")
    known = [group.name for group in every]
    for name in options.group or []:
        if name not in known:
            raise cli.Error(f"there is no group {name!r}, but {', '.join(map(repr, known))}")
    return [group for group in every if not options.group or group.name in options.group]


def ratio_text(place):
    ratio = place.costs[1].value / place.fastest.value
    error = ratio * sum(cost.half_width / cost.value for cost in place.costs[:2])
    return f"{style.number_text(ratio, style.digits_for(ratio, error))} x"


def way_text(cost):
    return printable(cost.way) + doubt.mark(cost.doubtful)


def print_group(group):
    others = any(place.case.other for place in group.places)
    time, time_text = style.column("time", [place.fastest.value for place in group.places])
    rows = [["PEs", "size", *(["variables"] if others else []), "fastest", time, "next", "takes"]]
    for place in group.places:
        case = place.case
        rows.append([str(case.pes), style.size_text(case.bytes),
                     *([other_text(case.other)] if others else []),
                     ("~ " if place.close else "") + way_text(place.fastest),
                     time_text(place.fastest.value, place.fastest.half_width), way_text(place.costs[1]), ratio_text(place)])
    print(printable(group.name))
    print("\n".join(screen.table(rows, (-2, -4, *([2] if others else [])), indent="  ")))


def size_near(size):
    """A size between two measured ones."""
    return style.size_text(round(size))


def crossing_text(crossing):
    where = f"{crossing.group}, {style.count_text(crossing.pes, 'PE')}"
    where += f", {other_text(crossing.other)}" if crossing.other else ""
    (_, faster), *turns = crossing.turns
    slower = crossing.second if faster == crossing.first else crossing.first
    text = f"{where}: {faster} is faster than {slower}"
    if crossing.least == crossing.most:
        return printable(text + (f" at {style.size_text(crossing.most)}" if crossing.most else ""))
    if not turns:
        return printable(f"{text} from {style.size_text(crossing.least)} to {style.size_text(crossing.most)}")
    first, *more = turns
    text += f" up to about {size_near(first[0])}, then {first[1]}"
    return printable(text + "".join(f", from about {size_near(size)} on {way}" for size, way in more))


def report(every, options):
    for number, group in enumerate(every):
        if number:
            print()
        print_group(group)
    if any(place.close for group in every for place in group.places):
        print("\n~ another one may be as fast: their intervals overlap")
    for one, two in options.cross:
        found = crossings(every, one, two)
        print(f"\n{printable(one)} and {printable(two)}:" + ("" if found else " no two ways differ in that"))
        for crossing in found:
            print("  " + crossing_text(crossing))


def as_json(every, options):
    return {
        "fastest": 1, "files": options.files,
        "groups": [{"group": group.name, "places": [
            {"pes": place.case.pes, "bytes": place.case.bytes, "variables": dict(place.case.other),
             "certain": not place.close,
             "ways": [{"way": cost.way, "time": cost.value, "low": cost.low, "high": cost.high,
                       "doubtful": cost.doubtful}
                      for cost in place.costs]} for place in group.places]} for group in every],
        "crossings": [{"group": c.group, "pes": c.pes, "variables": dict(c.other), "first": c.first,
                       "second": c.second, "from": c.least, "to": c.most,
                       "turns": [{"bytes": size, "faster": way} for size, way in c.turns]}
                      for one, two in options.cross for c in crossings(every, one, two)]}


def parser():
    own = cli.Parser(writes=(), prog="skampi-table fastest", description=DESCRIPTION, epilog=EPILOG)
    own.add_argument("files", nargs="+", metavar="FILE", help="result file; -: standard input")
    own.add_argument("--cross", nargs=2, action="append", default=[], metavar=("A", "B"),
                     help="also say from which size on B is faster than A: of all ways that differ in "
                          "that one has A in its name and the other B (several times: several pairs)")
    own.add_argument("--group", metavar="NAME", action="append",
                     help="only this group (several times: several groups)")
    own.add_argument("--separator", default=SEPARATOR, metavar="TEXT",
                     help='what stands between group and way in names of blocks (default: ": ")')
    cli.add_json(own)
    return own


def run(arguments):
    options = parser().parse_args(arguments)
    if not options.separator:
        raise cli.Error("--separator is empty: give the text between group and way")
    for one, two in options.cross:
        if not one or one == two:
            raise cli.Error(f"--cross {one!r} {two!r}: give two different parts of names")
    files = reading.launches(options.files)
    every = chosen(groups(files, options.separator), options)
    doubt.show(options.json, files, lambda: report(every, options), lambda: as_json(every, options))
    return 0
