/*
 * The engine's own clock, measured like everything else.
 */
#include "measurements/shapes.h"

/* Two readings more frame the loop; run_elapsed() takes them off. */
static double run_wtime(struct run *run)
{
    int64_t start = timer_now();
    for (int64_t i = 0; i < run->iterations; i++)
        timer_now();
    return run_elapsed(run, start, timer_now()) / (double)run->iterations;
}

const struct measurement measurements_timer[] = {
    {"wtime", "reading the timer in use", .parameters = {ITERATIONS}, .run = run_wtime,
     .timed = "timer reading", .who = "all"},
};
const size_t measurements_timer_count = MEASUREMENT_COUNT(measurements_timer);
