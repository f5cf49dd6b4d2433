"""Rules, read from JSON: scripts/guidelines.json, or one of the user's (docs/tools/skampi-guidelines.md)."""

import ast
import json
from dataclasses import dataclass, field

from .. import users_json
from ..users_json import is_number

VERSION = 1
MOST_CHARACTERS = 200  # of an expression: deeper trees would end the recursion
OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div)
ONCE = compile("1", "times", "eval")


@dataclass
class Term:
    function: str
    times: object = ONCE
    arguments: dict = field(default_factory=dict)


@dataclass
class Rule:
    name: str
    why: str
    tolerance: float
    least_pes: int = 1
    left: list = field(default_factory=list)
    right: list = field(default_factory=list)
    monotone: str = ""
    functions: list = field(default_factory=list)
    excepted: list = field(default_factory=list)


def _expression(given):
    """The code of an expression of numbers, names and + - * /."""
    text = str(given.must(isinstance(given.content, str) or is_number(given.content), "a number or an expression"))
    try:
        tree = ast.parse(text[:MOST_CHARACTERS + 1], mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tree = None

    def good(node):
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return good(node.left) and good(node.right)
        return isinstance(node, ast.Name) or isinstance(node, ast.Constant) and is_number(node.value) and abs(node.value) < 1e18

    given.must(len(text) <= MOST_CHARACTERS and tree and good(tree.body),
               "an expression of numbers, arguments and pes with + - * /")
    return compile(tree, given.name, "eval")


def evaluate(expression, values):
    """A number; None where a name has no number or something is divided by 0."""
    numbers = {name: value for name, value in values.items() if isinstance(value, (int, float))}
    try:
        return eval(expression, {"__builtins__": {}}, numbers)  # which has nothing but OPERATORS
    except (NameError, ZeroDivisionError):
        return None


def _terms(given, names):
    terms = []
    for entry in given.entries("objects"):
        own = entry.members(("function",), ("times", "arguments"))
        try:
            function = own["function"].text().format_map(names)
        except (KeyError, ValueError, IndexError, AttributeError):
            own["function"].refuse("the word in braces is not in \"for\"")
        arguments = own["arguments"].members() if "arguments" in own else {}
        terms.append(Term(function, _expression(own["times"]) if "times" in own else ONCE,
                          {name: _expression(value) for name, value in arguments.items()}))
    return terms


def read(path, tolerance=None):
    """List of Rule; a rule with "for" gives several. tolerance: instead of the file's."""
    top = users_json.read(path).members(("guidelines", "rules"), ("tolerance",))
    version = top["guidelines"]
    if version.content != VERSION:
        version.refuse(f"{json.dumps(version.content)}, but this tool knows version {VERSION}")
    common = _tolerance(top, 0.05)
    return [rule for record in top["rules"].entries("objects") for rule in _rules_of(record, common, tolerance)]


def _tolerance(members, default):
    given = members.get("tolerance")
    return given.number(0, 1000) if given else default


def _rules_of(record, common, override):
    needed, further = ((("name", "monotone", "functions"), ("except",)) if "monotone" in record.members() else
                       (("name", "left", "right"), ("for",)))
    record.name = f"rule {record.content['name']!r}" if "name" in record.content else record.name
    own = record.members(needed, (*further, "why", "tolerance", "least_pes"))
    tolerance = _tolerance(own, common)
    shared = {"name": own["name"].text(), "why": own["why"].text(empty=True) if "why" in own else "",
              "tolerance": tolerance if override is None else override,
              "least_pes": own["least_pes"].whole(0) if "least_pes" in own else 1}
    if "monotone" in own:
        return [Rule(**shared, monotone=own["monotone"].text(), functions=own["functions"].texts(),
                     excepted=own["except"].texts() if "except" in own else [])]
    words = [{name: value.text(empty=True) for name, value in entry.members().items()}
             for entry in own["for"].entries("objects")] if "for" in own else [{}]
    return [Rule(**shared, left=_terms(own["left"], names), right=_terms(own["right"], names)) for names in words]
