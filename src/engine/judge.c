/*
 * Controls around the batches of a measurement, and what is concluded from them.
 */
#include "engine/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "clock/timer.h"
#include "comm/comm.h"
#include "engine/watchdog.h"
#include "stats/stats.h"

/* Stretches made again in one measurement, at most, unless a state is asked for. */
#define MOST_REPEATED 10
/* A stretch of batches lasts this many times as long as a control, where there are several. */
#define STRETCH 10
/* An earlier control still holds when no new one can be afforded, seconds. */
#define STILL_HOLDS 0.02
/* Before it is known which states there are, this long is looked, seconds. */
#define SCOUTING 2.0
static const struct states_values unknown = {{NAN, NAN}};

/* Between two looks at a machine in another state than the one asked for, seconds. */
#define IDLE 5e-3

void judge_begin(struct judge *judge, struct controls *controls, const struct wanted *wanted,
                 const struct run *run)
{
    *judge = (struct judge){.before = unknown};
    if (!run->settings->controls || run->function->timing == TIMING_ONCE || controls_impossible())
        return;
    judge->controls = controls;
    judge->wanted = wanted && wanted->state.kind != WANTED_ANY ? wanted : NULL;
    if (run->rank != 0)
        return;
    judge->log = controls_log(controls, run->set);
    judge->first = judge->log->count;
}

void judge_copy(struct judge *judge, const struct run *run)
{
    if (!judge->controls)
        return;
    int64_t due = controls_copy_due(judge->controls);
    comm_broadcast(pe_set_group(run->set), &due, sizeof due);
    if (due)
        controls_copy(judge->controls);
}

/* ---- The state that is asked for ---- */

/* Whether this run has seen enough to say which states there are. */
static bool is_scouted(const struct control_log *log)
{
    return log->count > 0 && log->controls[log->count - 1].at - log->controls[0].at >= SCOUTING;
}

static size_t longest(const struct control_log *log)
{
    size_t most = 0;
    for (size_t i = 1; i < log->state_count; i++)
        if (log->states[i].share > log->states[most].share)
            most = i;
    return most;
}

/* By the bounds that earlier runs gave it, unless this run has found another state there. */
static bool is_known_state(const struct control_log *log, int number,
                           const struct states_values *now)
{
    size_t state = states_of(now, log->states, log->state_count);
    bool other = log->state_count > 1 && state < log->state_count && log->numbers[state] != number;
    for (size_t i = 0; i < log->known_count; i++)
        if (log->known_numbers[i] == number)
            return states_hold(&log->known[i], now) && !other;
    return false;
}

/* Of the states of earlier runs, too: this one may have begun in a slow one. */
static bool is_fastest(const struct control_log *log, const struct states_values *now)
{
    bool told = false;
    for (size_t kind = 0; log->known_count > 0 && kind < STATES_KINDS; kind++)
        told = told || isfinite(log->known[0].of[kind].high);
    return log->state_count > 0 && states_of(now, log->states, log->state_count) == 0 &&
           (told ? states_hold(&log->known[0], now) : is_scouted(log));
}

/* The state that is asked for, or any; after the control that was taken last. */
static bool is_right(const struct judge *judge)
{
    const struct wanted *wanted = judge->wanted;
    const struct control_log *log = judge->log;
    if (!wanted)
        return true;
    if (log->count == 0)
        return false;
    struct states_values now = controls_now(log);
    switch (wanted->state.kind) {
    case WANTED_ANY:
        return true;
    case WANTED_FASTEST:
        return is_fastest(log, &now);
    case WANTED_MOST:
        return is_scouted(log) && states_of(&now, log->states, log->state_count) == longest(log);
    case WANTED_NUMBER:
        return is_known_state(log, wanted->state.number, &now);
    case WANTED_CONDITION:
        return state_wanted_meets(&wanted->state, &now);
    }
    return false;
}

/* ---- Stretches ---- */

/* A state that is asked for is waited for whatever the script's limits of time are. */
static bool has_time(const struct batches *batches)
{
    return (batches->judge->wanted || !batches->samples->out_of_time) &&
           wall_seconds() < batches->ends;
}

/* Seconds that were spent on waiting, or on what is made again, are not the script's. */
static void lose(struct batches *batches, double seconds)
{
    struct judge *judge = batches->judge;
    struct samples *samples = batches->samples;
    judge->lost += seconds;
    if (batches->slice_ends != 0)
        batches->slice_ends += timer_ticks(seconds);
    if (!judge->wanted || samples->until == 0)
        return;
    samples->until += timer_ticks(seconds);
    samples->out_of_time = false;
}

/* The stretch does not count. done: there is no time for another one. */
static void make_again(struct judge *judge, struct decision *next, bool done)
{
    next->verdict = VERDICT_AGAIN;
    next->done = done;
    next->count = judge->count;
    next->dropped = 0;
}

