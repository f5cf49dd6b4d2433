/*
 * The distribution of the times of many calls (seconds), in constant memory: sums, extremes, and a
 * histogram with steps of at most an eighth of an octave, which gives quantiles within 7 %.
 */
#ifndef SKAMPI_TRACE_READ_DISTRIBUTION_H
#define SKAMPI_TRACE_READ_DISTRIBUTION_H

#include <stdint.h>

#define DISTRIBUTION_STEPS 8    /* an octave */
#define DISTRIBUTION_OCTAVES 45 /* above 1 ns; times above 9 hours count as 9 hours */

struct distribution {
    uint64_t count;
    double sum, squares, min, max;
    uint64_t bins[DISTRIBUTION_STEPS * DISTRIBUTION_OCTAVES];
};

/* Adds a time. A distribution begins as all zeros. */
void distribution_add(struct distribution *, double seconds);
double distribution_mean(const struct distribution *);
double distribution_deviation(const struct distribution *); /* NaN with fewer than two times */
/* The quantile of a share from 0 to 1; NaN without times. */
double distribution_quantile(const struct distribution *, double share);
/* Mean without the quarters at both ends. */
double distribution_middle(const struct distribution *);

#endif
