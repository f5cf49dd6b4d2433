#!/usr/bin/env python3
# PLAIN
"""shmemsim --contention=fair: transfers that share links take exactly what max-min fair shares say, by hand, and
calls wait for ends that move; what shares nothing takes as long as without contention; no link carries more than
it can."""

import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import Tap
from made_runs import HEAP, Program, Simulator, ps, random_program

tap = Tap()
sim = Simulator()
NS = 1000  # ps
L, O = 1000, 200  # ns: latency, overhead; a byte takes 1 ns
FAIR = ("--contention=fair", "--per-pe")
LOGGP = ("--model", "loggp", *FAIR)
BUS = "bus net { bandwidth 1 GB/s latency 1 us overhead 200 ns }\n"
# Nodes 0 and 3 are on a bus of their own, nodes 0, 1 and 2 on the first one.
TWO_BUSES = """bus some { bandwidth 1 GB/s latency 1 us }
bus net { bandwidth 1 GB/s latency 1 us }
bus far { bandwidth 1 GB/s latency 1 us }
node a { bandwidth 4 GB/s latency 100 ns out 1 bus some bus net }
node b { count 2 bandwidth 4 GB/s latency 100 ns bus some bus far }
node c { bandwidth 4 GB/s latency 100 ns bus net bus far }
"""
INSIDE = "bandwidth 4 GB/s latency 100 ns overhead 200 ns"


def nodes(places, text=BUS, links="out 1 in 100", buses="bus net", count=8):
    """A machine with the nodes of PEs as given."""
    return sim.write(f"{text}node n {{ count {count} {INSIDE} {buses} {links} }}\nmap {{ {places} }}\n")


def spent(found, pe, routine="shmem_putmem"):
    """ns in a routine on a PE."""
    return sum(ps(row["time"]) for row in found["per_pe"][pe]["routines"] if row["name"] == routine) / NS


def puts(machine, wanted, name, starts=(), options=FAIR, routine="shmem_putmem"):
    """Puts (from, to, bytes), each by a PE of its own, take as many ns as wanted."""
    program = Program(1 + max(max(put[:2]) for put in wanted))
    for i, (pe, peer, size) in enumerate(wanted):
        program.put(pe, peer, size, burst=starts[i] if starts else 0, routine=routine)
    found = sim.predict(program, *options, machine=machine)
    if not isinstance(found, dict):
        return tap.ok(False, name, found)
    tap.equal({put: spent(found, put[0]) for put in wanted}, wanted, name, found)
    return found


def test_shares():
    # PEs 0, 1 and 2 are on node 0, others on nodes of their own.
    one = nodes("3*0 1 2 3 4 5")
    puts(one, {(0, 3, 1000): L + 1000}, "one put is as fast as alone")
    puts(one, {(0, 3, 1000): L + 2000, (1, 4, 1000): L + 2000}, "two puts out of one node have half of its link each")
    puts(one, {(0, 3, 1000): L + 2000, (1, 4, 3000): L + 4000}, "a put that ends gives its share back")
    puts(one, {(0, 3, 3000): L + 5000, (1, 4, 1000): L + 2500, (2, 5, 1000): L + 2500},
         "puts that come later take their share", starts=(0, 500, 1500))
    puts(nodes("3*0 1 2 3", links="out 2 in 100"),
         {(0, 3, 600): L + 900, (1, 4, 600): L + 900, (2, 5, 600): L + 900}, "three puts have two links")
    puts(nodes("0 1 2 3 4", links="out 1 in 1"), {(pe, 4, 1000): L + 4000 for pe in range(4)},
         "four nodes put into one")
    puts(nodes("0 0", links="out 1 in 1"), {(0, 1, 1000): 100 + 250}, "the inside of a node is not shared")
    # Node 0 sends three; one of them goes to where PE 3 puts, too: 1/3 of that link, 2/3 are left.
    puts(nodes("3*0 1 2 3 4", links="out 1 in 1"),
         {(0, 4, 1000): L + 3000, (1, 5, 1000): L + 3000, (2, 6, 1000): L + 3000, (3, 6, 2000): L + 3000},
         "what one link leaves goes to another put")


