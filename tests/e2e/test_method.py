#!/usr/bin/env python3
# LONG
# TIMEOUT: 150
"""Methods are what their papers say: readings of the timer inside a loop, cold memory for each
operation, enough repetitions for each acknowledging PE. A preloaded library sees what is called."""

import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import builds
import harness

if not harness.has("SHMEM"):
    harness.skip_all("built without OpenSHMEM")
tap = harness.Tap()

# Counts, and PE 0 says at its end: how often a put_nbi had so many readings of the timer before it,
# since the quiet, and so many between it and its quiet; broadcasts, those that found the place of
# the one before, and those that began again with the first place.
WATCHER = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static long seen[4][4], readings, before, broadcasts, again, from_first;
static char posted, *first, *last;
static int rank(void)
{
    const char *text = getenv("OMPI_COMM_WORLD_RANK");
    return text ? atoi(text) : 0;
}
int clock_gettime(clockid_t clock, struct timespec *t)
{
    readings += clock == CLOCK_MONOTONIC;
    return (int)syscall(SYS_clock_gettime, clock, t);
}
void shmem_putmem_nbi(void *to, const void *from, size_t bytes, int pe)
{
    static void (*real)(void *, const void *, size_t, int);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "shmem_putmem_nbi");
    real(to, from, bytes, pe);
    before = readings, readings = 0, posted = 1;
}
void shmem_quiet(void)
{
    static void (*real)(void);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "shmem_quiet");
    real();
    if (posted && before < 4 && readings < 4) seen[before][readings]++;
    readings = 0, posted = 0;
}
void shmem_broadcast32(void *to, const void *from, size_t n, int root, int start, int stride, int pes,
                       long *sync)
{
    static void (*real)(void *, const void *, size_t, int, int, int, int, long *);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "shmem_broadcast32");
    if (!first) first = to;
    broadcasts++, again += to == last, from_first += to == first, last = to;
    real(to, from, n, root, start, stride, pes, sync);
}
long shmem_long_atomic_fetch_add(long *to, long value, int pe)
{
    static long (*real)(long *, long, int);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "shmem_long_atomic_fetch_add");
    if (rank() != pe) usleep(2000);
    return real(to, value, pe);
}
void shmem_finalize(void)
{
    void (*real)(void);
    *(void **)&real = dlsym(RTLD_NEXT, "shmem_finalize");
    if (rank() == 0) {
        fprintf(stderr, "watched: %ld %ld %ld", broadcasts, again, from_first);
        for (int i = 0; i < 16; i++) fprintf(stderr, " %ld", seen[i / 4][i % 4]);
        fprintf(stderr, "\\n");
    }
    real();
}
"""
LIBRARY = builds.preloadable(WATCHER)


def watched(call, settings="", np=2, arguments=()):
    # Without controls, which may have repetitions made again.
    script = ("set_controls(0)\nset_timer(\"clock_gettime\")\nset_min_repetitions(40)\nset_max_repetitions(40)\n"
              f"choose_no_synchronization()\n{settings}\nbegin measurement \"w\"\n"
              f"  measure MPI_COMM_WORLD : {call}\nend measurement\n")
    run = harness.skampi(script, np=np, env={"LD_PRELOAD": LIBRARY}, args=arguments)
    found = re.search(r"watched: ([\d ]+)", run.err)
    numbers = [int(word) for word in found[1].split()] if found else [0] * 19
    return run, numbers[:3], {(i // 4, i % 4): n for i, n in enumerate(numbers[3:]) if n > 0}


def timer_inside():
    """Readings before the post and between post and quiet."""
    for part, wanted in {"Full": (2, 0), "Quiet": (1, 1), "Post": (1, 1)}.items():
        run, _, seen = watched(f"Shmem_Put_Nonblocking_{part}_IterationTimer(8, 50)")
        most = max(seen, key=seen.get, default=None)
        tap.ok(run.status == 0 and most == wanted and seen[most] > 1000,
               f"{part}_IterationTimer reads the timer {wanted[0]} times between quiet and post and "
               f"{wanted[1]} between post and quiet", seen)


def cold_places():
    """Places follow each other through all that a repetition does: 40 repetitions and a few more."""
    for call, np, operations in (("Shmem_Bcast_All_Rounds(10, 8)", 3, 30),
                                 ("Shmem_Bcast_All_SK(10, 8, 0)", 3, 20),
                                 ("Shmem_Bcast_All_SK_time(10, 8, 0)", 2, 10)):
        run, (broadcasts, again, _), _ = watched(call, 'set_cache_state("cold")', np)
        # Once each: what goes around to the first place comes from the set-up and between tasks.
        tap.ok(run.status == 0 and broadcasts > 41 * operations and again < 20,
               f"cold, {call}: no operation finds the place of the one before", (broadcasts, again))
    run, (broadcasts, _, _), _ = watched("Shmem_Bcast_All_SK(3000, 65536, 0)",
                                         'set_cache_state("cold")\nset_skampi_buffer(65536)\n'
                                         "set_min_repetitions(4)\nset_max_repetitions(4)", 3)
    # 48 MiB of places with a page in between, two tasks.
    tap.ok(run.status == 0 and "iterations reduced to 360: " in run.out,
           "cold, SK: iterations of all tasks share the fresh memory", run)
    run, _, _ = watched("Shmem_Bcast_All_Rounds(1, 24mb)",
                        'set_cache_state("cold")\nset_skampi_buffer(24mb)\n'
                        'set_min_repetitions(4)\nset_max_repetitions(4)', 3, ["-o", "-", "-o", "a.json"])
    tap.ok(run.status == 0 and "not everything is cold: 4 operations of an iteration share fresh memory for only 1"
           in run.out and '"not_cold":3' in run.read("a.json"), "cold: too little memory for one iteration is said", run)


def iterations_of_tasks():
    """Also where a broadcast takes long and there are several PEs to acknowledge it."""
    for np, tasks in ((2, 0), (4, 0), (4, 1)):
        run = harness.skampi(f"set_sk_tasks({tasks})\nset_max_repetitions(8)\n"
                             'begin measurement "b"\n'
                             "  measure MPI_COMM_WORLD : Shmem_Bcast_All_SK(0, 4, 0)\n"
                             "  measure MPI_COMM_WORLD : Shmem_Bcast_All_SK_time(0, 512kb, 0)\n"
                             "end measurement\n", np=np)
        found = [int(n) for n in re.findall(r"iterations chosen: (\d+)", run.out)]
        tap.ok(run.status == 0 and len(found) == 2 and min(found) >= 20,
               f"SK, {np} PEs, {tasks or 'all'} tasks: never fewer than 20 broadcasts a task", run)


def iterations_of_slow_pes():
    """No more operations of a slow PE than show in the result, since another one is faster: rank 0 on itself."""
    run, _, _ = watched("Shmem_Atomic_Fetch_Add_Long_Contended(0)")
    chosen = re.search(r"iterations chosen: (\d+)", run.out)
    tap.ok(run.status == 0 and chosen and 1 <= int(chosen[1]) <= 10, "2 ms a call: iterations of the slow PE", run)
    tap.ok("not well above the timer" not in run.out, "... rank 0, which is fast, leaves the result as it is", run)


if not tap.ok(LIBRARY, "the watcher is built"):
    tap.done()
    sys.exit()
timer_inside()
cold_places()
iterations_of_tasks()
iterations_of_slow_pes()
tap.done()
