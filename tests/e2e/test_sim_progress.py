#!/usr/bin/env python3
# PLAIN
"""shmemsim serves gets and atomics at targets that answer only inside calls of the library exactly when these are
in one: programs whose time can be computed by hand take that, and no program is faster for it."""

import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import Tap
from made_runs import HEAP, Program, Simulator, own, ps

tap = Tap()
sim = Simulator()
LOGGP = ("--model", "loggp")
L, O, A = 1000, 200, 50  # ns: latency, overhead, an atomic at its target; a byte takes 1
LATE = 10000             # when the target has computed
NODES = ("bus net { bandwidth 1 GB/s latency 1 us overhead 200 ns }\n"
         "node n { count %d cores %d bandwidth 1 GB/s latency 1 us overhead 200 ns atomic 50 ns bus net %s }\n"
         "collective all table { pes 2 { time 0 ns } }\n")


def machine(progress="progress inside", nodes=4, cores=1, more=""):
    return sim.write(NODES % (nodes, cores, progress) + more)


def spent(found, routine):
    """ns in a routine, all PEs together."""
    return sum(ps(row["time"]) for row in found["routines"] if row["name"] == routine) / 1000


def computing(pes=2, call="shmem_quiet"):
    """PE 1 computes and calls something then."""
    program = Program(pes)
    program.call(1, call, LATE)
    return program


def fetch(program, pe, routine="shmem_long_atomic_fetch_add", burst=0, **fields):
    program.call(pe, routine, burst, peer=1, target=HEAP, value=1, **fields)


def check(program, routine, wanted, name, options=LOGGP, description=None):
    found = sim.predict(program, "--per-pe", *options, machine=description or machine())
    taken = own(found, 0, routine) if isinstance(found, dict) else found
    tap.equal(taken, wanted, name, found)
    return found


def test_classes():
    program = computing()
    program.get(0, 1, 500)
    found = check(program, "shmem_getmem", LATE + 500 + L, "a get is served at the next call of its target")
    path = found["critical_path"]
    on = [part["pe"] for part in path["parts"] if part["name"] == "computing"]
    tap.equal((ps(path["compute"]) / 1000, on), (LATE, [1]),
              "... which is on the critical path", path)
    late = computing()
    late.get(0, 1, 500, 10)
    check(late, "shmem_getmem", LATE + 500 + L - 10, "paper: likewise", ())
    for progress in ("", "progress always"):
        check(program, "shmem_getmem", O + 2 * L + 500, f"without that it is served at once: {progress}",
              description=machine(progress))
    program = computing()
    program.put(0, 1, 500)
    check(program, "shmem_putmem", O + 500, "puts only arrive")
    program = computing()
    fetch(program, 0)
    check(program, "shmem_long_atomic_fetch_add", LATE + A + L, "a fetching atomic")
    check(program, "shmem_long_atomic_fetch_add", LATE + A, "paper: likewise", ())
    program = computing()
    fetch(program, 0, "shmem_ulong_atomic_set")
    program.call(0, "shmem_quiet")
    found = check(program, "shmem_ulong_atomic_set", O, "an atomic that fetches nothing returns")
    tap.equal(own(found, 0, "shmem_quiet"), LATE + A + L - O, "... and quiet waits until it was served", found)
    program = computing()
    program.call(0, "shmem_int_get_nbi", peer=1, elements=25, bytes=100, target=0, source=HEAP + 4096)
    program.call(0, "shmem_ctx_quiet", context=7)
    program.call(0, "shmem_quiet", 300)
    found = check(program, "shmem_quiet", LATE + 100 + L - O - 300, "a non-blocking get")
    tap.equal(own(found, 0, "shmem_ctx_quiet"), 0, "... of no other context", found)
    program = computing()
    fetch(program, 0, "shmem_ulong_atomic_set")
    program.barrier()
    found = check(program, "shmem_barrier_all", LATE + A + L - O, "a barrier waits for it, too")


