/*
 * What tracing adds to an 8-byte put, in nanoseconds: PE 0 puts words to the last PE, in parts by
 * the routine that a tracer may wrap and by its twin that none does, in turn, since machines change
 * their speed every now and then. Parts are timed from outside, by the system's clock. Prints the
 * typical part of both, the typical difference of two that follow each other, and what reading
 * clocks costs here.
 */
#define _GNU_SOURCE
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PARTS 200
#define CALLS 5000 /* a part */
#define WORDS 512  /* written in turn */

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static double typical(double *parts)
{
    qsort(parts, PARTS, sizeof *parts, compare);
    return parts[PARTS / 2] / CALLS;
}

static uint64_t counter(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks)::"memory");
    return ticks;
#else
    return (uint64_t)now_ns();
#endif
}

static double cost_of_counter(void)
{
    static double parts[PARTS];
    uint64_t sum = 0;
    for (int part = 0; part < PARTS; part++) {
        double start = now_ns();
        for (int i = 0; i < CALLS; i++)
            sum += counter();
        parts[part] = now_ns() - start;
    }
    volatile uint64_t used = sum;
    (void)used;
    return typical(parts);
}

static double cost_of_clock(void)
{
    static double parts[PARTS];
    for (int part = 0; part < PARTS; part++) {
        double start = now_ns();
        for (int i = 0; i < CALLS; i++)
            now_ns();
        parts[part] = now_ns() - start;
    }
    return typical(parts);
}

typedef void put_function(long *target, const long *source, size_t count, int pe);
put_function pshmem_long_put;

/* The least that a tracer can do: parameters and two readings of the counter, into memory. */
static void noted_put(long *target, const long *source, size_t count, int pe)
{
    static struct {
        long *target;
        const long *source;
        size_t count;
        int pe;
        uint64_t start, end;
    } notes[4096], *note;
    static unsigned next;
    note = &notes[next++ % (sizeof notes / sizeof *notes)];
    note->target = target;
    note->source = source;
    note->count = count;
    note->pe = pe;
    note->start = counter();
    pshmem_long_put(target, source, count, pe);
    note->end = counter();
}

static double time_puts(put_function *put, long *words, int pe)
{
    static const long value = 1;
    double start = now_ns();
    for (int i = 0; i < CALLS; i++)
        put(&words[i % WORDS], &value, 1, pe);
    double taken = now_ns() - start;
    shmem_quiet();
    return taken;
}

static void print_puts(long *words, int pe)
{
    static double wrapped[PARTS], twin[PARTS], added[PARTS], least[PARTS];
    for (int part = 0; part < PARTS; part++) {
        twin[part] = time_puts(pshmem_long_put, words, pe);
        wrapped[part] = time_puts(shmem_long_put, words, pe);
        least[part] = time_puts(noted_put, words, pe) - twin[part];
        added[part] = wrapped[part] - twin[part];
    }
    printf("put %.3f\ntwin %.3f\nadded %.3f\nleast %.3f\n", typical(wrapped), typical(twin),
           typical(added), typical(least));
}

int main(void)
{
    shmem_init();
    long *words = shmem_malloc(WORDS * sizeof *words);
    if (!words)
        shmem_global_exit(1);
    shmem_barrier_all();
    if (shmem_my_pe() == 0) {
        time_puts(pshmem_long_put, words, shmem_n_pes() - 1); /* first calls are slow */
        time_puts(shmem_long_put, words, shmem_n_pes() - 1);
        print_puts(words, shmem_n_pes() - 1);
        printf("counter %.3f\nclock %.3f\n", cost_of_counter(), cost_of_clock());
        fflush(stdout);
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
