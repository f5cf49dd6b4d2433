#!/usr/bin/env python3
# PLAIN
# TIMEOUT: 240
"""scripts/skampi-history finds when points changed, by state of the machine, says what changed in the environment
there, and ends with a status for continuous integration; files that cannot be used are named and left out."""

import json
import os
import random
import re
import shutil
import sys
import xml.etree.ElementTree
from datetime import datetime, timedelta, timezone

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap, read_records, read_text, run, scratch_directory, skampi, unread_status, write_text
from made_results import HEADER, point, records, write, write_records
from made_states import controls_of, in_rounds, states_of

HISTORY = os.path.join(ROOT, "scripts/skampi-history")
FIRST = datetime(2026, 3, 1, 2, 0, tzinfo=timezone.utc)
LAUNCHES, CHANGE = 24, 16  # files, and the first one after the change
tap = Tap()
scratch = scratch_directory()


def tool(*arguments, **more):
    return run([HISTORY, *arguments], cwd=scratch, **more)


def header_of(number, **more):
    return {"started": (FIRST + timedelta(hours=12 * number)).isoformat(), **more}


def folder(name, factor=lambda number, count: 1.0, header=lambda number: {}, launches=LAUNCHES, seed=1):
    """Files of points of 8, 64 and 512 bytes, two a day. factor, header: by number of the launch. The order of the
    names is not that of time."""
    generator = random.Random(seed)
    path = os.path.join(scratch, name)
    os.makedirs(path)
    for number in range(launches):
        points = [point("put", "Shmem_Put_Round", {"count": count},
                        1e-6 * generator.gauss(1, 0.01) * factor(number, count)) for count in (8, 64, 512)]
        write(os.path.join(path, f"{(7 * number) % launches:02}.json"), points,
              header=header_of(number, **header(number)))
    return path


def everything(*arguments):
    """(run, its JSON)"""
    made = tool(*arguments, "--json", "out.json")
    with open(os.path.join(scratch, "out.json"), encoding="utf-8") as file:
        return made, json.load(file)


# ---- Nothing changed ----

quiet = folder("quiet")
made, told = everything(quiet, "--fail-over", "5%", "--junit", "quiet.xml")
tap.ok(made.status == 0 and "no point has changed" in made.out and told["changes"] == [], "nothing changed: status 0",
       made)
started = [launch["started"] for launch in told["launches"]]
tap.ok(started == sorted(started) and len(started) == LAUNCHES, "launches are in the order of their headers' dates",
       started)
tap.equal(everything(quiet, "--fail-over", "5%")[1], told, "the same input gives the same output")

# ---- Too few launches ----

for number in range(3):
    write(os.path.join(scratch, f"few{number}.json"), [point("put", "Shmem_Put_Round", {"count": 8}, 1e-6 + number * 1e-9,
                                                             flags=["few_valid"] * (number == 1))],
          header={"warnings": [f"the node was busy: load {number}.5"], "started": (FIRST + timedelta(minutes=10 * number)).isoformat()})
lines = read_text(scratch, "few2.json").splitlines()
lines.insert(-1, json.dumps({"record": "missing", "kind": "unsupported", "block": "put", "number": 1, "call": "Lost(8)",
                             "reason": "not in this library"}))
write_text(os.path.join(scratch, "few2.json"), "\n".join(lines) + "\n")
made = tool(*(f"few{number}.json" for number in range(3)), "--html", "few.html")
html = read_text(scratch, "few.html")
tap.ok("too few launches to tell" in made.out and "no point has changed" not in made.out, "3 launches tell nothing", made)
tap.ok("Too few launches to tell" in html and "No point has changed" not in html, "... which the page says, too")
for text in ("few0.json and 2 more: the node was busy", "doubtful: 1 of 3 results: 1 few_valid"):
    tap.ok(text in made.err and text in html, f"what speaks against values is said: {text}", made)
LOST = "put: Lost(8): unsupported: not in this library (in 1 of 3 launches)"
tap.ok(f"not measured:\n  {LOST}\n" in made.out and LOST in html, "what a launch did not measure is listed", made)
ticks = re.findall(r'text-anchor="middle">([^<]*)</text>', html)[:-2]
tap.ok(len(ticks) > 2 and len(set(ticks)) == len(ticks) and all(":" in tick for tick in ticks),
       "launches of one hour are told apart by the labels of the axis", ticks)

# ---- A change, and what changed with it ----


