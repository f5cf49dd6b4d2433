#!/usr/bin/env python3
# LONG
# PLAIN
"""Teams and signals of OpenSHMEM 1.5 are followed completely: who is in which team, what teams do together,
whom their contexts mean by a PE, and where signals go. Programs run on an emulation of 1.5 over the
library, whose tracer is generated for it."""

import glob
import os
import re
import shlex
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
import traces
from harness import ROOT, Tap, in_parallel, run, scratch_directory, skip_all
from traces import TRACE, events_of, read

STUB = os.path.join(ROOT, "tests/support/stub/openshmem-1.5")
PES = 4
# What teams each PE is in, as dump shows it: -2 the shared one, then those that the program makes.
WHO = {
    0: ["-2 (SHMEM_TEAM_SHARED): PEs 0 1 3, 3 of them", "1: PEs 0, step 1, 2 of them",
        "2: PEs 0, step 2, 2 of them"],
    1: ["-2 (SHMEM_TEAM_SHARED): PEs 0 1 3, 3 of them", "1: PEs 1, step 2, 2 of them",
        "2: PEs 1, step 2, 2 of them", "3: PEs 0, step 1, 2 of them", "4: PEs 1, step 2, 2 of them"],
    2: ["-2 (SHMEM_TEAM_SHARED): PEs 2, step 1, 1 of them", "1: PEs 2, step 1, 2 of them",
        "2: PEs 0, step 2, 2 of them"],
    3: ["-2 (SHMEM_TEAM_SHARED): PEs 0 1 3, 3 of them", "1: PEs 1, step 2, 2 of them",
        "2: PEs 1, step 2, 2 of them", "3: PEs 2, step 1, 2 of them", "4: PEs 1, step 2, 2 of them",
        "5: PEs 3, step 1, 1 of them"],
}
# Whom each PE adds to, and whom it puts to, in its column of two and then in the shared team.
ADDS = {0: [0, 0], 1: [1, 0], 2: [0, 2], 3: [1, 0]}
PUTS = {0: [2, 1], 1: [3, 3], 2: [0, 2], 3: [1, 0]}
ENDINGS = {  # status, arguments, settings of the tracer
    "finalize": (0, ["finalize"], {}),
    "exit": (0, ["exit"], {}),
    "abort": (134, ["abort"], {}),
    "kill": (137, ["kill"], {}),
    "ring": (0, ["finalize", "90000"], {"SHMEMTRACE_RING": "256K"}),
    "phase": (0, ["finalize"], {"SHMEMTRACE_PHASE": "3"}),
    "queries": (0, ["finalize"], {"SHMEMTRACE_QUERIES": "1"}),
    "summary": (0, ["finalize"], {"SHMEMTRACE_SUMMARY": "1"}),
    "differ": (0, ["differ"], {}),
}


class Build:
    """A library, a tracer for it, and the program; problem: what went wrong, or None."""

    def __init__(self):
        self.folder, self.problem = scratch_directory(), None
        with open(os.path.join(harness.build_directory(), "flags"), encoding="utf-8") as file:
            compiler, *flags = shlex.split(file.read())
        compile_ = [compiler, f"-I{STUB}/emulation", f"-I{ROOT}", *flags, "-O0", "-g0"]
        self.libs = [f"-L{self.folder}", "-Wl,--no-as-needed", "-lshmem15", f"-Wl,-rpath,{self.folder}"]
        hidden = ["-fPIC", "-fvisibility=hidden", "-c"]
        # An older build may have left objects of files that are gone.
        pic = os.path.join(harness.build_directory(), "pic")
        objects = [name for name in glob.glob(f"{pic}/src/**/*.o", recursive=True)
                   if os.path.exists(os.path.join(ROOT, os.path.relpath(name, pic)[:-2] + ".c"))
                   and not name.endswith("base/memory.o")]
        self.tracer, self.program = self.path("libshmemtrace.so"), self.path("teams")
        self.compiler = shlex.join([*compile_, *self.libs])
        for command in (
                [*compile_, "-fPIC", "-shared", "-DEMULATION_LIBRARY", "-DEMULATION_ALONE=2", "-o",
                 self.path("libshmem15.so"), f"{STUB}/emulation.c", f"{STUB}/library.c", "-ldl"],
                [*compile_, "-o", self.program, f"{STUB}/teams.c", *self.libs],
                ["src/trace/wrappers/generate", "--strict", "--output", self.folder, "--libs",
                 shlex.join(self.libs), "--", *compile_],
                [*compile_, *hidden, "-Werror", "-o", self.path("wrappers.o"), self.path("wrappers.c")],
                [*compile_, *hidden, "-o", self.path("routines.o"), self.path("routines.c")],
                [compiler, "-shared", "-Wl,-z,defs", "-Wl,--wrap=free", "-o", self.tracer, *objects, self.path("wrappers.o"),
                 self.path("routines.o"), *self.libs, "-ldl", "-lpthread", "-lm"]):
            done = run(command, cwd=ROOT, timeout=100)
            if done.status != 0:
                self.problem = done
                return

    def path(self, name):
        return os.path.join(self.folder, name)

    def recorded(self, arguments, settings, np=PES):
        env = {"LD_PRELOAD": self.tracer, "SHMEMTRACE_OUTPUT": TRACE, **settings, **traces.PATIENT}
        return traces.launched(np, arguments, env)


