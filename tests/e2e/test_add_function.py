#!/usr/bin/env python3
# LONG
# TIMEOUT: 300
"""The function that measurements/README.md adds as an example can be added just so, and measured."""

import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import builds
import harness
from harness import ROOT, Tap, skampi

NAME = "Shmem_Swap_Long_Round"


def fences(text, language):
    """(file, contents) of the fences of that language that name a file."""
    return re.findall(rf"^```{language} file=(\S+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def apply(diff, text):
    """Puts the + lines of a diff of one hunk in their place; None when that is not there once."""
    lines = diff.splitlines(keepends=True)
    old = "".join(line[1:] for line in lines if not line.startswith("+"))
    new = "".join(line[1:] for line in lines)
    return text.replace(old, new) if text.count(old) == 1 else None


def check_format(tap, path):
    if not shutil.which("clang-format"):
        tap.skip("the example is formatted", "clang-format is not installed")
        return
    done = subprocess.run(["clang-format", "--dry-run", "-Werror", "--style=file", path], cwd=ROOT,
                          capture_output=True, text=True, check=False)
    tap.equal(done.returncode, 0, "the example is formatted", done.stderr)


def main():
    tap = Tap()
    with open(os.path.join(ROOT, "measurements", "README.md"), encoding="utf-8") as file:
        text = file.read()
    sources, diffs = fences(text, "c"), fences(text, "diff")
    scripts = re.findall(r"^```ski\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    tap.equal((len(sources), len(diffs), len(scripts)), (1, 1, 1), "there is one example")
    tap.ok(skampi(args=["--describe", NAME], launch=False).status == 2,
           "the function is not there yet")

    top = builds.copy_tree(built=True)
    for path, contents in sources:
        with open(os.path.join(top, path), "w", encoding="utf-8") as file:
            file.write(contents)
        check_format(tap, os.path.join(top, path))
    for path, diff in diffs:
        with open(os.path.join(top, path), encoding="utf-8") as file:
            changed = apply(diff, file.read())
        if not tap.ok(changed, f"{path} can be changed so"):
            tap.done()
        with open(os.path.join(top, path), "w", encoding="utf-8") as file:
            file.write(changed)
    made = builds.make(top, *builds.built_variables(), timeout=280)
    if not tap.equal(made.status, 0, "it compiles", made):
        tap.done()
    tap.ok("warning:" not in made.err, "it compiles without warnings", made)
    tap.ok("measurements/swap.c" in made.out and "src/engine/measure.c" not in made.out,
           "only what changed is compiled", made)

    folder = os.path.relpath(harness.build_directory(), ROOT)
    program = os.path.join(top, "" if folder == "build" else folder, "skampi")
    described = skampi(args=["--describe", NAME], launch=False, executable=program)
    tap.equal(described.status, 0, "--describe knows it", described)
    tap.ok("timed: atomic swap" in described.out, "--describe says what is timed", described)
    listed = skampi(args=["--list", "Swap_Long"], launch=False, executable=program)
    tap.ok(f"{NAME}(int iterations)" in listed.out, "--list shows how it is called", listed)
    for pes in (1, 2, 3) if harness.has("SHMEM") else ():
        run = skampi(scripts[0], np=pes, executable=program)
        tap.equal(run.status, 0, f"on {pes} PEs it is measured", run)
        tap.ok(len(run.rows) == 1 and run.rows[0].bytes == 8 and run.rows[0].time > 0
               and len(run.rows[0].per_pe) == pes, f"on {pes} PEs there is a result", run)
    tap.done()


main()
