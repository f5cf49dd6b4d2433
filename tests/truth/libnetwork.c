/*
 * A programmed network. Preloaded into a program on OpenSHMEM, this library lets the real one move
 * the data and then keeps the caller busy until the call has cost what was programmed: whoever
 * measures the calls must find the programmed costs.
 *
 *   oshrun -np 2 -x LD_PRELOAD=.../libnetwork.so \
 *       -x SKAMPI_TRUTH=post=2000,wire=10000,quiet=1000,progress=self ./program
 *
 * Costs, in nanoseconds; what is not given costs nothing more than the real call does:
 *   post       put, p, iput, put_nbi, get_nbi: until the call returns.
 *   wire       from the end of the post until the operation is complete.
 *   progress   self (default): wire time passes by itself. quiet: it passes only inside quiet,
 *              once for all that is outstanding.
 *   quiet      quiet: completes what is outstanding, then takes this long.
 *   fence      fence: takes this long, completes nothing.
 *   barrier    barrier, sync: all leave this long after the last one entered. Also completes what
 *              is outstanding, as quiet does but without the cost of quiet (not sync).
 *   bcast      broadcast, KIND:TIME, counted from the root's entry; d is the distance from the
 *              root by rank, n the number of PEs. Nobody leaves before entering.
 *              linear:a  the root sends to one after the other and leaves after (n-1) a;
 *                        the PE at distance d leaves after d a.
 *              chain:a   who has the data sends it on, which takes a, and then leaves;
 *                        the last PE leaves when it has the data, after (n-1) a.
 *              flat:a    all leave after a.
 * get, g, iget cost post + wire, since they return when the data are there.
 *
 * Costs count from the entry of the call, so that the real call is part of them; where that takes
 * longer than programmed, the call is late, and report=1 tells how many were (on standard error,
 * at the end). What a program sees of a call beyond its own clock readings in here is calibrated
 * at start-up and taken off.
 *
 * A further cost (atomics, locks, wait) is a field of `network` with its name in parse_item(), a
 * kind of call, and a charge function for the functions that INTERPOSE lists.
 *
 * Limits: one thread a PE calls the library; barrier and bcast need all PEs on one node, because
 * their times are exchanged as readings of one clock.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <shmem.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

static _Noreturn void die(const char *what, const char *which)
{
    fprintf(stderr, "libnetwork: %s: %s\n", what, which);
    _exit(2);
}

/* ---- Clock: ticks of the time-stamp counter where that is invariant, else nanoseconds ---- */

static bool use_tsc;
static double ticks_per_ns = 1.0;

static int64_t system_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline int64_t ticks_now(void)
{
#if defined(__x86_64__)
    if (use_tsc) {
        return (int64_t)__rdtsc();
    }
#endif
    return system_ns();
}

#if defined(__x86_64__)
static bool tsc_invariant(void)
{
    unsigned int a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
}

struct reading {
    int64_t ticks, ns;
};

/* The tightest of a few, so that an interruption between the two clocks does not count. */
static struct reading both_clocks(void)
{
    struct reading best = {0, 0};
    int64_t tightest = INT64_MAX;
    for (int i = 0; i < 50; i++) {
        int64_t before = (int64_t)__rdtsc();
        int64_t ns = system_ns();
        int64_t after = (int64_t)__rdtsc();
        if (after - before < tightest) {
            tightest = after - before;
            best = (struct reading){before + tightest / 2, ns};
        }
    }
    return best;
}

static void clock_calibrate(void)
{
    use_tsc = tsc_invariant();
    if (!use_tsc) {
        return;
    }
    struct reading first = both_clocks();
    while (system_ns() - first.ns < 40 * 1000 * 1000) {
    }
    struct reading second = both_clocks();
    ticks_per_ns = (double)(second.ticks - first.ticks) / (double)(second.ns - first.ns);
}
#else
static void clock_calibrate(void)
{
}
#endif

/* ---- What is programmed ---- */

enum broadcast { BROADCAST_REAL, BROADCAST_LINEAR, BROADCAST_CHAIN, BROADCAST_FLAT };

/* Ticks; negative: not programmed. */
static struct {
    bool active;
    int64_t post, wire, quiet, fence, barrier;
    enum broadcast broadcast;
    int64_t broadcast_time;
    bool progress_by_itself;
    bool report;
} network = {
    .post = -1, .wire = 0, .quiet = -1, .fence = -1, .barrier = -1, .progress_by_itself = true};

