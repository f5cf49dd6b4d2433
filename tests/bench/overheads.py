#!/usr/bin/env python3
"""What tracing costs the applications of inputs/apps: wall time of each way to record, in turns with the untraced
program: `overheads.py TURNS PES...`, by hand, on a quiet machine; about 4 minutes for `overheads.py 3 2`."""

import os
import statistics
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))

import traces

APPS = {
    "stencil": ["--size", "32", "--steps", "20000"], "bucket_sort": ["--size", "60000", "--steps", "50", "--chunk", "8"],
    "random_access": ["--size", "100000", "--steps", "500000"], "hash_table": ["--size", "50", "--steps", "15000"],
    "pipeline": ["--size", "9000", "--steps", "1000", "--segment", "500"], "fft": ["--size", "32", "--steps", "500"],
    "bank": ["--steps", "15000", "--days", "500"], "stages": ["--steps", "10000", "--sweeps", "5"],
    "walk": ["--size", "300", "--steps", "2500"], "workers": ["--steps", "10000"],
    "heat": ["--size", "32", "--steps", "2500"], "cg": ["--size", "32", "--steps", "100"],
}
WAYS = {"untraced": None, "streaming": [], "ring": ["--ring"], "summary": ["--summary"],
        "call sites 4": ["--callsites", "4"]}


def wall(line, options, pes):
    """Seconds, start and end of the library included."""
    begin = time.monotonic()
    done = traces.launched(pes, line) if options is None else traces.recorded(pes, line, options)
    if done.status != 0:
        sys.exit(f"bench: {done}")
    return time.monotonic() - begin


def bench_overheads(turns, numbers):
    for pes in numbers:
        print(f"\n{pes} PEs: untraced s, then added ms (median of {turns} turns)\n{'':14}" +
              "".join(f"{way:>14}" for way in WAYS), flush=True)
        for app, arguments in APPS.items():
            line = [traces.app(app), *arguments]
            seconds = [[wall(line, options, pes) for options in WAYS.values()] for _ in range(turns)]
            added = [statistics.median(1e3 * (turn[i] - turn[0]) for turn in seconds) for i in range(1, len(WAYS))]
            untraced = statistics.median(turn[0] for turn in seconds)
            print(f"{app:14}{untraced:14.2f}" + "".join(f"{ms:14.0f}" for ms in added), flush=True)


if __name__ == "__main__":
    words = [int(word) for word in sys.argv[1:]] or [3, 2, 4]
    bench_overheads(words[0], words[1:])
