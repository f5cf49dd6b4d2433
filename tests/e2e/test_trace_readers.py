#!/usr/bin/env python3
"""What reads traces: dump, summary, check, merge and export, on made traces whose content is known
(tests/stub/trace_writer.c), and on one that a program leaves."""
# TIMEOUT: 180

import csv
import io
import json
import os
import re
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import (ROOT, SLOWNESS, Tap, build_config, build_directory, has, in_parallel,
                     launch_environment, launch_line, program, run, sanitized, scratch_directory)

COMMAND = os.path.join(os.path.dirname(program()), "shmemtrace")
HEAP, STATIC, LIBRARY = (number << 48 for number in (1, 2, 3))
COLUMNS = ("pe,thread,index,routine,class,start,duration,burst,flags,phase,peer,elements,"
           "element_bytes,bytes,target,target_offset,source,source_offset,target_stride,"
           "source_stride,context,set_start,set_stride,set_size,root,comparison,condition,value,"
           "result,options")
FOLDER = scratch_directory()

tap = Tap()


def path(name):
    return os.path.join(FOLDER, name)


def command(*args, **options):
    return run([COMMAND, *args], cwd=FOLDER, **options)


def build(output, *arguments):
    built = run([os.environ.get("CC", "cc"), "-std=gnu11", "-O1", "-g", "-Wall", "-Wextra",
                 "-I", os.path.join(ROOT, "src"), "-o", output, *arguments])
    if built.status != 0:
        tap.ok(False, f"{os.path.basename(output)} is built", built)
        tap.done()


def make(name, scenario):
    """A trace of that name."""
    os.mkdir(path(name))
    made = run([path("trace_writer"), path(name)], stdin=scenario)
    if made.status != 0:
        raise RuntimeError(str(made))
    return name


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


build(path("trace_writer"), os.path.join(ROOT, "tests/stub/trace_writer.c"),
      os.path.join(ROOT, "src/trace/encode.c"), os.path.join(ROOT, "src/trace/checksum.c"))

# ---- A small trace with every kind of thing in it ----


def pe_scenario(pe, clock=0):
    """2 PEs, 2 threads; PE 1's calls are 50 ns later."""
    late, peer, set_ = 50 * pe, 1 - pe, "set_start=0 set_stride=1 set_size=2"
    return f"""pe {pe} 2 2
clock {clock}
event 0 shmem_init {100 + late} 400
event 0 shmem_malloc {1000 + late} 100 flags=1 bytes=4096 target={HEAP + 64}
event 0 shmem_long_put {2000 + late} 40 peer={peer} elements=4 bytes=32 target={HEAP + 64} source=0
event 1 shmem_ulong_atomic_set {2010 + late} 20 peer={peer} target={STATIC + 8} value=-1
event 0 shmem_double_iget {3000 + late} 60 peer={peer} elements=3 bytes=24 target={LIBRARY + 16} source={HEAP + 72} target_stride=2 source_stride=5
event 0 shmem_ctx_int_put_nbi {4000 + late} 10 peer={peer} elements=1 bytes=4 target={HEAP} source={HEAP + 4} context=2
event 0 shmem_ctx_int_put_nbi {4100 + late} 10 peer={peer} elements=2 bytes=8 target={HEAP} source={HEAP + 4} context=2
event 0 shmem_ctx_quiet {4500 + late} 30 context=2
event 0 shmem_float_atomic_swap {5000 + late} 80 peer={peer} target={HEAP + 8} value={0x3fc00000} result={0x40200000} phase=7
event 0 shmem_broadcast64 {6000 + late} 100 phase=7 elements=2 bytes=16 target={HEAP} source={HEAP + 8} root=1 {set_}
event 0 shmem_set_lock {7000 + late} 200 phase=7 target={STATIC}
event 0 shmem_clear_lock {7300 + late} 20 phase=7 target={STATIC}
event 0 shmem_long_wait_until {8000 + late} 300 phase=7 target={HEAP} comparison=5 value=-3
event 0 shmem_barrier_all {9000 + late} {500 - late} phase=7 {set_}
event 0 shmem_finalize {9800 + late} 100 flags=1 phase=7
counters 0 0 4900 1000
counters 7 5000 9900 {2000 + pe}
end finalize
"""


make("small", pe_scenario(0) + pe_scenario(1, clock=123456789))

dump = command("dump", "--csv", "small")
rows = table(dump.out)
tap.equal((dump.status, dump.err), (0, ""), "dump --csv reads a whole trace", dump)
tap.equal(dump.out.splitlines()[0], COLUMNS, "its columns are the documented ones")
tap.equal(len(rows), 30, "there is a line for each event")
tap.ok(all(row[None] == [] if None in row else None not in row.values() for row in rows),
       "all lines have as many fields as the head")


def check_row(routine, pe, wanted, name):
    row = next((r for r in rows if r["routine"] == routine and r["pe"] == str(pe)), {})
    empty = [c for c in COLUMNS.split(",")[10:] if c not in wanted]
    got = {column: row.get(column) for column in wanted}
    got.update({c: row.get(c) for c in empty if row.get(c) != ""})
    tap.equal(got, wanted, name)


