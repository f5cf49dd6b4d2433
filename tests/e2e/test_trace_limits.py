#!/usr/bin/env python3
# LONG
# PLAIN
"""Programs that never finalize end with their own status; what a full disk, a limit or a large ring does to a
trace is said; each job of a command has a trace of its own."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
import traces
from harness import Tap, in_parallel, run, scratch_directory
from traces import TRACE

PROGRAM = r"""
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

int main(int argc, char **argv)
{
    long calls = argc > 2 ? atol(argv[2]) : 0;
    if (strcmp(argv[1], "start_pes") == 0)
        start_pes(0);
    else
        shmem_init();
    long *word = shmem_malloc(sizeof *word);
    for (long i = 0; i < calls; i++)
        shmem_long_p(word, i, 0);
    shmem_barrier_all();
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    if (shmem_my_pe() == 0) {
        printf("kilobytes %ld\n", usage.ru_maxrss);
        fflush(stdout);
    }
    if (strcmp(argv[1], "finalize") == 0)
        shmem_finalize();
    return argc > 3 ? atoi(argv[3]) : 0;
}
"""
MANY = 60000
BLOCKS = 6000000  # for a ring of 17 MiB, which holds most of them


def on_small_disk(program, size, *options, calls=MANY):
    """Under the tracer, with the trace on a file system of that size."""
    folder = scratch_directory()
    os.mkdir(os.path.join(folder, "disk"))
    line = [traces.command(), "-o", f"disk/{TRACE}", *options,
            *harness.launch_line(2, [program, "finalize", str(calls)])]
    script = (f"mount -t tmpfs -o size={size} none disk || exit 77\n"
              '"$@"\nstatus=$?\ncp -r disk/* . 2>/dev/null\nexit $status')
    return run(["unshare", "-m", "sh", "-c", script, "sh", *line],
               {**harness.launch_environment(), "OMPI_MCA_memory": "^patcher"}, cwd=folder)


def cannot_mount(done):
    return done.status in (1, 77, 127)


def plainly(program, *words):
    """Without what traces.recorded sets for Open MPI 4.1.4."""
    folder = scratch_directory()
    return run([traces.command(), "-o", TRACE, *harness.launch_line(2, [program, *words])],
               {**harness.launch_environment(), "UCX_HANDLE_ERRORS": "none"}, cwd=folder)


def kilobytes(done):
    return int(re.search(r"kilobytes (\d+)", done.out).group(1))


def lost(err):
    """[(lost, of how many)] as said on standard error."""
    return [tuple(map(int, found)) for found in re.findall(r"(\d+) of (\d+) events are lost", err)]


def check_ends(tap, runs):
    for name, status in (("start_pes", 0), ("start_pes, 7", 7), ("shmem_init", 0)):
        done = runs[name]
        tap.equal(done.status, status, f"{name}, never finalized: the status is the program's own", done)
        trace = done.path(TRACE)
        read, dumped, summed = (traces.read(word, trace) for word in ("check", "dump", "summary"))
        tap.ok(read.status == 0 and "at the start alone" in read.out
               and "not synchronized at the end" in dumped.out and "at the start alone" in summed.out,
               f"{name}: the trace says that clocks were synchronized at the start alone",
               f"{read}\n{dumped.out[:400]}\n{summed.out[:400]}")
    read = traces.read("dump", runs["finalized"].path(TRACE))
    tap.ok("not synchronized at the end" not in read.out, "with shmem_finalize it does not", read)


def check_ring_on_full_disk(tap, done):
    if cannot_mount(done):
        tap.skip("a ring on a full disk", "file systems cannot be mounted here")
        return
    said = lost(done.err)
    tap.ok(done.status == 0 and 1 <= len(said) <= 2 and "pe-0000" in done.err
           and "the disk is full" in done.err and all(0 < few < all_ for few, all_ in said),
           "a ring on a full disk: each PE says once which file lost how many events", done)
    read = traces.read("check", done.path(TRACE))
    of = [tuple(map(int, pair)) for pair in re.findall(r"(\d+) of (\d+) events were lost", read.out)]
    tap.ok(read.status == 1 and "all well" not in read.out and sorted(of) == sorted(said),
           "check says how many are lost, with status 1", f"{read}\n{said}")
    dumped = traces.read("dump", done.path(TRACE))
    tap.ok(dumped.status == 0 and "lost for want of room" in dumped.out, "dump reads what is there",
           dumped.err)


def check_ring(tap, done):
    read = traces.read("check", done.path(TRACE))
    tap.ok(read.status == 0 and "were not kept" in read.err, "what a ring overwrites is not lost", read)


def check_limit(tap, done):
    read = traces.read("check", done.path(TRACE))
    tap.ok(done.status == 0 and read.status == 1 and "events were lost" in read.out,
           "check counts what --limit has left out, too", f"{done}\n{read}")


def check_summary(tap, small, least):
    if cannot_mount(least):
        tap.skip("--summary on a full disk", "file systems cannot be mounted here")
        return
    line = [text for text in least.err.splitlines() if "shmemtrace" in text]
    tap.ok(least.status == 0 and 1 <= len(line) <= 2
           and all("the disk is full" in text for text in line),
           "--summary on a full disk: a PE that cannot write says so, in a line, and the program goes on", least)
    left = [name for _, _, names in os.walk(least.path(TRACE)) for name in names
            if name.endswith(".trace")]
    tap.ok(all(traces.read("dump", least.path(os.path.join(TRACE, name))).err.count("damaged") == 0
               for name in left), "and no file pretends to be a trace", left)
    tap.ok(small.status == 0, "where there is room for sums, --summary works", small)


def check_pages(tap, small, large):
    """What a ring takes is what was written into it."""
    more = kilobytes(large) - kilobytes(small)
    tap.ok(more < 8 * 1024, "a ring of 256 MiB with 100 calls takes no more memory than one of 1 MiB",
           f"{more} KiB more\n{small}\n{large}")


def check_full_ring(tap, done):
    """Saved in two steps: before the library's end, and after it."""
    read = traces.read("dump", done.path(TRACE), "--csv")
    events = traces.events_of(read.out)
    own = [int(event["index"]) for event in events if event["pe"] == "0"]
    tap.ok(own == list(range(own[0], own[0] + len(own))) and own[0] > 0
           and [event["routine"] for event in events if event["pe"] == "0"][-1] == "shmem_finalize",
           "a ring that has turned has no gap before shmem_finalize", own[:2] + own[-2:])


