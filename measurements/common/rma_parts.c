/*
 * The parts of put, get and their relatives: the cost of posting, the cost until the
 * operation is complete, and the part that is overlapped by computation (method of Coti & Malony,
 * sections 3.1 and 3.3).
 */
#include "measurements/common/rma_parts.h"

/* ---- What is moved ---- */

/* Memory of one operation: count elements, one in stride of which is moved. Bytes. */
struct layout {
    size_t element, stride, count;
};

static struct layout layout_of(const struct run *run)
{
    const struct value *count = run_find_argument(run, "count");
    if (!count)
        return (struct layout){sizeof(int), 1, 1}; /* p and g */
    return (struct layout){(size_t)run_integer(run, "element_bytes", 1),
                           (size_t)run_integer(run, "stride", 1), (size_t)count->integer};
}

static size_t layout_bytes(const struct layout *layout)
{
    return layout->element * layout->stride * layout->count;
}

/* Ranks that work on the same PE have places of their own there, in different cache lines. */
static size_t place_bytes(size_t bytes)
{
    return ROUND_UP(bytes, LINE);
}

static const char *check(const struct run *run)
{
    struct layout layout = layout_of(run);
    if (layout.element == 0 || layout.element > 16 || (layout.element & (layout.element - 1)) != 0)
        return "element_bytes must be 1, 2, 4, 8 or 16";
    if (layout.count > 0 && layout.stride > PTRDIFF_MAX / layout.element / layout.count)
        return "count times stride is more than can be addressed";
    return NULL;
}

static void demand(struct run *run)
{
    const struct rma *rma = run->function->variant;
    struct layout layout = layout_of(run);
    size_t bytes = layout_bytes(&layout);
    run->demand.local = bytes;
    run->demand.remote = rma->static_object               ? 0
                         : rma->shape == SHAPE_ALL_TO_ONE ? place_bytes(bytes) * (size_t)run->size
                                                          : bytes;
    run->demand.reported = layout.element * layout.count;
}

/* A computation makes a single operation long enough for the timer. The first one after the wait
 * for a common start is slower than those of the reference, which follow each other: among this
 * many, it does not show. */
#define FEWEST_PAUSED 8

#if SKAMPI_SHMEM

#include <math.h>
#include <string.h>

#include "measurements/common/openshmem.h"

/* Pauses last this many times the complete operation, so that it could be over before they end. */
#define PAUSE_FACTOR 2
#define FULL_SAMPLES 5

/* With a guard after it. */
static _Alignas(LINE) unsigned char static_object[RMA_STATIC_BYTES + LINE];

struct rma_state {
    struct partner partner;
    int *pes;                      /* the partner's targets */
    double pause;                  /* seconds of computation between post and quiet */
    struct user_contexts contexts; /* none or one */
};

/* ---- The library's routines ---- */

enum form { FORM_BLOCK, FORM_STRIDED, FORM_P, FORM_G, FORM_CONTEXT };

typedef void context_function(shmem_ctx_t, void *target, const void *source, size_t bytes, int pe);

struct routine {
    const char *name; /* the function's word */
    enum form form;
    bool get;
    block_function *bytes; /* these two: where no size of elements is given */
    strided_function *strided_bytes;
    block_function *const *elements;
    strided_function *const *strided;
    context_function *on_context;
};

/* Bytes in strides are those of char, as Iput_Round has always moved them: whoever watches or
 * replaces routines of the library looks for these names. */
static void char_iput(void *target, const void *source, ptrdiff_t target_stride,
                      ptrdiff_t source_stride, size_t count, int pe)
{
    shmem_char_iput(target, source, target_stride, source_stride, count, pe);
}

static void char_iget(void *target, const void *source, ptrdiff_t target_stride,
                      ptrdiff_t source_stride, size_t count, int pe)
{
    shmem_char_iget(target, source, target_stride, source_stride, count, pe);
}

