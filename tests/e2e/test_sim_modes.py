#!/usr/bin/env python3
# LONG
# PLAIN
"""shmemsim: every mode works with every other. Programs whose time can be computed by hand take exactly that where
links are shared or queued for, targets answer only inside calls, receiving takes time, PEs have threads, and strided
calls go by elements, in combinations of these."""

import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import Tap
from made_runs import HEAP, Program, Simulator, mixed_program, own

tap = Tap()
sim = Simulator()
L, O, R, A = 1000, 200, 300, 50  # ns: latency, overhead, receiving, an atomic at its target; a byte takes 1
LATE = 10000                     # when a target has computed
RECEIVE, INSIDE, FAIR, FIFO = "receive 300 ns", "progress inside", "--contention=fair", "--contention=fifo"
MACHINE = ("bus net {{ bandwidth 1 GB/s latency 1 us overhead 200 ns {bus} }}\n"
           "node n {{ count 8 bandwidth 1 GB/s latency 1 us overhead 200 ns atomic 50 ns bus net out 1 {node} }}\n"
           "map {{ {places} }}\ncollective all table {{ pes 2 {{ time 0 ns }} }}\n{more}")


def check(program, wanted, name, *options, bus="", node="", places="0 1 2 3", more="", model="loggp"):
    """wanted: {(PE, routine): ns}"""
    machine = sim.write(MACHINE.format(bus=bus, node=node, places=places, more=more))
    found = sim.predict(program, "--per-pe", "--model", model, *options, machine=machine)
    tap.equal({key: own(found, *key) for key in wanted} if isinstance(found, dict) else found, wanted, name, found)


def two_puts():
    """PEs 0 and 1 put to PE 2 and wait until that is complete."""
    program = Program(3)
    for pe in (0, 1):
        program.put(pe, 2, 1000)
        program.call(pe, "shmem_quiet")
    return program


def times(puts, ends):
    return {(pe, routine): time for pe in (0, 1)
            for routine, time in (("shmem_putmem", puts[pe]), ("shmem_quiet", ends[pe] - puts[pe]))}


def test_receiving():
    """The links let both go on; then the target handles one after the other."""
    both = [O + 2000] * 2
    there = O + 2000 + L - R
    check(two_puts(), times(both, (there + R + L, there + 2 * R + L)), "fair shares and receiving", FAIR, bus=RECEIVE,
          places="0 0 1")
    queued = [O + 1000, O + 2000]
    check(two_puts(), times(queued, (O + 1000 + 2 * L, O + 2000 + 2 * L)), "a queue for the link and receiving", FIFO,
          bus=RECEIVE, places="0 0 1")
    for how, sent in ((FIFO, queued), (FAIR, both)):
        program = two_puts()
        program.call(2, "shmem_quiet", LATE)
        check(program, times(sent, (LATE + R + L, LATE + 2 * R + L)), f"{how}, receiving, and progress inside", how,
              bus=RECEIVE, node=INSIDE, places="0 0 1")


def test_gets():
    """From two PEs of a node, which share its link, and from one PE, which sends one after the other."""
    for how, ends in ((FIFO, (1000, 2000)), (FAIR, (2000, 2000))):
        for targets, ends in (((2, 3), ends), ((2, 2), (1000, 2000))):
            program = Program(4)
            for pe, target in enumerate(targets):
                program.get(pe, target, 1000)
                program.call(2 + pe, "shmem_quiet", LATE)
            what = f"{how} and progress inside: gets are served by {len(set(targets))} PEs"
            check(program, {(pe, "shmem_getmem"): LATE + ends[pe] + L for pe in (0, 1)}, what, how, node=INSIDE,
                  places="0 0 1 1")
            check(program, {(pe, "shmem_getmem"): LATE + R + ends[pe] + L for pe in (0, 1)}, "... and receiving", how,
                  bus=RECEIVE, node=INSIDE, places="0 0 1 1")


