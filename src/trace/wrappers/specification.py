"""The routines as routines.xml describes them, and what a trace keeps of a call of each."""

import itertools
import os
import re
from collections import namedtuple
from xml.parsers import expat

from declarations import Error, canonical, listed, shown

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = {"signed": "(int64_t){}", "unsigned": "(int64_t)(uint64_t){}",
         "float": "trace_float_bits({})", "double": "trace_double_bits((double){})"}
COMPARISONS = ("eq", "ne", "gt", "le", "lt", "ge")  # as they are numbered in traces
HOOKS = ("started", "finishing", "exiting", "control")
# The fields that an argument gives, as C, by the words of its attribute field. {0} is the argument,
# {T} the size of an element, {count} the argument that gives elements, {value} the value as bits, {pe}
# the PE in the world. Places are addresses here. KNOWN_AFTERWARDS finds what is known only after the call.
FIELDS_GIVEN = {
    "peer": {"peer": "{pe}"},
    "elements": {"elements": "(int64_t){0}"},
    "bytes": {"bytes": "(int64_t)((uint64_t){0} * {T})"},
    "bytes_each": {"bytes": "(int64_t)({0} * {count})"},
    "target": {"target": "(int64_t)(uintptr_t){0}"},
    "source": {"source": "(int64_t)(uintptr_t){0}"},
    "target_stride": {"target_stride": "{0}"},
    "source_stride": {"source_stride": "{0}"},
    "context_id": {"context_id": "trace_context_number({0})"},
    "set_start": {"set_start": "{0}"},
    "set_stride": {"set_stride": "{0}"},
    "log_stride": {"set_stride": "trace_stride({0})"},
    "set_size": {"set_size": "{0}"},
    "root": {"root": "{0}"},
    "comparison": {"comparison": "trace_comparison({0})"},
    "condition": {"condition": "{value}"},
    "value": {"value": "{value}"},
    "options": {"options": "(int64_t){0}"},
    "signal": {"signal": "(int64_t)(uintptr_t){0}"},
    "signal_operation": {"options": "trace_signal_operation({0})"},
    "result_at": {"result": "*{0}"},
    "new_context": {"context_id": "trace_new_context(result, {0})"},
    "new_team_context": {"context_id": "trace_new_context(result, {0})"},
    "new_team": {"result": "trace_new_team(result, {0})"},
    "another_new_team": {},
    "team": {"set_start": "trace_team_number({0})", "set_stride": "0",
             "set_size": "team_size({0})"},
    "parent": {"value": "trace_team_number({0})"},
}
TEAM_WORDS = {"team", "parent", "new_team", "another_new_team", "new_team_context"}

Type = namedtuple("Type", "c kind bytes")
Argument = namedtuple("Argument", "type words kind")
Return = namedtuple("Return", "type field asked failed")
# A line of the specification for one name: T is a Type or None; arguments are (name in C, Argument).
Routine = namedtuple("Routine", "name line T klass arguments returns constants barrier hook ends "
                     "event keeps")


