#!/usr/bin/env python3
# PLAIN
"""However a traced program ends, and whatever becomes of the files, what was recorded is there, can be
read, and says how it ended; and the program does what it does untraced."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import harness
import traces
from harness import ROOT, Tap, in_parallel, run, scratch_directory, skip_all
from traces import TRACE

PES = 2
PUTS = 3000
MANY = 150000  # more than what is kept in memory before it is written

ENDED = {"PES": PES}
# Way: status (None: the library's business), how PE 0 and the last PE ended, puts of each, in all.
WAYS = {
    "finalize": (0, "finalize", "finalize", PUTS),
    "exit": (3, "exit", "exit", PUTS),
    "return": (3, "exit", "exit", PUTS),
    "global_exit": (4, "global_exit", "signal 15", PUTS),
    "abort": (None, "abort", "signal 15", PUTS),
    "term": (None, "signal 15", "signal 15", PUTS),
    "segv": (None, "signal 11", "signal 15", PUTS),
    "launcher": (None, "signal 15", "signal 15", PUTS),
    "handled": (0, "finalize", "finalize", 2 * PUTS),
    "fork": (0, "finalize", "finalize", 2 * PUTS),
    "threads": (0, "finalize", "finalize", 4 * PUTS),
}


class Read:
    """What the readers say of a trace: ends (by PE), puts (by PE), lost (that some were not kept),
    check, dump."""

    def __init__(self, folder):
        self.text = traces.read("dump", folder)
        self.csv = traces.read("dump", folder, "--csv")
        self.check = traces.read("check", folder)
        heads = re.findall(r"^# PE (\d+) of (\d+).*\n# .* events(?:, ended by (.*))?$", self.text.out,
                           re.MULTILINE)
        self.ends = [end for _, _, end in sorted(heads, key=lambda head: int(head[0]))]
        self.lost = "were not kept" in self.text.out
        self.events = traces.events_of(self.csv.out)
        calls = traces.calls(self.events)
        self.puts = [calls[pe, "shmem_long_p"] for pe in range(PES)]

    def __str__(self):
        return (f"ends {self.ends}, puts {self.puts}, lost {self.lost}\n{self.text.out[:600]}\n"
                f"{self.csv.err}\n{self.check}")


def endings(way, puts=PUTS, options=(), folder=None, **more):
    return traces.recorded(PES, [traces.app("endings"), way, str(puts)], options,
                           {"UCX_HANDLE_ERRORS": "none"}, cwd=folder, **more)


def values_in_order(events, pe, puts):
    """The values put by a PE's first thread count up from 0, as the program does; those that are
    there."""
    values = [int(event["value"]) for event in events
              if int(event["pe"]) == pe and event["routine"] == "shmem_long_p"
              and event["thread"] == "0"]
    return values == [values[0] + i for i in range(len(values))] if values else not puts


def check_ways(tap):
    for way, done in in_parallel(WAYS, endings, width=2):
        status, first, last, puts = WAYS[way]
        if "no threads" in done.out:
            tap.skip(way, "the library has no SHMEM_THREAD_MULTIPLE")
            continue
        read = Read(done.path(TRACE))
        tap.ok(done.status == status or (status is None and done.status not in (0, 2)),
               f"{way}: the program ends as it does untraced", done)
        tap.ok(read.ends == [first, last], f"{way}: the trace says how: {first}, {last}", read)
        tap.ok(read.text.status == read.csv.status == 0 and read.puts == [puts, puts],
               f"{way}: it holds all {puts} puts of each PE", f"{read}\n{done}")
        tap.ok(read.check.status == 0 or first != "finalize",
               f"{way}: check finds nothing to say against it", read)


def check_threads(tap):
    done = endings("threads")
    if "no threads" in done.out:
        tap.skip("threads", "the library has no SHMEM_THREAD_MULTIPLE")
        return
    read = Read(done.path(TRACE))
    each = {}
    for event in read.events:
        if event["pe"] == "0" and event["routine"] == "shmem_long_p":
            each[event["thread"]] = each.get(event["thread"], 0) + 1
    tap.equal(sorted(each.values()), [PUTS] * 4, "threads: each has its events", read)


def check_killed(tap):
    """Nothing can be done about the last moments; what was written before is there."""
    done = endings("kill", MANY)
    read = Read(done.path(TRACE))
    tap.ok(done.status not in (0, 2), "killed: the job fails", done)
    tap.ok(read.ends == ["signal 15", ""] and read.check.status != 0,
           "killed: check says that one PE did not end in order", read)
    tap.ok(read.puts[0] == MANY and MANY / 10 < read.puts[1] <= MANY
           and values_in_order(read.events, 1, MANY),
           "killed: what was written by then is there, from the first event on", read)


def check_ring(tap):
    for way, end in (("finalize", "finalize"), ("term", "signal 15")):
        done = endings(way, MANY, ["--ring", "64k"])
        read = Read(done.path(TRACE))
        values = [int(event["value"]) for event in read.events
                  if event["pe"] == "0" and event["routine"] == "shmem_long_p"]
        tap.ok(read.ends == [end, end] and read.lost and values and values[-1] == MANY - 1
               and 100 < len(values) < MANY and values_in_order(read.events, 0, MANY),
               f"ring, {way}: the last events are there", f"{values[-3:]}\n{read}\n{done}")


def check_limit(tap):
    limit = 200_000
    done = endings("finalize", MANY, ["--limit", str(limit)])
    read = Read(done.path(TRACE))
    files = [os.path.getsize(os.path.join(done.path(TRACE), name))
             for name in os.listdir(done.path(TRACE))]
    tap.ok(done.status == 0 and read.ends == ["finalize"] * PES and read.lost,
           "--limit: the program goes on, the trace says that some are missing", f"{read}\n{done}")
    tap.ok(read.csv.status == 0 and 0 < read.puts[0] < MANY and max(files) <= limit,
           "--limit: the files are not larger", f"{files}\n{read}")
    tap.ok("limit" in done.err, "--limit: and it is told", done)


def check_file_size(tap):
    """RLIMIT_FSIZE, which ends programs that write on."""
    done = endings("file_size", MANY)
    read = Read(done.path(TRACE))
    tap.ok(done.status == 0, "a file may not grow: the program goes on", done)
    tap.ok(read.csv.status == 0 and PUTS < read.puts[0] < 2 * MANY and read.lost
           and read.ends == ["finalize"] * PES and values_in_order(read.events, 0, MANY),
           "a file may not grow: what was written can be read", read)


def check_full_disk(tap):
    folder = scratch_directory()
    os.mkdir(os.path.join(folder, "disk"))
    line = [traces.command(), "-o", f"disk/{TRACE}",
            *harness.launch_line(PES, [traces.app("endings"), "finalize", str(MANY)])]
    script = ("mount -t tmpfs -o size=400k none disk || exit 77\n"
              '"$@"\nstatus=$?\ncp -r disk/* . || exit 78\nexit $status')
    done = run(["unshare", "-m", "sh", "-c", script, "sh", *line],
               {**harness.launch_environment(), "OMPI_MCA_memory": "^patcher"}, cwd=folder)
    if done.status in (1, 77, 127):
        tap.skip("a full disk", "file systems cannot be mounted here")
        return
    read = Read(done.path(TRACE))
    tap.ok(done.status == 0 and len(re.findall("No space left", done.err)) >= 1,
           "a full disk: the program goes on, and it is told", done)
    tap.ok(read.csv.status == 0 and read.puts[0] > 0 and read.lost
           and read.ends == ["finalize"] * PES and values_in_order(read.events, 0, MANY),
           "a full disk: what was written can be read", f"{read}\n{done}")


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
    done = [endings("finalize", puts, folder=folder) for puts in (20, 10)]
    read = Read(done[1].path(TRACE))
    tap.ok(done[1].status == 0 and read.puts == [10, 10], "an older trace is replaced",
           f"{read}\n{done[1]}")


def check_plain_end(tap):
    """Without what traces.recorded sets for Open MPI."""
    done = endings("finalize", folder=scratch_directory())
    bare = run([traces.command(), "-o", TRACE, *harness.launch_line(PES, [
        traces.app("endings"), "finalize", "10"])], harness.launch_environment())
    read = Read(bare.path(TRACE))
    tap.ok(read.ends == ["finalize"] * PES and read.puts == [10, 10],
           "a library that crashes when it ends leaves a whole trace", f"{read}\n{bare}\n{done}")


if not harness.has("SHMEM"):
    skip_all("the build has no OpenSHMEM")
if not traces.is_built():
    skip_all("the tracer was not built")
tap = Tap()
check_ways(tap)
check_threads(tap)
check_killed(tap)
check_ring(tap)
check_limit(tap)
check_file_size(tap)
check_full_disk(tap)
check_folders(tap)
check_plain_end(tap)
tap.done()
