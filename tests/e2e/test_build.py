#!/usr/bin/env python3
# LONG
# PLAIN
# TIMEOUT: 900
"""What make dist packs is built by gcc and clang, and for MPI alone, and each program measures; the build stays
right when files and options change; make quickstart shows a table."""

import os
import pwd
import re
import shutil
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from builds import CLEAN, compiling_once, copy_tree, make
from harness import ROOT, Tap, build_config, has, read_records, read_text, run, skampi, write_text

# The make that runs the tests has built everything optimized, with all warnings.
CLEAN |= {"CFLAGS": "-O0 -g0", **compiling_once()}

WTIME = 'set_skampi_buffer(1mb) begin measurement "t" measure comm(1) : wtime(100) end measurement'

tap = Tap()


def unpacked():
    """The tree as those have it who unpack what make dist makes."""
    tree = copy_tree()
    made = make(tree, "dist")
    archive, = re.findall(r"build/\S+\.tar\.gz", made.out)
    run(["tar", "-xzf", archive], cwd=tree)
    return os.path.join(tree, os.path.basename(archive)[:-len(".tar.gz")])


def compiled(made):
    """The sources that a make compiled."""
    return set(re.findall(r"^ +CC +(\S+)", made.out, re.MULTILINE))


def works(tree, name, launcher, env=None):
    """The program just built names itself, lists its functions and measures."""
    program = os.path.join(tree, "skampi")
    version = skampi(args=["-V"], launch=False, executable=program)
    tap.ok(version.status == 0 and re.search(r"\d+\.\d+\.\d+", version.out), f"{name}: -V", version)
    listed = skampi(args=["--list"], launch=False, executable=program)
    tap.ok(listed.status == 0 and "wtime" in listed.out, f"{name}: --list", listed)
    measured = skampi(WTIME, np=2, executable=program,
                      env={**CLEAN, "SKAMPI_LAUNCH": launcher, **(env or {})})
    tap.ok(measured.status == 0 and len(measured.rows) == 1, f"{name}: measures wtime with {launcher}",
           measured)


def combination(tree, arguments, wanted, launcher):
    """Builds in the tree, over whatever was built there before, what calls the libraries."""
    name = " ".join(["make", *(a.replace(tree + "/", "") for a in arguments)])
    made = make(tree, "banner", "skampi", *arguments)
    tap.ok(made.status == 0 and "warning" not in made.err, f"{name}: builds without warnings", made)
    said = [line for line in made.out.splitlines() if line.startswith("skampi: ")]
    tap.ok(len(said) == 1 and re.search(wanted, said[0]), f"{name}: says in one line what it found",
           f"{said} is not one line like {wanted}")
    works(tree, name, launcher)


def combinations(tree):
    found = build_config()["CONFIG_SUMMARY"]
    if has("SHMEM"):
        # Without MPI and all that is optional, and with another MPI alone: test_mpi_modes.py.
        clang = {"OSHMEM_CC": "clang"}
        told = run(["oshcc", "--showme:command"], {**CLEAN, **clang})
        if shutil.which("clang") and told.out.strip() == "clang":
            made = make(tree, "clean", "all", env=clang)
            tap.ok(made.status == 0 and "warning" not in made.err,
                   "OSHMEM_CC=clang make: builds without warnings", made)
            works(tree, "OSHMEM_CC=clang make", "oshrun -np %n")
        else:
            tap.skip("with clang", "there is none, or the wrapper does not take it")
    else:
        tap.skip("OpenSHMEM in all combinations", f"there is only {found}")
    if has("MPI") and shutil.which("mpicc"):
        combination(tree, ["SHMEM=0", "CC=mpicc"], r"OpenSHMEM off  MPI \d", "mpirun -np %n")
        if has("SHMEM"):
            # Detected by compiling: neither the name nor a request says that it has no OpenSHMEM.
            made = make(tree, "CC=mpicc", "banner")
            tap.ok("OpenSHMEM not found" in made.out and "measures MPI only" in made.out,
                   "CC=mpicc alone: MPI only, and that is said", made)
    else:
        tap.skip("MPI alone", f"there is only {found}")


