#!/usr/bin/env python3
# LONG
"""Exports of made traces, as the programs read them that they are for: the Chrome format by the parser in
Chromium's developer tools and by its schema; OTF2 by otf2-print and Python's otf2; Paraver's by a validator
that is written from the description of its format. All are compared with what dump prints."""
# TIMEOUT: 180

import collections
import json
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import browser
import traces
from harness import ROOT, Tap, build_config, in_parallel, optional, run
from traces import HEAP, Made, small_scenario

jsonschema, otf2 = optional("jsonschema"), optional("otf2")
chromium = browser.start()
HAS_OTF2 = build_config().get("SKAMPI_OTF2") == "1"

tap = Tap()
MADE = Made()
FOLDER, path, make, command = MADE.folder, MADE.path, MADE.make, MADE.command

# ---- Traces ----


def put(start, peer, routine="shmem_long_put", thread=0, duration=40, context=None):
    more = "" if context is None else f" context={context}"
    return (f"event {thread} {routine} {start} {duration} peer={peer} elements=4 bytes=32 "
            f"target={HEAP + 64} source={HEAP}{more}\n")


def get(start, peer, thread=0):
    return (f"event {thread} shmem_double_iget {start} 60 peer={peer} elements=3 bytes=24 "
            f"target={HEAP} source={HEAP + 8} target_stride=1 source_stride=1\n")


def barrier(start, duration=100, size=None, first=0, stride=1):
    routine = "shmem_barrier_all" if size is None else "shmem_barrier"
    return (f"event 0 {routine} {start} {duration} set_start={first} set_stride={stride} "
            f"set_size={size or 4}\n")


def scattered(pe):
    """PEs by turns on two hosts; the second has several threads, the last no file."""
    host = r'host odd\x0a"host"\x5c, \xff' if pe % 2 else r"host ev\xc3\xa9n\x01<&>"
    calls = put(100 + pe, 3) + get(300 + pe, (pe + 1) % 4) + barrier(500 + 10 * pe, 200 - 10 * pe)
    if pe != 1:
        calls += barrier(1000, 50, 2, 0, 2)
    else:
        calls += "".join(put(600 + 10 * thread, 2, thread=thread) for thread in (2, 1))
    return f"{host}\npe {pe} 4 {3 if pe == 1 else 1}\n{calls}end finalize\n"


LONE = rf"""command ./"a b" \x5cn \x0a\x09\x7f \xe2\x82\xac \xff
host {"h" * 250}
pe 0 1 1
event 0 shmem_init 1000 10
{put(2000, 0)}{get(3000, 0)}event 0 shmem_ulong_atomic_set 4000 20 peer=0 target={HEAP} value=-1
event 0 shmem_ulong_atomic_set 4100 20 peer=0 target={HEAP} value=9007199254740992
event 0 shmem_long_wait_until 4200 0 target={HEAP} comparison=5 value=-9007199254740993
event 0 shmem_long_wait_until 4250 0 target={HEAP} comparison=9007199254740993 value=0
event 0 shmem_putmem_signal 4270 10 peer=0 bytes=1 target={HEAP} options=-9007199254740993 signal={HEAP + 8}
event 0 shmem_float_atomic_swap 4300 9 peer=0 target={HEAP} value={0x7f800000} result={0x7fc00000}
{put(5000, 0, duration=0)}end exit
"""
# Non-blocking operations that are completed by the end of their context, by quiet, and never.
LOOSE = f"""pe 0 2 2
{put(100, 1, "shmem_ctx_int_put_nbi", context=5)}{put(150, 1, "shmem_ctx_int_put_nbi", context=6)}\
event 0 shmem_ctx_destroy 200 10 context=5
{put(300, 1, "shmem_ctx_int_put_nbi", context=7)}event 0 shmem_ctx_quiet 400 10 context=7
{put(500, 1, "shmem_ctx_int_put_nbi", context=7)}{get(900, 1, thread=1)}end signal 9
pe 1 2 2
"""
WIDE = 300
make("small", small_scenario(0) + small_scenario(1, clock=123456789))
make("scattered", "".join(map(scattered, range(3))))
make("lone", LONE)
make("loose", LOOSE)
make("empty", "pe 0 2 1\nend exit\npe 1 2 1\nend exit\n")
make("wide", "".join(f"pe {pe} {WIDE} 1\nbarriers 0 2\nbulk 0 6\n{put(100000 + pe * 10, (pe + 7) % WIDE)}"
                     f"end finalize\n" for pe in range(WIDE)))
EXPORTS = {"small": [], "scattered": [], "lone": [], "loose": [], "empty": [], "wide": [],
           "small --pe 1": ["--pe", "1"], "small --thread 1": ["--thread", "1"],
           "small --only get": ["--only", "get"]}
FORMATS = ["chrome", "paraver", *(["otf2"] if HAS_OTF2 else [])]


