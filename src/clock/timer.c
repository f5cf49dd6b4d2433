/* The table of timers: reading, calibrating and judging them. */
#define _GNU_SOURCE /* CLOCK_MONOTONIC_RAW */
#include "clock/timer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/process.h"
#include "comm/comm.h"

#if SKAMPI_PAPI
#include <papi.h>
#endif
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define CALIBRATION_SECONDS 0.05
/* A counter is calibrated until its rate is known to this share, or until
 * LONGEST_CALIBRATION_SECONDS have passed. */
#define CALIBRATION_BOUND 20e-6
#define LONGEST_CALIBRATION_SECONDS 1.0
#define AGREEMENT_SECONDS 0.1
/* Sources that differ in rate by more than this are reported. */
#define RATE_LIMIT 100e-6
#define DISAGREEMENT_LIMIT 1e-3 /* NTP slews by half of this at most */
#define READS 1000              /* in a row, to characterize a timer */
#define BATCHES 7 /* of readings; the fastest batch counts, since interruptions only add time */

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

/* By a system call, since a preloaded library may have replaced the C library's function. */
static int64_t now_realtime(void)
{
    struct timespec t;
#ifdef SYS_clock_gettime
    if (syscall(SYS_clock_gettime, CLOCK_REALTIME, &t) != 0)
#endif
        clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static const char *always(void)
{
    return NULL;
}

/* The processor's counter. Fences keep the reading in its place among the code around it. */
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
#define now_tsc NULL
static const char *tsc_unusable(void)
{
    return "no time-stamp counter known on this architecture";
}
#endif

#if SKAMPI_PAPI
static const char *papi_unusable(void)
{
    static int version; /* 0 until the library has been asked */
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
#define now_papi_cyc NULL
#define now_papi_nsec NULL
static const char *papi_unusable(void)
{
    return "built without PAPI";
}
#endif

/* Asks comm, the only module that knows MPI. */
static int64_t now_mpi_wtime(void)
{
    return (int64_t)(comm_wtime() * 1e9);
}

/* In order of preference where none is chosen: the first usable one is the default. */
static struct timer timers[] = {
    {"tsc", now_tsc, 0, tsc_unusable, .user_space = true, .shared = true},
    {"clock_gettime", now_monotonic, 1e9, always, .user_space = true, .shared = true},
    {"clock_gettime_raw", now_raw, 1e9, always, .user_space = true, .shared = true},
    {"gettimeofday", now_gettimeofday, 1e6, always, .user_space = true, .shared = true},
    {"papi_cyc", now_papi_cyc, 0, papi_unusable, .user_space = true, .shared = true},
    {"papi_nsec", now_papi_nsec, 1e9, papi_unusable, .shared = true},
    {"mpi_wtime", now_mpi_wtime, 1e9, comm_mpi_unusable, .shared = false},
};

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
    const struct timer *own =
        timer_find(timer->name); /* the timer given may be one that a test has made wrong */
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

/* ---- Readings of two clocks ---- */

struct reading {
    int64_t ticks, other, width; /* the ticks were read within `width` of the other clock */
};

/* Reads two clocks at one moment: of several tries the one whose readings are closest. */
static struct reading read_both(const struct timer *timer, int64_t (*other)(void))
{
    struct reading best = {0, 0, INT64_MAX};
    for (int i = 0; i < 20; i++) {
        int64_t before = other(), ticks = timer->now(), after = other();
        if (after - before < best.width)
            best = (struct reading){ticks, before + (after - before) / 2, after - before};
    }
    return best;
}

/* Error bound of a rate that is computed from two readings, as a share. */
static double bound_of(const struct reading *begin, const struct reading *end)
{
    return (double)(begin->width + end->width) / 2 / (double)(end->other - begin->other);
}

static const struct timer realtime = {"realtime", now_realtime, 1e9, always, .shared = true};
/* Readings with CLOCK_MONOTONIC_RAW at the start of the program. The timer in use has a reading of
 * its own, since some timers can only be read later. */
static struct reading timer_begin[sizeof timers / sizeof *timers], in_use_begin, realtime_begin;

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
#if defined(__x86_64__) /* timer_now() knows how to read the counter of this architecture inline   \
                         */
    timer_is_tsc = timer == &timers[0];
#endif
    bool known = timer != &skewed && timer_begin[timer - timers].other != 0;
    in_use_begin = known ? timer_begin[timer - timers] : read_both(timer, now_raw);
    return NULL;
}

/* ---- Calibration ---- */

static void begin_agreement(struct timer *timer)
{
    struct reading reading = read_both(timer, now_monotonic);
    timer->begin = reading.ticks;
    timer->begin_monotonic = reading.other;
}

void timer_calibration_begin(void)
{
    realtime_begin = read_both(&realtime, now_raw);
    for (size_t i = 0; i < timer_count(); i++)
        /* Timers of other libraries cannot be read yet: their libraries have not been started. */
        if (timers[i].unusable == always || timers[i].unusable == tsc_unusable)
            if (!timers[i].unusable()) {
                timer_begin[i] = read_both(&timers[i], now_raw);
                begin_agreement(&timers[i]);
            }
}

/* Compares a timer from its first reading to now. */
static struct timer_comparison compare(const struct timer *timer, const struct reading *begin)
{
    struct reading end = read_both(timer, now_raw);
    double raw = (double)(end.other - begin->other) * 1e-9;
    double seconds = (double)(end.ticks - begin->ticks) / timer->ticks_per_second;
    if (begin->other == 0 || timer->ticks_per_second <= 0 || !(raw > 0) || !(seconds > 0))
        return (struct timer_comparison){0};
    /* Each of the two readings may be up to one step of the timer too early. */
    return (struct timer_comparison){raw, seconds / raw - 1,
                                     bound_of(begin, &end) + 2 / timer->ticks_per_second / raw};
}

void timer_compare(struct timer_comparison *comparisons)
{
    struct timer_comparison *raw = &comparisons[TIMER_COMPARE_RAW];
    comparisons[TIMER_COMPARE_IN_USE] = compare(timer_in_use, &in_use_begin);
    comparisons[TIMER_COMPARE_TSC] = compare(&timers[0], &timer_begin[0]);
    *raw = compare(&realtime, &realtime_begin);
    if (raw->seconds > 0) {
        /* The inverse: the realtime clock is the reference, since NTP may control it. */
        raw->bound /= 1 + raw->off;
        raw->seconds *= 1 + raw->off;
        raw->off = 1 / (1 + raw->off) - 1;
    }
}

const char *timer_compared(int which, const char **with)
{
    *with = which == TIMER_COMPARE_RAW ? "the realtime clock" : "CLOCK_MONOTONIC_RAW";
    return which == TIMER_COMPARE_RAW   ? "CLOCK_MONOTONIC_RAW"
           : which == TIMER_COMPARE_TSC ? timers[0].name
                                        : timer_in_use->name;
}

bool timer_disagrees(const struct timer_comparison *comparison)
{
    return comparison->seconds > 0 && fabs(comparison->off) > RATE_LIMIT + comparison->bound;
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

char *timer_warning(char text[TIMER_WARNING], int which, const struct timer_comparison *comparison)
{
    const char *with, *name = timer_compared(which, &with);
    const char *advice =
        which == TIMER_COMPARE_RAW
            ? "all times may be wrong by as much; see whether the machine's clock is being set "
              "(timedatectl, chronyc tracking) or something replaces the clocks (LD_PRELOAD)"
            : "times by it are wrong by as much; see --timers and choose another one";
    snprintf(text, TIMER_WARNING, "%s runs %s by %.4g ppm against %s over %.3g s: %s", name,
             comparison->off > 0 ? "fast" : "slow", fabs(comparison->off) * 1e6, with,
             comparison->seconds, advice);
    return text;
}

double timer_calibrate(const struct timer *timer)
{
    if (timer->ticks_per_second != 0)
        return timer->ticks_per_second;
    bool begun = timer == &timers[0] && timer_begin[0].other;
    struct reading begin = begun ? timer_begin[0] : read_both(timer, now_raw), end;
    double seconds;
    do {
        end = read_both(timer, now_raw);
        seconds = (double)(end.other - begin.other) * 1e-9;
    } while (seconds < CALIBRATION_SECONDS ||
             (seconds < LONGEST_CALIBRATION_SECONDS && bound_of(&begin, &end) > CALIBRATION_BOUND));
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
    static char name[64];
    process_read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", name,
                      sizeof name);
    return name[0] ? name : "unknown";
}
