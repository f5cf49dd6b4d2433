#!/usr/bin/env python3
# PLAIN
"""scripts/skampi-table shows everything in a result file, aligned, and says what it cannot read."""

import os
import sys
import tracemalloc

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap, read_text, run, scratch_directory, skampi, write_text
from made_results import point, write
from skampi_tools import results
from usage import used

TABLE = os.path.join(ROOT, "scripts/skampi-table")

EXAMPLE = """\
# SKaMPI Version 1.2.3

# warning: node 0 (n) was busy before the run: load 5.30 on 2 processors
# timer: tsc, resolution 20.0 ns

# begin result "put, complete"
count= 8        8     9.948    0.6466        8     9.948     9.301
# note: iterations chosen: 744
# note: conditions: 2 PEs on one node; cycling buffers, warm; times in ns
count= 32768    32768    1227.2    5.0187        8    1226.0     226.8
# flags: autocorrelated, below_resolution
# note: timed regions of 40.1 ns are not well above the timer's resolution of 20 ns
# end result "put, complete"
# duration = 0.09 sec

# begin result "mixed "quotes""
s= a b c= [0 1]        0       ---       ---        0       ---
s= c=d c= [2]        0   0.02332 0.00002504       12   0.02332
# skipped: wtime(iterations=100): the communicator is empty
#P[0] printed
       0     -1.500      0.25       33
# unsupported: MPI_Put(count=1): no MPI
# end result "mixed "quotes""
# begin result "nothing"
# end result "nothing"
# begin result "two units"
        8     9.948    0.6466        8     9.948
# note: conditions: 1 PEs on one node; times in ns
        8     9.900    1e-05        8     9.948
# note: conditions: 1 PEs on one node; times in us
# failed: Shmem_Put(count=8): the window would be longer than 10 s
# interrupted by signal 15 (Terminated)
"""

SHORT = """\
warning: node 0 (n) was busy before the run: load 5.30 on 2 processors

put, complete
  count  bytes  mean of the middle [ns]  standard error [ns]  repetitions
      8      8                     9.95                 0.65            8
  32768  32768                  1227.2                  5.0             8 *

mixed "quotes"
    s      c  bytes  mean of the middle  standard error  repetitions
  a b  [0 1]      0           ---            ---                   0 *
  c=d    [2]      0             0.02332        0.000025           12
  skipped: wtime(iterations=100): the communicator is empty

  bytes  mean of the middle  standard error  repetitions
      0               -1.50            0.25           33
  unsupported: MPI_Put(count=1): no MPI

nothing
  nothing was measured

two units
  bytes  mean of the middle [ns]  standard error [ns]  repetitions
      8                     9.95                0.65             8
      8                  9900.0                 0.010            8
  failed: Shmem_Put(count=8): the window would be longer than 10 s

interrupted by signal 15 (Terminated)

* doubtful: 2 of 7 results: 1 below_resolution, 1 imprecise; -v says why
"""

tap = Tap()


def table(*arguments, stdin="", **further):
    return run([TABLE, *arguments], stdin=stdin, **further)


def lines(text):
    return [line.rstrip() for line in text.splitlines()]


shown = table(stdin=EXAMPLE)
tap.ok(shown.status == 0 and not shown.err, "results are shown", shown)
tap.equal(lines(shown.out), lines(SHORT), "... as tables, with nothing else", shown.out)

verbose = table("-v", stdin=EXAMPLE)
kept = [l.replace("; -v says why", "") for l in lines(SHORT) if l]
wanted = iter(lines(verbose.out))
tap.ok(verbose.status == 0 and all(line in wanted for line in kept), "-v shows all that, in this order",
       verbose)
for text in ("SKaMPI Version 1.2.3", "timer: tsc, resolution 20.0 ns",
             "    note: iterations chosen: 744", "    flags: autocorrelated, below_resolution",
             "  imprecise: its interval is not known, or wider than half of its value",
             "    note: conditions: 2 PEs on one node; cycling buffers, warm; times in ns",
             "  P[0] printed"):
    tap.ok(any(line.startswith(text) for line in lines(verbose.out)), f"-v also shows: {text.strip()}", verbose)
