/*
 * Atomic memory operations: every operation on the default context and on a user's, over 32 and 64
 * bit, each rank on a target that nobody else uses or all ranks on one.
 *
 * The list of operations is below, once; the loops that call the library, the checks of the
 * values and the table of functions are made of it.
 */
#include "measurements/common/shapes.h"
#include "measurements/common/user_context.h"

/* Values small enough for any type, of which every operation makes something else. */
#define FIRST 6   /* held by a target before the first operation */
#define OPERAND 3 /* worked with */
#define NEVER 1   /* held by no target that it is compared with */

/* What comes back, and what is known of it when many operations are timed. */
enum form {
    POSTED,   /* nothing: the operation is over after a quiet */
    FETCHING, /* what the target held */
    KEEPING,  /* the same each time, since the target is not changed */
    COUNTING  /* one more each time on a target of one's own */
};

/*
 * X(..., NAME, routine, form, words, value, arguments of the call ...)
 *
 * NAME: in script names. words: for the user. value: what the target holds afterwards when it held
 * `old`. Arguments of the call: `at` is what the target holds where it is known beforehand, and
 * `next` what it is to hold then.
 */
/* clang-format off */
#define OPERATIONS_ON_ANY_TYPE(X, ...) \
    X(__VA_ARGS__, Fetch, fetch, KEEPING, "fetch", old, target, pe) \
    X(__VA_ARGS__, Swap, swap, FETCHING, "swap", OPERAND, target, OPERAND, pe) \
    X(__VA_ARGS__, Set, set, POSTED, "set", OPERAND, target, OPERAND, pe)

#define OPERATIONS_ON_INTEGERS(X, ...) \
    X(__VA_ARGS__, Fetch_Inc, fetch_inc, FETCHING, "fetch-and-increment", old + 1, target, pe) \
    X(__VA_ARGS__, Fetch_Add, fetch_add, FETCHING, "fetch-and-add", old + OPERAND, target, OPERAND, pe) \
    X(__VA_ARGS__, Compare_Swap_Yes, compare_swap, COUNTING, "compare-and-swap that always swaps", \
      old == FIRST ? FIRST + 1 : old, target, at, next, pe) \
    X(__VA_ARGS__, Compare_Swap_No, compare_swap, KEEPING, "compare-and-swap that never swaps", \
      old, target, NEVER, OPERAND, pe) \
    X(__VA_ARGS__, Inc, inc, POSTED, "increment", old + 1, target, pe) \
    X(__VA_ARGS__, Add, add, POSTED, "add", old + OPERAND, target, OPERAND, pe)

#define OPERATIONS_ON_BITS(X, ...) \
    X(__VA_ARGS__, Fetch_And, fetch_and, FETCHING, "fetch-and-and", old & OPERAND, target, OPERAND, pe) \
    X(__VA_ARGS__, Fetch_Or, fetch_or, FETCHING, "fetch-and-or", old | OPERAND, target, OPERAND, pe) \
    X(__VA_ARGS__, Fetch_Xor, fetch_xor, FETCHING, "fetch-and-exclusive-or", old ^ OPERAND, target, OPERAND, pe) \
    X(__VA_ARGS__, And, and, POSTED, "and", old & OPERAND, target, OPERAND, pe) \
    X(__VA_ARGS__, Or, or, POSTED, "or", old | OPERAND, target, OPERAND, pe) \
    X(__VA_ARGS__, Xor, xor, POSTED, "exclusive or", old ^ OPERAND, target, OPERAND, pe)

/* With the type's name in C and in the library: bits of int and long are no standard (OpenSHMEM
 * 1.4, table 6), those of integers of the same size are. */
#define OPERATIONS_ON(X, T, BITS, ...) \
    OPERATIONS_ON_ANY_TYPE(X, T, T, __VA_ARGS__) OPERATIONS_ON_INTEGERS(X, T, T, __VA_ARGS__) \
    OPERATIONS_ON_BITS(X, T, BITS, __VA_ARGS__)
#define EACH_INTEGER_OPERATION(X, ...) \
    OPERATIONS_ON(X, int, int32, __VA_ARGS__) OPERATIONS_ON(X, long, int64, __VA_ARGS__)
#define EACH_OPERATION(X, ...) \
    EACH_INTEGER_OPERATION(X, __VA_ARGS__) \
    OPERATIONS_ON_ANY_TYPE(X, float, float, __VA_ARGS__) \
    OPERATIONS_ON_ANY_TYPE(X, double, double, __VA_ARGS__)
/* clang-format on */

struct site;

/* What distinguishes the functions. */
struct atomic {
    enum form form;
    bool contended, user_context;
    size_t size;
    int64_t (*value)(int64_t old); /* that the operation leaves */
    int64_t (*load)(const void *);
    void (*store)(void *, int64_t);
    /* `iterations` operations, each completed; what the target holds goes from `at`
     * on in steps, where it is known. Returns what the last one fetched. */
    int64_t (*loop)(const struct site *, int64_t at, int64_t step, int64_t iterations);
};

