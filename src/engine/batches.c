/*
 * All batches of one measurement, whatever the window rule. A batch is announced by rank 0, made by
 * all members, and combined by one reduction.
 */
#include "engine/batches.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "clock/counters.h"
#include "clock/sync.h"
#include "clock/timer.h"
#include "comm/comm.h"
#include "engine/trial.h"
#include "engine/watchdog.h"
#include "stats/stats.h"

/* Repetitions that are tried however little time there is, until one is valid. */
#define FEWEST_TRIED 50
/* Repetitions of a batch, however little time is left for it. */
#define FEWEST_IN_BATCH 4
/* Repetitions that a reference is measured by at least. */
#define FEWEST_OF_REFERENCE 4
/* Trials for the upper estimate of a broadcast. */
#define BROADCASTS 10

/* What members tell each other of a batch, as maxima: of all of it, then of each repetition. Starts
 * are told after a dissemination barrier only. */
enum { USED, LATE_RUN, FAILED, LONGEST };
enum { VALUE, FLAW, LATE, OF_REPETITION, START = OF_REPETITION, START_NEGATED, OF_SKEWED };
_Static_assert(LONGEST + 1 == BATCH_EXTRA && (int)OF_SKEWED == SAMPLES_TOLD, "room in samples");

/* What makes a repetition invalid. */
enum { FLAW_NONE, FLAW_LATE, FLAW_TOO_LONG };

/* Tells all members what rank 0 has decided. */
static void announce(struct batches *batches, struct decision *next)
{
    struct bench *bench = batches->bench;
    struct window *window = &bench->services.window;
    if (bench->run.rank == 0)
        next->origin = sync_to_global(timer_now()) + window->broadcast;
    comm_broadcast(pe_set_group(bench->run.set), next, sizeof *next);
    if (next->verdict == VERDICT_AGAIN)
        samples_back(batches->samples);
    else if (next->verdict == VERDICT_GOOD)
        samples_good(batches->samples);
    if (next->step != BATCH_MAKE && next->step != BATCH_STOP)
        return;
    if (next->dropped > 0)
        samples_drop(batches->samples, next->dropped);
    next->dropped = 0;
    window->origin = next->origin;
    window->width = (int64_t)next->width;
    window->index = 0;
}

/* ---- A batch ---- */

/* From the scheduled start of the last repetition, for set_run_time("global"). */
static double global_time(const struct bench *bench)
{
    const struct window *window = &bench->services.window;
    double seconds = timer_seconds(window->stop - sync_to_local(window->scheduled));
    return (seconds - timer_in_use->cost) / (double)bench->run.iterations;
}

/* The i-th repetition of a batch; told: its part of the message. late: late starts in a row. */
static void make_one(struct batches *batches, size_t i, double *told, bool skewed, size_t *late)
{
    struct bench *bench = batches->bench;
    struct samples *samples = batches->samples;
    struct window *window = &bench->services.window;
    struct timing *timing = &bench->services.timing;
    size_t at = samples->valid + i;
    double value =
        trial_repeat(bench, samples->counts ? samples->counts + at * COUNTERS_MAX : NULL);
    if (window_global_run_time(&bench->run) && !isnan(value))
        value = global_time(bench);
    samples->own[at] = told[VALUE] = value - samples->subtracted;
    told[FLAW] = window->took_too_long  ? FLAW_TOO_LONG
                 : window->started_late ? FLAW_LATE
                                        : FLAW_NONE;
    told[LATE] = window->started_late;
    if (skewed) {
        told[START] = (double)(sync_to_global(window->start) - window->origin);
        told[START_NEGATED] = -told[START];
    }
    if (told[FLAW] == FLAW_NONE && window->stop - window->start > timing->longest)
        timing->longest = window->stop - window->start;
    if (!window->took_too_long)
        *late = window->started_late ? *late + 1 : 0;
}