tap.equal(table("--verbose", "-", stdin=EXAMPLE).out, verbose.out, "--verbose - is the same")

crlf = table(stdin=EXAMPLE.replace("\n", "\r\n"))
tap.equal(crlf.out, shown.out, "line ends may be CR LF")

folder = scratch_directory()
for name, text in (("a=1.sko", EXAMPLE), ("b c.sko", EXAMPLE.replace("put, complete", "get")),
                   ("other", "what is this?\n")):
    write_text(os.path.join(folder, name), text)
both = table("a=1.sko", "b c.sko", cwd=folder)
tap.ok(both.status == 0 and both.out.count("==>") == 2 and both.out.startswith("==> a=1.sko <==\n")
       and shown.out in both.out and "\nget\n" in both.out, "several files, with their names", both)
tap.equal(table("a=1.sko", cwd=folder).out, shown.out, "one file, without its name")

convert = os.path.join(ROOT, "scripts/skampi-convert")
write_text(os.path.join(folder, "plain.sko"), "# begin result \"put\"\ncount= 8        8     9.948    0.6466        8     9.948\n"
                                              "# end result \"put\"\n# Finished at Mon Jan  5 10:00:00 2026\n")
for suffix in ("json", "csv"):
    run([convert, "plain.sko", "-o", f"plain.{suffix}", "--unit", "us"], cwd=folder)
    shown = table(f"plain.{suffix}", cwd=folder)
    tap.ok(shown.status == 0 and not shown.err and "put\n" in shown.out and " 9.95 " in shown.out,
           f"{suffix} is shown as well", shown)
write(os.path.join(folder, "medians.json"),
      [{**point("put", "F", {"count": n}, n * 1e-6), "time": 2e-6, "standard_error": 1e-7}
       for n in (8, 16)])
medians = table("medians.json", cwd=folder)
tap.equal(lines(medians.out)[:4],
          ["put", "  count  bytes  median [us]  95 % from [us]  to [us]  repetitions",
           "      8      8         8.00            7.84     8.16           20",
           "     16     16        16.00           15.68    16.32           20"],
          "what a file knows of the median is shown, and named, and its own interval", medians)
back = run([convert, "medians.json", "--to", "sko", "--medians", "-o", "back.sko"], cwd=folder)
tap.equal(table("back.sko", cwd=folder).out, medians.out, "so it is of .sko that has it", back)
of_rounds = [{**point("put", "F", {"count": n}, 1e-6), "record": "rounds", "rounds": 5} for n in (8, 16)]
write(os.path.join(folder, "summary.json"), of_rounds)
summary = table("summary.json", cwd=folder)
tap.ok(summary.status == 0 and "put (rounds)\n" in summary.out
       and "nothing was measured" not in summary.out, "the summary of a campaign", summary)
tap.ok("median of rounds [us]  from [us]  to [us]  rounds" in summary.out and
       "1.000 0.980 1.020 5".split() == lines(summary.out)[2].split()[2:], "... names its error", summary)
write_text(os.path.join(folder, "broken.json"), '{"record": "result"}\n')
broken = table("broken.json", cwd=folder)
tap.ok(broken.status == 2 and broken.err.startswith("skampi-table: error: broken.json: ")
       and broken.err.count("\n") == 1, "... and refused by name", broken)


without_end = read_text(folder, "plain.json").splitlines(True)[:-1]
write_text(os.path.join(folder, "cut.json"), "".join(without_end))
cut = table("cut.json", cwd=folder)
tap.ok(cut.status == 0 and cut.err.startswith("skampi-table: warning: cut.json: ")
       and cut.err.count("\n") == 1, "what is wrong with a file, in its own name", cut)
