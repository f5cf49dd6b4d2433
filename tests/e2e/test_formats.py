#!/usr/bin/env python3
"""The formats of results hold what is documented: JSON Lines as scripts/results.schema.json states them, CSV, .sko, several
at once, and what a file says of a run that was cut off."""

import csv
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
import schema
from builds import preloadable
from harness import ROOT, Tap, in_parallel, parse_sko, read_text, skampi, skip_all, write_text
from made_results import point
from skampi_tools import results, thresholds
from skampi_tools.formats import csv_table
from skampi_tools.report import columns

QUICK = """set_min_repetitions(4)
set_max_repetitions(8)
set_max_relative_standard_error(1.0)
"""
# Everything that a result file can hold, but for what ends the run.
MIXED = QUICK + """set_unit(1.0e9)
set_hw_counters("PAPI_TOT_CYC")
begin measurement "a; 'b', c=d"
  print "say 'hi'\tc:\\d ", get_env("ODD")
  if get_comm_rank(MPI_COMM_WORLD) == 1 then print "two
lines" fi
  flush
  for s in ["a b", "c=d;e", "8", "[x", "", 2.5, get_env("ODD")] do
    measure comm(2) : wtime(100)
  od
  measure comm(2) : Shmem_Quiet(10)
  measure MPI_COMM_NULL : wtime(1)
end measurement
set_hw_counters("none")
set_skampi_buffer(1kb)
begin measurement "sorted"
  autorefine count = 8 to 64 step *2 do
    measure comm2(1, 0) : Shmem_Put_Round(count, 0)
  od
end measurement
begin measurement "failing"
  measure MPI_COMM_WORLD : Shmem_Put_Full(64, 5)
  set_max_window(1.0e-9)
  measure MPI_COMM_WORLD : Shmem_Put_Full(8, 5)
end measurement
"""
ODD = 'q"uo,te\\ \udcff\u00e9 \x01'  # \udcff: a byte that is no UTF-8
ONE = QUICK + 'begin measurement "one"\n  measure comm(1) : wtime(10)\nend measurement\n'
MANY = ONE + ('begin measurement "many"\n  for i = 1 to 100000000 do\n'
              '    measure comm(1) : wtime(10)\n  od\nend measurement\n')
# A repetition takes longer than the watchdog waits for, on a machine with fast timers, too.
ENDLESS = ONE + """set_watchdog(2)
set_max_repetitions(1000000)
set_max_relative_standard_error(0.0)
begin measurement "endless"
  measure comm(1) : wtime(2000000000)
end measurement
"""


def records_of(text):
    """Of a file of whole lines."""
    return [json.loads(line) for line in text.split("\n")[:-1]]


def kind(records, name):
    return [record for record in records if record["record"] == name]


def test_validator(tap):
    """The check itself must be able to fail."""
    if not schema.jsonschema:
        tap.skip("errors are found", "python3-jsonschema is not installed")
        return
    comment = {"record": "comment", "text": "x"}
    tap.equal(schema.errors([comment]), [], "a right record is accepted")
    for wrong in ({"record": "comment"}, {**comment, "more": 1}, {**comment, "text": 1}):
        tap.ok(schema.errors([wrong]), f"{wrong} is refused")
    noted = {**point("put", "F", {"count": 8}, 1e-6), "notes": ["subtracted: an empty quiet, 12 ns (24 % of the result)"]}
    tap.ok(schema.errors([noted]), "a note whose member is missing is refused")


# ---- What the columns of CSV hold, read apart from what the scripts read it with ----


def split_escaped(text, separator):
    """At separators without a backslash in front; escapes are kept."""
    return re.findall(rf"(?:\\.|[^\\{separator}])+", text, re.DOTALL) if text else []


def unescape(text):
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)


def cell_value(text):
    if text.startswith("'"):
        return unescape(text[1:])
    text = unescape(text)
    if text == "null" or text.startswith("["):
        return json.loads(text)
    try:
        return json.loads(text) if re.match(r"-?\d", text) else text
    except ValueError:
        return text


def cell_pairs(text, convert=cell_value):
    pairs = {}
    for pair in split_escaped(text, ";"):
        name = re.match(r"(?:\\.|[^\\=])*", pair, re.DOTALL).group(0)
        pairs[unescape(name)] = convert(pair[len(name) + 1:])
    return pairs


