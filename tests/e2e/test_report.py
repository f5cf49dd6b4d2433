#!/usr/bin/env python3
# LONG
# PLAIN
# TIMEOUT: 240
"""scripts/skampi-report writes one page that states what the files hold, and that works in a browser:
plots, sorting, filters, narrow windows, dark and printed. With PICTURES=FOLDER pictures of the pages
are kept there, to be looked at."""

import hashlib
import json
import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import browser as browsers
from harness import ROOT, Tap, read_text, run, scratch_directory, skampi, write_text
from made_results import point, records, write, write_records
from made_states import FOUR, controls_of, in_parts, in_rounds, in_state, states_of, write_states

browser = browsers.start()
from skampi_tools import style
from skampi_tools.report import sections as sectioning
from skampi_tools.report import verdicts as judging
from skampi_tools.results import read

REPORT = os.path.join(ROOT, "scripts/skampi-report")
VENDOR = os.path.join(ROOT, "scripts/vendor/uplot")
PICTURES = os.environ.get("PICTURES")

tap = Tap()
folder = scratch_directory()


def report(*arguments, **more):
    return run([REPORT, *map(str, arguments)], cwd=folder, **more)


def path(name):
    return os.path.join(folder, name)


def page(name):
    return read_text(path(name))


def embedded(name):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page(name),
                                re.DOTALL).group(1))


# ---- The library ----

with open(os.path.join(VENDOR, "SHA256SUMS"), encoding="utf-8") as file:
    sums = dict(reversed(line.split()) for line in file)
for name in ("uPlot.iife.min.js", "uPlot.min.css", "LICENSE"):
    with open(os.path.join(VENDOR, name), "rb") as file:
        content = file.read()
    tap.equal(hashlib.sha256(content).hexdigest(), sums.get(name), f"uPlot: {name} is as published")
    if name.endswith("js"):
        version = re.search(rb"\(v([\d.]+)\)", content).group(1).decode()
with open(os.path.join(VENDOR, "README.md"), encoding="utf-8") as file:
    tap.ok(file.readline().strip() == f"# uPlot {version}", f"uPlot: the version is said, {version}")

# ---- A page, as text ----

HOSTILE = "put & get, <b>\"bold\"</b> </script><script>fail()</script> \u202e µ→"
random.seed(1)


def sweep(block, function, start, sizes, **more):
    return [point(block, function, {"count": n}, start + n / 5e9, **more) for n in sizes]


points = sweep(HOSTILE, "Shmem_Put", 1e-6, [2 ** k for k in range(3, 17)])
points += sweep(HOSTILE, "Shmem_Get", 2e-6, [2 ** k for k in range(3, 17)])
points[3].update(flags=["level_shift", "autocorrelated"], notes=["two levels <i>"])
points += [point("over PEs", "Shmem_Barrier_All", {}, 1e-6 * n, variables={"n": n}, bytes=0,
                 pe_set={"size": n, "members": f"0-{n - 1}", "placement": "on one node"})
           for n in (2, 3, 4)]
points += [point("different calls", name, {}, time, bytes=0)
           for name, time in (("wtime", 3e-8), ("Shmem_Quiet", 1e-7), ("Shmem_Fence", 2e-7))]
points += [point("alone", "Shmem_Barrier_All", {}, 2e-6, bytes=0)]
points += [point("memory", "Shmem_Memory", {"count": 1024 * k}, 5e6 * k, quantity="bytes", flags=["newer_flag"])
           for k in (1, 2)]


def rounds_point(count, median, number, **more):
    made = point("with rounds", "Shmem_Put", {"count": count}, median)
    record = {k: made[k] for k in ("block", "function", "call", "arguments", "variables", "pe_set", "bytes",
                                   "quantity", "unit")}
    record.update(record="rounds", number=number, rounds=9, median=median, median_low=median * 0.97,
                  median_high=median * 1.04, reached=0.96, next_low=median * 0.8, next_high=median * 1.5,
                  confidence=0.95, between=0.05, within=0.03, flags=[], notes=[], medians=[median] * 9)
    record.update(more)
    return record


whole = records(points, header={"environment": {"OMPI_MCA_x": "<&\"'>"}, "script": {
    "name": "dir/<my>.ski", "checksum": "0123"}, "warnings": ["node 0 was busy <now>"]})
whole[-1:-1] = [rounds_point(n, 1e-6 + n * 1e-10, 6) for n in (8, 64, 512, 4096)] + [
    {"record": "missing", "kind": "failed", "block": "with rounds", "number": 6, "call": "Shmem_Put(<8>)",
     "reason": "the window would be longer than 10 s"},
    {"record": "print", "text": "printed </pre><script>fail()</script>"},
    {"record": "comment", "text": "clock of PE 1 is off"}]
write_records(path("a.json"), whole)

made = report("a.json", "-o", "report.html")
tap.ok(made.status == 0 and not made.out and not made.err, "a report is made without a word", made)
html = page("report.html")
tap.ok("Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; style-src "
       "'unsafe-inline'; img-src data:\"" in html, "no source but itself is allowed")
outside = [x for x in re.findall(r"(?:src|href|action|url)\s*[=(]\s*[\"']?([^\"'\s>)]+)", re.sub(
    r"<script.*?</script>", "", html, flags=re.DOTALL)) if not x.startswith(("#", "data:"))]
tap.ok(not outside, "nothing is fetched from elsewhere", outside)
tap.ok("fail()" not in re.sub(r"&lt;|&gt;|\\u003[ce]", "", html).replace("scriptfail()/script", "")
       and "<b>" not in re.sub(r"<script.*?</script>", "", html, flags=re.DOTALL), "names are no markup")
tap.ok("\u202e" not in html, "names do not turn the direction of writing")
tap.equal(html.count("<title>"), 1, "one title")
tap.ok("Permission is hereby granted" in html, "uPlot's licence goes with it")
tap.ok("<h1>skampi: &lt;my&gt;.ski</h1>" in html, "... the script's name")
titled = report("a.json", "-o", "-", "--title", "A \"new\" <switch>")
tap.ok("<title>A &quot;new&quot; &lt;switch&gt;</title>" in titled.out, "--title, -o -", titled.err)
tap.equal(report("a.json", "-o", "-").out, html, "the same files give the same page")

