/*
 * Locks that PEs build on one-sided operations, the lock of each PE that others work under, the
 * proof that a lock excludes other PEs, and the scenes in which locks are measured, whatever kind
 * of lock it is: what the tables in lock.c and image_lock.c share.
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

/* ---- Scenes ---- */

/* A lock that is set cannot be set again before it is cleared, and one call is short beside a
 * reading of the timer. So single calls are timed over a row of locks, with two readings for the
 * row. The row also has a lock managed by each PE where a library tells the manager by the address.
 *
 * Whoever holds locks for others to test waits in the engine's barrier until all have done so: no
 * test can come too late, and the library is driven meanwhile, as those need that emulate locks. */

#define LOCK_ROW_LENGTH 16

/* Symmetric. */
struct lock_row {
    struct mcs_lock mcs[LOCK_ROW_LENGTH];
    long lock[LOCK_ROW_LENGTH];
    struct exclusion exclusion; /* on rank 0, as those that follow */
    long put;                   /* by the rank before */
    long come;                  /* PEs that were about to queue, in all */
    long held;                  /* by PEs of the queue since the lock went round, in picoseconds */
};

enum lock_kind { LIBRARY_LOCK, MCS_LOCK };
enum lock_act { LOCK_SET, LOCK_CLEAR, LOCK_PUT_CLEAR, LOCK_TEST_FREE, LOCK_TEST_HELD };
enum lock_holder { HELD_BY_NOBODY, HELD_BY_RANK_1, HELD_BY_LAST_RANK, HELD_BY_EACH_IN_TURN };
enum lock_actors { ACTS_RANK_0, ACT_TOGETHER, ACT_IN_TURN };

/* What distinguishes the functions. An act on the row by each actor, but not by whoever holds it;
 * scenes without rows have none. */
struct locking {
    enum lock_kind kind;
    enum lock_act act;
    enum lock_holder holder;
    enum lock_actors actors;
};

/* Of this PE, in all repetitions. */
struct lock_state {
    double seconds; /* waited */
    int64_t waits;
    double hold;   /* seconds for which a PE of the queue holds the lock that goes round */
    long expected; /* PEs that were about to queue, when the next lap begins */
};

/* ---- What functions are like; the variant is a struct locking ---- */

extern const struct measurement lock_acts;        /* on the row */
extern const struct measurement lock_set_busy;    /* rank 1 sets locks that rank 0 holds */
extern const struct measurement lock_contended;   /* all want one lock, again and again */
extern const struct measurement lock_waits;       /* how long each waits meanwhile */
extern const struct measurement lock_handed_over; /* once around a queue in which all others are */

#endif
