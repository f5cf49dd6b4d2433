/*
 * The statistics of the valid repetitions.
 */
#ifndef SKAMPI_ENGINE_CONCLUDE_H
#define SKAMPI_ENGINE_CONCLUDE_H

#include "engine/outcome.h"
#include "engine/repetition.h"
#include "engine/samples.h"

/* The confidence of the median's interval in a result. */
#define MEDIAN_CONFIDENCE 0.95

/* All members. before, after: what is subtracted, as measured before and after the repetitions;
 * after is NULL when nothing is. outcome: its per-PE values on the set's rank 0 only. */
void conclude(struct bench *, struct samples *, const struct reference *before,
              const struct reference *after, struct outcome *);

#endif
