"""Reads .sko files into records: those of SKaMPI of any version with this format, and what skampi adds to
it as comments."""

import math
import re

from ...cli import Error
from ...points import STATED, numbered, text_of
from ...records import COUNTS, NUMBERS, ROUNDS_BLOCK, STATE_NUMBERS
from ...states import HAND_OVER, WORDS
from .header import take_fact
from .lines import (BEGIN, BUFFERS, DURATION, INCOMPLETE, LEVEL, MEDIAN, MORE, NUM, ROUNDS, STARTS, STATE_ROUNDS,
                    column_value, columns_of, controls_of, counters_of, instant, number, part_of, per, said_of, split_row,
                    state_of, unit_of, value_in, value_of)
from .texts import DEFAULT_UNIT, END, LAST_WORDS, MISSING_WORDS, PLACES, UNITS

_CLASSIC_COLUMNS = 16  # per PE, where the script does not say (set_max_nr_node_times)
_STATUS_INCOMPLETE, _STATUS_TIME_LIMIT, _STATUS_WATCHDOG = 3, 4, 5
_UNIT_OPTION = re.compile(r"command line: (?:.*? )?--unit[= ](ns|us|ms|s)(?= |$)")


def _call_of(text):
    """Members of a call, which may be followed by the number of the point among those that are stated alike."""
    call, number = re.fullmatch(r"(.*?)(?:; no\. (\d{1,18}))?", text).groups()
    return {"call": call, "function": re.match(r"\w*", call)[0], "point": number}


def _median_of(text):
    if not (found := MEDIAN.fullmatch(text)):
        return None
    median, unit, confidence, low, high = found.groups()
    return {"median": median, "median_low": low, "median_high": high, "confidence": per(confidence, 100), "row_unit": unit}


def _levels_of(text):
    found = LEVEL.findall(text)
    return found and {"levels": [{"value": value, "share": per(share, 100)} for value, _, share in found],
                      "row_unit": found[0][1]}


# Members of a record, and the name of their unit, by what comments on its row say; nothing: the comment is damaged.
_MEMBERS = {"call": _call_of, "flags": lambda text: {"flags": text.split(", ")}, "median": _median_of, "levels": _levels_of,
            "counters": lambda text: (found := counters_of(text)) and {"counters": found},
            "columns": lambda text: (found := columns_of(text)) and {"columns": found}}