def environment(number):
    return {"library": "lib 1.1" if number >= CHANGE else "lib 1.0", "kernel": "6.2" if number >= CHANGE - 1 else "6.1",
            "environment": {"UCX_TLS": "tcp"} if number >= CHANGE else {},
            "command_line": f"skampi -i a.ski -o 'day {number}.json'",
            "nodes": [{**HEADER["nodes"][0], "name": f"node{number % 2}"}]}


slower = folder("slower", lambda number, count: 1.2 if number >= CHANGE and count > 8 else 1.0, environment)
made, told = everything(slower, "--fail-over", "5%", "--junit", "slower.xml", "--html", "slower.html")
tap.ok(made.status == 1 and len(told["changes"]) == 1, "a change is found, and --fail-over ends with 1", made)
tap.equal(unread_status([HISTORY, slower, "--fail-over", "5%"], scratch), 1, "... also if nobody reads it")
change = told["changes"][0]
tap.ok(change["after"] == CHANGE and
       {told["points"][p["point"]]["variables"]["count"] for p in change["points"]} == {"64", "512"},
       "points that changed together are one group, at the launch", change)
tap.ok(all(abs(p["ratio"] - 1.2) < 0.03 for p in change["points"]), "... with the change of their levels", change)
found = {d["name"]: (d["old"], d["new"], d["late"], d["times"]) for d in change["environment"]}
tap.equal({name: found.get(name) for name in ("library", "environment UCX_TLS", "kernel", "command line")},
          {"library": ("lib 1.0", "lib 1.1", 0, 1), "environment UCX_TLS": ("not stated", "tcp", 0, 1),
           "kernel": ("6.1", "6.2", -1, 1), "command line": None}, "the environment that changed there is named")
tap.ok(found["hosts"][3] == LAUNCHES - 1 and change["environment"][-1]["name"] == "hosts",
       "... what changes all the time comes last", found)
tap.ok("environment: library: lib 1.0 -> lib 1.1\n" in made.out and "(1 launch earlier)" in made.out and
       "2 slower" in made.out, "... also in the text", made)
suite = xml.etree.ElementTree.parse(os.path.join(scratch, "slower.xml")).getroot().find("testsuite")
cases = {case.get("name").split(" ")[0]: case.find("failure") for case in suite.findall("testcase")}
tap.ok(len(cases) == 3 and suite.get("failures") == "2" and cases["Shmem_Put_Round(count=8)"] is None and
       "lib 1.1" in cases["Shmem_Put_Round(count=64)"].text, "JUnit: a case for each point, failures with the reason",
       cases)
tap.equal(tool(slower, "--fail-over", "30%").status, 0, "less than the limit is no failure")
tap.equal(tool(slower).status, 0, "... nor is anything without a limit")
faster = folder("faster", lambda number, count: 0.8 if number >= CHANGE else 1.0)
tap.equal(everything(faster, "--fail-over", "5%")[0].status, 0, "faster is no failure")
day = f"{FIRST + timedelta(hours=12 * CHANGE):%Y-%m-%d}"
tap.equal([tool(slower, "--fail-over", "5%", "--baseline", base).status for base in
           (day, "2026-03-02", f"{slower}/{(7 * 20) % LAUNCHES:02}.json", f"{slower}/00.json")], [0, 1, 0, 1],
          "--baseline: a day or a file whose level is the one to keep")
page = read_text(scratch, "slower.html")
tap.ok(page.count('class="change"') == 2 and page.count('<figure class="plot"') == 3 and "lib 1.0 -&gt; lib 1.1" in page,
       "the page has a line for each point and marks its changes")
tap.ok("http://" not in page.split("<main>")[1].split("</main>")[0] and "src=" not in page.split("<script>")[0],
       "... and needs no other file")

# ---- States of the machine ----


def stateful(name, slow_share, change=1.0):
    """A barrier of two levels, a factor of 2.5 apart; slow_share: by launch, of rounds in the slow state."""
    generator = random.Random(2)
    path = os.path.join(scratch, name)
    os.makedirs(path)
    for number in range(LAUNCHES):
        states = [2 if generator.random() < slow_share(number) else 1 for _ in range(8)] + [1, 2]
        level = {1: 2e-7, 2: 5e-7 * (change if number >= CHANGE else 1.0)}
        medians = [level[state] * generator.gauss(1, 0.01) for state in states]
        shares = {state: states.count(state) / len(states) for state in (1, 2)}
        lines = records([in_rounds(point("barrier", "Shmem_Barrier", {}, 2e-7), medians, states)],
                        header=header_of(number))
        lines[-1:-1] = states_of(shares)
        write_records(os.path.join(path, f"{number}.json"), lines)
    return path


