#!/usr/bin/env python3
# LONG
# PLAIN
# TIMEOUT: 240
"""scripts/skampi-campaign launches in the order that it promises, keeps what is complete, ends in
order, goes on where it was, and says of its launches what src/stats says of rounds."""

import json
import math
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import made_results
import schema
from harness import (ROOT, Tap, in_parallel, launch_environment, program, read_records, run, scratch_directory,
                     write_text)
from skampi_tools import cli, results, statistics
from skampi_tools.campaign import directory as campaign, read_campaign, summary as campaign_summary

CAMPAIGN = os.path.join(ROOT, "scripts/skampi-campaign")
PROGRAM = os.path.join(ROOT, "tests/support/stub/program")
LAUNCH = "env STUB_PES={pes} STUB_NAME={name}"

tap = Tap()
signal.signal(signal.SIGINT, signal.default_int_handler)  # though this may run in the background


def started(folder, *arguments, **environment):
    """The command line and environment of a campaign in the folder, whose launches cost nothing."""
    script = os.path.join(folder, "my.ski")
    if not os.path.exists(script):
        write_text(script, "x = 1\n")
    environment = {"STUB_LOG": os.path.join(folder, "log"), "SKAMPI_LAUNCH": LAUNCH, **environment}
    return [CAMPAIGN, *(arguments or ["my.ski"])], environment


def launch(folder, *arguments, **environment):
    argv, environment = started(folder, *arguments, **environment)
    if not {"--resume", "--summarize", "--help", "--file"} & set(argv):
        argv[1:1] = ["--program", PROGRAM]
    return run(argv, environment, cwd=folder)


def calls(folder):
    path = os.path.join(folder, "log")
    if not os.path.exists(path):
        return []
    return read_records(path)


def order(folder):
    """["A1", "B1", ...]"""
    return [os.path.basename(os.path.dirname(os.path.dirname(call["output"]))) + str(call["launch"])
            for call in calls(folder)]


def record(folder, *path):
    with open(os.path.join(folder, *path), encoding="utf-8") as file:
        return json.load(file)


# ---- Statistics: the numbers of src/stats ----

SIZES = (0, 1, 4, 5, 6, 7, 10, 31, 100, 1024, 1025, 2000)
CONFIDENCES = (0.5, 0.9, 0.95, 0.99)
AS_IN_C = r"""
#include <stdio.h>
#include <stdlib.h>
#include "stats/rounds.h"
#include "stats/stats.h"

static double x[2000], within[2000];

int main(void)
{
    size_t n, low, high;
    double confidence;
    while (scanf("%zu %lf", &n, &confidence) == 2) {
        for (size_t i = 0; i < n; i++)
            if (scanf("%lf %lf", &x[i], &within[i]) != 2)
                return 1;
        struct rounds r = rounds_of(x, within, n, confidence);
        stats_median_ranks(n, confidence, &low, &high);
        printf("%zu %zu %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", low, high, r.median,
               r.low, r.high, r.next_low, r.next_high, r.reached, r.between, r.within,
               n > 1 ? stats_deviation(x, n) : 0);
    }
    return 0;
}
"""


def same_as_in_c():
    folder = scratch_directory()
    write_text(os.path.join(folder, "rounds.c"), AS_IN_C)
    made = run(["cc", "-I", os.path.join(ROOT, "src"), "-o", "rounds", "rounds.c",
                *(os.path.join(ROOT, "src/stats", name) for name in ("rounds.c", "stats.c")),
                os.path.join(ROOT, "src/base/memory.c"), "-lm"],
               cwd=folder)
    if not tap.equal(made.status, 0, "the statistics in C are built", made):
        return
    cases, text = [], ""
    for size in SIZES:
        for confidence in CONFIDENCES:
            medians = [1e-6 * (1 + (i * 7919 + size) % 1009 / 1000) for i in range(size)]
            within = [1e-8 * ((i * 31) % 97) for i in range(size)]
            cases.append((medians, within, confidence))
            text += f"{size} {confidence}\n" + "".join(f"{a} {b}\n" for a, b in zip(medians, within))
    answers = run([os.path.join(folder, "rounds")], stdin=text).out.splitlines()
    wrong = [] if len(answers) == len(cases) else ["too few answers"]
    for (medians, within, confidence), answer in zip(cases, answers):
        r = statistics.rounds_of(medians, within, confidence)
        here = [*(statistics.median_ranks(len(medians), confidence) if medians else (1, 0)),
                r.median, r.low, r.high, r.next_low, r.next_high, r.reached, r.between, r.within,
                statistics.deviation(medians) if len(medians) > 1 else 0]
        there = [float(number) for number in answer.split()]
        if not medians:
            here[:2] = there[:2]  # there are no ranks
        for number, (a, b) in enumerate(zip(here, there)):
            if math.isnan(a) != math.isnan(b) or abs(a - b) > 1e-8 * abs(b):
                wrong.append((len(medians), confidence, number, a, b))
    tap.ok(not wrong, f"statistics in Python and C agree in {len(cases)} cases", wrong[:10])
    few = statistics.rounds_of([1.0, 0.0, 2.0, 3.0, -1.0])
    tap.ok(few.median == 1 and math.isnan(few.next_low) and few.high == 3,
           "no prediction where values are not above 0")
    below = statistics.rounds_of([-1.0] * 6, [0.1] * 6)
    tap.ok(below.low == -1 and math.isnan(below.between) and math.isnan(below.within),
           "... nor a relative spread")
    tap.ok(statistics.rounds_of([0.0] * 6).low == 0 and
           math.isnan(statistics.rounds_of([0.0] * 6).between), "zeros have no relative spread")


