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
    bool user_space;               /* reading it needs no system call */
    bool shared; /* it is documented to be one clock for all processors of a machine */
    /* Filled in by timer_characterize(). Seconds. */
    double resolution;   /* smallest non-zero step seen */
    double cost;         /* mean time from one reading to the next, undisturbed */
    double disagreement; /* with CLOCK_MONOTONIC over at least 100 ms, as a share; above 0 if the
                            timer runs fast */
    const char *refused; /* why it must not be used, or NULL */
    int64_t begin, begin_monotonic; /* readings at one moment, for the disagreement; 0: none yet */
};

/* The timer in use. Changed by timer_select() only, and while the engine counts events. */
extern struct timer *timer_in_use;
/* True when the timer in use is x86's time-stamp counter: timer_now() then reads it inline. */
extern bool timer_is_tsc;

#if defined(__x86_64__)
/* Inline assembly, since <x86intrin.h> would make up most of the code to compile in each file. */
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

/* Converts a difference of readings of the timer in use to seconds. */
static inline double timer_seconds(int64_t ticks)
{
    return (double)ticks / timer_in_use->ticks_per_second;
}

int64_t timer_ticks(double seconds);

/* The clock to check a timer by. It counts by another source where possible: the system's clock for
 * counters, the processor's counter for other timers. */
struct timer *timer_second(const struct timer *);

/* The table of timers: if the user chooses none, the first usable one is taken. */
size_t timer_count(void);
struct timer *timer_at(size_t i);
struct timer *timer_find(const char *name);

/* Takes the first readings for calibrating rates and comparing clocks. Call it as early as possible
 * in main(): calibration needs time between two readings, and does not have to wait if that has
 * passed. */
void timer_calibration_begin(void);

/* The rate in ticks per second. That of a clock is known; that of a counter is measured against
 * CLOCK_MONOTONIC_RAW over at least 50 ms (the time-stamp counter's since
 * timer_calibration_begin()), and up to 1 s while interruptions leave it uncertain by more than 20
 * ppm. Call it on one PE per node, and give its result to the other PEs there: a rate per PE would
 * look like drift. */
double timer_calibrate(const struct timer *);

/* Fills in resolution, cost and disagreement; refuses timers that run backwards, stand still or
 * disagree with CLOCK_MONOTONIC by more than 0.1 % over 100 ms. Takes about 1 ms, or 100 ms if
 * timer_calibration_begin() was called less than 100 ms ago. The rate must be known. */
void timer_characterize(struct timer *);

/* Comparison of two sources of time, from the begin of the program to now. */
struct timer_comparison {
    double seconds; /* time over which they were compared; 0 if they cannot be compared here */
    double off;     /* how much faster the first source runs, as a share */
    double bound;   /* error bound of off: the readings are not exactly at one moment */
};
enum { TIMER_COMPARE_IN_USE, TIMER_COMPARE_TSC, TIMER_COMPARE_RAW, TIMER_COMPARISONS };
/* Compares the timer in use, and the time-stamp counter, with CLOCK_MONOTONIC_RAW, and this clock
 * with the realtime clock, read by a system call. Rates are calibrated by CLOCK_MONOTONIC_RAW,
 * which therefore needs a witness of its own. Takes 10 us. Fills TIMER_COMPARISONS entries. */
void timer_compare(struct timer_comparison *comparisons);
/* Names of both sources of a comparison. */
const char *timer_compared(int which, const char **with);
/* Whether the sources differ by more than 100 ppm, beyond the error of the readings. */
bool timer_disagrees(const struct timer_comparison *);
/* A warning to the user about a comparison that disagrees, with the remedy. Returns text. */
#define TIMER_WARNING 320
char *timer_warning(char text[TIMER_WARNING], int which, const struct timer_comparison *);

/* For tests: makes readings of timers that are selected later wrong by offset + drift * (time since
 * now) (seconds, seconds per second). */
void timer_skew(double offset, double drift);

/* NULL, or why the timer cannot be used. */
const char *timer_select(const char *name);

/* The source of the kernel's clocks (tsc, hpet, ...), as the kernel states it; "unknown" if it does
 * not. */
const char *timer_clock_source(void);

#endif
