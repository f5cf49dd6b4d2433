#!/usr/bin/env python3
# PLAIN
"""How much latency, bandwidth and overhead a run tolerates: by hand where the critical path changes on the way, and what
what-if says on both sides of the result, for programs of all kinds; with few replays."""

import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import SAMPLE, Tap
from made_runs import Program, Simulator, mixed_program, ps, random_program

tap = Tap()
sim = Simulator()
PROGRAMS = 6 if SAMPLE else 30
NAMES = {"latency": "more_latency", "bandwidth": "less_bandwidth", "overhead": "more_overhead"}
TABLE = "collective barrier table linear { pes 2 { time 9 us bandwidth 1 GB/s } pes 8 { time 20 us } }\n"


def described(more=""):
    return sim.write("bus net { bandwidth 1 GB/s latency 1 us overhead 200 ns\n  cost get { latency 3 us } }\n"
                     "node n { count 8 cores 2 bandwidth 4 GB/s latency 100 ns overhead 50 ns bus net }\n" + more)


def found(trace, machine, *options):
    return sim.predict(trace, "--model", "loggp", *options, machine=machine)


# ---- By hand ----

def hidden():
    """PE 0 puts 1000 bytes that nobody waits for, and computes 10 us; its quiet then waits for nothing: o + 1 us on the wire
    + 2 L are less than o + 10 us. It does so 10 times, and the last call is a barrier of 2 o + L."""
    program = Program(2)
    for _ in range(10):
        program.put(0, 1, 1000, routine="shmem_putmem_nbi")
        program.call(0, "shmem_quiet", 10000)
    return program


machine = described()
once = found(hidden(), machine)
whole = 10 * (200 + 10000) + 2 * 200 + 1000  # ns
tap.equal(ps(once["run_time"]), whole * 1000, "what is hidden takes no time", once)
given = once["tolerance"]
# Later the path goes by the 10 messages: 10 (o + 1 us + 2 L) + 2 o + L.
slower = 0.05 * whole
latency = (whole + slower - 400 - 10 * 1200) / 21 - 1000
tap.near(given["more_latency"] * 1e9, latency, 0.003 * latency, "latency that is hidden at first", given)
tap.near(given["more_overhead"] * 1e9, slower / 12, 0.003 * slower / 12, "overhead: 10 calls, and the barrier at both ends", given)
wire = (whole + slower - 1400 - 10 * 2200) / 10 / 1000  # ns for each byte, in place of 1
tap.near(given["less_bandwidth"], 1 - 1 / wire, 0.003, "bandwidth that is hidden at first", given)
tap.equal((given["messages"], given["slower"]), ("between nodes", 0.05), "messages between nodes, and 5 %", given)
tap.ok(given["replays"] <= 24, "... in few replays", given)
tenth = found(hidden(), machine, "--tolerance=10%")["tolerance"]
tap.near(tenth["more_overhead"], 2 * given["more_overhead"], 0.003 * tenth["more_overhead"], "twice as much slower", tenth)

alone = Program(1)
alone.call(0, "shmem_quiet", 5000)
nothing = found(alone, machine)["tolerance"]
tap.equal((nothing["more_latency"], nothing["less_bandwidth"], nothing["more_overhead"], nothing["messages"]),
          (None, None, None, "inside nodes"), "what sends no messages tolerates everything", nothing)
text = sim.run("--model", "loggp", machine, sim.trace(alone))
tap.ok("\n5 % slower by no latency, bandwidth or overhead of messages inside nodes\n" in text.out, "... and says so", text)
text = sim.run("--model", "loggp", machine, sim.trace(hidden()))
tap.ok("\n5 % slower at 3.58 us more latency, or at 88.3 % less bandwidth, or at 431 ns more overhead of messages between "
       "nodes\n" in text.out, "people see all three in a line", text)
collective = Program(2)
collective.barrier(1000)
measured = found(collective, described(TABLE))
slower = 0.05 * ps(measured["run_time"]) / 1000
given = measured["tolerance"]
tap.near(given["more_latency"] * 1e9, slower / 2, 0.003 * slower, "measured collectives: a message each", given)
tap.near(given["more_overhead"] * 1e9, slower / 4, 0.003 * slower, "... with an overhead at both ends", given)
for value in ("0", "-3", "much", "5x"):
    wrong = sim.run(f"--tolerance={value}", machine, sim.trace(alone))
    tap.ok(wrong.status == 2 and "percent" in wrong.err, f"refused: --tolerance={value}", wrong)


# ---- As what-if says ----

def as_option(name, value, messages):
    place = "buses" if messages == "between nodes" else "nodes"
    if name == "bandwidth":
        return f"{place}=x{1 - value:.15g}"
    return f"{place}=+{round(value * 1e12)} ps"


def compare(trace, machine, options):
    """None, or where what-if contradicts: just below the result the run is not yet so much slower, just above it is."""
    prediction = found(trace, machine, *options)
    given = prediction["tolerance"]
    goal = 1.05 * prediction["run_time"]
    for name, member in NAMES.items():
        value = given[member]
        tries = [0.99 * value, 1.01 * value] if value is not None else [0.9999 if name == "bandwidth" else goal]
        if name == "bandwidth" and value is not None:  # of the time that a byte takes more
            longer = value / (1 - value)
            tries = [1 - 1 / (1 + part * longer) for part in (0.99, 1.01)]
        times = []
        for one in tries:
            done = sim.run("what-if", "--json", "--model", "loggp", *options, f"--{name}",
                           as_option(name, one, given["messages"]), machine, trace)
            times.append(json.loads(done.out)["points"][0]["run_time"] if done.status == 0 else done)
        if any(not isinstance(time, float) for time in times):
            return name, given, times
        if value is None and times[0] >= goal or value is not None and not times[0] < goal <= times[1]:
            return name, given, times, goal
    return None


chance = random.Random(12)
wrong, most = [], 0
for number in range(PROGRAMS):
    program = mixed_program(chance, (1, 2)[number % 2]) if number % 3 else random_program(chance, 4)
    for more in ("", TABLE)[:1 + number % 2]:
        trace, machine = sim.trace(program), described(more)
        unlike = compare(trace, machine, ())
        if unlike:
            wrong.append((trace, machine, unlike))
tap.ok(not wrong, f"{PROGRAMS} programs: what-if says the same within 1 %", wrong[:1])
tap.done()
