"""Result files as objects, whatever their format.

    file = read("a.json")
    for result in file.results:            # round 1 where there are several
        print(result.key, result.best())   # seconds

Times are in seconds; NaN where there is nothing to state. The members of the records are those of
results.schema.json; a Result gives them as attributes (result.median, result.per_pe), NaN, None or
empty where a file does not state them.
"""

import json
import math
import os
from dataclasses import dataclass, field

from .cli import Error

SCHEMA_VERSION = 1
NAN = math.nan
NUMBERS = ("bytes time standard_error mean deviation median median_low median_high confidence min "
           "max p5 p25 p75 p95 p99 autocorrelation effective window unit at reached next_low "
           "next_high between within").split()
LISTS = "flags notes levels per_pe samples medians".split()
DICTS = "arguments variables pe_set counters".split()


class Result:
    """One result or rounds record. Unknown members are kept in .record."""

    def __init__(self, record):
        self.record = record

    def __getattr__(self, name):
        if name == "record" or name.startswith("__"):
            raise AttributeError(name)
        value = self.record.get(name)
        if name in NUMBERS:
            return NAN if value is None else value
        if name in ("per_pe", "samples", "medians"):
            return [NAN if x is None else x for x in value or []]
        if name in LISTS:
            return value or []
        if name in DICTS:
            return value or {}
        return value

    @property
    def pes(self):
        return self.pe_set.get("size")

    @property
    def is_rounds(self):
        return self.record["record"] == "rounds"

    @property
    def key(self):
        """What identifies the point in several files: block, call, PEs, and the loop variables."""
        return (self.block, self.call, self.pes,
                tuple((name, str(value)) for name, value in self.variables.items()))

    def best(self):
        """The median, or what the file has in its place (classic files have the trimmed mean
        alone)."""
        return self.time if math.isnan(self.median) else self.median

    def label(self):
        """The point in a few words, within its block."""
        values = ", ".join(f"{name}={value}" for name, value in self.variables.items())
        return f"{self.call} [{values}]" if values else str(self.call)


@dataclass
class ResultFile:
    path: str
    header: dict = field(default_factory=dict)
    records: list = field(default_factory=list)  # all but the header, in the order of the file
    results: list = field(default_factory=list)  # Result, of the first round
    later: list = field(default_factory=list)    # Result, of later rounds
    rounds: list = field(default_factory=list)   # Result, over all rounds
    end: dict = None                             # None: the file is not whole

    def add(self, record):
        kind = record["record"]
        if kind == "header":
            self.header = record
            return
        self.records.append(record)
        if kind == "result":
            (self.results if record.get("round", 1) == 1 else self.later).append(Result(record))
        elif kind == "rounds":
            self.rounds.append(Result(record))
        elif kind == "end":
            self.end = record

    @property
    def points(self):
        """What is to be shown: the aggregate of a point where there are rounds, else its result."""
        aggregated = {r.key for r in self.rounds}
        return self.rounds + [r for r in self.results if r.key not in aggregated]


def read_json(path, lines):
    file = ResultFile(path)
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            kind = record["record"]
        except (ValueError, KeyError, TypeError):
            if number > 1 and not line.endswith("\n"):
                break  # cut off in the middle of a line
            raise Error(f"{path}:{number}: not a record of skampi's JSON Lines") from None
        if kind == "header" and record.get("schema") != SCHEMA_VERSION:
            raise Error(f"{path}:{number}: schema version {record.get('schema')}, but this tool "
                        f"knows version {SCHEMA_VERSION}: use the skampi that wrote the file")
        file.add(record)
    if not file.header:
        raise Error(f"{path}: no header: not a result file of skampi")
    return file


def read(path):
    """Reads a result file of any format, told by its content. "-" is standard input."""
    with (open(0, encoding="utf-8", errors="replace", closefd=False) if path == "-" else
          open(path, encoding="utf-8", errors="replace")) as stream:
        lines = stream.readlines()
    name = "standard input" if path == "-" else os.fspath(path)
    if not lines:
        raise Error(f"{name}: the file is empty")
    if lines[0].lstrip().startswith("{"):
        return read_json(name, lines)
    raise Error(f"{name}: not a result file that this tool can read")
