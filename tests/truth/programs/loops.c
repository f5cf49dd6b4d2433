/*
 * Times loops of many calls from outside, without skampi: prints "NAME NANOSECONDS" for one call of
 * each, as the slower PE sees it while all do the same. test_loops.py compares them with skampi.
 */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "truth/programs/timing.h"

/* A million calls in parts that are seldom interrupted, the typical one of which counts. */
#define PARTS 100
#define CALLS 10000
#define BYTES 8

/* Symmetric. */
static struct {
    unsigned char remote[64], local[64];
    int word, one;
    double time, slowest;
    double work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
    long sync[SHMEM_REDUCE_SYNC_SIZE];
} * memory;
static int other;

#define LOOPS(X)                                                                                   \
    X(put_quiet, shmem_putmem(memory->remote, memory->local, BYTES, other); shmem_quiet())         \
    X(put_quiet_quiet, shmem_putmem(memory->remote, memory->local, BYTES, other); shmem_quiet();   \
      shmem_quiet())                                                                               \
    X(get, shmem_getmem(memory->local, memory->remote, BYTES, other))                              \
    X(p_quiet, shmem_int_p(&memory->word, 1, other); shmem_quiet())                                \
    X(g, memory->one = shmem_int_g(&memory->word, other))                                          \
    X(fetch_add, shmem_int_atomic_fetch_add(&memory->word, 1, other))                              \
    X(swap, shmem_long_atomic_swap((long *)memory->remote, 1, other))                              \
    X(quiet, shmem_quiet())                                                                        \
    X(wait_until, shmem_int_wait_until(&memory->one, SHMEM_CMP_EQ, 1))                             \
    X(test, shmem_int_test(&memory->one, SHMEM_CMP_EQ, 1))

#define DEFINE(name, statement)                                                                    \
    static void loop_##name(void)                                                                  \
    {                                                                                              \
        for (int i = 0; i < CALLS; i++) {                                                          \
            statement;                                                                             \
        }                                                                                          \
    }
LOOPS(DEFINE)

#define ENTRY(name, statement) {#name, loop_##name},
static const struct {
    const char *name;
    void (*run)(void);
} loops[] = {LOOPS(ENTRY)};

int main(void)
{
    shmem_init();
    other = (shmem_my_pe() + 1) % shmem_n_pes();
    memory = shmem_calloc(1, sizeof *memory);
    if (memory == NULL) {
        fprintf(stderr, "loops: no memory\n");
        shmem_global_exit(1);
    }
    for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++) {
        memory->sync[i] = SHMEM_SYNC_VALUE;
    }
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        memory->one = 1;
        shmem_barrier_all();
        double parts[PARTS];
        for (int part = 0; part < PARTS; part++) {
            int64_t start = now_ns();
            loops[i].run();
            parts[part] = (double)(now_ns() - start) / CALLS;
        }
        memory->time = typical(parts, PARTS);
        shmem_barrier_all();
        shmem_double_max_to_all(&memory->slowest, &memory->time, 1, 0, 0, shmem_n_pes(),
                                memory->work, memory->sync);
        shmem_barrier_all();
        if (shmem_my_pe() == 0) {
            printf("%s %.3f\n", loops[i].name, memory->slowest);
        }
    }
    fflush(stdout);
    shmem_barrier_all();
    shmem_global_exit(0);
}
