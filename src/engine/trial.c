/*
 * One attempt at a measurement: set-up, warm-up, reference, batches until there are enough,
 * reference, statistics. All members of the set.
 */
#include "engine/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "clock/timer.h"
#include "comm/comm.h"
#include "engine/conclude.h"
#include "engine/counting.h"
#include "engine/iterations.h"
#include "engine/remarks.h"
#include "engine/synchronism.h"

/* Every repetition, where the output wants them. */
static void keep_raw(const struct samples *samples, struct outcome *outcome)
{
    outcome->samples = memory_zeroed(samples->valid + 1, sizeof *outcome->samples);
    memcpy(outcome->samples, samples->max, samples->valid * sizeof *outcome->samples);
    outcome->sample_count = samples->valid;
}

/* Its place is not warmed by the function itself (warm_places()). */
static bool has_one_warm_place(const struct bench *bench)
{
    return !bench->buffers.cold && (bench->buffers.fixed || !bench->run.settings->buffer_cycling);
}

/* Whether the operation does what it should, outside of what is timed. */
static void prove(struct bench *bench)
{
    repetition_prove(bench);
    synchronism_prove(bench);
}

static bool set_up(struct bench *bench)
{
    struct run *run = &bench->run;
    buffers_begin(&bench->buffers, run->settings, &run->demand);
    bench->buffers.fixed = run->function->one_place;
    iterations_limit(bench);
    buffers_next(&bench->buffers, run);
    comm_barrier(pe_set_group(run->set));
    if (run->function->setup)
        run->function->setup(run);
    if (repetition_failed(bench))
        return false;
    prove(bench);
    return !repetition_failed(bench);
}

/* The first call is slow: connections, page faults. It is not timed, and in no window. Further ones
 * that set_warm_up() asks for are as long as timed ones. */
static void warm_up(struct bench *bench)
{
    bench->hooks.window.synchronization = SYNCHRONIZE_NONE;
    if (bench->run.function->timing != TIMING_ONCE)
        repetition_make(bench);
    if (iterations_wanted(&bench->run) == 0)
        iterations_choose(bench);
    if (bench->run.function->timing != TIMING_ONCE)
        for (int i = 1; i < bench->run.settings->warm_up; i++)
            repetition_make(bench);
    comm_barrier(pe_set_group(bench->run.set));
    bench->hooks.timing.shortest = INT64_MAX;
}

static void make_data(struct bench *bench, size_t repetitions)
{
    const struct measurement *function = bench->run.function;
    int64_t start = timer_now();
    verify_fill_ahead(&bench->verification, repetitions);
    if (verify_has(function) && function->timing != TIMING_ONCE && has_one_warm_place(bench))
        repetition_make(bench); /* what was filled is warm again */
    bench->verification.seconds += timer_seconds(timer_now() - start);
}

static void check_data(struct bench *bench)
{
    int64_t start = timer_now();
    verify_last(&bench->verification);
    bench->verification.seconds += timer_seconds(timer_now() - start);
}

/* took: seconds of all batches. */
static void account(struct accounting *accounting, const struct bench *bench,
                    const struct samples *samples, double took)
{
    double used = 0;
    for (size_t i = 0; i < samples->valid; i++)
        if (!isnan(samples->max[i]))
            used += samples->max[i] * (double)bench->run.iterations;
    double share = (double)samples->invalid / (double)(samples->valid + samples->invalid + 1);
    accounting->comm += used;
    accounting->over += took * share;
    accounting->wait += fmax(0, took * (1 - share) - used);
}

/* False when it failed. */
static bool make_batches(const struct trial *trial, struct judge *judge, struct outcome *outcome)
{
    struct bench *bench = trial->bench;
    struct run *run = &bench->run;
    const struct measurement *function = run->function;
    struct reference before = {0}, after = {0};
    int64_t referring = 0;
    struct samples samples = {0};
    bench->hooks.window.rule = window_applies(run) ? run->settings->window.rule : WINDOW_CLASSIC;
    samples_reserve(&samples, batches_most(bench) + 1, false);
    warm_up(bench);
    if (function->reference) {
        referring = iterations_of_reference(bench);
        before = repetition_reference(bench, referring);
    }
    make_data(bench, samples.capacity);
    struct batches batches = {.bench = bench,
                              .judge = judge,
                              .display = trial->display,
                              .ends = trial->ends,
                              .debug = trial->debug,
                              .samples = &samples,
                              .reference = before.mean};
    int64_t start = timer_now();
    batches_run(&batches);
    if (judge->missed) {
        samples_release(&samples);
        return false;
    }
    double took = timer_seconds(timer_now() - start);
    check_data(bench);
    if (function->reference)
        after = repetition_reference(bench, referring);
    conclude(bench, &samples, &before, function->reference ? &after : NULL, outcome);
    if (run->rank == 0)
        judge_conclude(judge, &samples, &outcome->statistics);
    account(trial->accounting, bench, &samples, took);
    if (counting_applies(function))
        counting_run(&batches, outcome);
    prove(bench);
    bool failed = repetition_failed(bench);
    if (run->rank == 0 && !failed) {
        remarks_make(bench, &samples, &outcome->statistics);
        if (trial->raw)
            keep_raw(&samples, outcome);
    }
    samples_release(&samples);
    return !failed;
}

bool trial_run(const struct trial *trial, struct outcome *outcome)
{
    struct run *run = &trial->bench->run;
    struct judge judge;
    judge_begin(&judge, trial->machine, run);
    bool good = set_up(trial->bench) && make_batches(trial, &judge, outcome);
    outcome->missed = judge.missed;
    size_t count;
    const struct control *controls = judge_controls(&judge, &count);
    if (comm_pe() != 0)
        outcome_keep_controls(outcome, controls, count);
    if (run->function->teardown)
        run->function->teardown(run);
    comm_quiet();
    return good;
}
