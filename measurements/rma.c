/*
 * Put and get, blocking and non-blocking, taken apart: what the caller pays for posting, what it
 * pays until the operation is complete, and what a computation in between hides (method of Coti &
 * Malony, sections 3.1 and 3.3).
 */
#include "measurements/shapes.h"

#if SKAMPI_SHMEM

#include <math.h>
#include <shmem.h>
#include <string.h>

/* Pauses last this many times the whole operation, so that it could be over before they end. */
#define PAUSE_FACTOR 2
#define FULL_SAMPLES 5

#endif

/* The library's routines themselves, called through these pointers as through the linker's. */
struct rma {
#if SKAMPI_SHMEM
    void (*op)(void *target, const void *source, size_t bytes, int pe);
#endif
    bool get;
    enum shape shape;
};

#if SKAMPI_SHMEM
#define RMA(op, get, shape)                                                                        \
    &(const struct rma)                                                                            \
    {                                                                                              \
        op, get, shape                                                                             \
    }
#else
#define RMA(op, get, shape)                                                                        \
    &(const struct rma)                                                                            \
    {                                                                                              \
        get, shape                                                                                 \
    }
#endif

struct rma_state {
    struct partner partner;
    double pause; /* seconds of computation between post and quiet */
};

#if SKAMPI_SHMEM

/* One operation with its arguments worked out. */
struct call {
    void (*op)(void *, const void *, size_t, int);
    void *target;
    const void *source;
    size_t bytes;
    int pe;
    size_t target_step, source_step; /* to the next iteration's memory */
};

static struct call call_of(const struct run *run)
{
    const struct rma *rma = run->function->variant;
    const struct rma_state *state = run->state;
    return (struct call){rma->op,
                         rma->get ? run->local : run->remote,
                         rma->get ? run->remote : run->local,
                         run->demand.local,
                         state->partner.pe,
                         rma->get ? run->local_step : run->remote_step,
                         rma->get ? run->remote_step : run->local_step};
}

static inline void do_call(struct call *call)
{
    call->op(call->target, call->source, call->bytes, call->pe);
    call->target = (unsigned char *)call->target + call->target_step;
    call->source = (const unsigned char *)call->source + call->source_step;
}

static bool acting(const struct run *run)
{
    return ((const struct rma_state *)run->state)->partner.acting;
}

static double full_loop(struct run *run, struct call *call)
{
    int64_t start = timer_now();
    for (int64_t i = 0; i < run->iterations; i++) {
        do_call(call);
        shmem_quiet();
    }
    return run_elapsed(run, start, timer_now()) / (double)run->iterations;
}

/* Posts in bursts of at most set_max_outstanding operations; between bursts, untimed, the send
 * queue is drained, since a full queue would be measured instead of the post. */
static double post_loop(struct run *run, struct call *call)
{
    double seconds = 0;
    int64_t burst = run->settings->max_outstanding;
    for (int64_t done = 0; done < run->iterations; done += burst) {
        int64_t count = run->iterations - done < burst ? run->iterations - done : burst;
        int64_t start = timer_now();
        for (int64_t i = 0; i < count; i++)
            do_call(call);
        seconds += run_elapsed(run, start, timer_now());
        shmem_quiet();
    }
    return seconds / (double)run->iterations;
}

/* ---- Set-up: the right data arrive ---- */

static bool set_up(struct run *run)
{
    const struct rma *rma = run->function->variant;
    struct rma_state *state = run->state;
    state->partner = shape_partner(run, rma->shape, run->arguments[2].integer);
    struct call call = call_of(run);
    pattern_fill(rma->get ? run->remote : run->local, call.bytes, run->rank);
    memset(rma->get ? run->local : run->remote, 0, call.bytes);
    run_barrier(run);
    if (state->partner.acting) {
        do_call(&call);
        shmem_quiet();
    }
    run_barrier(run);
    if (rma->get && state->partner.acting &&
        !pattern_check(run->local, call.bytes, state->partner.rank))
        return run_fail(run, "rank %d did not get what rank %d has", run->rank,
                        state->partner.rank);
    if (!rma->get && state->partner.source >= 0 &&
        !pattern_check(run->remote, call.bytes, state->partner.source))
        return run_fail(run, "rank %d does not have what rank %d put", run->rank,
                        state->partner.source);
    return true;
}

