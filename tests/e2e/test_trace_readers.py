#!/usr/bin/env python3
# LONG
"""What reads traces: dump, summary, check and merge, on made traces whose content is known
(tests/support/stub/trace_writer.c), and on one that a program leaves. Exports: test_trace_export.py."""
# TIMEOUT: 180

import json
import os
import re
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import traces
from harness import (ROOT, Tap, build_config, has, in_parallel, launch_environment, launch_line, optional, run,
                     sanitized, unread_status)
from traces import HEAP, Made, small_scenario

COLUMNS = ("pe,thread,index,routine,class,start,duration,burst,flags,phase,peer,elements,"
           "element_bytes,bytes,target,target_offset,source,source_offset,target_stride,"
           "source_stride,context,set_start,set_stride,set_size,root,comparison,condition,value,"
           "result,options,signal,signal_offset,site")

jsonschema = optional("jsonschema")
tap = Tap()
MADE = Made()
COMMAND, FOLDER = traces.command(), MADE.folder
path, make, command, table = MADE.path, MADE.make, MADE.command, traces.events_of

# ---- Pointers to memory of other PEs, of which one is to the PE itself, and one is none ----

make("pointers", "pe 0 2 1\nevent 0 shmem_init 1000 10\nevent 0 shmem_ptr 1020 5 flags=4 peer=1 target=64\n"
     "event 0 shmem_ptr 1040 5 flags=4 peer=0 target=64\nevent 0 shmem_finalize 1060 10 flags=1\nend finalize\n"
     "pe 1 2 1\nevent 0 shmem_init 1000 10\nevent 0 shmem_ptr 1020 5 peer=0 target=64\n"
     "event 0 shmem_finalize 1060 10 flags=1\nend finalize\n")
for words in (("check",), ("summary",)):
    done = command(*words, "pointers")
    tap.ok(done.status == 0 and "1 call of shmem_ptr gave pointers to memory of other PEs" in done.out,
           f"{words[0]} says that data may have moved unseen", done)
tap.equal(json.loads(command("summary", "--json", "pointers").out)["pointers"], 1, "... and JSON says how often")
tap.equal([row["flags"] for row in table(command("dump", "--csv", "pointers").out) if row["routine"] == "shmem_ptr"],
          ["pointer", "pointer", ""], "dump shows which calls gave a pointer")

# ---- A small trace with every kind of thing in it ----

make("small", small_scenario(0) + small_scenario(1, clock=123456789))

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
if jsonschema:
    with open(os.path.join(ROOT, "scripts/results.schema.json"), encoding="utf-8") as file:
        validator = jsonschema.Draft7Validator(json.load(file))
    problems = [error.message for record in records for error in validator.iter_errors(record)]
    tap.equal(problems, [], "and keep to the schema")
else:
    tap.skip("and keep to the schema", "python3-jsonschema is not installed")
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

# ---- What a trace holds never reaches a terminal ----

make("escapes", "command ./app \\x1b]0;owned\\x07\nhost \\x1b[31mred\n"
     f"pe 0 1 1\nevent 0 shmem_long_put 1000 40 peer=0 elements=4 bytes=32 target={HEAP}\nend finalize\n")
for word in ("dump", "summary", "check"):
    shown = command(word, "escapes")
    tap.ok(shown.status == 0 and "\x1b" not in shown.out + shown.err and "\x07" not in shown.out + shown.err,
           f"{word}: control characters of a trace are shown, not printed", shown)

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


def team(time, number, value=None):
    """A call of all of a team; value: instead of a synchronization, a split of that team."""
    given = f"set_start={number} set_stride=0 set_size=2" if value is None else \
        f"set_start={value} set_stride=1 set_size=1 value={number} result=-1"
    return f"event 0 shmem_team_{'sync' if value is None else 'split_strided'} {time} 10 {given}\n"


def members(number, *ranges, size=2):
    """Lines of a team; ranges: (index, first, stride, count)."""
    return "".join(f"team {number} {size} {' '.join(map(str, part))}\n" for part in ranges)


