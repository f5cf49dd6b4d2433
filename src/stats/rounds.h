/*
 * One point measured in several rounds, at different times of a run or in different runs: what is
 * said about the next time. Pure functions; times in whatever unit the medians have.
 */
#ifndef SKAMPI_STATS_ROUNDS_H
#define SKAMPI_STATS_ROUNDS_H

#include <stdbool.h>
#include <stddef.h>

/* With fewer there are no intervals. */
#define ROUNDS_FEWEST 5
/* Of the intervals that skampi states. */
#define ROUNDS_CONFIDENCE 0.95

struct rounds {
    size_t count;
    double median;              /* of the rounds' medians */
    double low, high;           /* confidence interval of that median: where the true one lies */
    double next_low, next_high; /* prediction interval: where the median of as many later rounds
                                   will lie; of the same launch, before rounds_widen() */
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

/* Of one launch: of the logarithms of its rounds' medians. */
struct rounds_launch {
    size_t count;
    double mean, squares; /* of deviations from the mean, their sum */
};
/* One more round; a median that is not above 0 does not count. */
void rounds_launch_add(struct rounds_launch *, double median);

/* Variance of the logarithm from launch to launch that rounds do not explain, which may come out
 * below 0: one-way analysis of variance with random effects, method of moments (Searle, Casella &
 * McCulloch, Variance Components, 1992, chapter 3). Callers take the median over
 * points, so the mean square of launches is divided by the median of chi-squared over its mean
 * (Wilson & Hilferty 1931). NaN with fewer than ROUNDS_FEWEST_LAUNCHES of ROUNDS_FEWEST rounds. */
#define ROUNDS_FEWEST_LAUNCHES 5
double rounds_between_launches(const struct rounds_launch *, size_t n);

/* What no round of a launch sees. */
struct rounds_unseen {
    double launches; /* standard deviation of medians from launch to launch, as a fraction */
    double step;     /* by which the timer's calibration may be wrong; in the unit of medians */
    bool positive;   /* no value is below 0, so no interval reaches below it */
};

/* Widens the prediction interval by it. The medians of two launches differ by sqrt(2) times that
 * standard deviation; times the normal quantile of the confidence, this is added to each end's
 * distance from the median as squares (errors that do not depend on each other), on a logarithmic
 * scale where all is above 0. Steps are added as they are: they are a limit, no error. */
void rounds_widen(struct rounds *, const struct rounds_unseen *);

#endif
