"""The classic .sko format: result lines of loop variables, bytes, time, standard error, repetitions
and times per PE, among comments. Reads what SKaMPI of any version with this format wrote, and what
skampi adds to it as comments; writes what skampi itself writes.

Formats of lines are those of src/output/output_sko.c and of what the engine says.
"""

import datetime
import math
import re

from . import style
from .cli import Error

UNITS = {"ns": 1e9, "us": 1e6, "ms": 1e3, "s": 1.0}
DEFAULT_UNIT = "us"
_CLASSIC_COLUMNS = 16  # per-PE ones, where the script does not say (set_max_nr_node_times)
_STATUS_INCOMPLETE, _STATUS_TIME_LIMIT, _STATUS_WATCHDOG = 3, 4, 5
_SIGNIFICANT = 4
_LEAST_DECIMAL = -9

# ---- Numbers ----

_NUM = r"(?:[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?:nan|inf)|---)"
_NUMBER = re.compile(_NUM)
_REAL = re.compile(r"(?!-?\d+$)" + _NUM)  # as times and errors are printed, never as a whole number
_WHOLE = re.compile(r"-?(?:0|[1-9]\d{0,17})")
_DECIMAL = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?")


def _number(text):
    value = math.nan if text == "---" else float(text)
    return value if math.isfinite(value) else None


_EXPONENTS = {1e9: "e-9", 1e6: "e-6", 1e3: "e-3", 100: "e-2"}


def _per(text, divisor):
    """The number, divided; as it would be read if it had been printed so (0.2 us is 2e-07 s, not
    2.0000000000000002e-07)."""
    value = _number(text)
    if value is None:
        return None
    if divisor in _EXPONENTS and "e" not in text.lower():
        return float(text + _EXPONENTS[divisor])
    return value / divisor


def _value(text):
    """A loop variable's: a number where it has the form of one."""
    if _WHOLE.fullmatch(text):
        return int(text)
    if _DECIMAL.fullmatch(text):
        value = float(text)
        return value if math.isfinite(value) else text
    return text


def number_text(value):
    """At least four significant digits and one decimal, as skampi prints it."""
    if value is None or math.isnan(value):
        return "---"
    decimals = 1
    if value != 0 and math.isfinite(value):
        leading = math.floor(math.log10(abs(value)))
        if leading < _LEAST_DECIMAL:
            return f"{value:.{_SIGNIFICANT - 1}e}"
        decimals = max(_SIGNIFICANT - 1 - leading, 1)
    return f"{value:.{decimals}f}"


# ---- Result lines ----

_NAME = re.compile(r"(?:^|(?<=\s))([A-Za-z_]\w*)= ")
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=")
# Fields as wide as they are printed: tells values with blanks from what follows them.
_LAYOUT = re.compile(rf"(?P<value>.*?)(?:^|(?<=\S) )(?P<fields>(?:(?=.{{8}} ) *\d+|\d{{9,}}) "
                     rf"(?:(?=.{{9}} ) *{_NUM}|\S{{10,}}) (?:(?=.{{9}} ) *{_NUM}|\S{{10,}}) "
                     rf"(?:(?=.{{8}}(?: |$)) *\d+|\d{{9,}})(?:\s+{_NUM})*)")


def _are_fields(tokens, form):
    """bytes, time, error, repetitions, times per PE. form: of time and error."""
    return (len(tokens) >= 4 and tokens[0].isdecimal() and form.fullmatch(tokens[1]) and
            form.fullmatch(tokens[2]) and tokens[3].isdecimal() and
            all(map(_NUMBER.fullmatch, tokens[4:])))


def _set(variables, name, text):
    """An inner loop may use the name of an outer one, which it hides."""
    variables.pop(name, None)
    variables[name] = _value(text.strip())


def split_row(line):
    """(variables, fields as texts), or None for what is no result line."""
    tokens = line.split()
    at = 0
    variables = {}
    while at + 1 < len(tokens) and _ASSIGNED.fullmatch(tokens[at]):
        _set(variables, tokens[at][:-1], tokens[at + 1])
        at += 2
    if _are_fields(tokens[at:], _REAL):
        return variables, tokens[at:]

    # Values with blanks in them.
    names = list(_NAME.finditer(line))
    if names and line[:names[0].start()].strip():
        return None
    variables = {}
    for name, after in zip(names, names[1:]):
        _set(variables, name.group(1), line[name.end():after.start()])
    rest = line[names[-1].end():] if names else line
    found = _LAYOUT.fullmatch(rest.rstrip())
    if found and bool(found["value"].strip()) == bool(names):
        if names:
            _set(variables, names[-1].group(1), found["value"])
        return variables, found["fields"].split()
    # Not as printed, but perhaps by other hands.
    tokens = rest.split()
    for first in range(1 if names else 0, len(tokens) - 3 if names else 1):
        if _are_fields(tokens[first:], _NUMBER):
            if names:
                _set(variables, names[-1].group(1), " ".join(tokens[:first]))
            return variables, tokens[first:]
    return None


