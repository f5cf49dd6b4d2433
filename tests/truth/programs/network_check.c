/*
 * Measures the calls that libnetwork.so gives a cost, without skampi, and prints one line
 * "NAME NANOSECONDS" for each, on PE 0. test_network.py compares them with what was programmed.
 *   network_check costs        the calls and what follows from them, alone and together
 *   network_check variants     every function of the same meaning
 *   network_check collectives  barriers and broadcasts, "NAME@PE NANOSECONDS" for each PE
 */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "truth/rma_types.h"

#define BATCHES 15
#define MAX_BYTES 1024

/* Symmetric. */
static unsigned char *remote, *results;
static unsigned char local[MAX_BYTES] __attribute__((aligned(64)));
static long *sync_words;
static shmem_ctx_t context;
static int self, pes, other;

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The first quartile: interruptions only add. */
static double typical(double *x, int n)
{
    qsort(x, (size_t)n, sizeof x[0], compare);
    return x[n / 4];
}

/* Time of one operation among many, typical of several batches; what it leaves outstanding is
 * completed untimed. */
static double time_of(void (*operation)(void), int calls)
{
    double batch[BATCHES];
    operation();
    shmem_quiet();
    shmem_ctx_quiet(context);
    for (int b = 0; b < BATCHES; b++) {
        int64_t start = now_ns();
        for (int i = 0; i < calls; i++) {
            operation();
        }
        batch[b] = (double)(now_ns() - start) / calls;
        shmem_quiet();
        shmem_ctx_quiet(context);
    }
    return typical(batch, BATCHES);
}

/* ---- costs ---- */

static size_t bytes;

static void put(void)
{
    shmem_putmem(remote, local, bytes, other);
}

static void put_nbi(void)
{
    shmem_putmem_nbi(remote, local, bytes, other);
}

static void get(void)
{
    shmem_getmem(local, remote, bytes, other);
}

static void get_nbi(void)
{
    shmem_getmem_nbi(local, remote, bytes, other);
}

static void put_quiet(void)
{
    put();
    shmem_quiet();
}

static void put_nbi_quiet(void)
{
    put_nbi();
    shmem_quiet();
}

static void get_nbi_quiet(void)
{
    get_nbi();
    shmem_quiet();
}

static void two_puts_quiet(void)
{
    put_nbi();
    put_quiet();
}

/* Quiet of the default context must not wait for the other one. */
static void context_apart(void)
{
    shmem_ctx_putmem_nbi(context, remote, local, bytes, other);
    shmem_quiet();
    shmem_ctx_quiet(context);
}

static void put_fence_quiet(void)
{
    put();
    shmem_fence();
    shmem_quiet();
}

/* A while, so that what was posted can be complete. */
static void put_pause(void)
{
    put_nbi();
    int64_t end = now_ns() + 50000;
    while (now_ns() < end) {
    }
}

static void put_pause_quiet(void)
{
    put_pause();
    shmem_quiet();
}

static void measure_costs(void)
{
    static const struct {
        const char *name;
        void (*operation)(void);
    } operations[] = {{"put", put},
                      {"put_nbi", put_nbi},
                      {"get", get},
                      {"get_nbi", get_nbi},
                      {"quiet", shmem_quiet},
                      {"fence", shmem_fence},
                      {"put_quiet", put_quiet},
                      {"put_nbi_quiet", put_nbi_quiet},
                      {"get_nbi_quiet", get_nbi_quiet},
                      {"two_puts_quiet", two_puts_quiet},
                      {"context_apart", context_apart},
                      {"put_fence_quiet", put_fence_quiet}};
    for (bytes = 8; bytes <= MAX_BYTES; bytes *= 128) {
        for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
            printf("%s %.2f\n", operations[i].name, time_of(operations[i].operation, 50));
        }
        printf("quiet_delayed %.2f\n", time_of(put_pause_quiet, 10) - time_of(put_pause, 10));
    }
}

/* ---- variants ---- */

#define OPERATION(name, statement)                                                                 \
    static void operation_##name(void)                                                             \
    {                                                                                              \
        statement;                                                                                 \
    }