/* clang-format off */
static const struct routine routines[] = {
    {.name = "put", .bytes = shmem_putmem, .elements = sized_put, .on_context = shmem_ctx_putmem},
    {.name = "put_nbi", .bytes = shmem_putmem_nbi, .elements = sized_put_nbi, .on_context = shmem_ctx_putmem_nbi},
    {.name = "get", .get = true, .bytes = shmem_getmem, .elements = sized_get, .on_context = shmem_ctx_getmem},
    {.name = "get_nbi", .get = true, .bytes = shmem_getmem_nbi, .elements = sized_get_nbi, .on_context = shmem_ctx_getmem_nbi},
    {.name = "p", .form = FORM_P},
    {.name = "g", .form = FORM_G, .get = true},
    {.name = "iput", .form = FORM_STRIDED, .strided_bytes = char_iput, .strided = sized_iput},
    {.name = "iget", .form = FORM_STRIDED, .get = true, .strided_bytes = char_iget, .strided = sized_iget},
#if SKAMPI_SHMEM_1_5
    {.name = "put_signal", .bytes = put_signal},
    {.name = "put_signal_nbi", .bytes = put_signal_nbi},
#endif
};
/* clang-format on */

static const struct routine *routine_of(const struct run *run)
{
    const struct routine *routine = routines;
    while (strcmp(routine->name, run->function->word) != 0)
        routine++;
    return routine;
}

/* Operations one after the other, with their arguments worked out. */
struct call {
    enum form form;
    block_function *block;
    strided_function *strided;
    context_function *on_context;
    shmem_ctx_t context;
    void *target;
    const void *source;
    size_t count;
    ptrdiff_t stride;
    size_t target_step, source_step; /* to the next iteration's memory */
    const int *pes;
    int next, targets; /* an iteration is an operation on each of them */
};

/* Where the rank's operations find or leave its data on the other side. */
static unsigned char *place_of(const struct run *run, int rank)
{
    const struct rma *rma = run->function->variant;
    if (rma->static_object)
        return static_object;
    return run->remote +
           (rma->shape == SHAPE_ALL_TO_ONE ? (size_t)rank * place_bytes(run->demand.local) : 0);
}

static struct call call_of(const struct run *run)
{
    const struct routine *routine = routine_of(run);
    const struct rma_state *state = run->state;
    struct layout layout = layout_of(run);
    bool user_context = state->contexts.count > 0;
    bool sized = run_integer(run, "element_bytes", 0) > 0;
    int size = size_log2(layout.element);
    unsigned char *remote = place_of(run, run->rank);
    return (struct call){
        .form = user_context ? FORM_CONTEXT : routine->form,
        .block = sized && routine->elements ? routine->elements[size] : routine->bytes,
        .strided = sized && routine->strided ? routine->strided[size] : routine->strided_bytes,
        .on_context = routine->on_context,
        .context = user_context ? state->contexts.handles[0] : SHMEM_CTX_DEFAULT,
        .target = routine->get ? run->local : remote,
        .source = routine->get ? remote : run->local,
        .count = layout.count,
        .stride = (ptrdiff_t)layout.stride,
        .target_step = routine->get ? run->local_step : run->remote_step,
        .source_step = routine->get ? run->remote_step : run->local_step,
        .pes = state->pes,
        .targets = state->partner.targets};
}

static inline void do_call_as(struct call *call, enum form form)
{
    int pe = call->pes[call->next], value;
    switch (form) {
    case FORM_BLOCK:
        call->block(call->target, call->source, call->count, pe);
        break;
    case FORM_STRIDED:
        call->strided(call->target, call->source, call->stride, call->stride, call->count, pe);
        break;
    case FORM_P:
        memcpy(&value, call->source, sizeof value);
        shmem_int_p(call->target, value, pe);
        break;
    case FORM_G:
        value = shmem_int_g(call->source, pe);
        memcpy(call->target, &value, sizeof value);
        break;
    case FORM_CONTEXT:
        call->on_context(call->context, call->target, call->source, call->count, pe);
        break;
    }
    if (++call->next < call->targets)
        return;
    call->next = 0;
    call->target = (unsigned char *)call->target + call->target_step;
    call->source = (const unsigned char *)call->source + call->source_step;
}

static inline void do_call(struct call *call)
{
    do_call_as(call, call->form);
}

