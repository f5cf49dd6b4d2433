/*
 * When there are enough repetitions, and how windows grow and shrink.
 */
#include "engine/stop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/series.h"
#include "stats/stats.h"

#define SMALLEST_BATCH 4
/* Stopping by an interval is only right where there are many samples (Chow & Robbins 1965). */
#define MEDIAN_LEAST 30
#define MEDIAN_MOST 1000
/* A window this many times too large shrinks (mpiperf). */
#define TOO_LARGE 4

size_t stop_hard_limit(int max_repetitions)
{
    double limit = floor(1.5 * max_repetitions + 0.5);
    return limit < SMALLEST_BATCH ? SMALLEST_BATCH : (size_t)limit;
}

size_t stop_most(const struct settings *settings)
{
    size_t limit = stop_hard_limit(settings->max_repetitions);
    if (settings->stop_rule == STOP_MEDIAN_INTERVAL && limit < MEDIAN_MOST)
        return MEDIAN_MOST;
    return limit;
}

bool stop_median_interval(const struct settings *settings, const double *m, size_t n, double *low,
                          double *high)
{
    double *sorted = memory_zeroed(n, sizeof *sorted);
    memcpy(sorted, m, n * sizeof *sorted);
    stats_sort(sorted, n);
    double effective = series_effective_size(n, series_correlation(m, n));
    bool found =
        stats_median_interval(sorted, n, effective, settings->median_confidence, low, high);
    double median = stats_median_sorted(sorted, n);
    free(sorted);
    return found && *high - *low <= settings->median_width * fabs(median);
}

static bool median_known(const struct settings *settings, const double *m, size_t n)
{
    double low, high;
    return n >= MEDIAN_LEAST && stop_median_interval(settings, m, n, &low, &high);
}

bool stop_reached(const struct settings *settings, const double *m, size_t n)
{
    if (n < (size_t)settings->min_repetitions)
        return false;
    if (settings->stop_rule == STOP_MEDIAN_INTERVAL)
        return median_known(settings, m, n);
    return stats_standard_error(m, n) <= settings->max_relative_standard_error * stats_mean(m, n);
}

bool stop_enough(const struct settings *settings, const double *m, size_t n, int *passes)
{
    bool median = settings->stop_rule == STOP_MEDIAN_INTERVAL;
    if (n >= (median ? stop_most(settings) : (size_t)settings->max_repetitions))
        return true;
    *passes = stop_reached(settings, m, n) ? *passes + 1 : 0;
    return *passes >= (median ? 2 : 1);
}

size_t stop_grown_batch(const struct settings *settings, size_t batch, size_t valid)
{
    if (settings->stop_rule == STOP_STANDARD_ERROR || valid / 2 <= batch)
        return batch;
    return valid / 2;
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

double stop_mpiperf_window(const struct window_rules *rules, double window, size_t invalid,
                           size_t count, double used, double longest)
{
    double needed = rules->growth * used / (double)count;
    if (window <= 0)
        return needed;
    if ((double)invalid > rules->invalid_share * (double)count)
        return fmax(needed, rules->growth * window);
    if (longest > 0 && window > TOO_LARGE * rules->growth * longest)
        return window / 2;
    return window;
}