for what, text in (
        ("command line", "skampi -i made.ski"), ("library", "made library 1.0"), ("processor", "made cpu"),
        ("environment", "&lt;&amp;&quot;&#x27;&gt;"), ("checksum", "0123"), ("timer", "10 ns, 20 ns"),
        ("warning", "node 0 was busy &lt;now&gt;"), ("note", "two levels &lt;i&gt;"),
        ("a flag's meaning", "the time changed its level while it was measured"),
        ("an unknown flag", "newer flag"), ("what is missing", "Shmem_Put(&lt;8&gt;)"),
        ("why", "the window would be longer than 10 s"), ("what was printed", "printed &lt;/pre&gt;"),
        ("remarks", "clock of PE 1 is off"), ("the promise", "95 % prediction interval contains the median of a "
                                                            "later, independent run in at least 90 % of points"),
        ("spread between rounds", "between rounds: typically 5 %"),
        ("prediction interval", "0.80 – 1.50")):
    tap.ok(text in html, f"the page holds: {what}", text)
data = embedded("report.html")
tap.equal(data["blocks"][0]["name"], HOSTILE, "names are whole in the plots' data")
tap.equal([len(b["value"]) for b in data["blocks"]], [28, 3, 3, 1, 2, 4], "every point is there")
tap.equal(html.count("<figure"), 5, "a plot a block, but for one point")

# ---- How results are ordered ----


def axes(points, files=("a",)):
    sections = sectioning.sections_of([(name, read(write(path(f"{name}.axes.json"), points))) for name in files])
    return sections, [sectioning.axes_of(s) for s in sections]


_, found = axes(sweep("b", "F", 1e-6, (8, 16, 32)) + sweep("b", "G", 1e-6, (8, 16)))
tap.ok(len(found[0]) == 1 and found[0][0]["name"] == "count" and found[0][0]["unit"] == "bytes"
       and found[0][0]["labels"] == ["F", "G"] and found[0][0]["series"] == [0, 0, 0, 1, 1],
       "functions over a size make lines", found)
grid = [point("b", "F", {"count": n}, 1e-6, variables={"p": p, "count": n}, pe_set={
    "size": p, "placement": ""}) for p in (2, 4) for n in (8, 16, 32)]
_, found = axes(grid)
tap.equal([(a["name"], a["labels"]) for a in found[0]],
          [("count", ["p = 2", "p = 4"]), ("p", ["count = 8", "count = 16", "count = 32"])],
          "two loops: either over the other; PEs that follow from a variable are not named twice")
_, found = axes([point("b", "F", {"count": n, "iterations": i}, 1e-6, variables={"count": n})
                 for n in (8, 16) for i in (1, 10)])
tap.equal(found[0][0]["labels"], ["iterations = 1", "iterations = 10"], "arguments tell calls apart")
_, found = axes([point("b", "F", {}, 1e-6)] * 3)
tap.equal(found[0], [], "nothing differs: no axis")
_, found = axes([point("b", "F", {"count": n}, 1e-6) for n in (8, 8, 16)])
tap.equal(found[0][0]["labels"], ["measurement 1 of the same", "measurement 2 of the same"], "a point measured twice makes another line")
both, found = axes(sweep("b", "F", 1e-6, (8, 16)), ("a", "c"))
tap.ok(len(both) == 1 and found[0][0]["labels"] == ["a", "c"], "blocks of one name of several files come together",
       found)
again, _ = axes([*sweep("b", "F", 1e-6, (8, 16)), point("c", "F", {}, 1e-6), *sweep("b", "F", 1e-6, (8,))])
tap.equal([(s.name, len(s.points)) for s in again], [("b", 2), ("c", 1), ("b", 1)],
          "blocks of one name in one file stay apart")
for own_block in (1, 2):
    lines = records([point("with rounds", "Shmem_Put", {"count": n}, 1e-6) for n in (8, 16)])
    lines.insert(-1, {"record": "block", "block": "with rounds (rounds)", "number": 2})
    lines[-1:-1] = [rounds_point(n, 2e-6, own_block) for n in (8, 16)]
    mixed = sectioning.sections_of([("a", read(write_records(path("mixed.json"), lines)))])
    tap.ok(len(mixed) == 1 and [p.result.best() for p in mixed[0].points] == [2e-6, 2e-6],
           "rounds take the place of their first results", mixed)

# ---- Verdicts ----


def verdict(check, header=None, points=None, **more):
    file = read(write(path("verdict.json"), points or sweep("b", "F", 1e-6, (8, 16)), header=header, **more))
    found = [v for v in judging.check_file(file) if v.check == check]
    return (found[0].state, found[0].text) if len(found) == 1 else found


def node(**values):
    return {"nodes": [{**whole[0]["nodes"][0], **values}]}


def unflagged(time):
    """As tools that convert other formats write results."""
    made = point("b", "F", {}, time)
    del made["flags"]
    return made


