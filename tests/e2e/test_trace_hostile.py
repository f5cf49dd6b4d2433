#!/usr/bin/env python3
# LONG
# PLAIN
"""Applications that a tracer does not expect: whatever they do with signals, descriptors and folders,
and however they are started, their trace is complete, and nobody else's is touched."""

import fcntl
import os
import shlex
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
import traces
from harness import ROOT, Tap, in_parallel, launch_line, run, scratch_directory, skip_all

APPLICATION = r"""
#include <fcntl.h>
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
extern void (*__sysv_signal(int, void (*)(int)))(int);
static volatile sig_atomic_t seen;
static void count(int number) { seen += number == SIGUSR2; }
static void die(int number) { signal(number, SIG_DFL); raise(number); }

/* What the application sees of its own handlers is what it would see untraced. */
static int see_handlers(void)
{
    struct sigaction action = {.sa_handler = count}, old;
    if (sigaction(SIGUSR2, &action, &old) || old.sa_handler != SIG_DFL)
        return 10;
    if (signal(SIGUSR2, SIG_IGN) != count || raise(SIGUSR2) || seen != 0)
        return 11;
    if (__sysv_signal(SIGUSR2, count) != SIG_IGN || raise(SIGUSR2) || seen != 1)
        return 12;
    if (sigaction(SIGUSR2, NULL, &old) || old.sa_handler != SIG_DFL)
        return 13; /* it holds once */
    if (signal(SIGUSR2, count) != SIG_DFL || raise(SIGUSR2) || raise(SIGUSR2) || seen != 3)
        return 14;
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(signal(SIGUSR2, SIG_IGN) == count && raise(SIGUSR2) == 0 ? 0 : 1);
    if (waitpid(child, &status, 0) != child || status != 0)
        return 15;
    return signal(1000, count) == SIG_ERR && sigaction(SIGKILL, &action, NULL) == -1 ? 0 : 16;
}

int main(int argc, char **argv)
{
    const char *how = argv[1];
    shmem_init();
    int status = 0, me = shmem_my_pe(), next = (me + 1) % shmem_n_pes();
    long *word = shmem_malloc(sizeof *word);
    for (int i = 0; i < 20000; i++)
        shmem_long_p(word, i, next);
    if (strcmp(how, "handlers") == 0)
        status = see_handlers();
    if (strcmp(how, "dies") == 0)
        signal(SIGTERM, die);
    if (strcmp(how, "default") == 0)
        signal(SIGTERM, SIG_DFL);
    if (strcmp(how, "dies") == 0 || strcmp(how, "default") == 0)
        raise(SIGTERM);
    if (strcmp(how, "closes") == 0) {
        if (mkdir("elsewhere", 0777) || chdir("elsewhere"))
            return 20;
        for (int i = 100; i < 1024; i++) /* the library needs its own, which are lower */
            close(i);
        while (open("/dev/null", O_RDWR) < 300)
            ;
    }
    if (strcmp(how, "starts") == 0) {
        status = system(argv[2]);
        status = WIFEXITED(status) ? WEXITSTATUS(status) : 99;
    }
    for (int i = 0; i < 20000; i++)
        shmem_long_p(word, i, next);
    shmem_free(word);
    shmem_finalize();
    return status;
}
"""
PUTS = 40000
tap = Tap()
if not harness.has("SHMEM") or not traces.is_built():
    skip_all("no tracer was built")
folder = scratch_directory()
app = os.path.join(folder, "app")
with open(app + ".c", "w", encoding="utf-8") as file:
    file.write(APPLICATION)
with open(os.path.join(harness.build_directory(), "flags"), encoding="utf-8") as file:
    compiler = shlex.split(file.read())[0]
built = run([compiler, "-O1", app + ".c", "-o", app])
assert built.status == 0, built


def puts(done):
    """Of each PE; and how it ended."""
    got = traces.calls(traces.events_of(traces.read("dump", done.path(traces.TRACE), "--csv",
                                                    "--only", "long_p").out))
    return [count for (pe, _), count in sorted(got.items())]


def ends(done):
    lines = traces.read("dump", done.path(traces.TRACE), "--only", "lock").out.splitlines()
    return [line.partition("ended by ")[2] for line in lines if " events" in line]


def by_variables(line, **env):
    """Without the command; the folder is relative."""
    return run(line, {**harness.launch_environment(), "OMPI_MCA_memory": "^patcher",
                      "LD_PRELOAD": os.path.join(ROOT, "libshmemtrace.so"),
                      "SHMEMTRACE_OUTPUT": traces.TRACE, **env})


