/*
 * As network_check.c, for what several PEs do together: prints "NAME@PE NANOSECONDS" for each PE.
 *   network_sync waits        wait_until, test, locks and contexts
 *   network_sync collectives  barriers, broadcasts and all others, and memory
 *   network_sync variants     every function of the same meaning
 */
#include <shmem.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "truth/openshmem_types.h"
#include "truth/programs/timing.h"

#define ELEMENTS 8
#define LATE_NS 30000
#define SYNC_LONGS                                                                                 \
    (SHMEM_BCAST_SYNC_SIZE + SHMEM_BARRIER_SYNC_SIZE + SHMEM_REDUCE_SYNC_SIZE +                    \
     SHMEM_COLLECT_SYNC_SIZE + SHMEM_ALLTOALL_SYNC_SIZE)

/* In the symmetric heap. */
static struct {
    long flag, spare, lock, busy_lock;
    /* Alternating words, since a collective may not reuse those of the one before. */
    long sync[2][SYNC_LONGS];
    long double work[SHMEM_REDUCE_MIN_WRKDATA_SIZE + ELEMENTS];
    long double source[64 * ELEMENTS], results[64 * ELEMENTS];
} * memory;
static int self, pes, other;

static long *sync_words(void)
{
    static int calls;
    return memory->sync[calls++ % 2];
}

struct operation {
    const char *name;
    void (*call)(void);
    int calls;
};

static void measure(const struct operation *operations, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double time = time_together(operations[i].call, operations[i].calls);
        printf("%s@%d %.2f\n", operations[i].name, self, time);
    }
}

/* ---- waits ---- */

static void wait_satisfied(void)
{
    shmem_long_wait_until(&memory->flag, SHMEM_CMP_GE, 0);
}

static void test_satisfied(void)
{
    shmem_long_test(&memory->flag, SHMEM_CMP_GE, 0);
}

static long hits;

static void hit_put(void)
{
    shmem_long_p(&memory->flag, hits, other);
}

static void hit_add(void)
{
    shmem_long_atomic_add(&memory->flag, 1, other);
}

static void hit_fetch(void)
{
    shmem_long_atomic_fetch_inc(&memory->flag, other);
}

static void await(void)
{
    shmem_long_wait_until(&memory->flag, SHMEM_CMP_GE, hits);
}

/* One hit on the other PE, and its hit back. */
static void pingpong(void (*hit)(void))
{
    hits++;
    if (self == 0) {
        hit();
        await();
    } else if (self == 1) {
        await();
        hit();
    }
}

static void pingpong_put(void)
{
    pingpong(hit_put);
}

static void pingpong_add(void)
{
    pingpong(hit_add);
}

static void pingpong_fetch(void)
{
    pingpong(hit_fetch);
}

static void lock_alone(void)
{
    if (self == 0) {
        shmem_set_lock(&memory->lock);
        shmem_clear_lock(&memory->lock);
    }
}

static void lock_all(void)
{
    shmem_set_lock(&memory->lock);
    shmem_clear_lock(&memory->lock);
}

static void test_lock_free(void)
{
    if (self == 0 && shmem_test_lock(&memory->lock) == 0) {
        shmem_clear_lock(&memory->lock);
    }
}

static void test_lock_busy(void)
{
    if (self == 0 && shmem_test_lock(&memory->busy_lock) == 0) {
        fprintf(stderr, "network_sync: a lock that another PE holds is free\n");
        shmem_global_exit(1);
    }
}

static void context_pair(void)
{
    shmem_ctx_t context;
    if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &context) == 0) {
        shmem_ctx_destroy(context);
    }
}

static void context_put(void)
{
    shmem_ctx_t context;
    if (shmem_ctx_create(SHMEM_CTX_SERIALIZED, &context) == 0) {
        shmem_ctx_long_p(context, &memory->spare, 1, other);
        shmem_ctx_destroy(context);
    }
}

static void measure_waits(void)
{
    static const struct operation operations[] = {{"wait", wait_satisfied, 50},
                                                  {"test", test_satisfied, 50},
                                                  {"pingpong_put", pingpong_put, 20},
                                                  {"pingpong_add", pingpong_add, 20},
                                                  {"pingpong_fetch", pingpong_fetch, 20},
                                                  {"lock_alone", lock_alone, 20},
                                                  {"lock_all", lock_all, 20},
                                                  {"test_lock_free", test_lock_free, 20},
                                                  {"test_lock_busy", test_lock_busy, 20},
                                                  {"context_pair", context_pair, 20},
                                                  {"context_put", context_put, 20}};
    if (self == pes - 1) {
        shmem_set_lock(&memory->busy_lock);
    }
    shmem_barrier_all();
    measure(operations, sizeof operations / sizeof operations[0]);
    shmem_barrier_all();
    if (self == pes - 1) {
        shmem_clear_lock(&memory->busy_lock);
    }
}

/* ---- collectives ---- */

#define SET 0, 0, pes

