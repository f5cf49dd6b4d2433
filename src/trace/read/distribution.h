/*
 * Times of many calls in memory that does not grow with them: sums, extremes, and a histogram whose
 * steps are an eighth of an octave or less, so that quantiles are known within 7 %. Seconds.
 */
#ifndef SKAMPI_TRACE_READ_DISTRIBUTION_H
#define SKAMPI_TRACE_READ_DISTRIBUTION_H

#include <stdint.h>

#define DISTRIBUTION_STEPS 8    /* an octave */
#define DISTRIBUTION_OCTAVES 45 /* of ns; more than that, 9 hours, counts as that */

struct distribution {
    uint64_t count;
    double sum, squares, min, max;
    uint64_t bins[DISTRIBUTION_STEPS * DISTRIBUTION_OCTAVES];
};

/* Begins as all zeros. */
void distribution_add(struct distribution *, double seconds);
double distribution_mean(const struct distribution *);
double distribution_deviation(const struct distribution *); /* NaN below two */
/* 0 <= share <= 1; NaN without any. */
double distribution_quantile(const struct distribution *, double share);
/* Mean of what is left when a quarter at each end is left out. */
double distribution_middle(const struct distribution *);

#endif