static bool set_up_pause(struct run *run)
{
    struct rma_state *state = run->state;
    if (!set_up(run))
        return false;
    const struct call call = call_of(run);
    double full = 0;
    for (int i = 0; acting(run) && i < FULL_SAMPLES; i++) {
        struct call again = call;
        full = full_loop(run, &again); /* the last one: the first are slow */
    }
    state->pause = PAUSE_FACTOR * run_max(run, full);
    return true;
}

/* ---- What is timed ---- */

/* Start of a repetition; an untimed operation at each new place makes it warm. */
static int64_t start(struct run *run, struct call *call)
{
    if (acting(run) && warm_places(run)) {
        do_call(call); /* warm: its steps are 0 */
        shmem_quiet();
    }
    return run_start(run);
}

static double finish(struct run *run, int64_t started)
{
    int64_t stopped = run_stop(run);
    return acting(run) ? run_elapsed(run, started, stopped) / (double)run->iterations : NAN;
}

static double run_blocking(struct run *run)
{
    struct call call = call_of(run);
    int64_t started = start(run, &call);
    for (int64_t i = 0; acting(run) && i < run->iterations; i++)
        do_call(&call);
    return finish(run, started);
}

static double run_full(struct run *run)
{
    struct call call = call_of(run);
    int64_t started = start(run, &call);
    for (int64_t i = 0; acting(run) && i < run->iterations; i++) {
        do_call(&call);
        shmem_quiet();
    }
    return finish(run, started);
}

static double run_post(struct run *run)
{
    struct call call = call_of(run);
    start(run, &call);
    double seconds = acting(run) ? post_loop(run, &call) : NAN;
    run_stop(run);
    return seconds;
}

/* Post, computation, quiet; the computation's measured length is taken off. */
static double run_paused(struct run *run)
{
    struct rma_state *state = run->state;
    struct call call = call_of(run);
    double paused = 0;
    int64_t started = start(run, &call);
    for (int64_t i = 0; acting(run) && i < run->iterations; i++) {
        do_call(&call);
        paused += run_pause(state->pause);
        shmem_quiet();
    }
    return finish(run, started) - paused / (double)run->iterations;
}

/* ---- What is subtracted ---- */

/* An empty quiet where it stands: behind a quiet that had something to complete. */
static double empty_quiet(struct run *run)
{
    if (!acting(run))
        return 0;
    struct call call = call_of(run);
    call.bytes = 1;
    call.target_step = call.source_step =
        0; /* both loops at one place, which the first call warms */
    do_call(&call);
    shmem_quiet();
    double once = full_loop(run, &call);
    int64_t started = timer_now();
    for (int64_t i = 0; i < run->iterations; i++) {
        do_call(&call);
        shmem_quiet();
        shmem_quiet();
    }
    return run_elapsed(run, started, timer_now()) / (double)run->iterations - once;
}

static double post_alone(struct run *run)
{
    struct call call = call_of(run);
    return acting(run) ? post_loop(run, &call) : 0;
}

/* What a computation costs beyond its measured length, which depends on that length: the end of
 * a short loop is predicted, that of a long one is not. */
static double pause_alone(struct run *run)
{
    const struct rma_state *state = run->state;
    double paused = 0;
    int64_t started = timer_now();
    for (int64_t i = 0; acting(run) && i < run->iterations; i++)
        paused += run_pause(state->pause);
    return acting(run) ? (run_elapsed(run, started, timer_now()) - paused) / (double)run->iterations
                       : 0;
}

