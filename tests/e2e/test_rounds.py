#!/usr/bin/env python3
# LONG
# TIMEOUT: 240
"""Stop rules, limits of time, and rounds: what they do to runs, and how they refuse what makes no sense."""

import json
import math
import os
import pty
import re
import select
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from harness import Tap, refused, skampi, write_text
from skampi_tools import results
from skampi_tools.campaign import promise
from skampi_tools.statistics import rounds_of

tap = Tap()
MICROSECOND = 1e-6


def measured(script, np=1, args=(), **settings):
    """The run and the records of its JSON output."""
    run = skampi(script, np=np, args=["-o", "out.json", "-o", "out.sko", *args], **settings)
    return run, run.records("out.json")


def of(records, kind):
    return [record for record in records if record["record"] == kind]


def block(body, before=""):
    return f"{before}\n{harness.block('b', body)}"


# ---- Stop rules ----

run, records = measured(block("measure comm(1) : WaitPatternUp()",
                              'set_stop_rule("median_ci", 0.05, 0.95)\n'
                              "choose_no_synchronization()"))
result = of(records, "result")[0]
tap.equal(run.status, 0, "the median's rule measures", run)
width = (result["median_high"] - result["median_low"]) / result["median"]
tap.ok(result["valid"] >= 30, "at least 30 repetitions", result)
tap.ok("not_converged" in result["flags"] or width <= 0.0501,
       "the median's interval is as narrow as asked for, or it is flagged", result)
tap.ok("interval [" in run.read("out.sko"), "the .sko output names the interval")

run, records = measured(block('set_stop_rule("median_ci", 0.3, 0.5) set_stop_rule("median_ci") '
                              "measure comm(1) : WaitPatternUp()", "choose_no_synchronization()"))
tap.ok(run.status == 0 and of(records, "result")[0]["confidence"] >= 0.9,
       "the width and the confidence have the defaults that the reference states", run)

# Calls take turns: half of them are on either level, however fast the machine is, so the interval
# of the median holds both.
run, records = measured(block("measure comm(1) : WaitPatternLevels(2.0e-6, 9.0e-6, 0)",
                              'set_stop_rule("median_ci", 0.0001, 0.95)\n'
                              "choose_no_synchronization()"))
result = of(records, "result")[0]
tap.ok("not_converged" in result["flags"] and result["valid"] >= 1000,
       "what never gets that narrow ends, and is flagged", result)

for call, text in {
        'set_stop_rule("mean")': 'allowed is "standard_error" or "median_ci"',
        'set_stop_rule("median_ci", 0.05, 1.5)': "less than 1",
        'set_stop_rule("median_ci", 0.0, 0.95)': "more than 0",
        'set_stop_rule("standard_error", 0.1, 0.9)': "set_max_relative_standard_error()",
        'set_stop_rule("median_ci", 1, 0.5, 3)': "at most 3 arguments",
        "set_rounds(0)": "1 to 100000",
        "set_rounds(2, -1.0)": "at least 0",
        "set_rounds()": "at least 1 argument",
        "set_levels(2)": "0 or 1",
        "set_max_time(1e10)": "at most 1e+09",
        "set_rounds(2, 1e12)": "at most 1e+09",
        "set_max_time(-1)": "at least 0"}.items():
    run = refused(call + "\n", np=1)
    tap.ok(run.status == 2 and text in run.err and re.search(r":1:\d+: error: ", run.err) and
           run.err.count("error:") == 1, f"{call} is refused", run)

# ---- Limits of time ----

run, records = measured(block("measure comm(2) : WaitPatternLevels(1.0e-3, 1.0e-3, 1.0)",
                              "set_max_time(0.1)\nset_min_repetitions(20)\n"
                              "set_max_relative_standard_error(0.0)\n"
                              "set_max_repetitions(10000)"), np=2)
result = of(records, "result")[0]
tap.ok(1 <= result["valid"] < 2000 and "time_budget" in result["flags"],
       "set_max_time() ends a measurement behind a batch", result)

# Small batches: one that lasts for more than a second after the limit, as on a busy machine, is ended the hard way.
run, records = measured("""set_min_repetitions(20) set_max_repetitions(2000) set_max_relative_standard_error(0.0)
begin measurement "first" measure comm(1) : WaitPatternUp() end measurement
begin measurement "second"
  for i = 1 to 400 do measure comm(1) : WaitPatternLevels(1.0e-3, 1.0e-3, i*1.0e-3) od
end measurement
begin measurement "third" measure comm(1) : WaitPatternDown() end measurement
""", args=["--time-limit", "4s"])
missing = [record for record in of(records, "missing") if record["kind"] == "time_limit"]
made = of(records, "result")
tap.equal(run.status, 4, "a run that the time limit ends has status 4", run)
tap.ok(1 <= len(made) < 402 and len(made) + len(missing) == 402,
       "what was not measured is listed", f"{len(made)} and {len(missing)}")