# ---- Comments ----

_TIME_FORMAT = "%a %b %d %H:%M:%S %Y"  # of ctime()
_NODE = re.compile(r"node \d+: (.*?), (\d+) PEs?, (\d+) processors?, (.*), SMT (.*?), governor (.*), "
                   r"load (\S+)")
_TIMER = re.compile(r"timer: (.*?), resolution (\S+) ns, cost (\S+) ns, (\S+) ticks per second, off "
                    r"CLOCK_MONOTONIC by (\S+) ppm, clock source (.*)")
_STARTS = {"window": "window", "barrier": "barrier", "no": "none"}
_COUNTERS_END = " per operation, most of any PE; mean of PEs:"
_SHARE = rf"({_NUM})(?: %)?"
_ROUNDS = re.compile(rf"rounds: median ({_NUM})(?: (ns|us|ms|s|bytes))?, {_SHARE} interval "
                     rf"\[({_NUM}), ({_NUM})\], {_SHARE} prediction interval "
                     rf"\[({_NUM}), ({_NUM})\], spread between rounds {_SHARE}, within rounds "
                     rf"{_SHARE}")
_MEDIAN = re.compile(rf"({_NUM})(?: (ns|us|ms|s|bytes))?, {_SHARE} interval "
                     rf"\[({_NUM}), ({_NUM})\]")
_LEVEL = re.compile(rf"({_NUM})(?: (ns|us|ms|s|bytes))? ({_NUM}) %")
ROUNDS_BLOCK = " (rounds)"
# What takes the place of results, and makes the exit status 3; of many at once, how many.
_INCOMPLETE = ("failed", "unsupported", "not measurable", "too large")
_MORE = re.compile(r"(\d{1,18}) measurements? more of this block\b")
_END = "end: "  # of a converted file that does not know more
_LAST_WORDS = (r"interrupted by signal (?P<signal>\d{1,3})\b|ended by (?P<watchdog>the watchdog)?|"
               r"error: PE \d+ was ended by signal (?P<crash>\d{1,3})\b")


def _instant(text):
    """ISO 8601, without an offset from UTC, which .sko files do not state; None: no such date."""
    try:
        return datetime.datetime.strptime(" ".join(text.split()), _TIME_FORMAT).isoformat()
    except ValueError:
        return None


def _ctime(text):
    try:
        return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).strftime(_TIME_FORMAT)
    except ValueError:
        return text


def _unit_of(text):
    """Reported units per second of "ns" or of "1/N s"; None: no unit."""
    if text in UNITS:
        return UNITS[text]
    found = re.fullmatch(r"1/(\S+) s", text)
    try:
        return float(found.group(1)) if found and 0 < float(found.group(1)) < math.inf else None
    except ValueError:
        return None


def _unit_text(unit):
    return next((name for name, value in UNITS.items() if value == unit), f"1/{unit!r} s")


