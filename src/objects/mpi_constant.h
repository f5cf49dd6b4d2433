/*
 * Integer constants of MPI that scripts may name: "MPI_MODE_NOCHECK", "MPI_LOCK_SHARED", ... Any
 * PE.
 */
#ifndef SKAMPI_OBJECTS_MPI_CONSTANT_H
#define SKAMPI_OBJECTS_MPI_CONSTANT_H

#include <stddef.h>
#include <stdint.h>

/* The name and value of the i-th constant; NULL after the last one. */
const char *mpi_constant_at(size_t i, int64_t *value);
/* The value of the constant of that name, which there must be. */
int64_t mpi_constant(const char *name);

#endif
