#!/usr/bin/env python3
# PLAIN
"""shmemsim --traced-on: what each call took in the trace beyond what the description of its machine says is added to it in
predictions, and reported by classes. Times of calls are known, so that predictions are exact."""

import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import Tap
from made_runs import HEAP, Program, Simulator, mixed_program, ps

tap = Tap()
sim = Simulator()
O, L, BARRIER = 200, 1000, 500  # ns: overhead, latency; a byte takes 1
MACHINE = ("bus net {{ bandwidth 1 GB/s latency {latency} ns overhead 200 ns {bus} }}\n"
           "node n {{ count 4 bandwidth 1 GB/s latency 1 us overhead 200 ns ratio {ratio} bus net {node} }}\n"
           "collective all table {{ pes 2 {{ time 0 ns }} }}\ncollective barrier table {{ pes 2 {{ time {barrier} ns }} }}\n")


def machine(latency=L, ratio=1, bus="", node="", barrier=0):
    return sim.write(MACHINE.format(latency=latency, ratio=ratio, bus=bus, node=node, barrier=barrier))


HERE = machine()


def get(size):
    return O + 2 * L + size


def predict(program, *options, here=HERE, there=None):
    return sim.predict(program, "--model", "loggp", "--traced-on", here, *options, machine=there or here)


def rows_of(found):
    """{(routine, kind, bytes from): row}"""
    return {(row["routine"], row["kind"], row["bytes_from"]): row for row in found["traced_on"]["classes"]}


def gets(more, size=100, count=10, burst=1000):
    """Both PEs get in turn, and each get takes so much longer in the trace than the description says (ns)."""
    program = Program(2)
    for _ in range(count):
        for pe in (0, 1):
            program.call(pe, "shmem_getmem", burst, peer=1 - pe, elements=size, bytes=size, target=0, source=HEAP,
                         duration=get(size) + more)
    return program


def test_own_machine():
    """The replay takes as long as the run."""
    for more in (700, 0, -700):
        found = predict(gets(more))
        tap.equal(ps(found["run_time"]), 1000 * 10 * (1000 + get(100) + more), f"gets that take {more:+} ns take that", found)
        rows = rows_of(found)
        row = rows["shmem_getmem", "call", 64]
        tap.equal((row["calls"], ps(row["added"])), (18, 1000 * more), "... by one class")
        tap.ok(abs(row["factor"] - (get(100) + more) / get(100)) < 1e-9, "... and its factor is known")
        tap.equal(ps(rows[None, "first", 0]["added"]), 1000 * more, "... first calls between two PEs are a class of their own")
        told = found["traced_on"]
        tap.equal([ps(told[name]) for name in ("recorded", "described", "adjusted")],
                  [1000 * 10 * (1000 + get(100) + extra) for extra in (more, 0, more)], "... three run times")