class _Reader:
    """Takes the lines of a file one after another; records: what they say."""

    def __init__(self, name, unit=None, strict=False):
        self.name = name
        self.strict = strict        # an Error for what is damaged, which else becomes a comment
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
        self.unit = UNITS.get(unit)  # of the caller; of the file's command line, or else its source, if these say it
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
        self.first = {}            # results of the first round, by point
        self.header_taken = False

    # -- Results --

    def _take_row(self, variables, fields):
        """Times stay texts until their unit is known: _finish_row()."""
        named = {}
        for name, text in variables:
            named.pop(name, None)  # of an outer loop, which the inner one hides
            named[name] = value_of(text)
        record = {
            "record": "result", "block": self.block["block"], "number": self.block["number"],
            "function": self.functions[0] if len(self.functions) == 1 else "", "call": "",
            "arguments": {}, "variables": named, "pe_set": {"size": None, "placement": ""},
            "bytes": int(fields[0]), "quantity": "time", "round": 1,
            "time": fields[1], "standard_error": fields[2], "valid": int(fields[3]),
            "window_rule": "", "cache": "", "unit": None, "flags": [], "notes": [],
            "per_pe": fields[4:],
        }
        self._finish_row()
        self.row = record
        self.records.append(record)

    def _finish_row(self):
        """Completes a row by its unit and PEs, which may be stated after it."""
        record, self.row = self.row, None
        row_unit, self.row_unit = self.row_unit, None
        if record is None:
            return
        stated = self.conditions
        names = STATED if record["record"] == "rounds" else (*STATED, "buffers", "cache", *PLACES)
        record.update({name: stated[name] for name in names if name in stated})
        if "members" in stated:
            record["pe_set"]["members"] = stated["members"]
        if "placement" in stated:
            record["pe_set"]["placement"] = stated["placement"]
        if stated.get("quantity"):
            record["quantity"] = stated["quantity"]
        self._finish_columns(record, stated.get("size"))
        record["unit"] = 1.0 if record["quantity"] == "bytes" else row_unit or stated.get("unit") or self.unit
        self.assumed = self.assumed or not record["unit"]
        unit = record["unit"] or UNITS[DEFAULT_UNIT]
        for name in ("time", "standard_error", "median", "median_low", "median_high", "next_low",
                     "next_high"):
            if name in record:
                record[name] = per(record[name], unit)
        for member, names in (("levels", ["value"]), ("parts", ["median", "p25", "p75"]),
                              ("states", ["median", "median_low", "median_high", "next_low", "next_high"])):
            for entry in record.get(member) or []:
                entry.update({name: value_in(entry[name], unit) for name in names})
        if record["record"] == "result":
            record["per_pe"] = [per(text, unit) for text in record["per_pe"]]
        if "columns" in record:
            columns = record["columns"] = {name: column_value(name, text, own, unit)
                                           for name, text, own in record["columns"] if name in NUMBERS or name in COUNTS}
            for name, value in columns.items():
                if name != "median" or {"median_low", "median_high"} <= columns.keys():  # else without its error
                    record.setdefault(name, value)
        if record["record"] == "rounds" and "synchronization" not in record:
            record.pop("point", None)  # of older versions: points.texts_of() finds how it was measured
        if "point" in record:
            record["point"] = numbered(text_of(record), int(record["point"] or 1))
        self._name_rounds(record)

    def _finish_columns(self, record, size):
        """With more PEs than columns these are some values in ascending order, not PEs."""
        if record["record"] != "result":
            record["pe_set"]["size"] = size
            return
        columns = record["per_pe"]
        sampled = size is not None and size != len(columns)
        if size is None and len(columns) == (self.columns or _CLASSIC_COLUMNS) and len(columns) > 3:
            known = [-math.inf if number(text) is None else number(text) for text in columns]
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
                stated["synchronization"] = STARTS[found.group(1)]
                stated["window_rule"] = found.group(2) or (
                    "classic" if found.group(1) == "window" else "")
            elif found := re.fullmatch(r"(local|global) run time", part):
                stated["run_time"] = found.group(1)
            elif found := BUFFERS.fullmatch(part):
                how, cache, *places = found.groups()
                stated["buffers"] = "none" if how == "no" else how
                if cache:
                    stated["cache"] = cache
                stated.update({name: float(place) for name, place in zip(PLACES, places) if place})
            elif found := re.fullmatch(r"PEs (\d.*)", part):
                stated["members"] = found.group(1)
            elif re.fullmatch(r"(set|switch)_\w+\(.*\)", part):
                stated.setdefault("settings", []).append(part)
            elif part == "values in bytes":
                stated["quantity"] = "bytes"
            elif part.startswith("times in "):
                stated["unit"] = unit_of(part[len("times in "):].strip())
        self.conditions = stated

    def _take_note(self, text):
        if text.startswith("conditions: "):
            self._take_conditions(text[len("conditions: "):])
        elif self.row is None:
            self._comment(f"note: {text}")
        else:
            if found := re.fullmatch(r"iterations chosen: (\d{1,18})", text):
                self.row["iterations"] = int(found.group(1))
            self.row.update(said_of(text))
            self.row["notes"].append(text)


    def _take_rounds(self, text):
        found = ROUNDS.fullmatch(text)
        if not found or self.row["record"] != "result":
            return False  # in a damaged file two may follow one row
        median, unit, reached, low, high, confidence, next_low, next_high, between, within = \
            found.groups()
        self.row_unit = UNITS.get(unit)
        row = self.row
        if row["block"].endswith(ROUNDS_BLOCK):
            row["block"] = row["block"][:-len(ROUNDS_BLOCK)]
        row.update(record="rounds", rounds=row["valid"], median=median, median_low=low,
                   median_high=high, next_low=next_low, next_high=next_high, medians=[],
                   quantity="bytes" if unit == "bytes" else "time", reached=per(reached, 100),
                   confidence=per(confidence, 100), between=per(between, 100),
                   within=per(within, 100))
        for name in ("time", "standard_error", "valid", "per_pe", "round", "window_rule", "cache"):
            row.pop(name, None)
        return True

    # -- States of the machine --

    def _take_state(self, text):
        """Takes a state of the run, or what the row's rounds were in a state; False: neither, or damaged."""
        if state := state_of(text):
            self._finish_row()
            self.records.append(state)
            return True
        found = STATE_ROUNDS.fullmatch(text)
        if self.row is None or self.row["record"] != "rounds" or not found:
            return False
        state, rounds, median, unit, reached, low, high, _, next_low, next_high = found.groups()
        self.row_unit = self.row_unit or UNITS.get(unit)
        values = (median, low, high, per(reached, 100), next_low, next_high, None)
        self.row.setdefault("states", []).append({"state": int(state), "rounds": int(rounds),
                                                  **dict(zip(STATE_NUMBERS, values))})
        return True


    def _finish_states(self):
        """Only files with several sets of PEs name those of a state. That earlier runs were given is seen from
        states that are new or only in these, and from one state, which is only said then: others are known."""
        states = [record for record in self.records if record["record"] == "state"]
        sizes = {record["pe_set"]["size"] for record in self.records if record["record"] == "result"
                 and any(record.get(name) is not None for name in WORDS)}
        for state in states:
            if state["pes"] is None and HAND_OVER not in state:
                state["pes"] = 1
            elif state["pes"] is None and len(sizes) == 1:
                state["pes"] = min(sizes)
        alone = len({(state["members"], state["pes"]) for state in states}) == len(states)
        if alone or any(state["new"] or state["share"] == 0 for state in states):
            for state in states:
                state["known"] = not state["new"]

    def _take_missing(self, kind, text):
        call, separator, reason = text.partition("): ")
        if separator:
            call += ")"
        else:
            call, _, reason = text.partition(": ")
        names = {words: name for name, words in MISSING_WORDS.items()}
        record = {"record": "missing", "kind": names.get(kind, kind.replace(" ", "_")), "call": call,
                  "reason": reason}
        if found := MORE.match(reason):
            record["points"] = int(found.group(1))
        if self.block:
            record.update(block=self.block["block"], number=self.block["number"])
        self.incomplete = self.incomplete or kind in INCOMPLETE
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
            unit = value_of(found.group(1))
            if not self.unit_forced and isinstance(unit, (int, float)) and unit > 0:
                self.unit = float(unit)
        if found := re.search(r"\bset_max_nr_node_times\s*\(\s*(\d{1,9})\s*\)", code):
            self.columns = int(found.group(1))

    # -- Everything else --

    def _comment(self, text):
        self.records.append({"record": "comment", "text": text})

    def _take_end(self, text):
        """What is said of the end of the run; False: something else."""
        if text.startswith("Finished at "):
            self.end = {"record": "end",
                        "status": _STATUS_INCOMPLETE if self.incomplete else 0}
            if moment := instant(text[len("Finished at "):]):
                self.end["finished"] = moment
            if self.stopped:
                self.end.update(status=_STATUS_TIME_LIMIT, reason=self.stopped)
        elif text.startswith("stopped by the time limit"):
            self.stopped = text  # and nothing else, where the run did not end in order
            self.end = {"record": "end", "status": _STATUS_TIME_LIMIT, "reason": text}
        elif text.startswith(END):
            self.end = {"record": "end", "status": None, "reason": text[len(END):]}
            self.untold = True
        elif found := re.match(LAST_WORDS, text):
            self.end = {"record": "end", "status": None, "reason": text}
            if found.group("signal"):
                self.end["status"] = 128 + int(found.group("signal"))
            elif found.group("watchdog"):
                self.end["status"] = _STATUS_WATCHDOG
            elif found.group("crash"):
                self.end["status"] = 128 + int(found.group("crash"))
            self._close()
        elif self.end and (found := re.fullmatch(rf"Total runtime ({NUM}) seconds", text)):
            self.end["duration"] = number(found.group(1))
        elif self.end and (found := re.fullmatch(
                rf"Timed regions: ({NUM}) of ({NUM}) seconds on PE 0", text)):
            self.end["timed"], self.end["duration"] = map(number, found.groups())
        elif self.end and (found := re.fullmatch(
                rf"end of the library, seconds on the PEs of PE 0's node:((?: {NUM})*)", text)):
            self.end["library_end"] = [number(x) for x in found.group(1).split()]
        else:
            return False
        return True

    def _take_stated(self, kind, rest, text):
        """What is said of the row, or of the run's states; False: something else, or it is damaged."""
        if kind.startswith("state "):
            return self._take_state(text)
        if kind == "point" and self.records and self.records[-1]["record"] == "missing":  # in the line above
            self.records[-1]["point"] = rest
            return True
        if kind == "point" or self.row is None:
            return False
        if kind == "rounds":
            return self._take_rounds(text)

        if kind == "part" and self.row["record"] == "result" and (part := part_of(rest)):
            self.row.setdefault("parts", []).append(part)
            return True
        members = controls_of(text) if kind in WORDS.values() else _MEMBERS[kind](rest) if kind in _MEMBERS else None
        if members and "row_unit" in members:
            self.row_unit = UNITS.get(members.pop("row_unit"))
        self.row.update(members or {})
        return bool(members)

    def _take_comment(self, line):
        text = line[1:].strip()
        kind, _, rest = text.partition(": ")
        if found := BEGIN.fullmatch(text):
            self._begin(found.group(1))
        elif text.startswith('end result "'):
            self._end_block()
        elif found := DURATION.fullmatch(text):
            if self.block_end:
                self.block_end["duration"] = number(found.group(1))
            else:
                self._comment(text)
        elif found := re.fullmatch(r"windows: (\d+) late starts, (\d+) overruns, (\d+) changes",
                                   text):
            self.windows = dict(zip(("late_starts", "overruns", "window_changes"),
                                    map(int, found.groups())))
        elif kind == "note":
            self._take_note(rest)
        elif self.blocks == 0 and take_fact(self.header, text):
            if found := _UNIT_OPTION.match(text):
                self.unit, self.unit_forced = UNITS[found.group(1)], True
        elif kind in (*INCOMPLETE, *MISSING_WORDS.values(), "skipped", "time limit") and rest:
            self._take_missing(kind, rest)
        elif self._take_stated(kind, rest, text):
            pass
        elif text.startswith("SKaMPI Version "):
            if "version" in self.header and self.strict:
                raise Error(f"{self.name}: a second header: give each run's file by itself")
            self.header["version"] = text[len("SKaMPI Version "):].strip()
        elif text.startswith("Started at "):
            if moment := instant(text[len("Started at "):]):
                self.header["started"] = moment
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
        elif self.strict:
            return False
        else:
            self._comment(line.strip())
        return True

    def _name_rounds(self, record):
        """Lines over all rounds do not repeat their block number, and in older versions neither PEs nor function:
        those of the first round's results do, which are in the same order."""
        point = record.get("point") or (record["block"], record["bytes"], *map(str, record["variables"].items()))
        if record["record"] == "result":
            self.first.setdefault(point, []).append(record)
        elif self.first.get(point):
            result = self.first[point].pop(0)
            for name in ("number", "function", "pe_set"):
                record[name] = result[name]

    def taken(self):
        """The records so far, once, the header first."""
        records, self.records = self.records, []
        if not self.header_taken:
            records.insert(0, self.header)
            self.header_taken = True
        return records

    def finish(self):
        self._close()
        self._finish_states()
        if self.sources:
            self._comment("source after the last block: " + "\n".join(self.sources))
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


