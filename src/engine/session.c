/*
 * What main and the interpreter ask of the engine: its start, measurements, settings, blocks, text,
 * its end.
 */
#include "engine/engine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/terminal.h"
#include "base/text.h"
#include "clock/timer.h"
#include "comm/comm.h"
#include "engine/batches.h"
#include "engine/messages.h"
#include "engine/private.h"
#include "engine/start.h"
#include "engine/watchdog.h"
#include "objects/communicator.h"
#include "stats/random.h"

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
    bench->services.clocks = &engine->clocks.report;
    engine->clocks.output = output;
    engine->clocks.accounting = &engine->accounting;
    engine->clocks.debug = engine->options.debug & DEBUG_CLOCKS;
    engine->display =
        (struct display){.options = &engine->options,
                         .block = &engine->block,
                         .round = &engine->round,
                         .wanted = output && engine->options.progress != PROGRESS_NONE};
    engine->describer = (struct describer){
        .options = &engine->options, .block = &engine->block, .settings = &engine->settings};
    engine->missing = (struct missing_points){.output = output,
                                              .display = &engine->display,
                                              .block = &engine->block,
                                              .describer = &engine->describer};
    engine->pending.output = output;
}

static struct engine *create(const struct engine_options *options)
{
    struct engine *engine = memory_zeroed(1, sizeof *engine);
    engine->options = *options;
    engine->output = options->output;
    if (options->debug & DEBUG_COLLECTIVES)
        comm_tell();
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

/* The largest buffer with which both buffers of all PEs of a node take at most half of its memory.
 * All PEs choose the same. */
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
    engine->started = engine->display.started = wall_seconds();
    /* A part is left for what comes after the last batch, and for the end. */
    if (options->time_limit > 0 && !options->estimate)
        engine->limit.ends = watchdog_limit_near(options->launched, options->time_limit);
    engine->machine =
        machine_begin(engine->started, options->state, options->state_wait, options->earlier);
    watchdog_measuring(&engine->settings.watchdog);
    environment_print(options, engine->seed);
    clocks_synchronize(&engine->clocks, &engine->settings);
    if (engine->output)
        output_put(engine->output, &(struct record){.kind = RECORD_SPACE});
    fatal_check_output(&engine->display, engine->output);
    return engine;
}

/* ---- Measurements ---- */

/* What became of a measurement without a time. */
static const char *const absent[] = {[MEASURE_DONE] = "it has none",
                                     [MEASURE_TOO_LARGE] =
                                         "it was too large for its buffer or for --memory",
                                     [MEASURE_FAILED] = "it failed",
                                     [MEASURE_UNSUPPORTED] = "it is unsupported here",
                                     [MEASURE_SKIPPED] = "its communicator was empty",
                                     [MEASURE_REFUSED] = "it was left out",
                                     [MEASURE_TIME_OVER] = "the time limit had ended"};

/* What the script asks for, under the settings in force. */
static void name_point(struct engine *engine, const struct measure_request *request)
{
    if (engine->options.verify >= 0)
        engine->settings.verify = (enum verify)engine->options.verify;
    if (engine->options.unit > 0)
        engine->settings.unit = engine->options.unit;
    if (engine->output)
        request_describe_next(&engine->describer, request);
}

/* With what all PEs did since the point before it. */
static void tell_shared(struct engine *engine, const struct measure_request *request)
{
    struct comm_shared now = comm_shared();
    const struct comm_shared *then = &engine->shared;
    int64_t sums[] = {now.world_messages - then->world_messages, now.messages - then->messages,
                      now.bytes - then->bytes};
    comm_allreduce_int(comm_world(), COMM_SUM, sums, sizeof sums / sizeof *sums);
    if (comm_pe() == 0)
        fprintf(stderr,
                "shared: %s: %lld collectives of all PEs, %lld messages; with those of the set "
                "%lld messages, %lld bytes\n",
                request->text, (long long)(now.collectives - then->collectives), (long long)sums[0],
                (long long)sums[1], (long long)sums[2]);
    engine->shared = comm_shared();
}

enum measure_status engine_measure(struct engine *engine, const struct measure_request *request)
{
    name_point(engine, request);
    enum measure_status status = measure(engine, request);
    if (status == MEASURE_DONE && engine->latest.measured) {
        int rounds = request_rounds(request, &engine->settings, engine->options.rounds);
        if (rounds > 1)
            engine_rounds_record(engine, request, rounds);
        if (engine->options.factors != 0)
            factors_record(engine, request);
    }
    engine->latest.absent = absent[status];
    if (engine->options.debug & DEBUG_SHARED)
        tell_shared(engine, request);
    return status;
}

