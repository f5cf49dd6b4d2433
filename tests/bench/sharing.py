#!/usr/bin/env python3
"""What all PEs do together for a point that two of them measure, against the number of PEs: part of
`make bench`. More PEs than processors: what grows with their number is seen, the times include waiting for a processor."""

import json
import os
import re
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support", "lib"))

import harness

RUNS = 3
POINTS = 100
PES = (2, 4, 8, 16, 32, 64)
SCRIPT = f"""set_min_repetitions(4)
set_max_repetitions(4)
set_controls(0)
begin measurement "small set"
  for i = 1 to {POINTS} do
    measure comm(2) : wtime(1)
  od
end measurement
"""
COUNTED = re.compile(r"^shared: .*: (\d+) collectives of all PEs, (\d+) messages; ", re.MULTILINE)


def measured(pes, script):
    """(collectives, messages, seconds) of a point: the most of all but the first, the mean."""
    out = os.path.join(harness.scratch_directory(), "sharing.json")
    line = harness.launch_line(pes, [harness.program(), "-d", "64", "-i", script, "--force", "-o", out])
    run = harness.run(line, harness.launch_environment(), timeout=120)
    counted = [tuple(map(int, found)) for found in COUNTED.findall(run.err)][1:]
    if run.status != 0 or len(counted) != POINTS - 1:
        sys.exit(f"bench: {run}")
    with open(out, encoding="utf-8") as file:
        ends = [record["at"] for record in map(json.loads, file) if record.get("record") == "result"]
    return (*map(max, zip(*counted)), (ends[-1] - ends[0]) / (POINTS - 1))


def bench_sharing():
    """Prints a line for each number of PEs."""
    script = os.path.join(harness.scratch_directory(), "sharing.ski")
    with open(script, "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    print(f"\na point of two PEs, what all PEs do for it; of {RUNS} runs the fastest")
    print(f"{'PEs':>5}{'collectives':>14}{'messages':>12}{'time':>14}")
    for pes in PES:
        collectives, messages, seconds = min((measured(pes, script) for _ in range(RUNS)), key=lambda found: found[2])
        print(f"{pes:5}{collectives:14}{messages:12}{1e6 * seconds:11.0f} us", flush=True)


if __name__ == "__main__":
    bench_sharing()
