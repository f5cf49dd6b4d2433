/*
 * One measure: set-up, warm-up, reference, batches until the stop rule is satisfied, reference,
 * result. Costs of a batch of c repetitions with n PEs in the set: one broadcast and one reduction
 * of 2c + 4 numbers, O(log n) messages each; per-PE values are gathered once per result.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock/sync.h"
#include "clock/timer.h"
#include "comm/comm.h"
#include "engine/internal.h"
#include "stats/series.h"
#include "stats/stats.h"

#define FIRST_BATCH 4
/* A poll that was interrupted would otherwise keep us from polling ever after. */
#define LONGEST_POLL_SECONDS 20e-6
/* A change of level is told when a steady series shows it so seldom, and by this share at least. */
#define CHANGE_P 0.01
#define CHANGE_LEAST 0.1
/* Below this many resolutions of the timer a result is marked. */
#define WELL_ABOVE 10
/* Repetitions that are tried however little time there is, until one is valid. */
#define FEWEST_TRIED 50
/* Neighbouring repetitions are alike, above what chance makes of independent ones. */
#define ALIKE 0.5
#define FEWEST_ALIKE 12
/* Told when so many repetitions for each valid one were longer than their window. */
#define LEFT_OUT_SHARE 0.1
#define LEFT_OUT_FEWEST 3
/* A result this many standard errors below zero is an error of the method. */
#define WITHIN_ERROR 2.0
/* Where the script leaves the iterations to the engine (0), what a repetition times lasts at least
 * so many resolutions of the timer, so many of its costs, and so long. */
#define LONG_ENOUGH_RESOLUTIONS 1000
#define LONG_ENOUGH_COSTS 100
#define LONG_ENOUGH_SECONDS 20e-6
#define MOST_ITERATIONS 1000000
#define ITERATION_ATTEMPTS 8
/* Clocks may be off by this share of what windows leave of time. */
#define CLOCK_SHARE 0.1
/* For set-up, before they are chosen. */
#define FIRST_ITERATIONS 8
/* Pauses as long as real ones: leaving the loop then costs a mispredicted branch, as it does there.
 */
#define PAUSE_SAMPLES 50
#define PAUSE_SECONDS 2e-6

enum { BATCH_STOP, BATCH_GO };
/* What a batch tells besides the values and flaws of its repetitions. */
#define BATCH_EXTRA 4
/* What makes a repetition invalid, as flags in a batch's message. */
enum { FLAW_NONE, FLAW_LATE, FLAW_TOO_LONG };
/* Repetitions that round_time can hold. */
#define MOST_ROUNDS 20000
/* Trials for the upper estimate of a broadcast. */
#define BROADCASTS 10
/* mpiperf's stop by error must end, too. */
#define MOST_RUNS_BY_ERROR 1000
/* More than the data that one measurement makes. */
#define DATA_SEEDS ((uint64_t)1 << 32)

struct control {
    int64_t go, size, origin, width, dropped;
};

/* One measurement in progress on a member of the set. */
struct samples {
    size_t capacity, valid, invalid, late, overruns, changes, warm_up;
    size_t too_long;  /* on time, but longer than their window, and left out for that */
    int passes;       /* of the stop rule */
    bool out_of_time; /* stopped by a limit; known to rank 0 */
    bool reached;     /* what the stop rule aims at */
    int64_t until;    /* timer ticks, for set_max_time() */
    double *own;      /* this PE's valid repetitions, the first reference subtracted */
    double *max;      /* over PEs, the same on all members */
    double *message;  /* of a batch: values, flags, late starts, and BATCH_EXTRA numbers more */
    double *skew;     /* of the starts, seconds; dissemination only */
    double *counts;   /* of events in this PE's valid repetitions, where they are counted */
};

/* ---- For hooks ---- */

double run_elapsed(struct run *run, int64_t start, int64_t stop)
{
    struct engine *engine = run->engine;
    if (stop - start < engine->shortest)
        engine->shortest = stop - start;
    engine->timed += timer_seconds(stop - start);
    if (counters_counting())
        counters_region(start, stop);
    return timer_seconds(stop - start) - timer_in_use->cost;
}

void run_shortest_part(struct run *run, double seconds)
{
    run->engine->shortest_part = seconds;
}

/* Busy until the clock says so, driving the library, with the last poll early enough. */
static void wait_until(struct window *window, int64_t target)
{
    int64_t cap = timer_ticks(LONGEST_POLL_SECONDS);
    counters_hold();
    for (unsigned turn = 0;; turn++) {
        int64_t now = timer_now();
        if (now >= target)
            break;
        if (target - now <= 2 * window->longest_poll)
            continue;
        comm_poll();
        int64_t poll = timer_now() - now;
        if (poll > window->longest_poll)
            window->longest_poll = poll < cap ? poll : cap;
        comm_yield(turn);
    }
    counters_release();
}

/* ReproMPI's start: when all have finished, rank 0 says when to begin. */
static int64_t next_start(struct run *run)
{
    struct window *window = &run->engine->window;
    int64_t start = 0;
    comm_barrier(pe_set_group(run->set));
    if (run->rank == 0)
        start = sync_to_global(timer_now()) + 2 * window->broadcast;
    comm_broadcast(pe_set_group(run->set), &start, sizeof start);
    return start;
}

/* The global time at which this repetition starts. */
static int64_t scheduled_start(struct run *run)
{
    struct window *window = &run->engine->window;
    switch (window->rule) {
    case WINDOW_MPIPERF:
        return window->origin + window->index++ * window->width;
    case WINDOW_ROUND_TIME:
        return next_start(run);
    case WINDOW_CLASSIC:
    case WINDOW_DISSEMINATION:
        break;
    }
    return window->origin + ++window->index * window->width;
}

int64_t run_start(struct run *run)
{
    struct window *window = &run->engine->window;
    if (window->synchronization == SYNCHRONIZE_BARRIER)
        comm_barrier(pe_set_group(run->set));
    if (window->synchronization == SYNCHRONIZE_WINDOW) {
        if (window->rule == WINDOW_DISSEMINATION) {
            comm_quiet();
            comm_dissemination_barrier(pe_set_group(run->set));
        } else {
            window->scheduled = scheduled_start(run);
        }
    }
    /* Nothing of the engine's own may be left to be completed in the timed region. */
    comm_quiet();
    if (window->synchronization == SYNCHRONIZE_WINDOW && window->rule != WINDOW_DISSEMINATION) {
        int64_t target = sync_to_local(window->scheduled);
        window->started_late = timer_now() > target;
        wait_until(window, target);
    }
    return window->start = timer_now();
}

int64_t run_stop(struct run *run)
{
    struct window *window = &run->engine->window;
    window->stop = timer_now();
    if (window->synchronization != SYNCHRONIZE_WINDOW)
        return window->stop;
    if (window->rule == WINDOW_CLASSIC)
        window->took_too_long =
            sync_to_global(window->stop) - sync_to_global(window->start) > window->width;
    if (window->rule == WINDOW_MPIPERF)
        window->took_too_long = sync_to_global(window->stop) > window->scheduled + window->width;
    return window->stop;
}

double run_clock_offset(struct run *run, double *bound)
{
    *bound = run->engine->clocks.own_bound;
    return sync_offset();
}

double run_clock_error(struct run *run, double *bound)
{
    return sync_compare(pe_set_group(run->set), run->rank, bound);
}

void run_idle(double seconds)
{
    counters_hold();
    int64_t until = timer_now() + timer_ticks(seconds);
    for (unsigned turn = 0; timer_now() < until; turn++) {
        comm_poll();
        comm_yield(turn);
    }
    counters_release();
}

const struct library_start *run_library_start(struct run *run)
{
    (void)run;
    return comm_start_cost();
}

