/*
 * Scenes in which locks are measured, whatever kind of lock it is: what the tables in lock.c and
 * image_lock.c share.
 *
 * A lock that is set cannot be set again before it is cleared, and one call is short beside a
 * reading of the timer. So single calls are timed over a row of locks, with two readings for the
 * row. The row also has a lock managed by each PE where a library tells the manager by the address.
 *
 * Whoever holds locks for others to test waits in the engine's barrier until all have done so: no
 * test can come too late, and the library is driven meanwhile, as those need that emulate locks.
 */
#ifndef SKAMPI_MEASUREMENTS_LOCK_SCENES_H
#define SKAMPI_MEASUREMENTS_LOCK_SCENES_H

#include "measurements/common/locks.h"
#include "measurements/common/shapes.h"

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

/* The i-th lock of a row. home: the PE that it belongs to, where there is one on each. */
struct lock_kind {
    void (*set)(struct lock_row *row, int i, int home);
    void (*clear)(struct lock_row *row, int i, int home);
    bool (*test)(struct lock_row *row, int i, int home); /* whether it was free, and is held now */
};
extern const struct lock_kind shmem_lock_kind, mcs_lock_kind;

enum lock_holder { HELD_BY_NOBODY, HELD_BY_RANK_1, HELD_BY_LAST_RANK, HELD_BY_EACH_IN_TURN };
enum lock_actors { ACTS_RANK_0, ACT_TOGETHER, ACT_IN_TURN };

/* What distinguishes the functions. An act on the row by each actor, but not by whoever holds it;
 * scenes without rows have no act. */
struct locking {
    const struct lock_kind *kind;
    double (*act)(struct run *, int home); /* seconds per call */
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

double lock_act_set(struct run *, int home);
double lock_act_clear(struct run *, int home);
double lock_act_put_clear(struct run *, int home);
double lock_act_test_free(struct run *, int home);
double lock_act_test_held(struct run *, int home);

/* ---- What functions are like; the variant is a struct locking ---- */

extern const struct measurement lock_acts;        /* on the row */
extern const struct measurement lock_set_busy;    /* rank 1 sets locks that rank 0 holds */
extern const struct measurement lock_contended;   /* all want one lock, again and again */
extern const struct measurement lock_waits;       /* how long each waits meanwhile */
extern const struct measurement lock_handed_over; /* once around a queue in which all others are */

#endif