mixture = stateful("mixture", lambda number: 0.8 if number >= CHANGE else 0.1)
made, told = everything(mixture, "--fail-over", "5%")
tap.ok(made.status == 0 and [p["state"] for p in told["points"]] == [1, 2] and not told["changes"],
       "more time in a slow state is no change", made)
tap.equal(tool(mixture, "--fail-over", "5%", "--no-states").status, 1, "... but with --no-states it is one")
made, told = everything(stateful("state", lambda number: 0.5, 1.2), "--fail-over", "5%")
tap.ok(made.status == 1 and [[p["point"] for p in c["points"]] for c in told["changes"]] == [[1]] and
       "state 2 (hand-over 164 ns)" in made.out, "a change in one state is found in that state", made)

# ---- What skampi writes ----



def of_libraries(name, slow, shared):
    """Nights of a library, and after CHANGE of one that hands over, and measures, `slow` times as slowly. shared: by
    launch, its hand-over in shared memory; None: not known."""
    where = os.path.join(scratch, name)
    os.makedirs(where)
    for number in range(LAUNCHES):
        factor, generator = slow if number >= CHANGE else 1, random.Random(number)
        medians = [2e-7 * factor * generator.gauss(1, 0.01) for _ in range(8)]
        lines = records([in_rounds(point("barrier", "Shmem_Barrier", {}, 2e-7), medians, [1] * 8)],
                        header=header_of(number, library=f"lib {1 + (number >= CHANGE)}"))
        lines[-1:-1] = states_of({1: 1.0}, {1: 61e-9 * factor})
        if shared:
            lines[-1:-1] = [{**controls_of([1] * 4, values={1: 61e-9 * factor}), "hand_over_shared": [shared(number)] * 4}]
        write_records(os.path.join(where, f"{number:02}.json"), lines)
    return where


for name, shared in (("shared", lambda number: 60e-9), ("states too", lambda number: 60e-9 * (1 + 2 * (number % 2))),
                     ("apart", None)):
    made, told = everything(of_libraries(name, 20, shared), "--fail-over", "5%")
    tap.ok(made.status == 1 and len(told["changes"]) == 1 and abs(told["changes"][0]["after"] - CHANGE) < 2
           and len(told["points"]) == (2 if name == "states too" else 1),
           f"a library whose hand-over is slower is a change, and no state: {name}", made)
crashed = folder("crashed", lambda number, count: 1.0)
lines = read_records(crashed, "03.json")
lines[-1].update(status=139, reason="PE 1: segmentation fault")
write_records(os.path.join(crashed, "03.json"), lines)
made = tool(crashed)
tap.ok(made.status == 3 and "03.json: left out: its run failed: PE 1: segmentation fault" in made.err,
       "a run that crashed is named and left out", made)

# Without states, since the machine may be in another one in the second launch: then there are two series.
measured = [skampi('set_controls(0) begin measurement "t" measure comm(1) : wtime(100) end measurement', np=1,
                   args=["-o", "a.json"]) for _ in range(2)]
made, told = everything(*(one.path("a.json") for one in measured))
tap.ok(made.status == 0 and len(told["launches"]) == 2 and len(told["points"][0]["values"]) == 2 and
       len(told["points"]) == 1 and None not in told["points"][0]["values"] and
       told["points"][0]["block"] == "t", "files of skampi become a series", (made, *measured))

# ---- Files that cannot be used ----

hostile = os.path.join(scratch, "hostile")
shutil.copytree(quiet, hostile)
whole = records([point("put", "Shmem_Put_Round", {"count": 8}, 1e-6)], header=header_of(50))
bad = {"cut.json": whole[:-1], "undated.json": [{**whole[0], "started": "yesterday"}, *whole[1:]],
       "old.json": [{**whole[0], "schema": 99}, *whole[1:]], "far.json": [{**whole[0], "started": "9999-12-31T23:59:59-23:00"}, *whole[1:]]}
for name, lines in bad.items():
    write_records(os.path.join(hostile, name), lines)
