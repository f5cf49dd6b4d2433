/*
 * Counts hardware events in timed regions, through PAPI.
 */
#include "clock/counters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "clock/timer.h"

#if SKAMPI_PAPI
#include <papi.h>
#endif

/* Of the timer, that are remembered until a region ends: more than any function takes meanwhile. */
#define READINGS 32
/* To find what reading the counters itself counts. */
#define OVERHEAD_READINGS 100

struct reading {
    int64_t ticks;
    long long counts[COUNTERS_MAX];
};

static struct {
    size_t count; /* of events; 0: none are chosen */
    char *names[COUNTERS_MAX];
    int set;                          /* of PAPI */
    long long overhead[COUNTERS_MAX]; /* from one reading to the next */
    /* While counting */
    struct timer *plain, timer; /* the timer in use otherwise, and now */
    bool plain_is_tsc, counting, held, incomplete;
    size_t regions, next;              /* reading to be overwritten */
    struct reading readings[READINGS]; /* the last ones */
    long long excluded[COUNTERS_MAX], before_hold[COUNTERS_MAX];
    double sums[COUNTERS_MAX];
} counters;

size_t counters_count(void)
{
    return counters.count;
}

const char *counters_name(size_t i)
{
    return counters.names[i];
}

bool counters_counting(void)
{
    return counters.counting;
}

#if SKAMPI_PAPI

static void read_counts(long long *counts)
{
    if (PAPI_read(counters.set, counts) != PAPI_OK)
        counters.incomplete = true;
}

static void give_up_set(void)
{
    long long counts[COUNTERS_MAX];
    PAPI_stop(counters.set, counts);
    PAPI_cleanup_eventset(counters.set);
    PAPI_destroy_eventset(&counters.set);
    counters.set = PAPI_NULL;
}

static char *add_event(const char *name)
{
    int code, status = PAPI_event_name_to_code(name, &code);
    bool known = status == PAPI_OK;
    if (known)
        status = PAPI_add_event(counters.set, code);
    if (status == PAPI_OK)
        return NULL;
    if (PAPI_num_cmp_hwctrs(0) <= 0)
        return text_format(
            "\"%s\" cannot be counted: PAPI has no hardware counters here (%s; papi_avail "
            "shows \"Number Hardware Counters : 0\")",
            name, PAPI_strerror(status));
    if (!known)
        return text_format(
            "there is no event \"%s\" (%s); papi_avail and papi_native_avail list them", name,
            PAPI_strerror(status));
    return text_format("\"%s\" cannot be counted here, or not together with those before it: %s; "
                       "papi_avail shows which events this processor has",
                       name, PAPI_strerror(status));
}

/* The smallest difference of successive readings, since interruptions only add. */
static void find_overhead(void)
{
    for (size_t i = 0; i < counters.count; i++)
        counters.overhead[i] = INT64_MAX;
    long long last[COUNTERS_MAX], now[COUNTERS_MAX];
    read_counts(last);
    for (int reading = 0; reading < OVERHEAD_READINGS; reading++) {
        read_counts(now);
        for (size_t i = 0; i < counters.count; i++)
            if (now[i] - last[i] < counters.overhead[i])
                counters.overhead[i] = now[i] - last[i];
        memcpy(last, now, sizeof last);
    }
}

static char *start_set(const char *const *names, size_t n)
{
    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
        return text_format("PAPI cannot be initialized here");
    counters.set = PAPI_NULL;
    int status = PAPI_create_eventset(&counters.set);
    if (status != PAPI_OK)
        return text_format("PAPI cannot count: %s", PAPI_strerror(status));
    char *error = NULL;
    for (size_t i = 0; i < n && !error; i++)
        error = add_event(names[i]);
    if (!error && (status = PAPI_start(counters.set)) != PAPI_OK)
        error = text_format("counting cannot be started: %s", PAPI_strerror(status));
    if (error)
        give_up_set();
    return error;
}

#else

static void read_counts(long long *counts)
{
    memset(counts, 0, sizeof *counts * counters.count);
}

static void give_up_set(void)
{
}

static void find_overhead(void)
{
}

static char *start_set(const char *const *names, size_t n)
{
    (void)names;
    (void)n;
    return text_format("built without PAPI: install its library and header and build again");
}

#endif

char *counters_choose(const char *const *names, size_t n)
{
    if (counters.count > 0)
        give_up_set();
    for (size_t i = 0; i < counters.count; i++)
        free(counters.names[i]);
    counters.count = 0;
    if (n == 0)
        return NULL;
    if (n > COUNTERS_MAX)
        return text_format("%zu events are too many; at most %d can be counted together", n,
                           COUNTERS_MAX);
    char *error = start_set(names, n);
    if (error)
        return error;
    for (size_t i = 0; i < n; i++)
        counters.names[i] = memory_text(names[i]);
    counters.count = n;
    find_overhead();
    return NULL;
}

/* ---- While counting ---- */

/* What the timer in use becomes. */
static int64_t now_counting(void)
{
    if (counters.held)
        return counters.plain->now();
    struct reading *reading = &counters.readings[counters.next++ % READINGS];
    read_counts(reading->counts);
    for (size_t i = 0; i < counters.count; i++)
        reading->counts[i] -= counters.excluded[i];
    return reading->ticks = counters.plain->now();
}

void counters_begin(void)
{
    counters.counting = true;
    counters.held = counters.incomplete = false;
    counters.regions = counters.next = 0;
    memset(counters.excluded, 0, sizeof counters.excluded);
    memset(counters.sums, 0, sizeof counters.sums);
    counters.plain = timer_in_use;
    counters.plain_is_tsc = timer_is_tsc;
    counters.timer = *timer_in_use;
    counters.timer.now = now_counting;
    timer_in_use = &counters.timer;
    timer_is_tsc = false;
}

void counters_end(double *counts)
{
    bool whole = counters.regions > 0 && !counters.incomplete;
    counters.counting = false;
    timer_in_use = counters.plain;
    timer_is_tsc = counters.plain_is_tsc;
    for (size_t i = 0; i < counters.count; i++)
        counts[i] = whole ? counters.sums[i] : NAN;
}

/* Of several readings at the same tick the first for a start, the last for a stop. */
static const struct reading *find(int64_t ticks, bool first)
{
    const struct reading *found = NULL;
    size_t kept = counters.next < READINGS ? counters.next : READINGS;
    for (size_t age = 1; age <= kept && (first || !found); age++) {
        const struct reading *reading = &counters.readings[(counters.next - age) % READINGS];
        if (reading->ticks == ticks)
            found = reading;
    }
    return found;
}

void counters_region(int64_t start, int64_t stop)
{
    const struct reading *from = find(start, true), *to = find(stop, false);
    counters.regions++;
    if (!from || !to) {
        counters.incomplete = true;
        return;
    }
    for (size_t i = 0; i < counters.count; i++)
        counters.sums[i] += (double)(to->counts[i] - from->counts[i] - counters.overhead[i]);
}

void counters_hold(void)
{
    if (!counters.counting)
        return;
    read_counts(counters.before_hold);
    counters.held = true;
}

void counters_release(void)
{
    if (!counters.counting)
        return;
    long long now[COUNTERS_MAX];
    counters.held = false;
    read_counts(now);
    for (size_t i = 0; i < counters.count; i++)
        counters.excluded[i] += now[i] - counters.before_hold[i] + counters.overhead[i];
}
