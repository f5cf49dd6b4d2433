/*
 * One operation of rank 0 on rank 1 while other things go on, by the library of the function's API:
 * OpenSHMEM by put and quiet, get, or a fetching atomic; MPI in a window that is locked from set-up
 * on, by put, get or fetch-and-op, each with a flush. And how it is timed while rank 1 computes
 * without any call of the library.
 */
#ifndef SKAMPI_MEASUREMENTS_PAIR_OPERATION_H
#define SKAMPI_MEASUREMENTS_PAIR_OPERATION_H

#include "measurements/common/mpi_window.h"

enum pair_action { PAIR_PUT, PAIR_GET, PAIR_FETCH_ADD };

/* In the state of a family. */
struct pair {
    enum pair_action action;
    struct partner partner;
    long fetched; /* by the last atomic */
    size_t word;  /* of OpenSHMEM: the atomic's target, bytes from run->scratch */
#if SKAMPI_MPI
    struct window window; /* of demand.remote bytes; what the action works on lies in front */
#endif
};

/* Adds what the action needs to a demand: the bytes of the parameter "count", or a word. Pure. */
void pair_demand(struct run *, enum pair_action);

/* Collective over the set; false after run_fail(). It is to be closed in any case. */
bool pair_open(struct run *, enum pair_action, struct pair *);
void pair_close(struct pair *);
/* This rank's memory that others reach. */
unsigned char *pair_memory(const struct run *, const struct pair *);

/* From rank 0 alone; addend: of the atomic. */
void pair_operate(struct run *, struct pair *, long addend);
/* A barrier of the set. MPI's own, as a library need not make progress for windows in others. */
void pair_meet(struct run *);

/* What was stored into the memory is there for others, and what others brought is there to be
 * looked at. False after run_fail(): the library has written around the memory. */
bool pair_synchronize(struct run *, struct pair *);
/* Hooks' work: each repetition has made one operation with an addend of 1, and any with 0. */
void pair_fill(struct run *, struct pair *);
bool pair_verify(struct run *, struct pair *);

/* ---- While the target computes ---- */

/* clang-format off */
#define COMPUTATION {"computation", PARAMETER_DOUBLE, "s", "time that the target computes from the start on (0: it waits inside the library)", .most = 1, .example = "0.001"}
#define TO_COMPUTING " that begins when 1/8 of the computation is over"
#define MPI_COUNT_BYTES {"count", PARAMETER_INT, "bytes", "data moved by each operation", .size = true, .maximum = INT_MAX, .example = "1024"}
/* clang-format on */

/* What functions are like; their variant is an enum pair_action. */
extern const struct measurement pair_computing;

#endif