class Specification:
    """Routines by name (a list each: lines may differ in their arguments)."""

    def __init__(self, path):
        self.path = path
        self.classes = enumerators("class")
        self.fields = enumerators("field")
        self.types, self.groups, self.arguments, self.returns = {}, {}, {}, {}
        self.routines = {}
        readers = {"routines": lambda: None, "type": self.read_type, "types": self.read_group,
                   "argument": self.read_argument, "return": self.read_return,
                   "routine": self.read_routine}
        for self.line, depth, element, attributes in xml_elements(path):
            if element not in readers or depth != (element != "routines"):
                self.wrong(f"<{element}> does not belong here; <routines> stands around "
                           f"{listed('<' + name + '>' for name in readers if name != 'routines')}")
            self.attributes = dict(attributes)
            readers[element]()
            if self.attributes:
                self.wrong(f"<{element}> has no attribute {listed(self.attributes)}")

    def wrong(self, text):
        raise Error(f"{shown(self.path)}:{self.line}: {text}")

    def take(self, name, default=None, known=None):
        """An attribute. Without default it must be there; it must be one of known."""
        value = self.attributes.pop(name, default)
        if value is None:
            self.wrong(f"the attribute {name} is missing")
        if known is not None and value != default and value not in known:
            self.wrong(f"{name}: there is no '{value}', only {listed(known)}")
        return value

    def take_new(self, table):
        name = self.take("name")
        if name in table:
            self.wrong(f"'{name}' is there twice")
        return name

    def read_type(self):
        name = self.take_new(self.types)
        c, kind, size = self.take("c"), self.take("kind", "", KINDS), self.take("bytes", "")
        if not (size.isdigit() or c != "void" and not size):
            self.wrong(f"bytes: '{size}' is no number of bytes")
        self.types[name] = Type(c, kind, size or f"sizeof({c})")

    def read_group(self):
        name = self.take_new(self.groups)
        self.groups[name] = self.take("list").split()
        for member in self.groups[name]:
            if member not in self.types:
                self.wrong(f"list: there is no type '{member}'")

    def read_argument(self):
        name = self.take_new(self.arguments)
        if not re.fullmatch(r"[a-z][a-z0-9-]*", name):
            self.wrong(f"'{name}' is no name of an argument, which has small letters, digits and -")
        words = self.take("field", "").split()
        for word in words:
            if word not in FIELDS_GIVEN:
                self.wrong(f"field: there is no '{word}', only {listed(FIELDS_GIVEN)}")
        self.arguments[name] = Argument(self.take("type"), words, self.take("kind", "", KINDS))

    def read_return(self):
        name = self.take_new(self.returns)
        self.returns[name] = Return(
            self.take("type"), self.take("field", "", ("target", "result")),
            self.take("when", "", ("asked",)), self.take("failed", "", ("null", "nonzero")))

    def read_routine(self):
        pattern = self.take("name")
        klass = self.take("class", None, self.classes)
        types = []
        for word in self.take("types", "").split():
            if word not in self.groups and word not in self.types:
                self.wrong(f"types: there is no '{word}', only "
                           f"{listed([*self.groups, *self.types])}")
            types += self.groups.get(word, [word])
        names = self.take("arguments", "").split()
        for name in names:
            if name not in self.arguments:
                self.wrong(f"arguments: there is no <argument name=\"{name}\">")
        returns = self.take("returns", "", self.returns)
        barrier = self.take("barrier", "", ["always", *filter(None, [returns]), *names])
        hook, ends = self.take("hook", "", HOOKS), self.take("ends", "", names)
        event = self.take("event", "on", ("on", "off", "no"))
        keeps = self.take("keeps", "", ("small",))
        constants = dict(map(self.constant, self.take("constants", "").split()))
        if "{type}" in pattern and not types or "{type}" not in pattern and len(types) > 1:
            self.wrong("name: {type} stands in it when there are several types, and only then")
        kept = [self.arguments[name].type for name in names if self.arguments[name].words]
        if returns and self.returns[returns].field:
            kept.append(self.returns[returns].type)
        every = [self.arguments[name].type for name in names]
        every += [self.returns[returns].type] if returns else []
        if not types and any(re.search(r"\bT\b", text) for text in every):
            self.wrong("types: arguments have type T, so it must be said which types there are")
        for name, contexts in self.expand(pattern):
            for type_name in types or [None]:
                T = self.types.get(type_name)
                if T and not T.kind and "T" in kept:
                    continue  # values of this type cannot be kept
                arguments = in_c([(word, self.arguments[word])
                                  for word in (["context"] if contexts else []) + names])
                self.add(Routine(name.replace("{type}", type_name or ""), self.line, T, klass,
                                 arguments, returns, constants, barrier, hook, ends, event, keeps))

    def constant(self, text):
        field, equals, value = text.partition("=")
        if not equals or field not in self.fields:
            self.wrong(f"constants: '{text}' is not FIELD=VALUE with one of the fields "
                       f"{listed(self.fields)}")
        if value == "all" and field == "set_size":
            return field, "trace_pes"
        if field == "comparison" and value in COMPARISONS:
            return field, str(COMPARISONS.index(value))
        if not re.fullmatch(r"-?\d{1,18}", value):
            self.wrong(f"constants: '{value}' is no value of {field}")
        return field, value

    def expand(self, pattern):
        """(name, whether it has a context) of all that a pattern stands for, but for {type}."""
        parts = re.split(r"(\[\w+\]|\{\w+(?:,\w+)*\})", pattern)
        if not all(re.fullmatch(r"\w*", part) for part in parts[::2]):
            self.wrong(f"name: '{pattern}' is no name, in which parts as [x], {{a,b}} and {{type}} "
                       "may stand")
        choices = [[part] if i % 2 == 0 or part == "{type}" else
                   ["", part[1:-1]] if part[0] == "[" else part[1:-1].split(",")
                   for i, part in enumerate(parts)]
        for chosen in itertools.product(*choices):
            yield "".join(chosen), "ctx_" in chosen

    def add(self, routine):
        others = self.routines.setdefault(routine.name, [])
        for other in others:
            if expected_types(other, self) == expected_types(routine, self):
                self.wrong(f"{routine.name} with these arguments is there already, in line "
                           f"{other.line}")
        try:
            fields_of(routine, self)
        except ValueError as error:
            self.wrong(f"{routine.name}: {error}")
        others.append(routine)