# ---- What is launched ----


def launches():
    folder = scratch_directory()
    done = launch(folder, "-k", "4", "-n", "3", "--set", "X=2", "--env", "STUB_X=one,two", "my.ski",
                  "-c", "A", "--config", "B:pes=5,env.STUB_X=three,four,set.Y=a,b,argument=--raw,"
                  "env.STUB_TIME=2e-6", "--", "--unit", "ns")
    tap.equal(done.status, 0, "a campaign of two configurations", done)
    tap.equal(order(folder), ["A1", "B1", "B2", "A2", "A3", "B3", "B4", "A4"], "... runs A B B A")
    first, second = calls(folder)[:2]
    script = os.path.join(os.path.realpath(folder), "my.ski")
    head = ["-i", script, "-o"]
    tap.ok(first["arguments"][:3] == head and first["arguments"][4:] == ["--set", "X=2", "--unit", "ns"]
           and first["pes"] == "3" and first["variable"] == "one,two",
           "... what is said for all holds for a configuration that says nothing", first)
    tap.ok(second["arguments"][4:] == ["--set", "X=2", "--set", "Y=a,b", "--unit", "ns", "--raw"] and
           second["pes"] == "5" and second["variable"] == "three,four",
           "... and less than what it says", second)

    top = os.path.join(folder, "my.campaign")
    noted = record(top, "launches/B/0002/launch.json")
    tap.ok(noted["kept"] is True and noted["status"] == noted["end_status"] == 0 and
           noted["command"][:3] == ["env", "STUB_PES=5", "STUB_NAME=B"] and
           noted["environment"] == {"STUB_X": "three,four", "STUB_TIME": "2e-6"} and
           noted["seconds"] > 0 and noted["started"] <= noted["finished"],
           "each launch is noted", noted)
    tap.ok(os.path.exists(os.path.join(top, "script.ski")) and
           record(top, "environment.json")["runs"][0]["variables"]["SKAMPI_LAUNCH"] == LAUNCH,
           "script and environment are kept")
    there = read_campaign(top)
    tap.ok(campaign.is_campaign(top) and list(there) == ["A", "B"] and
           all([file.results[0].median for file in there[name]] ==
               [scale * 1e-6 * (1 + i / 100) for i in (1, 2, 3, 4)]
               for name, scale in (("A", 1), ("B", 2))), "read_campaign() reads the launches")
    summary = results.read(os.path.join(top, "summary.json"))
    tap.equal([(r.variables, r.record["rounds"]) for r in summary.rounds],
              [({"configuration": c, "count": n}, 4) for c in "AB" for n in (8, 64)],
              "summary.json has all configurations")

    again = launch(folder, "--resume", "my.campaign")
    tap.ok(again.status == 0 and len(calls(folder)) == 8 and again.out == done.out,
           "a complete campaign runs nothing again", again)

    other = scratch_directory()
    seeds = {}
    for seed in ("1", "1", "7"):
        shown = launch(other, "-k", "20", "--order", "random", "--seed", seed, "my.ski", "--dry-run",
                       "-c", "A", "-c", "B", "-c", "C")
        lines = [line.split(":")[0] for line in shown.out.splitlines() if "-i " in line]
        tap.ok(shown.status == 0 and f"random, seed {seed}" in shown.out and
               lines == seeds.setdefault(seed, lines), "random orders are told by their seed", shown)
    passes = [lines[i:i + 3] for lines in seeds.values() for i in range(0, 60, 3)]
    tap.ok(seeds["1"] != seeds["7"] and
           all(sorted(name[0] for name in p) == list("ABC") and len({name[1:] for name in p}) == 1
               for p in passes) and len({tuple(name[0] for name in p) for p in passes}) == 6,
           "... every pass has each configuration once, in all orders")
    tap.ok(os.listdir(other) == ["my.ski"], "--dry-run runs and leaves nothing", os.listdir(other))
    shown = launch(other, "--launch", "sh -c 'exec \"$0\" \"$@\"'", "--env", "A=b c", "my.ski",
                   "--dry-run", "-k", "1")
    line = next((line for line in shown.out.splitlines() if line.startswith("default 1: ")), "")
    tap.ok(line.startswith("default 1: A='b c' sh -c 'exec \"$0\" \"$@\"' " + PROGRAM),
           "... and shows lines that a shell would take", shown)


