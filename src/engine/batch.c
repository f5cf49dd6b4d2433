/*
 * One batch of repetitions: announced by rank 0, made by all members, combined by one reduction.
 */
#include "engine/batch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "clock/counters.h"
#include "clock/sync.h"
#include "clock/timer.h"
#include "comm/comm.h"
#include "engine/watchdog.h"

/* Repetitions that are tried however little time there is, until one is valid. */
#define FEWEST_TRIED 50
/* Trials for the upper estimate of a broadcast. */
#define BROADCASTS 10

/* What makes a repetition invalid, as flags in a batch's message. */
enum { FLAW_NONE, FLAW_LATE, FLAW_TOO_LONG };

/* What rank 0 broadcasts. */
struct announcement {
    int64_t step, verdict, size, origin, width, dropped;
};

enum batch_step batch_next(struct batches *batches, struct decision *decision)
{
    struct bench *bench = batches->bench;
    struct window *window = &bench->hooks.window;
    struct announcement said = {decision->step,           decision->verdict,
                                (int64_t)decision->count, 0,
                                (int64_t)decision->width, (int64_t)decision->dropped};
    if (bench->run.rank == 0)
        said.origin = sync_to_global(timer_now()) + window->broadcast;
    comm_broadcast(pe_set_group(bench->run.set), &said, sizeof said);
    if (said.verdict == VERDICT_AGAIN)
        samples_back(batches->samples);
    else if (said.verdict == VERDICT_GOOD)
        samples_good(batches->samples);
    if (said.step != BATCH_MAKE && said.step != BATCH_STOP)
        return (enum batch_step)said.step;
    decision->count = (size_t)said.size;
    samples_drop(batches->samples, (size_t)said.dropped);
    decision->dropped = 0;
    window->origin = said.origin;
    window->width = said.width;
    window->index = 0;
    return (enum batch_step)said.step;
}

/* A batch in progress. values, flags, lates and more are parts of the message. */
struct making {
    size_t count, late_run;
    double *values, *flags, *lates, *more;
    double *own, *starts; /* starts: of each repetition, and the same negated */
    double *counts;       /* of events, or NULL */
};

static struct making begin(const struct samples *samples, size_t count)
{
    struct making making = {.count = count, .values = samples->message};
    making.flags = making.values + count;
    making.lates = making.flags + count;
    making.more = making.lates + count;
    making.own = memory_zeroed(count, sizeof *making.own);
    making.starts = memory_zeroed(2 * count, sizeof *making.starts);
    if (samples->counts)
        making.counts = memory_zeroed(count * COUNTERS_MAX, sizeof *making.counts);
    return making;
}

static void end(struct making *making)
{
    free(making->counts);
    free(making->starts);
    free(making->own);
}

static void make_one(struct batches *batches, struct making *making, size_t i, size_t *late)
{
    struct bench *bench = batches->bench;
    struct run *run = &bench->run;
    struct window *window = &bench->hooks.window;
    struct timing *timing = &bench->hooks.timing;
    bool every = run->settings->verify == VERIFY_EVERY && run->function->timing != TIMING_ONCE;
    if (every)
        verify_begin(&bench->verification);
    double value = making->counts ? repetition_count(bench, making->counts + i * COUNTERS_MAX)
                                  : repetition_make(bench);
    if (window_global_run_time(run) && !isnan(value))
        value = repetition_global_time(bench);
    making->own[i] = making->values[i] = value - batches->reference;
    making->flags[i] = window->took_too_long  ? FLAW_TOO_LONG
                       : window->started_late ? FLAW_LATE
                                              : FLAW_NONE;
    making->lates[i] = window->started_late;
    making->starts[2 * i] = (double)(sync_to_global(window->start) - window->origin);
    making->starts[2 * i + 1] = -making->starts[2 * i];
    if (every)
        verify_end(&bench->verification);
    if (making->flags[i] == FLAW_NONE && window->stop - window->start > timing->longest)
        timing->longest = window->stop - window->start;
    if (window->started_late && !window->took_too_long) {
        if (++*late > making->late_run)
            making->late_run = *late;
    } else if (!window->took_too_long) {
        *late = 0;
    }
}

/* Maxima over the set. */
static struct batch combine(struct bench *bench, struct making *making, bool skewed)
{
    const struct window *window = &bench->hooks.window;
    struct timing *timing = &bench->hooks.timing;
    double *more = making->more;
    more[0] =
        window_applies(&bench->run) ? (double)(sync_to_global(window->stop) - window->origin) : 0;
    more[1] = (double)making->late_run;
    more[2] = bench->hooks.failure ? 1 : 0;
    more[3] = timer_seconds(timing->longest);
    comm_allreduce(pe_set_group(bench->run.set), COMM_MAX, making->values,
                   3 * making->count + BATCH_EXTRA);
    timing->longest = timer_ticks(more[3]);
    if (skewed)
        comm_allreduce(pe_set_group(bench->run.set), COMM_MAX, making->starts, 2 * making->count);
    return (struct batch){.count = making->count,
                          .used = more[0],
                          .late_run = (size_t)more[1],
                          .failed = more[2] != 0};
}