/* A stretch in which the state changed. Whether it was left out. */
static bool leave_out(struct batches *batches, struct decision *next, double seconds)
{
    struct judge *judge = batches->judge;
    struct samples *samples = batches->samples;
    bool has_wait = judge->wanted && judge->lost + seconds < judge->wanted->wait;
    if (has_time(batches) && (has_wait || judge->repeated < MOST_REPEATED)) {
        lose(batches, seconds);
        make_again(judge, next, false);
        judge->repeated++;
        return true;
    }
    if (is_right(judge))
        return false;
    bool over = wall_seconds() >= batches->ends;
    samples->out_of_time = samples->out_of_time || over;
    make_again(judge, next, over && samples->good > 0);
    return true;
}

/* What was measured since the last control, now that there is a new one. */
static void judge_stretch(struct batches *batches, struct decision *next)
{
    struct judge *judge = batches->judge;
    struct samples *samples = batches->samples;
    double now = wall_seconds();
    struct states_values before = judge->before, after = controls_now(judge->log);
    bool differ = states_differ(&before, &after, &judge->log->noise) || !is_right(judge);
    if (differ && judge->batches > 0 && !judge->doubted) {
        judge->doubted = true;
        next->step = BATCH_CONTROL;
        return;
    }
    double seconds = judge->judged > 0 ? now - judge->judged : 0;
    bool made = judge->batches > 0;
    judge->judged = now;
    judge->doubted = false;
    judge->before = after;
    judge->batches = 0;
    if (!made)
        lose(batches, seconds);
    if (!made || (differ && leave_out(batches, next, seconds)))
        return;
    next->verdict = VERDICT_GOOD;
    judge->changed += differ;
    for (size_t i = samples->good; i < samples->valid; i++)
        samples->controls[i] = differ ? unknown : states_between(&before, &after);
}

/* No control can be afforded: the last one has to do. */
static void judge_unseen(struct batches *batches, struct decision *next)
{
    struct judge *judge = batches->judge;
    struct samples *samples = batches->samples;
    for (size_t i = samples->good; i < samples->valid; i++)
        samples->controls[i] = judge->before;
    judge->batches = 0;
    next->verdict = VERDICT_GOOD;
}

/* Whether a control has to be taken now. */
static bool needs_control(const struct batches *batches, const struct decision *next)
{
    const struct judge *judge = batches->judge;
    bool affordable = controls_affordable(judge->controls, 1);
    if (judge->wanted)
        return judge->batches > 0 || !states_are_known(&judge->before) || judge->idled;
    if (judge->batches == 0)
        return !states_are_known(&judge->before) && affordable;
    double stretch = wall_seconds() - judge->last;
    return affordable && (next->done || stretch >= STRETCH * judge->controls->cost);
}

/* The controls of an earlier measurement, where they are recent. */
static struct states_values recent(const struct judge *judge)
{
    const struct control_log *log = judge->log;
    if (log->count == 0)
        return unknown;
    const struct control *last = &log->controls[log->count - 1];
    bool holds = controls_clock(judge->controls) - last->at < STILL_HOLDS;
    return holds ? controls_now(log) : unknown;
}

/* Why the state that is asked for cannot come to these PEs, or NULL. */
static const char *impossible(const struct judge *judge)
{
    const struct state_wanted *wanted = &judge->wanted->state;
    const struct control_log *log = judge->log;
    bool hands_over = state_wanted_limits(wanted, STATES_HAND_OVER);
    if (wanted->kind == WANTED_CONDITION && hands_over && pe_set_size(log->set) == 1)
        return "one PE hands nothing over: ask for addition, or leave --state out";
    size_t i = 0;
    while (i < log->known_count && log->known_numbers[i] != wanted->number)
        i++;
    return wanted->kind == WANTED_NUMBER && i == log->known_count
               ? "the results of --known have no state of this number for these PEs: ask for "
                 "fastest, or for one that they have"
               : NULL;
}

/* The machine is in another state: waits, or gives up. */
static void wait_for_state(struct batches *batches, struct decision *next)
{
    struct judge *judge = batches->judge;
    struct run *run = &batches->bench->run;
    const struct wanted *wanted = judge->wanted;
    const char *reason = impossible(judge);
    bool over = wall_seconds() >= batches->ends;
    if (!reason && judge->lost < wanted->wait && !over) {
        next->step = BATCH_IDLE;
        judge->idled = true;
        return;
    }
    next->step = BATCH_GIVE_UP;
    if (reason)
        run_fail(run, "--state %s: %s", wanted->text, reason);
    else if (over)
        run_fail(run,
                 "the time limit ended before the machine was in the state that --state %s asks "
                 "for, long enough for this",
                 wanted->text);
    else
        run_fail(run,
                 "the machine was not in the state that --state %s asks for, long enough for this, "
                 "within %g s: wait longer (--state-wait), or ask for another state",
                 wanted->text, wanted->wait);
}

