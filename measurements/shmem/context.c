/*
 * Communication contexts: creating and destroying them, put, get, quiet and fence on one, and
 * non-blocking operations in flight on several.
 */
#include "measurements/common/openshmem.h"
#include "measurements/common/rma_parts.h"

#define MOST_CONTEXTS 64

#if SKAMPI_SHMEM

struct context_state {
    struct user_contexts contexts;
    struct partner partner; /* of operations on several */
};

static void tear_down(struct run *run)
{
    contexts_destroy(&((struct context_state *)run->state)->contexts);
}

/* ---- Creating and destroying ---- */

struct creation {
    long options;
    bool destroys; /* which is timed, then */
};

/* One context at a time: a library may keep a destroyed context for the next creation, and a second
 * context at the same time then costs milliseconds instead of nanoseconds. */
static bool set_up_creation(struct run *run)
{
    const struct creation *creation = run->function->variant;
    struct context_state *state = run->state;
    return contexts_open(run, &state->contexts, 1, creation->options);
}

static double run_creation(struct run *run)
{
    const struct creation *creation = run->function->variant;
    struct user_contexts *contexts = &((struct context_state *)run->state)->contexts;
    bool good = true;
    if (!creation->destroys)
        contexts_destroy(contexts);
    int64_t started = run_start(run);
    if (creation->destroys)
        contexts_destroy(contexts);
    else
        good = contexts_create(contexts, 1, creation->options);
    int64_t stopped = run_stop(run);
    if (creation->destroys)
        good = contexts_create(contexts, 1, creation->options);
    if (!good)
        run_fail(run, "rank %d could not create a context", run->rank);
    return run_elapsed(run, started, stopped);
}

/* ---- An operation on each of several contexts ---- */

/* On the next rank, by the library's routine itself. */
struct context_operation {
    void (*op)(shmem_ctx_t, void *target, const void *source, size_t bytes, int pe);
    bool get;
};

/* iteration: in the repetition, for the memory that it uses. */
static inline void do_call(const struct run *run, const struct context_operation *several,
                           shmem_ctx_t context, int64_t iteration)
{
    const struct context_state *state = run->state;
    unsigned char *local = run->local + (size_t)iteration * run->local_step,
                  *remote = run->remote + (size_t)iteration * run->remote_step;
    several->op(context, several->get ? local : remote, several->get ? remote : local,
                run->demand.local, state->partner.pe);
}

static void fill(struct run *run)
{
    data_fill(run, ((const struct context_operation *)run->function->variant)->get, run->remote);
}

static bool verify(struct run *run)
{
    const struct context_operation *several = run->function->variant;
    const struct partner *partner = &((const struct context_state *)run->state)->partner;
    return data_verify_moved(run, several->get, run->remote,
                             several->get ? partner->rank : partner->source);
}

/* Each context moves the right data; later that is verified for the last one of several. */
static bool set_up_several(struct run *run)
{
    struct context_state *state = run->state;
    int contexts = (int)run_argument(run, "contexts")->integer;
    state->partner = shape_partner(run, SHAPE_RING, 0);
    if (!contexts_open(run, &state->contexts, contexts, SHMEM_CTX_SERIALIZED))
        return false;
    bool good = true;
    for (int i = 0; i < state->contexts.count; i++) {
        fill(run);
        run_barrier(run);
        do_call(run, run->function->variant, state->contexts.handles[i], 0);
        shmem_ctx_quiet(state->contexts.handles[i]);
        run_barrier(run);
        good = verify(run) && good;
        run_barrier(run);
    }
    return good;
}

/* One operation on each context, then a quiet of each. An untimed operation at each new place makes
 * it warm. */
