#!/usr/bin/env python3
# SERIAL
# TIMEOUT: 120
"""Cold caches cost something, and only where the script asks for them."""

import os
import statistics
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))

import harness
import quiet

SCRIPT = """
set_unit(1e9)
rounds = 5
begin measurement "alternating"
  for round = 1 to rounds do
    set_cache_state("warm")
    switch_buffer_cycling_on()
    measure comm(2) : Shmem_Put_Full_Single(65536, %(iterations)d, 0)
    switch_buffer_cycling_off()
    measure comm(2) : Shmem_Put_Full_Single(65536, %(iterations)d, 0)
    set_cache_state("cold")
    measure comm(2) : Shmem_Put_Full_Single(65536, %(iterations)d, 0)
  od
end measurement
"""


def medians(iterations):
    run = harness.skampi(SCRIPT % {"iterations": iterations}, np=2, timeout=60)
    rows = run.rows
    return run, [statistics.median(row.time for row in rows[kind::3]) for kind in range(3)]


def main():
    tap = harness.Tap()
    for iterations in (1, 10):
        # Other programs on this machine evict and delay.
        attempts = quiet.Attempts(tap)
        for attempt in attempts:
            run, (cycling, same, cold) = medians(iterations)
            good = cold > 1.5 * cycling and 0.6 < cycling / same < 1.6
            if good:
                break
            tap.note(f"attempt {attempt}: cycling {cycling}, same {same}, cold {cold} ns")
        tap.ok(run.status == 0 and len(run.rows) == 15, f"{iterations} iterations: all measured",
               run)
        attempts.decide(cold > 1.5 * cycling, f"{iterations} iterations: 64 KiB cold cost more than warm",
                        f"{cold} ns cold, {cycling} ns warm")
        attempts.decide(0.6 < cycling / same < 1.6,
                        f"{iterations} iterations: warm is warm, at one place or at many",
                        f"{cycling} ns at many places, {same} ns at one")
        tap.ok("fresh buffers, cold" in run.out and "same buffers, warm" in run.out,
               f"{iterations} iterations: the conditions are stated")
    run = harness.skampi('set_cache_state("cold")\nset_skampi_buffer(1mb)\n'
                         'begin measurement "a"\n'
                         "  measure comm(2) : Shmem_Put_Full_Single(1mb, 1000, 0)\n"
                         "end measurement\n", np=2, timeout=60)
    tap.ok(run.status == 0 and "iterations reduced to" in run.out,
           "no more iterations than there is fresh memory", run)
    tap.done()


main()