tap.ok(missing and missing[-1]["block"] == "third", "to the last block")
end = of(records, "end")
tap.ok(end and end[0]["status"] == 4 and "time limit" in end[0].get("reason", "") and
       end[0]["missing"] == len(missing), "the end record says so", end)
# Without the launcher, whose start and end may take longer than that.
tap.ok(end and end[0]["duration"] < 3 * 4, "about in time", end)
tap.ok("# stopped by the time limit of 4 s" in run.read("out.sko"), "so does .sko")

run, records = measured(block("for i = 1 to ... do "
                              "measure comm(2) : Shmem_Put_Round(i, 1) od"), np=2, args=[
                                  "--time-limit", "4"])
tap.ok(run.status == 4 and len(of(records, "missing")) == 1,
       "a loop without end ends with the time", run)
run, records = measured(block("measure comm(1) : WaitPatternUp()"), args=["--time-limit", "1:00"])
tap.equal(run.status, 0, "a limit that is not met changes nothing", run)
tap.equal(records[0]["rounds"]["time_limit"], 60, "H:M:S are understood, and stated")

for option, value in {"--time-limit": ["0", "5x", "", "-3", "1h2", "1m1h", "1::2", "1:"],
                      "--rounds": ["0", "x", "3,", "3,x", "3 4", "-1", "1000000"],
                      "--state": ["", "0", "slowest", "hand-over<200", "barrier<200ns", "1"],
                      "--state-wait": ["", "-1", "x", "1m1h"],
                      "--seed": ["0", "x", "-1", "1.5"]}.items():
    for text in value:
        run = skampi("", np=1, args=[option, text], launch=False)
        tap.ok(run.status == 2 and run.err.startswith(f"skampi: error: {option} {text}") and
               run.err.count("\n") == 1, f"{option} '{text}' is refused", run)

# ---- Rounds ----

# Without controls there are as many rounds as asked for, whatever the machine does.
SWEEP = """set_controls(0) set_rounds(3, 0.0)
begin measurement "sweep"
  for i = 1 to 8 do measure comm(2) : WaitPatternLevels(i*1.0e-6, i*1.0e-6, 1.0) od
  measure comm(1) : Startup()
end measurement
set_rounds(1)
begin measurement "once" measure comm(2) : WaitPatternUp() end measurement
begin measurement "refined" set_rounds(2, 0.0)
  autorefine i = 1 to 9 step 4 do
    measure comm(2) : WaitPatternLevels(i*i*1.0e-6, i*i*1.0e-6, 1.0)
  od
end measurement
"""


def orders(records):
    """What was measured in each later round, in the order of time."""
    later = {}
    for record in of(records, "result"):
        if record["round"] > 1:
            later.setdefault(record["round"], []).append(record["call"])
    return later


run, records = measured(SWEEP.replace("autorefine", "for"), np=2, args=["--seed", "11"])
tap.equal(run.status, 0, "rounds are measured", run)
rounds = of(records, "rounds")
sweep = [record for record in rounds if record["block"] == "sweep"]
tap.equal([len(sweep), len(rounds)], [8, 11],
          "a record over all rounds for each point that has them; not for what happens once")
tap.ok(all(len(record["medians"]) == record["rounds"] == 3 for record in sweep), "of three rounds")
for record in sweep:
    own = [r["median"] for r in of(records, "result") if r["call"] == record["call"] and r["block"] == "sweep"]
    tap.equal(record["medians"], own, f"medians of the rounds, in their order: {record['call']}")
    tap.equal(record["median"], sorted(own)[1], "and the median of those")
first = orders(records)
tap.equal(sorted(first), [2, 3], "two later rounds")
tap.ok(first[2] != first[3], "each in an order of its own", first)
_, again = measured(SWEEP.replace("autorefine", "for"), np=2, args=["--seed", "11"])
tap.equal(orders(again), first, "the same seed, the same orders")
_, other = measured(SWEEP.replace("autorefine", "for"), np=2, args=["--seed", "12"])
tap.ok(orders(other) != first, "another seed, others")
tap.ok(records[0]["rounds"]["seed"] == "11", "the seed is in the header")
text = run.read("out.sko")
tap.ok('# begin result "sweep (rounds)"' in text and "# seed: 11\n" in text,
       "the .sko output has a block of its own for the rounds", text)