static inline void complete_as(const struct call *call, enum form form)
{
    if (form == FORM_CONTEXT)
        shmem_ctx_quiet(call->context);
    else
        shmem_quiet();
}

static void complete(const struct call *call)
{
    complete_as(call, call->form);
}

static inline void do_calls_as(struct call *call, int64_t count, int quiets, enum form form)
{
    struct call in_registers = *call;
    while (count-- > 0) {
        do_call_as(&in_registers, form);
        for (int i = 0; i < quiets; i++)
            complete_as(&in_registers, form);
    }
    *call = in_registers;
}

/* Operations, with a number of quiets after each. A loop for each form: an operation may take as
 * little as ten nanoseconds, of which finding out what to call must not be a part. */
static void do_calls(struct call *call, int64_t count, int quiets)
{
    switch (call->form) {
    case FORM_BLOCK:
        do_calls_as(call, count, quiets, FORM_BLOCK);
        break;
    case FORM_STRIDED:
        do_calls_as(call, count, quiets, FORM_STRIDED);
        break;
    case FORM_P:
        do_calls_as(call, count, quiets, FORM_P);
        break;
    case FORM_G:
        do_calls_as(call, count, quiets, FORM_G);
        break;
    case FORM_CONTEXT:
        do_calls_as(call, count, quiets, FORM_CONTEXT);
        break;
    }
}

static bool acting(const struct run *run)
{
    return ((const struct rma_state *)run->state)->partner.acting;
}

/* Operations of this PE in a repetition; 0 if it does not act. */
static int64_t operations(const struct run *run)
{
    return run->iterations * ((const struct rma_state *)run->state)->partner.targets;
}

/* Seconds for an operation and the quiets after it. */
static double time_calls(struct run *run, struct call *call, int quiets)
{
    int64_t all = operations(run), start = timer_now();
    do_calls(call, all, quiets);
    return run_elapsed(run, start, timer_now()) / (double)all;
}

/* Operations in bursts of at most set_max_outstanding: body does some, and returns the seconds that
 * they took. Between bursts, untimed, the send queue is drained, since a full queue would be
 * measured instead of the post. */
static double in_bursts(struct run *run,
                        double (*body)(struct run *, struct call *, int64_t operations))
{
    struct call call = call_of(run);
    double seconds = 0;
    int64_t all = operations(run), burst = run->settings->max_outstanding;
    for (int64_t done = 0; done < all; done += burst) {
        seconds += body(run, &call, all - done < burst ? all - done : burst);
        complete(&call);
    }
    return seconds / (double)all;
}

static double burst_of_posts(struct run *run, struct call *call, int64_t count)
{
    int64_t start = timer_now();
    do_calls(call, count, 0);
    return run_elapsed(run, start, timer_now());
}

/* ---- The data ---- */

static bool moved(struct run *run, const char *what, const void *memory, int rank)
{
    struct layout layout = layout_of(run);
    if (routine_of(run)->form == FORM_STRIDED)
        return data_verify_strided(run, what, memory, layout.element, layout.stride, layout.count,
                                   rank);
    return data_verify(run, what, memory, layout_bytes(&layout), rank);
}

/* On the other side: what belongs to all ranks, and the guard of a static object. */
static size_t other_side(const struct run *run, unsigned char **memory)
{
    const struct rma *rma = run->function->variant;
    *memory = rma->static_object ? static_object : run->remote;
    return rma->static_object ? run->demand.local + LINE : run->demand.remote;
}

static void fill(struct run *run)
{
    const struct partner *partner = &((struct rma_state *)run->state)->partner;
    unsigned char *other;
    size_t bytes = other_side(run, &other);
    data_poison(other, bytes);
    if (!routine_of(run)->get) {
        pattern_fill(run->local, run->demand.local, data_key(run, run->rank));
        return;
    }
    data_poison(run->local, run->demand.local);
    for (int i = 0; i < partner->sources; i++)
        pattern_fill(place_of(run, partner->source + i), run->demand.local,
                     data_key(run, run->rank));
}

