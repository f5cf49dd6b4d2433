#!/usr/bin/env python3
"""shmemtrace check --races: of a program with many small cases it finds each race, by the function it is in,
and none in those that synchronize; it says what is not looked for."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import traces
from harness import ROOT, Tap
from traces import HEAP, TRACE, Made, compiled, recorded

with open(os.path.join(ROOT, "tests/support/races/races.c"), encoding="utf-8") as source:
    text = source.read()
CASES = set(re.findall(r"^CASE (\w+)\(void\)$", text, re.MULTILINE))
program = compiled(text)
tap = Tap()
for pes in (2, 3):
    run = recorded(pes, [program])
    cases = {case for case in CASES if "signal" not in case or "signals" in run.out}
    done = traces.read("check", run.path(TRACE), "--races")
    found = set(re.findall(r"\b(?:race|fine)_\w+", done.out))
    expected = {case for case in cases if case.startswith("race")}
    tap.ok(run.status == 0 and len(expected) >= 20 and len(cases - expected) >= 20, f"{pes} PEs: the program runs", run)
    tap.ok(done.status == 1 and found == expected, f"{pes} PEs: all races are found, and no others",
           f"missing: {expected - found}, invented: {found - expected}\n{done}")
    each = done.out.split("race: ")[1:]
    tap.ok(all(len(set(re.findall(r"\brace_\w+", text))) == 1 for text in each),
           f"{pes} PEs: both calls of a race are in one function", done)
    plain = traces.read("check", run.path(TRACE))
    tap.ok(plain.status == 0 and "race" not in plain.out, f"{pes} PEs: without --races nothing is said", plain)

# ---- What is said of one race ----

made = Made()
PUT = f"peer=1 elements=4 bytes=32 target={HEAP + 80} source=0"


def scenario(first, second, end="end finalize"):
    """Calls of two PEs between start and a barrier."""
    calls = ([f"event 0 shmem_malloc 1000 100 flags=1 bytes=4096 target={HEAP + 64}"], [])
    barrier = "event 0 shmem_barrier_all 8000 100 set_start=0 set_stride=1 set_size=2"
    return "".join("\n".join([f"pe {pe} 2 1", "event 0 shmem_init 100 400", *calls[0], *lines, barrier,
                              "event 0 shmem_finalize 9000 100 flags=1", end, ""])
                   for pe, lines in enumerate((first, second)))


def told(name, *args, **more):
    return made.command("check", "--races", made.make(name, scenario(*args, **more)))


done = told("fence", [f"event 0 shmem_long_put 2000 40 {PUT}", f"event 0 shmem_long_put 2100 40 {PUT}"], [])
tap.ok(done.status == 1 and "race: 32 bytes of PE 1, heap+80" in done.out and "PE 0 writes at" in done.out
       and "shmem_fence on PE 0 between them" in done.out, "two puts lack a fence", done)
done = told("quiet", [f"event 0 shmem_long_put 2000 40 {PUT}"],
            [f"event 0 shmem_getmem 3000 40 peer=1 elements=8 bytes=8 target=0 source={HEAP + 88}"])
tap.ok(done.status == 1 and "race: 8 bytes of PE 1, heap+88" in done.out and "PE 1 reads at" in done.out
       and "a barrier, or a flag that PE 1 waits for" in done.out, "a put and a get of two PEs lack a barrier", done)
done = told("atomics", [f"event 0 shmem_ulong_atomic_set 2000 40 peer=1 target={HEAP + 80} value=1"],
            [f"event 0 shmem_ulong_atomic_set 2000 40 peer=1 target={HEAP + 80} value=1"])
tap.ok(done.status == 0, "atomics never race with each other", done)
done = told("damaged", [f"event 0 shmem_long_put 2000 40 {PUT}", f"event 0 shmem_long_put 2100 40 {PUT}"], [],
            end="end exit")
tap.ok("race" in done.out + done.err, "a program that did not finalize is looked through, too, or it is said", done)

# A flag goes up twice. By the clocks, which differ by 60 ns and are known within 100, the second wait ends before the
# put that it is for begins. The PE knows of the first put, so that one does not answer the second wait.
DATA, FLAG, ACK = HEAP + 80, HEAP + 200, HEAP + 208


def turn(time, value):
    """What PE 0 and PE 1 do in one turn: data and a flag, PE 1 reads the data and acknowledges, PE 0 waits for that."""
    wait = "comparison=5 elements=1 bytes=8"
    return ([f"event 0 shmem_long_put {time} 40 peer=1 elements=1 bytes=8 target={DATA} source=0",
             f"event 0 shmem_fence {time + 50} 10",
             f"event 0 shmem_long_p {time + 200} 20 peer=1 elements=1 bytes=8 target={FLAG}",
             f"event 0 shmem_long_wait_until {time + 300} 400 target={ACK} value={value} {wait}"],
            [f"event 0 shmem_long_wait_until {time + 20} {120 if value > 1 else 220} target={FLAG} value={value} {wait}",
             f"event 0 shmem_long_put {time + 250} 20 peer=0 elements=1 bytes=8 target={HEAP + 300} source={DATA}",
             f"event 0 shmem_fence {time + 280} 10",
             f"event 0 shmem_long_p {time + 400} 20 peer=0 elements=1 bytes=8 target={ACK}"])


first, second = turn(2000, 1), turn(3000, 2)
done = told("late", first[0] + second[0], first[1] + second[1])
tap.ok(done.status == 0, "a wait is answered by the put that it is for, although clocks differ", done)
second = turn(3000, 2)[1]
del second[0]
done = told("missing", first[0] + turn(3000, 2)[0], first[1] + second)
tap.ok(done.status == 1 and "heap+80" in done.out, "without the second wait there is a race", done)
tap.done()
