#!/usr/bin/env python3
# LONG
# PLAIN
# TIMEOUT: 300
"""scripts/shmembench: its programs call every routine of the library, build without warnings, verify
what the library did, and notice a library that does it wrong; its lists of calls tell traces apart."""

import csv
import os
import re
import shlex
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from builds import preloadable
from harness import ROOT, Tap, build_config, has, in_parallel, launch_environment, launch_line, run, scratch_directory, write_text

BENCH = os.path.join(ROOT, "scripts/shmembench")
NAMES = {1: "put", 2: "get", 3: "collectives", 4: "synchronization", 5: "atomics", 6: "nonblocking",
         7: "contexts", 8: "locks", 9: "memory"}
ALL = "# every class\n" + "".join(f"{number} {number} {20 - number} {1 + number % 3}\n"
                                  for number in NAMES)

BAD = """\
# a comment alone

1 1 64 2        # right
2 10 64 2
 x 1 64 2
3 1 0 2
4 1 64
5 1 64 2 9
1 2 8 1
\t6 1 8 1.5
7 2 99999999999999999999 1
8 2 8000000 8000000
9 -1 8 1 # and a comment
"""
ERRORS = """\
bad.conf:4:3: error: class: 10 is not 1 to 9
  2 10 64 2
    ^
bad.conf:5:2: error: test number: x is not a whole number
   x 1 64 2
   ^
bad.conf:6:5: error: elements: 0 is not 1 to 16777216
  3 1 0 2
      ^
bad.conf:7:7: error: stride is missing: give test number, class, elements, stride
  4 1 64
        ^
bad.conf:8:10: error: more than test number, class, elements, stride
  5 1 64 2 9
           ^
bad.conf:9:1: error: test 1 is there already: bad.conf:3
  1 2 8 1
  ^
bad.conf:10:8: error: stride: 1.5 is not a whole number
  \t6 1 8 1.5
  \t      ^
bad.conf:11:5: error: elements: 99999999999999999999 is not a whole number
  7 2 99999999999999999999 1
      ^
bad.conf:12:13: error: elements times stride is more than 16777216
  8 2 8000000 8000000
              ^
bad.conf:13:3: error: class: -1 is not 1 to 9
  9 -1 8 1 # and a comment
    ^
more.conf:1:1: error: test 1 is there already: bad.conf:3
  1 1 1 1
  ^
"""

