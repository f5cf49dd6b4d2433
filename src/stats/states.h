/*
 * The states of a machine. Controls are times of small operations that are measured again and again
 * between everything else, and show how fast the machine is at the time. Controls of each kind lie
 * on levels; a state is a combination of one level of each kind. Pure functions on arrays;
 * docs/method.md, "The machine's state", has the rule in words.
 */
#ifndef SKAMPI_STATS_STATES_H
#define SKAMPI_STATS_STATES_H

#include <stdbool.h>
#include <stddef.h>

/* The kinds of controls whose levels define a state. */
enum { STATES_HAND_OVER, STATES_ADDITION, STATES_KINDS };

/* One control of each kind, measured together (seconds, above 0; NaN if not known). */
struct states_values {
    double of[STATES_KINDS];
};

struct states_control {
    double at; /* seconds since the start of the run */
    struct states_values values;
};

/* The controls of one kind in a state. */
struct states_range {
    double value; /* median of the undisturbed controls; NaN if the state has no control of this
                     kind */
    double low,
        high; /* controls c of the state have low <= c < high; 0 and INFINITY mean no bound */
};

struct states_state {
    struct states_range of[STATES_KINDS];
    size_t count; /* controls measured in this state, including disturbed ones */
    double share; /* of the time */
    size_t known; /* 1 + index of the known state that it equals; 0 if it is new */
};

/* Finds the states of n controls in the order of time. Controls that lack a kind which others have
 * do not count. known has states of earlier runs, of which only the ranges are read (NULL, 0
 * without). Fills found[], at most `room` entries, in ascending order of the product of their
 * values. Returns their number, at least 1 for n > 0 and room > 0. O(n log n). */
size_t states_find(const struct states_control *controls, size_t n,
                   const struct states_state *known, size_t known_count, struct states_state *found,
                   size_t room);

/* Whether values are in a state: the value of each kind lies in the state's range of this kind. */
bool states_hold(const struct states_state *, const struct states_values *);

/* The first state that values are in, or count when there is none. */
size_t states_of(const struct states_values *, const struct states_state *, size_t count);

/* Whether controls before and after a batch show, in any kind, that the state changed; noise comes
 * from states_noise(). A kind whose control is not known (not above 0) shows nothing. */
bool states_differ(const struct states_values *before, const struct states_values *after,
                   const struct states_values *noise);

/* Spread of the controls of each kind within a state, as the standard deviation of the natural
 * logarithm. */
struct states_values states_noise(const struct states_control *controls, size_t n);

/* The geometric mean of two values of each kind. */
struct states_values states_between(const struct states_values *, const struct states_values *);

/* Whether the value of any kind is known. */
bool states_are_known(const struct states_values *);

/* The product of the known values, by which states are ordered. */
double states_product(const struct states_values *);
double states_rank(const struct states_state *);

#endif