def ns(text):
    """Of seconds as dump prints them."""
    return round(float(text) * 1e9)


def rows_of(trace, options):
    """What dump prints, with the start in ns."""
    rows = [json.loads(line) for line in command("dump", "--json", *options, trace).out.splitlines()]
    return [{**row, "start": ns(row["start"])} for row in rows]


class Exported:
    """A trace in all formats, and what dump says is in it: rows, with start and end in ns since the first."""

    def __init__(self, name):
        trace, options = name.split()[0], EXPORTS[name]
        self.name, self.base = name, "out-" + re.sub(r"\W", "", name)
        targets = {"chrome": self.file("json"), "paraver": path(self.base), "otf2": self.file("otf2")}
        self.run = command("export", *options, trace, *(
            word for format in FORMATS for word in ("--" + format, targets[format])))
        self.rows = rows_of(trace, options)
        # Times begin at the first call of these threads, of whatever class.
        first = min((row["start"] for row in rows_of(trace, [o for o in options if o not in (
            "--only", "get")])), default=0)
        for row in self.rows:
            row["start"] -= first
            row["end"] = row["start"] + ns(row["duration"])

    def file(self, suffix):
        return path(f"{self.base}.{suffix}")

    def by_track(self):
        """The rows of each (PE, thread), in order."""
        tracks = collections.defaultdict(list)
        for row in self.rows:
            tracks[row["pe"], row["thread"]].append(row)
        return tracks

    def transfers(self):
        return [row for row in self.rows if row["class"] in ("put", "get", "nonblocking", "atomic")]


def is_get(row):
    return "get" in row["routine"]


exported = [made for _, made in in_parallel(EXPORTS, Exported, 2)]
for one in exported:
    missing = re.sub(r"^shmemtrace export: incomplete: there are files of \d of \d PEs\n", "", one.run.err)
    tap.equal((one.run.status, missing), (0, ""), f"{one.name} is exported to {', '.join(FORMATS)}",
              one.run)
tap.equal([len(one.rows) for one in exported if " " not in one.name], [30, 13, 10, 7, 0, WIDE * 9],
          "the traces are what they should be")

# ---- Chrome: the schema, and arrows ----

with open(os.path.join(ROOT, "src/trace/export/chrome.schema.json"), encoding="utf-8") as schema:
    SCHEMA = json.load(schema)
documents = {}
for one in exported:
    with open(one.file("json"), encoding="utf-8") as file:
        documents[one.name] = json.load(file)
if not jsonschema:
    tap.skip("the Chrome format follows its schema", "python3-jsonschema is not installed")
else:
    validator = jsonschema.Draft7Validator(SCHEMA)
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    for one in exported:
        document = documents[one.name]
        part = {**document, "traceEvents": document["traceEvents"][:400]}  # it takes its time
        wrong = [(list(e.absolute_path), e.message) for e in validator.iter_errors(part)]
        tap.equal(wrong[:3], [], f"{one.name}: the Chrome format follows its schema")
    event = documents["small"]["traceEvents"][3]
    tap.ok(all(not validator.is_valid({**documents["small"], "traceEvents": [wrong]}) for wrong in (
        {**event, "ph": "B"}, {**event, "ts": 0}, {**event, "more": 1},
        {**event, "args": {"more": 1}}, {**event, "cat": "x"})), "which finds what is wrong", event)
tap.equal(documents["lone"]["otherData"], {
    "program": "shmemtrace", "command": './"a b" \\n \\n\\t\\x7f \u20ac \\xff', "library": "OpenSHMEM 1.4",
    "library_version": "0", "date": "2026-01-31T12:00:00Z", "pes": 1}, "the run has its description")


def arrows_of(document):
    """The ends of each."""
    ends = collections.defaultdict(list)
    for event in document["traceEvents"]:
        if event["ph"] in "sf":
            ends[event["id"]].append(event)
    return list(ends.values())


def arrows_wrong(document):
    """What is wrong with the arrows: each leads from the start of something to that of something else."""
    slices = {(e["pid"], e["tid"], e["ts"], e["cat"]) for e in document["traceEvents"] if e["ph"] == "X"}
    return [pair for pair in arrows_of(document) if
            [e["ph"] for e in pair] != ["s", "f"] or pair[0]["ts"] >= pair[1]["ts"] or
            any((e["pid"], e["tid"], e["ts"], e["cat"]) not in slices for e in pair)]


for one in exported:
    tap.equal(arrows_wrong(documents[one.name])[:3], [], f"{one.name}: arrows have two ends")

# ---- Chrome: what is in it ----

MEMORY = 1000000


