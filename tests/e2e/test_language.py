#!/usr/bin/env python3
# TIMEOUT: 300
"""The language and the command line do what a user expects: scripts in, results out."""

import csv
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from builds import preloadable
from harness import Tap, block, skampi, write_text

QUICK = """set_min_repetitions(4)
set_max_repetitions(8)
set_max_relative_standard_error(1.0)
"""


def printed(run, rank=None):
    """What print wrote, with its rank in front, or that of one rank alone."""
    lines = [re.match(r"#P\[(\d+)\] (.*)", line) for line in run.comments]
    lines = [(int(m.group(1)), m.group(2)) for m in lines if m]
    return lines if rank is None else [text for who, text in lines if who == rank]


def good(tap, run, name):
    """The run went well and said nothing but results and comments."""
    tap.equal(run.status, 0, f"{name}: status 0", run)
    tap.equal(run.err, "", f"{name}: nothing on standard error")
    tap.equal(run.unparsed, [], f"{name}: only results and comments")


def variables(run, name):
    found = run.block(name)
    return [list(row.vars.items()) for row in found.rows] if found else None


# ---- Statements ----


def test_loops_and_columns(tap, np):
    script = QUICK + "limit = 3\n" + block("nested", """
  for a in ["x", 2.5, {1, 2}] do
    for bb = 1 to limit step 2 do
      for c in range(5, 7) do
        measure comm(1) : wtime(10)
      od
    od
  od""") + block("sets", """
  for set in [comm(1), MPI_COMM_WORLD] do measure set : wtime(10) od""") + block("none", """
  measure MPI_COMM_WORLD : wtime(10)""") + block("inner changes", """
  for i = 1 to 3 do
    i = i * 10
    measure comm(1) : wtime(10)
  od
  print i""") + block("empty", "")
    run = skampi(script, np=np)
    at = f"{np} PEs"
    good(tap, run, f"loops, {at}")
    tap.equal(variables(run, "nested"),
              [[("a", a), ("bb", b), ("c", c)] for a in ("x", 2.5, "[1, 2]") for b in (1, 3)
               for c in (5, 6)], f"nested loops, {at}: columns, outermost first", run)
    everyone = "MPI_COMM_WORLD"
    tap.equal(variables(run, "sets"), [[("set", "[0]")], [("set", everyone)]],
              f"a loop over communicators, {at}", run)
    tap.equal([len(row.per_pe) for row in run.block("sets").rows], [1, np],
              f"communicators, {at}: one column a member")
    tap.equal(variables(run, "none"), [[]], f"no loop, {at}: no column of a variable")
    tap.equal(variables(run, "inner changes"), [[("i", i)] for i in (10, 20, 30)],
              f"a loop variable that the body changes, {at}")
    tap.equal(printed(run), [(pe, "4") for pe in range(np)], f"its value behind the loop, {at}")
    tap.equal(variables(run, "empty"), [], f"an empty block, {at}: no result")
    tap.ok(all(b.ended for b in run.blocks) and len(run.blocks) == 5, f"all blocks end, {at}")


def test_print_order(tap, np):
    run = skampi(QUICK + block("p", """
  rank = get_comm_rank(MPI_COMM_WORLD)
  print "first ", rank
  if rank == get_np() - 1 then print "last" fi
  flush
  print_all "second ", rank
  measure comm(1) : wtime(10)
  print "third ", rank, " ", 1.5, " ", {1, 2}, " ", comm(1)
  print "two
lines"
""") + block("q", "print_all mpi_processor_names()"), np=np)
    good(tap, run, f"print, {np} PEs")
    lines = printed(run)
    flushed = lines.index((0, "second 0")) if (0, "second 0") in lines else 0
    # PE 0 writes at once, the others with the next flush, in the order of ranks.
    first = [(pe, f"first {pe}") for pe in range(np)]
    first.insert(len(first), (np - 1, "last"))
    tap.equal(lines[:flushed], first, f"print, {np} PEs: in the order of ranks", run)
    tap.equal(lines[flushed:flushed + np], [(pe, f"second {pe}") for pe in range(np)],
              f"print_all, {np} PEs: in the order of ranks", run)
    rest = [text for pe in range(np) for text in
            ((pe, f"third {pe} 1.5 [1, 2] [0]"), (pe, "two"), (pe, "lines"))]
    tap.equal(lines[flushed + np:-np], rest, f"print, {np} PEs: values and lines", run)
    names = [re.match(r"# rank +(\d+): \S+$", text) for _, text in lines[-np:]]
    tap.equal([m and int(m.group(1)) for m in names], list(range(np)),
              f"mpi_processor_names, {np} PEs")


