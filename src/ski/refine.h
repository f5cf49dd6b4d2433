/*
 * Where to measure next: after a sweep, extra points go where the curve is least predictable. Pure;
 * every PE feeds it the same numbers and gets the same answers.
 *
 * A candidate lies midway between two measured neighbours b and c, with a before b and d after c
 * (at the borders the end point takes their place). Its value is estimated by how badly the lines
 * through a, b and through c, d predict c and b (at a border there is only one of them).
 * Abscissae are on the scale of the sweep: logarithmic for multiplicative ones.
 */
#ifndef SKAMPI_SKI_REFINE_H
#define SKAMPI_SKI_REFINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct refine;

struct refine_rules {
    bool integers;       /* candidates are whole numbers, */
    int64_t multiple_of; /* multiples of this (0 or 1: all) */
    bool logarithmic;
    double factor;    /* stop when there are factor times as many points as the sweep had */
    double tolerance; /* or when no interpolation is further off than this share of the value */
};

struct refine *refine_create(const struct refine_rules *rules);
void refine_release(struct refine *refine);

/* A measured point; equal x: the later y counts. */
void refine_add(struct refine *refine, double x, double y);

/* Ends the sweep: the number of points so far is what factor applies to. */
void refine_start(struct refine *refine);

/* The next x to measure; false when enough is known. refine_add() must follow, or refine_skip()
 * when nothing could be measured there. */
bool refine_next(struct refine *refine, double *x);
void refine_skip(struct refine *refine, double x);

size_t refine_count(const struct refine *refine);

/* The largest estimated interpolation error left, as a share of the value; 0 without candidates. */
double refine_error(const struct refine *refine);

#endif
