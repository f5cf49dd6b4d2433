/*
 * What the last measurement found, the same on all PEs unless it says otherwise.
 */
#ifndef SKAMPI_ENGINE_LATEST_H
#define SKAMPI_ENGINE_LATEST_H

#include <stdbool.h>
#include <stdint.h>

#include "output/result.h"

struct latest {
    bool measured;      /* not left to an estimate */
    const char *absent; /* why there is no time; NULL: nothing was to be measured yet */
    double time;        /* that was reported, seconds; NaN: none */
    double
        assumed; /* the same; where an estimate left the measurement out, that of its last probe */
    int64_t iterations;
    double effective; /* independent repetitions; PE 0 */
    double subtracted;
    double median, within;                       /* within: interquartile range; PE 0 */
    struct result_part parts[RESULT_STATES_MAX]; /* by state of the machine; PE 0 */
    size_t part_count;
    unsigned flags; /* PE 0 */
};

#endif
