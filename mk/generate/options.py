"""The options of skampi, shmemtrace and the programs in scripts/, from their manual pages."""

import os
import re
import subprocess
import sys

from generate import markdown, program


def _command(name):
    script = os.path.join(program.ROOT, "scripts", name)
    if os.path.exists(script):
        return [sys.executable, script]
    built = os.path.join(program.ROOT, name)
    if name not in ("skampi", "shmemtrace"):
        raise KeyError(name)
    if not os.path.exists(built):
        raise program.NotBuilt(f"{name} is not built: run make docs")
    return [built]


def _plain(troff):
    """Its text without what troff needs."""
    troff = re.sub(r"\\f[A-Z]", "", troff)
    return re.sub(r"\\([-&e])", lambda found: {"-": "-", "&": "", "e": "\\"}[found[1]], troff)


def table(name):
    """NAME is a program; of shmemtrace, also "shmemtrace record" or another command."""
    name, _, command = name.partition(" ")
    section = {"": "OPTIONS", "record": "RECORDING"}.get(command, command)
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "ASAN_OPTIONS": "detect_leaks=0"}
    out = subprocess.run([*_command(name), "--man"], capture_output=True, check=True, text=True,
                         timeout=60, env=environment)
    options = re.search(rf"^\.S[HS] {section}\n(.*?)(?=^\.(?:S[HS]|PP)|\Z)", out.stdout,
                        re.MULTILINE | re.DOTALL)
    rows = []
    for entry in re.split(r"^\.TP\n\.B ", options[1], flags=re.MULTILINE)[1:]:
        names, _, meaning = entry.partition("\n")
        rows.append([f"`{_plain(names)}`", " ".join(_plain(meaning).split())])
    return markdown.table(["option", "meaning"], rows)
