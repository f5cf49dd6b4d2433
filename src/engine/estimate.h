/*
 * What --estimate knows of the script: how much it measures, and how long that takes.
 */
#ifndef SKAMPI_ENGINE_ESTIMATE_H
#define SKAMPI_ENGINE_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

struct estimated;

struct estimate {
    struct estimated *statements; /* one for each measure statement */
    size_t statement_count, measurements, probes, blocks;
    /* Of all measurements so far, except those skipped since a statement's last probe */
    double seconds;
    int rounds;    /* the most that was met, */
    double spread; /* and the seconds that they are to be spread over, as settings have it */
};

/* Whether this request is to be measured, as a probe: the first, second, fourth, ... of a
 * statement. All PEs agree, since they count alike. */
bool estimate_probes(struct estimate *, const char *place);
/* What a probe took; those skipped before it are taken to have cost the mean of both probes. */
void estimate_probed(struct estimate *, const char *place, double seconds, double reported);
/* What the last probe there reported, in seconds; NaN: it failed. */
double estimate_reported(struct estimate *, const char *place);
/* Seconds of the complete script. */
double estimate_total(const struct estimate *);
void estimate_free(struct estimate *);

#endif
