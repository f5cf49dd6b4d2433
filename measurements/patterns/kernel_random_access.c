/*
 * Random access: each PE changes words at random places of a table that is distributed over all,
 * by get and put, or by atomic operations.
 */
#include "measurements/common/kernel.h"

/* The share of updates that may be lost if they are not atomic, by the rules of HPC Challenge. */
#define LOST_SHARE 0.01

void kernel_random_access_serial(uint64_t *table, int rank, int ranks, int64_t words, uint64_t key,
                                 int64_t changes)
{
    for (int64_t i = 0; i < changes; i++) {
        struct random_access change = kernel_random_access_of(key, i, ranks, words);
        if (change.rank == rank)
            table[change.word] ^= change.value;
    }
}

static void demand(struct run *run)
{
    run->demand.remote = data_product((size_t)run_integer(run, "words", 0), sizeof(uint64_t));
    run->demand.own = run->demand.reported = run->demand.remote;
    run->demand.scratch = active_set_bytes();
}

static const char *check(const struct run *run)
{
    return collective_refused_set(run->set);
}

#if SKAMPI_SHMEM

#include <shmem.h>
#include <stdlib.h>

struct access_state {
    struct kernel_state kernel;
    uint64_t *table; /* symmetric */
    int64_t words, updates;
    uint64_t key;
    int64_t made; /* updates in this repetition */
    uint64_t computed;
    bool atomic;
};

static int64_t allowed_words(const struct access_state *s)
{
    int64_t share = (int64_t)(LOST_SHARE * (double)s->words);
    return s->atomic ? 0 : share > 1 ? share : 1;
}

static uint64_t initial(const struct run *run, int64_t word)
{
    return kernel_key(run, run->rank) ^ (uint64_t)word;
}

static void begin(struct run *run)
{
    struct access_state *s = run->state;
    s->made = 0;
    s->key = kernel_key(run, run->size + run->rank);
    for (int64_t i = 0; i < s->words; i++)
        s->table[i] = initial(run, i);
    /* Updates of others must not meet an old word; it is not timed. */
    run_barrier(run);
}

/* After as many updates as may be outstanding, a quiet; at the end of a step a barrier, which also
 * completes all. */
static inline void step(struct run *run, void (*update)(uint64_t *, uint64_t, int))
{
    struct access_state *s = run->state;
    int64_t most = run->settings->max_outstanding, outstanding = 0;
    for (int64_t i = 0; i < s->updates; i++) {
        struct random_access to = kernel_random_access_of(s->key, s->made++, run->size, s->words);
        update(&s->table[to.word], to.value, pe_set_member(run->set, to.rank));
        if (++outstanding == most) {
            shmem_quiet();
            outstanding = 0;
        }
    }
    kernel_barrier(run);
}

static inline void update_atomic(uint64_t *word, uint64_t value, int pe)
{
    shmem_ulong_atomic_xor((unsigned long *)(void *)word, value, pe);
}

/* Who changes the word in between is overwritten. */
static inline void update_get_put(uint64_t *word, uint64_t value, int pe)
{
    unsigned long *target = (unsigned long *)(void *)word;
    shmem_ulong_p(target, shmem_ulong_g(target, pe) ^ value, pe);
}

static void step_atomic(struct run *run)
{
    step(run, update_atomic);
}

static void step_get_put(struct run *run)
{
    step(run, update_get_put);
}

/* The places and values of a step's updates, and nothing else. */
static void compute(struct run *run)
{
    struct access_state *s = run->state;
    uint64_t sum = 0;
    for (int64_t i = 0; i < s->updates; i++) {
        struct random_access to = kernel_random_access_of(s->key, s->made + i, run->size, s->words);
        sum += to.value ^ (uint64_t)(to.word + pe_set_member(run->set, to.rank));
    }
    s->computed = sum;
    __asm__ volatile("" ::"r"(&s->computed) : "memory");
}

/* ---- Data ---- */

/* What a serial program makes of this rank's part of the table. */
static uint64_t *serial(const struct run *run)
{
    const struct access_state *s = run->state;
    uint64_t *table = memory_allocate((size_t)s->words * sizeof *table);
    for (int64_t i = 0; i < s->words; i++)
        table[i] = initial(run, i);
    for (int rank = 0; rank < run->size; rank++)
        kernel_random_access_serial(table, run->rank, run->size, s->words,
                                    kernel_key(run, run->size + rank), s->made);
    return table;
}