def test_other_machine():
    """Time of the processor: it stays when the network changes, and shrinks with the ratio."""
    for more in (700, -700):
        for latency in (5000, 400000):
            found = predict(gets(more), there=machine(latency=latency))
            tap.equal(ps(found["run_time"]), 1000 * 10 * (1000 + O + 2 * latency + 100 + more), f"{more:+} ns at {latency} ns")
        found = predict(gets(more), there=machine(ratio=2))
        tap.equal(ps(found["run_time"]), 1000 * 10 * (500 + get(100) + more // 2), f"{more:+} ns, processors twice as fast")
        found = predict(gets(more), here=machine(ratio=2), there=HERE)
        tap.equal(ps(found["run_time"]), 1000 * 10 * (1000 + get(100) + more), "... the ratio of the traced machine is 1")


def test_one_class():
    """Only gets of one size take twice as long; others, and local calls, are as described."""
    program = Program(2)
    for _ in range(6):
        for pe in (0, 1):
            program.put(pe, 1 - pe, 64, 3000, duration=O + 64)
            for size, times in ((100, 2), (1000, 1)):
                program.call(pe, "shmem_getmem", 50, peer=1 - pe, elements=size, bytes=size, target=0, source=HEAP,
                             duration=times * get(size))
            program.call(pe, "shmem_malloc", bytes=64, target=HEAP, duration=0)
    found = predict(program)
    rows = rows_of(found)
    tap.equal([key for key, row in rows.items() if row["added"]], [("shmem_getmem", "call", 64)],
              "only one class took longer", rows)
    tap.equal(rows["shmem_getmem", "call", 64]["factor"], 2, "... twice as long")
    tap.equal(ps(found["run_time"]), ps(found["traced_on"]["recorded"]), "the replay takes as long as the run")


def test_posts():
    """A post that takes longer leaves less to wait for."""
    def program(more):
        made = Program(2)
        for _ in range(4):
            for pe in (0, 1):
                made.put(pe, 1 - pe, 1000, 10000, routine="shmem_putmem_nbi", duration=O + more)
                made.call(pe, "shmem_quiet", duration=max(1000, more) + 2 * L - more)
        return made

    for more in (0, 300, 1000, 2500, -150):
        found = predict(program(more))
        wanted = 4 * (10000 + O + max(1000, more) + 2 * L)
        tap.equal(ps(found["run_time"]), 1000 * wanted, f"posts that take {more:+} ns", found["traced_on"])


def test_quiet():
    """Quiets that have something to wait for, and others."""
    program = Program(2)
    for _ in range(4):
        for pe in (0, 1):
            program.put(pe, 1 - pe, 100, 10000, duration=O + 100)
            program.call(pe, "shmem_quiet", duration=2 * L + 400)
            program.call(pe, "shmem_quiet", 100, duration=30)
    for receive, bus in ((0, ""), (1, "receive 300 ns")):
        found = predict(program, here=machine(bus=bus))
        rows = rows_of(found)
        tap.equal([ps(rows["shmem_quiet", kind, 0]["added"]) for kind in ("waits", "call")], [400000, 30000],
                  f"quiets with and without something open, receiving {receive}")
        tap.equal(ps(found["run_time"]), 1000 * 4 * (10000 + O + 100 + 2 * L + 400 + 100 + 30), "... in the run")
    shorter = Program(2)
    for _ in range(4):
        for pe in (0, 1):
            shorter.put(pe, 1 - pe, 100, 10000, duration=O + 100)
            shorter.call(pe, "shmem_quiet", duration=2 * L - 500)
            shorter.call(pe, "shmem_quiet", 100, duration=0)
    tap.equal(ps(predict(shorter)["run_time"]), 1000 * 4 * (10000 + O + 100 + 2 * L - 500 + 100),
              "a quiet that took less has nothing left to wait for")


def test_barrier():
    """What counts is the time from when the last PE has come."""
    for more in (400, -400):
        program = Program(2)
        for turn in range(6):
            late = 700 if turn % 2 else 0
            for pe in (0, 1):
                apart = 700 - late if pe else late
                program.together(pe, burst=1000 + apart, duration=BARRIER + more + 700 - apart)
        here = machine(barrier=BARRIER)
        found = predict(program, here=here)
        row = rows_of(found)["shmem_barrier_all", "call", 0]
        tap.equal((row["calls"], ps(row["added"])), (12, 1000 * more), f"barriers that take {more:+} ns")
        tap.equal(ps(found["run_time"]), 1000 * (6 * (1700 + BARRIER + more) + BARRIER),
                  "... in the run, with that of shmem_finalize")


def test_each_call():
    """Calls of a class differ: each has its own surplus."""
    program = Program(2)
    for more in (-900, 900, -800, 800):
        for pe in (0, 1):
            program.call(pe, "shmem_getmem", 10, peer=1 - pe, elements=100, bytes=100, target=0, source=HEAP,
                         duration=get(100) + more)
        program.barrier()
    for routine in ("shmem_getmem", None):
        rows = [row for row in predict(program)["traced_on"]["classes"] if row["routine"] == routine]
        tap.equal([ps(row["added"]) for row in rows], [300000 if routine else -900000], "the mean is reported", rows)
    spread = Program(2)
    for turn in range(40):
        for pe in (0, 1):
            spread.call(pe, "shmem_getmem", 10, peer=1 - pe, elements=100, bytes=100, target=0, source=HEAP,
                        duration=get(100) + 37 * (turn * (3 + pe) % 17) - 200)
    found = predict(spread)
    tap.equal(ps(found["run_time"]), ps(found["traced_on"]["recorded"]), "the run takes what it took", found)


def test_waits():
    """Writes that arrive later or earlier than described: waits end when they did. On another machine they are as much later,
    or earlier in proportion, if its messages take less time."""
    for more in (3000, -500):
        program = Program(2)
        for turn in range(1, 5):
            program.call(0, "shmem_long_p", 5000, peer=1, target=HEAP, value=turn, duration=O + 8)
            arrives = program.now[0] + L + more
            program.call(1, "shmem_long_wait_until", target=HEAP, comparison=0, value=turn,
                         duration=arrives - program.now[1])
        for name in program.now:
            program.now[name] = max(program.now.values()) + 10000  # all is complete then
        found = predict(program)
        tap.equal(ps(found["run_time"]), ps(found["traced_on"]["recorded"]), f"writes that arrive {more:+} ns later", found)
        tap.equal(ps(predict(program, there=machine(latency=L + 1000))["run_time"]) - ps(found["run_time"]), 1000000,
                  "... with 1 us more latency")


def test_less():
    """What took half of what is described takes half elsewhere, too."""
    program = gets(-get(100) // 2)
    found = predict(program, there=machine(latency=0))
    tap.equal(ps(found["run_time"]), 1000 * 10 * (1000 + (O + 100) // 2), "half, where all of it takes less", found)


def test_backlog():
    """Messages come faster in the trace than they can be received by the description: what a get waits for by that does not
    grow from get to get, since the gets before have ended."""
    program = Program(2)
    for _ in range(100):
        for pe in (0, 1):
            for _ in range(8):
                program.put(pe, 1 - pe, 64, 1000, duration=O + 64)
            program.call(pe, "shmem_getmem", 1000, peer=1 - pe, elements=64, bytes=64, target=0, source=HEAP, duration=25000)
    slow = machine(latency=10000, bus="receive 5 us")
    found = predict(program, here=slow)
    row = rows_of(found)["shmem_getmem", "call", 64]
    tap.ok(-60000e3 < ps(row["added"]) < 0, "messages that come too fast make no get wait for all before", row)
    told = found["traced_on"]
    tap.ok(abs(told["adjusted"] / told["recorded"] - 1) < 0.05, "... and the replay takes as long as the run", told)


def test_causes():
    """A wait that took less than described does not end before the call that writes begins, however slow the writer is."""
    program, slow = Program(2), machine(latency=100000, ratio=0.01)
    program.call(0, "shmem_long_p", 1000, peer=1, target=HEAP, value=7, duration=O)
    program.call(1, "shmem_long_wait_until", target=HEAP, comparison=0, value=7, duration=11000)
    found = predict(program, here=machine(latency=100000), there=slow)
    waited = next(row for row in found["routines"] if row["name"] == "shmem_long_wait_until")
    tap.equal(ps(waited["time"]), 1000 * 1000 * 100, "a wait ends when its write begins at the earliest")


def test_predicted_runs():
    """A predicted run takes what its machine says, so nothing is added. What the replay on the machine of the trace says in
    the end is what is predicted for that machine."""
    wrong, count = [], 0
    for number in range(16):
        program, model = mixed_program(random.Random(4000 + number), 1 + number % 3), ("loggp", "paper")[number // 8]
        here = machine(bus="receive 300 ns" if number % 2 else "", node="progress inside" if number % 4 == 3 else "",
                       barrier=BARRIER)
        name = f"predicted{number}"
        sim.predict(program, "--model", model, "--trace", name, machine=here)
        for contention in ((), ("--contention=fair",)):
            plain = sim.predict(name, "--model", model, *contention, machine=here)
            found = sim.predict(name, "--model", model, "--traced-on", here, *contention, machine=here)
            count += 1
            added = [row for row in found["traced_on"]["classes"] if row["added"]]
            if not contention and (added or found["run_time"] != plain["run_time"]):
                wrong.append((number, plain["run_time"], found["run_time"], added))
            if ps(found["traced_on"]["adjusted"]) != ps(found["run_time"]):
                wrong.append((number, contention, found["run_time"], found["traced_on"]["adjusted"]))
    tap.ok(not wrong, f"{count} predicted runs on their own machine", [one[:3] for one in wrong])


def test_commands():
    trace, there = sim.trace(gets(700)), machine(latency=5000)
    done = sim.run("--traced-on", HERE, there, trace)
    tap.ok(done.status == 0 and "+700 ns" in done.out and f"replayed on {HERE}" in done.out, "people read it, too", done)
    study = sim.run("what-if", "--json", "--latency", "5 us", "--traced-on", HERE, HERE, trace)
    tap.equal(json.loads(study.out)["points"][0]["run_time"], predict(trace, there=there)["run_time"], "what-if adds it, too")
    several = [sim.trace(gets(more)) for more in (900, 300, 600)]
    found = json.loads(sim.run("--json", "--traced-on", HERE, there, *several).out)
    times = [predict(one, there=there)["run_time"] for one in several]
    tap.equal((found["run_time"], ps(found["traced_on"]["adjusted"])), (times[2], ps(predict(several[2])["run_time"])),
              "of several traces, each is compared by itself, and the one of the median is reported", found)
    tap.ok(found["interval"]["traces"] == 3 and found["interval"]["of_traces"] > 0, "... and their spread is known", found)
    missing = sim.run("--traced-on", "nowhere.txt", there, trace)
    tap.ok(missing.status == 2 and "nowhere.txt" in missing.err, "a missing description is named", missing)


for test in (test_own_machine, test_other_machine, test_one_class, test_posts, test_quiet, test_barrier, test_each_call, test_waits,
             test_less, test_backlog, test_causes, test_predicted_runs, test_commands):
    test()
tap.done()
