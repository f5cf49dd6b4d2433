#!/usr/bin/env python3
# LONG
# PLAIN
"""skampi-report --verdict ends with one line, trustworthy, doubtful or broken, and an exit status that says the
same: for each reason that there is, and for make selfcheck."""

import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap, read_text, run, scratch_directory, unread_status, write_text
from made_results import HEADER, point, records, write, write_records
from skampi_tools import doubt
from skampi_tools.report import trust
from skampi_tools.results import read

REPORT = os.path.join(ROOT, "scripts/skampi-report")
STATUS = {"trustworthy": 0, "doubtful": 3, "broken": 1}
tap = Tap()
folder = scratch_directory()


def path(name):
    return os.path.join(folder, name)


def tool(*arguments, **more):
    return run([REPORT, *arguments], cwd=folder, **more)


def measured(**more):
    return point("b", "F", {"count": 8}, 1e-6, **more)


GOOD = [measured(), point("b", "F", {"count": 16}, 2e-6), point("b", "F", {"count": 32}, 3e-6)]


def judged(lines):
    """(outcome, what of the table, line) of a made file, without starting the program."""
    file = read(write_records(path("made.json"), lines))
    outcome, reasons = trust.judge([("made.json", file)])
    return outcome, {r.check for r in reasons}, trust.line(outcome, reasons)


def node(**values):
    return {"nodes": [{**HEADER["nodes"][0], **values}]}


def with_record(record, points=GOOD, **more):
    lines = records(points, **more)
    lines.insert(-1, record)
    return lines


def missing(kind):
    return with_record({"record": "missing", "kind": kind, "call": "F(1)", "reason": "so it is"}, status=3)


def self_check(*texts, points=GOOD):
    lines = records(points, header={"script": {"name": "selfcheck.ski", "checksum": ""}})
    lines[-1:-1] = [{"record": "print", "text": text} for text in texts]
    return lines


OK, WRONG = "#P[0] tsc: WaitPatternUp ok: 2003 ns for 2000 ns", "#P[0] tsc: WaitPatternNull DOUBTFUL: 300 ns for 0 ns"

# ---- Each reason of the table: a made file, and what its line says ----

CASES = {
    ("self-check", "no check was made"): (self_check(), "the self-check printed no check"),
    ("self-check", "no check is ok"): (self_check(WRONG), "no check of the self-check is ok, of 1"),
    ("self-check", "a check is not ok"): (self_check(OK, WRONG), "self-check of tsc: WaitPatternNull: 300 ns for 0 ns"),
    ("File is complete", "bad"): (records(GOOD, whole=False), "the file is not complete"),
    ("Run ended well", "bad"): (records(GOOD, status=5), "exit status 5: stopped by the watchdog"),
    ("Run ended well", "doubtful"): (records(GOOD, status=4), "exit status 4: stopped by the time limit"),
    ("Run ended well", "unknown"): (records(GOOD, status=None), "the file has no exit status"),
    ("There are results", "bad"): (records([]), "none in this file"),
    ("Results without doubt", "bad"): (records([measured(flags=["level_shift"])]), "1 of 1 doubtful (level_shift 1)"),
    **{("missing", kind): (missing(kind), f"1 result missing: {kind.replace('_', ' ')}") for kind in (
        "failed", "unsupported", "skipped", "time_limit", "not_measurable", "too_large", "state")},
    ("missing", "any other"): (missing("eaten"), "1 result missing: eaten"),
    **{("flag", name): (records([measured(flags=[name]), *GOOD]), f"flag {name.replace('_', ' ')} on 1 of ")
       for name in doubt.FLAGS if doubt.speaks_against(name)},
    ("flag", "any other"): (records([measured(flags=["of_tomorrow"]), *GOOD]), "flag of tomorrow on 1 of "),
    ("member", "not_cold"): (records([measured(not_cold=3), *GOOD]), "not everything is cold in 1 of "),
    ("Reading the file", "doubtful"): (None, ""),  # below
    ("Warning of skampi", "doubtful"): (records(GOOD, header={"warnings": ["it is hot"]}), "it is hot"),
    ("PEs are bound", "doubtful"): (records(GOOD, header={"binding": {"bound": 1, "pes": 2}}), "1 of 2 PEs are not bound"),
    ("Processors for all PEs", "doubtful"): (records(GOOD, header=node(processors=1)), "node0 (2 on 1)"),
    ("Nodes were idle before", "doubtful"): (records(GOOD, header=node(load=3.0)), "busy with something else: node0"),
    ("Processor frequency is held", "doubtful"): (records(GOOD, header=node(governor="powersave")), "powersave"),
    ("Timer is fine enough", "doubtful"): (
        records([{k: v for k, v in point("b", "F", {}, 9e-9).items() if k != "flags"}, *GOOD]), "the timed region is shorter"),
    ("Timer agrees with the system's clock", "doubtful"): (
        records(GOOD, header={"timer": {**HEADER["timer"], "disagreement": -5e-4}}), "off by 500 ppm"),
    ("Clocks agree over the run", "doubtful"): (
        with_record({"record": "comment", "text": "warning: clocks of node 0 differ"}), "clocks of node 0 differ"),
    ("Repetitions are valid", "doubtful"): (records([measured(invalid=200)]), "late or overrun"),
    ("Medians are precise", "doubtful"): (records([measured(median_low=0.5e-6)]), "in 0 of 1 result"),
    ("Medians are precise", "unknown"): (records([measured(median_low=None)]), "no result states an interval"),
    ("Covers changes over time", "doubtful"): (
        with_record({**measured(), "record": "rounds", "rounds": 3, "medians": [1e-6] * 3}, points=[]),
        "without a prediction interval"),
    ("Prediction intervals hold", "doubtful"): (None, ""),  # below
}
tap.equal(sorted(set(trust.REASONS) ^ set(CASES)), [], "each reason of the table is tried")
tap.equal(judged(records(GOOD)), ("trustworthy", set(), "trustworthy"), "nothing against a file: trustworthy")
for (what, which), (lines, text) in CASES.items():
    if lines:
        outcome, found, line = judged(lines)
        tap.ok(outcome == trust.REASONS[what, which] and what in found and text in line
               and line.startswith(f"{outcome}: because ") and "\n" not in line,
               f"{what}, {which}: {outcome}", (outcome, found, line))
