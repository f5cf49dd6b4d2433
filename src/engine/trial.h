/*
 * Calls the hooks of a descriptor, for measure.c, which makes an attempt at a measurement of these
 * functions; only trial.c calls hooks, and its head says in which order.
 */
#ifndef SKAMPI_ENGINE_TRIAL_H
#define SKAMPI_ENGINE_TRIAL_H

#include <stddef.h>

#include "engine/services.h"

/* What is collective over the world. */
void trial_prepare(struct run *);

/* ---- All members ---- */

/* False when it failed. */
bool trial_set_up(struct bench *);
void trial_tear_down(struct bench *);

/* A repetition of run->iterations: seconds per operation, NaN where this PE has nothing to report.
 */
/* In a batch. counts: a value for each event that is counted, NaN where this PE only watches; NULL:
 * none is. */
double trial_repeat(struct bench *, double *counts);
/* Outside of batches. */
double trial_call(struct bench *);
/* Of what is subtracted. */
double trial_refer(struct bench *);

/* Whether the operation does what it should, by repetitions of one iteration that are not timed:
 * its data are right, and where it says that it synchronizes, nobody leaves before all have
 * entered. */
bool trial_verify(struct bench *);

/* Fills the places in memory that the next `repetitions` repetitions are to use. */
void trial_make_data(struct bench *, size_t repetitions);
/* Verifies the data of the last repetition, unless its place had none. */
void trial_check_data(struct bench *);

#endif
