/*
 * The levels on which the controls of one kind lie, and other properties of one series of controls.
 * docs/method.md, "The machine's state", has the rule in words. Pure functions on arrays.
 */
#ifndef SKAMPI_STATS_CONTROL_LEVELS_H
#define SKAMPI_STATS_CONTROL_LEVELS_H

#include <stdbool.h>
#include <stddef.h>

/* Levels differ at least by this factor: a smaller difference would change no decision about
 * results. */
#define CONTROL_APART 1.15
/* A level that differs at most by this factor from a known one is that known level. */
#define CONTROL_SAME 1.2
/* Share of a level's controls that lie outside of each of its edges. */
#define CONTROL_BEYOND 0.02

struct control_at {
    double at;    /* seconds since the start of the run */
    double value; /* seconds, > 0 */
};

/* Finds the levels of n controls in the order of time; known are logarithms of levels of earlier
 * runs. bounds[i] (seconds) separates the ascending levels i and i + 1: the geometric mean of the
 * edges that face each other. bounds has `room` entries. Returns the number of levels, at most
 * `room`, at least 1 for n > 0 and room > 0. O(n log n). */
size_t control_levels_find(const struct control_at *controls, size_t n, const double *known,
                           size_t known_count, double *bounds, size_t room);

/* Spread of controls within a level, as the standard deviation of the natural logarithm. It is
 * computed from differences of neighbouring controls, which changes of state and outliers hardly
 * reach. It may be twice too large if the state changes at every control. 0 with too few controls.
 */
double control_noise(const struct control_at *controls, size_t n);

/* Writes to y the logarithm of each control, replaced by the median of the five around it (at the
 * ends, of the first or last five). Only controls near in time count, since the machine may have
 * been in another state at other times. */
void control_smooth(const struct control_at *controls, size_t n, double *y);

/* The share of the time for which each control stands: half of the time to each of its neighbours.
 */
void control_shares(const struct control_at *controls, size_t n, double *shares);

/* How many controls in a row, of n, make a stay. */
size_t control_stay(size_t n);

/* How much of a run a level, or a state, takes. */
struct control_time {
    size_t count;          /* controls */
    double share, staying; /* of the time: in all, and in stays */
};
/* Whether this makes a level of n controls; confirmed if earlier runs know the level. */
bool control_persists(const struct control_time *, size_t n, bool confirmed);

#endif
