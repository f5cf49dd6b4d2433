"""Reads a line of a .sko file: numbers, result lines, and the forms of comments.

Only who reads such a file imports this: its regular expressions take as long to compile as a tool takes to start.
"""

import datetime
import json
import math
import re

from ...records import RATES, VALUES
from .texts import COUNTERS_END, MEGA, SHORT_UNITS, TIME_FORMAT, UNITS

# ---- Numbers ----

NUM = r"(?:[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?:nan|inf)|---)"
NUMBER = re.compile(NUM)
_REAL = re.compile(r"(?!-?\d+$)" + NUM)  # as times and errors are printed, never as a whole number
_WHOLE = re.compile(r"-?(?:0|[1-9]\d{0,17})")
_DECIMAL = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?")


def number(text):
    value = math.nan if text == "---" else float(text)
    return value if math.isfinite(value) else None


_EXPONENTS = {1e12: "e-12", 1e9: "e-9", 1e6: "e-6", 1e3: "e-3", 100: "e-2"}


def per(text, divisor):
    """The number, divided by shifting its decimal point: 0.2 us is 2e-07 s, not 2.0000000000000002e-07."""
    value = number(text)
    if value is None:
        return None
    if divisor in _EXPONENTS and "e" not in text.lower():
        return float(text + _EXPONENTS[divisor])
    return value / divisor


def value_of(text):
    """The value of a loop variable: a number if it has the form of one."""
    if _WHOLE.fullmatch(text):
        return int(text)
    if _DECIMAL.fullmatch(text):
        value = float(text)
        return value if math.isfinite(value) else text
    return text


# ---- Buffers, as conditions state them ----

BUFFERS = re.compile(r"(no|same|cycling|fresh) buffers(?:, (warm|cold))?(?:, source at (\d+))?(?:, target at (\d+))?"
                     r"(?: of a page)?")


# ---- Result lines ----

_NAME = re.compile(r"(?:^|(?<=\s))([A-Za-z_]\w*)= ")
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=")
# Fields as wide as they are printed: where a value with blanks ends.
_LAYOUT = re.compile(rf"(?P<value>.*?)(?:^|(?<=\S) )(?P<fields>(?:(?=.{{8}} ) *\d+|\d{{9,}}) "
                     rf"(?:(?=.{{9}} ) *|(?=\S{{10}})){NUM} (?:(?=.{{9}} ) *|(?=\S{{10}})){NUM} "
                     rf"(?:(?=.{{8}}(?: |$)) *\d+|\d{{9,}})(?:\s+{NUM})*)")


def _are_fields(tokens, form):
    """bytes, time, error, repetitions, times per PE. form: of time and error."""
    return (len(tokens) >= 4 and tokens[0].isdecimal() and form.fullmatch(tokens[1]) and
            form.fullmatch(tokens[2]) and tokens[3].isdecimal() and
            all(map(NUMBER.fullmatch, tokens[4:])))


# A value in quotes: one that is not a word of ASCII.
_QUOTED = re.compile(r'\s*([A-Za-z_]\w*)= ("(?:[^"\\]|\\.)*")(?=\s)')
_WORD = re.compile(r"\s*([A-Za-z_]\w*)= (\S+)(?=\s)")


def _unquoted(line):
    """The variables at the start of a line in which a value is in quotes, and where what follows them begins; None:
    it has no such value, or the quotes are those of an older version."""
    variables, at, quoted = [], 0, False
    while found := _QUOTED.match(line, at) or _WORD.match(line, at):
        text = found[2]
        if text.startswith('"'):
            try:
                text = json.loads(text)
                quoted = True
            except ValueError:
                pass
        variables.append((found[1], text))
        at = found.end()
    return (variables, at) if quoted else None


def split_row(line):
    """([(name, text) of each variable], texts of the fields); None: not a result line. An inner loop may
    have the name of an outer one, so a name may occur twice."""
    if '"' in line and (start := _unquoted(line)):
        fields = line[start[1]:].split()
        if _are_fields(fields, NUMBER):
            return start[0], fields
    tokens = line.split()
    at = 0
    variables = []
    while at + 1 < len(tokens) and _ASSIGNED.fullmatch(tokens[at]):
        variables.append((tokens[at][:-1], tokens[at + 1]))
        at += 2
    if _are_fields(tokens[at:], _REAL):
        return variables, tokens[at:]

    # Values with blanks in them.
    names = list(_NAME.finditer(line))
    if names and line[:names[0].start()].strip():
        return None
    variables = [(name.group(1), line[name.end():after.start()].strip())
                 for name, after in zip(names, names[1:])]
    last = [names[-1].group(1)] if names else []
    rest = line[names[-1].end():] if names else line
    if names and rest.startswith(" ") and (empty := _LAYOUT.fullmatch(rest[1:].rstrip())) and not empty["value"]:
        return variables + [(last[0], "")], empty["fields"].split()  # as older versions print an empty text
    found = _LAYOUT.fullmatch(rest.rstrip())
    if found and bool(found["value"].strip()) == bool(names):
        return variables + [(name, found["value"].strip()) for name in last], found["fields"].split()
    # Not as wide as skampi prints it, but perhaps written by another program.
    tokens = rest.split()
    for first in range(1 if names else 0, len(tokens) - 3 if names else 1):
        if _are_fields(tokens[first:], NUMBER):
            return variables + [(name, " ".join(tokens[:first])) for name in last], tokens[first:]
    return None