# Both PEs make a team of both, twice; PE 0 one of itself between them.
BOTH = (0, 0, 1, 2)
TEAMS = (members(1, BOTH) + members(2, (0, 0, 1, 1), size=1) + members(3, BOTH),
         members(1, BOTH) + members(2, BOTH))


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
    "a team's other call": (pair(TEAMS[0] + team(100, 3), TEAMS[1] + team(100, 2, value=0)),
                            "team no. 2 of PEs 0, step 1, 2 of them: collective 0 is shmem_team_sync() on PE"),
    "a missing call of a team": (pair(TEAMS[0] + team(100, 1) + team(200, 3), TEAMS[1] + team(100, 1)),
                                 "team no. 2 of PEs 0, step 1, 2 of them: collective 0, shmem_team_sync(), "
                                 "was not called by 1 of them, such as PE 1"),
    "other splits of a team": (pair(TEAMS[0] + team(100, 1, value=0), TEAMS[1] + team(100, 1, value=1)),
                               "(start=0, stride=1, size=1) on PE 0, but"),
    "a call of a team that the PE is not in": (
        pair(members(1, (0, 1, 1, 1), size=1) + team(100, 1), ""), "the PE is not in the set: team of PEs 1"),
    "a signal that is not symmetric": (
        pair(f"event 0 shmem_putmem_signal 100 10 peer=1 elements=1 bytes=1 target={HEAP}\n", ""),
        "its signal is not symmetric"),
    "a missing PE": ("pe 0 3 1\nend finalize\npe 2 3 1\nend finalize\n", "no file of PE 1"),
    "a file of another run": ("pe 0 2 1\nend exit\nbeginning -70\npe 1 2 1\nend exit\n",
                              "is of another run"),
    "a file that has no end": ("pe 0 2 1\nevent 0 shmem_init 10 10\nend exit\npe 1 2 1\n"
                               "event 0 shmem_init 10 10\n", "did not end properly"),
}
for number, (name, (scenario, wanted)) in enumerate(FINDINGS.items()):
    make(f"bad{number}", scenario)
for (number, (name, (_, wanted))), found in in_parallel(
        list(enumerate(FINDINGS.items())), lambda case: command("check", f"bad{case[0]}")):
    tap.ok(found.status == 1 and wanted in found.out and "finding" in found.out.splitlines()[-1],
           f"check finds {name}", found)
other = command("check", make("other", pair(barrier(100), barrier(100)) +
                              f"pe 2 300 1\n{barrier(100, size=300)}end exit\n"))
tap.ok(other.status == 1 and "belongs to a run on 300 PEs, other files to one on 2" in other.out and
       "was not called" not in other.out, "check does not match collectives of runs of other sizes", other)
well = {
    "different programs in one job": "pe 0 2 1\nend exit\ncommand ./other\npe 1 2 1\nend exit\n",
    "the barrier that a PE was killed in": pair(barrier(100) + barrier(200), barrier(100)).replace(
        "end finalize", "end signal 15"),
    "elements of collect that differ": pair(broadcast(100, elements=1, routine="shmem_collect64"),
                                            broadcast(100, elements=9, routine="shmem_collect64")),
    "sets that are used in different orders": pair(
        barrier(100, size=1, routine="shmem_barrier") + barrier(200), barrier(100)),
    "teams that PEs number in different ways": pair(
        TEAMS[0] + team(100, 1) + team(200, 2) + team(300, 3) + team(400, 3, value=0),
        TEAMS[1] + team(100, 1) + team(200, 2) + team(300, 2, value=0)),
    "a split that makes no team for its own PE": pair(team(100, 0, value=1), team(100, 0, value=1)),
    "a PE that runs ahead": pair("barriers 0 3000\n", "event 0 shmem_init 1000 900000000\n"
                                 "barriers 0 3000\n"),
}
for number, (name, scenario) in enumerate(well.items()):
    found = command("check", make(f"well{number}", scenario))
    tap.equal(found.status, 0, f"check takes {name}", found)
ring = command("check", make("ring", pair(barrier(100), "", before="dropped 7\n")))
tap.ok(ring.status == 0 and "7 events were not kept" in ring.err,
       "check does not match collectives of which some were not kept", ring)
for number, (name, lines, wanted) in enumerate((
        ("no members", "", "are not in the trace"),
        ("members of which some are missing", members(1, (0, 0, 1, 1)), "are not in the trace"),
        ("members in another order", members(1, (1, 1, 1, 1), (0, 0, 1, 1)), "are not in the trace"))):
    found = command("check", make(f"unknown{number}", "version 1\n" * (not lines) + pair(
        lines + team(100, 1) + barrier(200), TEAMS[1] + team(100, 1) + barrier(200))))
    tap.ok(found.status == 0 and wanted in found.err and len(found.err.splitlines()) == 1
           and "calls: 2; all well" in found.out, f"check: a team with {name} is said, and the rest compared",
           found)
for number, (name, lines) in enumerate({
        "a PE that is not there": members(1, (0, 1, 1, 2)), "no step": members(1, (0, 0, 0, 2)),
        "more members than PEs": members(1, (0, 0, 1, 2), size=3),
        "a member too much": members(1, (1, 0, 1, 2)),
        "a huge step": members(1, (0, 0, 2**62, 2)), "no members": members(1, (0, 0, 1, 0))}.items()):
    found = command("check", make(f"wrong{number}", pair(lines + team(100, 1), team(100, 1))))
    tap.ok(found.status == 1 and "a record that cannot be" in found.err, f"check: a team with {name} is damage",
           found)
