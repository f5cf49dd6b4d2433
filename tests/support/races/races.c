/*
 * Cases with and without races, for shmemtrace check --races: a function race_... has one race, or
 * several of one pair of calls; a function fine_... has none. There are barriers around each. On 2
 * PEs or more. Prints "signals" if it has cases of signals.
 */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define WORDS 64
#define CASE static void __attribute__((noinline))

static int me, last;             /* last: the other PE of most cases */
static long *data, *flag, *more; /* WORDS each, in the symmetric heap, zero */
static long private[WORDS];
static long sync_array[SHMEM_BCAST_SYNC_SIZE + SHMEM_REDUCE_SYNC_SIZE + SHMEM_BARRIER_SYNC_SIZE +
                       SHMEM_ALLTOALL_SYNC_SIZE];
static long work[SHMEM_REDUCE_MIN_WRKDATA_SIZE + WORDS];

static int pes(void)
{
    return shmem_n_pes();
}

/* ---- One PE ---- */

CASE race_two_puts(void)
{
    if (me == 0) {
        shmem_long_put(data, private, 4, last);
        shmem_long_put(data + 2, private, 4, last);
    }
}

CASE fine_two_puts(void)
{
    if (me == 0) {
        shmem_long_put(data, private, 4, last);
        shmem_fence();
        shmem_long_put(data + 2, private, 4, last);
        shmem_long_put(data + 6, private, 4, last);
    }
}

CASE race_put_get(void)
{
    if (me == 0) {
        shmem_long_put(data, private, 4, last);
        shmem_fence();
        shmem_long_get(private, data, 4, last);
    }
}

CASE fine_put_get(void)
{
    if (me == 0) {
        shmem_long_put(data, private, 4, last);
        shmem_quiet();
        shmem_long_get(private, data, 4, last);
    }
}

CASE race_source_of_nbi(void)
{
    if (me == 0) {
        shmem_long_put_nbi(data, more, 4, last);
        shmem_long_get(more, flag, 4, last);
    }
}

CASE fine_source_of_nbi(void)
{
    if (me == 0) {
        shmem_long_put_nbi(data, more, 4, last);
        shmem_quiet();
        shmem_long_get(more, flag, 4, last);
        shmem_long_put(data, more, 4, last);
        shmem_long_get(more, flag, 4, last);
    }
}

CASE race_target_of_get_nbi(void)
{
    if (me == 0) {
        shmem_long_get_nbi(more, data, 4, last);
        shmem_long_put(flag, more, 4, last);
    }
}

CASE fine_target_of_get_nbi(void)
{
    if (me == 0) {
        shmem_long_get_nbi(more, data, 4, last);
        shmem_quiet();
        shmem_long_put(flag, more, 4, last);
    }
}

CASE race_other_context(void)
{
    shmem_ctx_t context;
    shmem_ctx_create(0, &context);
    if (me == 0) {
        shmem_ctx_long_put(context, data, private, 4, last);
        shmem_quiet();
        shmem_long_get(private, data, 4, last);
    }
    shmem_ctx_destroy(context);
}

CASE fine_context(void)
{
    shmem_ctx_t context;
    shmem_ctx_create(0, &context);
    if (me == 0) {
        shmem_ctx_long_put(context, data, private, 4, last);
        shmem_ctx_quiet(context);
        shmem_long_get(private, data, 4, last);
    }
    shmem_ctx_destroy(context);
}

/* ---- Two PEs ---- */

CASE race_puts_of_two(void)
{
    shmem_long_put(data, private, 4, 0);
}

CASE fine_puts_of_two(void)
{
    if (me == 0 || me == last)
        shmem_long_put(data + 4 * (me == last), private, 4, 0);
}

CASE race_get_and_put(void)
{
    if (me == 0)
        shmem_long_get(private, data, 4, last);
    else if (me == last)
        shmem_long_put(data + 3, private, 1, last);
}

CASE fine_gets(void)
{
    shmem_long_get(private, data, 4, 0);
}

