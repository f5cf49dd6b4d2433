/*
 * The loop over the batches of one measurement, whatever the window rule.
 */
#include "engine/batches.h"

#include "clock/timer.h"
#include "engine/judge.h"
#include "engine/rules.h"

static const struct batch_rule *rule_of(const struct bench *bench)
{
    switch (bench->hooks.window.rule) {
    case WINDOW_MPIPERF:
        return &rule_mpiperf;
    case WINDOW_ROUND_TIME:
        return &rule_round_time;
    case WINDOW_CLASSIC:
    case WINDOW_DISSEMINATION:
        break;
    }
    return &rule_classic;
}

size_t batches_most(const struct bench *bench)
{
    return rule_of(bench)->most(bench->run.settings);
}

/* Takes controls, and waits, until a batch is to be made; false: there is none. */
static bool next_batch(struct batches *batches, struct decision *next)
{
    for (;;) {
        if (batches->bench->run.rank == 0)
            judge_decide(batches, next);
        switch (batch_next(batches, next)) {
        case BATCH_MAKE:
            return true;
        case BATCH_STOP:
            return false;
        case BATCH_GIVE_UP:
            batches->judge->missed = true;
            return false;
        case BATCH_CONTROL:
            judge_control(batches);
            break;
        case BATCH_IDLE:
            judge_idle(batches);
            break;
        }
    }
}

void batches_run(struct batches *batches)
{
    struct bench *bench = batches->bench;
    struct run *run = &bench->run;
    struct samples *samples = batches->samples;
    struct window *window = &bench->hooks.window;
    const struct batch_rule *rule = rule_of(bench);
    window->synchronization =
        measurement_synchronized(run->function) ? run->settings->synchronization : SYNCHRONIZE_NONE;
    window->broadcast = 0;
    if (run->settings->max_time > 0)
        samples->until = timer_now() + timer_ticks(run->settings->max_time);
    struct decision next = {0};
    batches->first = true;
    rule->begin(batches, &next);
    while (next_batch(batches, &next)) {
        struct batch made = batch_make(batches, next.count);
        judge_made(batches, &made);
        rule->decide(batches, &made, &next);
        batches->first = false;
    }
    if (samples->valid == 0 && !(batches->judge && batches->judge->missed))
        run_fail(run, "none of %zu repetitions started and finished in time%s", samples->invalid,
                 samples->out_of_time ? " before the time limit was reached" : "");
}