def xml_elements(path):
    """(line, depth, name, attributes) of each element of a file."""
    found, depth = [], 0

    def start(name, attributes):
        nonlocal depth
        found.append((parser.CurrentLineNumber, depth, name, attributes))
        depth += 1

    def end(_):
        nonlocal depth
        depth -= 1

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = start, end
    try:
        with open(path, "rb") as file:
            parser.ParseFile(file)
    except expat.ExpatError as error:
        raise Error(f"{shown(path)}:{error.lineno}: no XML: "
                        f"{expat.errors.messages[error.code]}") from None
    return found


def enumerators(name):
    """The words of enum trace_NAME in event.h, in small letters. That is the only list of them."""
    with open(os.path.join(HERE, "..", "event.h"), encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)
    body = re.search(rf"enum trace_{name} {{(.*?)}}", text, re.DOTALL).group(1)
    return [word.lower() for word in re.findall(r"\bTRACE_(\w+)", body)][:-1]


def in_c(arguments):
    """(name in C, argument) of (name, argument); names that are there twice are numbered."""
    names = [name.replace("-", "_") for name, _ in arguments]
    return tuple((name if names.count(name) == 1 else f"{name}_{i}", argument)
                 for i, (name, (_, argument)) in enumerate(zip(names, arguments)))


def expected_types(routine, specification):
    T = routine.T.c if routine.T else "void"
    types = [argument.type for _, argument in routine.arguments]
    types.append(specification.returns[routine.returns].type if routine.returns else "void")
    return [canonical(re.sub(r"\bT\b", T, text)) for text in types]


def argument_of(routine):
    """Names in C of arguments, by the words of their attribute field."""
    return {word: name for name, argument in routine.arguments for word in argument.words}


def fields_of(routine, specification):
    """(C by field, in the order of fields; kind of values) of a routine. ValueError: what is wrong
    with it."""
    given, kinds = {}, set()
    counts = [name for name, argument in routine.arguments if "elements" in argument.words]
    contexts = [name for name, argument in routine.arguments if "context_id" in argument.words]

    def give(field, expression):
        if field in given:
            raise ValueError(f"the field {field} is given twice")
        given[field] = expression

    def kind_of(text, kind=""):
        T = routine.T
        return kind or (T.kind if T and canonical(text.replace("T", T.c)) == canonical(T.c)
                        else "") or "signed"

    for name, argument in routine.arguments:
        kind = kind_of(argument.type, argument.kind)
        if {"value", "condition"} & set(argument.words):
            kinds.add(kind)
        for word in argument.words:
            if word == "bytes_each" and not counts:
                raise ValueError("bytes_each needs an argument that gives elements")
            size = routine.T.bytes if routine.T else 1
            for field, expression in FIELDS_GIVEN[word].items():
                give(field, expression.format(name, T=size, count=counts and counts[0],
                                              value=KINDS[kind].format(name),
                                              pe=f"trace_peer({contexts[0]}, {name})"
                                              if contexts else name))
    if routine.returns:
        returned = specification.returns[routine.returns]
        kind = kind_of(returned.type)
        if returned.field == "target":
            give("target", "(int64_t)(uintptr_t)result")
        elif returned.field:
            give(returned.field, KINDS[kind].format("result"))
            if returned.type == "T":
                kinds.add(kind)
        if returned.failed == "null" and "bytes" not in given:
            raise ValueError("failed=\"null\" needs an argument that gives bytes")
    for field, value in routine.constants.items():
        give(field, value)
    if routine.keeps:
        words = argument_of(routine)
        if not routine.T or not {"source", "elements"} <= words.keys():
            raise ValueError("keeps=\"small\" needs arguments that give source and elements of a type")
        give("value", f"trace_put_value({words['source']}, {words['elements']}, {routine.T.bytes}, "
             f"{words.get('source_stride', 1)})")
        kinds.add(kind_of("T"))
    if len(kinds) > 1:
        raise ValueError(f"its values are of the kinds {listed(sorted(kinds))}; one can be kept")
    return {field: given[field] for field in specification.fields if field in given}, (
        kinds.pop() if kinds else "signed")
