"""Tables of Markdown: the functions of the script language, the options of programs, the flags of results."""

import json
import os
import re
import sys

from generate import program

_HYPHEN = "\\-"  # of troff
FLAGS_OF_PROGRAM, FLAGS_OF_TOOLS = "src/output/result.c", "scripts/flags.json"
_FLAG = re.compile(r'\[RESULT_\w+\] =\s*\{((?:\s*"(?:[^"\\]|\\.)*"|\s*,)+)\s*FLAG_(FINE|DOUBTFUL|COVERED)\}')
_STRINGS = re.compile(r'"((?:[^"\\]|\\.)*)"')


def markdown(head, rows):
    """Columns in which no row has anything are left out."""
    rows = list(rows)
    used = [i for i in range(len(head)) if any(cells[i] for cells in rows)]

    def line(cells):
        return "| " + " | ".join(cells[i].replace("|", "\\|") for i in used) + " |\n"
    return line(head) + "|" + "---|" * len(used) + "\n" + "".join(map(line, rows))


def builtins(family):
    """FAMILY is values, sets, mpi, io or settings."""
    functions = [f for f in program.builtins() if f["family"] == family]
    if not functions:
        raise KeyError(family)
    rows = [[f"`{f['signature']}`", f["result"],
             ("*Collective.* " if f["collective"] else "") + f["meaning"]] for f in functions]
    return markdown(["function", "result", "meaning"], rows)


# ---- Options ----


def _command(name):
    script = os.path.join(program.ROOT, "scripts", name)
    if os.path.exists(script):
        return [sys.executable, script]
    if name not in ("skampi", "shmemtrace", "shmemsim"):
        raise KeyError(name)
    return [program.command(name)]


def _plain(troff):
    """The text of a manual page without the requests of troff."""
    troff = re.sub(r"\\f[A-Z]", "", troff)
    return re.sub(r"\\([-&e])", lambda found: {"-": "-", "&": "", "e": "\\"}[found[1]], troff)


def options(name):
    """NAME is a program, whose manual page is read; of shmemtrace and shmemsim, also "shmemtrace record" or another command."""
    name, _, command = name.partition(" ")
    section = {"": "OPTIONS", "record": "RECORDING"}.get(command, command)
    manual = program.output([*_command(name), "--man"])
    found = re.search(rf"^\.S[HS] {re.escape(section.replace('-', _HYPHEN))}\n(.*?)(?=^\.(?:S[HS]|PP)|\Z)", manual,
                      re.MULTILINE | re.DOTALL)
    entries = (entry.partition("\n") for entry in re.split(r"^\.TP\n\.B ", found[1], flags=re.MULTILINE)[1:])
    return markdown(["option", "meaning"], [[f"`{_plain(names)}`", " ".join(_plain(meaning).split())]
                                            for names, _, meaning in entries])


# ---- Flags ----


def _flags():
    """{name: what a row of the C program's table says}"""
    with open(os.path.join(program.ROOT, FLAGS_OF_PROGRAM), encoding="utf-8") as file:
        found = _FLAG.findall(file.read())
    flags_ = {}
    for texts, doubt in found:
        name, means, remedy = ("".join(_STRINGS.findall(f'{text}"')) for text in re.split(r'"\s*,\s*', texts + ',')[:3])
        flags_[name] = {"doubtful": doubt != "FINE", "covered_by_rounds": doubt == "COVERED", "means": means,
                        "remedy": remedy}
    return flags_


def flags_of_tools():
    """A line for each flag."""
    return "{\n" + ",\n".join(f" {json.dumps(name)}: {json.dumps(row)}" for name, row in _flags().items()) + "\n}\n"


def flags(_):
    return markdown(["flag", "what it means", "what to do"], [
        [f"`{name}`", f"{'doubtful: ' if row['doubtful'] else ''}{row['means']}", row["remedy"]]
        for name, row in _flags().items()])
