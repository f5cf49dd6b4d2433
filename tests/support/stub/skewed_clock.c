/*
 * Preloaded: CLOCK_MONOTONIC of each PE but the first is wrong by SKEWED_CLOCK_OFFSET seconds, and
 * runs fast by SKEWED_CLOCK_DRIFT seconds per second. When there is a file SKEWED_CLOCK_STEP, it
 * has been set forward by a second.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int64_t offset, begin;
static double drift;
static const char *step;
static int64_t stepped;

static int64_t nanoseconds(const struct timespec *time)
{
    return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

__attribute__((constructor)) static void prepare(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *seconds = getenv("SKEWED_CLOCK_OFFSET");
    const char *rate = getenv("SKEWED_CLOCK_DRIFT");
    struct timespec now;
    if (!rank || atoi(rank) == 0)
        return;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    begin = nanoseconds(&now);
    offset = seconds ? (int64_t)(atof(seconds) * 1e9) : 0;
    drift = rate ? atof(rate) : 0;
    step = getenv("SKEWED_CLOCK_STEP");
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    int status = (int)syscall(SYS_clock_gettime, clock, time);
    if (clock == CLOCK_MONOTONIC && begin && status == 0) {
        int64_t right = nanoseconds(time);
        if (step && !stepped && access(step, F_OK) == 0)
            stepped = 1000000000;
        int64_t wrong = right + offset + stepped + (int64_t)((double)(right - begin) * drift);
        time->tv_sec = wrong / 1000000000;
        time->tv_nsec = wrong % 1000000000;
    }
    return status;
}
