#!/usr/bin/env python3
# PLAIN
# TIMEOUT: 120
"""Verdicts for machines: JUnit of skampi-compare and skampi-guidelines, OpenMetrics of skampi-history and skampi-accept."""

import os
import re
import sys
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap, read_text, run, scratch_directory, write_text
from made_results import point, write

STUB = os.path.join(ROOT, "tests/support/stub/made_skampi")
tap = Tap()
folder = scratch_directory()


def tool(name, *arguments, **environment):
    return run([os.path.join(ROOT, "scripts", f"skampi-{name}"), *arguments], cwd=folder, env={**os.environ, **environment})


def put(count, time, **more):
    return point("put <&>", "Shmem_Put_Full", {"count": count}, time, **more)


def outcomes(name):
    """{name of a test case: what it has (failure, skipped, error), or None}"""
    suite = xml.etree.ElementTree.parse(os.path.join(folder, name)).getroot().find("testsuite")
    cases = {(case.get("classname"), case.get("name")): next((child.tag for child in case), None) for case in suite.findall("testcase")}
    counts = [list(cases.values()).count(tag) for tag in ("failure", "error", "skipped")]
    tap.equal([int(suite.get(count)) for count in ("failures", "errors", "skipped")], counts, f"{name} counts its cases")
    return cases


# ---- JUnit ----

for side, factor in (("old", 1.0), ("new", 1.5)):
    os.mkdir(os.path.join(folder, side))
    for number in range(8):
        wave = 1 + 0.001 * (number % 3)
        write(os.path.join(folder, side, f"{number}.json"), [
            put(8, 1e-6 * wave), put(64, 2e-6 * wave * factor), *([put(512, 3e-6)] if side == "old" else [])])
made = tool("compare", "old", "new", "--fail-over", "5%", "--junit", "c.xml")
cases = outcomes("c.xml")
tap.ok(made.status == 1, "compare: a slower point", made)
tap.equal([(case[0], re.search(r"count=(\d+)", case[1])[1], tag) for case, tag in sorted(cases.items())],
          [("put <&>", "512", "skipped"), ("put <&>", "64", "failure"), ("put <&>", "8", None)],
          "... fails, one that is the same passes, one that a side lacks is skipped")
made = tool("compare", "old/0.json", "new/0.json", "--fail-over", "5%", "--junit", "few.xml")
tap.ok(made.status == 2 and set(outcomes("few.xml").values()) == {"skipped"}, "too few launches: nothing passes", made)
refused = tool("compare", "old", "new", "--junit", "x.xml")
tap.ok(refused.status == 2 and "--junit needs --fail-over" in refused.err and not os.path.exists(os.path.join(folder, "x.xml")),
       "--junit says nothing without a limit", refused)

write(os.path.join(folder, "g.json"), [put(4, 3e-6), put(16, 1e-6)])
made = tool("guidelines", "g.json", "--junit", "g.xml")
cases = outcomes("g.xml")
failed = [case for case, tag in cases.items() if tag == "failure"]
tap.ok(made.status == 0 and len(failed) == 1 and failed[0][0] == "larger messages take no less time" and
       "skipped" in cases.values() and None in cases.values(),
       "guidelines: what is violated fails, what was not measured is skipped, the others pass", cases)
tap.equal(tool("guidelines", "g.json", "--fail", "--junit", "g.xml").status, 1, "... beside --fail")
for name, words in (("compare", ("old", "new", "--fail-over", "5%", "--junit", "c.json")), ("guidelines", ("g.json", "--junit", "c.txt"))):
    refused = tool(name, *words)
    tap.ok(refused.status == 2 and "unknown suffix" in refused.err, f"{name}: the suffix of something else is refused", refused)

# ---- OpenMetrics ----

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\n"])*"'
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)?\}})? (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)")


