#!/usr/bin/env python3
# LONG
# PLAIN
"""shmemtrace script writes the calls of an application as a script that skampi measures, and says what it leaves out;
skampi-compare --weights says what a change means for that application: programmed changes are found, with their interval."""

import json
import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
import traces
from harness import ROOT, Tap, run
from made_results import over_rounds, point, records, write, write_records
from traces import HEAP, Made

sys.path.insert(0, os.path.join(ROOT, "scripts"))

if not traces.is_built() or not harness.has("SHMEM"):
    harness.skip_all("built without the tracer")
if not harness.optional("numpy"):
    harness.skip_all("numpy is not installed")
COMPARE = os.path.join(ROOT, "scripts/skampi-compare")
tap, made = Tap(), Made()


def scenario(pe):
    """ns: 100 puts of 64 bytes (10,000) and 50 of 4096 (20,000) to the next PE, a barrier for which PE 0 waits (50,000), fetches
    that wait for nobody (5,000), and a call that nothing measures (15,000)."""
    to, clock, lines = f"peer={1 - pe} target={HEAP} source={HEAP + 8192}", 1000, [f"pe {pe} 2 1", "event 0 shmem_init 100 400"]

    def call(routine, duration, text=""):
        nonlocal clock
        lines.append(f"event 0 {routine} {clock} {duration} {text}")
        clock += duration + 10

    for _ in range(100):
        call("shmem_putmem", 100, f"{to} elements=64 bytes=64")
    for _ in range(50):
        call("shmem_long_put", 400, f"{to} elements=512 bytes=4096")
    for _ in range(10):
        call("shmem_long_atomic_fetch", 500, f"peer={1 - pe} target={HEAP}")
    call("shmem_ptr", 15_000, f"peer={1 - pe} target={HEAP}")
    if pe == 1:
        clock += 45_000
    call("shmem_barrier_all", 50_000 - 45_000 * pe, "set_start=0 set_stride=1 set_size=2")
    call("shmem_finalize", 100, "flags=1")
    return "\n".join(lines) + "\nend finalize\n"


made.make("app", scenario(0) + scenario(1))
written = made.command("script", "-o", "app.ski", "app")
with open(made.path("app.ski"), encoding="utf-8") as file:
    text = file.read()
lines = re.findall(r"# weight (\w+) bytes=(\d+) calls=(\d+) seconds=(\S+) waiting=(\S+) on 2 PEs:(.*)", text)
weights = {(routine, int(size)): (int(calls), float(seconds), call.strip()) for routine, size, calls, seconds, _, call in lines}
tap.equal(weights.get(("shmem_putmem", 64)), (200, 2e-5, "Shmem_Put_Call(count=64, iterations=0)"), "a put's calls and seconds, and what measures it",
          f"{written}\n{text}")
tap.equal(weights.get(("shmem_long_put", 4096)), (100, 4e-5, "Shmem_Put_Call(count=4096, iterations=0)"), "another size of another type")
tap.ok(weights.get(("shmem_long_atomic_fetch", 8), ("",) * 3)[2] == "Shmem_Atomic_Fetch_Long(iterations=0)", "an atomic of its type", text)
tap.ok("PE + 1: 100 %" in text, "to whom calls go", text)
late = re.search(r'set_arrival_skew\("one", (\S+)\)', text)
tap.ok(late and abs(float(late[1]) - 45e-6) < 1e-6, "the last PE comes late to the barrier, as in the application", text)
checked = run([harness.program(), "-n", "-i", made.path("app.ski")])
tap.equal(checked.status, 0, "skampi takes the script", checked)
measured = harness.launched([harness.program(), "-i", "app.ski", "-o", "app.json", "--time-limit", "40"], cwd=made.folder, timeout=90)
calls = []
if os.path.exists(made.path("app.json")):
    with open(made.path("app.json"), encoding="utf-8") as file:
        calls = [record.get("call") for record in map(json.loads, file) if record["record"] == "result"]
# A busy machine may take the whole time for the first ones.
tap.ok(measured.status in (0, 4) and calls and set(calls) <= {weight[2] for weight in weights.values()},
       "and measures the calls that weights name", f"{calls}\n{measured}")

# ---- What a change means ----

TIMES = {"Shmem_Put_Call(count=64, iterations=0)": 1e-7, "Shmem_Put_Call(count=4096, iterations=0)": 4e-7,
         "Shmem_Atomic_Fetch_Long(iterations=0)": 5e-7}
random.seed(1)


def medians(time):
    return [time * random.lognormvariate(0, 0.01) for _ in range(10)]


