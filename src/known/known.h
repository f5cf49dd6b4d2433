/*
 * Results of earlier runs (--known): the states of the machine that they saw, under common numbers,
 * and the value of each point in each state. PE 0. Times in seconds.
 *
 * Two states of different files, of one set of PEs and with the same controls, are one state if for
 * each control their values lie within 20 % of each other, or if each value lies within the bounds
 * of the other state, and one of the two states has a bound on the side of the other one. The first
 * file that has a state gives its number; a later state whose number is in use gets the next free
 * one. Numbers therefore stay when further files follow the others.
 */
#ifndef SKAMPI_KNOWN_KNOWN_H
#define SKAMPI_KNOWN_KNOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "known/known_file.h"
#include "output/result.h"

struct earlier_runs {
    struct known_run *runs; /* in the order of the files */
    size_t run_count;
    struct known_state *states; /* set by set, each by number */
    size_t state_count;
    /* Ordered by key; the values of a point are ordered by number of the state. A value of several
     * files has the median of their medians, the widest interval, and the sum of their rounds. */
    struct known_point *points;
    size_t point_count;
    /* Standard deviation of times from launch to launch, as a fraction (at most 1), that rounds do
     * not explain: the median over points and states that at least 5 files have with 5 rounds; NaN
     * if there are none. */
    double launch_difference;
};

/* software is known_software() of this run, or NULL to accept any. Of runs with other software only
 * .runs is kept: their hand-overs depend on their library and define no states of this run. NULL
 * and *error (for the user; the caller frees it) when a file cannot be read or has no states. */
struct earlier_runs *known_read(const char *const *paths, size_t n, const char *software,
                                char **error);
void known_free(struct earlier_runs *);

/* The point with the same output_point_text(); in files of older versions, with the same block,
 * call, PEs and loop variables. NULL if earlier runs do not have the point. */
const struct known_point *known_find(const struct earlier_runs *, const struct result_point *);

/* ---- Results of a run that did not come to its end (--resume): which points it measured, and
 * their records ---- */

/* What must be equal in both runs. */
struct resume_facts {
    const char *checksum; /* of the script */
    const char *options;  /* that decide what results are; "": none */
    const char *software; /* known_software() */
    const char *version;  /* of skampi */
    int pes;
    const char *const *nodes; /* names, in the order of their lowest PE */
    int node_count;
};

struct resume;

/* Reads the file (JSON Lines); a last line without its end is left out, since the run may have been
 * killed while it wrote it. NULL and *error (for the user; the caller frees it) if the file cannot
 * be read, or if its run differs from this one in a fact. */
struct resume *resume_read(const char *path, const struct resume_facts *here, char **error);
void resume_free(struct resume *);

/* Whether the file has the point with this output_point_text(): then *record is its record with its
 * newline, for the caller to free, *time its time (seconds; NaN: none) and *flags its flags (bits
 * 1 << enum result_flag). */
bool resume_take(struct resume *, const char *key, char **record, double *time, unsigned *flags);

#endif