def test_values(tap):
    """A sample of what the language calculates, as printed by PE 0 of two."""
    cases = {  # unit/test_value and unit/test_interp have the others
        "2GB - 1": "2147483647", "1e5": "100000.0", "-7 % 3": "-1", "1 / 3.0": "0.333333", "2 < 3 and 3 < 2": "0", "64kb": "65536",
        "MPI_COMM_WORLD": "MPI_COMM_WORLD", "comm_from_to(1, 2)": "[1]", "get_comm_size(comm(2))": "2",
        "is_mpi_comm_null(comm_node(99))": "1", "is_supported(\"wtime\")": "1", "is_supported(\"nothing\")": "0",
    }
    run = skampi(block("v", "\n".join(f"  print {text}" for text in cases)), np=2)
    good(tap, run, "values")
    shown = dict(zip(cases, printed(run, 0)))
    for text, wanted in cases.items():
        got = shown.get(text, "")
        if "." in wanted:
            tap.ok(got.startswith(wanted), f"print {text}", f"got {got}, wanted {wanted}")
        else:
            tap.equal(got, wanted, f"print {text}")
    tap.equal(printed(run, 1), printed(run, 0), "another PE calculates the same")


def test_scopes_and_branches(tap):
    run = skampi("x = 1\ncomm = comm(1)\n" + block("a", """
  x = x + 1
  x = x + 1
  if x == 1 then print "one" elseif x == 3 then print "three" else print "other" fi
  for i = 5 to get_np() do print "never" od
  measure comm : wtime(10)""") + block("b", "print x"), np=2)
    good(tap, run, "scopes")
    tap.equal(printed(run, 0), ["three", "1"], "a block changes its own variables only", run)
    tap.equal(len(run.rows), 1, "a variable may be called like a function")


def test_empty_sets(tap):
    run = skampi(QUICK + block("e", """
  for set in [comm_node(99), comm_from_to(1, 1), comm2_other_node(), comm(1)] do
    measure set : wtime(10)
  od"""), np=2)
    good(tap, run, "empty sets")
    tap.equal(len(run.rows), 1, "on an empty set nothing is measured, the loop goes on", run)
    tap.equal(sum(line.startswith("# skipped: wtime(") for line in run.comments), 3,
              "a comment says so each time", run)


def test_many_blocks(tap):
    run = skampi(QUICK + "".join(block(f"block {i}", "measure comm(1) : wtime(10)")
                                 for i in range(130)), np=2)
    good(tap, run, "130 blocks")
    tap.equal([b.name for b in run.blocks], [f"block {i}" for i in range(130)],
              "130 blocks, in order")
    tap.ok(all(b.ended and len(b.rows) == 1 for b in run.blocks), "130 blocks with a result each")


def test_buffer_rule(tap, np):
    """Loops to ... go up to exactly the buffer's size."""
    call = "Shmem_Put_Full" if np > 1 else "Shmem_Put_Nonblocking_Post"
    run = skampi(QUICK + "set_skampi_buffer(1000)\nall = MPI_COMM_WORLD\n" + block("additive", f"""
  for count = 250 to ... step 250 do measure all : {call}(count, 1) od""") + block("by two", f"""
  for count = 1 to ... step *2 do measure all : {call}(count, 1) od""") + block("exactly", f"""
  for count = 1000 to ... do measure all : {call}(count, 1) od""") + block("get", """
  for count = 400 to ... step 300 do measure all : Shmem_Get_Round(count, 1) od""")
                 + block("broadcast", """
  for count = 997 to ... do measure all : Shmem_Bcast_All_Synchro(count, 0) od""")
                 + block("limited", f"""
  for count = 600 to 1000 step 200 do measure all : {call}(count, 1) od""") + block("inner", f"""
  for a in [1, 2] do
    for count = 500 to ... step 500 do
      measure all : {call}(count * a, 1)
      print "after ", count
    od
  od"""), np=np)
    at = f"{np} PEs"
    good(tap, run, f"buffer rule, {at}")

    def counts(name):
        return [row.vars["count"] for row in run.block(name).rows] if run.block(name) else None

    for name, wanted in [("additive", [250, 500, 750, 1000]), ("by two", [2**i for i in range(10)]),
                         ("exactly", [1000]), ("get", [400, 700, 1000]),
                         ("broadcast", [997, 998, 999, 1000]), ("limited", [600, 800, 1000])]:
        tap.equal(counts(name), wanted, f"buffer rule, {at}: {name}", run)
    tap.equal(variables(run, "inner"), [[("a", 1), ("count", 500)], [("a", 1), ("count", 1000)],
                                        [("a", 2), ("count", 500)]],
              f"buffer rule, {at}: the innermost loop ends, the outer one goes on", run)
    tap.equal(printed(run, 0), [f"after {n}" for n in (500, 1000, 1500, 500, 1000)],
              f"buffer rule, {at}: the rest of the body still runs", run)
    tap.equal([row.bytes for row in run.block("broadcast").rows], [1000] * 4,
              f"buffer rule, {at}: sizes as moved")