def cell_list(text):
    return [None if cell == "nan" else float(cell) for cell in text.split(";")] if text else []


PARTS = "hand_over addition valid median p25 p75".split()  # of results in several states of the machine


def csv_problems(row, record):
    """Where a row of CSV is not the record."""
    arguments = record["arguments"]
    special = {
        "args": (cell_pairs(row["args"]), {n: a["value"] for n, a in arguments.items()}),
        "arg_units": (cell_pairs(row["arg_units"], unescape),
                      {n: a["unit"] for n, a in arguments.items() if a["unit"]}),
        "variables": (cell_pairs(row["variables"]), record["variables"]),
        "pes": (int(row["pes"]), record["pe_set"]["size"]),
        "members": (row["members"], record["pe_set"].get("members", "")),
        "placement": (row["placement"], record["pe_set"]["placement"]),
        "counters": (
            cell_pairs(row["counters"],
                       lambda c: dict(zip(("most", "mean"), cell_list(c.replace("/", ";"))))),
            record.get("counters", {})),
        "flags": ([unescape(c) for c in split_escaped(row["flags"], ";")], record["flags"]),
        "notes": ([unescape(c) for c in split_escaped(row["notes"], ";")], record["notes"]),
        "per_pe": (cell_list(row["per_pe"]), record["per_pe"]),
        "samples": (cell_list(row["samples"]), record.get("samples", [])),
        "parts": ([cell_list(part.replace(":", ";")) for part in row["parts"].split(";") if part],
                  [[part.get(name) for name in PARTS] for part in record.get("parts", [])]),
    }
    problems = [f"{name}: {a!r} is not {b!r}" for name, (a, b) in special.items() if a != b]
    for name, text in row.items():
        value = record.get(name)
        if name in special:
            continue
        if isinstance(value, (int, float)):
            good = text != "" and float(text) == value
        else:
            good = text == ("" if value is None else value)
        if not good:
            problems.append(f"{name}: {text!r} is not {value!r}")
    return problems


# ---- One run in all formats ----


# Of 3 PEs and 24 bytes: bytes per operation, factor of the bus bandwidth, messages; None: no value.
RATES = {"Shmem_Put_Full(24, 3)": (24, None, 1), "Shmem_Put_Call(24, 3)": (None, None, None),
         "Shmem_Put_Full(0, 3)": (None, None, None), "Shmem_Barrier()": (None, None, None),
         'Shmem_Round_Trip_Put_Put_Flag(24, "half", 0, 3)': (48, None, 2),
         "Shmem_Bcast_All_Consecutive(3, 24, 0)": (24, 1, 1),
         "Shmem_Fcollect_Consecutive(3, 24)": (72, 2 / 3, 1),
         "Shmem_Alltoall_Consecutive(3, 24)": (72, 2 / 3, 1),
         "Shmem_Reduce_Sum_Long_Consecutive(3, 24)": (24, 4 / 3, 1)}
RATES_MPI = {"Allreduce(24, MPI_BYTE, MPI_BOR)": (24, 4 / 3, 1), "Reduce(24, MPI_BYTE, MPI_BOR, 0)": (24, 1, 1),
             "Reduce_scatter_block(24, MPI_BYTE, MPI_BOR)": (72, 2 / 3, 1),
             "Reduce_scatter(24, MPI_BYTE, MPI_BOR, 0)": (24, 2 / 3, 1),
             "Ireduce_scatter_block_Post(24, MPI_BYTE, MPI_BOR)": (None, None, None),
             "Allgather(24, MPI_BYTE, 24, MPI_BYTE)": (72, 2 / 3, 1),
             'Round_Trip_Put_Get_Message(24, "half", 0, 3)': (48, None, 2)}


