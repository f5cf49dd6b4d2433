#!/usr/bin/env python3
"""What skampi-tune finds on a library whose algorithms have programmed costs: random programs, each a start and a time for
each byte of every algorithm that Open MPI has for broadcasts.

    tests/bench/tuning.py --programs 4 --first 1

skampi, its launches, Open MPI, its own decisions and the rules that it reads are real; the times of its algorithms are made, by
a simulated clock (../truth/network_mpi/algorithms.c). Prints a line a program. Not part of `make check`."""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
for place in ("../support/lib", "../truth"):
    sys.path.insert(0, os.path.join(HERE, place))

import harness
import mpi_network
from skampi_tools import results

# What the parameter's values are called inside Open MPI 4.1.
ALGORITHMS = {"basic_linear": "basic_linear", "chain": "chain", "pipeline": "pipeline", "split_binary_tree": "split_bintree",
              "binary_tree": "bintree", "binomial": "binomial", "knomial": "knomial", "scatter_allgather": "scatter_allgather",
              "scatter_allgather_ring": "scatter_allgather_ring"}
SCRIPT = """set_skampi_buffer(2mb)
set_min_repetitions(6)
set_max_repetitions(8)
begin measurement "bcast"
  for count = 8 to 262144 step *1.104 do
    measure MPI_COMM_WORLD : Bcast(count, MPI_BYTE, 0)
  od
end measurement
"""
WHAT = {"tune": 1, "choices": [{"name": "bcast", "rules": "bcast", "try": [{"mca": {"coll_tuned_bcast_algorithm": "all"}}]}]}
LAUNCHES, PROOF, NOISE = 6, 4, 0.01
TIMER = ["--timer", "clock_gettime"]


class Program:
    """Costs in ns by algorithm: {name: (start, byte)}. alike: all have the same."""

    def __init__(self, seed, alike):
        draw = random.Random(seed).uniform
        self.costs = {name: (1000.0, 1.0) if alike else (10 ** draw(3, 4.5), 10 ** draw(-0.5, 1.5)) for name in ALGORITHMS}

    def time(self, name, size):
        start, byte = self.costs[name]
        return (start + byte * size) * 1e-9

    def best(self, size):
        return min(ALGORITHMS, key=lambda name: self.time(name, size))

    def lines(self):
        return "".join(f"bcast {own} {start:.3f} {byte:.6f}\n" for (start, byte), own in zip(self.costs.values(), ALGORITHMS.values()))


def environment():
    return {**os.environ, **harness.launch_environment()}


def defaults(folder):
    """{bytes: seconds} of what Open MPI decides by itself, without noise."""
    line = mpi_network.launch_with_algorithms(os.path.join(folder, "costs"), noise=1e-9).format(pes=2, name="exact", launch=1).split()
    path = os.path.join(folder, "exact.json")
    subprocess.run([*line, harness.program(), "-i", os.path.join(folder, "made.ski"), "-o", path, *TIMER], env=environment(), check=True,
                   stderr=subprocess.DEVNULL, timeout=200)
    return {result.record["bytes"]: result.best() for result in results.read(path).by_key().values()}


def tune(seed, alike):
    """Of a program: points, those within 5 % of the best, rules, true changes, launches of the search, those of measuring all equally
    long."""
    program = Program(seed, alike)
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("costs", program.lines()), ("made.ski", SCRIPT), ("what.json", json.dumps(WHAT))):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        exact = defaults(folder)
        done = subprocess.run([os.path.join(harness.ROOT, "scripts/skampi-tune"), "--what", "what.json", "-k", str(LAUNCHES), "--proof", str(PROOF),
                               "--launch-spread", "2%", "--launch", mpi_network.launch_with_algorithms(os.path.join(folder, "costs"), NOISE),
                               "--program", harness.program(), "-q", "made.ski", "--", *TIMER], cwd=folder, env=environment(), check=False)
        with open(os.path.join(folder, "made.tune", "tune.json"), encoding="utf-8") as file:
            value = json.load(file)
    good = 0
    for point in value["points"]:
        size, chosen = point["bytes"], point["chosen"]
        time = exact[size] if chosen == "default" else program.time(chosen, size)
        good += time <= 1.05 * min(exact[size], program.time(program.best(size), size))
    sizes = sorted(exact)
    best = [program.best(size) for size in sizes]
    changes = 1 + sum(a != b for a, b in zip(best, best[1:]))
    by_default = sum(exact[size] <= 1.05 * program.time(program.best(size), size) for size in sizes)
    print(f"program {seed}{' (all alike)' if alike else ''}: status {done.returncode}; {good} of {len(sizes)} points within 5 % of the best, "
          f"by the default {by_default}; {value['rules']} rules, {changes} true ranges; {value['launches']} launches of the "
          f"search, {LAUNCHES * (len(ALGORITHMS) + 1)} for all; proofs: {len(value['proofs'])}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=4, metavar="N", help="how many (default 4)")
    parser.add_argument("--first", type=int, default=1, metavar="SEED", help="of the first one (default 1)")
    parser.add_argument("--alike", action="store_true", help="all algorithms cost the same")
    given = parser.parse_args()
    mpi_network.require()
    for seed in range(given.first, given.first + given.programs):
        tune(seed, given.alike)


main()
