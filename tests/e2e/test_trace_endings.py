#!/usr/bin/env python3
# LONG
# PLAIN
"""However a traced program ends, and whatever becomes of the files, what was recorded is there, can be
read, and says how it ended; and the program does what it does untraced."""

import collections
import csv
import io
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
import traces
from harness import Tap, in_parallel, run, scratch_directory, skip_all
from traces import TRACE

PES = 2
PUTS = 3000
MANY = 60000  # more than what is kept in memory before it is written
RING = 120000  # more than the ring holds
LIMIT = 120_000  # bytes of a file

# Way: status (None: not 0), how PE 0 and the last PE ended, puts of each.
WAYS = {
    "finalize": (0, "finalize", "finalize", PUTS),
    "exit": (3, "exit", "exit", PUTS),
    "return": (3, "exit", "exit", PUTS),
    "global_exit": (4, "global_exit", "signal 15", PUTS),
    "abort": (None, "signal 6", "signal 15", PUTS),
    "term": (None, "signal 15", "signal 15", PUTS),
    "segv": (None, "signal 11", "signal 15", PUTS),
    "launcher": (None, "signal 15", "signal 15", PUTS),
    "handled": (0, "finalize", "finalize", 2 * PUTS),
    "fork": (0, "finalize", "finalize", 2 * PUTS),
    "jump": (0, "finalize", "finalize", 2 * PUTS),
    "threads": (0, "finalize", "finalize", 4 * PUTS),
}
OTHERS = {  # name: the way, puts, options of the tracer
    "killed": ("kill", MANY, []),
    "ring": ("finalize", RING, ["--ring", "256k"]),
    "ring, terminated": ("term", RING, ["--ring", "256k"]),
    "--limit": ("finalize", MANY, ["--limit", str(LIMIT)]),
    "a file may not grow": ("file_size", MANY, []),
    "cancelled": ("cancel", PUTS, ["--exclude", "synchronization"]),
}


class Read:
    """What the readers say of a trace: ends (by PE), puts (by PE: thread and value of each), lost
    (that some were not kept), status, check, text."""

    def __init__(self, folder):
        text, dump = traces.read("dump", folder), traces.read("dump", folder, "--csv")
        self.check = traces.read("check", folder)
        self.status = (text.status, dump.status)
        self.text = f"{text.out[:500]}\n{text.err[-500:]}\n{dump.err[-500:]}\n{self.check}"
        self.ends = re.findall(r"^# PE \d+ of .*\n# .* events(?:, ended by (.*))?$", text.out,
                               re.MULTILINE)
        self.lost = "were not kept" in text.out
        self.puts = [[] for _ in range(PES)]
        rows = csv.reader(io.StringIO(dump.out))
        columns = {name: i for i, name in enumerate(next(rows, []))}
        for row in rows:
            if row[columns["routine"]] == "shmem_long_p":
                self.puts[int(row[columns["pe"]])].append(
                    (row[columns["thread"]], int(row[columns["value"]])))

    def counts(self):
        return list(map(len, self.puts))

    def is_stretch(self, pe, first=None, last=None):
        """Whether the puts that are there follow each other as the program makes them."""
        values = [value for _, value in self.puts[pe]]
        return bool(values and values == list(range(values[0], values[0] + len(values)))
                    and first in (None, values[0]) and last in (None, values[-1]))

    def __str__(self):
        return (f"ends {self.ends}, puts {self.counts()}, lost {self.lost}, status {self.status}\n"
                f"{[puts[:1] + puts[-1:] for puts in self.puts]}\n{self.text}")


def endings(way, puts=PUTS, options=(), folder=None):
    return traces.recorded(PES, [traces.app("endings"), way, str(puts)], options,
                           {"UCX_HANDLE_ERRORS": "none", **traces.PATIENT}, cwd=folder)


