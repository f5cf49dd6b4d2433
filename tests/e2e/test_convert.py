#!/usr/bin/env python3
# LONG
# PLAIN
"""scripts/skampi-convert: .sko of any version, CSV and JSON Lines into each other without loss of
what the other format can hold; cut and damaged files; nothing that is read ends in a traceback."""

import csv
import io
import json
import math
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap, has, read_records, read_text, run, scratch_directory, skampi, write_text
import made_results
import schema
from skampi_tools import cli, results
from skampi_tools.formats import csv_table

CONVERT = os.path.join(ROOT, "scripts/skampi-convert")
FOLDER = scratch_directory()
tap = Tap()


def path(name):
    return os.path.join(FOLDER, name)


def write(name, text):
    write_text(path(name), text)
    return path(name)


def read(name):
    return read_text(path(name))


def convert(*arguments, **further):
    return run([CONVERT, *arguments], cwd=FOLDER, **further)


def converted(source, target, *arguments):
    """The records of the target, as JSON."""
    done = convert(source, "-o", target, *arguments)
    tap.ok(done.status == 0 and not done.out, f"{source} -> {target}", done)
    return results.read(path(target))


def records(file, *kinds):
    return [record for record in file.records if record["record"] in kinds]


def full(record):
    """Without members that state nothing."""
    return {name: value for name, value in record.items() if value not in (None, [], {}, "")}


# ---- What is converted ----

NASTY = 'put; "x", a=b\\ \N{GREEK SMALL LETTER MU}'
POINTS = [made_results.point("put", "Shmem_Put_Simple", {"count": 2 ** i, "iterations": 10},
                             (i + 1) * 1.2345678901234e-7, samples=[1e-7 / 3, 2e-7, 3e-7])
          for i in range(4)]
POINTS += [
    made_results.point(NASTY, "Shmem_Put_X", {"type": 'a;b=c"\\,d', "text": "8", "empty": "",
                                              "apostrophe": "'q", "null": "null", "list": [1, -2],
                                              "bracket": "[x", "real": 1.5e-300},
                       1e-6, notes=["one; two = three\\", "a \"quoted\" one"], flags=["level_shift"],
                       counters={"PAPI_TOT_INS": {"most": 1.5, "mean": None},
                                 "x::y:z=0": {"most": 3, "mean": 2.25}},
                       levels=[{"value": 1.5e-7, "share": 0.62}, {"value": 4.5e-7, "share": 0.38}],
                       variables={"s": "a b", "c": "[0, 1]", "d": 2.5, "n": -3},
                       pe_set={"size": 3, "placement": "on several nodes, mixed"},
                       per_pe=[None, 1e-6, 0.5e-6], window_rule="", cache="", buffers="none",
                       synchronization="none", unit=1e9),
    {**made_results.point("nothing", "Shmem_Malloc", {}, 0.0, standard_error=None, valid=0,
                          per_pe=[None], pe_set={"size": 1, "placement": ""}, quantity="bytes", unit=1, median=None, bytes=0),
     "time": None},
]
ROUNDS = [{**{name: POINTS[0][name] for name in
              "block function call arguments variables pe_set bytes quantity unit".split()},
           "record": "rounds", "number": 1, "rounds": 5, "median": 1.5e-7, "median_low": 1.25e-7,
           "median_high": 1.75e-7, "reached": 0.9375, "next_low": 1e-7, "next_high": None,
           "confidence": 0.95, "between": 0.05, "within": 0.1, "flags": [],
           "notes": ["wide"], "medians": [1.5e-7, None, 1.7e-7]}]
LINES = made_results.records(POINTS)
LINES[2:2] = [{"record": "print", "text": "#P[0] hello"}, {"record": "print", "text": "and more"},
              {"record": "comment", "text": "clocks: none"}]
LINES[-1:-1] = [{"record": "block", "block": "put (rounds)", "number": 4}, *ROUNDS,
                {"record": "block_end", "block": "put (rounds)", "number": 4, "duration": 1.25},
                {"record": "missing", "kind": "failed", "call": "Shmem_X(a=1)", "reason": "no: not"}]
