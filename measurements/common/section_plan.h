/*
 * Sections of arrays: which calls of the library move one. Pure; nothing here calls the library.
 *
 * A section has up to 15 dimensions, the first of which varies fastest, as in Fortran. In each of
 * them it has an extent, in elements, and on each side a distance from one element to the next. All
 * sizes and distances here are bytes.
 */
#ifndef SKAMPI_MEASUREMENTS_SECTION_PLAN_H
#define SKAMPI_MEASUREMENTS_SECTION_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SECTION_DIMENSIONS 15
#define SECTION_WIDEST 16 /* bytes that a strided call moves at once, at most */

enum section_side { SECTION_SOURCE, SECTION_TARGET, SECTION_SIDES };

struct section {
    size_t element;
    int dimensions;
    size_t extents[SECTION_DIMENSIONS];
    size_t strides[SECTION_SIDES][SECTION_DIMENSIONS];
};

/* From what a script gives: extents and strides in elements. NULL, or why that is no section: the
 * first thing wrong, in words for the user, in memory of its own. */
const char *section_make(struct section *, int64_t element, int dimensions, const int64_t *extents,
                         const int64_t *source_strides, const int64_t *target_strides);

size_t section_elements(const struct section *);
/* From its first byte to its last one on that side; 0 where it is empty. */
size_t section_span(const struct section *, enum section_side);
/* Where the i-th element lies on that side; the first dimension varies fastest. */
size_t section_offset(const struct section *, enum section_side, size_t i);
/* The section with its elements packed on that side: no gaps between them. */
struct section section_packed(const struct section *, enum section_side);

/* ---- How it is moved ---- */

enum section_algorithm {
    SECTION_RUNS,           /* a putmem for each contiguous run along the first dimension */
    SECTION_CASCADE,        /* a block's 16, 8 and 4 bytes by iputs along the next dimension */
    SECTION_CASCADE_FULL,   /* SECTION_CASCADE, continued with 2 bytes and 1 byte */
    SECTION_BEST_DIMENSION, /* iputs along the dimension that needs fewest calls */
    SECTION_PACK,           /* one putmem; packed before, unpacked at the target */
    SECTION_ELEMENTS,       /* a put of one element for each element */
    SECTION_LAST_DIMENSION  /* iputs along the last dimension */
};

enum section_routine {
    SECTION_MEM,    /* putmem of `width` bytes */
    SECTION_BLOCK,  /* put8 to put128 of one element of `width` bytes */
    SECTION_STRIDED /* iput8 to iput128 of `count` elements of `width` bytes */
};

/* Calls of one kind, at consecutive places: the first at byte `first` of a block. */
struct section_calls {
    enum section_routine routine;
    size_t width, first, number;
};

#define SECTION_KINDS 5 /* of calls: one for each of 16, 8, 4, 2 and 1 bytes */

struct section_plan {
    enum section_algorithm used; /* another one than asked for, where that does not apply */
    bool empty;                  /* nothing is moved, no call is made */
    int kinds;
    struct section_calls calls[SECTION_KINDS];
    size_t count;                  /* of elements in each strided call */
    size_t strides[SECTION_SIDES]; /* from one of them to the next */
    /* All calls are made again and again, at places that are so far apart. */
    int loops;
    size_t times[SECTION_DIMENSIONS];
    size_t steps[SECTION_SIDES][SECTION_DIMENSIONS];
};

/* alignment: a power of two that the addresses of both sides are multiples of. */
struct section_plan section_plan(const struct section *, enum section_algorithm, size_t alignment);
/* How many calls of a routine, and of that width; width 0: of any. */
size_t section_calls(const struct section_plan *, enum section_routine, size_t width);
/* "12 iput128, 4 iput64", for users; get: of the routines that get. Returns text. */
char *section_calls_text(const struct section_plan *, bool get, char *text, size_t size);

/* The largest power of two up to SECTION_WIDEST that divides all the bits set. */
size_t section_alignment(uintptr_t bits);

/* ---- Walking through the places of a plan that is not empty ---- */

struct section_walk {
    const struct section_plan *plan;
    size_t at[SECTION_DIMENSIONS];
    size_t offsets[SECTION_SIDES];
};

static inline struct section_walk section_first(const struct section_plan *plan)
{
    struct section_walk walk;
    walk.plan = plan;
    walk.offsets[SECTION_SOURCE] = walk.offsets[SECTION_TARGET] = 0;
    for (int d = 0; d < plan->loops; d++) /* no more: a small put takes as long as clearing all */
        walk.at[d] = 0;
    return walk;
}

/* False after the last place. first: the innermost loop that takes part. */
static inline bool section_next(struct section_walk *walk, int first)
{
    const struct section_plan *plan = walk->plan;
    for (int d = first; d < plan->loops; d++) {
        bool more = ++walk->at[d] < plan->times[d];
        size_t steps = more ? 1 : plan->times[d] - 1;
        for (int side = 0; side < SECTION_SIDES; side++) {
            size_t distance = steps * plan->steps[side][d];
            walk->offsets[side] += more ? distance : -distance;
        }
        if (more)
            return true;
        walk->at[d] = 0;
    }
    return false;
}

/* Copies a section within this process: packing and unpacking, by the plan for SECTION_RUNS. */
void section_copy(const struct section_plan *runs, unsigned char *target,
                  const unsigned char *source);

#endif
