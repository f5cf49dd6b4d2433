"""What the program says about itself: tables.c prints it, this reads it."""

import functools
import json
import os
import re
import shutil
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class NotBuilt(Exception):
    """No program has been built that could be asked."""


def command(name):
    """The path of a program that make has built."""
    path = os.path.join(ROOT, name)
    if not os.path.exists(path):
        raise NotBuilt(f"{path} is not built: run make docs")
    return path


def _build(name):
    return os.path.join(os.environ.get("SKAMPI_BUILD", "build"), name)


def can_launch():
    """Whether OpenSHMEM is there, and the launcher of its programs."""
    with open(os.path.join(ROOT, _build("config.mk")), encoding="utf-8") as file:
        has_shmem = re.search(r"^SKAMPI_SHMEM *:?= *1", file.read(), re.MULTILINE)
    return bool(has_shmem and shutil.which(os.environ.get("SKAMPI_LAUNCH", "oshrun").split()[0]))


def output(argv):
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "ASAN_OPTIONS": "detect_leaks=0"}
    return subprocess.run(argv, capture_output=True, check=True, text=True, timeout=60,
                          env=environment).stdout


def _objects(argv):
    return [json.loads(line) for line in output(argv).splitlines()]


@functools.cache
def _tables():
    return _objects([command(_build("generate/tables"))])


def builtins():
    """The functions of the script language, in the program's order."""
    return [record for record in _tables() if record["kind"] == "builtin"]


@functools.cache
def measurements():
    """The measurement functions, in the order of --list: what `skampi --list -f json` says, with the
    family and the known defects."""
    further = {record["name"]: record for record in _tables() if record["kind"] == "measurement"}
    program = os.environ.get("SKAMPI") or command("skampi")
    return [{**further[function["name"]], **function}
            for function in _objects([program, "--list", "-f", "json"])]
