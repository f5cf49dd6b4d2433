/*
 * The result of one measurement, as the engine hands it to the output. Times in seconds; NaN
 * where there is nothing to state.
 */
#ifndef SKAMPI_OUTPUT_RESULT_H
#define SKAMPI_OUTPUT_RESULT_H

#include <stddef.h>
#include <stdint.h>

#include "output/settings.h"

struct result_variable {
    const char *name, *value;
};

/* Events per operation. */
struct result_counter {
    const char *name;
    double most, mean; /* over PEs */
};

struct result {
    const char *function;                    /* script name */
    const char *text;                        /* the call with its arguments */
    const struct result_variable *variables; /* of the loops around it, outermost first */
    size_t variable_count;
    int64_t bytes;
    double time, standard_error; /* trimmed mean and its classic standard error */
    size_t valid, invalid;       /* repetitions */
    double median, minimum;
    double median_low, median_high; /* interval of the median at `confidence`; NaN: too few */
    double confidence;
    const double *per_pe; /* means over the kept repetitions, in the order of ranks */
    size_t pes;
    int64_t iterations;
    double window; /* the last one; 0: none */
    const struct result_counter *counters;
    size_t counter_count;     /* 0: nothing was counted */
    const char *const *notes; /* about this result alone */
    size_t note_count;
    const char *conditions; /* where, how synchronized, which buffers: equal for many results */
    struct settings settings;
};

#endif
