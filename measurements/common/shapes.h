/*
 * What measurement families share: who talks to whom, test patterns, parameters.
 */
#ifndef SKAMPI_MEASUREMENTS_SHAPES_H
#define SKAMPI_MEASUREMENTS_SHAPES_H

#include <math.h>

#include "engine/measurement.h"

/* clang-format off */
#define COUNT_BYTES {"count", PARAMETER_INT, "bytes", "data moved by each operation", .size = true, .example = "1024"}
#define ITERATIONS {"iterations", PARAMETER_ITERATIONS, "", "operations timed together (0: skampi chooses)", .example = "0"}
#define THE_RANK {"therank", PARAMETER_RANK, "", "the only rank that works and reports", .example = "0"}
#define ITERATIONS_OR_CHOSEN {"iterations", PARAMETER_ITERATIONS, "", "operations timed together (0: skampi chooses)", .otherwise = "0", .example = "0"}
#define PAIRS_AT_HALF {"pairs", PARAMETER_INT, "", "pairs that work at the same time: rank r on rank r + n/2", .minimum = 1, .allowed = "at most half of the PEs", .otherwise = "1", .example = "1"}
#define ROOT {"root", PARAMETER_RANK, "", "rank that the data come from", .example = "0"}
/* clang-format on */

/* Bytes of a cache line. Arrays, and places that different PEs write to, begin at multiples of it,
 * so that no two share a line. */
#define LINE 64
#define ROUND_UP(bytes, unit) (((bytes) + (unit)-1) / (unit) * (unit))

/* Why a measurement fails where the script's alignment is too small for its elements; %zu bytes. */
#define ALIGNMENT_TEXT                                                                             \
    "its elements of %zu bytes must lie at multiples of their size: change "                       \
    "set_send_buffer_alignment or set_recv_buffer_alignment"

enum shape {
    SHAPE_RING,       /* every rank works on the next one, all at the same time */
    SHAPE_PAIR,       /* rank 0 works on rank 1 */
    SHAPE_SINGLE,     /* the rank of the argument therank works on the next one */
    SHAPE_ALL_TO_ONE, /* all other ranks work on rank 0 at the same time */
    SHAPE_ONE_TO_ALL, /* rank 0 works on all other ranks, one after the other */
    SHAPE_HALF        /* as many ranks as the argument pairs says each work on the rank that is half
                         of the set further on */
};

/* This PE's part in a shape. */
struct partner {
    bool acting;
    int pe;      /* world PE worked on, when acting */
    int rank;    /* its rank; -1: not acting */
    int targets; /* number of ranks worked on, from `rank` on */
    int source;  /* rank that works on this PE, -1: none */
    int sources; /* number of ranks that work on this PE, from `source` on */
};
/* number: the argument therank, or pairs. */
struct partner shape_partner(const struct run *run, enum shape shape, int64_t number);
/* Hook check: why the set does not have as many pairs as the argument says. */
const char *shape_check_pairs(const struct run *);

/* ---- Data that are verified (the hooks fill and verify) ---- */

/* Each byte that nothing has been written to has this value. No pattern contains it: in patterns,
 * the first bit of each byte is 0. */
#define DATA_POISON 0xa5

/* The key of this repetition's data with a tag: a rank, or a number for what one rank has for
 * another. */
uint64_t data_key(const struct run *, int tag);

/* The hook demand where count bytes are moved from here to the other side, or the other way;
 * without a count, none. */
void data_demand(struct run *);
/* As data_demand(), but with this number of bytes. */
void data_demand_bytes(struct run *, size_t bytes);
/* a * b, or SIZE_MAX, which fits no buffer, where that is too much to count. */
size_t data_product(size_t a, size_t b);

/* A pattern that differs between keys and positions, whatever the address. */
void pattern_fill(void *memory, size_t bytes, uint64_t key);
bool pattern_check(const void *memory, size_t bytes, uint64_t key);
/* Checks count elements at a distance of stride elements: each is as pattern_fill() leaves it in
 * memory without gaps, and the gaps are poison. */
