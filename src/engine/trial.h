/*
 * One attempt at a measurement, by the members of the set. Only trial.c calls the hooks of
 * descriptors.
 */
#ifndef SKAMPI_ENGINE_TRIAL_H
#define SKAMPI_ENGINE_TRIAL_H

#include "engine/batches.h"
#include "engine/outcome.h"

/* All PEs of the world. False when it failed on some member, which has the reason in its services.
 */
bool trial_run(struct batches *, struct machine *, struct outcome *);

#endif
