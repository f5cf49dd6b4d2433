"""Results as one table in CSV: COLUMNS, and how several values share a cell.
docs/results.md describes them; skampi itself writes this table, too."""

import csv
import json
import math
import re

from ..cli import Error
from ..records import COUNTS, NUMBERS, STATE_NUMBERS, what_is_wrong
from ..states import HAND_OVER, WORDS

COLUMNS = (
    "record block number function call args arg_units variables pes members placement "
    "bytes quantity point settings subtracted subtracted_time subtracted_share arrival arrival_skew not_cold "
    "round at time standard_error error time_low time_high time_confidence kept mean deviation median median_low median_high bandwidth bus_bandwidth rate confidence min max p5 p25 p75 p95 p99 "
    "p999 valid invalid late overruns warm_up autocorrelation effective iterations synchronization "
    "window_rule window run_time buffers cache source_in_page target_in_page hand_over hand_over_slowest hand_over_shared addition copy "
    "repeated unit rounds reached next_low next_high between within launch_difference "
    "flags notes levels counters per_pe samples medians parts states round_states kind reason points "
    "hand_over_low hand_over_high addition_low addition_high share").split()
KINDS = ("result", "rounds", "missing", "state")

# Of rows of states alone: each control's bounds.
_BOUNDS = {name: (f"{name}_low", f"{name}_high") for name in WORDS}
_OF_STATES = frozenset((*sum(_BOUNDS.values(), ()), "share"))
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")
_FORMULA = re.compile("'*[=+@\t\r-]")  # to spreadsheets, with apostrophes before it
_HIDDEN = "\ud800"  # in place of a separator with a backslash before it: no file that is read has it
_SPECIAL = re.compile(r"[;=\\]")
# Columns that hold numbers, and groups of numbers with these names.
_NUMBER_LISTS = ("per_pe", "samples", "medians", "round_states")
_GROUPS = {"levels": ("value", "share"), "parts": (*WORDS, "valid", "median", "p25", "p75"),
           "states": ("state", "rounds", *STATE_NUMBERS)}
# Members that are always there: what empty cells stand for.
_ALWAYS = {"result": {"function": "", "call": "", "quantity": "time", "bytes": None, "round": 1,
                      "time": None, "standard_error": None, "window_rule": "", "cache": "",
                      "flags": [], "notes": [], "per_pe": []},
           "rounds": {"function": "", "call": "", "quantity": "time", "bytes": None, "median": None,
                      "median_low": None, "median_high": None, "confidence": None, "flags": [], "notes": [], "medians": []}}


# ---- Cells ----


def _cell(value):
    """A cell as it is written. An apostrophe before what spreadsheets would take for a formula keeps it text."""
    formula = isinstance(value, str) and _FORMULA.match(value) and not _NUMBER.fullmatch(value)
    return "'" + value if formula else value


def _cell_of(text):
    """What _cell() was given."""
    return text[1:] if text[0] == "'" and _FORMULA.match(text) else text


def _escape(text):
    return _SPECIAL.sub(r"\\\g<0>", text)


def split(text, separator, most=-1):
    """Parts between separators that have no backslash before them, escapes still in."""
    if "\\" not in text:
        return text.split(separator, most)
    hidden = re.sub(r"\\.", lambda escape: escape[0].replace(separator, _HIDDEN), text, flags=re.DOTALL)
    return [part.replace(_HIDDEN, separator) for part in hidden.split(separator, most)]


def unescape(text):
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL) if "\\" in text else text


def _entry(value):
    """A number in a list of them."""
    return "nan" if value is None else repr(value)


def _value_text(value):
    """The text of an argument or a variable."""
    if value is None:
        return "null"
    if isinstance(value, list):
        return "[" + ", ".join(map(str, value)) + "]"
    if isinstance(value, str):
        other = (not value or value[0] in "'[" or value == "null" or _NUMBER.fullmatch(value))
        return _escape("'" + value if other else value)
    return repr(value)


def number(text):
    """The number that a cell holds; ValueError for what is none. NaN and infinities are None."""
    if "_" in text:
        raise ValueError
    if len(text) < 19 and text.lstrip("-").isdecimal():
        return int(text)
    value = float(text)
    return value if math.isfinite(value) else None


def _parse_value(text):
    if text.startswith("'"):
        return unescape(text[1:])
    if text == "null":
        return None
    if _NUMBER.fullmatch(text):
        return number(text)
    if text.startswith("["):
        try:
            return [int(entry) for entry in json.loads(text)]
        except (ValueError, TypeError, RecursionError):
            pass
    return unescape(text)


