#!/usr/bin/env python3
# PLAIN
"""shmemtrace explain on made traces whose waits are known: each planted cause is named first, with its
seconds, its call and its PEs, in several sizes; efficiencies, critical path and iterations are those counted by hand."""

import json
import os
import random
import sys

try:
    import jsonschema
except ImportError:
    jsonschema = None

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import made_runs
import traces
from harness import ROOT, Tap, run
from traces import HEAP, Made

FLAG, DATA, LOCK, COUNTER = HEAP + 64, HEAP + 4096, HEAP + 128, HEAP + 192
NET = 1000  # ns that a message takes
ROUNDS = 10
with open(os.path.join(ROOT, "src/trace/explain/explain.schema.json"), encoding="utf-8") as schema:
    SCHEMA = json.load(schema)
tap = Tap()
made = Made()


class Program:
    """PEs with a clock each (ns), and the calls that they make."""

    def __init__(self, pes):
        self.pes, self.clock, self.calls = pes, [1000] * pes, [[] for _ in range(pes)]
        for pe in range(pes):
            self.call(pe, "shmem_init", 100)

    def compute(self, pe, duration):
        self.clock[pe] += duration

    def call(self, pe, routine, duration, **fields):
        text = " ".join(f"{name}={value}" for name, value in fields.items())
        self.calls[pe].append(f"event 0 {routine} {self.clock[pe]} {duration} {text}")
        self.clock[pe] += duration

    def put(self, pe, peer, duration=NET, target=DATA):
        self.call(pe, "shmem_long_put", duration, peer=peer, elements=1, bytes=8, target=target, source=DATA)

    def meet(self, routine="shmem_barrier_all", duration=NET, **fields):
        last = max(self.clock)
        for pe in range(self.pes):
            self.call(pe, routine, last + duration - self.clock[pe], set_start=0, set_stride=1,
                      set_size=self.pes, **fields)

    def text(self):
        last = max(self.clock)
        for pe in range(self.pes):
            self.call(pe, "shmem_finalize", last + 100 - self.clock[pe], flags=1)
        return "".join(f"pe {pe} {self.pes} 1\n" + "\n".join(calls) + "\nend finalize\n"
                       for pe, calls in enumerate(self.calls))


def explained(name, program=None, *options):
    if program:
        made.make(name, program.text())
    done = made.command("explain", "--json", f"{name}.json", *options, name)
    if done.status != 0:
        return None, done
    with open(made.path(f"{name}.json"), encoding="utf-8") as file:
        document = json.load(file)
    if jsonschema:
        jsonschema.validate(document, SCHEMA)
    return document, done


# ---- Planted causes: each returns the seconds (ns) that all PEs wait because of it, and its routines ----

def late_pe(p, size):
    for _ in range(ROUNDS):
        for pe in range(p.pes):
            p.put(pe, (pe + 1) % p.pes)
            p.compute(pe, size + (size if pe == p.pes - 1 else 0))
        p.meet()
    return (p.pes - 1) * size * ROUNDS, "wait at barrier", "shmem_barrier_all", "shmem_long_put", p.pes - 1


def early_barrier(p, size):
    for _ in range(ROUNDS):
        for pe in range(p.pes):
            p.put(pe, (pe + 1) % p.pes)
            p.compute(pe, 100 + (size if pe else 0))
        p.meet()
    return size * ROUNDS, "wait at barrier", "shmem_barrier_all", "shmem_long_put", None


def imbalance(p, size):
    for _ in range(ROUNDS):
        p.meet(duration=500)
        for pe in range(p.pes):
            p.compute(pe, 100 + pe * size)
        p.meet("shmem_broadcast64", root=p.pes - 1, elements=1, bytes=8, target=DATA, source=DATA)
    return (sum(range(p.pes)) * size * ROUNDS, "imbalance before a collective", "shmem_broadcast64",
            "shmem_barrier_all", p.pes - 1)


def late_flags(p, size, step):
    """After a barrier, PE 0 computes before it sets a flag of each other PE."""
    for pe in range(p.pes):
        p.compute(pe, 100)
    p.meet()
    p.compute(0, size)
    for pe in range(1, p.pes):
        p.call(0, "shmem_long_p", 10, peer=pe, target=FLAG, value=step + 1)


def late_writer(p, size):
    for step in range(ROUNDS):
        late_flags(p, size, step)
        for pe in range(1, p.pes):
            written = p.clock[0] - 10 * (p.pes - pe)
            p.call(pe, "shmem_long_wait_until", written + NET - p.clock[pe], target=FLAG, comparison=0,
                   value=step + 1)
    return (p.pes - 1) * size * ROUNDS, "late writer", "shmem_long_wait_until", "shmem_barrier_all", 0