def refusals(tree):
    """What cannot be built is refused in a way that helps."""
    without = os.path.join(tree, "few-programs")
    os.mkdir(without)
    for program in "sh make mkdir rm mv cp cat sed grep tr printf".split():
        if shutil.which(program):
            os.symlink(shutil.which(program), os.path.join(without, program))
    for name, arguments, env in (
            ("no oshcc and no CC", [], {"PATH": without}),
            ("a CC that is not there", ["CC=no-such-compiler"], {}),
            ("a CC without OpenSHMEM and MPI", ["CC=gcc"], {})):
        made = make(tree, "BUILD=build/refused", *arguments, env=env)
        tap.ok(made.status == 2 and "quickstart" in made.err and "scripts/install-deps" in made.err,
               f"{name}: refused with the remedy", made)
    made = make(tree, "BUILD=build/refused", "SHMEM=0", "MPI=0")
    tap.ok(made.status == 2 and "nothing to measure" in made.err, "SHMEM=0 MPI=0: refused", made)


def changes(tree):
    """Exactly what depends on a change is made again."""
    made = make(tree)
    tap.equal(made.status, 0, "the default builds", made)
    sources = len(compiled(made))
    made = make(tree)
    tap.ok(not compiled(made) and "LINK" not in made.out, "nothing to do the second time", made)

    time.sleep(0.02)
    os.utime(os.path.join(tree, "src/stats/stats.h"))
    some = compiled(make(tree))
    tap.ok("src/stats/stats.c" in some and len(some) < sources,
           "touching a header compiles what includes it", some)

    extra = os.path.join(tree, "src/stats/extra.c")
    write_text(extra, "int stats_extra(void);\nint stats_extra(void)\n{\n    return 1;\n}\n")
    made = make(tree)
    tap.equal(compiled(made), {"src/stats/extra.c"}, "a new source is compiled", made)
    members = run(["ar", "t", "build/libskampi.a"], cwd=tree)
    tap.ok("extra.o" in members.out.split(), "... and is in the archive", members)
    os.remove(extra)
    make(tree)
    members = run(["ar", "t", "build/libskampi.a"], cwd=tree)
    tap.ok("extra.o" not in members.out.split(), "a removed source leaves the archive", members)

    made = make(tree, "PREFIX=/opt/elsewhere")
    tap.ok(0 < len(compiled(made)) <= 2, "another PREFIX compiles only what names it", made)

    made = run(["timeout", "-s", "INT", "0.05", "make", "PAPI=0"], CLEAN, 20, tree)
    made = make(tree, "PAPI=0", "banner")
    tap.ok(made.status == 0 and "PAPI off" in made.out, "an interrupted detection is made again", made)
    made = make(tree, "clean", "all")
    tap.ok(made.status == 0 and len(compiled(made)) == sources, "make clean all builds everything", made)


UCX = "build/src/comm/choices.o"  # what depends on it


