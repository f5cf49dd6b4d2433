/*
 * The functions that measure a routine of a library, by the routine's own name: MPI_Allreduce leads
 * to Allreduce, shmem_putmem and shmem_double_put to Shmem_Put_Full and its like. Descriptors say
 * which routines they measure and call. Pure.
 */
#ifndef SKAMPI_ENGINE_ALIAS_H
#define SKAMPI_ENGINE_ALIAS_H

#include <stddef.h>

#include "engine/measurement.h"

/* The functions that measure this very routine, at most room of them, the one with the shortest
 * name first; returns how many there are in all: 0 for what is no name of a routine, or of one that
 * nothing measures. Types must be those of the name, where functions have one. */
size_t alias_find(const char *routine, const struct measurement **functions, size_t room);

/* The same, then those that measure it with another type; where there is none of either, those that
 * call it or have its name: for suggestions. */
size_t alias_find_related(const char *routine, const struct measurement **functions, size_t room);

#endif
