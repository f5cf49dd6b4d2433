#!/usr/bin/env python3
# PLAIN
"""shmemsim takes measured costs from machine descriptions: classes of calls, piece by piece of their sizes, and
tables of collectives take exactly what is written; and descriptions of costs that cannot be are refused with their place."""

import functools
import math
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap
from made_runs import HEAP, Program, Simulator, ps

tap = Tap()
sim = Simulator()
LOGGP = ("--model", "loggp")
BUS = "bus net { %s bandwidth 1 GB/s latency 1 us overhead 200 ns }\n"
NODE = "node n { %s cores 1 bandwidth 4 GB/s latency 100 ns atomic 50 ns "


def described(bus="", node="", more="", nodes=8):
    return sim.write(BUS % bus + NODE % node + f"count {nodes} bus net }}\n" + more)


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
    machine = described(f"cost put {text} cost get {text}", nodes=28)
    sizes = (0, 1, 8191, 8192, 99999, 100000, 1 << 20)
    count, wanted = len(sizes), {(): [], LOGGP: []}
    program = Program(4 * count)
    for pe, size in enumerate(2 * sizes):
        get = pe >= count
        (program.get if get else program.put)(pe, pe + 2 * count, size)
        overhead, latency, byte = pieces[max(start for start in pieces if start <= size)]
        wanted[()].append(latency + size * byte / 1000)
        wanted[LOGGP].append(overhead + size * byte / 1000 + (latency if get else 0))
    trace = sim.trace(program)
    for options, times in wanted.items():
        found = sim.predict(trace, "--per-pe", *options, machine=machine)
        taken = [ps(row["time"]) / 1000 for pe in found["per_pe"][:2 * count] for row in pe["routines"]
                 if row["name"] in ("shmem_putmem", "shmem_getmem")]
        tap.equal(taken, times, "puts and gets take what the piece of their size says, also at its borders")
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


def test_atomics():
    """How long an atomic keeps its target: what comes over a bus may take it longer than what comes from its own node."""
    two = NODE.replace("cores 1", "cores 2")
    for bus, across in (("", 50), ("atomic 700 ns", 700), ("atomic 0 s", 0)):
        machine = sim.write(BUS % bus + two % "" + "count 2 bus net }\nmap blocks\n")
        program = Program(4)
        for pe in (1, 2, 3):
            program.call(pe, "shmem_long_atomic_fetch_add", 10 * pe, peer=0, target=HEAP, value=1)
        program.call(0, "shmem_long_atomic_fetch_add", 100000, peer=0, target=HEAP, value=1)
        found = sim.predict(program, "--per-pe", machine=machine)  # paper: the latency there, and no way back
        taken = [ps(row["time"]) / 1000 for pe in found["per_pe"] for row in pe["routines"]
                 if row["name"] == "shmem_long_atomic_fetch_add"]
        tap.equal(taken, [100 + 50, 100 + 50, 1000 + across, 1000 + across + max(0, across - 10)],
                  f"atomics from the same node, and from another one {bus}", found)
    found = one_call(described("atomic 700 ns"), LOGGP, "shmem_set_lock", target=HEAP)
    tap.equal(found, 100 + 50 + 100, "a lock of the PE itself takes what its node says")


def lock_times(found, pe):
    """ns of set_lock and of clear_lock."""
    return [ps(row["time"]) / 1000 for row in found["per_pe"][pe]["routines"]
            if row["name"] in ("shmem_set_lock", "shmem_clear_lock")]


