/*
 * Stretches of batches that are judged by controls, on a machine that is simulated: which ones are
 * made again, how long a state is waited for, and that every measurement ends.
 * LINK: src/engine/judge.c src/engine/samples.c src/machine/wanted.c
 * src/stats/states.c src/stats/stats.c src/output/result.c
 * src/base/memory.c
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock/timer.h"
#include "engine/judge.h"
#include "engine/watchdog.h"
#include "machine/parts.h"
#include "unit/unit.h"

#define FAST 60e-9
#define SLOW 160e-9
#define CONTROL_SECONDS 50e-6
#define BATCH_SECONDS 1e-3
#define BATCH 10
#define MOST_STEPS 200000

/* ---- The machine ---- */

static struct {
    double now;
    double (*hand_over)(double now);
    double (*addition)(double now); /* NULL: always 1 ns */
    struct control_log log;
    const char *failure;
} simulated;

double wall_seconds(void)
{
    return simulated.now;
}

const char *machine_unseen(void)
{
    return NULL;
}

bool machine_affordable(const struct machine *machine, double part)
{
    (void)machine;
    (void)part;
    return true;
}

double machine_control_cost(const struct machine *machine)
{
    (void)machine;
    return CONTROL_SECONDS;
}

void machine_copy(struct machine *machine, const struct pe_group *group)
{
    (void)machine;
    (void)group;
}

struct control_log *machine_log(struct machine *machine, const struct pe_set *set)
{
    (void)machine;
    (void)set;
    return &simulated.log;
}

const struct control *machine_controls(const struct control_log *log, size_t *count)
{
    *count = log->count;
    return log->controls;
}

struct states_values controls_now(const struct control_log *log)
{
    return result_control_values(&log->controls[log->count - 1].seen);
}

struct states_values machine_now(const struct machine *machine, const struct control_log *log,
                                 double age)
{
    (void)machine;
    if (log->count == 0 || simulated.now - log->controls[log->count - 1].at >= age)
        return (struct states_values){{NAN, NAN}};
    return controls_now(log);
}

bool machine_changed(const struct control_log *log, const struct states_values *before,
                     const struct states_values *after)
{
    return states_differ(before, after, &log->noise);
}

void machine_control(struct machine *machine, const struct pe_group *group, struct control_log *log,
                     size_t *place)
{
    (void)machine;
    (void)group;
    (void)place;
    simulated.now += CONTROL_SECONDS;
    double addition = simulated.addition ? simulated.addition(simulated.now) : 1e-9;
    struct result_controls seen = {simulated.hand_over(simulated.now), NAN, NAN, addition, NAN};
    log->controls = realloc(log->controls, (log->count + 1) * sizeof *log->controls);
    log->controls[log->count++] = (struct control){simulated.now, seen};
}

void machine_describe(const struct control_log *log, size_t first,
                      const struct states_values *before, const double *values,
                      const struct states_values *controls, size_t count,
                      struct statistics *statistics)
{
    (void)log;
    (void)first;
    (void)before;
    (void)values;
    (void)controls;
    (void)count;
    (void)statistics;
}

/* ---- What judge.c needs besides ---- */

const struct pe_group *pe_set_group(const struct pe_set *set)
{
    (void)set;
    return NULL;
}

int pe_set_size(const struct pe_set *set)
{
    (void)set;
    return 2;
}

bool run_fail(struct run *run, const char *format, ...)
{
    (void)run;
    simulated.failure = format;
    return false;
}

void run_idle(double seconds)
{
    simulated.now += seconds;
}

void watchdog_progress(void)
{
}

void progress_state(struct display *display, const char *state)
{
    (void)display;
}

int64_t timer_ticks(double seconds)
{
    return (int64_t)(seconds * 1e9);
}

static int64_t test_now(void)
{
    return timer_ticks(wall_seconds());
}

static struct timer test_timer = {.name = "test", .ticks_per_second = 1e9, .now = test_now};
struct timer *timer_in_use = &test_timer;
bool timer_is_tsc;

/* ---- A measurement, as batches.c makes it ---- */

struct made {
    size_t valid, batches, repeated, changed;
    bool missed, out_of_time;
    double control; /* of all repetitions that have one: the largest */
    double seconds;
};

struct plan {
    size_t enough; /* repetitions */
    struct state_request wanted;
    double ends, max_time, slice; /* 0: none */
    size_t fails;                 /* batch that fails on another PE; 0: none */
};

static void apply(struct samples *samples, enum batch_verdict verdict)
{
    if (verdict == VERDICT_GOOD)
        samples_good(samples);
    else if (verdict == VERDICT_AGAIN)
        samples_back(samples);
}

