"""Which operations make progress while the target computes: a table, with verdicts (../progress.py)."""

import math

from .. import doubt, progress, screen, style
from ..screen import printable
from . import one_file

DESCRIPTION = """\
Prints a table: does this library make progress while the target computes? For put, get and atomics of OpenSHMEM and
MPI, and for non-blocking collectives of MPI, it shows the time alone, the time with a computation, the share of the
computation that the operation waited, and a verdict: yes, only inside calls, or not certain. FILE is a result file of
progress.ski, of any format that has the arguments of calls: JSON or CSV."""

EPILOG = """\
examples:
  oshrun -np 2 skampi -i progress.ski -o p.json && skampi table progress p.json
  skampi table progress p.json --json progress.json

exit status: 0 shown, 2 wrong usage, or a file that cannot be read or has no such results"""


def lines(rows):
    """Of the table, one unit a column."""
    (computation, seconds), (alone, alone_text), (computing, computing_text) = (
        style.column(title, values) for title, values in (
            ("computation", [row.computation for row in rows]), ("alone", [row.alone.value for row in rows]),
            ("computing", [row.computing.value for row in rows])))
    found = [["operation", "PEs", "size", computation, alone, computing, "waited", "progress"]]
    for row in rows:
        found.append([printable(row.operation), str(row.pes), style.size_text(row.bytes) if row.bytes else "",
                      "" if math.isnan(row.computation) else seconds(row.computation, 0),
                      alone_text(row.alone.value, row.alone.half_width),
                      computing_text(row.computing.value, row.computing.half_width),
                      style.percent_text(row.share.value, style.digits_for(row.share.value, row.share.half_width)),
                      row.verdict + doubt.mark(row.doubtful)])
    return found


def report(rows):
    print("\n".join(screen.table(lines(rows), (0, -1))))
    reasons = dict.fromkeys(f"{row.operation}: {row.why}" for row in rows if row.why)
    if reasons:
        print("\nnot certain:")
    for reason in reasons:
        print(f"  {printable(reason)}")


def as_json(row):
    """Times in seconds."""
    return {**row._asdict(), **{name: getattr(row, name)._asdict() for name in ("alone", "computing", "share")}}


def parser():
    return one_file.parser("progress", DESCRIPTION, EPILOG)


def run(arguments):
    return one_file.run(parser(), arguments, "progress", progress.rows, report,
                        "no operation with and without a computation (.sko files have no arguments); measure with: "
                        "oshrun -np 2 skampi -i progress.ski -o progress.json", as_json)
