/*
 * An operation of rank 0 on rank 1 while that one computes without any call of the library; for
 * OpenSHMEM and MPI.
 */
#ifndef SKAMPI_MEASUREMENTS_COMPUTING_H
#define SKAMPI_MEASUREMENTS_COMPUTING_H

#include "measurements/common/shapes.h"

/* clang-format off */
#define COMPUTATION {"computation", PARAMETER_DOUBLE, "s", "time that the target computes from the start on (0: it waits inside the library)", .allowed = "0 to 1", .example = "0.001"}
#define TO_COMPUTING " that begins when 1/8 of the computation is over"
/* clang-format on */

/* Hook. */
const char *computing_check(const struct run *);

/* A repetition: seconds of the operation; NAN where this rank does not report. operate: with an
 * addend for atomics, 0 where it only warms. meet: a barrier of the set, in which the library makes
 * progress. */
double computing_run(struct run *, const struct partner *,
                     void (*operate)(struct run *, long addend), void (*meet)(struct run *));

#endif