LATE = "# time limit: Shmem_Put_Round(count=%d, iterations=1): the time limit had ended before\n"
limited = EXAMPLE.split("# interrupted")[0]
limited += '# begin result "cut"\ncount= 8        8     9.948    0.6466        8     9.948\n'
limited += LATE % 16 + LATE % 32 + '# end result "cut"\n'
limited += "".join(f'# begin result "late {i}"\n{LATE % 8}# end result "late {i}"\n' for i in range(514))
limited += '# begin result "none"\n# end result "none"\n'
limited += "# stopped by the time limit of 1 s: 516 measurements are missing\n"
late = table(stdin=limited)
tap.ok(late.status == 0 and "late 7" not in late.out and late.out.count("  nothing was measured\n") == 1
       and "nothing was measured in 515 blocks, since the time limit had ended: late 0, late 1, late 2, "
           "late 3, late 4, ...\n" in late.out, "blocks after the time limit are counted, not shown", late)
tap.ok("  2 measurements are missing, since the time limit had ended\n" in late.out
       and "stopped by the time limit of 1 s" in late.out, "... as are the points of one that it cut", late)

for arguments, text in (
        (["nowhere.sko"], "nowhere.sko: No such file or directory"),
        (["."], ".: not a file, and not the folder of a campaign: name a result file"),
        (["other"], "other: neither .sko, CSV nor JSON Lines of skampi"),
        ([], "standard input: the file is empty"),
        (["-x"], "unknown option -x; --help shows all options")):
    refused = table(*arguments, cwd=folder)
    tap.ok(refused.status == 2 and refused.err == f"skampi-table: error: {text}\n"
           and not refused.out, f"refused in one line: {text}", refused)
usage = table("--help")
tap.ok(usage.status == 0 and usage.out.startswith("usage: skampi table"), "--help", usage)

# What skampi itself writes.
measured = skampi("""
set_min_repetitions(4)
set_max_repetitions(4)
begin measurement "loops"
  for s in ["ab", "x"] do
    for c in [comm(1), comm(2)] do
      for d in [1.5, 2.25] do
        measure c : wtime(100)
      od
    od
  od
  measure comm(1) : wtime(0)
  measure comm_node(1000) : wtime(100)
end measurement
""", np=2)
shown = table(stdin=measured.out)
rows = [line.split() for line in shown.out.splitlines()]
tap.ok(measured.status == 0 and len(measured.rows) == 9 and shown.status == 0, "results of a run",
       shown)
for row in measured.rows:
    cells = row.line.split("d= ")[-1].split()
    cells = cells[:5] if row.vars else cells[:4]
    value = len(cells) - 3  # and its error, which are rounded
    tap.ok(any(cells[:value] == line[-len(cells) - 1:][:value] and cells[-1] == line[-2] and line[-1] == "*"
               and abs(float(line[-4]) / float(cells[value]) - 1) < 0.01 for line in rows),
           f"shown, doubtful since there are only 4 repetitions: {' '.join(cells)}", shown)
tap.ok("communicator is empty" in shown.out, "what was skipped is shown", shown)

# ---- Further columns ----

COLUMNS = """\
# SKaMPI Version 1.2.3

# begin result "c"
count= 8        8     9.948    0.6466        8     9.948
# columns: bandwidth= 804.2 MB/s, rate= 100.5 M/s, p99= 10.50 ns, window= 0.00002000 s, valid= 8, median= 9.900 ns
# note: conditions: 1 PE on one node; times in ns
count= 16        16     9.948    0.6466        8     9.948
# columns: bandwidth= --- MB/s, rate= --- M/s, p99= 11.50 ns, window= 0.00002000 s, valid= 8, median= 9.900 ns
# end result "c"
"""
path = os.path.join(scratch_directory(), "c.sko")
write_text(path, COLUMNS)
shown = run([TABLE, path])
tap.equal(shown.out.splitlines()[1].split("repetitions")[1].split("  ")[1:],
          ["bandwidth [MB/s]", "rate [M/s]", "p99 [ns]", "window [s]", "valid", "median [ns]"],
          "further columns have names and units", shown)
tap.equal(shown.out.splitlines()[3].split()[-6:], ["---", "---", "11.50", "0.00002000", "8", "9.900"],
          "... and the values of the file", shown)
shown = run([TABLE, "--columns", "p99,p95", path])
tap.ok(shown.status == 0 and shown.out.splitlines()[1].endswith("repetitions  p99 [ns]") and
       "c.sko: no result has p95: measure with --columns" in shown.err, "those that you name", shown)
