#!/usr/bin/env python3
# TIMEOUT: 200
"""Collectives made of one-sided operations: every algorithm by put and by pointer, on 1, 2, 3 and 7 PEs and on
parts of them, with no data, odd sizes and pieces; what is refused; that each routine that must order or move
data is called, and that wrong data and numbers that overtake their data are noticed."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from builds import preloadable
from harness import SAMPLE, Tap, block, refused, skampi, skip_all

PREAMBLE = """set_min_repetitions(4)
set_max_repetitions(4)
set_max_relative_standard_error(1.0)
set_controls(0)
set_verify("every")
choose_barrier_synchronization()
"""
ALGORITHMS = {
    "Broadcast": "flat binomial scatter_allgather ring",
    "Collect": "flat binomial recursive_doubling ring",
    "Reduce_Sum_Long": "flat binomial recursive_doubling reduce_scatter_allgather ring",
}
BARRIERS = "flat binomial recursive_doubling dissemination ring"
SEGMENT = 104
COUNTS = (0, 1, 1001)

tap = Tap()


def options(collective):
    """Arguments behind the count."""
    if collective == "Broadcast":
        return [f', get_np() - 1, {SEGMENT}, "{target}"' for target in ("asked", "ready")]
    if collective == "Collect":
        return [f', {SEGMENT}, "separate", "ready"', f', {SEGMENT}, "in_place", "asked"']
    return [f', {SEGMENT}, "separate"', f', {SEGMENT}, "in_place"']


def calls(by):
    """All that there are."""
    every = []
    for name in BARRIERS.split():
        every += [f'Shmem_Made_Barrier("{name}", "{by}")',
                  f'Shmem_Made_Barrier_Consecutive("{name}", "{by}", 5)']
    for collective, names in ALGORITHMS.items():
        for name in names.split():
            for number, more in enumerate(options(collective)):
                start = f'Shmem_Made_{collective}_%s("{name}", "{by}"'
                every += [f"{start % 'Synchro'}, {count}{more})" for count in COUNTS]
                every.append(f"{start % ('Consecutive', 'Barrier')[number]}, 5, 1001{more})")
    return every


def test_all(pes):
    every = calls("put") + calls("pointer")
    run = skampi(PREAMBLE + "".join(block(number, f"measure MPI_COMM_WORLD : {call}")
                                    for number, call in enumerate(every)), np=pes, timeout=150)
    tap.equal(run.status, 0, f"{pes} PEs: exit status", run)
    measured = {row.block: row for row in run.rows}
    missing = [call for number, call in enumerate(every)
               if str(number) not in measured or len([v for v in measured[str(number)].per_pe
                                                      if v is not None]) != pes]
    tap.ok(not missing, f"{pes} PEs: all {len(every)} are measured, and all PEs report", missing)
    sizes = {(int(re.search(r", (\d+), \d*\d{3}", call).group(1)), measured[str(number)].bytes)
             for number, call in enumerate(every)
             if "Reduce" in call and "Synchro" in call and str(number) in measured
             and re.search(r", (\d+), \d*\d{3}", call)}
    tap.equal(sizes, {(0, 0), (1, 8), (1001, 1008)}, f"{pes} PEs: counts are whole longs")


def test_parts():
    """Any set will do, in any order, except with barriers in between."""
    form = 'Shmem_Made_Reduce_Sum_Long_{}("recursive_doubling", "{}"{}, 1001)'
    run = skampi(PREAMBLE
                 + block("odd", "measure comm_strided(0, 3, 2) : " + form.format("Synchro", "put", ""))
                 + block("back", "measure comm2(3, 1) : " + form.format("Synchro", "pointer", ""))
                 + block("separated", "measure comm_strided(0, 3, 2) : " + form.format("Barrier", "put", ", 2")),
                 np=4)
    tap.equal([row.block for row in run.rows], ["odd", "back"],
              "sets that are no active sets are measured", run)
    tap.ok(run.status == 3 and "active set" in run.err, "but not with the library's barriers", run)


REFUSED = {
    'Shmem_Made_Barrier("scatter_allgather", "put")': "algorithm must be .*dissemination",
    'Shmem_Made_Broadcast_Synchro("recursive_doubling", "put", 8, 0)': "algorithm must be .*scatter_allgather",
    'Shmem_Made_Collect_Synchro("dissemination", "put", 8)': "algorithm must be .*recursive_doubling",
    'Shmem_Made_Reduce_Sum_Long_Synchro("rabenseifner", "put", 8)': "algorithm must be .*reduce_scatter",
    'Shmem_Made_Collect_Synchro("ring", "get", 8)': 'by must be one of "put", "pointer"',
    'Shmem_Made_Collect_Synchro("ring", "put", 8, 0, "both")': 'buffers must be one of "separate", "in_place"',
    'Shmem_Made_Collect_Synchro("ring", "put", 8, 0, "separate", "free")': 'target must be one of "asked", "ready"',
    'Shmem_Made_Broadcast_Synchro("ring", "put", 1mb, 0, 8)': "more than 65536 segments",
    'Shmem_Made_Collect_Synchro("ring", "put", 9223372036854775807)': "more than can be addressed",
}


def test_refused():
    def check(case):
        return refused("set_skampi_buffer(4mb)\n" + block("e", f"measure comm(1) : {case[0]}"), np=1)

    for (call, text), run in harness.in_parallel(list(REFUSED.items())[:1 if SAMPLE else None], check, 2):
        tap.ok(run.status == 2 and not run.rows and re.search(r"error: .*" + text, run.err),
               f"{call}: {text}", run)


def counting_library():
    """Tells at the end how often PE 0 called what moves and orders data."""
    return preloadable("""#define _GNU_SOURCE