def test_rates(tap):
    wanted = {**RATES, **(RATES_MPI if harness.has("MPI") else {})}
    calls = "".join(f"  measure MPI_COMM_WORLD : {call}\n" for call in wanted)
    run = skampi(QUICK + f'begin measurement "rates"\n{calls}end measurement\n', np=3,
                 args=["-o", "a.json", "--rounds", "2"])
    records = records_of(run.read("a.json"))
    schema.check(tap, "rates", records, run)
    for name in ("result", "rounds"):
        found = {r["call"]: r for r in kind(records, name) if r.get("round", 1) == 1}
        tap.equal(len(found), len(wanted), f"{name}: all are there", run)
        for (call, (moved, factor, messages)), record in zip(wanted.items(), found.values()):
            median = record["median"]
            values = [record["bandwidth"], record["bus_bandwidth"], record["rate"]]
            exact = [moved and moved / median, factor and moved * factor / median,
                     messages and messages / median]
            tap.ok(all(a == b is None or a and b and abs(a / b - 1) < 1e-9 for a, b in zip(values, exact)),
                   f"{name}: rates of {call}", f"{values} instead of {exact}")


def test_tools_rates(tap):
    """Tools draw the bandwidth that a result states; without one, the reported size over the time."""
    def result(**more):
        return results.Result({**point("block", "f", {"count": 1000}, 2e-6), **more})
    twice = result(bandwidth=1e9, bus_bandwidth=5e8, rate=1e6)
    tap.equal(columns.bandwidth_cell(twice), ("1 GB/s", 1e9), "tools: the bandwidth that is stated")
    tap.equal((columns.rate_cell(twice.bus_bandwidth), columns.rate_cell(result().bus_bandwidth)), (("500 MB/s", 5e8), None),
              "tools: the bus bandwidth that is stated")
    tap.equal(columns.bandwidth_cell(result()), ("500 MB/s", 5e8), "tools: of a file without it, size over time")
    tap.equal(columns.bandwidth_cell(result(bandwidth=None)), None, "tools: none where the file says so")
    tap.equal(columns.bandwidth_cell(result(quantity="bytes")), None, "tools: none of memory")