#define TYPED(name, type)                                                                          \
    OPERATION(name##_put, shmem_##name##_put((type *)remote, (type *)local, 2, other))             \
    OPERATION(name##_put_nbi, shmem_##name##_put_nbi((type *)remote, (type *)local, 2, other))     \
    OPERATION(name##_iput, shmem_##name##_iput((type *)remote, (type *)local, 1, 1, 2, other))     \
    OPERATION(name##_p, shmem_##name##_p((type *)remote, *(type *)local, other))                   \
    OPERATION(name##_get, shmem_##name##_get((type *)local, (type *)remote, 2, other))             \
    OPERATION(name##_get_nbi, shmem_##name##_get_nbi((type *)local, (type *)remote, 2, other))     \
    OPERATION(name##_iget, shmem_##name##_iget((type *)local, (type *)remote, 1, 1, 2, other))     \
    OPERATION(name##_g, *(type *)local = shmem_##name##_g((type *)remote, other))                  \
    OPERATION(ctx_##name##_put,                                                                    \
              shmem_ctx_##name##_put(context, (type *)remote, (type *)local, 2, other))            \
    OPERATION(ctx_##name##_put_nbi,                                                                \
              shmem_ctx_##name##_put_nbi(context, (type *)remote, (type *)local, 2, other))        \
    OPERATION(ctx_##name##_iput,                                                                   \
              shmem_ctx_##name##_iput(context, (type *)remote, (type *)local, 1, 1, 2, other))     \
    OPERATION(ctx_##name##_p,                                                                      \
              shmem_ctx_##name##_p(context, (type *)remote, *(type *)local, other))                \
    OPERATION(ctx_##name##_get,                                                                    \
              shmem_ctx_##name##_get(context, (type *)local, (type *)remote, 2, other))            \
    OPERATION(ctx_##name##_get_nbi,                                                                \
              shmem_ctx_##name##_get_nbi(context, (type *)local, (type *)remote, 2, other))        \
    OPERATION(ctx_##name##_iget,                                                                   \
              shmem_ctx_##name##_iget(context, (type *)local, (type *)remote, 1, 1, 2, other))     \
    OPERATION(ctx_##name##_g, *(type *)local = shmem_ctx_##name##_g(context, (type *)remote, other))

#define BLOCKS(bits)                                                                               \
    OPERATION(put##bits, shmem_put##bits(remote, local, 2, other))                                 \
    OPERATION(put##bits##_nbi, shmem_put##bits##_nbi(remote, local, 2, other))                     \
    OPERATION(get##bits, shmem_get##bits(local, remote, 2, other))                                 \
    OPERATION(get##bits##_nbi, shmem_get##bits##_nbi(local, remote, 2, other))                     \
    OPERATION(ctx_put##bits, shmem_ctx_put##bits(context, remote, local, 2, other))                \
    OPERATION(ctx_put##bits##_nbi, shmem_ctx_put##bits##_nbi(context, remote, local, 2, other))    \
    OPERATION(ctx_get##bits, shmem_ctx_get##bits(context, local, remote, 2, other))                \
    OPERATION(ctx_get##bits##_nbi, shmem_ctx_get##bits##_nbi(context, local, remote, 2, other))

#define STRIDED(bits)                                                                              \
    OPERATION(iput##bits, shmem_iput##bits(remote, local, 1, 1, 2, other))                         \
    OPERATION(iget##bits, shmem_iget##bits(local, remote, 1, 1, 2, other))                         \
    OPERATION(ctx_iput##bits, shmem_ctx_iput##bits(context, remote, local, 1, 1, 2, other))        \
    OPERATION(ctx_iget##bits, shmem_ctx_iget##bits(context, local, remote, 1, 1, 2, other))

TRUTH_TYPES(TYPED)
TRUTH_SIZES(BLOCKS)
TRUTH_SIZES(STRIDED)
BLOCKS(mem)

#undef OPERATION
#define OPERATION(name) {#name, operation_##name},
#undef TYPED
#define TYPED(name, type)                                                                          \
    OPERATION(name##_put)                                                                          \
    OPERATION(name##_put_nbi)                                                                      \
    OPERATION(name##_iput)                                                                         \
    OPERATION(name##_p)                                                                            \
    OPERATION(name##_get)                                                                          \
    OPERATION(name##_get_nbi)                                                                      \
    OPERATION(name##_iget)                                                                         \
    OPERATION(name##_g)                                                                            \
    OPERATION(ctx_##name##_put)                                                                    \
    OPERATION(ctx_##name##_put_nbi)                                                                \
    OPERATION(ctx_##name##_iput)                                                                   \
    OPERATION(ctx_##name##_p)                                                                      \
    OPERATION(ctx_##name##_get)                                                                    \
    OPERATION(ctx_##name##_get_nbi)                                                                \
    OPERATION(ctx_##name##_iget)                                                                   \
    OPERATION(ctx_##name##_g)
#undef BLOCKS
#define BLOCKS(bits)                                                                               \
    OPERATION(put##bits)                                                                           \
    OPERATION(put##bits##_nbi)                                                                     \
    OPERATION(get##bits)                                                                           \
    OPERATION(get##bits##_nbi)                                                                     \
    OPERATION(ctx_put##bits)                                                                       \
    OPERATION(ctx_put##bits##_nbi)                                                                 \
    OPERATION(ctx_get##bits)                                                                       \
    OPERATION(ctx_get##bits##_nbi)
#undef STRIDED
#define STRIDED(bits)                                                                              \
    OPERATION(iput##bits) OPERATION(iget##bits) OPERATION(ctx_iput##bits) OPERATION(ctx_iget##bits)

static void measure_variants(void)
{
    static const struct {
        const char *name;
        void (*operation)(void);
    } variants[] = {TRUTH_TYPES(TYPED) TRUTH_SIZES(BLOCKS) TRUTH_SIZES(STRIDED) BLOCKS(mem)};
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        printf("%s %.2f\n", variants[i].name, time_of(variants[i].operation, 10));
    }
}

/* ---- collectives ---- */

static int round_number;

/* Alternating words, since a collective may not reuse those of the one before. */
static long *next_sync_words(void)
{
    return sync_words + (round_number++ % 2) * SHMEM_BCAST_SYNC_SIZE;
}

static void broadcast(void)
{
    shmem_broadcast64(results, remote, 1, 0, 0, 0, pes, next_sync_words());
}

static void barrier_set(void)
{
    shmem_barrier(0, 0, pes, next_sync_words());
}

static void late_barrier(void)
{
    int64_t start = now_ns();
    while (self == pes - 1 && now_ns() < start + 30000) {
    }
    shmem_barrier_all();
}

/* A barrier behind each, so that the PEs begin the next one together. */
static double time_apart(void (*operation)(void))
{
    enum { CALLS = 200 };
    double times[CALLS];
    for (int i = 0; i < CALLS; i++) {
        shmem_barrier_all();
        int64_t start = now_ns();
        operation();
        times[i] = (double)(now_ns() - start);
    }
    return typical(times, CALLS);
}

static double time_together(void (*operation)(void), int calls)
{
    double batch[BATCHES];
    for (int b = 0; b < BATCHES; b++) {
        shmem_barrier_all();
        int64_t start = now_ns();
        for (int i = 0; i < calls; i++) {
            operation();
        }
        batch[b] = (double)(now_ns() - start) / calls;
    }
    return typical(batch, BATCHES);
}

static void measure_collectives(void)
{
    printf("barrier_all@%d %.2f\n", self, time_together(shmem_barrier_all, 50));
    printf("sync_all@%d %.2f\n", self, time_together(shmem_sync_all, 50));
    printf("barrier_set@%d %.2f\n", self, time_together(barrier_set, 50));
    printf("barrier_late@%d %.2f\n", self, time_together(late_barrier, 20));
    printf("broadcast@%d %.2f\n", self, time_apart(broadcast));
    printf("broadcast_loop@%d %.2f\n", self, time_together(broadcast, 10));
}

static void fill(void)
{
    size_t words = 2 * (SHMEM_BCAST_SYNC_SIZE > SHMEM_BARRIER_SYNC_SIZE ? SHMEM_BCAST_SYNC_SIZE
                                                                        : SHMEM_BARRIER_SYNC_SIZE);
    remote = shmem_malloc(MAX_BYTES);
    results = shmem_malloc(MAX_BYTES);
    sync_words = shmem_malloc(words * sizeof *sync_words);
    if (remote == NULL || results == NULL || sync_words == NULL ||
        shmem_ctx_create(0, &context) != 0) {
        fprintf(stderr, "network_check: no memory\n");
        shmem_global_exit(1);
    }
    memset(remote, 1, MAX_BYTES);
    for (size_t i = 0; i < words; i++) {
        sync_words[i] = SHMEM_SYNC_VALUE;
    }
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "costs";
    shmem_init();
    self = shmem_my_pe();
    pes = shmem_n_pes();
    other = (self + 1) % pes;
    fill();
    shmem_barrier_all();
    if (strcmp(mode, "collectives") == 0) {
        measure_collectives();
    } else if (self == 0) {
        strcmp(mode, "costs") == 0 ? measure_costs() : measure_variants();
    }
    fflush(stdout);
    shmem_barrier_all();
    shmem_global_exit(0);
}