def side(name, factors, launches=6, rounds=False):
    """Result files of launches, whose points are slower by factors, and by what they have in common."""
    os.makedirs(made.path(name), exist_ok=True)
    for number in range(launches):
        drift, points = random.lognormvariate(0, 0.01), []
        for call, time in TIMES.items():
            values = {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", call)}
            own = point("b", call.partition("(")[0], values, time * drift * factors.get(call, 1), call=call)
            points += [own, {**over_rounds(own), "medians": medians(own["median"])}] if rounds else [own]
        write(made.path(f"{name}/{number}.json"), points)
    return name


def compared(weights_path, *sides):
    done = run([COMPARE, "--weights", weights_path, "--json", "said.json", "--force", *sides], cwd=made.folder)
    with open(made.path("said.json"), encoding="utf-8") as file:
        return json.load(file).get("application"), done


BIG = "Shmem_Put_Call(count=4096, iterations=0)"
# 200 x 0.1 + 100 x 0.4 + 20 x 0.5 us: a half less for the large puts is 20 of 70.
old, new = side("old", {}), side("new", {BIG: 0.5})
found, done = compared("app.ski", old, new)
tap.ok(abs(found["old"] / 70e-6 - 1) < 0.05 and found["low"] <= 50 / 70 <= found["high"] and found["high"] - found["low"] < 0.1
       and found["verdict"] == "faster", "the sum of calls times time, and its ratio with an interval", f"{found}\n{done}")
tap.ok(re.search(r"^app\.ski: 2\d % \(\d+ to \d+\) less time in communication", done.out, re.M), "in one line", done)
names = {row["what"]: row["share"] for row in found["not_measured"]}
total = sum(weight[1] for weight in weights.values())
tap.ok(abs(names.get("shmem_barrier_all", 0) * total / 55e-6 - 1) < 0.01, "calls without a measurement are named, with their share",
       f"{names}\n{done}")
same, done = compared("app.ski", old, side("again", {}))
tap.ok(same["verdict"] in ("unchanged", "cannot tell") and same["low"] <= 1.02 and same["high"] >= 0.98, "no change: none is said", f"{same}\n{done}")
summed = made.command("summary", "--results", "-o", "sum.json", "app")
other, done = compared("sum.json", old, new)
tap.ok(abs(other["ratio"] / found["ratio"] - 1) < 1e-6 and other["old"] == found["old"],
       "the summary of the trace counts alike", f"{summed}\n{other}\n{found}\n{done}")
with open(made.path("given.json"), "w", encoding="utf-8") as file:
    json.dump({"weights": {"Shmem_Atomic_Fetch_Long": 3}}, file)
given, done = compared("given.json", old, new)
tap.ok(abs(given["old"] / 1.5e-6 - 1) < 0.05 and given["low"] <= 1 <= given["high"], "weights by function", f"{given}\n{done}")
few, done = compared("app.ski", side("one", {}, 1, True), side("two", {BIG: 0.5}, 1, True))
tap.ok(few["unit"] == "rounds" and few["low"] <= 50 / 70 <= few["high"] and few["verdict"] == "faster", "one launch a side: its rounds", f"{few}\n{done}")
alone, done = compared("app.ski", side("a", {}, 1), side("b", {BIG: 0.5}, 1))
tap.ok(alone["verdict"] == "cannot tell" and alone["low"] is None and abs(alone["ratio"] - 50 / 70) < 0.1,
       "without rounds a ratio, and no verdict", f"{alone}\n{done}")

# ---- Refused ----

write_records(made.path("none.json"), records([point("b", "Shmem_Fence", {"iterations": 0}, 1e-6)]))
for name, content, words in (("bad.ski", "# weight shmem_put bytes=x\nmeasure comm(2) : Shmem_Fence(0)\n", "bad.ski:1: not a weight"),
                             ("plain.ski", "measure comm(2) : Shmem_Fence(0)\n", "states no weights"),
                             ("empty.json", "{}", "empty.json:1:1: give an object")):
    with open(made.path(name), "w", encoding="utf-8") as file:
        file.write(content)
    refused = run([COMPARE, "--weights", name, "old", "new"], cwd=made.folder)
    tap.ok(refused.status == 2 and words in refused.err and "Traceback" not in refused.err, f"{name}: refused", refused)
refused = run([COMPARE, "--weights", "app.ski", "none.json", "none.json"], cwd=made.folder)
tap.ok(refused.status == 2 and "nothing that both sides measure" in refused.err, "results without any of its calls: refused", refused)
refused = run([COMPARE, "--weights", "nowhere.ski", "old", "new"], cwd=made.folder)
tap.ok(refused.status == 2 and "nowhere.ski" in refused.err, "a file that is not there: refused", refused)
for arguments, words in ((("script", "nowhere"), "nowhere"), (("script", "-o", "x.json", "app"), "x.json"), (("script", "--bad"), "unknown option")):
    refused = made.command(*arguments)
    tap.ok(refused.status == 2 and words in refused.err and "Traceback" not in refused.err, f"shmemtrace {' '.join(arguments)}: refused", refused)
tap.done()