def test_all_formats(tap):
    counters = {"LD_PRELOAD": preloadable("papi.c")} if harness.has("PAPI") else {}
    script = MIXED if counters else re.sub(r"set_hw_counters.*\n", "", MIXED)
    run = skampi(script, np=2, env={**counters, "ODD": ODD},
                 args=["-s", "--raw", "-o", "a.sko", "-o", "a b.json", "-o", "a.csv"])
    tap.equal(run.status, 3, "all formats: the status of what failed", run)
    text = run.read("a b.json")
    records = records_of(text)
    schema.check(tap, "all formats", records, run)
    results, header, end = kind(records, "result"), records[0], records[-1]
    tap.equal([r["record"] for r in (header, end)], ["header", "end"], "JSON: header and end")
    tap.ok("-s --raw -o" in header["command_line"] and header["pes"] == 2
           and header["script"]["name"].endswith("test.ski"), "JSON: the header is of this run")
    tap.equal((end["status"], end["results"], end["missing"]),
              (3, len(results), 2), "JSON: the end record counts")
    tap.equal([(m["kind"], m["block"], m["number"], m["call"]) for m in kind(records, "missing")],
              [("skipped", "a; 'b', c=d", 1, "wtime(iterations=1)"),
               ("failed", "failing", 3, "Shmem_Put_Full(count=8, iterations=5)")],
              "JSON: what is missing")
    tap.ok("set_max_window" in kind(records, "missing")[1]["reason"], "JSON: and why")
    odd = 'q"uo,te\\ \ufffd\u00e9 \x01/'
    tap.equal([p["text"] for p in kind(records, "print")],
              [f"#P[0] say 'hi'\tc:\\d {odd}", f"#P[1] say 'hi'\tc:\\d {odd}", "#P[1] two",
               "#P[1] lines"], "JSON: prints, a record a line, in UTF-8")
    blocks = kind(records, "block")
    tap.equal([b["number"] for b in blocks + kind(records, "block_end")], [1, 2, 3] * 2,
              "JSON: blocks are counted")
    tap.equal(script.startswith(blocks[0]["source"]) and len(blocks[0]["source"]) > 50, True,
              "JSON: -s gives the block its source", blocks[0])
    tap.equal([r["variables"]["s"] for r in results[:7]],
              ["a b", "c=d;e", 8, "[x", "", 2.5, odd.replace("\x01", "?")],
              "JSON: variables are numbers where they look like ones")
    tap.equal(results[-2]["arguments"], {"count": {"value": 64, "unit": "bytes"},
                                         "iterations": {"value": 0, "unit": ""}},
              "JSON: arguments by name, with units")
    tap.equal([r["pe_set"]["members"] for r in (results[0], results[-2])], ["0-1", "1,0"],
              "JSON: members in the order of ranks")
    counts = [r["variables"]["count"] for r in results if r["block"] == "sorted"]
    tap.ok(counts == sorted(counts) and len(counts) >= 4, "JSON: autorefine's results are sorted",
           counts)
    if counters:
        tap.ok(results[7]["counters"]["PAPI_TOT_CYC"]["most"] > 0
               and results[0]["counters"]["PAPI_TOT_CYC"]["most"] is None
               and "counters" not in results[-1], "JSON: counters where there are any")
    tap.equal([(r["function"], len(r["samples"]), r["valid"], len(r["per_pe"]), r["median"],
                statistics.median(r["samples"]), r["samples"]) for r in results if len(r["samples"]) != r["valid"]
               or len(r["per_pe"]) != r["pe_set"]["size"]
               or abs(statistics.median(r["samples"]) - r["median"]) > 1e-9 * abs(r["median"])], [],
              "--raw: as many samples as are valid, with the median that is stated")

    rows = list(csv.DictReader(run.read("a.csv").splitlines(keepends=True)))
    tap.equal(list(rows[0]), list(csv_table.COLUMNS),
              "CSV: the columns that skampi-convert writes")
    missing = [record for record in records if record["record"] == "missing"]
    left_out = [row for row in rows if row["record"] == "missing"]
    rows = [row for row in rows if row["record"] == "result"]
    tap.equal(len(rows), len(results), "CSV: a row for each result")
    tap.equal([(row["kind"], row["block"], row["call"], row["reason"]) for row in left_out],
              [(r["kind"], r["block"], r["call"], r["reason"]) for r in missing],
              "CSV: a row for each result that is missing")
    problems = [p for row, record in zip(rows, results) for p in csv_problems(row, record)]
    tap.ok(not problems, "CSV: the same as in JSON, in every column", "\n".join(problems[:20]))
    with open(run.path("a.sko"), encoding="utf-8", errors="replace") as file:
        blocks, _, _ = parse_sko(file.read())
    numbers = [(row.bytes, row.reps, row.time) for block in blocks[1:] for row in block.rows]
    wanted = [(r["bytes"], r["valid"], r["time"] * 1e9) for r in results
              if r["number"] > 1]  # the rows of the first block have blanks in variables
    tap.ok(len(numbers) == len(wanted) and all(
        a[:2] == b[:2] and abs(a[2] - b[2]) <= 1e-3 * abs(b[2]) + 1e-9
        for a, b in zip(numbers, wanted)), ".sko: the same, rounded", f"{numbers}\n{wanted}")


def test_locations(tap):
    """.json and .sko say the same of where PEs run: where a PE may use one processor, on that one."""
    usable = os.sched_getaffinity(0)
    only = max(usable)
    os.sched_setaffinity(0, {only})
    try:
        run = skampi(ONE, np=1, args=["-o", "a.json", "-o", "a.sko"], launch=False)
    finally:
        os.sched_setaffinity(0, usable)
    groups = [results.read(run.path(name)).header.get("locations") for name in ("a.json", "a.sko")]
    tap.ok(run.status == 0 and groups[0] == groups[1] and len(groups[0]) == 1, "where PEs run", f"{groups}\n{run}")
    wanted = {"pes": "0", "node": 0, "bound": True, "processors": str(only), "ran_on": str(only)}
    tap.equal({name: groups[0][0].get(name) for name in wanted}, wanted, "... and on which processor")


