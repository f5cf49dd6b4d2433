/*
 * MPIPerf's stages (Kurnosov, section 4): stage 0 is left out and gives the first window; when too
 * many runs do not fit their windows, the next ones get the length that the stage took.
 */
#include "clock/sync.h"
#include "clock/timer.h"
#include "engine/rules.h"
#include "engine/samples.h"
#include "stats/stats.h"

/* The stop by error must end, too. */
#define MOST_RUNS_BY_ERROR 1000

static size_t most(const struct settings *settings)
{
    const struct window_rules *rules = &settings->window;
    return (size_t)rules->discarded + 2 * (size_t)rules->runs +
           (size_t)(rules->stop_by_error ? MOST_RUNS_BY_ERROR
                                         : rules->max_runs + rules->enough_valid);
}

static bool is_enough(const struct window_rules *rules, const struct samples *samples)
{
    size_t runs = samples->valid + samples->invalid;
    if (!rules->stop_by_error)
        return runs > (size_t)rules->max_runs || samples->valid > (size_t)rules->enough_valid;
    if (runs > MOST_RUNS_BY_ERROR)
        return true;
    if (samples->valid < (size_t)rules->least_valid)
        return false;
    struct stats_interval found =
        stats_trimmed_interval(samples->max, samples->valid, rules->trim, rules->confidence);
    return found.standard_error <= rules->relative_error * found.mean;
}

static void begin(struct batches *batches, struct decision *next)
{
    struct bench *bench = batches->bench;
    bench->hooks.window.broadcast = batch_measure_broadcast(bench);
    next->count = (size_t)bench->run.settings->window.discarded;
}

static void decide(struct batches *batches, const struct batch *made, struct decision *next)
{
    struct bench *bench = batches->bench;
    const struct window_rules *rules = &bench->run.settings->window;
    struct samples *samples = batches->samples;
    bool first = batches->first;
    double before = first ? 0 : next->width;
    double longest = timer_seconds(bench->hooks.timing.longest) / sync_seconds(1);
    next->width =
        stop_mpiperf_window(rules, before, made->invalid, made->count, made->used, longest);
    samples->changes += !first && next->width != before;
    if (first) {
        samples->valid = samples->invalid = samples->late = samples->overruns = 0;
        samples->too_long = 0;
        samples_good(samples);
    } else {
        batch_announce_earlier(batches, made);
    }
    next->done = batch_window_too_long(batches, next->width) || made->failed ||
                 (!first && is_enough(rules, samples)) || batch_out_of_time(batches);
    next->count = (size_t)rules->runs;
}

const struct batch_rule rule_mpiperf = {most, begin, decide};