timer = whole[0]["timer"]
for check, state, text, arguments in (
        ("File is complete", "ok", "", {}), ("File is complete", "bad", "the file is not complete", {"whole": False}),
        ("Run ended well", "ok", "0", {}), ("Run ended well", "doubtful", "exit status 3", {"status": 3}),
        ("Run ended well", "bad", "signal 9", {"status": 137}), ("Run ended well", "bad", "watchdog", {"status": 5}),
        ("PEs are bound", "ok", "all 2", {}),
        ("PEs are bound", "doubtful", "1 of 2", {"header": {"binding": {"bound": 1, "pes": 2}}}),
        ("Processors for all PEs", "doubtful", "node0 (2 on 1)", {"header": node(processors=1)}),
        ("Processors for all PEs", "ok", "", {}),
        ("Nodes were idle before", "doubtful", "load 3.00", {"header": node(load=3.0)}),
        ("Nodes were idle before", "ok", "", {}),
        ("Nodes were idle before", "unknown", "", {"header": node(load=None)}),
        ("Processor frequency is held", "doubtful", "powersave", {"header": node(governor="powersave")}),
        ("Processor frequency is held", "unknown", "", {"header": node(governor="not shown")}),
        ("Timer is fine enough", "ok", "resolution 10 ns", {}),
        ("Timer is fine enough", "doubtful", "1 of 2 results", {"points": [unflagged(9e-9), unflagged(1e-6)]}),
        ("Timer is fine enough", "doubtful", "1 of 1 result:", {"points": [point("b", "F", {}, 1, flags=["below_resolution"])]}),
        ("Timer is fine enough", "unknown", "", {"header": {"timer": {**timer, "resolution": None}}}),
        ("Timer agrees with the system's clock", "doubtful", "500 ppm", {"header": {"timer": {**timer, "disagreement": -5e-4}}}),
        ("Timer agrees with the system's clock", "ok", "0 ppm", {}),
        ("Results without doubt", "ok", "0 of 2", {}),
        ("Results without doubt", "ok", "0 of 1", {"points": [point("b", "F", {}, 1, flags=["autocorrelated"])]}),
        ("Results without doubt", "bad", "1 of 1", {"points": [point("b", "F", {}, 1, flags=["clocks_moved"])]}),
        ("Repetitions are valid", "doubtful", "50 %", {"points": [point("b", "F", {}, 1, invalid=20)]}),
        ("Repetitions are valid", "ok", "0 %", {}),
        ("Medians are precise", "ok", "2 of 2", {}),
        ("Medians are precise", "doubtful", "0 of 1", {"points": [point("b", "F", {}, 1, median_low=0.5)]}),
        ("Medians are precise", "unknown", "", {"points": [point("b", "F", {}, 1, median_low=None)]}),
        ("Covers changes over time", "note", "measured once", {}),
        ("Nothing is missing", "ok", "", {}),
        ("Warning of skampi", "doubtful", "hot", {"header": {"warnings": ["it is hot"]}})):
    got = verdict(check, **arguments)
    tap.ok(got and got[0] == state and text in got[1], f"verdict: {check}: {state} {text}".strip(), got)
tap.equal(verdict("There are results", points=[point("b", "F", {}, 1)])[:0], [], "verdict: there are results")


def verdicts_of(lines):
    return {v.check: v for v in judging.check_file(read(write_records(path("verdict.json"), lines)))}


empty = verdicts_of(records([]))
tap.equal(empty["There are results"].state, "bad", "verdict: a file without results is bad")
rounds_only = records([])
rounds_only[-1:-1] = [rounds_point(8, 1e-6, 1), rounds_point(16, 1e-6, 1)]
tap.equal(verdicts_of(rounds_only)["Covers changes over time"].state, "ok", "verdict: rounds cover changes")
rounds_only[1].update(next_low=None, next_high=None)
tap.ok("1 of 2 points without" in verdicts_of(rounds_only)["Covers changes over time"].text,
       "verdict: too few rounds are said")
rounds_only[1].update(next_low=1e-6, next_high=2e-6, between=0.4)
rounds_only[2].update(between=0.4)
tap.equal(verdicts_of(rounds_only)["Covers changes over time"].state, "doubtful", "verdict: noisy rounds")
missing = verdicts_of(whole)
tap.equal((missing["Nothing is missing"].state, missing["Nothing is missing"].text), ("doubtful", "1 failed"),
          "verdict: what is missing is counted")
checked = records([], header={"script": {"name": "selfcheck.ski", "checksum": ""}})
checked[-1:-1] = [{"record": "print", "text": text} for text in (
    "tsc: WaitPatternUp ok: 2003 ns for 2000 ns", "tsc: WaitPatternNull DOUBTFUL: 300 ns for 0 ns",
    "clocks ok: moved by up to 12 ns in 0.2 s", "something else")]
self_check = {k: (v.state, v.text) for k, v in verdicts_of(checked).items() if k.startswith("Self-check")}
tap.equal(self_check, {"Self-check, tsc: WaitPatternUp": ("ok", "2003 ns for 2000 ns"),
                       "Self-check, tsc: WaitPatternNull": ("doubtful", "300 ns for 0 ns"),
                       "Self-check, clocks": ("ok", "moved by up to 12 ns in 0.2 s")},
          "verdict: what selfcheck.ski prints")

# ---- What skampi itself writes ----

measured = skampi("""
set_min_repetitions(4)
set_max_repetitions(4)
begin measurement "over PEs"
  for c in [comm(1), comm(2)] do
    measure c : wtime(100)
  od
  measure comm_node(1000) : wtime(100)
end measurement
""", np=2, args=["--rounds", "5", "-o", "a.json", "-o", "a.csv", "-o", "a.sko"])
tap.equal(measured.status, 0, "skampi measures", measured)
for name in ("a.json", "a.csv", "a.sko"):
    shown = report(measured.path(name), "-o", "measured.html")
    tap.ok(shown.status == 0 and "error" not in shown.err and "warning" not in shown.err and len(embedded("measured.html")["blocks"][0]["value"]) == 2
           and "wtime" in page("measured.html"), f"shown: {name} of a run", shown)
    if name == "a.json":
        tap.ok("communicator is empty" in page("measured.html") and "measured in 5 rounds" in page("measured.html"),
               "... with what was skipped, and its rounds")

# ---- Wrong usage ----

for name, text in (("empty", ""), ("other", "what is this?\n"), ("nothing.json", "{}\n")):
    write_text(path(name), text)
