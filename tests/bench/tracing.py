#!/usr/bin/env python3
"""What tracing adds to an 8-byte put: part of `make bench`. Within a run, traced and untraced puts take
turns (puts.c); runs of the untraced and of the traced program do, too."""

import os
import re
import shlex
import statistics
import subprocess
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support", "lib"))

import harness
import traces

ROUNDS = 9
PES = 2
WAYS = [  # options of the tracer, the target in ns
    ("ring in memory", ["--ring"], 12),
    ("streaming to a file", [], 20),
    ("streaming, no call sites", ["--callsites", "0"], None),
    ("streaming, call sites 4 deep", ["--callsites", "4"], None),
    ("ring, by clock_gettime", ["--ring", "--recorder", "clock_gettime"], None),
    ("streaming, by clock_gettime", ["--recorder", "clock_gettime"], None),
]


def build_puts():
    directory = os.path.join(harness.build_directory(), "bench")
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(harness.build_directory(), "commands"), encoding="utf-8") as file:
        command = shlex.split(file.read())
    program = os.path.join(directory, "puts")
    subprocess.run([command[0], "-o", program, os.path.join(HERE, "puts.c"), *command[1:]],
                   cwd=harness.ROOT, check=True)
    return program


def figures(done):
    """{"put": ns, "twin": ns, "added": ns, "least": ns, "counter": ns, "clock": ns}, as the program prints
    them."""
    found = dict(re.findall(r"^(\w+) (-?[\d.]+)$", done.out, re.MULTILINE))
    if done.status != 0 or "put" not in found:
        sys.exit(f"bench: {done}")
    return {name: float(value) for name, value in found.items()}


def tell_added(name, runs, target):
    added = [run["added"] for run in runs]
    low, middle, high = statistics.quantiles(added, n=4)
    beyond = statistics.median(run["added"] - run["least"] for run in runs)
    print(f"{name:30} {middle:7.1f} {low:7.1f} {high:7.1f} {beyond:8.1f}  {target or ''}".rstrip(),
          flush=True)


def wall(program, options):
    """Seconds of a run, start and end of the library included; None: untraced."""
    begin = time.monotonic()
    done = (traces.launched(PES, [program]) if options is None
            else traces.recorded(PES, [program], options))
    seconds = time.monotonic() - begin
    if done.status != 0:
        sys.exit(f"bench: {done}")
    return seconds


def bench_wall(program):
    """What memory and saving cost: a large ring must not make a program slower than streaming."""
    ways = [("untraced", None), ("streaming to a file", []), ("ring of 16 MiB", ["--ring"]),
            ("ring of 64 MiB", ["--ring", "64M"])]
    turns = [[wall(program, options) for _, options in ways] for _ in range(ROUNDS)]
    print(f"\ntracing: wall time of the same program, start and end included, by {ROUNDS} runs each\n"
          f"{'':30}  median, s  of streaming")
    streaming = statistics.median(turn[1] for turn in turns)
    for i, (name, _) in enumerate(ways):
        middle = statistics.median(turn[i] for turn in turns)
        print(f"{name:30} {middle:10.3f} {middle / streaming:13.2f}", flush=True)


def bench_tracing():
    program = build_puts()
    rounds = [(figures(traces.launched(PES, [program])),
               *(figures(traces.recorded(PES, [program], options)) for _, options, _ in WAYS))
              for _ in range(ROUNDS)]
    untraced, *traced = zip(*rounds)

    def best(name):
        return min(run[name] for turn in rounds for run in turn)

    print(f"\ntracing: ns added to an 8-byte put on {PES} PEs, by {ROUNDS} runs each\n"
          f"untraced it takes {best('twin'):.1f} ns here, a reading of the processor's counter "
          f"{best('counter'):.1f} ns, of clock_gettime {best('clock'):.1f} ns;\nthe least that can be "
          "done, two readings of the counter and a note in memory, adds "
          f"{statistics.median(run['least'] for turn in rounds for run in turn):.1f} ns\n"
          f"{'':30}  median  1st qu  3rd qu   beyond the least; target")
    print(f"{'untraced':30} {statistics.median(run['added'] for run in untraced):7.1f}")
    for (name, _, target), runs in zip(WAYS, traced):
        tell_added(name, runs, target)
    bench_wall(program)


if __name__ == "__main__":
    bench_tracing()