/* Puts: the sources' data in their places, nothing else written, the source as it was. */
static bool verify_put(struct run *run)
{
    const struct partner *partner = &((struct rma_state *)run->state)->partner;
    unsigned char *other, *from;
    size_t bytes = other_side(run, &other), used = run->demand.local;
    from = other;
    for (int i = 0; i < partner->sources; i++) {
        unsigned char *place = place_of(run, partner->source + i);
        if (!data_verify_untouched(run, "memory that no rank puts to", from,
                                   (size_t)(place - from)) ||
            !moved(run, "the data that another rank put", place, partner->source + i))
            return false;
        from = place + used;
    }
    return data_verify_untouched(run, "memory that no rank puts to", from,
                                 (size_t)(other + bytes - from)) &&
           data_verify(run, "the source of a put", run->local, used, run->rank);
}

/* Gets: of several targets, the last one's data are there. */
static bool verify_get(struct run *run)
{
    const struct partner *partner = &((struct rma_state *)run->state)->partner;
    bool good = partner->acting ? moved(run, "the data got from another rank", run->local,
                                        partner->rank + partner->targets - 1)
                                : data_verify_untouched(run, "memory that no get writes to",
                                                        run->local, run->demand.local);
    for (int i = 0; good && i < partner->sources; i++)
        good = data_verify(run, "the source of a get", place_of(run, partner->source + i),
                           run->demand.local, run->rank);
    return good;
}

static bool verify(struct run *run)
{
    return routine_of(run)->get ? verify_get(run) : verify_put(run);
}

/* ---- Set-up ---- */

bool rma_set_up(struct run *run)
{
    const struct rma *rma = run->function->variant;
    struct rma_state *state = run->state;
    state->partner = shape_partner(run, rma->shape, run_integer(run, "therank", 0));
    state->pes = run_allocate(run, (size_t)state->partner.targets, sizeof *state->pes);
    size_t element = layout_of(run).element;
    if ((uintptr_t)run->local % element || (uintptr_t)run->remote % element)
        return run_fail(run, ALIGNMENT_TEXT, element); /* on all ranks alike */
    for (int i = 0; i < state->partner.targets; i++)
        state->pes[i] = pe_set_member(run->set, state->partner.rank + i);
    return !rma->user_context || contexts_open(run, &state->contexts, 1, SHMEM_CTX_SERIALIZED);
}

bool rma_set_up_pause(struct run *run)
{
    struct rma_state *state = run->state;
    /* Where one rank has failed, the others go on, and wait for it in run_max(). */
    bool good = rma_set_up(run);
    const struct call call = call_of(run);
    double full = 0;
    for (int i = 0; good && acting(run) && i < FULL_SAMPLES; i++) {
        struct call again = call;
        full = time_calls(run, &again, 1); /* the last one: the first are slow */
    }
    state->pause = PAUSE_FACTOR * run_max(run, full);
    return good;
}

static void tear_down(struct run *run)
{
    contexts_destroy(&((struct rma_state *)run->state)->contexts);
}

/* ---- What is timed ---- */

/* Untimed operations at each new place make it warm. */
static void warm(struct run *run)
{
    const struct rma_state *state = run->state;
    if (!acting(run) || !warm_places(run))
        return;
    struct call call = call_of(run);
    do_calls(&call, state->partner.targets, 0);
    complete(&call);
}

/* The wait for a common start may leave the caches cold, for which the first operation then pays.
 * Where something is subtracted or timed apart, that was measured warm, and so is this: the
 * operations that make places warm come after the wait. */
static int64_t start(struct run *run)
{
    if (run->function->timing != TIMING_PARTS) {
        warm(run);
        return run_start(run);
    }
    run_start(run);
    warm(run);
    return timer_now();
}

static double finish(struct run *run, int64_t started)
{
    int64_t stopped = run_stop(run);
    return acting(run) ? run_elapsed(run, started, stopped) / (double)operations(run) : NAN;
}

static double run_calls(struct run *run, int quiets)
{
    struct call call = call_of(run);
    int64_t started = start(run);
    do_calls(&call, operations(run), quiets);
    return finish(run, started);
}

static double run_blocking(struct run *run)
{
    return run_calls(run, 0);
}