def test_order():
    program = computing(4)
    for pe, burst in ((0, 30), (2, 10), (3, 20)):
        fetch(program, pe, burst=burst)
    found = check(program, "shmem_long_atomic_fetch_add", LATE + 3 * A + L - 30, "requests are served as they came")
    tap.equal([own(found, pe, "shmem_long_atomic_fetch_add") for pe in (2, 3)],
              [LATE + A + L - 10, LATE + 2 * A + L - 20], "... the others before", found)
    program = computing()
    fetch(program, 0, "shmem_ulong_atomic_set")
    program.call(0, "shmem_fence")
    program.call(0, "shmem_long_p", peer=1, target=HEAP + 8, value=5)
    program.call(1, "shmem_long_wait_until", at=90000, target=HEAP + 8, comparison=0, value=5)
    check(program, "shmem_fence", 0, "a fence does not wait for atomics")
    program = computing(3)
    program.put(0, 2, 100, routine="shmem_putmem_nbi")
    program.call(0, "shmem_fence", 10)
    check(program, "shmem_fence", 0, "a fence after puts does not wait")


def test_answers():
    program = Program(3)  # PE 1 is in its last call
    program.get(2, 1, 3000, 100)
    program.get(0, 1, 500, 150)
    found = check(program, "shmem_getmem", O + 2 * L + 100 + 3000 - 150 + 500, "a PE sends what others get one after the other")
    tap.equal(own(found, 2, "shmem_getmem"), O + 2 * L + 3000, "... in the order of their requests", found)
    check(program, "shmem_getmem", O + 2 * L + 500, "... all at once, without libraries", description=machine(""))


def test_inside():
    for after in (0, 1):
        program = Program(3)
        program.get(1, 2, 500)  # returns after 2,700 ns
        program.call(1, "shmem_quiet", 5000)
        program.get(0, 1, 500, 1500 + after)
        check(program, "shmem_getmem", O + 2 * L + 500 if after == 0 else 7700 - 1501 + 500 + L,
              f"a request that comes {after} ns after the end of a call")
    program = Program(3)
    program.put(1, 2, 1000)
    program.call(1, "shmem_quiet", 5000)
    program.get(0, 1, 500)
    check(program, "shmem_getmem", O + 1000 + 5000 + 500 + L, "a put serves nobody")
    program = Program(3)
    program.barrier([0, 50, 60000])
    program.lines[0].pop(), program.lines[2].pop()
    program.now[0] = program.now[2] = 150
    program.get(0, 1, 500, 20000)
    program.together(0)
    program.together(2, burst=60000)
    check(program, "shmem_getmem", O + 2 * L + 500, "a PE that waits in a barrier serves")
    program = Program(2)
    program.get(0, 0, 500)
    program.call(0, "shmem_int_get_nbi", peer=0, elements=25, bytes=100, target=0, source=HEAP + 4096)
    program.call(0, "shmem_quiet")
    found = check(program, "shmem_getmem", O + 2 * L + 500, "a PE needs nobody for its own memory")
    tap.equal(own(found, 0, "shmem_quiet"), 2 * L + 100, "... also when it does not wait", found)
    for name, busy in (("shmem_getmem", O + 2 * L + 500), ("shmem_long_atomic_fetch_add", O + 2 * L + A)):
        program = Program(2)
        if name == "shmem_getmem":
            program.get(1, 1, 500, LATE)
        else:
            fetch(program, 1, burst=LATE)
        program.call(1, "shmem_quiet", 3000)
        program.get(0, 1, 500)
        check(program, "shmem_getmem", LATE + busy + 3000 + 500 + L, f"{name} of its own memory serves nobody")
    program = computing()
    program.get(0, 1, 500)
    check(program, "shmem_getmem", LATE + 500 + L, "PEs of the same node do", description=machine(cores=2))
    mixed = NODES.replace("collective", "node m { count 1 cores 1 bandwidth 1 GB/s latency 1 us bus net }\ncollective")
    check(program, "shmem_getmem", O + 2 * L + 500, "each kind of node has its own",
          description=sim.write(mixed % (1, 1, "progress inside")))
    program = Program(2)
    program.get(0, 1, 500, 3000)
    text = program.scenario(finalize=False, end="exit")
    found = sim.predict(sim.trace(text), *LOGGP, machine=machine())
    tap.equal(spent(found, "shmem_getmem"), O + 2 * L + 500, "a PE that has ended answers", found)


