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

#include "measurements/common/exclusion.h"
#include "measurements/common/mcs_lock.h"
#include "measurements/common/shapes.h"

#define LOCKS 16

/* Symmetric. */
struct lock_row {
    struct mcs_lock mcs[LOCKS];
    long lock[LOCKS];
    struct exclusion exclusion; /* on rank 0, as those that follow */
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

enum lock_holder { NOBODY, RANK_1, LAST_RANK, EACH_IN_TURN };
enum lock_actors { RANK_0, TOGETHER, IN_TURN };

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
double lock_act_test_free(struct run *, int home);
double lock_act_test_held(struct run *, int home);

/* Descriptor hooks. */
void lock_demand(const struct measurement *, const struct argument *, int pes, struct demand *);
void lock_fill(struct run *);
bool lock_verify(struct run *);
double lock_run_acts(struct run *);
double lock_run_queue(struct run *);     /* all want one lock, again and again */
double lock_barrier_alone(struct run *); /* the reference of that */
double lock_run_waits(struct run *);     /* how long each waits meanwhile */
void lock_note_fairness(struct run *);   /* tear-down */
bool lock_set_up_hand_over(struct run *);
bool lock_set_up_busy(struct run *);
double lock_run_set_busy(struct run *);  /* rank 1 sets locks that rank 0 holds */
double lock_run_hand_over(struct run *); /* once around a queue in which all others are */

/* ---- Pieces of descriptors ---- */

/* clang-format off */
#define LOCKING(...) .variant = &(const struct locking){__VA_ARGS__}
/* clang-format on */
#define LOCK_ACTS(kind, act, ...)                                                                  \
    .run = WITH_SHMEM(lock_run_acts), LOCKING(WITH_SHMEM(&(kind)), WITH_SHMEM(act), __VA_ARGS__)
#define LOCK_COMMON                                                                                \
    .api = API_OPENSHMEM, .moves = MOVES_NOTHING, .demand = lock_demand,                           \
    .fill = WITH_SHMEM(lock_fill), .verify = WITH_SHMEM(lock_verify),                              \
    .state_bytes = sizeof(struct lock_state)
#define LOCK_QUEUE(which)                                                                          \
    LOCK_COMMON, LOCKING(.kind = WITH_SHMEM(&(which))), .timing = TIMING_PARTS,                    \
                                                        .parameters = {ITERATIONS}
#define LOCK_CONTENDED(kind)                                                                       \
    LOCK_QUEUE(kind), .who = "all", .reference = WITH_SHMEM(lock_barrier_alone),                   \
                      .run = WITH_SHMEM(lock_run_queue),                                           \
                      .subtracted = "the measured length of the holding, and a barrier"
#define LOCK_WAITS(kind)                                                                           \
    LOCK_QUEUE(kind), .who = "all", .run = WITH_SHMEM(lock_run_waits),                             \
                      .teardown = WITH_SHMEM(lock_note_fairness)
#define LOCK_HANDED_OVER(kind)                                                                     \
    LOCK_QUEUE(kind), .who = "rank 0", .minimum_pes = 2,                                           \
                      .setup = WITH_SHMEM(lock_set_up_hand_over),                                  \
                      .run = WITH_SHMEM(lock_run_hand_over),                                       \
                      .subtracted = "the measured length of the others' holding"

#endif