LINES[1]["source"] = 'set_unit(1e6)\nbegin measurement "put"'
LINES[0].update(locations=[
    {"pes": "0-2", "node": 0, "package": 1, "numa_node": 0, "l3": 3, "bound": True, "processors": "3,11,2", "ran_on": "3,11,2",
     "pes_per_core": 2, "pes_per_l2": 3},
    {"pes": "3-6:3", "node": 1, "bound": False, "processors": "0-15", "ran_on": "0,5"}])
LINES[0].update(environment={"UCX_TLS": "a=b"}, warnings=["node 0 was busy"],
                rounds={"rounds": 5, "seed": "42", "seconds": 60.0, "time_limit": 120.0})
JSON = "".join(json.dumps(line) + "\n" for line in LINES)
write("a.json", JSON)

# ---- JSON and CSV ----

shown = convert("a.json", "--to", "csv")
tap.ok(shown.status == 0 and shown.err.count("\n") == 1, "JSON -> CSV, one line of what is lost", shown)
for lost in ("the header", "the script's source", "comments (1)", "the script printed (2)",
             "how the run ended"):
    tap.ok(lost in shown.err, f"CSV cannot hold: {lost}", shown.err)
table = list(csv.reader(io.StringIO(shown.out)))
tap.equal(table[0], csv_table.COLUMNS, "the columns of CSV")
cells = dict(zip(table[0], table[5]))
tap.equal(cells["block"], NASTY, "a block's name, quoted")
tap.equal(cells["args"], "type=a\\;b\\=c\"\\\\,d;text='8;empty=';apostrophe=''q;null='null;"
          "list=[1, -2];bracket='[x;real=1.5e-300", "arguments in one cell")
tap.equal((cells["levels"], cells["counters"], cells["per_pe"], cells["notes"], cells["flags"]),
          ("1.5e-07:0.62;4.5e-07:0.38", "PAPI_TOT_INS=1.5/nan;x::y:z\\=0=3/2.25",
           "nan;1e-06;5e-07", "one\\; two \\= three\\\\;a \"quoted\" one", "level_shift"),
          "lists in one cell each")
tap.equal(table[1][table[0].index("time")], repr(POINTS[0]["time"]), "numbers lose no digit")
back = converted("a.json", "a.csv") and converted("a.csv", "b.json")
tap.equal(list(map(full, records(back, "result", "rounds"))),
          [full(line) for line in LINES if line["record"] in ("result", "rounds")],
          "JSON -> CSV -> JSON keeps every member of results and rounds")
again = converted("b.json", "b.csv")
tap.equal(read("b.csv"), read("a.csv"), "... and gives the same CSV again")
tap.equal([record["block"] for record in records(back, "block")], ["put", NASTY, "nothing"],
          "blocks around the results of a CSV")
write("crlf.csv", "\ufeff" + read("a.csv").replace("\n", "\r\n"))
tap.equal(records(converted("crlf.csv", "c.json"), "result"), records(back, "result"),
          "CSV with CR LF and a byte order mark, as spreadsheets write it")
some = [["unknown", "block", "record", "time", "bytes"], ["x", "a", "result", "1e-6", "8"]]
few = results.read(write("few.csv", "".join(",".join(row) + "\n" for row in
                                            [[row[2], row[1], row[0], *row[3:]] for row in some])))
tap.equal([(r.block, r.time, r.bytes, r.round) for r in few.results], [("a", 1e-6, 8, 1)],
          "fewer columns, and unknown ones")

same = convert("a.json", "--to", "json")
tap.equal(list(map(json.loads, same.out.splitlines())), LINES, "JSON -> JSON changes nothing")
tap.equal(same.err, "", "... and loses nothing")
tap.equal(convert("-", "--to", "json", stdin=JSON).out, same.out, "from standard input")

# Texts that spreadsheets take for formulas, and back; numbers stay numbers.
FORMULAS = ["=1+1", "+cmd|' /C calc'!A0", "-1+1", "@SUM(1)", "'=a", "''+b", "'c", "-", "\t=x"]
write("formulas.json", "".join(json.dumps(line) + "\n" for line in (
    LINES[0], *({**full(next(line for line in LINES if line["record"] == "result")), "block": text, "number": number,
                 "time": -1.5e-9, "pe_set": {"size": 2, "placement": text}, "variables": {"x": text}} for number, text in enumerate(FORMULAS, 1)))))
