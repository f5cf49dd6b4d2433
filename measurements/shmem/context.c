/*
 * Communication contexts: creating and destroying them, put, get, quiet and fence on one, and
 * non-blocking operations in flight on several.
 */
#include "measurements/common/completion.h"
#include "measurements/common/shapes.h"
#include "measurements/common/user_context.h"

#define MOST_CONTEXTS 64

#if !SKAMPI_SHMEM
#define SHMEM_CTX_SERIALIZED 0
#define SHMEM_CTX_PRIVATE 0
#define SHMEM_CTX_NOSTORE 0
#endif

/* What distinguishes the functions that use contexts: an operation on the next rank, and what
 * orders or completes it; either may be missing. The library's routines themselves. */
struct part {
#if SKAMPI_SHMEM
    void (*op)(shmem_ctx_t, void *target, const void *source, size_t bytes, int pe);
    void (*order)(shmem_ctx_t);
#endif
    bool get;
    bool piles_up; /* operations begin before earlier ones are complete */
};

/* clang-format off */
#if SKAMPI_SHMEM
#define PART(op, order, get, piles_up) &(const struct part){op, order, get, piles_up}
#else
#define PART(op, order, get, piles_up) &(const struct part){get, piles_up}
#endif
/* clang-format on */

#if SKAMPI_SHMEM

struct context_state {
    struct user_contexts contexts;
    struct partner partner;
};

static void tear_down(struct run *run)
{
    contexts_close(&((struct context_state *)run->state)->contexts);
}

/* ---- Creating and destroying ---- */

static long options_of(const struct run *run)
{
    return *(const long *)run->function->variant;
}

/* One at a time: a library may keep what was destroyed, and then another one at the same time costs
 * milliseconds instead of nanoseconds. */
static bool set_up_creation(struct run *run)
{
    struct context_state *state = run->state;
    return contexts_open(run, &state->contexts, 1, options_of(run));
}

static double finish_creation(struct run *run, int64_t started, int64_t stopped, bool good)
{
    if (!good)
        run_fail(run, "rank %d could not create a context", run->rank);
    return run_elapsed(run, started, stopped);
}

static double run_creations(struct run *run)
{
    struct context_state *state = run->state;
    contexts_destroy(&state->contexts);
    int64_t started = run_start(run);
    bool good = contexts_create(&state->contexts, 1, options_of(run));
    return finish_creation(run, started, run_stop(run), good);
}

static double run_destructions(struct run *run)
{
    struct context_state *state = run->state;
    int64_t started = run_start(run);
    contexts_destroy(&state->contexts);
    int64_t stopped = run_stop(run);
    bool good = contexts_create(&state->contexts, 1, options_of(run));
    return finish_creation(run, started, stopped, good);
}

/* ---- Operations: set-up ---- */

/* An operation with its arguments worked out. */
struct call {
    void *target;
    const void *source;
    size_t bytes;
    int pe;
    size_t target_step, source_step; /* to the next iteration's memory */
};

static struct call call_of(const struct run *run)
{
    const struct part *part = run->function->variant;
    const struct context_state *state = run->state;
    return (struct call){part->get ? run->local : run->remote,
                         part->get ? run->remote : run->local,
                         run->demand.local,
                         state->partner.pe,
                         part->get ? run->local_step : run->remote_step,
                         part->get ? run->remote_step : run->local_step};
}

static inline void do_call(const struct part *part, shmem_ctx_t context, const struct call *call)
{
    part->op(context, call->target, call->source, call->bytes, call->pe);
}

static inline void advance(struct call *call)
{
    call->target = (unsigned char *)call->target + call->target_step;
    call->source = (const unsigned char *)call->source + call->source_step;
}

static void fill(struct run *run)
{
    const struct part *part = run->function->variant;
    pattern_fill(part->get ? run->remote : run->local, run->demand.local, data_key(run, run->rank));
    data_poison(part->get ? run->local : run->remote, run->demand.local);
}

static shmem_ctx_t context_of(const struct run *run)
{
    return ((const struct context_state *)run->state)->contexts.handles[0];
}

