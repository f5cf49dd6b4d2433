/*
 * The experiment of --factors, for the files that make it and report it.
 */
#ifndef SKAMPI_ENGINE_FACTORS_H
#define SKAMPI_ENGINE_FACTORS_H

#include "engine/factor.h"
#include "stats/factorial.h"

/* Of the screening, and of what is measured once more. Two levels that differ in all blocks have a
 * p-value of 2^-15 by signs, small enough for a thousand tests. */
#define FACTOR_BLOCKS 16
/* Chances that factors and, of the two largest, their interaction are named wrongly. */
#define FACTOR_ALPHA 0.04
#define FACTOR_ALPHA_TOGETHER 0.01
#define FACTOR_CONFIDENCE 0.95

/* A factor at a point; or two factors that are varied together, each at two levels. */
struct factor_row {
    size_t point;
    enum factor factor, other;
    bool both;
    struct factor_level levels[FACTOR_LEVELS];
    size_t count;
    double values[FACTOR_BLOCKS * FACTOR_LEVELS]; /* block by block; PE 0 */
    size_t blocks;                                /* complete ones */
    /* PE 0 */
    double effects[FACTOR_LEVELS], p, adjusted;
    bool slow[FACTOR_LEVELS], named;
    size_t slowest, fastest;
    struct factorial_ratio ratio;
};

struct factor_untried {
    enum factor factor;
    size_t point;
    char *reason;
};

struct factors {
    struct factor_point *points;
    size_t count;
    struct factor_row *rows;
    size_t row_count;
    struct factor_untried *untried;
    size_t untried_count;
    struct factor_row *together; /* the two largest factors at points that have both */
    size_t together_count;
    uint64_t random; /* the same on all PEs */
    double cost[FACTORS], seconds;
    double *apart; /* of each point: the distance of buffers by malloc(); NaN: not seen; PE 0 */
};

#endif
