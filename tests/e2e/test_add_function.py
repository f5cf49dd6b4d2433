#!/usr/bin/env python3
# TIMEOUT: 300
"""The function that measurements/README.md adds as an example can be added just so, and measured."""

import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import harness
from harness import ROOT, Tap, skampi

NAME = "Shmem_Swap_Long_Round"
COPIED = ("Makefile", "mk", "src", "measurements", "inputs")


def fences(text, language):
    """(file, contents) of the fences of that language that name a file."""
    return re.findall(rf"^```{language} file=(\S+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def copy_tree():
    """A copy of the sources and of what was built from them, so that little is compiled again."""
    top = os.path.join(harness.scratch_directory(), "tree")
    for name in (*COPIED, os.path.relpath(harness.build_directory(), ROOT)):
        source, target = os.path.join(ROOT, name), os.path.join(top, name)
        if os.path.isdir(source):
            shutil.copytree(source, target, symlinks=True,
                            ignore=shutil.ignore_patterns("tests", "sanitize-*"))
        else:
            os.makedirs(top, exist_ok=True)
            shutil.copy2(source, target)
    return top


def apply(diff, text):
    """Puts the + lines of a diff of one hunk in their place; None when that is not there once."""
    lines = diff.splitlines(keepends=True)
    old = "".join(line[1:] for line in lines if not line.startswith("+"))
    new = "".join(line[1:] for line in lines)
    return text.replace(old, new) if text.count(old) == 1 else None


def built(name):
    with open(os.path.join(harness.build_directory(), name), encoding="utf-8") as file:
        return file.read().strip()


def make_variables():
    """The settings of the build under test: with others, everything would be compiled anew."""
    wanted = ("CC", "SHMEM", "MPI", "PAPI", "SANITIZE", "CPPFLAGS", "CFLAGS", "LDFLAGS", "LDLIBS")
    found = dict(re.findall(r"(?:^| )([A-Z]+)=(.*?)(?= [A-Z]+=|$)", built("settings")))
    found["WERROR"] = "1" if "-Werror" in built("flags").split() else ""
    return [f"{name}={found[name]}" for name in (*wanted, "WERROR") if found.get(name)]


def build(top):
    return subprocess.run(["make", *make_variables()], cwd=top, check=False, timeout=280, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


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

    top = copy_tree()
    shutil.copy2(os.path.join(ROOT, ".clang-format"), top)
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
    made = build(top)
    if not tap.equal(made.returncode, 0, "it compiles", made.stdout):
        tap.done()
    tap.ok("warning:" not in made.stdout, "it compiles without warnings", made.stdout)
    tap.ok("measurements/swap.c" in made.stdout and "src/engine/measure.c" not in made.stdout,
           "only what changed is compiled", made.stdout)

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
