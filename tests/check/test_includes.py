#!/usr/bin/env python3
"""Who may know whom: every #include follows an arrow of ARCHITECTURE.md, and every arrow is needed."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import documents
import house
from harness import ROOT, Tap, read_text, tracked_files

# The folders of src that each may include, directly: what is not listed is refused, also where a way
# over a third folder exists. ARCHITECTURE.md draws the same.
ARROWS = {
    "command": {"machine", "ski", "engine", "output", "settings", "comm", "clock", "base"},
    "ski": {"engine", "objects", "settings", "stats", "clock", "base"},
    "engine": {"machine", "known", "output", "settings", "objects", "clock", "comm", "stats", "base"},
    "measurements": {"engine"},
    "machine": {"known", "objects", "output", "clock", "comm", "stats", "base"},
    "known": {"output", "stats", "base"},
    "output": {"settings", "stats", "base"},
    "settings": {"base"},
    "objects": {"comm", "base"},
    "clock": {"settings", "comm", "base"},
    "comm": {"crash", "base"},
    "crash": {"base"},
    "stats": {"base"},
    "base": set(),
    "trace/check": {"trace/explain", "trace/read", "base"},
    "trace/command": {"trace/check", "trace/explain", "trace/report", "trace/export", "trace/read", "trace", "base"},
    "trace/explain": {"sim", "trace/read", "base"},
    "trace/export": {"trace/explain", "trace/read", "base"},
    "trace/report": {"trace/explain", "trace/read", "base"},
    "trace/read": {"trace", "base"},
    "trace/runtime": {"trace", "clock", "comm", "base"},
    "sim": {"trace/read", "trace", "stats", "base"},
    "trace": {"base"},
}
LIBRARY = {"shmem.h", "shmemx.h", "pshmem.h", "mpi.h"}
MAY_KNOW_THE_LIBRARY = {"comm", "objects", "trace/runtime", "measurements"}
# Headers of other libraries, by the files that may include them.
OTHERS = {
    "papi.h": {"src/clock/timer.c", "src/clock/counters.c", "src/trace/runtime/phases.c"},
    "hwloc.h": {"src/base/location.c"},
    "jansson.h": {"src/known/known_file.c", "src/known/resume.c"},
    "ucp/api/ucp.h": {"src/comm/choices.c"},
}
ONE_HEADER_FOR_AUTHORS = "src/engine/measurement.h"
PICTURE = os.path.join(ROOT, "ARCHITECTURE.md")
BEGIN = "<!-- written by tests/check/test_includes.py --write -->"
SYSTEM = re.compile(r"^\s*#\s*include\s*<([^>]+)>", re.MULTILINE)


TESTS_FROM_PYTHON = re.compile(r"""["']tests["'], *["']|["'](?:\.\./)*tests/[a-z]\w*/""")
TESTS_FROM_SHELL = re.compile(r"^[^#\n]*\btests/[a-z]\w*", re.MULTILINE)


def reaches_tests(path, text):
    """What a program of the product names of tests."""
    shell = text.startswith("#!/bin/sh") or path.endswith(".sh")
    python = path.endswith(".py") or text.startswith("#!/usr/bin/env python3")
    return (TESTS_FROM_SHELL if shell else TESTS_FROM_PYTHON).findall(text) if shell or python else []


def violations(path, text, exists=None):
    """What is wrong with the includes of a file, as lines; and the folders that it includes."""
    folder = house.folder_of(path)
    if folder not in ARROWS:
        return [f"{path}: the folder {folder} is not in the table of arrows"], set()
    found, known = [], set()
    for name in SYSTEM.findall(text):
        if name in LIBRARY and folder not in MAY_KNOW_THE_LIBRARY:
            found.append(f"{path}: {folder} may not include {name}")
        if path not in OTHERS.get(name, {path}):
            found.append(f"{path}: only {' and '.join(sorted(OTHERS[name]))} may include {name}")
    for other in house.included(path, text, *([exists] if exists else [])):
        target = house.folder_of(other)
        if folder == target == "measurements" and not other.startswith("measurements/common/"):
            found.append(f"{path}: families share what is in measurements/common, not {other}")
        if target == folder:
            continue
        known.add(target)
        if target not in ARROWS[folder]:
            found.append(f"{path}: {folder} may not include {other}")
        elif folder == "measurements" and other != ONE_HEADER_FOR_AUTHORS:
            found.append(f"{path}: a measurement may only include {ONE_HEADER_FOR_AUTHORS}, not {other}")
    for name in house.INCLUDE.findall(text):
        if "/" not in name and folder != "measurements":
            found.append(f"{path}: name {name} from src/: {folder}/{name}")
    return found, known


