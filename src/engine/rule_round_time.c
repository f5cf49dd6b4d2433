/*
 * ReproMPI's round-time: as many repetitions as fit into a slice of time, each announced when the
 * one before it has ended everywhere.
 */
#include "clock/timer.h"
#include "engine/rules.h"

/* Repetitions that there is room for. */
#define MOST_REPETITIONS 20000

static size_t most(const struct settings *settings)
{
    return MOST_REPETITIONS + (size_t)settings->min_repetitions;
}

static void begin(struct batches *batches, struct decision *next)
{
    struct bench *bench = batches->bench;
    const struct settings *settings = bench->run.settings;
    bench->hooks.window.broadcast = batch_measure_broadcast(bench);
    next->count = (size_t)settings->min_repetitions;
    batches->slice_ends = timer_now() + timer_ticks(settings->window.slice);
}

static void decide(struct batches *batches, const struct batch *made, struct decision *next)
{
    const struct samples *samples = batches->samples;
    size_t batch = (size_t)batches->bench->run.settings->min_repetitions;
    batch_announce_earlier(batches, made);
    size_t runs = samples->valid + samples->invalid;
    next->done = made->failed || timer_now() >= batches->slice_ends ||
                 runs + batch > MOST_REPETITIONS || batch_out_of_time(batches);
}

const struct batch_rule rule_round_time = {most, begin, decide};