def test_rank_dependent(tap):
    """PEs that take different ways are told, instead of hanging."""
    bodies = {
        "measure on one PE": "if rank == 0 then measure comm(2) : wtime(10) fi",
        "measure on another PE": "if rank == 1 then measure comm(2) : wtime(10) fi",
        "different arguments": "measure comm(2) : wtime(rank + 1)",
        "different sets": "measure comm(rank + 1) : wtime(10)",
        "flush on one PE": "if rank == 0 then flush fi measure comm(1) : wtime(10)",
        "loops of different length": "for i = 0 to rank do measure comm(1) : wtime(10) od",
    }
    jobs = [(name, np) for i, name in enumerate(bodies) for np in ([2, 4][i % 2],)]

    def start(job):
        script = QUICK + block("fine", "measure comm(1) : wtime(10)") + block(
            "b", f"rank = get_comm_rank(MPI_COMM_WORLD)\n{bodies[job[0]]}")
        return skampi(script, np=job[1], args=["-o", "out.sko"])

    for (name, np), run in harness.in_parallel(jobs, start):
        tap.equal(run.status, 2, f"{name}, {np} PEs: status 2", run)
        tap.ok(re.search(r"same values\n.+\n *\^\n", run.err), f"{name}, {np} PEs: the line and a caret", run)
        errors = [line for line in run.err.splitlines() if re.search(r"\berror: ", line)]
        tap.ok(len(errors) == 1 and "different parts of the script" in errors[0]
               and errors[0].startswith("test.ski:"),
               f"{name}, {np} PEs: one message, with a place", run)
        tap.equal(len(run.block("fine").rows) if run.block("fine") else None, 1,
                  f"{name}, {np} PEs: what was measured before is kept", run)


# ---- Where scripts come from ----


def test_includes(tap):
    files = {
        "work/main.ski": '@include "parts/one.ski" @include "parts/two.ski"\n'
                         + block("m", "print one, \" \", two, \" \", three"),
        "work/parts/one.ski": "one = 1 # no newline behind this",
        # Paths count from the folder of the main file.
        "work/parts/two.ski": 'two = one + 1\n@include "parts/deep/three.ski"\n',
        "work/parts/deep/three.ski": "three = two + 1\n",
    }
    run = skampi("work/main.ski", np=2, files=files)
    good(tap, run, "includes")
    tap.equal(printed(run), [(0, "1 2 3"), (1, "1 2 3")], "includes", run)
    run = skampi("work/main.ski", args=["-n"], launch=False, files=files)
    tap.equal(run.status, 0, "includes are found by -n", run)


def test_line_ends(tap):
    script = QUICK + "# a comment\n" + block("c", """
  measure comm(1) : wtime(10)
  print "text"
  print "two
lines" """)
    run = skampi(script.replace("\n", "\r\n"), np=2, args=["-s"])
    good(tap, run, "CRLF")
    tap.equal(len(run.rows), 1, "CRLF: is measured", run)
    tap.ok("\r" not in run.out, "CRLF: no carriage return in the output")
    tap.equal(printed(run, 0), ["text", "two", "lines"], "CRLF: print")
    run = skampi("x = 1\r\ny = sqtr(x)\r\n", args=["-n"], launch=False)
    tap.equal(run.err.splitlines()[1:], ["y = sqtr(x)", "    ^"], "CRLF: errors show the line", run)


