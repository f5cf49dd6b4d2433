/*
 * Timers: one table. The timer in use is the only global state. Readings are 64-bit integers
 * ("ticks") in the timer's own unit until a difference is taken.
 */
#ifndef SKAMPI_CLOCK_TIMER_H
#define SKAMPI_CLOCK_TIMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct timer {
    const char *name;
    int64_t (*now)(void);
    double ticks_per_second;       /* 0: a counter whose rate timer_calibrate() finds */
    const char *(*unusable)(void); /* NULL when usable here, else the reason */
    bool user_space;               /* a read is no system call */
    bool shared;                   /* by its own word one clock for all processors of a machine */
    /* Filled in by timer_characterize(). Seconds. */
    double resolution;   /* smallest non-zero step seen */
    double cost;         /* mean time from one reading to the next, undisturbed */
    double disagreement; /* with CLOCK_MONOTONIC over 100 ms or more, as a share; it runs fast if >
                            0 */
    const char *refused; /* why it must not be used, or NULL */
    int64_t begin, begin_monotonic; /* readings at one moment, for the disagreement; 0: none yet */
};

/* The timer in use. Changed by timer_select() only, and while the engine counts events. */
extern struct timer *timer_in_use;
/* True when the timer in use is x86's time-stamp counter: timer_now() then reads it inline. */
extern bool timer_is_tsc;

#if defined(__x86_64__)
/* Without <x86intrin.h>, which would be most of what there is to compile in every file. */
static inline int64_t timer_read_tsc(void)
{
    unsigned int aux;
    int64_t ticks = (int64_t)__builtin_ia32_rdtscp(&aux);
    __builtin_ia32_lfence();
    return ticks;
}
#endif

/* The reading is ordered with respect to the code before and after it. Any PE. */
static inline int64_t timer_now(void)
{
#if defined(__x86_64__)
    if (timer_is_tsc)
        return timer_read_tsc();
#endif
    return timer_in_use->now();
}

/* Seconds for a difference of readings of the timer in use. */
static inline double timer_seconds(int64_t ticks)
{
    return (double)ticks / timer_in_use->ticks_per_second;
}

int64_t timer_ticks(double seconds);

/* The clock that another one is checked by, since it counts by something else where possible: the
 * system's for counters, the processor's counter for the others. */
struct timer *timer_second(const struct timer *);

/* The table is in the order of preference where none is chosen. */
size_t timer_count(void);
struct timer *timer_at(size_t i);
struct timer *timer_find(const char *name);

/* Takes the first readings that rates are calibrated and clocks compared by; call it as early as
 * possible in main(): the longer ago, the better, and nobody has to wait later. */
void timer_calibration_begin(void);

/* The rate in ticks per second: of clocks as it is, of counters against CLOCK_MONOTONIC_RAW over at
 * least 50 ms (for the time-stamp counter counted from timer_calibration_begin()), longer where
 * interruptions leave it unsure by more than 20 ppm, but not 1 s. Only on one PE per node; the
 * others of the node take its result, since a rate per PE would look like drift. */
double timer_calibrate(const struct timer *);

/* Fills in resolution, cost and disagreement; refuses timers that run backwards, stand still or
 * disagree with CLOCK_MONOTONIC by more than 0.1 % over 100 ms. About 1 ms, or 100 ms when
 * timer_calibration_begin() is too recent. The rate must be known. */
void timer_characterize(struct timer *);

/* Two sources of time compared from an early moment of the program to now. */
struct timer_comparison {
    double seconds; /* compared over so long; 0: cannot be compared here */
    double off;     /* the first runs fast by this share of the second if > 0 */
    double bound;   /* what the readings may make that wrong by */
};
enum { TIMER_COMPARE_IN_USE, TIMER_COMPARE_TSC, TIMER_COMPARE_RAW, TIMER_COMPARISONS };
/* The timer in use, and the time-stamp counter, against CLOCK_MONOTONIC_RAW; that against the
 * realtime clock, read from the kernel itself: rates are calibrated by CLOCK_MONOTONIC_RAW, so
 * that it must not be the only witness. 10 us. Fills TIMER_COMPARISONS entries. */
void timer_compare(struct timer_comparison *comparisons);
/* Names of both sources of a comparison. */
const char *timer_compared(int which, const char **with);
/* By more than 100 ppm, whatever the readings are wrong by. */
bool timer_disagrees(const struct timer_comparison *);
/* What the user should know of a comparison that disagrees, and what to do. Returns text. */
#define TIMER_WARNING 320
char *timer_warning(char text[TIMER_WARNING], int which, const struct timer_comparison *);

/* For tests only: readings of the timers selected from now on are wrong by offset + drift * (time
 * since now), seconds and seconds per second. */
void timer_skew(double offset, double drift);

/* NULL, or why the timer cannot be used. */
const char *timer_select(const char *name);

/* What the kernel's clocks count by (tsc, hpet, ...), as it says; "unknown" when it does not. */
const char *timer_clock_source(void);

#endif
