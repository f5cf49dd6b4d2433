#!/usr/bin/env python3
# TIMEOUT: 400
"""What --factors finds on a network with a programmed trap, by a simulated clock: the factor that the cost depends on,
where, how much, and at which sizes; and nothing where nothing is programmed. How many runs of each is an argument."""

import json
import os
import sys

import truth
from truth import harness
from harness import BOUND, SAMPLE, Tap

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 1
SIZES = "4kb,16kb,64kb"
ADDRESSES = "relative,source,target"

tap = Tap()


def measure(trap, seed, factors, sizes=SIZES, pes=2):
    """The records of a run, by their kind."""
    network = truth.Network(300, 2000, 100, kib=50, clock="simulated", noise="0.03:0.005", seed=seed, trap=trap)
    path = os.path.join(harness.scratch_directory(), "factors.json")
    command = [harness.program(), "Shmem_Put_Round", "--sizes", sizes, "--iterations", "5", f"--factors={factors}", "--quick",
               "--seed", str(seed), "--timer", "clock_gettime", "-o", path, "--force"]
    run = truth.launch(pes, command, {**network.environment(), **(BOUND if "order" in factors else {})})
    if run.status != 0:
        return run, {}
    found = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            found.setdefault(record["record"], []).append(record)
    return run, found


def named(found):
    return {(row["factor"], row["bytes"]): row for row in found.get("factor", []) if row["named"]}


def series(what, trap, factors, wanted, ratio, words):
    """Every run names the factor at these sizes, and no other, with this ratio and these words."""
    wrong = []
    for seed in range(1, RUNS + 1):
        run, found = measure(trap, seed, factors)
        rows = named(found)
        findings = found.get("factors", [{}])[0].get("findings", [])
        good = set(rows) == wanted and any(words in finding for finding in findings) and all(
            abs(row["ratio"] / ratio - 1) < 0.05 for row in rows.values())
        if not good:
            wrong.append((seed, sorted(rows), findings, run.err[-300:]))
    tap.ok(not wrong, f"{what}: found {RUNS} times in {RUNS} runs", wrong)


def compare_placements():
    """A campaign by malloc() and on the symmetric heap: compare pairs their points, and says where they differ."""
    # Large blocks by malloc() begin 16 bytes after a page, and a guard of 64 bytes comes first.
    directory = harness.scratch_directory()
    script, campaign = os.path.join(directory, "where.ski"), os.path.join(directory, "where.campaign")
    with open(script, "w", encoding="utf-8") as file:
        file.write('''WHERE = "heap"
set_buffer_placement(WHERE)
begin measurement "put"
  for count = 4096 to 262144 step *8 do
    measure comm(2) : Shmem_Put_Round(count, 5)
  od
end measurement
''')
    network = truth.Network(300, 2000, 100, kib=50, clock="simulated", noise="0.03:0.005", trap="source:80:4096:131072:1.5")
    environment = {"MALLOC_MMAP_THRESHOLD_": "100000", **network.environment()}
    launch = " ".join([os.path.join(harness.ROOT, "mk", "launch"), "{pes}", "env",
                       *(f"{name}={value}" for name, value in environment.items())]) + ",seed={launch}"
    tool = os.path.join(harness.ROOT, "scripts", "skampi-")
    run = harness.run([tool + "campaign", "-q", "-k", "4", "-o", campaign, script, "--launch", launch, "--config", "heap",
                       "--config", 'malloc:set.WHERE="malloc"', "--", "--timer", "clock_gettime"], timeout=120)
    tap.equal(run.status, 0, "a campaign of two placements", run)
    result = os.path.join(directory, "changes.json")
    run = harness.run([tool + "compare", "--json", result, campaign])
    with open(result, encoding="utf-8") as file:
        changes = json.load(file)
    slower = [point["variables"]["count"] for point in changes["points"] if point["verdict"] == "slower"]
    tap.equal((len(changes["points"]), slower), (3, ["262144"]), "compare says where they differ", run)
    tap.ok('3 points differ in a factor: set_buffer_placement("heap") on the old side, set_buffer_placement("malloc") on the new side' in run.out,
           "and in what", run)


def check_constant():
    runs = max(2, RUNS)
    false = [(seed, sorted(named(found)), run.err[-300:]) for seed in range(1, runs + 1)
             for run, found in [measure(None, seed, "relative,source,target,cycling,before,order,cache")]
             if not found or named(found)]
    print(f"# constant cost: something is named in {len(false)} of {runs} runs")
    wrong = max(1, runs // 20)  # each may be wrong with a chance of 5 %
    tap.ok(len(false) <= wrong, f"constant cost: something is named in at most {wrong} of {runs} runs", false)


truth.require()
series("target = source + 16 mod 32 costs 1.3 times as much from 16 KiB on", "relative:16:32:16384:1.3", ADDRESSES,
       {("relative", 16384), ("relative", 65536)}, 1.3, "where target = source + 16 mod 32")
series("PEs that are not on the processors of their numbers cost 1.5 times as much", "order:1:2:0:1.5", "order,before",
       {("order", 4096), ("order", 16384), ("order", 65536)}, 1.5, "with PEs in reverse order")
if not SAMPLE:
    series("the first byte at 2048 of its page costs 1.5 times as much", "source:2048:4096:16384:1.5", ADDRESSES,
           {("source", 16384), ("source", 65536)}, 1.5, "where the source begins at 2048 mod 4096")
    check_constant()
    compare_placements()
sys.exit(tap.done())
