"""JSON that users write, such as campaigns, rules and figures: values that know their names and places, for what is refused.

    top = read("my.json")                             # or of(members, "options"), whose values have no places
    members = top.members(("script",), ("pes",))      # {name: Value}
    pes = members["pes"].whole(1, 100)                # my.json:3:10: pes: give a whole number from 1 to 100, not 0
"""

import difflib
import json
import math
import re

from . import cli
from .cli import Error

_SPACE = re.compile(r"[ \t\r\n]*")
_LONGEST = 60  # characters of a value that messages repeat


class _Document:
    def __init__(self, path, text):
        self.path, self.text, self.places = path, text, {}

    def error(self, path, text):
        before = self.text[:self.places.get(path, 0)]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        return Error(f"{self.path}:{line}:{column}: {text}")

    def skip(self, at):
        return _SPACE.match(self.text, at).end()

    def walk(self, at, path):
        """Notes where the value at this place, which is valid JSON, and all in it begin; members where their names do. Returns
        the place after it."""
        text, at = self.text, self.skip(at)
        self.places.setdefault(path, at)
        if text[at] not in "{[":
            return json.JSONDecoder().raw_decode(text, at)[1]
        is_object, number = text[at] == "{", 0
        at = self.skip(at + 1)
        while text[at] not in "}]":
            key = number
            if is_object:
                begin = at
                key, at = json.JSONDecoder().raw_decode(text, at)
                twice = (*path, key) in self.places
                self.places[(*path, key)] = begin
                if twice:
                    raise self.error((*path, key), f"{_name((*path, key))}: is given twice")
                at = self.skip(at) + 1
            at = self.skip(self.walk(at, (*path, key)))
            at = self.skip(at + 1) if text[at] == "," else at
            number += 1
        return at + 1


class _Options:
    """What was not read from a file."""

    def __init__(self, where):
        self.where = where

    def error(self, _, text):
        return Error(f"{self.where}: {text}")


def _name(path, above=""):
    """("panels", 0, "kind") is panels[0].kind. above: the name of what it is in."""
    return (above + "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)).lstrip(".")


class Value:
    """.content: as json reads it. .name: in messages; may be set to what users know the value by."""

    def __init__(self, document, path, content, name):
        self.document, self.path, self.content, self.name = document, path, content, name

    def refuse(self, text):
        raise self.document.error(self.path, f"{self.name}: {text}" if self.name else text)

    def must(self, good, wanted):
        """The content, if it is good."""
        if not good:
            self.refuse(f"give {wanted}, not {json.dumps(self.content, ensure_ascii=False):.{_LONGEST}}")
        return self.content

    def _of(self, key):
        return Value(self.document, (*self.path, key), self.content[key], _name((key,), self.name))

    def members(self, needed=(), further=None):
        """{name: Value} of an object that has all needed members. further: others that it may have; None: any."""
        if not isinstance(self.content, dict):
            self.refuse("give an object" + (f" with {', '.join(needed)}" if needed else ""))
        found = {key: self._of(key) for key in self.content}
        known = [*needed, *(further or ())]
        for key, value in found.items():
            if further is not None and key not in known:
                close = difflib.get_close_matches(key, known, 1)
                value.refuse("unknown; " + (f"did you mean {close[0]}?" if close else f"there are {', '.join(known)}"))
        for key in needed:
            if key not in found:
                self.refuse(f"{key} is missing")
        return found

    def entries(self, what, empty=False):
        """[Value] of a list. what: its entries are, in words."""
        if not isinstance(self.content, list) or not (self.content or empty):
            self.refuse(f"give a list of {what}{'' if empty else ' that is not empty'}")
        return [self._of(number) for number in range(len(self.content))]

    def text(self, empty=False):
        good = isinstance(self.content, str) and (empty or self.content) and "\0" not in self.content
        return self.must(good, "a text" if empty else "a text that is not empty")

    def texts(self):
        return [entry.text() for entry in self.entries("texts", empty=True)]

    def number(self, least=-math.inf, most=math.inf):
        bounds = f" from {least} to {most}" if most < math.inf else ""
        return self.must(is_number(self.content) and least <= self.content <= most, f"a number{bounds}")

    def whole(self, least, most=math.inf):
        good = is_whole(self.content) and least <= self.content <= most
        return self.must(good, f"a whole number from {least}" + (f" to {most}" if most < math.inf else ""))

    def one_of(self, choices):
        return self.must(isinstance(self.content, str) and self.content in choices, " or ".join(choices))


def is_whole(value):
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def read(path):
    """The Value of all that a file ("-": standard input) holds."""
    content, text = cli.read_json_text(path)
    document = _Document(path, text)
    try:
        document.walk(0, ())
    except RecursionError:
        raise Error(f"{path}: nested too deeply") from None
    return Value(document, (), content, "")


def of(content, where):
    """The same of what options gave. where: what messages begin with."""
    return Value(_Options(where), (), content, "")