/* One batch, and the rule's decision after it. */
static void make(struct batches *batches, const struct plan *plan, struct made *made,
                 struct decision *next)
{
    struct samples *samples = batches->samples;
    struct batch batch = {.count = next->count};
    simulated.now += BATCH_SECONDS;
    assert_true(samples->valid + next->count <= samples->capacity);
    samples->valid += next->count;
    made->batches++;
    batch.failed = made->batches == plan->fails;
    judge_made(batches, &batch);
    samples->out_of_time = samples->out_of_time ||
                           (samples->until && timer_ticks(simulated.now) >= samples->until) ||
                           simulated.now >= batches->ends;
    next->count = BATCH;
    next->done = batch.failed || samples->valid >= plan->enough || samples->out_of_time ||
                 (batches->slice_ends && timer_ticks(simulated.now) >= batches->slice_ends);
}

static struct made measure(const struct plan *plan, double (*hand_over)(double))
{
    struct settings settings = {.controls = true};
    struct measurement function = {0};
    struct bench bench = {0};
    bench.run =
        (struct run){.settings = &settings, .function = &function, .services = &bench.services};
    struct machine machine = {.wanted = plan->wanted};
    struct samples samples = {0};
    struct judge judge;
    struct made made = {0};
    samples_reserve(&samples, plan->enough + BATCH, false);
    simulated.now = 1;
    simulated.hand_over = hand_over;
    simulated.failure = NULL;
    double begin = simulated.now;
    judge_begin(&judge, &machine, &bench.run);
    struct batches batches = {.bench = &bench,
                              .judge = &judge,
                              .ends = plan->ends > 0 ? begin + plan->ends : INFINITY,
                              .samples = &samples};
    if (plan->max_time > 0)
        samples.until = timer_ticks(begin + plan->max_time);
    if (plan->slice > 0)
        batches.slice_ends = timer_ticks(begin + plan->slice);
    struct decision next = {.count = BATCH};
    for (size_t step = 0;; step++) {
        assert_true(step < MOST_STEPS);
        judge_decide(&batches, &next);
        apply(&samples, next.verdict);
        if (next.step == BATCH_STOP || next.step == BATCH_GIVE_UP)
            break;
        if (next.step == BATCH_CONTROL)
            judge_control(&batches);
        else if (next.step == BATCH_IDLE)
            judge_idle(&batches);
        else
            make(&batches, plan, &made, &next);
    }
    made.valid = samples.valid;
    made.repeated = judge.repeated;
    made.changed = judge.changed;
    made.missed = next.step == BATCH_GIVE_UP;
    made.out_of_time = samples.out_of_time;
    made.seconds = simulated.now - begin;
    for (size_t i = 0; i < samples.valid; i++)
        made.control = fmax(made.control, samples.controls[i].of[0]);
    samples_release(&samples);
    free(simulated.log.controls);
    simulated.log.controls = NULL;
    simulated.log.count = 0;
    return made;
}

/* ---- States ---- */

static double steady(double now)
{
    (void)now;
    return FAST;
}

/* Slow from 12 ms on. */
static double slower_later(double now)
{
    return now < 1.012 ? FAST : SLOW;
}

/* Another state after every batch. */
static double restless(double now)
{
    return fmod(now, 2.2e-3) < 1.1e-3 ? FAST : SLOW;
}

/* Fast for half a second in every two. */
static double now_and_then(double now)
{
    return fmod(now, 2) >= 1.5 ? FAST : SLOW;
}

static double slow(double now)
{
    (void)now;
    return SLOW;
}

static struct states_state hand_over_state(double value, double low, double high)
{
    return (struct states_state){.of = {{value, low, high}, {1e-9, 0, INFINITY}}};
}

/* Two states that the log knows, as find_states() would have found them. */
static void two_states(void)
{
    simulated.log.states[0] = hand_over_state(FAST, 0, 100e-9);
    simulated.log.states[1] = hand_over_state(SLOW, 100e-9, INFINITY);
    simulated.log.numbers[0] = 1;
    simulated.log.numbers[1] = 2;
    simulated.log.state_count = 2;
}

static int begin(void **state)
{
    memset(&simulated, 0, sizeof simulated);
    two_states();
    return 0;
}

static struct state_request below(double limit, double wait)
{
    return (struct state_request){
        .state = {.kind = WANTED_CONDITION, .limits = {{0, limit}, {0, INFINITY}}},
        .text = "condition",
        .wait = wait};
}

/* ---- Tests ---- */

TEST_WITH(one_state, begin, NULL)
{
    struct made made = measure(&(struct plan){.enough = 200}, steady);
    assert_int_equal(made.valid, 200);
    assert_int_equal(made.batches, 20);
    assert_int_equal(made.repeated + made.changed, 0);
    assert_true(made.control > 0.99 * FAST && made.control < 1.01 * FAST);
}

TEST_WITH(changed_once, begin, NULL)
{
    struct made made = measure(&(struct plan){.enough = 200}, slower_later);
    assert_int_equal(made.valid, 200);
    assert_int_equal(made.repeated, 1);
    assert_int_equal(made.changed, 0);
    assert_true(made.control > 0.99 * SLOW && made.control < 1.01 * SLOW);
}

static double slower_processor_later(double now)
{
    return now < 1.012 ? 1e-9 : 2e-9;
}

