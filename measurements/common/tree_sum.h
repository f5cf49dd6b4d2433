/*
 * Sum over all ranks by puts and flags along a binomial tree: to rank 0, and back.
 *
 * Flags count the sums and are never reset. A rank's next values may be put where its last ones
 * were: it has the sum, so that whoever added them has done so.
 */
#ifndef SKAMPI_MEASUREMENTS_TREE_SUM_H
#define SKAMPI_MEASUREMENTS_TREE_SUM_H

#include "measurements/common/shapes.h"

struct tree_sum {
    long *flags;  /* symmetric: one for each level, then that of the sum */
    long *values; /* symmetric: elements of each level's child */
    int levels;
    long done; /* sums until now */
};

/* Levels of a tree of this number of ranks. Pure. */
int tree_levels(int ranks);
/* Symmetric longs that it needs. Pure. */
size_t tree_sum_longs(int ranks, size_t elements);

#if SKAMPI_SHMEM
/* memory: tree_sum_longs(), 0. */
void tree_sum_set_up(struct tree_sum *, int ranks, long *memory);
/* sum: symmetric, in: this rank's values, out: the sum of all ranks'. */
void tree_sum(const struct run *, struct tree_sum *, long *sum, size_t elements);
#endif

#endif
