"""How much slower operations get while other PEs flood: percentiles of single operations, with and without."""

import math
import re

from .. import doubt, screen, style
from ..progress import operation_of, size_of, value_of
from ..screen import printable
from ..statistics import NAN, median
from . import one_file

DESCRIPTION = """\
Prints a table: how much slower single operations get while other PEs flood the network or the memory. For each
operation, and each kind of aggressors, it shows the median, the 99th and the 99.9th percentile, and how many times as
much each is as without aggressors. FILE is a result file of load.ski, of any format that has the arguments of calls:
JSON or CSV."""

EPILOG = """\
examples:
  oshrun -np 4 skampi -i load.ski -o l.json && skampi table load l.json
  skampi table load l.json --json load.json

exit status: 0 shown, 2 wrong usage, or a file that cannot be read or has no such results"""

SUFFIX = "_Under_Load"
NONE = "none"                             # the name of no aggressors
PERCENTILES = ("median", "p99", "p999")   # members of results
TITLES = ("median", "p99", "p99.9")
FEWEST = {"p99": 100, "p999": 1000}  # operations that a percentile needs
_RATE = re.compile(r"aggressors: .* at ([\d.]+) to ([\d.]+) MB/s each$")  # a note of measurements/aggressors.c


def _argument(result, name, otherwise):
    value = value_of(result, name)
    return otherwise if value is None else value


def _whole(value):
    """Of numbers that text may be, as in CSV."""
    try:
        return int(float(value))
    except (TypeError, ValueError, OverflowError):
        return 0


def _times(several):
    """Seconds; over rounds the median of each percentile. NaN: there were too few operations."""
    return {name: median([value for result in several if (result.valid or 0) >= FEWEST.get(name, 1)
                          and math.isfinite(value := getattr(result, name))]) for name in PERCENTILES}


def _rate(several):
    """Bytes/s that the slowest and the fastest aggressor achieved; None: not known."""
    found = [match for result in several for note in result.notes if (match := _RATE.match(str(note)))]
    if not found:
        return None
    return 1e6 * min(float(match[1]) for match in found), 1e6 * max(float(match[2]) for match in found)


def _rows_of(point, beside, points):
    """Of one operation, as JSON has it: {(aggressors, flood): results}. points: what is shown of them, by their keys."""
    _, operation, pes, _, size, victims = point
    alone = _times([result for (name, _), several in beside.items() if name == NONE for result in several])
    for (name, flood), several in beside.items():
        times = _times(several)
        shown = [points[key] for key in {result.key for result in several} if key in points]
        yield {"operation": operation, "pes": pes, "bytes": size,
               "victims": victims,  # PEs that make the operation; 0: the two that the function always has
               "aggressors": name, "flood": flood,  # bytes of each of their operations
               "repetitions": min(result.valid or 0 for result in several),  # the fewest of all rounds
               "times": times, "ratios": {of: value / alone[of] if alone[of] > 0 else NAN for of, value in times.items()},
               "rate": _rate(several), "doubtful": any(result.doubtful for result in shown),
               "error": max((result.shown().half_width for result in shown), default=NAN)}  # seconds, of the median


def rows(file):
    """The rows of a ResultFile, in its order; operations that were only measured in one way, too."""
    found = {}
    for result in file.results + file.later:
        if result.function and result.function.endswith(SUFFIX) and math.isfinite(result.best()):
            point = (result.block, operation_of(result, result.function.removesuffix(SUFFIX)), result.pes or 0,
                     result.pe_set.get("placement"), size_of(result), _whole(_argument(result, "victims", 0)))
            aggressors = str(_argument(result, "aggressors", NONE)), _whole(_argument(result, "flood", 0))
            found.setdefault(point, {}).setdefault(aggressors, []).append(result)
    points = file.by_key()
    return [row for point, beside in found.items() for row in _rows_of(point, beside, points)]


# ---- What is shown ----


def rate(found, text):
    low, high = map(text, found)
    return low if low == high else f"{low} to {high}"


def lines(rows):
    """Of the table, one unit a column."""
    times = [style.column(title, [row["times"][name] for row in rows]) for title, name in zip(TITLES, PERCENTILES)]
    achieved, rate_text = style.column("each achieves", [end for row in rows for end in row["rate"] or ()],
                                       style.RATE_UNITS)
    found = [["operation", "PEs", "size", "aggressors", *(title for title, _ in times),
              *(f"× {name}" for name in TITLES), achieved]]
    for row in rows:
        errors = (row["error"], math.nan, math.nan)
        found.append([printable(row["operation"]), str(row["pes"]), style.size_text(row["bytes"]) if row["bytes"] else "",
                      printable(row["aggressors"]) + doubt.mark(row["doubtful"]),
                      *(text(value, error) for (_, text), value, error in zip(times, row["times"].values(), errors)),
                      *("" if row["aggressors"] == NONE else style.number_text(ratio, 2) for ratio in row["ratios"].values()),
                      rate(row["rate"], rate_text) if row["rate"] else ""])
    return found


def report(rows):
    print("\n".join(screen.table(lines(rows), (0, 3))))
    few = min(row["repetitions"] for row in rows)
    most = max(FEWEST.values())
    if few < most:
        print(f"\np99 needs {FEWEST['p99']} operations and p99.9 {most}, not {few}: "
              f"measure with --set REPETITIONS={most} or more")


def parser():
    return one_file.parser("load", DESCRIPTION, EPILOG)


def run(arguments):
    return one_file.run(parser(), arguments, "load", rows, report,
                        "no operation under load (.sko files have no arguments); measure with: "
                        "oshrun -np 4 skampi -i load.ski -o load.json")
