/*
 * Statistics of samples: pure functions on arrays, in whatever unit the samples have. Nothing here
 * communicates, allocates for the caller or knows what the numbers mean.
 */
#ifndef SKAMPI_STATS_STATS_H
#define SKAMPI_STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>

/* Arithmetic mean; NaN when n is 0. */
double stats_mean(const double *x, size_t n);

/* The classic standard error of the mean, sqrt(|sum x^2 - (sum x)^2 / n| / (n (n - 1))), computed
 * about the mean so that it does not cancel; NaN when n < 2. */
double stats_standard_error(const double *x, size_t n);

/* Median (mean of the two middle values when n is even); NaN when n is 0. sorted: ascending. */
double stats_median_sorted(const double *sorted, size_t n);
/* The same of samples in any order, which it sorts. */
double stats_median(double *x, size_t n);

/* The value below which a share p of the samples lies, on the line between the two next to it
 * (Hyndman & Fan 1996, type 7); NaN when n is 0. sorted: ascending. */
double stats_quantile_sorted(const double *sorted, size_t n, double p);

/* Standard deviation of the samples, with n - 1; NaN when n < 2. */
double stats_deviation(const double *x, size_t n);

void stats_sort(double *x, size_t n);

/* Fills order[0..n-1] with the indices that sort x ascending; ties keep their order. */
void stats_sort_order(const double *x, size_t n, size_t *order);

/* The classic result: the n/4 smallest and the n/4 largest are left out (integer division), mean
 * and standard error are those of what is kept. */
struct stats_trimmed {
    size_t kept;           /* n - 2 (n/4) */
    double mean;           /* NaN when n is 0 */
    double standard_error; /* of the kept values, classic formula; NaN when kept < 2 */
};

/* keep (may be NULL): receives for each of the n samples whether it was kept. */
struct stats_trimmed stats_trim(const double *x, size_t n, bool *keep);
/* The mean without floor(trim n) samples at each end, 0 <= trim < 0.5. */
struct stats_trimmed stats_trim_share(const double *x, size_t n, double trim, bool *keep);

/* Quantile of Student's t distribution, 0 < p < 1, degrees > 0. */
double stats_student_quantile(double p, double degrees);

/* A trimmed mean with an interval that is valid: standard error from the winsorized variance, and t
 * with h - 1 degrees of freedom, h = n - 2 floor(trim n) (Tukey & McLaughlin 1963; Yuen 1974). */
struct stats_interval {
    size_t kept; /* h: samples that are not trimmed */
    double mean, standard_error;
    double half;     /* half of the interval at the given confidence; NaN when h < 2 */
    double quantile; /* quantile of t: half = quantile * standard_error */
};
struct stats_interval stats_trimmed_interval(const double *x, size_t n, double trim,
                                             double confidence);

/* Ranks (1-based) of the distribution-free confidence interval of the median: the narrowest
 * symmetric pair [low, n + 1 - low] whose binomial coverage is at least confidence (exact for
 * n <= 1024, the normal approximation of Hoefler & Belli, SC15, 3.1.3, above). False when n is too
 * small for any pair to reach it; then low = 1, high = n. */
bool stats_median_ranks(size_t n, double confidence, size_t *low, size_t *high);

/* The confidence interval of the median of sorted samples that are worth only `effective` <= n
 * independent ones. Its ends lie at the shares of the samples at which the ranks of `effective`
 * samples lie, interpolated. False with NaN if `effective` is too small for the confidence. */
bool stats_median_interval(const double *sorted, size_t n, double effective, double confidence,
                           double *low, double *high);

/* Estimates the lower endpoint of the distribution of n >= 2 sorted samples, x1 - (x2 - x1), which
 * is without the bias that x1 has (Robson & Whitlock, Biometrika 51, 1964). */
double stats_endpoint(const double *sorted, size_t n);

/* Widens an interval around `middle` because a value with a standard error of its own (`error`) was
 * subtracted from all samples: each side s becomes sqrt(s^2 + (z error)^2), with z the normal
 * quantile of (1 + confidence) / 2. NaN stays. */
void stats_widen_interval(double middle, double error, double confidence, double *low,
                          double *high);
/* The lower end of an interval around the middle of values that cannot be below 0. */
double stats_not_below_0(double middle, double low);

#endif