part = text[text.index('"sweep (rounds)"'):]
row = harness.parse_row(part.splitlines()[1])
tap.ok(row and abs(row.time * MICROSECOND - sweep[0]["median"]) < 0.01 * sweep[0]["median"],
       "with the median as the time", part[:300])

run, records = measured(SWEEP, np=2, args=["--seed", "3"])
tap.equal(run.status, 0, "rounds of a refined loop", run)
refined = [record["variables"]["i"] for record in of(records, "rounds")
           if record["block"] == "refined"]
tap.ok(len(refined) > 3 and refined == sorted(refined), "refined points come in order", refined)

run, records = measured(block("measure comm(1) : WaitPatternUp()", "set_controls(0)"), args=["--rounds", "7,1s"])
times = [record["at"] for record in of(records, "result")]
tap.equal(len(times), 7, "--rounds asks for all measurements", run)
# A busy machine makes one late, so that the next one follows at once; none is early.
tap.ok(times == sorted(times) and all(at > number / 7 for number, at in enumerate(times)),
       "spread over the time that was given", times)
point = of(records, "rounds")[0]
tap.ok(point["next_low"] <= point["median_low"] <= point["median"] <= point["median_high"] <=
       point["next_high"] and 0.95 <= point["reached"] < 1,
       "the prediction interval holds the confidence interval, which holds the median", point)
# What differs from launch to launch is added to what rounds say, as squares: told exactly without states, since the
# interval over all rounds covers those of states, too.
for setting, deviation, rounds in (("set_launch_difference(0.25)", 0.25, 60), ("", 0.01, 6)):
    name, apart = setting or "by default", 1.96 * math.sqrt(2) * deviation
    constant = "measure comm(1) : WaitPatternLevels(1e-4, 1e-4, 0)"
    run, records = measured(block(constant, f"set_controls(0) {setting}"), args=["--rounds", f"{rounds},0s"])
    point = of(records, "rounds")[0]
    seen = rounds_of(point["medians"])
    for end, wanted in (("next_low", seen.next_low), ("next_high", seen.next_high)):
        distance = math.hypot(math.log(wanted / seen.median), apart)
        found = abs(math.log(point[end] / point["median"]))
        tap.ok(0.99 * apart <= found and abs(found - distance) < 0.1 * distance + 0.005, f"{name}: {end}",
               (distance, point))
    tap.equal(point["launch_difference"], deviation, f"{name}: stated")
    if not setting:
        continue
    # Of 60 rounds at least one state of the machine has the six that an interval needs.
    run, records = measured(block(constant, setting), args=["--rounds", "60,0s"])
    point = of(records, "rounds")[0]
    long = [own for own in point["states"] or [] if own["rounds"] >= 6]
    tap.ok(long and all(math.log(own["next_high"] / own["median"]) >= 0.99 * apart for own in long),
           f"{name}: also in states", point)
    tap.ok(all(point["next_low"] <= own["next_low"] and own["next_high"] <= point["next_high"] for own in long),
           f"{name}: the interval over all rounds covers those of states", point)
# Five earlier launches, 5 % apart, tell that by themselves, in the same words as skampi-campaign coverage.
if harness.has("JANSSON"):
    CONSTANT = block("measure comm(1) : WaitPatternLevels(1e-4, 1e-4, 0)")
    # Made of rounds in one state, in which the machine stays sooner or later: with several, each has too few rounds.
    for _ in range(10):
        _, records = measured(CONSTANT, args=["--rounds", "6,0s"])
        if of(records, "rounds")[0]["round_states"] == [1] * 6:
            break
    files = {}
    for number in range(5):
        shifted = json.loads(json.dumps(records))
        shifted[0]["started"] = f"2026-01-02T0{number}:00:00+00:00"
        for record in of(shifted, "rounds"):
            record["medians"] = [1e-4 * (1 + 0.001 * i) * math.exp((number - 2) * 0.05)
                                 for i in range(len(record["medians"]))]
        files[f"known{number}.json"] = "".join(json.dumps(record) + "\n" for record in shifted)
    known = [word for name in files for word in ("--known", name)]
    run, records = measured(CONSTANT, args=["--rounds", "6,0s", *known], files=files)
    wanted = promise.evaluate([results.read(run.path(name)) for name in files])["states"]["launch_difference"]
    stated, point = records[0]["controls"].get("launch_difference"), of(records, "rounds")[0]
    tap.ok(run.status == 0 and stated is not None and abs(stated - wanted) < 1e-4 and 0.07 < wanted < 0.1,
           "five files of --known: what differs from launch to launch", (wanted, stated, run))
    text = run.read("out.sko")
    tap.ok(f"# launches of earlier runs: differ by {100 * wanted:.3g} %\n" in text, "... stated in the header",
           text[:2000])
    seen, apart = rounds_of(point["medians"][:6]), 1.96 * math.sqrt(2) * wanted
    distance, found = math.hypot(math.log(seen.next_high / seen.median), apart), point["next_high"] / point["median"]
    # It also covers those of states, if there are several.
    tap.ok(math.log(found) > 0.9 * distance and (math.log(found) < 1.1 * distance or len(point["states"] or []) > 1) and
           abs(point["launch_difference"] - wanted) < 1e-4, "... and in the prediction interval", (distance, point))
    run, records = measured(CONSTANT, args=["--rounds", "6,0s", *known[2:]], files=files)
    tap.ok(run.status == 0 and "launch_difference" not in records[0]["controls"], "four files do not tell", run)