table = list(csv.DictReader(convert("formulas.json", "--to", "csv").out.splitlines(keepends=True)))
tap.ok(len(table) == len(FORMULAS) and not [cell for row in table for column, cell in row.items()
                                             if cell and cell[0] in "=+-@\t" and column != "time"],
       "no cell is a formula", table)
tap.equal({row["time"] for row in table}, {"-1.5e-09"}, "numbers are numbers")
convert("formulas.json", "-o", "formulas.csv")
back = results.read(path("formulas.csv")).results
tap.equal([(r.block, r.pe_set["placement"], r.variables["x"]) for r in back], [(text, text, text) for text in FORMULAS],
          "... and each is read as the text that it was")

# ---- .sko ----


def printed(value, unit):
    return None if value is None else float(f"{value * unit:.4g}") / unit


def near(got, wanted):
    return got == wanted or (got is not None and wanted is not None and
                             math.isclose(got, wanted, rel_tol=6e-4))


back = converted("a.json", "a.sko") and converted("a.sko", "d.json")
got = records(back, "result")
tap.equal(len(got), len(POINTS), "as many results behind .sko")

generator = random.Random(5)
TEXTS = ["", "x= 5", *("".join(generator.choice(' ="\\ab.,#\tä\u2003\x85') for _ in range(generator.randint(0, 9)))
                       for _ in range(200))]
texts = [os.path.join(FOLDER, name) for name in ("texts.json", "texts.sko")]
made_results.write(texts[0], [made_results.point("b", "F", {"count": 8}, 1e-6, variables={"s": text, "n": number})
                              for number, text in enumerate(TEXTS)])
results.write(results.read(texts[0]), texts[1], "sko")
both = [[(result.key, result.variables) for result in results.read(name).results] for name in texts]
tap.equal(*both, "any text of a loop variable comes back from .sko, and so do points")
for after, before in zip(got, POINTS):
    tap.equal([after[name] for name in ("block", "variables", "bytes", "valid", "quantity", "notes",
                                        "synchronization", "window_rule", "run_time", "buffers",
                                        "cache", "unit")],
              [before[name] for name in ("block", "variables", "bytes", "valid", "quantity", "notes",
                                         "synchronization", "window_rule", "run_time", "buffers",
                                         "cache", "unit")],
              f"JSON -> .sko -> JSON keeps what identifies {before['call']}, and how it was measured")
    tap.ok(near(after["time"], before["time"]) and
           near(after["standard_error"], before["standard_error"]) and
           len(after["per_pe"]) == len(before["per_pe"]) and
           all(map(near, after["per_pe"], before["per_pe"])),
           "... and its times to the printed precision", f"{after}\n{before}")
    tap.equal((after["pe_set"]["size"], after["pe_set"]["placement"]),
              (before["pe_set"]["size"], before["pe_set"]["placement"]), "... and its PEs")
tap.equal(got[4]["counters"], {"PAPI_TOT_INS": {"most": 1.5, "mean": None},
                               "x::y:z=0": {"most": 3.0, "mean": 2.25}}, "counters")
tap.equal(got[4]["levels"], POINTS[4]["levels"], "levels")
after, before = records(back, "rounds")[0], ROUNDS[0]
tap.ok(all(near(after[name], before[name]) for name in
           "median median_low median_high next_low next_high confidence between within".split())
       and near(after["reached"], 0.938) and after["rounds"] == 5 and after["block"] == "put"
       and after["variables"] == before["variables"] and after["notes"] == ["wide"],
       "rounds", f"{after}\n{before}")
tap.equal(after["pe_set"]["size"], 2, "... with the PEs of the first round")
tap.equal([record["text"] for record in records(back, "print")], ["#P[0] hello", "and more"],
          "what the script printed")
tap.equal(records(back, "missing")[0], LINES[-2], "what takes the place of a result")
tap.equal({name: back.header[name] for name in ("command_line", "script", "library", "pes", "nodes",
                                                "binding", "locations", "environment", "warnings", "rounds")},
          {name: LINES[0][name] for name in ("command_line", "script", "library", "pes", "nodes",
                                             "binding", "locations", "environment", "warnings", "rounds")},
          "the header")
