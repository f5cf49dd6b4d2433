/*
 * Measures points again at other times of the run, in shuffled order. A single round holds for its
 * moment only, since machines stay on one level of speed for seconds.
 */
#include "engine/rounds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "clock/timer.h"
#include "comm/comm.h"
#include "engine/counting.h"
#include "engine/measure.h"
#include "engine/state.h"
#include "engine/watch.h"
#include "stats/random.h"

/* Seconds between the beginnings of two rounds, at least, when nothing else is asked for; and at
 * most, with a time limit. Levels were seen to last 2 to 16 s. */
#define LEAST_INTERVAL 2.0
#define MOST_INTERVAL 30.0
/* Of the time limit, to be spread over: the rest is for what takes longer than expected. */
#define LIMIT_SHARE 0.9
/* Of the time between the beginnings of two rounds, by which one may be late, so that not
 * every round meets what happens periodically. */
#define JITTER 0.5
/* A PE waits this long before it reports to the watchdog that it is alive. */
#define SLICE_SECONDS 0.1

/* ---- What is repeated ---- */

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
        if (wanted > engine->estimate.rounds)
            engine->estimate.rounds = wanted;
        engine->estimate.spread = engine->settings.rounds_spread;
        return;
    }
    struct replay *replay = &engine->replay;
    if (replay->count == replay->room) {
        replay->room = replay->room ? 2 * replay->room : 64;
        replay->records = memory_resize(replay->records, replay->room * sizeof *replay->records);
    }
    struct rounds_record *record = &replay->records[replay->count++];
    *record = (struct rounds_record){
        .request = request_copy(request),
        .settings = engine->settings,
        .timer = timer_in_use->name,
        .block = memory_text(engine->block.name ? engine->block.name : ""),
        .block_number = engine->block.number,
        .region = engine->sorting.region,
        .key = engine->sorting.key,
        .bytes = (int64_t)engine->bench.run.demand.reported,
        .iterations = engine->latest.iterations,
        .effective = engine->latest.effective,
        .rounds = (size_t)wanted,
    };
    record->medians = memory_zeroed(record->rounds, sizeof *record->medians);
    record->within = memory_zeroed(record->rounds, sizeof *record->within);
    record->medians[0] = engine->latest.median;
    record->within[0] = engine->latest.within;
    record->made = 1;
}

void rounds_free(struct engine *engine)
{
    struct replay *replay = &engine->replay;
    for (size_t i = 0; i < replay->count; i++) {
        request_release(&replay->records[i].request);
        free(replay->records[i].block);
        free(replay->records[i].medians);
        free(replay->records[i].within);
    }
    free(replay->records);
    *replay = (struct replay){0};
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
    double rounds = engine->estimate.rounds;
    if (rounds < 2)
        return seconds;
    return rounds * fmax(seconds, interval(engine, (size_t)rounds, engine->estimate.spread));
}

/* The longest that the script asks for. */
static double scripts_spread(const struct engine *engine)
{
    double spread = ROUNDS_SPREAD_DEFAULT;
    for (size_t i = 0; i < engine->replay.count; i++)
        spread = fmax(spread, engine->replay.records[i].settings.rounds_spread);
    return spread;
}

/* Waits until moment, in seconds of the run, with the library making progress; collective. */
static void wait_for(struct engine *engine, double moment)
{
    double left = fmin(engine->started + moment, engine->limit.ends) - wall_seconds();
    comm_broadcast(comm_world(), &left, sizeof left);
    double until = wall_seconds() + left;
    for (double rest = left; rest > 0; rest = until - wall_seconds()) {
        watch_progress();
        progress_wait(&engine->display, rest);
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
    engine->clocks.known = engine->bench.hooks.pause_known = false;
}

static void measure_again(struct engine *engine, struct rounds_record *record)
{
    engine->settings = record->settings;
    select_timer(engine, record->timer);
    engine->block.name = record->block;
    engine->block.number = record->block_number;
    enum measure_status status = measure(engine, &record->request);
    if (status == MEASURE_TIME_OVER)
        return;
    bool done = status == MEASURE_DONE;
    record->medians[record->made] = done ? engine->latest.median : NAN;
    record->within[record->made] = done ? engine->latest.within : NAN;
    record->made++;
}

/* One more round; false when the time limit has ended it. */
static bool run_round(struct engine *engine, uint64_t *state)
{
    size_t *order = memory_zeroed(engine->replay.count, sizeof *order);
    random_order(state, order, engine->replay.count);
    for (size_t i = 0; i < engine->replay.count && !limit_over(&engine->limit); i++)
        if (engine->replay.records[order[i]].rounds >= engine->round.number)
            measure_again(engine, &engine->replay.records[order[i]]);
    free(order);
    return !engine->limit.over;
}

static size_t most_rounds(const struct engine *engine)
{
    size_t most = 0;
    for (size_t i = 0; i < engine->replay.count; i++)
        if (engine->replay.records[i].rounds > most)
            most = engine->replay.records[i].rounds;
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
    for (size_t i = 0; i < engine->replay.count; i++)
        missing += engine->replay.records[i].rounds - engine->replay.records[i].made;
    return missing;
}

/* A block for each block of the script that was measured again. */
static void print(struct engine *engine, double seconds, size_t done)
{
    size_t n = engine->replay.count;
    const struct rounds_record **order = memory_zeroed(n, sizeof *order);
    for (size_t i = 0; i < n; i++)
        order[i] = &engine->replay.records[i];
    qsort(order, n, sizeof *order, compare_records);
    output_comment(engine->output, "rounds: %zu of %zu in %.2f s, shuffled by seed %llu", done,
                   engine->round.total, seconds, (unsigned long long)engine->seed);
    output_space(engine->output);
    for (size_t i = 0; i < n; i++) {
        bool first = i == 0 || order[i]->block_number != order[i - 1]->block_number;
        bool last = i + 1 == n || order[i]->block_number != order[i + 1]->block_number;
        char *name = text_format("%s (rounds)", order[i]->block);
        if (first)
            output_begin_block(engine->output, name, ++engine->block.number, NULL);
        report_rounds(&engine->reporter, order[i]);
        if (last)
            output_end_block(engine->output, &(struct output_block){.name = name,
                                                                    .number = engine->block.number,
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
    engine->round.total = rounds;
    engine->round.apart = interval(engine, rounds, scripts_spread(engine));
    struct settings settings = engine->settings;
    const char *timer = timer_in_use->name;
    size_t block_number = engine->block.number;
    /* Events were counted in the first round; times are what later ones are for. */
    free(counting_choose(NULL, 0));
    for (engine->round.number = 2; engine->round.number <= rounds && !limit_over(&engine->limit);
         engine->round.number++) {
        double late = JITTER * random_share(&state);
        wait_for(engine, engine->round.apart * ((double)engine->round.number - 1 + late));
        if (!run_round(engine, &state))
            break;
        done = engine->round.number;
    }
    engine->round.number = 1;
    engine->block.name = NULL;
    engine->block.number = block_number;
    engine->settings = settings;
    select_timer(engine, timer);
    engine->limit.rounds = rounds_missing(engine);
    if (engine->output)
        print(engine, wall_seconds() - engine->started, done);
}
