/*
 * What the bytes of a function mean: from its time follow bandwidth and rate of messages.
 */
#ifndef SKAMPI_ENGINE_MEANING_H
#define SKAMPI_ENGINE_MEANING_H

#include <stdint.h>

#include "engine/measurement.h"
#include "output/result.h"

/* Never NULL: in words, for --describe. bus: the factor of the bus bandwidth, or "none". */
struct meaning_words {
    const char *bytes, *messages, *bus;
};
struct meaning_words meaning_words(const struct measurement *);

/* bytes: the size column; seconds: of one operation. NaN where there is no such value. */
struct result_rates meaning_rates(const struct measurement *, size_t pes, int64_t bytes,
                                  double seconds);

#endif