def test_choices(tap):
    """What the library has chosen: .json and .sko say the same, and so do results that are read from either."""
    script = 'begin measurement "c"\nmeasure comm(1) : wtime(10)\nend measurement\n'
    run = skampi(script, args=["--explain", "-o", "a.json", "-o", "a.sko"])
    headers = [results.read(run.path(name)).header.get("choices") for name in ("a.json", "a.sko")]
    tap.ok(run.status == 0 and headers[0] == headers[1], "choices of the library", headers)
    if "Open MPI" in results.read(run.path("a.json")).header["library"]:
        tap.ok(headers[0] and "pml" in headers[0] and headers[0].get("coll", "").split() ==
               sorted(headers[0].get("coll", "?").split()), "components in force, sorted", headers[0])
    paths = [name for name in headers[0] or {} if name.startswith("path")]
    settings = [name for name in headers[0] or {} if name.startswith("variable")]
    tap.ok("MPI" not in results.read(run.path("a.json")).header["library"] or settings, "settings of MPI", headers[0])
    if "UCX" in (headers[0] or {}) and os.path.exists("/usr/include/ucp/api/ucp.h"):
        tap.ok(paths == ["path from PE 0 to PE 1, same node"] and
               re.match(r"[\w/, .]+(; \w+ 0\.\.<[\w/]+>\.\.[\w()<>./]+)+$", headers[0][paths[0]]),
               "devices and sizes of UCX", headers[0])
        tap.ok(thresholds.thresholds(results.read(run.path("a.json")).header, "Shmem_Put_Round", "on one node"),
               "... which scripts take as thresholds", headers[0])
    plain = skampi(script, args=["-o", "a.json"])
    without = results.read(plain.path("a.json")).header.get("choices")
    tap.equal(without, {name: value for name, value in headers[0].items() if name not in paths + settings}
              if headers[0] else None, "without --explain there are no paths and settings")


def test_settings(tap):
    """With --explain: settings of MPI and UCX in force, where they come from, and which are not used."""
    script = 'begin measurement "c"\nmeasure comm(1) : wtime(10)\nend measurement\n'
    environment = {"UCX_RNDV_THRESH": "12345", "UCX_NO_SUCH": "a\nb", "OMPI_MCA_coll_tuned_bcast_algorithm": "6",
                   "OMPI_MCA_coll_tuned_use_dynamic_rules": "0", "OMPI_MCA_btl_self_eager_limit": "4321"}
    run = skampi(script, args=["--explain", "-o", "a.json", "-o", "a.sko"], env=environment)
    tap.ok(not re.search("^b", run.read("a.sko"), re.MULTILINE), ".sko: a setting's text stays in its line")
    header = results.read(run.path("a.json")).header
    choices = header.get("choices") or {}
    tap.equal(run.status, 0, "--explain with settings in the environment")
    if "UCX" in choices:
        found = choices.get("variable UCX_RNDV_THRESH", "")
        tap.ok(re.fullmatch(r"12345 \(environment(, .*)?\)", found), "UCX: set in the environment", choices)
        tap.ok(choices.get("variable UCX_NO_SUCH", "").startswith("a?b (environment, "), "UCX: not known to it", choices)
        tap.ok("ucp_config_print" not in choices.get("variable UCX_NO_SUCH", "") or
               sum(name.startswith("variable UCX") for name in choices) <= 2 + sum(
                   name.startswith("UCX_") for name in os.environ), "UCX: defaults are left out", choices)
    if "Open MPI" not in header["library"] or " MPI " not in header["library"]:
        return
    tap.equal(choices.get("variable btl_self_eager_limit"), "4321 (environment)", "Open MPI: set in the environment")
    limits = {name: text for name, text in choices.items() if name.endswith("_eager_limit")}
    tap.ok(limits and all(re.fullmatch(r"\d+ \((default|environment|file \(.+\))\)", text) for text in limits.values()),
           "Open MPI: eager limits, and their sources", choices)
    tap.ok({name.split("_")[1] for name in limits} <= set(choices.get("btl", "").split()) or "btl" not in choices,
           "Open MPI: only of components in force", choices)
    tap.equal(choices.get("variable coll_tuned_bcast_algorithm"),
              "binomial (environment), not in force: coll_tuned_use_dynamic_rules is false",
              "Open MPI: an algorithm that is not used")
    environment["OMPI_MCA_coll_tuned_use_dynamic_rules"] = "1"
    run = skampi(script, args=["--explain", "-o", "a.json"], env=environment)
    tap.equal(results.read(run.path("a.json")).header["choices"].get("variable coll_tuned_bcast_algorithm"),
              "binomial (environment)", "Open MPI: an algorithm that is used")


