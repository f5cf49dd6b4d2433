/*
 * Memory for the repetitions of one measurement.
 */
#include "engine/samples.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/counters.h"

void samples_reserve(struct samples *samples, size_t limit, bool counting)
{
    samples->capacity = limit;
    samples->own = memory_zeroed(limit, sizeof *samples->own);
    samples->max = memory_zeroed(limit, sizeof *samples->max);
    samples->message = memory_zeroed(3 * limit + BATCH_EXTRA, sizeof *samples->message);
    samples->skew = memory_zeroed(limit, sizeof *samples->skew);
    if (counting)
        samples->counts = memory_zeroed(limit * COUNTERS_MAX, sizeof *samples->counts);
}

void samples_release(struct samples *samples)
{
    free(samples->own);
    free(samples->max);
    free(samples->message);
    free(samples->skew);
    free(samples->counts);
}

void samples_drop(struct samples *samples, size_t dropped)
{
    size_t rest = samples->valid -= dropped;
    samples->warm_up += dropped;
    memmove(samples->own, samples->own + dropped, rest * sizeof *samples->own);
    memmove(samples->max, samples->max + dropped, rest * sizeof *samples->max);
    memmove(samples->skew, samples->skew + dropped, rest * sizeof *samples->skew);
    if (samples->counts)
        memmove(samples->counts, samples->counts + dropped * COUNTERS_MAX,
                rest * COUNTERS_MAX * sizeof *samples->counts);
}