/* Counts a flawed repetition; whether it is invalid. */
static bool is_invalid(const struct bench *bench, const struct making *making, size_t i,
                       struct samples *samples, struct batch *batch)
{
    if (making->flags[i] == FLAW_NONE)
        return false;
    batch->flawed++;
    *(making->flags[i] == FLAW_LATE ? &samples->late : &samples->overruns) += 1;
    /* It started with the others: whoever wants all levels wants the slow ones, too. */
    bool together = making->lates[i] == 0 && bench->hooks.window.width > 0;
    if (together && bench->run.settings->levels)
        return false;
    samples->too_long += together;
    samples->invalid++;
    batch->invalid++;
    return true;
}

static void keep(const struct bench *bench, const struct making *making, bool skewed,
                 struct samples *samples, struct batch *batch)
{
    for (size_t i = 0; i < making->count; i++) {
        if (is_invalid(bench, making, i, samples, batch))
            continue;
        size_t at = samples->valid++;
        if (skewed)
            samples->skew[at] =
                sync_seconds((int64_t)(making->starts[2 * i] + making->starts[2 * i + 1]));
        if (making->counts)
            memcpy(samples->counts + at * COUNTERS_MAX, making->counts + i * COUNTERS_MAX,
                   COUNTERS_MAX * sizeof *making->counts);
        samples->own[at] = making->own[i];
        samples->max[at] = making->values[i];
    }
}

struct batch batch_make(struct batches *batches, size_t count)
{
    struct bench *bench = batches->bench;
    const struct window *window = &bench->hooks.window;
    struct making making = begin(batches->samples, count);
    bool skewed = window_applies(&bench->run) && window->rule == WINDOW_DISSEMINATION;
    size_t late = 0;
    for (size_t i = 0; i < count; i++)
        make_one(batches, &making, i, &late);
    struct batch batch = combine(bench, &making, skewed);
    keep(bench, &making, skewed, batches->samples, &batch);
    end(&making);
    watchdog_progress();
    progress_go_on(batches->display);
    if (batches->debug && bench->run.rank == 0)
        fprintf(stderr, "batch: %s: %zu repetitions, %zu flawed, %zu valid so far, window %g s\n",
                bench->run.function->name, count, batch.flawed, batches->samples->valid,
                sync_seconds(window->width));
    return batch;
}

/* ---- For rules ---- */

bool batch_window_too_long(struct batches *batches, double width)
{
    struct run *run = &batches->bench->run;
    double largest = run->settings->max_window;
    if (sync_seconds((int64_t)width) <= largest)
        return false;
    run_fail(run,
             "no window of up to %g s is long enough for %s: allow longer ones with "
             "set_max_window, or measure less at a time",
             largest, run->function->name);
    return true;
}

bool batch_out_of_time(struct batches *batches)
{
    struct samples *samples = batches->samples;
    bool over =
        (samples->until != 0 && timer_now() >= samples->until) || wall_seconds() >= batches->ends;
    /* The first repetitions are always invalid until the window's length is known. */
    if (!over || (samples->valid == 0 && samples->invalid < FEWEST_TRIED))
        return false;
    return samples->out_of_time = true;
}

int64_t batch_measure_broadcast(struct bench *bench)
{
    const struct run *run = &bench->run;
    double longest = 0;
    for (int i = 0; i < BROADCASTS; i++) {
        int64_t sent = run->rank == 0 ? sync_to_global(timer_now()) : 0;
        comm_barrier(pe_set_group(run->set));
        if (run->rank == 0)
            sent = sync_to_global(timer_now());
        comm_broadcast(pe_set_group(run->set), &sent, sizeof sent);
        longest = fmax(longest, (double)(sync_to_global(timer_now()) - sent));
    }
    comm_allreduce(pe_set_group(run->set), COMM_MAX, &longest, 1);
    return (int64_t)longest;
}

void batch_announce_earlier(struct batches *batches, const struct batch *batch)
{
    struct window *window = &batches->bench->hooks.window;
    double limit = batches->bench->run.settings->max_window * timer_in_use->ticks_per_second;
    if (batch->flawed * 2 > batch->count && 2 * (double)window->broadcast < limit)
        window->broadcast *= 2;
}