static void barrier_set(void)
{
    shmem_barrier(SET, sync_words());
}

static void sync_set(void)
{
    shmem_sync(SET, sync_words());
}

static void come_late(void)
{
    int64_t start = now_ns();
    while (self == pes - 1 && now_ns() < start + LATE_NS) {
    }
}

static void barrier_late(void)
{
    come_late();
    shmem_barrier_all();
}

static void put_barrier(void)
{
    shmem_long_p(&memory->spare, 1, other);
    shmem_barrier_all();
}

static void reduce_late(void)
{
    come_late();
    shmem_long_sum_to_all((long *)memory->results, (long *)memory->source, ELEMENTS, SET,
                          (long *)memory->work, sync_words());
}

static void allocate_free(void)
{
    shmem_free(shmem_malloc(1000));
}

static void allocate_late(void)
{
    come_late();
    shmem_free(shmem_malloc(1000));
}

static void allocate_all(void)
{
    shmem_free(shmem_calloc(10, 100));
    shmem_free(shmem_realloc(shmem_align(64, 1000), 2000));
}

static void broadcast(void)
{
    shmem_broadcast64(memory->results, memory->source, 1, 0, SET, sync_words());
}

static void measure_collectives(void)
{
    static const struct operation operations[] = {
        {"barrier_all", shmem_barrier_all, 50}, {"barrier_set", barrier_set, 50},
        {"barrier_late", barrier_late, 20},     {"put_barrier", put_barrier, 20},
        {"sync_all", shmem_sync_all, 50},       {"sync_set", sync_set, 50},
        {"reduce_late", reduce_late, 20},       {"allocate_free", allocate_free, 20},
        {"allocate_late", allocate_late, 20},   {"allocate_all", allocate_all, 20},
        {"broadcast_loop", broadcast, 10}};
    measure(operations, sizeof operations / sizeof operations[0]);
    printf("broadcast@%d %.2f\n", self, time_apart(broadcast));
}

/* ---- variants ---- */

#define OPERATION(name, statement)                                                                 \
    static void operation_##name(void)                                                             \
    {                                                                                              \
        statement;                                                                                 \
    }

#define REDUCTION(name, type)                                                                      \
    OPERATION(name##_to_all,                                                                       \
              shmem_##name##_to_all((type *)memory->results, (type *)memory->source, ELEMENTS,     \
                                    SET, (type *)memory->work, sync_words()))
#define EXCHANGE(name)                                                                             \
    OPERATION(name, shmem_##name(memory->results, memory->source, ELEMENTS, SET, sync_words()))
#define EXCHANGE_STRIDED(name)                                                                     \
    OPERATION(name,                                                                                \
              shmem_##name(memory->results, memory->source, 1, 1, ELEMENTS, SET, sync_words()))
#define EXCHANGES                                                                                  \
    EXCHANGE(collect32)                                                                            \
    EXCHANGE(collect64)                                                                            \
    EXCHANGE(fcollect32)                                                                           \
    EXCHANGE(fcollect64)                                                                           \
    EXCHANGE(alltoall32)                                                                           \
    EXCHANGE(alltoall64)                                                                           \
    EXCHANGE_STRIDED(alltoalls32)                                                                  \
    EXCHANGE_STRIDED(alltoalls64)
#define WAIT(name, type)                                                                           \
    OPERATION(name##_wait_until,                                                                   \
              shmem_##name##_wait_until((type *)memory->source, SHMEM_CMP_EQ, 0))                  \
    OPERATION(name##_test, shmem_##name##_test((type *)memory->source, SHMEM_CMP_EQ, 0))

TRUTH_REDUCTIONS(REDUCTION)
EXCHANGES
TRUTH_WAIT_TYPES(WAIT)

#undef OPERATION
#define OPERATION(name, statement) {#name, operation_##name, 10},

static void measure_variants(void)
{
    static const struct operation variants[] = {TRUTH_REDUCTIONS(REDUCTION)
                                                    EXCHANGES TRUTH_WAIT_TYPES(WAIT)};
    measure(variants, sizeof variants / sizeof variants[0]);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "waits";
    shmem_init();
    self = shmem_my_pe();
    pes = shmem_n_pes();
    other = (self + 1) % pes;
    memory = shmem_calloc(1, sizeof *memory);
    if (!memory) {
        fprintf(stderr, "network_sync: no memory\n");
        shmem_global_exit(1);
    }
    for (int i = 0; i < 2 * SYNC_LONGS; i++) {
        memory->sync[i / SYNC_LONGS][i % SYNC_LONGS] = SHMEM_SYNC_VALUE;
    }
    shmem_barrier_all();
    if (strcmp(mode, "waits") == 0) {
        measure_waits();
    } else if (strcmp(mode, "collectives") == 0) {
        measure_collectives();
    } else {
        measure_variants();
    }
    fflush(stdout);
    shmem_barrier_all();
    shmem_global_exit(0);
}
