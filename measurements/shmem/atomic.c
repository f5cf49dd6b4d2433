/*
 * Atomic memory operations: every operation on the default context and on a user's, over 32 and 64
 * bit, each rank on a target that nobody else uses or all ranks on one.
 */
#include "measurements/common/openshmem.h"
#include "measurements/common/shapes.h"

/* Values small enough for any type, of which every operation makes something else. */
#define FIRST 6   /* held by a target before the first operation */
#define OPERAND 3 /* worked with */
#define NEVER 1   /* held by no target that it is compared with */

enum atomic_operation {
    FETCH,
    SWAP,
    SET,
    FETCH_INC,
    FETCH_ADD,
    COMPARE_SWAP_YES,
    COMPARE_SWAP_NO,
    INC,
    ADD,
    FETCH_AND,
    FETCH_OR,
    FETCH_XOR,
    AND,
    OR,
    XOR
};

enum whose { OWN, CONTENDED };

struct site;

/* A type that the library has atomics for. */
struct type {
    size_t size;
    int64_t (*load)(const void *);
    void (*store)(void *, int64_t);
};

struct routine {
    const struct type *type;
    bool user_context;
    /* `iterations` operations, each completed; what is compared with the target goes from `at` on
     * in steps. Returns what the last one fetched. */
    int64_t (*loop)(const struct site *, int64_t at, int64_t step, int64_t iterations);
};

/* What distinguishes the functions. */
struct atomic {
    enum atomic_operation operation;
    enum whose target;
    const struct routine *routine;
};

/* clang-format off */
#define TYPE(name, T) \
    static int64_t load_##name(const void *memory) \
    { \
        return (int64_t)*(const T *)memory; \
    } \
    static void store_##name(void *memory, int64_t value) \
    { \
        *(T *)memory = (T)value; \
    } \
    typedef T name##_type; \
    static const struct type type_##name = {sizeof(T), load_##name, store_##name};

/* Bits of int and long are no standard (OpenSHMEM 1.4, table 6), those of integers of the same size
 * are. */
TYPE(int, int)
TYPE(long, long)
TYPE(int32, int32_t)
TYPE(int64, int64_t)
TYPE(float, float)
TYPE(double, double)
/* clang-format on */

#if SKAMPI_SHMEM

struct site {
    void *target;
    int pe;
    shmem_ctx_t context;
};

/* Symmetric, a cache line apart. */
struct targets {
    _Alignas(LINE) unsigned char word[sizeof(int64_t)];
    _Alignas(LINE) unsigned char spare; /* for puts that quiets are measured after */
};

struct atomic_state {
    struct user_contexts contexts; /* none or one */
    struct site site;
    int64_t at;   /* held by the target when the next loop begins, where it is known */
    int64_t done; /* operations of this rank since the target held the first value, */
    int64_t got;  /* of which the last one fetched this */
};

static bool is_contended(const struct atomic *atomic)
{
    return atomic->target == CONTENDED;
}

/* ---- Set-up ---- */

static struct targets *targets_of(const struct run *run)
{
    return (struct targets *)(void *)run->scratch;
}

static bool set_up(struct run *run)
{
    const struct atomic *atomic = run->function->variant;
    struct atomic_state *state = run->state;
    if (atomic->routine->user_context &&
        !contexts_open(run, &state->contexts, 1, SHMEM_CTX_SERIALIZED))
        return false;
    int rank = is_contended(atomic) ? 0 : (run->rank + 1) % run->size;
    state->site =
        (struct site){.target = targets_of(run)->word, .pe = pe_set_member(run->set, rank)};
    if (state->contexts.count > 0)
        state->site.context = state->contexts.handles[0];
    return true;
}

/* ---- Values: every operation leaves and fetches what it should ---- */

/* What an operation leaves in a target that held `old`. */
static int64_t value_left(enum atomic_operation operation, int64_t old)
{
    switch (operation) {
    case FETCH:
    case COMPARE_SWAP_NO:
        break;
    case SWAP:
    case SET:
        return OPERAND;
    case FETCH_INC:
    case INC:
        return old + 1;
    case FETCH_ADD:
    case ADD:
        return old + OPERAND;
    case COMPARE_SWAP_YES:
        return old == FIRST ? FIRST + 1 : old;
    case FETCH_AND:
    case AND:
        return old & OPERAND;
    case FETCH_OR:
    case OR:
        return old | OPERAND;
    case FETCH_XOR:
    case XOR:
        return old ^ OPERAND;
    }
    return old;
}

/* The value as it comes back from memory of the type: integers wrap around. */
static int64_t as_held(const struct atomic *atomic, int64_t value)
{
    _Alignas(int64_t) unsigned char word[sizeof(int64_t)] = {0};
    atomic->routine->type->store(word, value);
    return atomic->routine->type->load(word);
}

/* What the target holds after `operations` operations. Repeated operations leave the first value,
 * alternate between two values, or count. */
static int64_t value_after(const struct atomic *atomic, int64_t operations)
{
    int64_t once = value_left(atomic->operation, FIRST),
            twice = value_left(atomic->operation, once);
    if (operations == 0)
        return FIRST;
    if (atomic->operation == COMPARE_SWAP_YES && !is_contended(atomic))
        return as_held(atomic, FIRST + operations); /* its arguments change from call to call */
    if (twice == once)
        return once;
    if (twice == FIRST)
        return operations % 2 ? once : FIRST;
    return as_held(atomic, (int64_t)(FIRST + (uint64_t)operations * (uint64_t)(once - FIRST)));
}

/* Whether the last of `mine` operations of this rank, of all at this target, may have fetched it.
 * Operations of others may have come in between. */
static bool may_fetch(const struct atomic *atomic, int64_t got, int64_t mine, int64_t all)
{
    int64_t once = value_left(atomic->operation, FIRST),
            twice = value_left(atomic->operation, once);
    if (mine == 0)
        return true;
    if (!is_contended(atomic))
        return got == value_after(atomic, mine - 1);
    if (twice == once || twice == FIRST)
        return got == FIRST || got == once;
    for (int64_t before = mine - 1; before < all; before++)
        if (got == value_after(atomic, before))
            return true;
    return false;
}

/* On a target of all, only swapping what it holds for the same succeeds each time; once, the first
 * one to come may succeed alone. */
static bool swaps_the_same(const struct run *run)
{
    const struct atomic *atomic = run->function->variant;
    return atomic->operation == COMPARE_SWAP_YES && is_contended(atomic) && !run->untimed;
}