tap.equal((back.end["status"], back.end["duration"], back.end["timed"]), (3, 60.0, 1.0), "the end")
tap.equal(records(back, "block")[0]["source"], LINES[1]["source"], "the source")
once = convert("a.sko", "--to", "sko")
tap.equal(convert("-", "--to", "sko", stdin=once.out).out, once.out,
          ".sko -> .sko changes nothing the second time")
shown = run([os.path.join(ROOT, "scripts/skampi-table"), path("a.sko")])
tap.ok(shown.status == 0 and "mean of the middle [us]" in shown.out and "put (rounds)" in shown.out,
       "scripts/skampi-table reads it", shown)
unit = convert("a.sko", "--unit", "ns", "--to", "sko").out
tap.ok("times in ns" in unit and "times in us" not in unit and "     200.0     1.235 " in unit,
       "--unit of a .sko to be written", unit)

for name in ("a.json", "b.json", "d.json"):
    schema.check(tap, name, read_records(path(name)))

# ---- Classic files ----

CLASSIC = """\
# SKaMPI Version 5.0.4 rev. 355

# Started at Sat Nov 21 21:31:49 2026


#> begin measurement "one"
#>   measure comm(a) : Pingpong_Send_Recv(count, MPI_INT, 0, 5)

# begin result "one"
a= 2 count= 8       32    1048.7     306.9       36       0.2    1048.7
a= 4 count= 1        4       5.4       1.7       36       0.4    ---          3.1       4.0
# end result "one"
# duration = 7.87 sec

# begin result "two "2""
#P[0] rank 0
another line of that
datatype= MPI_INT count= 8       32    1048.7       nan       36       0.2    1048.7
x= 1.500000 s= a 5        0     123.4       1.0        8
s= a b c= [0, 1]  123456789     123.4       1.0        8
       0     123.4       1.0        8   1  2   3
c= 1 c= 2        4       5.4       1.7       36
"""
CLASSIC_END = """
# Finished at Sat Nov 21 21:31:58 2026
# Total runtime 9 seconds
"""
write("classic.sko", CLASSIC + CLASSIC_END)
file = results.read(path("classic.sko"))
tap.equal([(r.block, list(r.variables.items()), r.bytes, r.time, r.valid) for r in file.results],
          [("one", [("a", 2), ("count", 8)], 32, 1048.7e-6, 36),
           ("one", [("a", 4), ("count", 1)], 4, 5.4e-6, 36),
           ('two "2"', [("datatype", "MPI_INT"), ("count", 8)], 32, 1048.7e-6, 36),
           ('two "2"', [("x", 1.5), ("s", "a 5")], 0, 123.4e-6, 8),
           ('two "2"', [("s", "a b"), ("c", "[0, 1]")], 123456789, 123.4e-6, 8),
           ('two "2"', [], 0, 123.4e-6, 8), ('two "2"', [("c", 2)], 4, 5.4e-6, 36)],
          "a file of SKaMPI 5: variables, bytes, times in microseconds, repetitions")
tap.ok(math.isnan(file.results[2].standard_error) and math.isnan(file.results[0].median),
       "what it does not state is NaN")
tap.equal([x if x == x else None for x in file.results[1].per_pe], [4e-7, None, 3.1e-6, 4e-6],
          "times per PE, one without")
tap.equal([r.function for r in file.results], ["Pingpong_Send_Recv"] * 2 + [""] * 5,
          "the function, from the source of its block")
tap.equal((file.header["version"], file.header["started"], file.end["finished"],
           file.end["duration"], records(file, "block_end")[0]["duration"]),
          ("5.0.4 rev. 355", "2026-11-21T21:31:49", "2026-11-21T21:31:58", 9.0, 7.87),
          "dates and durations")
tap.equal([record["text"] for record in records(file, "print")],
          ["#P[0] rank 0", "another line of that"], "prints of several lines")
shown = convert("classic.sko", "--to", "csv")
tap.ok("does not state the unit" in shown.err and shown.err.count("\n") == 2, "the unit is doubted",
       shown.err)
