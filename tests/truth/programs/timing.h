/*
 * What the programs that time calls without skampi share.
 */
#ifndef TRUTH_TIMING_H
#define TRUTH_TIMING_H

#include <shmem.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define BATCHES 15

static inline int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The first quartile: interruptions only add. */
static inline double typical(double *x, int n)
{
    qsort(x, (size_t)n, sizeof x[0], compare);
    return x[n / 4];
}

/* A barrier behind each, so that the PEs begin the next one together. */
static inline double time_apart(void (*operation)(void))
{
    enum { CALLS = 200 };
    double times[CALLS];
    for (int i = 0; i < CALLS; i++) {
        shmem_barrier_all();
        int64_t start = now_ns();
        operation();
        times[i] = (double)(now_ns() - start);
    }
    return typical(times, CALLS);
}

static inline double time_together(void (*operation)(void), int calls)
{
    double batch[BATCHES];
    for (int b = 0; b < BATCHES; b++) {
        shmem_barrier_all();
        int64_t start = now_ns();
        for (int i = 0; i < calls; i++) {
            operation();
        }
        batch[b] = (double)(now_ns() - start) / calls;
    }
    return typical(batch, BATCHES);
}

#endif