shown = run([TABLE, "--columns", "bandwith", path])
tap.ok(shown.status == 2 and "did you mean bandwidth" in shown.err and shown.err.count("\n") == 1,
       "unknown ones are refused", shown)
for refused in ("", "p99,", "cache"):
    tap.equal(run([TABLE, "--columns", refused, path]).status, 2, f"--columns '{refused}' is refused")
first = results.read(path).results[0]
tap.equal([first.bandwidth, first.rate, first.p99, first.window, first.valid], [804.2e6, 100.5e6, 10.5e-9, 2e-5, 8],
          "read as results, in seconds and bytes per second")
tap.ok(first.median != first.median and first.shown().value == 9.948e-9, "a median without an interval is not shown",
       first.record)

NAMES = ["median", "p99", "min", "bandwidth", "rate", "window", "iterations", "valid"]
made = skampi("""set_skampi_buffer(1kb)
begin measurement "b"
  for count in [8, 512] do measure comm(1) : Shmem_Put_Round(count, 100) od
  measure comm(1) : Shmem_Barrier()
end measurement
""", np=1, args=["--columns", ",".join(NAMES), "-o", "a.sko", "-o", "a.json", "--unit", "ns", "--rounds", "2"])
tap.equal(made.status, 0, "skampi --columns", made)
wide, narrow = (results.read(made.path(name)) for name in ("a.json", "a.sko"))


def alike(a, b):
    """To the digits that .sko has."""
    return a != a and b != b or abs(a - b) <= 1e-3 * abs(a)


first = [[r for r in file.results if not r.is_rounds and r.record["round"] == 1] for file in (wide, narrow)]
tap.ok(len(first[0]) == len(first[1]) == 3 and
       all(alike(getattr(a, name), getattr(b, name)) for a, b in zip(*first) for name in NAMES if name != "median"),
       ".sko has the numbers of .json", [[r.record for r in rows] for rows in first])
tap.equal([[line.split("= ")[0].strip() for line in comment[len("# columns:"):].split(",")]
           for comment in open(made.path("a.sko"), encoding="utf-8") if comment.startswith("# columns:")],
          [NAMES] * 3 + [["median", "bandwidth", "rate"]] * 3, "in the order of --columns; rounds have what they have")
tables = [run([TABLE, "--columns", "bandwidth,p99", made.path(name)]).out for name in ("a.json", "a.sko")]
tap.equal(*[[line.split()[-2:] for line in text.splitlines() if line.startswith("    ")] for text in tables],
          "tables of both show the same")
for names in ("medain", "", "median,", "cache"):
    made = skampi("", np=1, launch=False, args=["--columns", names, "-n"])
    tap.ok(made.status == 2 and made.err.startswith(f"skampi: error: --columns {names.split(',')[-1]}: there is no such number")
           and ("did you mean median" in made.err) == (names == "medain"), f"--columns '{names}' is refused", made)

# ---- Doubt: as the flags and intervals of the file say, whatever notes there are ----

doubted = [{**point("put", "F", {"count": n}, 1e-6), **more} for n, more in enumerate((
    {"notes": ["iterations chosen: 5"], "subtracted": "an empty quiet", "subtracted_time": 1.234e-8, "subtracted_share": 0.2412},
    {"flags": ["warm_up"], "notes": ["warm-up: the first 3 are left out"]}, {"flags": ["clocks_moved"]},
    {"median_low": None, "median_high": None}, {"median_low": -187.4e-9, "median_high": 2.967e-6},
    {"flags": ["of the future"]}))]
write(os.path.join(folder, "doubted.json"), doubted)
shown = table("doubted.json", cwd=folder)
tap.equal([line.endswith(" *") for line in lines(shown.out)[2:8]], [False, False, True, True, True, True],
          "doubtful results are marked, not those with notes", shown)
tap.equal(lines(shown.out)[-2:], ["* doubtful: 4 of 6 results: 2 imprecise, 1 clocks_moved, 1 of the future; -v says why",
                                  "subtracted: an empty quiet, 12.3 ns (24 % of the result)"],
          "... with a line that says so, and what was subtracted", shown)
