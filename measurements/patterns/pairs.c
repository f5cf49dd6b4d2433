/*
 * Puts and gets of OpenSHMEM by many ranks at the same time, in three disciplines: a quiet after
 * each, a fence after each, and a window of operations with one quiet. Gets also with nothing after
 * them: a quiet can wait for ranks that have no part in the transfer.
 */
#include "measurements/common/openshmem.h"
#include "measurements/common/pairs_pattern.h"

enum routine { PUT, PUT_NBI, GET, GET_NBI, PUT_SIGNAL, PUT_SIGNAL_NBI };

enum discipline {
    QUIET_AFTER_EACH,
    FENCE_AFTER_EACH,
    NOTHING_AFTER_EACH, /* the routine returns when it is complete */
    WINDOW              /* and one quiet */
};

struct traffic {
    struct pairs_traffic pairs;
    enum routine routine;
    enum discipline discipline;
    bool together; /* the value is one operation of all ranks, not of one */
};

#if SKAMPI_SHMEM

#include <math.h>
#include <shmem.h>

static block_function *const routines[] = {
    [PUT] = shmem_putmem,      [PUT_NBI] = shmem_putmem_nbi,
    [GET] = shmem_getmem,      [GET_NBI] = shmem_getmem_nbi,
#if SKAMPI_SHMEM_1_5
    [PUT_SIGNAL] = put_signal, [PUT_SIGNAL_NBI] = put_signal_nbi,
#endif
};

static bool set_up(struct run *run)
{
    *(struct pairs_work *)run->state = pairs_work_open(run);
    return true;
}

/* ---- What is timed ---- */

/* Steps [from, to) of an iteration, and order after each where there is one. */
static inline void do_steps(const struct run *run, int64_t iteration, int64_t from, int64_t to,
                            void (*order)(void))
{
    const struct pairs_work *work = run->state;
    block_function *routine = routines[((const struct traffic *)run->function->variant)->routine];
    unsigned char *local = run->local + (size_t)iteration * run->local_step;
    unsigned char *remote = run->remote + (size_t)iteration * run->remote_step;
    bool get = pairs_gets(run);
    size_t bytes = run->demand.reported;
    for (const struct pairs_call *call = work->calls + from; call < work->calls + to; call++) {
        unsigned char *here = local + call->here, *there = remote + call->there;
        routine(get ? here : there, get ? there : here, bytes, call->pe);
        if (order)
            order();
    }
}

static void iterate(struct run *run, int64_t iterations, void (*each)(void), void (*all)(void))
{
    const struct pairs_work *work = run->state;
    for (int64_t i = 0; i < iterations; i++) {
        do_steps(run, i, 0, work->steps, each);
        if (all)
            all();
    }
}

/* Puts that only a fence follows would pile up: after each burst they are completed, untimed. */
static double fenced(struct run *run)
{
    const struct pairs_work *work = run->state;
    int64_t burst = run->settings->max_outstanding, room = burst;
    double seconds = 0;
    int64_t begin = timer_now();
    for (int64_t i = 0; i < run->iterations; i++) {
        for (int64_t from = 0; from < work->steps;) {
            int64_t count = work->steps - from < room ? work->steps - from : room;
            do_steps(run, i, from, from + count, shmem_fence);
            from += count;
            room -= count;
            if (room > 0)
                continue;
            seconds += run_elapsed(run, begin, timer_now());
            shmem_quiet();
            room = burst;
            begin = timer_now();
        }
    }
    if (room < burst)
        seconds += run_elapsed(run, begin, timer_now());
    shmem_quiet();
    return seconds;
}

/* Seconds of all iterations; NAN where this rank only watches. */
static double timed(struct run *run, const struct traffic *traffic)
{
    const struct pairs_work *work = run->state;
    int64_t started = run_start(run);
    double seconds = 0;
    if (work->steps > 0 && traffic->discipline == FENCE_AFTER_EACH)
        seconds = fenced(run);
    else if (work->steps > 0 && traffic->discipline == QUIET_AFTER_EACH)
        iterate(run, run->iterations, shmem_quiet, NULL);
    else if (work->steps > 0 && traffic->discipline == NOTHING_AFTER_EACH)
        iterate(run, run->iterations, NULL, NULL);
    else if (work->steps > 0)
        iterate(run, run->iterations, NULL, shmem_quiet);
    int64_t stopped = run_stop(run);
    if (work->steps == 0)
        return NAN;
    return traffic->discipline == FENCE_AFTER_EACH ? seconds : run_elapsed(run, started, stopped);
}

static double run_traffic(struct run *run)
{
    const struct traffic *traffic = run->function->variant;
    const struct pairs_work *work = run->state;
    if (work->steps > 0 && warm_places(run))
        iterate(run, 1, NULL, shmem_quiet);
    double seconds = timed(run, traffic);
    int64_t steps = traffic->together ? pairs_all_steps(&work->pairs) : work->steps;
    return seconds / (double)run->iterations / (double)steps; /* a watcher has none: still NAN */
}