check_row("shmem_long_put", 1, dict(
    thread="0", index="2", **{"class": "put"}, start="0.000002050", duration="0.000000040",
    burst="0.000000900", flags="", phase="0", peer="0", elements="4", element_bytes="8",
    bytes="32", target="heap", target_offset="64", source="private", source_offset="0"),
    "a put, on a PE with another clock")
check_row("shmem_double_iget", 0, dict(
    peer="1", elements="3", element_bytes="8", bytes="24", target='lib "a,b".so',
    target_offset="16", source="heap", source_offset="72", target_stride="2", source_stride="5"),
    "a strided get; a name with quotes and comma")
check_row("shmem_ulong_atomic_set", 0, dict(
    thread="1", index="0", peer="1", elements="1", element_bytes="8", bytes="8",
    target="static", target_offset="8", value="18446744073709551615"),
    "an unsigned operand, of the second thread")
check_row("shmem_float_atomic_swap", 0, dict(
    phase="7", peer="1", elements="1", element_bytes="4", bytes="4", target="heap",
    target_offset="8", value="1.5", result="2.5"), "floating-point operand and result")
check_row("shmem_broadcast64", 1, dict(
    elements="2", element_bytes="8", bytes="16", target="heap", target_offset="0", source="heap",
    source_offset="8", set_start="0", set_stride="1", set_size="2", root="1"), "a collective")
check_row("shmem_long_wait_until", 0, dict(
    element_bytes="8", target="heap", target_offset="0", comparison="ge", value="-3"), "a wait")
check_row("shmem_malloc", 0, dict(flags="barrier", bytes="4096", target="heap",
                                  target_offset="64"), "an allocation has a barrier")
check_row("shmem_ctx_quiet", 0, dict(context="2"), "a context")

lines = command("dump", "--json", "small")
objects = [json.loads(line) for line in lines.out.splitlines()]
different = []
for row, one in zip(rows, objects):
    for column, value in row.items():
        if (column in one) != (value != "" or column == "flags"):
            different.append((column, value, one.get(column)))
        elif column in one and str(one[column]) != value and float(one[column]) != float(value):
            different.append((column, value, one[column]))
tap.equal((len(objects), different), (30, []), "dump --json says the same")

text = command("dump", "small")
tap.ok(re.search(r"0\.000002000 +0\.000000040 +0\.000000900 +0 +0 shmem_long_put\(peer=1, "
                 r"elements=4, bytes=32, target=heap\+64, source=private\)", text.out) and
       text.out.count(" shmem_") == 30 and "PE 1 of 2 on node" in text.out,
       "dump as text has all parameters", text)

for options, wanted in (
        (["--pe", "1"], {"pe": {"1"}}),
        (["--pe", "0-1", "--thread", "1"], {"thread": {"1"}}),
        (["--only", "lock,shmem_ctx_*"],
         {"routine": {"shmem_set_lock", "shmem_clear_lock", "shmem_ctx_int_put_nbi",
                      "shmem_ctx_quiet"}}),
        (["--only", "put"], {"class": {"put"}})):
    got = table(command("dump", "--csv", *options, "small").out)
    column, values = next(iter(wanted.items()))
    tap.equal({row[column] for row in got}, values, f"dump {' '.join(options)}")

# ---- merge ----

merged = table(command("merge", "small").out)
tap.equal([(r["start"], r["pe"]) for r in merged],
          sorted((r["start"], r["pe"]) for r in rows), "merge is in the order of time")
tap.equal(sorted(tuple(r.items()) for r in merged), sorted(tuple(r.items()) for r in rows),
          "and has the same lines as dump")
as_json = command("merge", "--json", "-o", "merged.json", "small")
with open(path("merged.json"), encoding="utf-8") as file:
    tap.equal([json.loads(line)["index"] for line in file], [int(r["index"]) for r in merged],
              "merge --json -o writes the same to a file", as_json)

# ---- summary ----

summary = json.loads(command("summary", "--json", "small").out)
routines = {r["routine"]: r for r in summary["routines"]}
tap.equal((summary["pes"], summary["events"], summary["dropped"], summary["whole"]),
          (2, 30, 0, True), "summary: the trace")
put = routines["shmem_long_put"]
tap.equal((put["calls"], put["bytes"], round(put["seconds"] * 1e9), round(put["longest"] * 1e9)),
          (2, 64, 80, 40), "summary: a routine")
inside = [sum(float(r["duration"]) for r in rows if r["pe"] == pe) for pe in "01"]
tap.near(sum(r["seconds"] for r in summary["routines"]), sum(inside), 1e-9,
         "summary: the routines' times together are those of the events")
tap.near(put["share"], 80e-9 / sum(p["elapsed"] for p in summary["per_pe"]), 1e-6,
         "summary: share of the PEs' time")
tap.equal([(p["pe"], p["peer"], p["calls"], p["bytes_to"], p["bytes_from"])
           for p in summary["pairs"]],
          [(0, 1, 6, 32 + 8 + 12 + 4, 24 + 8 + 4), (1, 0, 6, 32 + 8 + 12 + 4, 24 + 8 + 4)],
          "summary: pairs of PEs, both ways")
