/*
 * One-sided communication of MPI by epochs: an epoch on windows, the operations in it, and its end,
 * of which a part is timed. What the table in mpi_rma.c is made of.
 *
 * A repetition goes through the same stages in each function: POST, OPEN, OPERATE, CLOSE, WAIT.
 */
#ifndef SKAMPI_MEASUREMENTS_EPOCH_H
#define SKAMPI_MEASUREMENTS_EPOCH_H

#include "measurements/common/mpi_window.h"

enum epoch {
    NO_EPOCH,
    FENCE,      /* MPI_Win_fence before and after, by all */
    START_POST, /* targets post and wait, origins start and complete */
    START_TEST, /* as START_POST, but targets test once before they wait */
    LOCK,       /* MPI_Win_lock, MPI_Win_unlock; targets do nothing */
    LOCK_ALL    /* MPI_Win_lock_all, MPI_Win_unlock_all */
};

enum stage { POST, OPEN, OPERATE, CLOSE, WAIT, STAGES };

enum operation_kind { NOTHING, PUT, GET, ACCUMULATE };

/* Origins, and their targets. */
enum pattern {
    PAIR,        /* rank 0 and rank 1 */
    EXCHANGE,    /* ranks 0 and 1 and the other way round */
    TO_DEST,     /* rank 0 and the rank dest */
    ONE_TO_ALL,  /* rank 0 and all others */
    ALL_TO_ONE,  /* all others and rank 0 */
    EACH_TO_ONE, /* all and rank 0 */
    ALL_TO_ALL,  /* each and all others */
    EACH_TO_ALL, /* each and all, itself included */
    SELF,        /* each and itself */
    SHIFT,       /* each and the one dist (or 1) further on */
    NEIGHBOURS   /* each and the next msgs ones */
};

enum role { NOBODY, ORIGINS, TARGETS, EACH, THE_ONE };

struct epochs {
    enum epoch epoch;
    enum operation_kind operation;
    enum pattern pattern;
    enum stage first, last; /* timed */
    enum role reports;      /* ORIGINS, TARGETS, EACH; NOBODY: both origins and targets */
    enum stage late;        /* that these ranks come to us microseconds late */
    enum role who;
    bool twice;    /* closing fence: another epoch begins there */
    bool together; /* all origins work on the same place */
};

/* ---- Hooks ---- */

const char *epoch_check(const struct run *);
void epoch_demand(struct run *);
bool epoch_set_up(struct run *);
void epoch_fill(struct run *);
bool epoch_verify(struct run *);
double epoch_run(struct run *);
double epoch_run_pingpong(struct run *); /* rank 0's message, a fence, rank 1's, a fence */
void epoch_tear_down(struct run *);

/* ---- What the arguments say ---- */

/* Messages to each target. */
int64_t epoch_messages(const struct run *);
/* Places in a window: each origin has its own, unless all origins are to accumulate to one place.
 */
int64_t epoch_places(const struct run *);
/* Blocks that a rank sends from: one for each target where each is to get another one. */
int64_t epoch_sources(const struct run *);
/* Whether there are operations in the epoch. */
bool epoch_operates(const struct run *);

#if SKAMPI_MPI

/* Ranks worked on: count from the first on, the last one before rank 0. */
struct targets {
    int first, count;
};

struct epoch_state {
    struct window window;
    MPI_Group origins, targets; /* MPI_GROUP_NULL: none */
    struct targets to;
    MPI_Datatype datatype;
    MPI_Op op;
    int count;
    MPI_Aint block, origin; /* bytes of a message's place, and where MPI says that it begins */
    int64_t messages, places, sources;
    int assertion, type;
    double late; /* seconds that this rank is late by, 0: it is not */
    bool operates, reports, target;
};

/* ---- Who works on whom; all members ---- */

/* How many targets of a rank come before this one; -1: it is no target of that rank. */
int epoch_index(const struct run *, int rank, int target);
/* Place of a rank's data at its i-th target. */
int64_t epoch_place(const struct run *, int rank, int i);
/* Tag of the data that go from a rank to another. */
int epoch_pattern(const struct run *, int origin, int target);

#endif

#endif