def test_standard_input(tap):
    script = QUICK + block("from stdin", "measure MPI_COMM_WORLD : wtime(10)")
    run = skampi(np=2, args=["-i", "-"], stdin=script)
    good(tap, run, "-i -")
    tap.equal([b.name for b in run.blocks], ["from stdin"], "-i -: is measured", run)
    run = skampi(args=["-n", "-i", "-"], launch=False, stdin="x = sqtr(2)\n")
    tap.equal(run.status, 2, "-n -i -: status", run)
    tap.ok(run.err.startswith("<stdin>:1:5: error: "), "-n -i -: place", run)


def test_search(tap):
    """A script without a path: the current directory, then inputs/ beside the program."""
    def script(text):
        return QUICK + block("where", f'print "{text}"')

    home = harness.scratch_directory()
    program = os.path.join(home, "skampi")
    shutil.copy2(harness.program(), program)
    os.mkdir(os.path.join(home, "inputs"))
    write_text(os.path.join(home, "inputs", "coll.ski"), script("inputs"))
    run = skampi("coll.ski", np=1, executable=program)
    good(tap, run, "a script in inputs/")
    tap.equal(printed(run), [(0, "inputs")], "a script is found in inputs/ beside the program", run)
    run = skampi("coll.ski", np=1, executable=program, files={"coll.ski": script("here")})
    tap.equal(printed(run), [(0, "here")], "the current directory comes first", run)
    run = skampi("./coll.ski", args=["-n"], launch=False, executable=program)
    tap.equal(run.status, 2, "with a path it is looked for nowhere else", run)
    run = skampi("quickstart.ski", args=["-n"], launch=False)  # test_inputs.py checks all of them
    tap.equal((run.status, run.err), (0, ""), "quickstart.ski is found by its name and right", run)


# ---- Options ----


def test_set_option(tap):
    files = {"inc.ski": "other = MAXSIZE / 4\n"}
    script = ('MAXSIZE = 64\n@include "inc.ski"\nname = "a"\ntwice = MAXSIZE * 2\n'
              + block("s", 'print MAXSIZE, " ", twice, " ", other, " ", name'))
    for args, wanted in [
            ([], "64 128 16 a"),
            (["--set", "MAXSIZE=100"], "100 200 25 a"),
            (["--set", "MAXSIZE = 2 * (3 + 1)"], "8 16 2 a"),
            (["--set=MAXSIZE=1kb", "--set", 'name="b c"'], "1024 2048 256 b c"),
            (["--set", "other=MAXSIZE * 10", "--set", "twice=other"], "64 640 640 a"),
            (["--set", "MAXSIZE=1", "--set", "MAXSIZE=4"], "4 8 1 a")]:
        run = skampi(script, np=2, args=args, files=files)
        good(tap, run, " ".join(args) or "no --set")
        tap.equal(printed(run), [(0, wanted), (1, wanted)], " ".join(args) or "no --set", run)


def test_source_option(tap):
    script = "\n\n# top\nx = 1\n" + block("a", "  print x # behind") + "\n" + block("b", "")
    run = skampi(script, np=2, args=["-s"])
    good(tap, run, "-s")
    shown = [line[3:] for line in run.comments if line.startswith("#> ")]
    wanted = [line for line in script.split("\n")]
    tap.equal([line for line in shown if line.strip()], [line for line in wanted if line.strip()],
              "-s copies the script", run)
    first = run.comments.index('#> begin measurement "a"')
    tap.ok(first < run.comments.index('# begin result "a"')
           < run.comments.index('#> begin measurement "b"'), "-s: each block's text before it", run)
    run = skampi(script, np=1)
    tap.ok(not any(line.startswith("#>") for line in run.comments), "no source without -s", run)


