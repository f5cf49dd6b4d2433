#!/usr/bin/env python3
"""The lines at the end of a run: when they come, what they count, and colours of messages"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import Tap, skampi

SCRIPT = """set_skampi_buffer(1kb)
begin measurement "b"
  for count in [8, 2kb] do
    measure comm(1) : Shmem_Put_Round(count, 100)
  od
  measure comm(1) : Shmem_Nothing_Like_It(8)
end measurement
"""
GOOD = SCRIPT.replace("  measure comm(1) : Shmem_Nothing_Like_It(8)\n", "")
AUTO = {"SKAMPI_SUMMARY": None}

tap = Tap()
run = skampi(GOOD, np=1, args=["-o", "a.json"], env=AUTO)
lines = run.err.splitlines()
tap.equal(run.status, 3, "a point does not fit", run)
tap.ok(len(lines) >= 4 and ": warning: " in lines[0] and lines[1].startswith("skampi: 1 result, ") and
       ", 1 missing, in " in lines[1], "with results in a file the run ends with what it came to", run)
tap.ok(any(line.startswith("  missing     1 too_large: Shmem_Put_Round(count=2048, iterations=100): ")
           for line in lines), "what is missing, and why", run)
tap.equal(lines[-2:-1], ["  written to  a.json"], "which files there are")
# Which of them depends on how busy the machine is; tests/unit/test_summary.c has the choice.
tools = ("/skampi table a.json", "/skampi report a.json -o report.html", " --rounds 10,60s")
tap.ok(lines[-1].startswith("  next        ") and lines[-1].endswith(tools), "what to type next", run)
done = os.path.join(run.directory, lines[-1].split()[1])
tap.ok(os.access(done, os.X_OK), "that program is there", done)

# What the header and the end of a run say is what a shell reads.
named = skampi(args=["Shmem_Put_Roun[d]", "count=8", "-f", "json", "-o", "a b", "--time-limit", "1m"], np=2, env=AUTO)
tap.ok(named.err.splitlines()[-1].startswith("  next        oshrun -np 2 /") and
       " 'Shmem_Put_Roun[d]' count=8 -f json " in named.err.splitlines()[-1],
       "what starts the run again: with the launcher, and quoted", named)
plain = skampi(args=["Shmem_Put_Roun[d]", "count=8"], np=2)
tap.ok(" 'Shmem_Put_Roun[d]' count=8\n" in plain.out, "the command line in the header is quoted", plain)

for args, env, what in ((["-o", "a.json"], {"SKAMPI_SUMMARY": "never"}, "SKAMPI_SUMMARY=never"),
                        (["-o", "a.json", "--summary", "never"], AUTO, "--summary never"),
                        ([], AUTO, "results on standard output, no terminal"),
                        (["-o", "a.json", "--estimate"], {"SKAMPI_SUMMARY": "always"}, "an estimate"),
                        (["-n"], {"SKAMPI_SUMMARY": "always"}, "a check of the script")):
    run = skampi(GOOD, np=1, args=args, env=env)
    tap.ok("written to" not in run.err and "result" not in run.err, f"{what}: no summary", run)
run = skampi(GOOD, np=1, args=["--summary", "always"], env={"SKAMPI_SUMMARY": "never"})
tap.ok("  written to  standard output\n" in run.err, "--summary decides", run)

run = skampi(GOOD, np=1, args=["-o", "/dev/full"], env={"SKAMPI_SUMMARY": "always"})
tap.ok(run.status == 1 and "cannot be written" in run.err and "written to" not in run.err,
       "no summary of what could not be written", run)
for args, env in ((["--summary", "maybe"], {}), (["--color", "red"], {}), ([], {"SKAMPI_SUMMARY": "maybe"})):
    run = skampi(GOOD, np=1, args=args, env=env)
    tap.ok(run.status == 2 and run.err.endswith(": give auto, always or never\n") and run.err.count("\n") == 1,
           f"{args} {env}: refused", run)

# ---- Colours of messages ----

run = skampi(SCRIPT, np=1, args=["--color", "always"])
tap.ok(run.status == 2 and "\033[1;31m error:\033[0m" in run.err and "\033[1;32m" in run.err.splitlines()[2],
       "errors and carets are coloured", run)
plain = skampi(SCRIPT, np=1)
strip = run.err
for code in ("\033[0m", "\033[1m", "\033[1;31m", "\033[1;32m", "\033[1;33m"):
    strip = strip.replace(code, "")
tap.equal(strip, plain.err, "and say the same as without")
tap.ok("\033" not in plain.err, "no colours where there is no terminal", plain)
tap.done()
