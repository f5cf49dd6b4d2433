"""Results as one table in CSV: COLUMNS, and how several values share a cell.
docs/results.md describes them; skampi itself writes the same."""

import csv
import json
import math
import re

from .cli import Error
from .records import COUNTS, NUMBERS, what_is_wrong

COLUMNS = (
    "record block number function call args arg_units variables pes members placement "
    "bytes quantity round at time standard_error error time_low time_high time_confidence kept "
    "mean deviation median median_low median_high confidence min max p5 p25 p75 p95 p99 valid "
    "invalid late overruns warm_up autocorrelation effective iterations synchronization "
    "window_rule window run_time buffers cache unit "
    "rounds reached next_low next_high between within "
    "flags notes levels counters per_pe samples medians kind reason points").split()
KINDS = ("result", "rounds", "missing")

_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")
_SPECIAL = re.compile(r"[;=\\]")
# Members whose absence says nothing that an empty one would not say, too.
_ALWAYS = {"result": {"function": "", "call": "", "quantity": "time", "bytes": None, "round": 1,
                      "time": None, "standard_error": None, "window_rule": "", "cache": "",
                      "flags": [], "notes": [], "per_pe": []},
           "rounds": {"function": "", "call": "", "quantity": "time", "bytes": None, "median": None,
                      "confidence": None, "flags": [], "notes": [], "medians": []}}


# ---- Cells ----


def _escape(text):
    return _SPECIAL.sub(r"\\\g<0>", text)


def split(text, separator, most=-1):
    """Parts between separators that have no backslash before them, escapes still in."""
    if "\\" not in text:
        return text.split(separator, most)
    parts, begin = [], 0
    escaped = False
    for at, character in enumerate(text):
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = True
        elif character == separator and most != 0:
            parts.append(text[begin:at])
            begin = at + 1
            most -= 1
    return parts + [text[begin:]]


def unescape(text):
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL) if "\\" in text else text


def _entry(value):
    """A number in a list of them."""
    return "nan" if value is None else repr(value)


def _value_text(value):
    """Of an argument or a variable."""
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


def _numbers(text):
    return [number(entry) for entry in text.split(";")]


# ---- Writing ----


def _texts(member):
    return lambda record: ";".join(map(_escape, record.get(member) or ()))


def _entries(member):
    return lambda record: ";".join(map(_entry, record.get(member) or ()))


def _pe_set(member):
    return lambda record: (record.get("pe_set") or {}).get(member)


# How members that are no single value become a cell.
_COMPOSED = {
    "args": lambda record: ";".join([
        f"{_escape(name)}={_value_text(argument['value'])}"
        for name, argument in (record.get("arguments") or {}).items()]),
    "arg_units": lambda record: ";".join([
        f"{_escape(name)}={_escape(argument['unit'])}"
        for name, argument in (record.get("arguments") or {}).items() if argument.get("unit")]),
    "variables": lambda record: ";".join([
        f"{_escape(name)}={_value_text(value)}"
        for name, value in (record.get("variables") or {}).items()]),
    "pes": _pe_set("size"), "members": _pe_set("members"), "placement": _pe_set("placement"),
    "flags": _texts("flags"), "notes": _texts("notes"),
    "levels": lambda record: ";".join([
        f"{_entry(level['value'])}:{_entry(level['share'])}"
        for level in record.get("levels") or ()]),
    "counters": lambda record: ";".join([
        f"{_escape(name)}={_entry(count['most'])}/{_entry(count['mean'])}"
        for name, count in (record.get("counters") or {}).items()]),
    "per_pe": _entries("per_pe"), "samples": _entries("samples"), "medians": _entries("medians"),
}
_WRITERS = [(name, _COMPOSED.get(name)) for name in COLUMNS]


def _counted(record):
    """A missing record as skampi writes it: with the number of points even where that is 1."""
    if record["record"] != "missing":
        return record
    return {"number": 0, "points": 1, **record}