class _Reader:
    """Takes the lines of a file one after another; records: what they say."""

    def __init__(self, name, unit):
        self.name = name
        self.header = {"record": "header", "schema": 1, "program": "skampi"}
        self.records = []
        self.block = None           # record of the block that is open
        self.block_end = None       # whose duration may follow
        self.blocks = 0
        self.row = None             # what notes belong to
        self.row_unit = None        # which it states itself
        self.conditions = {}        # stated last in this block
        self.sources = []           # lines since the last block
        self.functions = []         # that the open block's source measures
        self.given_unit = unit      # of the caller, where the file does not say
        self.unit = None            # by command line (wins) or source
        self.unit_forced = False
        self.assumed = False        # a unit had to be
        self.columns = None         # per PE, by the source
        self.sampled = 0            # results with fewer columns than PEs
        self.windows = {}
        self.end = None
        self.printing = False
        self.incomplete = False    # something failed or is unsupported
        self.stopped = None        # by the time limit; what was said
        self.untold = False        # nobody knows how the run ended

    # -- Units --

    def _factor(self):
        """Reported units per second of the last row."""
        stated = self.conditions.get("unit")
        if stated or self.unit:
            return stated or self.unit
        if not self.given_unit:
            self.assumed = True
        return UNITS[self.given_unit or DEFAULT_UNIT]

    # -- Results --

    def _take_row(self, variables, fields):
        """Times stay texts until their unit is known: _finish_row()."""
        record = {
            "record": "result", "block": self.block["block"], "number": self.block["number"],
            "function": self.functions[0] if len(self.functions) == 1 else "", "call": "",
            "arguments": {}, "variables": variables, "pe_set": {"size": None, "placement": ""},
            "bytes": int(fields[0]), "quantity": "time", "round": 1,
            "time": fields[1], "standard_error": fields[2], "valid": int(fields[3]),
            "window_rule": "", "cache": "", "unit": None, "flags": [], "notes": [],
            "per_pe": fields[4:],
        }
        self._finish_row()
        self.row = record
        self.records.append(record)

    def _finish_row(self):
        """Units and PEs, which may be stated behind the row."""
        record, self.row = self.row, None
        row_unit, self.row_unit = self.row_unit, None
        if record is None:
            return
        stated = self.conditions
        for name in ("synchronization", "window_rule", "run_time", "buffers", "cache"):
            if name in stated:
                record[name] = stated[name]
        if "placement" in stated:
            record["pe_set"]["placement"] = stated["placement"]
        if stated.get("quantity"):
            record["quantity"] = stated["quantity"]
        self._finish_columns(record, stated.get("size"))
        unit = 1.0 if record["quantity"] == "bytes" else row_unit or self._factor()
        record["unit"] = unit
        for name in ("time", "standard_error", "median", "median_low", "median_high", "next_low",
                     "next_high"):
            if name in record:
                record[name] = _per(record[name], unit)
        for level in record.get("levels") or []:
            level["value"] = _per(level["value"], unit)
        if record["record"] == "result":
            record["per_pe"] = [_per(text, unit) for text in record["per_pe"]]

    def _finish_columns(self, record, size):
        """With more PEs than columns these are some values in ascending order, not PEs."""
        if record["record"] != "result":
            record["pe_set"]["size"] = size
            return
        columns = record["per_pe"]
        sampled = size is not None and size != len(columns)
        if size is None and len(columns) == (self.columns or _CLASSIC_COLUMNS) and len(columns) > 3:
            known = [-math.inf if _number(text) is None else _number(text) for text in columns]
            sampled = known == sorted(known)
        if sampled:
            record["per_pe"] = []
            self.sampled += bool(columns)
        elif size is None and columns:
            size = len(columns)
        record["pe_set"]["size"] = size

    def _take_conditions(self, text):
        stated = {}
        for part in text.split("; "):
            if found := re.fullmatch(r"(\d+) PEs?( on .*)?", part):
                stated["size"] = int(found.group(1))
                placement = (found.group(2) or "").strip()
                if placement in ("on one node", "on several nodes", "on several nodes, mixed"):
                    stated["placement"] = placement
            elif found := re.fullmatch(r"(window|barrier|no) (?:start|synchronization)(?: \((\w+)\))?",
                                       part):
                stated["synchronization"] = _STARTS[found.group(1)]
                stated["window_rule"] = found.group(2) or (
                    "classic" if found.group(1) == "window" else "")
            elif found := re.fullmatch(r"(local|global) run time", part):
                stated["run_time"] = found.group(1)
            elif found := re.fullmatch(r"(no|same|cycling|fresh) buffers(?:, (warm|cold))?", part):
                stated["buffers"] = "none" if found.group(1) == "no" else found.group(1)
                if found.group(2):
                    stated["cache"] = found.group(2)
            elif part == "values in bytes":
                stated["quantity"] = "bytes"
            elif part.startswith("times in "):
                stated["unit"] = _unit_of(part[len("times in "):].strip())
        self.conditions = stated

    def _take_note(self, text):
        if text.startswith("conditions: "):
            self._take_conditions(text[len("conditions: "):])
        elif self.row is None:
            self._comment(f"note: {text}")
        else:
            if found := re.fullmatch(r"iterations chosen: (\d{1,18})", text):
                self.row["iterations"] = int(found.group(1))
            self.row["notes"].append(text)

    def _take_counters(self, text):
        most, _, mean = text.partition(_COUNTERS_END)
        pairs = re.findall(rf"(\S+)= ({_NUM})", most)
        means = mean.split()
        if self.row is None or not pairs or len(means) != len(pairs) or \
                not all(map(_NUMBER.fullmatch, means)):
            return False
        self.row["counters"] = {name: {"most": _number(value), "mean": _number(other)}
                                for (name, value), other in zip(pairs, means)}
        return True

    def _take_median(self, text):
        found = _MEDIAN.fullmatch(text)
        if self.row is None or not found:
            return False
        median, unit, confidence, low, high = found.groups()
        self.row_unit = UNITS.get(unit)
        self.row.update(median=median, median_low=low, median_high=high,
                        confidence=_per(confidence, 100))
        return True

    def _take_levels(self, text):
        levels = _LEVEL.findall(text)
        if self.row is None or not levels:
            return False
        self.row_unit = UNITS.get(levels[0][1])
        self.row["levels"] = [{"value": value, "share": _per(share, 100)}
                              for value, _, share in levels]
        return True

    def _take_rounds(self, text):
        found = _ROUNDS.fullmatch(text)
        if self.row is None or not found or self.row["record"] != "result":
            return False  # in a damaged file two may follow one row
        median, unit, reached, low, high, confidence, next_low, next_high, between, within = \
            found.groups()
        self.row_unit = UNITS.get(unit)
        row = self.row
        if row["block"].endswith(ROUNDS_BLOCK):
            row["block"] = row["block"][:-len(ROUNDS_BLOCK)]
        row.update(record="rounds", rounds=row["valid"], median=median, median_low=low,
                   median_high=high, next_low=next_low, next_high=next_high, medians=[],
                   quantity="bytes" if unit == "bytes" else "time", reached=_per(reached, 100),
                   confidence=_per(confidence, 100), between=_per(between, 100),
                   within=_per(within, 100))
        for name in ("time", "standard_error", "valid", "per_pe", "round", "window_rule", "cache"):
            row.pop(name, None)
        return True

    def _take_missing(self, kind, text):
        call, separator, reason = text.partition("): ")
        if separator:
            call += ")"
        else:
            call, _, reason = text.partition(": ")
        record = {"record": "missing", "kind": kind.replace(" ", "_"), "call": call,
                  "reason": reason}
        if found := _MORE.match(reason):
            record["points"] = int(found.group(1))
        if self.block:
            record.update(block=self.block["block"], number=self.block["number"])
        self.incomplete = self.incomplete or kind in _INCOMPLETE
        self._finish_row()
        self.records.append(record)

    # -- Blocks --

    def _begin(self, name):
        self._close()
        self.blocks += 1
        self.block = {"record": "block", "block": name, "number": self.blocks}
        self.functions = []
        if self.sources:
            self.block["source"] = "\n".join(self.sources)
            for function in re.findall(r"\bmeasure\b[^:\"#]*:\s*([A-Za-z_]\w*)",
                                       self.block["source"]):
                if function not in self.functions:
                    self.functions.append(function)
            self.sources = []
        self.conditions, self.windows = {}, {}
        self.records.append(self.block)

    def _close(self):
        self._finish_row()
        self.block = self.block_end = None

    def _end_block(self):
        block = self.block
        self._close()
        if block:
            self.block_end = {"record": "block_end", "block": block["block"],
                              "number": block["number"], "duration": None, **self.windows}
            self.records.append(self.block_end)

    def _take_source(self, text):
        self.sources.append(text)
        code = re.sub(r'"[^"]*"|#.*', "", text)
        if found := re.search(r"\bset_unit\s*\(\s*([\d.]+(?:[eE][-+]?\d+)?)\s*\)", code):
            unit = _value(found.group(1))
            if not self.unit_forced and isinstance(unit, (int, float)) and unit > 0:
                self.unit = float(unit)
        if found := re.search(r"\bset_max_nr_node_times\s*\(\s*(\d{1,9})\s*\)", code):
            self.columns = int(found.group(1))

    # -- Everything else --

    def _comment(self, text):
        self.records.append({"record": "comment", "text": text})

    def _take_fact(self, text):
        """What the header says; False: something else."""
        header = self.header
        name, _, value = text.partition(": ")
        if name in ("command line", "library"):
            header[name.replace(" ", "_")] = value
            found = re.search(r"(?:^| )--unit[= ](ns|us|ms|s)(?= |$)", value)
            if name == "command line" and found:
                self.unit, self.unit_forced = UNITS[found.group(1)], True
        elif found := re.fullmatch(r"script: (.*) \(checksum (\w+)\)", text):
            header["script"] = {"name": found.group(1), "checksum": found.group(2)}
        elif found := re.fullmatch(r"PEs: (\d+) on \d+ nodes?", text):
            header["pes"] = int(found.group(1))
        elif found := _NODE.fullmatch(text):
            node, pes, processors, cpu, smt, governor, load = found.groups()
            header.setdefault("nodes", []).append(
                {"name": node, "pes": int(pes), "processors": int(processors), "cpu": cpu,
                 "smt": smt, "governor": governor,
                 "load": _number(load) if _NUMBER.fullmatch(load) else None})
        elif found := re.fullmatch(r"binding: (\d+) of (\d+) PEs? (?:is|are) bound to one processor", text):
            header["binding"] = {"bound": int(found.group(1)), "pes": int(found.group(2))}
        elif name == "environment" and "=" in value:
            variable, _, setting = value.partition("=")
            header.setdefault("environment", {})[variable] = setting
        elif name == "converted":
            header.setdefault("notes", []).append(value)
        elif name == "seed":
            header.setdefault("rounds", {})["seed"] = value
        elif found := re.fullmatch(rf"rounds: (\d{{1,9}})(?:, spread over ({_NUM}) s)?", text):
            rounds = header.setdefault("rounds", {})
            rounds["rounds"] = int(found.group(1))
            if found.group(2):
                rounds["seconds"] = _number(found.group(2))
        elif found := re.fullmatch(rf"time limit: ({_NUM}) s", text):
            header.setdefault("rounds", {})["time_limit"] = _number(found.group(1))
        elif name == "warning":
            header.setdefault("warnings", []).append(value)
        elif (found := _TIMER.fullmatch(text)) and all(map(_NUMBER.fullmatch, found.groups()[1:5])):
            timer, resolution, cost, ticks, off, source = found.groups()
            header["timer"] = {"name": timer, "resolution": _per(resolution, 1e9),
                               "cost": _per(cost, 1e9), "ticks_per_second": _number(ticks),
                               "disagreement": _per(off, 1e6), "clock_source": source}
        else:
            return False
        return True

    def _take_end(self, text):
        """What is said of the end of the run; False: something else."""
        if text.startswith("Finished at "):
            self.end = {"record": "end",
                        "status": _STATUS_INCOMPLETE if self.incomplete else 0}
            if instant := _instant(text[len("Finished at "):]):
                self.end["finished"] = instant
            if self.stopped:
                self.end.update(status=_STATUS_TIME_LIMIT, reason=self.stopped)
        elif text.startswith("stopped by the time limit"):
            self.stopped = text  # and nothing else, where the run did not end in order
            self.end = {"record": "end", "status": _STATUS_TIME_LIMIT, "reason": text}
        elif text.startswith(_END):
            self.end = {"record": "end", "status": None, "reason": text[len(_END):]}
            self.untold = True
        elif found := re.match(_LAST_WORDS, text):
            self.end = {"record": "end", "status": None, "reason": text}
            if found.group("signal"):
                self.end["status"] = 128 + int(found.group("signal"))
            elif found.group("watchdog"):
                self.end["status"] = _STATUS_WATCHDOG
            elif found.group("crash"):
                self.end["status"] = 128 + int(found.group("crash"))
            self._close()
        elif self.end and (found := re.fullmatch(rf"Total runtime ({_NUM}) seconds", text)):
            self.end["duration"] = _number(found.group(1))
        elif self.end and (found := re.fullmatch(
                rf"Timed regions: ({_NUM}) of ({_NUM}) seconds on PE 0", text)):
            self.end["timed"], self.end["duration"] = map(_number, found.groups())
        elif self.end and (found := re.fullmatch(
                rf"end of the library, seconds on the PEs of PE 0's node:((?: {_NUM})*)", text)):
            self.end["library_end"] = [_number(x) for x in found.group(1).split()]
        else:
            return False
        return True

    def _take_comment(self, line):
        text = line[1:].strip()
        kind, _, rest = text.partition(": ")
        if found := re.fullmatch(r'begin result "(.*)"', text):
            self._begin(found.group(1))
        elif text.startswith('end result "'):
            self._end_block()
        elif found := re.fullmatch(rf"duration = ({_NUM}) sec", text):
            if self.block_end:
                self.block_end["duration"] = _number(found.group(1))
            else:
                self._comment(text)
        elif found := re.fullmatch(r"windows: (\d+) late starts, (\d+) overruns, (\d+) changes",
                                   text):
            self.windows = dict(zip(("late_starts", "overruns", "window_changes"),
                                    map(int, found.groups())))
        elif kind == "note":
            self._take_note(rest)
        elif self.blocks == 0 and self._take_fact(text):
            pass
        elif kind in (*_INCOMPLETE, "skipped", "time limit") and rest:
            self._take_missing(kind, rest)
        elif kind == "counters" and self._take_counters(rest):
            pass
        elif kind == "levels" and self._take_levels(rest):
            pass
        elif kind == "median" and self._take_median(rest):
            pass
        elif kind == "rounds" and self._take_rounds(text):
            pass
        elif text.startswith("SKaMPI Version "):
            if "version" in self.header:
                raise Error(f"{self.name}: a second header: give each run's file by itself")
            self.header["version"] = text[len("SKaMPI Version "):].strip()
        elif text.startswith("Started at "):
            if instant := _instant(text[len("Started at "):]):
                self.header["started"] = instant
        elif kind == "result lines" or not text:
            pass
        elif not self._take_end(text):
            self._comment(text)

    def take(self, line):
        """False: the line is damaged."""
        if line.startswith("#P["):
            self.records.append({"record": "print", "text": line})
            self.printing = True
        elif line.startswith("#>"):
            self._take_source(line[3:] if line.startswith("#> ") else line[2:])
        elif line.startswith("#"):
            self.printing = False
            self._take_comment(line)
        elif not line.strip():
            pass
        elif self.block is None:
            # What a launcher or a library said among the results on one terminal.
            self._comment(line.strip())
        elif row := split_row(line):
            self.printing = False
            self._take_row(*row)
        elif self.printing:
            self.records.append({"record": "print", "text": line})
        else:
            return False
        return True

    def _name_rounds(self):
        """Lines over all rounds do not say again of which PEs they are: those of the first round's
        results do, which stand in the same order."""
        first = {}
        for record in self.records:
            if record["record"] not in ("result", "rounds"):
                continue
            point = (record["block"], record["bytes"], *map(str, record["variables"].items()))
            if record["record"] == "result":
                first.setdefault(point, []).append(record)
            elif first.get(point):
                result = first[point].pop(0)
                for name in ("number", "function", "pe_set"):
                    record[name] = result[name]

    def finish(self):
        self._close()
        self._name_rounds()
        if self.sources:
            self._comment("source behind the last block: " + "\n".join(self.sources))
        if self.end:
            kinds = [record["record"] for record in self.records]
            self.end.setdefault("duration", None)
            missing = sum(record.get("points", 1) for record in self.records
                          if record["record"] == "missing")
            self.end["results"] = kinds.count("result")
            # What a time limit leaves out is counted; before any other end there may have been more.
            if self.end.get("reason") and (not self.stopped or "at least" in self.stopped):
                self.end["missing"] = None
                if not self.untold:
                    self.end["missing_at_least"] = missing
            else:
                self.end["missing"] = missing
            self.records.append(self.end)