def test_output_option(tap):
    script = QUICK + block("o", "measure MPI_COMM_WORLD : wtime(10)")
    run = skampi(np=2, args=["--input", "in.ski", "--output", "-out.sko"], files={"in.ski": script})
    tap.equal((run.status, run.out, run.err), (0, "", ""), "--output: nothing on standard output",
              run)
    blocks, comments, unparsed = harness.parse_sko(run.read("-out.sko"))
    tap.ok(len(blocks) == 1 and len(blocks[0].rows) == 1 and not unparsed,
           "--output: the results are in the file")
    header = "\n".join(comments)
    for word in ("# SKaMPI Version ", "# Started at ", "# command line: ", "# script: in.ski",
                 "# PEs: 2 on ", "# timer: ", "# library: ", "# Finished at ", "# Total runtime "):
        tap.ok(word in header, f"the output has {word.strip()}", header)
    run = skampi(script, np=2, args=["--progress"], progress=True)
    tap.ok(run.status == 0 and "block 1/1" in run.err and not run.unparsed,
           "--progress: on standard error", run)


def test_check_option(tap):
    script = QUICK + block("c", "measure MPI_COMM_WORLD : wtime(10)")
    run = skampi(script, np=2, args=["-n", "-o", "x.sko"])
    tap.equal((run.status, run.out, run.err), (0, "", ""), "-n: silent", run)
    tap.ok(not os.path.exists(run.path("x.sko")), "-n: no output is written")


# ---- Numbers ----

NUMBER = re.compile(r"\d+\.\d+")


def significant(text):
    """Digits of a number from the first that is not 0."""
    return len(text.replace(".", "").lstrip("0"))


def test_units(tap):
    """The same thing in several units. Factors of 1000 are told from noise by 30."""
    script = "set_max_nr_node_times(0)\n" + "".join(
        f"set_unit({unit})\n" + block(unit, "measure comm(1) : wtime(1000)")
        for unit in ("1.0e9", "1.0e6", "1.0e3", "1", "7"))

    def alike(a, b):
        return a / 30 < b < a * 30

    run = skampi(script, np=1)
    good(tap, run, "set_unit")
    ns, *others = [row.time for row in run.rows]
    tap.ok(1 <= ns <= 1e6, "set_unit(1.0e9): nanoseconds", run)
    for unit, value in zip((1e6, 1e3, 1, 7), others):
        tap.ok(alike(ns, value * 1e9 / unit), f"set_unit({unit:g})", f"{value} for {ns} ns")
    all_rows = run.rows
    run = skampi(script, np=1, args=["--unit", "ms"])  # the other names are those of set_unit: unit/test_numbers
    good(tap, run, "--unit ms")
    tap.ok(len(run.rows) == 5 and all(alike(ns, row.time * 1e6) for row in run.rows), "--unit ms: whatever the script says", run)
    all_rows = all_rows + run.rows
    short = [row.line for row in all_rows for number in NUMBER.findall(row.line)
             if float(number) != 0 and significant(number) < 4]
    tap.equal(short, [], "all numbers have at least four significant digits")


def test_columns(tap):
    """set_max_nr_node_times: columns of single PEs."""
    script = QUICK + "".join(
        f"set_max_nr_node_times({n})\n" + block(str(n), "measure MPI_COMM_WORLD : wtime(100)")
        for n in (0, 1, 2, 3, 4, 5))
    run = skampi(script, np=4)
    good(tap, run, "set_max_nr_node_times")
    for n in range(6):
        row = run.block(str(n)).rows[0]
        tap.equal(len(row.per_pe), min(n, 4), f"set_max_nr_node_times({n}) at 4 PEs", run)
        if n < 4:
            tap.equal(row.per_pe, sorted(row.per_pe), f"set_max_nr_node_times({n}): ascending")


def test_consistency(tap, np):
    """Properties of every result, whatever the times are."""
    # Where the first repetitions are slower than the others, more are made in their place.
    script = "set_adaptive_warm_up(0)\n" + block("one", """
  set_min_repetitions(1) set_max_repetitions(1)
  measure MPI_COMM_WORLD : wtime(100)""") + block("fixed", """
  set_min_repetitions(12) set_max_repetitions(12)
  measure MPI_COMM_WORLD : wtime(100)""") + block("synchronized", """
  choose_barrier_synchronization()
  set_max_repetitions(20) set_min_repetitions(20)
  for iterations in [1, 10] do
    measure MPI_COMM_WORLD : Shmem_Quiet(iterations)
    measure MPI_COMM_WORLD : Shmem_Get_Round(8, iterations)
  od""")
    run = skampi(script, np=np)
    good(tap, run, f"consistency, {np} PEs")
    one, fixed = run.block("one").rows[0], run.block("fixed").rows[0]
    tap.equal(one.reps, 1, f"{np} PEs: one repetition", run)
    tap.near(one.time, max(one.per_pe), 1e-3,
             f"{np} PEs: of one repetition the slowest PE counts", run)
    tap.equal(fixed.reps, 12, f"{np} PEs: as many repetitions as asked for", run)
    for row in run.block("synchronized").rows:
        tap.ok(20 <= row.reps <= 30, f"{np} PEs: 20 repetitions, up to 1.5 times as many", row.line)
    for row in run.rows:
        tap.ok(row.time >= 0 and len(row.per_pe) == np
               and row.time * 1.001 >= max(row.per_pe) and row.time >= 0.999 * sum(row.per_pe) / np,
               f"{np} PEs: no PE takes longer than all ({row.block})", row.line)


