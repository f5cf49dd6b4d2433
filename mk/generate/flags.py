"""The flags of results, from the table of the C program: for the tools, and for docs/results.md."""

import json
import os
import re

from generate import markdown, program

SOURCE = "src/output/result.c"
TOOLS = "scripts/flags.json"
_ROW = re.compile(r'\[RESULT_\w+\] =\s*\{((?:\s*"(?:[^"\\]|\\.)*"|\s*,)+)\s*FLAG_(FINE|DOUBTFUL|COVERED)\}')
_STRINGS = re.compile(r'"((?:[^"\\]|\\.)*)"')


def rows():
    """{name: what a row of the table says}"""
    with open(os.path.join(program.ROOT, SOURCE), encoding="utf-8") as file:
        found = _ROW.findall(file.read())
    flags = {}
    for texts, doubt in found:
        name, means, remedy = ("".join(_STRINGS.findall(text)) for text in re.split(r'"\s*,\s*', texts + ',')[:3]
                               for text in [text + '"'])
        flags[name] = {"doubtful": doubt != "FINE", "covered_by_rounds": doubt == "COVERED", "means": means,
                       "remedy": remedy}
    return flags


def for_tools():
    """A line for each flag."""
    return "{\n" + ",\n".join(f" {json.dumps(name)}: {json.dumps(row)}" for name, row in rows().items()) + "\n}\n"


def table(_):
    return markdown.table(["flag", "what it means", "what to do"], [
        [f"`{name}`", f"{'doubtful: ' if row['doubtful'] else ''}{row['means']}", row["remedy"]]
        for name, row in rows().items()])
