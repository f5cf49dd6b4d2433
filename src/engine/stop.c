#include <math.h>

#include "engine/internal.h"
#include "stats/stats.h"

#define SMALLEST_BATCH 4

size_t stop_hard_limit(int max_repetitions)
{
    double limit = floor(1.5 * max_repetitions + 0.5);
    return limit < SMALLEST_BATCH ? SMALLEST_BATCH : (size_t)limit;
}

bool stop_enough(const struct settings *settings, const double *m, size_t n)
{
    if (n >= (size_t)settings->max_repetitions)
        return true;
    if (n < (size_t)settings->min_repetitions)
        return false;
    return stats_standard_error(m, n) <= settings->max_relative_standard_error * stats_mean(m, n);
}

size_t stop_next_batch(const struct settings *settings, size_t batch, bool window, bool first,
                       size_t late_run)
{
    size_t regular = (size_t)settings->min_repetitions;
    if (!window)
        return regular < SMALLEST_BATCH ? SMALLEST_BATCH : regular;
    if (first)
        return regular;
    if (late_run > batch / 2)
        return batch / 2 < SMALLEST_BATCH ? SMALLEST_BATCH : batch / 2;
    return batch;
}

double stop_next_window(double window, size_t flawed, size_t count, double used)
{
    if (flawed <= count / 4)
        return window;
    return fmax(2 * window, 1.5 * used / (double)(count + 1));
}