os.makedirs(path("a folder"), exist_ok=True)
one_of_many = point("many", "F", {"count": 8}, 1e-6)
write_records(path("many.json"), records([one_of_many] * 20_001))
for arguments, text in (
        (["nowhere.json"], "nowhere.json: No such file or directory"),
        (["empty"], "empty: the file is empty"),
        (["other"], "other: "), (["nothing.json"], "nothing.json:1: "),
        (["many.json"], "many.json: more than 20000 results, too many for a page: skampi table"),
        (["a folder"], "a folder: not a file, and not the folder of a campaign"),
        (["a.json", "a.json"], "a.json: given twice"),
        (["a.json", "-o", "a.json"], "a.json: unknown suffix .json"),
        (["a.json", "-o", "a folder"], "a folder: Is a directory"),
        (["a.json", "-o", "no/where.html"], "no/where.html: No such file or directory"),
        (["a.json", "-o", "/dev/full"], "/dev/full: No space left on device"),
        (["a.json", "--baseline", "empty"], "empty: the file is empty"),
        (["a.json", "--coverage", "other"], "other"),
        (["--what", "a.json"], "--what"), ([], "FILE")):
    refused = report(*arguments)
    tap.ok(refused.status == 2 and not refused.out and refused.err.count("\n") == 1
           and refused.err.startswith("skampi-report: error: ") and text in refused.err,
           f"refused in one line: {' '.join(arguments)}", refused)
tap.ok(json.loads(open(path("a.json"), encoding="utf-8").readline())["record"] == "header",
       "a refused report leaves its input as it was")
usage = report("--help")
tap.ok(usage.status == 0 and "examples:" in usage.out and not usage.err, "--help", usage)
fed = report("-", "-o", "fed.html", stdin=read_text(path("a.json")))
tap.ok(fed.status == 0 and embedded("fed.html") == data, "- is standard input", fed)
cut = read_text(path("a.json"))[:-300]
tap.ok(report("-", "-o", "cut.html", stdin=cut).status == 0 and "the file is not complete" in page("cut.html"),
       "a truncated file is shown, and said to be")

# ---- A baseline ----


def launch(seed, slower):
    random.seed(seed)
    drift = random.lognormvariate(0, 0.02)
    return [point("p2p", f, {"count": n}, (start + n * 1e-10) * drift * random.lognormvariate(0, 0.01)
                  * (slower if f == "Shmem_Get" and n > 500 else 1))
            for f, start in (("Shmem_Put", 1e-6), ("Shmem_Get", 2e-6)) for n in (8, 64, 512, 4096)]


old = [write(path(f"old{i}.json"), launch(i, 1)) for i in range(6)]
new = [write(path(f"new{i}.json"), launch(100 + i, 1.3)) for i in range(6)]
compared = report(*new, "--baseline", *old, "-o", "compared.html")
tap.equal((compared.status, compared.err), (0, ""), "a comparison with a baseline")
summary = re.search(r"Against the baseline</dt><dd>(.*?) \(", page("compared.html"))
tap.equal(summary and summary.group(1), "2 slower, 6 unchanged", "... says what became slower", summary)
block = embedded("compared.html")["blocks"][0]
tap.ok(len(block["value"]) == 48 and None not in block["old"] and all(
    0.7 < v / o < 1.45 for v, o in zip(block["value"], block["old"])), "... and what it was for each point",
    block["old"])

# ---- States of the machine ----


def table_of(name, label):
    """Rows of a table as dictionaries of texts."""
    text = re.search(rf'aria-label="{re.escape(label)}"><table.*?</table>', page(name), re.DOTALL)
    plain = lambda cell: re.sub(r"<[^>]*>", "", cell).strip()
    if not text:
        return []
    head = [plain(cell) for cell in re.findall(r"<th .*?</th>", text.group())]
    return [dict(zip(head, map(plain, re.findall(r"<td.*?</td>", row))))
            for row in text.group().split("<tr>")[2:]]


def in_two_states(time, slow=2.5, turns=(1, 1, 2, 1, 2, 2, 1, 2, 1, 1, 2, 0), count=8):
    return in_rounds(point("put", "Shmem_Put", {"count": count}, time), [
        time * (slow if state == 2 else 1) * (1 + 0.002 * i) for i, state in enumerate(turns)], turns)


shares = states_of({1: 0.625, 2: 0.375})
write_states(path("two.json"), [
    in_two_states(1e-7), in_two_states(2e-7, count=16),
    in_parts(point("barrier", "B", {}, 3e-7), {1: 1.956e-7, 2: 4.876e-7}),
    in_state(point("quiet", "Q", {}, 3e-8), 2)], [*shares, controls_of([1] * 30 + [None] + [2] * 20)])
made = report("two.json", "-o", "two.html")
html = page("two.html")
tap.ok(made.status == 0 and not made.err and '<h2 id="machine">State of the machine</h2>' in html,
       "states: a section about them", made)
tap.equal(table_of("two.html", "States of the machine, two.json"),
          [{"state": "1", "hand-over ns": "61", "hand-over, range": "below 100 ns",
            "share of the time": "62 %", "seconds": "37.5"},
           {"state": "2", "hand-over ns": "164", "hand-over, range": "above 100 ns",
            "share of the time": "38 %", "seconds": "22.5"}], "... with their shares of the time")
write_states(path("four.json"), [in_rounds(point("put", "Shmem_Put", {"count": 8}, 1e-7), [1e-7, 2e-7, 3e-7, 4e-7],
                                           [1, 2, 3, 4])],
             [*states_of(dict.fromkeys(FOUR, 0.25), FOUR), controls_of([1, 2, 2, 3, 4, None], values=FOUR)])
report("four.json", "-o", "four.html")
tap.equal([[row[name] for name in ("hand-over ns", "hand-over, range", "addition ps", "addition, range")]
           for row in table_of("four.html", "States of the machine, four.json")],
          [["61", "below 100 ns", "285", "below 370 ps"], ["61", "below 100 ns", "480", "above 370 ps"],
           ["164", "above 100 ns", "285", "below 370 ps"], ["164", "above 100 ns", "480", "above 370 ps"]],
          "four states: both controls that tell them apart")
strip = re.search(r'<figure class="strip">.*?</figure>', page("four.html"), re.DOTALL).group()
tap.equal([(color, dots.count("h0")) for dots, color in re.findall(r'<path d="([^"]*)" stroke="([^"]*)"', strip)],
          [("var(--s0)", 1), ("var(--s1)", 2), ("var(--s2)", 1), ("var(--s3)", 1)] * 2,
          "... a picture for each of these controls, in the colours of the states")
