"""What identifies a point in several files: one text with everything that is stated about it, the member "point"
of records.

    "put" count=8: Shmem_Put_Round(8, 10); 2 PEs 0-1 on one node; window start; set_cache_state("cold")

skampi writes it (src/output/result.c). identify() adds it to records of files that do not have it, from the members
that are there. No library, environment, host or value that was chosen or measured is in it."""

import json
import re
from collections import Counter

from .style import count_text

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
    words = [count_text(size, "PE"), pe_set.get("members"), pe_set.get("placement")]
    return " ".join(filter(None, words))


def aspects_of(record):
    """{name: text} of what is stated besides block, call and variables, for labels. A setting that is not there is as
    by default."""
    pe_set = record.get("pe_set") or {}
    cold = _COLD in settings_of(record)
    found = {"PEs": f"PEs {pe_set['members']}" if pe_set.get("members") else "",
             "placement": pe_set.get("placement") or "", "start": start_of(record) or "",
             "run time": f"{record['run_time']} run time" if record.get("run_time") else "",
             "cache": "cold" if cold else "warm"}
    for setting in settings_of(record):
        name, _, value = setting.partition("(")
        if setting != _COLD:
            found[re.sub("^set_", "", name).replace("_", " ")] = value.rstrip(")").replace('"', "")
    return found


def aspect_text(name, value):
    """The text of an aspect in a label. value: None if it has its default."""
    if name in ("PEs", "placement", "start", "run time", "cache"):
        return value or ""
    return f"{name}: as by default" if value is None else f"{name} {value}".rstrip()


def differences(records):
    """For each of these records a text: what is stated of it and differs between them; a number, where records are
    stated alike."""
    aspects = [aspects_of(record) for record in records]
    names = dict.fromkeys(name for own in aspects for name in own)
    differing = [name for name in names if len({own.get(name) for own in aspects}) > 1]
    seen, texts = Counter(), [
        ", ".join(filter(None, (aspect_text(name, own.get(name)) for name in differing))) for own in aspects]
    numbered_texts = []
    for record, text in zip(records, texts):
        seen[record.get("call"), text] += 1
        number = seen[record.get("call"), text]
        numbered_texts.append(", ".join(filter(None, [text, f"no. {number}" if number > 1 else ""])))
    return numbered_texts


def told_apart(results, names):
    """For each result a text: the differences() from the others that have the same of these names, one a result."""
    counts, groups, texts = Counter(names), {}, [""] * len(results)
    for place, name in enumerate(names):
        if counts[name] > 1:
            groups.setdefault(name, []).append(place)
    for group in groups.values():
        for place, text in zip(group, differences([results[place].stated for place in group])):
            texts[place] = text
    return texts


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


def with_variable(record, name, value):
    """The record with one more variable, the outermost."""
    other = {**record, "variables": {name: value, **(record.get("variables") or {})}}
    return {**other, "point": head_of(other) + record["point"][len(head_of(record)):]}


def missing_label(record):
    """Of a missing record: what, and what kind of it."""
    variables = ", ".join(f"{name}={value}" for name, value in (record.get("variables") or {}).items())
    what = f"{record['call']} [{variables}]" if variables else record["call"]
    if number := record.get("points"):
        what += f" and {number - 1} more" if number > 1 else ""
    return f"{record.get('block') or ''}: {what}: {record['kind'].replace('_', ' ')}".removeprefix(": ")


def _plain(record):
    """The members that rounds records of all versions state."""
    return record.get("block"), record.get("call"), str(record.get("variables")), str(record.get("pe_set"))


def _lacks_start(record):
    """Whether it is a rounds record of older versions."""
    return record["record"] == "rounds" and "synchronization" not in record


def is_stated(record):
    """Whether a record says itself what identifies its point and how that was measured, if it is of a point."""
    return record["record"] not in ("result", "rounds") or "point" in record and not _lacks_start(record)


def texts_of(records):
    """The texts of the result and rounds records of a file, and of each what it states: [(text, record)]. Rounds
    records of older versions do not say how they were measured: the results of the first round do, which are in the
    same order."""
    seen, first = Counter(), {}
    older = any(map(_lacks_start, records))
    for record in records:
        number = record.get("round", 1) if record["record"] == "result" else 0
        stated = record
        if older and number == 1:
            first.setdefault(_plain(record), []).append(record)
        elif older and _lacks_start(record) and first.get(_plain(record)):
            result = first[_plain(record)].pop(0)
            stated = {**{name: result[name] for name in (*STATED, "cache") if name in result}, **record}
        text = record.get("point")
        if text is None:
            text = text_of(stated)
            seen[number, text] += 1
            text = numbered(text, seen[number, text])
        yield text, stated