def test_shipped(tap):
    """Scripts that come with skampi; the second ends with times of the library's own end."""
    cases = [("quickstart.ski", ["--set", "MAXSIZE=64", "--set", "POINT_TIME=0.02"]), ("startup.ski", []),
             ("ordering.ski", ["--set", "MAXSIZE=64"])]
    for name, args in cases:
        run = skampi(os.path.join(ROOT, "inputs", name), np=2, timeout=100,
                     args=[*args, "-o", "a.json", "-f", "csv", "-o", "-"])
        records = records_of(run.read("a.json"))
        schema.check(tap, name, records, run)
        results = kind(records, "result")
        tap.ok(records[-1]["status"] == run.status == 0 and len(results) > 3, f"{name}: is whole",
               run)
        tap.equal(len(run.out.splitlines()), len(results) + len(kind(records, "state")) + 1,
                  f"{name}: CSV on standard output")
        if name == "startup.ski":
            tap.ok(len(records[-1].get("library_end", [])) == 2, f"{name}: the library's end",
                   records[-1])


# ---- Where output goes ----


def test_places(tap):
    def first(run, name=None):
        return (run.read(name) if name else run.out).partition("\n")[0][:12]

    sko, rows, lines = "# SKaMPI Ver", "record,block", '{"record":"h'
    cases = {
        "by default": ([], {None: sko}),
        "-f json": (["-f", "json"], {None: lines}),
        "--format=csv": (["--format=csv"], {None: rows}),
        "-f sko": (["-f", "sko"], {None: sko}),
        "-o -": (["-o", "-", "-f", "csv"], {None: rows}),
        "suffixes": (["-o", "x.csv", "-o", "x.json", "-o", "x.sko"],
                     {"x.csv": rows, "x.json": lines, "x.sko": sko}),
        "no suffixes": (["-o", "a.b/x", "-o", "y", "-o", ".z"], {"a.b/x": sko, "y": sko, ".z": sko}),
        "unknown suffixes, -f": (["-o", "x.txt", "-f", "json", "-o", "b.csv"],
                                 {"x.txt": lines, "b.csv": rows}),
        "two of a format": (["-o", "x.json", "-o", "y.json"], {"x.json": lines, "y.json": lines}),
        "a file and standard output": (["-f", "json", "-o", "-", "-o", "x.sko"],
                                       {None: lines, "x.sko": sko}),
    }

    def start(name):
        return skampi(ONE, np=1, args=cases[name][0], launch=False, files={"a.b/w": ""})

    for name, run in in_parallel(list(cases), start):
        places = cases[name][1]
        tap.equal((run.status, {place: first(run, place) for place in places}), (0, places),
                  f"{name}: each in its format", run)
        if None not in places:
            tap.equal(run.out, "", f"{name}: nothing on standard output")


KEPT = "# SKaMPI Version 5\nkept\n"  # of a file that may be replaced


def test_refused(tap):
    """Before anything is measured, in one line; and no file is lost."""
    cases = {
        "bad format": (["-f", "xml"], "--format xml: give sko, csv, json or table"),
        "the same file": (["-o", "old.sko", "-o", "./old.sko"], "are the same output"),
        "a link to it": (["-o", "old.sko", "-o", "link.json"], "are the same output"),
        "standard output twice": (["-o", "-", "-o", "-"], "are the same output"),
        "one cannot be written": (["-o", "old.sko", "-o", "no/where.json"],
                                  "cannot write no/where.json: No such file or directory"),
        "a folder": (["-o", "old.sko", "-o", "folder"], "cannot write folder: Is a directory"),
    }

    def start(name):
        directory = harness.scratch_directory()
        for path, text in (("test.ski", ONE), ("old.sko", KEPT)):
            write_text(os.path.join(directory, path), text)
        os.mkdir(os.path.join(directory, "folder"))
        os.link(os.path.join(directory, "old.sko"), os.path.join(directory, "link.json"))
        return harness.run([harness.program(), "-i", "test.ski", *cases[name][0]],
                           env=harness.launch_environment(), cwd=directory)

    for name, run in in_parallel(list(cases), start):
        tap.ok(run.status == 2 and cases[name][1] in run.err and run.err.count("error") == 1
               and run.out == "", f"{name}: status 2 and one line", run)
        tap.equal(run.read("old.sko"), KEPT, f"{name}: what was there is kept")


