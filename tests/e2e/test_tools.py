#!/usr/bin/env python3
# PLAIN
# TIMEOUT: 120
"""All programs in scripts/ have a version, a manual page and completion, do nothing without arguments, and
call their output by one rule."""

import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap, run, scratch_directory, tracked_files
from made_results import point, write

sys.path.insert(0, os.path.join(ROOT, "scripts"))
from skampi_tools import cli

tap = Tap()
TOOLS = [os.path.join(ROOT, name) for name in tracked_files("scripts/skampi-*", "scripts/shmembench")]
tap.ok(len(TOOLS) >= 10, "there are programs", TOOLS)


def offered(tool, text, word):
    """What bash offers for a word."""
    source = os.path.join(scratch_directory(), "completion")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    name = os.path.basename(tool)
    script = ('source "$1"; complete -p "$2" >/dev/null || exit; COMPREPLY=()\n'
              '"$3" "$2" "$4" "$2"; printf "%s\\n" "${COMPREPLY[@]}"')
    function = "_" + name.replace("-", "_")
    return run(["bash", "--norc", "-eu", "-c", script, "bash", source, name, function, word]).out.split()


for tool in TOOLS:
    name = os.path.basename(tool)
    version, usage, page, completion = (run([tool, option]) for option in
                                        ("--version", "--help", "--man", "--completion"))
    tap.ok(version.status == 0 and re.fullmatch(rf"{name} \d+\.\d+\.\d+.*\n", version.out) and
           run([tool, "-V"]).out == version.out, f"{name} --version", version)
    options = set(re.findall(r"^ {2,8}(?:-\w(?: [A-Z]+)?, +)?(--[a-z-]+)", usage.out, re.MULTILINE))
    shown = page.out.replace("\\-", "-")
    tap.ok(page.status == 0 and page.out.startswith(f".TH {name.upper()}".replace("-", "\\-")) and
           {"--version", "--help"} < options and not [o for o in options if o not in shown],
           f"{name} --man tells every option", f"{options} {page}")
    if shutil.which("groff"):
        rendered = run(["groff", "-man", "-ww", "-z"], stdin=page.out)
        tap.ok(rendered.status == 0 and not rendered.err, "... and renders without warnings", rendered)
    tap.ok(completion.status == 0 and options <= set(offered(tool, completion.out, "--")),
           f"{name} --completion offers every option", completion)
    if shutil.which("shellcheck"):
        checked = run(["shellcheck", "-s", "bash", "-"], stdin=completion.out)
        tap.equal(checked.status, 0, "... and passes shellcheck", checked)
    folder = scratch_directory()
    nothing = run([tool], cwd=folder)
    tap.ok(nothing.status == 2 and not nothing.out and not os.listdir(folder),
           f"{name} does nothing without arguments", nothing)

tap.equal([cli.default_output(path, ".html") for path in ("a.json", "/x/b.c.json", "dir/", "-")],
          ["a.html", "b.c.html", "dir.html", "skampi.html"], "outputs are called as their inputs")
folder = scratch_directory()
write(os.path.join(folder, "a.json"), [point("put", "F", {"count": 8}, 1e-6)])
made = run([os.path.join(ROOT, "scripts/skampi-report"), "a.json"], cwd=folder)
tap.ok(made.status == 0 and sorted(os.listdir(folder)) == ["a.html", "a.json"], "skampi-report a.json: a.html",
       made)
coverage = run([os.path.join(ROOT, "scripts/skampi-coverage")], cwd=folder)
tap.ok("usage: skampi-coverage" in coverage.err and "nothing is measured" in coverage.err,
       "skampi-coverage shows its usage", coverage)
tap.done()
