"""The options of skampi, shmemtrace, shmemsim and the programs in scripts/, from their manual pages."""

import os
import re
import sys

from generate import markdown, program

_HYPHEN = "\\-"  # of troff


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


def table(name):
    """NAME is a program; of shmemtrace and shmemsim, also "shmemtrace record" or another command."""
    name, _, command = name.partition(" ")
    section = {"": "OPTIONS", "record": "RECORDING"}.get(command, command)
    manual = program.output([*_command(name), "--man"])
    options = re.search(rf"^\.S[HS] {re.escape(section.replace('-', _HYPHEN))}\n(.*?)(?=^\.(?:S[HS]|PP)|\Z)", manual,
                        re.MULTILINE | re.DOTALL)
    rows = []
    for entry in re.split(r"^\.TP\n\.B ", options[1], flags=re.MULTILINE)[1:]:
        names, _, meaning = entry.partition("\n")
        rows.append([f"`{_plain(names)}`", " ".join(_plain(meaning).split())])
    return markdown.table(["option", "meaning"], rows)
