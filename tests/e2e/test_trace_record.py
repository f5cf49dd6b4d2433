#!/usr/bin/env python3
# PLAIN
"""Traces are recorded as documented: options and their errors, folders, ways of ending, sizes, clocks."""

import csv
import io
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from harness import ROOT, Tap, has, launch_line, run, scratch_directory, skip_all

SHMEMTRACE = os.path.join(ROOT, "shmemtrace")
if not has("SHMEM") or not os.path.exists(os.path.join(ROOT, "libshmemtrace.so")):
    skip_all("no tracer was built")

# Says where its first allocation is, makes a known number of calls, and ends as it is told to.
APPLICATION = r"""
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <shmemtrace.h>
static long variable[8];
static void handler(int number) { (void)number; fprintf(stderr, "own handler\n"); _exit(7); }
int main(int argc, char **argv)
{
    int count = atoi(argv[1]);
    const char *how = argc > 2 ? argv[2] : "finalize";
    if (strcmp(how, "handler") == 0)
        signal(SIGALRM, handler);
    shmem_init();
    int me = shmem_my_pe(), next = (me + 1) % shmem_n_pes();
    long *data = shmem_malloc(1024 * sizeof *data);
    printf("first %p\n", (void *)data);
    fflush(stdout);
    shmem_barrier_all();
    SHMEMTRACE_PHASE(2);
    for (int i = 0; i < count; i++)
        shmem_long_p(&data[i % 1024], i, next);
    SHMEMTRACE_PHASE(3);
    shmem_long_put(variable, variable + 4, 3, next);
    shmem_int_put((int *)variable, &(int){-5}, 1, next);
    shmem_barrier_all();
    for (int i = 0; i < 5; i++)
        shmem_long_atomic_fetch_add(&data[7], 2, me);
    SHMEMTRACE_PHASE(0);
    shmem_barrier_all();
    if (strcmp(how, "fork") == 0) {
        if (fork() == 0) {
            shmem_fence();
            _exit(0);
        }
        wait(NULL);
    }
    if (strcmp(how, "exit") == 0)
        exit(0);
    if (strcmp(how, "_exit") == 0)
        _exit(0);
    if (strcmp(how, "global_exit") == 0)
        shmem_global_exit(9);
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "SIGSEGV") == 0)
        raise(SIGSEGV);
    if (strcmp(how, "SIGTERM") == 0) {
        raise(SIGTERM); /* libraries catch it and go on, until the launcher is tired of waiting */
        raise(SIGKILL);
    }
    if (strcmp(how, "SIGALRM") == 0 || strcmp(how, "handler") == 0)
        raise(SIGALRM);
    shmem_free(data);
    shmem_finalize();
    return 0;
}
"""
# Counts a call as other tools do, and passes it on.
COUNTER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
static long puts_;
void shmem_long_p(long *target, long value, int pe)
{
    static void (*next)(long *, long, int);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "shmem_long_p");
    puts_++;
    next(target, value, pe);
}
__attribute__((destructor)) static void tell(void)
{
    if (puts_)
        fprintf(stderr, "puts %ld\n", puts_);
}
"""
CALLS = 1000  # of shmem_long_p
OTHERS = 13   # init, malloc, 3 barriers, 2 puts, 5 atomics; free or what ends it; then finalize
folder = scratch_directory()
tap = Tap()


def built(name):
    with open(os.path.join(harness.build_directory(), name), encoding="utf-8") as file:
        return file.read().strip()


def compile_c(source, output, *options):
    compiler = shlex.split(built("flags"))[0]
    done = run([compiler, "-O1", "-I", os.path.join(ROOT, "src/trace/runtime"), source, "-o", output, *options])
    assert done.status == 0, done


def path(name):
    return os.path.join(folder, name)


with open(path("app.c"), "w", encoding="utf-8") as file:
    file.write(APPLICATION)
compile_c(path("app.c"), path("app"))


def launched(count=CALLS, how=None, np=2):
    return launch_line(np, [path("app"), str(count), *([how] if how else [])])


def record(*options, count=CALLS, how=None, np=2, env=None, command=None):
    """Run of the application under the tracer; its trace is trace of a folder of its own."""
    where = scratch_directory()
    done = run([SHMEMTRACE, "-o", os.path.join(where, "trace"), *options,
                *(command or launched(count, how, np))], env=env, cwd=where, timeout=30)
    done.trace = os.path.join(where, "trace")
    return done


def events(done):
    """Rows of the trace, as dictionaries."""
    dumped = run([SHMEMTRACE, "dump", "--csv", done.trace])
    return list(csv.DictReader(io.StringIO(dumped.out)))


def end_of(done):
    """How PE 0 ended, as the readers say."""
    text = run([SHMEMTRACE, "dump", "--pe", "0", "--only", "context", done.trace]).out
    return text.partition("ended by ")[2].partition("\n")[0]


def names(rows, pe="0"):
    return [row["routine"] for row in rows if row["pe"] == pe]


def size_of(done):
    return sum(os.path.getsize(os.path.join(done.trace, name)) for name in os.listdir(done.trace))


# ---- What is recorded ----

plain = run(launched(), timeout=30)
whole = record()
rows = events(whole)
tap.equal(whole.status, 0, "a program runs under the tracer", whole)
tap.equal(sorted(os.listdir(whole.trace)), ["pe-00000.trace", "pe-00001.trace"], "... a file a PE")
tap.equal([names(rows, pe).count("shmem_long_p") for pe in "01"], [CALLS, CALLS],
          "... with all its calls")
tap.equal(len(rows), 2 * (CALLS + OTHERS + 1), "... and no others")
tap.equal(names(rows)[:3] + names(rows)[-3:],
          ["shmem_init", "shmem_malloc", "shmem_barrier_all", "shmem_barrier_all", "shmem_free",
           "shmem_finalize"], "... from the library's start to its end")
tap.equal(sorted(plain.out.splitlines()), sorted(whole.out.splitlines()),
          "allocations are where they are without the tracer", whole)
puts = [row for row in rows if row["routine"] == "shmem_long_p" and row["pe"] == "1"]
offsets = [int(row["target_offset"]) for row in puts]
tap.equal(([o - offsets[0] for o in offsets], [row["value"] for row in puts],
           {row["peer"] for row in puts}, {row["target"] for row in puts}),
          ([8 * i for i in range(CALLS)], [str(i) for i in range(CALLS)], {"0"}, {"heap"}),
          "parameters are those of the calls")
put = next(row for row in rows if row["routine"] == "shmem_long_put")
tap.equal([put[name] for name in ("elements", "bytes", "target", "source")] +
          [int(put["source_offset"]) - int(put["target_offset"])],
          ["3", "24", "static", "static", 32], "... static variables, too")
tap.equal(end_of(whole), "finalize", "the trace says how it ended")
starts = [float(row["start"]) for row in rows if row["pe"] == "0"]
tap.ok(starts == sorted(starts) and starts[0] >= 0, "times go up")
one = record(np=1, count=20000)
bytes_per_event = (size_of(one) - size_of(record(np=1, count=0))) / 20000
tap.ok(bytes_per_event <= 8, f"an event takes at most 8 bytes ({bytes_per_event:.2f})")

for _ in range(8):
    # The machine may become faster or slower between the start, when that is measured, and the calls.
    shown = run([SHMEMTRACE, "dump", "--pe", "0", one.trace])
    cost = re.search(r"^# of the tracer: ([\d.]+) ns in each burst, ([\d.]+) ns in each duration$", shown.out,
                     re.MULTILINE)
    puts = [row for row in events(one) if row["routine"] == "shmem_long_p"]
    bursts = sorted(1e9 * float(row["burst"]) for row in puts)
    usual, durations = sum(bursts[:15000]) / 15000, sum(1e9 * float(row["duration"]) for row in puts) / len(puts)
    good = cost and usual / 5 < float(cost[1]) < 2 * usual and 0 < float(cost[2]) < durations
    if good:
        break
    one = record(np=1, count=20000)
tap.ok(cost, "the trace says what recording a call costs", shown.out[:500])
tap.ok(good, "... which is most of what is between calls that follow each other", (cost and cost[0], usual, durations))

# ---- Options ----


def classes(*options):
    done = record(*options)
    return {row["class"] for row in events(done)}


EVERYTHING = {"setup", "memory", "synchronization", "put", "atomic"}
cases = [((), EVERYTHING), (("--only", "put"), {"put"}),
         (("--exclude", "put,atomic"), EVERYTHING - {"put", "atomic"}),
         (("--only", "shmem_long_a*,barrier_all"), {"atomic", "synchronization"}),
         (("--queries",), EVERYTHING | {"query"}), (("--phase", "3"), {"put", "synchronization",
                                                                      "atomic"}),
         (("--phase=7",), set()), (("--recorder", "clock_gettime"), EVERYTHING)]
for (options, wanted), got in harness.in_parallel(cases, lambda case: classes(*case[0]), 2):
    tap.equal(got, wanted, " ".join(options) or "no option")
results = [row["result"] for row in events(record("--results"))
           if row["class"] == "atomic" and row["pe"] == "1"]
tap.equal([int(a) - int(results[0]) for a in results], [0, 2, 4, 6, 8], "--results", results)
tap.equal({row["result"] for row in rows if row["class"] == "atomic"}, {""}, "... which else are not kept")
valued = {row["routine"]: row["value"] for row in events(record("--values", "--only", "put", np=1, count=3))}
tap.equal(valued, {"shmem_long_p": "2", "shmem_long_put": "", "shmem_int_put": "-5"},
          "--values keeps what puts of at most 8 bytes write")
tap.equal({row["value"] for row in rows if row["routine"] == "shmem_int_put"}, {""}, "... which else is not kept")
phases = {row["routine"]: row["phase"] for row in rows}
tap.equal([phases[name] for name in ("shmem_long_p", "shmem_long_put", "shmem_init")],
          ["2", "3", "0"], "phases that the program tells")

ring = record("--ring", "256K", count=200000)
kept = events(ring)
last = [int(row["index"]) for row in kept if row["pe"] == "0"]
tap.ok(ring.status == 0 and size_of(ring) < 2 * (256 + 100) * 1024 and
       last == list(range(last[0], 200000 + OTHERS + 1)) and last[0] > 0,
       "--ring keeps the last events", ring)
limited = record("--limit", "256K", count=200000)
kept = events(limited)
tap.ok(limited.status == 0 and size_of(limited) <= 2 * 256 * 1024 and
       limited.err.count("limit") == 2 and names(kept)[0] == "shmem_init",
       "--limit keeps the first events and says so once a PE", limited)
profile = record("--summary")
shown = run([SHMEMTRACE, "summary", profile.trace])
tap.ok(shown.status == 0 and "shmem_long_p" in shown.out and str(2 * CALLS) in shown.out and
       size_of(profile) < 150000, "--summary keeps a profile", shown)
by_hand = scratch_directory()
done = run(launched(), env={"LD_PRELOAD": os.path.join(ROOT, "libshmemtrace.so"),
                            "SHMEMTRACE_OUTPUT": os.path.join(by_hand, "a/b"), "SHMEMTRACE_ONLY": "put"})
done.trace = os.path.join(by_hand, "a/b")
tap.ok(done.status == 0 and {row["class"] for row in events(done)} == {"put"},
       "without the command: LD_PRELOAD and variables", done)
helped = run([SHMEMTRACE, "record", "-h"])
tap.ok(helped.status == 0 and all(f"SHMEMTRACE_{name}" in helped.out for name in
                                  ("OUTPUT", "RING", "LIMIT", "RECORDER")), "-h shows all", helped)

refused = record("--hw", "PAPI_NO_SUCH", np=1)
tap.ok(refused.status == 2 and refused.err.count("\n") == 1 and "PAPI" in refused.err,
       "counters that are not there: one line, status 2", refused)
if has("PAPI"):
    compile_c(os.path.join(ROOT, "tests/support/stub/papi.c"), path("papi.so"), "-shared", "-fPIC", "-ldl")
    counted = record("--hw", "PAPI_REF_CYC", np=1, env={"LD_PRELOAD": path("papi.so")})
    shown = run([SHMEMTRACE, "summary", counted.trace]).out.partition("PAPI_REF_CYC")[2]
    lines = [line.split() for line in shown.strip().splitlines()]
    tap.equal([line[0] for line in lines if line and line[0].isdigit()], ["0", "2", "3"],
              "--hw counts in each phase", shown)
    tap.ok(all(int(line[-1]) > 0 for line in lines if line and line[0].isdigit()), "... something",
           shown)
else:
    tap.skip("--hw", "built without PAPI")

# ---- What is refused: one line, status 2 ----

foreign, namesake = scratch_directory(), scratch_directory()
for name in (os.path.join(foreign, "thesis.tex"), os.path.join(namesake, "pe-00000.trace")):
    with open(name, "w", encoding="utf-8") as file:
        file.write("years of work")
for options, word in ((["--nonsense"], "--nonsense"), (["--limit", "much"], "much"),
                      (["--ring=1K"], "256K"), (["--recorder", "sundial"], "sundial"),
                      (["--phase", "3-1"], "3-1"), (["--queries=1"], "--queries"),
                      (["-o", foreign], "thesis.tex"), (["-o", namesake], "pe-00000.trace"),
                      (["-o", "/proc/none"], "/proc/none"),
                      (["--ring", "--summary"], "--summary")):
    refused = run([SHMEMTRACE, *options, "true"], timeout=20)
    tap.ok(refused.status == 2 and refused.err.count("\n") == 1 and word in refused.err,
           f"refused: {' '.join(options)}"[:60], refused)
tap.equal(os.listdir(foreign) + os.listdir(namesake), ["thesis.tex", "pe-00000.trace"],
          "... nothing of the user's is touched")
refused = run([SHMEMTRACE, "-o"])
tap.ok(refused.status == 2 and "missing" in refused.err, "refused: no argument", refused)
refused = record("--only", "put,shmem_long_pot")
tap.ok(refused.status == 2 and refused.err.count("shmem_long_pot") == 1,
       "a routine that is not there: one PE says so, status 2", refused)
refused = record(env={"SHMEMTRACE_LIMIT": "x"})
tap.ok(refused.status == 2 and "SHMEMTRACE_LIMIT=x" in refused.err, "a wrong variable", refused)
refused = run(launched(), env={"LD_PRELOAD": os.path.join(ROOT, "libshmemtrace.so"),
                               "SHMEMTRACE_OUTPUT": path("app.c/x")})
tap.ok(refused.status == 2 and "app.c" in refused.err, "a folder that cannot be", refused)
again = run([SHMEMTRACE, "-o", whole.trace, *launched(np=1)])
tap.equal((again.status, os.listdir(whole.trace)), (0, ["pe-00000.trace"]), "an old trace is replaced")

# ---- An old trace stays until the new one has begun ----


def state(trace):
    """The files of a trace, each with what tells it from another one of its name."""
    return {name: (os.stat(os.path.join(trace, name)).st_ino, os.path.getsize(os.path.join(trace, name)))
            for name in sorted(os.listdir(trace))}


old = record()
files = state(old.trace)
script = path("not_executable")
with open(script, "w", encoding="utf-8") as file:
    file.write("echo\n")
for words, status, said in ((["sumary"], 2, "did you mean summary?"), (["recrod"], 2, "did you mean record?"),
                            (["osrhun", "-np", "2"], 2, "did you mean oshrun?"), (["help"], 2, "shmemtrace -h"),
                            (["no-such-launcher"], 2, "no-such-launcher"), ([script], 2, "cannot be executed"),
                            ([path("nothing/here")], 2, "neither a command nor a program"),
                            ([old.trace], 2, f"shmemtrace summary {old.trace}"),
                            ([os.path.join(old.trace, "pe-00000.trace")], 2, "shmemtrace summary"),
                            ([], 2, "no program is named"), (["--limt", "1G", "true"], 2, "--limt"),
                            (["--only", "put,shmem_long_pot", *launched(np=1)], 2, "shmem_long_pot"),
                            (["--limit", "1K", *launched(np=1)], 2, "SHMEMTRACE_LIMIT"),
                            (["ls", "/"], 0, "has the trace of before"), (["false"], 1, "has the trace of before")):
    done = run([SHMEMTRACE, "-o", old.trace, *words], timeout=30)
    tap.ok(done.status == status and said in done.err and len(done.err.splitlines()) == 1,
           f"{' '.join(words)[-50:]}: status {status}, in a line", done)
    tap.equal(state(old.trace), files, "... the old trace is as it was")
looked = run([SHMEMTRACE, "-o", old.trace, "sh", "-c", f"ls {old.trace}; {shlex.join(launched(np=1))}; ls {old.trace}"],
             timeout=30)
tap.equal([word for word in looked.out.split() if word.startswith("pe-")],
          ["pe-00000.trace", "pe-00001.trace", "pe-00000.trace"],
          "it is there until the program starts the library, then the new one alone", looked)
killed = run([SHMEMTRACE, "-o", old.trace, "sh", "-c", "kill -KILL $PPID"], timeout=30)
done = run([SHMEMTRACE, "-o", old.trace, *launched(np=1)], timeout=30)
tap.ok(killed.status != 0 and done.status == 0 and not done.err and
       os.listdir(old.trace) == ["pe-00000.trace"], "what a command that was killed leaves is no obstacle", done)

# ---- Paths, and other libraries that are preloaded ----

odd = os.path.join(scratch_directory(), "a b:c;d")
os.mkdir(odd)
for name in ("shmemtrace", "libshmemtrace.so"):
    shutil.copy(os.path.join(ROOT, name), odd)
for output, command in (("shmemtrace.out", launched(np=1)), ("x y", ["sh", "-c", shlex.join(launched(np=1))])):
    done = run([os.path.join(odd, "shmemtrace"), "-o", output, *command], cwd=odd, timeout=30)
    done.trace = os.path.join(odd, output)
    tap.ok(done.status == 0 and names(events(done)).count("shmem_long_p") == CALLS and
           os.listdir(done.trace) == ["pe-00000.trace"], f"in a folder with blanks and colons: {output}, {command[0]}",
           done)
tap.equal(sorted(os.listdir(odd)), ["libshmemtrace.so", "shmemtrace", "shmemtrace.out", "x y"], "... nothing else is left")
with open(path("counter.c"), "w", encoding="utf-8") as file:
    file.write(COUNTER)
compile_c(path("counter.c"), path("counter.so"), "-shared", "-fPIC", "-ldl")
other = f"LD_PRELOAD={path('counter.so')}"
launcher = launched(np=1)
for name, command, env in (
        ("in the environment", launcher, {"LD_PRELOAD": path("counter.so")}),
        ("by -x", ["oshrun", "-np", "1", "-x", other, *launcher[-2:]] if shutil.which("oshrun") else None,
         {**harness.launch_environment(), "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})):
    if not command:
        tap.skip(f"another library that is preloaded {name}", "another launcher")
        continue
    done = record(command=command, env=env)
    seen = re.search(r"puts (\d+)", done.err)
    tap.ok(done.status == 0 and seen and seen.group(1) == str(CALLS),
           f"another library that is preloaded {name} sees the calls", done)
    tap.equal(names(events(done)).count("shmem_long_p"), CALLS, "... and the tracer, too")

# ---- Ways of ending ----

ENDINGS = {"exit": "exit", "_exit": "_exit", "global_exit": "global_exit", "abort": "signal 6",
           "SIGSEGV": "signal 11", "SIGTERM": "signal 15", "SIGALRM": "signal 14", "handler": "_exit", "fork": "finalize"}
for (how, reason), done in harness.in_parallel(ENDINGS.items(), lambda case: record(how=case[0], np=1),
                                               2):
    rows = events(done)
    tap.ok(names(rows).count("shmem_long_p") == CALLS and len(rows) >= CALLS + OTHERS - 1 and
           end_of(done) == reason, f"{how}: all is there, and how it ended",
           f"{len(rows)} events, {end_of(done)!r}\n{done}")
    if how == "global_exit":
        tap.ok(done.status == 9 and rows[-1]["value"] == "9", "... with its status", done)
    if how == "handler":
        tap.ok(done.status == 7 and "own handler" in done.err, "... after the program's own handler",
               done)

# ---- Signals ----

# Outside its parent's group; says how often it is asked to end, in a second after the first time.
LAUNCHER = r'''
import os, select, signal, time
os.setpgid(0, 0)
out, into = os.pipe()
os.set_blocking(into, False)
signal.signal(signal.SIGTERM, lambda number, frame: None)
signal.set_wakeup_fd(into)
print("ready", flush=True)
select.select([out], [], [], 20)
time.sleep(1)
print(len(os.read(out, 100)), flush=True)
'''
command = [SHMEMTRACE, "-o", path("signals"), sys.executable, "-c", LAUNCHER]
for _ in range(5):
    # Half a second between the two is too long for them to be one, which this test may take on a busy machine.
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          start_new_session=True) as process:
        ready = process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        time.sleep(0.1)
        os.killpg(process.pid, signal.SIGTERM)
        passed_on = process.stdout.readline()
    if passed_on == "1\n":
        break
tap.equal((ready, passed_on), ("ready\n", "1\n"), "what is sent to the tracer and then to its group is passed on once")

# ---- Inside a launch ----

inside = scratch_directory()
swapped = run(launch_line(2, [SHMEMTRACE, "-o", os.path.join(inside, "trace"), path("app"), "1"]), timeout=30)
tap.ok(swapped.status == 2 and swapped.err.count("put shmemtrace before the launcher") == 1 and
       f"shmemtrace oshrun -np 2 {path('app')}" in swapped.err and os.listdir(inside) == [],
       "the launcher before the tracer is refused once, with the right order", swapped)
for variable in ("PMI_SIZE", "SLURM_STEP_NUM_TASKS"):
    done = run([SHMEMTRACE, "-o", os.path.join(inside, "trace"), path("app"), "1"], env={variable: "4"})
    tap.ok(done.status == 2 and variable in done.err and "-np 4" in done.err, f"... also by {variable}", done)
for what, line, more in (("one process", [path("app"), "1"], {"SLURM_STEP_NUM_TASKS": "1"}),
                         ("a launcher in a terminal of srun", launched(1, np=1),
                          {"SLURM_STEP_NUM_TASKS": "4", "SLURM_PTY_WIN_COL": "80"})):
    done = record(command=line, env=more)
    tap.ok(done.status == 0 and events(done), f"... but not {what}", done)

# ---- Full disk ----

disk = scratch_directory()
mounted = os.getuid() == 0 and run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", disk]).status == 0
if mounted:
    try:
        full = run([SHMEMTRACE, "-o", os.path.join(disk, "trace"), *launched(200000, np=1)], timeout=30)
        full.trace = os.path.join(disk, "trace")
        rows = events(full)
        tap.ok(full.status == 0 and full.err.count("recording has stopped") == 1 and len(rows) > 1000 and
               names(rows)[0] == "shmem_init", "a full disk: said once, the program goes on", full)
        checked = run([SHMEMTRACE, "check", full.trace])
        tap.ok("damaged" not in checked.out + checked.err and end_of(full) == "finalize",
               "... and what is there is whole", checked)
    finally:
        run(["umount", disk])
else:
    tap.skip("a full disk", "only root can make one")

# ---- Clocks ----

compile_c(os.path.join(ROOT, "tests/support/stub/skewed_clock.c"), path("skew.so"), "-shared", "-fPIC")
SKEW = {"LD_PRELOAD": path("skew.so"), "SKEWED_CLOCK_OFFSET": "5", "SKEWED_CLOCK_DRIFT": "1e-3"}


def apart(rows):
    """How long before the last PE begins a barrier another one seems to have ended it: seconds, the most. A PE that
    waits for a processor makes a barrier longer, but does not change that."""
    calls = [[(float(row["start"]), float(row["start"]) + float(row["duration"])) for row in rows
              if row["pe"] == pe and row["routine"] == "shmem_barrier_all"] for pe in "01"]
    return max(max(a[0], b[0]) - min(a[1], b[1]) for a, b in zip(*calls))


skewed = record("--recorder", "clock_gettime", env=SKEW)
rows = events(skewed)
text = run([SHMEMTRACE, "dump", "--pe", "0", "--only", "context", skewed.trace]).out
tap.ok("synchronized" in text, "PEs with different clocks are synchronized", text)
tap.ok(apart(rows) < 0.05, f"... nobody leaves a barrier long before all are there ({apart(rows):.2g} s of 5 s)",
       skewed)
tap.done()