def test_locks():
    """Locks with costs of their own: PE 1 asks PE 0 on another node, and waits until it knows that it is clear."""
    program = Program(3)
    for pe, burst in ((1, 0), (2, 1)):
        program.call(pe, "shmem_set_lock", target=HEAP, burst=burst)
        program.call(pe, "shmem_clear_lock", target=HEAP)
    where = described("cost lock { overhead 10 ns latency 4 us } cost unlock { overhead 20 ns latency 3 us }")
    for options, wanted in ((LOGGP, [10 + 4000 + 50, 20 + 3000 + 50]), ((), [4000 + 50, 3000 + 50])):
        found = sim.predict(program, "--per-pe", *options, machine=where)
        tap.equal(lock_times(found, 1), wanted, f"locks have costs of their own {' '.join(options)}")
    found = sim.predict(program, "--per-pe", *LOGGP, machine=where)
    # It is clear at PE 0 half a round trip before the first one knows.
    cleared = 4060 + 20 + 1500 + 50
    tap.equal(lock_times(found, 2)[0], cleared + 50 + 2000 - 1, "the next one gets it when it is clear at PE 0")
    held = described("cost lock { overhead 10 ns latency 4 us } cost unlock { overhead 20 ns latency 3 us } "
                     "cost lock-held { overhead 30 ns latency 9 us }")
    found = sim.predict(program, "--per-pe", *LOGGP, machine=held)
    tap.equal([lock_times(found, pe) for pe in (1, 2)], [[4060, 3070], [9030, 3070]],
              "a set_lock takes longer that finds its lock held")
    late = Program(3)
    for pe, burst in ((1, 0), (2, 20000)):
        late.call(pe, "shmem_set_lock", target=HEAP, burst=burst)
        late.call(pe, "shmem_clear_lock", target=HEAP)
    found = sim.predict(late, "--per-pe", *LOGGP, machine=held)
    tap.equal([lock_times(found, pe) for pe in (1, 2)], [[4060, 3070], [4060, 3070]], "... and no others")
    lent = described("cost lock { overhead 10 ns latency 4 us } cost unlock { overhead 20 ns latency 3 us } "
                     "cost lock-held { overhead 30 ns latency 9 us } cost hand-over { latency 7 us }")
    found = sim.predict(program, "--per-pe", *LOGGP, machine=lent)
    tap.equal([lock_times(found, pe) for pe in (1, 2)], [[4060, 3070], [4060 + 7000 - 1, 3070]],
              "a hand-over counts from the beginning of clear_lock, whatever lock-held says")
    for statement, far in (("locks first\n", [0, 0]), ("locks spread\n", [0, 1]), ("", [0, 0])):
        machine = described("cost lock { overhead 10 ns latency 4 us }", more=statement)
        taken = [one_call(machine, LOGGP, "shmem_set_lock", target=HEAP + 8 * i) > 4000 for i in range(2)]
        tap.equal(taken, [bool(i) for i in far], f"which locks are at another PE: {statement.strip() or 'by default'}")


def test_unlock():
    """PE 1 puts, and clears a lock on PE 0 while the put is open."""
    program = Program(2)
    program.call(1, "shmem_set_lock", target=HEAP)
    program.put(1, 0, 1000, routine="shmem_putmem_nbi")
    program.call(1, "shmem_clear_lock", target=HEAP)
    costs = "cost lock { overhead 10 ns latency 4 us } cost unlock { overhead 20 ns latency 3 us }"
    times = {words: lock_times(sim.predict(program, "--per-pe", *LOGGP, machine=described(costs, more=words)), 1)[1]
             for words in ("", "unlock completes\n", "unlock overtakes\n")}
    put = 1000 + 2000  # on the wire, there and back; its overhead is over
    tap.equal(list(times.values()), [put + 3070, put + 3070, 3070], "what clear_lock waits for")
    inside = described(costs, "progress inside", more="unlock overtakes\n")
    tap.equal(lock_times(sim.predict(program, "--per-pe", *LOGGP, machine=inside), 1)[1], 3070, "... with progress inside")


def test_connect():
    """Only the first call to each other PE takes longer, whatever it is, and none to the PE itself."""
    machine = sim.write(BUS % "cost connect { latency 5 us }" + "node n { bandwidth 4 GB/s latency 100 ns count 2 bus net "
                        "cost connect { latency 300 ns } }\nmap { 0 1 1 1 }\n")
    for options in (LOGGP, (), (*LOGGP, "--contention"), (*LOGGP, "--contention=fair")):
        for routine, fields in (("shmem_long_p", {"value": 1}), ("shmem_getmem", {"elements": 8, "bytes": 8}),
                                ("shmem_long_atomic_fetch_add", {"value": 1, "result": 0})):
            place = "source" if routine == "shmem_getmem" else "target"

            def took(calls):
                program = Program(4)
                for pe, peer in calls:
                    program.call(pe, routine, peer=peer, **{place: HEAP}, **fields)
                return spent(sim.predict(program, *options, machine=machine), routine)

            more = [took([(0, 1)]) + took([(0, 1)]) - took([(0, 1), (0, 1)]),
                    took([(0, 1), (1, 0)]) - 2 * took([(0, 1)]), took([(1, 1)]) < 5000,
                    took([(0, 1), (0, 2)]) - 2 * took([(0, 1)]), took([(1, 2), (1, 2)]) - 2 * took([(1, 2)])]
            tap.equal([round(one) for one in more], [5000, 0, True, 0, -300], f"{routine} {' '.join(options)}")


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


