/*
 * Samples in the order of time: whether they come from one steady state. Pure functions on arrays.
 */
#ifndef SKAMPI_STATS_SERIES_H
#define SKAMPI_STATS_SERIES_H

#include <stdbool.h>
#include <stddef.h>

/* Lag-1 autocorrelation; 0 when all are equal, NaN when n < 3. */
double series_autocorrelation(const double *x, size_t n);

/* How many independent samples say as much about the mean: n (1 - r) / (1 + r), with r the
 * autocorrelation where it is above 0. */
double series_effective_size(size_t n, double autocorrelation);

/* Where a series changes its level, if it does: Pettitt's rank test (1979), which needs no normal
 * distribution, and to which single outliers matter little. p = 2 exp(-6 K^2 / (n^3 + n^2)), with
 * the exponent reduced to the effective number of samples, since correlated samples often look like
 * a change. */
struct series_change {
    size_t at; /* first sample of the new level */
    double p;  /* probability of so clear a change in a steady series; 1 if n is too small */
    double before, after; /* medians */
};
struct series_change series_change(const double *x, size_t n);

/* The lag-1 autocorrelation if it is too high to be chance (one-sided, 5 %), else 0. */
double series_correlation(const double *x, size_t n);

/* Number of samples before the steady state, at most half of all. The number is the one with which
 * the mean rank of the other samples is known best (MSER, White 1997, on ranks, since single
 * outliers then matter little). 0 unless the samples left out are slower than the others at
 * significance p (rank-sum test, Wilcoxon 1945, normal approximation), and their median is a share
 * `least` above nine tenths of the others: a level that returns later is no warm-up. */
size_t series_warm_up(const double *x, size_t n, double p, double least);

/* Levels of a distribution whose values lie around a few places, whatever their order: ascending
 * values are cut at gaps that are wider than the levels themselves. */
struct series_level {
    double value; /* median */
    size_t count;
};
/* Fills levels[] in ascending order, `room` at most; returns their number, at least 1 for n > 0.
 * sorted: ascending, above 0. A level has at least a tenth of the samples, and is at least `least`
 * (as a share) above the one below. */
size_t series_levels(const double *sorted, size_t n, double least, struct series_level *levels,
                     size_t room);

#endif
