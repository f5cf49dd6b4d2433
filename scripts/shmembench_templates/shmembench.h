/*
 * What the programs of shmembench share: time, patterns, what went wrong. Nothing here calls
 * OpenSHMEM, so that only the programs hold the list of calls.
 */
#ifndef SHMEMBENCH_H
#define SHMEMBENCH_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* clock_gettime, dl_iterate_phdr */
#endif
#include <dlfcn.h>
#include <link.h>
#include <shmem.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __has_include
#if __has_include(<shmemx.h>)
#include <shmemx.h>
#endif
#endif

#define GUARD 0xA5     /* what a byte holds that nobody may write */
#define GUARD_BYTES 64 /* checked on each side of what was written */
#define FAILURES_SHOWN 20

struct bits128 {
    uint64_t half[2];
};

static int me, npes, next, previous;
static unsigned call_number; /* the same on all PEs */
static int failures;         /* of this PE */
static double call_start, call_seconds;

static inline double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static inline void start(void)
{
    call_start = now();
}

static inline void stop(void)
{
    call_seconds = now() - call_start;
}

/* One line a call, by PE 0. */
static inline void report(const char *routine, size_t elements, size_t bytes)
{
    if (me == 0)
        printf("%-36s %10zu %12zu %12.3f\n", routine, elements, bytes, call_seconds * 1e6);
}

static inline void fail(const char *routine, const char *what, size_t index)
{
    if (failures++ < FAILURES_SHOWN)
        printf("error: PE %d of %d: %s: %s (element %zu, call %u)\n", me, npes, routine, what,
               index, call_number);
    fflush(stdout);
}

static inline unsigned char pattern(int pe, size_t index)
{
    return (unsigned char)(call_number * 41 + (unsigned)pe * 17 + index * 7 + (index >> 8) + 1);
}

static inline void clear(void *place, size_t bytes)
{
    memset((unsigned char *)place - GUARD_BYTES, GUARD, bytes + 2 * GUARD_BYTES);
}

/* Elements of a PE's pattern, every stride-th; what lies between them is left alone. */
static inline void fill(void *place, size_t size, size_t elements, size_t stride, int pe)
{
    unsigned char *at = (unsigned char *)place;
    for (size_t i = 0; i < elements; i++)
        for (size_t byte = 0; byte < size; byte++)
            at[i * stride * size + byte] = pattern(pe, i * size + byte);
}

/* Elements are those that fill() made there; what lies between them was not touched. */
static inline void check_elements(const char *routine, const void *place, size_t size,
                                  size_t elements, size_t stride, int pe)
{
    const unsigned char *at = (const unsigned char *)place;
    for (size_t i = 0; i < elements; i++) {
        for (size_t byte = 0; byte < size; byte++)
            if (at[i * stride * size + byte] != pattern(pe, i * size + byte)) {
                fail(routine, "wrong data", i);
                return;
            }
        for (size_t byte = size; byte < stride * size && i + 1 < elements; byte++)
            if (at[i * stride * size + byte] != GUARD) {
                fail(routine, "wrote between the elements", i);
                return;
            }
    }
}

/* Nothing was written before and after the place. */
static inline void check_guards(const char *routine, const void *place, size_t bytes)
{
    const unsigned char *at = (const unsigned char *)place;
    for (size_t byte = 0; byte < GUARD_BYTES; byte++)
        if (*(at - GUARD_BYTES + byte) != GUARD || at[bytes + byte] != GUARD) {
            fail(routine, "wrote outside of its target", byte);
            return;
        }
}

static inline void check(const char *routine, const void *place, size_t size, size_t elements,
                         size_t stride, int pe)
{
    check_elements(routine, place, size, elements, stride, pe);
    check_guards(routine, place, ((elements - 1) * stride + 1) * size);
}

/* Open MPI up to 4.1.5 unloads a component in shmem_finalize and jumps into it afterwards (issue
 * 11604): keep it loaded. */
static inline int pin_component(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    if (strstr(info->dlpi_name, "mca_spml_ucx"))
        dlopen(info->dlpi_name, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
    return 0;
}

#endif
