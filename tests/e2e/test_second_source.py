#!/usr/bin/env python3
# LONG
# PLAIN
"""Clocks at a wrong speed are found by a second source, in --timers, in the header and at the end of
the run; right ones are not suspected. Wrong speeds are far beyond what a busy machine does to a reading."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from builds import preloadable
from harness import Tap, skampi

# Clocks of the C library, times FACTOR: all but the realtime clock as the kernel itself tells it, or
# one alone.
FAST_CLOCK = """
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static struct timespec begin[16];
static double factor;
static int only = -1;
static long long nanoseconds(struct timespec t) { return t.tv_sec * 1000000000LL + t.tv_nsec; }
__attribute__((constructor)) static void prepare(void)
{
    factor = getenv("FACTOR") ? atof(getenv("FACTOR")) : 1;
    only = getenv("ONLY") ? atoi(getenv("ONLY")) : -1;
    for (int i = 0; i < 16; i++)
        syscall(SYS_clock_gettime, i, &begin[i]);
}
int clock_gettime(clockid_t id, struct timespec *t)
{
    int status = (int)syscall(SYS_clock_gettime, id, t);
    if (status == 0 && factor > 0 && id >= 0 && id < 16 && (only < 0 || only == id)) {
        long long then = nanoseconds(begin[id]);
        long long now = then + (long long)((double)(nanoseconds(*t) - then) * factor);
        t->tv_sec = now / 1000000000;
        t->tv_nsec = now % 1000000000;
    }
    return status;
}
"""
SCRIPT = """set_max_relative_standard_error(0.0)
set_max_repetitions(20)
begin measurement "b"
  measure comm(1) : WaitPatternLevels(0.002, 0.002, 1.0)
end measurement
"""
CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW = 1, 4
SOUND = 12
tap = Tap()


def measured(env, np=2, args=()):
    """The run, the header's warnings, and what is said at the end."""
    run = skampi(SCRIPT, np=np, args=["-o", "a.json", "-o", "a.sko", *args], env=env)
    records = run.records("a.json")
    told = [text for text in records[0]["warnings"] if text.startswith("clocks of node ")]
    texts = [record["text"] for record in records if record["record"] == "comment"]
    end = [text for text in texts if text.startswith("warning: clocks of node ")]
    compared = [text for text in texts if re.match(r"clocks: \S+ against .* over the run: off by", text)]
    return run, told, end, compared


def ppm(text):
    found = re.search(r" (fast|slow) by (\S+) ppm against ", text)
    return float(found.group(2)) * (1 if found.group(1) == "fast" else -1) if found else None


def everything_fast(library):
    env = {"LD_PRELOAD": library}
    for factor in (2.0, 0.5, 1.0005):
        wanted = (factor - 1) * 1e6
        run = skampi(np=1, args=["--timers"], launch=False, env={**env, "FACTOR": str(factor)})
        lines = [line for line in run.out.splitlines() if line.startswith("warning: ")]
        tap.ok(run.status == 0 and len(lines) == 1 and "against the realtime clock" in lines[0] and
               abs(ppm(lines[0]) - wanted) < 0.2 * abs(wanted),
               f"all clocks times {factor}: --timers says which sources disagree, and by how much", run)
    run, told, end, _ = measured({**env, "FACTOR": "2.0"})
    for where, texts in (("the header", told), ("the end", end)):
        tap.ok(len(texts) == 1 and "CLOCK_MONOTONIC_RAW runs fast by" in texts[0] and
               abs(ppm(texts[0]) - 1e6) < 2e5 and "LD_PRELOAD" in texts[0],
               f"all clocks times 2: {where} says so, once, and what to do", (texts, run))
    shown = harness.run([os.path.join(harness.ROOT, "scripts/skampi-report"), "a.json", "-o", "-"],
                        cwd=os.path.dirname(run.path("a.json")))
    tap.ok(shown.status == 0 and "Clocks agree over the run" in shown.out, "the report doubts it", shown)
    text = run.read("a.sko")
    tap.ok(text.count("# warning: clocks of node 0 ") == 2, ".sko says it, too", text)


def one_fast(library):
    run, told, end, _ = measured({"LD_PRELOAD": library, "FACTOR": "2.0",
                                  "ONLY": str(CLOCK_MONOTONIC_RAW)})
    pairs = [{re.search(r"\): (\S+) runs .* against (.*?) over ", text).groups() for text in texts}
             for texts in (told, end)]
    for where, found in zip(("the header", "the end"), pairs):
        tap.ok({("clock_gettime", "CLOCK_MONOTONIC_RAW"),
                ("CLOCK_MONOTONIC_RAW", "the realtime clock")} <= found,
               f"CLOCK_MONOTONIC_RAW alone times 2: {where} says with what it disagrees", (found, run))
    run = skampi(np=1, args=["--timers"], launch=False,
                 env={"LD_PRELOAD": library, "FACTOR": "2.0", "ONLY": str(CLOCK_MONOTONIC)})
    tap.ok("disagrees with CLOCK_MONOTONIC" in run.out, "CLOCK_MONOTONIC alone times 2 is seen", run)


def timer_fast():
    """The timer in use against CLOCK_MONOTONIC_RAW, on the PE that looks."""
    run, _, end, _ = measured({"SKAMPI_TEST_CLOCK_SKEW": "0:0:1.0"}, np=1)
    tap.ok(len(end) == 1 and abs(ppm(end[0]) - 1e6) < 1e5 and
           "against CLOCK_MONOTONIC_RAW" in end[0] and "--timers" in end[0],
           "a timer at double speed is told at the end, once", (end, run))
    run, _, end, _ = measured({"SKAMPI_TEST_CLOCK_SKEW": "0:0:0.002"}, np=1)
    tap.ok(len(end) == 1 and 1000 < ppm(end[0]) < 3000, "so is one that is off by 2000 ppm", (end, run))


def sound(library):
    run, told, end, compared = measured({})
    tap.ok(run.status == 0 and not told and not end and compared,
           "right clocks are not suspected, and what was compared is stated", (told, end, compared))
    wrong = []
    for _ in range(SOUND):
        run = skampi(np=1, args=["--timers"], launch=False, env={"LD_PRELOAD": library, "FACTOR": "0"})
        wrong += [line for line in run.out.splitlines() if line.startswith("warning")]
    tap.ok(not wrong and "second source: CLOCK_MONOTONIC_RAW against the realtime clock" in run.out,
           f"nor are they in {SOUND} times --timers", wrong or run)


library_path = preloadable(FAST_CLOCK)
everything_fast(library_path)
one_fast(library_path)
timer_fast()
sound(library_path)
tap.done()