def processes_wanted(one):
    """Of a whole trace: process: its name, track: what is on it, as (name, start in ns, duration)."""
    wanted = collections.defaultdict(lambda: collections.defaultdict(list))
    for (pe, thread), rows in one.by_track().items():
        wanted[pe][thread] = [(r["routine"], r["start"] + 2, r["end"] - r["start"]) for r in rows]
    for row in one.transfers():
        done = "read" if is_get(row) else "changed" if row["class"] == "atomic" else "written"
        there = row["start"] + 1 if is_get(row) else max(row["end"], row["start"] + 1) + 2
        wanted[row["peer"]][MEMORY].append((f"{done} by PE {row['pe']}", there, 0))
    return {pe: {track: sorted(calls, key=lambda c: c[1]) for track, calls in tracks.items()}
            for pe, tracks in wanted.items()}


def slice_of(call):
    return call["name"], round(1000 * call["ts"]), round(1000 * call["dur"])


def processes_written(document):
    written = collections.defaultdict(lambda: collections.defaultdict(list))
    for event in document["traceEvents"]:
        if event["ph"] == "X":
            written[event["pid"]][event["tid"]].append(slice_of(event))
    return {pe: {track: sorted(calls, key=lambda c: c[1]) for track, calls in tracks.items()}
            for pe, tracks in written.items()}


def processes_parsed(parsed):
    return {process["pid"]: {thread["tid"]: [slice_of(s) for s in thread["slices"]]
                             for thread in process["threads"]} for process in parsed["processes"]}


def flows_wanted(one):
    flows = []
    for row in one.transfers():
        call, memory = (row["pe"], row["thread"], row["start"] + 2), (row["peer"], MEMORY)
        flows.append((call, (*memory, row["start"] + 1)) if is_get(row) else
                     (call, (*memory, max(row["end"], row["start"] + 1) + 2)))
    return sorted(flows)


def flows_of(arrows):
    """Of both ends of each arrow; with the call first."""
    return sorted(tuple(sorted(((e["pid"], e["tid"], round(1000 * e["ts"])) for e in ends),
                               key=lambda end: end[1] == MEMORY)) for ends in arrows)


def parameters_wanted(one):
    return [{k: v for k, v in row.items() if k not in (
        "pe", "thread", "index", "routine", "class", "start", "duration", "burst", "flags", "phase", "end")}
        for row in one.rows]


def as_texts(calls):
    """Integers that a double does not hold are texts already."""
    return [{k: str(v) for k, v in parameters.items()} for parameters in calls]


for one in exported:
    tap.equal(processes_written(documents[one.name]), processes_wanted(one),
              f"{one.name}: every call is written at its time on its track")
    tap.equal(flows_of(arrows_of(documents[one.name])), flows_wanted(one),
              f"{one.name}: and every arrow with both ends")
    tap.equal(as_texts(e["args"] for e in documents[one.name]["traceEvents"] if e["ph"] == "X" and
                       e["tid"] != MEMORY), as_texts(parameters_wanted(one)),
              f"{one.name}: and its parameters are those that dump prints")

# ---- Chrome: Chromium's parser ----


def parse_in_chromium():
    for one in exported:
        parsed = chromium.parsed_trace(one.file("json"))
        if "missing" in parsed:
            tap.skip("Chromium parses the Chrome format", parsed["missing"])
            return
        if not one.rows:
            tap.ok("error" not in parsed and parsed["processes"] == [], f"{one.name}: Chromium has nothing",
                   parsed)
            continue
        tap.equal((parsed.get("error"), parsed["messages"], parsed.get("warnings"), parsed.get("generic")),
                  (None, [], 0, True), f"{one.name}: Chromium's parser has nothing to say")
        tap.equal(processes_parsed(parsed), processes_wanted(one),
                  f"{one.name}: it has every call at its time on its track")
        tap.equal(flows_of(parsed["flows"]), flows_wanted(one), f"{one.name}: and both ends of every arrow")
        bounds = [min(t[1] for p in processes_wanted(one).values() for calls in p.values() for t in calls),
                  max(t[1] + t[2] for p in processes_wanted(one).values() for c in p.values() for t in c)]
        tap.equal([round(1000 * parsed[n]) for n in ("begin", "end")], bounds, f"{one.name}: and its span")
        names[one.name] = {p["pid"]: (p["name"], {t["tid"]: t["name"] for t in p["threads"]})
                           for p in parsed["processes"]}
        arguments[one.name] = [s["args"] for p in parsed["processes"] for t in p["threads"]
                               if t["tid"] != MEMORY for s in t["slices"]]
    tap.equal(names["small"], {pe: (f"PE {pe} on node", {0: "thread 0", 1: "thread 1", MEMORY: "memory"})
                               for pe in (0, 1)}, "processes and tracks have names")
    odd, even = r'PE 1 on odd\n"host"\, \xff', "PE {} on ev\u00e9n\\x01<&>"
    tap.equal({pe: name for pe, (name, _) in names["scattered"].items()},
              {0: even.format(0), 1: odd, 2: even.format(2), 3: "PE 3"},
              "hosts' names may be anything; a PE without a file has one, too")
    tap.equal(names["lone"][0][0], "PE 0 on " + 250 * "h", "or long")
    lone = next(one for one in exported if one.name == "lone")
    tap.equal(as_texts(arguments["lone"]), as_texts(parameters_wanted(lone)),
              "parameters are those that dump prints, to the last digit")


