/*
 * Points that are measured again at other times of the run.
 */
#ifndef SKAMPI_ENGINE_ROUNDS_H
#define SKAMPI_ENGINE_ROUNDS_H

#include "engine/engine.h"

/* Keeps a request that has been measured once, with what came of it, if it is to be measured again
 * in later rounds. All PEs. */
void rounds_record(struct engine *, const struct measure_request *);
/* The later rounds; collective. */
void rounds_replay(struct engine *);
/* The blocks of their results. Any PE. */
void rounds_print(struct engine *);
/* The seconds that all rounds take when one takes this many. */
double rounds_estimate(const struct engine *, double seconds);
void rounds_free(struct engine *);

#endif
