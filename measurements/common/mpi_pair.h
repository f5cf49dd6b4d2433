/*
 * One operation of rank 0 on rank 1 by MPI, in a window that is locked from set-up on: put, get or
 * fetch-and-op, each with a flush. What families share that do this while other things go on.
 */
#ifndef SKAMPI_MEASUREMENTS_MPI_PAIR_H
#define SKAMPI_MEASUREMENTS_MPI_PAIR_H

#include "measurements/common/mpi_window.h"
#include "measurements/common/pair_operation.h"

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
