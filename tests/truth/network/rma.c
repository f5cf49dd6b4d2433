/*
 * Put, get, atomics, and what completes them.
 */
#define _GNU_SOURCE /* sched_getaffinity */
#include "interpose.h"

#include <sched.h>

#include "truth/openshmem_types.h"

/* ---- What is outstanding, in each context ---- */

#define MAX_CONTEXTS 64

static struct pending {
    shmem_ctx_t context;
    bool any;
    int64_t count;    /* of them, since the last quiet */
    int64_t complete; /* with progress by itself: when the last of them is */
    int64_t wire;     /* the longest of them; else it passes in a quiet */
} pending[MAX_CONTEXTS];
static size_t pending_count;

static struct pending *pending_of(shmem_ctx_t context)
{
    for (size_t i = 0; i < pending_count; i++) {
        if (pending[i].context == context) {
            return &pending[i];
        }
    }
    if (pending_count == MAX_CONTEXTS) {
        die("too many contexts", "raise MAX_CONTEXTS");
    }
    pending[pending_count] = (struct pending){.context = context};
    return &pending[pending_count++];
}

bool pending_any(shmem_ctx_t context)
{
    return pending_of(context)->any;
}

int64_t pending_complete(shmem_ctx_t context, int64_t time)
{
    struct pending *p = pending_of(context);
    p->count = 0;
    if (network.contention > 0) {
        under_way(false);
    }
    if (p->any) {
        int64_t wire = p->wire;
        p->any = false;
        p->wire = 0;
        return network.progress_by_itself ? later(time, p->complete) : time + wire;
    }
    return time;
}

/* ---- The costs ---- */

/* What a put or get of so many bytes costs. */
static struct transfer {
    int64_t post, wire;
    bool floods; /* others feel it */
} moved;

static int64_t programmed_or_0(enum cost cost)
{
    return later(network.cost[cost], 0);
}

static int64_t contention(void)
{
    return network.contention > 0 ? network.contention * others_under_way() : 0;
}

/* Every so often, one that is much slower. */
static int64_t rare_factor(size_t bytes)
{
    static int64_t count;
    bool counts = network.rare.count > 0 && bytes == network.rare.bytes;
    return counts && ++count % network.rare.count == 0 ? network.rare.factor : 1;
}

/* Buffers of the put or get that comes next. */
static const void *trap_source, *trap_target;

static void lies(const void *source, const void *target)
{
    trap_source = source;
    trap_target = target;
}

static long trap_number(void)
{
    cpu_set_t set;
    int processor = 0;
    switch (network.trap.kind) {
    case TRAP_RELATIVE:
        return (const char *)trap_target - (const char *)trap_source;
    case TRAP_SOURCE:
        return (long)trap_source;
    case TRAP_TARGET:
        return (long)trap_target;
    default:
        sched_getaffinity(0, sizeof set, &set);
        while (processor < CPU_SETSIZE - 1 && !CPU_ISSET(processor, &set)) {
            processor++;
        }
        return processor - self;
    }
}

static double trap_factor(size_t bytes)
{
    const struct trap *trap = &network.trap;
    if (trap->kind == TRAP_NONE || bytes < trap->bytes) {
        return 1;
    }
    long left = trap_number() % trap->modulus;
    return (left < 0 ? left + trap->modulus : left) == trap->rest ? trap->factor : 1;
}

/* Before each put or get; what these call inside does not count. */
static void moves(struct call call, size_t bytes)
{
    if (call.entry == 0) {
        return;
    }
    bool large = network.large > 0 && bytes >= network.large;
    int64_t kib = programmed_or_0(large ? COST_LARGE_KIB : COST_KIB), factor = rare_factor(bytes);
    double trapped = trap_factor(bytes);
    moved.post = factor * programmed_or_0(large ? COST_LARGE_POST : COST_POST);
    moved.wire = factor * (programmed_or_0(large ? COST_LARGE_WIRE : COST_WIRE) +
                           (int64_t)((double)kib * (double)bytes / 1024 + 0.5));
    moved.post = (int64_t)((double)moved.post * trapped + 0.5);
    moved.wire = (int64_t)((double)moved.wire * trapped + 0.5);
    moved.wire += large ? 0 : contention();
    moved.floods = large;
}