tap.equal((strip.count("<rect"), strip.count("<li>")), (4, 4), "... the ranges once, and one legend")
tap.ok("Median in state 2 (hand-over 61 ns, addition 480 ps)" in page("four.html"), "... and in the heads of tables")
strip = re.search(r'<figure class="strip">.*?</figure>', html, re.DOTALL).group()
tap.equal([(color, dots.count("h0")) for dots, color in re.findall(r'<path d="([^"]*)" stroke="([^"]*)"', strip)],
          [("var(--s0)", 30), ("var(--s1)", 20)], "... a dot for each time at which the control was measured")
tap.ok(strip.count("<rect") == 2 and "state 2 (hand-over 164 ns), 37.5 % of the time" in strip,
       "... the ranges of states, and what they are", strip[-600:])
for name, one, two in (("put", "100.9", "252.5"), ("barrier", "196", "488"), ("quiet", None, "30.00")):
    row = table_of("two.html", f"Results of {name}")[0]
    tap.equal((row.get("state 1 ns"), row.get("state 2 ns")), (one, two), f"... the value in each state: {name}")
write_states(path("one.json"), [in_state(point("quiet", "Q", {}, 3e-8), 1)],
             [*states_of({1: 1.0}), controls_of([1])])
write(path("none.json"), [point("quiet", "Q", {}, 3e-8)])
same = []
for name in ("one.json", "none.json"):
    same.append(report("-", "-o", "-", stdin=read_text(path(name))).out)
tap.ok(same[0] and same[0] == same[1], "one state: the page is that without states")
write_states(path("levels.json"), [in_two_states(2e-7)], states_of({1: 0.5, 2: 0.5}, {1: 65e-9, 2: 170e-9}))
made = report("two.json", "levels.json", "one.json", "-o", "files.html")
tap.ok(made.status == 0 and "There is no picture: only JSON files" in page("files.html")
       and not table_of("files.html", "States of the machine, one.json"),
       "several files: those of several states, with a word where there is no picture", made)
tap.ok([row["state 2 ns"] for row in table_of("files.html", "Results of put")] == ["252.5", "505.0", "505.0"]
       and "Median in state 2 (hand-over 167 ns)" in page("files.html"),
       "... and their states have common numbers", table_of("files.html", "Results of put"))
write_states(path("known.json"), [in_two_states(1e-7)], [
    {**shares[0], "known": True}, {**shares[1], "new": True},
    {**shares[1], "state": 3, "value": 4e-7, "low": 2.6e-7, "share": 0.0, "seconds": 0.0, "known": True}])
report("known.json", "-o", "known.html")
tap.equal([row["in earlier runs"] for row in table_of("known.html", "States of the machine, known.json")],
          ["yes", "no, it is new", "only there"], "states of earlier runs")
for side, often in (("mixed-old", 2), ("mixed-new", 6)):
    for launch_number in range(6):
        turns = [2 if i % 10 < often else 1 for i in range(20)]
        random.seed(f"{side}{launch_number}")
        write_states(path(f"{side}{launch_number}.json"),
                     [in_two_states(1e-7 * random.lognormvariate(0, 0.01), turns=turns)],
                     states_of({1: 1 - often / 10, 2: often / 10}))
made = report(*(f"mixed-new{i}.json" for i in range(6)), "--baseline", *(f"mixed-old{i}.json" for i in range(6)),
              "-o", "mixed.html")
rows = table_of("mixed.html", "Differences of new to old, in ns")
tap.ok(made.status == 0 and "<dd>1 unchanged (" in page("mixed.html") and rows and not rows[0]["state"]
       and [(row["state"], row["share of old"], row["share of new"]) for row in rows[1:3]] == [
           ("state 1 (hand-over 61 ns)", "80 %", "40 %"), ("state 2 (hand-over 164 ns)", "20 %", "60 %")],
       "a comparison is that of skampi-compare: state by state", rows)
tap.ok("state 2 (hand-over 164 ns): 20 % of the time of old, 60 % of that of new." in page("mixed.html"),
       "... with the time in each state")

# ---- Coverage ----

COVERAGE = {"coverage": 1, "files": [], "runs": 6, "confidence": 0.95, "contained": 0.934, "lowest_pair": 0.8,
            "width_ratio": 1.37, "promise": True, "promised": {"contained": 0.9, "width_ratio": 2.0},
            "blocks": [], "points": []}
for changes, text in (
        ({}, "in 6 runs intervals contained 93.4 % of later medians (promised: at least 90 %), and they were 1.37 "
             "times as wide as the observed spread needs (promised: at most 2): the promise is kept"),
        ({"contained": 0.8, "promise": False}, "the promise is not kept"),
        ({"width_ratio": None, "promise": None}, "widths were not judged")):
    write_text(path("coverage.json"), json.dumps({**COVERAGE, **changes}))
    covered = report("a.json", "--coverage", "coverage.json", "-o", "covered.html")
    tap.ok(covered.status == 0 and page("covered.html").count(text) == 2,
           f"coverage is stated as a verdict and with the promise: {text}", covered)
for content, text in (("[]", "not what skampi campaign coverage --json writes"), ("", "not what"),
                      (json.dumps({**COVERAGE, "coverage": 2}), "version 2"),
                      (json.dumps({**COVERAGE, "contained": "x"}), "not what"),
                      (json.dumps({**COVERAGE, "promise": "perhaps"}), "not what")):
    write_text(path("coverage.json"), content)
    refused = report("a.json", "--coverage", "coverage.json")
    tap.ok(refused.status == 2 and text in refused.err and refused.err.count("\n") == 1,
           f"refused in one line: coverage {content[:20]}", refused)

# ---- A campaign ----

