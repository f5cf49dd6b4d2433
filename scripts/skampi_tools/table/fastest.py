"""Which of several ways to do the same is the fastest, by PEs and size, and where two of them cross.

Blocks whose names are GROUP: WAY compete with the others of their group.
"""

import math

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
  oshrun -np 4 skampi -i patterns/collectives.ski -o c.json && skampi table fastest c.json
  skampi table fastest --cross recursive_doubling reduce_scatter_allgather np*.json

exit status: 0 shown, 2 wrong usage, or a file that cannot be read or has no such blocks"""

SEPARATOR = ": "
# Loop variables that say what a result states anyway.
SIZES = ("count", "bytes")
NUMBERS_OF_PES = ("pes", "n", "np")


def _case(result):
    """(PEs, loop variables that are neither the size nor the PEs, bytes): where ways compete."""
    other = tuple((name, str(value)) for name, value in result.variables.items()
                  if name not in SIZES and not (name in NUMBERS_OF_PES and value == result.pes))
    return result.pes or 0, other, int(result.bytes)


def _way(name, results):
    """Of one result what it shows; of several, from several files, their median and their range."""
    shown = [result.shown() for result in results]
    values = [s.value for s in shown]
    low, high = (min(values), max(values)) if len(values) > 1 else (
        end if math.isfinite(end) else values[0] for end in (shown[0].low, shown[0].high))
    return {"way": name, "time": median(values), "low": low, "high": high, "doubtful": any(result.doubtful for result in results)}


def groups(files, separator=SEPARATOR):
    """The groups of all files together, as JSON has them, in the order of their first results; the fastest way of a place is
    the first. Ways without another one to compete with are no group; a place has two ways at least."""
    found = {}
    for file in files:
        for result in file.points:
            group, middle, way = str(result.block).partition(separator)
            if middle and result.quantity in (None, "time") and math.isfinite(result.shown().value):
                found.setdefault(group, {}).setdefault(_case(result), {}).setdefault(way, []).append(result)
    every = []
    for name, cases in found.items():
        places = []
        for (pes, other, size), ways in sorted(cases.items(), key=lambda case: case[0]):
            ways = sorted((_way(way, results) for way, results in ways.items()), key=lambda way: way["time"])
            if len(ways) > 1:
                certain = all(way["low"] > ways[0]["high"] for way in ways[1:])
                places.append({"pes": pes, "bytes": size, "variables": dict(other), "certain": certain, "ways": ways})
        every += [{"group": name, "places": places}] * bool(places)
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


def _turns(names, points):
    """[(bytes, way that is faster from there on)]. points: (bytes, time of the first of the names over that of the
    second), ascending."""
    turns = []
    for number, (size, ratio) in enumerate(points):
        faster = names[ratio > 1]
        if not turns or faster != turns[-1]["faster"]:
            turns.append({"bytes": _turn(points[number - 1], (size, ratio)) if turns else size, "faster": faster})
    return turns


def crossings(every, one, two):
    """As JSON has them: of each pair of ways whose names differ in that the one has `one` where the other has `two`, in each
    group, for each number of PEs, how they compare over the sizes."""
    found = []
    for group in every:
        ways = {way["way"] for place in group["places"] for way in place["ways"]}
        pairs = sorted((way, way.replace(one, two)) for way in ways
                       if one in way and way.replace(one, two) in ways - {way})
        for names in pairs:
            series = {}
            for place in group["places"]:
                times = {way["way"]: way["time"] for way in place["ways"]}
                if all(times.get(name, 0) > 0 for name in names):
                    series.setdefault((place["pes"], tuple(place["variables"].items())), []).append(
                        (place["bytes"], times[names[0]] / times[names[1]]))
            found += [{"group": group["group"], "pes": pes, "variables": dict(other), "first": names[0], "second": names[1],
                       "from": points[0][0], "to": points[-1][0], "turns": _turns(names, points)}
                      for (pes, other), points in series.items()]
    return found


# ---- What is shown ----


def other_text(variables):
    return ", ".join(f"{printable(name)}={printable(value)}" for name, value in variables.items())


def half_width(way):
    return (way["high"] - way["low"]) / 2


def way_text(way):
    return printable(way["way"]) + doubt.mark(way["doubtful"])


def print_group(group):
    places = group["places"]
    others = any(place["variables"] for place in places)
    time, time_text = style.column("time", [place["ways"][0]["time"] for place in places])
    rows = [["PEs", "size", *(["variables"] if others else []), "fastest", time, "next", "takes"]]
    for place in places:
        fastest, following = place["ways"][:2]
        ratio = following["time"] / fastest["time"]
        error = ratio * sum(half_width(way) / way["time"] for way in (fastest, following))
        rows.append([str(place["pes"]), style.size_text(place["bytes"]),
                     *([other_text(place["variables"])] if others else []),
                     ("" if place["certain"] else "~ ") + way_text(fastest), time_text(fastest["time"], half_width(fastest)),
                     way_text(following), f"{style.number_text(ratio, style.digits_for(ratio, error))} x"])
    print(printable(group["group"]))
    print("\n".join(screen.table(rows, (-2, -4, *([2] if others else [])), indent="  ")))


def crossing_text(crossing):
    where = f"{crossing['group']}, {style.count_text(crossing['pes'], 'PE')}"
    where += f", {other_text(crossing['variables'])}" if crossing["variables"] else ""
    (_, faster), *turns = (turn.values() for turn in crossing["turns"])
    slower = crossing["second" if faster == crossing["first"] else "first"]
    least, most = crossing["from"], crossing["to"]
    text = f"{where}: {faster} is faster than {slower}"
    if least == most:
        text += f" at {style.size_text(most)}" if most else ""
    elif not turns:
        text += f" from {style.size_text(least)} to {style.size_text(most)}"
    for number, (size, way) in enumerate(turns):  # between two measured sizes
        size = style.size_text(round(size))
        text += f", from about {size} on {way}" if number else f" up to about {size}, then {way}"
    return printable(text)


def report(every, options):
    for number, group in enumerate(every):
        if number:
            print()
        print_group(group)
    if not all(place["certain"] for group in every for place in group["places"]):
        print("\n~ another one may be as fast: their intervals overlap")
    for one, two in options.cross:
        found = crossings(every, one, two)
        print(f"\n{printable(one)} and {printable(two)}:" + ("" if found else " no two ways differ in that"))
        for crossing in found:
            print("  " + crossing_text(crossing))


def as_json(every, options):
    return {"fastest": 1, "files": options.files, "groups": every,
            "crossings": [crossing for one, two in options.cross for crossing in crossings(every, one, two)]}


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
    every = groups(files, options.separator)
    if not every:
        raise cli.Error(f"no two blocks compete: their names must be GROUP{options.separator}WAY, and they "
                        f"must have results for the same PEs and size")
    known = [group["group"] for group in every]
    for name in options.group or []:
        if name not in known:
            raise cli.Error(f"there is no group {name!r}, but {', '.join(map(repr, known))}")
    every = [group for group in every if not options.group or group["group"] in options.group]
    doubt.show(options.json, files, lambda: report(every, options), lambda: as_json(every, options))
    return 0
