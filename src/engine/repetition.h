/*
 * One repetition of a measurement, and what it needs.
 */
#ifndef SKAMPI_ENGINE_REPETITION_H
#define SKAMPI_ENGINE_REPETITION_H

#include <stddef.h>
#include <stdint.h>

#include "engine/buffers.h"
#include "engine/hooks.h"
#include "engine/measurement.h"
#include "engine/samples.h"
#include "engine/verify.h"

/* What repetitions work with. */
struct bench {
    struct run run;
    struct hooks hooks;
    struct buffers buffers;
    struct verification verification;
};

/* All members of the set call these. */

/* A repetition as run->iterations and the window say; seconds per operation, NaN where this PE has
 * nothing to report. */
double repetition_make(struct bench *);
/* The same with events counted: one value for each, NaN where this PE only watches. */
double repetition_count(struct bench *, double *counts);
/* A repetition that is not timed, and of one iteration, by which the data are verified. */
void repetition_prove(struct bench *);
/* Repetitions between these two are not timed, and of one iteration. */
struct untimed {
    int64_t iterations, shortest, start;
};
struct untimed repetition_untimed(struct bench *);
void repetition_timed(struct bench *, const struct untimed *);
/* What is subtracted, once; seconds per operation. */
double repetition_refer(struct bench *);
/* The cost that is subtracted, from repetitions of its own, of that many iterations. */
struct reference repetition_reference(struct bench *, int64_t iterations);
/* The time on the global clock from the scheduled start of the last repetition, for
 * set_run_time("global"). */
double repetition_global_time(const struct bench *);

/* Whether the measurement has failed on any member. */
bool repetition_failed(struct bench *);

/* The places that this many iterations use when each is to be cold. */
size_t repetition_places(const struct run *, int64_t iterations);

#endif