#include <dlfcn.h>
#include <shmem.h>
#include <stdio.h>
static long put, fences;
void shmem_putmem(void *target, const void *source, size_t n, int pe)
{
    put++;
    ((void (*)(void *, const void *, size_t, int))dlsym(RTLD_NEXT, "shmem_putmem"))(target, source, n, pe);
}
void shmem_fence(void)
{
    fences++;
    ((void (*)(void))dlsym(RTLD_NEXT, "shmem_fence"))();
}
void shmem_global_exit(int status)
{
    fprintf(stderr, "PE %d: %ld puts, %ld fences\\n", shmem_my_pe(), put, fences);
    ((void (*)(int))dlsym(RTLD_NEXT, "shmem_global_exit"))(status);
}
void shmem_finalize(void)
{
    fprintf(stderr, "PE %d: %ld puts, %ld fences\\n", shmem_my_pe(), put, fences);
    ((void (*)(void))dlsym(RTLD_NEXT, "shmem_finalize"))();
}
""")


def test_calls():
    """By pointer nothing is put; by put each message has its fence, and there are as many as the algorithm
    says. The engine's own puts are few."""
    library = counting_library()

    def counted(algorithm, by):
        run = skampi(PREAMBLE + block("c", f'measure comm(4) : Shmem_Made_Reduce_Sum_Long_Consecutive('
                                           f'"{algorithm}", "{by}", 300, 80)'), np=4,
                     env={"LD_PRELOAD": library})
        found = re.findall(r"PE \d: (\d+) puts, (\d+) fences", run.err)
        tap.ok(run.status == 0 and len(found) == 4, f"{algorithm}, {by}: puts are counted", run)
        return [tuple(map(int, pair)) for pair in found]

    few = 200
    own = max(counted("ring", "pointer"), default=(few, few))
    tap.ok(own[0] < few, f"by pointer, nothing is put but by the engine, {own[0]} times")
    once = min(counted("recursive_doubling", "put"))[0]
    for algorithm, times in (("reduce_scatter_allgather", 2), ("ring", 3)):
        pairs = counted(algorithm, "put")
        tap.ok(all(abs(puts - times * once) < few and abs(fences - puts) < few for puts, fences in pairs),
               f"{algorithm}: {times} times the messages of recursive doubling on 4 PEs, each with a fence",
               f"{pairs}, {once}")


def test_no_pointer():
    library = preloadable("""#include <shmem.h>
void *shmem_ptr(const void *address, int pe)
{
    return pe == shmem_my_pe() ? (void *)address : 0;
}
""")
    run = skampi(PREAMBLE + block("p", 'measure comm(2) : Shmem_Made_Barrier("flat", "pointer")',
                                  'measure comm(2) : Shmem_Made_Barrier("flat", "put")'), np=2,
                 env={"LD_PRELOAD": library})
    tap.ok(run.status == 3 and len(run.rows) == 1
           and re.search(r"shmem_ptr gives PE \d no pointer to the memory of PE \d", run.err),
           "no pointer to another PE's memory: the reason, and the script goes on", run)


# Bytes of the puts of data on 3 PEs, which the engine's own do not have.
DATA_SIZES = (104, 333, 334, 336, 504, 1001, 1008, 2002, 3003)


def test_wrong_data():
    """A byte that gets lost is noticed by each function, in any algorithm."""
    library = preloadable("""#define _GNU_SOURCE
#include <dlfcn.h>
#include <shmem.h>
void shmem_putmem(void *target, const void *source, size_t n, int pe)
{
    static const size_t sizes[] = {%s};
    size_t lost = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        lost += n == sizes[i];
    ((void (*)(void *, const void *, size_t, int))dlsym(RTLD_NEXT, "shmem_putmem"))(target, source, n - lost, pe);
}
""" % ", ".join(map(str, DATA_SIZES)))
    every = [call for call in calls("put") if ", 1001" in call]
    run = skampi(PREAMBLE + "".join(block(i, f"measure comm(3) : {call}") for i, call in enumerate(every)),
                 np=3, env={"LD_PRELOAD": library}, timeout=150)
    noticed = re.findall(r"error: Shmem_Made_\w+\(.*\): wrong data: ", run.err)
    tap.ok(run.status == 3 and not run.rows, "lost bytes: no results", [row.line for row in run.rows])
    tap.equal(len(noticed), len(every), "lost bytes are noticed in every call", run)


def test_late_data():
    """Data that arrive after their number, as where the fence is missing, are noticed."""
    library = preloadable("""#define _GNU_SOURCE
#include <dlfcn.h>
#include <shmem.h>
#include <string.h>
static struct { void *target; unsigned char data[1008]; int pe; } late;
void shmem_putmem(void *target, const void *source, size_t n, int pe)
{
    void (*real)(void *, const void *, size_t, int) = dlsym(RTLD_NEXT, "shmem_putmem");
    if (n != sizeof late.data) {
        real(target, source, n, pe);
        return;
    }
    if (late.target)
        real(late.target, late.data, n, late.pe);
    late.target = target;
    late.pe = pe;
    memcpy(late.data, source, n);
}
""")
    call = 'Shmem_Made_Reduce_Sum_Long_Synchro("recursive_doubling", "put", 1001)'
    run = skampi(PREAMBLE + block("late", f"measure comm(2) : {call}"), np=2, env={"LD_PRELOAD": library})
    tap.ok(run.status == 3 and "wrong data: " in run.err, "numbers that overtake their data are noticed", run)


def main():
    if not harness.has("SHMEM"):
        skip_all("built without OpenSHMEM")
    for pes in (3,) if SAMPLE else (1, 2, 3, 7):
        test_all(pes)
    test_refused()
    if not SAMPLE:
        test_parts()
        test_calls()
        test_no_pointer()
        test_wrong_data()
        test_late_data()
    tap.done()


main()