# ---- What they say together ----


def summary():
    folder = scratch_directory()
    done = launch(folder, "-k", "6", "my.ski", STUB_BEHAVIOUR="1=doubt,3=less,4=doubt,5=fail,6=doubt")
    top = os.path.join(folder, "my.campaign")
    tap.equal(done.status, 3, "launches with status 3 are complete, and so ends the campaign", done)
    tap.ok("not measured:\n  put: Shmem_Put_Other(8): unsupported: not in this library (in 1 of 6 launches)\n" in done.out,
           "what is missing is listed, and why", done)
    file = results.read(os.path.join(top, "summary.json"))
    small, large = file.rounds
    # 1.01 ... 1.06 us: ranks 1 and 6 of 6; quartiles 1.0225 and 1.0475
    wanted = {"median": 1.035e-6, "median_low": 1.01e-6, "median_high": 1.06e-6, "reached": 1 - 2 / 64,
              "between": 0.025 / 1.035, "within": 0.04, "confidence": 0.95}
    for name, value in wanted.items():
        tap.near(getattr(small, name), value, 1e-9, f"the summary's {name}")
    tap.ok(small.next_low < small.median_low and small.next_high > small.median_high,
           "... and prediction interval")
    tap.ok(small.flags == ["few_valid"] and
           small.notes == ["few_valid: in 3 of 6 launches", "levels: in 1 of 6 launches"],
           "flags of half of the launches are kept; all are noted, with how often", f"{small.flags} {small.notes}")
    tap.ok(large.record["rounds"] == 5 and large.record["medians"][2] is None and
           large.notes == ["nothing in 1 of 6 launches: 3"], "a point may be missing", large.record)
    tap.ok(file.end["status"] == 3 and any(
        r["record"] == "missing" and r["reason"] == "not in this library (in 1 of 6 launches)"
        for r in file.records), "what was not measured is said", file.records)
    tap.equal([r.key for r in results.read(os.path.join(top, "summaries/default.json")).rounds],
              [r.key for r in results.read(os.path.join(top, "launches/default/0001/results.json"))
               .results], "a configuration's summary has the keys of its launches")
    table = results.read(os.path.join(top, "summary.csv"))
    tap.equal([(r.key, r.median, r.medians[0]) for r in table.rounds],
              [(r.key, r.median, r.medians[0]) for r in file.rounds], "summary.csv says the same")
    for text in ("median [µs]", "1.035  1.010 - 1.060", "2.4 %", "6 *\n", "5\n", "(count=8)", "median of launches"):
        tap.ok(text in done.out, f"the table shows {text}", done)
    schema.check(tap, "summaries", [record for name in ("summary.json", "summaries/default.json") for record in
                                    read_records(top, name)])

    other = run([CAMPAIGN, "--summarize", "my.campaign", "--confidence", "60"], cwd=folder)
    tap.ok(other.status == 3 and "60 %" in other.out, "--summarize aggregates again", other)
    shown = run(["sh", "-c", f"'{CAMPAIGN}' --summarize my.campaign --confidence 60 | true"], cwd=folder)
    tap.ok(shown.status == 0 and not shown.err, "... also for who does not read to the end", shown)
    narrow = results.read(os.path.join(top, "summary.json")).rounds[0]
    tap.near(narrow.median_low, 1.02e-6, 1e-9, "... at another confidence")

    few = launch(scratch_directory(), "-k", "2", "my.ski", "-c", "A", "-c", "B")
    tap.ok(few.status == 0 and "---" in few.out and "fewer than 5 launches" in few.out,
           "two launches have no interval, and it is said", few)
    five = launch(scratch_directory(), "-k", "5", "my.ski", "-c", "A", "-c", "B")
    tap.ok("93.8 %" in five.out and "even number" in five.err,
           "five launches reach less than 95 %, and do not cancel a drift", five)

    points = made_results.records([made_results.point("b", "F", {"count": 8}, 1e-6, variables={"i": 3})])
    file = results.ResultFile("made")
    for number, load in enumerate(("1.5 on 2", "9.25 on 4")):
        for record in points:
            file.add({**record, "warnings": [f"busy: load {load}", "not bound"][:2 - number]}
                     if record["record"] == "header" else record)
        if number == 0:
            other, file = file, results.ResultFile("made")
    files = [other, file]
    states = campaign_summary.states_of({"A": files})
    both = campaign_summary.summarize({"A": files}, {"A": campaign_summary.aggregate(files, 0.95, states["A"])},
                                      {"launches": 2, "configurations": [{}]}, 0.95, states)
    tap.equal(both.header["warnings"], ["busy: load 1.5 on 2 (in 2 of 2 launches)",
                                        "not bound (in 1 of 2 launches)"], "warnings are told once")
    tap.ok("F(count=8) [i=3]" in "\n".join(campaign_summary.table([{}], {"A": both})),
           "points are named by call and variables")

    # A launch with rounds: its value is their median, its spread the larger of the two.
    rounds = {"record": "rounds", "block": "b", "call": "f()", "median": 2.0, "within": 0.1,
              "medians": [1.0, 2.0, None, 4.0]}
    tap.near(campaign_summary.spread_within(results.Result(rounds)), 1.5, 1e-12,
             "a launch with rounds has their spread")


