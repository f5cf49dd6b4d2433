/*
 * Means and errors of what is subtracted.
 */
#include "engine/reference.h"

#include <math.h>

#include <stdio.h>

#include "base/numbers.h"
#include "base/text.h"
#include "stats/stats.h"

/* What is subtracted is named where it is more than this share of the result. */
#define MUCH_SUBTRACTED 0.1

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

char *reference_text(const char *what, double subtracted, double time)
{
    char seconds[40], share[40] = "more than the result";
    time = fabs(time);
    if (!(subtracted > MUCH_SUBTRACTED * time))
        return NULL;
    if (subtracted <= time)
        snprintf(share, sizeof share, "%.2g %% of the result", 100 * subtracted / time);
    return text_format("subtracted: %s, %s (%s)", what ? what : "the cost of measuring",
                       numbers_time(seconds, subtracted, 3), share);
}