for name in doubt.FLAGS:
    against = doubt.speaks_against(name)
    if not against:
        tap.equal(judged(records([measured(flags=[name])]))[0], "trustworthy", f"flag {name}: no reason")
tap.equal(judged(records(GOOD, header={"binding": {}, "nodes": []}))[0], "trustworthy", "what a file does not say: no reason")

# ---- Once each ----

outcome, found, line = judged(records([measured(flags=["below_resolution"]), *GOOD]))
tap.equal(found, {"flag"}, "a short region is said once")
outcome, found, line = judged(missing("skipped"))
tap.equal((outcome, found), ("doubtful", {"missing"}), "a missing result is said once, not also by the status")
outcome, found, line = judged(records(GOOD, header={
    **node(load=3.0), "warnings": ["node 0 (node0) was busy before the run: load 3 on 2 processors"]}))
tap.equal(found, {"Nodes were idle before"}, "a busy node is said once")
outcome, found, line = judged(records([measured(flags=sorted(
    name for name in doubt.FLAGS if doubt.speaks_against(name)))] + 3 * GOOD))
tap.ok(line.count("; ") == 4 and re.search(r"; and \d more$", line), "the line has four reasons", line)
zero = measured(flags=["negative", "below_resolution", "not_converged"], median_low=None, invalid=99)
tap.equal(judged(self_check(OK, points=[zero]))[0], "trustworthy", "flags of known waits are left to the self-check")
tap.equal(judged(self_check(OK, points=[measured(flags=["clocks_moved"])]))[1], {"flag"}, "... but not that clocks moved")

# ---- The program ----

write(path("good.json"), GOOD)
write(path("doubtful.json"), GOOD, header={"binding": {"bound": 1, "pes": 2}})
write_records(path("broken.json"), missing("failed"))
before = set(os.listdir(folder))
for names, outcome, start in ((["good.json"], "trustworthy", ""), (["doubtful.json"], "doubtful", "1 of 2 PEs"),
                              (["broken.json"], "broken", "1 result missing: failed"),
                              (["good.json", "doubtful.json"], "doubtful", "doubtful.json: 1 of 2 PEs"),
                              (["doubtful.json", "broken.json", "good.json"], "broken", "broken.json: 1 result missing")):
    shown = tool("--verdict", *names)
    last = shown.out.splitlines()[-1] if shown.out else ""
    tap.ok(shown.status == STATUS[outcome] and not shown.err
           and (last == outcome if not start else last.startswith(f"{outcome}: because {start}")),
           f"--verdict {' '.join(names)}: {outcome}", shown)
    tap.equal(unread_status([REPORT, "--verdict", *names], folder), STATUS[outcome], "... also if nobody reads it")