/* Before a put: tells whoever may wait for it. */
static void send(struct call call, const void *dest, size_t bytes, int pe)
{
    moves(call, bytes);
    if (call_costs(call, COST_POST)) {
        announce(dest, bytes, pe, call.entry + moved.post + moved.wire);
    }
}

static void send_value(struct call call, const void *dest, size_t bytes, int pe, long double value)
{
    moves(call, bytes);
    if (call_costs(call, COST_POST)) {
        announce_value(dest, bytes, pe, call.entry + moved.post + moved.wire, value);
    }
}

static void send_strided(struct call call, const void *dest, ptrdiff_t stride, size_t n,
                         size_t element, int pe)
{
    moves(call, 0);
    if (n > 0) {
        send(call, dest, ((n - 1) * (size_t)stride + 1) * element, pe);
    }
}

static void charge_post(struct call call, shmem_ctx_t context)
{
    if (!call_costs(call, COST_POST)) {
        return;
    }
    struct pending *p = pending_of(context);
    int64_t end = call.entry + moved.post + p->count++ * network.outstanding;
    p->complete = later(p->any ? p->complete : 0, end + moved.wire);
    p->wire = later(p->wire, moved.wire);
    p->any = true;
    if (network.contention > 0 && moved.floods) {
        under_way(true);
    }
    busy_until(COST_POST, end);
}

static void charge_get(struct call call, shmem_ctx_t context)
{
    (void)context;
    if (call_costs(call, COST_POST)) {
        busy_until(COST_WIRE, call.entry + moved.post + moved.wire);
    }
}

/* What a fetching atomic does has happened when its answer starts on its way back. What costs
 * nothing has no place in the order of simulated time. */
static void request(struct call call, const void *dest, size_t bytes, int pe)
{
    if (call_costs(call, COST_FETCH)) {
        if (network.cost[COST_FETCH] > 0) {
            simulated_turn();
        }
        announce(dest, bytes, pe, call.entry + network.cost[COST_FETCH] / 2);
    }
}

static void charge_fetch(struct call call, shmem_ctx_t context)
{
    (void)context;
    if (call_costs(call, COST_FETCH)) {
        busy_until(COST_FETCH, call.entry + network.cost[COST_FETCH] + contention());
    }
}

static void charge_quiet(struct call call, shmem_ctx_t context)
{
    if (call_costs(call, COST_QUIET)) {
        busy_until(COST_QUIET, pending_complete(context, call.entry) + network.cost[COST_QUIET]);
    }
}

/* Destroying a context completes what is outstanding in it, and its name may be used again. */
static void charge_destroy(struct call call, shmem_ctx_t context)
{
    if (call.entry == 0) {
        return;
    }
    int64_t complete = pending_complete(context, call.entry);
    *pending_of(context) = pending[--pending_count];
    if (network.cost[COST_CTX_DESTROY] >= 0) {
        busy_until(COST_CTX_DESTROY, complete + network.cost[COST_CTX_DESTROY]);
    }
}

/* ---- Put and get ---- */

#define BLOCK(type) (type * dest, const type *source, size_t n, int pe)
#define BLOCK_ARGUMENTS (dest, source, n, pe)
#define STRIDED(type)                                                                              \
    (type * dest, const type *source, ptrdiff_t dst, ptrdiff_t sst, size_t n, int pe)
#define STRIDED_ARGUMENTS (dest, source, dst, sst, n, pe)

#define BLOCKS(put_name, get_name, suffix, type, bytes)                                            \
    INTERPOSE_PAIR(put_name##suffix, BLOCK(type), BLOCK_ARGUMENTS,                                 \
                   (lies(source, dest), send(call, dest, n * (bytes), pe)), charge_post)           \
    INTERPOSE_PAIR(put_name##suffix##_nbi, BLOCK(type), BLOCK_ARGUMENTS,                           \
                   (lies(source, dest), send(call, dest, n * (bytes), pe)), charge_post)           \
    INTERPOSE_PAIR(get_name##suffix, BLOCK(type), BLOCK_ARGUMENTS,                                 \
                   (lies(dest, source), moves(call, n * (bytes))), charge_get)                     \
    INTERPOSE_PAIR(get_name##suffix##_nbi, BLOCK(type), BLOCK_ARGUMENTS,                           \
                   (lies(dest, source), moves(call, n * (bytes))), charge_post)

