/*
 * All batches of one measurement, by the window rule in force.
 */
#ifndef SKAMPI_ENGINE_BATCHES_H
#define SKAMPI_ENGINE_BATCHES_H

#include <stddef.h>

#include "engine/batch.h"

/* The most repetitions that the window rule makes. */
size_t batches_most(const struct bench *);
/* Makes them all; collective over the set, whose rank 0 decides. The measurement fails when none is
 * valid. */
void batches_run(struct batches *);

#endif
