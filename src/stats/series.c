/* Statistics of samples in the order of time: changes, warm-up and autocorrelation. */
#include "stats/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/stats.h"

/* Fewest samples of a test: with fewer, even a clean step is not significant at 1 %. */
#define FEWEST 12
#define FEWEST_TO_WARM 8
/* Fewest samples of a stretch or level. */
#define SHORTEST 3
/* Limit of a correlation, since with 1 no sample would count. */
#define MOST_CORRELATION 0.95
/* The correlation of n independent samples is above CHANCE_CORRELATION / sqrt(n) with a probability
 * of 5 % (one-sided). */
#define CHANCE_CORRELATION 1.645
/* A level has at least the share LEVEL_SHARE of the samples. The gap to the next level is LEVEL_GAP
 * times as wide as the range of as many samples next to it. */
#define LEVEL_SHARE 0.1
#define GAP_WIDTHS 3

double series_autocorrelation(const double *x, size_t n)
{
    if (n < 3)
        return NAN;
    double mean = stats_mean(x, n), squares = 0, products = 0;
    for (size_t i = 0; i < n; i++) {
        squares += (x[i] - mean) * (x[i] - mean);
        if (i > 0)
            products += (x[i] - mean) * (x[i - 1] - mean);
    }
    return squares > 0 ? products / squares : 0;
}

double series_correlation(const double *x, size_t n)
{
    double r = series_autocorrelation(x, n);
    return r > CHANCE_CORRELATION / sqrt((double)n) ? r : 0;
}

double series_effective_size(size_t n, double autocorrelation)
{
    double r = fmin(fmax(autocorrelation, 0), MOST_CORRELATION);
    return (double)n * (1 - r) / (1 + r);
}

/* Ranks from 1 to n; equal values have the mean of their ranks. */
static void ranks_of(const double *x, size_t n, double *ranks)
{
    size_t *order = memory_zeroed(n, sizeof *order);
    stats_sort_order(x, n, order);
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && x[order[j]] == x[order[i]]; j++)
            continue;
        for (size_t k = i; k < j; k++)
            ranks[order[k]] = (double)(i + 1 + j) / 2;
    }
    free(order);
}

static double median_of(const double *x, size_t n)
{
    double *sorted = memory_zeroed(n ? n : 1, sizeof *sorted);
    memcpy(sorted, x, n * sizeof *sorted);
    double median = stats_median(sorted, n);
    free(sorted);
    return median;
}

/* The median square of the differences of samples that lie `lag` apart. */
static double median_step(const double *x, size_t n, size_t lag)
{
    double *squares = memory_zeroed(n, sizeof *squares);
    for (size_t i = lag; i < n; i++)
        squares[i - lag] = (x[i] - x[i - lag]) * (x[i] - x[i - lag]);
    double median = stats_median(squares, n - lag);
    free(squares);
    return median;
}

/* Correlation of neighbours without the change of level at `at`: the mean of two estimates, at most
 * the first one. The first is the correlation after subtracting each side's mean, which further
 * changes make too large. The second compares differences at distances 1 and 2, 1 + r = d_2 / d_1,
 * which is less certain. */
static double correlation_about(double *ranks, size_t n, size_t at)
{
    double one = median_step(ranks, n, 1), two = median_step(ranks, n, 2);
    double before = stats_mean(ranks, at), after = stats_mean(ranks + at, n - at);
    for (size_t i = 0; i < n; i++)
        ranks[i] -= i < at ? before : after;
    double left = series_autocorrelation(ranks, n);
    left += (1 + 4 * left) / (double)n; /* corrects the bias of subtracting two means */
    return one > 0 ? fmin(left, (left + two / one - 1) / 2) : left;
}

struct series_change series_change(const double *x, size_t n)
{
    struct series_change change = {0, 1, NAN, NAN};
    if (n < FEWEST)
        return change;
    double *ranks = memory_zeroed(n, sizeof *ranks), sum = 0, largest = -1;
    ranks_of(x, n, ranks);
    for (size_t t = 1; t < n; t++) {
        sum += ranks[t - 1];
        double u = fabs(2 * sum - (double)t * (double)(n + 1));
        if (u > largest && t >= SHORTEST && n - t >= SHORTEST) {
            largest = u;
            change.at = t;
        }
    }
    double count = (double)n;
    double independent = series_effective_size(n, correlation_about(ranks, n, change.at)) / count;
    free(ranks);
    double exponent = 6 * largest * largest / (count * count * count + count * count);
    change.p = fmin(1, 2 * exp(-exponent * independent));
    change.before = median_of(x, change.at);
    change.after = median_of(x + change.at, n - change.at);
    return change;
}

/* How many samples to leave out so that the mean of the other ranks has the smallest standard
 * error.
 */
static size_t truncation(const double *ranks, size_t n)
{
    double sum = 0, squares = 0, smallest = INFINITY;
    size_t best = 0;
    for (size_t i = n; i-- > 0;) {
        double count = (double)(n - i);
        sum += ranks[i];
        squares += ranks[i] * ranks[i];
        double error = (squares - sum * sum / count) / (count * count);
        if (2 * i <= n && error < smallest) {
            smallest = error;
            best = i;
        }
    }
    return best;
}

/* Upper tail of the rank-sum test: the probability that the first k of n samples are this slow by
 * chance. */
static double slower_by_chance(const double *ranks, size_t n, size_t k)
{
    double sum = 0, first = (double)k, all = (double)n;
    for (size_t i = 0; i < k; i++)
        sum += ranks[i];
    double deviation = sqrt(first * (all - first) * (all + 1) / 12);
    double z = (sum - first * (all + 1) / 2 - 0.5) / deviation;
    return erfc(z / sqrt(2)) / 2;
}

size_t series_warm_up(const double *x, size_t n, double p, double least)
{
    if (n < FEWEST_TO_WARM)
        return 0;
    double *ranks = memory_zeroed(n, sizeof *ranks);
    ranks_of(x, n, ranks);
    size_t k = truncation(ranks, n);
    bool found = k > 0 && slower_by_chance(ranks, n, k) < p;
    free(ranks);
    if (!found)
        return 0;
    double *steady = memory_zeroed(n - k, sizeof *steady);
    memcpy(steady, x + k, (n - k) * sizeof *steady);
    stats_sort(steady, n - k);
    double most = stats_quantile_sorted(steady, n - k, 1 - LEVEL_SHARE);
    free(steady);
    return median_of(x, k) > most + least * fabs(most) ? k : 0;
}

size_t series_levels(const double *sorted, size_t n, double least, struct series_level *levels,
                     size_t room)
{
    size_t fewest = (size_t)ceil(LEVEL_SHARE * (double)n), count = 0, first = 0;
    if (fewest < SHORTEST)
        fewest = SHORTEST;
    for (size_t i = 1; i <= n && count < room; i++) {
        /* The samples next to a gap say how wide it has to be, since outliers lie further away. */
        bool cut = i - first >= fewest && i + fewest <= n && count + 1 < room &&
                   sorted[i] > sorted[i - 1] * (1 + least) &&
                   sorted[i] - sorted[i - 1] > GAP_WIDTHS * (sorted[i - 1] - sorted[i - fewest]) &&
                   sorted[i] - sorted[i - 1] > GAP_WIDTHS * (sorted[i + fewest - 1] - sorted[i]);
        if (!cut && i < n)
            continue;
        levels[count++] =
            (struct series_level){stats_median_sorted(sorted + first, i - first), i - first};
        first = i;
    }
    return count;
}