# ---- Tables ----

ROWS = "{ pes 2 { time 1.2 us bandwidth 5 GB/s from 4 KiB time 3 us } pes 8 { from 0 B time 4 us bandwidth 2 GB/s } }"


@functools.lru_cache(None)
def calling(pes, size, routine):
    program = Program(pes)
    for pe in range(pes):
        program.together(pe, routine, elements=size, bytes=size, target=HEAP, source=HEAP)
    return sim.trace(program)


def broadcast(pes, size, machine, *options, routine="shmem_broadcastmem"):
    """ns of a broadcast, or of another collective, and what --json says."""
    found = sim.predict(calling(pes, size, routine), *options, machine=machine)
    return spent(found, routine) / pes, found


def test_tables():
    wrong = []
    for beyond in ("", "log ", "linear "):
        machine = described(more=f"collective broadcast table {beyond}{ROWS}\n", nodes=40)
        for pes, size, nanoseconds, exact in (
                (1, 8, 0, True), (2, 0, 1200, True), (2, 4095, 1200 + 4095 / 5, True), (2, 4096, 3000 + 4096 / 5, True),
                (8, 4096, 4000 + 2048, True), (4, 0, 1200 + 2800 / 2, True), (4, 5000, (4000 + 6500) / 2, True),
                (3, 0, 1200 + 2800 * math.log(1.5) / math.log(4), True),
                (9, 0, 4000 * (8 / 7 if beyond == "linear " else 4 / 3), False),
                (33, 100, 4050 * (32 / 7 if beyond == "linear " else 6 / 3), False)):
            taken, found = broadcast(pes, size, machine, *(LOGGP if size else ()))
            counted = found["calls_extrapolated"]
            if abs(taken - nanoseconds) > 0.00051 or counted != (0 if exact else pes):
                wrong.append((beyond, pes, size, taken, nanoseconds, counted))
    tap.equal(wrong, [], "tables hold for their PEs and sizes, between them by log2, and beyond them as they say")
    machine = described(more="collective all table { pes 4 { time 1 us } }\n")
    taken, found = broadcast(3, 8, machine)
    tap.equal((taken, found["calls_extrapolated"]), (1000, 6), "fewer PEs than in a table are extrapolated, too")
    text = sim.run(machine, sim.trace(Program(3)))
    tap.ok(text.out.endswith(f"\n3 collective calls cost what follows from other numbers of PEs: the tables of {machine} "
                             "do not go so far\n"), "... which the output says", text)
    found = sim.predict(Program(4), machine=machine)
    tap.equal(ps(found["run_time"]), 1000 * 1000, "a table of all collectives holds for barriers inside other calls")
    text = sim.run(machine, sim.trace(Program(4)))
    tap.ok(text.status == 0 and "follows" not in text.out, "nothing is said where nothing was extrapolated", text)
    found = sim.predict(Program(3), machine=described())
    tap.ok("calls_extrapolated" not in found, "without tables there is no count")
    machine = described(more="collective all table { pes 1 { time 500 ns } pes 4 { time 2500 ns } }\n")
    tap.equal([broadcast(pes, 8, machine)[0] for pes in (1, 2)], [500, 1500], "a row of one PE")
    machine = described(more=f"collective all table {ROWS}\ncollective broadcast linear\n")
    tap.equal(broadcast(3, 8, machine)[0], 2 * (1000 + 8), "the last statement about a collective holds")
    collect, fcollect = (f"collective {name} table {{{{ pes 2 {{{{ time {{}} us }}}} }}}}\n" for name in ("collect", "fcollect"))
    for more, wanted in ((collect.format(7), [7000, 7000]), (fcollect.format(3), [3000, 3000]),
                         (fcollect.format(3) + collect.format(7), [7000, 3000]), (collect.format(7) + fcollect.format(3), [7000, 3000]),
                         ("collective all table { pes 2 { time 1 us } }\n" + collect.format(7), [7000, 7000])):
        machine = described(more=more)
        tap.equal([broadcast(2, 0, machine, routine=f"shmem_{name}64")[0] for name in ("collect", "fcollect")], wanted,
                  f"collect and fcollect, of which one may count for both: {more.strip()}")


