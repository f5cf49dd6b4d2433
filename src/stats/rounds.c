/* Statistics of rounds: medians and where later ones will lie. */
#include "stats/rounds.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"
#include "stats/stats.h"

static double *sorted_copy(const double *x, size_t n)
{
    double *sorted = memory_zeroed(n, sizeof *sorted);
    for (size_t i = 0; i < n; i++)
        sorted[i] = x[i];
    stats_sort(sorted, n);
    return sorted;
}

/* Probability that at least m >= 1 of n independent events of probability p happen. */
static double at_least(size_t m, size_t n, double p)
{
    if (p <= 0 || p >= 1)
        return p >= 1;
    double count = (double)n, k = (double)m, sum = 0;
    double term = exp(lgamma(count + 1) - lgamma(k + 1) - lgamma(count - k + 1) + k * log(p) +
                      (count - k) * log1p(-p));
    for (; k <= count; k++) {
        sum += term;
        term *= (count - k) / (k + 1) * p / (1 - p);
    }
    return sum;
}

/* Probability that the median of n values, drawn from n sorted ones, is not above the value of this
 * rank (from 1). */
static double drawn_below(size_t n, size_t rank)
{
    return at_least((n + 1) / 2, n, (double)rank / (double)n);
}

/* The place (from 0) among n sorted values below which the median of n drawn ones lies with this
 * probability; interpolated between two places. */
static double place_of(size_t n, double probability)
{
    size_t rank = 1;
    while (rank < n && drawn_below(n, rank) < probability)
        rank++;
    if (rank == 1)
        return 0;
    double low = drawn_below(n, rank - 1), high = drawn_below(n, rank);
    return (double)(rank - 2) + (probability - low) / (high - low);
}

/* Moves an end of an interval to `times` its distance from the median; in_proportion on a
 * logarithmic scale. */
static double farther(double median, double end, double times, bool in_proportion)
{
    return in_proportion ? median * pow(end / median, times) : median + (end - median) * times;
}

static double in_proportion_to(double spread, double median)
{
    return median > 0 ? spread / median : NAN;
}

struct rounds rounds_of(const double *medians, const double *within, size_t n, double confidence)
{
    struct rounds rounds = {n, NAN, NAN, NAN, NAN, NAN, confidence, 0, NAN, NAN};
    double *sorted = sorted_copy(medians, n);
    rounds.median = stats_median_sorted(sorted, n);
    if (within) {
        double *inside = sorted_copy(within, n);
        rounds.within = in_proportion_to(stats_median_sorted(inside, n), rounds.median);
        free(inside);
    }
    if (n >= ROUNDS_FEWEST) {
        size_t low, high;
        double share = place_of(n, (1 - confidence) / 2) / (double)(n - 1);
        stats_median_ranks(n, confidence, &low, &high);
        rounds.low = sorted[low - 1];
        rounds.high = sorted[high - 1];
        /* The true median lies outside of these ranks with the probability that so many of n coins
         * fall on one side. */
        rounds.reached = 1 - 2 * at_least(n - low + 1, n, 0.5);
        double quarters =
            stats_quantile_sorted(sorted, n, 0.75) - stats_quantile_sorted(sorted, n, 0.25);
        rounds.between = in_proportion_to(quarters, rounds.median);
        double half = (1 + confidence) / 2, degrees = (double)n - 1;
        double longer = sqrt(2) * sqrt(stats_student_quantile(half, degrees) /
                                       stats_student_quantile(half, 1e6));
        double low_end = stats_quantile_sorted(sorted, n, share);
        double high_end = stats_quantile_sorted(sorted, n, 1 - share);
        rounds.next_low = farther(rounds.median, low_end, longer, sorted[0] > 0);
        rounds.next_high = farther(rounds.median, high_end, longer, sorted[0] > 0);
    }
    free(sorted);
    return rounds;
}

void rounds_launch_add(struct rounds_launch *launch, double median)
{
    if (!(median > 0) || isinf(median))
        return;
    double off = log(median) - launch->mean;
    launch->mean += off / (double)++launch->count;
    launch->squares += off * (log(median) - launch->mean);
}

double rounds_between_launches(const struct rounds_launch *launches, size_t n)
{
    double count = 0, all = 0, sum = 0, counts_squared = 0, within = 0, between = 0;
    for (size_t i = 0; i < n; i++) {
        const struct rounds_launch *launch = &launches[i];
        if (launch->count < ROUNDS_FEWEST)
            continue;
        double own = (double)launch->count;
        count++;
        all += own;
        sum += own * launch->mean;
        counts_squared += own * own;
        within += launch->squares;
    }
    if (count < ROUNDS_FEWEST_LAUNCHES)
        return NAN;
    for (size_t i = 0; i < n; i++)
        if (launches[i].count >= ROUNDS_FEWEST)
            between += (double)launches[i].count * pow(launches[i].mean - sum / all, 2);
    double degrees = count - 1, median_of_mean = pow(1 - 2 / (9 * degrees), 3);
    double rounds = (all - counts_squared / all) / degrees; /* mean number of rounds of a launch */
    return (between / degrees / median_of_mean - within / (all - count)) / rounds;
}

void rounds_widen(struct rounds *rounds, const struct rounds_unseen *unseen)
{
    double median = rounds->median, low = rounds->next_low, high = rounds->next_high;
    double normal = stats_student_quantile((1 + rounds->confidence) / 2, 1e6);
    double apart = sqrt(2) * normal * unseen->launches;
    if (low > 0) {
        low = median * exp(-hypot(log(median / low), apart));
        high = median * exp(hypot(log(high / median), apart));
    } else {
        low = median - hypot(median - low, median * apart);
        high = median + hypot(high - median, median * apart);
    }
    rounds->next_low = low - unseen->step;
    rounds->next_high = high + unseen->step;
    if (unseen->positive) {
        rounds->low = stats_not_below_0(median, rounds->low);
        rounds->next_low = stats_not_below_0(median, rounds->next_low);
    }
}
