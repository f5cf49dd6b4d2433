#!/usr/bin/env python3
"""Who may know whom: every #include goes along the arrows of the architecture."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap, tracked_files

ARROWS = {  # a folder of src and those that it may know; so what they know, too
    "main": {"ski"},  # the files in src itself
    "ski": {"engine"},
    "engine": {"clock", "stats", "comm", "objects", "output", "settings"},
    "clock": {"comm", "settings"},
    "objects": {"comm"},
    "comm": {"base"},
    "stats": {"base"},
    "output": {"base", "settings"},
    "settings": {"base"},
    "base": set(),
    "trace": {"clock"},
    "sim": {"trace", "stats"},
}
LIBRARY = {"shmem.h", "shmemx.h", "pshmem.h", "mpi.h"}
MAY_KNOW_THE_LIBRARY = {"comm", "objects", "trace", "measurements"}
PAPI = {"src/clock/timer.c", "src/engine/counters.c", "src/trace/runtime/counters.c"}  # the only ones that know it
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def reachable(part):
    found, todo = {part}, [part]
    while todo:
        for known in ARROWS.get(todo.pop(), ()):
            if known not in found:
                found.add(known)
                todo.append(known)
    return found


def part_of(path):
    """The part of the house that a file (relative to the top) belongs to."""
    folders = path.split("/")[:-1]
    if folders[:1] == ["measurements"]:
        return "measurements"
    return folders[1] if len(folders) > 1 else "main"


def violations(path, text):
    part = part_of(path)
    if part != "measurements" and part not in ARROWS:
        return [f"{path}: the part {part} is not in the table of arrows"]
    found = []
    for bracket, name in INCLUDE.findall(text):
        if name in LIBRARY:
            if part not in MAY_KNOW_THE_LIBRARY:
                found.append(f"{path}: {part} may not include {name}")
        elif name == "papi.h" and path not in PAPI:
            found.append(f"{path}: only {' and '.join(sorted(PAPI))} may include {name}")
        elif bracket == "<":
            continue
        elif part == "measurements":
            beside = os.path.isfile(os.path.join(ROOT, "measurements", os.path.basename(name)))
            if name != "engine/measurement.h" and not (
                    beside and name.removeprefix("measurements/") == os.path.basename(name)):
                found.append(f"{path}: a measurement may not include {name}")
        elif part_of("src/" + name) not in reachable(part):
            found.append(f"{path}: {part} may not include {name}")
        elif "/" not in name and part != "main":
            found.append(f"{path}: {name} is to be named from src/: {part}/{name}")
    return found


tap = Tap()

# The check itself must be able to fail.
for path, include, bad in (
    ("src/stats/a.c", '#include "comm/comm.h"', True),
    ("src/stats/a.c", '#include "stats/stats.h"', False),
    ("src/ski/a.c", "#include <shmem.h>", True),
    ("src/ski/a.c", "# include <mpi.h>", True),
    ("src/ski/a.c", '#include "settings/settings.h"', False),
    ("src/engine/a.c", '#include "ski/tree.h"', True),
    ("src/comm/a.h", '#include "clock/timer.h"', True),
    ("src/comm/a.c", "#include <shmem.h>", False),
    ("src/output/a.c", '#include "stats/stats.h"', True),
    ("src/main.c", '#include "ski/script.h"', False),
    ("src/ski/a.c", '#include "options.h"', True),
    ("src/engine/counters.c", "#include <papi.h>", False),
    ("src/engine/a.c", "#include <papi.h>", True),
    ("src/new/a.c", "", True),
    ("measurements/a.c", '#include "engine/measurement.h"', False),
    ("measurements/a.c", '#include "engine/engine.h"', True),
    ("measurements/a.c", '#include "comm/comm.h"', True),
    ("measurements/a.c", "#include <shmem.h>", False),
):
    tap.equal(bool(violations(path, include)), bad, f"{path} with {include or 'nothing'}: "
              f"{'refused' if bad else 'allowed'}")

files = tracked_files("src/*.c", "src/*.h", "measurements/*.c", "measurements/*.h")
tap.ok(files, "there are files to check")
for path in files:
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        found = violations(path, file.read())
    tap.ok(not found, f"{path} includes what it may", "\n".join(found))
tap.done()
