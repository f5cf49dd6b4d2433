#!/usr/bin/env python3
"""Predictions carry an interval: of the numbers of the description that count, of several traces, and of the model. Numbers
that are not known well are named if they matter, and people see as many digits as the interval deserves; a description that
lacks what the model needs is told."""

import json
import math
import os
import random
import re
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import Tap
from made_runs import Program, Simulator, mixed_program
from traces import HEAP

PUTS = 100
tap = Tap()
sim = Simulator()


def trace():
    program = Program(2)
    for _ in range(PUTS):
        program.call(0, "shmem_putmem", at=program.now[0] + 50, peer=1, bytes=1000, target=HEAP, source=HEAP)
        program.call(0, "shmem_quiet")
    return sim.trace(program)


TRACE = trace()


def described(latency, bandwidth="1 GB/s", more=""):
    return sim.write(f"node n {{ count 1 cores 2\n  latency {latency}\n  bandwidth {bandwidth}\n  overhead 10 ns\n{more}}}\n")


def found(machine, *options, trace=TRACE):
    return sim.predict(trace, "--model", "loggp", *options, machine=machine)


def width(prediction):
    """Half of the interval, in ns for each put."""
    interval = prediction["interval"]
    return (interval["high"] - interval["low"]) / 2 * 1e9 / PUTS


plain = found(described("1 us"))
tap.ok("errors" not in plain and "interval" not in plain, "without errors in the description there is no interval", plain)
for how, text in (("+- 20 %", "1 us +- 20 %"), ("+-20%", "1 us +-20%"), ("a time", "1 us +- 200 ns"),
                  ("in a comment", "1 us   # +- 20 %"), ("in a comment, close", "1 us #+-20%")):
    one = found(described(text))
    tap.equal(one["run_time"], plain["run_time"], f"{how}: the prediction is that of the number itself", one)
    # The way there and back.
    tap.near(width(one), 2 * 200, 0.01, "... its interval that of 200 ns", one)
    tap.ok([cause["text"].partition(": ")[2][:7] for cause in one["errors"]["not_known_well"]] == ["latency"],
           "... and it is named", one)
both = found(described("1 us +- 20 %", "1 GB/s +- 30 %"))
tap.near(width(both), ((2 * 200) ** 2 + 300 ** 2) ** 0.5, 0.05, "independent errors add up as squares", both)
tap.equal([cause["text"].partition(": ")[2][:7] for cause in both["errors"]["not_known_well"]], ["latency", "bandwid"],
          "... what matters most is first", both)
small = found(described("1 us +- 0.5 %", "1 GB/s +- 0.5 %"))
tap.ok(small["errors"]["not_known_well"] == [] and 0 < width(small) < 20, "what is known well is not named", small)
zero = found(described("1 us", more="  gap 0 ns +- 30 ns\n  cost quiet { overhead 0 ns } # +- 40 ns\n"))
tap.near(width(zero) * 2, 40, 0.1, "a number that is 0 may be larger, not smaller", zero)
class_ = found(described("1 us", more="  cost put {\n    latency 2 us # +- 10 %\n    bandwidth 1 GB/s\n  }\n"))
tap.near(width(class_), 2 * 200, 0.05, "numbers of classes of calls", class_)

RUN_TIME = r"^predicted run time: (\S+) s, 95 %: (\S+) to (\S+) s$"
text = sim.run(described("995 ps # +- 790 %", "1 MB/s"), TRACE)
tap.ok(re.search(RUN_TIME + r"\nof that, by the errors of \S+: -0.0 to \+0.0 %, by model loggp: not stated$", text.out, re.MULTILINE)
       and "not known well" not in text.out, "a poor number that does not matter is not named", text)
text = sim.run(described("1 us"), TRACE)
tap.ok(re.search(r"^predicted run time: \S+ s\nno interval: \S+ states no errors$", text.out, re.MULTILINE),
       "a description without errors: a line says that there is no interval", text)