def check_way(tap, way, done):
    status, first, last, puts = WAYS[way]
    if "no threads" in done.out:
        tap.skip(way, "the library has no SHMEM_THREAD_MULTIPLE")
        return
    read = Read(done.path(TRACE))
    tap.ok(done.status == status or (status is None and done.status not in (0, 2)),
           f"{way}: the program ends as it does untraced", done)
    tap.ok(read.ends == [first, last], f"{way}: the trace says how: {first}, {last}", read)
    tap.ok(read.status == (0, 0) and read.counts() == [puts, puts] and not read.lost,
           f"{way}: it holds all {puts} puts of each PE", f"{read}\n{done}")
    tap.ok(read.check.status == 0, f"{way}: check finds nothing wrong with it", read)
    if way == "threads":
        by_thread = collections.Counter(thread for thread, _ in read.puts[0])
        tap.equal(sorted(by_thread.values()), [PUTS] * 4, "threads: each has its events", read)


def check_killed(tap, done, read):
    """Nothing can be done about the last moments; what was written before is there."""
    tap.ok(done.status not in (0, 2), "killed: the job fails", done)
    tap.ok(read.ends == ["signal 15", ""] and read.check.status != 0,
           "killed: check says that one PE did not end properly", read)
    tap.ok(len(read.puts[0]) == MANY and MANY / 10 < len(read.puts[1]) <= MANY
           and read.is_stretch(1, first=0),
           "killed: what was written by then is there, from the first event on", read)


def check_ring(tap, name, end, done, read):
    tap.ok(read.ends == [end] * PES and read.lost and 1000 < len(read.puts[0]) < RING
           and read.is_stretch(0, last=RING - 1), f"{name}: the last events are there",
           f"{read}\n{done}")


def check_limit(tap, done, read):
    files = [os.path.getsize(os.path.join(done.path(TRACE), name))
             for name in os.listdir(done.path(TRACE))]
    tap.ok(done.status == 0 and read.ends == ["finalize"] * PES and read.lost,
           "--limit: the program goes on, the trace says that some are missing", f"{read}\n{done}")
    tap.ok(read.status == (0, 0) and 0 < len(read.puts[0]) < MANY and max(files) <= LIMIT
           and read.is_stretch(0, first=0), "--limit: the files are not larger", f"{files}\n{read}")
    tap.ok("limit" in done.err, "--limit: and it is told", done)


def check_file_size(tap, done, read):
    """RLIMIT_FSIZE, which ends programs that write on."""
    tap.ok(done.status == 0, "a file may not grow: the program goes on", done)
    tap.ok(read.status == (0, 0) and 0 < len(read.puts[0]) < 2 * MANY and read.lost
           and read.ends == ["finalize"] * PES,
           "a file may not grow: what was written can be read", read)


def check_cancelled(tap, done, read):
    """A thread is cancelled inside of a call that is not recorded."""
    if "no threads" in done.out:
        tap.skip("cancelled", "the library has no SHMEM_THREAD_MULTIPLE")
        return
    tap.ok(done.status == 3 and read.ends == ["_exit"] * PES and read.status == (0, 0)
           and read.counts() == [2 * PUTS] * PES and read.check.status == 0,
           "cancelled: what the thread had done is there", f"{read}\n{done}")


def run_on_full_disk():
    folder = scratch_directory()
    os.mkdir(os.path.join(folder, "disk"))
    line = [traces.command(), "-o", f"disk/{TRACE}",
            *harness.launch_line(PES, [traces.app("endings"), "finalize", str(MANY)])]
    script = ("mount -t tmpfs -o size=300k none disk || exit 77\n"
              '"$@"\nstatus=$?\ncp -r disk/* . || exit 78\nexit $status')
    return run(["unshare", "-m", "sh", "-c", script, "sh", *line],
               {**harness.launch_environment(), "OMPI_MCA_memory": "^patcher"}, cwd=folder)


