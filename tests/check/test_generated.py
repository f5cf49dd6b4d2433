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
from generate import functions, names, program


def check_names(tap):
    """Functions that share a row are exactly those that its pattern means."""
    texts = ["Shmem_Put_Round", "Shmem_Put_Full", "Shmem_Get_Round", "Shmem_Get_Full", "Shmem_Quiet"]
    parsed = names.take_apart(texts)
    tap.equal(names.patterns(parsed[t] for t in texts[:4]), ["Shmem_{Put,Get}_{Round,Full}"],
              "a pattern means several routines and forms")
    tap.equal(parsed["Shmem_Quiet"], names.Name("Shmem_Quiet"), "a routine called as a form is none")
    texts = ["Shmem_Sum", "Shmem_Sum_Int", "Shmem_Sum_Barrier", "Shmem_Sum_Int_Barrier"]
    parsed = names.take_apart(texts)
    tap.equal(names.patterns(parsed.values()), ["Shmem_Sum[_Int][_Barrier]"],
              "types and forms may be left out")


def signature(function):
    """As pages show it, of what --describe says."""
    return [f"{functions._type(p)} {p['name']}"
            + (f" = {functions._value(p, 'default')}" if "default" in p else "") for p in function["parameters"]]


def check_families(tap):
    """Each function is on the page of its family, in the table or in a pattern."""
    records = program.measurements()
    tap.ok(len(records) > 500, "the program has functions", str(len(records)))
    tap.ok(all(r["family"] != "unknown" for r in records), "each belongs to a family")
    for family in dict.fromkeys(r["family"] for r in records):
        page = functions.Family([r for r in records if r["family"] == family])
        shown = [f["name"] for group in page.groups() for f in group]
        tap.equal(sorted(shown), sorted(f["name"] for f in page.functions),
                  f"{family}: each function is in one row")
        mixed = [[f["name"] for f in group] for group in page.groups()
                 if len({str(signature(f)) for f in group}) > 1]
        tap.equal(mixed, [], f"{family}: functions of a row have the same signature")
        known = {f"({', '.join(signature(f))})" for f in page.functions}
        cells = re.findall(r"`[^`( ]*[A-Za-z\]}…](\([^`]*\))`", functions._functions(page).replace("\\|", "|"))
        strange = [text for text in cells if text not in known]
        tap.equal((bool(cells), strange), (True, []), f"{family}: each signature shown is one that --describe knows")


def main():
    tap = Tap()
    check_names(tap)
    check_families(tap)
    run = subprocess.run([os.path.join(ROOT, "mk", "docs"), "--check"], capture_output=True, text=True,
                         timeout=100, env={**os.environ, "SKAMPI_BUILD": harness.build_directory()})
    tap.ok(run.returncode == 0, "the documents are up to date", run.stderr)
    tap.done()


main()