text = sim.run(described("1 us +- 50 %"), TRACE)
line = re.search(r"^not known well, and matters here:\n  (\S+):2: latency 1 us \+- 50 %: (-\S+) to \+(\S+) %$", text.out,
                 re.MULTILINE)
tap.ok(line, "one that does is, with its line and what it makes of the run time", text)
digits = re.search(RUN_TIME, text.out, re.MULTILINE)[1]
tap.ok(len(re.sub(r"e.*|^[0.]+|\.", "", digits)) <= 2, "the prediction has as many digits as that deserves", digits)
varied = sim.run("what-if", "--latency", "nodes=x2", described("1 us +- 50 %"), TRACE)
tap.ok(re.search(r"^as described: \S+ s, 95 %: ", varied.out, re.MULTILINE) and "latency 1 us +- 50 %" in varied.out, "what-if says it, too",
       varied)
bad = sim.run(described("1 us +- much"), TRACE)
tap.ok(bad.status == 2 and bad.err.count("error:") == 1 and "+- needs a number" in bad.err, "an error that is none", bad)

# ---- The model ----

def relative(prediction):
    """Both sides of the interval, as shares of the run time."""
    interval, now = prediction["interval"], prediction["run_time"]
    return 1 - interval["low"] / now, interval["high"] / now - 1


MODEL = "model loggp +- 9 %\n"
stated = found(sim.write(MODEL + open(sim.path(described("1 us")), encoding="utf-8").read()))
tap.equal([round(side, 12) for side in relative(stated)], [round(1 - 1 / 1.09, 12), 0.09],
          "the error of the model is the interval, a factor to both sides", stated)
tap.equal((stated["interval"]["of_model"], stated["run_time"]), (0.09, plain["run_time"]), "... and says so", stated)
together = found(sim.write(MODEL + open(sim.path(described("1 us +- 20 %")), encoding="utf-8").read()))
part = (2 * PUTS + 1) * 200e-9 / plain["run_time"]
tap.near(relative(together)[1], math.hypot(0.09, part), 1e-3, "with that of a number: as squares", together)
other = sim.predict(TRACE, "--model", "paper", machine=sim.write(MODEL + "node n { latency 1 us bandwidth 1 GB/s }\n"))
tap.ok("interval" not in other, "that of another model does not count", other)
text = sim.run(sim.write(MODEL + "node n { latency 1 us bandwidth 1 GB/s overhead 10 ns }\n"), TRACE)
tap.ok(re.search(RUN_TIME + r"\nof that, by model loggp: \+- 9\.0 %$", text.out, re.MULTILINE), "people read it", text)
two_threads = Program(1, threads=2)
for line in two_threads.names:
    two_threads.call(line, "shmem_quiet", 1000)
two_threads = sim.trace(two_threads)
for stated, wanted in ((MODEL, 0.09), (MODEL + "model loggp threads +- 25 %\n", 0.25), ("model loggp threads +- 25 %\n" + MODEL, 0.25)):
    done = sim.run("--json", sim.write(stated + "node n { latency 1 us bandwidth 1 GB/s overhead 10 ns }\n"), two_threads)
    tap.equal(json.loads(done.out)["interval"]["of_model"], wanted, "the error of the model for threads", done)
    done = sim.run("--json", sim.write(stated + "node n { latency 1 us bandwidth 1 GB/s overhead 10 ns }\n"), TRACE)
    tap.equal(json.loads(done.out)["interval"]["of_model"], 0.09, "... not for others", done)
for wrong, wanted in (("model loggp 9 %", "give a share"), ("model loggp +- much", "+- needs a number"),
                      ("model loggp +- 3 us", "give a share"), (MODEL + MODEL, "given twice")):
    bad = sim.run(sim.write(wrong + "\nnode n { latency 1 us bandwidth 1 GB/s }\n"), TRACE)
    tap.ok(bad.status == 2 and wanted in bad.err, f"refused: {wrong.splitlines()[0]}", bad)


