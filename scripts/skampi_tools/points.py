"""What identifies a point in several files: one text with everything that is stated about it, the member "point"
of records.

    "put" count=8: Shmem_Put_Round(8, 10); 2 PEs 0-1 on one node; window start; set_cache_state("cold")

skampi writes it (src/output/point.c). identify() adds it to records of files that do not have it, from the members
that are there. No library, environment, host or value that was chosen or measured is in it."""

import json
import re
from collections import Counter

# Members that state how a point is measured, besides its call, variables and set.
STATED = ("synchronization", "window_rule", "run_time", "settings")
_COLD = 'set_cache_state("cold")'
_STARTS = {"window": "window start", "barrier": "barrier start", "none": "no synchronization"}
_NUMBER = re.compile(r"; no\. (\d{1,18})$")


def _value_text(value):
    """Of a variable, as skampi prints numbers: with 15 to 17 digits, those that give the number back."""
    if isinstance(value, (int, float)):
        try:
            value = float(value) or 0.0  # no -0
        except OverflowError:
            return str(value)
        return next((text for text in (f"{value:.{digits}g}" for digits in (15, 16)) if float(text) == value),
                    f"{value:.17g}")
    return json.dumps("null" if value is None else str(value), ensure_ascii=False)


def head_of(record):
    """The block and the loop variables."""
    variables = "".join(f" {name}={_value_text(value)}" for name, value in (record.get("variables") or {}).items())
    return f"{json.dumps(str(record.get('block') or ''), ensure_ascii=False)}{variables}: "


def settings_of(record):
    """The settings that say what is measured, where they are not as by default, as a script sets them."""
    settings = record.get("settings")
    if settings is None:
        return [_COLD] if record.get("cache") == "cold" else []
    return settings


def start_of(record):
    """How repetitions start; None: that is not known."""
    rule = record.get("window_rule")
    start = _STARTS.get(record.get("synchronization"))
    return f"{start} ({rule})" if start and rule and rule != "classic" else start


def set_of(record):
    """The PEs, and where they are; None: not known."""
    pe_set = record.get("pe_set") or {}
    size = pe_set.get("size")
    if size is None:
        return None
    words = [f"{size} PE{'' if size == 1 else 's'}", pe_set.get("members"), pe_set.get("placement")]
    return " ".join(filter(None, words))


def text_of(record):
    """The text of a record's members, without a running number."""
    parts = [record.get("call"), set_of(record), start_of(record),
             "global run time" if record.get("run_time") == "global" else None, *settings_of(record)]
    return head_of(record) + "; ".join(filter(None, parts))


def occurrence_of(text):
    """Which of the points of a run that are stated alike, from 1."""
    found = _NUMBER.search(text)
    return int(found.group(1)) if found else 1


def numbered(text, number):
    return f"{text}; no. {number}" if number > 1 else text


def _plain(record):
    """What rounds records of every version state."""
    return record.get("block"), record.get("call"), str(record.get("variables")), str(record.get("pe_set"))


def texts_of(records):
    """The texts of the result and rounds records of a file, and of each what it states: [(text, record)]. Rounds
    records of older versions do not say how they were measured: the results of the first round do, which are in the
    same order."""
    seen, first = Counter(), {}
    for record in records:
        number = record.get("round", 1) if record["record"] == "result" else 0
        stated = record
        if number == 1:
            first.setdefault(_plain(record), []).append(record)
        elif number == 0 and "synchronization" not in record and first.get(_plain(record)):
            result = first[_plain(record)].pop(0)
            stated = {**{name: result[name] for name in (*STATED, "cache") if name in result}, **record}
        text = record.get("point")
        if text is None:
            text = text_of(stated)
            seen[number, text] += 1
            text = numbered(text, seen[number, text])
        yield text, stated
