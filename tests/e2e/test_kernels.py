#!/usr/bin/env python3
# PLAIN
# TIMEOUT: 400
"""Kernels run with every algorithm on 1, 2, 3 and 7 PEs, with sizes that nothing divides; the results are
those of a serial program, also where PEs are late at any moment; wrong data are noticed; and what is refused."""

import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from builds import preloadable
from harness import SAMPLE, Tap, in_parallel, refused, skampi, skip_all

PREAMBLE = """set_min_repetitions(4)
set_max_repetitions(4)
set_max_relative_standard_error(1.0)
choose_barrier_synchronization()
"""
STEPS = 3
WAYS = ("runs", "iput", "pack")

HIMENO = [f'Kernel_Himeno(9, 11, 23, {STEPS}, "{way}", "{cut}")'
          for way in WAYS for cut in ("ij", "jk", "ik")]
STENCIL = [f'Kernel_Stencil(13, 23, {STEPS}, "{how}", "{way}")'
           for way in WAYS for how in ("flags", "barrier")]
ACCESS = [f"Kernel_Random_Access_{how}({words}, {updates}, {STEPS})"
          for how in ("Atomic", "Get_Put") for words, updates in ((1001, 77), (1, 0))]
KEYS = [f'Kernel_Key_Exchange({keys}, {most}, {STEPS}, {buckets}, "{reduction}", "{offsets}")'
        for keys, most, buckets in ((333, 65537, 1024), (0, 30, 28), (1, 1000, 33))
        for reduction in ("to_all", "puts") for offsets in ("fetch_add", "alltoall")]
CALLS = [*HIMENO, *STENCIL, *ACCESS, *KEYS]
FLAGS_ALONE = ("Kernel_Stencil(13, 23, 3)",)  # what needs no collective routine
SMALLEST = ("Kernel_Himeno(1, 1, 1, 2)", "Kernel_Stencil(1, 1, 2)",
            'Kernel_Himeno(1, 1, 1, 2, "pack", "jk")', 'Kernel_Stencil(1, 1, 2, "flags", "pack")')


def communication(call):
    name, arguments = call.split("(", 1)
    return f"{name}_Communication({arguments}"


# Call, PEs, set, words of the reason.
REFUSED = [
    ('Kernel_Himeno(8, 8, 8, 1, "runs", "ji")', 2, "MPI_COMM_WORLD", 'cut must be one of "ij"'),
    ('Kernel_Himeno(8, 8, 8, 1, "rows")', 2, "MPI_COMM_WORLD", 'algorithm must be one of "runs"'),
    ('Kernel_Stencil(8, 8, 1, "none")', 2, "MPI_COMM_WORLD", 'synchronization must be one of "flags"'),
    ("Kernel_Himeno(6, 8, 8, 1)", 7, "MPI_COMM_WORLD", "each PE needs cells"),
    ("Kernel_Stencil(1, 8, 1)", 2, "MPI_COMM_WORLD", "each PE needs cells"),
    ("Kernel_Himeno(0, 8, 8, 1)", 1, "MPI_COMM_WORLD", "(i) must be at least 1"),
    ("Kernel_Stencil(8, 0, 1)", 1, "MPI_COMM_WORLD", "(columns) must be at least 1"),
    ("Kernel_Himeno(4000000000, 8, 8, 1)", 1, "MPI_COMM_WORLD", "counted in an int"),
    ("Kernel_Himeno(100000, 100000, 1000, 1)", 1, "MPI_COMM_WORLD", "can be addressed"),
    ("Kernel_Himeno(8, 8, 8, 1)", 3, "comm2(2, 1)", "active set"),
    ('Kernel_Stencil(8, 8, 1, "barrier")', 3, "comm2(2, 1)", "active set"),
    ("Kernel_Random_Access_Atomic(8, 8, 1)", 3, "comm2(2, 1)", "active set"),
    ("Kernel_Random_Access_Atomic(0, 8, 1)", 1, "MPI_COMM_WORLD", "(words) must be at least 1"),
    ("Kernel_Key_Exchange(8, 65536, 1, 27)", 7, "MPI_COMM_WORLD", "4 buckets for each PE"),
    ("Kernel_Key_Exchange(8, 100, 1)", 1, "MPI_COMM_WORLD", "as many keys as buckets"),
    ('Kernel_Key_Exchange(8, 5000, 1, 8, "sum")', 1, "MPI_COMM_WORLD", "reduction must be"),
    ('Kernel_Key_Exchange(8, 5000, 1, 8, "puts", "sum")', 1, "MPI_COMM_WORLD", "offsets must be"),
]

