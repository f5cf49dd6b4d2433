#!/usr/bin/env python3
"""What skampi itself communicates and keeps, against the number of PEs: part of `make bench`. First real runs, with more PEs
than processors; then the same calls played on many PEs in one process and virtual time (tests/support/many_pes.c). By hand:

    tests/bench/many_pes.py 1000 10000 100000

Each simulated PE takes 9 KB of memory and 0.4 ms of a processor."""

import os
import re
import statistics
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support", "lib"))

import harness
import many
import usage

REAL = (2, 4, 8, 16)
PLAYED = (100, 1000, 10000)
BATCH = re.compile(r"^collective: broadcast of (\d+) bytes, \d+ PEs\ncollective: reduction of (\d+) bytes, \d+ PEs\nbatch: ", re.MULTILINE)


def bench_real(pes):
    """A row; bytes of the largest batch, whose repetitions are stated."""
    recording = many.Recording(pes, wrapper=usage.starter())
    announced, reduced = max(((int(a), int(b)) for a, b in BATCH.findall(recording.said)), key=lambda sizes: sizes[1])
    peak = statistics.median(int(kb) for _, kb in usage.LINE.findall(recording.said))
    messages, moved = recording.counted
    print(f"{pes:9}{messages:12}{moved:12}{3 * (pes - 1):12}{(pes - 1) * (announced + 2 * reduced):12}{peak / 1024:12.1f}", flush=True)


def bench_played(pes, program, path):
    for name, step in many.simulate(program, path, pes, timeout=3600).items():
        print(f"{pes:9}  {name:16}{step.messages / pes:12.1f}{step.bytes / pes:12.0f}{step.most_sent:12}{step.most_got:12}"
              f"{1e3 * step.seconds:12.3f}", flush=True)


def bench_many(numbers=PLAYED):
    print(f"\nwhat skampi itself sends for a point of all PEs, {many.SCRIPT.split('min_repetitions(')[1].split(')')[0]} repetitions, and for "
          f"its largest batch; resident memory of a PE, at most\n{'PEs':>9}{'messages':>12}{'bytes':>12}{'batch':>12}{'bytes':>12}{'MB':>12}")
    for pes in REAL:
        bench_real(pes)
    program, path = many.build(), os.path.join(harness.scratch_directory(), "calls")
    many.Recording().write(path)
    print(f"\nthe same calls played on nodes of {many.PER_NODE} PEs, in virtual time: messages and bytes a PE; most of one PE; ms\n"
          f"{'PEs':>9}  {'step':16}{'messages':>12}{'bytes':>12}{'most sent':>12}{'most got, B':>12}{'time, ms':>12}")
    for pes in numbers:
        bench_played(pes, program, path)


if __name__ == "__main__":
    bench_many([int(word) for word in sys.argv[1:]] or PLAYED)
