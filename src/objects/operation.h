/*
 * Operations of reductions: by name, what they can be applied to, and their MPI_Op. Any PE.
 */
#ifndef SKAMPI_OBJECTS_OPERATION_H
#define SKAMPI_OBJECTS_OPERATION_H

#include <stdbool.h>
#include <stddef.h>

#include "objects/datatype.h"

struct operation;

/* By MPI's name ("MPI_SUM"), or NULL; lives for ever. */
const struct operation *operation_find(const char *name);
const struct operation *operation_at(size_t i); /* NULL after the last */
const char *operation_name(const struct operation *);

/* NULL when a reduction can apply it to the type, else why not, for the user. MPI_REPLACE is for
 * one-sided communication: accumulates says that the question is about that. */
const char *operation_misfit(const struct operation *, const struct datatype *, bool accumulates);

/* The MPI_Op that the pointer leads to; MPI is started and not finalized. NULL in a build without
 * MPI. */
const void *operation_handle(const struct operation *);

#endif
