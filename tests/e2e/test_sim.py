#!/usr/bin/env python3
# PLAIN
"""shmemsim: programs whose time can be computed by hand take exactly that on each model, and what it prints
about them adds up."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import Tap, run
from made_runs import HEAP, Program, Simulator, build_writer, ps

tap = Tap()
sim = Simulator()
NS = 1000  # ps
L, G, O, A = 1000, 1, 200, 50  # ns: latency, a byte, overhead, an atomic at its target
LOGGP = ("--model", "loggp")


def exact(program, options, nanoseconds, name, **changes):
    """The run time, without what shmem_finalize's barrier takes."""
    found = sim.predict(program, *options, **changes)
    if not isinstance(found, dict):
        return tap.ok(False, name, found)
    steps = (program.pes - 1).bit_length()
    way = 2 * changes.get("o", 0) + L
    wanted = (nanoseconds + (steps * way if program.pes > 1 else 0)) * NS
    tap.equal(ps(found["run_time"]), wanted, name, found)
    return found


def spent(found, routine):
    """ps in a routine, all PEs together."""
    return sum(ps(row["time"]) for row in found["routines"] if row["name"] == routine)


def with_overhead(**changes):
    return {"overhead": f"{O} ns", "o": O, **changes}


def test_transfers():
    program = Program(2)
    program.put(0, 1, 1000, burst=300)
    program.get(0, 1, 500, burst=20)
    program.call(0, "shmem_quiet")
    exact(program, (), 300 + L + 1000 + 20 + L + 500, "paper: put and get take latency and bytes")
    exact(program, LOGGP, 300 + O + 1000 + 20 + O + 2 * L + 500,
          "loggp: a put returns when it is sent, a get takes two latencies", **with_overhead())
    program = Program(2)
    program.put(0, 1, 1000, burst=300, routine="shmem_putmem_nbi")
    program.call(0, "shmem_quiet", 10)
    exact(program, (), 300 + L + 10, "paper: a non-blocking put takes the latency, quiet nothing")
    exact(program, LOGGP, 300 + O + 1000 + 2 * L,
          "loggp: quiet waits until the put's acknowledgment is back", **with_overhead())
    program = Program(1)
    program.put(0, 0, 400)
    exact(program, (), 100 + 100, "transfers inside a node have its latency and bandwidth")


def test_overlap():
    for compute in (500, 50000):
        program = Program(2)
        program.put(0, 1, 10000, routine="shmem_putmem_nbi")
        program.call(0, "shmem_quiet", compute)
        exact(program, LOGGP, max(O + compute, O + 10000 * G + 2 * L),
              f"loggp: a put overlaps with {compute} ns of computing", **with_overhead())


def test_pipelined():
    for count, size, gap in ((10, 1000, 0), (10, 8, 300), (7, 400, 400)):
        program = Program(2)
        for _ in range(count):
            program.put(0, 1, size, routine="shmem_putmem_nbi")
        program.call(0, "shmem_quiet")
        step = max(gap, size * G)
        begin = O
        for i in range(1, count):
            begin = max((i + 1) * O, begin + step)
        exact(program, LOGGP, begin + size * G + 2 * L,
              f"loggp: {count} puts of {size} bytes follow each other by {step} ns",
              **with_overhead(gap=f"{gap} ns"))


def test_ring():
    pes, rounds = 5, 3
    program = Program(pes)
    at = 10000
    for i in range(rounds):
        for pe in range(pes):
            if pe or i:
                program.call(pe, "shmem_long_wait_until", at=at, target=HEAP + 8, comparison=5,
                             value=i + (pe > 0))
            program.call(pe, "shmem_long_p", 30, peer=(pe + 1) % pes, target=HEAP + 8,
                         value=i + 1)
            at = program.now[pe] + 500
    # The waits of the trace have bursts in front of them that depend on it: none in the replay but these.
    found = sim.predict(program)
    bursts = sum_of_ring(program, pes, rounds)
    tap.equal(ps(found["run_time"]), (bursts + 3 * L) * NS, "a message in a ring passes each PE in turn", found)
    tap.ok(found["waits_without_write"] == 0 and found["critical_path"]["changes"] >= pes * rounds - 1,
           "... and so does the critical path", found["critical_path"])


