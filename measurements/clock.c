/*
 * Clocks and windows, measured: what users run before they trust a machine (Kurnosov, MPIPerf,
 * section 6.1).
 */
#include <math.h>
#include <string.h>

#include "measurements/shapes.h"

#if SKAMPI_MPI
#include <mpi.h>
#endif

#define LONGEST_IDLE 60.0
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

static const char *check_timer(const struct measurement *function, const struct argument *arguments,
                               const struct pe_set *set)
{
    (void)function;
    (void)set;
    const struct timer *timer = timer_find(arguments[0].string);
    if (!timer)
        return "there is no timer of that name; skampi --timers lists them";
    return timer->unusable();
}

static double run_timer_cost(struct run *run)
{
    const struct timer *timer = timer_find(run->arguments[0].string);
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

/* Waits are timed by another clock than the timer in use, whose rate could not be told from a wrong
 * one by itself. */
struct pattern_state {
    const struct timer *clock;
    double rate, overhead; /* of the clock, and of a wait by it, seconds */
    int64_t calls;
};

static const char *clock_name(const struct measurement *function, const struct argument *arguments)
{
    return arguments[measurement_parameter_count(function) - 1].string;
}

static const char *check_clock(const struct measurement *function, const struct argument *arguments,
                               const struct pe_set *set)
{
    (void)set;
    const char *name = clock_name(function, arguments);
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
    const char *name = clock_name(run->function, run->arguments);
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

static double run_pattern_up(struct run *run)
{
    return wait_pattern(run, (run->rank + 1) * MICROSECOND);
}

static double run_pattern_down(struct run *run)
{
    return wait_pattern(run, (run->size - run->rank) * MICROSECOND);
}

/* Of the classic line: rank i waits i times as long as the script says. */
static double run_classic_up(struct run *run)
{
    return wait_pattern(run, run->rank * run->arguments[0].real);
}

static double run_classic_down(struct run *run)
{
    return wait_pattern(run, (run->size - 1 - run->rank) * run->arguments[0].real);
}

static const char *check_step(const struct measurement *function, const struct argument *arguments,
                              const struct pe_set *set)
{
    return arguments[0].real >= 0 && arguments[0].real * pe_set_size(set) <= 1
               ? check_clock(function, arguments, set)
               : "the step must be at least 0 s, and no rank's wait longer than 1 s";
}

static double run_pattern_null(struct run *run)
{
    int64_t started = run_start(run);
    return run_elapsed(run, started, run_stop(run));
}

static const char *check_levels(const struct measurement *function,
                                const struct argument *arguments, const struct pe_set *set)
{
    for (int i = 0; i < 2; i++)
        if (!(arguments[i].real > 0 && arguments[i].real <= 1))
            return "waits must be above 0 s, and not longer than 1 s";
    return arguments[2].real >= 0 && arguments[2].real <= 1
               ? check_clock(function, arguments, set)
               : "the time on each level must be at least 0 s (levels take turns), and not longer "
                 "than 1 s";
}

/* Levels change with the time of the clock, whoever looks at it, or with every call. */
static double run_pattern_levels(struct run *run)
{
    struct pattern_state *state = run->state;
    double now = timer_seconds(timer_now()), dwell = run->arguments[2].real;
    double turn = dwell > 0 ? now / dwell : (double)state->calls++;
    bool on_high = fmod(turn, 2) >= 1;
    return wait_pattern(run, run->arguments[on_high ? 1 : 0].real);
}

static const char *check_warm_up(const struct measurement *function,
                                 const struct argument *arguments, const struct pe_set *set)
{
    for (int i = 0; i < 2; i++)
        if (!(arguments[i].real > 0 && arguments[i].real <= 1))
            return "waits must be above 0 s, and not longer than 1 s";
    return check_clock(function, arguments, set);
}

static double run_pattern_warm_up(struct run *run)
{
    struct pattern_state *state = run->state;
    bool cold = state->calls++ < run->arguments[2].integer;
    return wait_pattern(run, run->arguments[cold ? 0 : 1].real);
}

/* ---- Synchronized clocks ---- */

static double run_clock_offset_now(struct run *run)
{
    run_start(run);
    run_stop(run);
    double bound, offset = run_clock_offset(run, &bound);
    double largest = run_max(run, bound);
    run_note(run, "error bound of the offsets when clocks were synchronized: %.4g ns",
             largest * 1e9);
    return offset;
}

static const char *check_seconds(const struct measurement *function,
                                 const struct argument *arguments, const struct pe_set *set)
{
    (void)function;
    (void)set;
    return arguments[0].real >= 0 && arguments[0].real <= LONGEST_IDLE
               ? NULL
               : "the time to wait must be between 0 and 60 seconds";
}

static double run_drift(struct run *run)
{
    double bound_before, bound_after;
    double before = run_clock_error(run, &bound_before);
    run_idle(run->arguments[0].real);
    double moved = run_clock_error(run, &bound_after) - before;
    double bound = run_max(run, bound_before + bound_after);
    run_note(run, "error bound of what clocks moved by: %.4g ns", bound * 1e9);
    return moved;
}

#define STEP                                                                                       \
    {                                                                                              \
        "step", PARAMETER_DOUBLE, "s", "from each rank's wait to the next one's", 0                \
    }
#define CLOCK                                                                                      \
    {                                                                                              \
        "clock", PARAMETER_STRING, "",                                                             \
            "that times the waits, as --timers lists them; \"\": another one than the timer in "   \
            "use",                                                                                 \
            0                                                                                      \
    }
#define PATTERN .synchronized = true, .whole = true, .who = "all"
/* i: which parameter is the clock. */
#define WAITS(i)                                                                                   \
    PATTERN, .otherwise = {[i] = ""}, .state_bytes = sizeof(struct pattern_state),                 \
             .setup = set_up_pattern

const struct measurement measurements_clock[] = {
    {"wtime", "reading the timer in use", .parameters = {ITERATIONS}, .run = run_wtime,
     .timed = "timer reading", .who = "all"},
    {"Timer_Cost", "reading a timer, timed by the one in use",
     .parameters = {{"name", PARAMETER_STRING, "", "of the timer, as --timers lists them", 0},
                    ITERATIONS},
     .check = check_timer, .run = run_timer_cost, .timed = "timer reading", .who = "all"},
    {"Wtime", "MPI_Wtime()", .api = API_MPI, .no_data = true, .parameters = {ITERATIONS},
#if SKAMPI_MPI
     .run = run_mpi_wtime,
#endif
     .timed = "MPI_Wtime", .who = "all"},
    {"WaitPatternUp", "rank i is busy for i + 1 microseconds: the result must be n microseconds",
     WAITS(0), .parameters = {CLOCK}, .check = check_clock, .run = run_pattern_up,
     .timed = "a busy wait"},
    {"WaitPatternDown", "rank i is busy for n - i microseconds: the result must be n microseconds",
     WAITS(0), .parameters = {CLOCK}, .check = check_clock, .run = run_pattern_down,
     .timed = "a busy wait"},
    {"waitpattern_up", "rank i is busy for i steps: the result must be n - 1 steps", WAITS(1),
     .parameters = {STEP, CLOCK}, .check = check_step, .run = run_classic_up,
     .timed = "a busy wait"},
    {"waitpattern_down", "rank i is busy for n - 1 - i steps: the result must be n - 1 steps",
     WAITS(1), .parameters = {STEP, CLOCK}, .check = check_step, .run = run_classic_down,
     .timed = "a busy wait"},
    {"WaitPatternNull", "every rank returns at once: the result must be 0", PATTERN,
     .run = run_pattern_null, .timed = "nothing"},
    {"WaitPatternLevels", "a time that jumps to and fro between two levels: the result must say so",
     WAITS(3),
     .parameters = {{"low", PARAMETER_DOUBLE, "s", "busy on the one level", 0},
                    {"high", PARAMETER_DOUBLE, "s", "on the other", 0},
                    {"dwell", PARAMETER_DOUBLE, "s", "that each level lasts; 0: calls take turns",
                     0},
                    CLOCK},
     .check = check_levels, .run = run_pattern_levels, .timed = "a busy wait"},
    {"WaitPatternWarmUp", "a time that is longer at first: the result must be that of later calls",
     WAITS(3),
     .parameters = {{"slow", PARAMETER_DOUBLE, "s", "busy at first", 0},
                    {"fast", PARAMETER_DOUBLE, "s", "busy later", 0},
                    {"calls", PARAMETER_INT, "", "that are slow", 0},
                    CLOCK},
     .check = check_warm_up, .run = run_pattern_warm_up, .timed = "a busy wait"},
    {"Clock_Offset", "what global time is ahead of each PE's clock by", .synchronized = true,
     .clocks = true, .any_sign = true, .run = run_clock_offset_now,
     .timed = "nothing: an offset, not a time", .who = "all"},
    {"Clock_Drift", "what each PE's global time moves by against rank 0's while they wait",
     .clocks = true, .once = true, .any_sign = true,
     .parameters = {{"seconds", PARAMETER_DOUBLE, "s", "to wait, at most 60", 0}},
     .check = check_seconds, .run = run_drift,
     .timed = "nothing: a difference of two offsets, not a time", .who = "all"},
    {.name = NULL},
};