static void put(struct run *run, void *target, const void *source, size_t bytes, int pe)
{
    shmem_ctx_putmem_nbi(context_of(run), target, source, bytes, pe);
}

static void set(struct run *run, long *flag, long value, int pe)
{
    shmem_ctx_long_p(context_of(run), flag, value, pe);
}

static void order(struct run *run)
{
    const struct part *part = run->function->variant;
    part->order(context_of(run));
}

/* Of those that are about quiet and fence. */
static bool verify_order(struct run *run)
{
    const struct part *part = run->function->variant;
    bool fences = part->order == shmem_ctx_fence;
    return completion_verify(run, &(struct completing){put, fences ? set : NULL, order},
                             (struct completion *)(void *)run->scratch);
}

static bool verify(struct run *run)
{
    const struct part *part = run->function->variant;
    const struct context_state *state = run->state;
    size_t bytes = run->demand.local;
    if (run->demand.scratch > 0 && !verify_order(run))
        return false;
    return (part->get ? data_verify(run, "the data got from the next rank", run->local, bytes,
                                    state->partner.rank)
                      : data_verify(run, "the data that the rank before put", run->remote, bytes,
                                    state->partner.source)) &&
           data_verify(run, "the source", part->get ? run->remote : run->local, bytes, run->rank);
}

/* Each context moves the right data; that is verified for the last one of several in each
 * repetition. */
static bool check_data(struct run *run, shmem_ctx_t context)
{
    struct call call = call_of(run);
    fill(run);
    run_barrier(run);
    do_call(run->function->variant, context, &call);
    shmem_ctx_quiet(context);
    run_barrier(run);
    return verify(run);
}

static bool set_up(struct run *run)
{
    struct context_state *state = run->state;
    int contexts = (int)argument_value(run->function, run->arguments, "contexts", 1);
    state->partner = shape_partner(run, SHAPE_RING, 0);
    if (!contexts_open(run, &state->contexts, contexts, SHMEM_CTX_SERIALIZED))
        return false;
    bool good = true;
    for (int i = 0; contexts > 1 && i < state->contexts.count; i++) {
        good = check_data(run, state->contexts.handles[i]) && good;
        run_barrier(run);
    }
    return good;
}

/* ---- Operations: what is timed ---- */

/* The part so often, and in bursts of at most set_max_outstanding operations where they pile up;
 * after each burst, untimed, they are completed. */
static double part_loop(struct run *run, const struct part *part)
{
    const struct context_state *state = run->state;
    shmem_ctx_t context = state->contexts.handles[0];
    struct call call = call_of(run);
    double seconds = 0;
    int64_t burst = part->piles_up ? run->settings->max_outstanding : run->iterations;
    for (int64_t done = 0; done < run->iterations; done += burst) {
        int64_t count = run->iterations - done < burst ? run->iterations - done : burst;
        int64_t start = timer_now();
        for (int64_t i = 0; i < count; i++) {
            if (part->op)
                do_call(part, context, &call);
            if (part->order)
                part->order(context);
            advance(&call);
        }
        seconds += run_elapsed(run, start, timer_now());
        shmem_ctx_quiet(context);
    }
    return seconds / (double)run->iterations;
}

/* An untimed operation at each new place makes it warm. */
static void warm(struct run *run)
{
    const struct part *part = run->function->variant;
    const struct context_state *state = run->state;
    if (!part->op || !warm_places(run))
        return;
    struct call call = call_of(run);
    do_call(part, state->contexts.handles[0], &call);
    shmem_ctx_quiet(state->contexts.handles[0]);
}

static void start(struct run *run)
{
    warm(run);
    run_start(run);
}

static double run_part(struct run *run)
{
    start(run);
    double seconds = part_loop(run, run->function->variant);
    run_stop(run);
    return seconds;
}