def test_last():
    """PE 2 comes last; PE 1 was the last but one. What they take: ns from their own calls."""
    machine = described(more="collective broadcast table { pes 3 { time 9 us last 2 us bandwidth 1 GB/s } }\n")
    for second, last, ends in ((0, 20000, (29008, 29008, 22008)), (0, 3000, (12008, 12008, 9008)), (5000, 8000, (17008, 17008, 14008))):
        program = Program(3)
        for pe, burst in enumerate((0, second, last)):
            program.together(pe, "shmem_broadcastmem", burst, elements=8, bytes=8, target=HEAP, source=HEAP)
        found = sim.predict(program, *LOGGP, machine=machine)
        tap.equal(spent(found, "shmem_broadcastmem"), sum(ends) - second - last,
                  f"PEs leave when all others have come: {second}, {last}")
    same = described(more="collective broadcast table { pes 3 { time 9 us last 10 us } }\n")
    tap.equal(broadcast(3, 8, same)[0], 9000, "who comes last takes no longer than others")


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
            (begin + "cost put { time 5 us } }", "2:12", "there are overhead, latency, gap, receive, answer, bandwidth, from"),
            (begin + "cost put { } }", "2:6", "put is empty"),
            (begin + "cost put overhead 1 us }", "2:10", "{ is missing"),
            (begin + "cost quiet { latency 1 us } }", "2:14", "there are overhead"),
            (begin + "cost quiet { } }", "2:6", "quiet has no overhead"),
            (begin + "cost put { overhead 1 us", "2:6", "the block of put does not end"),
            ("collective all table { }", "1:16", "the table has no rows"),
            ("collective all table { pes 1 { time 1 us } }", "1:16", "no row of 2 PEs"),
            ("collective all table cubic { }", "1:22", "give linear, log, or the rows"),
            ("collective all table { 2 { time 1 us } }", "1:24", "give the times of so many PEs"),
            ("collective all table { pes 4 { time 1 us } pes 4 { time 1 us } }", "1:48", "the row before is of 4"),
            ("collective all table { pes 4 { time 1 us } pes 2 { time 1 us } }", "1:48", "PEs must ascend"),
            ("collective all table { pes x { time 1 us } }", "1:28", "pes needs an integer"),
            ("collective all table { pes 2 { bandwidth 1 GB/s } }", "1:28", "2 has no time"),
            ("collective all table { pes 2 { time 1 } }", "1:39", "needs a unit"),
            ("collective all table { pes 2 { time 1 us from 0 B time 1 us } }", "1:47", "must ascend"),
            ("collective all table { pes 2 { overhead 1 us } }", "1:32", "there are time, bandwidth, last, from"),
            ("collective all table { pes 2 { time 1 us }", "1:16", "the table does not end"),
            ("collective all table", "2:1", "give linear, log, or the rows"),
            ("collective all cubic", "1:16", "factor and a number; or table"),
            ("node n { latency 1 us bandwidth 1 GB/s cost get { from x } }", "1:56", "from needs a number"),
            ("unlock never", "1:8", "give completes: clear_lock waits for what is open"),
            ("locks all", "1:7", "give first: all are at PE 0, or spread"),
            ("bus b { iput slow }", "1:14", "give together: as one message, or each"),
            ("node n { iget each iget together }", "1:20", "iget is given twice"),
            ("bus b { quiet knows }", "1:15", "give waits: for answers alone, or asks"),
            ("bus b { quiet asks quiet waits }", "1:20", "quiet is given twice")):
        name = sim.write(text + "\n")
        done = sim.run(name, trace)
        first = done.err.splitlines() or [""]
        column = int(place.split(":")[1])
        tap.ok(done.status == 2 and first[0].startswith(f"{name}:{place}: error:") and wanted in first[0] and
               len(first) >= 3 and first[2] == " " * (column - 1) + "^", f"bad cost: {wanted}", done)
    outer = sim.write(f'include "{described("cost put { overhead 5 ns }")}"\nmap blocks\n')
    tap.equal(one_call(outer, LOGGP, "shmem_putmem", size=100), 5 + 100, "costs of an included file hold")


