#define _GNU_SOURCE /* CLOCK_MONOTONIC_RAW */
#include "clock/timer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

#include "comm/comm.h"
#include <time.h>

#if SKAMPI_PAPI
#include <papi.h>
#endif
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define CALIBRATION_SECONDS 0.05
#define AGREEMENT_SECONDS 0.1
#define DISAGREEMENT_LIMIT 1e-3 /* NTP slews by half of this at most */
#define READS 1000              /* in a row, to characterize a timer */
#define BATCHES 7               /* of them; the fastest counts, since interruptions only add */

static int64_t read_clock(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t now_monotonic(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

static int64_t now_raw(void)
{
    return read_clock(CLOCK_MONOTONIC_RAW);
}

static int64_t now_gettimeofday(void)
{
    struct timeval t;
    gettimeofday(&t, NULL);
    return (int64_t)t.tv_sec * 1000000 + t.tv_usec;
}

static const char *always(void)
{
    return NULL;
}

/* The processor's counter, read in order with the code around it. */
#if defined(__x86_64__)
static int64_t now_tsc(void)
{
    return timer_read_tsc();
}

static const char *tsc_unusable(void)
{
    unsigned int a, b, c, d;
    if (!__get_cpuid(0x80000007, &a, &b, &c, &d) || !(d & 1 << 8))
        return "the time-stamp counter of this processor is not invariant";
    return NULL;
}
#elif defined(__aarch64__)
static int64_t now_tsc(void)
{
    uint64_t ticks;
    __asm__ volatile("isb; mrs %0, cntvct_el0; isb" : "=r"(ticks)::"memory");
    return (int64_t)ticks;
}

static const char *tsc_unusable(void)
{
    return NULL; /* the architecture's generic timer is constant and shared by all processors */
}
#elif defined(__powerpc64__)
static int64_t now_tsc(void)
{
    uint64_t ticks;
    __asm__ volatile("isync; mfspr %0, 268; isync" : "=r"(ticks)::"memory");
    return (int64_t)ticks;
}

static const char *tsc_unusable(void)
{
    return NULL; /* the time base is constant and synchronized over all processors of a machine */
}
#else
static int64_t now_tsc(void)
{
    return 0;
}

static const char *tsc_unusable(void)
{
    return "no time-stamp counter known on this architecture";
}
#endif

#if SKAMPI_PAPI
static const char *papi_unusable(void)
{
    static int version; /* 0: not yet asked */
    if (version == 0)
        version = PAPI_library_init(PAPI_VER_CURRENT);
    return version == PAPI_VER_CURRENT ? NULL : "PAPI cannot be initialized here";
}

static int64_t now_papi_cyc(void)
{
    return (int64_t)PAPI_get_real_cyc();
}

static int64_t now_papi_nsec(void)
{
    return (int64_t)PAPI_get_real_nsec();
}
#else
static const char *papi_unusable(void)
{
    return "built without PAPI";
}

static int64_t now_papi_cyc(void)
{
    return 0;
}

static int64_t now_papi_nsec(void)
{
    return 0;
}
#endif

/* Through comm/, the only one that knows the library. */
static int64_t now_mpi_wtime(void)
{
    return (int64_t)(comm_wtime() * 1e9);
}

static const char *mpi_wtime_unusable(void)
{
    return comm_wtime_unusable();
}

/* In order of preference where none is chosen: the first usable one is the default. */
static struct timer timers[] = {
    {"tsc", now_tsc, 0, tsc_unusable, true, true, 0, 0, 0, NULL, 0, 0},
    {"clock_gettime", now_monotonic, 1e9, always, true, true, 0, 0, 0, NULL, 0, 0},
    {"clock_gettime_raw", now_raw, 1e9, always, true, true, 0, 0, 0, NULL, 0, 0},
    {"gettimeofday", now_gettimeofday, 1e6, always, true, true, 0, 0, 0, NULL, 0, 0},
    {"papi_cyc", now_papi_cyc, 0, papi_unusable, true, true, 0, 0, 0, NULL, 0, 0},
    {"papi_nsec", now_papi_nsec, 1e9, papi_unusable, false, true, 0, 0, 0, NULL, 0, 0},
    {"mpi_wtime", now_mpi_wtime, 1e9, mpi_wtime_unusable, false, false, 0, 0, 0, NULL, 0, 0},
};

/* timer_now() knows how to read the counter of this architecture inline. */
#if defined(__x86_64__)
static const bool timer_inline = true;
#else
static const bool timer_inline = false;
#endif

struct timer *timer_in_use = &timers[1];
bool timer_is_tsc;

size_t timer_count(void)
{
    return sizeof timers / sizeof *timers;
}

struct timer *timer_at(size_t i)
{
    return i < timer_count() ? &timers[i] : NULL;
}

struct timer *timer_find(const char *name)
{
    for (size_t i = 0; i < timer_count(); i++)
        if (strcmp(timers[i].name, name) == 0)
            return &timers[i];
    return NULL;
}

struct timer *timer_second(const struct timer *timer)
{
    const struct timer *own = timer_find(timer->name); /* that one may be wrong for a test */
    if (own->now == now_tsc || own->now == now_papi_cyc)
        return timer_find("clock_gettime");
    if (!tsc_unusable())
        return timer_find("tsc");
    return timer_find(own->now == now_monotonic ? "clock_gettime_raw" : "clock_gettime");
}

int64_t timer_ticks(double seconds)
{
    return (int64_t)(seconds * timer_in_use->ticks_per_second);
}

/* ---- A clock that is wrong, for tests ---- */

static struct {
    bool on;
    double offset, drift;
    const struct timer *right;
    int64_t begin;
} skew;

static int64_t now_skewed(void)
{
    int64_t now = skew.right->now();
    return now + (int64_t)(skew.offset * skew.right->ticks_per_second) +
           (int64_t)((double)(now - skew.begin) * skew.drift);
}

void timer_skew(double offset, double drift)
{
    skew.on = true;
    skew.offset = offset;
    skew.drift = drift;
}

const char *timer_select(const char *name)
{
    static struct timer skewed;
    struct timer *timer = timer_find(name);
    if (!timer)
        return "there is no timer of that name";
    const char *reason = timer->unusable();
    if (reason)
        return reason;
    if (timer->refused)
        return timer->refused;
    if (skew.on) {
        skew.right = timer;
        skew.begin = timer->now();
        skewed = *timer;
        skewed.now = now_skewed;
        timer = &skewed;
    }
    timer_in_use = timer;
    timer_is_tsc = timer == &timers[0] && timer_inline;
    return NULL;
}

/* ---- Calibration ---- */

struct reading {
    int64_t ticks, other;
};

/* A reading of two clocks at one moment: the closest of several tries. */
static struct reading read_both(const struct timer *timer, int64_t (*other)(void))
{
    struct reading best = {0, 0};
    int64_t closest = INT64_MAX;
    for (int i = 0; i < 20; i++) {
        int64_t before = other(), ticks = timer->now(), after = other();
        if (after - before < closest) {
            closest = after - before;
            best.ticks = ticks;
            best.other = before + (after - before) / 2;
        }
    }
    return best;
}

static struct reading tsc_begin; /* against CLOCK_MONOTONIC_RAW, at the start of the program */

static void begin_agreement(struct timer *timer)
{
    struct reading reading = read_both(timer, now_monotonic);
    timer->begin = reading.ticks;
    timer->begin_monotonic = reading.other;
}

void timer_calibration_begin(void)
{
    if (!tsc_unusable())
        tsc_begin = read_both(&timers[0], now_raw);
    for (size_t i = 0; i < timer_count(); i++)
        /* Those of other libraries have to be started first. */
        if (timers[i].unusable == always || timers[i].unusable == tsc_unusable)
            if (!timers[i].unusable())
                begin_agreement(&timers[i]);
}

static double disagreement(struct timer *timer)
{
    if (timer->begin_monotonic == 0)
        begin_agreement(timer);
    struct reading end;
    do
        end = read_both(timer, now_monotonic);
    while ((double)(end.other - timer->begin_monotonic) < AGREEMENT_SECONDS * 1e9);
    return (double)(end.ticks - timer->begin) / timer->ticks_per_second /
               ((double)(end.other - timer->begin_monotonic) * 1e-9) -
           1;
}

double timer_calibrate(const struct timer *timer)
{
    if (timer->ticks_per_second != 0)
        return timer->ticks_per_second;
    bool begun = timer == &timers[0] && tsc_begin.other;
    struct reading begin = begun ? tsc_begin : read_both(timer, now_raw), end;
    do
        end = read_both(timer, now_raw);
    while ((double)(end.other - begin.other) < CALIBRATION_SECONDS * 1e9);
    return (double)(end.ticks - begin.ticks) / ((double)(end.other - begin.other) * 1e-9);
}

void timer_characterize(struct timer *timer)
{
    int64_t step = INT64_MAX;
    double cost = 1e300;
    for (int batch = 0; batch < BATCHES; batch++) {
        int64_t first = timer->now(), last = first;
        for (int i = 0; i < READS; i++) {
            int64_t now = timer->now();
            if (now < last)
                timer->refused = "the timer went backwards";
            if (now > last && now - last < step)
                step = now - last;
            last = now;
        }
        double mean = (double)(last - first) / READS;
        if (mean < cost)
            cost = mean;
    }
    if (step == INT64_MAX) {
        timer->refused = "the timer stands still";
        step = 0;
    }
    timer->resolution = (double)step / timer->ticks_per_second;
    timer->cost = cost / timer->ticks_per_second;
    timer->disagreement = disagreement(timer);
    if (fabs(timer->disagreement) > DISAGREEMENT_LIMIT)
        timer->refused = "it disagrees with CLOCK_MONOTONIC by more than 0.1 % over 100 ms";
}

const char *timer_clock_source(void)
{
    static char name[64] = "unknown";
    FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "r");
    if (file) {
        if (fscanf(file, "%63s", name) != 1)
            strcpy(name, "unknown");
        fclose(file);
    }
    return name;
}
