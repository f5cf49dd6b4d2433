"""What the headers of the library declare, what a program can be linked with, and errors."""

import functools
import itertools
import os
import re
import subprocess
import tempfile
from collections import namedtuple

HEADERS = ("shmem.h", "shmemx.h")
# What a header says: types as they are written there (parameters None: not understood); where is
# "file:line".
Declaration = namedtuple("Declaration", "name returns parameters noreturn where")


class Error(Exception):
    """Printed as one line; the status is 2."""


def listed(words):
    words = list(words)
    return " ".join(words[:20]) + (" ..." if len(words) > 20 else "")


def shown(path):
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative


def write_text(path, text):
    """Writes a file; an error names it."""
    try:
        with open(path, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
    except OSError as error:
        raise Error(f"{path}: {error.strerror or error}") from None


def run(command, source):
    """(status, output, errors) of a compiler that reads source."""
    try:
        done = subprocess.run(command, input=source, capture_output=True, text=True, check=False,
                              errors="replace", env={**os.environ, "LC_ALL": "C"})
    except OSError as error:
        raise Error(f"{command[0]}: {error.strerror}") from None
    return done.returncode, done.stdout, done.stderr


def includes():
    """Lines that include the headers, as far as they are there."""
    first, *others = HEADERS
    return f"#include <{first}>\n" + "".join(
        f"#if __has_include(<{name}>)\n#include <{name}>\n#endif\n" for name in others)


def preprocess(compiler):
    status, text, errors = run([*compiler, "-E", "-x", "c", "-"], includes())
    if status:
        first = next((line for line in errors.splitlines() if "error" in line), errors.strip())
        raise Error(f"{HEADERS[0]} cannot be read by {compiler[0]}: {first}")
    return text


TOKEN = re.compile(r'^[ \t]*#[ \t]*(?:line[ \t]+)?(\d+)[ \t]+"([^"\n]*)".*$|^[ \t]*#.*$|'
                   r'"(?:\\.|[^"\\\n])*"|' r"'(?:\\.|[^'\\\n])*'|" r"\.\.\.|\w+|\n|[^\s\w]",
                   re.MULTILINE)


def statements(text):
    """(tokens, "file:line") of each part of preprocessed text that ends with a semicolon outside of braces;
    bodies of functions and of types are left out."""
    tokens, depth, body = [], 0, False
    file, line, begin = "", 1, ""
    for match in TOKEN.finditer(text):
        token = match.group()
        if token == "\n":
            line += 1
        elif match.group(2) is not None:
            file, line = match.group(2), int(match.group(1)) - 1  # the marker ends with a \n
        elif token.lstrip().startswith("#"):
            pass
        elif token == "{":
            body = body if depth else tokens[-1:] == [")"]
            depth += 1
        elif token == "}":
            depth -= 1
            if depth == 0 and body:
                tokens = []
        elif depth == 0 and token == ";":
            yield tokens, begin
            tokens = []
        elif depth == 0:
            begin = begin if tokens else f"{file}:{line}"
            tokens.append(token)


def declarations(text):
    """Functions, and names of variables, that preprocessed text declares."""
    functions, variables = [], []
    for tokens, where in statements(text):
        noreturn = any(word in tokens for word in ("_Noreturn", "noreturn", "__noreturn__"))
        external = "extern" in tokens
        tokens = without_attributes(tokens)
        if {"typedef", "static"} & set(tokens):
            continue
        if "(" in tokens:
            declared = function(tokens, noreturn, where)
            functions += [declared] if declared else []
        elif external and len(tokens) > 1 and tokens[-1].isidentifier() and of_library(where):
            variables.append(tokens[-1])
    return functions, variables


def of_library(where):
    """Whether a header belongs to OpenSHMEM, by its name."""
    return "shmem" in os.path.basename(where.rpartition(":")[0])


def function(tokens, noreturn, where):
    """The Declaration that tokens are, None when they are none."""
    opening = tokens.index("(")
    name, inside = tokens[opening - 1], tokens[opening + 1:-1]
    if opening < 2 or tokens[-1] != ")" or not name.isidentifier():
        return None
    returns = " ".join(tokens[:opening - 1])
    if {"(", ")", "="} & set(inside):  # no routine has functions as arguments
        return Declaration(name, returns, None, noreturn, where)
    parameters = [list(group) for comma, group in
                  itertools.groupby(inside, lambda token: token == ",") if not comma]
    types = [" ".join(without_name(parameter)) for parameter in parameters]
    return Declaration(name, returns, [] if types == ["void"] else types, noreturn, where)


IGNORED = {"extern", "__extension__", "_Noreturn", "inline", "__inline", "__inline__", "restrict",
           "__restrict", "__restrict__"}
ATTRIBUTES = {"__attribute__", "__attribute", "__asm__", "asm", "__asm", "__declspec"}
QUALIFIERS = {"const", "volatile", "__const", "__volatile__"}
WORDS = {"void", "char", "short", "int", "long", "signed", "unsigned", "float", "double", "_Bool",
         "_Complex", "__complex__"}


def without_attributes(tokens):
    kept, depth, after = [], 0, False
    for token in tokens:
        if depth or after and token == "(":
            depth += {"(": 1, ")": -1}.get(token, 0)
            after = False
        elif token in ATTRIBUTES:
            after = True
        elif token not in IGNORED:
            after = False
            kept.append(token)
    return kept


def without_name(tokens):
    """The type of a parameter: without its name, an array as the pointer that it is."""
    array = "[" in tokens
    if array:
        tokens = tokens[:tokens.index("[")]
    words = [token for token in tokens if token.isidentifier() and token not in QUALIFIERS]
    if (len(words) > 1 and tokens[-1] == words[-1] and words[-1] not in WORDS
            and words[-2] not in ("struct", "enum", "union")):
        tokens = tokens[:-1]
    return [*tokens, "*"] if array else tokens


@functools.lru_cache(maxsize=None)
def canonical(text):
    """What is equal for types that are the same but for qualifiers."""
    tokens = [token for token in re.findall(r"\w+|\.\.\.|\S", text) if token not in QUALIFIERS]
    words = sorted("_Complex" if word == "__complex__" else word for word in tokens if word != "*")
    if {"short", "long", "unsigned", "signed"} & set(words) and "char" not in words:
        words = [word for word in words if word not in ("int", "signed")] or ["int"]
    return tuple(words), tokens.count("*")


# ---- What the library exports ----


def exported(names, compiler, libraries):
    """Those of the names that a program can be linked with."""
    wanted, said = sorted(names), ""
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(20):  # a linker may not tell of all at once
            source = "".join(f"extern char {name}[];\n" for name in wanted)
            source += f"char *names[] = {{{''.join(name + ', ' for name in wanted)}0}};\n"
            source += "int main(void)\n{\n    return !names[0];\n}\n"
            status, _, said = run(
                [*compiler, "-w", "-fno-builtin", "-fPIC", "-x", "c", "-", "-o",
                 os.path.join(folder, "names"), "-x", "none", *libraries], source)
            missing = set(re.findall(r"undefined (?:reference to|symbol:) [`']?(\w+)", said))
            if status == 0:
                return set(wanted)
            if not missing & set(wanted):
                break
            wanted = [name for name in wanted if name not in missing]
    last = said.strip().splitlines()[-1:] or ["no reason given"]
    raise Error(f"no program with OpenSHMEM can be linked by {compiler[0]}: {last[0]}")
