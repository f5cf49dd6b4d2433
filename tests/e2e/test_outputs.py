#!/usr/bin/env python3
"""Where results go: what would be overwritten is refused, what is lost on the way is noticed."""

import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
import traces
from builds import preloadable
from harness import ROOT, Tap, in_parallel, read_text, run as run_program, skampi, write_text
from job import Job
from made_results import point, write
from made_runs import Program, Simulator, command

ONE = 'begin measurement "one"\n  measure MPI_COMM_WORLD : wtime(10)\nend measurement\n'
FOREIGN = '{"my": "notes on skampi"}\n'
GOOD = "# SKaMPI Version 5\nkept\n"
LONG = ONE + """begin measurement "long"
  for i = 1 to 100000000 do
    measure MPI_COMM_WORLD : wtime(10)
  od
end measurement
"""

# Another program that cuts a file of results short after skampi has looked at it, before it writes.
CUT = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ssize_t write(int fd, const void *text, size_t length)
{
    static int results = -1, writes;
    if (length > 8 && memcmp(text, "# SKaMPI", 8) == 0)
        results = fd;
    else if (fd == results && ++writes == atoi(getenv("CUT_AT")))
        (void)!ftruncate(fd, 100);
    ssize_t (*next)(int, const void *, size_t) = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    return next(fd, text, length);
}
"""


def test_script_is_kept(tap):
    """-o that leads to the script or an include, by whatever name."""
    script, include = '@include "part.ski"\n' + ONE, "x = 1\n"
    cases = [
        (0, ["-o", "test.ski", "-f", "sko"]), (2, ["-o", "test.ski", "-f", "sko"]),
        (0, ["-o", "part.ski", "-f", "json"]), (0, ["-o", "symbolic.sko"]), (0, ["-o", "hard.csv"]),
        (0, ["-o", "sub/../test.ski", "-f", "csv"]), (0, ["-o", "good.sko", "-o", "hard.csv"]),
    ]

    def start(case):
        np, args = case
        directory = harness.scratch_directory()
        for name, text in (("test.ski", script), ("part.ski", include), ("good.sko", GOOD)):
            write_text(os.path.join(directory, name), text)
        os.mkdir(os.path.join(directory, "sub"))
        os.symlink("part.ski", os.path.join(directory, "symbolic.sko"))
        os.link(os.path.join(directory, "test.ski"), os.path.join(directory, "hard.csv"))
        argv = [harness.program(), "-i", "test.ski", *args]
        return run_program(harness.launch_line(np, argv) if np else argv,
                           env=harness.launch_environment(), cwd=directory)

    for (np, args), run in in_parallel(cases, start):
        name = f"{' '.join(args)}, {np} PEs"
        lines = [line for line in run.err.splitlines() if "error: " in line]
        tap.ok(run.status == 2 and len(lines) == 1 and f"-o {args[-1] if len(args) == 2 else ''}" in lines[0]
               and "give another file" in lines[0], f"{name}: refused", run)
        texts = []
        for file in ("test.ski", "part.ski", "good.sko"):
            texts.append(run.read(file))
        tap.equal(texts, [script, include, GOOD], f"{name}: nothing is overwritten")
    run = run_program(["sh", "-c", f"exec {harness.program()} -i - -o in.ski -f sko < in.ski"],
                      env=harness.launch_environment(), cwd=cases_folder("in.ski"))
    tap.ok(run.status == 2 and os.path.getsize(run.path("in.ski")) == len(ONE),
           "a script on standard input is kept, too", run)


def writers(folder):
    """(words of a program that writes a file, the file) for each kind of file that is written."""
    put = [point("put", "Shmem_Put_Simple", {"count": size}, size * 1e-9 + 1e-6) for size in (8, 64, 512)]
    write(os.path.join(folder, "in.json"), put)
    tool = os.path.join(ROOT, "scripts", "skampi-")
    skampi_ = [harness.program(), "-i", "test.ski", "-o"]
    yield from (([*skampi_, name], name) for name in ("a.sko", "a.csv", "a.json"))
    for name, words in (("convert", ("-o", "b.csv")), ("convert", ("-o", "b.sko")), ("convert", ("-o", "b.json")),
                        ("report", ("-o", "b.html")), ("compare", ("in.json", "--json", "c.json")),
                        ("guidelines", ("--json", "g.json")), ("history", ("--json", "h.json")),
                        ("history", ("--html", "h.html")), ("history", ("--fail-over", "5%", "--junit", "h.xml")),
                        ("model", ("-o", "m.txt")), ("model", ("--json", "m.json")), ("model", ("--plot", "m.svg")),
                        ("plot", ("--write-spec", "s.json")),
                        *(("plot", ("-o", f"p.{form}")) for form in ("png", "svg", "pdf"))):
        yield [tool + name, "in.json", *words], words[-1]
    sim = Simulator()
    program = Program(2)
    program.put(0, 1, 64, burst=100)
    program.barrier(700)
    trace, machine = sim.path(sim.trace(program)), sim.path(sim.machine(nodes=2))
    for words in (("-o", "r.txt"), ("--json", "-o", "r.json"), ("--platform", "r.xml")):
        yield [command(), *words, machine, *([] if "--platform" in words else [trace])], words[-1]
    for words in (("-o", "w.txt"), ("--json", "-o", "w.json")):
        yield [command(), "what-if", "--latency", "x2", *words, machine, trace], words[-1]
    yield [command(), "pack", trace, "-o", "t.pack"], "t.pack"
    for words in (("dump", "-o", "d.txt"), ("dump", "--csv", "-o", "d.csv"), ("dump", "--json", "-o", "d.json"),
                  ("summary", "-o", "s.txt"), ("summary", "--json", "-o", "sum.json"),
                  ("export", "--chrome", "e.json"), ("export", "--paraver", "e")):
        yield [traces.command(), *words, trace], words[-1] + (".prv" if "--paraver" in words else "")
    for name in ("sh.txt", "sh.md", "sh.csv", "sh.json"):
        yield [tool + "table", "shares", trace, "-o", name], name


def test_replaced(tap):
    """What is no file of ours is replaced only with --force; what is, is replaced, and that is said."""
    folder = cases_folder("test.ski")

    def start(words):
        return run_program(words, env=harness.launch_environment(), cwd=folder)

    for words, name in writers(folder):
        path, shown = os.path.join(folder, name), f"{os.path.basename(words[0])} {' '.join(words[1:-1])} {name}"
        write_text(path, FOREIGN)
        refused = start(words)
        with open(path, encoding="utf-8", errors="replace") as file:
            tap.ok(refused.status == 2 and file.read() == FOREIGN and f"{name}: is there already" in refused.err
                   and "--force" in refused.err, f"{shown}: a foreign file is kept", refused)
        forced = start([words[0], *words[1:], "--force"] if "shmem" not in words[0] or words[1].startswith("-") else
                       [*words[:2], "--force", *words[2:]])
        tap.ok(forced.status in (0, 1, 3) and f"replaced {name} of " in forced.err, f"{shown}: --force", forced)
        again = start(words)
        tap.ok(again.status == forced.status and again.err.count(f"replaced {name} of ") == 1,
               f"{shown}: a file of ours is replaced, which is said", again)
        os.truncate(path, 0)
        empty = start(words)
        tap.ok(empty.status == forced.status and "replaced " + name not in empty.err, f"{shown}: an empty file holds nothing",
               empty)
    os.utime(os.path.join(folder, "a.sko"), (0, 0))
    old = start([harness.program(), "-i", "test.ski", "-o", "a.sko", "-o", "/dev/null"])
    tap.ok(old.status == 0 and "skampi: replaced a.sko of 19" in old.err and "/dev/null of" not in old.err,
           "the date of an old file is said; nothing of a device", old)


def cases_folder(name):
    directory = harness.scratch_directory()
    write_text(os.path.join(directory, name), ONE)
    return directory


def test_suffixes(tap):
    for args in (["-o", "x.xml"], ["-o", "x.sko", "-o", "x.txt"], ["-o", "x.SKO"]):
        run = skampi(ONE, args=args, launch=False)
        tap.ok(run.status == 2 and f"-o {args[-1]}: " in run.err and ".sko, .csv or .json" in run.err
               and "-f" in run.err, f"{' '.join(args)}: refused, with a hint", run)
        tap.equal(os.listdir(run.directory), ["test.ski"], f"{' '.join(args)}: no file is made")


def test_lost(tap):
    """A file that is removed or cut short while it is written: status 1, and a message."""
    def start(case):
        what, np, args = case
        job = Job(LONG, np, [*args, "--time-limit", "300"])
        path = os.path.join(job.directory, args[1])
        end = time.monotonic() + 100
        while time.monotonic() < end and not (os.path.exists(path) and os.path.getsize(path) > 5000):
            time.sleep(0.02)
        if what == "removed":
            os.unlink(path)
        else:
            os.truncate(path, 100)
        return job.finish(100)

    cases = [("removed", 0, ["-o", "a.sko"]), ("removed", 2, ["-o", "a.json"]),
             ("cut short", 0, ["-o", "a.csv"]), ("cut short", 2, ["-o", "a.sko"])]
    for (what, np, args), run in in_parallel(cases, start):
        name = f"{args[1]} is {what}, {np} PEs"
        tap.equal(run.status, 1, f"{name}: status 1", run)
        tap.ok(f"{args[1]} cannot be written: " in run.err and
               what.replace("cut short", "cut it short") in run.err, f"{name}: a message says so", run)
    library = preloadable(CUT)
    # One that comes after the last write ends the cases.
    for at in range(1, 50):
        run = skampi(ONE, launch=False, args=["-o", "a.sko"], env={"LD_PRELOAD": library, "CUT_AT": str(at)})
        if run.status == 0 and os.path.getsize(run.path("a.sko")) > 1000:
            break
        tap.ok(run.status == 1 and "cut it short" in run.err, f"cut short just before write {at}: noticed", run)
    tap.ok(3 < at < 49, "there were writes to be cut", run)
    held = skampi(ONE, launch=False, args=["-o", "fine.sko"])
    tap.equal(held.status, 0, "a file that nobody touches is good", held)


def test_full(tap):
    """What is printed without measuring, to a full device."""
    if not os.path.exists("/dev/full"):
        tap.skip("standard output to /dev/full", "there is none")
        return
    for args in ("--list", "--man", "--help", "--version", "--timers", "--completion",
                 "--describe wtime", "-i test.ski --estimate"):
        run = run_program(["sh", "-c", f"exec {harness.program()} {args} > /dev/full"],
                          env=harness.launch_environment(), cwd=cases_folder("test.ski"))
        tap.ok(run.status == 1 and "standard output cannot be written" in run.err,
               f"{args} to a full device: status 1, and a message", run)


def test_pipe(tap):
    """A pipe without a reader: said, and then the reader gets everything; signals end the wait."""
    directory = cases_folder("test.ski")
    os.mkfifo(os.path.join(directory, "pipe"))
    job = subprocess.Popen([harness.program(), "-i", "test.ski", "-o", "pipe"], cwd=directory,
                           stderr=subprocess.PIPE, env={**os.environ, **harness.launch_environment()})
    told = job.stderr.readline().decode()
    tap.ok("pipe" in told and "waiting for a reader" in told, "a pipe without a reader: said", told)
    text = read_text(directory, "pipe")
    tap.equal((job.wait(100), "# Finished at" in text), (0, True), "a reader then gets everything")
    job.stderr.close()
    job = subprocess.Popen([harness.program(), "-i", "test.ski", "-o", "pipe"], cwd=directory,
                           stderr=subprocess.PIPE, env={**os.environ, **harness.launch_environment()})
    told = job.stderr.readline().decode()
    job.terminate()
    tap.equal(job.wait(100), 143, "SIGTERM ends the wait for a reader")
    job.stderr.close()


def main():
    tap = Tap()
    test_script_is_kept(tap)
    test_suffixes(tap)
    test_replaced(tap)
    test_lost(tap)
    test_full(tap)
    test_pipe(tap)
    tap.done()


main()