CASE race_sync_without_quiet(void)
{
    if (me == 0)
        shmem_long_put(data, private, 4, last);
    shmem_sync_all();
    if (me == last)
        shmem_long_get(private, data, 4, last);
}

CASE fine_sync_with_quiet(void)
{
    if (me == 0)
        shmem_long_put(data, private, 4, last);
    shmem_quiet();
    shmem_sync_all();
    if (me == last)
        shmem_long_get(private, data, 4, last);
}

CASE fine_barrier(void)
{
    if (me == 0)
        shmem_long_put(data, private, 4, last);
    shmem_barrier(0, 0, pes(), sync_array);
    if (me == last)
        shmem_long_put(data, private, 4, last);
}

CASE race_get_before_sync(void)
{
    if (me == 0)
        shmem_long_get_nbi(private, data, 4, last);
    shmem_sync_all();
    if (me == last)
        shmem_long_put(data, private, 4, last);
}

CASE fine_get_before_sync(void)
{
    if (me == 0)
        shmem_long_get(private, data, 4, last);
    shmem_sync_all();
    if (me == last)
        shmem_long_put(data, private, 4, last);
}

/* ---- Flags ---- */

CASE race_flag_without_fence(void)
{
    if (me == 0) {
        shmem_long_put(data, private, 4, last);
        shmem_long_p(flag, 1, last);
        shmem_quiet();
    } else if (me == last) {
        usleep(2000);
        shmem_long_wait_until(flag, SHMEM_CMP_EQ, 1);
        shmem_long_get(private, data, 4, last);
    }
}

CASE fine_flag_with_fence(void)
{
    if (me == 0) {
        shmem_long_put(data, private, 4, last);
        shmem_fence();
        shmem_long_p(flag, 1, last);
    } else if (me == last) {
        shmem_long_wait_until(flag, SHMEM_CMP_EQ, 1);
        shmem_long_get(private, data, 4, last);
        shmem_long_p(flag, 0, last);
    }
}

CASE race_flag_too_early(void)
{
    if (me == 0) {
        shmem_long_p(flag, 1, last);
        shmem_fence();
        shmem_long_put(data, private, 4, last);
    } else if (me == last) {
        shmem_long_wait_until(flag, SHMEM_CMP_EQ, 1);
        shmem_long_get(private, data, 4, last);
    }
}

CASE race_flag_of_step_before(void)
{
    if (me == 0) {
        shmem_long_p(flag, 1, last);
        shmem_fence();
        shmem_long_put(data, private, 4, last);
        shmem_fence();
        shmem_long_p(flag, 2, last);
    } else if (me == last) {
        usleep(2000);
        shmem_long_wait_until(flag, SHMEM_CMP_GE, 1);
        shmem_long_get(private, data, 4, last);
    }
}

CASE fine_flag_of_step(void)
{
    if (me == 0) {
        for (long step = 1; step <= 3; step++) {
            shmem_long_put(data, private, 4, last);
            shmem_quiet();
            shmem_long_p(flag, step, last);
            shmem_long_wait_until(more, SHMEM_CMP_GE, step);
        }
    } else if (me == last) {
        for (long step = 1; step <= 3; step++) {
            shmem_long_wait_until(flag, SHMEM_CMP_GE, step);
            shmem_long_get(private, data, 4, last);
            shmem_long_p(more, step, 0);
        }
    }
}

CASE race_no_answer(void)
{
    if (me == 0) {
        for (long step = 1; step <= 3; step++) {
            shmem_long_put(data, private, 4, last);
            shmem_quiet();
            shmem_long_atomic_set(flag, step, last);
        }
    } else if (me == last) {
        for (long step = 1; step <= 3; step++) {
            shmem_long_wait_until(flag, SHMEM_CMP_GE, step);
            shmem_long_get(private, data, 4, last);
        }
    }
}

CASE fine_tests(void)
{
    if (me == 0) {
        shmem_long_put(data, private, 4, last);
        shmem_quiet();
        shmem_long_atomic_set(flag, 1, last);
    } else if (me == last) {
        while (!shmem_long_test(flag, SHMEM_CMP_EQ, 1))
            ;
        shmem_long_get(private, data, 4, last);
    }
}

