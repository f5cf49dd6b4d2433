/* Tests whether the levels of a factor differ, and adjusts the probabilities of several tests. */
#include "stats/factorial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/stats.h"

#define LEAST_MODULUS 8

/* ---- Tests ---- */

/* The chance that a chi-squared variable is at least x (Abramowitz & Stegun 1964, 26.4.4 and
 * 26.4.5). */
static double chi_squared_tail(double x, size_t degrees)
{
    bool even = degrees % 2 == 0;
    double half = x / 2, sum = even ? 0 : erfc(sqrt(half));
    double term = even ? exp(-half) : exp(-half) * sqrt(half) * M_2_SQRTPI;
    for (size_t i = 0; i < degrees / 2; i++) {
        sum += term;
        term *= half / ((double)i + (even ? 1 : 1.5));
    }
    return fmin(sum, 1);
}

/* Of n fair coins, the chance that one side shows at least `most` times, most >= n / 2. */
static double sign_test(size_t most, size_t n)
{
    double sum = 0;
    for (size_t k = most; k <= n; k++)
        sum += exp(lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1) -
                   (double)n * M_LN2);
    return fmin(2 * sum, 1);
}

static double of_two(const double *values, size_t blocks)
{
    size_t less = 0, more = 0;
    for (size_t b = 0; b < blocks; b++) {
        less += values[2 * b] < values[2 * b + 1];
        more += values[2 * b] > values[2 * b + 1];
    }
    return less + more == 0 ? 1 : sign_test(less > more ? less : more, less + more);
}

/* The rank of a level in its block; equal values share the mean of their ranks. */
static double rank_of(const double *block, size_t levels, size_t level)
{
    size_t below = 0, equal = 0;
    for (size_t l = 0; l < levels; l++) {
        below += block[l] < block[level];
        equal += block[l] == block[level];
    }
    return (double)below + ((double)equal + 1) / 2;
}

double factorial_p(const double *values, size_t blocks, size_t levels)
{
    if (blocks == 0 || levels < 2)
        return 1;
    if (levels == 2)
        return of_two(values, blocks);
    double middle = ((double)levels + 1) / 2, between = 0, within = 0;
    for (size_t l = 0; l < levels; l++) {
        double sum = 0;
        for (size_t b = 0; b < blocks; b++) {
            double from_middle = rank_of(values + b * levels, levels, l) - middle;
            sum += from_middle;
            within += from_middle * from_middle;
        }
        between += sum * sum;
    }
    if (within == 0)
        return 1;
    return chi_squared_tail(((double)levels - 1) * between / within, levels - 1);
}

void factorial_adjust(double *p, size_t n)
{
    size_t *order = memory_zeroed(n + 1, sizeof *order);
    double least = 0;
    stats_sort_order(p, n, order);
    for (size_t i = 0; i < n; i++) {
        least = fmax(least, fmin(1, p[order[i]] * (double)(n - i)));
        p[order[i]] = least;
    }
    free(order);
}

/* ---- Effects ---- */

void factorial_effects(const double *values, size_t blocks, size_t levels, double *effects)
{
    double *middle = memory_zeroed(blocks + 1, sizeof *middle);
    double *column = memory_zeroed(blocks + levels, sizeof *column);
    for (size_t b = 0; b < blocks; b++) {
        memcpy(column, values + b * levels, levels * sizeof *column);
        middle[b] = stats_median(column, levels);
    }
    for (size_t l = 0; l < levels; l++) {
        for (size_t b = 0; b < blocks; b++)
            column[b] = values[b * levels + l] / middle[b];
        effects[l] = stats_median(column, blocks);
    }
    free(column);
    free(middle);
}

void factorial_split(const double *effects, size_t levels, bool *slow)
{
    double *sorted = memory_zeroed(levels + 1, sizeof *sorted), widest = 0, above = INFINITY;
    memcpy(sorted, effects, levels * sizeof *sorted);
    stats_sort(sorted, levels);
    for (size_t l = 1; l < levels; l++)
        if (sorted[l] / sorted[l - 1] > widest) {
            widest = sorted[l] / sorted[l - 1];
            above = sorted[l];
        }
    for (size_t l = 0; l < levels; l++)
        slow[l] = effects[l] >= above;
    free(sorted);
}

struct factorial_ratio factorial_ratio(double *ratios, size_t blocks, double confidence)
{
    struct factorial_ratio found = {.ratio = stats_median(ratios, blocks)};
    stats_median_interval(ratios, blocks, (double)blocks, confidence, &found.low, &found.high);
    return found;
}

bool factorial_residue(const int64_t *offsets, const bool *in, size_t n, int64_t most,
                       int64_t *rest, int64_t *modulus)
{
    size_t first = 0;
    while (first < n && !in[first])
        first++;
    for (*modulus = LEAST_MODULUS; first < n && *modulus <= most; *modulus *= 2) {
        bool fits = true;
        *rest = offsets[first] & (*modulus - 1);
        for (size_t i = 0; i < n; i++)
            fits = fits && in[i] == ((offsets[i] & (*modulus - 1)) == *rest);
        if (fits)
            return true;
    }
    return false;
}
