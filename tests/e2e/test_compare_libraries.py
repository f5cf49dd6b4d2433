#!/usr/bin/env python3
# LONG
# SERIAL
# TIMEOUT: 420
"""skampi-compare on runs of different transports, as in the guide's first example, and of different libraries, with
programmed costs: what is many times slower is slower, and no state of the machine."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "truth"))
import truth
from harness import ROOT, Tap, run, scratch_directory, skampi

LAUNCHES = 4  # a side: fewer decide nothing
SCRIPT = """set_skampi_buffer(1024)
set_min_repetitions(4)
set_max_repetitions(8)
set_max_relative_standard_error(1.0)
begin measurement "put"
  measure comm(2) : Shmem_Put_Round(8, 16)
end measurement
"""
tap = Tap()
truth.require()
folder = scratch_directory()


def launches(name, sides):
    """Launches of both sides in turns, in folders; why there are none, or None."""
    for number in range(LAUNCHES):
        for side in (sides, dict(reversed(sides.items())))[number % 2]:
            where = os.path.join(folder, name, side)
            os.makedirs(where, exist_ok=True)
            measured = skampi(SCRIPT, args=["-o", os.path.join(where, f"{number}.json")], env=sides[side])
            if measured.status != 0:
                return measured
    return None


def compared(name, sides, text):
    failed = launches(name, sides)
    if failed:
        tap.skip(text, f"{name}: {failed.err.splitlines()[-1:]}")
        return
    gate = run([os.path.join(ROOT, "scripts/skampi-compare"), "--fail-over", "50%", *sides],
               cwd=os.path.join(folder, name))
    tap.ok(gate.status == 1 and gate.out.startswith("1 point: 1 slower"), text, gate)


compared("transports", {"shared": {"UCX_TLS": "sm,self"}, "tcp": {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo"}},
         "TCP is slower than shared memory")
compared("libraries", {"quick": truth.Network(1000, 2000, 1000).environment(),
                       "slow": truth.Network(100000, 200000, 100000).environment()},
         "a library that takes a hundred times as long is slower")
tap.done()