#if SKAMPI_SHMEM

#define LINE 64

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

/* ---- Calls of the library ---- */

/* clang-format off */
#define ACCESS(T) \
    static int64_t load_##T(const void *memory) \
    { \
        return (int64_t)*(const T *)memory; \
    } \
    static void store_##T(void *memory, int64_t value) \
    { \
        *(T *)memory = (T)value; \
    }

#define COMPLETE_POSTED(CALL, QUIET) CALL; QUIET
#define COMPLETE_FETCHING(CALL, QUIET) got = CALL
#define COMPLETE_KEEPING COMPLETE_FETCHING
#define COMPLETE_COUNTING COMPLETE_FETCHING

#define LOOP(NAME, T, COMPLETE, CALL, QUIET) \
    static int64_t NAME(const struct site *site, int64_t value, int64_t step, int64_t iterations) \
    { \
        T *target = site->target, at = (T)value, got = 0; \
        int pe = site->pe; \
        for (int64_t i = 0; i < iterations; i++) { \
            T next = (T)((int64_t)at + step); \
            COMPLETE(CALL, QUIET); \
            at = next; \
        } \
        return (int64_t)got; \
    }

#define LOOP_DEFAULT(T, TYPE, UNUSED, NAME, ROUTINE, FORM, WORDS, VALUE, ...) \
    LOOP(default_##T##_##NAME, T, COMPLETE_##FORM, shmem_##TYPE##_atomic_##ROUTINE(__VA_ARGS__), \
         shmem_quiet())
#define LOOP_USER(T, TYPE, UNUSED, NAME, ROUTINE, FORM, WORDS, VALUE, ...) \
    LOOP(user_##T##_##NAME, T, COMPLETE_##FORM, \
         shmem_ctx_##TYPE##_atomic_##ROUTINE(site->context, __VA_ARGS__), \
         shmem_ctx_quiet(site->context))

#define VALUE_AFTER(UNUSED, NAME, ROUTINE, FORM, WORDS, VALUE, ...) \
    static int64_t value_after_##NAME(int64_t old) \
    { \
        (void)old; \
        return VALUE; \
    }
/* clang-format on */

ACCESS(int)
ACCESS(long)
ACCESS(float)
ACCESS(double)
OPERATIONS_ON_ANY_TYPE(VALUE_AFTER, )
OPERATIONS_ON_INTEGERS(VALUE_AFTER, )
OPERATIONS_ON_BITS(VALUE_AFTER, )
EACH_OPERATION(LOOP_DEFAULT, )
EACH_OPERATION(LOOP_USER, )

/* ---- Set-up ---- */

static struct targets *targets_of(const struct run *run)
{
    return (struct targets *)(void *)run->scratch;
}

static struct site site_of(struct run *run, bool contended)
{
    const struct atomic_state *state = run->state;
    struct site site = {.target = targets_of(run)->word,
                        .pe = pe_set_member(run->set, contended ? 0 : (run->rank + 1) % run->size)};
    if (state->contexts.count > 0)
        site.context = state->contexts.handles[0];
    return site;
}

static bool set_up(struct run *run)
{
    const struct atomic *atomic = run->function->variant;
    struct atomic_state *state = run->state;
    if (atomic->user_context && !contexts_open(run, &state->contexts, 1, SHMEM_CTX_SERIALIZED))
        return false;
    state->site = site_of(run, atomic->contended);
    return true;
}

/* ---- Values: every operation leaves and fetches what it should ---- */

/* As the type holds it: integers wrap around. */
static int64_t as_held(const struct atomic *atomic, int64_t value)
{
    _Alignas(int64_t) unsigned char word[sizeof(int64_t)] = {0};
    atomic->store(word, value);
    return atomic->load(word);
}

/* What the target holds after so many operations: the operations repeat themselves at once, every
 * other time, or count. */
static int64_t value_after(const struct atomic *atomic, int64_t operations)
{
    int64_t once = atomic->value(FIRST), twice = atomic->value(once);
    if (operations == 0)
        return FIRST;
    if (atomic->form == COUNTING && !atomic->contended)
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
    int64_t once = atomic->value(FIRST), twice = atomic->value(once);
    if (atomic->form == POSTED || mine == 0)
        return true;
    if (!atomic->contended)
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
    return atomic->form == COUNTING && atomic->contended && !run->untimed;
}

static void fill(struct run *run)
{
    const struct atomic *atomic = run->function->variant;
    struct atomic_state *state = run->state;
    struct targets *targets = targets_of(run);
    data_poison(targets, offsetof(struct targets, spare));
    atomic->store(targets->word, FIRST);
    state->at = FIRST;
    state->done = 0;
}

