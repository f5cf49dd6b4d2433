/*
 * One point measured in several rounds, at different times of a run or in different runs: what is
 * said about the next time. Pure functions; times in whatever unit the medians have.
 */
#ifndef SKAMPI_STATS_ROUNDS_H
#define SKAMPI_STATS_ROUNDS_H

#include <stddef.h>

/* With fewer there are no intervals. */
#define ROUNDS_FEWEST 5

struct rounds {
    size_t count;
    double median;              /* of the rounds' medians */
    double low, high;           /* confidence interval of that median: where the true one lies */
    double next_low, next_high; /* prediction interval: where the median of as many later rounds
                                   will lie */
    double confidence;          /* of both, as asked for; the first has less with few rounds: */
    double reached;             /* what its ranks reach */
    double between;             /* spread between rounds: interquartile range over the median; NaN
                                   where that is not above 0 */
    double within; /* spread inside rounds, the same, median over rounds; NaN: not known */
};

/* medians: one of each round. within: interquartile range of each round's samples, or
 * NULL.
 *
 * Confidence: order statistics (stats_median_ranks). Prediction: the median of as many rounds drawn
 * from those seen would lie beyond the k-th of them with a probability that the binomial
 * distribution tells exactly (the bootstrap distribution of a median, Efron 1979, without drawing);
 * seen and later median are both uncertain, so distances from the median are made sqrt(2) longer,
 * and those of few rounds more by the root of Student's t over the normal quantile, on a
 * logarithmic scale where all are above 0. No distribution is assumed: where rounds lie on two
 * levels, the interval reaches both. NaN with fewer than 5 rounds. */
struct rounds rounds_of(const double *medians, const double *within, size_t n, double confidence);

#endif
