/*
 * Measurement functions by the names of the routines that they measure, and what their descriptors
 * say about bandwidth. What else follows from descriptors is declared in measurement.h. Pure.
 */
#ifndef SKAMPI_ENGINE_FUNCTIONS_H
#define SKAMPI_ENGINE_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "engine/measurement.h"
#include "output/result.h"

/* ---- By routine ---- */

/* MPI_Allreduce leads to Allreduce, shmem_putmem and shmem_double_put to Shmem_Put_Full and its
 * like: descriptors say which routines a function measures and calls. */

/* The functions that measure this very routine, at most room of them, the one with the shortest
 * name first; returns how many there are in all: 0 for what is no name of a routine, or of one that
 * nothing measures. Types must be those of the name, where functions have one. */
size_t alias_find(const char *routine, const struct measurement **functions, size_t room);

/* For suggestions: what alias_find() finds, then functions that measure the routine with another
 * type; if there are none, functions that call it or have its name. */
size_t alias_find_related(const char *routine, const struct measurement **functions, size_t room);

/* ---- Bandwidth and rate of messages ---- */

/* Never NULL: in words, for --describe. bus: the factor of the bus bandwidth, or "none". */
struct rates_words {
    const char *bytes, *messages, *bus;
};
struct rates_words rates_words(const struct measurement *);

/* bytes: the size column; seconds: of one operation. NaN where there is no such value. */
struct result_rates rates_of(const struct measurement *, size_t pes, int64_t bytes, double seconds);

#endif
