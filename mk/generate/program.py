"""What the program says about itself: tables.c prints it, this reads it."""

import functools
import json
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class NotBuilt(Exception):
    """There is no program to ask."""


@functools.cache
def _records():
    tables = os.path.join(ROOT, os.environ.get("SKAMPI_BUILD", "build"), "generate", "tables")
    if not os.path.exists(tables):
        raise NotBuilt(f"{tables} is not built: run make docs")
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
    out = subprocess.run([tables], capture_output=True, check=True, text=True, timeout=60,
                         env=environment)
    return [json.loads(line) for line in out.stdout.splitlines()]


def records(kind):
    """The objects of a kind ("measurement", "builtin"), in the program's order."""
    return [record for record in _records() if record["kind"] == kind]