def test_loops():
    program = computing()
    for _ in range(12):
        fetch(program, 0, "shmem_long_atomic_fetch")
    program.together(1)
    program.together(0)
    check(program, "shmem_long_atomic_fetch", LATE + A + L + 11 * (O + 2 * L + A), "equal fetches are served in turn")
    program = computing(3)
    program.call(1, "shmem_quiet", LATE)
    for _ in range(12):
        fetch(program, 0, "shmem_long_atomic_fetch", 10)
    program.call(2, "shmem_long_p", 900, peer=1, target=HEAP, value=1)
    found = sim.predict(program, "--per-pe", *LOGGP, machine=machine())
    # The first fetch is served at the first call of PE 1, the second one at the second; then PE 1 is in its last one.
    first, second = LATE + A + L, 2 * LATE + A + L
    tap.equal((own(found, 0, "shmem_long_atomic_fetch"), found["polling_loops"]),
              (first - 10 + second - first - 10 + O + 2 * L + A, 1), "a loop that waits for a write fetches once more",
              found)


def test_contention():
    program = Program(3)
    program.get(0, 1, 500)
    program.call(1, "shmem_quiet", LATE)
    program.put(2, 0, 700, 4000)
    shared = sim.write(NODES.replace("bus net %s }", "bus net in 1 out 1 %s }") % (4, 1, "progress inside"))
    found = check(program, "shmem_getmem", LATE + 500 + L, "links are needed only when a get is served",
                  (*LOGGP, "--contention"), shared)
    tap.equal(own(found, 2, "shmem_putmem"), O + 700, "... until then others have them", found)
    program = Program(3)
    for pe in (0, 2):
        program.get(pe, 1, 500, pe)
    program.call(1, "shmem_quiet", LATE)
    found = check(program, "shmem_getmem", LATE + 500 + L, "the first one has the link", (*LOGGP, "--contention"), shared)
    tap.equal(own(found, 2, "shmem_getmem"), LATE + 1000 + L - 2, "... and then the second one", found)


def test_never_faster():
    chance = random.Random(5)
    good, slower, shown = 0, 0, None
    for _ in range(6):
        pes = chance.randrange(2, 6)
        program = Program(pes)
        for pe in range(pes):
            for _ in range(12):
                burst, peer, kind = chance.randrange(6000), chance.randrange(pes), chance.randrange(5)
                if kind == 0:
                    program.get(pe, peer, chance.randrange(3000), burst)
                elif kind == 1:
                    program.put(pe, peer, chance.randrange(3000), burst, "shmem_putmem_nbi")
                elif kind == 2:
                    program.call(pe, "shmem_int_get_nbi", burst, peer=peer, elements=50, bytes=200, target=0,
                                 source=HEAP + 4096)
                else:
                    program.call(pe, ("shmem_quiet", "shmem_fence")[kind - 3], burst)
        program.barrier()
        trace = sim.trace(program)
        ends = [[pe["end"] for pe in sim.predict(trace, *LOGGP, machine=machine(how, 8))["per_pe"]]
                for how in ("progress always", "progress inside")]
        slower += ends[0] != ends[1]
        if all(a <= b for a, b in zip(*ends)):
            good += 1
        else:
            shown = (trace, ends)
    tap.equal(good, 6, "no PE is earlier because others answer later", shown)
    tap.ok(slower >= 3, "... and some are later", slower)


def test_refused():
    trace = sim.trace(Program(2))
    begin = "node n { bandwidth 1 GB/s latency 1 us\n"
    for text, place, wanted in (("progress sometimes }", "2:10", "give always, or inside"),
                                ("progress }", "2:10", "give always, or inside"),
                                ("progress always progress inside }", "2:17", "progress is given twice")):
        name = sim.write(begin + text + "\n")
        done = sim.run(name, trace)
        tap.ok(done.status == 2 and done.err.startswith(f"{name}:{place}: error: ") and wanted in done.err,
               f"bad progress: {text}", done)


for test in (test_classes, test_order, test_answers, test_inside, test_loops, test_contention, test_never_faster, test_refused):
    test()
tap.done()
