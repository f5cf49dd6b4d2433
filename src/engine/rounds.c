/*
 * Measurements made again at other times of the run, in shuffled order: what a single round says is
 * true of its moment only, since machines stay on one level of speed for seconds.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock/timer.h"
#include "comm/comm.h"
#include "engine/internal.h"
#include "stats/random.h"

/* Rounds begin so far apart at least where nothing else is asked for, and with a time limit at
 * most: levels were seen to last 2 to 16 s. */
#define LEAST_INTERVAL 2.0
#define MOST_INTERVAL 30.0
/* Of the time limit, to be spread over: the rest is for what takes longer than expected. */
#define LIMIT_SHARE 0.9
/* Of the time between the beginnings of two rounds, by which one may be late: what happens
 * periodically is then not met by every round. */
#define JITTER 0.5
/* A PE waits so long without telling the watchdog that it is alive. */
#define SLICE_SECONDS 0.1

/* ---- Requests ---- */

static const struct argument *copy_arguments(const struct measure_request *request)
{
    const struct measurement *function = request->function;
    size_t n = measurement_parameter_count(function);
    struct argument *copy = memory_zeroed(n ? n : 1, sizeof *copy);
    for (size_t i = 0; i < n; i++) {
        copy[i] = request->arguments[i];
        if (function->parameters[i].type == PARAMETER_STRING)
            copy[i].string = memory_text(request->arguments[i].string);
        if (function->parameters[i].type == PARAMETER_INT_ARRAY) {
            size_t bytes = (size_t)copy[i].integer * sizeof *copy[i].array;
            copy[i].array = memory_allocate(bytes ? bytes : 1);
            memcpy((void *)(uintptr_t)copy[i].array, request->arguments[i].array, bytes);
        }
        if (copy[i].datatype)
            datatype_reference(copy[i].datatype);
        if (copy[i].info) { /* the script may change its own meanwhile */
            copy[i].info = info_copy(copy[i].info);
            copy[i].string = info_text(copy[i].info);
        }
    }
    return copy;
}

static const struct loop_variable *copy_variables(const struct measure_request *request)
{
    size_t n = request->variable_count;
    struct loop_variable *copy = memory_zeroed(n ? n : 1, sizeof *copy);
    for (size_t i = 0; i < n; i++) {
        copy[i].name = memory_text(request->variables[i].name);
        copy[i].value = memory_text(request->variables[i].value);
    }
    return copy;
}

static void drop(const void *text)
{
    free((void *)(uintptr_t)text);
}

static void free_request(struct measure_request *request)
{
    const struct measurement *function = request->function;
    for (size_t i = 0; i < measurement_parameter_count(function); i++) {
        if (function->parameters[i].type == PARAMETER_STRING)
            drop(request->arguments[i].string);
        if (function->parameters[i].type == PARAMETER_INT_ARRAY)
            drop(request->arguments[i].array);
        datatype_release(request->arguments[i].datatype);
        info_release(request->arguments[i].info);
    }
    for (size_t i = 0; i < request->variable_count; i++) {
        drop(request->variables[i].name);
        drop(request->variables[i].value);
    }
    drop(request->arguments);
    drop(request->variables);
    drop(request->place);
    drop(request->text);
    pe_set_release((struct pe_set *)(uintptr_t)request->set);
}

static int rounds_wanted(const struct engine *engine)
{
    return engine->options.rounds > 0 ? engine->options.rounds : engine->settings.rounds;
}

