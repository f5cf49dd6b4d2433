/*
 * Events of the hardware, counted in repetitions of their own: reading counters takes longer than
 * reading the timer, and times must not include that.
 */
#ifndef SKAMPI_ENGINE_COUNTING_H
#define SKAMPI_ENGINE_COUNTING_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/batch.h"
#include "engine/outcome.h"

/* What is counted from now on; nothing when n is 0. Collective over the world. Returns NULL, or why
 * it cannot be counted here, which the caller frees. */
char *counting_choose(const char *const *names, size_t n);

/* Events are counted in measurements of this function. */
bool counting_applies(const struct measurement *);
/* Further repetitions under the same rules; a PE's count is the mean of the middle half. Collective
 * over the set. */
void counting_run(const struct batches *, struct outcome *);

#endif