/* One operation on each context, then a quiet of each. */
static double run_several(struct run *run)
{
    const struct part *part = run->function->variant;
    const struct context_state *state = run->state;
    const struct user_contexts *contexts = &state->contexts;
    struct call call = call_of(run);
    start(run);
    int64_t started = timer_now();
    for (int64_t i = 0; i < run->iterations; i++) {
        for (int k = 0; k < contexts->count; k++)
            do_call(part, contexts->handles[k], &call);
        for (int k = 0; k < contexts->count; k++)
            part->order(contexts->handles[k]);
        advance(&call);
    }
    double seconds = run_elapsed(run, started, timer_now());
    run_stop(run);
    return seconds / (double)run->iterations / contexts->count;
}

/* ---- What is subtracted ---- */

static double quiet_alone(struct run *run)
{
    const struct context_state *state = run->state;
    return empty_quiet(run, run->remote, state->partner.pe, state->contexts.handles);
}

static double operation_alone(struct run *run)
{
    const struct part *part = run->function->variant;
    const struct part alone = {part->op, NULL, part->get, true};
    warm(run);
    return part_loop(run, &alone);
}

/* As it is in front of its quiet, with nothing outstanding. */
static double operation_before_quiet(struct run *run)
{
    const struct part *part = run->function->variant;
    const struct context_state *state = run->state;
    shmem_ctx_t context = state->contexts.handles[0];
    struct call call = call_of(run);
    struct apart apart = {0};
    warm(run);
    for (int64_t i = 0; i < run->iterations; i++) {
        apart_begin(&apart);
        do_call(part, context, &call);
        apart_end(&apart);
        shmem_ctx_quiet(context);
        advance(&call);
    }
    return apart_or_together(run, apart_seconds(&apart, run->iterations), operation_alone);
}

#endif

static void demand(const struct measurement *function, const struct argument *arguments, int pes,
                   struct demand *demand)
{
    (void)pes;
    demand->local = demand->remote = demand->reported = (size_t)argument_value(
        function, arguments, "count", argument_value(function, arguments, "nb", 0));
}

static void demand_ordering(const struct measurement *function, const struct argument *arguments,
                            int pes, struct demand *demand_of)
{
    demand(function, arguments, pes, demand_of);
    demand_of->scratch = sizeof(struct completion);
}

/* clang-format off */
#define CONTEXTS {"contexts", PARAMETER_INT, "", "contexts that each have an operation in flight at the same time", .minimum = 1, .maximum = MOST_CONTEXTS, .example = "2"}
#define BYTES_PUT {"nb", PARAMETER_INT, "bytes", "data put to the next rank before each call", .size = true, .example = "1024"}
#define OPTIONS(options) &(const long){options}
/* clang-format on */

#define COMMON                                                                                     \
    .api = API_OPENSHMEM, .who = "all", SHMEM_STATE(struct context_state),                         \
    .teardown = WITH_SHMEM(tear_down)
#define CREATE(kind)                                                                               \
    COMMON, .no_data = true, .setup = WITH_SHMEM(set_up_creation),                                 \
            .run = WITH_SHMEM(run_creations),                                                      \
            .timed = "ctx_create, after a ctx_destroy of another", .timing = TIMING_WHOLE,         \
            .cost = "ctx_create", .variant = OPTIONS(kind)
#define DESTROY(kind)                                                                              \
    COMMON, .no_data = true, .setup = WITH_SHMEM(set_up_creation),                                 \
            .run = WITH_SHMEM(run_destructions), .timed = "ctx_destroy", .timing = TIMING_WHOLE,   \
            .cost = "ctx_destroy", .variant = OPTIONS(kind)

#define DATA .fill = WITH_SHMEM(fill), .verify = WITH_SHMEM(verify)
#define ON_ONE                                                                                     \
    COMMON, DATA, .timing = TIMING_PARTS, .setup = WITH_SHMEM(set_up), .run = WITH_SHMEM(run_part)
#define OF_SIZE ON_ONE, .demand = demand, .parameters = {COUNT_BYTES, ITERATIONS}
#define ORDERING ON_ONE, .demand = demand_ordering, .moves = MOVES_NOTHING
#define BEHIND_PUT ORDERING, .parameters = {ITERATIONS, BYTES_PUT}
#define MINUS_QUIET .reference = WITH_SHMEM(quiet_alone), .subtracted = "an empty quiet"
#define MINUS_POST                                                                                 \
    .reference = WITH_SHMEM(operation_before_quiet),                                               \
    .subtracted = "the post, with nothing outstanding before it"
