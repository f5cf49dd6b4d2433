/*
 * SKaMPI's batches: windows grow until repetitions fit, and the stop rule says when there are
 * enough. Also where there are no windows.
 */
#include "engine/rules.h"
#include "engine/samples.h"
#include "stats/series.h"

#define FIRST_BATCH 4

static size_t most(const struct settings *settings)
{
    size_t first = (size_t)settings->min_repetitions, limit = stop_most(settings);
    return (limit > first ? limit : first) + FIRST_BATCH;
}

/* Whether the rule lays windows here. */
static bool has_windows(const struct bench *bench)
{
    return window_applies(&bench->run) && bench->hooks.window.rule == WINDOW_CLASSIC;
}

/* Whether there are enough repetitions after those before a steady state, of which *dropped is the
 * number. */
static bool is_enough(const struct settings *settings, struct samples *samples, size_t *dropped)
{
    int passes = samples->passes;
    *dropped = 0;
    bool enough = stop_enough(settings, samples->max, samples->valid, &samples->passes);
    samples->reached = stop_reached(settings, samples->max, samples->valid);
    if (!enough)
        return false;
    /* This often at most: what never gets steady must end as well. */
    if (!settings->adaptive_warm_up || settings->levels || samples->warm_up >= stop_most(settings))
        return true;
    *dropped = series_warm_up(samples->max, samples->valid, CHANGE_P, CHANGE_LEAST);
    if (*dropped == 0)
        return true;
    samples->passes = passes;
    samples->reached = stop_reached(settings, samples->max + *dropped, samples->valid - *dropped);
    return stop_enough(settings, samples->max + *dropped, samples->valid - *dropped,
                       &samples->passes);
}

/* Not more than the script allows, as long as all are valid. */
static size_t capped(const struct settings *settings, size_t count, size_t valid)
{
    size_t most = (size_t)settings->max_repetitions;
    most -= valid < most ? valid : 0;
    return settings->stop_rule == STOP_STANDARD_ERROR && count > most ? most : count;
}

static void begin(struct batches *batches, struct decision *next)
{
    const struct run *run = &batches->bench->run;
    if (run->function->timing == TIMING_ONCE)
        next->count = 1;
    else
        next->count = measurement_synchronized(run->function)
                          ? FIRST_BATCH
                          : (size_t)run->settings->min_repetitions;
    next->count = capped(run->settings, next->count, 0);
}

static void next_window(struct batches *batches, const struct batch *made, struct decision *next)
{
    double before = next->width;
    next->width = stop_next_window(next->width, made->flawed, made->count, made->used);
    batches->samples->changes += next->width != before;
    next->done = batch_window_too_long(batches, next->width);
}

static void decide(struct batches *batches, const struct batch *made, struct decision *next)
{
    const struct settings *settings = batches->bench->run.settings;
    struct samples *samples = batches->samples;
    bool windows = has_windows(batches->bench);
    size_t limit = stop_most(settings);
    if (windows)
        next_window(batches, made, next);
    if (made->failed || batches->bench->run.function->timing == TIMING_ONCE ||
        is_enough(settings, samples, &next->dropped) || batch_out_of_time(batches))
        next->done = true;
    size_t valid = samples->valid - next->dropped;
    next->count = stop_next_batch(settings, made->count, windows, batches->first, made->late_run);
    next->count = capped(settings, stop_grown_batch(settings, next->count, valid), valid);
    if (next->count > limit - valid)
        next->count = limit - valid;
    if (next->count == 0)
        next->done = true;
}

const struct batch_rule rule_classic = {most, begin, decide};
