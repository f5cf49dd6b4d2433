/*
 * Pairs that work at the same time: rank r of n on rank r + n/2, for the first `pairs` ranks.
 */
#ifndef SKAMPI_MEASUREMENTS_HALF_PAIRS_H
#define SKAMPI_MEASUREMENTS_HALF_PAIRS_H

#include "measurements/common/pairs_pattern.h"

/* clang-format off */
#define ITERATIONS_OR_CHOSEN {"iterations", PARAMETER_ITERATIONS, "", "operations timed together (0: skampi chooses)", .otherwise = "0", .example = "0"}
#define PAIRS_AT_HALF {"pairs", PARAMETER_INT, "", "pairs that work at the same time: rank r on rank r + n/2", .minimum = 1, .allowed = "at most half of the PEs", .otherwise = "1", .example = "1"}
/* clang-format on */

/* This rank's part. */
struct half_pair {
    bool works;     /* puts or gets */
    bool worked_on; /* is its target */
    int other;      /* the other rank of the pair, -1: in none */
};

/* Pure. Of two ranks or more. */
struct half_pair half_pair_of(int rank, int size, int64_t count);
/* For the hook check: why the set does not have this number of pairs, or NULL. */
const char *half_pairs_refusal(int64_t pairs, const struct pe_set *);

struct half_pair half_pair_of_run(const struct run *);

/* The rank whose data are moved here; -1: none are. */
int half_pair_source(const struct half_pair *, bool get);

#endif
