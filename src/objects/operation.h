/*
 * Operations of reductions: their names, the types to which they apply, and their MPI_Op. Any PE.
 */
#ifndef SKAMPI_OBJECTS_OPERATION_H
#define SKAMPI_OBJECTS_OPERATION_H

#include <stdbool.h>
#include <stddef.h>

#include "objects/datatype.h"

struct operation;

/* The operation of MPI's name ("MPI_SUM"), or NULL. Never freed. */
const struct operation *operation_find(const char *name);
const struct operation *operation_at(size_t i); /* NULL after the last */
const char *operation_name(const struct operation *);

/* NULL if a reduction can apply the operation to the type, else the reason, for the user.
 * accumulates says that the operation is for one-sided communication, which also allows
 * MPI_REPLACE. */
const char *operation_misfit(const struct operation *, const struct datatype *, bool accumulates);

/* Points to the MPI_Op; NULL in a build without MPI. Call it between start and end of MPI. */
const void *operation_handle(const struct operation *);

#endif
