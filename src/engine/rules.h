/*
 * How much is measured: operations in a repetition, repetitions in a batch, and when there are
 * enough.
 */
#ifndef SKAMPI_ENGINE_RULES_H
#define SKAMPI_ENGINE_RULES_H

#include <stdint.h>

#include "engine/batch.h"

/* ---- Operations in a repetition ---- */

/* As the script says; 0: the engine is to choose. */
int64_t iterations_wanted(const struct run *);
/* No more than there is fresh memory for, with a note where there are fewer. */
void iterations_limit(struct bench *);
/* So many that what a repetition times lasts long enough for the timer, on every PE that times
 * anything, unless that takes another PE very long. Some calls of the function; collective over the
 * set. */
void iterations_choose(struct bench *);

/* How many iterations the reference needs for the timer, beginning with run->iterations, which stay
 * if its time does not grow with them. Some calls of it; collective over the set. */
int64_t iterations_of_reference(struct bench *);

/* ---- Repetitions ---- */

/* SKaMPI's rule also holds where there are no windows, and for the dissemination barrier. */
const struct batch_rule *rules_of(enum window_rule);

#endif