def launcher(*words):
    """Open MPI's own, with its own options."""
    return run([traces.command(), "-o", traces.TRACE, "oshrun", *words],
               {**harness.launch_environment(), "OMPI_MCA_memory": "^patcher",
                "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})


line = launch_line(1, [app, "finalize"])
nested = f"{traces.command()} -o {traces.TRACE} true"
cases = {
    "dies": lambda: traces.recorded(1, [app, "dies"]),
    "default": lambda: traces.recorded(1, [app, "default"], ["--ring"]),
    "handlers": lambda: traces.recorded(1, [app, "handlers"]),
    "closes": lambda: by_variables(launch_line(1, [app, "closes"])),
    "starts": lambda: traces.recorded(1, [app, "starts", nested]),
}
linked = os.path.join(folder, "linked")
built = run([compiler, app + ".c", "-o", linked, "-Wl,--no-as-needed", f"-L{ROOT}", "-lshmemtrace",
             f"-Wl,-rpath,{ROOT}"])
assert built.status == 0, built
cases["linked"] = lambda: by_variables(launch_line(1, [linked, "finalize"]), LD_PRELOAD=None)
if os.environ.get("SKAMPI_LAUNCH", "oshrun ").startswith("oshrun "):
    other = os.path.join(folder, "other.so")
    stub = run([compiler, "-shared", "-fPIC", os.path.join(ROOT, "tests/support/stub/skewed_clock.c"), "-o",
                other])
    assert stub.status == 0, stub
    program = ["-np", "1", app]
    cases["two programs"] = lambda: launcher(*program, "one", ":", *program, "another", "word")
    cases["a preloaded library"] = lambda: launcher("-x", f"LD_PRELOAD={other}", *program, "one")
runs = dict(in_parallel(cases, lambda name: cases[name](), width=2))

for name, what in (("dies", "a handler set after the start that lets the signal end the program"),
                   ("default", "a default handler set after the start, in a ring")):
    tap.ok(runs[name].status not in (0, 2) and puts(runs[name]) == [PUTS // 2]
           and ends(runs[name]) == ["signal 15"], f"{what}: what was recorded is there", runs[name])
tap.ok(runs["handlers"].status == 0 and puts(runs["handlers"]) == [PUTS],
       "the application sees and has its own handlers", runs["handlers"])
tap.ok(runs["closes"].status == 0 and puts(runs["closes"]) == [PUTS]
       and ends(runs["closes"]) == ["finalize"] and "shmemtrace" not in runs["closes"].err,
       "descriptors closed and used again, in another folder: all is there", runs["closes"])
tap.ok(runs["starts"].status == 2 and "running program" in runs["starts"].err
       and puts(runs["starts"]) == [PUTS],
       "a trace that is being written is refused to others, and stays whole", runs["starts"])
tap.ok(runs["linked"].status == 0 and puts(runs["linked"]) == [PUTS],
       "a program that is linked with the tracer", runs["linked"])
for name, wanted in (("two programs", [PUTS, PUTS]), ("a preloaded library", [PUTS])):
    if name not in runs:
        tap.skip(name, "the launcher has other options")
        continue
    checked = traces.read("check", runs[name].path(traces.TRACE))
    tap.ok(runs[name].status == 0 and puts(runs[name]) == wanted and checked.status == 0,
           f"a job of {name}: traced whole", f"{runs[name]}\n{checked}")

# ---- A file that somebody else has locked, found by the library itself ----

busy = runs["handlers"]
path = busy.path(traces.TRACE)
with open(os.path.join(path, "pe-00000.trace"), "rb") as file:
    before = file.read()
    fcntl.flock(file, fcntl.LOCK_EX)
    other = by_variables(line)
    refused_here = by_variables(line, SHMEMTRACE_OUTPUT=path)
    file.seek(0)
    tap.ok(refused_here.status == 2 and "running program" in refused_here.err
           and file.read() == before, "... without the command, too", refused_here)
tap.equal(other.status, 0, "another folder is free", other)
refused = by_variables(line, SHMEMTRACE_LIMIT="1K")
tap.ok(refused.status == 2 and "SHMEMTRACE_LIMIT" in refused.err,
       "a limit that leaves no room for anything is refused", refused)

# ---- Readers ----

for options, word in ((["--only", "put,long_pot"], "long_pot"), (["--pe", "7"], "--pe 7"),
                      (["-o", os.path.join(path, "pe-00000.trace")], "pe-00000.trace")):
    for command in ("dump", "summary", "merge"):
        refused = traces.read(command, path, *options)
        tap.ok(refused.status == 2 and refused.err.count("\n") == 1 and word in refused.err,
               f"{command} {' '.join(options)[:20]}: one line says what is wrong", refused)
with open(os.path.join(path, "pe-00000.trace"), "rb") as file:
    tap.ok(file.read() == before, "... and the trace is as it was")
tap.done()
