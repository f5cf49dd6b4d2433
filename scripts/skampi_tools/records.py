"""Which members the records of results.schema.json have, and of which types: what readers check
before anyone works with what they read; and how many records are kept in little memory."""

import marshal
import sys
from collections.abc import Mapping

SCHEMA_VERSION = 1

# Members of result and rounds records that hold one value each, in the schema's order.
NUMBERS = ("bytes at time standard_error error time_low time_high time_confidence mean deviation "
           "median median_low median_high bandwidth bus_bandwidth rate confidence min max p5 p25 p75 p95 p99 p999 "
           "autocorrelation effective window hand_over hand_over_slowest hand_over_shared addition copy unit reached "
           "next_low next_high between within launch_difference").split()
CONTROLS = "hand_over hand_over_slowest hand_over_shared addition copy".split()
# Of a point over rounds in one state, in the order of CSV.
STATE_NUMBERS = "median median_low median_high reached next_low next_high between".split()
# Of them: what was measured, in seconds or bytes; further times; amounts per second.
VALUES = ("time standard_error error time_low time_high mean deviation median median_low median_high min max p5 p25 "
          "p75 p95 p99 p999 next_low next_high").split()
SECONDS = "at window hand_over hand_over_slowest hand_over_shared addition copy".split()
RATES = {"bandwidth": "MB/s", "bus_bandwidth": "MB/s", "rate": "M/s"}
COUNTS = "number round kept valid invalid late overruns warm_up iterations repeated rounds".split()
TEXTS = "point block function call quantity synchronization window_rule run_time buffers cache".split()

_NUMBER = frozenset((int, float, type(None)))
_COUNT = frozenset((int,))
_TEXT = frozenset((str,))
_TEXT_OR_NONE = frozenset((str, type(None)))
_SCALAR = frozenset((int, float, str, type(None)))
_FLAG = frozenset((bool,))


def _list_of(check):
    return lambda value: type(value) is list and all(check(entry) for entry in value)


def _map_of(check):
    return lambda value: type(value) is dict and all(check(entry) for entry in value.values())


def _object(required=(), **members):
    """Members that are there have the right type; what is unknown is let through."""
    return lambda value: (type(value) is dict and all(name in value for name in required) and
                          all(name not in value or check(value[name])
                              for name, check in members.items()))


def _is(types):
    return lambda value: type(value) in types


_number, _text, _scalar, _flag = _is(_NUMBER), _is(_TEXT), _is(_SCALAR), _is(_FLAG)


def _count(value):
    return type(value) is int and value >= 0


def _count_or_none(value):
    return value is None or _count(value)


def _numbers(value):
    return type(value) is list and _NUMBER.issuperset(map(type, value))


def _whole_numbers(value):
    return type(value) is list and _COUNT.issuperset(map(type, value))


_POINT = {
    **{name: _NUMBER for name in NUMBERS}, **{name: _count for name in COUNTS},
    **{name: _TEXT for name in TEXTS},
    "arguments": _map_of(_object(["value"], unit=_text,
                                 value=lambda value: _scalar(value) or _whole_numbers(value))),
    "variables": _map_of(_scalar),
    "pe_set": _object(size=_count_or_none, members=_text, placement=_text),
    "settings": _list_of(_text), "flags": _list_of(_text), "notes": _list_of(_text),
    "levels": _list_of(_object(["value", "share"], value=_number, share=_number)),
    "counters": _map_of(_object(["most", "mean"], most=_number, mean=_number)),
    "per_pe": _numbers, "samples": _numbers, "medians": _numbers,
    "parts": _list_of(_object(["addition", "valid", "median"], hand_over=_number, addition=_number, valid=_count,
                              median=_number, p25=_number, p75=_number)),
    "states": _list_of(_object(["state", "rounds", "median"], state=_count, rounds=_count,
                               **{name: _number for name in STATE_NUMBERS})),
    "round_states": _list_of(_count),
}
_RANGE = _object(["value"], value=_number, low=_number, high=_number)
_BLOCK = {"block": _TEXT, "number": _count, "source": _TEXT, "duration": _NUMBER,
          "late_starts": _count, "overruns": _count, "window_changes": _count}