# ---- Failures, and going on ----


def going_on():
    folder = scratch_directory()
    top = os.path.join(folder, "my.campaign")
    broken = {1: "cut", 2: "crash", 3: "damage", 4: "none"}
    done = launch(folder, "-k", "6", "my.ski", STUB_BEHAVIOUR=",".join(
        f"{number}={what}" for number, what in {**broken, 5: "late"}.items()))
    tap.ok(done.status == 3 and len(calls(folder)) == 6, "failing launches do not stop a campaign", done)
    tap.ok("4 failed" in done.err and "--resume my.campaign" in done.err and
           "Segmentation fault" in done.err, "... and are told", done)
    tap.ok(record(top, "launches/default/0005/launch.json")["kept"] and
           record(top, "launches/default/0005/launch.json")["why"] == "the launcher ended with 1",
           "complete results count, however the launcher ended")
    whys = [record(top, f"launches/default/000{i}/launch.json")["why"] for i in broken]
    early = "the results end too early"
    tap.ok(whys[:2] == [early, early] and "not a record" in whys[2] and whys[3] == "no results",
           "why a launch does not count is noted", whys)
    tap.equal(len(campaign.read_campaign(top)["default"]), 2, "only complete launches are read")

    again = launch(folder, "--resume", "my.campaign", STUB_BEHAVIOUR="4=cut")
    tap.ok(again.status == 3 and order(folder)[6:] == [f"default{i}" for i in broken],
           "going on runs what is not complete, and that alone", again)
    tap.ok(os.path.exists(os.path.join(top, "launches/default/0002.broken-1/stderr.txt")),
           "... and keeps the logs of what failed")
    last = launch(folder, "-k", "6", "my.ski")
    tap.ok(last.status == 0 and order(folder)[10:] == ["default4"] and
           os.path.exists(os.path.join(top, "launches/default/0004.broken-2")),
           "the same command goes on, too", last)
    more = launch(folder, "--resume", "my.campaign", "-k", "7")
    tap.ok(more.status == 0 and order(folder)[11:] == ["default7"], "launches may be added", more)

    kept = sorted(os.listdir(os.path.join(top, "launches/default")))
    for arguments, text in (
            (["-k", "6", "my.ski"], "a campaign of 7 launches"),
            (["-k", "7", "-n", "3", "my.ski"], "configurations[default].pes was 2 and is 3"),
            (["-k", "7", "my.ski", "-c", "A"], "configurations[default]"),
            (["-k", "7", "my.ski", "--", "--raw"], "arguments")):
        refused = launch(folder, *arguments)
        tap.ok(refused.status == 2 and text in refused.err and refused.err.count("\n") == 1,
               f"another definition is refused: {text}", refused)
    with open(os.path.join(folder, "my.ski"), "a", encoding="utf-8") as file:
        file.write("y = 1\n")
    for arguments in (["-k", "7", "my.ski"], ["--resume", "my.campaign"]):
        refused = launch(folder, *arguments)
        tap.ok(refused.status == 2 and "script.sha256" in refused.err and "remove it" in refused.err,
               "a changed script is refused", refused)
    tap.equal(sorted(os.listdir(os.path.join(top, "launches/default"))), kept, "... and nothing changes")

    folder = scratch_directory()
    done = launch(folder, "-k", "3", "my.ski", "-c", "A", "-c", "B:env.STUB_BEHAVIOUR=1=refuse",
                  "--retries", "1")
    tap.ok(done.status == 3 and order(folder) == ["A1", "B1", "B1", "A2", "A3"] and
           "my.ski:1:1: error: made to be refused" in done.err and "B was given up" in done.err,
           "a configuration that measures nothing is given up, after its retries", done)
    none = launch(scratch_directory(), "-k", "2", "my.ski", STUB_BEHAVIOUR="1=none,2=none")
    tap.ok(none.status == 3 and not none.out and "2 failed" in none.err, "nothing may be complete", none)