static bool verify(struct run *run)
{
    const struct access_state *s = run->state;
    if ((double)s->made * run->size + (double)s->words > KERNEL_MOST_CHECKED) {
        run_note(run, "data not verified: that takes all updates of all PEs, more than %g",
                 KERNEL_MOST_CHECKED);
        return true;
    }
    uint64_t *wanted = serial(run);
    int64_t wrong = 0, first = 0;
    for (int64_t i = 0; i < s->words; i++)
        if (s->table[i] != wanted[i] && wrong++ == 0)
            first = i;
    bool good = wrong <= allowed_words(s);
    if (!good)
        run_fail(run,
                 "wrong data: %lld of %lld words on PE %d (rank %d), where %lld may be; word %lld "
                 "is 0x%016llx and should be 0x%016llx",
                 (long long)wrong, (long long)s->words, pe_set_member(run->set, run->rank),
                 run->rank, (long long)allowed_words(s), (long long)first,
                 (unsigned long long)s->table[first], (unsigned long long)wanted[first]);
    free(wanted);
    return good;
}

static bool set_up(struct run *run)
{
    const struct kernel *kernel = run->function->variant;
    struct access_state *s = run->state;
    kernel_set_up(run);
    s->table = (uint64_t *)(void *)run->remote;
    s->words = run_argument(run, "words")->integer;
    s->updates = run_argument(run, "updates")->integer;
    s->atomic = kernel->step == step_atomic;
    return (uintptr_t)run->remote % sizeof(uint64_t) == 0 ||
           run_fail(run, ALIGNMENT_TEXT, sizeof(uint64_t));
}

#endif

/* clang-format off */
#define WORDS {"words", PARAMETER_INT, "", "64-bit words of the table on each PE", .minimum = 1, .maximum = (int64_t)1 << 50, .example = "1000"}
#define UPDATES {"updates", PARAMETER_INT, "", "updates by each PE in a step", .maximum = 1 << 30, .example = "10"}
static const struct measurement accesses = {
    .like = {&kernel_common}, .parameters = {WORDS, UPDATES, ITERATIONS}, .check = check, .demand = demand,
    .setup = WITH_SHMEM(set_up), .verify = WITH_SHMEM(verify), SHMEM_STATE(struct access_state)};
/* Single updates are too short to read the timer around them. */
static const struct measurement shares = {
    .like = {&accesses}, .timing = TIMING_PARTS, .reference = WITH_SHMEM(kernel_computation),
    .subtracted = "places and values of the updates"};

static const struct measurement of_atomic = {
    .calls = "shmem_ulong_atomic_xor shmem_quiet shmem_barrier_all shmem_barrier",
    .timed = "atomic xors, a quiet after each set_max_outstanding() of them, and a barrier"};
static const struct measurement of_get_put = {
    .calls = "shmem_ulong_g shmem_ulong_p shmem_quiet shmem_barrier_all shmem_barrier",
    .timed = "g and p of words, a quiet after each set_max_outstanding() of them, and a barrier"};

const struct measurement measurements_kernel_random_access[] = {
    {"Kernel_Random_Access_Atomic", "random access: atomic xor of words at random places of a table on all PEs",
     .like = {&accesses, &of_atomic}, .timing = TIMING_WHOLE, .variant = &(const struct kernel){.begin = WITH_SHMEM(begin), .step = WITH_SHMEM(step_atomic)}},
    {"Kernel_Random_Access_Atomic_Communication", "the communication in a step of random access by atomic xor",
     .like = {&shares, &of_atomic}, .variant = &(const struct kernel){.begin = WITH_SHMEM(begin), .step = WITH_SHMEM(step_atomic), .compute = WITH_SHMEM(compute), .communication = true}},
    {"Kernel_Random_Access_Get_Put", "random access: get, xor and put of words at random places of a table on all PEs",
     .like = {&accesses, &of_get_put}, .timing = TIMING_WHOLE, .variant = &(const struct kernel){.begin = WITH_SHMEM(begin), .step = WITH_SHMEM(step_get_put)}},
    {"Kernel_Random_Access_Get_Put_Communication", "the communication in a step of random access by get and put",
     .like = {&shares, &of_get_put}, .variant = &(const struct kernel){.begin = WITH_SHMEM(begin), .step = WITH_SHMEM(step_get_put), .compute = WITH_SHMEM(compute), .communication = true}},
    {.name = NULL},
};
/* clang-format on */