def members(dump):
    """Lines about teams by PE."""
    parts = re.split(r"^# PE (\d+) of .*", dump.out, flags=re.MULTILINE)
    return {int(pe): re.findall("^# team (.*)", part, re.MULTILINE)
            for pe, part in zip(parts[1::2], parts[2::2])}


def test_endings(tap, build):
    """Whatever becomes of the program and its events, members are told."""
    kept = {}
    for (name, (status, _, _)), outcome in in_parallel(
            list(ENDINGS.items()), lambda case: build.recorded([build.program, *case[1][1]], case[1][2]), 2):
        kept[name] = outcome.path(TRACE)
        tap.equal(outcome.status, status, f"{name}: the program ends as it should", outcome)
        if name != "summary":
            tap.equal(members(read("dump", kept[name], "--only", "setup")), WHO,
                      f"{name}: the members of all teams are there")
    return kept


def test_events(tap, kept):
    events = events_of(read("dump", kept["finalize"], "--csv").out)

    def column(name, routine):
        return {pe: [event[name] for event in events if event["routine"] == routine
                     and event["pe"] == str(pe)] for pe in range(PES)}

    def numbers(wanted):
        return {pe: list(map(str, row)) for pe, row in wanted.items()}

    tap.equal(column("peer", "shmem_ctx_long_atomic_add"), numbers(ADDS),
              "peers on contexts of teams are numbered as in the world: atomics")
    tap.equal(column("peer", "shmem_ctx_long_p"), numbers(PUTS), "... and puts")
    tap.equal(column("context", "shmem_ctx_long_p"), {pe: ["1", "2"] for pe in range(PES)},
              "contexts of teams are numbered")
    tap.equal(column("result", "shmem_team_split_strided"),
              {0: ["-1", "-1"], 1: ["1", "2", "-1"], 2: ["-1", "-1"], 3: ["1", "2", "5"]},
              "splits say which team came of them")
    puts = [event for event in events if event["routine"] == "shmem_putmem_signal"]
    waits = [event for event in events if event["routine"] == "shmem_signal_wait_until"]
    tap.ok(len(puts) == PES and all(event["peer"] == str((int(event["pe"]) + 1) % PES)
                                    and (event["signal"], event["value"]) == ("static", "7")
                                    for event in puts), "a put with signal", puts)
    tap.equal({event["signal_offset"] for event in puts}, {event["target_offset"] for event in waits},
              "what waits for a signal waits at the signal's place")
    text = read("dump", kept["finalize"], "--only", "shmem_putmem_signal").out
    tap.ok(re.search(r"options=\d+, signal=static\+\d+\)", text), "... which is shown", text)
    json = run([traces.command(), "export", "--chrome", "-", kept["finalize"]]).out
    tap.equal(json.count('"signal":"static","signal_offset":'), PES, "... and exported")
    split, after = ([event for event in events if event["pe"] == "1"][i] for i in (3, 4))
    since = float(after["start"]) - float(split["start"]) - float(split["duration"])
    tap.ok(split["routine"] == "shmem_team_split_2d" and float(after["burst"]) < since - 5e-10,
           "what the tracer asks about a team is in no burst", f"{split}\n{after}")
    asked = traces.calls(events_of(read("dump", kept["queries"], "--csv").out))
    tap.equal([(asked[pe, "shmem_team_n_pes"], asked[pe, "shmem_team_translate_pe"]) for pe in range(PES)],
              [(2, 0)] * PES, "what the tracer asks about teams is no event")