void rounds_record(struct engine *engine, const struct measure_request *request)
{
    int wanted = rounds_wanted(engine);
    if (wanted < 2 || request->function->once)
        return;
    if (engine->options.estimate) {
        if (wanted > engine->estimated_rounds)
            engine->estimated_rounds = wanted;
        engine->estimated_spread = engine->settings.rounds_spread;
        return;
    }
    if (engine->record_count == engine->record_room) {
        engine->record_room = engine->record_room ? 2 * engine->record_room : 64;
        engine->records =
            memory_resize(engine->records, engine->record_room * sizeof *engine->records);
    }
    struct rounds_record *record = &engine->records[engine->record_count++];
    *record = (struct rounds_record){
        .request = {.function = request->function,
                    .arguments = copy_arguments(request),
                    .set = pe_set_reference((struct pe_set *)(uintptr_t)request->set),
                    .variables = copy_variables(request),
                    .variable_count = request->variable_count,
                    .place = memory_text(request->place),
                    .text = memory_text(request->text)},
        .settings = engine->settings,
        .timer = timer_in_use->name,
        .block = memory_text(engine->block_name ? engine->block_name : ""),
        .block_number = engine->block_number,
        .region = engine->sort_region,
        .key = engine->sort_key,
        .bytes = (int64_t)engine->run.demand.reported,
        .iterations = engine->last_iterations,
        .effective = engine->last_effective,
        .rounds = (size_t)wanted,
    };
    record->medians = memory_zeroed(record->rounds, sizeof *record->medians);
    record->within = memory_zeroed(record->rounds, sizeof *record->within);
    record->medians[0] = engine->last_median;
    record->within[0] = engine->last_within;
    record->made = 1;
}

void rounds_free(struct engine *engine)
{
    for (size_t i = 0; i < engine->record_count; i++) {
        free_request(&engine->records[i].request);
        free(engine->records[i].block);
        free(engine->records[i].medians);
        free(engine->records[i].within);
    }
    free(engine->records);
    engine->records = NULL;
    engine->record_count = engine->record_room = 0;
}

/* ---- When ---- */

/* Seconds between the beginnings of rounds. spread: what the script says, or below 0. */
static double interval(const struct engine *engine, size_t rounds, double spread)
{
    double all = engine->options.time_limit;
    if (engine->options.rounds_spread >= 0)
        spread = engine->options.rounds_spread;
    if (spread >= 0)
        return spread / (double)rounds;
    if (all <= 0)
        return LEAST_INTERVAL;
    return fmin(LIMIT_SHARE * all / (double)rounds, MOST_INTERVAL);
}

double rounds_estimate(const struct engine *engine, double seconds)
{
    double rounds = engine->estimated_rounds;
    if (rounds < 2)
        return seconds;
    return rounds * fmax(seconds, interval(engine, (size_t)rounds, engine->estimated_spread));
}

double rounds_left(const struct engine *engine)
{
    double passed = wall_seconds() - engine->started, begun = (double)engine->round - 1;
    double apart = fmax(passed / (begun + 1), engine->rounds_apart);
    return fmax((double)engine->round_total * apart - passed, 0);
}

/* The longest that the script asks for. */
static double scripts_spread(const struct engine *engine)
{
    double spread = ROUNDS_SPREAD_DEFAULT;
    for (size_t i = 0; i < engine->record_count; i++)
        spread = fmax(spread, engine->records[i].settings.rounds_spread);
    return spread;
}

/* Until so many seconds of the run have passed, with the library making progress; collective. */
static void wait_for(struct engine *engine, double moment)
{
    double left = fmin(engine->started + moment, engine->time_left_at) - wall_seconds();
    comm_broadcast(comm_world(), &left, sizeof left);
    double until = wall_seconds() + left;
    for (double rest = left; rest > 0; rest = until - wall_seconds()) {
        watch_progress(engine);
        progress_wait(engine, rest);
        run_idle(fmin(rest, SLICE_SECONDS));
    }
}

/* ---- Again ---- */

/* All PEs had it then, so all have it now. */
static void select_timer(struct engine *engine, const char *name)
{
    if (strcmp(timer_in_use->name, name) == 0)
        return;
    timer_select(name);
    engine->clocks_known = engine->pause_known = false;
}