def _pairs(text):
    for pair in split(text, ";"):
        parts = split(pair, "=", 1)
        if len(parts) != 2:
            raise ValueError
        yield unescape(parts[0]), parts[1]


def _numbers(text, separator=";"):
    return [number(entry) for entry in text.split(separator)]


# ---- Cells that hold several values ----


def _named(write, read):
    """NAME=VALUE;NAME=VALUE"""
    return (lambda values: ";".join([f"{_escape(name)}={write(value)}" for name, value in values.items()]),
            lambda text: {name: read(value) for name, value in _pairs(text)})


def _grouped(names):
    """Entries of several numbers each."""
    return (lambda entries: ";".join([":".join([_entry(entry.get(name)) for name in names]) for entry in entries]),
            lambda text: [dict(zip(names, _numbers(entry, ":"))) for entry in text.split(";")])


_VALUES = _named(_value_text, _parse_value)
# How they are written, and read.
_COMPOSED = {
    "args": _VALUES, "variables": _VALUES, "arg_units": _named(_escape, unescape),
    "counters": _named(lambda count: f"{_entry(count['most'])}/{_entry(count['mean'])}",
                       lambda text: dict(zip(("most", "mean"), map(number, text.split("/"))))),
    **dict.fromkeys(("settings", "flags", "notes"), (lambda texts: ";".join(map(_escape, texts)),
                                                     lambda text: [unescape(part) for part in split(text, ";")])),
    **dict.fromkeys(_NUMBER_LISTS, (lambda numbers: ";".join(map(_entry, numbers)), _numbers)),
    **{name: _grouped(names) for name, names in _GROUPS.items()}}


# ---- Writing ----


def _pe_set(member):
    return lambda record: (record.get("pe_set") or {}).get(member)


# What columns hold that are no members of records.
_MEMBERS = {
    "args": lambda record: {name: own["value"] for name, own in (record.get("arguments") or {}).items()},
    "arg_units": lambda record: {name: own["unit"] for name, own in (record.get("arguments") or {}).items() if own.get("unit")},
    "pes": _pe_set("size"), "members": _pe_set("members"), "placement": _pe_set("placement")}


def _writer(name):
    member = _MEMBERS.get(name) or (lambda record: record.get(name))
    if name not in _COMPOSED:
        return lambda record: _cell(member(record))
    write = _COMPOSED[name][0]
    if name in _NUMBER_LISTS or name in _GROUPS:
        return lambda record: write(member(record) or ())
    return lambda record: _cell(write(member(record) or {}))


_WRITERS = [_writer(name) for name in COLUMNS]


def _as_row(record):
    """The members that columns show. A missing record has the number of points even where that is 1; a state
    its number and the values of its controls where other records have theirs."""
    if record["record"] == "missing":
        return {"number": 0, "points": 1, **record}
    if record["record"] == "state":
        row = {"record": "state", "number": record["state"], "share": record.get("share"),
               "pe_set": {"size": record.get("pes"), "members": record.get("members")}}
        for name, (low, high) in _BOUNDS.items():
            if control := record.get(name):
                row.update({name: control["value"], low: control.get("low"), high: control.get("high")})
        return row
    return record


def write(stream, file):
    """Writes the table; returns what CSV cannot hold, in words."""
    table = csv.writer(stream, lineterminator="\n")
    table.writerow(COLUMNS)
    # The writer has the shortest form of numbers that gives them back, and nothing for None.
    table.writerows([compose(record) for compose in _WRITERS]
                    for record in map(_as_row, file.records) if record["record"] in KINDS)
    counts = {}
    for record in file.records:
        counts[record["record"]] = counts.get(record["record"], 0) + 1
    words = {"comment": "comments", "print": "what the script printed", "controls": "controls over time"}
    lost = ["the header"] if set(file.header) - {"record", "schema", "program", "notes"} else []
    if any(record.get("source") for record in file.records if record["record"] == "block"):
        lost.append("the script's source")
    if any(record.get("duration") is not None for record in file.records
           if record["record"] == "block_end"):
        lost.append("durations of blocks")
    if any(record.get(member) for record in file.records if record["record"] == "state"
           for member in ("seconds", "known", "new")):
        lost.append("the seconds of states, and which are known or new")
    lost += [f"{word} ({counts[kind]})" for kind, word in words.items() if kind in counts]
    if file.end and file.end.get("status") is not None:
        lost.append("how the run ended")
    return lost


# ---- Reading ----


# How cells of these columns are read; cells of other columns hold texts.
_READERS = {**dict.fromkeys((*NUMBERS, *COUNTS, *_OF_STATES, "pes", "points"), number),
            **{name: read for name, (_, read) in _COMPOSED.items()}}
_KNOWN = frozenset(COLUMNS)