def process_gone(number):
    for _ in range(50):
        try:
            with open(f"/proc/{number}/stat", encoding="utf-8") as file:
                if file.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except OSError:
            return True
        time.sleep(0.1)
    return False


def stopped(case):
    """A campaign whose second launch hangs, sent a signal; (status, err, folder)."""
    number, behaviour = case
    folder = scratch_directory()
    argv, environment = started(folder, "--program", PROGRAM, "-k", "3", "my.ski",
                                STUB_BEHAVIOUR=f"2={behaviour}")
    child = subprocess.Popen(argv, cwd=folder, env={**os.environ, **environment},
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        hanging = os.path.join(folder, "my.campaign/launches/default/0002/stderr.txt")
        for _ in range(300):
            if os.path.exists(hanging) and os.path.getsize(hanging):
                break
            time.sleep(0.1)
        second = launch(folder, "-k", "3", "my.ski")
        child.send_signal(number)
        out, err = child.communicate(timeout=80)
    finally:
        child.kill()
    return child.returncode, err.decode(), folder, second


def ends():
    cases = [(signal.SIGINT, "hang"), (signal.SIGTERM, "hang"), (signal.SIGTERM, "ignore"),
             (signal.SIGKILL, "hang")]
    for (number, behaviour), (status, err, folder, second) in in_parallel(cases, stopped):
        name = number.name + (" to a launch that takes none" if behaviour == "ignore" else "")
        top = os.path.join(folder, "my.campaign")
        tap.ok(second.status == 2 and "a campaign is running there (process " in second.err and
               second.err.count("\n") == 1, "two campaigns in one directory are refused", second)
        pid = calls(folder)[1]["pid"]
        if number == signal.SIGKILL:
            os.kill(pid, signal.SIGKILL)  # the launch, which goes on
        else:
            tap.ok(status == 128 + number and "2 not run" in err, f"{name}: ends with its status",
                   f"{status} {err}")
            tap.ok(process_gone(pid), f"{name}: ... and its launch with it")
            tap.equal(record(top, "launches/default/0002/launch.json")["why"], f"ended by {number.name}",
                      f"{name}: ... which is noted")
            tap.ok(os.path.exists(os.path.join(top, "summary.json")), f"{name}: ... what is there is summed up")
        again = launch(folder, "--resume", "my.campaign")
        tap.ok(again.status == 0 and order(folder)[2:] == ["default2", "default3"],
               f"{name}: it goes on afterwards", again)

    folder = scratch_directory()
    # On a busy machine the first launch takes seconds, and the second one begins only if as many are left.
    limited = launch(folder, "-k", "3", "--time-limit", "8s", "my.ski", STUB_BEHAVIOUR="2=hang")
    tap.ok(limited.status == 4 and limited.seconds < 60 and "2 not run" in limited.err and
           len(calls(folder)) == 2, "--time-limit ends what runs", limited)
    again = launch(folder, "--resume", "my.campaign", "--time-limit", "0")
    tap.ok(again.status == 4 and len(calls(folder)) == 2 and "2 not run" in again.err,
           "... and begins nothing that does not fit", again)
    folder = scratch_directory()
    # The others take seconds on a busy machine; the one that hangs takes 100.
    long = launch(folder, "-k", "3", "--timeout", "8", "my.ski", STUB_BEHAVIOUR="2=hang")
    tap.ok(long.status == 3 and order(folder) == ["default1", "default2", "default3"] and
           "took too long" in long.err, "--timeout ends a launch, and goes on", long)


# ---- Wrong usage ----


def refusals():
    folder = scratch_directory()
    os.makedirs(os.path.join(folder, "full"))
    for name, text in (("full/file", ""), ("a.json", "{\n\"script\": \"my.ski\",\n}\n"),
                       ("b.json", '{"script": "my.ski", "lunches": 3}'), ("c.json", "[1]"),
                       ("d.json", '{"script": "my.ski", "configurations": [{"name": "A", "pes": "2"}]}'),
                       ("e.json", '{"script": "my.ski", "launches": true}'), ("f.json", ""),
                       ("g.json", '{"launches": 1}'), ("h.json", "[" * 100000),
                       ("i.json", '{"script": "my.ski", "environment": {"A=B": "x"}}'),
                       ("j.json", '{"script": "my.ski", "configurations": [{"name": "../x"}]}')):
        write_text(os.path.join(folder, name), text)
    cases = (
        ([], "give a script"),
        (["nowhere.ski"], "nowhere.ski: there is no such script"),
        (["-k", "0", "my.ski"], "--launches: 0: give a whole number from 1 to 9999"),
        (["-k", "many", "my.ski"], "--launches: many: give a whole number"),
        (["-n", "-2", "my.ski"], "--pes: -2: give a whole number"),
        (["--launch", "nosuchlauncher -n {pes}", "my.ski"], "nosuchlauncher: there is no such"),
        (["--launch", "env {ranks}", "my.ski"], "unknown {ranks}"),
        (["--launch", "env 'x", "my.ski"], "no closing quotation"),
        (["--program", "nowhere", "my.ski"], "program: nowhere: there is no such program"),
        (["--set", "X", "my.ski"], "set[0]: X: give NAME=EXPR"),
        (["--env", "X", "my.ski"], "--env X: give NAME=VALUE"),
        (["-c", "A", "-c", "A", "my.ski"], "two of that name"),
        (["-c", "../A", "my.ski"], 'configurations[0].name: give at most 64 letters'),
        (["-c", "A:ps=3", "my.ski"], "ps: unknown; there are pes"),
        (["-c", "A:pes=3,pes=4", "my.ski"], "pes is given twice"),
        (["-c", "A:pes=x", "my.ski"], "pes: give a whole number from 1"),
        (["--time-limit", "soon", "my.ski"], "give a time such as 90"),
        (["--confidence", "100", "my.ski"], "give a percentage from 50"),
        (["--lunch", "my.ski"], "unknown option --lunch"),
        (["-o", "full", "my.ski"], "full: this exists and is not a campaign"),
        (["-o", "my.ski", "my.ski"], "my.ski: this exists and is not a campaign"),
        (["-o", "/dev/full/x", "my.ski"], "/dev/full/x: Not a directory"),
        (["--resume", "full"], "there is no campaign.json in it"),
        (["--resume", "nowhere"], "nowhere: there is no such directory"),
        (["--summarize", "full"], "there is no campaign.json in it"),
        (["--resume", "full", "my.ski"], "--resume: give only options of how it runs"),
        (["--file", "a.json"], "a.json:3:1: not JSON"),
        (["--file", "b.json"], "b.json:1:22: lunches: unknown; did you mean launches?"),
        (["--file", "c.json"], "c.json:1:1: give an object with script"),
        (["--file", "d.json"], 'd.json:1:55: configuration A.pes: give a whole number from 1'),
        (["--file", "e.json"], "e.json:1:22: launches: give a whole number"),
        (["--file", "f.json"], "f.json:1:1: not JSON"),
        (["--file", "g.json"], "g.json:1:1: script is missing"),
        (["--file", "h.json"], "h.json: nested too deeply"),
        (["--file", "i.json"], "environment.A=B: not the name of a variable"),
        (["--file", "j.json"], 'configurations[0].name: give at most'),
        (["--file", "b.json", "-n", "3"], "defines the campaign"))

    def refuse(case):
        return launch(folder, *case[0]) if case[0] else run([CAMPAIGN], cwd=folder)

    for (arguments, text), refused in in_parallel(cases, refuse):
        tap.ok(refused.status == 2 and text in refused.err and refused.err.count("\n") == 1 and
               refused.err.startswith("skampi-campaign: error: ") and not refused.out,
               f"refused in one line: {text}", refused)
    tap.ok(not calls(folder), "... before anything runs")
    usage = launch(folder, "--help")
    tap.ok(usage.status == 0 and "examples:" in usage.out and "exit status:" in usage.out, "--help", usage)

    write_text(os.path.join(folder, "night.json"), json.dumps({"script": "my.ski", "launches": 2, "order": "random", "seed": 5, "program": PROGRAM,
                                                               "launch": LAUNCH, "pes": 4, "set": ["X=1"], "environment": {"STUB_X": "all"},
                                                               "configurations": [{"name": "A"}, {"name": "B", "pes": 8, "set": ["Y=2"],
                                                                                                  "environment": {"STUB_X": "own"}}]}))
    done = launch(folder, "--file", "night.json", "-o", "a <b> \"c\".campaign")
    own = next(call for call in calls(folder) if "/B/" in call["output"])
    tap.ok(done.status == 0 and len(calls(folder)) == 4 and own["pes"] == "8" and
           own["variable"] == "own" and own["arguments"][4:] == ["--set", "X=1", "--set", "Y=2"],
           "a campaign may be a file, its directory named anyhow", done)
    try:
        campaign.read_campaign(folder)
        tap.ok(False, "read_campaign() refuses what is no campaign")
    except cli.Error as error:
        tap.ok("not a directory of a campaign" in str(error), "read_campaign() refuses what is no campaign")
    for text in ("{}", '{"campaign": 2}', '{"campaign": 1, "configurations": [{}]}'):
        write_text(os.path.join(folder, "full/campaign.json"), text)
        refused = launch(folder, "--resume", "full")
        tap.ok(refused.status == 2 and refused.err.count("\n") == 1 and "full/campaign.json" in refused.err,
               f"a damaged definition is refused: {text}", refused)


# ---- The real program ----

REAL = """
set_max_repetitions(8)
begin measurement "clock"
  for n = 100 to 200 step 100 do
    measure comm(1) : wtime(n)
  od
end measurement
"""
ENDLESS = """
set_min_repetitions(1000000)
set_max_repetitions(1000000)
begin measurement "clock"
  measure comm(1) : wtime(1000000)
end measurement
"""


def real():
    folder = scratch_directory()
    for name, text in (("real.ski", REAL), ("endless.ski", ENDLESS)):
        write_text(os.path.join(folder, name), text)
    # As make sets it, which is not as templates of the campaign are written.
    environment = {"SKAMPI_LAUNCH": "oshrun -np %n", **launch_environment()}
    done = run([CAMPAIGN, "--program", program(), "-k", "2", "-c", "one:pes=1", "-c", "two:pes=2",
                "--set", "N=1", "real.ski"], environment, cwd=folder)
    tap.ok(done.status == 3 and "--set" in done.err and "one was given up" in done.err and
           "two was given up" in done.err, "what skampi itself refuses is shown", done)
    done = run([CAMPAIGN, "--program", program(), "-k", "2", "-c", "one:pes=1", "-c", "two:pes=2",
                "-o", "real", "real.ski"], environment, timeout=90, cwd=folder)
    files = campaign.read_campaign(os.path.join(folder, "real")) if done.status == 0 else {}
    tap.ok({name: [file.header["pes"] for file in launched] for name, launched in files.items()} ==
           {"one": [1, 1], "two": [2, 2]}, "skampi is launched on the PEs of each configuration", done)
    tap.ok(done.out.count("wtime(iterations=100)") == 1 and done.out.count("two") == 2,
           "... and its results are shown", done)
    ended = run([CAMPAIGN, "--program", program(), "-k", "1", "--timeout", "3s", "endless.ski"], environment,
                cwd=folder)
    tap.ok(ended.status == 3 and "took too long" in ended.err,
           "a launch that is ended leaves no processes behind", ended)


same_as_in_c()
launches()
summary()
going_on()
ends()
refusals()
real()
tap.done()
