/*
 * Preloaded: a machine with two states, which changes between them at times that all PEs of a node
 * know. SKAMPI_STATES: PERIOD SHARE DELAY, in seconds: of each PERIOD the last SHARE (0 to 1) is in
 * the slow state, in which waiting for a word takes longer by DELAY.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <shmem.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void delay(void)
{
    static double period, share, delay;
    const char *text = getenv("SKAMPI_STATES");
    if (period == 0 && (!text || sscanf(text, "%lf %lf %lf", &period, &share, &delay) != 3))
        abort();
    double begin = now();
    if (fmod(begin, period) < (1 - share) * period)
        return;
    while (now() < begin + delay)
        continue;
}

void shmem_int64_wait_until(volatile int64_t *word, int comparison, int64_t value)
{
    static void (*real)(volatile int64_t *, int, int64_t);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "shmem_int64_wait_until");
    real(word, comparison, value);
    delay();
}