/* The same behind a post. */
static double post_and_pause(struct run *run)
{
    const struct rma_state *state = run->state;
    struct call call = call_of(run);
    double seconds = 0;
    int64_t burst = run->settings->max_outstanding;
    for (int64_t done = 0; acting(run) && done < run->iterations; done += burst) {
        int64_t count = run->iterations - done < burst ? run->iterations - done : burst;
        int64_t start = timer_now();
        for (int64_t i = 0; i < count; i++) {
            do_call(&call);
            seconds -= run_pause(state->pause);
        }
        seconds += run_elapsed(run, start, timer_now());
        shmem_quiet();
    }
    return seconds / (double)run->iterations;
}

#endif

static void demand(const struct measurement *function, const struct argument *arguments, int pes,
                   struct demand *demand)
{
    (void)function;
    (void)pes;
    demand->local = demand->remote = demand->reported = (size_t)arguments[0].integer;
}

#define COMMON                                                                                     \
    .api = API_OPENSHMEM, .synchronized = true, .demand = demand,                                  \
    .state_bytes = sizeof(struct rma_state)
#define FOR_ALL .parameters = {COUNT_BYTES, ITERATIONS}, .who = "all"
#define FOR_PAIR .parameters = {COUNT_BYTES, ITERATIONS}, .who = "rank 0", .minimum_pes = 2
#define FOR_SINGLE .parameters = {COUNT_BYTES, ITERATIONS, THE_RANK}, .who = "therank"

/* The parts of an operation: what is run, what is taken off. */
#define BLOCKING .setup = WITH_SHMEM(set_up), .run = WITH_SHMEM(run_blocking), .whole = true
#define FULL .setup = WITH_SHMEM(set_up), .run = WITH_SHMEM(run_full), .whole = true
#define MINUS_QUIET                                                                                \
    .setup = WITH_SHMEM(set_up), .run = WITH_SHMEM(run_full),                                      \
    .reference = WITH_SHMEM(empty_quiet), .subtracted = "an empty quiet"
#define POST .setup = WITH_SHMEM(set_up), .run = WITH_SHMEM(run_post)
#define QUIET                                                                                      \
    .setup = WITH_SHMEM(set_up), .run = WITH_SHMEM(run_full), .reference = WITH_SHMEM(post_alone), \
    .subtracted = "the post, measured alone"
#define QUIET_DELAYED                                                                              \
    .setup = WITH_SHMEM(set_up_pause), .run = WITH_SHMEM(run_paused),                              \
    .reference = WITH_SHMEM(post_and_pause),                                                       \
    .subtracted = "the computation's measured length, and the post, measured alone"
#define OVERLAP                                                                                    \
    .setup = WITH_SHMEM(set_up_pause), .run = WITH_SHMEM(run_paused),                              \
    .reference = WITH_SHMEM(pause_alone), .subtracted = "the computation's measured length"