def found_later(tree):
    """What is installed, replaced or removed between two makes counts in the next one, a header alone as well:
    here one that hides the machine's own."""
    header = os.path.join(tree, "include/ucp/api/ucp.h")
    os.makedirs(os.path.dirname(header))

    def made():
        return make(tree, "banner", UCX, f"CPPFLAGS=-I{tree}/include", "WERROR=")

    def compiles(outcome):
        return UCX.replace("build/", "").replace(".o", ".c") in compiled(outcome)

    plain = made()
    write_text(header, "#error this one cannot be used\n")
    os.utime(os.path.join(tree, "mk/detect"))  # one that hides another is only looked for with a reason
    without = made()
    tap.ok("UCX not found" in without.out and without.status == 0, "a header of UCX that cannot be used", without)
    tap.equal(compiles(without), "UCX not found" not in plain.out, "... is compiled without where it was there", without)
    again = made()
    tap.ok("UCX not found" in again.out and not compiled(again), "... and not again in the next make", again)
    if "UCX not found" in plain.out:
        tap.skip("a header of UCX that can be used", "there is none to make one from")
        return
    write_text(header, "#include_next <ucp/api/ucp.h>\n#undef UCP_API_MINOR\n#define UCP_API_MINOR 99\n")
    found = made()
    tap.ok(re.search(r"UCX \d+\.99", found.out) and compiles(found), "one that can: what uses it is compiled", found)
    nothing = made()
    tap.ok(nothing.status == 0 and not compiled(nothing), "... once", nothing)
    os.remove(header)
    gone = made()
    tap.ok(gone.status == 0 and ".99" not in gone.out and compiles(gone), "it vanishes: compiled again", gone)


def absent(tree):
    """The same where nothing of that name is there before: extensions of OpenSHMEM, by a compiler that has none."""
    compiler = os.path.join(tree, "few-headers")
    write_text(compiler, """#!/bin/sh
# A C compiler with headers of its own: what is in the folder "offers".
exec cc -nostdinc -isystem "$(cc -print-file-name=include)" -I "${0%/*}/offers" -DSKAMPI_FAKE "$@"
""", 0o755)
    offers = os.path.join(tree, "offers")
    os.makedirs(offers)
    write_text(os.path.join(offers, "shmem.h"), "#define SHMEM_MAJOR_VERSION 1\n#define SHMEM_MINOR_VERSION 4\n"
          "static inline void shmem_init(void) {}\nstatic inline void shmem_finalize(void) {}\n")
    def said():
        return make(tree, "banner", f"CC={compiler}")

    first, second = said(), said()
    tap.ok("OpenSHMEM 1.4" in first.out and "PAPI not found" in first.out and first.out == second.out,
           "a compiler with few headers", f"{first}\n{second}")
    before = os.stat(os.path.join(tree, "build/config.mk")).st_mtime_ns
    said()
    tap.equal(os.stat(os.path.join(tree, "build/config.mk")).st_mtime_ns, before, "what is absent still is: nothing changes")
    header = os.path.join(offers, "jansson.h")
    write_text(header, "#include <stddef.h>\n#define JANSSON_MAJOR_VERSION 2\n#define JANSSON_MINOR_VERSION 77\ntypedef int json_error_t;\n"
          "static inline void *json_loadb(const char *t, int n, int f, json_error_t *e)\n{\n"
          "    return (void *)(t + n + f + *e);\n}\n")
    outcome = said()
    if has("JANSSON"):  # the library is there
        tap.ok("Jansson 2.77" in outcome.out, "a header appears: it is found in the next make", outcome)
    os.remove(header)
    tap.ok("Jansson not found" in said().out, "... and vanishes")


def same_in_all_folders(tree, other):
    """Two builds in two folders are the same."""
    objects = []
    for folder in (tree, other):
        # With what debuggers need, which names the folder, and compiled in each.
        made = make(folder, UCX, "CFLAGS=-O0", env={"CCACHE_DISABLE": "1"})
        tap.equal(made.status, 0, "one file is compiled", made)
        with open(os.path.join(folder, UCX), "rb") as file:
            objects.append(file.read())
    tap.ok(objects[0] == objects[1], "one file compiled in two folders: the same bytes")


