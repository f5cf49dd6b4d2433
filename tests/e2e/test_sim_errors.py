#!/usr/bin/env python3
"""Predictions carry the errors of their description: the interval is that of the numbers that count, those that are not
known well are named if they matter, and people see as many digits as that deserves; a description that lacks what the
model needs is told."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import Tap
from made_runs import Program, Simulator
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


def found(machine, *options):
    return sim.predict(TRACE, "--model", "loggp", *options, machine=machine)


def width(prediction):
    """Half of the interval, in ns for each put."""
    errors = prediction["errors"]
    return (errors["run_time_high"] - errors["run_time_low"]) / 2 * 1e9 / PUTS


plain = found(described("1 us"))
tap.ok("errors" not in plain, "without errors in the description there is no interval", plain)
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

text = sim.run(described("995 ps # +- 790 %", "1 MB/s"), TRACE)
tap.ok(re.search(r"^predicted run time: 0\.1\d* s\nby the errors of \S+: 0\.1\d* to 0\.1\d* s\n", text.out,
                 re.MULTILINE) and "not known well" not in text.out, "a poor number that does not matter is not named", text)
text = sim.run(described("1 us +- 50 %"), TRACE)
line = re.search(r"^not known well, and matters here:\n  (\S+):2: latency 1 us \+- 50 %: (-\S+) to \+(\S+) %$", text.out,
                 re.MULTILINE)
tap.ok(line, "one that does is, with its line and what it makes of the run time", text)
digits = re.search(r"^predicted run time: (\S+) s$", text.out, re.MULTILINE)[1]
tap.ok(len(re.sub(r"e.*|^[0.]+|\.", "", digits)) <= 2, "the prediction has as many digits as that deserves", digits)
varied = sim.run("what-if", "--latency", "nodes=x2", described("1 us +- 50 %"), TRACE)
tap.ok("as described, by the errors of" in varied.out and "latency 1 us +- 50 %" in varied.out, "what-if says it, too",
       varied)
bad = sim.run(described("1 us +- much"), TRACE)
tap.ok(bad.status == 2 and bad.err.count("error:") == 1 and "+- needs a number" in bad.err, "an error that is none", bad)

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