FAULTS = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <shmem.h>
#include <stdlib.h>
#include <string.h>
static int fault(const char *name) { const char *f = getenv("FAULT"); return f && !strcmp(f, name); }
#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
void shmem_long_put(long *t, const long *s, size_t n, int pe)
{ REAL(shmem_long_put); real(t, s, fault("drops") ? n - 1 : fault("exceeds") ? n + 1 : n, pe); }
void shmem_double_iget(double *t, const double *s, ptrdiff_t a, ptrdiff_t b, size_t n, int pe)
{ REAL(shmem_double_iget); real(t, s, a, fault("stride") ? 1 : b, n, pe); }
void shmem_fcollect64(void *t, const void *s, size_t n, int a, int b, int c, long *p)
{ REAL(shmem_fcollect64); real(t, s, n, a, b, c, p); if (fault("order")) memset(t, 0, 8); }
void shmem_float_sum_to_all(float *t, const float *s, int n, int a, int b, int c, float *w, long *p)
{ REAL(shmem_float_sum_to_all); real(t, s, n, a, b, c, w, p); if (fault("sum")) t[n - 1] += 1; }
int shmem_int_test(volatile int *v, int c, int x)
{ REAL(shmem_int_test); return fault("answer") ? 1 : real(v, c, x); }
long shmem_long_atomic_fetch_add(long *t, long v, int pe)
{ REAL(shmem_long_atomic_fetch_add); return real(t, v, pe) + fault("fetched"); }
void shmem_long_atomic_add(long *t, long v, int pe)
{ REAL(shmem_long_atomic_add); real(t, v + fault("added"), pe); }
void shmem_get64_nbi(void *t, const void *s, size_t n, int pe)
{ REAL(shmem_get64_nbi); real(t, s, n, fault("peer") ? shmem_my_pe() : pe); }
void shmem_ctx_short_p(shmem_ctx_t c, short *t, short v, int pe)
{ REAL(shmem_ctx_short_p); if (!fault("nothing")) real(c, t, v, pe); }
int shmem_test_lock(volatile long *l)
{ REAL(shmem_test_lock); return fault("lock") ? !shmem_my_pe() : real(l); }
void *shmem_calloc(size_t n, size_t m)
{ REAL(shmem_calloc); char *p = real(n, m); if (fault("dirty")) p[n * m - 1] = 1; return p; }
"""
FAULTY = [  # what the library does, in which test, what its program says
    ("drops", 1, "shmem_long_put: wrong data (element 18"),
    ("exceeds", 1, "shmem_long_put: wrote outside of its target"),
    ("stride", 2, "shmem_double_iget: wrong data (element 1,"),
    ("order", 3, "shmem_fcollect64: wrong data"), ("sum", 3, "shmem_float_sum_to_all: wrong result"),
    ("answer", 4, "shmem_int_test: wrong answer"),
    ("fetched", 5, "shmem_long_atomic_fetch_add: wrong result"),
    ("added", 5, "shmem_long_atomic_add: wrong data"), ("peer", 6, "shmem_get64_nbi: wrong data"),
    ("nothing", 7, "shmem_ctx_short_p: wrong data"), ("lock", 8, "shmem_test_lock: wrong answer"),
    ("dirty", 9, "shmem_calloc: not zero"),
]


def bench(directory, *arguments, files=None, env=None):
    for name, text in (files or {}).items():
        write_text(os.path.join(directory, name), text)
    return run([BENCH, *arguments], env, 60, directory)


def rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def launch(pes, path, env=None, timeout=60):
    return run(launch_line(pes, [path]), {**launch_environment(), **(env or {})}, timeout)


# ---- Configurations and options ----


def test_errors(tap):
    directory = scratch_directory()
    outcome = bench(directory, "bad.conf", "more.conf", files={"bad.conf": BAD, "more.conf": "1 1 1 1\n"})
    tap.equal(outcome.status, 2, "a bad configuration: exit status", outcome)
    tap.equal(outcome.err, ERRORS, "... each bad line is told, with the place")
    tap.ok(not os.path.exists(outcome.path("shmembench.out")), "... and nothing is written")
    for arguments, words in (
            (["empty.conf"], "empty.conf:2:1: error: no test: give lines of test number"),
            (["none.conf"], "shmembench: error: none.conf: No such file"),
            ([], "no configuration"),
            (["good.conf", "--pes", "0"], "--pes: 0: give numbers of PEs"),
            (["good.conf", "--count", "x"], "--count: x: give a whole number"),
            (["good.conf", "--api", "a;b"], "a;b: give names"),
            (["good.conf", "--cc", "no-such-compiler"], "no-such-compiler: No such file"),
            (["good.conf", "--cc", "false"], "false cannot preprocess"),
            (["good.conf", "--lang", "cobol"], "--lang"), (["good.conf", "--nonsense"], "--nonsense")):
        outcome = bench(directory, *arguments, files={"empty.conf": "# nothing\n", "good.conf": "1 8 1 1"})
        tap.ok(outcome.status == 2 and words in outcome.err and len(outcome.err.splitlines()) <= 3,
               f"{' '.join(arguments) or 'no argument'}: one line that says what is wrong", outcome)
    outcome = bench(directory, "--help")
    tap.ok(outcome.status == 0 and "examples:" in outcome.out, "--help has examples", outcome)


def test_folder(tap):
    directory = scratch_directory()
    os.mkdir(os.path.join(directory, "mine"))
    files = {"a.conf": "1 8 1 1\n", "b.conf": "2 8 1 1\n", "mine/letter": "text"}
    outcome = bench(directory, "a.conf", "-o", "mine", files=files)
    tap.ok(outcome.status == 2 and "that shmembench did not write" in outcome.err
           and os.listdir(outcome.path("mine")) == ["letter"], "a folder with other files is left alone",
           outcome)
    outcome = bench(directory, "a.conf", "-o", "mine/letter/deeper")
    tap.ok(outcome.status == 2 and "Not a directory" in outcome.err, "where nothing can be written",
           outcome)
    for config in ("a.conf", "b.conf"):
        outcome = bench(directory, config, "-o", "new")
    names = os.listdir(outcome.path("new"))
    tap.ok("test2_locks.c" in names and "test1_locks.c" not in names,
           "a second run takes away what the first has written", names)


def test_selection(tap):
    directory = scratch_directory()
    outcome = bench(directory, "c.conf", "-o", "few", "--api", "shmem_int_put,shmem_*_lock", "--count", "3",
                    "--pes", "3", files={"c.conf": "1 1 4 1\n2 8 4 1 # locks\n3 2 4 1\n"})
    calls = rows(outcome.path("few/test1_put.expected-3.csv")) if outcome.status == 0 else []
    puts = [(row["pe"], row["peer"], row["elements"], row["bytes"]) for row in calls
            if row["class"] == "put"]
    tap.equal(puts, [(str(pe), str((pe + 1) % 3), "4", "16") for pe in range(3) for _ in range(3)],
              "--api, --count and --pes: the calls of one routine", outcome)
    tap.equal({row["routine"] for row in calls} - {"shmem_int_put"},
              {"shmem_init", "shmem_my_pe", "shmem_n_pes", "shmem_malloc", "shmem_barrier_all",
               "shmem_free", "shmem_finalize"}, "... and of what is around them")
    tap.ok("c.conf:3: test 3 calls nothing" in outcome.out, "... a test without routines is told", outcome)
    tap.equal(sorted(name for name in os.listdir(outcome.path("few")) if name.endswith(".c")),
              ["test1_put.c", "test2_locks.c"], "... and is not written")
    outcome = bench(directory, "c.conf", "-o", "few", "--api", "shmem_nothing*")
    tap.ok(outcome.status == 2 and "shmem_nothing* matches no routine" in outcome.err,
           "--api that fits nothing is an error", outcome)


STUDY = """\
Test_Num, Class, Num_Elements, Stride
1, 1, 64, 0
2\t3\t0\t0
3 | 4 | 0 | 0
4 5 0 0
5 8 0 0
6 3 4 0
"""


def test_study(tap):
    """A configuration as the study prints it: names of columns first, 0 where a field is ignored, barriers
    among collectives."""
    directory = scratch_directory()
    outcome = bench(directory, "study.conf", "--pes", "2", files={"study.conf": STUDY})
    if not tap.equal((outcome.status, outcome.err), (0, ""), "names of columns and zeros are understood",
                     outcome):
        return
    folder = outcome.path("shmembench.out")

    def called(test, word):
        return {row["routine"] for row in rows(os.path.join(folder, f"{test}.expected-2.csv"))
                if row["class"] == word}

    puts = called("test1_put", "put")
    tap.ok("shmem_int_put" in puts and "shmem_int_p" in puts and not any("iput" in name for name in puts),
           "stride 0: puts without those that need one", puts)
    barriers = {"shmem_barrier_all", "shmem_barrier", "shmem_sync_all", "shmem_sync"}
    tap.ok(not called("test2_collectives", "collective")
           and barriers <= called("test2_collectives", "synchronization"),
           "class 3 with 0 elements: barriers alone", called("test2_collectives", "synchronization"))
    both = called("test6_collectives", "collective"), called("test6_collectives", "synchronization")
    tap.ok("shmem_broadcast64" in both[0] and "shmem_alltoalls64" not in both[0] and barriers <= both[1],
           "class 3 with elements: collectives and barriers", both)
    rest = called("test3_synchronization", "synchronization")
    tap.ok("shmem_quiet" in rest and "shmem_int_wait_until" in rest and "shmem_barrier" not in rest,
           "class 4: other synchronization", rest)
    tap.ok("test 1 has stride 0" in outcome.out and "test 2 has elements 0" in outcome.out,
           "what is not called because of a 0 is reported", outcome)
    made = run(["make", "-j2", "CFLAGS=-O0 -Wall -Wextra -Werror", "test2_collectives_c", "test4_atomics_c"],
               None, 100, folder)
    if tap.equal(made.status, 0, "the programs build", made):
        for name in ("test2_collectives_c", "test4_atomics_c"):
            ran = launch(2, os.path.join(folder, name))
            tap.ok(ran.status == 0 and "shmem_" in ran.out, f"... and run: {name}", ran)
    for name, text, words in (
            ("put", "test class elements stride\n1 1 0 1\n", "put.conf:2:5: error: elements: 0 is not 1 to"),
            ("order", "class test elements stride\n1 1 8 1\n", "order.conf:1:1: error: columns are test"),
            ("late", "1 1 8 1\ntest class elements stride\n", "late.conf:2:1: error: test number: test is"),
            ("words", "some words without columns\n1 1 8 1\n", "words.conf:1:1: error: test number: some is"),
            ("alone", "test class elements stride\n", "error: no test: give lines of")):
        outcome = bench(directory, f"{name}.conf", files={f"{name}.conf": text})
        tap.ok(outcome.status == 2 and words in outcome.err, f"refused: {text.splitlines()[-1]} ({name})",
               outcome)


# ---- Programs ----


def generate(tap):
    """The folder with programs of every class, those in C++ built; in C, the test of traces builds them."""
    directory = scratch_directory()
    outcome = bench(directory, "all.conf", "--lang", "all", files={"all.conf": ALL})
    tap.equal(outcome.status, 0, "programs of every class in three languages", outcome)
    folder = outcome.path("shmembench.out")
    targets = [f"test{number}_{name}_cc" for number, name in NAMES.items()]
    built = run(["make", "-j2", "CXXFLAGS=-O0 -Wall -Wextra -Werror", *targets], None, 200, folder)
    tap.equal(built.status, 0, "they build without warnings", built)
    shown = run(["make", "-n"], None, 60, folder)
    fortran = "no bindings for Fortran" in outcome.out
    tap.equal("no bindings for Fortran" in shown.out, fortran,
              "where the library has no Fortran, the Makefile says so, too", shown)
    return folder, outcome


def test_whole(tap, folder, outcome):
    """What the library has is called, or it is said why not."""
    listed = bench(scratch_directory(), "--list")
    names = {line.split()[2] for line in listed.out.splitlines()}
    called = set()
    for number, name in NAMES.items():
        called |= {row["routine"] for row in rows(os.path.join(
            folder, f"test{number}_{name}.expected-2.csv"))}
    left_out = {line.split()[2] for line in listed.out.splitlines() if "# not called: " in line}
    tap.equal(sorted(names - called - left_out), [], "every routine of --list is called")
    unknown = re.findall(r"nothing is known about them: (.*)", outcome.out)
    tap.ok(len(names) > 600 and unknown in ([], ["shmemx_alltoall_global_nb"]),
           "... and these are the library's", f"{len(names)}\n{outcome}")


def test_running(tap, folder):
    cases = [(number, pes) for number in NAMES for pes in (1, 2, 4)]

    def start(case):
        number, pes = case
        return launch(pes, os.path.join(folder, f"test{number}_{NAMES[number]}_cc"))

    for (number, pes), outcome in in_parallel(cases, start):
        name = f"test{number}_{NAMES[number]}_cc on {pes} PEs"
        lines = [line.split() for line in outcome.out.splitlines() if not line.startswith("#")]
        wanted = [row["routine"] for row in
                  rows(os.path.join(folder, f"test{number}_{NAMES[number]}.expected-{pes}.csv"))
                  if row["pe"] == "0"]
        good = outcome.status == 0 and lines and all(
            len(line) == 4 and line[0] in wanted and float(line[3]) >= 0 for line in lines)
        tap.ok(good, f"{name}: runs, all is right, one line a call", outcome)


def test_faults(tap, folder):
    library = preloadable(FAULTS)
    if not tap.ok(library, "a library that does wrong things is built"):
        return

    def start(case):
        fault, number, _ = case
        return launch(2, os.path.join(folder, f"test{number}_{NAMES[number]}_cc"),
                      {"LD_PRELOAD": library, "FAULT": fault})

    for (fault, number, words), outcome in in_parallel(FAULTY, start):
        errors = [line for line in outcome.out.splitlines() if line.startswith("error: PE")]
        routine = words.partition(":")[0]
        tap.ok(outcome.status == 1 and any(words in line for line in errors)
               and all(routine in line for line in errors), f"{fault}: {words} is noticed", outcome)


def test_fortran(tap):
    """Debian's Open MPI has no bindings for Fortran: those in tests/support/stub are linked."""
    directory = scratch_directory()
    stub = os.path.join(ROOT, "tests/support/stub/fortran_bindings.c")
    bindings = run(["oshcc", "-w", "-c", "-o", "bindings.o", stub], cwd=directory) \
        if shutil.which("oshcc") and shutil.which("oshfort") and shutil.which("gfortran") else None
    if not bindings or bindings.status:
        tap.skip("programs in Fortran", "no compiler")
        return
    outcome = bench(directory, "all.conf", "--lang", "fortran", "--fc",
                    f"oshfort {bindings.path('bindings.o')}", files={"all.conf": ALL})
    tap.ok(outcome.status == 0 and "no bindings" not in outcome.out, "bindings for Fortran are found",
           outcome)
    folder = outcome.path("shmembench.out")
    built = run(["make", "-j2", "FFLAGS=-O0 -fcray-pointer"], None, 200, folder)
    tap.equal(built.status, 0, "programs in Fortran are built", built)
    cases = [number for number in NAMES if number != 7]
    for number, outcome in in_parallel(cases, lambda number: launch(2, os.path.join(
            folder, f"test{number}_{NAMES[number]}_f90"))):
        path = os.path.join(folder, f"test{number}_{NAMES[number]}_f90.expected-2.csv")
        tested = {row["routine"] for row in rows(path)}
        lines = [line.split() for line in outcome.out.splitlines() if not line.startswith("#")]
        tap.ok(outcome.status == 0 and lines and all(line[0] in tested for line in lines),
               f"test{number}_{NAMES[number]}_f90: runs, all is right, one line a call", outcome)


