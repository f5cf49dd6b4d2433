/*
 * Clocks and windows, measured: what users run before they trust a machine (Kurnosov, MPIPerf,
 * section 6.1).
 */
#include <math.h>
#include <string.h>

#include "measurements/common/shapes.h"

#if SKAMPI_MPI
#include <mpi.h>
#endif

#define LONGEST_WAIT 1.0 /* seconds, of a busy wait */
#define MICROSECOND 1e-6

/* ---- The timer in use, and others ---- */

/* Two readings more frame the loop; run_elapsed() takes them off. */
static double run_wtime(struct run *run)
{
    int64_t start = timer_now();
    for (int64_t i = 0; i < run->iterations; i++)
        timer_now();
    return run_elapsed(run, start, timer_now()) / (double)run->iterations;
}

static const char *check_timer(const struct run *run)
{
    const struct timer *timer = timer_find(run_argument(run, "name")->string);
    if (!timer)
        return "there is no timer of that name; skampi --timers lists them";
    return timer->unusable();
}

static double run_timer_cost(struct run *run)
{
    const struct timer *timer = timer_find(run_argument(run, "name")->string);
    int64_t start = timer_now();
    for (int64_t i = 0; i < run->iterations; i++)
        timer->now();
    return run_elapsed(run, start, timer_now()) / (double)run->iterations;
}

#if SKAMPI_MPI
static double run_mpi_wtime(struct run *run)
{
    volatile double sink;
    int64_t start = timer_now();
    for (int64_t i = 0; i < run->iterations; i++)
        sink = MPI_Wtime();
    (void)sink;
    return run_elapsed(run, start, timer_now()) / (double)run->iterations;
}
#endif

/* ---- Windows ---- */

/* Waits are timed by another clock than the timer in use, whose rate could not be distinguished
 * from a wrong one by itself. */
struct pattern_state {
    const struct timer *clock;
    double rate;     /* ticks of the clock per second */
    double overhead; /* seconds that a wait by it takes beyond its length */
    int64_t calls;
};

static const char *check_clock(const struct run *run)
{
    const char *name = run_argument(run, "clock")->string;
    const struct timer *timer = timer_find(name);
    if (!timer && *name)
        return "there is no clock of that name; skampi --timers lists them";
    return timer ? timer->unusable() : NULL;
}

#define OVERHEAD_SAMPLES 200
#define OVERHEAD_BATCHES 5

/* The shortest waits, so that it does not matter at which rate the timer in use runs; and half a
 * reading, by which waits end too late on average. */
static double overhead_of(const struct pattern_state *state)
{
    double smallest = INFINITY;
    for (int batch = 0; batch < OVERHEAD_BATCHES; batch++) {
        double inside = 0;
        int64_t start = timer_now();
        for (int i = 0; i < OVERHEAD_SAMPLES; i++)
            inside += run_pause_by(state->clock, state->rate, 0);
        double all = timer_seconds(timer_now() - start);
        smallest = fmin(smallest, (all - inside / 2) / OVERHEAD_SAMPLES);
    }
    return smallest;
}

static bool set_up_pattern(struct run *run)
{
    struct pattern_state *state = run->state;
    const char *name = run_argument(run, "clock")->string;
    state->clock = *name ? timer_find(name) : timer_second(timer_in_use);
    state->rate = timer_calibrate(state->clock);
    state->overhead = overhead_of(state);
    run_note(run, "waits are timed by %s%s", state->clock->name,
             strcmp(state->clock->name, timer_in_use->name) == 0
                 ? ", the timer itself: a wrong rate is not seen"
                 : "");
    return true;
}

static double wait_pattern(struct run *run, double seconds)
{
    const struct pattern_state *state = run->state;
    int64_t started = run_start(run);
    if (seconds > 0)
        run_pause_by(state->clock, state->rate, seconds - state->overhead);
    return run_elapsed(run, started, run_stop(run));
}

/* In microseconds, each rank for one more than its place; or, of the classic line, for as many
 * steps as its place, of the length that the script says. */
static double run_pattern_stairs(struct run *run)
{
    const struct value *step = run_find_argument(run, "step");
    bool down = *(const bool *)run->function->variant;
    int place = down ? run->size - 1 - run->rank : run->rank;
    return wait_pattern(run, step ? place * step->real : (place + 1) * MICROSECOND);
}

static const char *check_step(const struct run *run)
{
    return run_argument(run, "step")->real * run->size <= LONGEST_WAIT
               ? check_clock(run)
               : "no rank's wait may be longer than 1 s";
}

static double run_pattern_null(struct run *run)
{
    int64_t started = run_start(run);
    return run_elapsed(run, started, run_stop(run));
}

/* Changes between two levels: after `dwell` seconds by the clock, on all PEs at about the same
 * time, or, where dwell is 0, with every call. */
static double run_pattern_levels(struct run *run)
{
    struct pattern_state *state = run->state;
    double now = timer_seconds(timer_now()), dwell = run_argument(run, "dwell")->real;
    double turn = dwell > 0 ? now / dwell : (double)state->calls++;
    bool on_high = fmod(turn, 2) >= 1;
    return wait_pattern(run, run_argument(run, on_high ? "high" : "low")->real);
}

static double run_pattern_warm_up(struct run *run)
{
    struct pattern_state *state = run->state;
    bool cold = state->calls++ < run_argument(run, "calls")->integer;
    return wait_pattern(run, run_argument(run, cold ? "slow" : "fast")->real);
}