static double run_several(struct run *run)
{
    const struct context_operation *several = run->function->variant;
    const struct context_state *state = run->state;
    const struct user_contexts *contexts = &state->contexts;
    if (warm_places(run)) {
        do_call(run, several, contexts->handles[0], 0);
        shmem_ctx_quiet(contexts->handles[0]);
    }
    run_start(run);
    int64_t started = timer_now();
    for (int64_t i = 0; i < run->iterations; i++) {
        for (int k = 0; k < contexts->count; k++)
            do_call(run, several, contexts->handles[k], i);
        for (int k = 0; k < contexts->count; k++)
            shmem_ctx_quiet(contexts->handles[k]);
    }
    double seconds = run_elapsed(run, started, timer_now());
    run_stop(run);
    return seconds / (double)run->iterations / contexts->count;
}

static const struct context_operation putting = {shmem_ctx_putmem_nbi, false},
                                      getting = {shmem_ctx_getmem_nbi, true};
static const struct creation create_serialized = {SHMEM_CTX_SERIALIZED, false},
                             create_private = {SHMEM_CTX_PRIVATE, false},
                             create_nostore = {SHMEM_CTX_NOSTORE, false},
                             destroy_serialized = {SHMEM_CTX_SERIALIZED, true},
                             destroy_private = {SHMEM_CTX_PRIVATE, true},
                             destroy_nostore = {SHMEM_CTX_NOSTORE, true};

#endif

/* ---- What functions are like ---- */

static const struct measurement common = {
    .api = API_OPENSHMEM,
    .who = "all",
    SHMEM_STATE(struct context_state),
    .teardown = WITH_SHMEM(tear_down),
};

static const struct measurement creation = {
    .routine = "shmem_ctx_create",
    .timing = TIMING_WHOLE,
    .no_data = true,
    .timed = "ctx_create, after a ctx_destroy of another",
    .cost = "ctx_create",
    .setup = WITH_SHMEM(set_up_creation),
    .run = WITH_SHMEM(run_creation),
    .like = {&common},
};

static const struct measurement destruction = {
    .routine = "shmem_ctx_destroy",
    .timed = "ctx_destroy",
    .cost = "ctx_destroy",
    .like = {&creation},
};

/* clang-format off */
#define CONTEXTS {"contexts", PARAMETER_INT, "", "contexts that each have an operation in flight at the same time", .minimum = 1, .maximum = MOST_CONTEXTS, .example = "2"}
/* clang-format on */

static const struct measurement several = {
    .calls = "shmem_ctx_quiet",
    .parameters = {COUNT_BYTES, CONTEXTS, ITERATIONS},
    .timing = TIMING_PARTS,
    .moves = MOVES_MESSAGE,
    .demand = data_demand,
    .setup = WITH_SHMEM(set_up_several),
    .fill = WITH_SHMEM(fill),
    .verify = WITH_SHMEM(verify),
    .run = WITH_SHMEM(run_several),
    .like = {&common},
};

/* Around the ring; the word is the routine's name without "shmem_ctx_". */
static const struct rma on_context = {.shape = SHAPE_RING, .user_context = true};

/* clang-format off */
static const struct measurement until_complete = {.routine = "shmem_ctx_%s", .calls = "shmem_ctx_quiet",
    .variant = &on_context, .like = {&rma_until_complete, &rma_ring}};
static const struct measurement full = {.routine = "shmem_ctx_%s", .calls = "shmem_ctx_quiet",
    .variant = &on_context, .like = {&rma_full, &rma_ring}};
static const struct measurement blocking = {.routine = "shmem_ctx_%s", .variant = &on_context, .like = {&rma_blocking, &rma_ring}};
static const struct measurement post = {.routine = "shmem_ctx_%s", .variant = &on_context, .like = {&rma_post, &rma_ring}};
static const struct measurement quiet = {.routine = "shmem_ctx_quiet", .calls = "shmem_ctx_%s",
    .variant = &on_context, .like = {&rma_quiet, &rma_ring}};

static const struct order by_quiet = {.user_context = true}, by_fence = {.user_context = true, .fence = true};