def _record(cells):
    """Of the cells that are not empty, by column. ValueError names the column at fault."""
    kind, values = cells["record"], {}
    for column, text in cells.items():
        if column not in _KNOWN or column in _OF_STATES and kind != "state":
            continue
        try:
            values[column] = _READERS.get(column, str)(text)
        except ValueError:
            raise ValueError(column) from None
    return {"missing": _missing, "state": _state}.get(kind, _result)(values)


def _result(values):
    """Or of all rounds."""
    pe_set = {"size": values.pop("pes", None), "placement": values.pop("placement", "")}
    if "members" in values:
        pe_set["members"] = values.pop("members")
    if pe_set["size"] == 1:
        for part in values.get("parts", ()):
            part.pop(HAND_OVER)
    units = values.pop("arg_units", {})
    arguments = {name: {"value": value, "unit": units.get(name, "")} for name, value in values.pop("args", {}).items()}
    if "synchronization" in values:
        values.setdefault("window_rule", "")
    return {"record": values["record"], "block": "", "number": 0, **_ALWAYS[values["record"]], "arguments": arguments,
            "variables": {}, **{name: values[name] for name in COLUMNS if name in values}, "pe_set": pe_set}


def _missing(values):
    record = {"record": "missing", **{name: values.get(name, "") for name in ("kind", "call", "reason")}}
    if "point" in values:
        record.update(point=values["point"], variables=values.get("variables", {}))
    if "block" in values:
        record.update(block=values["block"], number=values.get("number", 0))
    if values.get("points", 1) != 1:
        record["points"] = values["points"]
    return record


def _state(values):
    """Of what the row does not say, only that a state without a share is known."""
    record = {"record": "state", "state": values.get("number"), "members": values.get("members", ""),
              "pes": values.get("pes")}
    for name, (low, high) in _BOUNDS.items():
        if name in values:
            record[name] = {"value": values[name], "low": values.get(low), "high": values.get(high)}
    record["share"] = values.get("share")
    if record["share"] == 0:
        record["known"] = True
    return record


def _rows(name, lines):
    """(line number, cells); a row that the end of the file cuts off comes as (number, None)."""
    csv.field_size_limit(2 ** 31 - 1)
    reader = csv.reader(lines, strict=True)
    cut = not lines[-1].endswith(("\n", "\r"))
    before = 1
    try:
        for cells in reader:
            if cells:
                last = reader.line_num == len(lines)
                yield before, None if cut and last and before > 1 else cells
            before = reader.line_num + 1
    except csv.Error as error:
        if "unexpected end of data" in str(error) and before > 1:
            yield before, None
            return
        raise Error(f"{name}:{before}: not CSV: {error}") from None


def parse(name, lines, warnings):
    """The records, with a header and blocks around the results, as JSON has them."""
    rows = _rows(name, lines)
    _, columns = next(rows)
    if len(set(columns)) != len(columns) or not {"record", "block"} <= set(columns):
        raise Error(f"{name}:1: not the columns of skampi's CSV: record and block are needed, each "
                    f"column once")
    yield {"record": "header", "schema": 1, "program": "skampi",
           "notes": ["from CSV, which holds nothing but results and what is missing"]}
    block = None
    cut = False
    for line, cells in rows:
        if cells is None:
            cut = True
            break
        if len(cells) != len(columns):
            raise Error(f"{name}:{line}: {len(cells)} cells in a table of {len(columns)} columns: "
                        f"correct the row, or remove it")
        if cells[columns.index("record")] not in KINDS:
            raise Error(f"{name}:{line}: column record: neither result, rounds, missing nor "
                        f"state")
        try:
            record = _record({column: _cell_of(cell) for column, cell in zip(columns, cells) if cell})
        except ValueError as error:
            raise Error(f"{name}:{line}: column {error}: not a value for this column (docs/results.md)") \
                from None
        wrong = what_is_wrong(record)
        if wrong:
            raise Error(f"{name}:{line}: {wrong} (docs/results.md)")
        if record["record"] == "state":
            yield from _block_end(block)
            block = None
            yield record
            continue
        this = (record.get("block"), record.get("number"))
        begins = record["record"] == "missing" or record.get("round") == 1
        if begins and this[0] is not None and this != block:
            yield from _block_end(block)
            block = this
            yield {"record": "block", "block": block[0], "number": block[1]}
        yield record
    yield from _block_end(block)
    if cut:
        warnings.append("the last line is cut off and left out")
    else:
        yield {"record": "end", "status": None, "reason": "CSV does not say how the run ended"}


def _block_end(block):
    if block:
        yield {"record": "block_end", "block": block[0], "number": block[1], "duration": None}
