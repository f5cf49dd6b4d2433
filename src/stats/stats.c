#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Up to here the binomial distribution is summed exactly. */
#define EXACT_RANKS 1024

double stats_mean(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return n ? sum / (double)n : NAN;
}

double stats_standard_error(const double *x, size_t n)
{
    if (n < 2)
        return NAN;
    double mean = stats_mean(x, n), squares = 0;
    for (size_t i = 0; i < n; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    return sqrt(squares / ((double)n * (double)(n - 1)));
}

double stats_median_sorted(const double *sorted, size_t n)
{
    if (n == 0)
        return NAN;
    return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void stats_sort(double *x, size_t n)
{
    if (n > 1)
        qsort(x, n, sizeof *x, compare);
}

/* Merge sort: stable, and qsort() cannot be told what to compare by. */
static void sort_order(const double *x, size_t *order, size_t *work, size_t n)
{
    if (n < 2)
        return;
    size_t half = n / 2;
    sort_order(x, order, work, half);
    sort_order(x, order + half, work, n - half);
    memcpy(work, order, n * sizeof *order);
    for (size_t i = 0, left = 0, right = half; i < n; i++)
        order[i] = right == n || (left < half && x[work[left]] <= x[work[right]]) ? work[left++]
                                                                                  : work[right++];
}

void stats_sort_order(const double *x, size_t n, size_t *order)
{
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    size_t *work = calloc(n ? n : 1, sizeof *work);
    if (!work)
        abort();
    sort_order(x, order, work, n);
    free(work);
}

struct stats_trimmed stats_trim(const double *x, size_t n, bool *keep)
{
    size_t cut = n / 4, kept = n - 2 * cut;
    size_t *order = calloc(n ? n : 1, sizeof *order);
    double *values = calloc(kept ? kept : 1, sizeof *values);
    if (!order || !values)
        abort();
    stats_sort_order(x, n, order);
    for (size_t i = 0; i < n; i++) {
        bool inside = i >= cut && i < cut + kept;
        if (keep)
            keep[order[i]] = inside;
        if (inside)
            values[i - cut] = x[order[i]];
    }
    struct stats_trimmed result = {kept, stats_mean(values, kept),
                                   stats_standard_error(values, kept)};
    free(values);
    free(order);
    return result;
}

/* Standard normal quantile by bisection of erfc: called once per result, exactness over speed. */
static double normal_quantile(double p)
{
    double low = -40, high = 40;
    for (int i = 0; i < 200; i++) {
        double middle = (low + high) / 2;
        if (0.5 * erfc(-middle / sqrt(2)) < p)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

bool stats_median_ranks(size_t n, double confidence, size_t *low, size_t *high)
{
    *low = 1;
    *high = n;
    double tail = (1 - confidence) / 2;
    if (n > EXACT_RANKS) {
        /* Hoefler & Belli, SC15, rule 6: floor((n - z sqrt(n)) / 2), ceil(1 + (n + z sqrt(n)) / 2)
         */
        double z = normal_quantile(1 - tail), width = z * sqrt((double)n);
        *low = (size_t)floor(((double)n - width) / 2);
        *high = (size_t)ceil(1 + ((double)n + width) / 2);
        if (*low < 1)
            *low = 1;
        if (*high > n)
            *high = n;
        return true;
    }
    /* P(Binomial(n, 1/2) < low) must be at most the tail: the largest such low. */
    double below = 0;
    size_t rank = 0;
    for (size_t k = 0; k < n; k++) {
        double probability = exp(lgamma((double)n + 1) - lgamma((double)k + 1) -
                                 lgamma((double)(n - k) + 1) - (double)n * log(2));
        if (below + probability > tail)
            break;
        below += probability;
        rank = k + 1;
    }
    if (rank == 0)
        return false;
    *low = rank;
    *high = n + 1 - rank;
    return true;
}
