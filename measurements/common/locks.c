/*
 * Locks on one-sided operations, and increments that get lost where a lock does not exclude.
 */
#include "measurements/common/locks.h"

size_t image_locks_bytes(int pes)
{
    return ROUND_UP(sizeof(struct image_locks) + (size_t)pes * sizeof(long), LINE);
}

#if SKAMPI_SHMEM

#include <shmem.h>

/* ---- The queue lock, on swap, compare-and-swap, set and wait_until ---- */

/* What PEs write to each other's places is set by atomics: a put that has arrived may be stored
 * once more until a quiet, after the place has been made ready again. */

/* Others write to a place in the queue only after its PE's swap, so it must be ready before. */
static long ready_place(struct mcs_lock *lock)
{
    lock->next = 0;
    lock->waiting = 1;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return shmem_my_pe() + 1;
}

/* The quiets below complete what another PE waits for: nothing else does where a library delays
 * it. Nobody waits for the PE that calls them. */
void mcs_set(struct mcs_lock *lock, int home)
{
    long me = ready_place(lock);
    long before = shmem_long_atomic_swap(&lock->tail, me, home);
    if (before == 0)
        return;
    shmem_long_atomic_set(&lock->next, me, (int)before - 1);
    shmem_quiet();
    shmem_long_wait_until(&lock->waiting, SHMEM_CMP_EQ, 0);
}

bool mcs_test(struct mcs_lock *lock, int home)
{
    long me = ready_place(lock);
    return shmem_long_atomic_compare_swap(&lock->tail, 0, me, home) == 0;
}

static long next_in_queue(const struct mcs_lock *lock)
{
    return *(const volatile long *)&lock->next;
}

void mcs_clear(struct mcs_lock *lock, int home)
{
    long me = shmem_my_pe() + 1;
    shmem_quiet();
    if (next_in_queue(lock) == 0) {
        if (shmem_long_atomic_compare_swap(&lock->tail, me, 0, home) == me)
            return;
        /* Somebody has come, and is about to say who. */
        shmem_long_wait_until(&lock->next, SHMEM_CMP_NE, 0);
    }
    shmem_long_atomic_set(&lock->waiting, 0, (int)next_in_queue(lock) - 1);
    shmem_quiet();
}

/* ---- The lock of each PE ---- */

static long *library_lock(struct image_locks *locks, enum protection protection, int rank)
{
    return &locks->library[protection == LIBRARY_OF_ALL ? 0 : rank];
}

void image_lock_set(struct image_locks *locks, enum protection protection, int rank, int pe)
{
    if (protection == MCS_OF_TARGET)
        mcs_set(&locks->mcs, pe);
    else
        shmem_set_lock(library_lock(locks, protection, rank));
}

void image_lock_clear(struct image_locks *locks, enum protection protection, int rank, int pe)
{
    if (protection == MCS_OF_TARGET) {
        mcs_clear(&locks->mcs, pe);
        return;
    }
    shmem_quiet();
    shmem_clear_lock(library_lock(locks, protection, rank));
}

/* ---- Exclusion ---- */

/* Seconds that a PE which keeps its processor takes, from being about to set the lock until it has
 * read the counter. All PEs hold the lock in turn, so that more PEs must hold it for a shorter
 * time. */
#define HOLD_SECONDS 100e-6
#define LEAST_SECONDS 2e-6

void exclusion_ask(struct run *run, struct exclusion *exclusion, int pe)
{
    run_barrier(run); /* nobody asks for the next increment before all have made the last one */
    shmem_long_atomic_inc(&exclusion->asked, pe);
    shmem_quiet();
}

void exclusion_count(struct run *run, struct exclusion *exclusion, int pe)
{
    long counter = shmem_long_g(&exclusion->counter, pe);
    double seconds = HOLD_SECONDS / run->size;
    while (shmem_long_atomic_fetch(&exclusion->asked, pe) % run->size != 0)
        run_idle(LEAST_SECONDS);
    run_hold(seconds > LEAST_SECONDS ? seconds : LEAST_SECONDS);
    shmem_long_p(&exclusion->counter, counter + 1, pe);
    shmem_quiet();
}

bool exclusion_proved(struct run *run, const struct exclusion *exclusion, long increments)
{
    long wanted = increments * run->size;
    return exclusion->counter == wanted ||
           run_fail(run,
                    "%ld increments under the lock counted to %ld on rank %d: it does not exclude "
                    "other PEs",
                    wanted, exclusion->counter, run->rank);
}

#endif
