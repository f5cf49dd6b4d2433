"""Result files as objects, whatever their format.

    file = read("a.json")
    for result in file.results:            # round 1 where there are several
        print(result.key, result.best())   # seconds

Times are in seconds; NaN means that there is no value. The members of the records are those of
results.schema.json; a Result gives them as attributes (result.median, result.per_pe), NaN, None or
empty where a file does not state them. result.state and result.by_state() say in which states of the
machine it was measured (file.states), and its value in each.
"""

import gc
import importlib
import itertools
import math
import os
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from . import doubt, kinds, points, screen
from .cli import Error, created
from .records import NUMBERS, Keeper
from .states import StateValue, find, parts_by_state, state_of, states_for

FORMATS = ("sko", "csv", "json")  # that are read, too
TABLES = ("tidy", "extrap")  # for other programs
# Modules of formats that read, and that write: imported when a file needs one, since what they need is slow to import.
READERS = {"json": "json_lines", "csv": "csv_table", "sko": "sko.reader"}
WRITERS = {"json": "json_lines", "csv": "csv_table", "sko": "sko.writer", "tidy": "tidy"}
NAN = math.nan
MEDIAN, MEAN, ROUNDS = "median", "mean of the middle", "median of rounds"
LAUNCHES = "median of launches"
IN_ALL = "sum of all calls"  # of a traced application
# In the notes of a campaign's summary: its launches are.
IN_PLACE = "in the place of rounds"
TRACED = "calls of a traced application"  # in the notes of a trace's summary
PER_SECOND = ("bandwidth", "bus_bandwidth", "rate")  # members of results, at the median
WITH_NAN = frozenset("per_pe samples medians".split())  # lists of numbers
LISTS = frozenset("notes levels parts states round_states".split())
MEASURED = ("result", "rounds")  # kinds of records
NOT_COMPLETE = "the file is not complete: the run was cut off, or has not ended yet"
TOLD_EVERY = 1.0  # seconds between reports of how much is read
TIME_LIMIT = 4  # exit status of a run that its time limit ended: what it left out is counted
DICTS = frozenset("arguments variables pe_set counters".split())
_NUMBERS = frozenset(NUMBERS)


class ShownValue(NamedTuple):
    """One number with the one error that belongs to it: the median with its interval, the mean of the
    middle with its standard error."""
    what: str          # MEDIAN, MEAN, ROUNDS or LAUNCHES
    value: float
    low: float
    high: float
    confidence: float  # of the interval; NaN: it is ± standard error

    @property
    def half_width(self):
        return (self.high - self.low) / 2


def shown_as(whats):
    """What the values of a table or a diagram are, in words."""
    return " or ".join(what for what in (MEDIAN, MEAN, ROUNDS, LAUNCHES, IN_ALL) if what in whats)