void run_report_end(struct run *run)
{
    run->engine->report_end = true;
}

size_t run_measured_before(struct run *run)
{
    return run->engine->library_measured;
}

void run_barrier(struct run *run)
{
    comm_barrier(pe_set_group(run->set));
}

double run_max(struct run *run, double value)
{
    comm_allreduce(pe_set_group(run->set), COMM_MAX, &value, 1);
    return value;
}

bool run_fail(struct run *run, const char *format, ...)
{
    struct engine *engine = run->engine;
    if (engine->failure)
        return false;
    va_list arguments;
    va_start(arguments, format);
    engine->failure = text_format_with(format, arguments);
    va_end(arguments);
    return false;
}

void run_note(struct run *run, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    engine_note(run->engine, text_format_with(format, arguments));
    va_end(arguments);
}

/* Any counter will do where a reading of the timer is a system call: the length is measured. */
static void count_for(double seconds)
{
    static double per_second; /* of this processor, found once */
    if (per_second == 0) {
        int64_t start = timer_now();
        const long tries = 2000000;
        for (long i = 0; i < tries; i++)
            __asm__ volatile("");
        per_second = (double)tries / timer_seconds(timer_now() - start);
    }
    for (long i = (long)(seconds * per_second); i > 0; i--)
        __asm__ volatile("");
}

double run_pause(double seconds)
{
    counters_hold();
    int64_t start = timer_now(), now;
    if (timer_in_use->user_space) {
        int64_t until = start + timer_ticks(seconds);
        do
            now = timer_now();
        while (now < until);
    } else {
        count_for(seconds);
        now = timer_now();
    }
    counters_release();
    return timer_seconds(now - start);
}

double run_pause_by(const struct timer *clock, double rate, double seconds)
{
    counters_hold();
    int64_t start = clock->now(), until = start + (int64_t)(seconds * rate), now;
    do
        now = clock->now();
    while (now < until);
    counters_release();
    return (double)(now - start) / rate;
}

double run_pause_overhead(struct run *run)
{
    struct engine *engine = run->engine;
    if (!engine->pause_known) {
        double smallest = INFINITY;
        for (int batch = 0; batch < 5; batch++) {
            double inside = 0;
            int64_t start = timer_now();
            for (int i = 0; i < PAUSE_SAMPLES; i++)
                inside += run_pause(PAUSE_SECONDS);
            double all = timer_seconds(timer_now() - start);
            smallest = fmin(smallest, (all - inside) / PAUSE_SAMPLES);
        }
        engine->pause_overhead = smallest;
        engine->pause_known = true;
    }
    return engine->pause_overhead;
}

double run_hold(double seconds)
{
    counters_hold();
    int64_t start = timer_now(), now, length = timer_ticks(seconds);
    unsigned turn = 0;
    do {
        comm_poll();
        comm_yield(turn++);
        now = timer_now();
    } while (now - start < length);
    counters_release();
    return timer_seconds(now - start) + timer_in_use->cost;
}

/* ---- One repetition ---- */

/* Of so many iterations: the places that they use where each is to be cold. */
static size_t cold_operations(const struct run *run, int64_t iterations)
{
    const struct measurement *function = run->function;
    size_t each = function->operations ? (size_t)function->operations(run) : 1;
    return (size_t)iterations * each + (function->operations ? 1 : 0);
}

static void next_buffers(struct engine *engine)
{
    buffers_next(&engine->buffers, &engine->run);
    bool filled = verify_fill(engine);
    if (!engine->buffers.cold && filled)
        comm_barrier(pe_set_group(engine->run.set));
    if (!engine->buffers.cold)
        return;
    buffers_flush(&engine->buffers, &engine->run.demand, &engine->settings,
                  cold_operations(&engine->run, engine->run.iterations));
    comm_barrier(
        pe_set_group(engine->run.set)); /* nobody may begin while others flush what it will touch */
}

static double repeat(struct engine *engine)
{
    watch_progress(engine);
    next_buffers(engine);
    engine->window.started_late = engine->window.took_too_long = false;
    engine->run.repeated++;
    return engine->run.function->run(&engine->run);
}

/* A repetition that is not timed, and of one iteration, by which the data are verified. */
static void prove(struct engine *engine)
{
    struct run *run = &engine->run;
    int64_t iterations = run->iterations, shortest = engine->shortest;
    if (!verify_has(run->function) || run->function->once)
        return;
    int64_t start = timer_now();
    engine->window.synchronization = SYNCHRONIZE_NONE;
    run->iterations = 1;
    run->untimed = true;
    verify_begin(engine);
    repeat(engine);
    verify_end(engine);
    run->untimed = false;
    engine->verifying += timer_seconds(timer_now() - start);
    run->iterations = iterations;
    engine->shortest = shortest;
}

/* Whether anything has failed, on any member. */
static bool has_failed(struct engine *engine)
{
    double failed = engine->failure ? 1 : 0;
    comm_allreduce(pe_set_group(engine->run.set), COMM_MAX, &failed, 1);
    return failed != 0;
}

/* The time on the global clock from the scheduled start, for set_run_time("global"). */
static double global_run_time(struct engine *engine)
{
    const struct window *window = &engine->window;
    double seconds = timer_seconds(window->stop - sync_to_local(window->scheduled));
    return (seconds - timer_in_use->cost) / (double)engine->run.iterations;
}

/* Starts by the clock, or behind the engine's barrier, whose skew the clocks tell. */
bool measure_in_windows(const struct engine *engine)
{
    return engine->run.function->synchronized &&
           engine->settings.synchronization == SYNCHRONIZE_WINDOW;
}

/* ---- Iterations ---- */

/* As the script says; 0: the engine is to choose. */
static int64_t iterations_wanted(const struct run *run)
{
    for (size_t i = 0; i < measurement_parameter_count(run->function); i++)
        if (run->function->parameters[i].type == PARAMETER_ITERATIONS)
            return run->arguments[i].integer;
    return 1;
}

/* The dissemination barrier schedules nothing that run times could be counted from. */
bool measure_global_run_times(const struct engine *engine)
{
    return measure_in_windows(engine) && engine->run.function->whole &&
           engine->settings.run_time == RUN_TIME_GLOBAL &&
           engine->settings.window.rule != WINDOW_DISSEMINATION;
}

/* No more than there is fresh memory for; at least one. */
static int64_t cold_iterations(const struct engine *engine, int64_t wanted)
{
    const struct run *run = &engine->run;
    if (!engine->buffers.cold)
        return wanted;
    size_t places = buffers_cold_places(&engine->buffers, &run->demand);
    size_t each = cold_operations(run, 1) - cold_operations(run, 0);
    size_t most = (places - cold_operations(run, 0)) / each;
    if ((uint64_t)wanted <= most)
        return wanted;
    return most > 0 ? (int64_t)most : 1;
}

static void limit_cold_iterations(struct engine *engine)
{
    struct run *run = &engine->run;
    int64_t wanted = run->iterations;
    run->iterations = cold_iterations(engine, wanted);
    if (run->iterations < wanted)
        run_note(run, "iterations reduced to %lld: there is no more fresh memory",
                 (long long)run->iterations);
    size_t places = buffers_cold_places(&engine->buffers, &run->demand);
    size_t operations = cold_operations(run, run->iterations);
    if (engine->buffers.cold && operations > places)
        run_note(run, "not all is cold: %zu operations of an iteration, and fresh memory for %zu",
                 operations, places);
}

/* So many that what a repetition times lasts long enough for the timer, on every PE that times
 * anything: the shortest counts. Some calls of the function; collective over the set. */
