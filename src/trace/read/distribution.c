/* Adds times to distributions, and computes what they show. */
#include "trace/read/summary.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define BINS ((size_t)DISTRIBUTION_STEPS * DISTRIBUTION_OCTAVES)

/* Bins of an octave are equally wide: ns = 2^octave (1 + step / STEPS). */
static size_t bin_of(double seconds)
{
    double ns = 1e9 * seconds;
    if (!(ns >= 1))
        return 0;
    if (ns >= ldexp(1, DISTRIBUTION_OCTAVES))
        return BINS - 1;
    int exponent;
    double fraction = frexp(ns, &exponent);
    return DISTRIBUTION_STEPS * (size_t)(exponent - 1) +
           (size_t)((2 * fraction - 1) * DISTRIBUTION_STEPS);
}

static double lower_edge(size_t bin)
{
    return 1e-9 * ldexp(1 + (double)(bin % DISTRIBUTION_STEPS) / DISTRIBUTION_STEPS,
                        (int)(bin / DISTRIBUTION_STEPS));
}

void distribution_add(struct distribution *d, double seconds)
{
    d->min = d->count == 0 ? seconds : fmin(d->min, seconds);
    d->max = d->count == 0 ? seconds : fmax(d->max, seconds);
    d->count++;
    d->sum += seconds;
    d->squares += seconds * seconds;
    d->bins[bin_of(seconds)]++;
}

double distribution_mean(const struct distribution *d)
{
    return d->count ? d->sum / (double)d->count : NAN;
}

double distribution_deviation(const struct distribution *d)
{
    if (d->count < 2)
        return NAN;
    double n = (double)d->count;
    return sqrt(fmax(0, (d->squares - d->sum * d->sum / n) / (n - 1)));
}

/* A value inside the bin, which lies between the extremes. */
static double inside(const struct distribution *d, size_t bin, double share)
{
    double value = lower_edge(bin) + share * (lower_edge(bin + 1) - lower_edge(bin));
    return fmin(fmax(value, d->min), d->max);
}

double distribution_quantile(const struct distribution *d, double share)
{
    if (d->count == 0)
        return NAN;
    double wanted = share * (double)d->count, below = 0;
    size_t bin = 0;
    for (; bin < BINS - 1 && below + (double)d->bins[bin] < wanted; bin++)
        below += (double)d->bins[bin];
    double here = (double)d->bins[bin];
    return here > 0 ? inside(d, bin, (wanted - below) / here) : d->min;
}

double distribution_middle(const struct distribution *d)
{
    double n = (double)d->count, first = n / 4, last = n - n / 4, below = 0, sum = 0;
    for (size_t bin = 0; bin < BINS; bin++) {
        double here = (double)d->bins[bin];
        double used = fmin(below + here, last) - fmax(below, first);
        if (used > 0)
            sum += used * inside(d, bin, 0.5);
        below += here;
    }
    return n > 0 ? sum / (last - first) : NAN;
}