static double run_full(struct run *run)
{
    return run_calls(run, 1);
}

static double run_post(struct run *run)
{
    start(run);
    double seconds = acting(run) ? in_bursts(run, burst_of_posts) : NAN;
    run_stop(run);
    return seconds;
}

/* Post, computation, quiet; the computation's measured length is taken off. */
static double run_paused(struct run *run)
{
    struct rma_state *state = run->state;
    struct call call = call_of(run);
    double paused = 0;
    int64_t all = operations(run), started = start(run);
    for (int64_t i = 0; i < all; i++) {
        do_call(&call);
        paused += run_pause(state->pause);
        shmem_quiet();
    }
    return finish(run, started) - paused / (double)operations(run);
}

/* Tells the engine what is timed, for counters. The cost of the readings stays in. */
static int64_t timed_inside(struct run *run, int64_t from, int64_t to)
{
    run_elapsed(run, from, to);
    return to - from;
}

/* Timed where they stand, algorithms 7 and 8 of Coti & Malony: two readings in each iteration,
 * right before and right after what is timed (post, quiet, or both with nothing in between). What
 * a reading costs is in the result, and nothing is taken off. There to show the difference. */
double rma_run_timed_inside(struct run *run)
{
    const struct rma *rma = run->function->variant;
    const struct rma_state *state = run->state;
    struct call call = call_of(run);
    bool posts = rma->timed_inside & RMA_POSTS, quiets = rma->timed_inside & RMA_QUIETS;
    double paused = 0; /* while the timer runs */
    int64_t ticks = 0, begin = 0, all = operations(run);
    start(run);
    for (int64_t i = 0; i < all; i++) {
        if (posts)
            begin = timer_now();
        do_call(&call);
        if (!quiets)
            ticks += timed_inside(run, begin, timer_now());
        double pause = state->pause > 0 ? run_pause(state->pause) : 0;
        if (posts)
            paused += pause;
        else
            begin = timer_now();
        shmem_quiet();
        if (quiets)
            ticks += timed_inside(run, begin, timer_now());
    }
    run_stop(run);
    return acting(run) ? (timer_seconds(ticks) - paused) / (double)all : NAN;
}

/* ---- What is subtracted ---- */

/* The cost of a quiet that has nothing to complete, when it follows one that had. */
static double quiet_alone(struct run *run)
{
    if (!acting(run))
        return 0;
    struct call call = call_of(run);
    call.count = 1;
    /* Calls with one quiet and with two work on the same place, which the first call warms: the
     * difference is a quiet. */
    call.target_step = call.source_step = 0;
    do_call(&call);
    complete(&call);
    double once = time_calls(run, &call, 1);
    return time_calls(run, &call, 2) - once;
}

/* The cost of a post when nothing is outstanding, as it is before its quiet: some libraries take
 * longer for a post if more is outstanding. The timer is read right after each post to exclude the
 * quiet; the cost of that reading is subtracted. */
static double post_by_post(struct run *run)
{
    const struct rma_state *state = run->state;
    struct call call = call_of(run);
    struct single_timing apart = {0};
    int64_t all = operations(run);
    for (int64_t i = 0; i < all; i++) {
        apart_begin(&apart);
        do_call(&call);
        if (state->pause > 0)
            apart.paused += run_pause(state->pause);
        apart_end(&apart);
        complete(&call);
    }
    return apart_seconds(&apart, all);
}

static double posts_together(struct run *run)
{
    return in_bursts(run, burst_of_posts);
}

static double post_alone(struct run *run)
{
    const struct rma_state *state = run->state;
    warm(run);
    if (!acting(run))
        return 0;
    double apart = post_by_post(run);
    /* A computation reads the timer itself, so that the processor never works ahead. */
    return state->pause > 0 ? apart : apart_or_together(run, apart, posts_together);
}

/* What a computation costs beyond its measured length, which depends on that length: the end of
 * a short loop is predicted, that of a long one is not. It comes after the operation, as where it
 * is subtracted: computations in a row are faster. */
