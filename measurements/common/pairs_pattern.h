/*
 * Patterns in which many ranks work on others at the same time: pairs of ranks, many on one, one on
 * many, random targets. Who works on whom, in which order, and where the data lie; the same for
 * OpenSHMEM and MPI, so that results of both can be compared.
 *
 * In an iteration each rank that works has the same operations each time, its steps. A step is an
 * operation on a rank, with a place of its own there: what is in flight never overlaps.
 */
#ifndef SKAMPI_MEASUREMENTS_PAIRS_PATTERN_H
#define SKAMPI_MEASUREMENTS_PAIRS_PATTERN_H

#include <limits.h>

#include "measurements/common/shapes.h"

/* clang-format off */
#define PATTERN {"pattern", PARAMETER_STRING, "", "who works on whom", .allowed = "one of \"half\" (ranks i and i + size / 2), \"offset:K\" (ranks i and i + K), \"neighbours\" (ranks 2 i and 2 i + 1), \"random:SEED\" (pairs drawn at random), \"round:K[:SEED[:GROUP]]\" (round K of a tournament in which each rank meets each other one; see patterns/pairs.md), \"to_one\" (ranks 1, 2, ... on rank 0), \"from_one\" (rank 0 on ranks 1, 2, ...), \"targets:SEED\" (each operation on a rank drawn at random)", .example = "half"}
#define PATTERN_OF_PAIRS {"pattern", PARAMETER_STRING, "", "which ranks are pairs", .allowed = "one of \"half\" (ranks i and i + size / 2), \"offset:K\" (ranks i and i + K), \"neighbours\" (ranks 2 i and 2 i + 1), \"random:SEED\" (drawn at random), \"round:K[:SEED[:GROUP]]\" (round K of a tournament; see patterns/pairs.md)", .example = "half"}
#define PAIRS {"pairs", PARAMETER_INT, "", "pairs that take part (0: all); with to_one, from_one and targets: ranks other than rank 0, targets of rank 0, ranks that work", .maximum = INT_MAX, .allowed = "at most as many as there are", .example = "0"}
#define PAIRS_ALONE {"pairs", PARAMETER_INT, "", "pairs that take part (0: all)", .maximum = INT_MAX, .allowed = "at most as many as there are", .example = "0"}
#define DIRECTIONS {"directions", PARAMETER_INT, "", "1: the first rank of a pair works on the second; 2: each on the other, at the same time", .minimum = 1, .maximum = 2, .example = "1"}
#define WINDOW_OF(unit) {"window", PARAMETER_INT, unit, "operations on each target that are in flight at the same time", .minimum = 1, .maximum = INT_MAX, .allowed = "what memory has room for", .example = "16"}
/* clang-format on */

enum pattern {
    PATTERN_HALF,
    PATTERN_OFFSET,
    PATTERN_NEIGHBOURS,
    PATTERN_RANDOM,
    PATTERN_ROUND,
    PATTERN_TO_ONE,
    PATTERN_FROM_ONE,
    PATTERN_TARGETS,
    PATTERNS
};

/* Everything about the pattern of a measurement on a set of `size` ranks. */
struct pairs {
    enum pattern pattern;
    int size;
    int pairs;      /* that take part, or ranks, as the parameter says; at least 1 */
    bool both;      /* directions */
    int64_t window; /* operations on each target in an iteration; targets: in all */
    bool apart;     /* each has a place of its own; else they follow each other on one */
    int64_t offset; /* of PATTERN_OFFSET; of PATTERN_ROUND: the round, from 1 */
    uint64_t seed;
    int64_t group; /* of PATTERN_ROUND: ranks that follow each other and form a group; 1: none */
    int *partners; /* of PATTERN_RANDOM and _ROUND: each rank's; -1: none; else NULL */
    bool *first;   /* of those: whether it is the first rank of its pair */
};

/* An operation on the target, in that place there: places are counted from those of the first rank
 * that pairs_sources() names for the target. */
struct step {
    int target;
    int64_t place;
};

/* A step with its arguments worked out. */
struct pairs_call {
    int rank, pe;       /* of the target */
    size_t here, there; /* bytes from the memory of the iteration, on this PE and on the target */
};

/* Rounds of a tournament: in each, ranks form disjoint pairs, and in all together each rank meets
 * each other one once. Without groups (a group of 1): size - 1, or size if that is odd. With groups
 * of g ranks that follow each other, such as the PEs of a node, G of them: as many as g ranks need,
 * with pairs inside of groups, and g times as many as G ranks need, with pairs of ranks of two
 * groups. 0: `size` is no multiple of `group`. Pure. */
int64_t tournament_rounds(int size, int64_t group);

/* Hook: arguments that make no sense on this set. For functions with a parameter `pattern`; those
 * without `directions` only work with patterns of pairs. */
const char *pairs_check(const struct run *);

/* In set-up. */
struct pairs pairs_open(struct run *);

/* The rank that forms a pair with this one, and whether this one is the first of them; -1: none
 * takes part. Patterns of pairs. */
int pairs_partner(const struct pairs *, int rank, bool *first);

/* Steps of a rank in an iteration: 0 where it only watches. */
int64_t pairs_steps(const struct pairs *, int rank);
struct step pairs_step(const struct pairs *, int rank, int64_t step);
/* Of the rank that has most. */
int64_t pairs_most_steps(const struct pairs *);
/* Steps of all ranks together. */
int64_t pairs_all_steps(const struct pairs *);
/* Ranks that may work on this one: `count` ranks from the first on. */
int pairs_sources(const struct pairs *, int rank, int *count);
/* Places of one operation each that a rank needs for what others do there; saturates. */
size_t pairs_places(const struct pairs *);

/* Bytes from one place to the next: places begin in different cache lines. */
size_t pairs_place_bytes(size_t bytes);

/* A note on who forms pairs, as far as a line has room. */
void pairs_note(struct run *, const struct pairs *);

/* Hook's work where data_fill() has filled run->local and `there`, what others work on, which are
 * as large as pairs_demand_traffic() says. */
bool pairs_verify(struct run *, const struct pairs *, bool get, const unsigned char *there);

/* ---- Families of puts and gets in these patterns ---- */

/* The variant of their functions begins with it, ... */
struct pairs_traffic {
    bool get; /* else ranks put, or send */
};

/* ... their state with this rank's part. */
struct pairs_work {
    struct pairs pairs;
    int64_t steps; /* 0: it only watches */
    struct pairs_call *calls;
};

bool pairs_gets(const struct run *);

/* In set-up. Notes who forms pairs. */
struct pairs_work pairs_work_open(struct run *);

/* Hook: a parameter "count" has the bytes of an operation; each has a place of its own. */
void pairs_demand_traffic(struct run *);
/* Hooks of those that work on buffers of the run. */
void pairs_fill_traffic(struct run *);
bool pairs_verify_traffic(struct run *);

#endif
