#!/usr/bin/env python3
"""What the documents name exists: make targets, links, programs, messages; no file names a place that
only one machine has."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap, tracked_files

# Written so that this file does not find itself.
LOCAL = re.compile(rb"(?<![\w./$}~-])/(?:" + rb"|".join([b"work", b"home", b"root", b"Users"])
                   + rb")/\w")
# A Python file may have directives before it.
PURPOSE = re.compile(r'(?:#.*\n)*"""\W*\w+(\W+\w+){3}|/\*\s+(?:\* )?\w+(\W+\w+){3}')
BINARY = (".png", ".svg", ".pdf", ".otf2", ".trace")


def read(path, mode="r"):
    with open(os.path.join(ROOT, path), mode, **({} if "b" in mode else {"encoding": "utf-8"})) as f:
        return f.read()


tap = Tap()

targets = {name for names in re.findall(r"^([a-z -]+):(?!=)", read("Makefile"), re.MULTILINE)
           for name in names.split()}
documents = tracked_files("*.md")
tap.ok("README.md" in documents, "there is a README.md")
for path in documents:
    text = read(path)
    # Commands stand in `...` or on lines of code blocks.
    code = re.findall(r"`([^`\n]+)`", text) + re.findall(r"^(?:\$ )?(.+)$", "\n".join(
        re.findall(r"^```[^\n]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)), re.MULTILINE)
    named = set()
    for line in code:
        if command := re.match(r"make(?: +[^#;&|]*)?$", line.split("#")[0].strip()):
            words = re.sub(r"=(\"[^\"]*\"|'[^']*'|\S*)", "=", command.group(0)).split()[1:]
            if "-C" not in words:  # with -C it is another Makefile
                named |= {w for w in words if re.fullmatch(r"[a-z][a-z-]*", w)}
    unknown = sorted(named - targets)
    tap.ok(not unknown, f"{path}: its make targets exist", f"not in the Makefile: {unknown}")

    links = re.findall(r"\]\(([^)#\s]+)", re.sub(r"`[^`\n]*`", "", text))
    broken = [link for link in links if not re.match(r"[a-z]+:", link) and not os.path.exists(
        os.path.join(ROOT, os.path.dirname(path), link))]
    tap.ok(not broken, f"{path}: its links lead somewhere", f"broken: {broken}")

# Messages in the table of troubles, as the sources have them: literals joined, plurals by %s.
sources = "".join(read(path) for path in tracked_files() if re.match(r"(src|scripts|mk)/|Makefile", path)
                  and not path.endswith(BINARY) and re.search(r"\.(c|h|py)$|/[\w-]+$|^Makefile$", path))
sources = re.sub(r"(?<=\w)%s", "s", re.sub(r"\"\s*\n\s*f?\"", "", sources))
for row in re.findall(r"^\| (.*?) \|", read("docs/guide.md").split("## Troubleshooting")[1], re.MULTILINE):
    for message in [] if row.startswith("Open MPI") else re.findall(r"`([^`]+ [^`]+ [^`]+)`", row):
        parts = [part.strip() for part in re.sub(r"^(warning|skampi|\w+\(\)): ", "", message).split("…")]
        tap.ok(all(part in sources for part in parts), f"docs/guide.md: a source has the message '{message}'")

tap.ok({"all", "install", "quickstart", "check", "bench", "docs", "clean"} <= targets,
       "the Makefile has the targets of the architecture", f"has {sorted(targets)}")

version = re.search(r"^VERSION := (\S+)$", read("Makefile"), re.MULTILINE).group(1)
tap.ok(f"\nversion: {version}\n" in read("CITATION.cff"), "CITATION.cff has the version of the Makefile", version)

# The table in tests/README.md takes it from there.
silent = [path for path in tracked_files("tests/*/test_*.c", "tests/*/test_*.py") if not PURPOSE.match(read(path))]
tap.equal(silent, [], "every test file begins with a sentence that says what it is for")

tap.ok(LOCAL.search(b" /" + b"home/me"), "a local path is noticed")
tap.ok(not LOCAL.search(b"/usr/local/home/me and $HOME/work/x"), "other paths are not")
local = []
for path in tracked_files():
    if not path.endswith(BINARY):
        for number, line in enumerate(read(path, "rb").splitlines(), 1):
            if LOCAL.search(line):
                local.append(f"{path}:{number}: {line.decode(errors='replace').strip()}")
tap.ok(not local, "no file names a place of one machine", "\n".join(local))
tap.done()