os.makedirs(path("campaign/summaries"))
lines = records([])
lines[-1:-1] = [rounds_point(n, 1e-6 + n * 1e-10, 1) for n in (8, 64)]
write_text(path("campaign/campaign.json"), json.dumps({"campaign": 1, "launches": 1, "configurations": [{"name": "A"}]}))
write_records(path("campaign/summary.json"), lines)
write_records(path("campaign/summaries/A.json"), lines[:-3] + lines[-2:])
for argument, count in (("campaign", 2), ("campaign:A", 1)):
    shown = report(argument, "-o", "campaign.html")
    tap.ok(shown.status == 0 and [len(b["value"]) for b in embedded("campaign.html")["blocks"]] == [count],
           f"a campaign: {argument}", shown)
refused = report("campaign:B", "-o", "campaign.html")
tap.ok(refused.status == 2 and "there is no campaign/summaries/B.json" in refused.err, "... not of another name",
       refused)

# ---- In a browser ----

if not browser:
    tap.skip("the page works in a browser", browsers.REASON)
    tap.done()

DRAWN = """
const figure = arguments[0], canvas = figure.querySelector("canvas");
if (!canvas) return null;
const copy = document.createElement("canvas");
copy.width = canvas.width;
copy.height = canvas.height;
const paper = copy.getContext("2d", {willReadFrequently: true});
paper.drawImage(canvas, 0, 0);
const pixels = paper.getImageData(0, 0, canvas.width, canvas.height).data;
const wanted = arguments[1].map((c) => [1, 3, 5].map((i) => parseInt(c.slice(i, i + 2), 16)));
let ink = 0, coloured = 0;
for (let i = 0; i < pixels.length; i += 4) {
  ink += pixels[i + 3] > 0;
  coloured += pixels[i + 3] > 200 && wanted.some((c) => c.every((x, k) => Math.abs(x - pixels[i + k]) < 6));
}
return [ink, coloured, canvas.width];
"""


def drawn(figure):
    """(painted, painted in a line's colour, width) of a figure's plot, scrolled to it."""
    browser.script("arguments[0].scrollIntoView({block: 'center'})", figure)
    # After the window has changed its width, the page hears of it with the next frame.
    browser.until("""(([f]) => f.querySelector('canvas') && f.querySelector('.uplot').offsetWidth
                      <= Math.max(200, f.querySelector('.canvas').clientWidth))(arguments)""", figure)
    # Its pixels come with the next frame or two.
    for _ in range(40):
        got = browser.script(DRAWN, figure, list(style.PALETTE) + data["dark"])
        if got and got[1]:
            break
        browser.until("false", seconds=0.05)
    return got


def figures():
    return browser.script("return [...document.querySelectorAll('figure.plot')]")


def overflow():
    return browser.script("return document.documentElement.scrollWidth - innerWidth")


def picture(name):
    if PICTURES:
        browser.picture(os.path.join(PICTURES, f"{name}.png"))


report("new0.json", "--baseline", "old0.json", "-o", "one.html")
for name in ("report", "compared", "one", "two"):
    browser.open(path(f"{name}.html"))
    for figure in figures():
        got = drawn(figure)
        tap.ok(got and got[0] > 1000 and got[1] > 30, f"{name}: a plot is drawn", got)
    tap.ok(overflow() <= 0, f"{name}: fits into 1280 pixels", overflow())
    picture(f"{name}-1280")
    browser.shape(400, 800)
    widths = [drawn(figure)[2] for figure in figures()]
    tap.ok(widths and max(widths) <= 400 and overflow() <= 0, f"{name}: fits into 400 pixels", (widths, overflow()))
    picture(f"{name}-400")
    tap.equal(browser.problems(), [], f"{name}: nothing on the console, no request")

# ... also before it has heard of a narrower window, as when the machine is busy.
undo = browser.before_pages("window.ResizeObserver = class { observe() {} unobserve() {} disconnect() {} };")
browser.open(path("compared.html"))
width = drawn(figures()[0])[2]
browser.shape(400, 800)
tap.ok(width > 1000 and overflow() <= 0, "a plot that is not drawn anew yet does not widen the page",
       (width, overflow()))
undo()

browser.open(path("report.html"), dark=True)
tap.ok(drawn(figures()[0])[1] > 30, "dark: a plot is drawn")
back = browser.script("return getComputedStyle(document.body).backgroundColor")
tap.ok(max(map(int, re.findall(r"\d+", back)[:3])) < 60, "dark: the page is dark", back)
picture("report-dark")
browser.shape(1280)
back = browser.script("return getComputedStyle(document.body).backgroundColor")
tap.ok(min(map(int, re.findall(r"\d+", back)[:3])) > 200, "... and light again at once", back)

browser.open(path("report.html"))
first = figures()[0]
drawn(first)


def column(table, head):
    return browser.script("""
        const [table, head] = arguments;
        const i = [...table.tHead.rows[0].cells].findIndex((c) => c.textContent.startsWith(head));
        return [...table.tBodies[0].rows].map((r) => r.cells[i].textContent)""", table, head)


def press_head(table, head, key=None):
    button = browser.script("""
        const [table, head] = arguments;
        return [...table.tHead.querySelectorAll("button")].find((b) => b.textContent.startsWith(head))""",
                            table, head)
    browser.script("arguments[0].scrollIntoView({block: 'center', inline: 'center'})", button)
    button.send_keys(key) if key else button.click()
    return browser.script("return arguments[0].closest('th').getAttribute('aria-sort')", button)


table = browser.script("return document.querySelector('.block table.sortable')")
before = column(table, "count")
tap.equal(press_head(table, "count"), "ascending", "a click on a column's head sorts, and says so")
tap.equal(column(table, "count"), sorted(before, key=int), "... by number")
tap.equal(press_head(table, "count", " "), "descending", "a key as well, the other way round")
tap.equal(column(table, "count"), sorted(before, key=int, reverse=True), "... by number")
press_head(table, "flags")
tap.equal(column(table, "flags")[0], "level shift autocorrelated", "empty cells are last")
press_head(table, "flags")
tap.equal(column(table, "flags")[0], "level shift autocorrelated", "... also the other way round")
press_head(table, "median")
medians = [float(x.removesuffix(" *")) for x in column(table, "median")]
tap.ok(medians == sorted(medians) and max(medians) > 10 > min(medians), "measured values are sorted as numbers", medians)
press_head(table, "#")
tap.equal(column(table, "count"), before, "# gives the first order back")
field = browser.script("return document.querySelector('.block input[type=search]')")
field.send_keys("GET 64")
tap.ok(set(column(table, "function")) == {"Shmem_Get"} and "64" in column(table, "count")
       and browser.script("return document.querySelector('.block .shown').textContent").endswith(" of 28 rows"),
       "the filter keeps rows with all words, and counts them")
