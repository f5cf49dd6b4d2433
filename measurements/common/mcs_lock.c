/*
 * The queue lock of Mellor-Crummey and Scott on swap, compare-and-swap, set and wait_until. What
 * PEs write to each other's places is set by atomics: a put that has arrived may be stored once
 * more until a quiet, after the place has been made ready again.
 */
#include "measurements/common/mcs_lock.h"

#include "engine/measurement.h"

#if SKAMPI_SHMEM

#include <shmem.h>

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

#endif