write_text(os.path.join(hostile, "half.json"), "\n".join(map(json.dumps, whole[:-1])) + '\n{"record":"en')
for name, text in (("empty.json", ""), ("binary.json", "\0\xff\n\n"), ("other.json", '{"a": 1}\n'),
                   ("deep.json", '{"record":' * 3000)):
    with open(os.path.join(hostile, name), "w", encoding="latin-1") as file:
        file.write(text)
os.mkfifo(os.path.join(hostile, "pipe.json"))
os.mkdir(os.path.join(hostile, "folder.json"))
os.symlink("nowhere", os.path.join(hostile, "link.json"))
shutil.copy(os.path.join(hostile, "00.json"), os.path.join(hostile, "zcopy.json"))
names = {*bad, "half.json", "empty.json", "binary.json", "other.json", "deep.json", "pipe.json", "folder.json",
         "link.json", "zcopy.json"}
made = tool(hostile, "--json", "hostile.json", "--fail-over", "5%", "--junit", "hostile.xml", "--html", "hostile.html",
            timeout=60)
with open(os.path.join(scratch, "hostile.json"), encoding="utf-8") as file:
    told = json.load(file)
tap.equal({os.path.basename(entry["path"]) for entry in told["left_out"]}, names, "what cannot be used is left out")
tap.ok(made.status == 3 and len(told["launches"]) == LAUNCHES and "Traceback" not in made.err and
       all(sum(f"/{name}: left out: " in line for line in made.err.splitlines()) == 1 for name in names),
       "... and named once, with status 3", made)
for name, lines in bad.items():
    write_records(os.path.join(slower, name), lines)
tap.equal(tool(slower, "--fail-over", "5%").status, 1, "a failure counts more than files that are left out")

odd = os.path.join(scratch, "odd")
os.makedirs(odd)
evil = "</script><b>&\"\x01\x1b[31m\u202e]]>"
for number in range(10):
    write(os.path.join(odd, f"{number}.json"), [
        point(evil, evil, {"count": 8}, 1e-6 * (2 if number > 4 else 1), variables={evil: evil}),
        point("zero", "F", {}, 0.0), {**point("none", "F", {}, 1e-6), "median": None, "time": None},
        point("huge", "F", {}, 1e300), point("tiny", "F", {}, 5e-324), point("same", "F", {}, 1e-6),
        point("same", "F", {}, 2e-6)],
        header=header_of(number, library=evil * (1 + number // 5), script={"name": evil, "checksum": evil}))
made = tool(odd, "--fail-over", "5%", "--junit", "odd.xml", "--html", "odd.html", "--all")
tap.ok(made.status == 1 and "\x1b" not in made.out and "10 values that are not above 0" in made.err,
       "names may have anything in them, values that have no ratio are counted", made)
case = xml.etree.ElementTree.parse(os.path.join(scratch, "odd.xml")).getroot().find("testsuite/testcase")
tap.ok("</script><b>&" in case.get("name"), "... JUnit has them as texts", case.attrib)
page = read_text(scratch, "odd.html")
tap.ok("<b>&" not in page and "\x1b" not in page and "\u202e" not in page, "... and so has the page")

# ---- Usage ----

few = folder("few", launches=3)
made = tool(few, "--fail-over", "5%", "--junit", "few.xml")
suite = xml.etree.ElementTree.parse(os.path.join(scratch, "few.xml")).getroot().find("testsuite")
tap.ok(made.status == 0 and "fewer than 8 launches" in made.err and suite.get("skipped") == "3",
       "a few launches say nothing yet, and this is said", made)
os.makedirs(os.path.join(scratch, "empty"))
for arguments, words in ((["empty"], "no .json file"), (["nowhere"], "nothing to show"), ([few, "--junit", "x"], "--fail-over"),
                         ([few, "--fail-over", "5"], "percentage"), ([few, "--least", "1"], "from 2"),
                         ([few, "--fail-over", "5%", "--baseline", "then"], "neither a file nor a date"),
                         ([few, "--fail-over", "5%", "--baseline", "2020-01-01"], "there is no launch before"),
                         ([few, "--fail-over", "5%", "--baseline", f"{hostile}/cut.json"], "left out"),
                         ([few, "--html", "nowhere/a.html"], "nowhere/a.html")):
    made = tool(*arguments)
    tap.ok(made.status == 2 and words in made.err and "Traceback" not in made.err, f"refused: {words}", made)
if os.path.exists("/dev/full"):
    made = tool(few, "--html", "/dev/full")
    tap.ok(made.status == 2 and "/dev/full" in made.err, "a full disk is reported", made)
tap.done()
