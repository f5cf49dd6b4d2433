#!/usr/bin/env python3
# TIMEOUT: 120
"""No step of skampi's own communication becomes linear in the number of PEs: real calls, played on thousands of PEs."""

import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
import many
from harness import Tap, skip_all

FEW, MORE = 512, 4096
MARGIN = 1.2
CHUNK = 4096  # bytes of a message, at most
LINK = 1e9    # bytes/s of a link, acknowledgments included; the simulated network is faster
# Bytes of each PE that one PE gathers: at the start, where it is; in the header, its processors, and the processors of each
# node; in a point, its time; at the end, how clocks of each node compare. All else must be logarithmic.
GATHERED = {"start": 16, "engine": 136 + (248 + 10240) / many.PER_NODE, "synchronization": 0, "point": 8, "end": 72 / many.PER_NODE}


def test_growth(tap, program, path):
    few, more = (many.simulate(program, path, pes) for pes in (FEW, MORE))
    for name in many.STEPS:
        # Clocks synchronize by nodes.
        part = many.PER_NODE if name == "synchronization" else 1
        logarithmic = MARGIN * math.log2(MORE / part) / math.log2(FEW / part)
        gathered = GATHERED[name] * MORE
        tap.ok(more[name].messages <= MARGIN * MORE / FEW * few[name].messages, f"{name}: messages of all PEs grow as PEs do")
        tap.ok(more[name].most_sent <= logarithmic * few[name].most_sent + gathered / CHUNK,
               f"{name}: a PE sends {more[name].most_sent} messages at most, of fewer PEs {few[name].most_sent}")
        tap.ok(more[name].most_got <= logarithmic * few[name].most_got + gathered,
               f"{name}: a PE gets {more[name].most_got} bytes at most, of fewer PEs {few[name].most_got}")
        tap.ok(more[name].seconds <= logarithmic * few[name].seconds + gathered / LINK,
               f"{name}: takes {more[name].seconds:.3g} s, on fewer PEs {few[name].seconds:.3g} s")


def test_recorded(tap, program, path, recording):
    """What is played depends on no number of PEs, and sends as many messages as a real run."""
    other = many.Recording(many.RECORDED_PES - 1)
    for name in ("engine", "end"):
        tap.equal(other.calls[name], recording.calls[name], f"{name}: the same calls on another number of PEs")
    simulated = many.simulate(program, path, many.RECORDED_PES)["point"]
    tap.equal((simulated.messages, simulated.bytes), recording.counted, "a point: as many messages and bytes as really")


def main():
    if not harness.has("SHMEM"):
        skip_all("records what is called over OpenSHMEM")
    tap = Tap()
    program, path = many.build(), os.path.join(harness.scratch_directory(), "calls")
    recording = many.Recording()
    recording.write(path)
    test_growth(tap, program, path)
    test_recorded(tap, program, path, recording)
    sys.exit(tap.done())


main()
