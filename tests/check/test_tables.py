#!/usr/bin/env python3
"""The tables of functions in the READMEs say what the program says. After a change,
`tests/check/test_tables.py --write` brings them up to date."""

import os
import re
import shlex
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from harness import ROOT, Tap

LANGUAGE = "docs/language.md"
MEASUREMENTS = "measurements/README.md"


def built(name):
    with open(os.path.join(harness.build_directory(), name), encoding="utf-8") as file:
        return file.read().strip()


# ---- What the program says ----


def builtin_tables():
    """Family name -> table, from a program linked with the language's own tables."""
    flags = built("flags")
    libraries = built("commands").removeprefix(flags)
    program = os.path.join(harness.scratch_directory(), "builtins")
    subprocess.run([*shlex.split(flags), "-Werror", "-o", program, "tests/check/builtins.c",
                    os.path.join(harness.build_directory(), "libskampi.a"),
                    *shlex.split(libraries)], cwd=ROOT, check=True, timeout=60)
    env = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
    out = subprocess.run([program], capture_output=True, check=True, text=True, timeout=20, env=env)
    parts = re.split(r"^(\w+)\n", out.stdout, flags=re.MULTILINE)[1:]
    return {f"builtins {name}": table for name, table in zip(parts[::2], parts[1::2])}


class Function:
    """A measurement function as --describe shows it."""

    def __init__(self, name):
        text = harness.skampi(args=["--describe", name], launch=False).out
        self.signature, self.summary = text.splitlines()[:2]
        self.facts = dict(re.findall(r"^(\w[\w ]*): (.*)$", text, re.MULTILINE))
        # "  count        moved by each operation [bytes], at least 0"
        self.parameters = re.findall(r"^  (\w+) +(.*?)(?: \[([^]]*)\])?(?:, at least (-?\d+))?$",
                                     text, re.MULTILINE)

    def row(self):
        facts = self.facts
        free = facts["synchronization"] == "none"
        pes = "" if facts["PEs"] == "at least 1" else f"; {facts['PEs']} PEs"
        cells = [f"`{self.signature}`", self.summary, facts["timed"],
                 "" if facts["subtracted"] == "nothing" else facts["subtracted"],
                 facts["who"] + pes, "free" if free else "script",
                 f"`{facts['cost']}`" if "cost" in facts else ""]
        return table_row(cells)


def table_row(cells):
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def measurement_tables():
    listed = harness.skampi(args=["--list"], launch=False).out
    functions = [Function(name) for name in re.findall(r"^(\w+)\(", listed, re.MULTILINE)]
    table = table_row(["function", "what it is", "timed", "subtracted", "who reports", "start",
                       "cost"]) + "|" + 7 * "---|" + "\n"
    table += "".join(function.row() for function in functions)
    parameters = table_row(["parameter", "meaning", "unit", "at least"]) + "|" + 4 * "---|" + "\n"
    seen = []
    for function in functions:
        for name, meaning, unit, minimum in function.parameters:
            if (name, meaning) not in seen:
                seen.append((name, meaning))
                parameters += table_row([f"`{name}`", meaning, unit, minimum])
    return {"measurements": table, "parameters": parameters}


# ---- Where it stands ----


def section(name):
    return re.compile(rf"(<!-- begin {name} -->\n)(.*?)(<!-- end -->\n)", re.DOTALL)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def write(path, tables):
    text = read(path)
    for name, table in tables.items():
        text = section(name).sub(lambda found, table=table: found[1] + table + found[3], text)
    with open(os.path.join(ROOT, path), "w", encoding="utf-8") as file:
        file.write(text)


def first_difference(text, wanted):
    lines = text.splitlines(), wanted.splitlines()
    for line, other in zip(*lines):
        if line != other:
            return f"there: {line}\nbut:   {other}"
    return f"there are {len(lines[0])} lines, not {len(lines[1])}"


def check(tap, path, tables):
    text = read(path)
    for name, table in tables.items():
        found = section(name).findall(text)
        if not tap.equal(len(found), 1, f"{path}: there is a section {name}"):
            continue
        tap.ok(found[0][1] == table, f"{path}: the table {name} is up to date",
               f"{first_difference(found[0][1], table)}\ntests/check/test_tables.py --write")
        tap.ok(table.count("\n") > 2, f"{name}: the program has functions")


def main():
    documents = {LANGUAGE: builtin_tables(), MEASUREMENTS: measurement_tables()}
    if sys.argv[1:] == ["--write"]:
        for path, tables in documents.items():
            write(path, tables)
        return
    tap = Tap()
    for path, tables in documents.items():
        check(tap, path, tables)
    tap.done()


main()