_MEMBERS = {
    "header": {
        "program": _TEXT, "version": _TEXT, "started": _TEXT, "command_line": _TEXT,
        "library": _TEXT, "pes": _count,
        "script": _object(name=_text, checksum=_text),
        "nodes": _list_of(_object(name=_text, pes=_count, processors=_count, cpu=_text, smt=_text,
                                  governor=_text, load=_number)),
        "binding": _object(bound=_count, pes=_count),
        "locations": _list_of(_object(["pes", "node", "bound", "processors"], pes=_text, node=_count, package=_count,
                                      numa_node=_count, l3=_count, bound=_flag, processors=_text, ran_on=_text,
                                      pes_per_core=_count, pes_per_l2=_count)),
        "environment": _map_of(_text),
        "choices": _map_of(_text),
        "timer": _object(name=_text, resolution=_number, cost=_number, ticks_per_second=_number,
                         disagreement=_number, clock_source=_text),
        "warnings": _list_of(_text), "notes": _list_of(_text),
        "rounds": _object(rounds=_count, seconds=_number, seed=_text, time_limit=_number),
        "controls": _object(on=_flag, state=_text, known=_list_of(_text), launch_difference=_number),
    },
    "block": _BLOCK, "block_end": _BLOCK,
    "result": _POINT, "rounds": _POINT,
    "missing": {"kind": _TEXT, "point": _TEXT, "block": _TEXT, "number": _count, "call": _TEXT,
                "variables": _map_of(_scalar), "reason": _TEXT, "points": _count},
    "state": {"state": _count, "members": _TEXT_OR_NONE, "pes": _count_or_none,
              "hand_over": _RANGE, "addition": _RANGE,
              "share": _NUMBER, "seconds": _NUMBER, "known": _FLAG, "new": _FLAG},
    "controls": {"members": _TEXT_OR_NONE, "pes": _count_or_none, "at": _numbers,
                 **{name: _numbers for name in CONTROLS}},
    "comment": {"text": _TEXT}, "print": {"text": _TEXT},
    "end": {"status": frozenset((int, type(None))), "finished": _TEXT, "duration": _NUMBER,
            "timed": _NUMBER, "results": _count, "missing": _count_or_none,
            "missing_at_least": _count, "reason": _TEXT,
            "library_end": _numbers},
}
# Without which nothing can be done with a record.
_NEEDED = {
    "header": ["schema"], "block": ["block"], "block_end": ["block"], "result": ["block"],
    "rounds": ["block"], "missing": ["kind", "call"], "comment": ["text"], "print": ["text"],
    "state": ["state", "addition"], "controls": ["at"], "end": ["status"],
}

_TYPES = {kind: {name: check for name, check in members.items() if isinstance(check, frozenset)}
          for kind, members in _MEMBERS.items()}
_CHECKS = {kind: {name: check for name, check in members.items() if name not in _TYPES[kind]}
           for kind, members in _MEMBERS.items()}


def what_is_wrong(record):
    """A few words, or None for a record that has what is needed and nothing of a wrong type."""
    kind = record["record"]
    types, checks = _TYPES.get(kind, {}), _CHECKS.get(kind, {})
    for name, value in record.items():
        if name in types:
            good = type(value) in types[name]
        else:
            good = name not in checks or checks[name](value)
        if not good:
            return f"its {name} has a value of the wrong kind (docs/results.md)"
    for name in _NEEDED.get(kind, ()):
        if name not in record:
            return f"a {kind} record without {name}"
    return None



# ---- Kept in little memory ----


class Record(Mapping):
    """A record as its values, and names that it shares with others: a quarter of a dict."""

    __slots__ = ("_places", "_values")

    def __init__(self, places, values):
        self._places, self._values = places, values

    def __getitem__(self, name):
        return self._values[self._places[name]]

    def __setitem__(self, name, value):
        members = {**self, name: value}
        if name not in self._places:
            self._places = {own: place for place, own in enumerate(members)}
        self._values = tuple(members.values())

    def get(self, name, default=None):
        place = self._places.get(name)
        return default if place is None else self._values[place]

    def __contains__(self, name):
        return name in self._places

    def __iter__(self):
        return iter(self._places)

    def __len__(self):
        return len(self._values)


class Keeper:
    """Makes Records of the dicts of one file. What many of them have in common, as names, texts and sets of PEs, is
    kept once."""

    MOST = 10_000  # things that are kept in case they come again

    def __init__(self):
        self._places, self._seen = {}, {}

    def record(self, members):
        names = tuple(members)
        places = self._places.get(names)
        if places is None:
            names = tuple(map(sys.intern, names))
            places = self._places[names] = {name: place for place, name in enumerate(names)}
        return Record(places, tuple([self._once(value) if type(value) in (str, dict, list) else value
                                     for value in members.values()]))

    def _once(self, value):
        key = value if type(value) is str else marshal.dumps(value, 2)  # tells 1 from 1.0
        return self._seen.setdefault(key, value) if len(self._seen) < self.MOST else self._seen.get(key, value)