names, arguments = {}, {}
if chromium is None:
    tap.skip("Chromium parses the Chrome format", browser.REASON)
else:
    parse_in_chromium()

# ---- Paraver ----

RECORD_FIELDS = {1: 8, 3: 15}
ROUTINE, CLASS, BYTES, PEER, PHASE = range(64000001, 64000006)


class Paraver:
    """NAME.prv, .pcf and .row; problems is what is wrong with them."""

    def __init__(self, name):
        self.problems, self.length, self.processors, self.tasks, self.records = [], 0, [], [], []
        with open(name + ".prv", encoding="utf-8") as file:
            head, *lines = file.read().split("\n")
        self.expect(lines.pop() == "", "the last line is not ended")
        self.read_head(head)
        for line in lines:
            fields = line.split(":")
            if all(re.fullmatch("[0-9]+", field) for field in fields):
                self.read_record([int(field) for field in fields], line)
            else:
                self.problems.append(f"not a record: {line}")
        times = [record[5] for record in self.records]
        self.expect(times == sorted(times), "records are not in the order of time")
        self.check_states()
        self.read_meanings(name + ".pcf")
        self.read_names(name + ".row")

    def expect(self, condition, problem):
        if not condition:
            self.problems.append(problem)
        return condition

    def read_head(self, head):
        found = re.fullmatch(r"#Paraver \(\d\d/\d\d/\d\d at \d\d:\d\d\):(\d+)_ns:(\d+)\(([\d,]*)\):1:"
                             r"(\d+)\(([\d:,]*)\)", head)
        if not self.expect(found, f"head: {head}"):
            return
        self.length = int(found[1])
        self.processors = [int(n) for n in found[3].split(",")]
        self.tasks = [tuple(map(int, task.split(":"))) for task in found[5].split(",")]
        self.expect(len(self.processors) == int(found[2]) and len(self.tasks) == int(found[4]),
                    "the head has other counts than it says")
        self.expect(all(1 <= node <= len(self.processors) for _, node in self.tasks), "nodes of tasks")

    def node_of(self, processor):
        for node, count in enumerate(self.processors, 1):
            if processor <= count:
                return node
            processor -= count
        return None

    def check_object(self, fields, line):
        """processor:application:task:thread"""
        processor, application, task, thread = fields
        good = (processor >= 1 and application == 1 and 1 <= task <= len(self.tasks) and
                1 <= thread <= self.tasks[task - 1][0] and
                self.node_of(processor) == self.tasks[task - 1][1])
        self.expect(good, f"no such object, or not on its node: {line}")

    def read_record(self, fields, line):
        kind = fields[0]
        good = kind in (1, 3) and len(fields) == RECORD_FIELDS[kind] or (
            kind == 2 and len(fields) >= 8 and len(fields) % 2 == 0)
        if not self.expect(good, f"fields: {line}"):
            return
        self.records.append(fields)
        self.check_object(fields[1:5], line)
        times = fields[5:6]
        if kind == 1:
            times = fields[5:7]
            self.expect(fields[5] < fields[6], f"a state without duration: {line}")
        elif kind == 3:
            self.check_object(fields[7:11], line)
            times = [*fields[5:7], *fields[11:13]]
            self.expect(fields[5] <= fields[6] <= fields[12] and fields[5] <= fields[11],
                        f"received before it is sent: {line}")
        self.expect(all(time <= self.length for time in times), f"beyond the end: {line}")

    def of_kind(self, kind):
        return [record for record in self.records if record[0] == kind]

    def check_states(self):
        last, processor = {}, {}
        for record in self.of_kind(1):
            thread = tuple(record[3:5])
            self.expect(last.get(thread, 0) <= record[5], f"states overlap: {record}")
            last[thread] = record[6]
        for record in self.records:
            self.expect(processor.setdefault(tuple(record[3:5]), record[1]) == record[1],
                        f"a thread on another processor than before: {record}")
        self.expect(len(set(processor.values())) == len(processor), "two threads on one processor")

    def read_meanings(self, name):
        with open(name, encoding="utf-8") as file:
            sections = re.split(r"\n\n+", file.read())
        self.meanings, states = {}, {}
        for section in sections:
            head, *lines = section.strip("\n").split("\n")
            if head in ("STATES", "STATES_COLOR"):
                pattern = r"(\d+) {4}(\S.*)" if head == "STATES" else r"(\d+) {4}(\{\d+,\d+,\d+\})"
                found = [re.fullmatch(pattern, line) for line in lines]
                if self.expect(all(found), f"{head}: {lines}"):
                    states[head] = [int(f[1]) for f in found]
                    self.expect(len(set(states[head])) == len(lines), f"{head}: one twice")
            elif head == "EVENT_TYPE":
                types, values = lines, []
                if "VALUES" in lines:
                    types, values = lines[:lines.index("VALUES")], lines[lines.index("VALUES") + 1:]
                found = [re.fullmatch(r"(\d+) {4}(\S.*)", line) for line in values]
                self.expect(all(found), f"values: {values}")
                for line in types:
                    number = re.fullmatch(r"\d+ {4}(\d+) {4}\S.*", line)
                    if self.expect(number, f"type: {line}"):
                        self.meanings[int(number[1])] = {int(f[1]): f[2] for f in found if f}
        self.expect(states.get("STATES") == states.get("STATES_COLOR"), "colours of other states")
        used = {record[7] for record in self.of_kind(1)}
        self.expect(used <= set(states.get("STATES", [])), f"states without name: {used}")
        for record in self.of_kind(2):
            for type_, value in zip(record[6::2], record[7::2]):
                self.expect(type_ in self.meanings and
                            (not self.meanings[type_] or value in self.meanings[type_]),
                            f"event {type_}:{value} has no name")

    def read_names(self, name):
        with open(name, encoding="utf-8", errors="replace", newline="\n") as file:
            lines = file.read().split("\n")
        threads = sum(count for count, _ in self.tasks)
        self.expect(sum(self.processors) == threads, "other processors than threads")
        self.names = {}
        while lines:
            found = re.fullmatch(r"LEVEL ([A-Z]+) SIZE (\d+)", lines.pop(0))
            if not self.expect(found, f"{name}: names that no level has"):
                return
            self.names[found[1]] = lines[:int(found[2])]
            self.expect(lines[int(found[2]):int(found[2]) + 1] == [""] and all(self.names[found[1]]),
                        f"{name}: other names than it says at {found[0]}")
            lines = lines[int(found[2]) + 1:]
        self.expect({level: len(names) for level, names in self.names.items()} ==
                    {"CPU": threads, "NODE": len(self.processors), "TASK": len(self.tasks),
                     "THREAD": threads}, f"{name}: levels")

    def calls(self):
        """Of each (PE, thread): (routine, start, end), from the events; a call ends before the next."""
        calls = collections.defaultdict(list)
        for record in self.of_kind(2):
            values = dict(zip(record[6::2], record[7::2]))
            mine = calls[record[3] - 1, record[4] - 1]
            open_ = bool(mine) and mine[-1][2] is None
            self.expect(ROUTINE in values and bool(values[ROUTINE]) != open_ and
                        bool(values[CLASS]) != open_, f"not by turns begun and ended: {record}")
            if values[ROUTINE]:
                mine.append((self.meanings[ROUTINE].get(values[ROUTINE]), record[5], None))
            elif open_:
                mine[-1] = (*mine[-1][:2], record[5])
        return calls