tap.equal({(s["from"], s["to"]): (s["calls"], s["bytes"], s["classes"]) for s in summary["sizes"]},
          {(4, 7): (4, 16, {"nonblocking": 2, "atomic": 2}),
           (8, 15): (4, 32, {"nonblocking": 2, "atomic": 2}),
           (16, 31): (4, 80, {"get": 2, "collective": 2}),
           (32, 63): (2, 64, {"put": 2})}, "summary: sizes by powers of two")
tap.equal({name: round(seconds * 1e9) for name, seconds in summary["waiting"].items()},
          {"barriers": 950, "waits": 600, "completion": 60, "locks": 440, "collectives": 200,
           "implicit barriers": 400}, "summary: where was waited")
spread = summary["imbalance"]["inside"]
tap.ok(spread["pe"] == 0 and abs(spread["ratio"] - inside[0] / (sum(inside) / 2)) < 1e-6 and
       spread["ratio"] > 1, "summary: load imbalance", spread)
bursts = [float(r["burst"]) for r in rows]
tap.ok(summary["bursts"]["count"] == 30 and abs(summary["bursts"]["seconds"] - sum(bursts)) < 1e-12
       and abs(summary["bursts"]["max"] - max(bursts)) < 1e-12, "summary: CPU bursts",
       summary["bursts"])
tap.equal({p["phase"]: (p["calls"], p["counters"]) for p in summary["phases"]},
          {0: (16, {"PAPI_TOT_CYC": 2000}), 7: (14, {"PAPI_TOT_CYC": 4001})},
          "summary: phases with their hardware counters")
text = command("summary", "small")
tap.ok(re.search(r"shmem_long_put +put +2 +64 +80 ns", text.out) and
       re.search(r"^ +7 +14 .*4001$", text.out, re.MULTILINE) and
       re.search(r"^ +0 +1 +6 +56 +36", text.out, re.MULTILINE), "summary as text", text)
only = json.loads(command("summary", "--json", "--only", "put", "--pe", "1", "small").out)
tap.equal([(r["routine"], r["calls"]) for r in only["routines"]], [("shmem_long_put", 1)],
          "summary of a part")

profile = make("profile", "".join(
    f"pe {pe} 2 1\nprofile shmem_long_put {1 - pe} 10 800 5000 900\n"
    f"profile shmem_barrier_all -1 3 0 3000 2000\nend finalize\n" for pe in (0, 1)))
sums = json.loads(command("summary", "--json", profile).out)
tap.equal([(r["routine"], r["calls"], r["bytes"], round(1e9 * r["seconds"])) for r in
           sums["routines"]], [("shmem_long_put", 20, 1600, 10000),
                               ("shmem_barrier_all", 6, 0, 6000)],
          "summary of what was recorded as sums")
refused = command("dump", profile)
tap.ok(refused.status == 2 and len(refused.err.splitlines()) == 1 and "summary" in refused.err,
       "dump of that says what to do", refused)

# ---- Results for the scripts ----

results = make("results", "".join(
    f"pe {pe} 2 1\n" + "".join(
        f"event 0 shmem_long_put {1000 + 1000 * i} {100 + i % 10 + 50 * (i % 2) + 2 * pe} "
        f"peer={1 - pe} elements={1 + 7 * (i % 2)} bytes={8 + 56 * (i % 2)} target={HEAP}\n"
        for i in range(40)) + "end finalize\n" for pe in (0, 1)))
written = command("summary", "--results", "-o", "results.json", results)
with open(path("results.json"), encoding="utf-8") as file:
    records = [json.loads(line) for line in file]
tap.equal([r["record"] for r in records],
          ["header", "block", "result", "result", "block_end", "end"],
          "summary --results writes records of results", written)
small, large = (r for r in records if r["record"] == "result")
wanted = [100 + i % 10 + 2 * pe for pe in (0, 1) for i in range(0, 40, 2)]
tap.ok((small["bytes"], small["valid"], small["function"]) == (8, 40, "shmem_long_put") and
       abs(small["mean"] * 1e9 - sum(wanted) / 40) < 1e-3 and
       abs(small["median"] * 1e9 / sorted(wanted)[20] - 1) < 0.07 and
       abs(small["time"] * 1e9 / sorted(wanted)[20] - 1) < 0.07 and
       round(small["max"] * 1e9) == max(wanted) and large["bytes"] == 64,
       "their statistics are those of the calls", small)
tap.near(small["per_pe"][1] - small["per_pe"][0], 2e-9, 1e-6, "with a mean for each PE")
try:
    import jsonschema
    with open(os.path.join(ROOT, "scripts/results.schema.json"), encoding="utf-8") as file:
        validator = jsonschema.Draft7Validator(json.load(file))
    problems = [error.message for record in records for error in validator.iter_errors(record)]
    tap.equal(problems, [], "and keep to the schema")
except ImportError:
    tap.skip("and keep to the schema", "no jsonschema")