static void measure_again(struct engine *engine, struct rounds_record *record)
{
    engine->settings = record->settings;
    select_timer(engine, record->timer);
    engine->block_name = record->block;
    engine->block_number = record->block_number;
    enum measure_status status = engine_measure(engine, &record->request);
    if (status == MEASURE_TIME_OVER)
        return;
    bool done = status == MEASURE_DONE;
    record->medians[record->made] = done ? engine->last_median : NAN;
    record->within[record->made] = done ? engine->last_within : NAN;
    record->made++;
}

/* One more round; false when the time limit has ended it. */
static bool run_round(struct engine *engine, uint64_t *state)
{
    size_t *order = memory_zeroed(engine->record_count, sizeof *order);
    random_order(state, order, engine->record_count);
    for (size_t i = 0; i < engine->record_count && !engine_time_over(engine); i++)
        if (engine->records[order[i]].rounds >= engine->round)
            measure_again(engine, &engine->records[order[i]]);
    free(order);
    return !engine->time_over;
}

static size_t most_rounds(const struct engine *engine)
{
    size_t most = 0;
    for (size_t i = 0; i < engine->record_count; i++)
        if (engine->records[i].rounds > most)
            most = engine->records[i].rounds;
    return most;
}

static int compare_records(const void *a, const void *b)
{
    const struct rounds_record *x = *(const struct rounds_record *const *)a;
    const struct rounds_record *y = *(const struct rounds_record *const *)b;
    if (x->region == y->region && x->region > 0 && x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x > y) - (x < y);
}

/* Rounds of points that were asked for and not made. */
static size_t rounds_missing(const struct engine *engine)
{
    size_t missing = 0;
    for (size_t i = 0; i < engine->record_count; i++)
        missing += engine->records[i].rounds - engine->records[i].made;
    return missing;
}

/* A block for each block of the script that was measured again. */
static void print(struct engine *engine, double seconds, size_t done)
{
    size_t n = engine->record_count;
    const struct rounds_record **order = memory_zeroed(n, sizeof *order);
    for (size_t i = 0; i < n; i++)
        order[i] = &engine->records[i];
    qsort(order, n, sizeof *order, compare_records);
    output_comment(engine->output, "rounds: %zu of %zu in %.2f s, shuffled by seed %llu", done,
                   engine->round_total, seconds, (unsigned long long)engine->seed);
    output_space(engine->output);
    for (size_t i = 0; i < n; i++) {
        bool first = i == 0 || order[i]->block_number != order[i - 1]->block_number;
        bool last = i + 1 == n || order[i]->block_number != order[i + 1]->block_number;
        char *name = text_format("%s (rounds)", order[i]->block);
        if (first)
            output_begin_block(engine->output, name, ++engine->block_number, NULL);
        report_rounds(engine, order[i]);
        if (last)
            output_end_block(engine->output, &(struct output_block){.name = name,
                                                                    .number = engine->block_number,
                                                                    .duration = seconds});
        free(name);
    }
    free(order);
}

void rounds_replay(struct engine *engine)
{
    size_t rounds = most_rounds(engine), done = 1;
    if (rounds < 2)
        return;
    uint64_t state = engine->seed;
    engine->round_total = rounds;
    engine->rounds_apart = interval(engine, rounds, scripts_spread(engine));
    struct settings settings = engine->settings;
    const char *timer = timer_in_use->name;
    size_t block_number = engine->block_number;
    /* Events were counted in the first round; times are what later ones are for. */
    free(engine_set_counters(engine, NULL, 0));
    for (engine->round = 2; engine->round <= rounds && !engine_time_over(engine); engine->round++) {
        double late = JITTER * random_share(&state);
        wait_for(engine, engine->rounds_apart * ((double)engine->round - 1 + late));
        if (!run_round(engine, &state))
            break;
        done = engine->round;
    }
    engine->round = 1;
    engine->block_name = NULL;
    engine->block_number = block_number;
    engine->settings = settings;
    select_timer(engine, timer);
    engine->missing_rounds = rounds_missing(engine);
    if (engine->output)
        print(engine, wall_seconds() - engine->started, done);
}
