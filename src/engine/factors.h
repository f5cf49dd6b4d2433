/*
 * What a time may depend on without anybody saying so: factors, and the levels that an experiment
 * tries of each. A level is a change of the settings under which a point is measured, of the
 * processors that PEs run on, or of what is measured before it.
 */
#ifndef SKAMPI_ENGINE_FACTORS_H
#define SKAMPI_ENGINE_FACTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buffers.h"
#include "engine/request.h"
#include "stats/factorial.h"

/* Factors that take little time to try come first. */
enum factor {
    FACTOR_RELATIVE,  /* the target's address less the source's, within a page */
    FACTOR_SOURCE,    /* where the source begins in its page */
    FACTOR_TARGET,    /* where the target begins in its page */
    FACTOR_CYCLING,   /* whether repetitions walk through their buffers */
    FACTOR_BEFORE,    /* what is measured before */
    FACTOR_ORDER,     /* of the PEs on processors */
    FACTOR_PLACEMENT, /* of buffers in memory of several kinds */
    FACTOR_CACHE,     /* warm or cold */
    FACTORS
};

/* At most so many levels has a factor. */
#define FACTOR_LEVELS 12
#define FACTOR_PAGE 4096

const char *factor_name(enum factor);
/* The factors of a list such as "relative,cache", as bits 1 << enum factor; all with NULL. 0 with
 * *error (for the user; the caller frees it) if one of them is none. */
unsigned factors_parse(const char *list, char **error);

/* How one probe is measured: the value of a level of each factor; below 0, it is as the script has
 * it, or drawn. FACTOR_ORDER: of factor_move(), 0 where the job was started. */
struct setup {
    int64_t of[FACTORS];
};
struct setup setup_usual(void);

/* A level of a factor. */
struct factor_level {
    int64_t value; /* offset, kind of memory, order, number of a point, or 0 and 1 */
    char *name;    /* for people */
};

/* A point of the script. */
struct factor_point {
    struct kept_point kept;
    struct demand demand;
    bool several_places; /* its buffer has room for them */
};

/* The settings for one probe of the point. *random: addresses that the setup leaves open are drawn.
 */
struct settings factor_settings(const struct factor_point *, const struct setup *,
                                uint64_t *random);

/* Puts all PEs on processors in this order. Whether that was possible here; collective over the
 * world. */
bool factor_move(int order);

/* ---- The experiment, for factor_experiment.c and factor_report.c ---- */

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
    bool both, chosen; /* chosen: it is measured */
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

/* Fills in the levels of the row's factor at its point. False, with *reason (for the user) and no
 * level, where there is nothing to choose from. The same on all PEs; any PE. */
bool factor_levels(const struct factors *, struct factor_row *, const char **reason);
void factor_levels_free(struct factor_row *);

#endif