tap.equal(lines(shown.out)[6].split()[2:5], ["1.0", "0", "3.0"], "no time is below 0; digits as the error allows", shown)
tap.equal(sum(result.doubtful for result in results.read(os.path.join(folder, "doubted.json")).points), 4,
          "the tools count the same")

# ---- Rounds take the place of the first one ----

first = [point("put", "F", {"count": n}, 1e-6) for n in (8, 16)] + [point("put", "Once", {}, 2e-6)]
over = [{**point("put", "F", {"count": n}, 3e-6), "record": "rounds", "rounds": 5} for n in (8, 16)]
write(os.path.join(folder, "over.json"), first + over)
shown, verbose = table("over.json", cwd=folder), table("-v", "over.json", cwd=folder)
tap.ok(shown.out.count("1.000") == 0 and shown.out.count("2.000") == 1 and shown.out.count("3.000") == 2,
       "points over rounds instead of their first round; others stay", shown)
rows = [line.split()[2] for line in lines(verbose.out) if line.split()[:1] in (["8"], ["16"])]
tap.equal(rows, ["1.000", "1.000", "3.000", "3.000"], "-v shows both", verbose)
header = table(stdin="# SKaMPI Version 1\n# rounds: 5\n" + run([convert, "over.json", "--to", "sko"], cwd=folder).out)
tap.ok(header.out.count("put (rounds)") == 1 and header.out.count("1.000") == 0, "so it is from standard input", header)
# ---- One call in several ways, and calls of applications ----

ways = [point("put", "F", {"count": 8}, 1e-6), point("put", "F", {"count": 8}, 3e-6, cache="cold"),
        point("put", "G", {"count": 8}, 2e-6)]
write(os.path.join(folder, "ways.json"), ways)
shown = table("ways.json", cwd=folder)
tap.equal([line.split()[:2] for line in lines(shown.out)[1:5]],
          [["count", "measured"], ["8", "warm"], ["8", "cold"], ["8", "8"]],
          "what tells two measurements of one call apart is shown", shown)
text = read_text(folder, "ways.json")
tap.equal(table(stdin=text).out, shown.out, "JSON is read from standard input, too")
write(os.path.join(folder, "twice.json"), [ways[0], ways[0]])
tap.ok("no. 2" in table("twice.json", cwd=folder).out, "measurements that are stated alike have a number")

calls = {name: value for name, value in point("put", "F", {"count": 8}, 1e-6).items() if name not in ("median_low",
                                                                                                  "median_high")}
write(os.path.join(folder, "calls.json"), [calls])
shown = table("calls.json", cwd=folder)
tap.ok(shown.status == 0 and "*" not in shown.out, "medians of all calls of an application have no interval to be imprecise",
       shown)

# ---- Large files ----


def large(name, blocks):
    """Of four results a block, each of its own call."""
    return write(os.path.join(folder, name), [point(f"block {b}", "F", {"count": 8 * b + n}, 1e-6 * (b + n + 1))
                                              for b in range(blocks) for n in range(4)])


small, great = large("small.json", 50), large("great.json", 750)
taken = [used([TABLE, path]) for path in (small, great)]
tap.ok(taken[0].status == taken[1].status == 0 and taken[1].peak < taken[0].peak + 500 * 2800,
       "a table needs no memory for blocks that it has printed", taken)
tracemalloc.start()
file = results.read(great)
kept = tracemalloc.get_traced_memory()[0] / len(file.results)
tracemalloc.stop()
tap.ok(kept < 1.5 * 1024, "what is kept of a file takes little memory a result", kept)

# ---- On a terminal with several programs ----

noisy = table(stdin=EXAMPLE.replace("# flags: auto", "a library says something\n# flags: auto") + EXAMPLE)
tap.ok(noisy.status == 0 and noisy.out.count("put, complete\n") == 2 and noisy.out.count("32768") == 4,
       "lines of others between results, and a second run, end nothing", noisy)
tap.done()