static void choose_iterations(struct engine *engine)
{
    struct run *run = &engine->run;
    double needed[] = {fmax(fmax(LONG_ENOUGH_RESOLUTIONS * timer_in_use->resolution,
                                 LONG_ENOUGH_COSTS * timer_in_use->cost),
                            LONG_ENOUGH_SECONDS)};
    comm_allreduce(pe_set_group(run->set), COMM_MAX, needed, 1);
    int64_t fewest = run->function->fewest_iterations;
    run->iterations = cold_iterations(engine, fewest > 1 ? fewest : 1);
    for (int attempt = 0; attempt < ITERATION_ATTEMPTS; attempt++) {
        if (engine->buffers.cold) {
            repeat(engine); /* first touches of the pages count for nothing */
        }
        double before = engine->timed;
        engine->shortest_part = NAN;
        repeat(engine);
        double seconds = engine->timed - before;
        if (!isnan(engine->shortest_part))
            seconds = engine->shortest_part;
        if (engine->timed == before)
            seconds = NAN; /* this PE only watches */
        comm_allreduce(pe_set_group(run->set), COMM_MIN, &seconds, 1);
        if (isnan(seconds) || seconds >= needed[0])
            break;
        double factor = seconds > 0 ? needed[0] / seconds * 1.1 : 100;
        double more = ceil((double)run->iterations * fmin(factor, 100));
        run->iterations =
            cold_iterations(engine, more < MOST_ITERATIONS ? (int64_t)more : MOST_ITERATIONS);
    }
    run_note(run, "iterations chosen: %lld", (long long)run->iterations);
}

/* ---- Reference measurements, subtracted ---- */

static struct reference measure_reference(struct engine *engine)
{
    size_t count = (size_t)engine->settings.min_repetitions;
    if (count < FIRST_BATCH)
        count = FIRST_BATCH;
    double *values = memory_zeroed(count, sizeof *values);
    for (size_t i = 0; i < count; i++) {
        watch_progress(engine);
        next_buffers(engine);
        comm_barrier(pe_set_group(engine->run.set));
        comm_quiet();
        values[i] = engine->run.function->reference(&engine->run);
    }
    struct reference reference = reference_of(values, count);
    free(values);
    return reference;
}

/* ---- Batches ---- */

static void reserve(struct samples *samples, size_t limit, bool counting)
{
    samples->capacity = limit;
    samples->own = memory_zeroed(limit, sizeof *samples->own);
    samples->max = memory_zeroed(limit, sizeof *samples->max);
    samples->message = memory_zeroed(3 * limit + BATCH_EXTRA, sizeof *samples->message);
    samples->skew = memory_zeroed(limit, sizeof *samples->skew);
    if (counting)
        samples->counts = memory_zeroed(limit * COUNTERS_MAX, sizeof *samples->counts);
}

static void release(struct samples *samples)
{
    free(samples->own);
    free(samples->max);
    free(samples->message);
    free(samples->skew);
    free(samples->counts);
}

/* A repetition in which events are counted, one value for each; NaN where this PE only watches. */
static double repeat_counting(struct engine *engine, double *counts)
{
    counters_begin();
    double value = repeat(engine);
    counters_end(counts);
    for (size_t i = 0; isnan(value) && i < COUNTERS_MAX; i++)
        counts[i] = NAN;
    return value;
}

/* What a batch said besides its values. */
struct batch {
    size_t flawed, late_run;
    double used; /* seconds from the origin to the last finish */
    bool failed;
};

static struct batch run_batch(struct engine *engine, struct samples *samples, size_t count,
                              double reference)
{
    struct window *window = &engine->window;
    const struct run *run = &engine->run;
    double *values = samples->message, *flags = values + count, *lates = flags + count;
    double *more = lates + count;
    double *own = memory_zeroed(count, sizeof *own),
           *starts = memory_zeroed(2 * count, sizeof *own);
    double *counts = samples->counts ? memory_zeroed(count * COUNTERS_MAX, sizeof *counts) : NULL;
    size_t late_run = 0, late = 0;
    bool windows = measure_in_windows(engine);
    bool every = engine->settings.verify == VERIFY_EVERY && !run->function->once;
    for (size_t i = 0; i < count; i++) {
        if (every)
            verify_begin(engine);
        double value = counts ? repeat_counting(engine, counts + i * COUNTERS_MAX) : repeat(engine);
        if (measure_global_run_times(engine) && !isnan(value))
            value = global_run_time(engine);
        own[i] = values[i] = value - reference;
        flags[i] = window->took_too_long  ? FLAW_TOO_LONG
                   : window->started_late ? FLAW_LATE
                                          : FLAW_NONE;
        lates[i] = window->started_late;
        starts[2 * i] = (double)(sync_to_global(window->start) - window->origin);
        starts[2 * i + 1] = -starts[2 * i];
        if (every)
            verify_end(engine);
        if (flags[i] == 0 && window->stop - window->start > engine->longest)
            engine->longest = window->stop - window->start;
        if (window->started_late && !window->took_too_long) {
            if (++late > late_run)
                late_run = late;
        } else if (!window->took_too_long) {
            late = 0;
        }
    }
    more[0] = windows ? (double)(sync_to_global(window->stop) - window->origin) : 0;
    more[1] = (double)late_run;
    more[2] = engine->failure ? 1 : 0;
    more[3] = timer_seconds(engine->longest);
    comm_allreduce(pe_set_group(run->set), COMM_MAX, samples->message, 3 * count + BATCH_EXTRA);
    engine->longest = timer_ticks(more[3]);

    bool skewed = windows && window->rule == WINDOW_DISSEMINATION;
    if (skewed)
        comm_allreduce(pe_set_group(run->set), COMM_MAX, starts, 2 * count);

    struct batch batch = {0, (size_t)more[1], more[0], more[2] != 0};
    for (size_t i = 0; i < count; i++) {
        if (flags[i] != FLAW_NONE) {
            batch.flawed++;
            *(flags[i] == FLAW_LATE ? &samples->late : &samples->overruns) += 1;
            /* It started with the others: whoever wants all levels wants the slow ones, too. */
            bool whole = lates[i] == 0 && window->width > 0;
            if (!whole || !engine->settings.levels) {
                samples->too_long += whole;
                samples->invalid++;
                continue;
            }
        }
        if (skewed)
            samples->skew[samples->valid] =
                sync_seconds((int64_t)(starts[2 * i] + starts[2 * i + 1]));
        if (counts)
            memcpy(samples->counts + samples->valid * COUNTERS_MAX, counts + i * COUNTERS_MAX,
                   COUNTERS_MAX * sizeof *counts);
        samples->own[samples->valid] = own[i];
        samples->max[samples->valid++] = values[i];
    }
    free(counts);
    free(starts);
    free(own);
    watch_progress(engine);
    progress_go_on(engine);
    if (engine->options.debug & DEBUG_BATCHES && run->rank == 0)
        fprintf(stderr, "batch: %s: %zu repetitions, %zu flawed, %zu valid so far, window %g s\n",
                run->function->name, count, batch.flawed, samples->valid,
                sync_seconds(window->width));
    return batch;
}

/* Leaves out the first ones. */
static void drop(struct samples *samples, size_t dropped)
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

/* What rank 0 decided behind a batch. */
struct decision {
    bool done;
    size_t count, dropped; /* repetitions of the next batch; of those made, to be left out */
    double width;
};

/* The set's rank 0 says how the next batch goes, the others follow; false: there is none. */
static bool next_batch(struct engine *engine, struct samples *samples, struct decision *decision)
{
    struct window *window = &engine->window;
    struct control control = {decision->done ? BATCH_STOP : BATCH_GO, (int64_t)decision->count, 0,
                              (int64_t)decision->width, (int64_t)decision->dropped};
    if (engine->run.rank == 0)
        control.origin = sync_to_global(timer_now()) + window->broadcast;
    comm_broadcast(pe_set_group(engine->run.set), &control, sizeof control);
    decision->count = (size_t)control.size;
    drop(samples, (size_t)control.dropped);
    decision->dropped = 0;
    window->origin = control.origin;
    window->width = control.width;
    window->index = 0;
    return control.go == BATCH_GO;
}