static double pause_alone(struct run *run)
{
    const struct rma_state *state = run->state;
    if (!acting(run))
        return 0;
    struct call call = call_of(run);
    struct single_timing apart = {0};
    int64_t all = operations(run);
    warm(run);
    for (int64_t i = 0; i < all; i++) {
        do_call(&call);
        complete(&call);
        apart_begin(&apart);
        apart.paused += run_pause(state->pause);
        apart_end(&apart);
    }
    return apart_seconds(&apart, all);
}

#endif

/* ---- What functions are like ---- */

const struct measurement rma_common = {
    .api = API_OPENSHMEM,
    .local_anywhere = true,
    .check = check,
    .demand = demand,
    SHMEM_STATE(struct rma_state),
    .fill = WITH_SHMEM(fill),
    .verify = WITH_SHMEM(verify),
    .teardown = WITH_SHMEM(tear_down),
};

const struct measurement rma_blocking_of_target = {
    .routine = "shmem_%s",
    .timing = TIMING_WHOLE,
    .moves = MOVES_MESSAGE,
    .timed = "%s",
    .setup = WITH_SHMEM(rma_set_up),
    .run = WITH_SHMEM(run_blocking),
    .like = {&rma_common},
};

const struct measurement rma_blocking = {
    .cost = "post + wire",
    .like = {&rma_blocking_of_target},
};

const struct measurement rma_full_of_target = {
    .routine = "shmem_%s",
    .calls = "shmem_quiet",
    .timing = TIMING_WHOLE,
    .moves = MOVES_MESSAGE,
    .timed = "%s + quiet",
    .setup = WITH_SHMEM(rma_set_up),
    .run = WITH_SHMEM(run_full),
    .like = {&rma_common},
};

const struct measurement rma_full = {
    .cost = "post + wire + quiet",
    .like = {&rma_full_of_target},
};

const struct measurement rma_until_complete = {
    .timing = TIMING_PARTS,
    .subtracted = "an empty quiet",
    .cost = "post + wire",
    .reference = WITH_SHMEM(quiet_alone),
    .like = {&rma_full_of_target},
};

const struct measurement rma_post = {
    .routine = "shmem_%s",
    .timing = TIMING_PARTS,
    .moves = MOVES_NOTHING,
    .timed = "%s; quiet untimed",
    .cost = "post",
    .setup = WITH_SHMEM(rma_set_up),
    .run = WITH_SHMEM(run_post),
    .like = {&rma_common},
};

const struct measurement rma_quiet = {
    .routine = "shmem_quiet",
    .calls = "shmem_%s",
    .timing = TIMING_PARTS,
    .moves = MOVES_NOTHING,
    .subtracted = "the post, with nothing outstanding before it",
    .cost = "wire + quiet",
    .reference = WITH_SHMEM(post_alone),
    .like = {&rma_full_of_target},
};

const struct measurement rma_quiet_delayed = {
    .timed = "%s + computation of twice the full operation + quiet",
    .subtracted =
        "the computation's measured length, and the post, with nothing outstanding before it",
    .cost = "hidden + quiet",
    .fewest_iterations = FEWEST_PAUSED,
    .setup = WITH_SHMEM(rma_set_up_pause),
    .run = WITH_SHMEM(run_paused),
    .like = {&rma_quiet},
};

const struct measurement rma_overlap = {
    .routine = "shmem_%s",
    .calls = "shmem_quiet",
    .subtracted = "the computation's measured length",
    .cost = "post + hidden + quiet",
    .reference = WITH_SHMEM(pause_alone),
    .like = {&rma_quiet_delayed},
};

const struct measurement rma_ring = {
    .parameters = {COUNT_BYTES, ITERATIONS},
    .who = "all",
    .variant = &(const struct rma){.shape = SHAPE_RING},
};

const struct measurement rma_pair = {
    .parameters = {COUNT_BYTES, ITERATIONS},
    .minimum_pes = 2,
    .who = "rank 0",
    .variant = &(const struct rma){.shape = SHAPE_PAIR},
};

const struct measurement rma_single = {
    .parameters = {COUNT_BYTES, ITERATIONS, THE_RANK},
    .who = "therank",
    .variant = &(const struct rma){.shape = SHAPE_SINGLE},
};
