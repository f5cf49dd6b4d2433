"""What may be set, and the candidates: read from JSON, a file of the user's or a ready set (docs/tune.md).

    for choice in read(["openmpi"], pes=4):
        print(choice.name, [candidate.text for candidate in choice.candidates])
"""

import fnmatch
import itertools
import json
import os
import re
from dataclasses import dataclass, field

from .. import users_json
from ..cli import Error
from . import mpich, openmpi

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
        top = users_json.read(os.path.join(SETS, f"{name}.json") if name in sets() else name)
        members = top.members(("tune", "choices"), ("library",))
        version = members["tune"]
        if version.content != VERSION:
            version.refuse(f"layout {json.dumps(version.content)}, but this skampi knows {VERSION}")
        library = LIBRARIES[members["library"].one_of(LIBRARIES)] if "library" in members else openmpi
        for choice in [_choice(entry, library, pes) for entry in members["choices"].entries("choices")]:
            if any(choice.name == other.name for other in found):
                members["choices"].refuse(f"choice {choice.name}: there are two of that name: give only one of these sets and files")
            if choice.rules and any(other.rules and other.library != choice.library for other in found):
                members.get("library", top).refuse("only one library can have rules")
            found.append(choice)
    return found


def _choice(entry, library, pes):
    own = entry.members(("name", "try"), ("functions", "rules"))
    name, rules = own["name"].content, own["rules"].one_of(library.COLLECTIVES) if "rules" in own else None
    own["name"].must(isinstance(name, str) and re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,39}", name) and name != "default",
                     "a name of at most 40 letters, digits and _, other than default")
    patterns = [pattern.text() for pattern in own["functions"].entries("names of functions, which may have * and ?")] \
        if "functions" in own else [rules.capitalize() + form for form in FORMS] if rules else ["*"]
    choice = Choice(name, patterns, rules, library)
    values = dict.fromkeys(combined for tried in own["try"].entries("objects") for combined in _tried(tried, choice, pes))
    if len(values) > MOST_CANDIDATES:
        own["try"].refuse(f"{len(values)} candidates, more than {MOST_CANDIDATES}")
    choice.candidates = [Candidate(name, number, combined, _text(choice, combined))
                         for number, combined in enumerate(values, 1)]
    return choice


def _tried(entry, choice, pes):
    """All combinations of the values of an object's variables."""
    kinds = entry.members((), KINDS)
    variables, ruled = [], choice.library.variables(choice.rules) if choice.rules else []
    for kind in KINDS:
        for name, given in (kinds[kind].members() if kind in kinds else {}).items():
            if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
                given.refuse("not the name of a variable")
            if ruled and (kind, name) not in ruled:
                given.refuse(f"rules of {choice.rules} choose only {', '.join(own for _, own in ruled)}")
            variables.append([(kind, name, value) for value in _values(kind, name, given, choice.library, pes)])
    if not variables:
        entry.refuse(f"give variables in {', '.join(KINDS)}")
    if ruled and ruled[0][1] not in entry.content.get(ruled[0][0], {}):
        entry.refuse(f"give {ruled[0][1]}: a rule names an algorithm")
    return itertools.product(*variables)


def _values(kind, name, given, library, pes):
    """Texts."""
    if given.content == "all":
        if kind == "set":
            given.refuse("\"all\" is only for what the library says the values of")
        return library.values_of(name, pes) or given.refuse("the library lists no values: give a list")
    if isinstance(given.content, dict):
        return [_number_text(value) for value in _range(given)]
    texts = [value.must(isinstance(value.content, str) or users_json.is_number(value.content), "a text or a number")
             for value in given.entries("values, a range, or \"all\",")]
    return [text if isinstance(text, str) else _number_text(text) for text in texts]


def _range(given):
    numbers = {key: value.number()
               for key, value in given.members(("from", "to"), ("times", "plus")).items()}
    times, plus, value = numbers.get("times", 1), numbers.get("plus", 0), numbers["from"]
    if ("times" in numbers) == ("plus" in numbers) or times < 1 or plus < 0 or (times == 1 and plus == 0) or \
            ("times" in numbers and value <= 0):
        given.refuse("give times, more than 1 and from a number above 0, or plus, more than 0")
    found = []
    while value <= numbers["to"]:
        found.append(value)
        value = value * times + plus
        if len(found) > MOST_VALUES:
            given.refuse(f"more than {MOST_VALUES} values")
    return found or given.refuse("from is above to")


def _number_text(value):
    return str(int(value)) if value == int(value) else repr(value)


def _text(choice, values):
    """For people."""
    if choice.rules:
        return choice.library.describe(_ruled(choice, values))
    return ", ".join(f"{name}={value}" for _, name, value in values)
