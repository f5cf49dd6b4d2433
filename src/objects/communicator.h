/*
 * The MPI communicators of PE sets. They are made once for each set and kept while it is among the
 * last COMMUNICATORS sets that were asked for; sets with equal members and topology share one.
 */
#ifndef SKAMPI_OBJECTS_COMMUNICATOR_H
#define SKAMPI_OBJECTS_COMMUNICATOR_H

#include <stdbool.h>

#include "objects/pe_set.h"

#define COMMUNICATORS 32

/* Leads to the set's MPI_Comm: MPI_COMM_WORLD for all PEs in their order, MPI_COMM_NULL on PEs that
 * are no members; NULL in a build without MPI. Ranks are those of the set. Collective over the
 * world: all PEs ask for the same sets in the same order. Good until COMMUNICATORS other sets have
 * been asked for. Costs O(n) time and memory with n members, when it is made. */
const void *communicator_handle(const struct pe_set *);

/* The set in the order in which MPI would arrange it for this topology, with that topology; PEs
 * that the topology has no place for are left out. reorder: MPI may change ranks. Takes the
 * reference of the topology over. Collective over the world. */
struct pe_set *communicator_arrange(const struct pe_set *, struct topology *, bool reorder);

/* What the library calls, on any PE, when something went wrong that nobody expected: the handler
 * reports the text and ends the job. */
void communicator_on_error(void (*handler)(const char *text));

#endif
