/* The start and the end of a process, and the memory it takes. */
#define _GNU_SOURCE /* CLOCK_MONOTONIC */
#include "base/process.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

double wall_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static _Atomic(const char *) stage;

void process_enter(const char *what)
{
    atomic_store(&stage, what);
}

const char *process_stage(void)
{
    return atomic_load(&stage);
}

static enum process_threads threads;

void process_set_threads(enum process_threads given)
{
    threads = given;
}

enum process_threads process_threads(void)
{
    return threads;
}

/* statm is kept per processor and may be off by some pages for each; smaps_rollup counts, but
 * needs Linux 4.14. */
static double rolled_up(void)
{
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    char line[256];
    double kilobytes = NAN;
    while (file && isnan(kilobytes) && fgets(line, sizeof line, file))
        if (sscanf(line, "Rss: %lf kB", &kilobytes) != 1)
            kilobytes = NAN;
    if (file)
        fclose(file);
    return kilobytes * 1024;
}

double resident_bytes(void)
{
    double bytes = rolled_up();
    if (!isnan(bytes))
        return bytes;
    FILE *file = fopen("/proc/self/statm", "r");
    double pages = NAN;
    if (file && fscanf(file, "%*s %lf", &pages) != 1)
        pages = NAN;
    if (file)
        fclose(file);
    return pages * (double)sysconf(_SC_PAGESIZE);
}