def transfers_wanted(one):
    return sorted((*((r["peer"], 0, r["pe"], r["thread"]) if is_get(r) else
                     (r["pe"], r["thread"], r["peer"], 0)), r["start"], r["end"], r["bytes"])
                  for r in one.transfers())


for one in exported:
    prv = Paraver(path(one.base))
    got = prv.calls()
    tap.equal(prv.problems[:5], [], f"{one.name}: the trace for Paraver is well formed")
    tap.equal(got, {track: [(r["routine"], r["start"], r["end"]) for r in rows]
                    for track, rows in one.by_track().items()}, f"{one.name}: and has every call")
    tap.equal(sorted((f[3] - 1, f[4] - 1, f[9] - 1, f[10] - 1, f[5], f[11], f[13])
                     for f in prv.of_kind(3)), transfers_wanted(one),
              f"{one.name}: and a communication a transfer")
    if one.name == "scattered":
        tap.equal((prv.processors, prv.tasks, prv.names["NODE"]),
                  ([2, 3, 1], [(1, 1), (3, 2), (1, 1), (1, 3)],
                   ["ev\u00e9n\\x01<&>", r'odd\n"host"\, \xff', "?"]), "processors are those of the hosts")
        tap.equal(prv.names["CPU"], ["PE 0 thread 0", "PE 2 thread 0", "PE 1 thread 0", "PE 1 thread 1",
                                     "PE 1 thread 2", "PE 3 thread 0"], "and have their names")
with open(path("out-small.prv"), encoding="utf-8") as file:
    good = file.read()
