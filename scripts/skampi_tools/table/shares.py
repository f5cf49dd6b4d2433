"""What applications do with their time, from summaries of their traces (`shmemtrace summary --json`): the share
of reductions, of remote access, of other communication, and of computation."""

import csv
import io
import json
import math
import os
import re

from .. import cli, kinds, launching, screen

EPILOG = """\
examples:
  shmemtrace -o app.trace oshrun -np 4 ./app        record an application
  skampi table shares app.trace other.trace         a row for each
  skampi table shares --to markdown *.trace -o table.md
  shmemtrace summary --json app.trace | skampi table shares /dev/stdin

Shares are percent of the time of all PEs from the first call to the last one, less what start and end of
the library and the allocation of memory take. Time is that of a PE, on average. Computation is what is
outside of all calls.

exit status: 0 shown, 1 shown, but a trace is damaged, 2 wrong usage, or a file that cannot be read or
written
"""

REDUCTION = re.compile(r"_(and|or|xor|sum|prod|min|max)_(to_all|reduce)$|_reduce$")
REMOTE = {"put", "get", "nonblocking", "atomic"}
SYNCHRONIZATION = {"synchronization", "lock"}
# Start, end and allocation of memory belong to no step of an application.
LEFT_OUT = {"setup", "memory", "query"}
GROUPS = ("reductions", "remote access", "other collectives", "synchronization", "other calls")
TITLES = ("application", "PEs", "time [s]", *GROUPS, "computation")
SUFFIXES = {".txt": "text", ".md": "markdown", ".csv": "csv", ".json": "json"}


def group_of(routine, kind):
    """One of GROUPS, or None for what is left out."""
    if REDUCTION.search(routine):
        return "reductions"
    if kind in LEFT_OUT:
        return None
    if kind in REMOTE:
        return "remote access"
    if kind in SYNCHRONIZATION:
        return "synchronization"
    return "other collectives" if kind == "collective" else "other calls"


def shares_of(summary, path):
    """One application as JSON has it: seconds of each PE on average, and percent of them by group."""
    try:
        name = os.path.basename(summary["command"].split()[0]) if summary["command"] else path
        pes, per_pe = summary["pes"], summary["per_pe"]
        elapsed = sum(pe["elapsed"] or 0 for pe in per_pe)
        inside = dict.fromkeys((*GROUPS, None), 0.0)
        for routine in summary["routines"]:
            inside[group_of(routine["routine"], routine["class"])] += routine["seconds"] or 0
    except (KeyError, TypeError, AttributeError) as error:
        raise cli.Error(f"{path}: no summary of a trace: {error} is missing or wrong") from None
    seconds = elapsed - inside.pop(None)
    if not per_pe or elapsed <= 0 or seconds <= 0 or not math.isfinite(seconds):
        raise cli.Error(f"{path}: it does not say how long the application took; record it "
                        "without --summary")
    percent = {group: 100 * own / seconds for group, own in inside.items()}
    # With several threads calls overlap, and the sum may exceed 100.
    percent["computation"] = max(0.0, 100 - sum(percent.values()))
    return {"application": name, "pes": pes, "seconds": seconds / len(per_pe), "percent": percent,
            "whole": bool(summary.get("whole", True))}


def read(path):
    """A trace, or a file that has its summary as JSON."""
    if os.path.isdir(path):
        text = launching.shmemtrace("summary", "--json", path, damaged=True)
    else:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
    try:
        summary = json.loads(text)
    except ValueError:
        raise cli.Error(f"{path}: {kinds.misfit(path) or 'neither a trace nor the output of shmemtrace summary --json'}") \
            from None
    if not isinstance(summary, dict) or "summary" not in summary:
        raise cli.Error(f"{path}: JSON, but not the output of shmemtrace summary --json")
    return shares_of(summary, path)


# ---- Output ----


def _cells(row):
    return [row["application"], str(row["pes"]), f"{row['seconds']:.4g}", *(f"{own:.1f} %" for own in row["percent"].values())]


def as_text(rows):
    return "".join(line + "\n" for line in screen.table([TITLES, *map(_cells, rows)], folded=False))


def as_markdown(rows):
    lines = [TITLES, ["---", *["---:"] * (len(TITLES) - 1)], *map(_cells, rows)]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def as_csv(rows):
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(("application", "pes", "seconds", *(name.replace(" ", "_") for name in TITLES[3:])))
    table.writerows((row["application"], row["pes"], f"{row['seconds']:.9g}", *(f"{own:.6g}" for own in row["percent"].values()))
                    for row in rows)
    return text.getvalue()


FORMATS = {"text": as_text, "markdown": as_markdown, "csv": as_csv, "json": cli.json_text}


def parser():
    own = cli.Parser(writes=(), prog="skampi-table shares", epilog=EPILOG,
                     description="Shows what applications do with their time: the share of reductions, remote access "
                                 "and computation.")
    own.add_argument("traces", nargs="+", metavar="TRACE",
                     help="folder of a trace, or what shmemtrace summary --json has written")
    own.add_argument("--to", choices=FORMATS,
                     help="form of the table (default: what the suffix of the output says, else text)")
    own.add_argument("-o", "--output", metavar="FILE", default="-",
                     help="file to write; - is standard output (default)")
    return own


def run(arguments):
    options = parser().parse_args(arguments)
    if not options.to:
        cli.check_suffix(options.output, SUFFIXES, "; or give --to")
        options.to = SUFFIXES.get(os.path.splitext(options.output)[1].lower(), "text")
    rows = [read(path) for path in options.traces]
    cli.write_text(options.output, FORMATS[options.to](rows))
    for path, row in zip(options.traces, rows):
        if not row["whole"]:
            cli.say(f"{path}: damaged; the table has what could be read")
    return 0 if all(row["whole"] for row in rows) else 1