class Result:
    """One result or rounds record. Unknown members are kept in .record."""

    __slots__ = ("record", "of_launches", "columns", "stated", "_states", "_key", "_shown")

    def __init__(self, record, of_launches=False, states=(), columns=None):
        self.record = record
        self.of_launches = of_launches
        self.columns = columns  # {name: number} that a .sko file shows of it (skampi --columns); None: no such file
        self._states = states  # of the file, which may still be read: theirs follow the results
        self._key = record.get("point")
        self.stated = record   # with all members that identify it
        self._shown = None     # what shown() returns: pages ask for it many times

    def __getattr__(self, name):
        if name == "record" or name.startswith("_"):
            raise AttributeError(name)
        value = self.record.get(name)
        if name in _NUMBERS:
            return NAN if value is None else value
        if name in WITH_NAN:
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
    def flags(self):
        """Names of flags, also of flags that older files do not state."""
        return doubt.flags_of(self.record, self._shown or self._find_shown())

    @property
    def doubtful(self):
        return any(map(doubt.speaks_against, self.flags))

    @property
    def is_rounds(self):
        return self.record["record"] == "rounds"

    @property
    def key(self):
        """What identifies the point in several files: everything that is stated about it, as one text (points.py)."""
        return self._key or points.text_of(self.record)

    @property
    def occurrence(self):
        """Which of the points of its file that are stated alike, from 1."""
        return points.occurrence_of(self.key)

    @property
    def state(self):
        """Number of the state in which a result was measured; None: there are no states, its control is
        not known, or it has parts in several."""
        if self.is_rounds:
            return None
        states = states_for(self.pe_set, self._states)
        if not self.parts:
            return find(states, self.record)
        numbers = {find(states, part) for part in self.parts}
        return numbers.pop() if len(numbers) == 1 else None

    def by_state(self):
        """{number of the state: StateValue}, ascending; empty where the file has no states."""
        if self.is_rounds:
            return {entry["state"]: StateValue(entry["rounds"], *(
                NAN if entry.get(name) is None else entry[name] for name in StateValue._fields[1:]))
                    for entry in self.states}
        state = self.state
        if state is None:
            return parts_by_state(states_for(self.pe_set, self._states), self.parts)
        return {state: StateValue(self.valid, self.best(), self.median_low, self.median_high)}

    def best(self):
        """The median, or what the file has instead (classic files only have the trimmed
        mean)."""
        return self.time if math.isnan(self.median) else self.median

    def amount(self, rate):
        """What one operation adds to one of PER_SECOND: bytes that it moves (in classic files the size that is
        reported), or messages. 0 or NaN: there is no such rate."""
        if self.quantity != "time":
            return 0
        if rate not in self.record:
            return self.bytes if rate == "bandwidth" else 0
        amount = getattr(self, rate) * self.median
        return 0 if math.isnan(amount) else amount

    def shown(self):
        """What tables, figures and reports show of it."""
        if self._shown is None:
            self._shown = self._find_shown()
        return self._shown

    def _find_shown(self):
        if not self.is_rounds and math.isnan(self.median):
            return ShownValue(MEAN, self.time, self._at_least_0(self.time - self.standard_error),
                         self.time + self.standard_error, NAN)
        reached = self.reached if self.is_rounds else NAN
        several = LAUNCHES if self.of_launches else ROUNDS
        return ShownValue(several if self.is_rounds else MEDIAN, self.median, self._at_least_0(self.median_low),
                     self.median_high, self.confidence if math.isnan(reached) else reached)

    def _at_least_0(self, low):
        """The lower end of an interval: no time is below 0, except differences of times."""
        return max(low, 0.0) if self.best() >= 0 and low == low else low

    def label(self):
        """The point in a few words, within its block."""
        values = ", ".join(f"{name}={value}" for name, value in self.variables.items())
        name = self.call or self.function or self.block
        return f"{name} [{values}]" if values else str(name)