static int64_t parse_ticks(const char *text)
{
    char *end;
    double ns = strtod(text, &end);
    if (end == text || *end != '\0' || !(ns >= 0 && ns < 1e12)) {
        die("not a time in nanoseconds", text);
    }
    return (int64_t)(ns * ticks_per_ns + 0.5);
}

static void parse_broadcast(char *text)
{
    static const char *const kinds[] = {
        [BROADCAST_LINEAR] = "linear", [BROADCAST_CHAIN] = "chain", [BROADCAST_FLAT] = "flat"};
    char *colon = strchr(text, ':');
    if (colon == NULL) {
        die("bcast is KIND:TIME", text);
    }
    *colon = '\0';
    network.broadcast_time = parse_ticks(colon + 1);
    for (int kind = BROADCAST_LINEAR; kind <= BROADCAST_FLAT; kind++) {
        if (strcmp(text, kinds[kind]) == 0) {
            network.broadcast = (enum broadcast)kind;
            return;
        }
    }
    die("unknown kind of bcast", text);
}

static void parse_item(char *item)
{
    static const struct {
        const char *name;
        int64_t *cost;
    } costs[] = {{"post", &network.post},
                 {"wire", &network.wire},
                 {"quiet", &network.quiet},
                 {"fence", &network.fence},
                 {"barrier", &network.barrier}};
    char *value = strchr(item, '=');
    if (value == NULL) {
        die("SKAMPI_TRUTH is NAME=VALUE,...", item);
    }
    *value++ = '\0';
    for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++) {
        if (strcmp(item, costs[i].name) == 0) {
            *costs[i].cost = parse_ticks(value);
            return;
        }
    }
    if (strcmp(item, "bcast") == 0) {
        parse_broadcast(value);
    } else if (strcmp(item, "report") == 0) {
        network.report = strcmp(value, "0") != 0;
    } else if (strcmp(item, "progress") == 0) {
        network.progress_by_itself = strcmp(value, "self") == 0;
        if (!network.progress_by_itself && strcmp(value, "quiet") != 0) {
            die("progress is self or quiet", value);
        }
    } else {
        die("unknown cost", item);
    }
}

static void network_parse(const char *specification)
{
    char *copy = strdup(specification);
    char *rest = copy;
    for (char *item = strtok_r(copy, ",", &rest); item != NULL; item = strtok_r(NULL, ",", &rest)) {
        parse_item(item);
    }
    free(copy);
    if (network.post < 0 && network.wire > 0) {
        network.post = 0;
    }
    if (network.quiet < 0 && network.wire > 0) {
        network.quiet = 0;
    }
}

/* ---- One call ---- */

/* The real library calls its own public names: only the outermost call costs. */
static __thread int depth __attribute__((tls_model("initial-exec")));

struct call {
    int64_t entry; /* 0: costs nothing (nested, or nothing is programmed) */
};

static inline struct call call_enter(void)
{
    bool outermost = depth++ == 0;
    return (struct call){outermost && network.active ? ticks_now() : 0};
}

static inline void call_leave(void)
{
    depth--;
}

enum kind {
    KIND_POST,
    KIND_GET,
    KIND_QUIET,
    KIND_FENCE,
    KIND_BARRIER,
    KIND_BROADCAST,
    KIND_CALIBRATION,
    KINDS
};

/* How much longer a call looks from outside than between its first and its last reading. This
 * depends on the length of the wait (the processor predicts the end of short ones only): entry b
 * holds for waits of 2^b ticks, and between two entries the line between them. */
#define EXCESS_SHORTEST 7
#define EXCESS_LONGEST 13
static double call_excess[EXCESS_LONGEST + 1];

/* What is more than this was an interruption. */
#define MAX_EXCESS_NS 100

/* That of long waits also moves with the speed of the core: see excess_track(). */
static double excess_drift;

/* Length of the calls by which it is tracked, and of the shortest that move with it. */
#define TRACK_TICKS 3072