def test_later_version(tap):
    """What OpenSHMEM 1.5 added, on the emulation in tests/support/stub, which has some of it."""
    if "OpenSHMEM 1.4 " not in build_config().get("CONFIG_SUMMARY", ""):
        tap.skip("OpenSHMEM 1.5", "the emulation is one over 1.4")
        return
    directory = scratch_directory()
    stub = os.path.join(ROOT, "tests/support/stub/openshmem-1.5")
    flags = ["-DSKAMPI_SHMEM=1", f"-I{ROOT}", f"-I{stub}/emulation"]
    built = run(["oshcc", "-w", *flags, "-c", "-o", "emulation.o", f"{stub}/emulation.c"], cwd=directory)
    compiler = shlex.join(["oshcc", *flags, built.path("emulation.o")])
    names = "shmem_*_reduce,shmem_broadcastmem,shmem_int_fcollect,shmem_alltoall*mem,shmem_team_sync,*_signal*"
    outcome = bench(directory, "c.conf", "--cc", compiler, "--api", names, "--pes", "2",
                    files={"c.conf": "1 1 9 1\n3 3 9 1\n4 4 9 1\n6 6 9 1\n"})
    folder = outcome.path("shmembench.out")
    made = run(["make", "-j2", "CFLAGS=-O0 -Wall -Wextra -Werror"], None, 100, folder)
    if not tap.ok(outcome.status == 0 and made.status == 0, "OpenSHMEM 1.5: programs are built",
                  f"{outcome}\n{made}"):
        return
    for number, wanted in ((1, "shmem_putmem_signal "), (3, "shmem_int_sum_reduce "), (3, "shmem_team_sync "),
                           (6, "shmem_putmem_signal_nbi ")):
        outcome = launch(2, os.path.join(folder, f"test{number}_{NAMES[number]}_c"))
        tap.ok(outcome.status == 0 and wanted in outcome.out,
               f"OpenSHMEM 1.5: {wanted.strip()} and the like do what they should", outcome)
    calls = [row for row in rows(os.path.join(folder, "test3_collectives.expected-2.csv"))
             if row["routine"] == "shmem_broadcastmem"]
    tap.equal([(row["set_start"], row["set_stride"], row["set_size"], row["root"], row["bytes"])
               for row in calls], [("0", "0", "2", "1", "9")] * 2, "... and a team is listed as in traces")