for script, arguments, shows in (
        ("skampi-table", ["results.json"], "shmem_long_put"),
        ("skampi-compare", ["results.json", "results.json"], "shmem_long_put(64)"),
        ("skampi-plot", ["results.json", "-o", "results.svg"], ""),
        ("skampi-report", ["results.json", "-o", "results.html"], "")):
    ran = run([os.path.join(ROOT, "scripts", script), *arguments], cwd=FOLDER)
    if "matplotlib" in ran.err and ran.status != 0:
        tap.skip(f"{script} takes them", "no matplotlib")
    else:
        tap.ok(ran.status == 0 and shows in ran.out, f"{script} takes them", ran)

# ---- check ----

good = command("check", "small")
tap.ok(good.status == 0 and good.out.endswith("all well\n") and "events: 30" in good.out,
       "check finds nothing in a good trace", good)


def pair(first, second, before="", pes=2):
    """Two files with some lines of events each."""
    return "".join(f"pe {pe} {pes} 1\n{before}{lines}end finalize\n"
                   for pe, lines in enumerate((first, second)))


def barrier(time, size=2, start=0, stride=1, routine="shmem_barrier_all"):
    return (f"event 0 {routine} {time} 10 set_start={start} set_stride={stride} "
            f"set_size={size}\n")


def broadcast(time, elements=2, root=0, routine="shmem_broadcast64"):
    return (f"event 0 {routine} {time} 10 elements={elements} bytes={8 * elements} root={root} "
            f"set_stride=1 set_size=2 target={HEAP} source={HEAP}\n")


def put(time, peer=0, bytes_=8, target=HEAP):
    return (f"event 0 shmem_long_put {time} 10 peer={peer} elements=1 bytes={bytes_} "
            f"target={target}\n")


def lock(time, what):
    return f"event 0 shmem_{what}_lock {time} 10 target={HEAP}\n"


FINDINGS = {
    "a missing barrier": (pair(barrier(100) + barrier(200), barrier(100)),
                          "was not called by 1 of them, such as PE 1"),
    "another routine": (pair(barrier(100) + broadcast(200), broadcast(200) + barrier(300)),
                        "collective 0 is shmem_barrier_all() on PE 0, but shmem_broadcast64"),
    "another size": (pair(broadcast(100), broadcast(100, elements=3)),
                     "elements=2, bytes=16, root=0) on PE 0, but shmem_broadcast64(elements=3"),
    "another root": (pair(broadcast(100), broadcast(100, root=1)), "root=1) on PE 1"),
    "a root beyond the set": (pair(broadcast(100, root=2), broadcast(100, root=2)),
                              "root 2 of a set of 2 PEs"),
    "a PE outside of its set": (pair("", barrier(100, size=1, routine="shmem_barrier")),
                                "the PE is not in the set"),
    "a set of PEs that are not there": (pair(barrier(100, size=3, routine="shmem_barrier"), ""),
                                        "3 of them, but there are 2"),
    "allocations of different sizes": (
        pair(f"event 0 shmem_malloc 100 10 flags=1 bytes=8 target={HEAP}\n",
             f"event 0 shmem_malloc 100 10 flags=1 bytes=16 target={HEAP}\n"), "bytes=16"),
    "a peer that is not there": (pair(put(100, peer=2), ""), "peer 2 of 2 PEs"),
    "a private target": (pair(put(100, target=0), ""), "its target is not symmetric"),
    "bytes that are not those of the elements": (pair(put(100, bytes_=12), ""),
                                                 "12 bytes, but 1 elements of 8"),
    "calls that overlap": (pair(put(100) + put(105), ""), "begins 5 ns before the call before"),
    "a lock cleared that is not held": (pair(lock(100, "clear"), ""),
                                        "clears a lock that it does not hold"),
    "a lock set twice": (pair(lock(100, "set") + lock(200, "set"), ""), "that it holds already"),
    "a missing PE": ("pe 0 3 1\nend finalize\npe 2 3 1\nend finalize\n", "no file of PE 1"),
    "a file of another run": ("pe 0 2 1\nend exit\nbeginning -70\npe 1 2 1\nend exit\n",
                              "is of another run"),
    "a file that has no end": ("pe 0 2 1\nevent 0 shmem_init 10 10\nend exit\npe 1 2 1\n"
                               "event 0 shmem_init 10 10\n", "did not end in order"),
}
for number, (name, (scenario, wanted)) in enumerate(FINDINGS.items()):
    make(f"bad{number}", scenario)
for (number, (name, (_, wanted))), found in in_parallel(
        list(enumerate(FINDINGS.items())), lambda case: command("check", f"bad{case[0]}")):
    tap.ok(found.status == 1 and wanted in found.out and "finding" in found.out.splitlines()[-1],
           f"check finds {name}", found)
well = {
    "different programs in one job": "pe 0 2 1\nend exit\ncommand ./other\npe 1 2 1\nend exit\n",
    "the barrier that a PE was killed in": pair(barrier(100) + barrier(200), barrier(100)).replace(
        "end finalize", "end signal 15"),
    "elements of collect that differ": pair(broadcast(100, elements=1, routine="shmem_collect64"),
                                            broadcast(100, elements=9, routine="shmem_collect64")),
    "sets that are used in different orders": pair(
        barrier(100, size=1, routine="shmem_barrier") + barrier(200), barrier(100)),
    "a PE that runs ahead": pair("barriers 0 3000\n", "event 0 shmem_init 1000 900000000\n"
                                 "barriers 0 3000\n"),
}
for number, (name, scenario) in enumerate(well.items()):
    found = command("check", make(f"well{number}", scenario))
    tap.equal(found.status, 0, f"check takes {name}", found)