def parse(name, lines, warnings, unit=None):
    """The records. unit: the name of that of the times, where the file does not say."""
    reader = _Reader(name, unit)
    cut = not lines[-1].endswith(("\n", "\r"))
    for number, line in enumerate(lines, 1):
        line = line.rstrip("\r\n")
        if cut and number == len(lines) and reader.block and not line.startswith("#"):
            warnings.append("the last line is cut off and left out")
        elif not reader.take(line):
            raise Error(f"{name}:{number}: not a result line: take it out, or make it a comment "
                        f"by a # in front")
    if not reader.blocks and "version" not in reader.header:
        raise Error(f"{name}: no result block: not a result file of skampi")
    reader.finish()
    if reader.assumed:
        warnings.append("the file does not state the unit of its times: taken for microseconds "
                        "(--unit)")
    if reader.sampled:
        warnings.append(f"{reader.sampled} results state times of some PEs only, sorted: left out")
    if not reader.end:
        warnings.append("no end: the run was cut off, or has not ended yet")
    notes = reader.header.setdefault("notes", [])
    for note in (["from .sko, which holds times as printed"] +
                 ["its unit is not stated and was taken for microseconds"] * reader.assumed):
        if note not in notes:
            notes.append(note)
    yield reader.header
    yield from reader.records