def check_block_ring(tap, done, calls):
    """Rings above 16 MiB hold encoded blocks: more calls in the same memory, the last ones without a gap."""
    read = traces.read("check", done.path(TRACE))
    kept = int(re.search(r"events: (\d+)", read.out).group(1))
    tap.ok(read.status == 0 and 2000000 < kept < 2 * calls and "were not kept" in read.err,
           "a ring of 17 MiB keeps the last of its calls, more than a million on each PE",
           read)
    last = traces.read("dump", done.path(TRACE), "--csv", "--pe", "0", "--only", "setup")
    events = traces.events_of(last.out)
    tap.ok(events and events[-1]["routine"] == "shmem_finalize"
           and int(events[-1]["index"]) >= calls, "its last event is the last one", events[-1:])


def check_jobs(tap, program):
    folder = scratch_directory()
    jobs = [" ".join(harness.launch_line(pes, [program, "finalize", str(calls)]))
            for pes, calls in ((1, 10), (2, 20))]
    environment = {**harness.launch_environment(), "OMPI_MCA_memory": "^patcher"}
    for script, how in ((f"{jobs[0]}; {jobs[1]}", "one after the other"),
                        (f"{jobs[0]} & {jobs[1]} & wait", "at once")):
        done = run([traces.command(), "-o", TRACE, "sh", "-c", script], environment, cwd=folder)
        found = []
        for name in (TRACE, f"{TRACE}.2"):
            read = traces.read("dump", os.path.join(folder, name), "--csv")
            calls = traces.calls(traces.events_of(read.out))
            found.append((len({pe for pe, _ in calls}), calls[0, "shmem_long_p"]))
        tap.ok(done.status == 0 and sorted(found) == [(1, 10), (2, 20)] and
               sorted(os.listdir(folder)) == [TRACE, f"{TRACE}.2"],
               f"two jobs of one command, {how}: a folder each", f"{found}\n{done}")
    own = os.path.join(folder, f"{TRACE}.3")
    os.mkdir(own)
    done = run([traces.command(), "-o", TRACE, "sh", "-c", jobs[0]], environment, cwd=folder)
    tap.ok(done.status == 0 and sorted(os.listdir(folder)) == [TRACE, f"{TRACE}.3"],
           "folders of jobs that are no more go with the old trace, others stay", done)


PLUGIN = r"""
#include <shmem.h>

void work(void)
{
    shmem_init();
    long *word = shmem_malloc(sizeof *word);
    shmem_long_p(word, 1, 0);
    shmem_ctx_long_p(SHMEM_CTX_DEFAULT, word, 2, 0);
    shmem_barrier_all();
    shmem_finalize();
}
"""
HOST = r"""
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/mman.h>

int main(int argc, char **argv)
{
    if (argc > 2) // other addresses
        mmap(0, atol(argv[2]) << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : 0;
    void (*work)(void) = plugin ? (void (*)(void))dlsym(plugin, "work") : 0;
    if (!work)
        return 9;
    work();
    return 0;
}
"""