const char *engine_absent(const struct engine *engine)
{
    return engine->latest.absent;
}

void engine_end_early(struct engine *engine, const char *place)
{
    if (!engine->limit.over)
        engine->ended = text_format("the script ended at %s: the time of the last measurement is "
                                    "needed there, but %s",
                                    place, engine->latest.absent);
    if (engine->ended && engine->output)
        fprintf(stderr, "skampi: warning: %s\n", engine->ended);
    engine->limit.endless = true; /* what would have followed is not known */
    engine->missing.incomplete = true;
}

double engine_last_time(const struct engine *engine)
{
    return engine->latest.time;
}

size_t engine_last_weight(const struct engine *engine)
{
    return engine->latest.weight;
}

double engine_assumed_time(const struct engine *engine)
{
    return engine->latest.assumed;
}

void engine_leave_out(struct engine *engine, const struct measure_request *request,
                      const char *reason)
{
    engine->latest =
        (struct latest){.time = NAN, .assumed = NAN, .absent = absent[MEASURE_REFUSED]};
    name_point(engine, request);
    missing_leave_out(&engine->missing, MISSING_REFUSED, request, reason);
}

bool engine_lists_missing(const struct engine *engine)
{
    return missing_listed(&engine->missing);
}

void engine_leave_out_more(struct engine *engine, int64_t count)
{
    missing_leave_out_more(&engine->missing, count);
}

void engine_sort_begin(struct engine *engine)
{
    engine->sorting.region = ++engine->sorting.regions;
    if (engine->output)
        output_hold(engine->output);
}

void engine_sort_key(struct engine *engine, double key)
{
    engine->sorting.key = key;
    if (engine->output)
        output_key(engine->output, key);
}

void engine_sort_end(struct engine *engine)
{
    engine->sorting.region = 0;
    if (engine->output)
        output_release(engine->output);
}

/* ---- Settings ---- */

struct settings *engine_settings(struct engine *engine)
{
    return &engine->settings;
}

const char *engine_set_timer(struct engine *engine, const char *name)
{
    const char *reason = clocks_select_timer(&engine->clocks, name);
    engine->bench.services.pause_known = false;
    return reason;
}

char *engine_set_counters(struct engine *engine, const char *const *names, size_t n)
{
    (void)engine;
    return counting_choose(names, n);
}

bool engine_counter_usable(struct engine *engine, const char *name)
{
    (void)engine;
    char *before[COUNTERS_MAX];
    size_t count = counters_count();
    for (size_t i = 0; i < count; i++)
        before[i] = memory_text(counters_name(i));
    char *error = counting_choose(&name, 1);
    bool usable = !error;
    free(error);
    free(counting_choose((const char *const *)before, count));
    for (size_t i = 0; i < count; i++)
        free(before[i]);
    return usable;
}

/* ---- Blocks ---- */

void engine_begin_block(struct engine *engine, const char *name, const char *source)
{
    struct block *block = &engine->block;
    free(block->name);
    *block = (struct block){
        .name = memory_text(name), .number = block->number + 1, .start = wall_seconds()};
    engine->estimate.blocks++;
    engine->display.share = 0;
    missing_forget_warnings(&engine->missing);
    if (!engine->output)
        return;
    output_begin_block(engine->output, name, block->number, source);
    fatal_check_output(&engine->display, engine->output);
}

void engine_end_block(struct engine *engine)
{
    struct block *block = &engine->block;
    engine_flush(engine);
    missing_end_block(&engine->missing);
    clocks_report(&engine->clocks);
    struct output_block ended = {.name = block->name,
                                 .number = block->number,
                                 .duration = wall_seconds() - block->start,
                                 .windowed = block->windowed,
                                 .late_starts = block->late_starts,
                                 .overruns = block->overruns,
                                 .window_changes = block->window_changes};
    if (engine->output)
        output_put(engine->output, &(struct record){.kind = RECORD_BLOCK_END, .block_end = &ended});
    fatal_check_output(&engine->display, engine->output);
    free(block->name);
    block->name = NULL;
}

void engine_progress(struct engine *engine, double share)
{
    engine->display.share = share;
}

/* ---- Text ---- */

void engine_print(struct engine *engine, const char *text)
{
    texts_add(&engine->pending, &engine->display, text);
}

void engine_flush(struct engine *engine)
{
    texts_flush(&engine->pending);
    fatal_check_output(&engine->display, engine->output);
}

void engine_accounting_reset(struct engine *engine)
{
    engine->accounting = (struct accounting){0};
}

void engine_accounting_print(struct engine *engine)
{
    accounting_print(&engine->accounting, engine->output);
}

/* ---- Errors ---- */