def follow(name, lines):
    """The records of a run that goes on; a block's come when it has ended. A damaged line becomes a comment."""
    reader = _Reader(name)
    for line in lines:
        line = line.rstrip("\r\n")
        reader.take(line)
        if reader.blocks and (reader.block is None or line.startswith("# begin result ")):
            yield from reader.taken()
    reader.finish()
    yield from reader.taken()


def parse(name, lines, warnings, unit=None, strict=True):
    """The records. unit: the name of that of the times, where the file does not say. strict: an Error for damaged lines,
    which else become comments."""
    reader = _Reader(name, unit, strict)
    cut = not lines[-1].endswith(("\n", "\r"))
    for number, line in enumerate(lines, 1):
        line = line.rstrip("\r\n")
        if cut and number == len(lines) and reader.block and not line.startswith("#"):
            warnings.append("the last line is cut off and left out")
        elif not reader.take(line):
            raise Error(f"{name}:{number}: not a result line: remove it, or make it a comment "
                        f"with # in front")
    if not reader.blocks and "version" not in reader.header:
        raise Error(f"{name}: no result block: not a result file of skampi")
    reader.finish()
    if reader.assumed:
        warnings.append("the file does not state the unit of its times: microseconds are "
                        "assumed (--unit)")
    if reader.sampled:
        warnings.append(f"{reader.sampled} results have times of only some PEs, sorted: left out")
    notes = reader.header.setdefault("notes", [])
    for note in (["from .sko, which holds times as printed"] +
                 ["its unit is not stated, microseconds are assumed"] * reader.assumed):
        if note not in notes:
            notes.append(note)
    yield reader.header
    yield from reader.records


