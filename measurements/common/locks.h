/*
 * Locks that PEs build on one-sided operations, the lock of each PE that others work under, and the
 * proof that a lock excludes other PEs.
 */
#ifndef SKAMPI_MEASUREMENTS_LOCKS_H
#define SKAMPI_MEASUREMENTS_LOCKS_H

#include "measurements/common/shapes.h"

/* ---- The queue lock of Mellor-Crummey and Scott ---- */

/* As runtimes of Coarray Fortran build it (TOCS 1991): one lock on each PE, the lock of that image.
 *
 * A lock has a word for the end of its queue, on the PE that it belongs to, its home. Whoever wants
 * it swaps itself in there, tells the PE before it, and waits on its own memory: waiting sends no
 * messages, and the lock goes on in the order of the swaps. */

/* Symmetric, zeroed before its first use. Of one such variable, which is a lock on each PE, a PE
 * holds or wants at most one at a time, since it has one place in a queue. */
struct mcs_lock {
    _Alignas(LINE) long tail; /* of home's: 1 + the PE that came last; 0: the lock is free */
    _Alignas(LINE) long next; /* of mine: 1 + the PE that comes after me */
    long waiting;             /* 1 until the PE before me hands the lock over */
};

/* Waits inside the library, which makes progress meanwhile. Any one PE; home is a PE of the job. */
void mcs_set(struct mcs_lock *lock, int home);
/* Whether the lock was free: then this PE holds it now. */
bool mcs_test(struct mcs_lock *lock, int home);
/* Completes first all that this PE has put on the default context. Whoever comes next has been told
 * when this returns. */
void mcs_clear(struct mcs_lock *lock, int home);

/* ---- The lock of each PE, of different kinds ---- */

enum protection {
    MCS_OF_TARGET,
    LIBRARY_OF_TARGET, /* a lock of the library for each PE: they are many on every PE */
    LIBRARY_OF_ALL,    /* one lock of the library */
    NO_LOCK
};

/* Symmetric, zeroed before the first use. */
struct image_locks {
    struct mcs_lock mcs;
    long library[]; /* by rank */
};

/* Bytes for a set of this number of PEs, a multiple of a cache line. */
size_t image_locks_bytes(int pes);

/* The lock of a rank, which is that PE. Any one PE, for one rank at a time. */
void image_lock_set(struct image_locks *locks, enum protection, int rank, int pe);
/* All that this PE has put on the default context is complete before. */
void image_lock_clear(struct image_locks *locks, enum protection, int rank, int pe);

/* ---- Exclusion ---- */

/* All PEs of the set count up under it, in two steps: they read
 * the counter, and write it when all others have read it, too, if nothing keeps them from it. So a
 * lock that does not exclude loses increments, however the processors are shared. */

/* Symmetric; on the PE where it is counted, zero on all PEs before the first use. */
struct exclusion {
    long asked; /* how often PEs were about to set the lock */
    long counter;
};

#if SKAMPI_SHMEM

/* Each increment, by all PEs of the set: this one, collective, then setting the lock, ... */
void exclusion_ask(struct run *, struct exclusion *, int pe);
/* ... this one, and clearing the lock. */
void exclusion_count(struct run *, struct exclusion *, int pe);
/* On the PE that has the counter, after `increments` increments by each PE and a barrier; false
 * after run_fail(). */
bool exclusion_proved(struct run *, const struct exclusion *, long increments);

#endif

#endif
