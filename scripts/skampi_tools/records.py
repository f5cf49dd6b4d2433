"""Members of records: lists of them, the types that results.schema.json asks for, which readers check before anyone
works with what they read; and how many records are kept in little memory."""

import functools
import json
import marshal
import os
import struct
import sys
from collections.abc import Mapping

SCHEMA_VERSION = 1

_HERE = os.path.dirname(os.path.realpath(__file__))
with open(os.path.join(_HERE, os.pardir, "results.schema.json"), encoding="utf-8") as _file:
    _SCHEMA = json.load(_file)
_DEFINITIONS = _SCHEMA["definitions"]
_TYPES = {"number": (int, float), "integer": (int,), "string": (str,), "boolean": (bool,), "null": (type(None),)}
# Members of objects inside records without which readers cannot use them; older versions may lack the others.
_NEEDED_INSIDE = frozenset("value share most mean addition valid median state rounds".split())


def _named(properties, *wanted):
    """Names of the members whose type is one of these."""
    return [name for name, own in properties.items() if own.get("$ref", own.get("type")) in wanted]


_OF_POINTS = {name: own for kind in ("point", "result", "rounds") for name, own in _DEFINITIONS[kind]["properties"].items()}
# Members of result and rounds records that hold one value each, in the schema's order; of a point in one state.
NUMBERS = _named(_OF_POINTS, "#/definitions/number")
COUNTS = _named(_OF_POINTS, "#/definitions/count", "integer")
STATE_NUMBERS = _named(_OF_POINTS["states"]["items"]["properties"], "#/definitions/number")
# Of NUMBERS: what was measured, in seconds or bytes; further times; amounts per second.
VALUES = ("time standard_error error time_low time_high mean deviation median median_low median_high min max p5 p25 "
          "p75 p95 p99 p999 next_low next_high").split()
SECONDS = "at window hand_over hand_over_slowest hand_over_shared addition copy".split()
RATES = {"bandwidth": "MB/s", "bus_bandwidth": "MB/s", "rate": "M/s"}
ROUNDS_BLOCK = " (rounds)"  # ends the names of blocks that only have rounds records, in .sko


def _types_of(schema):
    """The types that a part of the schema allows; None: it says more than types."""
    if "enum" in schema or "const" in schema:  # later versions may have more words
        return frozenset(map(type, schema.get("enum", [schema.get("const")])))
    names = schema.get("type", ())
    names = [names] if isinstance(names, str) else names
    return None if not set(names) <= set(_TYPES) or not names or "minimum" in schema else frozenset(
        type_ for name in names for type_ in _TYPES[name])


def _check_of(schema):
    """A set of types, or a function that says whether a value is what a part of the schema asks for. Members that the
    schema does not know are let through."""
    while "$ref" in schema:
        names = schema["$ref"].removeprefix("#/").split("/")
        schema = functools.reduce(dict.__getitem__, names, _SCHEMA)
    if types := _types_of(schema):
        return types
    if "anyOf" in schema:
        checks = list(map(_check_of, schema["anyOf"]))
        return lambda value: any(_is_good(check, value) for check in checks)
    if schema["type"] == "integer":
        return lambda value: type(value) is int and value >= 0
    if schema["type"] == "array":
        check = _check_of(schema["items"])
        if isinstance(check, frozenset):
            return lambda value: type(value) is list and check.issuperset(map(type, value))
        return lambda value: type(value) is list and all(map(check, value))
    members = {name: _check_of(own) for name, own in schema.get("properties", {}).items()}
    needed = _NEEDED_INSIDE.intersection(schema.get("required", ()))
    others = schema.get("additionalProperties")
    other = _check_of(others) if others else None
    return lambda value: (type(value) is dict and needed.issubset(value) and all(
        (other is None or _is_good(other, entry)) if name not in members else _is_good(members[name], entry)
        for name, entry in value.items()))


def _is_good(check, value):
    return type(value) in check if isinstance(check, frozenset) else check(value)


def _members_of(*kinds):
    return {name: _check_of(own) for kind in kinds for name, own in _DEFINITIONS[kind]["properties"].items()
            if (kind, name) != ("header", "schema")}  # which is read first