ring = command("check", make("ring", pair(barrier(100), "", before="dropped 7\n")))
tap.ok(ring.status == 0 and "7 events were not kept" in ring.err,
       "check does not match collectives of which some were not kept", ring)

# ---- Exports ----

chrome = command("export", "--chrome", "small.json", "small")
with open(path("small.json"), encoding="utf-8") as file:
    document = json.load(file)
events = document["traceEvents"]
tap.equal((chrome.status, document["displayTimeUnit"], {e["ph"] for e in events}),
          (0, "ns", {"X", "M", "s", "f"}), "export --chrome writes a trace object", chrome)
problems = []
for event in events:
    if not (type(event["pid"]) is int and type(event["tid"]) is int and event["name"]):
        problems.append(event)
    if event["ph"] == "M":
        if event["name"] not in ("process_name", "thread_name", "process_sort_index") or not event["args"]:
            problems.append(event)
    elif not (event["ts"] >= 0 and event["cat"]) or event["ph"] == "X" and event["dur"] < 0:
        problems.append(event)
tap.equal(problems, [], "every event has the members that its phase asks for")
calls = [e for e in events if e["ph"] == "X" and e["cat"] != "memory" or "target" in e.get("args", {})]
tap.equal(sorted((e["pid"], e["tid"], round(e["ts"] * 1000 + 100), round(e["dur"] * 1000), e["name"])
                 for e in calls),
          sorted((int(r["pe"]), int(r["thread"]), round(float(r["start"]) * 1e9),
                  round(float(r["duration"]) * 1e9), r["routine"]) for r in rows),
          "every call is there, on the track of its PE and thread")
