/*
 * How long a script takes, from some of its measurements.
 */
#include "engine/estimate.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct estimated {
    char *place;
    size_t count, skipped; /* since the last probe */
    double last;           /* seconds of the last probe */
    double reported;       /* what it measured, seconds */
};

static struct estimated *statement(struct estimate *estimate, const char *place)
{
    for (size_t i = 0; i < estimate->statement_count; i++)
        if (strcmp(estimate->statements[i].place, place) == 0)
            return &estimate->statements[i];
    size_t count = ++estimate->statement_count;
    estimate->statements =
        memory_resize(estimate->statements, count * sizeof *estimate->statements);
    struct estimated *added = &estimate->statements[count - 1];
    *added = (struct estimated){.place = memory_text(place)};
    return added;
}

bool estimate_probes(struct estimate *estimate, const char *place)
{
    struct estimated *estimated = statement(estimate, place);
    estimate->measurements++;
    size_t count = ++estimated->count;
    bool power_of_two = (count & (count - 1)) == 0;
    if (!power_of_two)
        estimated->skipped++;
    return power_of_two;
}

double estimate_reported(struct estimate *estimate, const char *place)
{
    return statement(estimate, place)->reported;
}

void estimate_probed(struct estimate *estimate, const char *place, double seconds, double reported)
{
    struct estimated *estimated = statement(estimate, place);
    estimate->probes++;
    estimate->seconds += seconds + (double)estimated->skipped * (estimated->last + seconds) / 2;
    estimated->skipped = 0;
    estimated->last = seconds;
    estimated->reported = reported;
}

double estimate_total(const struct estimate *estimate)
{
    double seconds = estimate->seconds;
    for (size_t i = 0; i < estimate->statement_count; i++)
        seconds += (double)estimate->statements[i].skipped * estimate->statements[i].last;
    return seconds;
}

void estimate_free(struct estimate *estimate)
{
    for (size_t i = 0; i < estimate->statement_count; i++)
        free(estimate->statements[i].place);
    free(estimate->statements);
}