def test_threads():
    def fetch(threads):
        program = Program(3, threads)
        program.call(0, "shmem_long_atomic_fetch_add", peer=1, target=HEAP, value=1)
        program.call(1, "shmem_quiet", LATE)
        if threads > 1:
            program.get((1, 1), 2, 3000, 650)  # from 500 on; the thread begins when shmem_init has ended
        return program

    check(fetch(1), {(0, "shmem_long_atomic_fetch_add"): LATE + A + L}, "no thread of the target is in a call", node=INSIDE)
    check(fetch(2), {(0, "shmem_long_atomic_fetch_add"): O + 2 * L + A}, "another thread of the target is in a call", node=INSIDE)
    program = Program(2, threads=2)
    program.put(0, 1, 8)
    program.call(0, "shmem_quiet")
    program.put((0, 1), 1, 8, 150)
    there = O + 8 + L - R
    check(program, {(0, "shmem_quiet"): there + 2 * R + L - (O + 8), (0, "shmem_putmem"): 2 * O + 8 + 16},
          "threads share an interface; their messages are received in turn", bus=RECEIVE)
    program = Program(2, threads=2)
    program.put(0, 1, 1000)
    program.put((0, 1), 1, 1000, 150)
    check(program, {(0, "shmem_putmem"): O + 1000 + O + 2000}, "... also with fair shares", FAIR)
    check(program, {(0, "shmem_putmem"): 2 * (L + 2000)}, "... which threads without an interface in common divide", FAIR,
          model="paper")


def test_fence():
    program = Program(3)
    program.put(0, 2, 1000, routine="shmem_putmem_nbi")
    program.call(0, "shmem_fence")
    program.put(0, 2, 8, routine="shmem_putmem_nbi")
    program.call(0, "shmem_quiet")
    program.put(1, 2, 1000)
    there = O + 2000 + L - R
    check(program, {(0, "shmem_fence"): 0, (0, "shmem_quiet"): there + 3 * R + L - 2 * O},
          "a fence between puts that share a link and are received", FAIR, bus=RECEIVE, places="0 0 1")
    program = Program(2)
    program.call(0, "shmem_int_get_nbi", peer=1, elements=50, bytes=200, target=0, source=HEAP)
    program.call(0, "shmem_fence")
    program.call(1, "shmem_quiet", LATE)
    check(program, {(0, "shmem_fence"): 0}, "a fence does not order gets", node=INSIDE)


def test_strided():
    program = Program(2)
    program.call(0, "shmem_int_iput", peer=1, elements=3, bytes=12, target=HEAP, source=0, target_stride=2, source_stride=2)
    program.call(0, "shmem_quiet")
    sent = 3 * (O + 4)
    for how in ((), (FIFO,), (FAIR,)):
        check(program, {(0, "shmem_int_iput"): sent, (0, "shmem_quiet"): O + 4 + L - R + 3 * R + L - sent},
              f"elements are messages {' '.join(how)}", *how, bus=RECEIVE + " iput each")


def test_asks():
    program = Program(2)
    program.put(0, 1, 1000)
    program.call(0, "shmem_quiet")
    for how in ((), (FIFO,), (FAIR,)):
        check(program, {(0, "shmem_quiet"): O + 1000 + L - R + 2 * R + L - (O + 1000)}, f"a quiet asks {' '.join(how)}", *how,
              bus=RECEIVE + " quiet asks")


def test_locks():
    whole = O + 2 * L + A
    program = Program(2)
    for pe in (0, 1):
        program.call(pe, "shmem_set_lock", pe, target=HEAP)
        program.call(pe, "shmem_clear_lock", 5000, target=HEAP)
    for how in ((), (FAIR,)):
        check(program, {(1, "shmem_set_lock"): whole + 5000 + 870 - 1}, f"a lock is handed over {' '.join(how)}", *how,
              bus="cost hand-over { latency 870 ns }")
    program = Program(2)
    program.call(0, "shmem_set_lock", target=HEAP)
    program.put(0, 1, 1000, routine="shmem_putmem_nbi")
    program.call(0, "shmem_clear_lock", target=HEAP)
    for how in ((), (FAIR,)):
        check(program, {(0, "shmem_clear_lock"): 1000 + 2 * L + O}, f"clear_lock completes what is open {' '.join(how)}", *how)
        check(program, {(0, "shmem_clear_lock"): O}, "... or overtakes it", *how, more="unlock overtakes\n")
    check(program, {(0, "shmem_clear_lock"): 1000 + 2 * L + O}, "... with receiving", FAIR, bus=RECEIVE)