for name, wrong in {
        "order": good.replace("\n", "\n2:1:1:1:1:9000:64000001:0:64000002:0\n", 1),
        "object": re.sub(r"\n2:1:1:1:1", "\n2:3:1:1:1", good, count=1),
        "a state": re.sub(r"(\n1:1:1:1:1:0:)\d+", r"\g<1>2000", good, count=1),
        "a name": good.replace(":64000002:", ":64000009:", 1),
        "a time": re.sub(r":\d+_ns", ":9849_ns", good, count=1),
        "reception": re.sub(r"(\n3:\d+:1:\d+:\d+:)\d+:\d+", r"\g<1>1900:9800", good, count=1)}.items():
    with open(path("wrong.prv"), "w", encoding="utf-8") as file:
        file.write(wrong)
    for suffix in ("pcf", "row"):
        shutil.copy(path("out-small." + suffix), path("wrong." + suffix))
    tap.ok(Paraver(path("wrong")).problems, f"the validator finds a wrong one of {name}")

# ---- OTF2 ----


class Archive:
    """An archive as Python's otf2 reads it; problems is what is wrong with it."""

    # Allowed outside of regions: what no call has brought about.
    OUTSIDE = ("RmaWinCreate", "RmaWinDestroy", "RmaOpCompleteNonBlocking")

    def __init__(self, folder):
        self.problems, self.calls = [], collections.defaultdict(list)
        self.kinds, self.windows, self.completed = collections.Counter(), {}, []
        self.states = collections.defaultdict(lambda: {
            "time": 0, "events": 0, "region": None, "collective": False, "open": {}, "ended": set(),
            "requested": set(), "program": False})
        with otf2.reader.open(os.path.join(folder, "trace.otf2")) as trace:
            self.definitions = trace.definitions
            self.check_definitions()
            last = 0
            for location, event in trace.events:
                self.expect(event.time >= last, "not in the order of time", location, event)
                last = event.time
                self.read_event(location, event)
            self.check_end(last)

    def expect(self, condition, *what):
        if not condition:
            # Not all of these objects can be printed as they are.
            self.problems.append(" ".join(
                f"{type(w).__name__} at {w.time}" if hasattr(w, "time") else str(getattr(w, "name", w))
                for w in what))
        return condition

    def check_definitions(self):
        d = self.definitions
        groups = collections.Counter(group.group_type for group in d.groups)
        self.expect(groups == {otf2.GroupType.COMM_LOCATIONS: 1,
                               otf2.GroupType.COMM_GROUP: len(list(d.comms))}, "groups", groups)
        self.threads = {location: tuple(map(int, re.findall(r"\d+", location.name)))
                        for location in d.locations}
        for location, (pe, _) in self.threads.items():
            self.expect(location.group.name == f"PE {pe}" and location.group.system_tree_parent.name,
                        "another group:", location)
        for group in d.groups:
            pes = [self.threads[member] for member in group.members]
            self.expect(len(set(pes)) == len(pes) and all(thread == 0 for _, thread in pes) and
                        all(group.rank(group.location(i)) == i for i in range(len(pes))),
                        "group", group.name, pes)
        world = next(g for g in d.groups if g.group_type == otf2.GroupType.COMM_LOCATIONS)
        self.expect([self.threads[m] for m in world.members] ==
                    [(pe, 0) for pe in range(len(list(d.location_groups)))], "not a rank a PE")

    def read_event(self, location, event):
        kind, state = type(event).__name__, self.states[location]
        self.kinds[kind] += 1
        self.expect(event.time >= state["time"], "earlier than the one before:", location, event)
        state["time"], state["events"] = event.time, state["events"] + 1
        if kind in ("Enter", "Leave") and event.region.paradigm == otf2.Paradigm.USER:
            self.expect(state["region"] is None and state["program"] == (kind == "Leave"),
                        "the program:", location, event)
            state["program"] = kind == "Enter"
        elif kind == "Enter":
            self.expect(state["program"], "outside of the program:", location, event)
            self.expect(state["region"] is None, "in a region already:", location, event)
            state["region"], state["begin"] = event.region, event.time
        elif kind == "Leave":
            self.expect(state["region"] is event.region and not state["collective"] and
                        not state["requested"] and not any(state["open"].values()),
                        "leaves what is open:", location, event)
            self.calls[self.threads[location]].append((event.region.name, state["begin"], event.time))
            state["region"] = None
        else:
            self.expect(state["region"] is not None or kind in self.OUTSIDE, "outside:", location, event)
            self.read_rma(location, kind, event, state)

    def read_rma(self, location, kind, event, state):
        pe, window = self.threads[location][0], getattr(event, "win", None)
        if kind == "RmaCollectiveBegin":
            self.expect(not state["collective"], "two collectives:", location, event)
            state["collective"] = True
            return
        ranks = [self.threads[member][0] for member in window.comm.group.members]
        # None: not created yet; False: no; else when: threads may follow with something at that time.
        destroyed = self.windows.get(pe)
        self.expect(kind == "RmaWinCreate" or destroyed is False or destroyed == event.time,
                    "no window:", location, event)
        self.expect(pe in ranks and getattr(event, "remote", 0) < len(ranks), "not in it:", location, event)
        if kind in ("RmaWinCreate", "RmaWinDestroy"):
            self.expect(destroyed is (None if kind == "RmaWinCreate" else False),
                        "window:", location, event)
            self.windows[pe] = False if kind == "RmaWinCreate" else event.time
        elif kind == "RmaCollectiveEnd":
            self.expect(state["collective"] and (event.root == 2 ** 32 - 1 or event.root < len(ranks)),
                        "ends no collective, or of no root:", location, event)
            state["collective"] = False
        elif kind in ("RmaPut", "RmaGet", "RmaAtomic"):
            self.expect(event.matching_id not in state["ended"], "an id again:", location, event)
            # True: has to be completed before its region is left.
            state["open"][event.matching_id] = "_nbi" not in state["region"].name
        elif kind.startswith("RmaOpComplete"):
            blocking = state["open"].pop(event.matching_id, None)
            self.expect(blocking is (kind == "RmaOpCompleteBlocking"), "completes nothing:", location, event)
            state["ended"].add(event.matching_id)
            if not blocking:
                self.completed.append(event.time)
        elif kind == "RmaRequestLock":
            state["requested"].add(event.lock_id)
        elif kind == "RmaAcquireLock":
            self.expect(event.lock_id in state["requested"], "not requested:", location, event)
            state["requested"].discard(event.lock_id)

    def check_end(self, last):
        clock = self.definitions.clock_properties
        self.expect(clock.timer_resolution == 10 ** 9 and
                    clock.global_offset + clock.trace_length >= last, "clock", clock)
        for location in self.definitions.locations:
            state = self.states[location]
            self.expect(state["region"] is None and not state["open"] and not state["program"] and
                        state["events"] == location.number_of_events, "ends open:", location, state)
        self.expect(all(w is not False for w in self.windows.values()), "windows stay", self.windows)


