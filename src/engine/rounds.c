/*
 * Measures points again at other times of the run, in shuffled order. A single round holds for its
 * moment only, since machines stay on one level of speed for seconds.
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "clock/timer.h"
#include "comm/comm.h"
#include "engine/batches.h"
#include "engine/private.h"
#include "engine/report.h"
#include "engine/watchdog.h"
#include "stats/random.h"
#include "stats/rounds.h"

/* Seconds between the beginnings of two rounds, at least, when nothing else is asked for; and at
 * most, with a time limit. Levels were seen to last 2 to 16 s. */
#define LEAST_INTERVAL 2.0
#define MOST_INTERVAL 30.0
/* Of the time limit, to be spread over: the rest is for what takes longer than expected. */
#define LIMIT_SHARE 0.9
/* Of the time between the beginnings of two rounds, by which one may be late, so that not
 * every round meets what happens periodically. */
#define JITTER 0.5
/* A PE waits this long before it reports to the watchdog that it is alive, and looks at the state
 * of the machine. */
#define SLICE_SECONDS 0.02
/* Without a time limit, more rounds for that take as long as those that were asked for, at most;
 * they are this many times as frequent. */
#define MORE_OFTEN 4

/* ---- What is repeated ---- */

/* What a round found, if anything. */
static void add_round(struct engine_rounds_record *record, const struct latest *latest, bool done)
{
    const struct statistics *found = &latest->statistics;
    size_t round = record->made++;
    struct round_parts *parts = &record->parts;
    parts->rounds = record->made;
    record->medians = memory_resize(record->medians, record->made * sizeof *record->medians);
    record->within = memory_resize(record->within, record->made * sizeof *record->within);
    record->medians[round] = done ? latest->median : NAN;
    record->within[round] = done ? found->p75 - found->p25 : NAN;
    for (int flag = 0; done && flag < RESULT_FLAGS; flag++)
        record->flagged[flag] += (found->flags & 1u << flag) != 0;
    record->done += done;
    if (done)
        record->subtracted = found->subtracted;
    for (size_t i = 0; done && i < found->part_count; i++) {
        const struct result_part *part = &found->parts[i];
        memory_append(parts->of, parts->count,
                      (struct round_part){.round = round,
                                          .controls = part->controls,
                                          .median = part->median,
                                          .within = part->p75 - part->p25,
                                          .valid = part->valid,
                                          .alone = found->part_count == 1});
    }
}

void engine_rounds_record(struct engine *engine, const struct measure_request *request, int wanted)
{
    if (engine->options.estimate) {
        if (wanted > engine->estimate.rounds)
            engine->estimate.rounds = wanted;
        engine->estimate.spread = engine->settings.rounds_spread;
        return;
    }
    struct replay *replay = &engine->replay;
    memory_extend(replay->records, replay->count, &replay->room);
    struct engine_rounds_record *record = &replay->records[replay->count++];
    *record = (struct engine_rounds_record){
        .point = point_keep(&engine->describer, request),
        .region = engine->sorting.region,
        .key = engine->sorting.key,
        .bytes = (int64_t)engine->bench.run.demand.reported,
        .iterations = engine->latest.statistics.iterations,
        .effective = engine->latest.statistics.effective,
        .rounds = (size_t)wanted,
    };
    record->parts.set = record->point.request.set;
    add_round(record, &engine->latest, true);
    replay->controls = replay->controls || engine->settings.controls;
}

