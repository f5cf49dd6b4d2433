#!/usr/bin/env python3
"""Where results go: what would be overwritten is refused, what is lost on the way is noticed."""

import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from builds import preloadable
from harness import Tap, in_parallel, run as run_program, skampi
from job import Job

ONE = 'begin measurement "one"\n  measure MPI_COMM_WORLD : wtime(10)\nend measurement\n'
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
        for name, text in (("test.ski", script), ("part.ski", include), ("good.sko", "kept\n")):
            with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
                file.write(text)
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
            with open(run.path(file), encoding="utf-8") as opened:
                texts.append(opened.read())
        tap.equal(texts, [script, include, "kept\n"], f"{name}: nothing is overwritten")
    run = run_program(["sh", "-c", f"exec {harness.program()} -i - -o in.ski -f sko < in.ski"],
                      env=harness.launch_environment(), cwd=cases_folder("in.ski"))
    tap.ok(run.status == 2 and os.path.getsize(run.path("in.ski")) == len(ONE),
           "a script on standard input is kept, too", run)


def cases_folder(name):
    directory = harness.scratch_directory()
    with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
        file.write(ONE)
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
    with open(os.path.join(directory, "pipe"), encoding="utf-8") as pipe:
        text = pipe.read()
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
    test_lost(tap)
    test_full(tap)
    test_pipe(tap)
    tap.done()


if __name__ == "__main__":
    main()
