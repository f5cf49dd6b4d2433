#!/usr/bin/env python3
# PLAIN
"""shmemsim takes measured costs from machine descriptions: classes of calls, piece by piece of their sizes, take
exactly what is written; and descriptions of costs that cannot be are refused with their place."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import Tap
from made_runs import HEAP, Program, Simulator, ps

tap = Tap()
sim = Simulator()
LOGGP = ("--model", "loggp")
BUS = "bus net { %s bandwidth 1 GB/s latency 1 us overhead 200 ns }\n"
NODE = "node n { %s count 8 cores 1 bandwidth 4 GB/s latency 100 ns atomic 50 ns bus net }\n"


def described(bus="", node="", more=""):
    return sim.write(BUS % bus + NODE % node + more)


def spent(found, routine):
    """ns in a routine, all PEs together."""
    return sum(ps(row["time"]) for row in found["routines"] if row["name"] == routine) / 1000


def one_call(machine, options, *call, **fields):
    """ns that PE 0 is in a call."""
    program = Program(2)
    if call[0].startswith("shmem_put"):
        program.put(0, 1, fields["size"], routine=call[0])
    elif call[0] == "shmem_getmem":
        program.get(0, 1, fields["size"])
    else:
        program.call(0, *call, **fields)
    found = sim.predict(program, *options, machine=machine)
    return spent(found, call[0]) if isinstance(found, dict) else found


# ---- Classes ----

def test_pieces():
    """Sizes, and what holds for them: overhead, latency, ps of a byte."""
    pieces = {0: (120, 800, 100), 8192: (300, 2000, 50), 100000: (300, 2500, 50)}
    text = ("{ overhead 120 ns latency 800 ns bandwidth 10 GB/s from 8 KiB overhead 300 ns latency 2 us "
            "bandwidth 20 GB/s from 100 kB latency 2.5 us }")
    machine = described(f"cost put {text} cost get {text}")
    wrong = []
    for size in (0, 1, 8191, 8192, 99999, 100000, 1 << 20):
        overhead, latency, byte = pieces[max(start for start in pieces if start <= size)]
        wire = size * byte / 1000
        for routine in ("shmem_putmem", "shmem_getmem"):
            get = routine == "shmem_getmem"
            for options, wanted in (((), latency + wire), (LOGGP, overhead + wire + (latency if get else 0))):
                taken = one_call(machine, options, routine, size=size)
                if taken != wanted:
                    wrong.append((routine, options, size, taken, wanted))
    tap.equal(wrong, [], "puts and gets take what the piece of their size says, also at its borders")
    machine = described("cost put { from 0 B bandwidth 10 GB/s from 1 kB gap 5 us }")
    taken = [one_call(machine, LOGGP, "shmem_putmem", size=size) for size in (999, 1000)]
    tap.equal(taken, [200 + 99.9, 200 + 100], "what a piece leaves out is as in the piece before, or the bus")
    program = Program(2)
    for size in (1000, 10):
        program.put(0, 1, size)
    found = sim.predict(program, *LOGGP, machine=machine)
    tap.equal(spent(found, "shmem_putmem"), 200 + 100 + 4900 + 1, "... the gap of a piece, too")


def test_classes():
    machine = described("cost put-nbi { overhead 10 ns latency 400 ns bandwidth 2 GB/s } "
                        "cost get-nbi { overhead 20 ns latency 3 us bandwidth 4 GB/s } "
                        "cost atomic { overhead 30 ns latency 1501 ns } "
                        "cost quiet { overhead 40 ns } cost fence { overhead 35 ns } cost wait { overhead 50 ns }")
    same = described()
    program = Program(2)
    program.put(0, 1, 1000, routine="shmem_putmem_nbi")
    program.call(0, "shmem_quiet")
    program.call(0, "shmem_int_get_nbi", peer=1, elements=1000, bytes=4000, target=0, source=HEAP + 4096)
    program.call(0, "shmem_ctx_quiet")
    program.call(0, "shmem_fence")
    program.call(0, "shmem_long_atomic_fetch_add", peer=1, target=HEAP, value=1)
    program.call(0, "shmem_ulong_atomic_set", peer=1, target=HEAP, value=1)
    program.call(0, "shmem_set_lock", target=HEAP)
    program.put(0, 1, 100)
    program.get(0, 1, 100)
    routines = ("shmem_putmem_nbi", "shmem_quiet", "shmem_int_get_nbi", "shmem_ctx_quiet", "shmem_fence",
                "shmem_long_atomic_fetch_add", "shmem_ulong_atomic_set", "shmem_putmem", "shmem_getmem")
    for name, options, where, wanted in (
            ("loggp", LOGGP, machine, [10, 500 + 800 + 40, 20, 3000 + 1000 + 40, 35, 30 + 1501 + 50, 30,
                                       200 + 100, 200 + 2000 + 100]),
            ("loggp without classes", LOGGP, same, [200, 1000 + 2000, 200, 2000 + 4000, 0, 200 + 2000 + 50, 200,
                                                    200 + 100, 200 + 2000 + 100]),
            ("paper", (), machine, [400, 0, 3000, 0, 0, 1501 + 50, 1501 + 50, 1000 + 100, 1000 + 100])):
        found = sim.predict(program, *options, machine=where)
        tap.equal([spent(found, routine) for routine in routines], wanted, f"{name}: each class has its own cost")
    locks = [one_call(where, LOGGP, "shmem_set_lock", target=HEAP) for where in (
        described(node="cost atomic { overhead 7 ns latency 90 ns }"), same)]
    tap.equal(locks, [7 + 90 + 50, 100 + 50 + 100], "locks cost what atomics do")


def test_waits():
    for name, bus, node, size, wanted in (
            ("the most of bus and node", "cost wait { overhead 50 ns }", "cost wait { overhead 70 ns }", 2, 70),
            ("the bus", "cost wait { overhead 50 ns }", "", 2, 50),
            ("on one node not the bus", "cost wait { overhead 50 ns }", "cost wait { overhead 7 ns }", 1, 7)):
        program = Program(size)
        program.call(size - 1, "shmem_long_wait_until", at=9000, target=HEAP, comparison=1, value=0)
        found = sim.predict(program, *LOGGP, machine=described(bus, node))
        tap.equal(spent(found, "shmem_long_wait_until"), wanted, f"a wait itself: {name}")
    program = Program(2)
    program.call(0, "shmem_long_p", 500, peer=1, target=HEAP, value=7)
    program.call(1, "shmem_long_wait_until", at=5000, target=HEAP, comparison=0, value=7)
    program.together(1, "shmem_barrier", start=1, size=1)
    machine = described("cost wait { overhead 50 ns } cost put { overhead 100 ns latency 20 us }")
    found = sim.predict(program, *LOGGP, machine=machine)
    tap.equal(spent(found, "shmem_long_wait_until"), 500 + 100 + 8 + 20000 + 50 - 4850,
              "a wait ends so long after the write has arrived")
    own = [row for row in found["routines"] if row["name"] == "shmem_long_wait_until"][0]
    tap.equal(ps(own["time"]) - ps(own["waiting"]), 50 * 1000, "... which is no waiting", own)


# ---- What is refused ----

def test_refused():
    trace = sim.trace(Program(2))
    begin = "bus b { bandwidth 1 GB/s latency 1 us\n"
    for text, place, wanted in (
            (begin + "cost puts { overhead 1 us } }", "2:6", "give put, get, put-nbi"),
            (begin + "cost { overhead 1 us } }", "2:6", "give put, get, put-nbi"),
            (begin + "cost put { overhead 1 us } cost put { gap 1 us } }", "2:33", "cost put is given twice"),
            (begin + "cost put { from 8 KiB gap 1 us } }", "2:17", "begins with 0 B"),
            (begin + "cost put { from 0 B gap 1 us from 8 KiB from 8192 B gap 2 us } }", "2:46",
             "the one before begins with 8192 B"),
            (begin + "cost put { gap 1 us from 8 KiB gap 2 us from 8 kB gap 3 us } }", "2:46", "must ascend"),
            (begin + "cost put { from 8 gap 1 us } }", "2:19", "needs a unit behind its number: B, KiB"),
            (begin + "cost put { from 0.5 B gap 1 us } }", "2:17", "a number of bytes"),
            (begin + "cost put { overhead 1 us overhead 2 us } }", "2:26", "overhead is given twice"),
            (begin + "cost put { overhead 5 } }", "2:23", "needs a unit"),
            (begin + "cost put { time 5 us } }", "2:12", "there are overhead, latency, gap, bandwidth, from"),
            (begin + "cost put { } }", "2:6", "put is empty"),
            (begin + "cost put overhead 1 us }", "2:10", "{ is missing"),
            (begin + "cost quiet { latency 1 us } }", "2:14", "there are overhead"),
            (begin + "cost quiet { } }", "2:6", "quiet has no overhead"),
            (begin + "cost put { overhead 1 us", "2:6", "the block of put does not end"),
            ("node n { latency 1 us bandwidth 1 GB/s cost get { from x } }", "1:56", "from needs a number")):
        name = sim.write(text + "\n")
        done = sim.run(name, trace)
        first = done.err.splitlines() or [""]
        column = int(place.split(":")[1])
        tap.ok(done.status == 2 and first[0].startswith(f"{name}:{place}: error:") and wanted in first[0] and
               len(first) >= 3 and first[2] == " " * (column - 1) + "^", f"bad cost: {wanted}", done)
    outer = sim.write(f'include "{described("cost put { overhead 5 ns }")}"\nmap blocks\n')
    tap.equal(one_call(outer, LOGGP, "shmem_putmem", size=100), 5 + 100, "costs of an included file hold")


for test in (test_pieces, test_classes, test_waits, test_refused):
    test()
tap.done()
