/*
 * Measures the calls that libnetwork.so gives a cost, without skampi, and prints one line
 * "NAME NANOSECONDS" for each, on PE 0. test_network.py compares them with what was programmed.
 *   network_check costs     the calls and what follows from them, alone and together
 *   network_check variants  every function of the same meaning: put, get and the like
 *   network_check atomics   and atomics
 * network_sync.c does it for what several PEs do together.
 */
#include <shmem.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "truth/openshmem_types.h"
#include "truth/programs/timing.h"

#define MAX_BYTES 1024

/* Symmetric. */
static unsigned char *remote;
static unsigned char local[MAX_BYTES] __attribute__((aligned(64)));
static shmem_ctx_t context;
static int other;

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

#define ARGUMENTS_READ(type) (type *)remote, other
#define ARGUMENTS_POST_0(type) (type *)remote, other
#define ARGUMENTS_POST_1(type) (type *)remote, 1, other
#define ARGUMENTS_FETCH_0(type) (type *)remote, other
#define ARGUMENTS_FETCH_1(type) (type *)remote, 1, other
#define ARGUMENTS_FETCH_2(type) (type *)remote, 0, 1, other
#define ATOMIC_ALONE(shape, name, type) OPERATION(name, shmem_##name(ARGUMENTS_##shape(type)))
#define ATOMIC_PAIR(shape, name, type)                                                             \
    ATOMIC_ALONE(shape, name, type)                                                                \
    OPERATION(ctx_##name, shmem_ctx_##name(context, ARGUMENTS_##shape(type)))
#define ATOMIC(kind, shape, name, type) ATOMIC_##kind(shape, name, type)

TRUTH_ATOMICS(ATOMIC)

#undef OPERATION
#define OPERATION(name, statement) {#name, operation_##name},

struct variant {
    const char *name;
    void (*operation)(void);
};

static const struct variant transfers[] = {TRUTH_TYPES(TYPED) TRUTH_SIZES(BLOCKS)
                                               TRUTH_SIZES(STRIDED) BLOCKS(mem)};
static const struct variant atomics[] = {TRUTH_ATOMICS(ATOMIC)};

/* Open MPI 4.1 crashes in compare-and-swap of 32 bits. */
static bool works(const char *name)
{
    return !strstr(name, "int_atomic_compare_swap") && !strstr(name, "int_cswap");
}

static void measure_variants(const struct variant *variants, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (works(variants[i].name)) {
            printf("%s %.2f\n", variants[i].name, time_of(variants[i].operation, 10));
        }
    }
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "costs";
    shmem_init();
    other = (shmem_my_pe() + 1) % shmem_n_pes();
    remote = shmem_calloc(1, MAX_BYTES);
    if (!remote || shmem_ctx_create(0, &context) != 0) {
        fprintf(stderr, "network_check: no memory\n");
        shmem_global_exit(1);
    }
    shmem_barrier_all();
    if (shmem_my_pe() != 0) {
        /* only watches */
    } else if (strcmp(mode, "costs") == 0) {
        measure_costs();
    } else if (strcmp(mode, "atomics") == 0) {
        measure_variants(atomics, sizeof atomics / sizeof atomics[0]);
    } else {
        measure_variants(transfers, sizeof transfers / sizeof transfers[0]);
    }
    fflush(stdout);
    shmem_barrier_all();
    shmem_global_exit(0);
}