# ---- Writing ----


class _Writer:
    def __init__(self, stream, unit, medians):
        self.stream = stream
        self.unit = unit
        self.medians = medians  # as comments
        self.block = None       # name of the one that is open
        self.printing = False   # the last record was printed by the script
        self.conditions = None  # stated last in it
        self.lost = {}          # in words; how often

    def line(self, text=""):
        self.stream.write(text + "\n")

    def comment(self, text):
        for line in str(text).splitlines() or [""]:
            self.line(f"# {line}")

    def lose(self, what):
        self.lost[what] = self.lost.get(what, 0) + 1

    def header(self, header):
        self.comment(f"SKaMPI Version {_one_line(header.get('version') or '(not stated)')}")
        self.line()
        if header.get("started"):
            self.comment(f"Started at {_ctime(header['started'])}")
            self.line("\n")
        for name in ("command_line", "library"):
            if name == "library" and "script" in header:
                script = header["script"]
                self.comment(_one_line(f"script: {script.get('name', '')} (checksum "
                                       f"{script.get('checksum', '')})"))
            if header.get(name):
                self.comment(_one_line(f"{name.replace('_', ' ')}: {header[name]}"))
        nodes = header.get("nodes") or []
        if "pes" in header:
            self.comment(f"PEs: {header['pes']} on {style.count_text(len(nodes), 'node')}")
        for number, node in enumerate(nodes):
            load = node.get("load")
            self.comment(_one_line(
                f"node {number}: {node.get('name', '')}, "
                f"{style.count_text(node.get('pes', 0), 'PE')}, "
                f"{style.count_text(node.get('processors', 0), 'processor')}, {node.get('cpu', '')}, SMT "
                f"{node.get('smt', 'unknown')}, governor {node.get('governor', 'not shown')}, load "
                f"{'---' if load is None else format(load, '.2f')}"))
        if "binding" in header:
            binding = header["binding"]
            pes = binding.get("pes", 0)
            self.comment(f"binding: {binding.get('bound', 0)} of {style.count_text(pes, 'PE')} "
                         f"{'is' if pes == 1 else 'are'} bound to one processor")
        for warning in header.get("warnings") or []:
            self.comment(_one_line(f"warning: {warning}"))
        for name, value in (header.get("environment") or {}).items():
            self.comment(_one_line(f"environment: {name}={value}"))
        if timer := header.get("timer"):
            number = {name: math.nan if timer.get(name) is None else timer[name] for name in
                      ("resolution", "cost", "ticks_per_second", "disagreement")}
            self.comment(_one_line(
                f"timer: {timer.get('name', '')}, resolution {number['resolution'] * 1e9:.1f} ns, "
                f"cost {number['cost'] * 1e9:.1f} ns, {number['ticks_per_second']:.6g} ticks per "
                f"second, off CLOCK_MONOTONIC by {number['disagreement'] * 1e6:.3g} ppm, clock "
                f"source {timer.get('clock_source', '')}"))
        rounds = header.get("rounds") or {}
        if rounds.get("seed"):
            self.comment(_one_line(f"seed: {rounds['seed']}"))
        if rounds.get("rounds"):
            seconds = rounds.get("seconds")
            self.comment(f"rounds: {rounds['rounds']}"
                         f"{f', spread over {seconds:g} s' if seconds else ''}")
        if rounds.get("time_limit"):
            self.comment(f"time limit: {rounds['time_limit']:g} s")
        for note in header.get("notes") or []:
            self.comment(_one_line(f"converted: {note}"))
        self.comment("result lines: loop variables, bytes, time (mean of the middle half), its "
                     "standard error (classic), valid repetitions, time per PE")
        self.line()

    def begin(self, name):
        self.block, self.conditions = name, None
        if name.endswith(ROUNDS_BLOCK):
            self.comment("result lines: loop variables, bytes, median of the rounds, half of its "
                         "interval, rounds")
        self.comment(f'begin result "{_one_line(name)}"')

    def end_block(self, record):
        if all(name in record for name in ("late_starts", "overruns", "window_changes")):
            self.comment(f"windows: {record['late_starts']} late starts, {record['overruns']} "
                         f"overruns, {record['window_changes']} changes")
        if self.block is not None:
            self.comment(f'end result "{_one_line(self.block)}"')
        if record.get("duration") is not None:
            self.comment(f"duration = {record['duration']:.2f} sec")
        self.line()
        self.block = None

    def number(self, value, unit):
        return number_text(None if value is None else value * unit)

    def row_begin(self, record, unit, value, error, count):
        """Up to the repetitions."""
        variables = "".join(f"{name}= {_variable_text(value)} "
                            for name, value in (record.get("variables") or {}).items())
        size = record.get("bytes")
        whole = int(size) if size is not None and math.isfinite(size) else 0
        return (f"{variables}{whole:8d} {self.number(value, unit):>9} "
                f"{self.number(error, unit):>9} {count:8d}")

    def unit_of(self, record):
        if record.get("quantity") == "bytes":
            return 1.0
        own = record.get("unit")
        return self.unit or (own if own and own > 0 else UNITS[DEFAULT_UNIT])

    def result(self, record):
        unit = self.unit_of(record)
        line = self.row_begin(record, unit, record.get("time"), record.get("standard_error"),
                              record.get("valid", 0))
        for value in record.get("per_pe") or []:
            line += "     ---   " if value is None else f" {self.number(value, unit):>9}"
        self.line(line)
        if self.medians and record.get("median") is not None:
            median, low, high = (self.number(record.get(name), unit)
                                 for name in ("median", "median_low", "median_high"))
            self.comment(f"median: {median}{self.unit_name(record, unit)}, "
                         f"{_percent(record.get('confidence'))} interval [{low}, {high}]")
        if counters := record.get("counters"):
            most = [f" {name}= {number_text(count['most'])}" for name, count in counters.items()]
            mean = [f" {number_text(count['mean'])}" for count in counters.values()]
            self.comment(f"counters:{''.join(most)}{_COUNTERS_END}{''.join(mean)}")
        self.behind(record, unit)

    def rounds(self, record):
        unit = self.unit_of(record)
        low, high = record.get("median_low"), record.get("median_high")
        half = None if low is None or high is None else (high - low) / 2
        self.line(self.row_begin(record, unit, record.get("median"), half,
                                 record.get("rounds", 0)))
        number = {name: self.number(record.get(name), unit) for name in
                  ("median", "median_low", "median_high", "next_low", "next_high")}
        percent = {name: _percent(record.get(name)) for name in
                   ("reached", "confidence", "between", "within")}
        self.comment(f"rounds: median {number['median']}{self.unit_name(record, unit)}, "
                     f"{percent['reached']} interval [{number['median_low']}, "
                     f"{number['median_high']}], {percent['confidence']} prediction interval "
                     f"[{number['next_low']}, {number['next_high']}], spread between rounds "
                     f"{percent['between']}, within rounds {percent['within']}")
        self.behind(record, unit)

    def behind(self, record, unit):
        """What is noted of a row: levels, notes, and conditions where they are others than before."""
        name = self.unit_name(record, unit)
        levels = [f"{self.number(level['value'], unit)}{name} {_percent(level['share'])}"
                  for level in record.get("levels") or [] if level["share"] is not None]
        if levels:
            levels[0] += " of time"
            self.comment(f"levels: {', '.join(levels)}")
        for note in record.get("notes") or []:
            self.comment(_one_line(f"note: {note}"))
        conditions = self.conditions_of(record, unit)
        if conditions != self.conditions:
            self.comment(f"note: conditions: {conditions}")
            self.conditions = conditions

    def unit_name(self, record, unit):
        """With a blank in front; empty for one without a name."""
        if record.get("quantity") == "bytes":
            return " bytes"
        name = _unit_text(unit)
        return f" {name}" if name in UNITS else ""

    def conditions_of(self, record, unit):
        pe_set = record.get("pe_set") or {}
        size, rule = pe_set.get("size"), record.get("window_rule")
        parts = []
        if size is not None:
            parts.append(f"{size} PE{'' if size == 1 else 's'} {pe_set.get('placement', '')}".strip())
        start = {"window": "window start", "barrier": "barrier start",
                 "none": "no synchronization"}.get(record.get("synchronization"))
        if start:
            parts.append(start + (f" ({rule})" if rule and rule != "classic" else ""))
        if record.get("run_time"):
            parts.append(f"{record['run_time']} run time")
        if buffers := record.get("buffers"):
            cache = record.get("cache")
            parts.append(("no" if buffers == "none" else buffers) + " buffers" +
                         (f", {cache}" if cache and buffers != "none" else ""))
        parts.append("values in bytes" if record.get("quantity") == "bytes" else
                     f"times in {_unit_text(unit)}")
        return "; ".join(parts)

    def take(self, record):
        kind = record["record"]
        if kind == "block":
            for line in (record.get("source") or "").splitlines():
                self.line(f"#> {line}")
            if record.get("source"):
                self.line()
            self.begin(record["block"])
        elif kind == "block_end":
            self.end_block(record)
        elif kind == "result" and record.get("round", 1) > 1:
            self.lose("results of later rounds")
        elif kind in ("result", "rounds"):
            name = record["block"] + (ROUNDS_BLOCK if kind == "rounds" else "")
            if self.block is None or self.block != name and kind == "rounds":
                if self.block is not None:
                    self.end_block({})
                self.begin(name)
            (self.result if kind == "result" else self.rounds)(record)
            for members, what in _NOT_HELD:
                if any(record.get(member) not in (None, [], {}, "") for member in members):
                    self.lose(what)
        elif kind == "missing":
            self.comment(_one_line(f"{record['kind'].replace('_', ' ')}: {record['call']}: "
                                   f"{record.get('reason', '')}"))
        elif kind == "comment":
            self.comment(record["text"])
        elif kind == "print":
            for line in record["text"].splitlines():
                # What goes on with a text of several lines has no mark of its own.
                self.line(line if line.startswith("#") or self.printing else f"#P[0] {line}")
                self.printing = True
        elif kind == "end":
            self.end(record)
        else:
            self.lose(f"{kind} records")
        self.printing = kind == "print"

    def end(self, record):
        if self.block is not None and self.block.endswith(ROUNDS_BLOCK):
            self.end_block({})
        if reason := record.get("reason"):
            if record.get("status") is None and not re.match(_LAST_WORDS, reason):
                reason = _END + reason
            elif not re.match(_LAST_WORDS + "|stopped by the time limit", reason):
                reason = f"ended by an error: {reason}"
            self.comment(_one_line(reason))
            if not reason.startswith("stopped by"):
                return
        self.line()
        if record.get("finished"):
            self.comment(f"Finished at {_ctime(record['finished'])}")
        duration, timed = record.get("duration"), record.get("timed")
        if duration is not None:
            self.comment(f"Total runtime {duration:.0f} seconds")
            self.line()
            if timed is not None:
                self.comment(f"Timed regions: {timed:.3f} of {duration:.3f} seconds on PE 0")
        if library := record.get("library_end"):
            self.comment("end of the library, seconds on the PEs of PE 0's node:" + "".join(
                " ---" if x is None else f" {x:.4g}" for x in library))