bool pattern_check_strided(const void *memory, size_t element, size_t stride, size_t count,
                           uint64_t key);

void data_poison(void *memory, size_t bytes);

/* Whether memory is as it must be: the pattern of this tag, that with gaps, still poison, equal to
 * other memory. what: for the user, as in "the target". False after run_fail(), which says the
 * first wrong byte. */
bool data_verify(struct run *, const char *what, const void *memory, size_t bytes, int tag);
bool data_verify_strided(struct run *, const char *what, const void *memory, size_t element,
                         size_t stride, size_t count, int tag);
bool data_verify_untouched(struct run *, const char *what, const void *memory, size_t bytes);
bool data_verify_equal(struct run *, const char *what, const void *memory, const void *expected,
                       size_t bytes);

/* Hooks' work where each rank has a block of its own that moves: put from run->local, or got from
 * `there`, the memory that others reach. The source gets the rank's data, what is moved to poison.
 */
void data_fill(struct run *, bool get, unsigned char *there);
void data_fill_put(struct run *); /* hooks: on run->remote */
void data_fill_get(struct run *);
/* Whether demand.reported bytes came from that rank (-1: none came, and nothing was written to),
 * and the source is as it was. */
bool data_verify_moved(struct run *, bool get, const unsigned char *there, int from);
bool data_verify_put_around(struct run *); /* hook: by the rank before */

/* A note on the memory of a process after a step, and what that added; collective. */
void note_memory(struct run *, const char *step, double before, double now);
/* A note on how many measurements before this one may have called what is now called first. */
void note_earlier(struct run *, const char *what);

/* Times single calls of which each must be followed by another call. The timer is read three times:
 * the first interval is the cost of a reading, which is subtracted from the second interval, that
 * of the call. Any PE. */
struct single_timing {
    int64_t begin, ticks;
    double paused; /* seconds of a computation in between, to be taken off */
};

static inline void apart_begin(struct single_timing *apart)
{
    int64_t before = timer_now();
    apart->begin = timer_now();
    apart->ticks -= apart->begin - before;
}

static inline void apart_end(struct single_timing *apart)
{
    apart->ticks += timer_now() - apart->begin;
}

static inline double apart_seconds(const struct single_timing *apart, int64_t operations)
{
    return (timer_seconds(apart->ticks) - apart->paused) / (double)operations;
}

/* The seconds that a call takes, of two measurements: `apart` of single calls, together() of
 * bursts. Readings between single calls keep the processor from working ahead: if bursts are faster
 * by at most the cost of a reading, the readings explain it, and bursts are right. Otherwise the
 * call depends on what is outstanding, and single calls are right. In cold memory they always are,
 * since a burst would find its places warm. */
double apart_or_together(struct run *run, double apart, double (*together)(struct run *));

/* Seconds of one of these operations, which follows a barrier, on the slowest rank: a rough
 * estimate by the last of several, since the first are slow. */
double slowest_estimate(struct run *run, bool acts,
                        void (*operate)(struct run *, int64_t iteration));

/* Whether each place of the buffers is to be brought into the caches by an untimed operation
 * before it is used in a timed one. */
bool warm_places(const struct run *run);

/* Seconds of one of the iterations, which come after an untimed one where places are to be warm;
 * NAN where this rank does not act. Always inlined, so that the loop calls `operate` itself. */
static inline __attribute__((always_inline)) double
time_iterations(struct run *run, bool acts, void (*operate)(struct run *, int64_t iteration))
{
    if (acts && warm_places(run))
        operate(run, 0);
    int64_t started = run_start(run);
    for (int64_t i = 0; acts && i < run->iterations; i++)
        operate(run, i);
    int64_t stopped = run_stop(run);
    return acts ? run_elapsed(run, started, stopped) / (double)run->iterations : NAN;
}

#endif
