"""Rules, read from JSON: scripts/guidelines.json, or one of the user's (docs/tools/skampi-guidelines.md)."""

import ast
import json
import operator
from dataclasses import dataclass, field

from ..cli import Error, read_json

VERSION = 1
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
             ast.Div: operator.truediv}


@dataclass
class Term:
    function: str
    times: object = 1    # number or expression
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


def _expression(text, where):
    """The tree of an expression of numbers, names and + - * /."""
    try:
        if len(str(text)) > 200:
            raise ValueError
        tree = ast.parse(str(text), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Error(f"{where}: {text!r}: not an expression of numbers, arguments and pes") from None

    def check(node):
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return check(node.left) and check(node.right)
        if isinstance(node, ast.Name):
            return True
        return (isinstance(node, ast.Constant) and type(node.value) in (int, float)
                and abs(node.value) < 1e18)

    if not check(tree):
        raise Error(f"{where}: {text!r}: not an expression of numbers, arguments and pes with + - * /")
    return tree


def evaluate(tree, values):
    """A number; None where a name has no number or something is divided by 0."""
    if isinstance(tree, ast.Constant):
        return tree.value
    if isinstance(tree, ast.Name):
        value = values.get(tree.id)
        return value if isinstance(value, (int, float)) else None
    left, right = evaluate(tree.left, values), evaluate(tree.right, values)
    if left is None or right is None or (isinstance(tree.op, ast.Div) and right == 0):
        return None
    return OPERATORS[type(tree.op)](left, right)


def _member(record, key, kinds, where, default=None):
    value = record.get(key, default)
    if isinstance(value, bool) or not isinstance(value, kinds):
        raise Error(f"{where}: {key}: " + ("missing" if key not in record else
                                           f"not {_in_words(kinds)}: {json.dumps(value)[:60]}"))
    return value


def _in_words(kinds):
    words = {str: "a text", list: "a list", dict: "an object", int: "a number", float: "a number"}
    return " or ".join(dict.fromkeys(words[kind] for kind in (
        kinds if isinstance(kinds, tuple) else (kinds,))))


def _only(record, known, where):
    for key in record:
        if key not in known:
            raise Error(f"{where}: {key}: unknown; there are {', '.join(known)}")


def _texts(record, key, where, default=None):
    values = _member(record, key, list, where, default)
    if not all(isinstance(value, str) for value in values):
        raise Error(f"{where}: {key}: not a list of texts")
    return values


def _terms(record, key, names, where):
    terms = []
    for number, entry in enumerate(_member(record, key, list, where), 1):
        here = f"{where}: {key} {number}"
        if not isinstance(entry, dict):
            raise Error(f"{here}: not an object")
        _only(entry, ("function", "times", "arguments"), here)
        try:
            function = _member(entry, "function", str, here).format_map(names)
        except (KeyError, ValueError, IndexError, AttributeError):
            raise Error(f"{here}: function: the word in braces is not in \"for\"") from None
        arguments = _member(entry, "arguments", dict, here, {})
        terms.append(Term(
            function, _expression(_member(entry, "times", (int, float, str), here, 1), f"{here}: times"),
            {name: _expression(value, f"{here}: arguments: {name}") for name, value in arguments.items()}))
    if not terms:
        raise Error(f"{where}: {key}: empty")
    return terms


def read(path, tolerance=None):
    """List of Rule; a rule with "for" gives several. tolerance: instead of the file's."""
    given = read_json(path)
    if not isinstance(given, dict):
        raise Error(f"{path}:1: not an object with \"guidelines\" and \"rules\"")
    _only(given, ("guidelines", "tolerance", "rules"), path)
    if given.get("guidelines") != VERSION:
        raise Error(f"{path}: guidelines: {json.dumps(given.get('guidelines'))}, but this tool knows "
                    f"version {VERSION}")
    rules = []
    common = _tolerance(given, path, 0.05)
    for number, record in enumerate(_member(given, "rules", list, path), 1):
        where = f"{path}: rule {number}"
        if not isinstance(record, dict):
            raise Error(f"{where}: not an object")
        where = f"{path}: rule {_member(record, 'name', str, where)!r}"
        rules += _rules_of(record, where, common, tolerance)
    return rules


def _tolerance(record, where, default):
    value = _member(record, "tolerance", (int, float), where, default)
    if not 0 <= value < 1e6:
        raise Error(f"{where}: tolerance: not a share such as 0.05: {value}")
    return value


def _rules_of(record, where, common, override):
    monotone = "monotone" in record
    _only(record, ("name", "why", "tolerance", "least_pes") + (
        ("monotone", "functions", "except") if monotone else ("for", "left", "right")), where)
    own = _tolerance(record, where, common)
    shared = {"name": record["name"], "why": _member(record, "why", str, where, ""),
              "tolerance": own if override is None else override,
              "least_pes": _member(record, "least_pes", int, where, 1)}
    if monotone:
        return [Rule(**shared, monotone=_member(record, "monotone", str, where),
                     functions=_texts(record, "functions", where),
                     excepted=_texts(record, "except", where, []))]
    rules = []
    for names in _member(record, "for", list, where, [{}]):
        if not isinstance(names, dict) or not all(isinstance(v, str) for v in names.values()):
            raise Error(f"{where}: for: not a list of objects of texts")
        rules.append(Rule(**shared, left=_terms(record, "left", names, where),
                          right=_terms(record, "right", names, where)))
    return rules