void judge_decide(struct batches *batches, struct decision *next)
{
    struct judge *judge = batches->judge;
    next->verdict = VERDICT_NONE;
    next->step = next->done ? BATCH_STOP : BATCH_MAKE;
    if (!judge || !judge->controls || !judge->log || batches->bench->hooks.failure || judge->failed)
        return;
    if (judge->taken) {
        judge->taken = false;
        judge_stretch(batches, next);
        if (next->step == BATCH_CONTROL)
            return;
        next->step = next->done ? BATCH_STOP : BATCH_MAKE;
        if (!next->done && !is_right(judge))
            wait_for_state(batches, next);
        return;
    }
    if (needs_control(batches, next)) {
        next->step = BATCH_CONTROL;
        judge->idled = false;
        return;
    }
    if (!states_are_known(&judge->before) && judge->batches == 0)
        judge->before = recent(judge);
    if (next->done && judge->batches > 0)
        judge_unseen(batches, next);
}

void judge_control(struct batches *batches)
{
    struct judge *judge = batches->judge;
    struct run *run = &batches->bench->run;
    struct result_controls seen = controls_take(judge->controls, pe_set_group(run->set));
    if (run->rank != 0)
        return;
    double begin = wall_seconds();
    controls_trim(judge->log, &judge->first);
    controls_add(judge->log, controls_clock(judge->controls), &seen);
    judge->last = wall_seconds();
    judge->controls->spent += judge->last - begin;
    judge->taken = true;
}

void judge_idle(struct batches *batches)
{
    watchdog_progress();
    progress_state(batches->display, batches->judge->wanted->text);
    run_idle(IDLE);
}

void judge_made(struct batches *batches, const struct batch *made)
{
    struct judge *judge = batches->judge;
    if (!judge)
        return;
    judge->batches++;
    judge->count = made->count;
    judge->failed = made->failed;
}

/* ---- The result ---- */

/* Median of one member of all controls of this measurement. */
static double median_seen(const struct judge *judge, size_t offset, double *room)
{
    const struct control_log *log = judge->log;
    size_t n = 0;
    for (size_t i = judge->first; i < log->count; i++) {
        double value = *(const double *)((const char *)&log->controls[i].seen + offset);
        if (!isnan(value))
            room[n++] = value;
    }
    stats_sort(room, n);
    return stats_median_sorted(room, n);
}

/* The median of one kind of control around the repetitions in a state (NULL: around all).
 * NaN: none is known. */
static double control_in(const struct samples *samples, const struct states_state *state,
                         size_t kind, double *room)
{
    size_t n = 0;
    for (size_t i = 0; i < samples->valid; i++) {
        double value = samples->controls[i].of[kind];
        if (value > 0 && (!state || states_hold(state, &samples->controls[i])))
            room[n++] = value;
    }
    stats_sort(room, n);
    return stats_median_sorted(room, n);
}

/* The repetitions in one state, in the order of their size, to room; how many. */
static size_t repetitions_in(const struct samples *samples, const struct states_state *state,
                             double *room)
{
    size_t n = 0;
    for (size_t i = 0; i < samples->valid; i++)
        if (states_hold(state, &samples->controls[i]))
            room[n++] = samples->max[i];
    stats_sort(room, n);
    return n;
}

static void find_parts(const struct control_log *log, const struct samples *samples,
                       struct statistics *statistics, double *room)
{
    statistics->part_count = 0;
    for (size_t i = 0; i < log->state_count; i++) {
        const struct states_state *state = &log->states[i];
        size_t n = repetitions_in(samples, state, room);
        if (n == 0)
            continue;
        struct result_part *part = &statistics->parts[statistics->part_count++];
        *part = (struct result_part){.valid = n,
                                     .median = stats_median_sorted(room, n),
                                     .p25 = stats_quantile_sorted(room, n, 0.25),
                                     .p75 = stats_quantile_sorted(room, n, 0.75)};
        for (size_t kind = 0; kind < STATES_KINDS; kind++)
            part->controls.of[kind] = control_in(samples, state, kind, room);
    }
}

/* Of the repetitions; where none has one, of the last control. */
static double control_of(const struct judge *judge, const struct samples *samples, size_t kind,
                         double *room)
{
    double median = control_in(samples, NULL, kind, room);
    return isnan(median) ? judge->before.of[kind] : median;
}

void judge_conclude(const struct judge *judge, const struct samples *samples,
                    struct statistics *statistics)
{
    struct result_controls *seen = &statistics->controls;
    *seen = (struct result_controls){NAN, NAN, NAN, NAN, NAN};
    statistics->part_count = 0;
    if (!judge->controls || !judge->log)
        return;
    size_t places = judge->log->count - judge->first;
    double *room =
        memory_zeroed((places > samples->valid ? places : samples->valid) + 1, sizeof *room);
    double *members = (double *)seen;
    for (size_t i = 0; i < sizeof *seen / sizeof *members; i++)
        members[i] = median_seen(judge, i * sizeof *members, room);
    for (size_t kind = 0; kind < STATES_KINDS; kind++)
        *result_control(seen, kind) = control_of(judge, samples, kind, room);
    find_parts(judge->log, samples, statistics, room);
    free(room);
    if (judge->changed > 0)
        statistics->flags |= 1u << RESULT_STATE_CHANGED;
    statistics->repeated = judge->repeated;
}