shown = convert("classic.sko", "--to", "json", "--unit", "ns")
tap.ok(shown.err == "" and results.read(write("ns.json", shown.out)).results[1].time == 5.4e-9,
       "... unless --unit states it", shown)
for where, text in (("the source", '#> set_unit(1.0e9) # set_unit(1e3)\n'),
                    ("the command line", "# command line: skampi -i a.ski --unit ns -o b.sko\n")):
    file = results.read(write("unit.sko", text + CLASSIC + CLASSIC_END), "ms")
    tap.equal((file.results[1].time, file.doubts), (5.4e-9, []), f"a unit from {where} counts")
file = results.read(write("forced.sko", "# command line: skampi --unit ms\n#> set_unit(1e9)\n"
                          + CLASSIC + CLASSIC_END))
tap.equal(file.results[1].time, 5.4e-3, "... and --unit of the run before that of the script")
columns = " ".join(f"{x:9.1f}" for x in range(16))
text = f'# begin result "m"\n       4      15.0       1.0        8 {columns}\n# end result "m"\n'
many = results.read(write("many.sko", text))
tap.ok(many.results[0].pes is None and many.results[0].per_pe == [] and
       any("sorted" in doubt for doubt in many.doubts), "sorted samples of PEs are no PEs", many)
write("crlf.sko", (CLASSIC + CLASSIC_END).replace("\n", "\r\n"))
tap.equal(records(results.read(path("crlf.sko")), "result", "print"),
          records(results.read(path("classic.sko")), "result", "print"), ".sko with CR LF")

# ---- Cut and damaged files ----

cut = convert("-", "--to", "json", stdin=CLASSIC)
tap.ok(cut.status == 0 and "not complete" in cut.err and '"end"' not in cut.out, "a .sko without end", cut)
cut = convert("-", "--to", "csv", stdin=CLASSIC[:-9])
tap.ok(cut.status == 0 and "cut off" in cut.err and len(cut.out.splitlines()) == 7,
       "the last line of a .sko that is cut off is left out", cut)
cut = convert("-", "--to", "csv", stdin="".join(JSON.splitlines(True)[:-1]))
tap.ok(cut.status == 0 and "the file is not complete" in cut.err and len(cut.out.splitlines()) == 9,
       "JSON without end record", cut)
cut = convert("-", "--to", "csv", stdin="".join(JSON.splitlines(True)[:7])[:-300])
tap.ok(cut.status == 0 and "the file is not complete" in cut.err and len(cut.out.splitlines()) == 2,
       "JSON that ends within a record", cut)
cut = convert("-", "--to", "json", stdin="".join(read("a.csv").splitlines(True)[:-1])[:-12])
tap.ok(cut.status == 0 and "cut off" in cut.err and cut.out.count('"result"') == 6
       and '"rounds"' not in cut.out, "CSV that ends within a row", cut)
quoted = read("a.csv").index('"put; ') + 8
cut = convert("-", "--to", "json", stdin=read("a.csv")[:quoted])
tap.ok(cut.status == 0 and "cut off" in cut.err and cut.out.count('"result"') == 4,
       "CSV that ends within quotes", cut)
tap.ok("end" in convert("-", stdin="".join(JSON.splitlines(True)[:-1])).err, "to .sko, too")