#endif

/* ---- Descriptors: a routine in each discipline ---- */

/* clang-format off */
static const struct measurement traffic = {
    .api = API_OPENSHMEM, .minimum_pes = 2, .who = "the ranks that work", .check = pairs_check, .demand = pairs_demand_traffic,
    SHMEM_STATE(struct pairs_work), .setup = WITH_SHMEM(set_up), .fill = WITH_SHMEM(pairs_fill_traffic),
    .verify = WITH_SHMEM(pairs_verify_traffic), .run = WITH_SHMEM(run_traffic)};
static const struct measurement each = {
    .like = {&traffic}, .parameters = {COUNT_BYTES, PATTERN, PAIRS, DIRECTIONS, ITERATIONS}};
static const struct measurement full = {
    .like = {&each}, .timing = TIMING_WHOLE, .moves = MOVES_MESSAGE, .routine = "shmem_%s", .calls = "shmem_quiet",
    .timed = "%s + quiet", .cost = "post + wire + quiet"};
static const struct measurement fence = {
    .like = {&each}, .timing = TIMING_PARTS, .moves = MOVES_NOTHING, .routine = "shmem_%s", .calls = "shmem_fence",
    .timed = "%s + fence; quiet untimed"};
static const struct measurement rate = {
    .like = {&traffic}, .parameters = {COUNT_BYTES, PATTERN, PAIRS, DIRECTIONS, WINDOW_OF("operations"), ITERATIONS},
    .timing = TIMING_WHOLE, .moves = MOVES_MESSAGE, .routine = "shmem_%s", .calls = "shmem_quiet",
    .timed = "a window of %s, and quiet; divided by the operations"};
static const struct measurement together = {
    .like = {&rate}, .timed = "a window of %s, and quiet; divided by the operations of all ranks"};

#define TRAFFIC &(const struct traffic)