/* ---- Synchronized clocks ---- */

static double run_clock_offset_now(struct run *run)
{
    run_start(run);
    run_stop(run);
    double bound, offset = run_clock_offset(run, &bound);
    double largest = run_max(run, bound);
    run_note(run, "error bound of the offsets when clocks were synchronized: %s",
             plain_time(largest).text);
    return offset;
}

static double run_drift(struct run *run)
{
    double bound_before, bound_after;
    double before = run_clock_error(run, &bound_before);
    run_idle(run_argument(run, "seconds")->real);
    double moved = run_clock_error(run, &bound_after) - before;
    double bound = run_max(run, bound_before + bound_after);
    run_note(run, "error bound of what clocks moved by: %s", plain_time(bound).text);
    return moved;
}

/* clang-format off */
#define TIMER {"name", PARAMETER_STRING, "", "name of the timer, as --timers lists it", .example = "clock_gettime"}
#define STEP {"step", PARAMETER_DOUBLE, "s", "difference between the waits of a rank and the next", .most = LONGEST_WAIT, .allowed = "no wait longer than that", .example = "1e-6"}
#define CLOCK {"clock", PARAMETER_STRING, "", "clock that times the waits, as --timers lists it (\"\": another one than the timer in use)", .otherwise = "", .example = ""}
#define LOW {"low", PARAMETER_DOUBLE, "s", "wait on the one level", LEVEL, .example = "1e-6"}
#define HIGH {"high", PARAMETER_DOUBLE, "s", "wait on the other level", LEVEL, .example = "2e-6"}
#define DWELL {"dwell", PARAMETER_DOUBLE, "s", "time on each level (0: levels alternate from call to call)", .most = LONGEST_WAIT, .example = "0.001"}
#define SLOW {"slow", PARAMETER_DOUBLE, "s", "wait of the first calls", LEVEL, .example = "2e-6"}
#define FAST {"fast", PARAMETER_DOUBLE, "s", "wait of later calls", LEVEL, .example = "1e-6"}
#define CALLS {"calls", PARAMETER_INT, "", "number of slow calls", .example = "3"}
#define SECONDS {"seconds", PARAMETER_DOUBLE, "s", "time to wait", .most = 60, .example = "0.1"}
#define LEVEL .above = true, .most = LONGEST_WAIT
/* clang-format on */

static const struct measurement pattern = {.timing = TIMING_WHOLE, .who = "all"};
static const struct measurement waits = {
    .timed = "a busy wait",
    .state_bytes = sizeof(struct pattern_state),
    .check = check_clock,
    .setup = set_up_pattern,
    .like = {&pattern},
};
static const struct measurement reading = {
    .parameters = {ITERATIONS}, .timed = "timer reading", .who = "all"};

const struct measurement measurements_clock[] = {
    {"wtime", "reading the timer in use", .like = {&reading}, .run = run_wtime},
    {"Timer_Cost", "reading a timer, timed by the one in use", .like = {&reading},
     .parameters = {TIMER, ITERATIONS}, .check = check_timer, .run = run_timer_cost},
    {"Wtime", "MPI_Wtime()", .like = {&reading}, .api = API_MPI, .no_data = true,
     .routine = "MPI_Wtime", .timed = "MPI_Wtime", .run = WITH_MPI(run_mpi_wtime)},
    {"WaitPatternUp", "rank i is busy for i + 1 microseconds: the result must be n microseconds",
     .like = {&waits}, .parameters = {CLOCK}, .run = run_pattern_stairs,
     .variant = &(const bool){false}},
    {"WaitPatternDown", "rank i is busy for n - i microseconds: the result must be n microseconds",
     .like = {&waits}, .parameters = {CLOCK}, .run = run_pattern_stairs,
     .variant = &(const bool){true}},
    {"waitpattern_up", "rank i is busy for i steps: the result must be n - 1 steps",
     .like = {&waits}, .parameters = {STEP, CLOCK}, .check = check_step, .run = run_pattern_stairs,
     .variant = &(const bool){false}},
    {"waitpattern_down", "rank i is busy for n - 1 - i steps: the result must be n - 1 steps",
     .like = {&waits}, .parameters = {STEP, CLOCK}, .check = check_step, .run = run_pattern_stairs,
     .variant = &(const bool){true}},
    {"WaitPatternNull", "every rank returns at once: the result must be 0", .like = {&pattern},
     .run = run_pattern_null, .timed = "nothing"},
    {"WaitPatternLevels", "a time that alternates between two levels: the result must say so",
     .like = {&waits}, .parameters = {LOW, HIGH, DWELL, CLOCK}, .run = run_pattern_levels},
    {"WaitPatternWarmUp", "a time that is longer at first: the result must be that of later calls",
     .like = {&waits}, .parameters = {SLOW, FAST, CALLS, CLOCK}, .run = run_pattern_warm_up},
    {"Clock_Offset", "offset of global time from each PE's clock", .timing = TIMING_PARTS,
     .clocks = true, .any_sign = true, .run = run_clock_offset_now,
     .timed = "nothing: an offset, not a time", .who = "all"},
    {"Clock_Drift", "drift of each PE's global time against rank 0's during a wait", .clocks = true,
     .timing = TIMING_ONCE, .any_sign = true, .parameters = {SECONDS}, .run = run_drift,
     .timed = "nothing: a difference of two offsets, not a time", .who = "all"},
    {.name = NULL},
};