def test_strided():
    """Elements that go by themselves take as long as calls of one element, one after the other."""
    def run_time(machine, options, strided, get, size, elements):
        program = Program(2)
        program.put(0, 1, 300, burst=100)
        place = {"peer": 1, "target": HEAP + 4096, "source": HEAP}
        if strided:
            program.call(0, "shmem_double_iget" if get else "shmem_int_iput", 70, elements=elements,
                         bytes=size * elements, target_stride=3, source_stride=1, **place)
        for _ in range(0 if strided else elements):
            routine = "shmem_getmem" if get else "shmem_putmem"
            program.call(0, routine, 70 if _ == 0 else 0, elements=size, bytes=size, **place)
        program.put(0, 1, 200)
        program.call(0, "shmem_fence")
        program.put(0, 1, 10)
        program.barrier()
        found = sim.predict(program, *options, machine=machine)
        return ps(found["run_time"]) if isinstance(found, dict) else found

    each = "iput each iget each"
    for ways in (f"{each} gap 0 ns", f"{each} gap 150 ns", f"{each} gap 5 us",
                 f"{each} cost put {{ overhead 90 ns latency 300 ns gap 7 ns bandwidth 0.01 GB/s from 8 B gap 400 ns }} "
                 "cost get { latency 3 us bandwidth 2 GB/s }"):
        machine = described(ways)
        for get, size in ((False, 4), (True, 8)):
            for elements in (1, 2, 37):
                for options in ((), LOGGP):
                    what = (machine, options), (get, size, elements)
                    tap.equal(run_time(*what[0], True, *what[1]), run_time(*what[0], False, *what[1]),
                              f"{ways}: {'iget' if get else 'iput'} of {elements} elements, {' '.join(options)}")
    for ways in ("", "iput together iget together"):
        tap.equal([run_time(described(ways), options, True, get, size, 37)
                   for options in ((), LOGGP) for get, size in ((False, 4), (True, 8))],
                  [run_time(described(ways), options, False, get, 37 * size, 1)
                   for options in ((), LOGGP) for get, size in ((False, 4), (True, 8))],
                  f"\"{ways}\": all elements are one message")
    inside = sim.write("node n { cores 2 bandwidth 1 GB/s latency 100 ns overhead 20 ns iput each }\n")
    tap.ok(run_time(inside, LOGGP, True, False, 4, 37) == run_time(inside, LOGGP, False, False, 4, 37)
           < run_time(inside, LOGGP, True, True, 8, 37) + 37 * 100e3, "inside a node, too")
    found = run_time(described(f"{each} cost put {{ overhead 900 s }}"), LOGGP, True, False, 4, 10**8)
    tap.ok(not isinstance(found, int) and found.status == 2 and "46 days" in found.err, "no time beyond what is counted",
           found)


def test_documents():
    """Descriptions on the manual page are read, with a node and a bus where they have none."""
    with open(os.path.join(ROOT, "docs", "tools", "shmemsim.md"), encoding="utf-8") as file:
        blocks = re.findall(r"^```\n((?:#|bus|collective).*?)^```", file.read(), re.MULTILINE | re.DOTALL)
    trace, failed = sim.trace(Program(2)), []
    for text in blocks:
        more = "" if "\nnode" in text else "node more { bandwidth 1 GB/s latency 1 us }\n"
        done = sim.run(*LOGGP, sim.write(text + more), trace)
        failed += [] if done.status == 0 else [done]
    tap.ok(len(blocks) >= 4 and not failed, f"{len(blocks)} descriptions in the documents are right", failed)


for test in (test_pieces, test_classes, test_atomics, test_locks, test_unlock, test_connect, test_strided, test_waits, test_tables, test_last, test_refused,
             test_documents):
    test()
tap.done()