def test_buses():
    wide = BUS.replace("}", "lanes 2 }")
    puts(nodes("0 1 2 3", wide, ""), {(0, 3, 1000): L + 1500, (1, 3, 1000): L + 1500, (2, 3, 1000): L + 1500},
         "a bus of two lanes")
    narrow = BUS.replace("}", "total 500 MB/s }")
    puts(nodes("0 1 2", narrow, ""), {(0, 2, 1000): L + 4000, (1, 2, 1000): L + 4000}, "a bus with a total bandwidth")
    # Two puts have 0.2 each of the bus; the third one has the rest of the link out of node 0, on the other bus.
    puts(sim.write(TWO_BUSES.replace("}", "total 400 MB/s }", 1) + "map { 0 0 1 2 3 }\n"),
         {(0, 2, 1000): L + 5000, (1, 4, 4000): L + 5000, (2, 3, 1000): L + 5000},
         "three puts on two links have unequal shares")


def test_completion():
    one = nodes("2*0 1 2")
    program = Program(4)
    for pe in (0, 1):
        program.put(pe, 2 + pe, 10000, routine="shmem_putmem_nbi")
        program.call(pe, "shmem_quiet", 500)
    found = sim.predict(program, *LOGGP, machine=one)
    tap.equal([spent(found, pe, name) for pe in (0, 1) for name in ("shmem_putmem_nbi", "shmem_quiet")],
              [O, 20000 + 2 * L - 500] * 2, "non-blocking puts share a link; quiet waits until both have ended", found)
    program = Program(4)
    program.put(0, 2, 1000)
    program.call(0, "shmem_quiet", 10)
    program.put(1, 3, 1000, routine="shmem_putmem_nbi")
    program.call(1, "shmem_quiet", 10)
    found = sim.predict(program, *LOGGP, machine=one)
    tap.equal((spent(found, 0), spent(found, 0, "shmem_quiet"), spent(found, 1, "shmem_quiet")),
              (O + 2000, 2 * L - 10, 2000 + 2 * L - 10), "a blocking put returns when it is sent", found)
    program = Program(4)
    program.get(2, 0, 1000)
    program.put(1, 3, 1000, burst=L)
    found = sim.predict(program, *LOGGP, machine=one)
    tap.equal((spent(found, 2, "shmem_getmem"), spent(found, 1)), (O + L + 2000 + L, O + 2000),
              "a get uses the link out of its target", found)
    program = Program(4)
    for _ in range(3):
        program.put(0, 2, 1000, routine="shmem_putmem_nbi")
    program.call(0, "shmem_quiet")
    program.put(1, 3, 3000)
    found = sim.predict(program, *LOGGP, machine=one)
    tap.equal((spent(found, 1), spent(found, 0, "shmem_quiet")), (O + 6000, 6000 - 2 * O + 2 * L),
              "puts of one PE follow each other, and share with those of another one", found)
    for context, wanted in ((1, 20000 + 2 * L), (2, 0)):
        program = Program(4)
        program.put(0, 2, 10000, routine="shmem_ctx_putmem_nbi", context=1)
        program.call(0, "shmem_ctx_quiet", context=context)
        program.put(1, 3, 20000)
        tap.equal(spent(sim.predict(program, *LOGGP, machine=one), 0, "shmem_ctx_quiet"), wanted,
                  f"quiet of context {context} while a put of context 1 is open")
    program = Program(4)
    program.put(0, 2, 1000, routine="shmem_putmem_nbi")
    program.put(1, 3, 5000, routine="shmem_putmem_nbi")
    program.barrier()
    found = sim.predict(program, *LOGGP, machine=one)
    tap.equal(spent(found, 2, "shmem_barrier_all"), O + 6000 + 2 * L + 2 * (L + 2 * O),
              "a barrier waits for open transfers of all", found)
    program = Program(4)
    program.call(0, "shmem_set_lock", target=HEAP)
    program.put(0, 2, 10000, routine="shmem_putmem_nbi")
    program.call(0, "shmem_clear_lock", target=HEAP)
    program.put(1, 3, 50000)
    found = sim.predict(program, *LOGGP, machine=one)
    alone = sim.predict(program, "--model", "loggp", "--per-pe", machine=one)
    tap.equal(spent(found, 0, "shmem_clear_lock") - spent(alone, 0, "shmem_clear_lock"), 10000,
              "clear_lock waits for open transfers", found)


