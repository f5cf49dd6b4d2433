/*
 * A program whose PEs wait because of planted causes: planted ROUNDS MILLISECONDS CAUSE... Each
 * cause is a function of its name. slow.c has what takes longer than the library would need.
 */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planted.h"

#define CAUSE static void __attribute__((noinline))

/* In the symmetric heap, where no library needs the target for a transfer. */
static struct memory {
    long data, flag, lock, counter, from, to, sync[SHMEM_REDUCE_SYNC_SIZE];
    long work[SHMEM_REDUCE_MIN_WRKDATA_SIZE + 1];
} * heap;
static int me, pes;
static double size; /* seconds */

CAUSE late_pe(int round)
{
    (void)round;
    shmem_long_put(&heap->data, &heap->from, 1, (me + 1) % pes);
    if (me == pes - 1)
        planted_wait(size);
    planted_come();
    shmem_barrier_all();
}

CAUSE early_barrier(int round)
{
    (void)round;
    shmem_long_put(&heap->data, &heap->from, 1, (me + 1) % pes);
    if (me > 0)
        planted_wait(size);
    planted_come();
    shmem_barrier_all();
}

CAUSE imbalance(int round)
{
    (void)round;
    shmem_barrier_all();
    if (me > 0)
        planted_wait(me * size);
    planted_come();
    shmem_long_sum_to_all(&heap->to, &heap->from, 1, 0, 0, pes, heap->work, heap->sync);
}

CAUSE polling(int round)
{
    shmem_barrier_all();
    if (me == 0) {
        planted_wait(size);
        planted_go();
        for (int pe = 1; pe < pes; pe++)
            shmem_long_p(&heap->flag, round, pe);
    }
    planted_come();
    while (me > 0 && !shmem_long_test(&heap->flag, SHMEM_CMP_GE, round))
        ;
}

static void barrier_and_start(void)
{
    if (me == 0)
        planted_appoint();
    shmem_barrier_all();
    planted_start();
}

CAUSE lock_queue(int round)
{
    (void)round;
    barrier_and_start();
    planted_come();
    shmem_set_lock(&heap->lock);
    planted_wait(size);
    planted_go();
    shmem_clear_lock(&heap->lock);
}

CAUSE hot_atomic_add(void)
{
    shmem_long_atomic_fetch_add(&heap->counter, 1, pes - 1);
}

/* The first call is alone: what an atomic takes is known. */
CAUSE hot_atomic(int round)
{
    planted.atomic = size;
    if (round == 1 && me == 0)
        hot_atomic_add();
    barrier_and_start();
    hot_atomic_add();
}

CAUSE busy_target(int round)
{
    (void)round;
    if (me == 0)
        planted_leave();
    shmem_barrier_all();
    if (me == 0) {
        planted_wait(size);
        planted_go();
        shmem_long_put(&heap->data, &heap->from, 1, 1);
    } else {
        planted_come();
        shmem_getmem(&heap->to, &heap->from, sizeof heap->to, 0);
    }
    shmem_barrier_all(); /* before PE 0 leaves again */
}

CAUSE needless_quiet(int round)
{
    (void)round;
    planted.quiet = size;
    shmem_long_put(&heap->data, &heap->from, 1, (me + 1) % pes);
    shmem_quiet();
}

/* First calls, in which libraries connect PEs. */
static void warm_up(void)
{
    for (int pe = 0; pe < pes; pe++) {
        shmem_long_put(&heap->data, &heap->from, 1, pe);
        shmem_getmem(&heap->to, &heap->from, sizeof heap->to, pe);
        shmem_long_atomic_fetch_add(&heap->counter, 0, pe);
    }
    shmem_set_lock(&heap->lock);
    shmem_clear_lock(&heap->lock);
    shmem_quiet();
    shmem_long_sum_to_all(&heap->to, &heap->from, 1, 0, 0, pes, heap->work, heap->sync);
    shmem_barrier_all();
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*plant)(int round);
    } causes[] = {
        {"late_pe", late_pe},         {"early_barrier", early_barrier},
        {"imbalance", imbalance},     {"polling", polling},
        {"lock_queue", lock_queue},   {"hot_atomic", hot_atomic},
        {"busy_target", busy_target}, {"needless_quiet", needless_quiet},
    };
    shmem_init();
    me = shmem_my_pe();
    pes = shmem_n_pes();
    if (argc < 4)
        shmem_global_exit(2);
    size = atof(argv[2]) * 1e-3;
    heap = shmem_malloc(sizeof *heap);
    memset(heap, 0, sizeof *heap);
    for (size_t i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++)
        heap->sync[i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    warm_up();
    for (int which = 3; which < argc; which++) {
        for (int round = 1; round <= atoi(argv[1]); round++)
            for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
                if (strcmp(argv[which], causes[i].name) == 0)
                    causes[i].plant(round);
        planted.quiet = 0;
        planted_print(argv[which]);
        shmem_barrier_all();
    }
    shmem_finalize();
    return 0;
}