def picture():
    """The arrows as a diagram for readers; those that a way over others already says are left out."""
    def reach(start, direct):
        todo, seen = [direct], set()
        while todo:
            for other in ARROWS[todo.pop()] - seen:
                seen.add(other)
                todo.append(other)
        return seen

    lines = ["```mermaid", "flowchart TD"]
    for folder, known in ARROWS.items():
        shown = [other for other in sorted(known)
                 if not any(other in reach(folder, via) for via in known if via != other)]
        lines += [f"    {folder.replace('/', '_')}[{folder}] --> {other.replace('/', '_')}[{other}]"
                  for other in shown]
    lines += ["```", "", "| folder | may include |", "|---|---|"]
    lines += [f"| `{folder}` | {', '.join(f'`{other}`' for other in sorted(known)) or 'nothing of ours'} |"
              for folder, known in ARROWS.items()]
    return "\n".join(lines)


def main():
    if "--write" in sys.argv:
        documents.write_part(PICTURE, BEGIN, picture())
        return
    tap = Tap()
    # The check itself must be able to fail.
    for path, include, bad in (
            ("src/stats/a.c", '#include "comm/comm.h"', True),
            ("src/stats/a.c", '#include "stats/stats.h"', False),
            ("src/ski/a.c", "#include <shmem.h>", True),
            ("src/ski/a.c", "# include <mpi.h>", True),
            ("src/ski/a.c", '#include "comm/comm.h"', True),
            ("src/engine/a.c", '#include "ski/tree.h"', True),
            ("src/comm/a.h", '#include "clock/timer.h"', True),
            ("src/comm/a.c", "#include <shmem.h>", False),
            ("src/command/main.c", '#include "ski/script.h"', False),
            ("src/ski/a.c", '#include "command/options.h"', True),
            ("src/clock/counters.c", "#include <papi.h>", False),
            ("src/engine/a.c", "#include <papi.h>", True),
            ("src/known/known_file.c", "#include <jansson.h>", False),
            ("src/known/known.c", "#include <jansson.h>", True),
            ("src/new/a.c", "", True),
            ("measurements/a.c", '#include "engine/measurement.h"', False),
            ("measurements/a.c", '#include "engine/engine.h"', True),
            ("measurements/a.c", '#include "comm/comm.h"', True),
            ("measurements/a.c", "#include <shmem.h>", False),
            ("measurements/mpi/a.c", '#include "measurements/common/b.h"', False),
            ("measurements/mpi/a.c", '#include "measurements/shmem/b.h"', True),
    ):
        found, _ = violations(path, include, exists=lambda name:
                              name.startswith(("src/", "measurements/")) and not name.startswith("src/measurements/"))
        tap.equal(bool(found), bad, f"{path} with {include or 'nothing'}: "
                  f"{'refused' if bad else 'allowed'}")
    tap.equal(house.circles(ARROWS), [], "the arrows have no circle")

    used = {folder: set() for folder in ARROWS}
    files = tracked_files(*house.SOURCES)
    tap.ok(files, "there are files to check")
    for path in files:
        found, known = violations(path, read_text(ROOT, path))
        tap.ok(not found, f"{path} includes what it may", "\n".join(found))
        used.setdefault(house.folder_of(path), set()).update(known)
    for folder, known in ARROWS.items():
        tap.equal(known - used[folder], set(), f"{folder}: every arrow is needed")
    tap.ok(documents.read_part(PICTURE, BEGIN) == picture(), "ARCHITECTURE.md draws these arrows",
           "tests/check/test_includes.py --write brings it up to date")
    families = re.findall(r"^ *FAMILY\((\w+)\)", read_text(ROOT, "measurements", "registry.c"), re.MULTILINE)
    tap.equal(sorted(os.path.basename(path)[:-2] for path in tracked_files("measurements/*/*")
                     if not path.startswith("measurements/common/")), sorted(families),
              "each file of a folder of measurements is a family, except those in common")
    # Programs that run when things are built: the tracer's generator must not need the tools' modules.
    for path in tracked_files("src/*"):
        if not path.endswith((".c", ".h", ".md", ".xml", ".json")):
            tap.ok("skampi_tools" not in read_text(ROOT, path), f"{path} does not use scripts/skampi_tools")
    # What users start is complete without the tests.
    for path in tracked_files("mk/*", "scripts/*", "src/*", "measurements/*", "inputs/*"):
        if reached := reaches_tests(path, read_text(ROOT, path)):
            tap.ok(False, f"{path} starts and imports nothing of tests", "\n".join(reached))
    examples = {"a.py": 'HOSTS = os.path.join(ROOT, "tests", "hosts")', "mk/a": "#!/bin/sh\nx=$root/tests/run"}
    tap.ok(all(reaches_tests(*example) for example in examples.items()), "what reaches the tests is noticed")
    tap.done()


main()