# A library in which something is wrong, or late, as LIBRARY_FAULT says. What the engine calls, too, is told by
# the size: 92 bytes are a row of 23 cells.
FAULTY = r"""
#define _GNU_SOURCE
#include <shmem.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define ROW 92
#define BUCKETS 1024

static int fault(const char *name)
{
    static const char *chosen;
    if (!chosen)
        chosen = getenv("LIBRARY_FAULT");
    return chosen && strcmp(chosen, name) == 0;
}

/* Now and then, another time on each PE. */
static void late(void)
{
    static unsigned seed;
    if (!fault("late"))
        return;
    if (!seed)
        seed = 7 * (unsigned)getpid() + 1;
    if (rand_r(&seed) % 16 == 0)
        usleep(20 + rand_r(&seed) % 100);
}

void pshmem_putmem(void *, const void *, size_t, int);
void pshmem_iput32(void *, const void *, ptrdiff_t, ptrdiff_t, size_t, int);
void pshmem_fence(void);
void pshmem_long_p(long *, long, int);
void pshmem_long_wait_until(volatile long *, int, long);
void pshmem_ulong_p(unsigned long *, unsigned long, int);
void pshmem_ulong_atomic_xor(unsigned long *, unsigned long, int);
long pshmem_long_atomic_fetch_add(long *, long, int);
void pshmem_double_sum_to_all(double *, const double *, int, int, int, int, double *, long *);
void pshmem_long_sum_to_all(long *, const long *, int, int, int, int, long *, long *);
void pshmem_alltoall64(void *, const void *, size_t, int, int, int, long *);

/* The last row, which a fence does not order. */
static struct { char data[ROW]; void *to; int pe; } held;

void shmem_putmem(void *to, const void *from, size_t n, int pe)
{
    if (fault("put") && n == ROW)
        n -= 4;
    if (fault("fence") && n == ROW) {
        memcpy(held.data, from, ROW);
        held.to = to;
        held.pe = pe;
        return;
    }
    late();
    pshmem_putmem(to, from, n, pe);
}

void shmem_iput32(void *to, const void *from, ptrdiff_t t, ptrdiff_t f, size_t n, int pe)
{
    late();
    pshmem_iput32(to, from, t, f, fault("iput") ? n - 1 : n, pe);
}

void shmem_fence(void)
{
    pshmem_fence();
    late();
}

void shmem_long_p(long *to, long value, int pe)
{
    pshmem_long_p(to, value, pe);
    if (held.to) {
        usleep(2000);
        pshmem_putmem(held.to, held.data, ROW, held.pe);
        held.to = NULL;
    }
    late();
}

void shmem_long_wait_until(volatile long *at, int compare, long value)
{
    pshmem_long_wait_until(at, compare, value);
    late();
}

void shmem_ulong_p(unsigned long *to, unsigned long value, int pe)
{
    static int calls;
    if (!fault("p") || ++calls % 5)
        pshmem_ulong_p(to, value, pe);
}

void shmem_ulong_atomic_xor(unsigned long *to, unsigned long value, int pe)
{
    static int calls;
    pshmem_ulong_atomic_xor(to, fault("xor") && ++calls % 50 == 0 ? value ^ 1 : value, pe);
}

long shmem_long_atomic_fetch_add(long *to, long value, int pe)
{
    late();
    return pshmem_long_atomic_fetch_add(to, value, pe) + fault("fetch_add");
}

void shmem_double_sum_to_all(double *to, const double *from, int n, int a, int b, int c, double *w, long *s)
{
    pshmem_double_sum_to_all(to, from, n, a, b, c, w, s);
    if (fault("sum"))
        *to += 1e-3;
}

void shmem_long_sum_to_all(long *to, const long *from, int n, int a, int b, int c, long *w, long *s)
{
    pshmem_long_sum_to_all(to, from, n, a, b, c, w, s);
    if (fault("sum") && n == BUCKETS)
        to[BUCKETS / 2]++;
}

void shmem_alltoall64(void *to, const void *from, size_t n, int a, int b, int c, long *s)
{
    pshmem_alltoall64(to, from, n, a, b, c, s);
    if (fault("alltoall"))
        ++*(long *)to;
}
"""
# Fault, call that notices it.
FAULTS = [
    ("put", 'Kernel_Himeno(9, 11, 23, 3, "runs")'),
    ("put", 'Kernel_Stencil(13, 23, 3, "flags", "pack")'),
    ("put", 'Kernel_Stencil_Communication(13, 23, 3, "barrier")'),
    ("fence", "Kernel_Stencil(13, 23, 3)"),
    ("fence", 'Kernel_Stencil(13, 23, 3, "flags", "pack")'),
    ("iput", 'Kernel_Himeno_Communication(9, 11, 23, 3, "iput", "jk")'),
    ("iput", 'Kernel_Stencil(13, 23, 3, "flags", "iput")'),
    ("sum", "Kernel_Himeno(9, 11, 23, 3)"),
    ("sum", "Kernel_Key_Exchange(333, 65537, 3)"),
    ("fetch_add", "Kernel_Key_Exchange(333, 65537, 3)"),
    ("alltoall", 'Kernel_Key_Exchange_Communication(333, 65537, 3, 1024, "puts", "alltoall")'),
    ("xor", "Kernel_Random_Access_Atomic(1001, 77, 3)"),
    ("p", "Kernel_Random_Access_Get_Put(1001, 77, 3)"),
]