const struct measurement measurements_pairs[] = {
    {"Shmem_Put_Pairs_Full", "put and quiet, by many ranks at once", .like = {&full}, .word = "put", .variant = TRAFFIC{.routine = PUT, .discipline = QUIET_AFTER_EACH}},
    {"Shmem_Put_Pairs_Fence", "put and fence, by many ranks at once", .like = {&fence}, .word = "put", .variant = TRAFFIC{.routine = PUT, .discipline = FENCE_AFTER_EACH}, .cost = "post + fence"},
    {"Shmem_Put_Pairs_Rate", "put, a window of them by many ranks at once", .like = {&rate}, .word = "put", .variant = TRAFFIC{.routine = PUT, .discipline = WINDOW}, .cost = "(window * post + wire + quiet) / window"},
    {"Shmem_Put_Pairs_Rate_Together", "put, a window of them by many ranks at once: all ranks together", .like = {&together}, .word = "put", .variant = TRAFFIC{.routine = PUT, .discipline = WINDOW, .together = true}},
    {"Shmem_Put_Nonblocking_Pairs_Full", "non-blocking put and quiet, by many ranks at once", .like = {&full}, .word = "put_nbi", .variant = TRAFFIC{.routine = PUT_NBI, .discipline = QUIET_AFTER_EACH}},
    {"Shmem_Put_Nonblocking_Pairs_Fence", "non-blocking put and fence, by many ranks at once", .like = {&fence}, .word = "put_nbi", .variant = TRAFFIC{.routine = PUT_NBI, .discipline = FENCE_AFTER_EACH}, .cost = "post + fence"},
    {"Shmem_Put_Nonblocking_Pairs_Rate", "non-blocking put, a window of them by many ranks at once", .like = {&rate}, .word = "put_nbi", .variant = TRAFFIC{.routine = PUT_NBI, .discipline = WINDOW}, .cost = "(window * post + wire + quiet) / window"},
    {"Shmem_Put_Nonblocking_Pairs_Rate_Together", "non-blocking put, a window of them by many ranks at once: all ranks together", .like = {&together}, .word = "put_nbi", .variant = TRAFFIC{.routine = PUT_NBI, .discipline = WINDOW, .together = true}},
    {"Shmem_Get_Pairs", "get, by many ranks at once", .like = {&each}, .variant = TRAFFIC{.pairs.get = true, .routine = GET, .discipline = NOTHING_AFTER_EACH},
     .timing = TIMING_WHOLE, .moves = MOVES_MESSAGE, .routine = "shmem_get", .timed = "get", .cost = "post + wire"},
    {"Shmem_Get_Pairs_Full", "get and quiet, by many ranks at once", .like = {&full}, .word = "get", .variant = TRAFFIC{.pairs.get = true, .routine = GET, .discipline = QUIET_AFTER_EACH}},
    {"Shmem_Get_Pairs_Fence", "get and fence, by many ranks at once", .like = {&fence}, .word = "get", .variant = TRAFFIC{.pairs.get = true, .routine = GET, .discipline = FENCE_AFTER_EACH}, .cost = "post + wire + fence"},
    {"Shmem_Get_Pairs_Rate", "get, a window of them by many ranks at once", .like = {&rate}, .word = "get", .variant = TRAFFIC{.pairs.get = true, .routine = GET, .discipline = WINDOW}, .cost = "post + wire + quiet / window"},
    {"Shmem_Get_Pairs_Rate_Together", "get, a window of them by many ranks at once: all ranks together", .like = {&together}, .word = "get", .variant = TRAFFIC{.pairs.get = true, .routine = GET, .discipline = WINDOW, .together = true}},
    {"Shmem_Get_Nonblocking_Pairs_Full", "non-blocking get and quiet, by many ranks at once", .like = {&full}, .word = "get_nbi", .variant = TRAFFIC{.pairs.get = true, .routine = GET_NBI, .discipline = QUIET_AFTER_EACH}},
    {"Shmem_Get_Nonblocking_Pairs_Fence", "non-blocking get and fence, by many ranks at once", .like = {&fence}, .word = "get_nbi", .variant = TRAFFIC{.pairs.get = true, .routine = GET_NBI, .discipline = FENCE_AFTER_EACH}, .cost = "post + fence"},
    {"Shmem_Get_Nonblocking_Pairs_Rate", "non-blocking get, a window of them by many ranks at once", .like = {&rate}, .word = "get_nbi", .variant = TRAFFIC{.pairs.get = true, .routine = GET_NBI, .discipline = WINDOW}, .cost = "(window * post + wire + quiet) / window"},
    {"Shmem_Get_Nonblocking_Pairs_Rate_Together", "non-blocking get, a window of them by many ranks at once: all ranks together", .like = {&together}, .word = "get_nbi", .variant = TRAFFIC{.pairs.get = true, .routine = GET_NBI, .discipline = WINDOW, .together = true}},
    {"Shmem_Put_Signal_Pairs_Full", "put with signal and quiet, by many ranks at once", .like = {&full}, .word = "put_signal", SINCE_1_5, .variant = TRAFFIC{.routine = PUT_SIGNAL, .discipline = QUIET_AFTER_EACH}},
    {"Shmem_Put_Signal_Pairs_Fence", "put with signal and fence, by many ranks at once", .like = {&fence}, .word = "put_signal", SINCE_1_5, .variant = TRAFFIC{.routine = PUT_SIGNAL, .discipline = FENCE_AFTER_EACH}, .cost = "post + fence"},
    {"Shmem_Put_Signal_Pairs_Rate", "put with signal, a window of them by many ranks at once", .like = {&rate}, .word = "put_signal", SINCE_1_5, .variant = TRAFFIC{.routine = PUT_SIGNAL, .discipline = WINDOW}, .cost = "(window * post + wire + quiet) / window"},
    {"Shmem_Put_Signal_Pairs_Rate_Together", "put with signal, a window of them by many ranks at once: all ranks together", .like = {&together}, .word = "put_signal", SINCE_1_5, .variant = TRAFFIC{.routine = PUT_SIGNAL, .discipline = WINDOW, .together = true}},
    {"Shmem_Put_Signal_Nonblocking_Pairs_Full", "non-blocking put with signal and quiet, by many ranks at once", .like = {&full}, .word = "put_signal_nbi", SINCE_1_5, .variant = TRAFFIC{.routine = PUT_SIGNAL_NBI, .discipline = QUIET_AFTER_EACH}},
    {"Shmem_Put_Signal_Nonblocking_Pairs_Fence", "non-blocking put with signal and fence, by many ranks at once", .like = {&fence}, .word = "put_signal_nbi", SINCE_1_5, .variant = TRAFFIC{.routine = PUT_SIGNAL_NBI, .discipline = FENCE_AFTER_EACH}, .cost = "post + fence"},
    {"Shmem_Put_Signal_Nonblocking_Pairs_Rate", "non-blocking put with signal, a window of them by many ranks at once", .like = {&rate}, .word = "put_signal_nbi", SINCE_1_5, .variant = TRAFFIC{.routine = PUT_SIGNAL_NBI, .discipline = WINDOW}, .cost = "(window * post + wire + quiet) / window"},
    {"Shmem_Put_Signal_Nonblocking_Pairs_Rate_Together", "non-blocking put with signal, a window of them by many ranks at once: all ranks together", .like = {&together}, .word = "put_signal_nbi", SINCE_1_5, .variant = TRAFFIC{.routine = PUT_SIGNAL_NBI, .discipline = WINDOW, .together = true}},
    {.name = NULL},
};
/* clang-format on */