_POINT = _members_of("rounds", "result", "point")
_BLOCK = _members_of("block", "block_end")
_CHECKS = {kind: _members_of(kind) for kind in "header missing factor factors state controls comment print end".split()}
for _checks, _kinds in ((_POINT, ("result", "rounds")), (_BLOCK, ("block", "block_end"))):
    _CHECKS.update(dict.fromkeys(_kinds, {**_checks, "record": frozenset((str,))}))
# Without which nothing can be done with a record.
_NEEDED = {
    "header": ["schema"], "block": ["block"], "block_end": ["block"], "result": ["block"],
    "rounds": ["block"], "missing": ["kind", "call"], "comment": ["text"], "print": ["text"],
    "factor": ["factor", "levels", "adjusted", "named"], "factors": ["findings", "untried"],
    "state": ["state", "addition"], "controls": ["at"], "end": ["status"],
}


def what_is_wrong(record):
    """A few words, or None for a record that has what is needed and nothing of a wrong type."""
    kind = record["record"]
    checks = _CHECKS.get(kind, {})
    for name, value in record.items():
        check = checks.get(name)
        if check is not None and not (type(value) in check if type(check) is frozenset else check(value)):
            return f"its {name} has a value of the wrong kind (docs/results.md)"
    for name in _NEEDED.get(kind, ()):
        if name not in record:
            return f"a {kind} record without {name}"
    return None


# ---- Kept in little memory ----


_NUMBERS = {float: struct.Struct("=d"), int: struct.Struct("=q")}


class Record(Mapping):
    """A record as its values, and their places, which it shares with others: a sixth of a dict. Its lists and dicts are
    made anew each time."""

    __slots__ = ("_places", "_values", "_numbers")

    def __init__(self, places, values, numbers):
        """places: {name: (place in the values, None) or (place in the numbers, which are bytes, its Struct)}"""
        self._places, self._values, self._numbers = places, values, numbers

    def __getitem__(self, name):
        place, number = self._places[name]
        if number:
            return number.unpack_from(self._numbers, place)[0]
        value = self._values[place]
        return marshal.loads(value) if type(value) is bytes else value

    def get(self, name, default=None):
        return self[name] if name in self._places else default

    def __contains__(self, name):
        return name in self._places

    def __iter__(self):
        return iter(self._places)

    def __len__(self):
        return len(self._places)


class Keeper:
    """Makes Records of the dicts of one or several files. What many of them have in common is kept once: names, texts, sets of
    PEs, and, as results of a point are alike in several launches and rounds, all that is no number. Numbers are bytes, which
    take a quarter of what objects take; so are lists and dicts."""

    MOST = 10_000  # lists and dicts that are kept in case they come again

    def __init__(self, without=()):
        """without: names of members that are not kept."""
        self._shapes, self._values, self._seen, self._without = {}, {}, {}, without

    def record(self, members):
        if self._without:
            members = {name: value for name, value in members.items() if name not in self._without}
        shape = (*members, *map(type, members.values()))
        if shape not in self._shapes:
            # {name: its place in Records}, and the Struct of all numbers.
            places, others, format = {}, 0, "="
            for name, value in members.items():
                number = _NUMBERS.get(type(value))
                places[sys.intern(name)] = (struct.calcsize(format), number) if number else (others, None)
                others += not number
                format += number.format[1:] if number else ""
            self._shapes[shape] = places, struct.Struct(format)
        places, format = self._shapes[shape]
        values = tuple([self._kept(value) for value in members.values() if type(value) not in _NUMBERS])
        try:
            numbers = format.pack(*[value for value in members.values() if type(value) in _NUMBERS])
        except struct.error:  # an integer that no program in C could hold
            return members
        return Record(places, self._values.setdefault(values, values), numbers)


    def _kept(self, value):
        if type(value) is str:
            return sys.intern(value)
        if type(value) not in (dict, list):
            return value
        small = marshal.dumps(value, 2)
        return self._seen.setdefault(small, small) if len(self._seen) < self.MOST else self._seen.get(small, small)