# ---- Comments ----

BEGIN = re.compile(r'begin result "(.*)"')
DURATION = re.compile(rf"duration = ({NUM}) sec")
NODE = re.compile(r"node \d+: (.*?), (\d+) PEs?, (\d+) processors?, (.*), SMT (.*?), governor (.*), "
                  r"load (\S+)")
TIMER = re.compile(r"timer: (.*?), resolution (\S+) ns, cost (\S+) ns, (\S+) ticks per second, off "
                   r"CLOCK_MONOTONIC by (\S+) ppm, clock source (.*)")
STARTS = {"window": "window", "barrier": "barrier", "no": "none"}
_SHARE = rf"({NUM})(?: %)?"
ROUNDS = re.compile(rf"rounds: median ({NUM})(?: (ns|us|ms|s|bytes))?, {_SHARE} interval "
                    rf"\[({NUM}), ({NUM})\], {_SHARE} prediction interval "
                    rf"\[({NUM}), ({NUM})\], spread between rounds {_SHARE}, within rounds "
                    rf"{_SHARE}")
MEDIAN = re.compile(rf"({NUM})(?: (ns|us|ms|s|bytes))?, {_SHARE} interval "
                    rf"\[({NUM}), ({NUM})\]")
# Of the rounds in one state, which have no spreads.
STATE_ROUNDS = re.compile(rf"state (\d{{1,9}}): (\d{{1,18}}) rounds?, median ({NUM})(?: (ns|us|ms|s|bytes))?, "
                          rf"{_SHARE} interval \[({NUM}), ({NUM})\], {_SHARE} prediction interval "
                          rf"\[({NUM}), ({NUM})\]")
_SPAN = rf"(?:{NUM}) (?:ps|ns|us|ms|s)"
_CONTROL = rf"(?P<control>hand-over|addition):? (?P<value>{_SPAN})"
_BOUNDS = (rf"(?: \((?:below (?P<below>{_SPAN})|above (?P<above>{_SPAN})|"
           rf"(?P<low>{_SPAN}) to (?P<high>{_SPAN}))\))?")
_RANGE = re.compile(_CONTROL + _BOUNDS)
_ONE_CONTROL = re.compile(_CONTROL)


def _several(form):
    """Controls in this form one after another."""
    one = re.sub(r"\?P<\w+>", "?:", form)
    return rf"(?P<controls>{one}(?:, {one})*)"


_STATE = re.compile(r"state (?P<state>\d{1,9})(?: of PEs? (?P<members>[-\d,]+)| of (?P<pes>\d{1,18}) PEs?)?: "
                    rf"{_several(_CONTROL + _BOUNDS)}"
                    rf"(?:, (?P<share>{NUM}) % of the time)?(?P<new>, new)?(?P<earlier>, only in earlier runs)?")
_VALUE = rf"{NUM}(?: (?:ns|us|ms|s|bytes))?"
_CONTROLS = re.compile(_several(_CONTROL))
_PART = re.compile(rf"{_several(_CONTROL)}: (?P<valid>\d{{1,18}}) repetitions?, median "
                   rf"(?P<median>{_VALUE}), quartiles (?P<p25>{_VALUE}) to (?P<p75>{_VALUE})")
LEVEL = re.compile(rf"({NUM})(?: (ns|us|ms|s|bytes))? ({NUM}) %")
# Takes the place of a result and makes the exit status 3.
INCOMPLETE = ("failed", "unsupported", "not measurable", "too large")
# One line for many: how many.
MORE = re.compile(r"(\d{1,18}) measurements? more of this block\b")


def instant(text):
    """ISO 8601, without an offset from UTC where an old file does not state it; None: no such date."""
    for form in (TIME_FORMAT + " %z", TIME_FORMAT):
        try:
            return datetime.datetime.strptime(" ".join(text.split()), form).isoformat()
        except ValueError:
            continue
    return None


def unit_of(text):
    """Reported units per second of "ns" or of "1/N s"; None: no unit."""
    if text in UNITS:
        return UNITS[text]
    found = re.fullmatch(r"1/(\S+) s", text)
    try:
        return float(found.group(1)) if found and 0 < float(found.group(1)) < math.inf else None
    except ValueError:
        return None