def polling(p, size):
    for step in range(ROUNDS):
        late_flags(p, size, step)
        for pe in range(1, p.pes):
            written, result = p.clock[0] - 10 * (p.pes - pe), 0
            while result == 0:
                result = int(p.clock[pe] > written)
                p.call(pe, "shmem_long_test", 20, target=FLAG, comparison=0, value=step + 1, result=result)
                p.compute(pe, size // 50)
    return (p.pes - 1) * size * ROUNDS, "late writer", "shmem_long_test", "shmem_barrier_all", 0


def fetching(p, size):
    for _ in range(ROUNDS):
        for pe in range(p.pes):
            p.compute(pe, 100)
        p.meet()
        p.compute(0, size)
        for pe in range(1, p.pes):
            p.put(0, pe, 10, FLAG)
        for pe in range(1, p.pes):
            written = p.clock[0] - 10 * (p.pes - pe)
            while p.clock[pe] <= written:
                p.call(pe, "shmem_long_atomic_fetch", 20, peer=pe, target=FLAG)
                p.compute(pe, size // 50)
            p.call(pe, "shmem_long_atomic_fetch", 20, peer=pe, target=FLAG)
    return (p.pes - 1) * size * ROUNDS, "late writer", "shmem_long_atomic_fetch", "shmem_barrier_all", 0


def lock_queue(p, size):
    for _ in range(ROUNDS):
        p.meet(duration=100)
        free = max(p.clock)
        for pe in range(p.pes):
            p.compute(pe, 10 * pe)
            free = max(free, p.clock[pe])
            p.call(pe, "shmem_set_lock", free + 20 - p.clock[pe], target=LOCK)
            p.compute(pe, size)
            free = p.clock[pe]
            p.call(pe, "shmem_clear_lock", 20, target=LOCK)
        # So that nobody waits twice.
        last = max(p.clock)
        for pe in range(p.pes):
            p.compute(pe, last - p.clock[pe])
    return sum(range(p.pes)) * size * ROUNDS, "lock queue", "shmem_set_lock", "shmem_set_lock", None


def hot_atomic(p, size):
    """All change a variable on the last PE, which changes another one."""
    for _ in range(ROUNDS):
        p.meet(duration=100)
        for pe in range(p.pes - 1):
            p.compute(pe, 100)
            p.call(pe, "shmem_long_atomic_fetch_add", (pe + 1) * size, peer=p.pes - 1, target=COUNTER, value=1)
        last = max(p.clock)
        for pe in range(p.pes):
            p.compute(pe, last - p.clock[pe])
    return (sum(range(p.pes - 1)) * size * ROUNDS, "contended atomic", "shmem_long_atomic_fetch_add", None,
            None)


def busy_target(p, size):
    for _ in range(ROUNDS):
        p.meet(duration=100)
        p.compute(0, size + 100)
        answered = p.clock[0]
        p.put(0, 1)
        for pe in range(1, p.pes):
            p.compute(pe, 100)
            p.call(pe, "shmem_getmem", answered + NET - p.clock[pe], peer=0, elements=8, bytes=8, target=DATA,
                   source=DATA)
        last = max(p.clock)
        for pe in range(p.pes):
            p.compute(pe, last - p.clock[pe])
    return (p.pes - 1) * size * ROUNDS, "late progress", "shmem_getmem", "shmem_barrier_all", 0


def needless_quiet(p, size):
    for pe in range(p.pes):
        for _ in range(10 * ROUNDS):
            p.compute(pe, 100)
            p.put(pe, (pe + 1) % p.pes, 100)
            p.call(pe, "shmem_quiet", size)
    p.meet()
    return p.pes * (10 * ROUNDS - 1) * size, "needless quiet", "shmem_quiet", None, None


CAUSES = (late_pe, early_barrier, imbalance, late_writer, polling, fetching, lock_queue, hot_atomic,
          busy_target, needless_quiet)
for cause in CAUSES:
    for pes in (2, 4):
        wrong = []
        for size in (20_000, 100_000, 1_000_000, 5_000_000, 30_000_000):
            program = Program(pes)
            expected, name, where, root, late = cause(program, size)
            if expected == 0:
                continue
            found, done = explained(f"{cause.__name__}_{pes}_{size}", program)
            if not found:
                wrong.append(f"{size} ns: {done}")
                continue
            rows = [row for row in found["findings"] if row["cause"] != "communication"]
            first = rows[0] if rows else {}
            same = [row for row in rows if row["cause"] == name and row["in"]["routine"] == where]
            seconds = sum(row["waited"] for row in same)
            if first.get("cause") != name or first["in"]["routine"] != where:
                wrong.append(f"{size} ns: first is {first}")
            elif root and first.get("computes_after", {}).get("routine") != root:
                wrong.append(f"{size} ns: the root is {first}")
            elif late is not None and list(first["late"]) != [str(late)]:
                wrong.append(f"{size} ns: late are {first['late']}")
            elif abs(seconds * 1e9 / expected - 1) > 0.01 + 3 * NET / size:
                wrong.append(f"{size} ns: {seconds * 1e9} ns instead of {expected}: {first}")
        tap.ok(not wrong, f"{cause.__name__} on {pes} PEs: named first, with its seconds, call and PE",
               "\n".join(wrong))


# ---- Counted by hand ----

def near(value, expected):
    return value is not None and abs(value - expected) <= 0.01 * abs(expected)


def efficiency(found, phase=None):
    row = next(row for row in found["efficiency"] if row["phase"] == phase)
    return [row[name] for name in ("parallel", "load_balance", "serialization", "transfer")]


def chain():
    """PE 0 computes 8 us, then PE 1 2 us, then PE 2 2 us; each one waits for the one before it."""
    p = Program(3)
    p.compute(0, 8000)
    p.call(0, "shmem_long_p", 100, peer=1, target=FLAG, value=1)
    for pe in (1, 2):
        before = p.clock[pe - 1]
        p.call(pe, "shmem_long_wait_until", before + 900 - p.clock[pe], target=FLAG, comparison=0, value=1)
        p.compute(pe, 2000)
        if pe == 1:
            p.call(1, "shmem_long_p", 100, peer=2, target=FLAG, value=1)
    return p


found, done = explained("chain", chain())
# PE 1 waits 8 us for PE 0. PE 2 waits 11 us for PE 1, 8 of them since that has waited for PE 0. In
# shmem_finalize PE 0 waits 5.9 us for PE 2, whose 14 us were spent on waiting for 11, of which 8 are due to PE 0.
first = next(row for row in found["findings"] if row["cause"] == "late writer") if found else {}
tap.ok(found and first["late"].keys() == {"0"} and near(first["waited"], 8e-6)
       and near(first["seconds"], (8 + 11 * 8 / 11 + 5.9 * 11 / 14 * 8 / 11) * 1e-6),
       "of a chain of waits the first PE's delay is charged with those that follow from it", f"{done}\n{first}")
pairs = {(row["cause"], row["pe"], row["for"]): row["seconds"] for row in found["waits"]}
tap.ok(near(pairs[("late writer", 1, 0)], 8e-6) and near(pairs[("late writer", 2, 1)], 11e-6),
       "and for whom each PE waits is listed as it is", pairs)
# Window: from the end of shmem_init to the last finalize: 8000 + 1000 + 2000 + 1000 + 2000 ns.
window = 14e-6
tap.ok(near(found["to"] - found["from"], window), "start and finalize do not count", f"{found}")
parallel, balance, serialization, transfer = efficiency(found)
useful = [8e-6, 2e-6, 2e-6]
tap.ok(near(parallel, sum(useful) / 3 / window) and near(balance, sum(useful) / 3 / 8e-6)
       and near(serialization, 8 / 12) and near(transfer, 12 / 14),
       "efficiencies are those counted by hand", efficiency(found))
computing = {pe: sum(row["seconds"] for row in found["critical_path"]
                     if row["pe"] == pe and "computes_after" in row) for pe in range(3)}
tap.ok(near(computing[0], 8e-6) and near(computing[1], 2e-6) and near(computing[2], 2e-6)
       and near(sum(row["seconds"] for row in found["critical_path"]), window),
       "the critical path goes through all that compute one after the other, and takes all the time",
       found["critical_path"])

# Phases: in the first one all compute alike, in the second one only PE 0 does. Iterations: the fourth is slow.
program = Program(2)
for step in range(8):
    for pe in range(2):
        program.compute(pe, 2000 if step < 4 or pe == 0 else 500)
        program.compute(pe, 20_000 if step == 3 else 0)
        program.call(pe, "shmem_long_put", 100, peer=1 - pe, elements=1, bytes=8, target=DATA, source=DATA,
                     phase=step // 4)
        for _ in range(step):  # however often it polls
            program.call(pe, "shmem_long_test", 10, target=FLAG, comparison=0, value=1, result=0, phase=step // 4)
    program.meet(duration=100, phase=step // 4)
found, done = explained("phases", program)
tap.ok(found and near(efficiency(found, 0)[1], 1) and near(efficiency(found, 1)[1], 2500 / 4000)
       and near(efficiency(found, 1)[2], 1) and done.out.count("!") >= 2,
       "efficiencies by phase; low ones are marked", f"{done}")
iterations = found["iterations"]["seconds"]
tap.ok(len(iterations) in (7, 8) and max(iterations) == iterations[3 if len(iterations) == 8 else 2]
       and near(max(iterations), 22.2e-6 + 30e-9),
       "iterations are found though they poll more and more often, the slowest is named", f"{done}\n{iterations}")
part, done = explained("phases", None, "--from", f"{found['to'] - 5e-6:.9f}")
tap.ok(part and near(part["to"] - part["from"], 5e-6) and part["start"] == found["start"],
       "--from: only time from then on counts", f"{done}")
waits = made.command("explain", "phases", "--from", "99", "-o", "nothing")
tap.ok(waits.status == 2 and "no time of the program" in waits.err and not os.path.exists(made.path("nothing")),
       "a window without time: refused, and no file is left", waits)

# ---- As shmemsim says of the run that it predicts ----

def flags_in_a_ring(seed, pes):
    chance, p = random.Random(seed), made_runs.Program(pes)
    for step in range(1, 31):
        for pe in range(pes):
            p.put(pe, (pe + 1) % pes, 64, chance.randrange(100, 30_000))
            p.call(pe, "shmem_long_p", 20, peer=(pe + 1) % pes, target=FLAG, value=step)
        for pe in range(pes):
            p.call(pe, "shmem_long_wait_until", chance.randrange(10, 3000), target=FLAG, comparison=0, value=step)
        if step % 7 == 6:
            p.barrier([chance.randrange(10, 20_000) for _ in range(pes)])
    return p


simulator = made_runs.Simulator()
for pes in (2, 4):
    predicted = simulator.name("predicted")
    said = simulator.predict(simulator.trace(flags_in_a_ring(pes, pes)), "--path", "--trace", predicted,
                             machine=simulator.machine(latency="900 ns"))
    done = run([traces.command(), "explain", "--json", f"ring{pes}.json", predicted], cwd=simulator.folder)
    with open(os.path.join(simulator.folder, f"ring{pes}.json"), encoding="utf-8") as file:
        rows = json.load(file)["critical_path"]
    mine = sum(row["seconds"] for row in rows if "computes_after" in row)
    tap.ok(near(mine, said["critical_path"]["compute"]),
           f"{pes} PEs: computation on the critical path is that of shmemsim's", f"{mine}\n{said}")

# Calls that take long by themselves: what helps goes by the routine.
program = Program(2)
for pe in range(2):
    program.call(pe, "shmem_quiet", 5_000_000)
    program.put(pe, 1 - pe, 4_000_000)
found, done = explained("long", program)
remedies = {row["in"]["routine"]: row["remedy"] for row in found["findings"] if row["cause"] == "communication"}
tap.ok("quiet" in remedies["shmem_quiet"] and "larger messages" in remedies["shmem_long_put"],
       "of calls that take long by themselves, what helps goes by the routine", done)

# Collectives of different sets, a PE whose file is missing, an empty trace.
program = Program(4)
for pe in range(4):
    program.compute(pe, 1000 * (pe + 1))
for start in (0, 2):
    last = max(program.clock[start:start + 2])
    for pe in (start, start + 1):
        program.call(pe, "shmem_barrier", last + 100 - program.clock[pe], set_start=start, set_stride=1, set_size=2)
found, done = explained("sets", program)
tap.equal({(row["pe"], row["for"]) for row in found["waits"] if row["seconds"] > 0.9e-6 and row["pe"] != 1
           and row["for"] != 0} - {(0, 2), (0, 3), (2, 0)}, {(0, 1), (2, 3)},
          "in barriers of some PEs these wait for one another")
done = made.command("explain", "-o", os.devnull, "--json", "-", "sets")
tap.equal((done.status, json.loads(done.out)), (0, found), "--json - is standard output")
os.remove(made.path("sets/pe-00002.trace"))
done = made.command("explain", "sets")
tap.ok(done.status == 0 and "3 of 4 PEs" in done.err, "without a PE's file the others are explained", done)
made.make("empty", "pe 0 1 1\nend finalize\n")
done = made.command("explain", "empty")
tap.ok(done.status == 2 and "no calls" in done.err, "a trace without calls: one line says so", done)
text = made.command("explain", "late_pe_4_1000000").out
tap.ok(max(map(len, text.splitlines())) <= 80, "lines have at most 80 columns", text)
tap.done()