tap.equal({e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"},
          {0: "PE 0 on node", 1: "PE 1 on node"}, "tracks have names")
starts = {e["id"]: e for e in events if e["ph"] == "s"}
ends = {e["id"]: e for e in events if e["ph"] == "f"}
tap.ok(len(starts) == 12 and starts.keys() == ends.keys() and
       all(e["bp"] == "e" for e in ends.values()) and
       all(starts[i]["ts"] <= ends[i]["ts"] and starts[i]["pid"] != ends[i]["pid"] for i in starts),
       "arrows pair up, and lead from PE to PE", (starts, ends))


def in_a_slice(flow):
    return any(e["ph"] == "X" and (e["pid"], e["tid"]) == (flow["pid"], flow["tid"]) and
               e["ts"] <= flow["ts"] <= e["ts"] + e["dur"] for e in events)


tap.ok(all(map(in_a_slice, [*starts.values(), *ends.values()])), "and begin and end at something")
get = next(e for e in events if e["name"] == "shmem_double_iget" and e["pid"] == 0)
tap.ok(any(s["pid"] == 1 and ends[i]["pid"] == 0 and s["ts"] == get["ts"] for i, s in starts.items()),
       "a get's arrow comes from its peer")

paraver = command("export", "--paraver", "small", "small")
with open(path("small.prv"), encoding="utf-8") as file:
    header, *lines = file.read().splitlines()
tap.ok(paraver.status == 0 and re.fullmatch(
    r"#Paraver \(\d\d/\d\d/\d\d at \d\d:\d\d\):9850_ns:1\(4\):1:2\(2:1,2:1\)", header),
    "export --paraver: the head", header)
fields = [[int(n) for n in line.split(":")] for line in lines]
tap.ok(all(len(f) == {1: 8, 3: 15}.get(f[0], len(f)) and (f[0] != 2 or len(f) % 2 == 0) and
           f[0] in (1, 2, 3) for f in fields), "records have the right number of fields", lines)
times = [f[5] for f in fields]
tap.equal(times, sorted(times), "and are in the order of time")
tap.ok(all(1 <= f[1] <= 4 and f[2] == 1 and 1 <= f[3] <= 2 and 1 <= f[4] <= 2 and
           f[1] == 2 * (f[3] - 1) + f[4] for f in fields), "objects are those of the head", lines)
tap.equal(sum(f[0] == 2 and f[6] == 64000001 and f[7] > 0 for f in fields), 30,
          "an event a call")
transfers = [f for f in fields if f[0] == 3]
tap.ok(len(transfers) == 12 and all(f[5] <= f[11] and f[3] != f[9] for f in transfers) and
       sum(f[13] for f in transfers) == 2 * (32 + 8 + 24 + 4 + 8 + 4),
       "a communication a transfer, with its bytes", transfers)
states = sorted((f[4], f[3], f[5], f[6]) for f in fields if f[0] == 1)
tap.ok(all(a[:2] != b[:2] or a[3] <= b[2] for a, b in zip(states, states[1:])),
       "states of a thread do not overlap", states)
with open(path("small.pcf"), encoding="utf-8") as pcf, open(path("small.row"), encoding="utf-8") as row:
    names, levels = pcf.read(), row.read()
used = {f[7] for f in fields if f[0] == 2 and f[6] == 64000001 and f[7]}
tap.ok(all(re.search(rf"^{number}    shmem_", names, re.MULTILINE) for number in used) and
       "LEVEL THREAD SIZE 4" in levels and "LEVEL NODE SIZE 1\nnode" in levels,
       "numbers and objects have names")

if build_config().get("SKAMPI_OTF2") != "1":
    refused = command("export", "--otf2", "o", "small")
    tap.ok(refused.status == 2 and len(refused.err.splitlines()) == 1,
           "without OTF2, --otf2 says what to install", refused)
elif not shutil.which("otf2-print"):
    tap.skip("export --otf2", "no otf2-print")
else:
    otf2 = command("export", "--otf2", "otf2", "small")
    tap.equal((otf2.status, otf2.err), (0, ""), "export --otf2 writes an archive", otf2)
    anchor = os.path.join("otf2", "trace.otf2")
    printed = run(["otf2-print", anchor], cwd=FOLDER)
    defined = run(["otf2-print", "-G", anchor], cwd=FOLDER)
    tap.equal((printed.status, printed.err, defined.status, defined.err), (0, "", 0, ""),
              "otf2-print reads it", printed)
    kinds = re.findall(r"^([A-Z_]+) +\d+ +\d+", printed.out, re.MULTILINE)
    wanted = {"ENTER": 30, "LEAVE": 30, "RMA_PUT": 6, "RMA_GET": 2, "RMA_ATOMIC": 4,
              "RMA_OP_COMPLETE_BLOCKING": 8, "RMA_OP_COMPLETE_NON_BLOCKING": 2,
              "RMA_COLLECTIVE_BEGIN": 8, "RMA_COLLECTIVE_END": 8, "RMA_REQUEST_LOCK": 2,
              "RMA_ACQUIRE_LOCK": 2, "RMA_RELEASE_LOCK": 2, "RMA_WAIT_CHANGE": 2,
              "RMA_WIN_CREATE": 2, "RMA_WIN_DESTROY": 2}
    tap.equal({kind: kinds.count(kind) for kind in set(kinds)}, wanted, "it has all records")
    got = re.findall(r"^(ENTER|RMA_PUT|RMA_OP_COMPLETE_BLOCKING|LEAVE) +0 +(1900|1940) +(.*)",
                     printed.out, re.MULTILINE)
    tap.ok([g[:2] for g in got] == [("ENTER", "1900"), ("RMA_PUT", "1900"),
                                    ("RMA_OP_COMPLETE_BLOCKING", "1940"), ("LEAVE", "1940")] and
           "shmem_long_put" in got[0][2] and "Remote: 1" in got[1][2] and "Bytes: 32" in got[1][2],
           "a put begins, is issued, completes, ends", got)
    ids = re.findall(r"^RMA_(PUT|OP_COMPLETE_NON_BLOCKING) +0 +(?:3900|4000|4430) .*Matching: (\d+)",
                     printed.out, re.MULTILINE)
    tap.ok([kind for kind, _ in ids] == ["PUT", "PUT", "OP_COMPLETE_NON_BLOCKING"] and
           len({number for _, number in ids}) == 1,
           "non-blocking puts of a context complete at its quiet", ids)
    tap.ok(re.search(r"RMA_COLLECTIVE_END +1 .*Operation: BCAST.*Root: 1.*Sent: 16, Received: 0",
                     printed.out) and
           re.search(r"RMA_COLLECTIVE_END +0 .*Operation: BCAST.*Sent: 0, Received: 16",
                     printed.out), "what a broadcast sends and receives")
    tap.ok(re.search(r'REGION .*"shmem_long_put".*Role: RMA, Paradigm: SHMEM', defined.out) and
           len(re.findall(r"^LOCATION ", defined.out, re.MULTILINE)) == 4 and
           len(re.findall(r"^LOCATION_GROUP .*PROCESS", defined.out, re.MULTILINE)) == 2 and
           re.search(r"^RMA_WIN .*all PEs", defined.out, re.MULTILINE),
           "regions, locations, groups and the window are defined", defined)
    again = command("export", "--otf2", "otf2", "small")
    tap.ok(again.status == 2 and "not empty" in again.err, "a folder in use is not overwritten",
           again)
    part = command("export", "--otf2", "part", "--pe", "1", "small")
    read = run(["otf2-print", os.path.join("part", "trace.otf2")], cwd=FOLDER)
    tap.ok(part.status == 0 and read.status == 0 and read.out.count("\nENTER") == 15,
           "a part of a trace is an archive, too", read)

# ---- Damage ----

make("long", "pe 0 2 1\nbulk 0 60000\nend finalize\npe 1 2 1\nbulk 0 1000\nend finalize\n")
first = path("long/pe-00000.trace")
with open(first, "rb") as file:
    whole = file.read()
blocks = [m.start() for m in re.finditer(b"SBLK", whole)]
if len(blocks) < 3:
    raise RuntimeError("the trace has too few blocks")
READERS = (["dump", "--csv"], ["merge"], ["summary", "--json"], ["check"],
           ["export", "--chrome", "-"])
DAMAGES = {
    "cut within a block": (whole[:blocks[2] + 1000], "ends within a block", 2),
    "cut within the head of a block": (whole[:blocks[2] + 5], "ends within the head", 2),
    "cut between blocks": (whole[:blocks[2]], "truncated: 60000 events were recorded", 2),
    "with a wrong byte": (whole[:blocks[1] + 500] + bytes([whole[blocks[1] + 500] ^ 1]) +
                          whole[blocks[1] + 501:], "checksum", 1),
    "with something else than a block": (whole[:blocks[1]] + b"x" * 200, "no block begins", 1),
}
in_block = struct.unpack_from("<I", whole, blocks[0] + 20)[0]
for name, (content, message, left) in DAMAGES.items():
    with open(first, "wb") as file:
        file.write(content)
    for arguments, result in in_parallel(READERS, lambda a: command(*a, "long")):
        said = [line for line in result.err.splitlines() if message in line and first[-14:] in line]
        ok = result.status == 1 and len(said) == 1
        if arguments[0] in ("dump", "merge"):
            read = sum(1 for line in result.out.splitlines() if line.startswith("0,"))
            ok = ok and abs(read - left * in_block) < 100 and "\n1,0,999," in result.out
        elif arguments[0] != "check":
            ok = ok and len(result.err.splitlines()) == 1
            json.loads(result.out)
        tap.ok(ok, f"{arguments[0]}: a file {name} is read up to there",
               f"{result.status} {result.err}")
with open(first, "wb") as file:
    file.write(b"no trace")
for arguments in (["dump"], ["check"]):
    result = command(*arguments, "long")
    tap.ok(result.status == 1 and result.err.count("pe-00000.trace: this is no trace") == 1,
           f"{arguments[0]}: a file that is none is told once, the other one is read", result.err)
with open(first, "wb") as file:
    file.write(whole)

# ---- Use ----

for arguments, message in (
        (["dump", "nowhere"], "nowhere"), (["dump", "long/pe-00000.trace", "small"], "one trace"),
        (["dump", "--what", "small"], "--what"), (["dump", "--pe"], "--pe"),
        (["dump", "--pe", "3-1", "small"], "--pe 3-1"), (["dump", "--pe", "1,", "small"], "--pe"),
        (["dump", "--only", "", "small"], "--only"), (["dump", "--csv", "--json", "small"], "--csv"),
        (["merge", "-o", "no/such/file", "small"], "no/such/file"), (["export", "small"], "--otf2"),
        (["summary", "--pe", "9", "small"], "--pe 9"), (["dump"], "shmemtrace.out"),
        (["export", "--chrome", "", "small"], "--chrome"), (["check", FOLDER], "no trace")):
    result = command(*arguments)
    tap.ok(result.status == 2 and len(result.err.splitlines()) == 1 and message in result.err and
           result.err.startswith(f"shmemtrace {arguments[0]}: "), f"refused: {' '.join(arguments)}",
           result)
usage = command("-h")
tap.ok(usage.status == 0 and all(f"  {name} " in usage.out for name in
                                 ("record", "dump", "summary", "check", "merge", "export")),
       "shmemtrace -h lists the commands", usage)
for name, option in (("dump", "--csv"), ("summary", "--results"), ("check", "TRACE"),
                     ("merge", "--json"), ("export", "--otf2")):
    result = command(name, "-h")
    tap.ok(result.status == 0 and option in result.out and "Exit status" in result.out,
           f"shmemtrace {name} -h", result)
one = command("dump", "--csv", "long/pe-00001.trace")
tap.ok(one.status == 0 and one.out.count("\n") == 1001, "the file of one PE is a trace, too")

for arguments in (["dump", "--csv"], ["merge"], ["export", "--chrome", "-"], ["dump", "--json"]):
    head = run(["sh", "-c", f"'{COMMAND}' {' '.join(arguments)} long | head -n 1"], cwd=FOLDER)
    tap.equal((head.status, head.err, head.out.count("\n")), (0, "", 1),
              f"{arguments[0]} | head is silent", head)
ignored = run(["sh", "-c", f"trap '' PIPE; ('{COMMAND}' dump long; echo $? >status) | head -n 1"],
              cwd=FOLDER)
tap.equal(ignored.err, "", "also where the signal is ignored", ignored)
if os.path.exists("/dev/full"):
    for arguments in (["dump", "-o", "/dev/full"], ["merge", "-o", "/dev/full"],
                      ["summary", "--json", "-o", "/dev/full"], ["export", "--chrome", "/dev/full"]):
        full = command(*arguments, "long")
        tap.ok(full.status == 1 and len(full.err.splitlines()) == 1 and
               "No space left" in full.err, f"{arguments[0]}: one error for a full disk", full)

# ---- Size: memory does not grow with the trace, nor files open with the PEs ----

MILLIONS = 1500000
make("short", "pe 0 2 2\nbulk 0 20000\nbulk 1 10000\nend exit\npe 1 2 1\nbulk 0 20000\nend exit\n")
make("millions", f"pe 0 2 2\nbulk 0 {MILLIONS}\nbulk 1 400000\nend exit\n"
                 f"pe 1 2 1\nbulk 0 {MILLIONS // 4}\nend exit\n")


def peak(arguments):
    """KiB that a reader needs at most; its output goes nowhere."""
    child = subprocess.Popen([COMMAND, *arguments], cwd=FOLDER, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_maxrss if child.returncode == 0 else None


growing = [["summary"], ["check"], ["summary", "--results"]]
if build_config().get("SKAMPI_OTF2") == "1":
    growing.append(["export", "--otf2"])
for arguments in growing:
    needs = []
    for trace in ("short", "millions"):
        extra = [f"otf2-{trace}"] if arguments[0] == "export" else []
        needs.append(peak([*arguments, *extra, trace]))
    # An archive's writers hold up to two chunks of 1 MiB a thread.
    allowed = (6000 if arguments[0] == "export" else 2000) * (10 if sanitized() else 1)
    tap.ok(None not in needs and needs[1] < needs[0] + allowed,
           f"{' '.join(arguments)}: memory does not grow with the trace", needs)
middle = [["merge"], ["dump", "--csv"], ["export", "--chrome", "-"], ["export", "--paraver", "large"]]
make("middle", "pe 0 2 2\nbulk 0 60000\nbulk 1 60000\nend exit\npe 1 2 1\nbulk 0 40000\nend exit\n")
for arguments, needs in in_parallel(middle, lambda a: [peak([*a, t]) for t in ("short", "middle")], 2):
    tap.ok(None not in needs and needs[1] < needs[0] + 1000 * (10 if sanitized() else 1),
           f"{' '.join(arguments)}: memory does not grow with the trace", needs)

PES = 300
make("wide", "".join(f"pe {pe} {PES} 1\nbarriers 0 5\nbulk 0 20\nend finalize\n" for pe in range(PES)))
for arguments in (["check"], ["merge", "-o", "/dev/null"], ["summary", "--json", "-o", "wide.json"]):
    few = run(["sh", "-c", f"ulimit -n 40; exec '{COMMAND}' {' '.join(arguments)} wide"], cwd=FOLDER)
    tap.equal((few.status, few.err), (0, ""), f"{arguments[0]}: more PEs than files may be open", few)
with open(path("wide.json"), encoding="utf-8") as file:
    tap.equal(len(json.load(file)["pairs"]), PES, "only pairs that occur are in the summary")

# ---- A trace that a program has left ----

LIBRARY_FILE = os.path.join(os.path.dirname(COMMAND), "libshmemtrace.so")
APPLICATION = r"""
#include <shmem.h>
int main(void)
{
    static long flag, sync[SHMEM_BCAST_SYNC_SIZE];
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes(), next = (me + 1) % n;
    long *data = shmem_malloc(64 * sizeof *data), local[8] = {me};
    for (int i = 0; i < SHMEM_BCAST_SYNC_SIZE; i++)
        sync[i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    for (int i = 0; i < 5; i++)
        shmem_long_put(data, local, 8, next);
    shmem_quiet();
    shmem_long_get(local, data, 4, next);
    shmem_long_put_nbi(data + 32, local, 2, next);
    shmem_quiet();
    shmem_long_p(&flag, 1, next);
    shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
    shmem_barrier_all();
    shmem_broadcast64(data, data + 8, 4, 0, 0, 0, n, sync);
    shmem_free(data);
    shmem_global_exit(0);
}
"""
if not has("SHMEM") or not os.path.exists(LIBRARY_FILE):
    tap.skip("a recorded trace", "no OpenSHMEM, or the tracer is not built")
else:
    with open(path("application.c"), "w", encoding="utf-8") as file:
        file.write(APPLICATION)
    compiler = re.search(r"CC=(\S+)", build_config()["CONFIG_SUMMARY"]).group(1)
    built = run([compiler, "-o", path("application"), path("application.c")])
    ran = run(launch_line(2, [path("application")]), cwd=FOLDER, env={
        **launch_environment(), "LD_PRELOAD": LIBRARY_FILE, "SHMEMTRACE_OUTPUT": path("real")})
    tap.equal((built.status, ran.status), (0, 0), "a program runs under the tracer", ran)
    checked = command("check", "real")
    tap.equal(checked.status, 0, "check finds nothing in its trace", checked)
    calls = {r["routine"]: (r["calls"], r["bytes"]) for r in
             json.loads(command("summary", "--json", "real").out)["routines"]}
    tap.equal([calls.get(name) for name in (
        "shmem_long_put", "shmem_long_get", "shmem_long_put_nbi", "shmem_barrier_all",
        "shmem_long_wait_until", "shmem_broadcast64", "shmem_long_p")],
        [(10, 640), (2, 64), (2, 32), (4, 0), (2, 0), (2, 64), (2, 16)], "summary counts its calls")
    merged = table(command("merge", "real").out)
    starts = [float(row["start"]) for row in merged]
    tap.ok(starts and starts == sorted(starts) and {row["pe"] for row in merged} == {"0", "1"},
           "merge puts its PEs together")
    barriers = [[(float(r["start"]), float(r["start"]) + float(r["duration"])) for r in merged
                 if r["pe"] == pe and r["routine"] == "shmem_barrier_all"] for pe in "01"]
    tap.ok(all(max(a[0], b[0]) <= min(a[1], b[1]) + 1e-5 for a, b in zip(*barriers)),
           "nobody leaves a barrier before all are there", barriers)

tap.done()
