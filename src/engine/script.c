/*
 * What the interpreter asks of the engine besides measurements: settings, blocks, text, numbers.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "comm/comm.h"
#include "engine/counting.h"
#include "engine/measure.h"
#include "engine/messages.h"
#include "engine/rounds.h"
#include "engine/state.h"
#include "engine/watchdog.h"
#include "objects/communicator.h"
#include "stats/random.h"

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
    if (engine->output)
        describe_next(&engine->describer, request);
}

enum measure_status engine_measure(struct engine *engine, const struct measure_request *request)
{
    name_point(engine, request);
    enum measure_status status = measure(engine, request);
    if (status == MEASURE_DONE && engine->latest.measured)
        rounds_record(engine, request);
    engine->latest.absent = absent[status];
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
    engine->bench.hooks.pause_known = false;
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
    missing_begin_block(&engine->missing);
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
        output_end_block(engine->output, &ended);
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
    texts_flush(&engine->pending, &engine->display);
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
    /* Halves, so that negation cannot overflow. */
    int64_t high = (int64_t)(tag >> 32), low = (int64_t)(tag & 0xffffffffu);
    int64_t bounds[4] = {high, -high, low, -low};
    comm_allreduce_int(comm_world(), COMM_MAX, bounds, 4);
    watchdog_progress();
    return bounds[0] == -bounds[1] && bounds[2] == -bounds[3];
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