uncalled = path(make("uncalled", pair(TEAMS[0], "")) + "/pe-00000.trace")
with open(uncalled, "r+b") as file:
    file.seek(file.read().rindex(b"SBLK") - 1)
    file.write(b"\x55")
make("impossible", pair(members(1, (0, 0, 0, 2)), ""))
for name, wanted in (("impossible", "a record that cannot be"),
                     ("uncalled", "the checksum of a block is wrong")):
    found = command("check", name)
    tap.ok(found.status == 1 and wanted in found.err and found.err.count("\n") == 1,
           f"check looks at members of teams that make no call: {name}", found)
for count, end in ((64, []), (65, ["# ..."])):
    shown = command("dump", make(f"teams{count}", pair(
        members(0, BOTH) + "".join(members(number, BOTH) for number in range(1, count + 1)), "")))
    tap.equal(re.findall(r"^# team (\d+)|^(# \.\.\.)", shown.out, re.MULTILINE),
              [(str(number), "") for number in range(1, 65)] + [("", text) for text in end],
              f"dump names at most 64 teams, and says when there are more: {count}", shown)
shown = command("dump", make("teams", pair(TEAMS[0], members(-2, (0, 1, 2, 2), (2, 0, 2, 2), size=4),
                                         pes=4)))
tap.equal(re.findall("^# team.*", shown.out, re.MULTILINE),
          ["# team 1: PEs 0, step 1, 2 of them", "# team 2: PEs 0, step 1, 1 of them",
           "# team 3: PEs 0, step 1, 2 of them", "# team -2 (SHMEM_TEAM_SHARED): PEs 1 3 0 2, 4 of them"],
          "dump names members", shown)
for version, status in ((0, 2), (1, 0), (2, 0), (3, 0), (4, 0), (5, 2)):
    found = command("dump", make(f"version{version}", f"version {version}\npe 0 1 1\nend exit\n"))
    tap.ok(found.status == status and (f"format version {version}, this program reads versions 1 to 4; use"
                                       in found.err) == (status != 0), f"a trace of version {version}", found)

# ---- The tracer's own cost, and what small puts write ----

put = f"shmem_{{}} {{}} 10 peer=0 elements={{}} bytes={{}} target={HEAP} {{}}\n"
puts = [("int_iput", 1, 4, "target_stride=1 source_stride=1 value=4294967289", "-7"),
        ("int_iput", 2, 8, "target_stride=2 source_stride=1 value=-4294967295", "18446744069414584321"),
        ("double_put", 1, 8, "value=4612811918334230528", "2.5"),
        ("putmem", 8, 8, "value=-1", "18446744073709551615"), ("putmem", 9, 9, "", "")]
made = "cost 12.34 5.6\npe 0 1 1\n" + "".join(
    "event 0 " + put.format(name, 100 * i, elements, size, rest)
    for i, (name, elements, size, rest, _) in enumerate(puts)) + "end exit\n"
make("values", made)
shown = command("dump", "--csv", "values")
tap.equal([row["value"] for row in table(shown.out)], [value for *_, value in puts],
          "dump --csv: one element is a number of its type, several are their bytes", shown)
shown = command("dump", "--json", "values")
tap.equal([json.loads(line).get("value") for line in shown.out.splitlines()],
          [-7, 18446744069414584321, 2.5, 18446744073709551615, None], "... also in JSON", shown)
shown = command("dump", "values")
tap.ok("# of the tracer: 12.3 ns in each burst, 5.6 ns in each duration" in shown.out, "dump shows the cost", shown)
shown = command("summary", "values")
tap.ok("the tracer added 12.3 ns to the burst before each call, and 5.6 ns to the call" in shown.out,
       "... summary, too", shown)
shown = json.loads(command("summary", "--json", "values").out)
tap.equal([round(1e12 * shown[name]) for name in ("cost_between", "cost_inside")], [12340, 5600],
          "... and its JSON", shown)
for cost in ("-1 0", "0 nan", "inf 0", "2e9 0"):
    shown = command("dump", make("cost" + cost.replace(" ", "_"), made.replace("12.34 5.6", cost)))
    tap.ok(shown.status == 2 and "damaged at its beginning" in shown.err, f"a cost that cannot be: {cost}", shown)
shown = command("summary", make("free", "version 2\n" + made))
tap.ok(shown.status == 0 and "the tracer added" not in shown.out, "older traces do not know it", shown)

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
                                 ("record", "dump", "summary", "explain", "check", "merge", "export")),
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
for name, status in (("bad0", 1), ("long", 0)):
    tap.equal(unread_status([COMMAND, "check", name], FOLDER), status, f"check {name}: its status, if nobody reads")
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
middle = [["merge"], ["dump", "--csv"], ["export", "--chrome", "-"], ["export", "--paraver", "large"], ["export", "--goal", "-"]]
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
