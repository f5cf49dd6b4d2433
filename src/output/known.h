/*
 * Results of earlier runs (--known): the states of the machine that they saw, under common numbers,
 * and what each point was worth in them. PE 0. Times in seconds.
 *
 * Several files: states of different files, of the same set of PEs and the same controls, are one
 * when for each control their values lie within 20 % of each other, or a bound between states says
 * so: each value lies within the bounds of the other state, and one of the states is bounded on
 * that side.
 * The first file that has a state gives the number; where another file needs that number for
 * another state, that state gets the next free one. So numbers stay when files are added behind.
 */
#ifndef SKAMPI_OUTPUT_KNOWN_H
#define SKAMPI_OUTPUT_KNOWN_H

#include <stddef.h>

#include "output/known_file.h"
#include "output/result.h"

struct known {
    struct known_run *runs; /* in the order of the files */
    size_t run_count;
    struct known_state *states; /* set by set, each by number */
    size_t state_count;
    /* Ordered by key; each with its values by number. Of several files: the median of medians, the
     * widest interval, the sum of the rounds. */
    struct known_point *points;
    size_t point_count;
    /* Standard deviation of times from launch to launch, as a fraction, 1 at most, that rounds do
     * not explain: median over points and states that 5 files at least have, with 5 rounds; NaN:
     * there are none. */
    double launch_difference;
};

/* software: known_software() of this run (NULL: any). Of another one's runs nothing but .runs is
 * kept: its hand-overs are those of its library, and no states of this run. NULL and *error (for
 * the user; the caller frees it) when a file cannot be read or has no states. */
struct known *known_read(const char *const *paths, size_t n, const char *software, char **error);
void known_free(struct known *);

/* The point with the same point_text(); of files of older versions, with the same block, call, PEs
 * and loop variables. NULL: earlier runs do not have it. */
const struct known_point *known_find(const struct known *, const struct result_point *);

/* The state with that number of a set of PEs (members NULL or "": not known), or NULL.
 */
const struct known_state *known_state_find(const struct known *, const char *members, int pes,
                                           int number);

#endif