header = JSON.splitlines(True)[0]
result = JSON.splitlines(True)[5]
table = read("few.csv")
LONG = "1" * 5000
for name, text, wanted in (
        ("empty", "", "standard input: the file is empty"),
        ("text", "what is this?\n", "standard input: neither .sko, CSV nor JSON Lines"),
        ("zeros", "\0\0\n\0", "standard input: neither"),
        ("no JSON", header + "{]\n", "standard input:2: not a record"),
        ("a list", header + "[1]\n" + result, "standard input:2: not a record"),
        ("deep", header + "[" * 100000 + "\n" + result, "standard input:2: not a record"),
        ("no kind", header + '{"record": 5}\n' + result, "standard input:2: not a record"),
        ("no header", result, "standard input: no header"),
        ("two headers", header + header, "standard input:2: a second header"),
        ("next version", header.replace('"schema": 1', '"schema": 2'), "schema version 2"),
        ("text for a number", header + '{"record": "result", "block": "a", "time": "x"}\n',
         "standard input:2: its time"),
        ("a bad list", header + '{"record": "result", "block": "a", "per_pe": [1, "2"]}\n',
         "standard input:2: its per_pe"),
        ("no block", header + '{"record": "result"}\n', "standard input:2: a result record without"),
        ("bad row", CLASSIC + "count= x\n" + CLASSIC_END, "standard input:23: not a result line"),
        ("missing fields", CLASSIC + "count= 1  2  3.5\n", "standard input:23: not a result line"),
        ("two .sko", CLASSIC + CLASSIC, "a second header"),
        ("CSV columns", "record,x\nresult,1\n", "standard input:1: not the columns"),
        ("CSV cells", table + "result,a\n", "standard input:3: 2 cells in a table of 5 columns"),
        ("CSV number", table + "result,a,x,1,1_0\n", "standard input:3: column bytes"),
        ("CSV kind", table + "header,a,x,1,1\n", "standard input:3: column record"),
        ("CSV quotes", table + 'result,"a"b,x,1,1\n', "standard input:3: not CSV"),
        ("CSV pairs", "record,block,args\nresult,a,b\n", "standard input:2: column args"),
        ("CSV levels", "record,block,levels\nresult,a,1\n", "standard input:2: its levels"),
        ("CSV count", "record,block,valid\nresult,a,1.5\n", "standard input:2: its valid")):
    refused = convert("-", stdin=text)
    tap.ok(refused.status == 2 and refused.err.count("\n") == 1 and wanted in refused.err
           and refused.err.startswith("skampi-convert: error: ") and not refused.out,
           f"refused in one line: {name}", refused)
for arguments, wanted in (
        (["nowhere.json"], "nowhere.json: No such file"), (["a\nb.json"], r"a\nb.json: No such"), (["."], ".: not a file"),
        (["a.json", "-o", "none/x.csv"], "none/x.csv: No such file"),
        (["a.json", "-o", "/dev/full"], "/dev/full: No space left"),
        (["a.json", "--to", "xml"], "--to"), ([], "IN"), (["a.json", "--unit", "m"], "--unit"),
        (["a.json", "--block", "x y"], 'a.json: no block "x y"; there are: "put"')):
    refused = convert(*arguments)
    tap.ok(refused.status == 2 and refused.err.count("\n") == 1 and wanted in refused.err,
           f"refused in one line: {' '.join(arguments)!r}", refused)
huge = convert("-", "--to", "sko", stdin=header + result.replace('"bytes": 1', f'"bytes": {LONG}')
               .replace('"mean": ', '"mean": 1e999, "x": '))
tap.ok(huge.status == 0, "numbers of thousands of digits", huge)
ended = run(["sh", "-c", f"'{CONVERT}' a.json --to json | head -c 1"], cwd=FOLDER)
tap.equal(ended.err, "", "a reader that has seen enough is no error")
usage = convert("--help")
tap.ok(usage.status == 0 and "examples:" in usage.out, "--help", usage)

# ---- One block ----

one = convert("a.json", "--block", "put", "--to", "json")
file = results.read(write("one.json", one.out))
tap.equal(({r.block for r in file.results}, len(file.results), len(file.rounds)), ({"put"}, 4, 1),
          "--block: results and rounds of one block")
tap.equal((len(records(file, "print")), file.end["results"], len(records(file, "block"))),
          (2, 4, 2), "... with what was printed in it, and the end")
two = convert("a.json", "--block", NASTY, "--block", "nothing", "--to", "csv")
tap.equal(two.out.count("\nresult,"), 2, "--block, twice")

# ---- Anything else ----

repeated = read("a.sko").splitlines(True)
place = next(i for i, line in enumerate(repeated) if line.startswith("# rounds: median"))
repeated.insert(place, repeated[place])
twice = convert("-", "--to", "json", stdin="".join(repeated))
tap.ok(twice.status == 0 and "Traceback" not in twice.err and
       twice.out.count('"record": "rounds"') == len(ROUNDS),
       "a line about rounds that is there twice counts once", twice)

# ---- Tables for other programs ----

