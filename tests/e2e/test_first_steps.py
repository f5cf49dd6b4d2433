#!/usr/bin/env python3
# TIMEOUT: 120
"""What a new user meets: a start without a launcher is noticed, names of the libraries' routines lead to
functions, unknown names and options get a suggestion."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ROOT, Tap, has, run, skampi

tap = Tap()
SETTINGS = "set_min_repetitions(2)\nset_max_repetitions(2)\n"
# ---- Without a launcher ----

function = "Shmem_Quiet(10)" if has("SHMEM") else "Barrier()"
launcher = "oshrun" if has("SHMEM") else "mpirun"
script = SETTINGS + 'begin measurement "b"\n  measure comm(1) : {}\nend measurement\n'
alone = skampi(script.format(function), launch=False)
tap.ok(alone.status == 0 and len(alone.rows) == 1
       and alone.err.split("\n")[0].startswith("skampi: warning: started without a launcher")
       and f"{launcher} -np 2 " in alone.err.split("\n")[0]
       and alone.err.split("\n")[0].endswith("-i test.ski"),
       "a start without a launcher says how to start on two PEs, and measures", alone)
tap.ok("launcher" not in skampi(script.format("wtime(10)"), launch=False).err,
       "... but not for what one PE measures alone")
tap.ok("launcher" not in skampi(script.format(function), np=1).err, "... and not with a launcher")

tap.done()
