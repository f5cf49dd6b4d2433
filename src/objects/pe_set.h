/*
 * A set of PEs: what a script calls a communicator. It is a group with a count of references, and
 * may have a topology. Pure data that every PE knows in full: nothing here communicates, and PEs
 * that build sets from equal members get equal sets.
 */
#ifndef SKAMPI_OBJECTS_PE_SET_H
#define SKAMPI_OBJECTS_PE_SET_H

#include <stdbool.h>

#include "comm/pe_group.h"
#include "objects/topology.h"

struct pe_set;

/* A set with the given world PEs in this order (copied). size may be 0: the empty set, which the
 * language calls MPI_COMM_NULL. Members must be distinct. The caller owns one reference. */
struct pe_set *pe_set_create(const int *members, int size);

/* World PEs first, first + stride, ... (size of them), kept without a member array. */
struct pe_set *pe_set_strided(int first, int stride, int size);

struct pe_set *pe_set_reference(struct pe_set *set);
void pe_set_release(struct pe_set *set); /* NULL is allowed */

/* The group, for calls of comm/comm.h; valid as long as the set. */
const struct pe_group *pe_set_group(const struct pe_set *set);

int pe_set_size(const struct pe_set *set);

/* World PE of a rank, 0 <= rank < size. */
int pe_set_member(const struct pe_set *set, int rank);

/* Rank of a world PE in the set, or -1 when it is not a member. O(1) for strided sets, else O(n).
 */
int pe_set_rank_of(const struct pe_set *set, int pe);

/* Whether both sets have equal members in equal order, whatever their topologies. */
bool pe_set_equal(const struct pe_set *a, const struct pe_set *b);

/* The first `size` ranks of the set with this topology, whose reference is taken over. */
struct pe_set *pe_set_arranged(const struct pe_set *set, int size, struct topology *topology);

/* The topology of the set, or NULL. */
struct topology *pe_set_topology(const struct pe_set *set);

/* True when neighbouring ranks are a constant distance apart: PEs *first, *first + *stride, ... The
 * stride may be negative; of a single PE it is 1. */
bool pe_set_regular(const struct pe_set *set, int *first, int *stride);

/* True when the set is an OpenSHMEM active set: *start, *log_stride and the size describe it.
 * (OpenSHMEM 1.4, 9.9: a triplet of start, log2 of the stride, and size.) */
bool pe_set_active(const struct pe_set *set, int *start, int *log_stride);

/* The members as text, "0-3,8"; where that is very long the first and the last PE, and a hash of
 * all: "0,...,8190 #0123456789abcdef". The caller frees it. */
char *pe_set_text(const struct pe_set *set);

#endif