tap.equal(tool("--verdict", "good.json").out, "trustworthy\n", "one line, where nothing else is to say")
tap.ok("doubtful: doubtful.json: 1 of 2 PEs" in tool("--verdict", "doubtful.json", "broken.json").out,
       "reasons that did not decide are listed before")
tap.equal(set(os.listdir(folder)), before, "no page is written")
fed = tool("--verdict", "-", stdin=read_text(path("broken.json")))
tap.equal(fed.status, 1, "- is standard input")
shown = tool("--verdict", "doubtful.json", "-o", "page.html", "--title", "T")
tap.ok(shown.status == 3 and shown.out.splitlines()[-1].startswith("doubtful: because ")
       and os.path.getsize(path("page.html")) > 1000, "-o: and a page", shown)
for promise, status in ((True, 0), (False, 3), (None, 0)):
    write_text(path("coverage.json"), json.dumps({"coverage": 1, "contained": 0.5, "width_ratio": 1.0, "promise": promise, "runs": 9,
                                                  "promised": {"contained": 0.9, "width_ratio": 2.0}}))
    shown = tool("--verdict", "good.json", "--coverage", "coverage.json")
    tap.ok(shown.status == status and (promise is not False or "the promise is not kept" in shown.out),
           f"--coverage, promise kept: {promise}", shown)
lines = read_text(path("good.json")).splitlines()
write_text(path("cut.json"), "\n".join(lines[:-1]) + "\n" + lines[-1][:20])
shown = tool("--verdict", "cut.json")
tap.ok(shown.status == 1 and shown.out.splitlines()[-1].startswith("broken: because the file is not complete"),
       "cut within its last line: broken", shown)
cut = read(path("cut.json"))
cut.doubts.append("line 3 is left out")
tap.ok(any(r.check == "Reading the file" and r.state == "doubtful" for r in trust.reasons_of(cut)),
       "what reading left open is doubtful")

# ---- Refused ----

write_text(path("other"), "what is this?\n")
for arguments, text in (
        (["--verdict"], "FILE"), (["--verdict", "nowhere.json"], "nowhere.json: No such file or directory"),
        (["--verdict", "other"], "other: neither .sko, CSV nor JSON Lines of skampi"),
        (["--verdict", "good.json", "-o", "-"], "give -o a file"),
        (["--verdict", "good.json", "--title", "T"], "--title: is for the page"),
        (["--verdict", "good.json", "--baseline", "doubtful.json"], "--baseline: is for the page"),
        (["--verdict=yes", "good.json"], "--verdict")):
    refused = tool(*arguments)
    tap.ok(refused.status == 2 and not refused.out and refused.err.count("\n") == 1 and text in refused.err,
           f"refused in one line: {' '.join(arguments)}", refused)

# ---- The document has the table ----

told = re.findall(r"^\| (.+): (.+) \| (doubtful|broken) \|$", read_text(ROOT, "docs/tools/skampi-report.md"), re.MULTILINE)
tap.equal(told, [(what, f"`{which}`" if what == "flag" and which != "any other" else which.replace("_", " "), severity)
                 for (what, which), severity in trust.REASONS.items()], "the document has each reason")

# ---- mk/selfcheck, with a program that only copies a result file ----

write_text(path("program"), '#!/bin/sh\n[ "$MADE" = "" ] || cp "$MADE" "$4"\nexit "$ENDS"\n', 0o755)
for name, lines in (("fine", self_check(OK)), ("wrong", self_check(OK, WRONG)), ("all_wrong", self_check(WRONG))):
    write_records(path(name), [json.loads(json.dumps(record)) for record in lines])
for made, ends, status, last in (
        ("fine", 0, 0, "trustworthy"), ("fine", 7, 1, "broken: because skampi ended with exit status 7"),
        ("wrong", 0, 3, "doubtful: because self-check of tsc: WaitPatternNull: 300 ns for 0 ns"),
        ("all_wrong", 0, 1, "broken: because no check of the self-check is ok, of 1; "),
        ("", 5, 1, "broken: because skampi wrote no results (exit status 5)"),
        ("other", 0, 1, "broken: because the results cannot be read (skampi's exit status: 0)")):
    shown = run([os.path.join(ROOT, "mk/selfcheck"), path("program"), path("results.json")], cwd=ROOT,
                env={**os.environ, "SKAMPI_LAUNCH": "env N=%n", "MADE": made and path(made), "ENDS": str(ends)})
    tap.ok(shown.status == status and shown.out.splitlines()[-1].startswith(last.rstrip("; ")),
           f"mk/selfcheck, {made or 'nothing'} written, status {ends}: {status}", shown)
tap.done()
