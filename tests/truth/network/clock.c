/*
 * The clock of the programmed network.
 */
#define _GNU_SOURCE
#include "network.h"

#include <time.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

bool use_tsc;
double ticks_per_ns = 1.0;

int64_t system_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#if defined(__x86_64__)
static bool tsc_invariant(void)
{
    unsigned int a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
}

struct reading {
    int64_t ticks, ns;
};

/* The tightest of a few, so that an interruption between the two clocks does not count. */
static struct reading both_clocks(void)
{
    struct reading best = {0, 0};
    int64_t tightest = INT64_MAX;
    for (int i = 0; i < 50; i++) {
        int64_t before = (int64_t)__builtin_ia32_rdtsc();
        int64_t ns = system_ns();
        int64_t after = (int64_t)__builtin_ia32_rdtsc();
        if (after - before < tightest) {
            tightest = after - before;
            best = (struct reading){before + tightest / 2, ns};
        }
    }
    return best;
}

void clock_calibrate(void)
{
    use_tsc = tsc_invariant();
    if (!use_tsc) {
        return;
    }
    struct reading first = both_clocks();
    while (system_ns() - first.ns < 40 * 1000 * 1000) {
    }
    struct reading second = both_clocks();
    ticks_per_ns = (double)(second.ticks - first.ticks) / (double)(second.ns - first.ns);
}
#else
void clock_calibrate(void)
{
}
#endif