CASE fine_fetches(void)
{
    if (me == 0) {
        shmem_long_put(data, private, 4, last);
        shmem_quiet();
        shmem_long_atomic_inc(flag, last);
    } else if (me == last) {
        while (shmem_long_atomic_fetch(flag, last) == 0)
            ;
        shmem_long_get(private, data, 4, last);
    }
}

CASE fine_counter(void)
{
    shmem_long_put(data + 4 * me, private, 4, 0);
    shmem_fence();
    shmem_long_atomic_inc(flag, 0);
    if (me == 0) {
        shmem_long_wait_until(flag, SHMEM_CMP_EQ, pes());
        shmem_long_get(private, data, 4 * pes(), 0);
    }
}

CASE race_counter(void)
{
    shmem_long_put(data + 4 * me, private, 4, 0);
    shmem_long_atomic_inc(flag, 0);
    if (me == 0) {
        shmem_long_wait_until(flag, SHMEM_CMP_EQ, pes());
        shmem_long_get(private, data + 4, 4 * pes() - 4, 0);
    }
}

CASE race_third(void)
{
    if (me == 0) {
        shmem_long_put(data, private, 4, last);
        shmem_fence();
        shmem_long_p(flag, 1, 0);
    } else if (me == last) {
        shmem_long_get(private, flag + 1, 1, 0);
    }
    if (me == 0)
        shmem_long_wait_until(flag, SHMEM_CMP_EQ, 1);
    shmem_sync_all();
    if (me == last)
        shmem_long_get(private, data, 4, last);
}

CASE fine_handed_on(void)
{
    if (me == 0) {
        shmem_long_put(data, private, 4, last);
        shmem_fence();
        shmem_long_p(flag, 1, last);
    } else if (me == last) {
        shmem_long_wait_until(flag, SHMEM_CMP_EQ, 1);
    }
    shmem_sync_all();
    shmem_long_get(private, data, 4, last);
}

/* ---- Atomics ---- */

CASE race_atomic_and_put(void)
{
    if (me == 0)
        shmem_long_atomic_add(data, 1, last);
    else if (me == last)
        shmem_long_p(data, 1, last);
}

CASE race_atomic_and_get(void)
{
    if (me == 0)
        shmem_long_atomic_add(data, 1, last);
    else if (me == last)
        shmem_long_g(data, last);
}

CASE fine_atomics(void)
{
    shmem_long_atomic_add(data, 1, last);
    shmem_long_atomic_fetch_inc(data, last);
    shmem_long_atomic_compare_swap(data, 1, 1, last);
}

/* ---- Locks ---- */

CASE race_one_locks(void)
{
    if (me == 0) {
        shmem_set_lock(flag);
        shmem_long_put(data, private, 4, last);
        shmem_clear_lock(flag);
    } else if (me == last) {
        shmem_long_get(private, data, 4, last);
    }
}

CASE race_two_locks(void)
{
    shmem_set_lock(flag + me);
    shmem_long_put(data, private, 4, last);
    shmem_clear_lock(flag + me);
}

CASE fine_lock(void)
{
    shmem_set_lock(flag);
    shmem_long_get(private, data, 4, last);
    shmem_long_put(data, private, 4, last);
    shmem_quiet();
    shmem_clear_lock(flag);
}

CASE fine_test_lock(void)
{
    while (shmem_test_lock(flag))
        ;
    shmem_long_put(data, private, 4, last);
    shmem_clear_lock(flag);
}

/* ---- Collectives ---- */

CASE race_broadcast(void)
{
    if (me == last)
        shmem_long_put(data, private, 4, 0);
    shmem_broadcast64(more, data, 4, 0, 0, 0, pes(), sync_array);
}

CASE fine_broadcast(void)
{
    if (me == last)
        shmem_long_put(data, private, 4, 0);
    shmem_barrier_all();
    shmem_broadcast64(more, data, 4, 0, 0, 0, pes(), sync_array);
}