field.clear()
field.send_keys("nothing of this kind")
tap.equal(column(table, "count"), [], "... or none")

# The plot: log toggles, kinds, hovering, keys, zoom, lines.
SHOT = "return arguments[0].querySelector('canvas').toDataURL()"


def toggle(selector, value=None):
    """Whether the plot looks different afterwards."""
    old_shot = browser.script(SHOT, first)
    if value is None:
        browser.script("arguments[0].querySelector(arguments[1]).click()", first, selector)
    else:
        browser.script("""const select = arguments[0].querySelectorAll("select")[arguments[1]];
                          select.value = arguments[2]; select.dispatchEvent(new Event("change"))""",
                       first, selector, value)
    drawn(first)
    # On a busy machine the new pixels may come later than that.
    browser.until("arguments[0].querySelector('canvas').toDataURL() !== arguments[1]", first, old_shot, seconds=3)
    drawn(first)
    return browser.script(SHOT, first) != old_shot


def checked_boxes():
    return browser.script("return [...arguments[0].querySelectorAll('input:checked')].map((x) => x.name)", first)


tap.ok("logx" in checked_boxes(), "sizes that double stand on a logarithmic axis")
for box in ("logx", "logy", "intervals"):
    was = box in checked_boxes()
    tap.ok(toggle(f"input[name={box}]") and (box in checked_boxes()) != was, f"{box} can be switched")
    toggle(f"input[name={box}]")
    tap.equal(box in checked_boxes(), was, f"{box} can be switched back")

POSITION = """
const [figure, x, share] = arguments, over = figure.querySelector(".u-over"), box = over.getBoundingClientRect();
over.dispatchEvent(new MouseEvent("mousemove", {bubbles: true, clientX: box.left + x * box.width,
                                                clientY: box.top + share * box.height}));
"""


def tip():
    return browser.script("const t = arguments[0].querySelector('.tip'); return t.hidden ? '' : t.innerText", first)


def hover_until_seen():
    """Moves the pointer over the plot until it says something."""
    browser.script("arguments[0].scrollIntoView({block: 'center'})", first)
    for step in range(1, 40):
        browser.script(POSITION, first, step / 40, 0.9)
        if browser.until("!arguments[0].querySelector('.tip').hidden", first, seconds=0.1):
            return tip()
    return ""


def seconds(text):
    value, unit = text.split()
    return float(value) * dict(style.TIME_UNITS)[unit]


seen = hover_until_seen()
shown = re.search(r"(Shmem_\w+)\(count=(\d+)\).*\ntime: ([\d.]+ .?s)\ninterval of the median: ([\d.]+ .?s) – ", seen)
tap.ok(shown, "hovering shows a value with its interval", seen)
if shown:
    truth = {"Shmem_Put": 1e-6, "Shmem_Get": 2e-6}[shown.group(1)] + int(shown.group(2)) / 5e9
    tap.near(seconds(shown.group(3)), truth, 0.001, "... the right one")
    tap.near(seconds(shown.group(4)), truth * 0.98, 0.001, "... the right interval")
picture("report-hover")

first.send_keys("\ue00c")  # Escape
tap.equal(tip(), "", "Escape hides it")
first.send_keys("\ue014")  # ArrowRight
start = tip()
first.send_keys("\ue014")
second = tip()
first.send_keys("\ue015")  # ArrowDown
tap.ok(start and second and start != second and tip() not in ("", second), "arrow keys go from point to point",
       (start, second, tip()))

tap.ok(toggle(0, 1) and "bandwidth" in (hover_until_seen() or ""), "bandwidth instead of time", tip())
rate = re.search(r"count=(\d+).*\nbandwidth: ([\d.]+) (.?)B/s(?:.*\n)*time: ([\d.]+ .?s)", tip())
tap.ok(rate, "... with the time", tip())
if rate:
    tap.near(float(rate.group(2)) * {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}[rate.group(3)],
             int(rate.group(1)) / seconds(rate.group(4)), 0.002, "... bytes over time")
ends = re.search(r"bandwidth: ([\d.]+ .?B/s)\ninterval of the median: ([\d.]+ .?B/s) – ([\d.]+ .?B/s)", tip())
units = dict(style.RATE_UNITS)
low, middle, high = (float(text.split()[0]) * units[text.split()[1]] for text in (
    (ends.group(2), ends.group(1), ends.group(3)) if ends else ("0 B/s",) * 3))
tap.ok(low < middle < high, "... with its interval the right way round", tip())
toggle(0, 0)

tap.ok(toggle(".legend button"), "a line can be hidden")
tap.equal(browser.script("return arguments[0].querySelector('.legend button').getAttribute('aria-pressed')", first),
          "false", "... which its button says")
toggle(".legend button")

unzoomed = browser.script(SHOT, first)
browser.drag(browser.script("return arguments[0].querySelector('.u-over')", first), (0.2, 0.2), (0.6, 0.8))
tap.ok(browser.until("!arguments[0].querySelector('.tools button').disabled", first)
       and browser.until("arguments[0].querySelector('canvas').toDataURL() !== arguments[1]", first, unzoomed),
       "dragging zooms")
browser.script("arguments[0].querySelector('.tools button').click()", first)
drawn(first)
tap.ok(browser.until("arguments[0].querySelector('canvas').toDataURL() === arguments[1]", first, unzoomed),
       "a button shows the whole plot again")

