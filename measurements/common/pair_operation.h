/*
 * One operation of rank 0 on rank 1 while other things go on: its data, how it is timed while rank
 * 1 computes without any call of the library; and by OpenSHMEM: put and quiet, get, or a fetching
 * atomic.
 */
#ifndef SKAMPI_MEASUREMENTS_PAIR_OPERATION_H
#define SKAMPI_MEASUREMENTS_PAIR_OPERATION_H

#include "measurements/common/mpi_window.h"

enum pair_action { PAIR_PUT, PAIR_GET, PAIR_FETCH_ADD };

/* Adds what the action needs to a demand: the bytes of the parameter "count", or a word of scratch
 * memory. Pure. */
void pair_demand(struct run *, enum pair_action);

/* ---- While the target computes ---- */

/* clang-format off */
#define COMPUTATION {"computation", PARAMETER_DOUBLE, "s", "time that the target computes from the start on (0: it waits inside the library)", .most = 1, .example = "0.001"}
#define TO_COMPUTING " that begins when 1/8 of the computation is over"
/* clang-format on */

/* A repetition: seconds of the operation; NAN where this rank does not report. operate: with an
 * addend for atomics, 0 where it only warms. meet: a barrier of the set, in which the library makes
 * progress. */
double computing_run(struct run *, const struct partner *,
                     void (*operate)(struct run *, long addend), void (*meet)(struct run *));

/* ---- By OpenSHMEM ---- */

#if SKAMPI_SHMEM

/* In the state of a family. */
struct pair_operation {
    enum pair_action action;
    struct partner partner;
    size_t word;  /* of the atomic: bytes from run->scratch */
    long fetched; /* by the last one */
};

struct pair_operation pair_open(const struct run *, enum pair_action);
/* On run->local and run->remote, from rank 0 alone; addend: of the atomic. */
void pair_operate(struct run *, struct pair_operation *, long addend);
/* Hooks' work: each repetition has made one operation with an addend of 1, and any with 0. */
void pair_fill(struct run *, const struct pair_operation *);
bool pair_verify(struct run *, const struct pair_operation *);

#endif
/* ---- By MPI, in a window that is locked from set-up on: put, get or fetch-and-op, each with a
 * flush ---- */

/* clang-format off */
#define MPI_COUNT_BYTES {"count", PARAMETER_INT, "bytes", "data moved by each operation", .size = true, .maximum = INT_MAX, .example = "1024"}
/* clang-format on */

/* The demand: local here, remote in the window. Pure. */
void mpi_pair_demand(struct run *, enum pair_action);

#if SKAMPI_MPI

/* In the state of a family. */
struct mpi_pair {
    struct window window; /* of demand.remote bytes; what the action works on lies in front */
    enum pair_action action;
    struct partner partner;
    int bytes;
    long fetched;
};

/* Collective over the set; false after run_fail(). Its window is to be closed in any case. */
bool mpi_pair_open(struct run *, enum pair_action, struct mpi_pair *);
/* From rank 0 alone; addend: of the fetch-and-op. */
void mpi_pair_operate(struct run *, struct mpi_pair *, long addend);
/* A barrier of the set. MPI's own, as a library need not make progress for windows in others. */
void mpi_pair_meet(struct run *);
/* Hooks' work: each repetition has made one operation with an addend of 1, and any with 0. */
void mpi_pair_fill(struct run *, struct mpi_pair *);
bool mpi_pair_verify(struct run *, struct mpi_pair *);

#endif

#endif
