/*
 * Quiet and fence: with nothing outstanding, and alone after a put.
 *
 * Non-blocking puts to the next rank, looked for there at once, show whether quiet completes and
 * fence orders what was posted before.
 */
#include "measurements/common/openshmem.h"

/* Symmetric. */
#define COMPLETION_BYTES 256
struct completion {
    unsigned char source[COMPLETION_BYTES], target[COMPLETION_BYTES];
    long flag; /* set after a fence */
};

#if SKAMPI_SHMEM

/* What is called, copied out of the descriptor and the state: loops read it from registers. */
struct calls {
    bool fence, user_context;
    shmem_ctx_t context;
    int pe; /* of the next rank */
};

static struct calls calls_of(const struct run *run)
{
    const struct order *order = run->function->variant;
    const struct user_contexts *contexts = run->state;
    return (struct calls){.fence = order->fence,
                          .user_context = order->user_context,
                          .context = order->user_context ? contexts->handles[0] : SHMEM_CTX_DEFAULT,
                          .pe = pe_set_member(run->set, (run->rank + 1) % run->size)};
}

static inline void quiet(const struct calls *calls)
{
    if (calls->user_context)
        shmem_ctx_quiet(calls->context);
    else
        shmem_quiet();
}

static inline void order(const struct calls *calls)
{
    if (!calls->fence)
        quiet(calls);
    else if (calls->user_context)
        shmem_ctx_fence(calls->context);
    else
        shmem_fence();
}

/* The operation of an iteration. */
static inline void put(const struct run *run, const struct calls *calls, int64_t iteration)
{
    unsigned char *target = run->remote + (size_t)iteration * run->remote_step;
    const unsigned char *source = run->local + (size_t)iteration * run->local_step;
    if (calls->user_context)
        shmem_ctx_putmem(calls->context, target, source, run->demand.local, calls->pe);
    else
        shmem_putmem(target, source, run->demand.local, calls->pe);
}

static bool set_up(struct run *run)
{
    const struct order *order = run->function->variant;
    return !order->user_context || contexts_open(run, run->state, 1, SHMEM_CTX_SERIALIZED);
}

static void tear_down(struct run *run)
{
    contexts_destroy(run->state);
}

/* ---- What is timed, and what is subtracted ---- */

static double run_empty(struct run *run)
{
    const struct calls calls = calls_of(run);
    int64_t started = run_start(run);
    for (int64_t i = 0; i < run->iterations; i++)
        order(&calls);
    return run_elapsed(run, started, run_stop(run)) / (double)run->iterations;
}

/* Bursts of puts, each ordered or followed by nothing, drained untimed after each burst: puts that
 * only a fence follows would pile up. */
static double put_loop(struct run *run, bool ordered)
{
    const struct calls calls = calls_of(run);
    double seconds = 0;
    int64_t burst = run->settings->max_outstanding;
    for (int64_t done = 0; done < run->iterations; done += burst) {
        int64_t count = run->iterations - done < burst ? run->iterations - done : burst;
        int64_t start = timer_now();
        for (int64_t i = 0; i < count; i++) {
            put(run, &calls, done + i);
            if (ordered)
                order(&calls);
        }
        seconds += run_elapsed(run, start, timer_now());
        quiet(&calls);
    }
    return seconds / (double)run->iterations;
}

static void warm(struct run *run)
{
    const struct calls calls = calls_of(run);
    if (!warm_places(run))
        return;
    put(run, &calls, 0);
    quiet(&calls);
}

static double run_after_put(struct run *run)
{
    warm(run);
    run_start(run);
    double seconds = put_loop(run, true);
    run_stop(run);
    return seconds;
}

static double put_alone(struct run *run)
{
    warm(run);
    return put_loop(run, false);
}

/* A put as it is before its quiet, with nothing outstanding. */
static double put_before_quiet(struct run *run)
{
    const struct calls calls = calls_of(run);
    struct single_timing apart = {0};
    warm(run);
    for (int64_t i = 0; i < run->iterations; i++) {
        apart_begin(&apart);
        put(run, &calls, i);
        apart_end(&apart);
        quiet(&calls);
    }
    return apart_or_together(run, apart_seconds(&apart, run->iterations), put_alone);
}

/* ---- The data ---- */

/* The next rank has what was put before a quiet; this rank has what was put before a fence when it
 * sees the flag that was put after it. */