static void fill(struct run *run)
{
    const struct atomic *atomic = run->function->variant;
    struct atomic_state *state = run->state;
    struct targets *targets = targets_of(run);
    data_poison(targets, offsetof(struct targets, spare));
    atomic->routine->type->store(targets->word, FIRST);
    state->at = FIRST;
    state->done = 0;
}

static bool verify(struct run *run)
{
    const struct atomic *atomic = run->function->variant;
    const struct atomic_state *state = run->state;
    struct targets *targets = targets_of(run);
    int64_t all = state->done * (is_contended(atomic) ? run->size : 1);
    bool target = !is_contended(atomic) || run->rank == 0;
    if (swaps_the_same(run))
        target = false;
    int64_t holds = atomic->routine->type->load(targets->word),
            value = value_after(atomic, target ? all : 0);
    bool left = holds == value, posts = run->function->reference; /* nothing comes back */
    bool fetched = posts || may_fetch(atomic, state->got, state->done, all);
    if (!fetched)
        return run_fail(run,
                        "wrong data: the last of %lld operations of rank %d fetched %lld%s, which "
                        "its target did not hold",
                        (long long)state->done, run->rank, (long long)state->got,
                        state->got == FIRST ? " (the first value)" : "");
    if (!left)
        return run_fail(run,
                        "wrong data: the target on PE %d (rank %d) holds %lld and should hold %lld "
                        "after %lld operations",
                        shmem_my_pe(), run->rank, (long long)holds, (long long)value,
                        (long long)(target ? all : 0));
    return data_verify_untouched(run, "the memory after the target of atomic operations",
                                 targets->word + atomic->routine->type->size,
                                 offsetof(struct targets, spare) - atomic->routine->type->size);
}

static void tear_down(struct run *run)
{
    contexts_destroy(&((struct atomic_state *)run->state)->contexts);
}

/* ---- What is timed and what is subtracted ---- */

static double run_atomic(struct run *run)
{
    const struct atomic *atomic = run->function->variant;
    struct atomic_state *state = run->state;
    int64_t step = atomic->operation == COMPARE_SWAP_YES && !swaps_the_same(run);
    int64_t compared = atomic->operation == COMPARE_SWAP_NO ? NEVER : state->at;
    int64_t started = run_start(run);
    int64_t got = atomic->routine->loop(&state->site, compared, step, run->iterations);
    int64_t stopped = run_stop(run);
    state->at += step * run->iterations;
    state->done += run->iterations;
    state->got = got;
    /* If one compare-and-swap fails, all that follow it fail, too. */
    int64_t wanted = state->at - step;
    if (atomic->routine->type->size == sizeof(int32_t))
        wanted = (int32_t)wanted; /* counters wrap around */
    bool kept = atomic->operation == FETCH || atomic->operation == COMPARE_SWAP_NO;
    bool known = kept || (atomic->operation == COMPARE_SWAP_YES && !(is_contended(atomic) && step));
    if (known && got != wanted)
        run_fail(run, "rank %d fetched %lld, but its target should have held %lld", run->rank,
                 (long long)got, (long long)wanted);
    return run_elapsed(run, started, stopped) / (double)run->iterations;
}

static double quiet_alone(struct run *run)
{
    const struct atomic *atomic = run->function->variant;
    const struct atomic_state *state = run->state;
    return empty_quiet(run, &targets_of(run)->spare,
                       pe_set_member(run->set, (run->rank + 1) % run->size),
                       atomic->routine->user_context ? &state->site.context : NULL);
}

#define SCRATCH sizeof(struct targets)

#else
#define SCRATCH 0
#endif

static void demand(struct run *run)
{
    run->demand.reported = ((const struct atomic *)run->function->variant)->routine->type->size;
}

/* ---- The routines of the library, each in a loop of its own ---- */

/* clang-format off */
#if SKAMPI_SHMEM
#define LOOP(name, T, ...) \
    static int64_t loop_##name(const struct site *site, int64_t value, int64_t step, int64_t iterations) \
    { \
        T *target = site->target, at = (T)value, got = 0; \
        int pe = site->pe; \
        for (int64_t i = 0; i < iterations; i++) { \
            T next = (T)((int64_t)at + step); \
            __VA_ARGS__; \
            at = next; \
        } \
        return (int64_t)got; \
    }
#else
#define LOOP(name, T, ...)
#endif

/* A routine, and one operation by it: a fetching one leaves in `got` what the target held, any other is over after a quiet.
 * Of compare-and-swaps, `at` is what the target shall hold and `next` what it gets. */