static bool verify(struct run *run)
{
    const struct atomic *atomic = run->function->variant;
    const struct atomic_state *state = run->state;
    struct targets *targets = targets_of(run);
    int64_t all = state->done * (atomic->contended ? run->size : 1);
    bool target = !atomic->contended || run->rank == 0;
    if (swaps_the_same(run))
        target = false;
    int64_t holds = atomic->load(targets->word), value = value_after(atomic, target ? all : 0);
    bool left = holds == value, fetched = may_fetch(atomic, state->got, state->done, all);
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
                                 targets->word + atomic->size,
                                 offsetof(struct targets, spare) - atomic->size);
}

static void tear_down(struct run *run)
{
    contexts_close(&((struct atomic_state *)run->state)->contexts);
}

/* ---- What is timed and what is subtracted ---- */

static double run_atomic(struct run *run)
{
    const struct atomic *atomic = run->function->variant;
    struct atomic_state *state = run->state;
    int64_t step = atomic->form == COUNTING && !swaps_the_same(run);
    int64_t started = run_start(run);
    int64_t got = atomic->loop(&state->site, state->at, step, run->iterations);
    int64_t stopped = run_stop(run);
    state->at += step * run->iterations;
    state->done += run->iterations;
    state->got = got;
    /* One compare-and-swap that failed would make all that follow fail. */
    int64_t wanted = state->at - step;
    if (atomic->size == sizeof(int32_t))
        wanted = (int32_t)wanted; /* counters wrap around */
    bool known =
        atomic->form == KEEPING || (atomic->form == COUNTING && !(atomic->contended && step));
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
                       atomic->user_context ? &state->site.context : NULL);
}

#define SCRATCH sizeof(struct targets)
#define STATE sizeof(struct atomic_state)

#else
#define SCRATCH 0
#define STATE 0
#endif

static void demand(const struct measurement *function, const struct argument *arguments, int pes,
                   struct demand *demand)
{
    (void)arguments;
    (void)pes;
    demand->scratch = SCRATCH;
    demand->reported = ((const struct atomic *)function->variant)->size;
}

/* ---- The table ---- */

/* clang-format off */
#define PARTS_POSTED(CONTEXT) \
    .timing = TIMING_PARTS, .calls = "shmem_" CALLED_##CONTEXT "quiet", .reference = WITH_SHMEM(quiet_alone), .subtracted = "an empty quiet", .cost = "post + wire"
#define PARTS_FETCHING(CONTEXT) .timing = TIMING_WHOLE, .cost = "fetch"
#define PARTS_KEEPING PARTS_FETCHING
#define PARTS_COUNTING PARTS_FETCHING

#define TIMED_POSTED(WORDS) WORDS " + quiet"
#define TIMED_FETCHING(WORDS) WORDS
#define TIMED_KEEPING TIMED_FETCHING
#define TIMED_COUNTING TIMED_FETCHING

#define SUFFIX_int ""
#define SUFFIX_long "_Long"
#define SUFFIX_float "_Float"
#define SUFFIX_double "_Double"

#define PREFIX_default ""
#define PREFIX_user "Ctx_"
#define CALLED_default ""
#define CALLED_user "ctx_"
#define WHERE_default ""
#define WHERE_user ", user context"

#define ROW(T, TYPE, CONTEXT, CONTENDED, PATTERN, WHERE, NAME, ROUTINE, FORM, WORDS, VALUE, ...) \
    {"Shmem_" PREFIX_##CONTEXT "Atomic_" #NAME SUFFIX_##T PATTERN, \
     "atomic " WORDS ", " #T WHERE WHERE_##CONTEXT, .api = API_OPENSHMEM, \
     .parameters = {ITERATIONS}, .demand = demand, .state_bytes = STATE, \
     .setup = WITH_SHMEM(set_up), .run = WITH_SHMEM(run_atomic), .teardown = WITH_SHMEM(tear_down), \
     .fill = WITH_SHMEM(fill), .verify = WITH_SHMEM(verify), \
     PARTS_##FORM(CONTEXT), .moves = MOVES_MESSAGE, \
     .routine = "shmem_" CALLED_##CONTEXT #TYPE "_atomic_" #ROUTINE, .timed = TIMED_##FORM(WORDS), .who = "all", \
     .variant = &(const struct atomic){FORM, CONTENDED, IS_##CONTEXT, sizeof(T), \
                                       WITH_SHMEM(value_after_##NAME), WITH_SHMEM(load_##T), \
                                       WITH_SHMEM(store_##T), WITH_SHMEM(CONTEXT##_##T##_##NAME)}},
#define IS_default false
#define IS_user true

const struct measurement measurements_atomic[] = {
    EACH_OPERATION(ROW, default, false, "", " of the next rank")
    EACH_INTEGER_OPERATION(ROW, default, true, "_Contended", " of rank 0, by all ranks")
    EACH_OPERATION(ROW, user, false, "", " of the next rank")
    EACH_INTEGER_OPERATION(ROW, user, true, "_Contended", " of rank 0, by all ranks")
    {.name = NULL},
};
/* clang-format on */