if not HAS_OTF2:
    refused = command("export", "--otf2", "o", "small")
    tap.ok(refused.status == 2 and len(refused.err.splitlines()) == 1,
           "without OTF2, --otf2 says what to install", refused)
elif otf2 is None:
    tap.skip("Python's otf2 reads archives", "python3-otf2 is not installed")
else:
    for one in exported:
        archive = Archive(one.file("otf2"))
        tap.equal(archive.problems[:5], [], f"{one.name}: the archive is well formed")
        tap.equal(archive.calls, {track: [(r["routine"], r["start"], r["end"]) for r in rows]
                                  for track, rows in one.by_track().items()},
                  f"{one.name}: and has every call")
        tap.equal(archive.kinds["RmaPut"] + archive.kinds["RmaGet"] + archive.kinds["RmaAtomic"],
                  len(one.transfers()), f"{one.name}: and every transfer")
        if one.name == "scattered":
            tap.equal(sorted((c.name, [c.rank(m) for m in c.group.members], [
                archive.threads[m][0] for m in c.group.members]) for c in archive.definitions.comms),
                [("PEs 0, step 2, 2 of them", [0, 1], [0, 2]), ("all PEs", [0, 1, 2, 3], [0, 1, 2, 3])],
                "communicators have their PEs")
        if one.name == "loose":
            tap.equal(archive.completed, [110, 310, 440, 440], "contexts complete what they were used for")

# ---- What is in them ----

if HAS_OTF2 and not shutil.which("otf2-print"):
    tap.skip("otf2-print reads archives", "otf2-tools is not installed")
