/*
 * Start and end of the engine.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/terminal.h"
#include "clock/timer.h"
#include "comm/comm.h"
#include "engine/environment.h"
#include "engine/messages.h"
#include "engine/rounds.h"
#include "engine/start.h"
#include "engine/state.h"
#include "engine/watchdog.h"

#define STATUS_INCOMPLETE 3
#define STATUS_TIME_LIMIT 4

/* ---- Start ---- */

/* The command line's, or one that nobody can foresee; the same on all PEs. */
static uint64_t choose_seed(const struct engine_options *options)
{
    uint64_t seed = options->seed;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (seed == 0)
        seed = ((uint64_t)now.tv_sec << 32 ^ (uint64_t)now.tv_nsec ^ (uint64_t)getpid() << 20) | 1;
    comm_broadcast(comm_world(), &seed, sizeof seed);
    return seed;
}

/* The parts know each other by address. */
static void connect_parts(struct engine *engine)
{
    struct bench *bench = &engine->bench;
    struct output *output = engine->output;
    bench->hooks.clocks = &engine->clocks.report;
    bench->verification = (struct verification){.run = &bench->run, .buffers = &bench->buffers};
    engine->clocks.output = output;
    engine->clocks.accounting = &engine->accounting;
    engine->clocks.debug = engine->options.debug & DEBUG_CLOCKS;
    engine->display = (struct display){
        .options = &engine->options, .block = &engine->block, .round = &engine->round};
    engine->describer = (struct describer){
        .options = &engine->options, .block = &engine->block, .settings = &engine->settings};
    engine->missing = (struct missing){.output = output,
                                       .display = &engine->display,
                                       .block = &engine->block,
                                       .describer = &engine->describer};
    engine->pending.output = output;
    engine->reporter = (struct reporter){.output = output,
                                         .options = &engine->options,
                                         .describer = &engine->describer,
                                         .block = &engine->block,
                                         .round = &engine->round,
                                         .display = &engine->display};
}

static struct engine *create(const struct engine_options *options)
{
    struct engine *engine = memory_zeroed(1, sizeof *engine);
    engine->options = *options;
    engine->output = options->output;
    engine->settings = settings_default();
    if (options->unit > 0)
        engine->settings.unit = options->unit;
    if (options->clock_sync >= 0)
        engine->settings.clock.algorithm = (enum clock_sync)options->clock_sync;
    engine->round.number = 1;
    engine->latest = (struct latest){.time = NAN, .assumed = NAN};
    engine->limit = (struct limit){.seconds = options->time_limit, .ends = INFINITY};
    connect_parts(engine);
    return engine;
}

static const char *choose_timer(struct engine *engine, const char *wanted)
{
    if (wanted)
        return clocks_select_timer(&engine->clocks, wanted);
    const char *reason = "no timer is usable on every PE";
    for (size_t i = 0; reason && i < timer_count(); i++)
        reason = clocks_select_timer(&engine->clocks, timer_at(i)->name);
    return reason;
}

/* So that both sides' buffers of all PEs of a node take at most half of its memory; the same on all
 * PEs. */
static size_t choose_most_buffer(void)
{
    int nodes = comm_node_count(), here = (comm_pes() + nodes - 1) / nodes;
    int64_t memory = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    int64_t most[] = {memory / 4 / here};
    comm_allreduce_int(comm_world(), COMM_MIN, most, 1);
    return (size_t)(most[0] > 0 ? most[0] : 0);
}

struct engine *engine_create(const struct engine_options *options, const char **error)
{
    struct engine *engine = create(options);
    engine->seed = choose_seed(options);
    engine->random_state = engine->seed;
    engine->most_buffer = choose_most_buffer();
    clocks_skew();
    *error = choose_timer(engine, options->timer);
    if (*error) {
        free(engine);
        return NULL;
    }
    engine->started = engine->display.started = engine->reporter.started = wall_seconds();
    /* A part is left for what comes after the last batch, and for the end. */
    if (options->time_limit > 0 && !options->estimate)
        engine->limit.ends = watchdog_limit_near(options->launched, options->time_limit);
    engine->machine =
        machine_begin(engine->started, options->state, options->state_wait, options->earlier);
    watchdog_measuring(&engine->settings.watchdog);
    environment_print(options, engine->seed);
    clocks_synchronize(&engine->clocks, &engine->settings);
    if (engine->output)
        output_space(engine->output);
    fatal_check_output(&engine->display, engine->output);
    return engine;
}

