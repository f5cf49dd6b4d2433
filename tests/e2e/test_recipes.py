#!/usr/bin/env python3
# LONG
# TIMEOUT: 300
"""What documents tell users to type works.

The scripts in fences ```ski recipe run as they are printed. So do, in the order of a document and in one
directory, the commands in fences ```sh run (```sh run status=4: the last one ends so). In the other
fences ```sh, and in those, each program and each option exists. Examples in docs/functions are right.

A fence ``` right after ```sh run is what the last command shows: its lines must be there, whatever their numbers.
`test_recipes.py [--write] PAGE...` does so for these pages, and writes what the commands show now."""

import os
import re
import shlex
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from harness import ROOT, read_text, write_text

matplotlib = harness.optional("matplotlib")
FENCE = re.compile(r"^( *)```([^\n]*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
# Lines of which a measurement decides whether they are there, and such with paths.
BY_CHANCE = re.compile(r"\* doubtful|subtracted: |cannot tell|faster |slower |unchanged |\d+ unchanged|\d+ points: |#P|.*\.\.\.|"
                       r" +state \d|\d+ of \d+ points? ha|skampi: stopped by")
PROGRAMS = re.compile(r"(?:scripts/|\./)?(skampi(?:-\w+)?|shmembench)$")
# oshrun -np N PROGRAM, wherever the tests run; a function on the command line takes no second for each point.
LAUNCHER = """#!/bin/sh
[ "$1" = -np ] || exit 97
pes=$2 program=$(command -v "$3")
shift 3
case " $* " in
*" -i "* | *" --quick "* | *" --p"*) ;;
" Shmem_"*) set -- "$@" --point-time 0.1 ;;
esac
PATH={path} exec {root}/mk/launch "$pes" "$program" "$@"
"""


class Fence:
    def __init__(self, found):
        indent, words, text = found.groups()
        self.words = shlex.split(words)
        self.indent, (self.begin, self.end) = indent, found.span(3)
        self.shown = None  # of a command: the fence with what it shows
        self.text = re.sub(rf"^{indent}", "", text, flags=re.MULTILINE)
        self.options = dict(word.partition("=")[::2] for word in self.words[1:])

    def commands(self):
        joined = self.text.replace("\\\n", " ")
        return [line for line in (line.strip() for line in joined.splitlines())
                if line and not line.startswith("#")]


def read_fences(path):
    text = read_text(ROOT, path)
    fences = [Fence(found) for found in FENCE.finditer(text)]
    for fence, follower in zip(fences, fences[1:]):
        if fence.words[:2] == ["sh", "run"] and not follower.words and not text[fence.end:follower.begin].replace("`", "").strip():
            fence.shown = follower
    return fences


def shape(line):
    """A line whatever its numbers, units of time and marks, and in however many states the machine was."""
    line = re.sub(r"(?<![\w.-])(-?[\d.][\d.:,e+-]*|---|\?)(?!\S)( [num]?s\b)?", "#", line.removesuffix(" *").replace(" * ", "  ").replace(" >", " "))
    line = re.sub(r" in state #|\[[num]?s\]", "", line)
    return re.sub("#( #)+", "#", " ".join(line.split()))


def write(path, shown):
    """Puts what commands showed into the fences after them: (fence, text)."""
    path = os.path.join(ROOT, path)
    text = read_text(path)
    for fence, new in reversed([(fence, new) for fence, new in shown if "..." not in fence.text]):
        text = text[:fence.begin] + re.sub(r"^(?=.)", fence.indent, new, flags=re.MULTILINE) + text[fence.end:]
    write_text(path, text)


def check_shown(tap, path, fence, run):
    there = {shape(line) for line in (run.out + run.err).splitlines()}
    missing = [line for line in fence.text.splitlines() if not BY_CHANCE.match(line) and shape(line) not in there]
    tap.equal(missing, [], f"{path}: the page shows what its command does", run)


def check_recipe(tap, script):
    name = re.search(r'begin measurement "(.*)"', script).group(1)
    run = harness.skampi(script, np=2)
    printed = re.findall(r"^#P\[0\] (\d+) bytes: (-?[\d.e+]+) ns more", run.out, re.MULTILINE)
    tap.ok(run.status == 0 and len(run.rows) == 1 + len(printed) == 10, f"{name}: runs", run)
    more = {int(count): float(time) for count, time in printed}
    # 64 KiB take longer than a byte on any machine.
    tap.ok(more and more[65536] > 0, f"{name}: what it prints is a difference", more)


def run_commands(tap, path, fences):
    """Those of a document, one after the other in a directory with its files. Returns what is to be seen in fences."""
    shown = []
    directory, programs = harness.scratch_directory(), harness.scratch_directory()
    launcher = os.path.join(programs, "oshrun")
    write_text(launcher, LAUNCHER.format(root=shlex.quote(ROOT), path=shlex.quote(os.environ["PATH"])), 0o755)
    os.symlink(harness.program(), os.path.join(programs, "skampi"))
    places = [programs, os.path.join(ROOT, "scripts"), os.environ["PATH"]]
    env = {**harness.launch_environment(), "PATH": os.pathsep.join(places)}
    for fence in fences:
        if fence.words[:1] == ["ski"] and "file" in fence.options:
            write_text(os.path.join(directory, fence.options["file"]), fence.text)
        if fence.words[:2] != ["sh", "run"]:
            continue
        commands = fence.commands()
        for command in commands:
            if "skampi-plot" in command and not matplotlib:
                tap.skip(f"{path}: {command}", "matplotlib is not installed")
                continue
            wanted = int(fence.options.get("status", 0)) if command == commands[-1] else 0
            run = harness.run(["sh", "-c", command], env, 120, directory)
            tap.equal(run.status, wanted, f"{path}: {command}", run)
        if fence.shown:
            check_shown(tap, path, fence.shown, run)
            shown.append((fence.shown, run.out or run.err))
    return shown


VIEWS = {"shmembench": [["compare"]], "skampi-campaign": [["coverage"]],
         "skampi-table": [["fastest"], ["load"], ["progress"], ["shares"]]}


def known_options(program):
    path = harness.program() if program == "skampi" else os.path.join(ROOT, "scripts", program)
    texts = [harness.run([path, *view, "--help"]).out for view in [[], *VIEWS.get(program, [])]]
    return set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", "".join(texts)))


def unknown_options(command, known):
    """Options in a command that its program does not have: what follows the program, up to a |."""
    unknown, program = [], None
    for word in shlex.split(command, comments=True):
        if found := PROGRAMS.match(word):
            program = found.group(1)
        elif word in ("|", ";", "&&", "||", "--"):
            program = None
        elif program == "skampi" and os.path.exists(os.path.join(ROOT, "scripts", f"skampi-{word}")):
            program = f"skampi-{word}"
        elif program and re.match(r"--?[a-zA-Z]", word):
            if program not in known:
                known[program] = known_options(program)
            if word.split("=")[0] not in known[program]:
                unknown.append(f"{program} {word}")
    return unknown


def main():
    if not harness.has("SHMEM"):
        harness.skip_all("built without OpenSHMEM")
    tap = harness.Tap()
    if len(sys.argv) > 1:
        for path in sys.argv[1:]:
            if path != "--write":
                shown = run_commands(tap, path, read_fences(path))
                write(path, shown if "--write" in sys.argv else [])
        tap.done()
        return
    known, recipes, examples, run = {}, 0, 0, 0
    for path in harness.tracked_files("*.md"):
        fences = read_fences(path)
        for fence in fences:
            if fence.words == ["ski", "recipe"]:
                recipes += 1
                check_recipe(tap, fence.text)
        commands = [c for fence in fences if fence.words[:1] == ["sh"] for c in fence.commands()]
        if commands:
            unknown = [text for command in commands for text in unknown_options(command, known)]
            tap.equal(unknown, [], f"{path}: options in commands exist")
        run += sum(fence.words[:2] == ["sh", "run"] for fence in fences)
        run_commands(tap, path, fences)
        if path.startswith("docs/functions/"):
            for fence in fences:
                if fence.words == ["ski"]:
                    examples += 1
                    checked = harness.skampi(fence.text, args=["-n"], launch=False)
                    tap.ok(checked.status == 0, f"{path}: its example is right", checked)
    tap.ok(examples > 20, "there are examples of functions")
    tap.ok(recipes >= 1, "there are recipes")
    tap.ok(run >= 1, "there are commands to be run")
    tap.equal(unknown_options("oshrun -np 2 skampi -i a.ski --no-such 1 | sort -u", known), ["skampi --no-such"],
              "an unknown option is noticed")
    tap.done()


main()