/* Any of the controls tells that the state changed. */
TEST_WITH(processor_changed, begin, NULL)
{
    simulated.addition = slower_processor_later;
    struct made made = measure(&(struct plan){.enough = 200}, steady);
    assert_int_equal(made.valid, 200);
    assert_int_equal(made.repeated, 1);
    assert_int_equal(made.changed, 0);
}

/* A state that changes all the time ends with a mark. */
TEST_WITH(changes_forever, begin, NULL)
{
    struct made made = measure(&(struct plan){.enough = 200}, restless);
    assert_int_equal(made.valid, 200);
    assert_int_equal(made.repeated, 10);
    assert_true(made.changed > 0);
    struct state_request any = below(1e-6, 0.5);
    made = measure(&(struct plan){.enough = 200, .wanted = any}, restless);
    assert_false(made.missed);
    assert_int_equal(made.valid, 200);
    assert_true(made.changed > 0);
    assert_true(made.seconds < 2);
}

/* What failed on another PE is not tried again. */
TEST_WITH(failed, begin, NULL)
{
    struct made made = measure(&(struct plan){.enough = 200, .fails = 3}, restless);
    assert_int_equal(made.batches, 3);
    made =
        measure(&(struct plan){.enough = 200, .fails = 1, .wanted = below(100e-9, 10)}, restless);
    assert_int_equal(made.batches, 1);
    assert_false(made.missed);
}

/* Only time that is spent on waiting counts as such. */
TEST_WITH(waits, begin, NULL)
{
    struct plan plan = {.enough = 20000, .wanted = below(100e-9, 7)};
    struct made made = measure(&plan, now_and_then);
    assert_false(made.missed);
    assert_int_equal(made.valid, 20000);
    assert_true(made.control < 100e-9);
    plan.wanted.wait = 1;
    made = measure(&plan, now_and_then);
    assert_true(made.missed);
    plan.wanted.wait = 0;
    made = measure(&plan, slow);
    assert_true(made.missed && made.batches == 0 && made.seconds < 0.001);
}

/* Nor does it shorten the time that the script gives a measurement. */
TEST_WITH(limits, begin, NULL)
{
    struct plan plan = {.enough = 100000, .wanted = below(100e-9, 60), .max_time = 1.2};
    struct made made = measure(&plan, now_and_then);
    assert_false(made.missed);
    assert_true(made.valid > 10000 && made.valid < 13000);
    assert_true(made.control < 100e-9);
    plan.max_time = 0;
    plan.slice = 1.2;
    made = measure(&plan, now_and_then);
    assert_true(made.valid > 10000 && made.valid < 13000);
}

/* At the end of the run what was measured in another state does not count. */
TEST_WITH(time_limit, begin, NULL)
{
    struct plan plan = {.enough = 100000, .wanted = below(100e-9, 60), .ends = 1.0005};
    struct made made = measure(&plan, now_and_then);
    assert_false(made.missed);
    assert_true(made.out_of_time);
    assert_true(made.valid > 4000 && made.valid < 5000);
    assert_int_equal(made.changed, 0);
    assert_true(made.control < 100e-9);
    made = measure(&plan, slow);
    assert_true(made.missed);
    assert_non_null(strstr(simulated.failure, "time limit"));
}

/* The fastest state of earlier runs counts, also when this one has not seen it. */
TEST_WITH(fastest, begin, NULL)
{
    struct plan plan = {.enough = 200, .wanted = {{.kind = WANTED_FASTEST}, "fastest", 1}};
    simulated.log.states[0].of[0].high = INFINITY;
    simulated.log.state_count = 1;
    simulated.log.known[0] = hand_over_state(FAST, 0, 100e-9);
    simulated.log.known[1] = hand_over_state(SLOW, 100e-9, INFINITY);
    simulated.log.known_count = 2;
    assert_true(measure(&plan, slow).missed);
    assert_false(measure(&plan, steady).missed);
    assert_true(measure(&plan, steady).seconds < 0.1);
    simulated.log.known_count = 0;
    plan.wanted.wait = 10;
    struct made made = measure(&plan, slow); /* the only one that there is */
    assert_false(made.missed);
    assert_true(made.seconds > 2 && made.seconds < 2.5);
    plan.wanted.state.kind = WANTED_MOST;
    simulated.log.known_count = 2;
    assert_true(measure(&plan, slow).seconds > 2);
}

/* What cannot come is not waited for. */
TEST_WITH(never, begin, NULL)
{
    struct plan plan = {.enough = 200, .wanted = {{.kind = WANTED_NUMBER, .number = 3}, "3", 60}};
    simulated.log.known[0] = hand_over_state(FAST, 0, INFINITY);
    simulated.log.known_numbers[0] = 1;
    simulated.log.known_count = 1;
    struct made made = measure(&plan, steady);
    assert_true(made.missed && made.seconds < 1);
    plan.wanted.state.number = 1;
    assert_false(measure(&plan, steady).missed);
}
