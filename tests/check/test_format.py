#!/usr/bin/env python3
"""C files are formatted as .clang-format says; shell scripts pass shellcheck; Python compiles, and finds what it imports;
scripts are executable."""

import importlib
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap, read_text, tracked_files

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
