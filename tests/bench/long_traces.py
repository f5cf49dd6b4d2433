#!/usr/bin/env python3
"""Time and memory of what reads traces, against the number of events (of made traces of 4 PEs):

    tests/bench/long_traces.py 1000000 50000000              # every reader
    tests/bench/long_traces.py 50000000 --only goal,chrome
"""

import argparse
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, build_config
from traces import Made, command, size
from usage import used

PES = 4
BETWEEN_BARRIERS = 500
SIMULATOR = os.path.join(ROOT, "shmemsim")
MACHINE = "bus ib { bandwidth 12 GB/s latency 1 us }\nnode n { count 4 cores 1 bandwidth 4 GB/s latency 300 ns overhead 100 ns bus ib }\n"
READERS = {
    "summary": "summary TRACE", "check": "check TRACE", "check --races": "check --races APART", "explain": "explain TRACE",
    "merge": "merge TRACE", "dump": "dump TRACE", "dump --csv": "dump --csv TRACE", "dump --json": "dump --json TRACE",
    "report": "report -o - TRACE", "script": "script TRACE", "export --otf2": "export --otf2 archive TRACE",
    "export --chrome": "export --chrome - TRACE", "export --perfetto": "export --perfetto - TRACE",
    "export --paraver": "export --paraver paraver TRACE", "export --goal": "export --goal - TRACE",
    "shmemsim": "machine.txt TRACE", "shmemsim pack": "pack -o - TRACE",
}


def make(made, name, events, apart):
    """4 PEs that put, get and wait for completion by turns, and meet; apart: each works in a place of its own, without races."""
    rounds = f"bulk 0 {BETWEEN_BARRIERS - 1}\nbarriers 0 1\n" * (events // PES // BETWEEN_BARRIERS)
    os.mkdir(made.path(name))
    with subprocess.Popen([made.path("trace_writer"), made.path(name)], stdin=subprocess.PIPE, text=True) as writer:
        writer.stdin.write(f"apart {apart}\n")
        for pe in range(PES):
            writer.stdin.write(f"pe {pe} {PES} 1\nevent 0 shmem_init 1 400\n{rounds}"
                               f"event 0 shmem_finalize {1000 * events} 400\nend finalize\n")
    if writer.returncode:
        raise SystemExit("the trace cannot be written")


def clear(made, names):
    subprocess.run(["rm", "-rf", *map(made.path, names)], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("events", type=int, nargs="+", metavar="EVENTS")
    parser.add_argument("--only", help="readers, with commas between: part of " + ", ".join(READERS))
    given = parser.parse_args()
    wanted = [reader for reader in READERS if not given.only or any(part in reader for part in given.only.split(","))]
    if build_config().get("SKAMPI_OTF2") != "1":
        wanted = [reader for reader in wanted if "otf2" not in reader]
    made = Made()
    with open(made.path("machine.txt"), "w", encoding="utf-8") as file:
        file.write(MACHINE)
    for events in given.events:
        for name, apart in (("trace", 0), ("apart", 1 << 20)):
            if any(name.upper() in READERS[reader] for reader in wanted):
                make(made, name, events, apart)
                print(f"{events} events, {size(made.path(name)) / events:.1f} bytes each", flush=True)
        for reader in wanted:
            words = [{"TRACE": "trace", "APART": "apart"}.get(word, word) for word in READERS[reader].split()]
            one = used([SIMULATOR if reader.startswith("shmemsim") else command(), *words], made.folder)
            print(f"{reader:18} {one.seconds:8.1f} s of a processor {one.peak / 1e6:8.1f} MB  status {one.status}"
                  f"{f': {one.said}' if one.status else ''}", flush=True)
            clear(made, ("archive", "paraver.prv", "paraver.pcf", "paraver.row"))
        clear(made, ("trace", "apart"))


main()