# ---- Lists of calls, compared with made-up traces ----


def trace_text(calls, change=None):
    """What shmemtrace dump --csv prints of these calls, with the heap at 4096."""
    columns = ["pe", "thread", "index"] + [name for name in calls[0] if name != "pe"]
    lines = [",".join(columns)]
    for index, call in enumerate(calls):
        values = {**call, "thread": "0", "index": str(index)}
        for name in ("target_offset", "source_offset"):
            values[name] = str(4096 + int(values[name].split("+")[1])) if "+" in values[name] \
                else values[name].replace("*", "7")
        values = {name: value.replace("*", "7") for name, value in values.items()}
        if change:
            change(index, values)
        if values:
            lines.append(",".join(values[name] for name in columns))
    return "\n".join(lines) + "\n"


def test_compare(tap, folder):
    path = os.path.join(folder, "test1_put.expected-2.csv")
    calls = [call for call in rows(path) if call["class"] != "query"]
    first = next(index for index, call in enumerate(calls) if call["routine"] == "shmem_long_put")
    number = first + 1  # of PE 0, and its first

    def changed(name, value, of=first):
        def change(index, values):
            if index == of:
                values[name] = value
        return change

    def dropped(index, values):
        if index == first:
            values.clear()

    def without_pe(index, values):
        if values["pe"] == "1":
            values.clear()

    def several(index, values):
        if index == 9:
            values["thread"] = "1"

    def other_heap(index, values):
        if values["pe"] == "1" and values["target"] == "heap":
            values["target_offset"] = str(int(values["target_offset"]) + 8)

    where = f"first difference: PE 0, call {number}, shmem_long_put: "
    cases = [
        ("the same", None, 0, f"{len(calls)} calls equal, 0 different, 0 missing in the trace, 0 too many"),
        ("another peer", changed("peer", "0"), 1, where + "peer: expected 1, in the trace 0\n"),
        ("fewer bytes", changed("bytes", "8"), 1, where + "bytes: expected 152, in the trace 8\n"),
        ("another place", changed("target_offset", "17"), 1, where + "target_offset: expected static+"),
        ("a heap that is elsewhere on PE 1", other_heap, 1, "first difference: PE 1, call 2, shmem_malloc: "
         "target_offset: expected heap+0, in the trace 4104"),
        ("a parameter that is none", changed("root", "0"), 1, where + "root: expected nothing, in the trace 0"),
        ("no parameter", changed("elements", ""), 1, where + "elements: expected 19, in the trace nothing"),
        ("another class", changed("class", "get"), 1, where + "class: expected put, in the trace get"),
        ("a missing call", dropped, 1, f"first difference: PE 0, call {number}: expected shmem_long_put, in "
         f"the trace shmem_barrier_all\n{len(calls) - 1} calls equal, 0 different, 1 missing"),
        ("a call of another routine", changed("routine", "shmem_ulong_put"), 1,
         f"expected shmem_long_put, in the trace shmem_ulong_put\n"),
        ("a PE without calls", without_pe, 1, "PE 1 is not in the trace"),
        ("several threads", several, 1, "several threads"),
    ]
    directory = scratch_directory()
    for name, change, status, words in cases:
        outcome = bench(directory, "compare", "t.csv", path, files={"t.csv": trace_text(calls, change)})
        tap.ok(outcome.status == status and words in outcome.out, f"compare: {name}", outcome)
    longer = trace_text(calls) + trace_text(calls).splitlines()[-1] + "\n"
    outcome = bench(directory, "compare", "t.csv", path, files={"t.csv": longer})
    tap.ok(outcome.status == 1 and "expected no more, in the trace shmem_finalize" in outcome.out
           and "0 missing in the trace, 1 too many" in outcome.out, "compare: a call too many", outcome)
    outcome = bench(directory, "compare", "t.csv", path, "--queries")
    tap.ok(outcome.status == 1 and "expected shmem_my_pe" in outcome.out,
           "compare --queries: calls that were not recorded", outcome)
    for name, text, words in (
            ("no columns", "a,b\n1,2\n", "t.csv:1: no column pe"), ("nothing", "", "t.csv:1: no column"),
            ("a short line", trace_text(calls) + "1,2\n", "not as many columns"),
            ("no number", trace_text(calls).replace("\n1,", "\nx,"), "pe: x is not a number"),
            ("zeros", "\0\0\0", "t.csv")):
        outcome = bench(directory, "compare", "t.csv", path, files={"t.csv": text})
        tap.ok(outcome.status == 2 and words in outcome.err and len(outcome.err.splitlines()) == 1,
               f"compare: a file with {name}", outcome)
    outcome = bench(directory, "compare", ".", path, "--shmemtrace", "no-such-program")
    tap.ok(outcome.status == 2 and "no-such-program: No such file" in outcome.err,
           "compare: without the reader of traces", outcome)


def main():
    tap = Tap()
    test_errors(tap)
    if not has("SHMEM") or not shutil.which("oshcc"):
        tap.skip("programs", "no OpenSHMEM with the compiler oshcc")
        tap.done()
    test_folder(tap)
    test_selection(tap)
    test_study(tap)
    folder, outcome = generate(tap)
    test_whole(tap, folder, outcome)
    test_compare(tap, folder)
    test_running(tap, folder)
    test_faults(tap, folder)
    test_fortran(tap)
    test_later_version(tap)
    tap.done()


main()