@dataclass
class ResultFile:
    path: str
    header: dict = field(default_factory=dict)
    records: list = field(default_factory=list)  # all but the header, in the order of the file
    results: list = field(default_factory=list)  # Result, of the first round
    later: list = field(default_factory=list)    # Result, of later rounds
    rounds: list = field(default_factory=list)   # Result, over all rounds
    end: dict = None                             # None: the file is not complete
    format: str = None                           # "json", "csv", "sko"
    doubts: list = field(default_factory=list)   # texts: what reading the file left open
    states: list = field(default_factory=list)   # State, of all sets of PEs
    controls: list = field(default_factory=list) # controls records: how they were over time
    keeper: Keeper = field(default_factory=Keeper, repr=False)

    def add(self, record):
        """The record, as JSON could hold it, or the Result of it."""
        kind = record["record"]
        if kind == "header":
            self.header = record
            return record
        if kind in MEASURED:
            shown = record.pop("columns") if "columns" in record else {}
            result = Result(self.keeper.record(record), kind == "rounds" and self.of_launches(), self.states,
                            shown if self.format == "sko" else None)
            self.records.append(result.record)
            self._list_of(record).append(result)
            return result
        self.records.append(record)
        if kind == "state":
            self.states.append(state_of(record))
        elif kind == "controls":
            self.controls.append(record)
        elif kind == "end":
            self.end = record
        return record

    def entry(self, record):
        """The Result of a record that is kept nowhere, or another record."""
        kind = record["record"]
        return Result(record, kind == "rounds" and self.of_launches(), self.states) if kind in MEASURED else record

    def _list_of(self, record):
        """Where the Result of a result or rounds record is kept."""
        return self.rounds if record["record"] == "rounds" else self.results if record.get("round", 1) == 1 else self.later

    def entries(self):
        """All records in the order of the file; a result is a Result."""
        following = {id(results): iter(results) for results in (self.results, self.later, self.rounds)}
        yield self.header
        for record in self.records:
            yield next(following[id(self._list_of(record))]) if record["record"] in MEASURED else record

    def of_launches(self):
        """Whether this is the summary of a campaign: its launches are in the place of rounds."""
        return any(IN_PLACE in str(note) for note in self.header.get("notes") or [])

    def of_trace(self):
        """Whether this is the summary of a trace: its results are all calls, and no sample of them."""
        return any(TRACED in str(note) for note in self.header.get("notes") or [])

    def check_end(self):
        """When all records are there."""
        if self.end is None and self.unfinished():
            self.doubts.append(NOT_COMPLETE)

    def missing_kinds(self):
        """{kind: how many measurements are known to have no result}"""
        kinds = Counter()
        for record in self.records:
            if record["record"] == "missing":
                kinds[str(record.get("kind") or "unknown")] += record.get("points", 1)
        return kinds

    def missing(self):
        return sum(self.missing_kinds().values())

    def unfinished(self):
        """Why more may be missing than .missing() says, in words; None: nothing more is."""
        if self.end is None:
            return None if self.format == "csv" else NOT_COMPLETE  # CSV has no end
        status, reason = self.end.get("status"), self.end.get("reason")
        if "missing_at_least" in self.end or status is None or reason and status != TIME_LIMIT:
            return reason or "the file does not say how the run ended"
        return None

    @property
    def points(self):
        """What to show: the aggregate of a point if there are rounds, else its result."""
        aggregated = {r.key for r in self.rounds}
        return self.rounds + [r for r in self.results if r.key not in aggregated]

    def identify(self):
        """When all records are there: keys of results in files of versions that do not state them."""
        measured = [entry for entry in self.entries() if isinstance(entry, Result)]
        for result, (text, stated) in zip(measured, points.texts_of([result.record for result in measured])):
            result._key, result.stated = sys.intern(text), stated  # several files have the same

    def by_key(self):
        """{key: Result} of .points."""
        return {result.key: result for result in self.points}

    def missing_by_key(self):
        """{key: record} of the points that have no result. Records of older versions, and those that stand for several
        points, only say block and call."""
        missing = {record.get("point") or points.text_of(record): record for record in self.records
                   if record["record"] == "missing"}
        if not missing:
            return missing
        there = {text for r in self.results + self.rounds
                 for text in (r.key, points.text_of({"block": r.block, "call": r.call}))}
        return {key: record for key, record in missing.items() if key not in there}


def read(path, unit=None, strict=True, seen=None, keeper=None):
    """Reads a result file of any format, which its content says. "-" is standard input. unit: "ns",
    "us", "ms" or "s", of the times in a .sko file that does not state it. strict: an Error for lines of a .sko file
    that are damaged, which else are left out. seen: gets the path and each Result as soon as it is
    read, and may raise an Error. keeper: of several files, for what they have in common."""
    with _opened(path) as stream:
        file, lines = _begin("standard input" if path == "-" else os.fspath(path), _told(path, stream))
        file.keeper = keeper or file.keeper
        records = _records(file, lines, unit, strict)
        # Records have no cycles; looking for them takes a quarter of the time in large files.
        collecting = gc.isenabled()
        gc.disable()
        try:
            for entry in map(file.add, records):
                if seen and isinstance(entry, Result):
                    seen(file.path, entry)
            file.identify()
        finally:
            if collecting:
                gc.enable()
    file.check_end()
    return file