def sum_of_ring(program, pes, rounds):
    """The same by hand, from the lines of the scenario."""
    clock, arrival, before = [0] * pes, {}, [0] * pes
    calls = {pe: [line.split() for line in program.lines[pe] if "shmem_long" in line] for pe in range(pes)}
    place = [0] * pes
    for pe in range(pes):
        before[pe] = 150  # end of shmem_init
    for i in range(rounds):
        for pe in range(pes):
            for _ in range(2 if pe or i else 1):
                words = calls[pe][place[pe]]
                place[pe] += 1
                start = int(words[3])
                clock[pe] += start - before[pe]
                before[pe] = start + 100
                if words[2].endswith("wait_until"):
                    clock[pe] = max(clock[pe], arrival[pe])
                else:
                    clock[pe] += L + 8
                    arrival[(pe + 1) % pes] = clock[pe]
    return max(clock)


def test_cost():
    program = Program(2)
    for burst in (300, 20, 4):
        program.put(0, 1, 1000, burst=burst)
    program.call(0, "shmem_quiet", 10)
    trace = sim.trace("cost 12.5 8\n" + program.scenario())
    for options, ratio in (((), 1), (("--per-pe",), 2)):
        found = sim.predict(trace, *options, ratio=ratio)
        computing, off = 287.5 + 7.5, 12.5 + 12.5 + 4 + 10
        tap.equal((ps(found["compute"]), ps(found["tracer_taken_off"])),
                  (round(computing * NS / ratio), round(off * NS / ratio)),
                  f"the tracer's cost is taken off bursts, of which none gets negative, at ratio {ratio}", found)
        tap.equal(ps(found["run_time"]), round(computing * NS / ratio) + (3 * (L + 1000) + L) * NS,
                  "... and off the run time", found)
    done = sim.run(sim.machine(), trace)
    tap.ok("the tracer's own 3.9e-8 s were taken off computing" in done.out, "... which the text says", done)
    for changes in ("version 2\ncost 12.5 8\n", ""):
        found = sim.predict(sim.trace(changes + program.scenario()))
        tap.equal((ps(found["compute"]), found["tracer_taken_off"]), (334 * NS, 0),
                  "nothing is taken off where the trace does not say what", found)


FLAG = HEAP + 64
# Two writes to a flag, before a wait ends: which one did it?
FIRST = {"shmem_putmem": {"elements": 8, "bytes": 8, "value": 2},
         "shmem_long_put": {"elements": 1, "bytes": 8},
         "shmem_int_iput": {"elements": 2, "bytes": 8, "target_stride": 2, "source_stride": 1, "value": 5 - 2**32},
         "shmem_double_put": {"elements": 1, "bytes": 8, "value": 2},
         "shmem_putmem_signal": {"elements": 1, "bytes": 1, "options": 0, "signal": FLAG, "value": 2},
         "shmem_ulong_atomic_set": {"value": 2}}


def flagged(name, wait="shmem_long_wait_until", flag=FLAG, second=3, value=2, comparison=0, **changes):
    """A program of 2 PEs, of which PE 1 waits for the first or the second write of PE 0."""
    program = Program(2)
    for burst, sent in ((0, {}), (5000, {"value": second} if "value" in FIRST[name] else {})):
        fields = {**FIRST[name], **sent, **changes}
        target = HEAP + 8192 if "signal" in fields else FLAG
        program.call(0, name, burst, peer=1, target=target, **fields)
    program.call(1, wait, duration=9000, target=flag, comparison=comparison, value=value)
    program.together(1, burst=20000)
    program.together(0)
    return program


