/*
 * The states of a machine, from its controls: times of small operations, measured again and again
 * between everything else, which tell how fast the machine is just now. Controls of each kind lie
 * on levels; a state is what lies on one level of each kind. Pure functions on arrays;
 * docs/method.md, "The machine's state", has the rule in words.
 */
#ifndef SKAMPI_STATS_STATES_H
#define SKAMPI_STATS_STATES_H

#include <stdbool.h>
#include <stddef.h>

/* Kinds of controls that tell the state together. */
enum { STATES_HAND_OVER, STATES_ADDITION, STATES_KINDS };

/* Controls of each kind that were measured together, seconds, > 0; NaN: not known. */
struct states_values {
    double of[STATES_KINDS];
};

struct states_control {
    double at; /* seconds since the start of the run */
    struct states_values values;
};

/* The controls of one kind in a state. */
struct states_range {
    double value; /* median of those that nothing disturbed; NaN: the state has no such control */
    double low, high; /* they lie in low <= c < high; 0 and INFINITY: no bound */
};

struct states_state {
    struct states_range of[STATES_KINDS];
    size_t count; /* controls measured while the machine was in it, disturbed ones, too */
    double share; /* of the time */
    size_t known; /* 1 + index of the known state that it is, 0: none */
};

/* n controls in the order of time; controls that lack a kind which others have do not count.
 * known: states of earlier runs, only their ranges are read (NULL, 0: none). Fills found[] in
 * ascending order of the product of their values, `room` at most; returns their number, at least 1
 * for n > 0 and room > 0. O(n log n). */
size_t states_find(const struct states_control *controls, size_t n,
                   const struct states_state *known, size_t known_count, struct states_state *found,
                   size_t room);

/* Whether values are in a state: those of each kind that the state has, in its range. */
bool states_hold(const struct states_state *, const struct states_values *);

/* The first state that values are in, or count when there is none. */
size_t states_of(const struct states_values *, const struct states_state *, size_t count);

/* Whether controls before and after a batch say that the state changed, in any kind; noise:
 * as states_noise() tells. Kinds that are not known (not above 0) do not tell. */
bool states_differ(const struct states_values *before, const struct states_values *after,
                   const struct states_values *noise);

/* Spread of the controls of each kind within a state: control_noise(). */
struct states_values states_noise(const struct states_control *controls, size_t n);

/* The geometric mean of two. */
struct states_values states_between(const struct states_values *, const struct states_values *);

/* Whether any kind is known. */
bool states_are_known(const struct states_values *);

/* By which states are ordered: the product of the values that are known. */
double states_product(const struct states_values *);
double states_rank(const struct states_state *);

#endif
