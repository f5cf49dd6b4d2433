#!/usr/bin/env python3
"""What `make docs` generates in the documents is what the program says now, and mk/docs notices what
is not."""

import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from harness import ROOT, Tap

sys.path.insert(0, os.path.join(ROOT, "mk"))
from generate import functions, program


def check_families(tap):
    """Each function is on the page of its family, in one row, with all its arguments."""
    records = program.measurements()
    tap.ok(len(records) > 500, "the program has functions", str(len(records)))
    tap.ok(all(r["family"] != "unknown" for r in records), "each belongs to a family")
    for family in dict.fromkeys(r["family"] for r in records):
        wanted = {r["name"]: [f"{functions._type(p)} {p['name']}" for p in r["parameters"]]
                  for r in records if r["family"] == family}
        shown = re.findall(r"^\| `(\w+)\((.*?)\)` \|", functions.family(family).replace("\\|", "|"), re.MULTILINE)
        arguments = {name: [text.partition(" = ")[0] for text in given.split(", ") if text] for name, given in shown}
        tap.equal((len(shown), arguments), (len(wanted), wanted), f"{family}: each function is in one row, as --describe has it")


def main():
    tap = Tap()
    check_families(tap)
    run = subprocess.run([os.path.join(ROOT, "mk", "docs"), "--check"], capture_output=True, text=True,
                         timeout=100, env={**os.environ, "SKAMPI_BUILD": harness.build_directory()})
    tap.ok(run.returncode == 0, "the documents are up to date", run.stderr)
    tap.done()


main()