static int64_t excess_for(int64_t wait)
{
    if (wait <= 1 << EXCESS_SHORTEST) {
        return (int64_t)call_excess[EXCESS_SHORTEST];
    }
    double drift = wait < TRACK_TICKS / 2 ? 0 : excess_drift;
    int b = 63 - __builtin_clzll((unsigned long long)wait);
    if (b >= EXCESS_LONGEST) {
        return (int64_t)(call_excess[EXCESS_LONGEST] + drift);
    }
    double fraction = (double)wait / (double)(1 << b) - 1;
    double slope = call_excess[b + 1] - call_excess[b];
    return (int64_t)(call_excess[b] + fraction * slope + drift);
}

/* Random branches ahead of a wait, lest its end be predicted from how the calls before it went:
 * then one length of wait would have several excesses. */
static inline void unpredictable(void)
{
    static uint32_t random = 1;
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
    for (int i = 0; i < 12; i++) {
        if (random >> i & 1) {
            __asm__ volatile("");
        }
    }
}

/* A loop of readings ends up to one reading too late. Each kind of call returns that much earlier
 * the next time, so that its mean is exact whatever the pattern of calls. */
static int64_t overshoot[KINDS];

static int64_t calls_charged, calls_late;

static void excess_track(void);

/* Busy until the given time, as the caller sees it. */
static void busy_until(enum kind kind, int64_t time)
{
    unpredictable();
    int64_t now = ticks_now();
    if (kind != KIND_CALIBRATION && time - now > 3 * TRACK_TICKS) {
        excess_track();
        now = ticks_now();
    }
    int64_t target = time - excess_for(time - now) - overshoot[kind];
    calls_charged++;
    if (now >= target) {
        calls_late++;
        overshoot[kind] = 0;
        return;
    }
    while (now < target) {
        now = ticks_now();
    }
    int64_t over = now - target;
    overshoot[kind] = (double)over < MAX_EXCESS_NS * ticks_per_ns ? over : 0;
}

static void do_nothing(void)
{
}

/* What INTERPOSE makes of a function that takes no time, costing the given number of ticks.
 * Returns when it began. */
static __attribute__((noinline)) int64_t calibration_call(int64_t cost)
{
    static void (*real)(void);
    struct call call = call_enter();
    if (real == NULL) {
        real = do_nothing;
    }
    real();
    call_leave();
    busy_until(KIND_CALIBRATION, call.entry + cost);
    return call.entry;
}

/* Part of a long wait is used to see how the excess has moved. */
static void excess_track(void)
{
    int64_t first = calibration_call(TRACK_TICKS);
    int64_t second = calibration_call(TRACK_TICKS);
    double beyond = (double)(second - first - TRACK_TICKS);
    if (fabs(beyond) < MAX_EXCESS_NS * ticks_per_ns) {
        excess_drift += beyond / 32;
    }
}

/* ---- What is outstanding, in each context ---- */

#define MAX_CONTEXTS 64

static struct pending {
    shmem_ctx_t context;
    bool any;
    int64_t complete; /* with progress by itself: when the last of them is */
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
    pending[pending_count].context = context;
    return &pending[pending_count++];
}

/* The time at which all that is outstanding in the context is complete, for a caller that starts
 * waiting for it at the given time. */
static int64_t pending_complete(shmem_ctx_t context, int64_t time)
{
    struct pending *p = pending_of(context);
    if (p->any) {
        p->any = false;
        if (!network.progress_by_itself) {
            return time + network.wire;
        }
        if (p->complete > time) {
            return p->complete;
        }
    }
    return time;
}

/* ---- The costs ---- */

static void charge_post(struct call call, shmem_ctx_t context)
{
    if (call.entry == 0 || network.post < 0) {
        return;
    }
    int64_t end = call.entry + network.post;
    struct pending *p = pending_of(context);
    if (!p->any || p->complete < end + network.wire) {
        p->complete = end + network.wire;
    }
    p->any = true;
    busy_until(KIND_POST, end);
}

static void charge_get(struct call call, shmem_ctx_t context)
{
    (void)context;
    if (call.entry != 0 && network.post >= 0) {
        busy_until(KIND_GET, call.entry + network.post + network.wire);
    }
}

static void charge_quiet(struct call call, shmem_ctx_t context)
{
    if (call.entry != 0 && network.quiet >= 0) {
        busy_until(KIND_QUIET, pending_complete(context, call.entry) + network.quiet);
    }
}

