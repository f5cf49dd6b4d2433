/*
 * What a point that was measured in several rounds, at different times of a run or in different
 * runs, says about later runs. Pure functions; times in whatever unit the medians have.
 */
#ifndef SKAMPI_STATS_ROUNDS_H
#define SKAMPI_STATS_ROUNDS_H

#include <stdbool.h>
#include <stddef.h>

/* Fewest rounds with intervals: the median of fewer says too little. */
#define ROUNDS_FEWEST 5
/* Confidence of the intervals that skampi states. */
#define ROUNDS_CONFIDENCE 0.95

struct rounds {
    size_t count;
    double median;              /* of the rounds' medians */
    double low, high;           /* confidence interval of the median: where the true median lies */
    double next_low, next_high; /* prediction interval: where the median of as many later rounds of
                                   this launch will lie (rounds_widen(): of another launch) */
    double confidence;          /* of both intervals, as requested */
    double reached; /* of the confidence interval, less than requested with few rounds */
    double between; /* spread between rounds: interquartile range over the median; NaN
                       where that is not above 0 */
    double within;  /* spread inside rounds: interquartile range over the median of a round, median
                       over the rounds; NaN if it is not known */
};

/* medians has one entry for each round. within has the interquartile range of each round's
 * samples, or is NULL.
 *
 * Confidence: order statistics (stats_median_ranks). Prediction: the median of as many rounds drawn
 * from those seen would lie beyond the k-th of them with a probability that the binomial
 * distribution tells exactly (the bootstrap distribution of a median, Efron 1979, without drawing);
 * seen and later median are both uncertain, so distances from the median are made sqrt(2) longer,
 * and those of few rounds more by the root of Student's t over the normal quantile, on a
 * logarithmic scale where all are above 0. No distribution is assumed: where rounds lie on two
 * levels, the interval reaches both. NaN with fewer than 5 rounds. */
struct rounds rounds_of(const double *medians, const double *within, size_t n, double confidence);

/* Sums over the rounds of one launch, of the logarithms of their medians. */
struct rounds_launch {
    size_t count;
    double mean, squares; /* sum of the squares of the deviations from the mean */
};
/* Adds a round. A median that is not above 0 has no logarithm and does not count. */
void rounds_launch_add(struct rounds_launch *, double median);

/* Variance of the logarithm from launch to launch that rounds do not explain, which may come out
 * below 0: one-way analysis of variance with random effects, method of moments (Searle, Casella &
 * McCulloch, Variance Components, 1992, chapter 3). Callers take the median over
 * points, so the mean square of launches is divided by the median of chi-squared over its mean
 * (Wilson & Hilferty 1931). NaN with fewer than ROUNDS_FEWEST_LAUNCHES of ROUNDS_FEWEST rounds. */
#define ROUNDS_FEWEST_LAUNCHES 5
double rounds_between_launches(const struct rounds_launch *, size_t n);

/* Errors that no round of a launch shows. */
struct rounds_unseen {
    double launches; /* standard deviation of medians from launch to launch, as a fraction */
    double step;     /* error of the timer's calibration, in the unit of medians */
    bool positive;   /* no value is below 0, so no interval reaches below it */
};

/* Widens the prediction interval by these errors. The medians of two launches differ by sqrt(2)
 * times the standard deviation from launch to launch. This, times the normal quantile of the
 * confidence, is added to the distance of each end from the median: as squares, since the errors
 * are independent, and on a logarithmic scale if all values are above 0. The step is added as it
 * is: it is a limit, not a standard deviation. */
void rounds_widen(struct rounds *, const struct rounds_unseen *);

#endif