/* Counts a flawed repetition; whether it is invalid. */
static bool is_invalid(const struct bench *bench, const double *told, struct samples *samples,
                       struct batch *batch)
{
    if (told[FLAW] == FLAW_NONE)
        return false;
    batch->flawed++;
    *(told[FLAW] == FLAW_LATE ? &samples->late : &samples->overruns) += 1;
    /* A repetition that started with the others is kept if all levels are wanted, however slow it
     * is. */
    bool together = told[LATE] == 0 && bench->services.window.width > 0;
    if (together && bench->run.settings->levels)
        return false;
    samples->too_long += together;
    samples->invalid++;
    batch->invalid++;
    return true;
}

/* Adds the valid repetitions of a batch. told: its message after what is about all of it, `each`
 * numbers for a repetition. */
static void keep(const struct bench *bench, const double *told, size_t each,
                 struct samples *samples, struct batch *batch)
{
    size_t first = samples->valid;
    for (size_t i = 0; i < batch->count; i++, told += each) {
        if (is_invalid(bench, told, samples, batch))
            continue;
        size_t at = samples->valid++;
        if (each == OF_SKEWED)
            samples->skew[at] = sync_seconds((int64_t)(told[START] + told[START_NEGATED]));
        if (samples->counts)
            memmove(samples->counts + at * COUNTERS_MAX,
                    samples->counts + (first + i) * COUNTERS_MAX,
                    COUNTERS_MAX * sizeof *samples->counts);
        samples->own[at] = samples->own[first + i];
        samples->max[at] = told[VALUE];
    }
}

static struct batch make_batch(struct batches *batches, size_t count)
{
    struct bench *bench = batches->bench;
    const struct window *window = &bench->services.window;
    struct timing *timing = &bench->services.timing;
    bool windows = window_applies(&bench->run);
    size_t each = windows && window->rule == WINDOW_DISSEMINATION ? OF_SKEWED : OF_REPETITION;
    double *all = batches->samples->message, *told = all + BATCH_EXTRA;
    size_t late = 0, late_run = 0;
    for (size_t i = 0; i < count; i++) {
        make_one(batches, i, told + i * each, each == OF_SKEWED, &late);
        late_run = late > late_run ? late : late_run;
    }
    all[USED] = windows ? (double)(sync_to_global(window->stop) - window->origin) : 0;
    all[LATE_RUN] = (double)late_run;
    all[FAILED] = bench->services.failure ? 1 : 0;
    all[LONGEST] = timer_seconds(timing->longest);
    comm_allreduce(pe_set_group(bench->run.set), COMM_MAX, all, BATCH_EXTRA + count * each);
    timing->longest = timer_ticks(all[LONGEST]);
    struct batch batch = {.count = count,
                          .used = all[USED],
                          .late_run = (size_t)all[LATE_RUN],
                          .failed = all[FAILED] != 0};
    keep(bench, told, each, batches->samples, &batch);
    watchdog_progress();
    progress_go_on(batches->display);
    if (batches->debug && bench->run.rank == 0)
        fprintf(stderr, "batch: %s: %zu repetitions, %zu flawed, %zu valid so far, window %g s\n",
                bench->run.function->name, count, batch.flawed, batches->samples->valid,
                sync_seconds(window->width));
    return batch;
}

/* ---- What is subtracted ---- */

/* What a step of the timer is of the reference, in its shortest timed region. */
static double step_of(const struct bench *bench, double mean)
{
    int64_t ticks = bench->services.timing.shortest;
    double step = timer_in_use->resolution;
    if (ticks == INT64_MAX)
        return 0;
    if (timer_seconds(ticks) < step)
        return fmax(fabs(mean), step / (double)bench->run.iterations);
    return fabs(mean) * step / timer_seconds(ticks);
}

/* The repetitions so far get the mean of all references subtracted: what the stop rule sees is what
 * the result will be. */