def span(text):
    """The seconds of such a text; None: not known."""
    value, unit = text.split()
    return per(value, SHORT_UNITS[unit])


def _by_name(found):
    return found["control"].replace("-", "_")


def _values_of(text):
    """{control: seconds} of "hand-over 61 ns, addition 285 ps"; in any form that _CONTROL has."""
    return {_by_name(found): span(found["value"]) for found in _ONE_CONTROL.finditer(text)}


def controls_of(text):
    """The controls of a result, by name; None: the text says something else."""
    return _values_of(text) if _CONTROLS.fullmatch(text) else None


def _ranges_of(text):
    """The controls of a state, as in its record."""
    ranges = {}
    for found in _RANGE.finditer(text):
        low, high = found["low"] or found["above"], found["high"] or found["below"]
        ranges[_by_name(found)] = {"value": span(found["value"]), "low": low and span(low),
                                   "high": high and span(high)}
    return ranges


def state_of(text):
    """The record of a state of the run; None: the text says something else."""
    found = _STATE.fullmatch(text)
    if not found:
        return None
    text = found.groupdict()
    share = 0 if text["earlier"] else text["share"] and per(text["share"], 100)
    return {"record": "state", "state": int(text["state"]), "members": text["members"] or "",
            "pes": int(text["pes"]) if text["pes"] else _count_members(text["members"]),
            **_ranges_of(text["controls"]), "share": share, "known": False, "new": bool(text["new"])}


def _count_members(text):
    """How many PEs "0-3,8" are; None: the text does not say."""
    ranges = [part.split("-") for part in (text or "").split(",")]
    if not all(1 <= len(ends) <= 2 and all(re.fullmatch(r"\d{1,18}", end) for end in ends) for ends in ranges):
        return None
    return sum(abs(int(ends[-1]) - int(ends[0])) + 1 for ends in ranges)


def part_of(text):
    """The record of a part of a result, its values as texts: numbers, with a unit if that has a name. None: the
    text says something else."""
    found = _PART.fullmatch(text)
    return found and {**_values_of(found["controls"]), "valid": int(found["valid"]),
                      **{name: found[name] for name in ("median", "p25", "p75")}}


def value_in(text, unit):
    """The number of such a text, in seconds or bytes. unit: reported units per second, where it names none."""
    value, _, name = text.partition(" ")
    return per(value, UNITS.get(name, 1.0) if name else unit)


def columns_of(text):
    """[(name, number, unit)] as texts, of what follows "columns: "; None: damaged. A unit is "" where the unit of
    results has no name, and for what has none."""
    found = [re.fullmatch(rf"(\w+)= ({NUM})(?: (\S+))?", part) for part in text.split(", ")]
    return None if None in found else [(one[1], one[2], one[3] or "") for one in found]


def column_value(name, text, unit, row_unit):
    """The number of such a column, as in a record. row_unit: of results, where it names none."""
    if unit in RATES.values():
        value = number(text)
        return None if value is None else value * MEGA
    if name in VALUES:
        return value_in(f"{text} {unit}".strip(), row_unit)
    return int(text) if _WHOLE.fullmatch(text) else number(text)


def counters_of(text):
    """{name: most of any PE, mean of PEs} of what follows "counters: "; None: damaged."""
    most, _, mean = text.partition(COUNTERS_END)
    pairs, means = re.findall(rf"(\S+)= ({NUM})", most), mean.split()
    if not pairs or len(means) != len(pairs) or not all(map(NUMBER.fullmatch, means)):
        return None
    return {name: {"most": number(value), "mean": number(other)} for (name, value), other in zip(pairs, means)}


# ---- What notes say that JSON has in members ----

_SUBTRACTED = re.compile(rf"subtracted: (.+), ({NUM} [pnum]?s) \((?:({NUM}) % of|more than) the result\)")
_ARRIVAL = re.compile(rf'arrival skew: "(one|linear)", ({NUM}) s;.*')
_NOT_COLD = re.compile(r"not everything is cold: (\d{1,18}) operations of an iteration share fresh memory for only (\d{1,18})")


def said_of(note):
    """The members of a result of which a note tells people."""
    if found := _SUBTRACTED.fullmatch(note):
        return {"subtracted": found[1], "subtracted_time": span(found[2]),
                "subtracted_share": per(found[3], 100) if found[3] else None}
    if found := _ARRIVAL.fullmatch(note):
        return {"arrival": found[1], "arrival_skew": number(found[2])}
    if found := _NOT_COLD.fullmatch(note):
        return {"not_cold": int(found[1]) - int(found[2])}
    return {}
