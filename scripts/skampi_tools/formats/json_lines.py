"""skampi's JSON Lines: one record a line (results.schema.json)."""

import json

from .. import kinds
from ..cli import Error, finite
from ..records import SCHEMA_VERSION, what_is_wrong

_LONGEST_INTEGER = 18  # digits of one that programs in C can hold, too


def _integer(text):
    return int(text) if len(text) <= _LONGEST_INTEGER else float(text)


class _NoNumber(Exception):
    """NaN, Infinity or -Infinity, which Python would take."""


def _refuse(text):
    raise _NoNumber(text)


def parse(name, lines):
    """The records of lines, which may be a file that is being read."""
    decode = json.JSONDecoder(parse_int=_integer, parse_constant=_refuse).decode
    header = False
    for number, raw in enumerate(lines, 1):
        line = raw.strip()
        if not line:
            continue
        try:
            record = decode(line)
            kind = record["record"]
            if type(kind) is not str:
                raise TypeError
        except _NoNumber as error:
            raise Error(f"{name}:{number}: JSON has no {error}: write null for what is no number") from None
        except (ValueError, KeyError, TypeError, RecursionError):
            if number > 1 and not raw.endswith(("\n", "\r")):
                break  # the last one, cut off in the middle
            other = kinds.misfit(name) if number == 1 and '"record"' not in line[:20] else ""
            raise Error(f"{name}: {other}" if other else f"{name}:{number}: not a record of skampi's JSON Lines: remove "
                        "the line, or write the file again") from None
        if kind == "header":
            if header:
                raise Error(f"{name}:{number}: a second header: give each run's file by itself")
            if record.get("schema") != SCHEMA_VERSION:
                raise Error(f"{name}:{number}: schema version {record.get('schema')!r}, but this "
                            f"tool knows version {SCHEMA_VERSION}: use the skampi that wrote the "
                            f"file")
            header = True
        elif not header:
            raise Error(f"{name}: no header: not a result file of skampi")
        wrong = what_is_wrong(record)
        if wrong:
            raise Error(f"{name}:{number}: {wrong} (scripts/results.schema.json)")
        yield record
    if not header:
        raise Error(f"{name}: no header: not a result file of skampi")


def write(stream, file):
    """Writes all; JSON holds everything that a ResultFile can."""
    encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False).encode
    for record in map(dict, (file.header, *file.records)):
        try:
            line = encode(record)
        except ValueError:
            line = encode(finite(record))
        stream.write(line + "\n")
    return []
