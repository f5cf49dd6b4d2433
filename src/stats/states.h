/*
 * The states of a machine, from a series of controls: times of one small operation, measured again
 * and again between everything else, which tell how fast the machine is just now. Pure functions
 * on arrays; docs/method.md, "The machine's state", has the rule in words.
 */
#ifndef SKAMPI_STATS_STATES_H
#define SKAMPI_STATS_STATES_H

#include <stdbool.h>
#include <stddef.h>

struct states_control {
    double at;    /* seconds since the start of the run */
    double value; /* seconds, > 0 */
};

struct states_level {
    double value;     /* median of its controls that nothing disturbed */
    double low, high; /* a control belongs to it if low <= value < high; 0 and INFINITY at the ends,
                         else the geometric mean of the edges of two neighbouring levels */
    size_t count;     /* controls measured while the machine was in it, disturbed ones, too */
    double share;     /* of the time */
    size_t known;     /* 1 + index of the known level that it is, 0: none */
};

/* n controls in the order of time. known: levels of earlier runs, ascending, only their values are
 * read (NULL, 0: none). Fills found[] in ascending order, `room` at most; returns their number, at
 * least 1 for n > 0 and room > 0. O(n log n). */
size_t states_find(const struct states_control *controls, size_t n,
                   const struct states_level *known, size_t known_count, struct states_level *found,
                   size_t room);

/* The level that a control belongs to, or count when there is none. */
size_t states_level_of(double value, const struct states_level *levels, size_t count);

/* Whether two controls, before and after a batch, say that the state changed; noise: as
 * states_noise() tells. False when one is not known (not above 0). */
bool states_differ(double before, double after, double noise);

/* Spread of controls within a state: standard deviation of the natural logarithm, from differences
 * of neighbouring controls, so that neither changes of state nor outliers count. Up to
 * twice too large where the state changes at every control. 0 when there are too few to tell. */
double states_noise(const struct states_control *controls, size_t n);

#endif