# A library that chooses the user's locale when it is loaded, and again when the libraries start.
GERMAN = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <locale.h>
__attribute__((constructor)) static void choose(void) { setlocale(LC_ALL, "de_DE.UTF-8"); }
void shmem_init(void)
{
    ((void (*)(void))dlsym(RTLD_NEXT, "shmem_init"))();
    choose();
}
int MPI_Init_thread(int *argc, char ***argv, int wanted, int *got)
{
    int (*next)(int *, char ***, int, int *) = dlsym(RTLD_NEXT, "MPI_Init_thread");
    int status = next(argc, argv, wanted, got);
    choose();
    return status;
}
"""


def test_other_locale(tap):
    """Numbers have a point, read and written, whatever locale a library has chosen."""
    folder = harness.scratch_directory()
    if shutil.which("localedef"):
        harness.run(["localedef", "-i", "de_DE", "-f", "UTF-8", os.path.join(folder, "de_DE.UTF-8")])
    library = os.path.exists(os.path.join(folder, "de_DE.UTF-8", "LC_NUMERIC")) and preloadable(GERMAN)
    if not library:
        tap.skip("numbers in another locale", "no localedef here, or the locale cannot be made")
        return
    german = {"LOCPATH": folder, "LD_PRELOAD": library}
    printed_there = harness.run(["sh", "-c", "printf '%.2f' 0,5"], env={**german, "LC_ALL": "de_DE.UTF-8"})
    tap.ok("0,50" in printed_there.out, "the locale writes a comma", printed_there)
    run = skampi(QUICK + "x = 0.25\n" + block("a", """  print x, " ", x * 3, " ", 1.5e-3
  for y = 0.5 to 1.5 step +0.5 do measure comm(1) : wtime(1000) od"""), np=1, env=german, args=[
      "-o", "a.sko", "-o", "a.json", "-o", "a.csv", "--set", "x=0.75", "--time-limit", "1.5m"])
    tap.equal(run.status, 0, "another locale: status 0", run)
    tap.ok("#P[0] 0.75 2.25 0.0015" in run.comments, "another locale: numbers of the script", run.comments)
    results = run.records("a.json", "result")
    tap.equal([float(r["variables"]["y"]) for r in results], [0.5, 1, 1.5],
              "another locale: JSON is valid, and loops have their values")
    with open(run.path("a.csv"), encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["record"] == "result"]
    tap.equal([float(row["time"]) for row in rows], [r["time"] for r in results],
              "another locale: CSV says the same")


def test_last_time(tap):
    """A script that needs a result that is missing ends there, by the reason that there is."""
    after = block("b", "  measure comm(1) : wtime(100)")
    needs = "  if has_last_time() then print last_time() > 0 else print \"none\" fi\n  x = last_time()\n"
    run = skampi(QUICK + block("a", "  measure comm(1) : wtime(100)\n" + needs) + after, np=1)
    tap.equal((run.status, printed(run, 0)), (0, ["1"]), "a result that is there", run)
    run = skampi(QUICK + block("a", "  measure comm(1) : wtime(100)\n  measure comm(5) : wtime(100)\n"
                               + needs) + after, np=1, args=["-o", "a.sko", "-o", "a.json"])
    tap.equal(run.status, 3, "the time of a skipped measurement: status 3", run)
    tap.ok("none" in printed(run, 0) and len(run.rows) == 1, "a script can ask first", run)
    tap.ok(re.search(r"warning: the script ended at test\.ski:8:7: .* it was left out", run.err),
           "the time of a skipped measurement: says where and why", run)
    end = run.records("a.json")[-1]
    tap.equal((end["record"], end["status"], "left out" in end["reason"]), ("end", 3, True),
              "the time of a skipped measurement: so does the end record")
    run = skampi(QUICK + block("a", "  for i = 1 to 100000 do\n    measure comm(1) : wtime(10000000)\n"
                               "    x = last_time()\n  od"), np=1, args=["--time-limit", "2"])
    tap.equal(run.status, 4, "the time of a measurement after the time limit: status 4", run)
    tap.ok("error" not in run.err, "the time limit is no error of the script", run)
    run = skampi(block("a", "  x = last_time()"), np=1)
    tap.ok(run.status == 2 and "nothing has been measured yet" in run.err, "nothing measured before: an error",
           run)


def test_buffer_grows(tap):
    """Without set_skampi_buffer() a measurement has what it needs, and loops to ... end at 1 MiB."""
    body = """  for count = 512kb to 4mb step *2 do measure comm(2) : Shmem_Put_Full(count, 1) od
  for count = 256kb to ... step *2 do measure comm(2) : Shmem_Put_Full(count, 1) od
  measure comm(2) : Shmem_Put_Full(1000000gb, 1)"""
    run = skampi(QUICK + block("a", body), np=2)
    tap.equal([int(row.line.split()[1]) >> 10 for row in run.rows if row.line.startswith("count")],
              [512, 1024, 2048, 4096, 256, 512, 1024], "the buffer grows, but not in loops to ...", run)
    tap.ok(run.status == 3 and any("too large" in line and "it grows to" in line for line in run.comments),
           "... up to what the node's memory allows", run)
    run = skampi(QUICK + "set_skampi_buffer(1mb)\n" + block("a", body), np=2)
    tap.equal(len(run.rows), 5, "a buffer that the script asks for stays as it is", run)


def test_few_repetitions(tap):
    """set_max_repetitions() is the number of valid repetitions, also below that of a batch."""
    for most in (1, 3, 6):
        run = skampi(f"set_min_repetitions(1)\nset_max_repetitions({most})\nset_max_relative_standard_error(0)\n"
                     "set_adaptive_warm_up(0)\n" + block("a", "  measure comm(1) : wtime(10)"), np=1,
                     args=["-o", "a.json"])
        found = [record["valid"] for record in run.records("a.json") if record["record"] == "result"]
        tap.equal(found, [most], f"at most {most} repetitions", run)


def unfolded(name):
    """The names that one with braces stands for."""
    found = re.search(r"\{([^{}]*)\}", name)
    return [each for word in found.group(1).split(",")
            for each in unfolded(name[:found.start()] + word + name[found.end():])] if found else [name]


def test_names(tap):
    """Each name that --list prints can be typed, also with braces, and means what it says."""
    folded = [line.split("(")[0].strip() for line in skampi(args=["--list"], launch=False).out.splitlines()
              if line.startswith("  ")]
    every = [line.split("(")[0].strip() for line in skampi(args=["--list", "--all"], launch=False).out.splitlines()
             if line.startswith("  ")]
    tap.equal(sorted(each for name in folded for each in unfolded(name)), sorted(every),
              "folded names stand for all others, each once")
    typed = skampi(args=["--print-script", *folded], launch=False)
    blocks = re.findall(r'^begin measurement "(.*)"$', typed.out, re.MULTILINE)
    tap.equal(sorted(blocks), sorted(every), "all names of --list, as it folds them, can be typed", typed.err)


def main():
    tap = Tap()
    test_names(tap)
    test_last_time(tap)
    if harness.has("SHMEM"):
        test_buffer_grows(tap)
    test_few_repetitions(tap)
    test_other_locale(tap)
    for np in (1, 3):
        test_loops_and_columns(tap, np)
        test_print_order(tap, np)
        if harness.has("SHMEM"):
            test_buffer_rule(tap, np)
            test_consistency(tap, np)
    test_values(tap)
    test_scopes_and_branches(tap)
    test_empty_sets(tap)
    test_many_blocks(tap)
    test_rank_dependent(tap)
    test_includes(tap)
    test_line_ends(tap)
    test_standard_input(tap)
    test_search(tap)
    test_set_option(tap)
    test_source_option(tap)
    test_output_option(tap)
    test_check_option(tap)
    test_units(tap)
    test_columns(tap)
    tap.done()


main()
