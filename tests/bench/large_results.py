#!/usr/bin/env python3
"""Time and memory of the tools that read results, against the number of results and blocks (made ones):

    tests/bench/large_results.py --blocks 5000 --results 200000 table convert compare history
"""

import argparse
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, scratch_directory
from made_results import point, write
from skampi_tools.points import text_of
from usage import used

TOOLS = {"table": "{0}", "convert": "{0} -o out.csv", "tidy": "{0} --to tidy -o tidy.csv", "compare": "{0} {1}",
         "report": "{0} -o out.html", "plot": "{0} -o out.svg", "history": "."}
PROGRAMS = {"tidy": "convert"}
LAUNCHES = 8  # files of the history


def made(path, launch, blocks, results):
    """A complete file; times differ from launch to launch."""
    each = max(1, results // blocks)
    results = [point(f"block {number}", f"F{number % 50}", {"count": 8 * (i + 1)},
                     1e-6 * (1 + i) * (1 + 0.001 * ((7 * launch + i + number) % 5)))
               for number in range(blocks) for i in range(each)]
    write(path, [{**result, "point": text_of(result)} for result in results],
          header={"started": f"2026-01-{launch + 1:02}T03:04:05+00:00"})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blocks", type=int, default=500)
    parser.add_argument("--results", type=int, default=1000, help="of a file")
    parser.add_argument("tools", nargs="*", metavar="TOOL", help=", ".join(TOOLS))
    given = parser.parse_args()
    if unknown := set(given.tools) - set(TOOLS):
        parser.error(f"unknown tool {', '.join(unknown)}: there are {', '.join(TOOLS)}")
    tools = given.tools or list(TOOLS)
    folder = scratch_directory()
    for launch in range(LAUNCHES if "history" in tools else 2):
        made(os.path.join(folder, f"{launch}.json"), launch, given.blocks, given.results)
    print(f"{given.blocks * max(1, given.results // given.blocks)} results in {given.blocks} blocks")
    for tool in tools:
        program = os.path.join(ROOT, "scripts", f"skampi-{PROGRAMS.get(tool, tool)}")
        one = used([program, *TOOLS[tool].format("0.json", "1.json").split()], folder)
        print(f"{tool:8} {one.seconds:6.1f} s of a processor  {one.peak / 1e6:6.0f} MB  status {one.status}", flush=True)


main()
