#!/usr/bin/env python3
# LONG
# TIMEOUT: 120
"""skampi --estimate works for scripts that use what they measured, skampi-job shows why an estimate
failed, and both show progress in lines where there is no terminal."""

import json
import os
import re
import stat
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import schema
from harness import ROOT, Tap, in_parallel, run, scratch_directory, skampi, write_text

JOB = os.path.join(ROOT, "scripts/skampi-job")
tap = Tap()

# 100 measurements, of which an estimate makes 7: the others have the time of the last of these.
script = """
set_min_repetitions(2)
set_max_repetitions(2)
begin measurement "asks"
  n = 0
  for i = 1 to 100 do
    measure comm(1) : wtime(10)
    if last_time() >= 0.0 then
      n = n + 1
    fi
  od
  assert(n == 100, "each measurement has a time")
end measurement
"""
asked = skampi(script, np=1, args=["--estimate"])
tap.ok(asked.status == 0 and re.match(r"100 measurements in 1 block at 1 PE: about \S+ s, from 7 probes",
                                      asked.out), "an estimate knows the last time", asked)
record = skampi(script, np=1, args=["--estimate", "-f", "json"])
stated = json.loads(record.out)
tap.ok(record.status == 0 and {**stated, "seconds": 0, "probing": 0} == {
    "record": "estimate", "measurements": 100, "blocks": 1, "pes": 1, "seconds": 0, "probes": 7, "probing": 0}
    and 0 < stated["probing"] and 0 < stated["seconds"], "-f json: an estimate is a record", record)
schema.check(tap, "an estimate", [stated])
early = skampi('begin measurement "b"\n  print last_time()\nend measurement\n', np=1)
tap.ok(early.status == 2 and "nothing has been measured" in early.err,
       "before anything is measured there is no last time", early)

# ---- skampi-job ----

folder = scratch_directory()
program = os.path.join(folder, "skampi")
write_text(program, "#!/bin/sh\n[ \"$1\" != --version ] || { echo skampi; exit; }\n"
                    "echo \"my.ski:7:3: error: unknown function 'Shmem_Putt'\" >&2\n"
                    "echo '---------' >&2\necho 'oshrun detected that one or more processes exited' >&2\n"
                    "exit 2\n")
os.chmod(program, stat.S_IRWXU)
write_text(os.path.join(folder, "my.ski"), "x = 1\n")
failed = run([JOB, "slurm", "my.ski", "--nodes", "1", "--cores", "2", "--estimate-launch", "env"],
             {"SKAMPI_PROGRAM": program, "SKAMPI_LAUNCH": None, "SKAMPI_SCRIPT": None}, cwd=folder)
tap.ok(failed.status == 2 and "status 2: my.ski:7:3: error: unknown function 'Shmem_Putt'; " in failed.err
       and failed.err.count("\n") == 1, "skampi-job says what was wrong with the script", failed)

# ---- Progress, where there is no terminal ----

SLOW = """
n = 0
begin measurement "slow"
  for i = 1 to n do
    measure comm(1) : Clock_Drift(4.0)
  od
end measurement
"""
for what, done in in_parallel((["--set", "n=3"], ["--set", "n=5", "--estimate"]), lambda arguments: skampi(
        SLOW, np=1, args=[*arguments, "-o", "a.sko"], progress=True)):
    lines = [line for line in done.err.splitlines() if line]
    before = "estimate, " if "--estimate" in what else ""
    tap.ok(done.status == 0 and len(lines) == 1 and "\r" not in done.err and
           re.match(rf"skampi: \[{before}block 1/1.*\] slow: Clock_Drift\(seconds=4", lines[0]),
           f"{' '.join(what)}: a line after 10 seconds", done)

tap.done()
