#!/usr/bin/env python3
"""How often skampi-accept finds faults of hosts in namespaces, and accuses who has none: so many runs of each case.
Not part of `make check`; needs hosts (root). Delays that are long against what other programs of the machine take
away make it independent of them, and slow."""

import argparse
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support", "lib"))

import accepting
import harness
from hosts import Unavailable
from skampi_tools import cli


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("faults", nargs="*", default=list(accepting.FAULTS), metavar="FAULT",
                        help=f"of {', '.join(accepting.FAULTS)} (all)")
    parser.add_argument("--runs", type=cli.whole(1, 1000), default=20, help="of each (%(default)s)")
    parser.add_argument("--at-once", type=cli.whole(1, 32), default=4, help="runs at the same time (%(default)s)")
    parser.add_argument("--delay", type=cli.whole(1, 10**5), default=accepting.DELAY_US, metavar="US",
                        help="between hosts, one way (%(default)s)")
    parser.add_argument("--iterations", type=cli.whole(1, 1000), default=accepting.ITERATIONS,
                        help="small messages in a repetition (%(default)s)")
    parser.add_argument("--passes", type=cli.whole(3, 1000), default=accepting.PASSES,
                        help="of a tournament (%(default)s)")
    parser.add_argument("--seconds", type=cli.whole(10, 10**5), default=300, help="for a run, at most (%(default)s)")
    parser.add_argument("-o", "--output", metavar="DIR", help="keep scripts and results there")
    given = parser.parse_args()
    if unknown := [name for name in given.faults if name not in accepting.FAULTS]:
        parser.error(f"{unknown[0]} is none of {', '.join(accepting.FAULTS)}")
    found = {name: [] for name in given.faults}
    names = [name for _ in range(given.runs) for name in given.faults]
    folder = os.path.abspath(given.output or harness.scratch_directory())
    for one in accepting.accept_all(names, folder, given.at_once, delay_us=given.delay, passes=given.passes,
                                    iterations=given.iterations, timeout=given.seconds):
        found[one.name].append(one)
        print(one.said, flush=True)
    print(f"\n{'':36}{'runs':>6}{'right':>8}{'others accused':>16}{'no verdict':>12}")
    for name, runs in found.items():
        print(f"{accepting.FAULTS[name].text:36}{len(runs):6}{sum(one.right for one in runs):8}"
              f"{sum(bool(one.innocent) for one in runs):16}{sum(one.accused is None for one in runs):12}")


if __name__ == "__main__":
    try:
        main()
    except Unavailable as reason:
        sys.exit(f"accepting: {reason}")