const struct measurement measurements_rma[] = {
    {"Shmem_Put_Simple", "put from rank 0 to rank 1 until it is complete there", COMMON, FOR_PAIR,
     MINUS_QUIET, .timed = "put + quiet", .cost = "post + wire",
     .variant = RMA(shmem_putmem, false, SHAPE_PAIR)},
    {"Shmem_Put_Round", "put around the ring until it is complete at the target", COMMON, FOR_ALL,
     MINUS_QUIET, .timed = "put + quiet", .cost = "post + wire",
     .variant = RMA(shmem_putmem, false, SHAPE_RING)},
    {"Shmem_Put_Full", "put and quiet around the ring", COMMON, FOR_ALL, FULL,
     .timed = "put + quiet", .cost = "post + wire + quiet",
     .variant = RMA(shmem_putmem, false, SHAPE_RING)},
    {"Shmem_Put_Full_Single", "put and quiet from one rank to the next", COMMON, FOR_SINGLE, FULL,
     .timed = "put + quiet", .cost = "post + wire + quiet",
     .variant = RMA(shmem_putmem, false, SHAPE_SINGLE)},
    {"Shmem_Put_Call", "the put call alone, until the source may be used again", COMMON, FOR_ALL,
     POST, .timed = "put; quiet untimed", .cost = "post",
     .variant = RMA(shmem_putmem, false, SHAPE_RING)},
    {"Shmem_Put_Nonblocking_Post", "posting a non-blocking put around the ring", COMMON, FOR_ALL,
     POST, .timed = "put_nbi; quiet untimed", .cost = "post",
     .variant = RMA(shmem_putmem_nbi, false, SHAPE_RING)},
    {"Shmem_Put_Nonblocking_Post_Single", "posting a non-blocking put, one rank", COMMON,
     FOR_SINGLE, POST, .timed = "put_nbi; quiet untimed", .cost = "post",
     .variant = RMA(shmem_putmem_nbi, false, SHAPE_SINGLE)},
    {"Shmem_Put_Nonblocking_Full", "non-blocking put and quiet around the ring", COMMON, FOR_ALL,
     FULL, .timed = "put_nbi + quiet", .cost = "post + wire + quiet",
     .variant = RMA(shmem_putmem_nbi, false, SHAPE_RING)},
    {"Shmem_Put_Nonblocking_Full_Single", "non-blocking put and quiet, one rank", COMMON,
     FOR_SINGLE, FULL, .timed = "put_nbi + quiet", .cost = "post + wire + quiet",
     .variant = RMA(shmem_putmem_nbi, false, SHAPE_SINGLE)},
    {"Shmem_Put_Nonblocking_Quiet", "quiet right behind a non-blocking put", COMMON, FOR_ALL, QUIET,
     .timed = "put_nbi + quiet", .cost = "wire + quiet",
     .variant = RMA(shmem_putmem_nbi, false, SHAPE_RING)},
    {"Shmem_Put_Nonblocking_Quiet_Single", "quiet right behind a non-blocking put, one rank",
     COMMON, FOR_SINGLE, QUIET, .timed = "put_nbi + quiet", .cost = "wire + quiet",
     .variant = RMA(shmem_putmem_nbi, false, SHAPE_SINGLE)},
    {"Shmem_Put_Nonblocking_Quiet_Delayed",
     "quiet when the non-blocking put could have been complete for long", COMMON, FOR_ALL,
     QUIET_DELAYED, .timed = "put_nbi + computation of twice the full operation + quiet",
     .cost = "hidden + quiet", .variant = RMA(shmem_putmem_nbi, false, SHAPE_RING)},
    {"Shmem_Put_Nonblocking_Quiet_Delayed_Single",
     "quiet when the non-blocking put could have been complete for long, one rank", COMMON,
     FOR_SINGLE, QUIET_DELAYED,
     .timed = "put_nbi + computation of twice the full operation + quiet", .cost = "hidden + quiet",
     .variant = RMA(shmem_putmem_nbi, false, SHAPE_SINGLE)},
    {"Shmem_Put_Nonblocking_Overlap", "what of a non-blocking put a computation does not hide",
     COMMON, FOR_ALL, OVERLAP, .timed = "put_nbi + computation of twice the full operation + quiet",
     .cost = "post + hidden + quiet", .variant = RMA(shmem_putmem_nbi, false, SHAPE_RING)},
    {"Shmem_Put_Nonblocking_Overlap_Single",
     "what of a non-blocking put a computation does not hide, one rank", COMMON, FOR_SINGLE,
     OVERLAP, .timed = "put_nbi + computation of twice the full operation + quiet",
     .cost = "post + hidden + quiet", .variant = RMA(shmem_putmem_nbi, false, SHAPE_SINGLE)},

    {"Shmem_Get_Simple", "get by rank 0 from rank 1", COMMON, FOR_PAIR, BLOCKING, .timed = "get",
     .cost = "post + wire", .variant = RMA(shmem_getmem, true, SHAPE_PAIR)},
    {"Shmem_Get_Round", "get around the ring", COMMON, FOR_ALL, BLOCKING, .timed = "get",
     .cost = "post + wire", .variant = RMA(shmem_getmem, true, SHAPE_RING)},
    {"Shmem_Get_Nonblocking_Post", "posting a non-blocking get around the ring", COMMON, FOR_ALL,
     POST, .timed = "get_nbi; quiet untimed", .cost = "post",
     .variant = RMA(shmem_getmem_nbi, true, SHAPE_RING)},
    {"Shmem_Get_Nonblocking_Post_Single", "posting a non-blocking get, one rank", COMMON,
     FOR_SINGLE, POST, .timed = "get_nbi; quiet untimed", .cost = "post",
     .variant = RMA(shmem_getmem_nbi, true, SHAPE_SINGLE)},
    {"Shmem_Get_Nonblocking_Full", "non-blocking get and quiet around the ring", COMMON, FOR_ALL,
     FULL, .timed = "get_nbi + quiet", .cost = "post + wire + quiet",
     .variant = RMA(shmem_getmem_nbi, true, SHAPE_RING)},
    {"Shmem_Get_Nonblocking_Full_Single", "non-blocking get and quiet, one rank", COMMON,
     FOR_SINGLE, FULL, .timed = "get_nbi + quiet", .cost = "post + wire + quiet",
     .variant = RMA(shmem_getmem_nbi, true, SHAPE_SINGLE)},
    {"Shmem_Get_Nonblocking_Quiet", "quiet right behind a non-blocking get", COMMON, FOR_ALL, QUIET,
     .timed = "get_nbi + quiet", .cost = "wire + quiet",
     .variant = RMA(shmem_getmem_nbi, true, SHAPE_RING)},
    {"Shmem_Get_Nonblocking_Quiet_Single", "quiet right behind a non-blocking get, one rank",
     COMMON, FOR_SINGLE, QUIET, .timed = "get_nbi + quiet", .cost = "wire + quiet",
     .variant = RMA(shmem_getmem_nbi, true, SHAPE_SINGLE)},
    {"Shmem_Get_Nonblocking_Quiet_Delayed",
     "quiet when the non-blocking get could have been complete for long", COMMON, FOR_ALL,
     QUIET_DELAYED, .timed = "get_nbi + computation of twice the full operation + quiet",
     .cost = "hidden + quiet", .variant = RMA(shmem_getmem_nbi, true, SHAPE_RING)},
    {"Shmem_Get_Nonblocking_Quiet_Delayed_Single",
     "quiet when the non-blocking get could have been complete for long, one rank", COMMON,
     FOR_SINGLE, QUIET_DELAYED,
     .timed = "get_nbi + computation of twice the full operation + quiet", .cost = "hidden + quiet",
     .variant = RMA(shmem_getmem_nbi, true, SHAPE_SINGLE)},
    {"Shmem_Get_Nonblocking_Overlap", "what of a non-blocking get a computation does not hide",
     COMMON, FOR_ALL, OVERLAP, .timed = "get_nbi + computation of twice the full operation + quiet",
     .cost = "post + hidden + quiet", .variant = RMA(shmem_getmem_nbi, true, SHAPE_RING)},
    {"Shmem_Get_Nonblocking_Overlap_Single",
     "what of a non-blocking get a computation does not hide, one rank", COMMON, FOR_SINGLE,
     OVERLAP, .timed = "get_nbi + computation of twice the full operation + quiet",
     .cost = "post + hidden + quiet", .variant = RMA(shmem_getmem_nbi, true, SHAPE_SINGLE)},
};
const size_t measurements_rma_count = MEASUREMENT_COUNT(measurements_rma);
