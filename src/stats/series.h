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

/* Where a series changes its level, if it does. Pettitt's rank test (1979), which needs no normal
 * distribution and is not impressed by single outliers: p = 2 exp(-6 K^2 / (n^3 + n^2)), the
 * exponent reduced to the effective number of samples, since correlated ones change their level all
 * the time. */
struct series_change {
    size_t at; /* first sample of the new level */
    double p;  /* of a change so clear in a steady series; 1 when n is too small to tell */
    double before, after; /* medians */
};
struct series_change series_change(const double *x, size_t n);

/* All changes that are significant at p and change the median by a share of at least `least`, by
 * binary segmentation. first[] receives the first sample of each stretch (first[0] = 0), `room`
 * at most; returns how many stretches there are, 1 for a steady series. */
size_t series_stretches(const double *x, size_t n, double p, double least, size_t *first,
                        size_t room);

/* That correlation where it is too high to be chance (one-sided, 5 %), else 0. */
double series_correlation(const double *x, size_t n);

/* Samples before the steady state, at most half of all: so many that the mean rank of the others
 * is known best (MSER, White 1997, on ranks, which single outliers cannot impress), if those left
 * out are slower than the others at significance p by the rank-sum test (Wilcoxon 1945, normal
 * approximation), and their median is a share `least` above nine tenths of the others; a level that
 * comes again later is no warm-up. */
size_t series_warm_up(const double *x, size_t n, double p, double least);

/* Levels of a distribution whose values lie around a few places, whatever their order: ascending
 * values are cut at gaps that are wider than the levels themselves. */
struct series_level {
    double value; /* median */
    size_t count;
};
/* Fills levels[] in ascending order, `room` at most; returns their number, at least 1 for n > 0.
 * sorted: ascending, above 0. A level has at least a tenth of the samples, and is at least `least`
 * (a share) above the one below. */
size_t series_levels(const double *sorted, size_t n, double least, struct series_level *levels,
                     size_t room);

#endif
