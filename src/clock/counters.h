/*
 * Hardware counters, through PAPI. While counting, each reading of the timer in use also reads the
 * counters, so that what is counted is what is timed: what lies between the two readings that
 * run_elapsed() is given. A reading takes up to a microsecond then, which is why times come from
 * repetitions in which nothing is counted; there counters cost nothing.
 *
 * One set of counters a process, as there is one timer in use; they count the main thread. Nothing
 * here communicates. Any PE.
 */
#ifndef SKAMPI_CLOCK_COUNTERS_H
#define SKAMPI_CLOCK_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNTERS_MAX 16

/* From now on these events are to be counted; none when n is 0. Returns NULL, or why this PE
 * cannot, a text for the user that the caller frees; then nothing is counted. */
char *counters_choose(const char *const *names, size_t n);
size_t counters_count(void);
const char *counters_name(size_t i);

/* Between these two, timed regions are counted. The timer in use must not change meanwhile. */
void counters_begin(void);
/* Counts of all regions in between, less what reading the counters itself counts: one value for
 * each event; NaN when there was no region, or one with too many readings of the timer in it. */
void counters_end(double *counts);

bool counters_counting(void);
/* A timed region has ended: the two readings of the timer. */
void counters_region(int64_t start, int64_t stop);
/* What comes between these two is not counted, and readings of the timer are plain. */
void counters_hold(void);
void counters_release(void);

#endif