def write(stream, file):
    """Writes the table; returns what CSV cannot hold, in words."""
    table = csv.writer(stream, lineterminator="\n")
    table.writerow(COLUMNS)
    # The writer has the shortest form of numbers that gives them back, and nothing for None.
    table.writerows([compose(record) if compose else record.get(name) for name, compose in _WRITERS]
                    for record in map(_counted, file.records) if record["record"] in KINDS)
    counts = {}
    for record in file.records:
        counts[record["record"]] = counts.get(record["record"], 0) + 1
    words = {"comment": "comments", "print": "what the script printed"}
    lost = ["the header"] if set(file.header) - {"record", "schema", "program", "notes"} else []
    if any(record.get("source") for record in file.records if record["record"] == "block"):
        lost.append("the script's source")
    if any(record.get("duration") is not None for record in file.records
           if record["record"] == "block_end"):
        lost.append("durations of blocks")
    lost += [f"{word} ({counts[kind]})" for kind, word in words.items() if kind in counts]
    if file.end and file.end.get("status") is not None:
        lost.append("how the run ended")
    return lost


# ---- Reading ----


def _record(cells):
    """Of the cells that are not empty, by column. ValueError names the column at fault."""
    kind = cells["record"]
    if kind == "missing":
        return _missing(cells)
    record = {"record": kind, "block": cells.get("block", ""), "number": 0, **_ALWAYS[kind],
              "arguments": {}, "variables": {}}
    pe_set = {"size": None, "placement": ""}
    units = {}
    column = "record"
    try:
        for column, text in cells.items():
            if column in _SINGLE:
                record[column] = number(text)
            elif column == "args":
                record["arguments"] = {name: {"value": _parse_value(value), "unit": ""}
                                       for name, value in _pairs(text)}
            elif column == "arg_units":
                units = {name: unescape(unit) for name, unit in _pairs(text)}
            elif column == "variables":
                record["variables"] = {name: _parse_value(value) for name, value in _pairs(text)}
            elif column == "pes":
                pe_set["size"] = number(text)
            elif column in ("members", "placement"):
                pe_set[column] = text
            elif column in ("flags", "notes"):
                record[column] = [unescape(part) for part in split(text, ";")]
            elif column == "levels":
                record[column] = [dict(zip(("value", "share"), map(number, level.split(":"))))
                                  for level in text.split(";")]
            elif column == "counters":
                record[column] = {name: dict(zip(("most", "mean"), map(number, value.split("/"))))
                                  for name, value in _pairs(text)}
            elif column in ("per_pe", "samples", "medians"):
                record[column] = _numbers(text)
            elif column in _KNOWN:
                record[column] = text
    except ValueError:
        raise ValueError(column) from None
    for name, unit in units.items():
        if name in record["arguments"]:
            record["arguments"][name]["unit"] = unit
    record["pe_set"] = pe_set
    return record


def _missing(cells):
    record = {"record": "missing", "kind": cells.get("kind", ""), "call": cells.get("call", ""),
              "reason": cells.get("reason", "")}
    column = "number"
    try:
        if "block" in cells:
            record.update(block=cells["block"], number=number(cells.get("number", "0")))
        column = "points"
        if (points := number(cells.get("points", "1"))) != 1:
            record["points"] = points
    except ValueError:
        raise ValueError(column) from None
    return record


_SINGLE = frozenset(NUMBERS) | frozenset(COUNTS)
_KNOWN = frozenset(COLUMNS)


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
            raise Error(f"{name}:{line}: column record: neither result, rounds nor "
                        f"missing")
        try:
            record = _record({column: cell for column, cell in zip(columns, cells) if cell})
        except ValueError as error:
            raise Error(f"{name}:{line}: column {error}: not a value for this column (docs/results.md)") \
                from None
        wrong = what_is_wrong(record)
        if wrong:
            raise Error(f"{name}:{line}: {wrong} (docs/results.md)")
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