#define ON_SEVERAL                                                                                 \
    COMMON, DATA, .timing = TIMING_PARTS, .demand = demand, .setup = WITH_SHMEM(set_up),           \
                  .run = WITH_SHMEM(run_several),                                                  \
                  .parameters = {COUNT_BYTES, CONTEXTS, ITERATIONS}

const struct measurement measurements_context[] = {
    {"Shmem_Ctx_Create_Serialized", "creating a context for one thread at a time",
     .routine = "shmem_ctx_create", CREATE(SHMEM_CTX_SERIALIZED)},
    {"Shmem_Ctx_Create_Private", "creating a context for one thread only",
     .routine = "shmem_ctx_create", CREATE(SHMEM_CTX_PRIVATE)},
    {"Shmem_Ctx_Create_Nostore", "creating a context without stores to memory",
     .routine = "shmem_ctx_create", CREATE(SHMEM_CTX_NOSTORE)},
    {"Shmem_Ctx_Destroy_Serialized", "destroying a context for one thread at a time",
     .routine = "shmem_ctx_destroy", DESTROY(SHMEM_CTX_SERIALIZED)},
    {"Shmem_Ctx_Destroy_Private", "destroying a context for one thread only",
     .routine = "shmem_ctx_destroy", DESTROY(SHMEM_CTX_PRIVATE)},
    {"Shmem_Ctx_Destroy_Nostore", "destroying a context without stores to memory",
     .routine = "shmem_ctx_destroy", DESTROY(SHMEM_CTX_NOSTORE)},

    {"Shmem_Ctx_Put_Round", "put around the ring on a user context until it is complete",
     .routine = "shmem_ctx_put", .calls = "shmem_ctx_quiet", OF_SIZE, MINUS_QUIET,
     .moves = MOVES_MESSAGE, .timed = "put + quiet", .cost = "post + wire",
     .variant = PART(shmem_ctx_putmem, shmem_ctx_quiet, false, false)},
    {"Shmem_Ctx_Put_Full", "put and quiet around the ring on a user context",
     .routine = "shmem_ctx_put", .calls = "shmem_ctx_quiet", OF_SIZE, .moves = MOVES_MESSAGE,
     .timed = "put + quiet", .cost = "post + wire + quiet",
     .variant = PART(shmem_ctx_putmem, shmem_ctx_quiet, false, false)},
    {"Shmem_Ctx_Put_Call", "the put call alone on a user context", .routine = "shmem_ctx_put",
     OF_SIZE, .moves = MOVES_NOTHING, .timed = "put; quiet untimed", .cost = "post",
     .variant = PART(shmem_ctx_putmem, NULL, false, true)},
    {"Shmem_Ctx_Put_Nonblocking_Post", "posting a non-blocking put on a user context",
     .routine = "shmem_ctx_put_nbi", OF_SIZE, .moves = MOVES_NOTHING,
     .timed = "put_nbi; quiet untimed", .cost = "post",
     .variant = PART(shmem_ctx_putmem_nbi, NULL, false, true)},
    {"Shmem_Ctx_Put_Nonblocking_Full", "non-blocking put and quiet on a user context",
     .routine = "shmem_ctx_put_nbi", .calls = "shmem_ctx_quiet", OF_SIZE, .moves = MOVES_MESSAGE,
     .timed = "put_nbi + quiet", .cost = "post + wire + quiet",
     .variant = PART(shmem_ctx_putmem_nbi, shmem_ctx_quiet, false, false)},
    {"Shmem_Ctx_Put_Nonblocking_Quiet", "quiet of a user context right after a non-blocking put",
     .routine = "shmem_ctx_quiet", .calls = "shmem_ctx_put_nbi", OF_SIZE, MINUS_POST,
     .moves = MOVES_NOTHING, .timed = "put_nbi + quiet", .cost = "wire + quiet",
     .variant = PART(shmem_ctx_putmem_nbi, shmem_ctx_quiet, false, false)},
    {"Shmem_Ctx_Get_Round", "get around the ring on a user context", .routine = "shmem_ctx_get",
     OF_SIZE, .moves = MOVES_MESSAGE, .timed = "get", .cost = "post + wire",
     .variant = PART(shmem_ctx_getmem, NULL, true, false)},
    {"Shmem_Ctx_Get_Nonblocking_Post", "posting a non-blocking get on a user context",
     .routine = "shmem_ctx_get_nbi", OF_SIZE, .moves = MOVES_NOTHING,
     .timed = "get_nbi; quiet untimed", .cost = "post",
     .variant = PART(shmem_ctx_getmem_nbi, NULL, true, true)},
    {"Shmem_Ctx_Get_Nonblocking_Full", "non-blocking get and quiet on a user context",
     .routine = "shmem_ctx_get_nbi", .calls = "shmem_ctx_quiet", OF_SIZE, .moves = MOVES_MESSAGE,
     .timed = "get_nbi + quiet", .cost = "post + wire + quiet",
     .variant = PART(shmem_ctx_getmem_nbi, shmem_ctx_quiet, true, false)},
    {"Shmem_Ctx_Get_Nonblocking_Quiet", "quiet of a user context right after a non-blocking get",
     .routine = "shmem_ctx_quiet", .calls = "shmem_ctx_get_nbi", OF_SIZE, MINUS_POST,
     .moves = MOVES_NOTHING, .timed = "get_nbi + quiet", .cost = "wire + quiet",
     .variant = PART(shmem_ctx_getmem_nbi, shmem_ctx_quiet, true, false)},

    {"Shmem_Ctx_Quiet", "quiet of a user context with nothing outstanding",
     .routine = "shmem_ctx_quiet", ORDERING, .parameters = {ITERATIONS}, .timed = "quiet",
     .cost = "quiet", .variant = PART(NULL, shmem_ctx_quiet, false, false)},
    {"Shmem_Ctx_Fence", "fence of a user context with nothing outstanding",
     .routine = "shmem_ctx_fence", ORDERING, .parameters = {ITERATIONS}, .timed = "fence",
     .cost = "fence", .variant = PART(NULL, shmem_ctx_fence, false, false)},
    {"Shmem_Ctx_Quiet_Put", "quiet of a user context alone after a put to the next rank",
     .routine = "shmem_ctx_quiet", .calls = "shmem_ctx_put", BEHIND_PUT, .timed = "put + quiet",
     .reference = WITH_SHMEM(operation_before_quiet),
     .subtracted = "the put, with nothing outstanding before it", .cost = "wire + quiet",
     .variant = PART(shmem_ctx_putmem, shmem_ctx_quiet, false, false)},
    {"Shmem_Ctx_Fence_Put", "fence of a user context alone after a put to the next rank",
     .routine = "shmem_ctx_fence", .calls = "shmem_ctx_put", BEHIND_PUT, .timed = "put + fence",
     .reference = WITH_SHMEM(operation_alone), .subtracted = "the put, measured alone",
     .cost = "fence", .variant = PART(shmem_ctx_putmem, shmem_ctx_fence, false, true)},

    {"Shmem_Ctx_Put_Nonblocking_Several", "non-blocking puts in flight on several user contexts",
     .routine = "shmem_ctx_put_nbi", .calls = "shmem_ctx_quiet", ON_SEVERAL, .moves = MOVES_MESSAGE,
     .timed = "a put_nbi on each context, then a quiet of each, divided by the contexts",
     .variant = PART(shmem_ctx_putmem_nbi, shmem_ctx_quiet, false, false)},
    {"Shmem_Ctx_Get_Nonblocking_Several", "non-blocking gets in flight on several user contexts",
     .routine = "shmem_ctx_get_nbi", .calls = "shmem_ctx_quiet", ON_SEVERAL, .moves = MOVES_MESSAGE,
     .timed = "a get_nbi on each context, then a quiet of each, divided by the contexts",
     .variant = PART(shmem_ctx_getmem_nbi, shmem_ctx_quiet, true, false)},
    {.name = NULL},
};