elif HAS_OTF2:
    anchor = os.path.join("out-small.otf2", "trace.otf2")
    printed = run(["otf2-print", anchor], cwd=FOLDER)
    defined = run(["otf2-print", "-G", anchor], cwd=FOLDER)
    tap.equal((printed.status, printed.err, defined.status, defined.err), (0, "", 0, ""),
              "otf2-print reads it", printed)
    kinds = re.findall(r"^([A-Z_]+) +\d+ +\d+", printed.out, re.MULTILINE)
    wanted = {"ENTER": 34, "LEAVE": 34, "RMA_PUT": 6, "RMA_GET": 2, "RMA_ATOMIC": 4,
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
    tap.ok(re.search(r"^CLOCK_PROPERTIES .*Date: \d{4}-\d\d-\d\d", defined.out, re.MULTILINE),
           "the clock has a date", defined)
    names = re.findall(r'^(?:COMM|GROUP) +\d+  Name: "(.*?)"', defined.out, re.MULTILINE)
    tap.ok(len(names) >= 3 and all(names), "communicators and groups have names", names)
    program = re.search(r'^REGION +0  Name: "(.+?)".*Paradigm: USER', defined.out, re.MULTILINE)
    inside = re.findall(r"^(ENTER|LEAVE) +(\d+) +\d+ +Region: \"(.*?)\"", printed.out, re.MULTILINE)
    ends = {}
    for kind, location, region in inside:
        ends.setdefault(location, []).append((kind, region))
    tap.ok(program and len(ends) == 4 and all(
        of[0] == ("ENTER", program.group(1)) and of[-1] == ("LEAVE", program.group(1))
        for of in ends.values()), "the program's region encloses the calls of each thread", ends)
    again = command("export", "--otf2", "out-small.otf2", "small")
    tap.ok(again.status == 2 and "not empty" in again.err, "a folder in use is not overwritten",
           again)
    make("mostly-gone", f"pe 0 5000 1\n{put(100, 1)}end exit\n")
    gone = command("export", "--otf2", "gone.otf2", "mostly-gone")
    tap.ok(gone.status == 1 and "5000 PEs, but has files of only 1" in gone.err and
           len(os.listdir(os.path.join(FOLDER, "gone.otf2"))) < 10,
           "thousands of files for PEs that have none are not made", gone)
    for one in exported:
        read = run(["otf2-print", os.path.join(one.file("otf2"), "trace.otf2")])
        calls = len(re.findall(r"^ENTER .*Region: \"(?:p?shmem_|start_pes)", read.out, re.MULTILINE))
        tap.equal((read.status, read.err, calls), (0, "", len(one.rows)),
                  f"{one.name}: otf2-print reads the archive")

# ---- Calls that overlap and run backwards, which check finds ----

make("astray", f"pe 0 2 1\n{put(100, 1)}{put(105, 1)}{put(50, 1)}end exit\n"
               f"pe 1 2 1\n{put(120, 0)}{barrier(300, size=1)}end exit\n")  # of PE 0 alone
EXPORTS["astray"] = []
astray = Exported("astray")
tap.equal(Paraver(path(astray.base)).problems, [], "astray: the trace for Paraver is well formed")
if HAS_OTF2 and otf2:
    tap.equal(Archive(astray.file("otf2")).problems, [], "astray: the archive is well formed")
# Its end is beyond the last time that there is.
make("backwards", f"beginning -1000\npe 0 1 1\n{put(100, 0, duration=2**63 - 900)}end exit\n")
ran = command("export", "--paraver", "backwards", "backwards")
backwards = Paraver(path("backwards"))
tap.equal((ran.status, backwards.length, backwards.problems), (0, 0, []),
          "backwards: the trace for Paraver is well formed, and has a length", ran)

# ---- A file that viewers do not load with ease ----

make("large", "pe 0 2 1\n" + "".join(put(100 * i, 1) for i in range(1, 200001)) + "end exit\npe 1 2 1\nend exit\n")
large, small = command("export", "--chrome", "large.json", "large"), command("export", "--chrome", "small.json", "--to", "0.01", "large")
megabytes = round(os.path.getsize(path("large.json")) * 1e-6)
tap.ok(large.status == 0 and f"large.json: has {megabytes} MB" in large.err and "--from and --to" in large.err and
       "and 0.02 s" in large.err, "the export to Chrome says that a file is large, and how to get a smaller one", large)
tap.equal((small.status, small.err), (0, ""), "... of which it says nothing")

# ---- What cannot be exported ----

make("twice", "pe 0 2 1\nend exit\n")
shutil.copy(path("twice/pe-00000.trace"), path("twice/pe-00001.trace"))
make("mixed", "pe 0 2 1\nend exit\npe 1 4 1\nend exit\n")
os.mkdir(path("none"))
with open(path("none/pe-00000.trace"), "w", encoding="utf-8") as file:
    file.write("no trace")
for trace, status, message in (("twice", 1, "twice/pe-00001.trace: a second PE 0"),
                               ("mixed", 1, "mixed/pe-00001.trace: a second PE 1, or one of another run"),
                               ("none", 2, "none/pe-00000.trace: this is no trace")):
    for format in FORMATS:
        refused = command("export", "--" + format, f"refused-{trace}-{format}", trace)
        tap.ok(refused.status == status and message in refused.err and
               len(refused.err.splitlines()) == 1, f"{trace}: --{format} says so", refused)

# A file whose second thread has one block, which is cut off, and one that has nothing whole.
make("cut", f"pe 0 2 2\n{put(100, 1)}{put(100, 1, thread=1)}pe 1 2 1\n{put(100, 0)}")
os.truncate(path("cut/pe-00000.trace"), os.path.getsize(path("cut/pe-00000.trace")) - 1)
with open(path("cut/pe-00001.trace"), "r+b") as file:
    file.truncate(file.read().index(b"SBLK") + 5)  # within the head of its only block
for words in (*(["export", "--" + format, f"cut-{format}"] for format in FORMATS), ["merge"]):
    damaged = command(*words, "cut")
    tap.ok(damaged.status == 1 and [text in line for text, line in zip(
        ("ends within a block", "ends within the head"), sorted(damaged.err.splitlines()))] ==
        [True, True] and damaged.err.count("\n") == 2, f"cut: {' '.join(words[:2])} says so", damaged)
tap.equal(len(Paraver(path("cut-paraver")).calls()[0, 0]), 1, "cut: and what is before that is there")

tap.done()
