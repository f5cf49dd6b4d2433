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
/* If the time budget allows no new control, one that is at most this many seconds old is used
 * again. */
#define STILL_HOLDS 0.02
static const struct states_values unknown = {{NAN, NAN}};

/* Seconds between two looks at a machine that is in another state than the one asked for. */
#define IDLE 5e-3

void judge_begin(struct judge *judge, struct machine *machine, const struct run *run)
{
    *judge = (struct judge){.before = unknown};
    if (!run->settings->controls || run->function->timing == TIMING_ONCE || machine_unseen())
        return;
    judge->machine = machine;
    judge->waits = machine_waits(machine);
    if (run->rank == 0) {
        judge->log = machine_log(machine, run->set);
        machine_controls(judge->log, &judge->first);
    }
    machine_copy(machine, pe_set_group(run->set));
}

/* ---- Stretches ---- */

/* A state that is asked for is waited for whatever the script's limits of time are. */
static bool has_time(const struct batches *batches)
{
    const struct samples *samples = batches->samples;
    bool over = samples->out_of_time || (samples->until != 0 && timer_now() >= samples->until);
    return (batches->judge->waits || !over) && wall_seconds() < batches->ends;
}

/* Seconds that were spent on waiting, or on what is made again, are not the script's. */
static void lose(struct batches *batches, double seconds)
{
    struct judge *judge = batches->judge;
    struct samples *samples = batches->samples;
    judge->lost += seconds;
    if (batches->slice_ends != 0)
        batches->slice_ends += timer_ticks(seconds);
    if (!judge->waits || samples->until == 0)
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
    bool has_wait = judge->waits && judge->lost + seconds < machine_state_wait(judge->machine);
    if (has_time(batches) && (has_wait || judge->repeated < MOST_REPEATED)) {
        lose(batches, seconds);
        make_again(judge, next, false);
        judge->repeated++;
        return true;
    }
    if (machine_state_right(judge->machine, judge->log))
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
    struct states_values before = judge->before,
                         after = machine_now(judge->machine, judge->log, INFINITY);
    bool differ = machine_changed(judge->log, &before, &after) ||
                  !machine_state_right(judge->machine, judge->log);
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
    bool affordable = machine_affordable(judge->machine, 1);
    if (judge->waits)
        return judge->batches > 0 || !states_are_known(&judge->before) || judge->idled;
    if (judge->batches == 0)
        return !states_are_known(&judge->before) && affordable;
    double stretch = wall_seconds() - judge->last;
    return affordable && (next->done || stretch >= STRETCH * machine_control_cost(judge->machine));
}

/* The machine is in another state: waits, or gives up. */
static void wait_for_state(struct batches *batches, struct decision *next)
{
    struct judge *judge = batches->judge;
    struct run *run = &batches->bench->run;
    const char *state = machine_state_text(judge->machine);
    double wait = machine_state_wait(judge->machine);
    const char *reason = machine_state_impossible(judge->machine, judge->log);
    bool over = wall_seconds() >= batches->ends;
    if (!reason && judge->lost < wait && !over) {
        next->step = BATCH_IDLE;
        judge->idled = true;
        return;
    }
    next->step = BATCH_GIVE_UP;
    if (reason)
        run_fail(run, "--state %s: %s", state, reason);
    else if (over)
        run_fail(run,
                 "the time limit ended before the machine was in the state that --state %s asks "
                 "for, long enough for this",
                 state);
    else
        run_fail(run,
                 "the machine was not in the state that --state %s asks for, long enough for this, "
                 "within %g s: wait longer (--state-wait), or ask for another state",
                 state, wait);
}

void judge_decide(struct batches *batches, struct decision *next)
{
    struct judge *judge = batches->judge;
    next->verdict = VERDICT_NONE;
    next->step = next->done ? BATCH_STOP : BATCH_MAKE;
    if (!judge || !judge->machine || !judge->log || batches->bench->services.failure ||
        judge->failed)
        return;
    if (judge->taken) {
        judge->taken = false;
        judge_stretch(batches, next);
        if (next->step == BATCH_CONTROL)
            return;
        next->step = next->done ? BATCH_STOP : BATCH_MAKE;
        if (!next->done && !machine_state_right(judge->machine, judge->log))
            wait_for_state(batches, next);
        return;
    }
    if (needs_control(batches, next)) {
        next->step = BATCH_CONTROL;
        judge->idled = false;
        return;
    }
    if (!states_are_known(&judge->before) && judge->batches == 0)
        judge->before = machine_now(judge->machine, judge->log, STILL_HOLDS);
    if (next->done && judge->batches > 0)
        judge_unseen(batches, next);
}

void judge_control(struct batches *batches)
{
    struct judge *judge = batches->judge;
    machine_control(judge->machine, pe_set_group(batches->bench->run.set), judge->log,
                    &judge->first);
    judge->last = wall_seconds();
    judge->taken = judge->log != NULL;
}

void judge_idle(struct batches *batches)
{
    watchdog_progress();
    progress_state(batches->display, machine_state_text(batches->judge->machine));
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

void judge_keep_controls(const struct judge *judge, struct outcome *outcome)
{
    const struct control *controls = machine_controls(judge->log, &outcome->control_count);
    size_t count = outcome->control_count -= judge->first;
    if (count == 0)
        return;
    outcome->controls = memory_zeroed(count, sizeof *controls);
    memcpy(outcome->controls, controls + judge->first, count * sizeof *controls);
}

void judge_conclude(const struct judge *judge, const struct samples *samples,
                    struct statistics *statistics)
{
    statistics->controls = (struct result_controls){NAN, NAN, NAN, NAN, NAN};
    statistics->part_count = 0;
    if (!judge->log)
        return;
    machine_describe(judge->log, judge->first, &judge->before, samples->max, samples->controls,
                     samples->valid, statistics);
    if (judge->changed > 0)
        statistics->flags |= 1u << RESULT_STATE_CHANGED;
    statistics->repeated = judge->repeated;
}
