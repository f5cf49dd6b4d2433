/*
 * The queue lock of Mellor-Crummey and Scott (TOCS 1991) on one-sided operations, as runtimes of
 * Coarray Fortran build it: one lock on each PE, the lock of that image.
 *
 * A lock has a word for the end of its queue, on the PE that it belongs to, its home. Whoever wants
 * it swaps itself in there, tells the PE before it, and waits on its own memory: waiting sends no
 * messages, and the lock goes on in the order of the swaps.
 */
#ifndef SKAMPI_MEASUREMENTS_MCS_LOCK_H
#define SKAMPI_MEASUREMENTS_MCS_LOCK_H

#include <stdbool.h>

#define MCS_LINE 64

/* Symmetric, zeroed before its first use. Of one such variable, which is a lock on each PE, a PE
 * holds or wants at most one at a time, since it has one place in a queue. */
struct mcs_lock {
    _Alignas(MCS_LINE) long tail; /* of home's: 1 + the PE that came last; 0: the lock is free */
    _Alignas(MCS_LINE) long next; /* of mine: 1 + the PE that comes after me */
    long waiting;                 /* 1 until the PE before me hands the lock over */
};

/* Waits inside the library, which makes progress meanwhile. Any one PE; home is a PE of the job. */
void mcs_set(struct mcs_lock *lock, int home);
/* Whether the lock was free: then this PE holds it now. */
bool mcs_test(struct mcs_lock *lock, int home);
/* Completes first all that this PE has put on the default context. Whoever comes next has been told
 * when this returns. */
void mcs_clear(struct mcs_lock *lock, int home);

#endif
