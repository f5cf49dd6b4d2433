"""What may be set, and the candidates: read from JSON, a file of the user's or a ready set (docs/tune.md).

    for choice in read(["openmpi"], pes=4):
        print(choice.name, [candidate.text for candidate in choice.candidates])
"""

import difflib
import fnmatch
import itertools
import json
import os
import re
from dataclasses import dataclass, field

from ..cli import Error
from . import mpich, openmpi
from .places import Placed

VERSION = 1
SETS = os.path.join(os.path.dirname(os.path.realpath(__file__)), "sets")
KINDS = ("mca", "environment", "set")
LIBRARIES = {"openmpi": openmpi, "mpich": mpich}
FORMS = ("", "_Barrier", "_Consecutive", "_In_Place", "_Under_Load")   # of functions that measure a blocking collective
MOST_VALUES = 1000
MOST_CANDIDATES = 500


@dataclass(frozen=True)
class Candidate:
    """Values of variables, tried together; without any: the default."""
    choice: str
    number: int              # in its choice, from 1; 0: the default
    values: tuple = ()       # (kind, name, value as text)
    text: str = "default"    # for people

    @property
    def name(self):
        """Of its configuration in the campaign of the search."""
        return f"{self.choice}-{self.number}" if self.number else "default"

    def environment(self):
        """Its variables, and those without which a library does not heed them."""
        own = {openmpi.PREFIX * (kind == "mca") + name: value for kind, name, value in self.values if kind != "set"}
        return {**openmpi.switches(own), **mpich.switches(own), **own}

    def set(self):
        return [f"{name}={value}" for kind, name, value in self.values if kind == "set"]

    def row(self, choice):
        """Of a table of rules."""
        return choice.library.row(choice.rules, _ruled(choice, self.values))


@dataclass
class Choice:
    """One thing to choose. rules: the collective whose choice a rules file of the library makes by PEs and size; None: it
    is made once for all points."""
    name: str
    functions: list
    rules: str = None
    library: object = openmpi
    candidates: list = field(default_factory=list)

    @property
    def default(self):
        return Candidate(self.name, 0)

    def concerns(self, function):
        return any(fnmatch.fnmatchcase(function, pattern) for pattern in self.functions)


def _ruled(choice, values):
    """Of all that a rule may say, the value or None."""
    return [next((value for *own, value in values if tuple(own) == variable), None)
            for variable in choice.library.variables(choice.rules)]


def sets():
    return sorted(name[:-len(".json")] for name in os.listdir(SETS) if name.endswith(".json"))


def read(names, pes):
    """[Choice] of files and ready sets, by their names."""
    found = []
    for name in names:
        if name not in sets() and not os.path.exists(name):
            raise Error(f"{name}: neither a file nor one of the ready sets: {', '.join(sets())}")
        document = Placed(os.path.join(SETS, f"{name}.json") if name in sets() else name)
        for choice in _Reader(document, pes).choices():
            if any(choice.name == other.name for other in found):
                raise document.error(("choices",), f"choice {choice.name}: there are two of that name: give only one of these sets and files")
            if choice.rules and any(other.rules and other.library != choice.library for other in found):
                raise document.error(("library",), "only one library can have rules")
            found.append(choice)
    return found