/* A barrier completes what is outstanding. */
static void charge_completion(struct call call)
{
    if (call.entry != 0 && pending_of(SHMEM_CTX_DEFAULT)->any) {
        busy_until(KIND_QUIET, pending_complete(SHMEM_CTX_DEFAULT, call.entry));
    }
}

static void charge_fence(struct call call, shmem_ctx_t context)
{
    (void)context;
    if (call.entry != 0 && network.fence >= 0) {
        busy_until(KIND_FENCE, call.entry + network.fence);
    }
}

static void charge_nothing(struct call call, shmem_ctx_t context)
{
    (void)call;
    (void)context;
}

/* ---- Interposed functions ---- */

static void *real_function(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (function == NULL) {
        die("the library has no such function", name);
    }
    return function;
}

/* Defines the function `name`: the real one, and then charge(). */
#define INTERPOSE(name, parameters, arguments, charge, context)                                    \
    void name parameters                                                                           \
    {                                                                                              \
        static void(*real) parameters;                                                             \
        struct call call = call_enter();                                                           \
        if (real == NULL) {                                                                        \
            real = (void(*) parameters)real_function(#name);                                       \
        }                                                                                          \
        real arguments;                                                                            \
        call_leave();                                                                              \
        charge(call, context);                                                                     \
    }

#define INTERPOSE_VALUE(type, name, parameters, arguments, charge, context)                        \
    type name parameters                                                                           \
    {                                                                                              \
        static type(*real) parameters;                                                             \
        struct call call = call_enter();                                                           \
        if (real == NULL) {                                                                        \
            real = (type(*) parameters)real_function(#name);                                       \
        }                                                                                          \
        type value = real arguments;                                                               \
        call_leave();                                                                              \
        charge(call, context);                                                                     \
        return value;                                                                              \
    }

/* The same with a context and without: shmem_ctx_NAME and shmem_NAME. */
#define BARE(...) __VA_ARGS__
#define INTERPOSE_PAIR(name, parameters, arguments, charge)                                        \
    INTERPOSE(shmem_##name, (BARE parameters), (BARE arguments), charge, SHMEM_CTX_DEFAULT)        \
    INTERPOSE(shmem_ctx_##name, (shmem_ctx_t context, BARE parameters), (context, BARE arguments), \
              charge, context)
#define INTERPOSE_VALUE_PAIR(type, name, parameters, arguments, charge)                            \
    INTERPOSE_VALUE(type, shmem_##name, (BARE parameters), (BARE arguments), charge,               \
                    SHMEM_CTX_DEFAULT)                                                             \
    INTERPOSE_VALUE(type, shmem_ctx_##name, (shmem_ctx_t context, BARE parameters),                \
                    (context, BARE arguments), charge, context)

#define BLOCK(type) (type * dest, const type *source, size_t n, int pe)
#define BLOCK_ARGUMENTS (dest, source, n, pe)
#define STRIDED(type)                                                                              \
    (type * dest, const type *source, ptrdiff_t dst, ptrdiff_t sst, size_t n, int pe)
#define STRIDED_ARGUMENTS (dest, source, dst, sst, n, pe)

#define TYPED(name, type)                                                                          \
    INTERPOSE_PAIR(name##_put, BLOCK(type), BLOCK_ARGUMENTS, charge_post)                          \
    INTERPOSE_PAIR(name##_put_nbi, BLOCK(type), BLOCK_ARGUMENTS, charge_post)                      \
    INTERPOSE_PAIR(name##_iput, STRIDED(type), STRIDED_ARGUMENTS, charge_post)                     \
    INTERPOSE_PAIR(name##_p, (type * dest, type value, int pe), (dest, value, pe), charge_post)    \
    INTERPOSE_PAIR(name##_get, BLOCK(type), BLOCK_ARGUMENTS, charge_get)                           \
    INTERPOSE_PAIR(name##_get_nbi, BLOCK(type), BLOCK_ARGUMENTS, charge_post)                      \
    INTERPOSE_PAIR(name##_iget, STRIDED(type), STRIDED_ARGUMENTS, charge_get)                      \
    INTERPOSE_VALUE_PAIR(type, name##_g, (const type *source, int pe), (source, pe), charge_get)

#define SIZED(bits)                                                                                \
    INTERPOSE_PAIR(put##bits, BLOCK(void), BLOCK_ARGUMENTS, charge_post)                           \
    INTERPOSE_PAIR(put##bits##_nbi, BLOCK(void), BLOCK_ARGUMENTS, charge_post)                     \
    INTERPOSE_PAIR(get##bits, BLOCK(void), BLOCK_ARGUMENTS, charge_get)                            \
    INTERPOSE_PAIR(get##bits##_nbi, BLOCK(void), BLOCK_ARGUMENTS, charge_post)

#define SIZED_STRIDED(bits)                                                                        \
    INTERPOSE_PAIR(iput##bits, STRIDED(void), STRIDED_ARGUMENTS, charge_post)                      \
    INTERPOSE_PAIR(iget##bits, STRIDED(void), STRIDED_ARGUMENTS, charge_get)

#include "rma_types.h"

TRUTH_TYPES(TYPED)
TRUTH_SIZES(SIZED)
TRUTH_SIZES(SIZED_STRIDED)
SIZED(mem)

INTERPOSE(shmem_quiet, (void), (), charge_quiet, SHMEM_CTX_DEFAULT)
INTERPOSE(shmem_ctx_quiet, (shmem_ctx_t context), (context), charge_quiet, context)
INTERPOSE(shmem_fence, (void), (), charge_fence, SHMEM_CTX_DEFAULT)
INTERPOSE(shmem_ctx_fence, (shmem_ctx_t context), (context), charge_fence, context)

/* These call some of the above inside the library: they must not cost more for that. */
INTERPOSE_VALUE(void *, shmem_malloc, (size_t size), (size), charge_nothing, SHMEM_CTX_DEFAULT)
INTERPOSE_VALUE(void *, shmem_calloc, (size_t n, size_t size), (n, size), charge_nothing,
                SHMEM_CTX_DEFAULT)
INTERPOSE_VALUE(void *, shmem_align, (size_t alignment, size_t size), (alignment, size),
                charge_nothing, SHMEM_CTX_DEFAULT)
INTERPOSE_VALUE(void *, shmem_realloc, (void *memory, size_t size), (memory, size), charge_nothing,
                SHMEM_CTX_DEFAULT)
INTERPOSE(shmem_free, (void *memory), (memory), charge_nothing, SHMEM_CTX_DEFAULT)
INTERPOSE(shmem_set_lock, (volatile long *lock), (lock), charge_nothing, SHMEM_CTX_DEFAULT)
INTERPOSE(shmem_clear_lock, (volatile long *lock), (lock), charge_nothing, SHMEM_CTX_DEFAULT)
INTERPOSE_VALUE(int, shmem_test_lock, (volatile long *lock), (lock), charge_nothing,
                SHMEM_CTX_DEFAULT)

/* ---- Collectives: their times depend on when the others came ---- */

/* Each PE tells others times, one mailbox for each sender. Two PEs take part in the collectives
 * that they have in common in the same order, so a count for each pair says which one a time
 * belongs to, whatever the sets. Mailboxes hold the last times told: a sender may be ahead. */
#define MAILBOX_SLOTS 512

struct message {
    int64_t number;
    int64_t time;
};

static struct message *mailboxes; /* symmetric: MAILBOX_SLOTS for each sender; NULL: not needed */
static int64_t *messages_sent, *messages_read;
static int self, pes;

static void mailboxes_create(void)
{
    if (!network.active || (network.barrier < 0 && network.broadcast == BROADCAST_REAL)) {
        return;
    }
    depth++;
    self = shmem_my_pe();
    pes = shmem_n_pes();
    size_t bytes = (size_t)pes * MAILBOX_SLOTS * sizeof *mailboxes;
    mailboxes = shmem_malloc(bytes);
    messages_sent = calloc((size_t)pes, sizeof *messages_sent);
    messages_read = calloc((size_t)pes, sizeof *messages_read);
    if (mailboxes == NULL || messages_sent == NULL || messages_read == NULL) {
        die("no memory for", "mailboxes");
    }
    memset(mailboxes, 0, bytes);
    shmem_barrier_all();
    depth--;
}

/* A message is written in two steps: the number arrives last. */
static void tell(int pe, int64_t time)
{
    int64_t number = ++messages_sent[pe];
    struct message *slot = &mailboxes[self * MAILBOX_SLOTS + number % MAILBOX_SLOTS];
    depth++;
    shmem_int64_put(&slot->time, &time, 1, pe);
    shmem_fence();
    shmem_int64_put(&slot->number, &number, 1, pe);
    shmem_quiet();
    depth--;
}

/* The sender's quiet may need this PE: waiting must drive the library. */
static void make_progress(void)
{
    static void (*progress)(void);
    static bool looked;
    if (!looked) {
        void *symbol = dlsym(RTLD_DEFAULT, "opal_progress");
        memcpy(&progress, &symbol, sizeof progress);
        looked = true;
    }
    if (progress != NULL) {
        progress();
    }
}

static int64_t told(int pe)
{
    int64_t number = ++messages_read[pe];
    struct message *slot = &mailboxes[pe * MAILBOX_SLOTS + number % MAILBOX_SLOTS];
    int64_t arrived;
    while ((arrived = __atomic_load_n(&slot->number, __ATOMIC_ACQUIRE)) < number) {
        make_progress();
    }
    if (arrived != number) {
        die("a PE is too far ahead", "raise MAILBOX_SLOTS");
    }
    return slot->time;
}

/* An active set. */
struct set {
    int start, stride, size;
};

static struct set set_world(void)
{
    return (struct set){0, 1, pes};
}

static int set_pe(struct set set, int rank)
{
    return set.start + rank * set.stride;
}

static int set_rank(struct set set)
{
    return (self - set.start) / set.stride;
}

/* Before the real barrier: tells the others when this PE came (and had completed its own). */
static int64_t barrier_enter(struct call call, struct set set, bool complete)
{
    int64_t entry = complete ? pending_complete(SHMEM_CTX_DEFAULT, call.entry) : call.entry;
    for (int rank = 0; rank < set.size; rank++) {
        if (set_pe(set, rank) != self) {
            tell(set_pe(set, rank), entry);
        }
    }
    return entry;
}

static void barrier_leave(int64_t entry, struct set set)
{
    int64_t last = entry;
    for (int rank = 0; rank < set.size; rank++) {
        int64_t other = set_pe(set, rank) == self ? entry : told(set_pe(set, rank));
        last = other > last ? other : last;
    }
    busy_until(KIND_BARRIER, last + network.barrier);
}

#define INTERPOSE_BARRIER(name, parameters, arguments, set, complete)                              \
    void name parameters                                                                           \
    {                                                                                              \
        static void(*real) parameters;                                                             \
        struct call call = call_enter();                                                           \
        if (real == NULL) {                                                                        \
            real = (void(*) parameters)real_function(#name);                                       \
        }                                                                                          \
        bool charged = call.entry != 0 && network.barrier >= 0 && mailboxes != NULL;               \
        int64_t entry = charged ? barrier_enter(call, set, complete) : 0;                          \
        real arguments;                                                                            \
        call_leave();                                                                              \
        if (charged) {                                                                             \
            barrier_leave(entry, set);                                                             \
        } else if (complete) {                                                                     \
            charge_completion(call);                                                               \
        }                                                                                          \
    }

#define ACTIVE_SET ((struct set){start, 1 << log_stride, size})

INTERPOSE_BARRIER(shmem_barrier_all, (void), (), set_world(), true)
INTERPOSE_BARRIER(shmem_sync_all, (void), (), set_world(), false)
#if SHMEM_MAJOR_VERSION == 1 && SHMEM_MINOR_VERSION < 5
INTERPOSE_BARRIER(shmem_sync, (int start, int log_stride, int size, long *sync),
                  (start, log_stride, size, sync), ACTIVE_SET, false)
#endif
INTERPOSE_BARRIER(shmem_barrier, (int start, int log_stride, int size, long *sync),
                  (start, log_stride, size, sync), ACTIVE_SET, true)

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The time at which this PE leaves the broadcast. The root tells its entry before the real
 * broadcast, everyone else is told behind it. */
static int64_t broadcast_end(struct call call, struct set set, int root)
{
    int64_t time = network.broadcast_time;
    int distance = (set_rank(set) - root + set.size) % set.size;
    bool last = distance == set.size - 1;
    int next = set_pe(set, (set_rank(set) + 1) % set.size);
    int previous = set_pe(set, (set_rank(set) - 1 + set.size) % set.size);

    if (set.size == 1) {
        return call.entry;
    }
    if (network.broadcast == BROADCAST_CHAIN) {
        /* Told is the time at which the one before starts sending. */
        int64_t have = distance == 0 ? call.entry : later(call.entry, told(previous) + time);
        if (last) {
            return have;
        }
        tell(next, have);
        return have + time;
    }
    bool linear = network.broadcast == BROADCAST_LINEAR;
    if (distance == 0) {
        for (int rank = 0; rank < set.size; rank++) {
            if (rank != root) {
                tell(set_pe(set, rank), call.entry);
            }
        }
        return call.entry + (linear ? set.size - 1 : 1) * time;
    }
    return later(call.entry, told(set_pe(set, root)) + (linear ? distance : 1) * time);
}

#define INTERPOSE_BROADCAST(name)                                                                  \
    void name(void *dest, const void *source, size_t n, int root, int start, int log_stride,       \
              int size, long *sync)                                                                \
    {                                                                                              \
        static void (*real)(void *, const void *, size_t, int, int, int, int, long *);             \
        struct call call = call_enter();                                                           \
        if (real == NULL) {                                                                        \
            real = (void (*)(void *, const void *, size_t, int, int, int, int,                     \
                             long *))real_function(#name);                                         \
        }                                                                                          \
        real(dest, source, n, root, start, log_stride, size, sync);                                \
        call_leave();                                                                              \
        if (call.entry != 0 && network.broadcast != BROADCAST_REAL && mailboxes != NULL) {         \
            busy_until(KIND_BROADCAST, broadcast_end(call, ACTIVE_SET, root));                     \
        }                                                                                          \
    }

INTERPOSE_BROADCAST(shmem_broadcast32)
INTERPOSE_BROADCAST(shmem_broadcast64)

/* ---- Start and end ---- */

void shmem_init(void)
{
    struct call call = call_enter();
    ((void (*)(void))real_function("shmem_init"))();
    call_leave();
    (void)call;
    mailboxes_create();
}

int shmem_init_thread(int requested, int *provided)
{
    struct call call = call_enter();
    int status = ((int (*)(int, int *))real_function("shmem_init_thread"))(requested, provided);
    call_leave();
    (void)call;
    mailboxes_create();
    return status;
}

static void report(void)
{
    if (network.report) {
        network.report = false;
        fprintf(stderr, "libnetwork: %lld calls, %lld of them late\n", (long long)calls_charged,
                (long long)calls_late);
    }
}

void shmem_finalize(void)
{
    report();
    depth++;
    ((void (*)(void))real_function("shmem_finalize"))();
    depth--;
}

void shmem_global_exit(int status)
{
    report();
    ((void (*)(int))real_function("shmem_global_exit"))(status);
    _exit(status);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* For each length what a call takes too long: the first quartile over batches, since interruptions
 * only add. Lengths take turns, so that a disturbance cannot spoil all batches of one. On a machine
 * so busy that even this is much more than a few readings, the length before it must do. */
static void excess_calibrate(void)
{
    enum { BATCHES = 61, CALLS = 15 };
    double batch[EXCESS_LONGEST + 1][BATCHES];
    for (int i = 0; i < BATCHES; i++) {
        for (int b = EXCESS_SHORTEST; b <= EXCESS_LONGEST; b++) {
            int64_t start = ticks_now();
            for (int call = 0; call < CALLS; call++) {
                calibration_call(1LL << b);
            }
            batch[b][i] = (double)(ticks_now() - start) / CALLS - (double)(1LL << b);
        }
    }
    double before = 0;
    for (int b = EXCESS_SHORTEST; b <= EXCESS_LONGEST; b++) {
        qsort(batch[b], BATCHES, sizeof batch[b][0], compare);
        double excess = batch[b][BATCHES / 4];
        call_excess[b] = before = excess < MAX_EXCESS_NS * ticks_per_ns ? excess : before;
    }
    calls_charged = calls_late = 0;
}

__attribute__((constructor)) static void begin(void)
{
    const char *specification = getenv("SKAMPI_TRUTH");
    if (specification == NULL || *specification == '\0') {
        return;
    }
    clock_calibrate();
    network_parse(specification);
    network.active = true;
    excess_calibrate();
}