def test_values():
    def ends(program, first, name, before=""):
        found = sim.predict(sim.trace(before + program.scenario()))
        size = 1 if "signal" in name else 8
        arrived = L + size + (0 if first else 5000 + L + size)
        tap.equal(ps(found["run_time"]), (arrived + 20000 + 2 * L) * NS, name, found)

    for name in ("shmem_putmem", "shmem_double_put", "shmem_ulong_atomic_set", "shmem_putmem_signal"):
        ends(flagged(name), True, f"{name}: the write whose value satisfies the wait ended it")
        ends(flagged(name, second=2), False, f"{name}: of several, the last one")
        ends(flagged(name, second=-7, value=1, comparison=2), True,
             f"{name}: values are compared as the wait's type has them")
    for comparison, name in ((5, "ge"), (2, "gt")):
        ends(flagged("shmem_putmem", comparison=comparison, value=2 - (name == "gt")), True,
             f"{name}: of a counter that goes on before the wait ends, the first write that satisfies it")
        ends(flagged("shmem_putmem", second=2, comparison=comparison, value=1), False,
             f"{name}: what is set to the same value again may have been reset")
    for comparison, name in ((3, "le"), (4, "lt")):
        ends(flagged("shmem_putmem", second=1, comparison=comparison, value=2 + (name == "lt")), True,
             f"{name}: of a counter that goes down, likewise")
        ends(flagged("shmem_putmem", second=3, comparison=comparison, value=4), False,
             f"{name}: a counter that goes up comes closer to it with each write")
    ends(flagged("shmem_putmem", comparison=1, value=7), False, "ne: the last write, since counters do not end such waits")
    ends(flagged("shmem_putmem", second=-7, comparison=5, value=-9), False, "what goes down is no counter that goes up")
    ends(flagged("shmem_long_put"), False, "without a value, the last write")
    two = {"wait": "shmem_int_wait_until", "second": 5 + 2**32}
    ends(flagged("shmem_int_iput", flag=FLAG + 8, value=-1, **two), True, "shmem_int_iput: the second of two elements")
    ends(flagged("shmem_int_iput", flag=FLAG, value=5, **two), False, "shmem_int_iput: the first one")
    ends(flagged("shmem_putmem", flag=FLAG + 4, wait="shmem_int_wait_until", value=0, second=2**32), True,
         "shmem_putmem: the upper half of what is put")
    ends(flagged("shmem_putmem", flag=FLAG + 4), False, "shmem_putmem: half of what is waited for says nothing")
    ends(flagged("shmem_putmem_signal", options=1), False, "shmem_putmem_signal: a signal that is added to")
    ends(flagged("shmem_putmem_signal"), False, "shmem_putmem_signal: operations of older traces are not known",
         before="version 2\n")


def test_tree():
    for pes in (2, 3, 7, 8):
        program = Program(pes)
        for pe in range(pes):
            program.together(pe, "shmem_broadcastmem", burst=10 * pe, elements=500, bytes=500, root=0,
                             target=HEAP, source=HEAP)
        steps = (pes - 1).bit_length()
        exact(program, (), 10 * (pes - 1) + steps * (L + 500), f"a broadcast is a tree of {steps} messages on {pes} PEs")
    program = Program(4)
    for pe in range(4):
        program.together(pe, "shmem_broadcastmem", elements=8, bytes=8, target=HEAP, source=HEAP)
    for shape, steps in (("linear", 3), ("factor 2.5", 10)):
        found = sim.predict(program, shape=shape)
        tap.equal(ps(found["run_time"]), steps * (2 * L + 8) * NS, f"collectives that are {shape}", found)


def test_atomics():
    pes = 6
    program = Program(pes)
    for pe in range(pes):
        program.call(pe, "shmem_long_atomic_fetch_add", peer=0, target=HEAP, value=1)
    # PE 0 itself is inside its node, and there first.
    machine = dict(inside="1 GB/s", inside_latency="1 us")
    exact(program, (), L + pes * 8, "paper: atomics on one PE follow each other by their bytes", **machine)
    text = ("bus net { bandwidth 1 GB/s latency 1 us overhead 200 ns }\n"
            "node n { count 8 cores 1 bandwidth 1 GB/s latency 1 us overhead 200 ns atomic 50 ns bus net }\n"
            "collective all log\n")
    exact(program, LOGGP, O + L + pes * A + L, "loggp: ... by what the machine description says", o=O,
          machine=sim.write(text))


