/* Statistics of samples: means, medians, intervals and shares. */
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Up to this n the binomial distribution is summed exactly; above, it is close to normal, and the
 * sum would take long. */
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

double stats_quantile_sorted(const double *sorted, size_t n, double p)
{
    if (n == 0)
        return NAN;
    double place = p * (double)(n - 1);
    size_t below = (size_t)place;
    if (below + 1 >= n)
        return sorted[n - 1];
    return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

double stats_deviation(const double *x, size_t n)
{
    return stats_standard_error(x, n) * sqrt((double)n);
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

double stats_median(double *x, size_t n)
{
    stats_sort(x, n);
    return stats_median_sorted(x, n);
}

/* Merge sort: it is stable, and qsort() passes no context to the comparison. */
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
    size_t *work = memory_zeroed(n, sizeof *work);
    sort_order(x, order, work, n);
    free(work);
}

/* Samples that a share leaves out at each end. 0.29 of 100 must be 29, although the product in
 * double is a little less. */
static size_t cut_of(size_t n, double trim)
{
    return (size_t)floor(trim * (double)n * (1 + 1e-12));
}

/* Mean and standard error without `cut` samples at each end. */
static struct stats_trimmed trim_by(const double *x, size_t n, size_t cut, bool *keep)
{
    size_t kept = n - 2 * cut;
    size_t *order = memory_zeroed(n, sizeof *order);
    double *values = memory_zeroed(kept, sizeof *values);
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

struct stats_trimmed stats_trim(const double *x, size_t n, bool *keep)
{
    return trim_by(x, n, n / 4, keep);
}

struct stats_trimmed stats_trim_share(const double *x, size_t n, double trim, bool *keep)
{
    return trim_by(x, n, cut_of(n, trim), keep);
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

/* Continued fraction of the regularized incomplete beta function (Abramowitz & Stegun 26.5.8),
 * evaluated by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double value = d;
    for (int m = 1; m < 300; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        for (int half = 0; half < 2; half++) {
            double term = half == 0 ? even : odd;
            d = 1 + term * d;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = 1 + term / c;
            c = fabs(c) < tiny ? tiny : c;
            value *= c * d;
        }
        if (fabs(c * d - 1) < 1e-14)
            break;
    }
    return value;
}

static double incomplete_beta(double a, double b, double x)
{
    if (x <= 0)
        return 0;
    if (x >= 1)
        return 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                     : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double stats_student_quantile(double p, double degrees)
{
    double low = -1e6, high = 1e6;
    for (int i = 0; i < 200; i++) {
        double t = (low + high) / 2;
        double tail = incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t)) / 2;
        if ((t > 0 ? 1 - tail : tail) < p)
            low = t;
        else
            high = t;
    }
    return (low + high) / 2;
}

struct stats_interval stats_trimmed_interval(const double *x, size_t n, double trim,
                                             double confidence)
{
    size_t cut = cut_of(n, trim), kept = n - 2 * cut;
    struct stats_interval result = {kept, NAN, NAN, NAN, NAN};
    double *sorted = memory_zeroed(n, sizeof *sorted);
    if (n)
        memcpy(sorted, x, n * sizeof *sorted);
    stats_sort(sorted, n);
    result.mean = stats_mean(sorted + cut, kept);
    if (kept >= 2) {
        for (size_t i = 0; i < cut; i++) {
            sorted[i] = sorted[cut];
            sorted[n - 1 - i] = sorted[n - 1 - cut];
        }
        /* s_w / ((1 - 2g) sqrt(n)), with h / n for 1 - 2g */
        result.standard_error = stats_standard_error(sorted, n) * (double)n / (double)kept;
        result.quantile = stats_student_quantile((1 + confidence) / 2, (double)kept - 1);
        result.half = result.standard_error * result.quantile;
    }
    free(sorted);
    return result;
}

/* The value at a rank (from 1), interpolated between two samples. */
static double at_rank(const double *sorted, size_t n, double rank)
{
    double below = fmin(fmax(floor(rank), 1), (double)n);
    size_t i = (size_t)below - 1;
    return i + 1 < n ? sorted[i] + (rank - below) * (sorted[i + 1] - sorted[i]) : sorted[i];
}

double stats_endpoint(const double *sorted, size_t n)
{
    return n < 2 ? NAN : 2 * sorted[0] - sorted[1];
}

void stats_widen_interval(double middle, double error, double confidence, double *low, double *high)
{
    double reach = normal_quantile((1 + confidence) / 2) * error;
    *low = middle - hypot(middle - *low, reach);
    *high = middle + hypot(*high - middle, reach);
}

double stats_not_below_0(double middle, double low)
{
    return middle >= 0 && low < 0 ? 0 : low;
}

bool stats_median_interval(const double *sorted, size_t n, double effective, double confidence,
                           double *low, double *high)
{
    size_t few = effective < (double)n ? (size_t)effective : n, first, last;
    *low = *high = NAN;
    if (few == 0 || !stats_median_ranks(few, confidence, &first, &last))
        return false;
    double stretch = ((double)n + 1) / ((double)few + 1);
    *low = at_rank(sorted, n, (double)first * stretch);
    *high = at_rank(sorted, n, (double)last * stretch);
    return true;
}
