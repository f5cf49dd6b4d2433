#!/usr/bin/env python3
# LONG
# PLAIN
"""The baseline in Coarray Fortran is left out where it cannot be compiled, and else has all its lines."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap, run, scratch_directory

tap = Tap()
folder = os.path.join(scratch_directory(), "figures")
without = run(["mk/native", folder], {"NATIVE_FC": "no-such-compiler"}, cwd=ROOT)
tap.ok(without.status == 0 and "left out" in without.out and not os.path.exists(f"{folder}/native.txt"),
       "without a compiler it is left out, and that is no failure", without)
measured = run(["mk/native", folder], cwd=ROOT, timeout=100)
if "left out" in measured.out:
    tap.skip("the baseline", "libcoarrays-openmpi-dev is not installed")
else:
    with open(f"{folder}/native.txt", encoding="utf-8") as file:
        lines = [line.split() for line in file if not line.startswith("#")]
    tap.equal([line[:3] for line in lines],
              [["pairs_put", "2", str(8 ** k)] for k in range(1, 7)] + 2 * [["lock_alone", "2", "0"]]
              + [["lock_wanted_by_all", "2", "0"]], "the baseline has all its lines", measured)
    tap.ok(all(float(line[3]) > 0 for line in lines), "each took some time", lines)
tap.done()