def test_lock():
    pes, inside = 4, 700
    program = Program(pes)
    for pe in range(pes):
        program.call(pe, "shmem_set_lock", 5 * pe, target=HEAP)
        program.call(pe, "shmem_clear_lock", inside, target=HEAP)
    machine = dict(inside="1 GB/s", inside_latency="1 us")
    # First: L + 8. Each then computes and clears (L + 8); the next one has it 8 ns later.
    exact(program, (), L + 8 + (pes - 1) * (inside + L + 8 + 8) + inside + L + 8,
          "a lock goes from PE to PE in the order of their calls", **machine)
    program = Program(2)
    program.call(0, "shmem_set_lock", target=HEAP)
    program.call(0, "shmem_clear_lock", 5000, target=HEAP)
    program.call(1, "shmem_test_lock", 40, target=HEAP, result=1)
    for _ in range(20):
        program.call(1, "shmem_test_lock", 10, target=HEAP, result=1)
    program.call(1, "shmem_test_lock", 10, target=HEAP, result=0)
    program.call(1, "shmem_clear_lock", 100, target=HEAP)
    found = exact(program, (), L + 8 + 5000 + L + 8 + 8 + 100 + L + 8,
                  "a loop of test_lock becomes a wait for the lock", **machine)
    tap.equal((found["polling_loops"], found["polls_left_out"]), (1, 21), "... and is counted", found)


def test_waits():
    program = Program(2)
    program.call(1, "shmem_long_test", 40, target=HEAP, comparison=0, value=7, result=0)
    for _ in range(9):
        program.call(1, "shmem_long_test", 10, target=HEAP, comparison=0, value=7, result=0)
    program.call(0, "shmem_long_p", 400, peer=1, target=HEAP, value=7)
    program.call(0, "shmem_long_p", 4000, peer=1, target=HEAP, value=9)
    program.call(1, "shmem_long_test", 10, at=program.now[0] + 50, target=HEAP, comparison=0, value=7, result=1)
    program.call(1, "shmem_quiet", 20000)
    found = exact(program, (), 400 + L + 8 + 20000,
                  "a loop of tests waits for the write of the value that it asks for")
    tap.equal((found["polling_loops"], found["polls_left_out"]), (1, 10), "... and is counted", found)
    program = Program(2)
    for _ in range(9):
        for flag in range(3):
            program.call(1, "shmem_long_test", 10, target=HEAP + 8 * flag, comparison=0, value=7, result=0)
    program.call(0, "shmem_long_p", 6000, peer=1, target=HEAP + 8, value=7)
    program.call(1, "shmem_long_test", at=program.now[0] + 50, target=HEAP, comparison=0, value=7, result=0)
    program.call(1, "shmem_long_test", 10, target=HEAP + 8, comparison=0, value=7, result=1)
    program.call(1, "shmem_quiet", 20000)
    found = exact(program, (), 6000 + L + 8 + 20000, "a loop of tests of several variables waits for the one that comes")
    tap.equal((found["polling_loops"], found["polls_left_out"]), (1, 28), "... and is counted", found)
    program = Program(2)
    program.call(0, "shmem_long_p", peer=1, target=HEAP + 8, value=7)
    program.call(1, "shmem_long_test", 4000, target=HEAP, comparison=0, value=7, result=0)
    program.call(1, "shmem_long_test", 3000, target=HEAP + 8, comparison=0, value=7, result=1)
    found = exact(program, (), 7000, "a test that succeeds at once was not waited for")
    tap.equal(found["polling_loops"], 0, "... and is no loop", found)
    program = Program(2)
    for _ in range(12):
        program.call(1, "shmem_long_atomic_fetch", 10, peer=0, target=HEAP)
    program.call(0, "shmem_long_p", 900, peer=0, target=HEAP, value=1)
    program.call(0, "shmem_quiet", 90000)
    found = sim.predict(program)
    tap.equal((found["polling_loops"], found["polls_left_out"]), (1, 9),
              "a loop of fetches during which a write comes is one", found)
    program = Program(2)
    program.put(0, 1, 64, burst=500, place=HEAP + 32, routine="shmem_putmem_nbi")
    program.call(1, "shmem_long_wait_until", at=700, target=HEAP + 88, comparison=1, value=0)
    found = sim.predict(program, *LOGGP)
    tap.equal(spent(found, "shmem_long_wait_until"), (500 + 64 + L - 550) * NS,
              "a put that covers the variable ends the wait", found)
    program = Program(1)
    program.call(0, "shmem_long_wait_until", 100, target=HEAP, comparison=1, value=0)
    tap.equal(sim.predict(program)["waits_without_write"], 1, "a wait that no write ends is counted")


