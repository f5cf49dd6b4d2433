#!/usr/bin/env python3
# PLAIN
"""shmemsim: polling loops of several calls a turn become one wait: programs whose time can be computed by hand take
that, on slow networks, too; and loops that do something, or wait for nothing, are replayed call by call."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import Tap
from made_runs import HEAP, Program, Simulator, ps

tap = Tap()
sim = Simulator()
NS = 1000  # ps
TAIL, TURNS = 20000, 9
FLAG = {"target": HEAP, "comparison": 0, "value": 7}
LATENCIES = (1000, 50000)


def test(program, result, burst=10, **fields):
    program.call(1, "shmem_long_test", burst, **{**FLAG, **fields}, result=result)


def get(program, size=8, place=HEAP + 64, routine="shmem_getmem"):
    program.call(1, routine, 5, peer=0, elements=size, bytes=size, target=0, source=place)


def fetch(program, place):
    program.call(1, "shmem_long_atomic_fetch", 10, peer=0, target=place)


def set_by_other(program, peer=1, place=HEAP, late=400):
    """PE 0 writes during the last turn of PE 1 but one."""
    program.call(0, "shmem_long_p", program.now[1] - program.now[0] - late, peer=peer, target=place, value=7)
    return program.now[0] - 100 - 150  # ns of bursts before it


def exact(program, nanoseconds, latency, loops, left_out, name, *options):
    """The run time without the barrier of shmem_finalize, and the counted loops."""
    found = sim.predict(program, *options, latency=f"{latency} ns")
    if not isinstance(found, dict):
        return tap.ok(False, name, found)
    tap.equal((ps(found["run_time"]) - latency * NS, found["polling_loops"], found["polls_left_out"]),
              (nanoseconds * NS, loops, left_out), f"{name}, latency {latency} ns", found)
    return found


def looping(turn, *, close=None):
    """Turns, the write of PE 0, and a test that has come; PE 1 then computes. Also when the write is made."""
    program = Program(2)
    for _ in range(TURNS):
        test(program, 0)
        turn(program)
    at = set_by_other(program)
    (close or test)(program, 1)
    program.call(1, "shmem_quiet", TAIL)
    return program, at


def test_tests():
    def free(program):
        for routine in ("shmem_quiet", "shmem_fence"):
            program.call(1, routine, 10)

    for latency in LATENCIES:
        program, at = looping(free)
        exact(program, at + latency + 8 + TAIL, latency, 1, (TURNS - 1) * 3, "test, quiet and fence")
        program, at = looping(get)
        first = 10 + 5 + latency + 8
        exact(program, max(first, at + latency + 8) + TAIL, latency, 1, (TURNS - 1) * 2, "test and get")
        program, at = looping(lambda program: fetch(program, HEAP + 72))
        first = 10 + 10 + latency + 8
        exact(program, max(first, at + latency + 8) + TAIL, latency, 1, (TURNS - 1) * 2, "test and atomic fetch")

        def several(program):
            test(program, 0, target=HEAP + 8)
            get(program)
            test(program, 0, target=HEAP + 16)

        def other(program, result):
            test(program, 0)
            test(program, result, target=HEAP + 8)

        program = Program(2)
        for _ in range(TURNS):
            test(program, 0)
            several(program)
        at = set_by_other(program, place=HEAP + 8)
        other(program, 1)
        program.call(1, "shmem_quiet", TAIL)
        first = 10 + 10 + 5 + latency + 8 + 10
        exact(program, max(first, at + latency + 8) + TAIL, latency, 1, (TURNS - 1) * 4 + 1,
              "three tests and a get")


def test_locks():
    for latency in LATENCIES:
        program = Program(2)
        program.call(0, "shmem_set_lock", target=HEAP)
        program.call(0, "shmem_clear_lock", 5000, target=HEAP)
        for _ in range(TURNS):
            program.call(1, "shmem_test_lock", 20, target=HEAP, result=1)
            program.call(1, "shmem_quiet", 10)
        program.call(1, "shmem_test_lock", 10, target=HEAP, result=0)
        program.call(1, "shmem_clear_lock", 100, target=HEAP)
        way = latency + 8
        # Locks are at PE 0, where they take 102 ns, and 8 more until the next one. The first turn stays.
        exact(program, max(102 + 5000 + 102 + 8, 2 * way + 30) + 100 + way, latency, 1, (TURNS - 1) * 2,
              "test_lock and quiet")


def test_fetches():
    def one(program):
        fetch(program, HEAP)
        fetch(program, HEAP + 8)

    def two(program):
        fetch(program, HEAP)
        get(program, place=HEAP + 8)

    def three(program):
        get(program, routine="shmem_int_get_nbi", place=HEAP)
        program.call(1, "shmem_quiet", 10)
    for latency in LATENCIES:
        way = latency + 8
        for turn, place, calls, takes, rest, name in (
                (one, HEAP + 8, 2, 2 * way + 20, 2 * way + 10, "two atomic fetches"),
                (two, HEAP, 2, 2 * way + 15, 2 * way + 5, "an atomic fetch and a get"),
                (three, HEAP, 2, latency + 15, latency + 10, "a non-blocking get and quiet")):
            program = Program(2)
            for _ in range(TURNS):
                turn(program)
            program.call(0, "shmem_long_p", program.now[1] - program.now[0] - 250, peer=0, target=place, value=1)
            at = program.now[0] - 100 - 150 + 102
            program.put(1, 0, 8, TAIL)
            exact(program, max(2 * takes, at) + rest + TAIL + way, latency, 1, (TURNS - 3) * calls, name)
            program = Program(2)
            for _ in range(TURNS):
                turn(program)
            program.put(1, 0, 8, TAIL)
            exact(program, TURNS * takes + TAIL + way, latency, 0, 0, f"{name}, but nobody writes")


def test_no_loops():
    latency, way = 50000, 50008
    def grows(program):
        get(program, place=HEAP + 64 + program.now[1] // 8 * 8)

    for turn, takes, name in (
            (lambda program: program.put(1, 0, 8, 5), way + 15, "a put"),
            (lambda program: program.call(1, "shmem_long_atomic_fetch_add", 5, peer=0, target=HEAP + 64, value=1), way + 15,
             "an atomic that changes something"),
            (lambda program: get(program, 9), way + 16, "a larger get"),
            (grows, way + 15, "gets of other places")):
        program, _ = looping(turn)
        exact(program, TURNS * takes + 10 + TAIL, latency, 0, 0, f"no loop: {name}")
    program = Program(2)
    test(program, 0)
    get(program)
    at = set_by_other(program, late=100)
    test(program, 1)
    program.call(1, "shmem_quiet", TAIL)
    exact(program, max(way + 15 + 10, at + way) + TAIL, latency, 0, 0, "no loop: one turn")
    # Turns that come to nothing take their time.
    program = Program(2)
    for _ in range(TURNS):
        test(program, 0)
        get(program)
    program.put(1, 0, 8, TAIL)
    exact(program, TURNS * (way + 15) + TAIL + way, latency, 0, 0, "no loop: a test that never comes")


def test_many():
    """Loops of several PEs and threads at once, longer than a window of calls; the predicted run takes equally long."""
    for threads in (1, 2):
        turns, latency, pes = 700, 50000, 3
        program = Program(pes, threads)
        lines = [(1, 1), (2, 1)] if threads > 1 else [1, 2]
        for line in lines:
            program.now[line] = 150
            for _ in range(turns):
                program.call(line, "shmem_long_test", 10, **FLAG, result=0)
                program.call(line, "shmem_getmem", 5, peer=0, elements=8, bytes=8, target=0, source=HEAP + 64)
                program.call(line, "shmem_quiet", 10)
        for pe in (1, 2):
            program.call(0, "shmem_long_p", program.now[lines[0]] - program.now[0] - 400 if pe == 1 else 0, peer=pe,
                         target=HEAP, value=7)
        at = program.now[0] - 200 - 150
        for line in lines:
            program.call(line, "shmem_long_test", 250, **FLAG, result=1)
            program.call(line, "shmem_quiet", TAIL)
        if threads > 1:
            for line in lines:
                program.now[line[0]] = program.now[line]
        way, trace = latency + 8, sim.trace(program)
        machine = sim.machine(latency=f"{latency} ns")
        found = sim.predict(trace, machine=machine)
        wanted = at + 2 * way + TAIL + 2 * latency
        name = f"loops of {len(lines)} PEs with {threads} threads"
        tap.equal((ps(found["run_time"]), found["polling_loops"], found["polls_left_out"]),
                  (wanted * NS, 2, 2 * 3 * (turns - 1)), name, found)
        folder = sim.name("predicted")
        tap.equal(sim.run("--trace", folder, machine, trace).status, 0, f"{name}: are written as a trace")
        tap.equal(ps(sim.predict(folder, machine=machine)["run_time"]), wanted * NS, "... which takes equally long")


def test_trace():
    """Loops of fetches, whose predicted run has three turns: a loop again."""
    program = Program(2)
    for i in range(TURNS):
        program.now[1] += TAIL if i == 5 else 0
        fetch(program, HEAP)
        fetch(program, HEAP + 8)
    program.call(0, "shmem_long_p", program.now[1] - program.now[0] - 250, peer=0, target=HEAP + 8, value=1)
    program.put(1, 0, 8, TAIL)
    trace, folder = sim.trace(program), sim.name("predicted")
    found = sim.predict(trace)
    tap.equal(sim.run("--trace", folder, sim.machine(), trace).status, 0, "a loop of fetches is written as a trace")
    again = sim.predict(folder)
    tap.equal((again["run_time"], again["polling_loops"], again["polls_left_out"]), (found["run_time"], 1, 0),
              "... with three turns, which takes equally long", again)


for check in (test_tests, test_locks, test_fetches, test_no_loops, test_many, test_trace):
    check()
tap.done()
