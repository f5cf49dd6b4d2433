#!/usr/bin/env python3
"""C files are formatted as .clang-format says; shell scripts pass shellcheck; Python compiles, and finds what it imports;
scripts are executable; no file is too long to be read as a whole."""

import importlib
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap, read_text, tracked_files

MOST_LINES = 800  # CONTRIBUTING.md, "Style"

tap = Tap()


def each_passes(tool, arguments, files, what):
    """One check a file, one run of the tool for all while they pass."""
    if not files:
        return
    if not shutil.which(tool):
        tap.skip(f"{what}", f"{tool} is not installed")
        return
    if subprocess.run([tool, *arguments, *files], cwd=ROOT, capture_output=True,
                      check=False).returncode == 0:
        tap.ok(True, f"{what}: all {len(files)}")
        return
    for path in files:
        one = subprocess.run([tool, *arguments, path], cwd=ROOT, capture_output=True, check=False)
        tap.ok(one.returncode == 0, f"{what}: {path}",
               (one.stdout + one.stderr).decode(errors="replace")[:2000])


def too_long(path, text):
    """What is wrong with a file of more than MOST_LINES lines; None: it has no more."""
    lines = text.count("\n")
    return f"{path} has {lines} lines, {MOST_LINES} is the limit: split it by subject" if lines > MOST_LINES else None


def first_line(path):
    with open(os.path.join(ROOT, path), "rb") as file:
        return file.readline().decode(errors="replace")


each_passes("clang-format", ["--dry-run", "-Werror"], tracked_files("*.c", "*.h"),
            "C formatted as .clang-format says")

scripts = {path: first_line(path) for path in tracked_files() if first_line(path).startswith("#!")}
shell = sorted(p for p, line in scripts.items() if line.split()[-1].split("/")[-1] in ("sh", "bash"))
each_passes("shellcheck", ["-x"], shell, "shellcheck")
tap.ok(shell, "there are shell scripts")
for path in sorted(scripts):
    tap.ok(os.access(os.path.join(ROOT, path), os.X_OK), f"{path} is executable")

python = {p for p, line in scripts.items() if "python" in line} | set(tracked_files("*.py"))
for path in sorted(python):
    try:
        compile(read_text(ROOT, path), path, "exec", dont_inherit=True)
        problem = None
    except SyntaxError as error:
        problem = str(error)
    tap.ok(problem is None, f"{path} is Python", problem)

# The check itself must be able to fail.
tap.equal([bool(too_long("a.c", "\n" * lines)) for lines in (MOST_LINES, MOST_LINES + 1)], [False, True],
          "files that are too long are found")
measured = {path for path in set(tracked_files("*.c", "*.h")) | python
            if path.startswith(("src/", "measurements/", "scripts/", "mk/", "tests/"))}
tap.ok(len(measured) > 300, "there are files whose lines are counted", str(len(measured)))
tap.equal([found for path in sorted(measured) if (found := too_long(path, read_text(ROOT, path)))], [],
          f"no file has more than {MOST_LINES} lines")

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "scripts"))
wrong = []
for path in tracked_files("scripts/skampi_tools/*.py"):
    module = path.removeprefix("scripts/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    try:
        importlib.import_module(module)
    except ImportError as error:
        if (error.name or "").startswith("skampi_tools"):  # Others may be packages that are not installed.
            wrong.append(f"{path}: {error}")
tap.equal(wrong, [], "modules of the tools have what others import from them")
tap.done()
