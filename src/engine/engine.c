#include "engine/engine.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/words.h"
#include "clock/sync.h"
#include "clock/timer.h"
#include "comm/comm.h"
#include "engine/counters.h"
#include "engine/internal.h"
#include "objects/communicator.h"
#include "stats/random.h"

#define STATUS_INTERNAL 1
#define STATUS_INCOMPLETE 3
#define STATUS_TIME_LIMIT 4
/* How long a PE waits for PE 0 to report the same error and to end the job. */
#define REPORT_GRACE_SECONDS 1.0

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

struct settings *engine_settings(struct engine *engine)
{
    return &engine->settings;
}

struct pe_set *engine_arrange(struct engine *engine, const struct pe_set *set,
                              struct topology *topology, bool reorder)
{
    (void)engine;
    return communicator_arrange(set, topology, reorder);
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

/* ---- Errors ---- */

static void wait_seconds(double seconds)
{
    int64_t until = timer_now() + timer_ticks(seconds);
    while (timer_now() < until)
        comm_poll();
}

void engine_fatal_text(struct engine *engine, int status, const char *text)
{
    /* Mostly every PE finds the same error; then PE 0's word is enough. */
    if (comm_pe() != 0)
        wait_seconds(REPORT_GRACE_SECONDS);
    if (comm_claim()) {
        progress_end(engine);
        engine_watch_ending();
        char *first_line = memory_text_part(text, strcspn(text, "\n"));
        char *said = text_format("ended by an error: %s", first_line);
        comm_say_end(COMM_FAILED, status, said);
        watch_last_words(status, "ended by an error", first_line);
        free(said);
        free(first_line);
        fputs(text, stderr);
        if (!*text || text[strlen(text) - 1] != '\n')
            fputc('\n', stderr);
        fflush(stderr);
        comm_abort(status);
    }
    engine_watch_ending();
    for (;;)
        pause(); /* the one that reports ends the job */
}

void engine_fatal(struct engine *engine, int status, const char *place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = text_format_with(format, arguments);
    va_end(arguments);
    engine_fatal_text(engine, status,
                      text_format("%s: error: %s\n", place ? place : "skampi", text));
}

void engine_report(struct engine *engine, const char *place, const char *call, const char *reason)
{
    progress_end(engine);
    fprintf(stderr, "%s: error: %s: %s\n", place, call, reason);
    output_missing(engine->output, MISSING_FAILED, engine->block_name, engine->block_number, call,
                   reason);
}

/* ---- What is left out ---- */

/* Once for each measure of a block; the output tells the rest. PE 0. */
static void warn(struct engine *engine, const struct measure_request *request, const char *reason)
{
    for (size_t i = 0; i < engine->warned_count; i++)
        if (strcmp(engine->warned[i], request->place) == 0)
            return;
    engine->warned =
        memory_resize(engine->warned, (engine->warned_count + 1) * sizeof *engine->warned);
    engine->warned[engine->warned_count++] = memory_text(request->place);
    progress_end(engine);
    fprintf(stderr, "%s: warning: %s is not measured: %s\n", request->place, request->text, reason);
}

static void forget_warnings(struct engine *engine)
{
    for (size_t i = 0; i < engine->warned_count; i++)
        free(engine->warned[i]);
    free(engine->warned);
    engine->warned = NULL;
    engine->warned_count = 0;
}

static void miss_more(struct engine *engine, int64_t count)
{
    if (__builtin_add_overflow(engine->unlisted, count, &engine->unlisted))
        engine->unlisted = INT64_MAX;
}

void engine_miss(struct engine *engine, enum result_missing kind,
                 const struct measure_request *request, const char *reason)
{
    bool listed = engine_lists_missing(engine);
    engine->incomplete = true;
    engine->left_out++;
    if (!listed)
        miss_more(engine, 1);
    if (!engine->output)
        return;
    engine->unlisted_kind = kind;
    free(engine->unlisted_call);
    engine->unlisted_call = memory_text(request->text);
    free(engine->unlisted_reason);
    engine->unlisted_reason = memory_text(reason);
    warn(engine, request, reason);
    if (listed)
        output_missing(engine->output, kind, engine->block_name, engine->block_number,
                       request->text, reason);
}

void engine_leave_out(struct engine *engine, const struct measure_request *request,
                      const char *reason)
{
    engine_miss(engine, MISSING_REFUSED, request, reason);
}

bool engine_lists_missing(const struct engine *engine)
{
    return engine->left_out < MOST_LISTED_MISSING;
}

void engine_leave_out_more(struct engine *engine, int64_t count)
{
    miss_more(engine, count);
}

/* Those of the block that are not listed, as one. */
static void report_unlisted(struct engine *engine)
{
    if (engine->output && engine->unlisted > 0) {
        char *reason = text_format(
            "%lld measurement%s more of this block, of which this is the last that was tried: %s "
            "(the first %d of a run are listed)",
            (long long)engine->unlisted, engine->unlisted == 1 ? "" : "s", engine->unlisted_reason,
            MOST_LISTED_MISSING);
        output_missing_more(engine->output, engine->unlisted_kind, engine->block_name,
                            engine->block_number, engine->unlisted_call, reason, engine->unlisted);
        free(reason);
    }
    engine->unlisted = 0;
}

/* ---- Text from all PEs ---- */

static void check_output(struct engine *engine)
{
    const char *reason = engine->output ? output_failed(engine->output) : NULL;
    if (reason)
        engine_fatal(engine, STATUS_INTERNAL, NULL, "%s", reason);
}

void engine_print(struct engine *engine, const char *text)
{
    if (engine->output) {
        output_print(engine->output, text);
        check_output(engine);
        return;
    }
    size_t length = strlen(text);
    engine->pending = memory_resize(engine->pending, engine->pending_length + length + 1);
    memcpy(engine->pending + engine->pending_length, text, length + 1);
    engine->pending_length += length;
}

/* O(log n) when no PE but 0 has text, else O(PEs with text). */
static void bring_text(struct engine *engine)
{
    const struct pe_group *world = comm_world();
    int64_t length = (int64_t)engine->pending_length, any = length;
    comm_allreduce_int(world, COMM_MAX, &any, 1);
    if (any == 0)
        return;
    int64_t *lengths = NULL;
    if (comm_pe() == 0)
        lengths = memory_zeroed((size_t)comm_pes(), sizeof *lengths);
    comm_gather(world, &length, sizeof length, lengths);
    if (comm_pe() != 0) {
        if (length > 0)
            comm_send(0, engine->pending, (size_t)length);
        free(engine->pending);
        engine->pending = NULL;
        engine->pending_length = 0;
        return;
    }
    for (int pe = 1; pe < comm_pes(); pe++) {
        if (lengths[pe] == 0)
            continue;
        char *text = memory_zeroed((size_t)lengths[pe] + 1, 1);
        comm_receive(pe, text, (size_t)lengths[pe]);
        output_print(engine->output, text);
        free(text);
    }
    free(lengths);
}

void engine_agree(struct engine *engine, uint64_t tag, const char *place)
{
    tag ^= settings_hash(&engine->settings);
    /* Halves, so that negation cannot overflow. */
    int64_t high = (int64_t)(tag >> 32), low = (int64_t)(tag & 0xffffffffu);
    int64_t bounds[4] = {high, -high, low, -low};
    comm_allreduce_int(comm_world(), COMM_MAX, bounds, 4);
    if (bounds[0] != -bounds[1] || bounds[2] != -bounds[3])
        engine_fatal(engine, STATUS_INTERNAL, place,
                     "the PEs are at different places of the script, or have different values for "
                     "the same thing: every PE must reach the same measure, flush and "
                     "communicator calls");
    watch_progress(engine);
}

void engine_flush(struct engine *engine)
{
    bring_text(engine);
    check_output(engine);
}

uint64_t engine_random(struct engine *engine)
{
    uint64_t number = random_next(&engine->random_state);
    comm_broadcast(comm_world(), &number, sizeof number);
    return number;
}

void engine_progress(struct engine *engine, double share)
{
    engine->progress_share = share;
}

bool engine_time_over(struct engine *engine)
{
    if (isinf(engine->time_left_at) || engine->time_over)
        return engine->time_over;
    int64_t over = wall_seconds() >= engine->time_left_at;
    comm_broadcast(comm_world(), &over, sizeof over);
    return engine->time_over = over;
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

/* ---- Blocks ---- */

void engine_begin_block(struct engine *engine, const char *name, const char *source)
{
    free(engine->block_name);
    engine->block_name = memory_text(name);
    engine->block_number++;
    engine->estimate.blocks++;
    engine->block_start = wall_seconds();
    forget_warnings(engine);
    engine->late_starts = engine->overruns = engine->window_changes = 0;
    engine->windowed = false;
    engine->progress_share = 0;
    if (!engine->output)
        return;
    output_begin_block(engine->output, name, engine->block_number, source);
    check_output(engine);
}

void engine_end_block(struct engine *engine)
{
    engine_flush(engine);
    report_unlisted(engine);
    clocks_report(engine);
    struct output_block block = {.name = engine->block_name,
                                 .number = engine->block_number,
                                 .duration = wall_seconds() - engine->block_start,
                                 .windowed = engine->windowed,
                                 .late_starts = engine->late_starts,
                                 .overruns = engine->overruns,
                                 .window_changes = engine->window_changes};
    if (engine->output)
        output_end_block(engine->output, &block);
    check_output(engine);
    free(engine->block_name);
    engine->block_name = NULL;
}

/* ---- Sorted results ---- */

double engine_last_time(const struct engine *engine)
{
    return engine->last_time;
}

double engine_assumed_time(const struct engine *engine)
{
    return engine->assumed_time;
}

void engine_sort_begin(struct engine *engine)
{
    engine->sort_region = ++engine->sort_regions;
    if (engine->output)
        output_hold(engine->output);
}

void engine_sort_key(struct engine *engine, double key)
{
    engine->sort_key = key;
    if (engine->output)
        output_key(engine->output, key);
}

void engine_sort_end(struct engine *engine)
{
    engine->sort_region = 0;
    if (engine->output)
        output_release(engine->output);
}

/* ---- Notes of the measurement in progress ---- */

void engine_note(struct engine *engine, const char *text)
{
    for (size_t i = 0; i < engine->note_count; i++)
        if (strcmp(engine->notes[i], text) == 0) {
            free((char *)(uintptr_t)text);
            return;
        }
    engine->notes = memory_resize(engine->notes, (engine->note_count + 1) * sizeof *engine->notes);
    engine->notes[engine->note_count++] = (char *)(uintptr_t)text;
}

void engine_clear_notes(struct engine *engine)
{
    for (size_t i = 0; i < engine->note_count; i++)
        free(engine->notes[i]);
    free(engine->notes);
    engine->notes = NULL;
    engine->note_count = 0;
}

/* ---- Timers ---- */

/* A set of the PEs of this node. */
static struct pe_set *own_node(void)
{
    int node = comm_node_of(comm_pe()), count = 0;
    int *members = memory_zeroed((size_t)comm_node_size(node), sizeof *members);
    for (int pe = 0; pe < comm_pes(); pe++)
        if (comm_node_of(pe) == node)
            members[count++] = pe;
    struct pe_set *set = pe_set_create(members, count);
    free(members);
    return set;
}

const char *engine_set_timer(struct engine *engine, const char *name)
{
    struct timer *timer = timer_find(name);
    if (!timer)
        return "there is no timer of that name";
    const char *reason = timer->unusable();
    int64_t usable = !reason;
    comm_allreduce_int(comm_world(), COMM_AND, &usable, 1);
    if (!usable)
        return reason ? reason : "it is not usable on every PE";
    /* One rate per node: rates measured by each PE would look like drift. */
    struct pe_set *node = own_node();
    comm_enter(pe_set_group(node));
    if (timer->ticks_per_second == 0) {
        double rate = 0;
        if (pe_set_rank_of(node, comm_pe()) == 0)
            rate = timer_calibrate(timer);
        comm_broadcast(pe_set_group(node), &rate, sizeof rate);
        timer->ticks_per_second = rate;
    }
    pe_set_release(node);
    timer_characterize(timer);
    int64_t good = !timer->refused;
    comm_allreduce_int(comm_world(), COMM_AND, &good, 1);
    if (!good)
        return timer->refused ? timer->refused : "it is refused on another PE";
    reason = timer_select(name);
    engine->clocks_known = false;
    engine->pause_known = false;
    return reason;
}

/* ---- Counters ---- */

char *engine_set_counters(struct engine *engine, const char *const *names, size_t n)
{
    (void)engine;
    char *error = counters_choose(names, n);
    int64_t good = !error;
    comm_allreduce_int(comm_world(), COMM_AND, &good, 1);
    if (!good && !error) {
        counters_choose(NULL, 0);
        error = memory_text("another PE cannot count this; papi_avail shows what its node has");
    }
    return error;
}

bool engine_counter_usable(struct engine *engine, const char *name)
{
    char *before[COUNTERS_MAX];
    size_t count = counters_count();
    for (size_t i = 0; i < count; i++)
        before[i] = memory_text(counters_name(i));
    char *error = engine_set_counters(engine, &name, 1);
    bool usable = !error;
    free(error);
    free(engine_set_counters(engine, (const char *const *)before, count));
    for (size_t i = 0; i < count; i++)
        free(before[i]);
    return usable;
}

/* ---- Time accounting ---- */

void engine_accounting_reset(struct engine *engine)
{
    engine->accounting = (struct accounting){0};
}

void engine_accounting_print(struct engine *engine)
{
    struct accounting *own = &engine->accounting;
    double sums[] = {own->sync, own->comm, own->wait, own->over, own->total};
    comm_allreduce(comm_world(), COMM_SUM, sums, 5);
    if (!engine->output)
        return;
    static const char *const names[] = {"clock synchronization", "measured operations",
                                        "waiting for starts", "repetitions left out"};
    double total = sums[4] > 0 ? sums[4] : 1;
    output_comment(engine->output, "time accounting, seconds summed over %d PEs:", comm_pes());
    double rest = sums[4];
    for (int i = 0; i < 4; i++) {
        output_comment(engine->output, "  %-22s %9.3f %5.1f%%", names[i], sums[i],
                       100 * sums[i] / total);
        rest -= sums[i];
    }
    output_comment(engine->output, "  %-22s %9.3f %5.1f%%", "everything else", rest,
                   100 * rest / total);
    output_comment(engine->output, "  %-22s %9.3f %5.1f%%", "measure statements", sums[4], 100.0);
}

/* ---- Placement ---- */

int engine_farthest_from_root(struct engine *engine)
{
    struct sync_rules rules = clocks_rules(&engine->settings);
    struct sync_report report;
    rules.algorithm = SYNC_LINEAR; /* the one in which every PE talks to PE 0 */
    sync_synchronize(&rules, &report);
    engine->clocks_known = false;
    double trip = comm_pe() == 0 ? 0 : report.own_round_trip, largest = trip;
    comm_allreduce(comm_world(), COMM_MAX, &largest, 1);
    int64_t pe = trip >= largest ? comm_pe() : comm_pes();
    comm_allreduce_int(comm_world(), COMM_MIN, &pe, 1);
    return (int)pe;
}

/* ---- Start and end ---- */

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

struct engine *engine_create(const struct engine_options *options, const char **error)
{
    struct engine *engine = memory_zeroed(1, sizeof *engine);
    engine->options = *options;
    engine->output = options->output;
    engine->settings = settings_default();
    if (options->unit > 0)
        engine->settings.unit = options->unit;
    if (options->clock_sync >= 0)
        engine->settings.clock.algorithm = (enum clock_sync)options->clock_sync;
    engine->round = 1;
    engine->last_time = engine->assumed_time = NAN;
    engine->seed = choose_seed(options);
    engine->random_state = engine->seed;
    clocks_skew();
    engine->started = wall_seconds();
    *error = "no timer is usable on every PE";
    if (options->timer)
        *error = engine_set_timer(engine, options->timer);
    else
        for (size_t i = 0; *error && i < timer_count(); i++)
            *error = engine_set_timer(engine, timer_at(i)->name);
    if (*error) {
        free(engine);
        return NULL;
    }
    engine->started = wall_seconds();
    engine->time_left_at = INFINITY;
    /* A part is left for what comes behind the last batch, and for the end. */
    if (options->time_limit > 0 && !options->estimate)
        engine->time_left_at = watch_limit_near(options->launched, options->time_limit);
    watch_start(engine);
    environment_print(engine);
    clocks_synchronize(engine);
    if (engine->output)
        output_space(engine->output);
    check_output(engine);
    return engine;
}

/* False when it cannot be written. */
static bool print_estimate(const struct engine *engine)
{
    const struct estimate *estimate = &engine->estimate;
    char all[32], probing[32];
    int written = printf(
        "%zu measurement%s in %zu block%s at %d PE%s: about %s s, from %zu probe%s in %s s\n",
        estimate->measurements, words_plural(estimate->measurements), estimate->blocks,
        words_plural(estimate->blocks), comm_pes(), words_plural((size_t)comm_pes()),
        words_number(all, rounds_estimate(engine, estimate_total(estimate)), 2), estimate->probes,
        words_plural(estimate->probes), words_number(probing, wall_seconds() - engine->started, 2));
    return written > 0 && fflush(stdout) == 0;
}

/* Loops that would not have ended are not counted, nor what comes after very many. */
static const char *at_least(const struct engine *engine)
{
    return engine->skipped_late >= MOST_LISTED_MISSING || engine->skipped_endless ? "at least "
                                                                                  : "";
}

static void tell_time_over(const struct engine *engine)
{
    char *what = text_format("stopped by the time limit of %g s", engine->options.time_limit);
    char *missing = text_format("%s%zu point%s", at_least(engine), engine->skipped_late,
                                engine->skipped_late == 1 ? " is" : "s are");
    watch_tell_limit(engine->output, what, missing);
    free(missing);
    free(what);
}

int engine_finish(struct engine *engine, bool *report_end)
{
    rounds_replay(engine);
    progress_end(engine);
    bring_text(engine);
    environment_end(engine);
    int64_t said[] = {engine->incomplete, engine->report_end, engine->cut_short};
    comm_allreduce_int(comm_world(), COMM_MAX, said, 3);
    bool incomplete = said[0];
    engine->time_over = engine->time_over || said[2];
    *report_end = said[1] && !engine->options.estimate && !incomplete;
    watch_stop();
    bool printed = true;
    if (engine->options.estimate && engine->output)
        printed = print_estimate(engine);
    if (engine->options.debug & DEBUG_VERIFICATION && comm_pe() == 0)
        fprintf(stderr, "verification: %.3f of %.3f seconds\n", engine->verifying,
                wall_seconds() - engine->started);
    int status = engine->time_over ? STATUS_TIME_LIMIT : incomplete ? STATUS_INCOMPLETE : 0;
    if (engine->output) {
        char *limit = NULL;
        if (engine->time_over)
            limit = text_format("stopped by the time limit of %g s: %s%zu measurement%s missing, "
                                "and %zu round%s of single points%s",
                                engine->options.time_limit, at_least(engine), engine->skipped_late,
                                engine->skipped_late == 1 ? " is" : "s are", engine->missing_rounds,
                                words_plural(engine->missing_rounds),
                                engine->cut_short ? ", one was cut short" : "");
        if (*at_least(engine))
            output_missing_unknown(engine->output);
        output_end(engine->output, status, limit, wall_seconds() - engine->started, engine->timed);
        free(limit);
        if (engine->time_over)
            tell_time_over(engine);
        if (!*report_end)
            engine_watch_output(NULL);
        char *failure = *report_end ? NULL : output_close(engine->output);
        if (!printed && !failure)
            failure = memory_text("standard output cannot be written");
        if (failure) {
            fprintf(stderr, "skampi: error: %s\n", failure);
            status = STATUS_INTERNAL;
        }
        free(failure);
    }
    int64_t worst = status == STATUS_INTERNAL ? STATUS_INTERNAL : 0;
    comm_allreduce_int(comm_world(), COMM_MAX, &worst, 1);
    counters_choose(NULL, 0);
    buffers_free(&engine->buffers);
    engine_clear_notes(engine);
    estimate_free(&engine->estimate);
    rounds_free(engine);
    forget_warnings(engine);
    free(engine->unlisted_call);
    free(engine->unlisted_reason);
    free(engine->raw);
    free(engine->progress_result);
    free(engine->failure);
    free(engine->pending);
    free(engine);
    return worst ? STATUS_INTERNAL : status;
}