static bool window_too_long(struct engine *engine, double width)
{
    double largest = engine->settings.max_window;
    if (sync_seconds((int64_t)width) <= largest)
        return false;
    run_fail(&engine->run,
             "the window would have to be longer than %g s (set_max_window) for %s to start and "
             "finish in it",
             largest, engine->run.function->name);
    return true;
}

/* A limit of time ends a measurement behind the batch that exceeds it. */
static bool out_of_time(struct engine *engine, struct samples *samples)
{
    bool over = (samples->until != 0 && timer_now() >= samples->until) ||
                wall_seconds() >= engine->time_left_at;
    /* The first repetitions are always invalid where windows are yet to be laid. */
    if (!over || (samples->valid == 0 && samples->invalid < FEWEST_TRIED))
        return false;
    return samples->out_of_time = true;
}

/* Enough repetitions behind those before a steady state, of which *dropped is the number. */
static bool classic_enough(const struct settings *settings, struct samples *samples,
                           size_t *dropped)
{
    int passes = samples->passes;
    *dropped = 0;
    bool enough = stop_enough(settings, samples->max, samples->valid, &samples->passes);
    samples->reached = stop_reached(settings, samples->max, samples->valid);
    if (!enough)
        return false;
    /* That often at most: what never gets steady must end as well. */
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

/* SKaMPI's batches, also where there are no windows. */
static void run_classic(struct engine *engine, struct samples *samples, double reference)
{
    const struct measurement *function = engine->run.function;
    const struct settings *settings = &engine->settings;
    bool windows = measure_in_windows(engine), first = true;
    bool sized = windows && engine->window.rule == WINDOW_CLASSIC;
    struct decision next = {.count = function->once           ? 1
                                     : function->synchronized ? FIRST_BATCH
                                                              : (size_t)settings->min_repetitions};
    size_t limit = stop_most(settings);
    while (next_batch(engine, samples, &next)) {
        size_t count = next.count;
        struct batch batch = run_batch(engine, samples, count, reference);
        if (sized) {
            double before = next.width;
            next.width = stop_next_window(next.width, batch.flawed, count, batch.used);
            samples->changes += next.width != before;
            next.done = window_too_long(engine, next.width);
        }
        if (batch.failed || function->once || classic_enough(settings, samples, &next.dropped) ||
            out_of_time(engine, samples))
            next.done = true;
        size_t valid = samples->valid - next.dropped;
        next.count = stop_next_batch(settings, count, sized, first, batch.late_run);
        next.count = stop_grown_batch(settings, next.count, valid);
        if (next.count > limit - valid)
            next.count = limit - valid;
        if (next.count == 0)
            next.done = true;
        first = false;
    }
}

/* An upper estimate of how long the engine's broadcast takes; ticks. Collective over the set. */
static int64_t measure_broadcast(struct engine *engine)
{
    double longest = 0;
    for (int i = 0; i < BROADCASTS; i++) {
        int64_t sent = engine->run.rank == 0 ? sync_to_global(timer_now()) : 0;
        comm_barrier(pe_set_group(engine->run.set));
        if (engine->run.rank == 0)
            sent = sync_to_global(timer_now());
        comm_broadcast(pe_set_group(engine->run.set), &sent, sizeof sent);
        longest = fmax(longest, (double)(sync_to_global(timer_now()) - sent));
    }
    comm_allreduce(pe_set_group(engine->run.set), COMM_MAX, &longest, 1);
    return (int64_t)longest;
}

/* When most of a batch is invalid, the start was announced too late for some PE. */
static void announce_earlier(struct engine *engine, const struct batch *batch, size_t count)
{
    struct window *window = &engine->window;
    double limit = engine->settings.max_window * timer_in_use->ticks_per_second;
    if (batch->flawed * 2 > count && 2 * (double)window->broadcast < limit)
        window->broadcast *= 2;
}

static bool mpiperf_enough(const struct window_rules *rules, const struct samples *samples)
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

/* MPIPerf's stages (Kurnosov, section 4): stage 0 is left out and gives the first window; a window
 * in which too many runs do not fit is laid anew from what the stage took. */
static void run_mpiperf(struct engine *engine, struct samples *samples, double reference)
{
    const struct window_rules *rules = &engine->settings.window;
    engine->window.broadcast = measure_broadcast(engine);
    struct decision next = {.count = (size_t)rules->discarded};
    bool first = true;
    while (next_batch(engine, samples, &next)) {
        size_t flawed_before = samples->invalid, count = next.count;
        struct batch batch = run_batch(engine, samples, count, reference);
        double before = first ? 0 : next.width;
        next.width =
            stop_mpiperf_window(rules, before, samples->invalid - flawed_before, count, batch.used,
                                timer_seconds(engine->longest) / sync_seconds(1));
        samples->changes += !first && next.width != before;
        if (first) {
            samples->valid = samples->invalid = samples->late = samples->overruns = 0;
            samples->too_long = 0;
        } else {
            announce_earlier(engine, &batch, count);
        }
        next.done = window_too_long(engine, next.width) || batch.failed ||
                    (!first && mpiperf_enough(rules, samples)) || out_of_time(engine, samples);
        next.count = (size_t)rules->runs;
        first = false;
    }
}

/* ReproMPI's round-time: as many repetitions as a slice of time holds. */
static void run_round_time(struct engine *engine, struct samples *samples, double reference)
{
    const struct settings *settings = &engine->settings;
    engine->window.broadcast = measure_broadcast(engine);
    struct decision next = {.count = (size_t)settings->min_repetitions};
    int64_t until = timer_now() + timer_ticks(settings->window.slice);
    while (next_batch(engine, samples, &next)) {
        struct batch batch = run_batch(engine, samples, next.count, reference);
        announce_earlier(engine, &batch, next.count);
        size_t runs = samples->valid + samples->invalid;
        next.done = batch.failed || timer_now() >= until ||
                    runs + (size_t)settings->min_repetitions > MOST_ROUNDS ||
                    out_of_time(engine, samples);
    }
}

static size_t most_repetitions(const struct settings *settings, enum window_rule rule)
{
    const struct window_rules *rules = &settings->window;
    if (rule == WINDOW_ROUND_TIME)
        return MOST_ROUNDS + (size_t)settings->min_repetitions;
    if (rule == WINDOW_MPIPERF)
        return (size_t)rules->discarded + 2 * (size_t)rules->runs +
               (size_t)(rules->stop_by_error ? MOST_RUNS_BY_ERROR
                                             : rules->max_runs + rules->enough_valid);
    size_t first = (size_t)settings->min_repetitions;
    size_t limit = stop_most(settings);
    return (limit > first ? limit : first) + FIRST_BATCH;
}

/* All batches; the set's rank 0 decides. */
static void run_batches(struct engine *engine, struct samples *samples, double reference)
{
    struct window *window = &engine->window;
    window->synchronization =
        engine->run.function->synchronized ? engine->settings.synchronization : SYNCHRONIZE_NONE;
    window->broadcast = 0;
    if (engine->settings.max_time > 0)
        samples->until = timer_now() + timer_ticks(engine->settings.max_time);
    if (window->rule == WINDOW_MPIPERF)
        run_mpiperf(engine, samples, reference);
    else if (window->rule == WINDOW_ROUND_TIME)
        run_round_time(engine, samples, reference);
    else
        run_classic(engine, samples, reference);
    if (samples->valid == 0)
        run_fail(&engine->run, "none of %zu repetitions started and finished in time%s",
                 samples->invalid,
                 samples->out_of_time ? " before the limit of time ended the measurement" : "");
}

/* ---- Result ---- */

/* What programs are told as a flag, people as a note. */
static void flag(struct numbers *numbers, enum result_flag flag)
{
    numbers->flags |= INT64_C(1) << flag;
}

static void note_doubts(struct engine *engine, struct numbers *numbers)
{
    struct run *run = &engine->run;
    double shortest = engine->shortest == INT64_MAX ? INFINITY : timer_seconds(engine->shortest);
    if (shortest < WELL_ABOVE * timer_in_use->resolution) {
        flag(numbers, RESULT_BELOW_RESOLUTION);
        run_note(run,
                 "timed regions of %.3g ns are not well above the timer's resolution of %.3g ns%s",
                 shortest * 1e9, timer_in_use->resolution * 1e9,
                 run->function->once ? ""
                                     : ": time more operations together (iterations, "
                                       "set_max_outstanding)");
    }
    if (!(numbers->time < 0) || run->function->any_sign)
        return;
    flag(numbers, RESULT_NEGATIVE);
    if (numbers->time + WITHIN_ERROR * numbers->standard_error >= 0) {
        run_note(run, "below zero by %.3g ns, which is within its error: printed as 0",
                 -numbers->time * 1e9);
        numbers->time = 0;
    } else {
        run_note(run,
                 "clearly below zero: the subtracted costs were higher than in the "
                 "measurement itself, the value is an error of the method; before they were "
                 "subtracted, it was at most %.4g ns: a bound",
                 (numbers->time + numbers->subtracted) * 1e9);
    }
}

/* MPIPerf's columns. */
static void note_mpiperf(struct engine *engine, const struct numbers *numbers)
{
    run_note(&engine->run,
             "mpiperf: runs %lld, valid %lld, kept %lld, mean %.6g ns, SE %.4g ns, min %.6g ns, "
             "max %.6g ns, error %.4g ns, %g %% interval [%.6g, %.6g] ns",
             (long long)(numbers->valid + numbers->invalid), (long long)numbers->valid,
             (long long)numbers->kept, (numbers->time_low + numbers->error) * 1e9,
             numbers->standard_error * 1e9, numbers->minimum * 1e9, numbers->maximum * 1e9,
             numbers->error * 1e9, engine->settings.window.confidence * 100,
             numbers->time_low * 1e9, numbers->time_high * 1e9);
}

/* What the mean of such repetitions would be, depends on when they were made. */
static void note_change(struct engine *engine, const struct samples *samples,
                        struct numbers *numbers)
{
    struct series_change change = series_change(samples->max, samples->valid);
    if (change.p > CHANGE_P ||
        fabs(change.after - change.before) <= CHANGE_LEAST * fmin(change.before, change.after))
        return;
    flag(numbers, RESULT_LEVEL_SHIFT);
    run_note(
        &engine->run,
        "level changed: median %.4g ns in the first %zu repetitions, %.4g ns in the other %zu: "
        "a later run may find either, or something in between",
        change.before * 1e9, change.at, change.after * 1e9, samples->valid - change.at);
}

/* What is known about the repetitions beyond their times. */
static void note_repetitions(struct engine *engine, const struct samples *samples,
                             struct numbers *numbers)
{
    struct run *run = &engine->run;
    size_t n = samples->valid;
    if (samples->warm_up > 0)
        flag(numbers, RESULT_WARM_UP);
    if (samples->warm_up > 0)
        run_note(run,
                 "warm-up: the first %zu repetitions were slower than what followed, and are "
                 "left out",
                 samples->warm_up);
    if (n >= FEWEST_ALIKE && numbers->effective < (double)n && numbers->autocorrelation > ALIKE) {
        flag(numbers, RESULT_AUTOCORRELATED);
        run_note(run,
                 "autocorrelated: neighbouring repetitions by %.2f, %zu of them say as much as "
                 "%.0f independent ones",
                 numbers->autocorrelation, n, numbers->effective);
    }
    if (samples->too_long >= LEFT_OUT_FEWEST &&
        (double)samples->too_long > LEFT_OUT_SHARE * (double)n) {
        flag(numbers, RESULT_SLOW_LEFT_OUT);
        run_note(run,
                 "slow repetitions are missing: %zu were longer than their window, %zu fit; "
                 "set_levels(1) counts them",
                 samples->too_long, n);
    }
    if (samples->invalid > n)
        flag(numbers, RESULT_FEW_VALID);
    if (numbers->level_count > 1)
        flag(numbers, RESULT_LEVELS);
}

/* Whether the rule's aim was reached, and what else ended the measurement. */
static void note_stop(struct engine *engine, const struct samples *samples, struct numbers *numbers)
{
    const struct settings *settings = &engine->settings;
    bool classic =
        engine->window.rule == WINDOW_CLASSIC || engine->window.rule == WINDOW_DISSEMINATION;
    if (samples->out_of_time) {
        flag(numbers, RESULT_TIME_BUDGET);
        run_note(&engine->run, "stopped by the limit of time behind %zu valid repetitions",
                 samples->valid);
    }
    if (!classic || engine->run.function->once)
        return;
    if (!samples->reached)
        flag(numbers, RESULT_NOT_CONVERGED);
    if (settings->stop_rule == STOP_MEDIAN_INTERVAL) {
        double low, high;
        stop_median_interval(settings, samples->max, samples->valid, &low, &high);
        stats_widen_interval(numbers->median, numbers->reference_error, settings->median_confidence,
                             &low, &high);
        if (!isnan(low))
            run_note(&engine->run, "median %.6g ns, %g %% interval [%.6g, %.6g] ns%s",
                     numbers->median * 1e9, settings->median_confidence * 100, low * 1e9,
                     high * 1e9, samples->reached ? "" : ": wider than asked for");
        else
            run_note(&engine->run,
                     "median %.6g ns; too few independent repetitions for an interval",
                     numbers->median * 1e9);
    }
}

static void note_rule(struct engine *engine, struct samples *samples, const struct numbers *numbers)
{
    if (engine->window.rule == WINDOW_MPIPERF && samples->valid > 0)
        note_mpiperf(engine, numbers);
    if (engine->settings.verify == VERIFY_EVERY && verify_has(engine->run.function))
        run_note(&engine->run, "verify every: each repetition had data of its own, and found the "
                               "caches as writing and checking them left them");
    if (engine->window.rule == WINDOW_DISSEMINATION && samples->valid > 0) {
        stats_sort(samples->skew, samples->valid);
        run_note(&engine->run,
                 "starts: skew behind the dissemination barrier %.4g ns (median), "
                 "%.4g ns (largest)",
                 stats_median_sorted(samples->skew, samples->valid) * 1e9,
                 samples->skew[samples->valid - 1] * 1e9);
    }
}

/* The levels that the sorted times lie on, each with its share of their sum; of the one that has
 * the largest share, *first is its first value and *size their number, and keep[] marks its
 * repetitions. One level: nothing is found. */
static void find_levels(const struct samples *samples, const double *sorted,
                        struct numbers *numbers, bool *keep, size_t *first_of, size_t *size)
{
    size_t n = samples->valid, first = 0, most = 0, begin = 0;
    struct series_level levels[LEVELS_MAX];
    size_t count = series_levels(sorted, n, CHANGE_LEAST, levels, LEVELS_MAX);
    double all = stats_mean(sorted, n) * (double)n;
    for (size_t i = 0; i < count; i++) {
        double sum = stats_mean(sorted + first, levels[i].count) * (double)levels[i].count;
        numbers->levels[i] = (struct result_level){levels[i].value, sum / all};
        if (i == 0 || numbers->levels[i].share > numbers->levels[most].share) {
            most = i;
            begin = first;
        }
        first += levels[i].count;
    }
    numbers->level_count = (int64_t)count;
    if (count <= 1)
        return;
    *first_of = begin;
    *size = levels[most].count;
    for (size_t i = 0; i < n; i++)
        keep[i] = samples->max[i] >= sorted[begin] && samples->max[i] <= sorted[begin + *size - 1];
}

/* The mean of the middle of n values, which is what a line shows, and its error; keep (may be NULL)
 * marks the middle. */
static void conclude_time(const struct engine *engine, const double *values, size_t n, bool *keep,
                          struct numbers *numbers)
{
    const struct window_rules *rules = &engine->settings.window;
    bool mpiperf = engine->window.rule == WINDOW_MPIPERF;
    struct stats_trimmed trimmed =
        mpiperf ? stats_trim_share(values, n, rules->trim, keep) : stats_trim(values, n, keep);
    numbers->kept = (int64_t)trimmed.kept;
    numbers->time = trimmed.mean;
    numbers->standard_error = hypot(trimmed.standard_error, numbers->reference_error);
    numbers->error = numbers->time_low = numbers->time_high = NAN;
    if (!mpiperf)
        return;
    struct stats_interval found = stats_trimmed_interval(values, n, rules->trim, rules->confidence);
    numbers->standard_error = hypot(found.standard_error, numbers->reference_error);
    numbers->error = numbers->standard_error * found.quantile;
    numbers->time_low = numbers->time - numbers->error;
    numbers->time_high = numbers->time + numbers->error;
}

/* Statistics of the valid repetitions; all members. per_pe: on the set's rank 0. */
static void conclude(struct engine *engine, struct samples *samples, const struct reference *before,
                     const struct reference *after, struct numbers *numbers, double *per_pe)
{
    struct run *run = &engine->run;
    size_t n = samples->valid;
    double reference_variance = 0;
    if (after) {
        struct reference both = reference_combine(before, after);
        for (size_t i = 0; i < n; i++)
            samples->max[i] = samples->own[i] -= both.mean - before->mean;
        reference_variance = both.variance;
        numbers->subtracted = both.mean;
        comm_allreduce(pe_set_group(run->set), COMM_MAX, &numbers->subtracted, 1);
        samples->max[n] = reference_variance;
        comm_allreduce(pe_set_group(run->set), COMM_MAX, samples->max, n + 1);
        reference_variance = isnan(samples->max[n]) ? 0 : samples->max[n];
    }
    double *sorted = memory_zeroed(n ? n : 1, sizeof *sorted);
    memcpy(sorted, samples->max, n * sizeof *sorted);
    stats_sort(sorted, n);
    bool *keep = memory_zeroed(n ? n : 1, sizeof *keep);
    size_t first = 0, size = n;
    numbers->reference_error = sqrt(reference_variance);
    if (engine->settings.levels)
        find_levels(samples, sorted, numbers, keep, &first, &size);
    if (numbers->level_count > 1)
        conclude_time(engine, sorted + first, size, NULL, numbers);
    else
        conclude_time(engine, samples->max, n, keep, numbers);
    double own = 0, kept = 0;
    for (size_t i = 0; i < n; i++) {
        own += keep[i] ? samples->own[i] : 0;
        kept += keep[i];
    }
    own = n == 0 ? NAN : own / kept;
    free(keep);
    if (engine->settings.max_nr_node_times > 0)
        comm_gather(pe_set_group(run->set), &own, sizeof own, per_pe);

    numbers->autocorrelation = series_autocorrelation(samples->max, n);
    numbers->effective = series_effective_size(n, series_correlation(samples->max, n));
    numbers->mean = stats_mean(samples->max, n);
    numbers->deviation = stats_deviation(samples->max, n);
    numbers->median = stats_median_sorted(sorted, n);
    stats_median_interval(sorted, n, numbers->effective, MEDIAN_CONFIDENCE, &numbers->median_low,
                          &numbers->median_high);
    stats_widen_interval(numbers->median, numbers->reference_error, MEDIAN_CONFIDENCE,
                         &numbers->median_low, &numbers->median_high);
    numbers->minimum = n ? sorted[0] : NAN;
    numbers->maximum = n ? sorted[n - 1] : NAN;
    numbers->p5 = stats_quantile_sorted(sorted, n, 0.05);
    numbers->p25 = stats_quantile_sorted(sorted, n, 0.25);
    numbers->p75 = stats_quantile_sorted(sorted, n, 0.75);
    numbers->p95 = stats_quantile_sorted(sorted, n, 0.95);
    numbers->p99 = stats_quantile_sorted(sorted, n, 0.99);
    numbers->warm_up = (int64_t)samples->warm_up;
    numbers->iterations = run->iterations;
    numbers->valid = (int64_t)n;
    numbers->invalid = (int64_t)samples->invalid;
    numbers->late = (int64_t)samples->late;
    numbers->overruns = (int64_t)samples->overruns;
    numbers->changes = (int64_t)samples->changes;
    numbers->window = measure_in_windows(engine) ? sync_seconds(engine->window.width) : 0;
    free(sorted);
}

bool measure_counts_events(const struct measurement *function)
{
    return counters_count() > 0 && !function->once && function->quantity == QUANTITY_TIME;
}

/* In repetitions of their own, under the same rules: reading counters takes longer than reading the
 * timer, and times are to be those without. A PE's count is the mean of the middle half. */
static void count_events(struct engine *engine, struct numbers *numbers)
{
    const struct run *run = &engine->run;
    int64_t longest = engine->longest;
    struct samples counted = {0};
    reserve(&counted, most_repetitions(&engine->settings, engine->window.rule) + 1, true);
    run_batches(engine, &counted, 0);
    for (size_t event = 0; event < counters_count(); event++) {
        for (size_t i = 0; i < counted.valid; i++)
            counted.own[i] = counted.counts[i * COUNTERS_MAX + event];
        double own = stats_trim(counted.own, counted.valid, NULL).mean / (double)run->iterations;
        double sums[] = {isnan(own) ? 0 : own, !isnan(own)};
        comm_allreduce(pe_set_group(run->set), COMM_SUM, sums, 2);
        comm_allreduce(pe_set_group(run->set), COMM_MAX, &own, 1);
        numbers->counted[event] = own;
        numbers->counted_mean[event] = sums[0] / sums[1];
    }
    engine->longest = longest;
    release(&counted);
}

/* Every repetition, where the output wants them. */
static void keep_raw(struct engine *engine, const struct samples *samples, struct numbers *numbers)
{
    if (!engine->options.raw)
        return;
    engine->raw = memory_zeroed(samples->valid + 1, sizeof *engine->raw);
    memcpy(engine->raw, samples->max, samples->valid * sizeof *engine->raw);
    numbers->raw_count = (int64_t)samples->valid;
}

/* Its place is not warmed by the function itself (warm_places()). */
static bool one_warm_place(const struct engine *engine)
{
    return !engine->buffers.cold && (engine->buffers.fixed || !engine->settings.buffer_cycling);
}

/* The members' part; false when it failed on some member (engine->failure on those). */
static bool measure_members(struct engine *engine, struct numbers *numbers, double *per_pe)
{
    struct run *run = &engine->run;
    const struct measurement *function = run->function;
    struct accounting *accounting = &engine->accounting;
    buffers_begin(&engine->buffers, &engine->settings, &run->demand);
    engine->buffers.fixed = function->one_place;
    limit_cold_iterations(engine);
    buffers_next(&engine->buffers, run);
    comm_barrier(pe_set_group(run->set));
    if (function->setup)
        function->setup(run);
    bool failed = has_failed(engine);
    if (!failed) {
        prove(engine);
        failed = has_failed(engine);
    }
    struct samples samples = {0};
    if (!failed) {
        engine->window.rule =
            measure_in_windows(engine) ? engine->settings.window.rule : WINDOW_CLASSIC;
        reserve(&samples, most_repetitions(&engine->settings, engine->window.rule) + 1, false);
        /* The first call is slow: connections, page faults. Not timed, not in a window. */
        engine->window.synchronization = SYNCHRONIZE_NONE;
        if (!function->once)
            repeat(engine);
        if (iterations_wanted(run) == 0)
            choose_iterations(engine);
        comm_barrier(pe_set_group(run->set));
        engine->shortest = INT64_MAX;
        struct reference before = {0, 0}, after = {0, 0};
        if (function->reference)
            before = measure_reference(engine);
        int64_t start = timer_now();
        verify_fill_ahead(engine, samples.capacity);
        if (verify_has(function) && !function->once && one_warm_place(engine))
            repeat(engine); /* what was filled is warm again */
        engine->verifying += timer_seconds(timer_now() - start);
        start = timer_now();
        run_batches(engine, &samples, before.mean);
        double took = timer_seconds(timer_now() - start);
        start = timer_now();
        verify_last(engine);
        engine->verifying += timer_seconds(timer_now() - start);
        if (function->reference)
            after = measure_reference(engine);
        conclude(engine, &samples, &before, function->reference ? &after : NULL, numbers, per_pe);
        double used = 0, all = took;
        for (size_t i = 0; i < samples.valid; i++)
            if (!isnan(samples.max[i]))
                used += samples.max[i] * (double)run->iterations;
        double share = (double)samples.invalid / (double)(samples.valid + samples.invalid + 1);
        accounting->comm += used;
        accounting->over += all * share;
        accounting->wait += fmax(0, all * (1 - share) - used);
        if (measure_counts_events(function))
            count_events(engine, numbers);
        prove(engine);
        failed = has_failed(engine);
        if (run->rank == 0 && !failed) {
            note_doubts(engine, numbers);
            note_stop(engine, &samples, numbers);
            note_repetitions(engine, &samples, numbers);
            note_change(engine, &samples, numbers);
            note_rule(engine, &samples, numbers);
            keep_raw(engine, &samples, numbers);
        }
        release(&samples);
    }
    if (function->teardown)
        function->teardown(run);
    comm_quiet();
    return !failed;
}

/* Brings numbers, per-PE values and notes from the set's rank 0 to PE 0. */
static void bring_result(struct engine *engine, struct numbers *numbers, double *per_pe)
{
    struct run *run = &engine->run;
    int root = pe_set_member(run->set, 0);
    if (root == 0 || (comm_pe() != 0 && comm_pe() != root))
        return;
    size_t columns = (size_t)run->size * sizeof *per_pe;
    if (comm_pe() == root) {
        char *notes = memory_zeroed(1, 1);
        size_t length = 0;
        for (size_t i = 0; i < engine->note_count; i++) {
            size_t more = strlen(engine->notes[i]) + 1;
            notes = memory_resize(notes, length + more);
            memcpy(notes + length, engine->notes[i], more);
            length += more;
        }
        numbers->notes_length = (int64_t)length;
        comm_send(0, numbers, sizeof *numbers);
        comm_send(0, per_pe, columns);
        comm_send(0, notes, length);
        free(notes);
        if (numbers->raw_count > 0)
            comm_send(0, engine->raw, (size_t)numbers->raw_count * sizeof *engine->raw);
        return;
    }
    engine_clear_notes(engine);
    comm_receive(root, numbers, sizeof *numbers);
    comm_receive(root, per_pe, columns);
    char *notes = memory_zeroed((size_t)numbers->notes_length + 1, 1);
    comm_receive(root, notes, (size_t)numbers->notes_length);
    for (size_t at = 0; at < (size_t)numbers->notes_length; at += strlen(notes + at) + 1)
        engine_note(engine, memory_text(notes + at));
    free(notes);
    if (numbers->raw_count == 0)
        return;
    engine->raw = memory_zeroed((size_t)numbers->raw_count, sizeof *engine->raw);
    comm_receive(root, engine->raw, (size_t)numbers->raw_count * sizeof *engine->raw);
}

/* ---- The request ---- */

char *engine_refusal(const struct measure_request *request, int *argument)
{
    const struct measurement *function = request->function;
    int size = pe_set_size(request->set);
    *argument = -1;
    /* Such a request measures nothing, whatever its arguments. */
    if (size == 0 || measurement_unsupported(function))
        return NULL;
    for (size_t i = 0; i < measurement_parameter_count(function); i++) {
        const struct parameter *parameter = &function->parameters[i];
        if (parameter->type > PARAMETER_RANK)
            continue;
        long long value = request->arguments[i].integer;
        *argument = (int)i;
        if (value < parameter->minimum)
            return text_format("%s is %lld, but must be at least %lld", parameter->name, value,
                               (long long)parameter->minimum);
        if (parameter->type == PARAMETER_RANK && value >= size)
            return text_format("%s is %lld, but the communicator has only the ranks 0 to %d",
                               parameter->name, value, size - 1);
    }
    *argument = -1;
    if (size < function->minimum_pes)
        return text_format("needs a communicator of at least %d PEs, this one has %d: start more "
                           "PEs or ask get_comm_size() first",
                           function->minimum_pes, size);
    const char *reason =
        function->check ? function->check(function, request->arguments, request->set) : NULL;
    return reason ? memory_text(reason) : NULL;
}

/* Nothing that the open loop around the request was asked for is lost when it ends here. */
static bool is_too_large(const struct engine *engine, const struct measure_request *request,
                         const struct demand *demand)
{
    size_t buffer = (size_t)engine->settings.buffer_bytes;
    return buffers_need(&engine->settings, demand, request->function->api) > buffer ||
           (request->open && demand->own > buffer);
}

static enum measure_status too_large(struct engine *engine, const struct measure_request *request)
{
    if (request->open)
        return MEASURE_TOO_LARGE;
    size_t need = buffers_need(&engine->settings, &engine->run.demand, request->function->api);
    char *bytes = need == SIZE_MAX ? memory_text("more bytes than any memory has")
                                   : text_format("%zu bytes", need);
    char *reason = text_format("needs a buffer of %s, but set_skampi_buffer gives only %lld", bytes,
                               (long long)engine->settings.buffer_bytes);
    engine_miss(engine, MISSING_TOO_LARGE, request, reason);
    free(reason);
    free(bytes);
    return MEASURE_TOO_LARGE;
}

/* Why it failed, from the highest PE that knows, to PE 0. */
static void bring_failure(struct engine *engine, const struct measure_request *request)
{
    int64_t who = engine->failure ? comm_pe() : -1;
    comm_allreduce_int(comm_world(), COMM_MAX, &who, 1);
    int64_t length = engine->failure ? (int64_t)strlen(engine->failure) + 1 : 0;
    if (who > 0 && comm_pe() == who) {
        comm_send(0, &length, sizeof length);
        comm_send(0, engine->failure, (size_t)length);
    } else if (who > 0 && comm_pe() == 0) {
        comm_receive((int)who, &length, sizeof length);
        free(engine->failure);
        engine->failure = memory_zeroed((size_t)length, 1);
        comm_receive((int)who, engine->failure, (size_t)length);
    }
    if (engine->output)
        engine_report(engine, request->place, request->text, engine->failure);
    free(engine->failure);
    engine->failure = NULL;
}

/* Whether clocks have moved so far that windows did not start together: by more than a tenth of the
 * time that windows left. Collective over the world. */
static bool clocks_moved(struct engine *engine, double slack, double *by)
{
    *by = measure_in_windows(engine) ? sync_check() : 0;
    return *by > 0 && *by > slack * CLOCK_SHARE;
}

/* By how much starts may be wrong before it matters. Where windows are laid out ahead: what they
 * leave; where each start is announced: what a repetition takes; behind a barrier, nothing matters.
 */
static double slack_of(const struct engine *engine, const struct numbers *numbers)
{
    double longest = timer_seconds(engine->longest);
    if (engine->window.rule == WINDOW_DISSEMINATION)
        return INFINITY;
    return engine->window.rule == WINDOW_ROUND_TIME ? longest : numbers->window - longest;
}

/* One attempt, by members; what came of it, to everybody. */
static bool attempt(struct engine *engine, const struct measure_request *request,
                    struct numbers *numbers, double *per_pe, double *slack)
{
    struct run *run = &engine->run;
    size_t state_bytes = request->function->state_bytes;
    run->state = state_bytes ? memory_zeroed(1, state_bytes) : NULL;
    *numbers = (struct numbers){0};
    free(engine->raw);
    engine->raw = NULL;
    engine->shortest = INT64_MAX;
    engine->longest = 0;
    /* Also outside the set: members of the next one must agree. */
    engine->data_seed = (engine->data_seed / DATA_SEEDS + 1) * DATA_SEEDS;
    /* Also outside the set: the library may keep what belongs to a lock on any PE. */
    buffers_clear_scratch(&engine->buffers, &run->demand);
    comm_enter(pe_set_group(request->set));
    if (request->function->prepare)
        request->function->prepare(run);
    atomic_store(&engine->outside, run->rank < 0);
    bool failed = run->rank >= 0 && !measure_members(engine, numbers, per_pe);
    /* The root's time to everybody: autorefine's next step depends on it. */
    double outcome[] = {failed, NAN, NAN};
    if (run->rank == 0 && !failed) {
        outcome[1] = numbers->time;
        outcome[2] = slack_of(engine, numbers);
    }
    comm_allreduce(comm_world(), COMM_MAX, outcome, 3);
    atomic_store(&engine->outside, false);
    engine->last_time = engine->assumed_time = outcome[1];
    *slack = outcome[2];
    free(run->state);
    return outcome[0] == 0;
}

static enum measure_status measure_set(struct engine *engine, const struct measure_request *request)
{
    struct run *run = &engine->run;
    struct numbers numbers;
    double *per_pe = NULL, slack, by;
    if (run->rank == 0 || comm_pe() == 0) {
        per_pe = memory_zeroed((size_t)run->size, sizeof *per_pe);
        for (int i = 0; i < run->size; i++)
            per_pe[i] = NAN;
    }
    /* A place for PE 0 to describe the buffers, also when it is outside. */
    buffers_begin(&engine->buffers, &engine->settings, &run->demand);
    if (measure_in_windows(engine) || run->function->clocks)
        clocks_need(engine);
    bool good = attempt(engine, request, &numbers, per_pe, &slack);
    if (good && clocks_moved(engine, slack, &by)) {
        clocks_synchronize(engine);
        engine_clear_notes(engine);
        good = attempt(engine, request, &numbers, per_pe, &slack);
        bool again = good && clocks_moved(engine, slack, &by);
        if (run->rank == 0 && good)
            run_note(run, "measured again, since clocks had moved");
        if (run->rank == 0 && again)
            flag(&numbers, RESULT_CLOCKS_MOVED);
        if (run->rank == 0 && again)
            run_note(run,
                     "clocks moved by %.3g ns meanwhile, windows leave %.3g ns: starts were "
                     "not together",
                     by * 1e9, slack * 1e9);
    }
    if (good) {
        bring_result(engine, &numbers, per_pe);
        if (engine->output)
            report_result(engine, request, &numbers, per_pe);
        engine->cut_short = engine->cut_short || ((numbers.flags >> RESULT_TIME_BUDGET & 1) &&
                                                  wall_seconds() >= engine->time_left_at);
        engine->last_iterations = numbers.iterations;
        engine->last_effective = numbers.effective;
        /* Of several levels, the one that is the result. */
        engine->last_median = numbers.level_count > 1 ? numbers.time : numbers.median;
        engine->last_within = numbers.p75 - numbers.p25;
    } else {
        engine->incomplete = true;
        bring_failure(engine, request);
    }
    free(per_pe);
    return good ? MEASURE_DONE : MEASURE_FAILED;
}

/* On all PEs alike. */
static enum measure_status no_memory(struct engine *engine, const struct measure_request *request,
                                     size_t symmetric)
{
    engine->incomplete = true;
    int major, minor;
    char *heap = comm_has_shmem(&major, &minor)
                     ? text_format("make the heap larger (%s), or ", comm_heap_variable())
                     : memory_text("");
    char *reason =
        text_format("needs %zu bytes of symmetric memory, more than there are: %smake the "
                    "buffer smaller (set_skampi_buffer)",
                    symmetric, heap);
    free(heap);
    if (engine->output)
        engine_report(engine, request->place, request->text, reason);
    free(reason);
    return MEASURE_FAILED;
}

enum measure_status engine_measure(struct engine *engine, const struct measure_request *request)
{
    const struct measurement *function = request->function;
    int64_t start = timer_now();
    watch_progress(engine);
    if (engine->options.verify >= 0)
        engine->settings.verify = (enum verify)engine->options.verify;
    engine->last_time = engine->assumed_time = engine->last_median = engine->last_within = NAN;
    const char *reason = measurement_unsupported(function);
    if (reason) {
        engine->incomplete = true;
        if (engine->output)
            output_missing(engine->output, MISSING_UNSUPPORTED, engine->block_name,
                           engine->block_number, request->text, reason);
        return MEASURE_UNSUPPORTED;
    }
    if (engine_time_over(engine)) {
        engine->skipped_late += engine->round == 1;
        engine->skipped_endless = engine->skipped_endless || request->endless;
        if (engine->output && engine->round == 1)
            output_missing(engine->output, MISSING_TIME_LIMIT, engine->block_name,
                           engine->block_number, request->text, "the time limit had ended before");
        return MEASURE_TIME_OVER;
    }
    int size = pe_set_size(request->set);
    if (size == 0) {
        if (engine->output)
            output_missing(engine->output, MISSING_SKIPPED, engine->block_name,
                           engine->block_number, request->text, "the communicator is empty");
        return MEASURE_SKIPPED;
    }
    struct demand demand;
    measurement_demand(function, request->arguments, request->set, &demand);
    engine->run = (struct run){.function = function,
                               .arguments = request->arguments,
                               .settings = &engine->settings,
                               .set = request->set,
                               .rank = pe_set_rank_of(request->set, comm_pe()),
                               .size = size,
                               .demand = demand,
                               .engine = engine};
    int64_t wanted = iterations_wanted(&engine->run);
    engine->run.iterations = wanted > 0 ? wanted : FIRST_ITERATIONS;
    engine_clear_notes(engine);
    if (is_too_large(engine, request, &demand))
        return too_large(engine, request);
    size_t symmetric;
    if (!buffers_prepare(&engine->buffers, &engine->settings, &demand, &symmetric))
        return no_memory(engine, request, symmetric);
    if (engine->options.estimate && !estimate_probes(&engine->estimate, request->place)) {
        engine->assumed_time = estimate_reported(&engine->estimate, request->place);
        return MEASURE_DONE;
    }
    progress_show(engine, request);
    snprintf(engine->doing_text, sizeof engine->doing_text, "%s at %s", request->text,
             request->place);
    atomic_store(&engine->doing, engine->doing_text);
    enum measure_status status = measure_set(engine, request);
    atomic_store(&engine->doing, NULL);
    engine->library_measured += function->api != API_NONE && !function->once;
    engine_flush(engine);
    double seconds = timer_seconds(timer_now() - start);
    engine->accounting.total += seconds;
    if (status == MEASURE_DONE && engine->round == 1)
        rounds_record(engine, request);
    if (engine->options.estimate)
        estimate_probed(&engine->estimate, request->place, seconds, engine->last_time);
    return status;
}