def test_check(tap, kept):
    for name in ("finalize", "exit", "queries", "summary"):
        checked = read("check", kept[name])
        tap.ok(checked.status == 0 and not checked.err, f"{name}: check finds nothing", checked)
    sets = re.search(r"collective calls: (\d+)", read("check", kept["finalize"]).out)
    # The world; rows 0 1 and 2 3; columns 0 2 and 1 3; 1 3 twice besides; those that share memory.
    tap.equal(sets and sets.group(1), "9", "collectives of each team are compared")
    told, ring = read("check", kept["differ"]), read("check", kept["ring"])
    parts = ("team no. 3 of PEs 1, step 2, 2 of them: collective 0 is ", "shmem_collectmem() on PE 1",
             "shmem_fcollectmem(elements=3, bytes=3) on PE 3", "; 1 finding\n")
    tap.ok(told.status == 1 and all(part in re.sub(r" at main\S*( \(\S+\))?", "", told.out) for part in parts),
           "a PE that calls another collective is told", told)
    tap.ok(ring.status == 0 and "events were not kept" in ring.err, "the ring lost events", ring)


def test_otf2(tap, kept):
    if not shutil.which("otf2-print") or harness.build_config().get("SKAMPI_OTF2") != "1":
        tap.skip("export --otf2", "no OTF2")
        return
    folder = os.path.join(scratch_directory(), "otf2")
    done = run([traces.command(), "export", "--otf2", folder, "--only",
                "context,collective,synchronization", kept["ring"]])
    tap.equal((done.status, done.err), (0, ""), "export --otf2 of a ring", done)
    defined = run(["otf2-print", "-G", os.path.join(folder, "trace.otf2")]).out
    groups = {name: re.findall(r"(\d+) \(", rest) for name, rest in re.findall(
        r'^GROUP +\d+ +Name: "([^"]*)".*COMM_GROUP.*Members?: (.*)', defined, re.MULTILINE)}
    wanted = {"team of PEs 0, step 1, 2 of them": ["0", "1"],
              "team of PEs 1, step 2, 2 of them": ["1", "3"],
              "team no. 3 of PEs 1, step 2, 2 of them": ["1", "3"],
              "SHMEM_TEAM_SHARED of PEs 0 1 3, 3 of them": ["0", "1", "3"]}
    tap.equal({name: groups.get(name) for name in wanted}, wanted, "groups have the members", defined)
    printed = run(["otf2-print", os.path.join(folder, "trace.otf2")]).out
    ends = re.findall(r'^RMA_COLLECTIVE_END.*Operation: (\w+).*Window: "([^"]*)".*Root: ([^,]*)', printed,
                      re.MULTILINE)
    tap.equal([sum(window.startswith(name) for _, window, _ in ends) for name in (
        "team of PEs 0, step 2", "SHMEM_TEAM_SHARED of PEs 0 1 3", "team of PEs 1, step 2")],
              [8, 9, 6], "collectives of teams are those of their windows", printed[-3000:])


def test_shmembench(tap, build):
    """Lists of calls know signals, too."""
    bench, folder = os.path.join(ROOT, "scripts/shmembench"), scratch_directory()
    with open(os.path.join(folder, "c.conf"), "w", encoding="utf-8") as file:
        file.write("1 1 9 1\n6 6 9 1\n")
    written = run([bench, "c.conf", "--cc", build.compiler, "--api", "shmem_putmem_signal*", "--pes",
                   "2"], cwd=folder)
    folder = os.path.join(folder, "shmembench.out")
    made = run(["make", "CFLAGS=-O0"], None, 100, folder) if written.status == 0 else written
    if not tap.ok(written.status == 0 and made.status == 0, "shmembench writes puts with signals",
                  f"{written}\n{made}"):
        return
    for stem in ("test1_put", "test6_nonblocking"):
        outcome = build.recorded([os.path.join(folder, f"{stem}_c")], {}, 2)
        verdict = run([bench, "compare", outcome.path(TRACE),
                       os.path.join(folder, f"{stem}.expected-2.csv"), "--shmemtrace",
                       traces.command()])
        tap.ok(outcome.status == 0 and verdict.status == 0 and " 0 different, 0 missing" in verdict.out,
               f"the trace of {stem} shows the calls of the list", f"{outcome}\n{verdict}")


def main():
    if not harness.has("SHMEM") or not traces.is_built():
        skip_all("built without OpenSHMEM, or without the tracer")
    if "OpenSHMEM 1.4 " not in harness.build_config().get("CONFIG_SUMMARY", ""):
        skip_all("the emulation is one over OpenSHMEM 1.4")
    tap = Tap()
    build = Build()
    if tap.ok(not build.problem, "a tracer of the emulation is built", build.problem):
        untraced = traces.launched(PES, [build.program])
        tap.equal(untraced.status, 0, "the program does what it should", untraced)
        kept = test_endings(tap, build)
        test_events(tap, kept)
        test_check(tap, kept)
        test_otf2(tap, kept)
        test_shmembench(tap, build)
    tap.done()


main()