#define STRIDES(put_name, get_name, suffix, type, bytes)                                           \
    INTERPOSE_PAIR(put_name##suffix, STRIDED(type), STRIDED_ARGUMENTS,                             \
                   send_strided(call, dest, dst, n, bytes, pe), charge_post)                       \
    INTERPOSE_PAIR(get_name##suffix, STRIDED(type), STRIDED_ARGUMENTS, moves(call, n *(bytes)),    \
                   charge_get)

#define TYPED(name, type)                                                                          \
    BLOCKS(name##_put, name##_get, , type, sizeof(type))                                           \
    STRIDES(name##_iput, name##_iget, , type, sizeof(type))                                        \
    INTERPOSE_PAIR(name##_p, (type * dest, type value, int pe), (dest, value, pe),                 \
                   send_value(call, dest, sizeof(type), pe, (long double)value), charge_post)      \
    INTERPOSE_VALUE_PAIR(type, name##_g, (const type *source, int pe), (source, pe),               \
                         moves(call, sizeof(type)), charge_get)

#define SIZED(bits)                                                                                \
    BLOCKS(put, get, bits, void, bits / 8)                                                         \
    STRIDES(iput, iget, bits, void, bits / 8)

TRUTH_TYPES(TYPED)
TRUTH_SIZES(SIZED)
BLOCKS(put, get, mem, void, 1)

/* ---- Atomics: those that fetch wait for the answer, the others are like a put ---- */

/* clang-format off */
#define SEND send(call, dest, sizeof *dest, pe)
#define REQUEST request(call, dest, sizeof *dest, pe)
#define POST_0(kind, name, type)                                                                   \
    INTERPOSE_##kind(name, (type *dest, int pe), (dest, pe), SEND, charge_post)
#define POST_1(kind, name, type)                                                                   \
    INTERPOSE_##kind(name, (type *dest, type x, int pe), (dest, x, pe), SEND, charge_post)
#define READ(kind, name, type)                                                                     \
    INTERPOSE_VALUE_##kind(type, name, (const type *dest, int pe), (dest, pe), NOTHING, charge_fetch)
#define FETCH_0(kind, name, type)                                                                  \
    INTERPOSE_VALUE_##kind(type, name, (type *dest, int pe), (dest, pe), REQUEST, charge_fetch)
#define FETCH_1(kind, name, type)                                                                  \
    INTERPOSE_VALUE_##kind(type, name, (type *dest, type x, int pe), (dest, x, pe), REQUEST, charge_fetch)
#define FETCH_2(kind, name, type)                                                                  \
    INTERPOSE_VALUE_##kind(type, name, (type *dest, type x, type y, int pe), (dest, x, y, pe), REQUEST, charge_fetch)
/* clang-format on */
#define ATOMIC(kind, shape, name, type) shape(kind, name, type)

TRUTH_ATOMICS(ATOMIC)

/* ---- Ordering and contexts ---- */

INTERPOSE(shmem_quiet, (void), (), NOTHING, charge_quiet(call, SHMEM_CTX_DEFAULT))
INTERPOSE(shmem_ctx_quiet, (shmem_ctx_t context), (context), NOTHING, charge_quiet(call, context))
INTERPOSE(shmem_fence, (void), (), NOTHING, charge(call, COST_FENCE))
INTERPOSE(shmem_ctx_fence, (shmem_ctx_t context), (context), NOTHING, charge(call, COST_FENCE))
INTERPOSE_VALUE(int, shmem_ctx_create, (long options, shmem_ctx_t *context), (options, context),
                NOTHING, charge(call, COST_CTX_CREATE))
INTERPOSE(shmem_ctx_destroy, (shmem_ctx_t context), (context), NOTHING,
          charge_destroy(call, context))