def launchers(tree):
    """LAUNCH= decides how programs are started, whatever options the launcher has."""
    log = os.path.join(tree, "launched")
    real = "oshrun" if has("SHMEM") else "mpirun"
    stub = os.path.join(ROOT, "tests/support/stub/launcher")
    environment = {"STUB_LAUNCHER_LOG": log, "STUB_LAUNCHER_REAL": real}
    works(tree, "stub launcher", f"{stub} -n %n", {
        **environment, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
    made = make(tree, "run-quickstart", f"LAUNCH={stub} -n %n", env=environment)
    tap.equal(made.status, 0, "make with LAUNCH=", made)
    calls = read_text(log).splitlines()
    tap.ok(len(calls) == 2 and all(re.match(r"-n 2 \S*skampi -i ", call) for call in calls),
           "... goes through that launcher", calls)


UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def shows(words, result):
    """Whether a row of the table, as words, has the point, and its time as far as the row's digits go."""
    point = [str(value) for value in result["variables"].values()]
    time = words[len(point):len(point) + 2]
    if words[:len(point)] != point or len(time) != 2 or time[1] not in UNITS:
        return False
    return abs(float(time[0]) * UNITS[time[1]] - result["median"]) <= 0.06 * abs(result["median"])


def table_shown(made, tree, name):
    """The results went to a file, and all of them are in the table that was printed."""
    measured = [record for record in read_records(tree, "build/quickstart.json") if record["record"] == "result"]
    shown = [line.split() for line in made.out.splitlines()]
    missing = [record["call"] for record in measured if not any(shows(words, record) for words in shown)]
    titles = {f"{record['block']}, 2 PEs" for record in measured} - set(made.out.splitlines())
    tap.ok(made.status == 0 and len(measured) > 20 and not missing and not titles
           and f"skampi: {len(measured)} results" in made.out, name, f"not shown: {missing} {titles}\n{made}")


def suggestion_works(made, tree, prefix, name):
    """What quickstart says at its end can be typed, here for few sizes, in a shell that knows nothing of skampi."""
    typed = made.out.partition("measure yourself with\n")[2].replace(" 8:1mb", " 8:16")
    found = run([*prefix, "sh", "-ec", typed], {**CLEAN, "HOME": tree}, 60, tree)
    tap.ok(found.status == 0 and [row.vars for row in found.rows] == [{"count": 8}, {"count": 16}], name, f"{typed}\n{found}")


def quickstart(tree):
    """make quickstart shows a table soon: it takes less than a minute by its own estimate, and a second here, from here on."""
    path = os.path.join(tree, "inputs/quickstart.ski")
    estimated = skampi(path, args=["--estimate"], executable=os.path.join(tree, "skampi"))
    seconds = re.search(r"about ([\d.e+]+) s", estimated.out)
    tap.ok(seconds and float(seconds.group(1)) < 60, "make quickstart takes less than a minute", estimated)
    text = read_text(path)
    write_text(path, re.sub(r"^POINT_TIME = .*", "POINT_TIME = 0.02", text, flags=re.MULTILINE))
    made = make(tree, "quickstart")
    table_shown(made, tree, "make quickstart shows a table")
    suggestion_works(made, tree, [], "... and a next command that works")


def quickstart_of_a_user(tree):
    """Without what only root needs."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        tap.skip("make quickstart as another user", "needs root")
        return
    nobody = pwd.getpwnam("nobody")
    for folder, _, files in os.walk(tree):
        for name in [folder, *(os.path.join(folder, f) for f in files)]:
            os.chown(name, nobody.pw_uid, nobody.pw_gid, follow_symlinks=False)
    user = ["setpriv", f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups"]
    made = run([*user, "make", "quickstart"], {**CLEAN, "HOME": tree}, 60, tree)
    table_shown(made, tree, "make quickstart as a user shows a table")
    suggestion_works(made, tree, user, "... and a next command that works")
    tap.ok("ALLOW_RUN_AS_ROOT" not in made.out, "... without what only root needs", made)


tree = unpacked()
changes(tree)
quickstart(tree)
launchers(tree)
quickstart_of_a_user(tree)
other = copy_tree()
same_in_all_folders(tree, other)
found_later(other)
combinations(other)
refusals(copy_tree())
absent(copy_tree())
tap.done()