def records_of(path, told=True):
    """The records of a result file one by one, which are kept nowhere: of very large files. told: on a terminal it says
    how much is read."""
    with _opened(path) as stream:
        yield from _records(*_begin(os.fspath(path), _told(path, stream) if told else stream))


def streamed(path):
    """(file, entries) of a file of JSON Lines, which is read twice: the file has all but results before the first entry
    comes, and results are kept nowhere. None where they must be: of other formats, and of versions that do not state what
    identifies a point of which there are rounds."""
    with _opened(path) as stream:
        file, lines = _begin(path, _told(path, stream))
        if file.format != "json":
            return None
        stated = True
        for record in _records(file, lines):
            stated = stated and points.is_stated(record)
            if record["record"] != "result":
                file.add(record)
    if file.rounds and not stated:
        return None
    file.check_end()
    return file, map(file.entry, records_of(path, told=not sys.stdout.isatty()))


def follow(name, stream):
    """(file, entries) of a run that may still go on: entries come, and are in the file, as soon as they are read, of .sko
    with their block. What follows them in the stream is not known then: states, rounds."""
    file, lines = _begin(name, stream)
    records = _module(READERS["sko"]).follow(name, lines) if file.format == "sko" else _records(file, lines)
    return file, map(file.add, records)


def _opened(path):
    """Keeps line ends as they are: inside quotes they belong to a cell of CSV."""
    how = {"encoding": "utf-8-sig", "errors": "replace", "newline": ""}
    return open(0, closefd=False, **how) if path == "-" else open(path, **how)


def _told(path, stream):
    """The lines of a file. On a terminal it says how much of a file is read that takes seconds."""
    total = os.path.getsize(path) if path != "-" and sys.stderr.isatty() else 0
    read, begun = 0, time.monotonic()
    told = begun
    for line in stream:
        read += len(line)
        if total and time.monotonic() - told >= TOLD_EVERY:
            screen.overwrite(f"{path}: {min(round(100 * read / total), 100)} % read")
            told = time.monotonic()
        yield line
    if told > begun:
        screen.overwrite("")


def _begin(name, stream):
    """(file without records, its lines)"""
    lines, format, blank = [], None, True
    for line in stream:
        lines.append(line)
        if blank and line.lstrip().startswith("{"):
            format = "json"
        elif blank and line.strip().replace('"', "").split(",")[0] == "record":
            format = "csv"
        elif line.startswith(("# begin result ", "# SKaMPI Version")):
            format = "sko"
        blank = blank and not line.strip()
        if format:
            return ResultFile(name, format=format), itertools.chain(lines, stream)
    if blank:
        raise Error(f"{name}: the file is empty")
    raise Error(f"{name}: {kinds.misfit(name) or 'neither .sko, CSV nor JSON Lines of skampi'}")


def _module(name):
    return importlib.import_module(f".formats.{name}", __package__)


def _records(file, lines, unit=None, strict=True):
    """Of JSON, which may be large, a line at a time."""
    parse = _module(READERS[file.format]).parse
    if file.format == "json":
        return parse(file.path, lines)
    return parse(file.path, [*lines], file.doubts, *([unit, strict] if file.format == "sko" else []))


def write(file, target, format, unit=None, medians=False):
    """Writes a ResultFile to a path, or to standard output for "-", in one of FORMATS or TABLES. unit: of the
    times in .sko, else each result's own. medians: .sko has them, too. Returns what the format cannot
    hold, as a list of words."""
    arguments = {"unit": unit, "medians": medians} if format == "sko" else {}
    writer = _module("tidy").write_extrap if format == "extrap" else _module(WRITERS[format]).write
    with created(target, newline="") as stream:
        return writer(stream, file, **arguments)


def frame(path):
    """What is shown of each point of a result file, as a table of pandas (DataFrame): a row for each, a column for each
    argument and variable, times in seconds. An Error where pandas is not installed."""
    return _module("tidy").frame(read(path))