void engine_fatal_text(struct engine *engine, int status, const char *text)
{
    fatal_text(&engine->display, status, text);
}

/* ---- The same on all PEs ---- */

bool engine_agree(struct engine *engine, uint64_t tag)
{
    tag ^= settings_hash(&engine->settings);
    bool same = limit_agree(&engine->limit, tag);
    watchdog_progress();
    return same;
}

void engine_broadcast(struct engine *engine, void *data, size_t bytes)
{
    (void)engine;
    comm_broadcast(comm_world(), data, bytes);
}

void engine_share(struct engine *engine, int64_t mine, int64_t *values)
{
    (void)engine;
    memset(values, 0, (size_t)comm_pes() * sizeof *values);
    values[comm_pe()] = mine;
    comm_allreduce_int(comm_world(), COMM_SUM, values, (size_t)comm_pes());
}

uint64_t engine_random(struct engine *engine)
{
    uint64_t number = random_next(&engine->random_state);
    comm_broadcast(comm_world(), &number, sizeof number);
    return number;
}

/* ---- PEs ---- */

int engine_pe(const struct engine *engine)
{
    (void)engine;
    return comm_pe();
}

int engine_pes(const struct engine *engine)
{
    (void)engine;
    return comm_pes();
}

int engine_node_count(struct engine *engine)
{
    (void)engine;
    return comm_node_count();
}

int engine_node_of(struct engine *engine, int pe)
{
    (void)engine;
    return comm_node_of(pe);
}

int engine_farthest_from_root(struct engine *engine)
{
    return clocks_farthest(&engine->clocks, &engine->settings);
}

struct pe_set *engine_arrange(struct engine *engine, const struct pe_set *set,
                              struct topology *topology, bool reorder)
{
    (void)engine;
    return communicator_arrange(set, topology, reorder);
}

/* ---- End ---- */

/* False when it cannot be written. */
static bool print_estimate(const struct engine *engine)
{
    const struct estimate *estimate = &engine->estimate;
    size_t measurements = estimate->measurements, probes = estimate->probes;
    double seconds = engine_rounds_estimate(engine, estimate_total(estimate));
    double probing = wall_seconds() - engine->started;
    char all[32], took[32];
    if (engine->options.estimate_record)
        json_print(stdout,
                   "{'record':'estimate','measurements':%zu,'blocks':%zu,'pes':%d,'seconds':%f,"
                   "'probes':%zu,'probing':%f}\n",
                   measurements, estimate->blocks, comm_pes(), seconds, probes, probing);
    else
        printf(
            "%zu measurement%s in %zu block%s at %d PE%s: about %s s, from %zu probe%s in %s s\n",
            measurements, numbers_plural(measurements), estimate->blocks,
            numbers_plural(estimate->blocks), comm_pes(), numbers_plural((size_t)comm_pes()),
            numbers_text(all, seconds, 2), probes, numbers_plural(probes),
            numbers_text(took, probing, 2));
    return fflush(stdout) == 0 && !ferror(stdout);
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
               engine->bench.services.timing.total);
    free(reason);
    if (limit->over)
        limit_tell(limit, output);
    const struct summary_next *next = engine->options.next;
    char *summary = next ? output_summary(output, next) : NULL;
    bool told = summary && output_tell(output, summary);
    char *failure = NULL;
    if (!left_open) {
        watchdog_output(NULL);
        failure = output_close(output);
    }
    if (summary && !told && !failure)
        fputs(summary, stderr);
    free(summary);
    return failure;
}

static void release(struct engine *engine)
{
    counters_choose(NULL, 0);
    buffers_free(&engine->bench.buffers);
    notes_clear(&engine->bench.services.notes);
    free(engine->bench.services.failure);
    estimate_free(&engine->estimate);
    engine_rounds_free(engine);
    factors_free(engine);
    machine_end(engine->machine);
    missing_free(&engine->missing);
    describer_free(&engine->describer);
    free(engine->display.result);
    free(engine->pending.text);
    free(engine);
}

int engine_finish(struct engine *engine, bool *report_end)
{
    struct services *services = &engine->bench.services;
    struct limit *limit = &engine->limit;
    engine_rounds_replay(engine);
    factors_run(engine);
    machine_settle(engine->machine);
    if (engine->output && !engine->options.estimate &&
        !machine_report(engine->machine, engine->output))
        engine->missing.incomplete = true;
    engine_rounds_print(engine);
    factors_print(engine);
    progress_end(&engine->display);
    texts_flush(&engine->pending);
    environment_end(engine->output);
    int64_t said[] = {engine->missing.incomplete, services->report_end, limit->cut_short};
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
