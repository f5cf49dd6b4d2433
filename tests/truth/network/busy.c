/*
 * Making a call last as long as programmed, for whoever looks from outside.
 */
#include "network.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

__thread int depth __attribute__((tls_model("initial-exec")));

/* How much longer a call looks from outside than between its first and its last reading. This
 * depends on the length of the wait (the processor predicts the end of short ones only): entry b
 * holds for waits of 2^b ticks, and between two entries the line between them. */
#define EXCESS_SHORTEST 7
#define EXCESS_LONGEST 13
static double call_excess[EXCESS_LONGEST + 1];

/* What is more than this was an interruption. */
#define MAX_EXCESS_NS 100

/* That of long waits also moves with the speed of the core: see excess_track(). */
static double excess_drift;

/* Length of the calls by which it is tracked, and of the shortest that move with it. */
#define TRACK_TICKS 3072

static int64_t excess_for(int64_t wait)
{
    if (wait <= 1 << EXCESS_SHORTEST) {
        return (int64_t)call_excess[EXCESS_SHORTEST];
    }
    double drift = wait < TRACK_TICKS / 2 ? 0 : excess_drift;
    int b = 63 - __builtin_clzll((unsigned long long)wait);
    if (b >= EXCESS_LONGEST) {
        return (int64_t)(call_excess[EXCESS_LONGEST] + drift);
    }
    double fraction = (double)wait / (double)(1 << b) - 1;
    double slope = call_excess[b + 1] - call_excess[b];
    return (int64_t)(call_excess[b] + fraction * slope + drift);
}

/* Random branches ahead of a wait, lest its end be predicted from how the calls before it went:
 * then one length of wait would have several excesses. */
static inline void unpredictable(void)
{
    static uint32_t random = 1;
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
    for (int i = 0; i < 12; i++) {
        if (random >> i & 1) {
            __asm__ volatile("");
        }
    }
}

/* A loop of readings ends up to one reading too late. A call of each cost returns that much earlier
 * the next time, so that its mean is exact whatever the pattern of calls. */
#define COST_CALIBRATION COSTS
static int64_t overshoot[COSTS + 1];

static int64_t calls_charged, calls_late;

static void excess_track(void);

void busy_until(enum cost cost, int64_t time)
{
    if (network.simulated) {
        simulated_set(time);
        return;
    }
    int64_t now = ticks_now();
    /* Other PEs may need this one for their operations, as they would if it really took so long. */
    while (time - now > 2 << EXCESS_LONGEST) {
        make_progress();
        now = ticks_now();
    }
    unpredictable();
    now = ticks_now();
    if (cost != COST_CALIBRATION && time - now > 3 * TRACK_TICKS) {
        excess_track();
        now = ticks_now();
    }
    int64_t target = time - excess_for(time - now) - overshoot[cost];
    calls_charged++;
    if (now >= target) {
        calls_late++;
        overshoot[cost] = 0;
        return;
    }
    while (now < target) {
        now = ticks_now();
    }
    int64_t over = now - target;
    overshoot[cost] = (double)over < MAX_EXCESS_NS * ticks_per_ns ? over : 0;
}

static void do_nothing(void)
{
}

/* What INTERPOSE makes of a function that takes no time, costing the given number of ticks.
 * Returns when it began. */
static __attribute__((noinline)) int64_t calibration_call(int64_t cost)
{
    static void (*real)(void);
    struct call call = call_enter();
    if (!real) {
        real = do_nothing;
    }
    real();
    call_leave();
    busy_until(COST_CALIBRATION, call.entry + cost);
    return call.entry;
}

/* Part of a long wait is used to see how the excess has moved. */
static void excess_track(void)
{
    int64_t first = calibration_call(TRACK_TICKS);
    int64_t second = calibration_call(TRACK_TICKS);
    double beyond = (double)(second - first - TRACK_TICKS);
    if (fabs(beyond) < MAX_EXCESS_NS * ticks_per_ns) {
        excess_drift += beyond / 32;
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* For each length what a call takes too long: the first quartile over batches, since interruptions
 * only add. Lengths take turns, so that a disturbance cannot spoil all batches of one. On a machine
 * so busy that even this is much more than a few readings, the length before it must do. */
void busy_calibrate(void)
{
    if (network.simulated) {
        return;
    }
    enum { BATCHES = 61, CALLS = 15 };
    double batch[EXCESS_LONGEST + 1][BATCHES];
    for (int i = 0; i < BATCHES; i++) {
        for (int b = EXCESS_SHORTEST; b <= EXCESS_LONGEST; b++) {
            int64_t start = ticks_now();
            for (int call = 0; call < CALLS; call++) {
                calibration_call(1LL << b);
            }
            batch[b][i] = (double)(ticks_now() - start) / CALLS - (double)(1LL << b);
        }
    }
    double before = 0;
    for (int b = EXCESS_SHORTEST; b <= EXCESS_LONGEST; b++) {
        qsort(batch[b], BATCHES, sizeof batch[b][0], compare);
        double excess = batch[b][BATCHES / 4];
        call_excess[b] = before = excess < MAX_EXCESS_NS * ticks_per_ns ? excess : before;
    }
    calls_charged = calls_late = 0;
}

void charge(struct call call, enum cost cost)
{
    if (call_costs(call, cost)) {
        busy_until(cost, call.entry + network.cost[cost]);
    }
}

void busy_report(void)
{
    if (network.report) {
        network.report = false;
        fprintf(stderr, "libnetwork: %lld calls, %lld of them late\n", (long long)calls_charged,
                (long long)calls_late);
    }
}