run = refused(block("measure comm(1) : WaitPatternUp()", "set_launch_difference(1.5)"), np=1)
tap.ok(run.status == 2 and "set_launch_difference" in run.err and "at most 1" in run.err, "150 % are refused", run)
run, records = measured(block("measure comm(1) : WaitPatternUp()", "set_rounds(50)"),
                        args=["--time-limit", "6s"])
point = of(records, "rounds")[0]
tap.ok(run.status in (0, 4) and point["rounds"] >= 5, "rounds are spread over a time limit", run)
run = skampi(block("measure comm(1) : WaitPatternUp()"), np=1, args=["--rounds", "10,1m",
                                                                   "--estimate"])
tap.ok(re.search(r"about (60|6e\+01|6\d) s", run.out), "an estimate counts the rounds", run)

run = skampi(block("measure comm(1) : WaitPatternUp()", "set_rounds(10, 60.0)"), np=1,
             args=["--estimate", "--time-limit", "0.5"])
tap.ok(run.status == 0 and re.search(r"about (60|6e\+01|6\d) s", run.out),
       "the limit does not end an estimate", run)
run, records = measured(block("measure comm(1) : WaitPatternUp()", "set_controls(0) set_rounds(6, 60.0)"),
                        args=["--time-limit", "6"])
tap.ok(run.status == 4 and "0 measurements are missing, and 5 rounds" in of(records, "end")[0]["reason"],
       "rounds that there was no time for are told", run)
run = skampi(block("measure comm(2) : WaitPatternUp()",
                   "set_rounds(1 + get_comm_rank(MPI_COMM_WORLD), 0.1)"), np=2)
tap.ok(run.status == 2 and "different values" in run.err,
       "settings that differ between PEs are found", run)
run, records = measured("".join(f'begin measurement "{name}" measure comm(1) : WaitPatternUp() '
                                "end measurement\n" for name in "abc"), args=["--rounds", "2,0s"])
numbers = [record["number"] for record in of(records, "block")]
tap.equal(numbers, [1, 2, 3, 4, 5, 6], "blocks of rounds have numbers of their own")

# ---- Progress ----


def on_terminal(arguments, environment):
    """What a terminal shows of a launch there, and the status."""
    first, second = pty.openpty()
    run = skampi("", np=1, args=["-n"], launch=False)  # a directory of its own
    script = run.path("p.ski")
    write_text(script, block("for i = 1 to 40 do measure comm(2) : "
                             "WaitPatternLevels(1.0e-2, 1.0e-2, i*1.0e-3) od"))
    line = [*harness.launch_line(2, [harness.program(), "-i", script, *arguments])]
    process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=second, env={**os.environ, **harness.launch_environment(), **environment})
    os.close(second)
    seen, until = b"", time.monotonic() + 60
    while time.monotonic() < until:
        if select.select([first], [], [], 1)[0]:
            try:
                more = os.read(first, 65536)
            except OSError:
                more = b""
            if not more:
                break
            seen += more
        elif process.poll() is not None:
            break
    process.wait(timeout=60)
    os.close(first)
    return process.returncode, seen.decode(errors="replace")


status, shown = on_terminal([], {"TERM": "xterm", "NO_COLOR": ""})
tap.ok(status == 0 and "[block 1/1]" in shown and "\033[1m" in shown and "left" in shown,
       "a terminal behind the launcher sees how far it is", repr(shown[-500:]))
status, shown = on_terminal([], {"TERM": "xterm", "NO_COLOR": "1"})
tap.ok("[block 1/1]" in shown and "\033[1m" not in shown, "without colours when NO_COLOR is set",
       repr(shown[-500:]))
run = skampi(block("measure comm(1) : WaitPatternUp()"), np=1)
tap.ok("block 1/1" not in run.err + run.out, "nothing of it in files", run)
tap.done()
