/*
 * Levels that the controls of one kind lie on, and what else one series of controls tells by
 * itself. docs/method.md, "The machine's state", has the rule in words. Pure functions on arrays.
 */
#ifndef SKAMPI_STATS_CONTROL_LEVELS_H
#define SKAMPI_STATS_CONTROL_LEVELS_H

#include <stdbool.h>
#include <stddef.h>

/* Levels differ by this factor at least, since less changes no decision. */
#define CONTROL_APART 1.15
/* A known level that a level is at most so far from, as a factor, is that level. */
#define CONTROL_SAME 1.2
/* Share of a level's controls beyond either of its edges. */
#define CONTROL_BEYOND 0.02

struct control_at {
    double at;    /* seconds since the start of the run */
    double value; /* seconds, > 0 */
};

/* n controls in the order of time; known: logarithms of levels of earlier runs. bounds[i] (seconds)
 * separates levels i and i + 1 in ascending order: the geometric mean of their facing edges; there
 * is room for as many as levels. Returns the number of levels, `room` at most, at least 1 for n > 0
 * and room > 0. O(n log n). */
size_t control_levels_find(const struct control_at *controls, size_t n, const double *known,
                           size_t known_count, double *bounds, size_t room);

/* Spread of controls within a level: standard deviation of the natural logarithm, from differences
 * of neighbouring controls, so that neither changes of state nor outliers count. Up to
 * twice too large where the state changes at every control. 0 when there are too few to tell. */
double control_noise(const struct control_at *controls, size_t n);

/* To y: each logarithm becomes the median of five around it, at the ends of the first or last ones;
 * of those near in time, since others may have been in another state. */
void control_smooth(const struct control_at *controls, size_t n, double *y);

/* A control stands for half of the time to each of its neighbours; shares of the sum. */
void control_shares(const struct control_at *controls, size_t n, double *shares);

/* So many controls in a row, of n, are a stay. */
size_t control_stay(size_t n);

/* What a level, or a state, takes of a run. */
struct control_time {
    size_t count;          /* controls */
    double share, staying; /* of the time; of it in stays */
};
/* Whether that is enough, of n controls; confirmed: by earlier runs. */
bool control_persists(const struct control_time *, size_t n, bool confirmed);

#endif