static void subtract_mean(const struct batches *batches)
{
    struct samples *samples = batches->samples;
    struct reference mean = references_mean(batches->references);
    size_t n = samples->valid;
    for (size_t i = 0; i < n; i++)
        samples->max[i] = samples->own[i] -= mean.mean - samples->subtracted;
    samples->subtracted = mean.mean;
    samples->max[n] = mean.variance;
    comm_allreduce(pe_set_group(batches->bench->run.set), COMM_MAX, samples->max, n + 1);
    samples->subtracted_error = sqrt(isnan(samples->max[n]) ? 0 : samples->max[n]);
}

void batches_refer(struct batches *batches)
{
    struct bench *bench = batches->bench;
    struct run *run = &bench->run;
    size_t count = (size_t)run->settings->min_repetitions;
    if (!batches_precise(run))
        count /= 2; /* as many again after the repetitions */
    if (count < FEWEST_OF_REFERENCE)
        count = FEWEST_OF_REFERENCE;
    double *values = memory_zeroed(count, sizeof *values);
    int64_t start = timer_now();
    int64_t shortest = bench->services.timing.shortest;
    bench->services.timing.shortest = INT64_MAX;
    run->measured = run->iterations;
    run->iterations = batches->referring;
    for (size_t i = 0; i < count; i++)
        values[i] = trial_refer(bench);
    struct reference reference = reference_of(values, count);
    reference.step = step_of(bench, reference.mean);
    references_add(batches->references, &reference);
    subtract_mean(batches);
    free(values);
    run->iterations = run->measured;
    bench->services.timing.shortest = shortest; /* of the operation alone */
    batches->referred += timer_seconds(timer_now() - start);
}

/* ---- All of them ---- */

/* No more repetitions than fit into what is left of the time of set_precision(), as far as those
 * made so far can tell. */
static size_t fitting(const struct batches *batches, size_t count)
{
    const struct samples *samples = batches->samples;
    double now = (double)timer_now(), made = (double)(samples->valid + samples->invalid);
    double left = ((double)samples->until - now) / (now - (double)samples->began) * made;
    if (!samples->aim.precise || (double)count <= left || count <= FEWEST_IN_BATCH)
        return count;
    return left > FEWEST_IN_BATCH ? (size_t)left : FEWEST_IN_BATCH;
}

/* Rank 0. The reference comes before a batch, since the data of the last repetition are checked. */
static void decide_step(struct batches *batches, struct decision *next)
{
    judge_decide(batches, next);
    if (next->step != BATCH_MAKE)
        return;
    /* The time of set_precision() has to suffice for another one. */
    double each = next->refer > 0 ? batches->referred / (double)batches->references->count : 0;
    if (next->refer > 0 && timer_now() + timer_ticks(each) < batches->samples->until) {
        next->refer--;
        next->step = BATCH_REFER;
        return;
    }
    next->refer = 0;
    if (!batches->first)
        next->count = fitting(batches, next->count);
}

/* Takes controls, and waits, until a batch is to be made; false: there is none. */
static bool next_batch(struct batches *batches, struct decision *next)
{
    for (;;) {
        if (batches->bench->run.rank == 0)
            decide_step(batches, next);
        announce(batches, next);
        switch (next->step) {
        case BATCH_MAKE:
            return true;
        case BATCH_STOP:
            return false;
        case BATCH_GIVE_UP:
            batches->judge->missed = true;
            return false;
        case BATCH_REFER:
            batches_refer(batches);
            break;
        case BATCH_CONTROL:
            judge_control(batches);
            break;
        case BATCH_IDLE:
            judge_idle(batches);
            break;
        }
    }
}

/* When limits of time end the measurement, or 0. All that a point takes counts as set_precision()'s
 * time: what is checked at the end takes as long as at the beginning. */
static int64_t end_of_time(const struct batches *batches)
{
    const struct bench *bench = batches->bench;
    const struct settings *settings = bench->run.settings;
    const struct samples *samples = batches->samples;
    int64_t until = INT64_MAX;
    if (settings->max_time > 0)
        until = samples->began + timer_ticks(settings->max_time);
    if (samples->aim.precise) {
        double left = settings->point_time - bench->verification.proof;
        int64_t point = batches->began + timer_ticks(left);
        until = point < until ? point : until;
    }
    return until == INT64_MAX ? 0 : until;
}

