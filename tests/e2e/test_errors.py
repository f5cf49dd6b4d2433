#!/usr/bin/env python3
# TIMEOUT: 300
"""Everything that can be wrong is said once, with its place and the right exit status, and nothing hangs."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from harness import Tap, in_parallel, skampi

PAIRS = "Shmem_Put_Pairs_Rate" if harness.has("SHMEM") else "Put_Pairs_Rate"  # takes a pattern

MARK = "@@"  # stands before the offending token of a script

BLOCK = 'begin measurement "b"\n  {}\nend measurement\n'
MEASURE = 'begin measurement "m"\n  measure comm(1) : wtime(100)\nend measurement\n'

# What the check must find: name, script, words of the message.
CHECKED = [  # unit/test_lexer, test_parser and test_check have the others
    ("missing end", 'begin measurement "b"\n  x = 1\n  @@flush', "end"),
    ("missing od", BLOCK.format("for i = 1 to 2 do print i").replace("end", "@@end"), "'od'"),
    ("illegal character", "x = 1 @@; y = 2\n", "';'"),
    ("string without end", 'x = @@"abc\n', "string"),
    ("mistyped statement", BLOCK.format("@@meassure comm(1) : wtime(1)"), "did you mean 'measure'"),
    ("integer too large", "x = @@9223372036854775808\n", "largest integer"),
    ("unknown function, nothing like it", "x = @@frobnicate(2)\n", "unknown function 'frobnicate'"),
    ("unknown measurement", BLOCK.format("measure comm(1) : @@Shmem_Put_Ful(8, 1)"),
     "did you mean Shmem_Put_Full?"),
    ("unknown name", "iterations = 1\nx = @@iteratoins\n", "did you mean 'iterations'?"),
    ("too few arguments of a measurement", BLOCK.format("measure comm(1) : @@wtime()"),
     "too few arguments"),
    ("string for a number", 'x = sqrt(@@"2")\n', "must be a number"),
    ("string for a count", BLOCK.format('measure comm(1) : wtime(@@"a")'), "iterations"),
    ("count below its minimum", BLOCK.format("measure comm(1) : Shmem_Bcast_All(1, @@0, 0)"),
     "at least 1"),
    ("constant with a fraction", BLOCK.format("measure comm(1) : Shmem_Put_Full(3 @@/ 2.0, 1)"),
     "must be a whole number, 1.5 is none"),
    ("fraction for a setting", "set_warm_up(@@2.5)\n", "must be a whole number, 2.5 is none"),
    ("setting out of range", "set_max_repetitions(@@0)\n", "from 1 to 1000000"),
    ("unknown word of a setting", 'set_cache_state(@@"hot")\n', '"warm" or "cold"'),
    ("word without quotes", "set_cache_state(@@cold)\n", 'put it in quotes: "cold"'),
    ("unit without quotes", "set_unit(@@ns)\n", 'put it in quotes: "ns"'),
    ("unknown unit", 'set_unit(@@"hours")\n', 'a unit is "ns", "us", "ms" or "s", or the units'),
    ("constants that no function takes", BLOCK.format('measure comm(1) : @@Timer_Cost("sundial", 10)'),
     "no timer of that name"),
    ("step 0", BLOCK.format("for i = 1 to 2 step @@0 do od"), "never ends"),
    ("missing include", '@include @@"nowhere.ski"\n', "nowhere.ski"),
    ("include of a folder", '@include @@"folder"\n', "irectory"),
    ("include without name", "@@@include nothing\n", "double quotes"),
    ("endless include", '@include "self.ski"\n', "itself"),
    ("error in an include", '@include "bad.ski"\n', "did you mean 'sqrt'?"),
    ("tabs before the caret", "\tx = \t@@sqtr(2)\n", "did you mean 'sqrt'?"),
    ("error in the last line, which does not end", "x = 1\ny = @@zzz", "zzz"),
]

# Where nothing can follow.
UNFINISHED = ("missing end", "string without end", "error in the last line, which does not end")

# Where the error is in another file than test.ski.
ELSEWHERE = {
    "endless include": ("self.ski", '@include @@"self.ski"\n'),
    "error in an include": ("bad.ski", "# fine\nx = @@sqtr(2)\n"),
}
FILES = {"folder/empty.ski": "", "self.ski": '@include "self.ski"\n',
         "bad.ski": "# fine\nx = sqtr(2)\n"}


def find_mark(text):
    """The text without the mark, line and column of the mark, and its line."""
    before, _, after = text.partition(MARK)
    line = before.count("\n") + 1
    column = len(before.rpartition("\n")[2]) + 1
    clean = before + after
    return clean, line, column, clean.split("\n")[line - 1]


def expected_error(file, line, column, text):
    """Pattern for the message with its source line and caret; tabs stay tabs."""
    caret = re.sub(r"[^\t]", " ", text[:column - 1]) + "^"
    return re.compile(rf"(?:{re.escape(file)}):{line}:{column}: error: (.*)\n"
                      rf"{re.escape(text)}\n{re.escape(caret)}\n")


def own_lines(err):
    """Standard error without what the launcher says about a job that ended badly."""
    return "".join(re.split(r"(?m)^-{20,}\n", err)[0::2])


def error_lines(run):
    return [line for line in run.err.splitlines() if re.search(r"\berror: ", line)]


def check_placed(tap, name, run, pattern, words):
    """One error with its place, nothing else."""
    own = own_lines(run.err)
    match = pattern.match(own)
    tap.ok(match and words in match.group(1), f"{name}: place, message, line and caret",
           f"wanted {pattern.pattern} with {words}\n{run}")
    tap.equal(len(error_lines(run)), 1, f"{name}: one error", run)


def test_checks(tap):
    for name, script, words in CHECKED:
        clean, *place = find_mark(script)
        file = "test.ski"
        if name in ELSEWHERE:
            file, other = ELSEWHERE[name]
            place = find_mark(other)[1:]
        for tail in ("",) if name in UNFINISHED else ("", MEASURE):
            run = skampi(clean + tail, args=["-n"], launch=False, files=FILES)
            tap.equal(run.status, 2, f"{name}: -n ends with status 2", run)
            tap.equal(run.out, "", f"{name}: -n prints nothing")
            check_placed(tap, name, run, expected_error(file, *place), words)
            tap.equal(own_lines(run.err), run.err, f"{name}: nothing of a launcher is needed")


def test_checks_in_parallel(tap):
    """Of the same errors some under a launcher: PE 0 finds them, the others have to end too."""
    chosen = ("missing end", "unknown measurement", "endless include", "string for a count")
    cases = [(np, *case) for np in (1, 2, 4) for case in CHECKED
             if case[0] in (chosen if np == 4 else chosen[:1])]
    before = "# an earlier result\n"

    def start(case):
        return skampi(MEASURE + find_mark(case[2])[0], np=case[0], args=["-o", "kept.sko"],
                      files={**FILES, "kept.sko": before}, timeout=30)

    for (np, name, script, words), run in in_parallel(cases, start):
        name = f"{name} at {np} PEs"
        _, line, column, text = find_mark(MEASURE + script)
        file = "test.ski"
        if "include" in name:
            file, other = ELSEWHERE["endless include"]
            _, line, column, text = find_mark(other)
        tap.equal(run.status, 2, f"{name}: status 2", run)
        check_placed(tap, name, run, expected_error(file, line, column, text), words)
        tap.equal(run.out, "", f"{name}: nothing on standard output")
        with open(run.path("kept.sko"), encoding="utf-8") as kept:
            tap.equal(kept.read(), before, f"{name}: the output of an earlier run is kept")


def test_files(tap):
    """Scripts that cannot be read or hold nothing."""
    for name, script, words in [
            ("a missing script", "missing.ski", ("missing.ski", "No such file", "inputs")),
            ("a missing script with a path", "./missing.ski", ("./missing.ski", "No such file")),
            ("a folder", "folder.ski", ("folder.ski", "irectory"))]:
        for np in (0, 2) if script == "missing.ski" else (0,):
            run = skampi(script, np=np or 1, launch=np > 0, files={"folder.ski/x": ""})
            at = f"{name}, {np} PEs" if np else f"{name}, no launcher"
            tap.equal(run.status, 2, f"{at}: status 2", run)
            lines = error_lines(run)
            tap.ok(len(lines) == 1 and lines[0].startswith("skampi: error: ")
                   and all(word in lines[0] for word in words), f"{at}: one message", run)
            tap.equal(run.rows, [], f"{at}: nothing is measured")
    for name, script, words in (
            ("results as JSON", '{"record":"header"}\n', "a result file: skampi table none.ski"),
            ("results as CSV", "record,block,number\n", "skampi table none.ski"),
            ("results as .sko", "# SKaMPI Version 5\n", "skampi table none.ski"),
            ("a trace", "SHMTRACE\1\0", "shmemtrace summary"),
            ("another JSON", "{}", "no script but JSON"), ("a script that is not text", "\0\1\2", "no script but a binary file")):
        run = skampi("none.ski", args=["-n"], launch=False, files={"none.ski": script})
        tap.equal(run.status, 2, f"{name}: status 2", run)
        tap.ok(run.err.startswith("skampi: error: cannot read script 'none.ski': this is ")
               and words in run.err, f"{name}: says what it is, and what reads it", run)
    for name, script in (("an empty script", ""), ("a script of comments", "# nothing\n\n")):
        run = skampi("", args=["-n"], launch=False, files={"none.ski": script})
        run = skampi("none.ski", args=["-n"], launch=False, files={"none.ski": script})
        tap.equal(run.status, 2, f"{name}: status 2", run)
        tap.ok(re.match(r"none\.ski:1:1: error: ", run.err), f"{name}: says so", run)


def test_many_errors(tap):
    lines = [f"x{i} = missing{i} + other{i}" for i in range(30)]
    for np in (0, 4):
        run = skampi("\n".join(lines) + "\n", np=np or 1, args=["-n"], launch=np > 0)
        at = f"{np} PEs" if np else "no launcher"
        tap.equal(run.status, 2, f"30 errors, {at}: status 2", run)
        places = re.findall(r"^test\.ski:(\d+):(\d+): error: ", run.err, re.MULTILINE)
        tap.equal(places, [(str(i + 1), str(6 + len(str(i)) - 1)) for i in range(20)],
                  f"30 errors, {at}: the first 20 are shown, one a line, in order", run)
        tap.ok("too many errors" in run.err, f"30 errors, {at}: says that there are more", run)
    run = skampi("\n".join(lines[:3] + ["@include \"nowhere.ski\"", "y = sqtr(x0)", "z = )"]),
                 args=["-n"], launch=False)
    found = [int(n) for n in re.findall(r"^test\.ski:(\d+):\d+: error: ", run.err, re.MULTILINE)]
    # What a missing include would have defined is unknown: names are not complained about.
    tap.ok({4, 6} <= set(found) and found == sorted(found),
           "errors of several kinds are found in one go", run)


def test_options(tap):
    """All of them without a launcher, some under one."""
    good = {"good.ski": MEASURE}
    cases = [
        (["-i", "good.ski", "-x"], ("-x",)),
        (["-i", "good.ski", "--nonsense"], ("--nonsense",)),
        (["-i", "good.ski", "--s"], ("--s",)),  # --set, --source
        (["-i"], ("-i", "value")),
        (["-i", "good.ski", "-o"], ("-o", "value")),
        (["-i", "good.ski", "--set"], ("--set", "value")),
        (["-i", "good.ski", "--check=3"], ("--check=3", "no value")),
        (["good.ski"], ("good.ski", "-i")),
        (["quickstart.ski"], ("quickstart.ski", "-i quickstart.ski")),
        (["-i", "good.ski", "Shmem_Put_Round"], ("Shmem_Put_Round", "-i good.ski")),
        (["-i", "good.ski", "--sizes", "8"], ("--sizes", "--set")),
        (["--all"], ("--all", "--list")),
        (["-o", "x.sko"], ("script", "-i")),
        (["-i", "good.ski", "--set", "x"], ("--set x", "NAME=EXPR")),
        (["-i", "good.ski", "-i", "bad.ski"], ("-i bad.ski", "already", "good.ski")),
        (["Bcast", "=3"], ("=3", "NAME=VALUE")),
        (["Shmem_Put_Round", "count=8.5"], ("count=8.5: 8.5 is no whole number",)),
        (["Shmem_Put_Round", "count=64k"], ("count=64k", "write 64kb")),
        (["Shmem_Put_Round", "count=-1"], ("count=-1", "at least 0")),
        (["Shmem_Put_Round", "count=2*"], ("count=2*", "expected an expression")),
        (["Shmem_Put_Round", "--sizes", "1mb:8"], ("--sizes 1mb:8", "no values", "give 8:1mb")),
        (["Shmem_Put_Round", "--sizes", "abc"], ("--sizes abc", "a size in bytes, such as 8")),
        (["Shmem_Put_Round", "--sizes", "64k,1M"], ("--sizes 64k,1M", "write 64kb")),
        (["Shmem_Put_Round", "--sizes", "-8"], ("--sizes -8", "at least 0")),
        (["Shmem_Put_Round", "--sizes", "0:8"], ("--sizes 0:8", "start at 1")),
        (["Shmem_Put_Round", "--sizes", "8:1mb:*x"], ("--sizes 8:1mb:*x", "step *x")),
        (["Shmem_Put_Round", "--pes", "0"], ("--pes 0", "at least 1")),
        (["Shmem_Put_Round", "--pes", "two"], ("--pes two", "a number of PEs, such as 2")),
        (["Shmem_Put_Round", "--iterations", "2.5"], ("--iterations 2.5", "no whole number")),
        (["Bcast", "datatype=MPI_INTT"], ("datatype=MPI_INTT", "did you mean 'MPI_INT'?")),
        (["Bcast", "datatype=8"], ("datatype", "must be a datatype")),
        ([PAIRS, "pattern=xx"], ("pattern must be one of",)),
        ([PAIRS, 'pattern=a"b'], ('pattern=a"b', "quotation marks")),
        (["Shmem_Reduce_Sum_Double"], ("Shmem_Reduce_Sum_Double: did you mean ",
                                       "Shmem_Reduce_Sum_Double_Barrier")),
        (["shmem_double_p"], ("shmem_double_p: did you mean Shmem_P_",)),
        (["Shmem_Atomic_Fetch{,_Lon}"], ("Shmem_Atomic_Fetch_Lon: did you mean",)),
        (["-i", "good.ski", "--timer", "sundial"], ("sundial: unknown timer; --timers",)),
        (["-i", "good.ski", "--unit", "minutes"], ("minutes", "ns, us, ms or s")),
        (["-i", "good.ski", "-d", "x"], ("-d x",)),
        (["--describe", "Nothing"], ("Nothing", "--list")),
        (["--list", "Nothing*"], ("Nothing*",)),
        (["-h", "--nonsense"], ("--nonsense",)),
    ]
    for args, words in cases:
        run = skampi(args=args, launch=False, files=good)
        name = "skampi " + " ".join(args)
        tap.equal(run.status, 2, f"{name}: status 2", run)
        lines = error_lines(run)  # MPICH adds that the job was aborted
        tap.ok(len(lines) == 1 and lines[0].startswith("skampi: error: ")
               and all(word in lines[0] for word in words), f"{name}: one message", run)
        tap.equal(run.out, "", f"{name}: nothing on standard output")

    launched = [(4, args, words) for args, words in cases
                if args and args[-1] in ("--nonsense", "sundial")]

    def start(case):
        return skampi(np=case[0], args=case[1], files=good, timeout=30)

    for (np, args, words), run in in_parallel(launched, start):
        name = f"skampi {' '.join(args)} at {np} PEs"
        tap.equal(run.status, 2, f"{name}: status 2", run)
        lines = error_lines(run)
        tap.ok(len(lines) == 1 and all(word in lines[0] for word in words), f"{name}: one message",
               run)
        tap.equal(run.out, "", f"{name}: nothing on standard output")


def test_set_option(tap):
    """--set of what is not there, or not right: as errors of a file of that name."""
    script = "MAXSIZE = 64\nname = \"a\"\nset_skampi_buffer(MAXSIZE)\n" + MEASURE
    for given, column, words in [
            ("MAXSZIE=3", 1, "did you mean 'MAXSIZE'?"),
            ("MAXSIZE=sqtr(3)", 9, "did you mean 'sqrt'?"),
            ("MAXSIZE==3", 1, "NAME=EXPRESSION")]:  # unit/test_parser has the others
        run = skampi(script, args=["-n", "--set", given], launch=False)
        tap.equal(run.status, 2, f"--set {given}: status 2", run)
        check_placed(tap, f"--set {given}", run, expected_error("--set", 1, column, given), words)
    run = skampi(script, args=["-n", "--set", 'MAXSIZE="big"'], launch=False)
    tap.ok(run.status == 2 and len(error_lines(run)) == 1 and "must be an integer" in run.err,
           "--set with a value of another type is found where that is used", run)


def test_outputs(tap):
    cases = [(1, "nowhere/x.sko"), (4, "nowhere/x.sko"), (4, "folder")]

    def start(case):
        return skampi(MEASURE, np=case[0], args=["-o", case[1]], files={"folder/x": ""}, timeout=30)

    for (np, output), run in in_parallel(cases, start):
        name = f"-o {output} at {np} PEs"
        tap.equal(run.status, 2, f"{name}: status 2", run)
        lines = error_lines(run)
        tap.ok(len(lines) == 1 and f"cannot write {output}: " in lines[0], f"{name}: one message",
               run)
        tap.equal(run.out, "", f"{name}: nothing is measured")


# Errors that only the run can find: name, statements of a block, words of the message.
RUNNING = [  # unit/test_interp and test_builtins have the others
    ("division by zero", "x = 1 @@/ (get_np() - get_np())", "division by zero"),
    ("variable not set", 'x = @@get_env("SKAMPI_NOT_SET")', "SKAMPI_NOT_SET"),
    ("type found late", 'if get_np() > 0 then x = "a" else x = 1 fi y = x @@+ 1', "string"),
    ("unknown timer", '@@set_timer("sundial")', "sundial"),
    ("value out of range", "@@set_min_repetitions(get_np() - get_np())", "out of range"),
    ("more PEs than there are", "x = @@comm(get_np() + 1)", "start it with at least"),
    ("loop that never ends", "@@for i = 1 to ... do od", "never ends"),
    ("minimum above maximum", "set_min_repetitions(100) @@measure comm(1) : wtime(1)",
     "the minimum of 100 repetitions is above the maximum of 33"),
]


def test_runs(tap):
    # How errors end a job is the same for all: a launcher starts some, the others are found by the one PE that there is.
    cases = [((4, 2, 1)[i] if i < 3 else 0, *case) for i, case in enumerate(RUNNING)]
    last = BLOCK.replace('"b"', '"never"').format("measure comm(1) : wtime(1)")

    def text(statements):
        return MEASURE + BLOCK.format(statements) + last

    def start(case):
        return skampi(find_mark(text(case[2]))[0], np=case[0] or 1, launch=case[0] > 0, args=["-o", "out.sko"], timeout=30)

    for (np, name, statements, words), run in in_parallel(cases, start):
        name = f"{name} at {np} PEs" if np else f"{name}, no launcher"
        tap.equal(run.status, 2, f"{name}: status 2", run)
        check_placed(tap, name, run, expected_error("test.ski", *find_mark(text(statements))[1:]),
                     words)
        tap.ok(run.block("m") and run.block("m").ended and len(run.rows) == 1,
               f"{name}: what was measured before is kept", run)
        tap.ok(run.comments and run.comments[-1] == "# ended by an error",
               f"{name}: the output says how it ended", run.comments[-3:])


def test_assert(tap):
    def text(np):
        return MEASURE + BLOCK.format(f'assert(get_np() == {np}, "right") @@assert('
                                      f'get_np() == {np + 1}, "wrong number")')

    def start(np):
        return skampi(find_mark(text(np))[0], np=np, args=["-o", "out.sko"], timeout=30)

    for np, run in in_parallel([1, 4], start):
        name = f"assert at {np} PEs"
        tap.equal(run.status, 1, f"{name}: status 1", run)
        check_placed(tap, name, run, expected_error("test.ski", *find_mark(text(np))[1:]),
                     "assertion failed: wrong number")
        tap.equal(len(run.rows), 1, f"{name}: what was measured before is kept", run)


def test_one_pe_alone(tap):
    """An error that only one PE has, while the others go on to what all must do together."""
    def text(rank):
        return MEASURE + BLOCK.format(
            f"if get_comm_rank(MPI_COMM_WORLD) == {rank} then x = 1 @@/ (get_np() - get_np()) fi\n"
            "  measure comm(2) : wtime(100)")

    def start(rank):
        return skampi(find_mark(text(rank))[0], np=4, args=["-o", "out.sko"], timeout=30)

    for rank, run in in_parallel([0, 1, 3], start):
        name = f"an error on PE {rank} of 4"
        tap.equal(run.status, 2, f"{name}: status 2", run)
        check_placed(tap, name, run, expected_error("test.ski", *find_mark(text(rank))[1:]),
                     "division by zero")
        tap.equal(len(run.rows), 1, f"{name}: what was measured before is kept", run)


def test_information(tap):
    """What is printed without a launcher, to standard output."""
    for args, words in [(["-h"], ("usage: ", "--output", "xit status")),
                        (["--help"], ("usage: ",)), (["-V"], ("skampi ",)),
                        (["--version"], ("skampi ",)),
                        (["--list"], ("wtime(", "Shmem_Put_Full(")),
                        (["--list", "*Get*"], ("Shmem_Get_Round(",)),
                        (["--list=*Get*"], ("Shmem_Get_Round(",)),
                        (["--describe", "Shmem_Put_Full"], ("count", "bytes", "timed: ")),
                        (["--timers"], ("clock_gettime", "tsc"))]:
        run = skampi(args=args, launch=False)
        name = "skampi " + " ".join(args)
        tap.equal(run.status, 0, f"{name}: status 0", run)
        tap.ok(all(word in run.out for word in words), f"{name}: prints it", run)
        tap.equal(run.err, "", f"{name}: nothing on standard error")
    run = skampi(args=["--list", "*Get*"], launch=False)
    listed = [line for line in run.out.splitlines() if line.startswith("  ")]
    tap.ok(listed and all("get" in line.lower() for line in listed), "--list with a pattern lists nothing else", run)
    run = skampi(args=["-V"], np=4)
    tap.equal((run.status, len(run.out.splitlines())), (0, 1), "-V at 4 PEs prints one line", run)
    run = skampi(MEASURE, args=["-n"], launch=False)
    tap.equal((run.status, run.out, run.err), (0, "", ""), "-n with a good script says nothing")


def main():
    tap = Tap()
    test_information(tap)
    test_checks(tap)
    test_files(tap)
    test_many_errors(tap)
    test_options(tap)
    test_set_option(tap)
    test_outputs(tap)
    test_checks_in_parallel(tap)
    test_runs(tap)
    test_assert(tap)
    test_one_pe_alone(tap)
    tap.done()


main()