def test_order():
    machine = sim.write("bus slow { bandwidth 1 GB/s latency 5 us }\n"
                        "node n { count 2 cores 2 bandwidth 1 GB/s latency 100 ns bus slow }\nmap { 2*0 1 }\n")
    ends = {}
    for fence in (False, True):
        program = Program(3)
        program.put(0, 2, 8, routine="shmem_putmem_nbi")
        if fence:
            program.call(0, "shmem_fence")
        program.call(0, "shmem_long_p", peer=1, target=HEAP, value=1)
        program.call(1, "shmem_long_wait_until", at=5000, target=HEAP, comparison=5, value=1)
        program.together(1, "shmem_barrier", start=1, size=1)
        found = sim.predict(program, *LOGGP, machine=machine)
        ends[fence] = spent(found, "shmem_long_wait_until")
    tap.equal(ends, {False: 0, True: (5000 + 8 - 4850) * NS}, "a fence orders what is put behind it")
    times = []
    for context in (1, 2):
        program = Program(2)
        program.put(0, 1, 10000, routine="shmem_ctx_putmem_nbi", context=1)
        program.call(0, "shmem_ctx_quiet", context=context)
        found = sim.predict(program, *LOGGP)
        times.append(spent(found, "shmem_ctx_quiet"))
    tap.equal(times, [(10000 + 2 * L) * NS, 0], "a quiet waits for its own context only")


def test_contention():
    program = Program(4)
    for pe in (0, 1, 2):
        program.put(pe, 3, 1000)
    options = {"links": 1000, "lanes": 1000}
    for name, changes, times in (("nothing is shared", {}, 1), ("one link into the node", {"links": 1}, 3),
                                 ("a bus of two lanes", {"lanes": 2}, 2)):
        exact(program, ("--contention",), L + times * 1000, f"contention: {name}", **{**options, **changes})