made_results.write(path("table.json"), [
    made_results.point("b", "Put", {"count": count, "block": "x"}, 1e-6 * count, variables={"i": count // 8})
    for count in (8, 16)] + [made_results.point("b", "wtime", {}, 3e-8)])
done = convert("table.json", "--to", "tidy")
table = list(csv.DictReader(io.StringIO(done.out)))
points = results.read(path("table.json")).points
tap.equal([(row["function"], row["count"], row["block_"], row["i"]) for row in table],
          [("Put", "8", "x", "1"), ("Put", "16", "x", "2"), ("wtime", "", "", "")],
          "tidy: a column for each argument and variable; one that has another's name gets a _", done)
tap.equal([float(row["value"]) for row in table], [result.shown().value for result in points], "... the values that are shown")
tap.ok("cannot hold: the header" in done.err, "... and what is lost is said", done)
done = convert("table.json", "--to", "extrap")
lines = [json.loads(line) for line in done.out.splitlines()]
tap.ok([line["value"] for line in lines] == [result.best() for result in points] and
       {(line["callpath"], line["metric"]) for line in lines} == {("b->Put", "time"), ("b->wtime", "time")} and
       len({tuple(line["params"]) for line in lines}) == 1, "extrap: each line has the same parameters", done)
try:
    frame = results.frame(path("table.json"))
    tap.equal(list(frame["value"]), [result.shown().value for result in points], "pandas has the same table")
except cli.Error as error:
    tap.ok("python3-pandas" in str(error), "without pandas, an error names it", error)

# ---- What skampi writes ----

if not has("SHMEM"):
    tap.skip("the files of one run are the same results", "no OpenSHMEM")
    tap.done()
SCRIPT = """
set_min_repetitions(4)
set_max_repetitions(4)
set_skampi_buffer(64kb)
begin measurement "put; "
  print "text = ;"
  for s in ["a b", "c;d=e"] do
    for count = 8 to 16 step *2 do
      measure comm(2) : Shmem_Put_Round(count, 10)
    od
  od
  measure comm(1) : wtime(100)
end measurement
"""
measured = skampi(SCRIPT, np=2, args=["-s", "--unit", "ns", "--rounds", "2,0.1s", "-o", "r.sko", "-o",
                                      "r.json", "-o", "r.csv"])
tap.ok(measured.status == 0, "a run with three outputs", measured)
FOLDER = measured.directory
as_csv = convert("r.json", "--to", "csv")


def same_cell(a, b):
    """Texts are equal; numbers may be written in two ways."""
    try:
        return a == b or float(a) == float(b)
    except ValueError:
        return a.count(";") == b.count(";") > 0 and all(map(same_cell, a.split(";"), b.split(";")))


rows = [list(csv.reader(io.StringIO(text))) for text in (as_csv.out, read("r.csv"))]
tap.equal(rows[0][0], rows[1][0], "skampi writes the same columns")
tap.ok(len(rows[0]) == len(rows[1]) > 5 and
       all(len(a) == len(b) and all(map(same_cell, a, b)) for a, b in zip(*rows)),
       "CSV from JSON is the CSV that skampi writes", f"{as_csv.out}\n{read('r.csv')}")
from_json, from_sko = results.read(path("r.json")), results.read(path("r.sko"))
tap.ok(len(from_json.results) == 5 and from_json.rounds and not from_sko.doubts, "what was measured",
       from_sko.doubts)
tap.equal([(r.block, r.variables, r.bytes, r.valid, r.pes, r.synchronization, r.buffers, r.cache)
           for r in from_sko.results + from_sko.rounds],
          [(r.block, r.variables, r.bytes, r.valid, r.pes, r.synchronization, r.buffers, r.cache)
           for r in from_json.results + from_json.rounds], ".sko and JSON identify the same results")
tap.ok(all(near(a.best() if a.is_rounds else a.time, b.best() if b.is_rounds else b.time) and
           all(map(near, a.per_pe, b.per_pe)) for a, b in
           zip(from_sko.results + from_sko.rounds, from_json.results + from_json.rounds)),
       "... with the same times, as far as they are printed")
lines = [line for line in convert("r.json", "--to", "sko").out.splitlines()
         if line and not line.startswith("#")]
tap.equal(lines, [line for line in read("r.sko").splitlines() if line and not line.startswith("#")],
          "result lines from JSON are those that skampi writes")
tap.done()