void batches_run(struct batches *batches)
{
    struct bench *bench = batches->bench;
    struct run *run = &bench->run;
    struct samples *samples = batches->samples;
    struct window *window = &bench->services.window;
    const struct batch_rule *rule = batches->rule;
    window->synchronization =
        measurement_synchronized(run->function) ? run->settings->synchronization : SYNCHRONIZE_NONE;
    window->broadcast = 0;
    samples->aim = aim_of(run->settings, batches_precise(run));
    samples->aim.lengthened = run->function->quantity == QUANTITY_TIME && !run->function->any_sign;
    samples->began = timer_now();
    samples->until = end_of_time(batches);
    struct decision next = {0};
    batches->first = true;
    rule->begin(batches, &next);
    while (next_batch(batches, &next)) {
        struct batch made = make_batch(batches, next.count);
        judge_made(batches, &made);
        rule->decide(batches, &made, &next);
        batches->first = false;
    }
    if (samples->valid == 0 && !(batches->judge && batches->judge->missed))
        run_fail(run, "none of %zu repetitions started and finished in time%s", samples->invalid,
                 samples->out_of_time ? " before the time limit was reached" : "");
}

/* ---- Events of the hardware ---- */

char *counting_choose(const char *const *names, size_t n)
{
    char *error = counters_choose(names, n);
    int64_t good = !error;
    comm_allreduce_int(comm_world(), COMM_AND, &good, 1);
    if (!good && !error) {
        counters_choose(NULL, 0);
        error = memory_text("another PE cannot count this; papi_avail shows what its node has");
    }
    return error;
}

bool counting_applies(const struct measurement *function)
{
    return counters_count() > 0 && function->timing != TIMING_ONCE &&
           function->quantity == QUANTITY_TIME;
}

void counting_run(const struct batches *timed, struct outcome *outcome)
{
    struct bench *bench = timed->bench;
    const struct run *run = &bench->run;
    int64_t longest = bench->services.timing.longest;
    struct samples samples = {0};
    struct batches counted = *timed;
    counted.samples = &samples;
    counted.began = timer_now();
    counted.judge = NULL;
    counted.references = NULL;
    samples_reserve(&samples, timed->rule->most(run) + 1, true);
    batches_run(&counted);
    for (size_t event = 0; event < counters_count(); event++) {
        for (size_t i = 0; i < samples.valid; i++)
            samples.own[i] = samples.counts[i * COUNTERS_MAX + event];
        double own = stats_trim(samples.own, samples.valid, NULL).mean / (double)run->iterations;
        double sums[] = {isnan(own) ? 0 : own, !isnan(own)};
        comm_allreduce(pe_set_group(run->set), COMM_SUM, sums, 2);
        comm_allreduce(pe_set_group(run->set), COMM_MAX, &own, 1);
        outcome->counted[event].most = own;
        outcome->counted[event].mean = sums[0] / sums[1];
    }
    bench->services.timing.longest = longest;
    samples_release(&samples);
}

/* ---- For rules ---- */

bool batches_precise(const struct run *run)
{
    const struct measurement *function = run->function;
    enum window_rule rule = run->services->window.rule;
    return run->settings->precision > 0 && function->timing != TIMING_ONCE &&
           function->quantity == QUANTITY_TIME && !function->any_sign &&
           (rule == WINDOW_CLASSIC || rule == WINDOW_DISSEMINATION);
}

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
    struct window *window = &batches->bench->services.window;
    double limit = batches->bench->run.settings->max_window * timer_in_use->ticks_per_second;
    if (batch->flawed * 2 > batch->count && 2 * (double)window->broadcast < limit)
        window->broadcast *= 2;
}