void engine_rounds_free(struct engine *engine)
{
    struct replay *replay = &engine->replay;
    for (size_t i = 0; i < replay->count; i++) {
        point_release(&replay->records[i].point);
        free(replay->records[i].medians);
        free(replay->records[i].within);
        free(replay->records[i].parts.of);
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

double engine_rounds_estimate(const struct engine *engine, double seconds)
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
        spread = fmax(spread, engine->replay.records[i].point.settings.rounds_spread);
    return spread;
}

/* Waits until moment, in seconds of the run, with the library making progress; collective. */
static void wait_for(struct engine *engine, double moment)
{
    for (;;) {
        double left = fmin(engine->started + moment, engine->limit.ends) - wall_seconds();
        comm_broadcast(comm_world(), &left, sizeof left);
        if (left <= 0)
            return;
        watchdog_progress();
        progress_wait(&engine->display, left);
        run_idle(fmin(left, SLICE_SECONDS));
        if (engine->replay.controls)
            machine_look(engine->machine);
    }
}

/* ---- Again ---- */

/* All PEs are ready for the next point, or round, unless the time limit has ended. */
static bool goes_on(struct engine *engine)
{
    limit_agree(&engine->limit, 0);
    return !limit_over(&engine->limit);
}

static void measure_again(struct engine *engine, struct engine_rounds_record *record)
{
    const struct kept_point *point = &record->point;
    engine->settings = point->settings;
    measure_select_timer(engine, point->timer);
    engine->block.name = point->block.name;
    engine->block.number = point->block.number;
    engine->describer.number = point->number;
    enum measure_status status = measure(engine, &point->request);
    if (status == MEASURE_TIME_OVER)
        return;
    add_round(record, &engine->latest, status == MEASURE_DONE);
}

/* One more round; false when the time limit has ended it. */
static bool run_round(struct engine *engine, uint64_t *state)
{
    size_t *order = memory_zeroed(engine->replay.count, sizeof *order);
    random_order(state, order, engine->replay.count);
    for (size_t i = 0; i < engine->replay.count && goes_on(engine); i++)
        if (engine->replay.records[order[i]].rounds >= engine->round.number)
            measure_again(engine, &engine->replay.records[order[i]]);
    free(order);
    return !engine->limit.over;
}

/* ---- More, for states that few rounds have seen ---- */

/* Of PE 0: points that lack rounds in the state that their PEs are in now, to order (NULL: they are
 * only counted); all: in any state. */
static size_t lacking(struct engine *engine, bool all, size_t *order)
{
    struct replay *replay = &engine->replay;
    size_t n = 0;
    for (size_t i = 0; i < replay->count; i++) {
        const struct engine_rounds_record *record = &replay->records[i];
        bool lacks = record->point.settings.controls &&
                     machine_lacks_rounds(engine->machine, &record->parts, all);
        if (lacks && order)
            order[n] = i;
        n += lacks;
    }
    return n;
}

/* Rounds of what is lacking, as long as there is time, and a state in which something is lacking.
 * Collective; PE 0 decides. */
static size_t more_rounds(struct engine *engine, uint64_t *state)
{
    size_t made = 0, *order = memory_zeroed(engine->replay.count, sizeof *order);
    double asked = wall_seconds() - engine->started, end = engine->limit.ends;
    if (isinf(end))
        end = wall_seconds() + asked;
    int64_t count = 1;
    machine_settle(engine->machine);
    while (!engine->limit.over) {
        bool over = wall_seconds() >= end;
        count = comm_pe() == 0 && !over ? (int64_t)lacking(engine, true, NULL) : 0;
        comm_broadcast(comm_world(), &count, sizeof count);
        if (count == 0)
            break;
        wait_for(engine, wall_seconds() - engine->started +
                             fmax(engine->round.apart / MORE_OFTEN, SLICE_SECONDS));
        count = comm_pe() == 0 ? (int64_t)lacking(engine, false, order) : 0;
        comm_broadcast(comm_world(), &count, sizeof count);
        if (count == 0)
            continue;
        random_shuffle(state, order, (size_t)count);
        comm_broadcast(comm_world(), order, (size_t)count * sizeof *order);
        for (int64_t i = 0; i < count && goes_on(engine); i++)
            measure_again(engine, &engine->replay.records[order[i]]);
        made++;
        engine->round.number++;
    }
    free(order);
    return made;
}

/* ---- All of them ---- */

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
    const struct engine_rounds_record *x = *(const struct engine_rounds_record *const *)a;
    const struct engine_rounds_record *y = *(const struct engine_rounds_record *const *)b;
    if (x->region == y->region && x->region > 0 && x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x > y) - (x < y);
}

/* Rounds of points that were asked for and not made. */
static size_t rounds_missing(const struct engine *engine)
{
    size_t missing = 0;
    for (size_t i = 0; i < engine->replay.count; i++)
        if (engine->replay.records[i].rounds > engine->replay.records[i].made)
            missing += engine->replay.records[i].rounds - engine->replay.records[i].made;
    return missing;
}

void engine_rounds_print(struct engine *engine)
{
    struct replay *replay = &engine->replay;
    double seconds = replay->seconds;
    size_t n = replay->count;
    if (!engine->output || replay->done == 0)
        return;
    const struct engine_rounds_record **order = memory_zeroed(n, sizeof *order);
    for (size_t i = 0; i < n; i++)
        order[i] = &engine->replay.records[i];
    qsort(order, n, sizeof *order, compare_records);
    output_comment(engine->output, "rounds: %zu of %zu in %.2f s, shuffled by seed %llu",
                   replay->done, engine->round.total, seconds, (unsigned long long)engine->seed);
    if (replay->more > 0)
        output_comment(engine->output,
                       "rounds: %zu more, of points that had few in a state of the machine",
                       replay->more);
    output_put(engine->output, &(struct record){.kind = RECORD_SPACE});
    for (size_t i = 0; i < n; i++) {
        const struct block *block = &order[i]->point.block;
        bool first = i == 0 || block->number != order[i - 1]->point.block.number;
        bool last = i + 1 == n || block->number != order[i + 1]->point.block.number;
        char *name = text_format("%s (rounds)", block->name);
        if (first)
            output_begin_block(engine->output, name, ++engine->block.number, NULL);
        report_rounds(engine, order[i]);
        if (last)
            output_put(engine->output,
                       &(struct record){
                           .kind = RECORD_BLOCK_END,
                           .block_end = &(struct output_block){
                               .name = name, .number = engine->block.number, .duration = seconds}});
        free(name);
    }
    free(order);
}

void engine_rounds_replay(struct engine *engine)
{
    size_t rounds = most_rounds(engine), done = 1;
    struct replay *replay = &engine->replay;
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
    for (engine->round.number = 2; engine->round.number <= rounds && goes_on(engine);
         engine->round.number++) {
        double late = JITTER * random_share(&state);
        wait_for(engine, engine->round.apart * ((double)engine->round.number - 1 + late));
        if (!run_round(engine, &state))
            break;
        done = engine->round.number;
    }
    bool any_state = !machine_waits(engine->machine);
    replay->more = replay->controls && any_state ? more_rounds(engine, &state) : 0;
    engine->round.number = 1;
    engine->block.name = NULL;
    engine->block.number = block_number;
    engine->settings = settings;
    measure_select_timer(engine, timer);
    engine->limit.rounds = rounds_missing(engine);
    replay->done = done;
    replay->seconds = wall_seconds() - engine->started;
}