def test_order():
    """A put to PE 2 shares the link with PE 1's, and arrives after 2000 + 5000 ns; PE 3 waits for what is behind it."""
    machine = sim.write(TWO_BUSES.replace("latency 1 us", "latency 5 us", 1) + "map { 0 0 1 3 }\n")
    for what, early, late in (("shmem_long_p", 2016 + L, 7000), ("shmem_long_atomic_fetch_add", L + 8, 7008)):
        for fence, arrival in ((False, early), (True, late)):
            program = Program(4)
            program.put(0, 2, 1000, routine="shmem_putmem_nbi")
            if fence:
                program.call(0, "shmem_fence")
            program.call(0, what, peer=3, target=HEAP, value=1)
            program.call(0, "shmem_quiet")
            program.put(1, 2, 3000, routine="shmem_putmem_nbi")
            start = program.now[0] + 10
            program.call(3, "shmem_long_wait_until", at=start, target=HEAP, comparison=5, value=1)
            found = sim.predict(program, *LOGGP, machine=machine)
            tap.equal(spent(found, 3, "shmem_long_wait_until"), arrival - (start - 150),
                      f"{what} {'behind' if fence else 'without'} a fence", found)
            if fence:
                tap.equal(spent(found, 0, what) + spent(found, 0, "shmem_quiet"), 7000 + 5000,
                          "... and a quiet waits for the first put's acknowledgment", found)


def without(found, *names):
    return {name: value for name, value in found.items() if name not in names}


def test_alone():
    """Links that nobody shares change nothing, whatever the calls are."""
    chance = random.Random(11)
    different, loops = [], 0
    for number in range(12):
        program = random_program(chance)
        for pe in range(program.pes):
            program.put(pe, chance.randrange(program.pes), 500, 7, routine="shmem_ctx_putmem_nbi", context=2)
            program.put(pe, chance.randrange(program.pes), 50, 7, routine="shmem_putmem_nbi")
            program.call(pe, "shmem_ctx_quiet", 3, context=2)
        program.barrier()
        for pe in range(program.pes):
            program.call(pe, "shmem_long_atomic_fetch_add", chance.randrange(50), peer=0, target=HEAP + 64, value=1)
            program.call(pe, "shmem_set_lock", chance.randrange(50), target=HEAP + 128)
            program.put(pe, 0, 700, 5, routine="shmem_putmem_nbi")
            program.call(pe, "shmem_clear_lock", chance.randrange(50), target=HEAP + 128)
            for _ in range(5):
                program.get(pe, 0, 8, 10)
        program.now = dict.fromkeys(program.now, max(program.now.values()))
        program.barrier()
        for pe in range(program.pes):  # a loop of fetches that ends when PE 0 has written
            for _ in range(9 if pe else 0):
                program.get(pe, 0, 8, 10)
        program.call(0, "shmem_long_p", 500, peer=0, target=HEAP + 4096, value=1)
        trace, machine = sim.trace(program), sim.machine(overhead="30 ns", gap="20 ns", cores=2, nodes=4)
        for model in ("paper", "loggp"):
            found = [sim.predict(trace, "--model", model, "--per-pe", *how, machine=machine)
                     for how in ((), ("--contention=fair",))]
            if not isinstance(found[1], dict) or without(found[0], "contention") != without(found[1], "contention"):
                different.append((number, model, found))
            else:
                loops += found[1]["polling_loops"]
    tap.ok(not different, "what shares no link takes as long as without contention", different[:1])
    tap.ok(loops > 0, "... also loops of fetches that became waits")


def test_capacity():
    """Puts out of one node: neither way ends before the link can have carried all, and both carry as much."""
    chance = random.Random(12)
    machine = nodes("6*0 1 2 3 4 5 6")
    wrong = []
    for _ in range(10):
        program = Program(12)
        sizes = [chance.randrange(1, 5000) for _ in range(6)]
        for pe, size in enumerate(sizes):
            program.put(pe, 6 + pe, size, routine="shmem_putmem")
        trace = sim.trace(program)
        ends = [max(spent(sim.predict(trace, f"--contention={how}", "--per-pe", machine=machine), pe)
                    for pe in range(6)) for how in ("fifo", "fair")]
        if [round(end) for end in ends] != [L + sum(sizes)] * 2:
            wrong.append((sizes, ends))
    tap.ok(not wrong, "the last of several puts ends when the link has carried all, by fifo and by fair", wrong)


def test_usage():
    program = Program(2)
    program.put(0, 1, 8)
    machine, trace = sim.machine(), sim.trace(program)
    for option, wanted in (("--contention", "fifo"), ("-c", "fifo"), ("--contention=fifo", "fifo"), ("-cfair", "fair")):
        done = sim.run("--json", option, machine, trace)
        tap.ok(done.status == 0 and json.loads(done.out)["contention"] == wanted, f"{option} is {wanted}", done)
    done = sim.run("--contention=some", machine, trace)
    tap.ok(done.status == 2 and "there are fifo and fair" in done.err, "another word is refused", done)


for test in (test_shares, test_buses, test_completion, test_order, test_alone, test_capacity, test_usage):
    test()
tap.done()