def test_report():
    program = Program(4)
    bursts = [1000, 2000, 6000, 3000]
    program.barrier(bursts)
    program.put(0, 1, 100)
    program.put(0, 2, 300)
    machine = sim.write("bus net { bandwidth 1 GB/s latency 1 us }\n"
                        "node n { count 2 cores 2 ratio 2 bandwidth 1 GB/s latency 1 us bus net }\nmap blocks\n")
    found = sim.predict(program, "--per-pe", machine=machine)
    tap.equal([ps(pe["compute"]) for pe in found["per_pe"]], [burst // 2 * NS for burst in bursts],
              "bursts are divided by the ratio of the processor", found["per_pe"])
    tap.equal([pe["node"] for pe in found["per_pe"]], [0, 0, 1, 1], "PEs in blocks")
    tap.ok(all(ps(pe["compute"]) + ps(pe["communication"]) == ps(pe["end"]) and
               pe["waiting"] <= pe["communication"] for pe in found["per_pe"]),
           "computing and communication are the whole time", found["per_pe"])
    put = [r for r in found["routines"] if r["name"] == "shmem_putmem"][0]
    tap.equal((put["calls"], put["mean_bytes_inside"], put["mean_bytes_between"]), (2, 100, 300),
              "sizes inside nodes and between them", put)
    own = [r for r in found["per_pe"][0]["routines"] if r["name"] == "shmem_putmem"][0]
    tap.equal((own["calls"], own["moves_inside"], own["moves_between"]), (2, 1, 1), "... also of a PE", own)
    tap.equal(found["imbalance"]["compute"]["ratio"], 2.0, "load imbalance", found["imbalance"])
    path = found["critical_path"]
    tap.equal({(part["pe"], part["name"]): ps(part["time"]) / NS for part in path["parts"]},
              {(2, "computing"): 3000, (0, "shmem_barrier_all"): 2000, (0, "shmem_putmem"): 2400, (0, "shmem_finalize"): 2000},
              "the critical path goes through the PE that all wait for, and says in which routines", path)
    tap.equal(([(part["pe"], ps(part["time"]) / NS) for part in path["by_pe"]], path["by_routine"][0]["name"], path["changes"]),
              ([(0, 6400), (2, 3000)], "computing", 1), "... summed up by PE and by routine, the most first", path)
    tap.near(sum(part["share"] for part in path["by_routine"]), 1, 1e-9, "... with shares of the run time", path)
    tap.equal(ps(path["compute"] + path["communication"]), ps(found["run_time"]), "... and is the run time")
    text = sim.run("--model", "paper", machine, sim.trace(program))
    said = re.search(r"^predicted run time: (\S+) s$", text.out, re.MULTILINE)
    tap.ok(text.status == 0 and said and abs(float(said[1]) / found["run_time"] - 1) < 5e-4 and
           re.search(r"^computing +3e-6 +31\.9 % +2$", text.out, re.MULTILINE) and
           re.search(r"^PE 0 +6\.4e-6 +68\.1 % shmem_putmem$", text.out, re.MULTILINE), "the text says the same", text)


def test_pointers():
    """PE 0 has a pointer to memory of PE 1, and PE 1 to its own; then a wait, for which the replay begins again."""
    program = Program(3)
    program.call(0, "shmem_ptr", peer=1, target=HEAP, flags=4)
    program.call(1, "shmem_ptr", peer=1, target=HEAP, flags=4)
    program.put(0, 1, 8, burst=500, place=HEAP)
    program.call(1, "shmem_long_wait_until", at=700, target=HEAP, comparison=1, value=0)
    trace = sim.trace(program)
    machine = lambda nodes: sim.write("bus b { bandwidth 1 GB/s latency 1 us }\nnode n { count 2 bandwidth 1 GB/s "
                                      f"latency 1 us bus b }}\nmap {{ {nodes} }}\n")
    apart, near = machine("0 1 0"), machine("0 0 1")
    for words in ((apart, trace), ("what-if", apart, trace, "--latency", "x2")):
        done = sim.run(*words)
        tap.ok(done.status == 2 and "PE 0 has a pointer to memory of PE 1" in done.err and "--ignore-pointers" in done.err,
               f"a pointer between nodes is refused: {words[0]}", done)
        tap.equal(sim.run(*words, "--ignore-pointers").status, 0, "... but with --ignore-pointers")
    done = sim.run(near, trace)
    tap.ok(done.status == 0 and "1 pair of PEs have pointers" in done.out, "inside a node the output says so", done)
    tap.equal(sim.predict(trace, machine=near)["pairs_with_pointers"], 1, "... and JSON")


def test_large():
    """Patterns of tests/support/stub/synthetic_traces.c, whose times are known, with more calls than a window has."""
    writer = sim.path("writer")
    build_writer(writer)
    machine = sim.machine(nodes=64)
    own = sum((1 + i * 7 % 61) % 40 == 0 for i in range(1200))  # puts to the PE itself
    for pattern, pes, rounds, wanted in (
            # Two puts and a get of 1,024 bytes, and five calls with bursts of 1 us at most.
            ("mix", 40, 1200, 1200 * (3 * (L + 1024) + 4000) + 300 * (6 * L + 1000) + 1000 + 6 * L -
             own * (L + 1024 - 100 - 256)),
            ("atomics", 3, 3000, None), ("ring", 20, 60, None)):
        trace = sim.name(pattern)
        os.mkdir(sim.path(trace))
        made = run([writer, sim.path(trace), pattern, str(pes), str(rounds)])
        found = sim.predict(trace, machine=machine)
        if not tap.ok(made.status == 0 and isinstance(found, dict), f"{pattern} is replayed", found):
            continue
        if wanted:
            tap.equal(ps(found["run_time"]), wanted * NS, f"{pattern}: every round takes the same", found["run_time"])
        elif pattern == "atomics":
            tap.equal(found["events"], pes * (rounds + 2), "atomics: all events")
        else:
            tap.ok(found["waits_without_write"] == 0 and
                   found["run_time"] > pes * rounds * (L + 8) * 1e-9, "ring: a message takes all hops", found["run_time"])


for test in (test_large, test_transfers, test_cost, test_values, test_overlap, test_pipelined, test_ring, test_tree, test_atomics, test_lock,
             test_waits, test_order, test_contention, test_report, test_pointers):
    test()
tap.done()