def script(calls, where="MPI_COMM_WORLD"):
    return PREAMBLE + "".join(
        f'begin measurement "{call.replace(chr(34), "")}"\n  measure {where} : {call}\nend measurement\n'
        for call in calls)


def is_noise(row):
    """A computation is subtracted, which may have been slower alone: few repetitions on a busy machine. It is said."""
    return row.block.startswith("Kernel_Random_Access") and "_Communication(" in row.block and any(
        note.startswith("clearly below zero") for note in row.notes)


def check_measured(tap, title, run, calls, pes):
    tap.equal(run.status, 0, f"{title}: exit status", run)
    tap.equal([row.block for row in run.rows], [call.replace('"', "") for call in calls],
              f"{title}: all are measured")
    wrong = [row.line for row in run.rows
             if not (math.isfinite(row.time) and (row.time >= 0 or is_noise(row)) and len(row.per_pe) == pes)]
    tap.equal(wrong, [], f"{title}: times of all PEs")


def test_all(tap):
    """Data are verified with each number of PEs, where faces have other sizes."""
    numbers = (2,) if SAMPLE else (1, 2, 3, 6, 7)

    def measure(pes):
        calls = CALLS[::5] if SAMPLE else [*CALLS, *map(communication, CALLS[::2])]
        return calls, skampi(script(calls), np=pes, args=["--verify", "every"], timeout=100)

    for pes, (calls, run) in in_parallel(numbers, measure, width=1):
        check_measured(tap, f"{pes} PEs", run, calls, pes)
    run = skampi(script(SMALLEST), np=1)
    check_measured(tap, "one cell", run, SMALLEST, 1)


def test_sets(tap):
    for np, where, pes, calls in ((3, "comm(2)", 2, CALLS[::4]), (5, "comm4(3, 0, 2, 1)", 4, FLAGS_ALONE)):
        run = skampi(script(calls, where), np=np)
        check_measured(tap, f"{where} of {np} PEs", run, calls, pes)


def test_sizes(tap):
    """The size of a result is what a PE has: 14 x 12 cells of 4 bytes of the larger half; words; keys."""
    calls = ["Kernel_Stencil(27, 12, 1)", "Kernel_Himeno(5, 6, 7, 1)",
             "Kernel_Random_Access_Atomic(50, 1, 1)", "Kernel_Key_Exchange(50, 5000, 1)"]
    run = skampi(script(calls), np=2)
    tap.equal([row.bytes for row in run.rows], [4 * 14 * 12, 4 * 3 * 6 * 7, 400, 200], "sizes", run)


def test_refused(tap):
    def measure(case):
        call, np, where, _ = case
        return refused(script([call], where), np=np)

    for (call, np, where, reason), run in in_parallel(REFUSED[::9] if SAMPLE else REFUSED, measure):
        tap.ok(run.status in (2, 3) and reason in run.err and not run.rows,
               f"{call} on {where} of {np}: refused, since {reason}", run)


def test_late(tap, library):
    """PEs that are late at any moment: flags and places in turn keep what others still need."""
    calls = [call for call in CALLS if "(1," not in call and "(0," not in call]
    calls = [call.replace(f", {STEPS}", ", 12", 1) for call in calls[::2]]

    def measure(np):
        return skampi(script(calls), np=np, env={"LD_PRELOAD": library, "LIBRARY_FAULT": "late"},
                      timeout=100)

    for np, run in in_parallel((2,) if SAMPLE else (2, 3), measure, width=1):
        check_measured(tap, f"late PEs, {np} of them", run, calls, np)


def test_faults(tap, library):
    def measure(case):
        fault, call = case
        return skampi(script([call]), np=2, env={"LD_PRELOAD": library, "LIBRARY_FAULT": fault})

    cases = FAULTS[::4] if SAMPLE else FAULTS
    for (fault, call), run in in_parallel(cases, measure, width=2):
        tap.ok(run.status == 3 and "wrong data: " in run.err and not run.rows,
               f"{fault} is wrong: {call} notices", run)


def main():
    if not harness.has("SHMEM"):
        skip_all("built without OpenSHMEM")
    tap = Tap()
    test_all(tap)
    test_refused(tap)
    if not SAMPLE:
        test_sets(tap)
        test_sizes(tap)
    library = preloadable(FAULTY)
    if tap.ok(library, "the faulty library is built"):
        test_faults(tap, library)
        if not SAMPLE:
            test_late(tap, library)
    tap.done()


main()