/* ---- End ---- */

/* False when it cannot be written. */
static bool print_estimate(const struct engine *engine)
{
    const struct estimate *estimate = &engine->estimate;
    char all[32], probing[32];
    int written = printf(
        "%zu measurement%s in %zu block%s at %d PE%s: about %s s, from %zu probe%s in %s s\n",
        estimate->measurements, numbers_plural(estimate->measurements), estimate->blocks,
        numbers_plural(estimate->blocks), comm_pes(), numbers_plural((size_t)comm_pes()),
        numbers_text(all, rounds_estimate(engine, estimate_total(estimate)), 2), estimate->probes,
        numbers_plural(estimate->probes),
        numbers_text(probing, wall_seconds() - engine->started, 2));
    return written > 0 && fflush(stdout) == 0;
}

/* The last records of the output, which is left open when the library's end is to follow. Returns
 * why it could not be written, or NULL; the caller frees it. */
static char *end_output(struct engine *engine, int status, bool left_open)
{
    struct output *output = engine->output;
    const struct limit *limit = &engine->limit;
    char *reason = limit->over ? limit_text(limit) : engine->ended;
    engine->ended = NULL;
    if (limit_unknown(limit))
        output_missing_unknown(output);
    output_end(output, status, reason, wall_seconds() - engine->started,
               engine->bench.hooks.timing.total);
    free(reason);
    if (limit->over)
        limit_tell(limit, output);
    const struct summary_next *next = engine->options.next;
    char *summary = next ? output_summary(output, next) : NULL;
    char *failure = NULL;
    if (!left_open) {
        watchdog_output(NULL);
        failure = output_close(output);
    }
    if (summary && !failure)
        fputs(summary, stderr);
    free(summary);
    return failure;
}

static void release(struct engine *engine)
{
    counters_choose(NULL, 0);
    buffers_free(&engine->bench.buffers);
    notes_clear(&engine->bench.hooks.notes);
    free(engine->bench.hooks.failure);
    estimate_free(&engine->estimate);
    rounds_free(engine);
    machine_end(engine->machine);
    missing_free(&engine->missing);
    describer_free(&engine->describer);
    free(engine->display.result);
    free(engine->pending.text);
    free(engine);
}

int engine_finish(struct engine *engine, bool *report_end)
{
    struct hooks *hooks = &engine->bench.hooks;
    struct limit *limit = &engine->limit;
    rounds_replay(engine);
    machine_settle(engine->machine);
    if (engine->output && !engine->options.estimate &&
        !machine_report(engine->machine, engine->output))
        engine->missing.incomplete = true;
    rounds_print(engine);
    progress_end(&engine->display);
    texts_bring(&engine->pending);
    environment_end(engine->output);
    int64_t said[] = {engine->missing.incomplete, hooks->report_end, limit->cut_short};
    comm_allreduce_int(comm_world(), COMM_MAX, said, 3);
    bool incomplete = said[0], printed = true;
    limit->over = limit->over || said[2];
    *report_end = said[1] && !engine->options.estimate && !incomplete;
    watchdog_measured();
    if (engine->options.estimate && engine->output)
        printed = print_estimate(engine);
    if (engine->options.debug & DEBUG_VERIFICATION && comm_pe() == 0)
        fprintf(stderr, "verification: %.3f of %.3f seconds\n", engine->bench.verification.seconds,
                wall_seconds() - engine->started);
    int status = limit->over ? STATUS_TIME_LIMIT : incomplete ? STATUS_INCOMPLETE : 0;
    if (engine->output) {
        char *failure = end_output(engine, status, *report_end);
        if (!printed && !failure)
            failure = memory_text("standard output cannot be written");
        if (failure) {
            terminal_message("skampi: error: %s\n", failure);
            status = STATUS_INTERNAL;
        }
        free(failure);
    }
    int64_t worst = status == STATUS_INTERNAL ? STATUS_INTERNAL : 0;
    comm_allreduce_int(comm_world(), COMM_MAX, &worst, 1);
    release(engine);
    return worst ? STATUS_INTERNAL : status;
}