# ---- Several traces ----

def computing(burst, pes=1):
    program = Program(pes)
    program.call(0, "shmem_quiet", burst)
    return sim.trace(program)


def predicted(*names):
    done = sim.run("--json", machine, *names)
    return json.loads(done.out) if done.status == 0 else done


machine = described("1 us")
BURSTS = [10000, 13000, 11000, 12500]
traces = [computing(burst) for burst in BURSTS]
times = [found(machine, trace=trace)["run_time"] for trace in traces]
several = predicted(*traces[:3])
# Student's t for 2 degrees of freedom; a median is 1.2533 times as uncertain as a mean.
half = 4.302653 * 1.2533 * statistics.stdev(times[:3]) / math.sqrt(3)
tap.equal((several["run_time"], several["interval"]["traces"]), (times[2], 3), "of three traces, that of the median counts", several)
tap.near(several["interval"]["of_traces"], half, 1e-5, "... with the interval by Student's t", several)
tap.near(several["interval"]["high"] - times[2], half, 1e-5, "... which is that of the prediction", several)
tap.equal(predicted(traces[1], traces[0], traces[2]), several, "their order does not matter", several)
four = predicted(*traces)
tap.equal(four["run_time"], sorted(times)[1], "of four traces the lower one in the middle", four)
same = predicted(*traces[:1] * 3)
tap.ok("interval" not in same and same["run_time"] == times[0], "traces that are the same leave nothing open", same)
text = sim.run(machine, *traces[:3])
tap.ok(re.search(r"^of that, by 3 traces: \+- \S+ %, by model loggp: not stated$", text.out, re.MULTILINE), "people read it", text)
mixed = sim.run(machine, traces[0], computing(1000, 2))
tap.ok(mixed.status == 2 and "give traces of one program" in mixed.err and not mixed.out, "traces of other runs are refused", mixed)

# ---- Any program ----

chance = random.Random(5)
wrong = []
for number in range(8):
    trace = sim.trace(mixed_program(chance, ordered=number % 2))
    sides = []
    for error in (5, 20, 60):
        numbers = [f"{value} +- {error} %" for value in ("1 us", "1 GB/s")]
        name = sim.write(f"{MODEL if number % 3 else ''}node n {{ count 8 cores 4 latency {numbers[0]} bandwidth {numbers[1]} "
                         f"overhead 10 ns bus b }}\n".join(("bus b { latency 3 us +- 7 % bandwidth 100 MB/s }\n", "")))
        one = found(name, trace=trace)
        sides.append(relative(one) if isinstance(one, dict) and "interval" in one else one)
    if any(not isinstance(side, tuple) or min(side) < 0 for side in sides) or sorted(map(max, sides)) != [max(side) for side in sides]:
        wrong.append((trace, sides))
tap.ok(not wrong, "the interval holds the prediction, and larger errors make it wider", wrong[:1])

lacking = sim.write("node n { count 1 cores 2 latency 1 us bandwidth 1 GB/s }\n")
for options, said in (((), True), (("--model", "paper"), False)):
    done = sim.run(*options, lacking, TRACE)
    tap.equal((done.status, "describes no overhead" in done.err), (0, said),
              f"a description without overhead {' '.join(options)}", done)
done = sim.run(described("1 us"), TRACE)
tap.ok("model loggp" in done.out and not done.err, "the model is loggp unless another one is chosen", done)
for words in ((TRACE, described("1 us")), (TRACE,), (os.path.join(TRACE, "pe-00000.trace"), described("1 us"))):
    for command in ((), ("what-if", "--latency", "x2")):
        done = sim.run(*command, *words)
        tap.ok(done.status == 2 and "the machine description comes first" in done.err and
               (len(words) == 1 or f"{words[1]} {words[0]}" in done.err), f"in the wrong order: {' '.join((*command, *words))}",
               done)
tap.done()