CASE race_reduction(void)
{
    shmem_long_sum_to_all(more, data, 4, 0, 0, pes(), work, sync_array);
    if (me == 0)
        shmem_long_put(more, private, 1, last);
    if (me == last)
        shmem_long_get(private, more, 1, last);
}

CASE fine_reduction(void)
{
    shmem_long_sum_to_all(more, data, 4, 0, 0, pes(), work, sync_array);
    if (me == 0)
        shmem_long_get(private, more, 4, last);
}

CASE fine_collect(void)
{
    shmem_fcollect64(more, data, 2, 0, 0, pes(), sync_array);
    if (me == 0)
        shmem_long_put(more + 2 * pes(), private, 4, last);
}

/* ---- Strides ---- */

CASE race_strided(void)
{
    if (me == 0)
        shmem_long_iput(data, private, 4, 1, 4, last);
    else if (me == last)
        shmem_long_p(data + 8, 1, last);
}

CASE fine_strided(void)
{
    if (me == 0)
        shmem_long_iput(data, private, 4, 1, 4, last);
    else if (me == last)
        shmem_long_iput(data + 1, private, 4, 1, 4, last);
}

#if SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5
CASE race_wrong_signal(void)
{
    if (me == 0) {
        shmem_long_put_signal(data, private, 4, (uint64_t *)flag, 1, SHMEM_SIGNAL_SET, last);
        shmem_long_put_signal(data + 4, private, 4, (uint64_t *)flag + 1, 1, SHMEM_SIGNAL_SET,
                              last);
    } else if (me == last) {
        shmem_signal_wait_until((uint64_t *)flag + 1, SHMEM_CMP_EQ, 1);
        shmem_long_get(private, data, 4, last);
    }
}

CASE fine_signal(void)
{
    if (me == 0) {
        shmem_long_put_signal(data, private, 4, (uint64_t *)flag, 1, SHMEM_SIGNAL_SET, last);
    } else if (me == last) {
        shmem_signal_wait_until((uint64_t *)flag, SHMEM_CMP_EQ, 1);
        shmem_long_get(private, data, 4, last);
    }
}
#endif

static void run(void (*test)(void))
{
    shmem_barrier_all();
    memset(data, 0, WORDS * sizeof *data);
    memset(flag, 0, WORDS * sizeof *flag);
    memset(more, 0, WORDS * sizeof *more);
    for (size_t i = 0; i < sizeof sync_array / sizeof *sync_array; i++)
        sync_array[i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    test();
    shmem_barrier_all();
}

int main(void)
{
    static void (*const cases[])(void) = {
        race_two_puts,
        fine_two_puts,
        race_put_get,
        fine_put_get,
        race_source_of_nbi,
        fine_source_of_nbi,
        race_target_of_get_nbi,
        fine_target_of_get_nbi,
        race_other_context,
        fine_context,
        race_puts_of_two,
        fine_puts_of_two,
        race_get_and_put,
        fine_gets,
        race_sync_without_quiet,
        fine_sync_with_quiet,
        fine_barrier,
        race_get_before_sync,
        fine_get_before_sync,
        race_flag_without_fence,
        fine_flag_with_fence,
        race_flag_too_early,
        race_flag_of_step_before,
        fine_flag_of_step,
        race_no_answer,
        fine_tests,
        fine_fetches,
        fine_counter,
        race_counter,
        race_third,
        fine_handed_on,
        race_atomic_and_put,
        race_atomic_and_get,
        fine_atomics,
        race_one_locks,
        race_two_locks,
        fine_lock,
        fine_test_lock,
        race_broadcast,
        fine_broadcast,
        race_reduction,
        fine_reduction,
        fine_collect,
        race_strided,
        fine_strided,
#if SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5
        race_wrong_signal,
        fine_signal,
#endif
    };
    shmem_init();
    me = shmem_my_pe();
    last = shmem_n_pes() - 1;
    data = shmem_malloc(WORDS * sizeof *data);
    flag = shmem_malloc(WORDS * sizeof *flag);
    more = shmem_malloc(WORDS * sizeof *more);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        run(cases[i]);
#if SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5
    puts("signals");
#endif
    shmem_finalize();
    return 0;
}
