"""JSON with the places of its members, for messages about what a file says."""

import json
import re

from ..cli import Error, read_json

_SPACE = re.compile(r"[ \t\r\n]*")


def _skip(text, at):
    return _SPACE.match(text, at).end()


def _walk(text, at, path, found):
    """Notes where the value at this place, and all in it, begin. Returns the place behind it. The text is valid JSON."""
    at = _skip(text, at)
    found[path] = at
    if text[at] not in "{[":
        return json.JSONDecoder().raw_decode(text, at)[1]
    closing, is_object, number = "}" if text[at] == "{" else "]", text[at] == "{", 0
    at = _skip(text, at + 1)
    while text[at] != closing:
        key, begin = number, at
        if is_object:
            key, at = json.JSONDecoder().raw_decode(text, at)
            at = _skip(text, at) + 1
        at = _skip(text, _walk(text, at, (*path, key), found))
        if is_object:
            found[(*path, key)] = begin
        at = _skip(text, at + 1) if text[at] == "," else at
        number += 1
    return at + 1


class Placed:
    """A JSON file whose values know where they are: document.value is all of it, document.error(path, text) an Error that
    names line and column of the value at the path, such as ("choices", 0, "name")."""

    def __init__(self, path):
        self.path, self.value = path, read_json(path)
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        self.places = {}
        _walk(self.text, 0, (), self.places)

    def error(self, path, text):
        before = self.text[:self.places.get(tuple(path), 0)]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        return Error(f"{self.path}:{line}:{column}: {text}")
