#!/usr/bin/env python3
"""How many events shmemsim replays in a second: part of `make bench`. Synthetic traces of puts, gets, quiets
and barriers (tests/support/stub/trace_writer.c); the fastest of several runs."""

import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support", "lib"))

import harness
import made_runs

RUNS = 5
CASES = [  # PEs, rounds of the pattern, million events a second wanted
    (1024, 2353, 10),
    (16384, 150, 5),
]
MACHINE = """bus net { bandwidth 12.5 GB/s latency 1.3 us overhead 250 ns gap 40 ns }
node n { count 512 cores 32 bandwidth 20 GB/s latency 300 ns bus net in 1 out 1 }
"""
WAYS = [("paper", ["--model", "paper"]), ("loggp", ["--model", "loggp"]), ("loggp, contention", ["--model", "loggp", "--contention"]),
        ("loggp, fair shares", ["--model", "loggp", "--contention=fair"])]


def replayed(options, machine, trace):
    """(events, seconds of the processor, KiB of memory) of a run."""
    command = ["/usr/bin/env", "time", "-f", "%U %S %M", made_runs.command(), "--json", *options, machine, trace]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode != 0:
        sys.exit(f"bench: {done.stderr}")
    user, system, memory = map(float, done.stderr.split()[-3:])
    return json.loads(done.stdout)["events"], user + system, memory


def bench_simulating():
    """Prints a line for each number of PEs and model."""
    folder = harness.scratch_directory()
    writer, machine = os.path.join(folder, "writer"), os.path.join(folder, "machine")
    made_runs.build_writer(writer)
    with open(machine, "w", encoding="utf-8") as file:
        file.write(MACHINE)
    print("\nreplay by shmemsim: million events in a second of one processor, the fastest of "
          f"{RUNS} runs")
    for pes, rounds, target in CASES:
        trace = os.path.join(folder, f"trace{pes}")
        os.mkdir(trace)
        subprocess.run([writer, trace, "mix", str(pes), str(rounds)], check=True)
        packed = trace + ".pack"
        subprocess.run([made_runs.command(), "pack", trace, "-o", packed], check=True)
        for name, options, source in [(name, options, trace) for name, options in WAYS] + [("paper, pack", ["--model", "paper"], packed)]:
            runs = [replayed(options, machine, source) for _ in range(RUNS)]
            events, seconds, memory = min(runs, key=lambda run: run[1])
            wanted = f"target {target}" if name == "paper" else ""
            print(f"{pes:6} PEs, {name:20} {events / seconds / 1e6:8.1f}  {memory / 1024:6.0f} MiB  {wanted}".rstrip(),
                  flush=True)


if __name__ == "__main__":
    bench_simulating()