class _Reader:
    def __init__(self, document, pes):
        self.document, self.pes = document, pes

    def refuse(self, path, text):
        raise self.document.error(path, text)

    def object(self, value, path, needed, further=()):
        """Refuses what is no object with these members."""
        if not isinstance(value, dict):
            self.refuse(path, f"give an object with {', '.join(needed)}")
        known = [*needed, *further]
        for key in value:
            if key not in known:
                close = difflib.get_close_matches(key, known, 1)
                self.refuse((*path, key), f"{key}: unknown; " + (f"did you mean {close[0]}?" if close else
                                                                 f"there are {', '.join(known)}"))
        for key in needed:
            if key not in value:
                self.refuse(path, f"{key} is missing")
        return value

    def list(self, value, path, what):
        if not isinstance(value, list) or not value:
            self.refuse(path, f"give a list of {what} that is not empty")
        return list(enumerate(value))

    def choices(self):
        top = self.object(self.document.value, (), ("tune", "choices"), ("library",))
        if top["tune"] != VERSION:
            self.refuse(("tune",), f"layout {json.dumps(top['tune'])}, but this skampi knows {VERSION}")
        self.library = LIBRARIES.get(top.get("library", "openmpi")) or \
            self.refuse(("library",), f"give {' or '.join(LIBRARIES)}")
        return [self.choice(entry, ("choices", number))
                for number, entry in self.list(top["choices"], ("choices",), "choices")]

    def choice(self, entry, path):
        self.object(entry, path, ("name", "try"), ("functions", "rules"))
        name, rules = entry["name"], entry.get("rules")
        if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,39}", name) or name == "default":
            self.refuse((*path, "name"), "give a name of at most 40 letters, digits and _, other than default")
        if rules is not None and rules not in self.library.COLLECTIVES:
            self.refuse((*path, "rules"), f"{json.dumps(rules)}: give {', '.join(self.library.COLLECTIVES)}")
        usual = [rules.capitalize() + form for form in FORMS] if rules else ["*"]
        patterns = self.list(entry.get("functions", usual), (*path, "functions"), "names of functions")
        for number, pattern in patterns:
            if not isinstance(pattern, str):
                self.refuse((*path, "functions", number), "give the name of a function, which may have * and ?")
        choice = Choice(name, [pattern for _, pattern in patterns], rules, self.library)
        values = dict.fromkeys(combined for number, tried in self.list(entry["try"], (*path, "try"), "objects")
                               for combined in self.tried(tried, (*path, "try", number), rules))
        if len(values) > MOST_CANDIDATES:
            self.refuse((*path, "try"), f"{len(values)} candidates, more than {MOST_CANDIDATES}")
        choice.candidates = [Candidate(name, number, combined, _text(choice, combined))
                             for number, combined in enumerate(values, 1)]
        return choice

    def tried(self, entry, path, rules):
        """All combinations of the values of an object's variables."""
        self.object(entry, path, (), KINDS)
        variables, ruled = [], self.library.variables(rules) if rules else []
        for kind in KINDS:
            own = entry.get(kind, {})
            if not isinstance(own, dict):
                self.refuse((*path, kind), "give an object: names of variables, and their values")
            for name, given in own.items():
                here = (*path, kind, name)
                if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
                    self.refuse(here, f"{name}: not the name of a variable")
                if rules and (kind, name) not in ruled:
                    self.refuse(here, f"{name}: rules of {rules} choose only {', '.join(own for _, own in ruled)}")
                variables.append([(kind, name, value) for value in self.values(kind, name, given, here)])
        if not variables:
            self.refuse(path, f"give variables in {', '.join(KINDS)}")
        if rules and ruled[0][1] not in entry.get(ruled[0][0], {}):
            self.refuse(path, f"give {ruled[0][1]}: a rule names an algorithm")
        return itertools.product(*variables)

    def values(self, kind, name, given, path):
        """Texts."""
        if given == "all":
            if kind == "set":
                self.refuse(path, "\"all\" is only for what the library says the values of")
            return self.library.values_of(name, self.pes) or self.refuse(path, f"{name}: the library lists no values: give a list")
        if isinstance(given, dict):
            return [_number_text(value) for value in self.range(given, path)]
        texts = []
        for number, value in self.list(given, path, "values, a range, or \"all\""):
            if isinstance(value, bool) or not isinstance(value, (str, int, float)):
                self.refuse((*path, number), "give a text or a number")
            texts.append(value if isinstance(value, str) else _number_text(value))
        return texts

    def range(self, given, path):
        self.object(given, path, ("from", "to"), ("times", "plus"))
        numbers = {key: value for key, value in given.items()}
        for key, value in numbers.items():
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                self.refuse((*path, key), "give a number")
        times, plus, value = numbers.get("times", 1), numbers.get("plus", 0), numbers["from"]
        if ("times" in numbers) == ("plus" in numbers) or times < 1 or plus < 0 or (times == 1 and plus == 0) or \
                ("times" in numbers and value <= 0):
            self.refuse(path, "give times, more than 1 and from a number above 0, or plus, more than 0")
        found = []
        while value <= numbers["to"]:
            found.append(value)
            value = value * times + plus
            if len(found) > MOST_VALUES:
                self.refuse(path, f"more than {MOST_VALUES} values")
        return found or self.refuse(path, "from is above to")


def _number_text(value):
    return str(int(value)) if value == int(value) else repr(value)


def _text(choice, values):
    """For people."""
    if choice.rules:
        return choice.library.describe(_ruled(choice, values))
    return ", ".join(f"{name}={value}" for _, name, value in values)