def metrics(name):
    """{name: {labels as text: number}} of a file that follows the text format of OpenMetrics: families one after the other,
    each with its type, unit and help, no sample twice, the end marked."""
    lines = read_text(folder, name).split("\n")
    assert lines[-2:] == ["# EOF", ""], lines[-2:]
    found, family = {}, None
    for line in lines[:-2]:
        if line.startswith("# "):
            word, name, rest = re.fullmatch(rf"# (TYPE|UNIT|HELP) ({NAME}) (.+)", line).groups()
            if word == "TYPE":
                assert name not in found and rest == "gauge", line
                found[name], family = {}, name
            assert name == family and (word != "UNIT" or name.endswith("_" + rest)), line
        else:
            name, labels, number = SAMPLE.fullmatch(line).groups()
            assert name == family and (labels or "") not in found[name], line
            found[name][labels or ""] = float(number)
    return found


nights = os.path.join(folder, 'nights "1"\\')
os.mkdir(nights)
for number in range(12):
    time = 1e-6 * (1 + 0.001 * (number % 3)) * (1.2 if number > 5 else 1)
    write(os.path.join(nights, f"{number}.json"), [put(8, time), put(64, 2e-6 + 1e-9 * (number % 2)), put(8, 3e-6)],
          header={"started": f"2026-03-{number + 1:02}T02:00:00+00:00", "script": {"name": 'a "b" \\ c.ski', "checksum": "0" * 16}})
made = tool("history", nights, "--fail-over", "5%", "--openmetrics", "h.prom")
found = metrics("h.prom")
tap.ok(made.status == 1, "history: a slower point", made)
slower = [labels for labels, value in found["skampi_history_slower"].items() if value == 1]
tap.ok(len(slower) == 1 and "count=8)" in slower[0] and 'script="a \\"b\\" \\\\ c.ski"' in slower[0] and
       len(found["skampi_history_slower"]) == 3, "... is 1, with its labels; the others are 0", found["skampi_history_slower"])
tap.ok(abs(found["skampi_history_level_seconds"][slower[0]] / 1.2e-6 - 1) < 0.02, "its level is in seconds", found)
tap.equal((found["skampi_history_launches"], found["skampi_history_newest_seconds"]), ({"": 12}, {"": 1773280800}),
          "launches, and when the newest one was")
again = tool("history", nights, "--openmetrics", "h.prom")
tap.ok(again.status == 0 and "replaced h.prom" in again.err and "skampi_history_slower" not in metrics("h.prom"),
       "without a limit nothing is slower; the file of before is replaced", again)
tap.equal([name for name in os.listdir(folder) if name.endswith(".new")], [], "... and nothing else remains")
os.mkdir(os.path.join(folder, "h2.prom.new"))
refused = tool("history", nights, "--openmetrics", "h2.prom")
tap.ok(refused.status == 2 and "h2.prom: " in refused.err and not os.path.exists(os.path.join(folder, "h2.prom")),
       "who cannot write all of it writes nothing", refused)
write_text(os.path.join(folder, "mine.prom"), "mine 1\n")
refused = tool("history", nights, "--openmetrics", "mine.prom")
tap.ok(refused.status == 2 and "mine.prom: is there already" in refused.err, "a foreign file is kept", refused)

made = tool("accept", "--launch", "env", "--program", STUB, "--nodes", "6", "--passes", "10", "-o", "files", "--openmetrics", "a.prom",
            MADE_SITES="6", MADE_FAULT="node:2")
found = metrics("a.prom")
tap.ok(made.status == 1, "accept: a slow node", made)
tap.equal((found["skampi_accept_verdict"], found["skampi_accept_suspect"]['node="n00002"'],
           sum(found["skampi_accept_suspect"].values())),
          ({'verdict="pass"': 0, 'verdict="fail"': 1, 'verdict="doubtful"': 0}, 1, 1), "... the verdict, and which node")
times = found["skampi_accept_site_time_seconds"]
tap.ok(len(times) == 12 and all(0 < time < 1 for time in times.values()), "... and the times of each", times)
tap.done()