browser.open(path("report.html"), dark=True)
browser.script("dispatchEvent(new Event('beforeprint'))")
tap.ok(browser.until("[...document.querySelectorAll('figure.plot')].every((f) => f.querySelector('canvas'))"),
       "printing draws all plots")
back = browser.script("return getComputedStyle(document.body).backgroundColor")
tap.equal(back, "rgb(255, 255, 255)", "... for white paper")
browser.script("dispatchEvent(new Event('afterprint'))")
tap.equal(browser.problems(), [], "none of this said anything on the console")

# What data can be: nothing, zeros, negative, one point, huge numbers, thousands of points.
odd = []
for i, value in enumerate((0, -1e-9, 1e-9, None, 5e-6, 1e300, 1e-300)):
    record = point("strange values", "wtime", {"count": (0, 1, 2, 4, 8, 16, 2 ** 60)[i]}, 1e-6)
    odd.append({**record, **dict.fromkeys(
        "time standard_error mean median median_low median_high min max p5 p95 p99".split(), value)})
odd += [{**point("no value", "F", {"count": n}, 1e-6), "time": None, "median": None} for n in (1, 2, 3)]
odd += [{**point("without statistics", "F", {"count": n}, 1e-6), **dict.fromkeys(
    "mean median median_low median_high min max p5 p95 p99".split())} for n in (8, 16)]
odd += [{**point("bare", "F", {}, 1e-6), "arguments": {}, "variables": {}, "bytes": None} for _ in range(2)]
odd += [point("negative", "F", {"count": n}, -1e-6 * n) for n in (1, 2, 4, 8)]
odd += [point("all equal", "F", {"count": n}, 1e-6) for n in (8, 16, 32)]
odd += [point("long sweep", f"F{k}", {"count": 8 * n}, 1e-6 * (k + 1) + n * 1e-10, flags=[
    "below_resolution"] if n % 50 == 0 else []) for k in range(15) for n in range(1, 201)]
odd += [point("even", "F", {"count": n}, 1e-6 * n) for n in (100, 200, 300, 400)]
odd += [point(f"block {n}", "F", {"count": k}, 1e-6) for n in range(40) for k in (1, 2)]
write(path("odd.json"), odd, header={"pes": 102400, "binding": {"bound": 0, "pes": 102400}, "nodes": [
    {"name": f"n{i}", "pes": 128, "processors": 64, "cpu": "cpu", "smt": "on", "governor": "powersave",
     "load": 200.0} for i in range(800)]}, whole=False)
made = report("odd.json", "-o", "odd.html")
tap.equal((made.status, made.err), (0, ""), "strange data give a report")
browser.open(path("odd.html"))
waiting = browser.script("return [...document.querySelectorAll('figure.plot')].filter((f) => !f.querySelector('canvas')).length")
tap.ok(waiting > 20, "plots are drawn when they are looked at", waiting)
for figure in figures()[:8]:
    name = browser.script("return arguments[0].getAttribute('aria-label')", figure)
    got = drawn(figure)
    tap.ok(got and got[1] > 10, f"drawn: {name}", got)
    if name in ("Plot of negative", "Plot of even"):
        on = browser.script("return arguments[0].querySelector('input[name=logx]').checked", figure)
        tap.equal(on, name == "Plot of negative", f"a logarithmic axis for what doubles alone: {name}")
    browser.script("arguments[0].querySelectorAll('.tools input').forEach((box) => box.click())", figure)
    got = browser.script("const f = arguments[0]; return f.querySelector('.canvas').hidden || !!f.querySelector('canvas')",
                         figure)
    tap.ok(got, f"... all its switches can be changed: {name}", got)
tap.ok("at or below zero" in browser.script("return document.body.textContent"), "what a logarithm cannot show is said")
lines = browser.script("""const f = [...document.querySelectorAll("figure.plot")].find((x) =>
    x.getAttribute("aria-label").includes("long sweep"));
    return [...f.querySelectorAll(".legend button")].map((b) => b.getAttribute("aria-pressed"))""")
tap.equal((len(lines), lines.count("true")), (15, 10), "of many lines the first are shown")
rows = "document.getElementById('block-7').parentElement.querySelectorAll('tbody tr').length"
tap.equal(browser.script(f"return {rows}"), 500, "of a long table the first rows are shown")
browser.script("document.getElementById('block-7').parentElement.querySelector('.sheet .tools button').click()")
tap.equal(browser.script(f"return {rows}"), 3000, "... and all on demand")
picture("odd-1280")
tap.equal(browser.problems(), [], "strange data: nothing on the console")

# ---- Rates, and breaks where a protocol changes ----

rated = sweep("rated", "Bcast", 1e-6, [2 ** k for k in range(3, 17)])
for p in rated:
    p.update({rate: (1 if rate == "rate" else p["bytes"]) / p["median"] for rate in ("bandwidth", "bus_bandwidth", "rate")})
broken = [point("broken", "Send", {"count": 2 ** k}, (1e-6 + 2 ** k / 5e9) * (1.5 if k > 11 else 1)) for k in range(3, 17)]
write_records(path("rates.json"), records(rated + broken, header={"choices": {
    "pml": "ob1", "variable btl_vader_eager_limit": "4096 (default)"}}))
report("rates.json", "-o", "rates.html")
browser.open(path("rates.html"))
first, second = figures()
drawn(first)
shown = []
for place in range(4):
    toggle(0, place)
    shown.append(browser.script("""const select = arguments[0].querySelector("select");
                                   return select.options[select.value].text""", first))
tap.equal(shown, ["time", "bandwidth", "bus bandwidth", "message rate"], "what to show of a collective")
tap.ok(re.search(r"message rate: [\d.]+ [kM]/s(.*\n)*time: ", hover_until_seen()), "... messages per second, with the time", tip())
drawn(second)
tap.ok(browser.script("return arguments[0].nextSibling.textContent", second).startswith("The time breaks between 2 KiB and 4 KiB"),
       "a break where the protocol changes is said below the plot")
tap.equal(browser.problems(), [], "rates and breaks: nothing on the console")
tap.done()