def check_full_disk(tap, done):
    if done.status in (1, 77, 127):
        tap.skip("a full disk", "file systems cannot be mounted here")
        return
    read = Read(done.path(TRACE))
    tap.ok(done.status == 0 and "full" in done.err,
           "a full disk: the program goes on, and it is told", done)
    whole = [not puts or read.is_stretch(pe, first=0) for pe, puts in enumerate(read.puts)]
    tap.ok(read.status == (0, 0) and read.lost and read.ends == ["finalize"] * PES
           and all(whole) and any(read.puts), "a full disk: what was written can be read",
           f"{read}\n{done}")


def check_folders(tap):
    """Where a trace cannot be written, or must not."""
    folder = scratch_directory()
    with open(os.path.join(folder, "file"), "w", encoding="utf-8") as file:
        file.write("precious")
    os.mkdir(os.path.join(folder, "home"))
    os.link(os.path.join(folder, "file"), os.path.join(folder, "home", "letter"))
    for path, what in (("file/trace", "below a file"), ("/proc/trace", "where nothing can be made"),
                       ("file", "a file"), ("home", "a folder of other files")):
        done = run([traces.command(), "-o", path, *harness.launch_line(PES, [
            traces.app("endings"), "finalize", "10"])], harness.launch_environment(), cwd=folder)
        lines = [line for line in done.err.splitlines() if "shmemtrace" in line]
        tap.ok(done.status == 2 and len(lines) == 1 and path in lines[0],
               f"-o {what}: one line says that it cannot be", done)
    with open(os.path.join(folder, "home", "letter"), encoding="utf-8") as file:
        tap.ok(file.read() == "precious" and os.listdir(os.path.join(folder, "home")) == ["letter"],
               "and nothing was touched")


def run_again():
    folder = scratch_directory()
    endings("finalize", 20, folder=folder)
    return endings("finalize", 10, folder=folder)


def check_again(tap, done):
    read = Read(done.path(TRACE))
    tap.ok(done.status == 0 and read.counts() == [10, 10], "an older trace is replaced",
           f"{read}\n{done}")


def run_plainly():
    """Without what traces.recorded sets for Open MPI 4.1.4."""
    return run([traces.command(), "-o", TRACE, *harness.launch_line(PES, [
        traces.app("endings"), "finalize", "10"])],
        {**harness.launch_environment(), "UCX_HANDLE_ERRORS": "none"})


def check_plain_end(tap, done):
    read = Read(done.path(TRACE))
    tap.ok(read.counts() == [10, 10] and read.check.status == 0
           and len(read.ends) == PES and {*read.ends} <= {"finalize", "signal 11", "signal 15"},
           "a library that crashes when it ends leaves a whole trace", f"{read}\n{done}")


def main():
    if not harness.has("SHMEM"):
        skip_all("the build has no OpenSHMEM")
    if not traces.is_built():
        skip_all("the tracer was not built")
    tap = Tap()
    # Launchers mostly wait for what has ended badly.
    cases = {
        **{way: lambda way=way: endings(way) for way in WAYS},
        **{name: lambda arguments=arguments: endings(*arguments)
           for name, arguments in OTHERS.items()},
        "a full disk": run_on_full_disk, "again": run_again, "plainly": run_plainly}
    runs = dict(in_parallel(cases, lambda name: cases[name](), width=5))
    for way in WAYS:
        check_way(tap, way, runs[way])
    read = {name: Read(runs[name].path(TRACE)) for name in OTHERS}
    check_killed(tap, runs["killed"], read["killed"])
    check_ring(tap, "ring", "finalize", runs["ring"], read["ring"])
    check_ring(tap, "ring, terminated", "signal 15", runs["ring, terminated"],
               read["ring, terminated"])
    check_limit(tap, runs["--limit"], read["--limit"])
    check_file_size(tap, runs["a file may not grow"], read["a file may not grow"])
    check_cancelled(tap, runs["cancelled"], read["cancelled"])
    check_full_disk(tap, runs["a full disk"])
    check_folders(tap)
    check_again(tap, runs["again"])
    check_plain_end(tap, runs["plainly"])
    tap.done()


main()
