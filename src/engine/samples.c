/*
 * Memory for the repetitions of one measurement.
 */
#include "engine/samples.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "clock/counters.h"

void samples_reserve(struct samples *samples, size_t limit, bool counting)
{
    samples->capacity = limit;
    samples->own = memory_zeroed(limit, sizeof *samples->own);
    samples->max = memory_zeroed(limit, sizeof *samples->max);
    samples->message = memory_zeroed(3 * limit + BATCH_EXTRA, sizeof *samples->message);
    samples->skew = memory_zeroed(limit, sizeof *samples->skew);
    samples->controls = memory_zeroed(limit, sizeof *samples->controls);
    if (counting)
        samples->counts = memory_zeroed(limit * COUNTERS_MAX, sizeof *samples->counts);
}

void samples_release(struct samples *samples)
{
    free(samples->own);
    free(samples->max);
    free(samples->message);
    free(samples->skew);
    free(samples->controls);
    free(samples->counts);
}

void samples_drop(struct samples *samples, size_t dropped)
{
    size_t rest = samples->valid -= dropped;
    samples->warm_up += dropped;
    memmove(samples->own, samples->own + dropped, rest * sizeof *samples->own);
    memmove(samples->max, samples->max + dropped, rest * sizeof *samples->max);
    memmove(samples->skew, samples->skew + dropped, rest * sizeof *samples->skew);
    memmove(samples->controls, samples->controls + dropped, rest * sizeof *samples->controls);
    samples->good -= dropped < samples->good ? dropped : samples->good;
    if (samples->counts)
        memmove(samples->counts, samples->counts + dropped * COUNTERS_MAX,
                rest * COUNTERS_MAX * sizeof *samples->counts);
}

void samples_good(struct samples *samples)
{
    samples->good = samples->valid;
    samples->good_invalid = samples->invalid;
    samples->good_late = samples->late;
    samples->good_overruns = samples->overruns;
    samples->good_too_long = samples->too_long;
}

void samples_back(struct samples *samples)
{
    samples->valid = samples->good;
    samples->invalid = samples->good_invalid;
    samples->late = samples->good_late;
    samples->overruns = samples->good_overruns;
    samples->too_long = samples->good_too_long;
    samples->passes = 0;
}