def test_full(tap):
    """A full disk ends the run; the others have everything until then, and say so."""
    if not os.path.exists("/dev/full"):
        tap.skip("full devices", "there is no /dev/full")
        return
    run = skampi(ONE, np=1, args=["-o", "a.json", "-o", "/dev/full", "-o", "a.csv"], launch=False)
    tap.equal(run.status, 1, "/dev/full: status 1", run)
    error = "skampi: error: /dev/full cannot be written: No space left on device"
    tap.equal(run.err.strip().splitlines(), [error], "/dev/full: one line names the file")
    records = records_of(run.read("a.json"))
    schema.check(tap, "/dev/full", records)
    tap.equal((records[0]["record"], records[-1].get("status"), records[-1].get("reason")),
              ("header", 1, error), "/dev/full: the good file has header and end")
    tap.equal(run.read("a.csv")[:7], "record,", "/dev/full: so does the other")


# ---- Ends ----


def interrupted(number):
    """A run that gets the signal when it measures: status, records, what is behind the last whole
    line."""
    directory = harness.scratch_directory()
    path = os.path.join(directory, "a.json")
    write_text(os.path.join(directory, "test.ski"), MANY)
    job = subprocess.Popen([harness.program(), "-i", "test.ski", "-o", "a.json"], cwd=directory,
                           stderr=subprocess.DEVNULL,
                           env={**os.environ, **harness.launch_environment()})
    until = time.monotonic() + 60
    while time.monotonic() < until and job.poll() is None:
        if os.path.exists(path) and read_text(path).count('"block":"many"') > 20:
            break
        time.sleep(0.02)
    job.send_signal(number)
    try:
        status = job.wait(30)
    except subprocess.TimeoutExpired:
        job.kill()
        status = "no end"
    text = read_text(path)
    return status, records_of(text[:text.rfind("\n") + 1]), text[text.rfind("\n") + 1:]


def test_ends(tap):
    status, records, rest = interrupted(signal.SIGTERM)
    schema.check(tap, "SIGTERM", records)
    tap.equal((status, rest, records[-1]["record"], records[-1].get("status"),
               records[-1].get("reason")),
              (143, "", "end", 143, "interrupted by signal 15 (Terminated)"),
              "SIGTERM: the end record says so")
    tap.equal(records[-1].get("results"), len(kind(records, "result")),
              "SIGTERM: everything so far is there")
    _, records, rest = interrupted(signal.SIGKILL)
    # Of a write that crosses pages, the kernel leaves the rest out when the process is killed.
    tap.ok('{"record":'.startswith(rest[:10]) and not kind(records, "end") and len(kind(records, "result")) > 20,
           "SIGKILL: whole lines up to the last one, no end record", rest or records[-1])
    cases = {
        "assert": (ONE.replace("end m", 'assert(1 == 2, "a \'b\'")\nend m'), 1,
                   "assertion failed: a 'b'"),
        "watchdog": (ENDLESS, 5, "ended by the watchdog: no progress for 2 s in "
                                 "wtime(iterations=2000000000)"),
    }

    def start(name):
        return skampi(cases[name][0], np=1, args=["-o", "a.json"], launch=False)

    for name, run in in_parallel(list(cases), start):
        _, status, reason = cases[name]
        records = records_of(run.read("a.json"))
        schema.check(tap, name, records, run)
        tap.ok(records[-1]["record"] == "end" and run.status == records[-1]["status"] == status
               and reason in records[-1]["reason"] and records[-1]["results"] == 1,
               f"{name}: the end record has status and reason", run)


def main():
    if not harness.has("SHMEM"):
        skip_all("built without OpenSHMEM")
    tap = Tap()
    test_validator(tap)
    test_tools_rates(tap)
    test_rates(tap)
    test_all_formats(tap)
    test_locations(tap)
    test_choices(tap)
    test_settings(tap)
    test_shipped(tap)
    test_places(tap)
    test_refused(tap)
    test_full(tap)
    test_ends(tap)
    tap.done()


main()