# What result lines and the comments behind them do not say.
_NOT_HELD = [
    (["mean", "min", "max", "p5", "p25", "p75", "p95", "p99", "deviation"],
     "statistics other than time and standard error"),
    (["call", "arguments"], "calls and their arguments"),
    (["invalid", "late", "overruns", "warm_up", "window", "autocorrelation", "effective"],
     "how repetitions went"),
    (["flags"], "flags"), (["samples"], "samples"), (["medians"], "medians of rounds"),
]


def _one_line(text):
    return " ".join(text.splitlines()) if "\n" in text or "\r" in text else text


def _variable_text(value):
    return "---" if value is None else _one_line(str(value))


def _percent(share):
    return "---" if share is None else f"{100 * share:.3g} %"


def write(stream, file, unit=None, medians=False):
    """unit: name of that to print times in; else each result's own. medians: in comments, with their
    intervals. Returns what .sko cannot hold, in words."""
    writer = _Writer(stream, UNITS[unit] if unit else None, medians)
    writer.header(file.header)
    for record, following in zip(file.records, [*file.records[1:], {}]):
        # Blocks of a campaign's summary have nothing but rounds, which open a block of their own.
        if (record["record"] != "block" or following.get("record") != "rounds"
                or record.get("source")):
            writer.take(record)
    return list(writer.lost)
