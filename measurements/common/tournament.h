/*
 * Rounds of a tournament: in each, ranks form disjoint pairs, and in all together each rank meets
 * each other one once. Pure functions.
 *
 * Ranks may be in groups of `group` that follow each other, such as the PEs of a node: then a round
 * has pairs inside of groups only, or pairs of ranks of two groups only.
 */
#ifndef SKAMPI_MEASUREMENTS_TOURNAMENT_H
#define SKAMPI_MEASUREMENTS_TOURNAMENT_H

#include <stdint.h>

/* Without groups (a group of 1): size - 1, or size if that is odd. With groups of g, G of them: as
 * many as g ranks need, and g times as many as G ranks need. 0: `size` is no multiple of `group`.
 */
int64_t tournament_rounds(int size, int64_t group);
/* Pairs in a round, from 1 on. */
int tournament_pairs(int size, int64_t group, int64_t round);
/* The rank that this one meets in a round, from 1 on; -1: it rests. */
int tournament_met(int rank, int size, int64_t group, int64_t round);

#endif
