/*
 * Bandwidth and rate of messages, from what a function moves and how long that takes.
 */
#ifndef SKAMPI_ENGINE_RATES_H
#define SKAMPI_ENGINE_RATES_H

#include <stdint.h>

#include "engine/measurement.h"
#include "output/result.h"

/* Never NULL: in words, for --describe. bus: the factor of the bus bandwidth, or "none". */
struct rates_words {
    const char *bytes, *messages, *bus;
};
struct rates_words rates_words(const struct measurement *);

/* bytes: the size column; seconds: of one operation. NaN where there is no such value. */
struct result_rates rates_of(const struct measurement *, size_t pes, int64_t bytes, double seconds);

#endif