static bool verify_order(struct run *run)
{
    const struct calls calls = calls_of(run);
    struct completion *completion = (struct completion *)(void *)run->scratch;
    unsigned char back[COMPLETION_BYTES];
    pattern_fill(completion->source, COMPLETION_BYTES, data_key(run, run->rank));
    data_poison(completion->target, COMPLETION_BYTES);
    completion->flag = 0;
    run_barrier(run);
    if (calls.user_context)
        shmem_ctx_putmem_nbi(calls.context, completion->target, completion->source,
                             COMPLETION_BYTES, calls.pe);
    else
        shmem_putmem_nbi(completion->target, completion->source, COMPLETION_BYTES, calls.pe);
    order(&calls);
    if (calls.fence && calls.user_context)
        shmem_ctx_long_p(calls.context, &completion->flag, 1, calls.pe);
    else if (calls.fence)
        shmem_long_p(&completion->flag, 1, calls.pe);
    if (calls.fence)
        shmem_long_wait_until(&completion->flag, SHMEM_CMP_NE, 0);
    else
        shmem_getmem(back, completion->target, COMPLETION_BYTES, calls.pe);
    bool right =
        calls.fence
            ? data_verify(run, "what was put before the fence, when what was put after it is there",
                          completion->target, COMPLETION_BYTES,
                          (run->rank + run->size - 1) % run->size)
            : data_verify(run, "what was put before the quiet", back, COMPLETION_BYTES, run->rank);
    shmem_quiet();
    run_barrier(run); /* nobody may begin anew while others look */
    return right;
}

static bool verify(struct run *run)
{
    bool right = verify_order(run);
    return data_verify_put_around(run) && right;
}

#endif

static void demand(struct run *run)
{
    data_demand_bytes(run, (size_t)run_integer(run, "nb", 0));
}

/* ---- What functions are like ---- */

/* clang-format off */
#define BYTES_PUT {"nb", PARAMETER_INT, "bytes", "data put to the next rank before each call", .size = true, .example = "1024"}
/* clang-format on */

static const struct measurement common = {
    .api = API_OPENSHMEM,
    .moves = MOVES_NOTHING,
    .who = "all",
    SHMEM_STATE(struct user_contexts),
    .scratch_bytes = sizeof(struct completion),
    .demand = demand,
    .setup = WITH_SHMEM(set_up),
    .fill = WITH_SHMEM(data_fill_put),
    .verify = WITH_SHMEM(verify),
    .teardown = WITH_SHMEM(tear_down),
};

const struct measurement ordering_empty = {
    .parameters = {ITERATIONS},
    .timing = TIMING_WHOLE,
    .run = WITH_SHMEM(run_empty),
    .like = {&common},
};

const struct measurement ordering_quiet_put = {
    .parameters = {ITERATIONS, BYTES_PUT},
    .timing = TIMING_PARTS,
    .timed = "put + quiet",
    .subtracted = "the put, with nothing outstanding before it",
    .cost = "wire + quiet",
    .run = WITH_SHMEM(run_after_put),
    .reference = WITH_SHMEM(put_before_quiet),
    .like = {&common},
};

const struct measurement ordering_fence_put = {
    .timed = "put + fence",
    .subtracted = "the put, measured alone",
    .cost = "fence",
    .reference = WITH_SHMEM(put_alone),
    .like = {&ordering_quiet_put},
};

static const struct order by_quiet = {.fence = false}, by_fence = {.fence = true};

/* clang-format off */
const struct measurement measurements_ordering[] = {
    {"Shmem_Quiet", "quiet with nothing outstanding", {&ordering_empty}, .routine = "shmem_quiet", .timed = "quiet", .cost = "quiet", .variant = &by_quiet},
    {"Shmem_Fence", "fence with nothing outstanding", {&ordering_empty}, .routine = "shmem_fence", .timed = "fence", .cost = "fence", .variant = &by_fence},
    {"Shmem_Quiet_Put", "quiet alone after a put to the next rank", {&ordering_quiet_put}, .routine = "shmem_quiet", .calls = "shmem_put", .variant = &by_quiet},
    {"Shmem_Fence_Put", "fence alone after a put to the next rank", {&ordering_fence_put}, .routine = "shmem_fence", .calls = "shmem_put", .variant = &by_fence},
    {.name = NULL},
};
/* clang-format on */