def test_lock_queue():
    """PEs get a lock in the order in which their requests arrive at its PE: (PE, when it asks, when its request is there)."""
    held, clear = 5000, O + L + A  # until it is clear at its PE
    for more, place, asking in (("", HEAP, ((2, 0, 1200), (1, 700, 1100), (0, 1010, 1410))),
                                ("", HEAP, ((2, 0, 1200), (1, 700, 1100), (3, 50, 1250), (0, 1010, 1410))),
                                ("locks spread\n", HEAP + 16, ((0, 0, 1200), (3, 700, 1100), (1, 50, 1250), (2, 1010, 1410)))):
        program, wanted, free = Program(len(asking)), {}, 0
        for pe, asks, _ in asking:
            program.call(pe, "shmem_set_lock", asks, target=place)
            program.call(pe, "shmem_clear_lock", held, target=place)
        for pe, asks, there in sorted(asking, key=lambda one: one[2]):
            has = max(free, there) + A + (L if there - asks == O + L else 200)
            wanted[pe, "shmem_set_lock"], free = has - asks, has + held + clear
        for how in ((), (FIFO,), (FAIR,)):
            check(program, wanted, f"{len(asking)} PEs queue for a lock {more.strip()} {' '.join(how)}", *how, places="0 0 1 1",
                  node="cost lock { overhead 200 ns latency 400 ns }", more=more)


def test_connect():
    program = Program(2)
    program.put(0, 1, 100)
    program.put(0, 1, 100)
    for how in ((), (FIFO,), (FAIR,)):
        check(program, {(0, "shmem_putmem"): 300000 + 2 * (O + 100)}, f"the first message connects {' '.join(how)}", *how,
              bus="cost connect { latency 300 us }")


def slower(machine):
    with open(sim.path(machine), encoding="utf-8") as file:
        return sim.write(file.read().replace("latency 1 us", "latency 1.7 us"))


def test_all():
    """Each of the modes with each other one, on programs of all kinds of calls: what is predicted is predicted again,
    from files in another order, too. Without contention, and without atomics and locks, which another order can make
    faster, more latency never is."""
    chance, wrong, count = random.Random(3), [], 0
    for number in range(6):
        trace = sim.trace(mixed_program(random.Random(2000 + number), 1 + number % 3, number % 2 == 0))
        files = [os.path.join(sim.path(trace), name) for name in os.listdir(sim.path(trace))]
        for how in ("none", "fifo", "fair"):
            for modes in range(8):
                bus = (RECEIVE + " answer 100 ns " if modes & 1 else "") + ("iput each iget each" if modes & 2 else "")
                machine = sim.write(MACHINE.format(bus=bus + " quiet asks" * (modes == 7), node=INSIDE if modes & 4 else "",
                                                   places="0 0 1 1 2 2 3", more=""))
                options = ("--json", "--per-pe") + (() if how == "none" else (f"--contention={how}",))
                chance.shuffle(files)
                first, again = sim.run(*options, machine, trace), sim.run(*options, machine, *files)
                count += 1
                if first.status != 0 or first.out != again.out:
                    wrong.append((trace, options, machine, first, again))
                if how == "none" and number % 2:
                    slow = sim.predict(trace, "--model", "loggp", machine=slower(machine))
                    if slow["run_time"] < json.loads(first.out)["run_time"]:
                        wrong.append((trace, options, machine, first, slow))
    tap.ok(not wrong, f"{count} combinations of modes and programs: predicted, and the same whatever the order of files", wrong[:1])


for test in (test_receiving, test_gets, test_threads, test_fence, test_strided, test_asks, test_locks, test_lock_queue, test_connect, test_all):
    test()
tap.done()