def check_plugin(tap, folder):
    """A program without OpenSHMEM opens a library that is linked with it."""
    for name, text, compiler in (("plugin", PLUGIN, [os.environ.get("OSHCC", "oshcc"), "-shared", "-fPIC"]),
                                 ("host", HOST, [os.environ.get("CC", "cc")])):
        with open(os.path.join(folder, f"{name}.c"), "w", encoding="utf-8") as file:
            file.write(text)
        built = run([*compiler, "-w", "-o", os.path.join(folder, name), os.path.join(folder, f"{name}.c"),
                     "-ldl"])
        if built.status != 0:
            tap.skip("a library opened by dlopen", f"cannot be built: {built.err}")
            return
    # Open MPI 4.1.4 crashes in programs that do not begin with it where addresses differ from PE to PE; and where memory
    # lies in more than 32 pieces below it, as it does at about half of all addresses with the tracer.
    argv = ["setarch", "-R", os.path.join(folder, "host"), os.path.join(folder, "plugin")]
    if traces.launched(2, argv).status != 0:
        tap.skip("a library opened by dlopen", "does not work untraced")
        return
    for megabytes in range(1, 16):
        done = traces.recorded(2, [*argv, str(megabytes)])
        if done.status == 0:
            break
    read = traces.read("dump", done.path(TRACE), "--csv")
    calls = traces.calls(traces.events_of(read.out))
    tap.ok(done.status == 0 and calls[1, "shmem_long_p"] == 1 and calls[1, "shmem_ctx_long_p"] == 1
           and calls[0, "shmem_finalize"] == 1, "a library opened by dlopen is traced", f"{done}\n{read}")


def check_nothing(tap, folder):
    for argv, status in ((["ls", "/"], 0), (["sh", "-c", "exit 5"], 5),
                         (["sh", "-c", "kill -KILL $$"], 137)):
        done = run([traces.command(), *argv], cwd=folder)
        tap.ok(done.status == status and "nothing was recorded" in done.err
               and len(done.err.splitlines()) == 1,
               f"{' '.join(argv)}: nothing was recorded, which is said; status {status}", done)
    tap.ok(not os.path.exists(os.path.join(folder, TRACE)) and
           not os.path.exists(os.path.join(folder, "shmemtrace.out")), "and no folder is left")


def check_arguments(tap, folder, trace):
    for argv, word in ((["-o", "-np", "2"], "-o"), (["-o", "oshrun", "-np", "2", "./a"], "oshrun"),
                       (["-o", "ls", "./a"], "ls"), (["--only", "--ring", "ls"], "--only"),
                       (["--exclude", "srun", "./a"], "srun"), (["--limit", "much", "ls"], "500M")):
        done = run([traces.command(), *argv], cwd=folder)
        tap.ok(done.status == 2 and len(done.err.splitlines()) == 1 and word in done.err,
               f"{' '.join(argv)}: refused", done)
    done = run([traces.command(), "-o=ls", "true"], cwd=folder)
    tap.ok(done.status == 0, "-o=ls is a folder", done)
    for options, word in ((["--thread", "5"], "there is no such thread"), (["-o", "--csv"], "needs a value"),
                          (["--only", "--csv"], "needs a value")):
        done = traces.read("dump", trace, *options)
        tap.ok(done.status == 2 and word in done.err, f"dump {' '.join(options)}: status 2", done)
    tap.equal(traces.read("dump", trace, "--thread", "0").status, 0, "dump --thread 0")


def main():
    program = traces.compiled(PROGRAM)
    tap = Tap()
    folder = scratch_directory()

    def ring(size, calls):
        return traces.recorded(2, [program, "finalize", str(calls)], ["--ring", size])

    cases = {
        "start_pes": lambda: plainly(program, "start_pes", "100"),
        "start_pes, 7": lambda: plainly(program, "start_pes", "100", "7"),
        "shmem_init": lambda: plainly(program, "init", "100"),
        "finalized": lambda: plainly(program, "finalize", "100"),
        "full": lambda: on_small_disk(program, "150k", "--ring", "16M"),
        "limit": lambda: traces.recorded(2, [program, "finalize", str(MANY)], ["--limit", "100K"]),
        "summary": lambda: on_small_disk(program, "200k", "--summary"),
        "summary, full": lambda: on_small_disk(program, "16k", "--summary"),
        "ring, small": lambda: ring("1M", 100), "ring, large": lambda: ring("256M", 100),
        "ring, turned": lambda: ring("256K", MANY), "ring, blocks": lambda: ring("17M", BLOCKS)}
    runs = dict(in_parallel(cases, lambda name: cases[name](), width=4))
    check_ends(tap, runs)
    check_ring_on_full_disk(tap, runs["full"])
    check_ring(tap, runs["ring, turned"])
    check_limit(tap, runs["limit"])
    check_summary(tap, runs["summary"], runs["summary, full"])
    check_pages(tap, runs["ring, small"], runs["ring, large"])
    check_full_ring(tap, runs["ring, turned"])
    check_block_ring(tap, runs["ring, blocks"], BLOCKS)
    check_jobs(tap, program)
    check_plugin(tap, scratch_directory())
    check_nothing(tap, scratch_directory())
    check_arguments(tap, scratch_directory(), runs["finalized"].path(TRACE))
    tap.done()


main()
