/*
 * Means and errors of what is subtracted.
 */
#include "engine/reference.h"

#include <math.h>

#include "stats/stats.h"

struct reference reference_of(const double *values, size_t n)
{
    struct stats_trimmed trimmed = stats_trim(values, n, NULL);
    double error = trimmed.standard_error;
    return (struct reference){.mean = trimmed.mean, .variance = isnan(error) ? 0 : error * error};
}

struct reference reference_combine(const struct reference *before, const struct reference *after)
{
    double half = (after->mean - before->mean) / 2;
    return (struct reference){.mean = before->mean + half,
                              .variance = (before->variance + after->variance) / 4 + half * half,
                              .step = fmax(before->step, after->step)};
}
