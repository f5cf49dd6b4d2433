/*
 * The data of collective routines: what each rank brings, and what it must find. Pairs of hooks for
 * a struct routine; the caller has poisoned the buffers.
 */
#ifndef SKAMPI_MEASUREMENTS_COLLECTIVE_DATA_H
#define SKAMPI_MEASUREMENTS_COLLECTIVE_DATA_H

#include "measurements/common/collective.h"

/* Blocks: of all ranks with `target_of_all`, else the root's on all ranks, the root itself
 * included. */
void collective_fill_blocks(const struct collective_call *);
bool collective_check_blocks(const struct collective_call *);

/* ---- Reductions ---- */

/* Values repeat along the vector, so that each result is computed once. */
#define REDUCTION_PERIOD 32

enum folding {
    FOLD_SUM,
    FOLD_PROD,
    FOLD_MIN,
    FOLD_MAX,
    FOLD_AND,
    FOLD_OR,
    FOLD_XOR,
    FOLD_BOTH, /* of truths: any number but 0 */
    FOLD_EITHER,
    FOLD_ONE_OF
};
/* Of two numbers; bits are those of ints. */
long double reduction_fold(enum folding, long double a, long double b);

struct reduction_operation {
    int (*value)(int rank, int position); /* what a rank brings */
    enum folding folding;
};

/* Elements of one type in memory; values repeat along them. */
struct reduction_elements {
    size_t size; /* of one, in bytes */
    void (*fill)(void *memory, size_t count, const int values[REDUCTION_PERIOD]);
    /* Returns the index of the first wrong element, and what it is; `count` if there is none. */
    size_t (*find_wrong)(const void *memory, size_t count, const int values[REDUCTION_PERIOD],
                         double *found);
};

extern const struct reduction_operation reduction_and, reduction_or, reduction_xor, reduction_sum,
    reduction_prod, reduction_min, reduction_max;
extern const struct reduction_elements reduction_shorts, reduction_ints, reduction_longs,
    reduction_longlongs, reduction_floats, reduction_doubles;

/* For routines that have `operation` and `elements`. */
void reduction_fill(const struct collective_call *);
bool reduction_check(const struct collective_call *);

#endif
