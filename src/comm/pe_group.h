/*
 * A group: the PEs that communicate with each other, in the order of their ranks. Pure data, known
 * in full to every PE; any PE makes one for itself. Ranks run from 0 to size - 1; rank 0 is the
 * root.
 */
#ifndef SKAMPI_COMM_PE_GROUP_H
#define SKAMPI_COMM_PE_GROUP_H

#include <stdbool.h>

/* Made by the functions below, since equal groups have equal fields. */
struct pe_group {
    int size;
    int first, stride;  /* PEs first, first + stride, ... */
    const int *members; /* NULL where that describes them all: 10^5 PEs then cost nothing */
};

/* World PEs first, first + stride, ... (size of them; none when it is not positive). */
struct pe_group pe_group_strided(int first, int stride, int size);

/* The given world PEs, which are distinct. Where they are a constant distance apart the group does
 * not need the array, otherwise it refers to it: keep it as long as the group. */
struct pe_group pe_group_listed(const int *members, int size);

/* World PE of a rank, 0 <= rank < size. */
int pe_group_member(const struct pe_group *group, int rank);

/* Rank of a world PE, or -1 when it is not a member. O(1) for regular groups, else O(size). */
int pe_group_rank_of(const struct pe_group *group, int pe);

/* Whether both groups have the same members in the same order. */
bool pe_group_equal(const struct pe_group *a, const struct pe_group *b);

/* True when neighbouring ranks are a constant distance apart: PEs *first, *first + *stride, ... The
 * stride may be negative; of a single PE it is 1. False for the empty group. */
bool pe_group_regular(const struct pe_group *group, int *first, int *stride);

#endif
