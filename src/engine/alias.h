/*
 * The functions that measure a routine of a library, by the routine's own name: MPI_Allreduce leads
 * to Allreduce, shmem_putmem and shmem_double_put to Shmem_Put_Simple and its like. Names are
 * compared word by word. Pure.
 */
#ifndef SKAMPI_ENGINE_ALIAS_H
#define SKAMPI_ENGINE_ALIAS_H

#include <stddef.h>

#include "engine/measurement.h"

/* The functions that measure this very routine, at most room of them, the closest first; returns
 * how many there are in all: 0 for what is no name of a routine, or of one that nothing measures.
 * Types must be those of the name, where functions have one; names that are part of a longer
 * routine's do not count. */
size_t alias_find(const char *routine, const struct measurement **functions, size_t room);

/* The same with functions of which the routine is a part, or which measure it with another type:
 * for suggestions. */
size_t alias_find_related(const char *routine, const struct measurement **functions, size_t room);

#endif
