/*
 * The MPI communicators of PE sets. A set's communicator is made on first use, and kept while the
 * set is among the last COMMUNICATORS sets used. Sets with equal members and topology share one.
 */
#ifndef SKAMPI_OBJECTS_COMMUNICATOR_H
#define SKAMPI_OBJECTS_COMMUNICATOR_H

#include <stdbool.h>

#include "objects/pe_set.h"

#define COMMUNICATORS 32

/* Points to the set's MPI_Comm: MPI_COMM_WORLD for all PEs in their order, MPI_COMM_NULL on PEs
 * that are not members; NULL in a build without MPI. Ranks are those of the set. Collective over
 * the world: all PEs ask for equal sets in equal order. Valid until COMMUNICATORS other sets have
 * been used. Making it costs O(n) time and memory with n members. */
const void *communicator_handle(const struct pe_set *);

/* The set with this topology, in the order in which MPI arranges it, without the PEs for which the
 * topology has no place. With reorder, MPI may change ranks. Takes over the reference of the
 * topology. Collective over the world. */
struct pe_set *communicator_arrange(const struct pe_set *, struct topology *, bool reorder);

/* Sets the handler that MPI calls, on any PE, after an unexpected error. The handler reports the
 * text and ends the job. */
void communicator_on_error(void (*handler)(const char *text));

#endif