#define ROUTINE(name, T, by_user, ...) \
    LOOP(name, T##_type, __VA_ARGS__) \
    static const struct routine routine_##name = {&type_##T, by_user, WITH_SHMEM(loop_##name)}; \
    static const struct measurement of_##name = {.routine = #name, .word = by_user ? "ctx_" : ""};

ROUTINE(shmem_int_atomic_fetch, int, false, got = shmem_int_atomic_fetch(target, pe))
ROUTINE(shmem_int_atomic_swap, int, false, got = shmem_int_atomic_swap(target, OPERAND, pe))
ROUTINE(shmem_int_atomic_set, int, false, shmem_int_atomic_set(target, OPERAND, pe); shmem_quiet())
ROUTINE(shmem_int_atomic_fetch_inc, int, false, got = shmem_int_atomic_fetch_inc(target, pe))
ROUTINE(shmem_int_atomic_fetch_add, int, false, got = shmem_int_atomic_fetch_add(target, OPERAND, pe))
ROUTINE(shmem_int_atomic_compare_swap, int, false, got = shmem_int_atomic_compare_swap(target, at, next, pe))
ROUTINE(shmem_int_atomic_inc, int, false, shmem_int_atomic_inc(target, pe); shmem_quiet())
ROUTINE(shmem_int_atomic_add, int, false, shmem_int_atomic_add(target, OPERAND, pe); shmem_quiet())
ROUTINE(shmem_ctx_int_atomic_fetch, int, true, got = shmem_ctx_int_atomic_fetch(site->context, target, pe))
ROUTINE(shmem_ctx_int_atomic_swap, int, true, got = shmem_ctx_int_atomic_swap(site->context, target, OPERAND, pe))
ROUTINE(shmem_ctx_int_atomic_set, int, true, shmem_ctx_int_atomic_set(site->context, target, OPERAND, pe); shmem_ctx_quiet(site->context))
ROUTINE(shmem_ctx_int_atomic_fetch_inc, int, true, got = shmem_ctx_int_atomic_fetch_inc(site->context, target, pe))
ROUTINE(shmem_ctx_int_atomic_fetch_add, int, true, got = shmem_ctx_int_atomic_fetch_add(site->context, target, OPERAND, pe))
ROUTINE(shmem_ctx_int_atomic_compare_swap, int, true, got = shmem_ctx_int_atomic_compare_swap(site->context, target, at, next, pe))
ROUTINE(shmem_ctx_int_atomic_inc, int, true, shmem_ctx_int_atomic_inc(site->context, target, pe); shmem_ctx_quiet(site->context))
ROUTINE(shmem_ctx_int_atomic_add, int, true, shmem_ctx_int_atomic_add(site->context, target, OPERAND, pe); shmem_ctx_quiet(site->context))
ROUTINE(shmem_long_atomic_fetch, long, false, got = shmem_long_atomic_fetch(target, pe))
ROUTINE(shmem_long_atomic_swap, long, false, got = shmem_long_atomic_swap(target, OPERAND, pe))
ROUTINE(shmem_long_atomic_set, long, false, shmem_long_atomic_set(target, OPERAND, pe); shmem_quiet())
ROUTINE(shmem_long_atomic_fetch_inc, long, false, got = shmem_long_atomic_fetch_inc(target, pe))
ROUTINE(shmem_long_atomic_fetch_add, long, false, got = shmem_long_atomic_fetch_add(target, OPERAND, pe))
ROUTINE(shmem_long_atomic_compare_swap, long, false, got = shmem_long_atomic_compare_swap(target, at, next, pe))
ROUTINE(shmem_long_atomic_inc, long, false, shmem_long_atomic_inc(target, pe); shmem_quiet())
ROUTINE(shmem_long_atomic_add, long, false, shmem_long_atomic_add(target, OPERAND, pe); shmem_quiet())
ROUTINE(shmem_ctx_long_atomic_fetch, long, true, got = shmem_ctx_long_atomic_fetch(site->context, target, pe))
ROUTINE(shmem_ctx_long_atomic_swap, long, true, got = shmem_ctx_long_atomic_swap(site->context, target, OPERAND, pe))
ROUTINE(shmem_ctx_long_atomic_set, long, true, shmem_ctx_long_atomic_set(site->context, target, OPERAND, pe); shmem_ctx_quiet(site->context))
ROUTINE(shmem_ctx_long_atomic_fetch_inc, long, true, got = shmem_ctx_long_atomic_fetch_inc(site->context, target, pe))
ROUTINE(shmem_ctx_long_atomic_fetch_add, long, true, got = shmem_ctx_long_atomic_fetch_add(site->context, target, OPERAND, pe))
ROUTINE(shmem_ctx_long_atomic_compare_swap, long, true, got = shmem_ctx_long_atomic_compare_swap(site->context, target, at, next, pe))
ROUTINE(shmem_ctx_long_atomic_inc, long, true, shmem_ctx_long_atomic_inc(site->context, target, pe); shmem_ctx_quiet(site->context))
ROUTINE(shmem_ctx_long_atomic_add, long, true, shmem_ctx_long_atomic_add(site->context, target, OPERAND, pe); shmem_ctx_quiet(site->context))
ROUTINE(shmem_int32_atomic_fetch_and, int32, false, got = shmem_int32_atomic_fetch_and(target, OPERAND, pe))
ROUTINE(shmem_int32_atomic_fetch_or, int32, false, got = shmem_int32_atomic_fetch_or(target, OPERAND, pe))
ROUTINE(shmem_int32_atomic_fetch_xor, int32, false, got = shmem_int32_atomic_fetch_xor(target, OPERAND, pe))
ROUTINE(shmem_int32_atomic_and, int32, false, shmem_int32_atomic_and(target, OPERAND, pe); shmem_quiet())
ROUTINE(shmem_int32_atomic_or, int32, false, shmem_int32_atomic_or(target, OPERAND, pe); shmem_quiet())
ROUTINE(shmem_int32_atomic_xor, int32, false, shmem_int32_atomic_xor(target, OPERAND, pe); shmem_quiet())
ROUTINE(shmem_ctx_int32_atomic_fetch_and, int32, true, got = shmem_ctx_int32_atomic_fetch_and(site->context, target, OPERAND, pe))
ROUTINE(shmem_ctx_int32_atomic_fetch_or, int32, true, got = shmem_ctx_int32_atomic_fetch_or(site->context, target, OPERAND, pe))
ROUTINE(shmem_ctx_int32_atomic_fetch_xor, int32, true, got = shmem_ctx_int32_atomic_fetch_xor(site->context, target, OPERAND, pe))
ROUTINE(shmem_ctx_int32_atomic_and, int32, true, shmem_ctx_int32_atomic_and(site->context, target, OPERAND, pe); shmem_ctx_quiet(site->context))
ROUTINE(shmem_ctx_int32_atomic_or, int32, true, shmem_ctx_int32_atomic_or(site->context, target, OPERAND, pe); shmem_ctx_quiet(site->context))
ROUTINE(shmem_ctx_int32_atomic_xor, int32, true, shmem_ctx_int32_atomic_xor(site->context, target, OPERAND, pe); shmem_ctx_quiet(site->context))
ROUTINE(shmem_int64_atomic_fetch_and, int64, false, got = shmem_int64_atomic_fetch_and(target, OPERAND, pe))
ROUTINE(shmem_int64_atomic_fetch_or, int64, false, got = shmem_int64_atomic_fetch_or(target, OPERAND, pe))
ROUTINE(shmem_int64_atomic_fetch_xor, int64, false, got = shmem_int64_atomic_fetch_xor(target, OPERAND, pe))
ROUTINE(shmem_int64_atomic_and, int64, false, shmem_int64_atomic_and(target, OPERAND, pe); shmem_quiet())
ROUTINE(shmem_int64_atomic_or, int64, false, shmem_int64_atomic_or(target, OPERAND, pe); shmem_quiet())
ROUTINE(shmem_int64_atomic_xor, int64, false, shmem_int64_atomic_xor(target, OPERAND, pe); shmem_quiet())
ROUTINE(shmem_ctx_int64_atomic_fetch_and, int64, true, got = shmem_ctx_int64_atomic_fetch_and(site->context, target, OPERAND, pe))
ROUTINE(shmem_ctx_int64_atomic_fetch_or, int64, true, got = shmem_ctx_int64_atomic_fetch_or(site->context, target, OPERAND, pe))
ROUTINE(shmem_ctx_int64_atomic_fetch_xor, int64, true, got = shmem_ctx_int64_atomic_fetch_xor(site->context, target, OPERAND, pe))
ROUTINE(shmem_ctx_int64_atomic_and, int64, true, shmem_ctx_int64_atomic_and(site->context, target, OPERAND, pe); shmem_ctx_quiet(site->context))
ROUTINE(shmem_ctx_int64_atomic_or, int64, true, shmem_ctx_int64_atomic_or(site->context, target, OPERAND, pe); shmem_ctx_quiet(site->context))
ROUTINE(shmem_ctx_int64_atomic_xor, int64, true, shmem_ctx_int64_atomic_xor(site->context, target, OPERAND, pe); shmem_ctx_quiet(site->context))
ROUTINE(shmem_float_atomic_fetch, float, false, got = shmem_float_atomic_fetch(target, pe))
ROUTINE(shmem_float_atomic_swap, float, false, got = shmem_float_atomic_swap(target, OPERAND, pe))
ROUTINE(shmem_float_atomic_set, float, false, shmem_float_atomic_set(target, OPERAND, pe); shmem_quiet())
ROUTINE(shmem_ctx_float_atomic_fetch, float, true, got = shmem_ctx_float_atomic_fetch(site->context, target, pe))
ROUTINE(shmem_ctx_float_atomic_swap, float, true, got = shmem_ctx_float_atomic_swap(site->context, target, OPERAND, pe))
ROUTINE(shmem_ctx_float_atomic_set, float, true, shmem_ctx_float_atomic_set(site->context, target, OPERAND, pe); shmem_ctx_quiet(site->context))
ROUTINE(shmem_double_atomic_fetch, double, false, got = shmem_double_atomic_fetch(target, pe))
ROUTINE(shmem_double_atomic_swap, double, false, got = shmem_double_atomic_swap(target, OPERAND, pe))
ROUTINE(shmem_double_atomic_set, double, false, shmem_double_atomic_set(target, OPERAND, pe); shmem_quiet())
ROUTINE(shmem_ctx_double_atomic_fetch, double, true, got = shmem_ctx_double_atomic_fetch(site->context, target, pe))
ROUTINE(shmem_ctx_double_atomic_swap, double, true, got = shmem_ctx_double_atomic_swap(site->context, target, OPERAND, pe))
ROUTINE(shmem_ctx_double_atomic_set, double, true, shmem_ctx_double_atomic_set(site->context, target, OPERAND, pe); shmem_ctx_quiet(site->context))
/* clang-format on */

/* ---- The table ---- */

static const struct measurement common = {
    .api = API_OPENSHMEM,
    .parameters = {ITERATIONS},
    .moves = MOVES_MESSAGE,
    .who = "all",
    SHMEM_STATE(struct atomic_state),
    .scratch_bytes = SCRATCH,
    .demand = demand,
    .setup = WITH_SHMEM(set_up),
    .fill = WITH_SHMEM(fill),
    .verify = WITH_SHMEM(verify),
    .run = WITH_SHMEM(run_atomic),
    .teardown = WITH_SHMEM(tear_down),
};

static const struct measurement fetching = {
    .timing = TIMING_WHOLE,
    .cost = "fetch",
    .like = {&common},
};

/* The word is "ctx_" with a user's context. */
static const struct measurement posted = {
    .calls = "shmem_%squiet",
    .timing = TIMING_PARTS,
    .subtracted = "an empty quiet",
    .cost = "post + wire",
    .reference = WITH_SHMEM(quiet_alone),
    .like = {&common},
};

/* clang-format off */
static const struct measurement operations[] = {
    [FETCH] = {.timed = "fetch", .like = {&fetching}},
    [SWAP] = {.timed = "swap", .like = {&fetching}},
    [SET] = {.timed = "set + quiet", .like = {&posted}},
    [FETCH_INC] = {.timed = "fetch-and-increment", .like = {&fetching}},
    [FETCH_ADD] = {.timed = "fetch-and-add", .like = {&fetching}},
    [COMPARE_SWAP_YES] = {.timed = "compare-and-swap that always swaps", .like = {&fetching}},
    [COMPARE_SWAP_NO] = {.timed = "compare-and-swap that never swaps", .like = {&fetching}},
    [INC] = {.timed = "increment + quiet", .like = {&posted}},
    [ADD] = {.timed = "add + quiet", .like = {&posted}},
    [FETCH_AND] = {.timed = "fetch-and-and", .like = {&fetching}},
    [FETCH_OR] = {.timed = "fetch-and-or", .like = {&fetching}},
    [FETCH_XOR] = {.timed = "fetch-and-exclusive-or", .like = {&fetching}},
    [AND] = {.timed = "and + quiet", .like = {&posted}},
    [OR] = {.timed = "or + quiet", .like = {&posted}},
    [XOR] = {.timed = "exclusive or + quiet", .like = {&posted}},
};

#define ATOMIC(name, operation, target) \
    {&of_##name, &operations[operation]}, .variant = &(const struct atomic){operation, target, &routine_##name}

const struct measurement measurements_atomic[] = {
    {"Shmem_Atomic_Fetch", "atomic fetch, int of the next rank", ATOMIC(shmem_int_atomic_fetch, FETCH, OWN)},
    {"Shmem_Atomic_Swap", "atomic swap, int of the next rank", ATOMIC(shmem_int_atomic_swap, SWAP, OWN)},
    {"Shmem_Atomic_Set", "atomic set, int of the next rank", ATOMIC(shmem_int_atomic_set, SET, OWN)},
    {"Shmem_Atomic_Fetch_Inc", "atomic fetch-and-increment, int of the next rank", ATOMIC(shmem_int_atomic_fetch_inc, FETCH_INC, OWN)},
    {"Shmem_Atomic_Fetch_Add", "atomic fetch-and-add, int of the next rank", ATOMIC(shmem_int_atomic_fetch_add, FETCH_ADD, OWN)},
    {"Shmem_Atomic_Compare_Swap_Yes", "atomic compare-and-swap that always swaps, int of the next rank", ATOMIC(shmem_int_atomic_compare_swap, COMPARE_SWAP_YES, OWN)},
    {"Shmem_Atomic_Compare_Swap_No", "atomic compare-and-swap that never swaps, int of the next rank", ATOMIC(shmem_int_atomic_compare_swap, COMPARE_SWAP_NO, OWN)},
    {"Shmem_Atomic_Inc", "atomic increment, int of the next rank", ATOMIC(shmem_int_atomic_inc, INC, OWN)},
    {"Shmem_Atomic_Add", "atomic add, int of the next rank", ATOMIC(shmem_int_atomic_add, ADD, OWN)},
    {"Shmem_Atomic_Fetch_And", "atomic fetch-and-and, int of the next rank", ATOMIC(shmem_int32_atomic_fetch_and, FETCH_AND, OWN)},
    {"Shmem_Atomic_Fetch_Or", "atomic fetch-and-or, int of the next rank", ATOMIC(shmem_int32_atomic_fetch_or, FETCH_OR, OWN)},
    {"Shmem_Atomic_Fetch_Xor", "atomic fetch-and-exclusive-or, int of the next rank", ATOMIC(shmem_int32_atomic_fetch_xor, FETCH_XOR, OWN)},
    {"Shmem_Atomic_And", "atomic and, int of the next rank", ATOMIC(shmem_int32_atomic_and, AND, OWN)},
    {"Shmem_Atomic_Or", "atomic or, int of the next rank", ATOMIC(shmem_int32_atomic_or, OR, OWN)},
    {"Shmem_Atomic_Xor", "atomic exclusive or, int of the next rank", ATOMIC(shmem_int32_atomic_xor, XOR, OWN)},
    {"Shmem_Atomic_Fetch_Long", "atomic fetch, long of the next rank", ATOMIC(shmem_long_atomic_fetch, FETCH, OWN)},
    {"Shmem_Atomic_Swap_Long", "atomic swap, long of the next rank", ATOMIC(shmem_long_atomic_swap, SWAP, OWN)},
    {"Shmem_Atomic_Set_Long", "atomic set, long of the next rank", ATOMIC(shmem_long_atomic_set, SET, OWN)},
    {"Shmem_Atomic_Fetch_Inc_Long", "atomic fetch-and-increment, long of the next rank", ATOMIC(shmem_long_atomic_fetch_inc, FETCH_INC, OWN)},
    {"Shmem_Atomic_Fetch_Add_Long", "atomic fetch-and-add, long of the next rank", ATOMIC(shmem_long_atomic_fetch_add, FETCH_ADD, OWN)},
    {"Shmem_Atomic_Compare_Swap_Yes_Long", "atomic compare-and-swap that always swaps, long of the next rank", ATOMIC(shmem_long_atomic_compare_swap, COMPARE_SWAP_YES, OWN)},
    {"Shmem_Atomic_Compare_Swap_No_Long", "atomic compare-and-swap that never swaps, long of the next rank", ATOMIC(shmem_long_atomic_compare_swap, COMPARE_SWAP_NO, OWN)},
    {"Shmem_Atomic_Inc_Long", "atomic increment, long of the next rank", ATOMIC(shmem_long_atomic_inc, INC, OWN)},
    {"Shmem_Atomic_Add_Long", "atomic add, long of the next rank", ATOMIC(shmem_long_atomic_add, ADD, OWN)},
    {"Shmem_Atomic_Fetch_And_Long", "atomic fetch-and-and, long of the next rank", ATOMIC(shmem_int64_atomic_fetch_and, FETCH_AND, OWN)},
    {"Shmem_Atomic_Fetch_Or_Long", "atomic fetch-and-or, long of the next rank", ATOMIC(shmem_int64_atomic_fetch_or, FETCH_OR, OWN)},
    {"Shmem_Atomic_Fetch_Xor_Long", "atomic fetch-and-exclusive-or, long of the next rank", ATOMIC(shmem_int64_atomic_fetch_xor, FETCH_XOR, OWN)},
    {"Shmem_Atomic_And_Long", "atomic and, long of the next rank", ATOMIC(shmem_int64_atomic_and, AND, OWN)},
    {"Shmem_Atomic_Or_Long", "atomic or, long of the next rank", ATOMIC(shmem_int64_atomic_or, OR, OWN)},
    {"Shmem_Atomic_Xor_Long", "atomic exclusive or, long of the next rank", ATOMIC(shmem_int64_atomic_xor, XOR, OWN)},
    {"Shmem_Atomic_Fetch_Float", "atomic fetch, float of the next rank", ATOMIC(shmem_float_atomic_fetch, FETCH, OWN)},
    {"Shmem_Atomic_Swap_Float", "atomic swap, float of the next rank", ATOMIC(shmem_float_atomic_swap, SWAP, OWN)},
    {"Shmem_Atomic_Set_Float", "atomic set, float of the next rank", ATOMIC(shmem_float_atomic_set, SET, OWN)},
    {"Shmem_Atomic_Fetch_Double", "atomic fetch, double of the next rank", ATOMIC(shmem_double_atomic_fetch, FETCH, OWN)},
    {"Shmem_Atomic_Swap_Double", "atomic swap, double of the next rank", ATOMIC(shmem_double_atomic_swap, SWAP, OWN)},
    {"Shmem_Atomic_Set_Double", "atomic set, double of the next rank", ATOMIC(shmem_double_atomic_set, SET, OWN)},

    {"Shmem_Atomic_Fetch_Contended", "atomic fetch, int of rank 0, by all ranks", ATOMIC(shmem_int_atomic_fetch, FETCH, CONTENDED)},
    {"Shmem_Atomic_Swap_Contended", "atomic swap, int of rank 0, by all ranks", ATOMIC(shmem_int_atomic_swap, SWAP, CONTENDED)},
    {"Shmem_Atomic_Set_Contended", "atomic set, int of rank 0, by all ranks", ATOMIC(shmem_int_atomic_set, SET, CONTENDED)},
    {"Shmem_Atomic_Fetch_Inc_Contended", "atomic fetch-and-increment, int of rank 0, by all ranks", ATOMIC(shmem_int_atomic_fetch_inc, FETCH_INC, CONTENDED)},
    {"Shmem_Atomic_Fetch_Add_Contended", "atomic fetch-and-add, int of rank 0, by all ranks", ATOMIC(shmem_int_atomic_fetch_add, FETCH_ADD, CONTENDED)},
    {"Shmem_Atomic_Compare_Swap_Yes_Contended", "atomic compare-and-swap that always swaps, int of rank 0, by all ranks", ATOMIC(shmem_int_atomic_compare_swap, COMPARE_SWAP_YES, CONTENDED)},
    {"Shmem_Atomic_Compare_Swap_No_Contended", "atomic compare-and-swap that never swaps, int of rank 0, by all ranks", ATOMIC(shmem_int_atomic_compare_swap, COMPARE_SWAP_NO, CONTENDED)},
    {"Shmem_Atomic_Inc_Contended", "atomic increment, int of rank 0, by all ranks", ATOMIC(shmem_int_atomic_inc, INC, CONTENDED)},
    {"Shmem_Atomic_Add_Contended", "atomic add, int of rank 0, by all ranks", ATOMIC(shmem_int_atomic_add, ADD, CONTENDED)},
    {"Shmem_Atomic_Fetch_And_Contended", "atomic fetch-and-and, int of rank 0, by all ranks", ATOMIC(shmem_int32_atomic_fetch_and, FETCH_AND, CONTENDED)},
    {"Shmem_Atomic_Fetch_Or_Contended", "atomic fetch-and-or, int of rank 0, by all ranks", ATOMIC(shmem_int32_atomic_fetch_or, FETCH_OR, CONTENDED)},
    {"Shmem_Atomic_Fetch_Xor_Contended", "atomic fetch-and-exclusive-or, int of rank 0, by all ranks", ATOMIC(shmem_int32_atomic_fetch_xor, FETCH_XOR, CONTENDED)},
    {"Shmem_Atomic_And_Contended", "atomic and, int of rank 0, by all ranks", ATOMIC(shmem_int32_atomic_and, AND, CONTENDED)},
    {"Shmem_Atomic_Or_Contended", "atomic or, int of rank 0, by all ranks", ATOMIC(shmem_int32_atomic_or, OR, CONTENDED)},
    {"Shmem_Atomic_Xor_Contended", "atomic exclusive or, int of rank 0, by all ranks", ATOMIC(shmem_int32_atomic_xor, XOR, CONTENDED)},
    {"Shmem_Atomic_Fetch_Long_Contended", "atomic fetch, long of rank 0, by all ranks", ATOMIC(shmem_long_atomic_fetch, FETCH, CONTENDED)},
    {"Shmem_Atomic_Swap_Long_Contended", "atomic swap, long of rank 0, by all ranks", ATOMIC(shmem_long_atomic_swap, SWAP, CONTENDED)},
    {"Shmem_Atomic_Set_Long_Contended", "atomic set, long of rank 0, by all ranks", ATOMIC(shmem_long_atomic_set, SET, CONTENDED)},
    {"Shmem_Atomic_Fetch_Inc_Long_Contended", "atomic fetch-and-increment, long of rank 0, by all ranks", ATOMIC(shmem_long_atomic_fetch_inc, FETCH_INC, CONTENDED)},
    {"Shmem_Atomic_Fetch_Add_Long_Contended", "atomic fetch-and-add, long of rank 0, by all ranks", ATOMIC(shmem_long_atomic_fetch_add, FETCH_ADD, CONTENDED)},
    {"Shmem_Atomic_Compare_Swap_Yes_Long_Contended", "atomic compare-and-swap that always swaps, long of rank 0, by all ranks", ATOMIC(shmem_long_atomic_compare_swap, COMPARE_SWAP_YES, CONTENDED)},
    {"Shmem_Atomic_Compare_Swap_No_Long_Contended", "atomic compare-and-swap that never swaps, long of rank 0, by all ranks", ATOMIC(shmem_long_atomic_compare_swap, COMPARE_SWAP_NO, CONTENDED)},
    {"Shmem_Atomic_Inc_Long_Contended", "atomic increment, long of rank 0, by all ranks", ATOMIC(shmem_long_atomic_inc, INC, CONTENDED)},
    {"Shmem_Atomic_Add_Long_Contended", "atomic add, long of rank 0, by all ranks", ATOMIC(shmem_long_atomic_add, ADD, CONTENDED)},
    {"Shmem_Atomic_Fetch_And_Long_Contended", "atomic fetch-and-and, long of rank 0, by all ranks", ATOMIC(shmem_int64_atomic_fetch_and, FETCH_AND, CONTENDED)},
    {"Shmem_Atomic_Fetch_Or_Long_Contended", "atomic fetch-and-or, long of rank 0, by all ranks", ATOMIC(shmem_int64_atomic_fetch_or, FETCH_OR, CONTENDED)},
    {"Shmem_Atomic_Fetch_Xor_Long_Contended", "atomic fetch-and-exclusive-or, long of rank 0, by all ranks", ATOMIC(shmem_int64_atomic_fetch_xor, FETCH_XOR, CONTENDED)},
    {"Shmem_Atomic_And_Long_Contended", "atomic and, long of rank 0, by all ranks", ATOMIC(shmem_int64_atomic_and, AND, CONTENDED)},
    {"Shmem_Atomic_Or_Long_Contended", "atomic or, long of rank 0, by all ranks", ATOMIC(shmem_int64_atomic_or, OR, CONTENDED)},
    {"Shmem_Atomic_Xor_Long_Contended", "atomic exclusive or, long of rank 0, by all ranks", ATOMIC(shmem_int64_atomic_xor, XOR, CONTENDED)},

    {"Shmem_Ctx_Atomic_Fetch", "atomic fetch, int of the next rank, user context", ATOMIC(shmem_ctx_int_atomic_fetch, FETCH, OWN)},
    {"Shmem_Ctx_Atomic_Swap", "atomic swap, int of the next rank, user context", ATOMIC(shmem_ctx_int_atomic_swap, SWAP, OWN)},
    {"Shmem_Ctx_Atomic_Set", "atomic set, int of the next rank, user context", ATOMIC(shmem_ctx_int_atomic_set, SET, OWN)},
    {"Shmem_Ctx_Atomic_Fetch_Inc", "atomic fetch-and-increment, int of the next rank, user context", ATOMIC(shmem_ctx_int_atomic_fetch_inc, FETCH_INC, OWN)},
    {"Shmem_Ctx_Atomic_Fetch_Add", "atomic fetch-and-add, int of the next rank, user context", ATOMIC(shmem_ctx_int_atomic_fetch_add, FETCH_ADD, OWN)},
    {"Shmem_Ctx_Atomic_Compare_Swap_Yes", "atomic compare-and-swap that always swaps, int of the next rank, user context", ATOMIC(shmem_ctx_int_atomic_compare_swap, COMPARE_SWAP_YES, OWN)},
    {"Shmem_Ctx_Atomic_Compare_Swap_No", "atomic compare-and-swap that never swaps, int of the next rank, user context", ATOMIC(shmem_ctx_int_atomic_compare_swap, COMPARE_SWAP_NO, OWN)},
    {"Shmem_Ctx_Atomic_Inc", "atomic increment, int of the next rank, user context", ATOMIC(shmem_ctx_int_atomic_inc, INC, OWN)},
    {"Shmem_Ctx_Atomic_Add", "atomic add, int of the next rank, user context", ATOMIC(shmem_ctx_int_atomic_add, ADD, OWN)},
    {"Shmem_Ctx_Atomic_Fetch_And", "atomic fetch-and-and, int of the next rank, user context", ATOMIC(shmem_ctx_int32_atomic_fetch_and, FETCH_AND, OWN)},
    {"Shmem_Ctx_Atomic_Fetch_Or", "atomic fetch-and-or, int of the next rank, user context", ATOMIC(shmem_ctx_int32_atomic_fetch_or, FETCH_OR, OWN)},
    {"Shmem_Ctx_Atomic_Fetch_Xor", "atomic fetch-and-exclusive-or, int of the next rank, user context", ATOMIC(shmem_ctx_int32_atomic_fetch_xor, FETCH_XOR, OWN)},
    {"Shmem_Ctx_Atomic_And", "atomic and, int of the next rank, user context", ATOMIC(shmem_ctx_int32_atomic_and, AND, OWN)},
    {"Shmem_Ctx_Atomic_Or", "atomic or, int of the next rank, user context", ATOMIC(shmem_ctx_int32_atomic_or, OR, OWN)},
    {"Shmem_Ctx_Atomic_Xor", "atomic exclusive or, int of the next rank, user context", ATOMIC(shmem_ctx_int32_atomic_xor, XOR, OWN)},
    {"Shmem_Ctx_Atomic_Fetch_Long", "atomic fetch, long of the next rank, user context", ATOMIC(shmem_ctx_long_atomic_fetch, FETCH, OWN)},
    {"Shmem_Ctx_Atomic_Swap_Long", "atomic swap, long of the next rank, user context", ATOMIC(shmem_ctx_long_atomic_swap, SWAP, OWN)},
    {"Shmem_Ctx_Atomic_Set_Long", "atomic set, long of the next rank, user context", ATOMIC(shmem_ctx_long_atomic_set, SET, OWN)},
    {"Shmem_Ctx_Atomic_Fetch_Inc_Long", "atomic fetch-and-increment, long of the next rank, user context", ATOMIC(shmem_ctx_long_atomic_fetch_inc, FETCH_INC, OWN)},
    {"Shmem_Ctx_Atomic_Fetch_Add_Long", "atomic fetch-and-add, long of the next rank, user context", ATOMIC(shmem_ctx_long_atomic_fetch_add, FETCH_ADD, OWN)},
    {"Shmem_Ctx_Atomic_Compare_Swap_Yes_Long", "atomic compare-and-swap that always swaps, long of the next rank, user context", ATOMIC(shmem_ctx_long_atomic_compare_swap, COMPARE_SWAP_YES, OWN)},
    {"Shmem_Ctx_Atomic_Compare_Swap_No_Long", "atomic compare-and-swap that never swaps, long of the next rank, user context", ATOMIC(shmem_ctx_long_atomic_compare_swap, COMPARE_SWAP_NO, OWN)},
    {"Shmem_Ctx_Atomic_Inc_Long", "atomic increment, long of the next rank, user context", ATOMIC(shmem_ctx_long_atomic_inc, INC, OWN)},
    {"Shmem_Ctx_Atomic_Add_Long", "atomic add, long of the next rank, user context", ATOMIC(shmem_ctx_long_atomic_add, ADD, OWN)},
    {"Shmem_Ctx_Atomic_Fetch_And_Long", "atomic fetch-and-and, long of the next rank, user context", ATOMIC(shmem_ctx_int64_atomic_fetch_and, FETCH_AND, OWN)},
    {"Shmem_Ctx_Atomic_Fetch_Or_Long", "atomic fetch-and-or, long of the next rank, user context", ATOMIC(shmem_ctx_int64_atomic_fetch_or, FETCH_OR, OWN)},
    {"Shmem_Ctx_Atomic_Fetch_Xor_Long", "atomic fetch-and-exclusive-or, long of the next rank, user context", ATOMIC(shmem_ctx_int64_atomic_fetch_xor, FETCH_XOR, OWN)},
    {"Shmem_Ctx_Atomic_And_Long", "atomic and, long of the next rank, user context", ATOMIC(shmem_ctx_int64_atomic_and, AND, OWN)},
    {"Shmem_Ctx_Atomic_Or_Long", "atomic or, long of the next rank, user context", ATOMIC(shmem_ctx_int64_atomic_or, OR, OWN)},
    {"Shmem_Ctx_Atomic_Xor_Long", "atomic exclusive or, long of the next rank, user context", ATOMIC(shmem_ctx_int64_atomic_xor, XOR, OWN)},
    {"Shmem_Ctx_Atomic_Fetch_Float", "atomic fetch, float of the next rank, user context", ATOMIC(shmem_ctx_float_atomic_fetch, FETCH, OWN)},
    {"Shmem_Ctx_Atomic_Swap_Float", "atomic swap, float of the next rank, user context", ATOMIC(shmem_ctx_float_atomic_swap, SWAP, OWN)},
    {"Shmem_Ctx_Atomic_Set_Float", "atomic set, float of the next rank, user context", ATOMIC(shmem_ctx_float_atomic_set, SET, OWN)},
    {"Shmem_Ctx_Atomic_Fetch_Double", "atomic fetch, double of the next rank, user context", ATOMIC(shmem_ctx_double_atomic_fetch, FETCH, OWN)},
    {"Shmem_Ctx_Atomic_Swap_Double", "atomic swap, double of the next rank, user context", ATOMIC(shmem_ctx_double_atomic_swap, SWAP, OWN)},
    {"Shmem_Ctx_Atomic_Set_Double", "atomic set, double of the next rank, user context", ATOMIC(shmem_ctx_double_atomic_set, SET, OWN)},

    {"Shmem_Ctx_Atomic_Fetch_Contended", "atomic fetch, int of rank 0, by all ranks, user context", ATOMIC(shmem_ctx_int_atomic_fetch, FETCH, CONTENDED)},
    {"Shmem_Ctx_Atomic_Swap_Contended", "atomic swap, int of rank 0, by all ranks, user context", ATOMIC(shmem_ctx_int_atomic_swap, SWAP, CONTENDED)},
    {"Shmem_Ctx_Atomic_Set_Contended", "atomic set, int of rank 0, by all ranks, user context", ATOMIC(shmem_ctx_int_atomic_set, SET, CONTENDED)},
    {"Shmem_Ctx_Atomic_Fetch_Inc_Contended", "atomic fetch-and-increment, int of rank 0, by all ranks, user context", ATOMIC(shmem_ctx_int_atomic_fetch_inc, FETCH_INC, CONTENDED)},
    {"Shmem_Ctx_Atomic_Fetch_Add_Contended", "atomic fetch-and-add, int of rank 0, by all ranks, user context", ATOMIC(shmem_ctx_int_atomic_fetch_add, FETCH_ADD, CONTENDED)},
    {"Shmem_Ctx_Atomic_Compare_Swap_Yes_Contended", "atomic compare-and-swap that always swaps, int of rank 0, by all ranks, user context", ATOMIC(shmem_ctx_int_atomic_compare_swap, COMPARE_SWAP_YES, CONTENDED)},
    {"Shmem_Ctx_Atomic_Compare_Swap_No_Contended", "atomic compare-and-swap that never swaps, int of rank 0, by all ranks, user context", ATOMIC(shmem_ctx_int_atomic_compare_swap, COMPARE_SWAP_NO, CONTENDED)},
    {"Shmem_Ctx_Atomic_Inc_Contended", "atomic increment, int of rank 0, by all ranks, user context", ATOMIC(shmem_ctx_int_atomic_inc, INC, CONTENDED)},
    {"Shmem_Ctx_Atomic_Add_Contended", "atomic add, int of rank 0, by all ranks, user context", ATOMIC(shmem_ctx_int_atomic_add, ADD, CONTENDED)},
    {"Shmem_Ctx_Atomic_Fetch_And_Contended", "atomic fetch-and-and, int of rank 0, by all ranks, user context", ATOMIC(shmem_ctx_int32_atomic_fetch_and, FETCH_AND, CONTENDED)},
    {"Shmem_Ctx_Atomic_Fetch_Or_Contended", "atomic fetch-and-or, int of rank 0, by all ranks, user context", ATOMIC(shmem_ctx_int32_atomic_fetch_or, FETCH_OR, CONTENDED)},
    {"Shmem_Ctx_Atomic_Fetch_Xor_Contended", "atomic fetch-and-exclusive-or, int of rank 0, by all ranks, user context", ATOMIC(shmem_ctx_int32_atomic_fetch_xor, FETCH_XOR, CONTENDED)},
    {"Shmem_Ctx_Atomic_And_Contended", "atomic and, int of rank 0, by all ranks, user context", ATOMIC(shmem_ctx_int32_atomic_and, AND, CONTENDED)},
    {"Shmem_Ctx_Atomic_Or_Contended", "atomic or, int of rank 0, by all ranks, user context", ATOMIC(shmem_ctx_int32_atomic_or, OR, CONTENDED)},
    {"Shmem_Ctx_Atomic_Xor_Contended", "atomic exclusive or, int of rank 0, by all ranks, user context", ATOMIC(shmem_ctx_int32_atomic_xor, XOR, CONTENDED)},
    {"Shmem_Ctx_Atomic_Fetch_Long_Contended", "atomic fetch, long of rank 0, by all ranks, user context", ATOMIC(shmem_ctx_long_atomic_fetch, FETCH, CONTENDED)},
    {"Shmem_Ctx_Atomic_Swap_Long_Contended", "atomic swap, long of rank 0, by all ranks, user context", ATOMIC(shmem_ctx_long_atomic_swap, SWAP, CONTENDED)},
    {"Shmem_Ctx_Atomic_Set_Long_Contended", "atomic set, long of rank 0, by all ranks, user context", ATOMIC(shmem_ctx_long_atomic_set, SET, CONTENDED)},
    {"Shmem_Ctx_Atomic_Fetch_Inc_Long_Contended", "atomic fetch-and-increment, long of rank 0, by all ranks, user context", ATOMIC(shmem_ctx_long_atomic_fetch_inc, FETCH_INC, CONTENDED)},
    {"Shmem_Ctx_Atomic_Fetch_Add_Long_Contended", "atomic fetch-and-add, long of rank 0, by all ranks, user context", ATOMIC(shmem_ctx_long_atomic_fetch_add, FETCH_ADD, CONTENDED)},
    {"Shmem_Ctx_Atomic_Compare_Swap_Yes_Long_Contended", "atomic compare-and-swap that always swaps, long of rank 0, by all ranks, user context", ATOMIC(shmem_ctx_long_atomic_compare_swap, COMPARE_SWAP_YES, CONTENDED)},
    {"Shmem_Ctx_Atomic_Compare_Swap_No_Long_Contended", "atomic compare-and-swap that never swaps, long of rank 0, by all ranks, user context", ATOMIC(shmem_ctx_long_atomic_compare_swap, COMPARE_SWAP_NO, CONTENDED)},
    {"Shmem_Ctx_Atomic_Inc_Long_Contended", "atomic increment, long of rank 0, by all ranks, user context", ATOMIC(shmem_ctx_long_atomic_inc, INC, CONTENDED)},
    {"Shmem_Ctx_Atomic_Add_Long_Contended", "atomic add, long of rank 0, by all ranks, user context", ATOMIC(shmem_ctx_long_atomic_add, ADD, CONTENDED)},
    {"Shmem_Ctx_Atomic_Fetch_And_Long_Contended", "atomic fetch-and-and, long of rank 0, by all ranks, user context", ATOMIC(shmem_ctx_int64_atomic_fetch_and, FETCH_AND, CONTENDED)},
    {"Shmem_Ctx_Atomic_Fetch_Or_Long_Contended", "atomic fetch-and-or, long of rank 0, by all ranks, user context", ATOMIC(shmem_ctx_int64_atomic_fetch_or, FETCH_OR, CONTENDED)},
    {"Shmem_Ctx_Atomic_Fetch_Xor_Long_Contended", "atomic fetch-and-exclusive-or, long of rank 0, by all ranks, user context", ATOMIC(shmem_ctx_int64_atomic_fetch_xor, FETCH_XOR, CONTENDED)},
    {"Shmem_Ctx_Atomic_And_Long_Contended", "atomic and, long of rank 0, by all ranks, user context", ATOMIC(shmem_ctx_int64_atomic_and, AND, CONTENDED)},
    {"Shmem_Ctx_Atomic_Or_Long_Contended", "atomic or, long of rank 0, by all ranks, user context", ATOMIC(shmem_ctx_int64_atomic_or, OR, CONTENDED)},
    {"Shmem_Ctx_Atomic_Xor_Long_Contended", "atomic exclusive or, long of rank 0, by all ranks, user context", ATOMIC(shmem_ctx_int64_atomic_xor, XOR, CONTENDED)},

    {.name = NULL},
};
/* clang-format on */
