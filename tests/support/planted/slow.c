/*
 * A shared library between programs and OpenSHMEM, in which some calls last as long as programmed:
 * quiets; atomics, of which one is made at a time; gets from a PE that computes. PEs are on one
 * node, and wait for one another in memory: the file PLANTED_FILE. It has the routines by the names
 * that the tracer calls.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <shmem.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "planted.h"

struct planted planted;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* What all PEs see. */
static struct shared {
    double start;      /* seconds */
    int away;          /* odd: a PE computes */
    int next, serving; /* tickets for the atomic */
} * shared(void)
{
    static struct shared *all;
    int file = all ? -1 : open(getenv("PLANTED_FILE"), O_RDWR | O_CREAT, 0600);
    if (all)
        return all;
    if (file < 0 || ftruncate(file, sizeof *all))
        abort();
    return all = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
}

static void wait_until(double end)
{
    for (double rest; (rest = end - now()) > 0;)
        if (rest > 300e-6)
            usleep((useconds_t)((rest - 200e-6) * 1e6));
}

void planted_appoint(void)
{
    shared()->start = now() + 5e-3;
}

void planted_start(void)
{
    wait_until(shared()->start);
}

void planted_wait(double seconds)
{
    double begin = now();
    wait_until(begin + seconds);
}

static struct note {
    const char *what;
    double time;
} notes[1000];
static size_t note_count;

static void note(const char *what)
{
    if (note_count < sizeof notes / sizeof *notes)
        notes[note_count++] = (struct note){what, now()};
}

void planted_come(void)
{
    note("comes");
}

void planted_go(void)
{
    note("goes");
}

void planted_print(const char *cause)
{
    for (size_t i = 0; i < note_count; i++)
        printf("%s %s %d %.9f\n", cause, notes[i].what, shmem_my_pe(), notes[i].time);
    note_count = 0;
}

/* The library makes progress meanwhile, since others may need it. */
static void doze(void)
{
    void (*progress)(void) = dlsym(RTLD_DEFAULT, "opal_progress");
    if (progress)
        progress();
    usleep(10);
}

void planted_leave(void)
{
    __atomic_fetch_add(&shared()->away, 1, __ATOMIC_SEQ_CST);
    planted.away = 1;
}

void pshmem_long_put(long *to, const long *from, size_t count, int pe)
{
    void (*put)(long *, const long *, size_t, int) = dlsym(RTLD_NEXT, "pshmem_long_put");
    if (planted.away)
        __atomic_fetch_add(&shared()->away, 1, __ATOMIC_SEQ_CST);
    planted.away = 0;
    put(to, from, count, pe);
}

void pshmem_getmem(void *to, const void *from, size_t bytes, int pe)
{
    void (*get)(void *, const void *, size_t, int) = dlsym(RTLD_NEXT, "pshmem_getmem");
    int away = __atomic_load_n(&shared()->away, __ATOMIC_SEQ_CST);
    while (away % 2 && __atomic_load_n(&shared()->away, __ATOMIC_SEQ_CST) == away)
        doze();
    get(to, from, bytes, pe);
}

long pshmem_long_atomic_fetch_add(long *to, long value, int pe)
{
    long (*add)(long *, long, int) = dlsym(RTLD_NEXT, "pshmem_long_atomic_fetch_add");
    if (planted.atomic <= 0)
        return add(to, value, pe);
    planted_come();
    int ticket = __atomic_fetch_add(&shared()->next, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&shared()->serving, __ATOMIC_SEQ_CST) != ticket)
        doze();
    planted_wait(planted.atomic);
    long before = add(to, value, pe);
    planted_go();
    __atomic_fetch_add(&shared()->serving, 1, __ATOMIC_SEQ_CST);
    return before;
}

void pshmem_quiet(void)
{
    void (*quiet)(void) = dlsym(RTLD_NEXT, "pshmem_quiet");
    bool slow = planted.quiet > 0;
    if (slow)
        planted_come();
    quiet();
    if (slow) {
        planted_wait(planted.quiet);
        planted_go();
    }
}