const struct measurement measurements_context[] = {
    {"Shmem_Ctx_Create_Serialized", "creating a context for one thread at a time", {&creation}, .variant = WITH_SHMEM(&create_serialized)},
    {"Shmem_Ctx_Create_Private", "creating a context for one thread only", {&creation}, .variant = WITH_SHMEM(&create_private)},
    {"Shmem_Ctx_Create_Nostore", "creating a context without stores to memory", {&creation}, .variant = WITH_SHMEM(&create_nostore)},
    {"Shmem_Ctx_Destroy_Serialized", "destroying a context for one thread at a time", {&destruction}, .variant = WITH_SHMEM(&destroy_serialized)},
    {"Shmem_Ctx_Destroy_Private", "destroying a context for one thread only", {&destruction}, .variant = WITH_SHMEM(&destroy_private)},
    {"Shmem_Ctx_Destroy_Nostore", "destroying a context without stores to memory", {&destruction}, .variant = WITH_SHMEM(&destroy_nostore)},

    {"Shmem_Ctx_Put_Round", "put around the ring on a user context until it is complete", {&until_complete}, .word = "put"},
    {"Shmem_Ctx_Put_Full", "put and quiet around the ring on a user context", {&full}, .word = "put"},
    {"Shmem_Ctx_Put_Call", "the put call alone on a user context", {&post}, .word = "put"},
    {"Shmem_Ctx_Put_Nonblocking_Post", "posting a non-blocking put on a user context", {&post}, .word = "put_nbi"},
    {"Shmem_Ctx_Put_Nonblocking_Full", "non-blocking put and quiet on a user context", {&full}, .word = "put_nbi"},
    {"Shmem_Ctx_Put_Nonblocking_Quiet", "quiet of a user context right after a non-blocking put", {&quiet}, .word = "put_nbi"},
    {"Shmem_Ctx_Get_Round", "get around the ring on a user context", {&blocking}, .word = "get"},
    {"Shmem_Ctx_Get_Nonblocking_Post", "posting a non-blocking get on a user context", {&post}, .word = "get_nbi"},
    {"Shmem_Ctx_Get_Nonblocking_Full", "non-blocking get and quiet on a user context", {&full}, .word = "get_nbi"},
    {"Shmem_Ctx_Get_Nonblocking_Quiet", "quiet of a user context right after a non-blocking get", {&quiet}, .word = "get_nbi"},

    {"Shmem_Ctx_Quiet", "quiet of a user context with nothing outstanding", {&ordering_empty}, .routine = "shmem_ctx_quiet", .timed = "quiet", .cost = "quiet", .variant = &by_quiet},
    {"Shmem_Ctx_Fence", "fence of a user context with nothing outstanding", {&ordering_empty}, .routine = "shmem_ctx_fence", .timed = "fence", .cost = "fence", .variant = &by_fence},
    {"Shmem_Ctx_Quiet_Put", "quiet of a user context alone after a put to the next rank", {&ordering_quiet_put}, .routine = "shmem_ctx_quiet", .calls = "shmem_ctx_put", .variant = &by_quiet},
    {"Shmem_Ctx_Fence_Put", "fence of a user context alone after a put to the next rank", {&ordering_fence_put}, .routine = "shmem_ctx_fence", .calls = "shmem_ctx_put", .variant = &by_fence},

    {"Shmem_Ctx_Put_Nonblocking_Several", "non-blocking puts in flight on several user contexts", {&several}, .routine = "shmem_ctx_put_nbi",
     .timed = "a put_nbi on each context, then a quiet of each, divided by the contexts", .variant = WITH_SHMEM(&putting)},
    {"Shmem_Ctx_Get_Nonblocking_Several", "non-blocking gets in flight on several user contexts", {&several}, .routine = "shmem_ctx_get_nbi",
     .timed = "a get_nbi on each context, then a quiet of each, divided by the contexts", .variant = WITH_SHMEM(&getting)},
    {.name = NULL},
};
/* clang-format on */
