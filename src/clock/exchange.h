/*
 * What time stamps say about two clocks: pure functions, without any communication.
 *
 * "local" is the clock of the PE that asks, "remote" that of the PE that answers. The asker reads
 * its clock before and after the exchange, and the other PE reads its own in between (all in ticks
 * of the PE's timer).
 */
#ifndef SKAMPI_CLOCK_EXCHANGE_H
#define SKAMPI_CLOCK_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A linear map from one clock's readings to another's: both showed their base at one moment, and
 * the other clock counts ratio ticks to one tick of ours. */
struct clock_map {
    int64_t from, to; /* the base of each */
    double ratio;
};

struct clock_map clock_map_identity(void);
int64_t clock_map_apply(const struct clock_map *map, int64_t reading);
int64_t clock_map_invert(const struct clock_map *map, int64_t reading);
/* The map that applies inner first, and then outer. */
struct clock_map clock_map_compose(const struct clock_map *inner, const struct clock_map *outer);

/* Bounds on the difference of two clocks from exchanges that follow each other closely. */
struct bounds {
    double ratio;                     /* nominal remote ticks per local tick */
    size_t exchanges, since_improved; /* exchanges in all, and since the smallest round trip last
                                         became smaller */
    int64_t local, remote;            /* the base of each clock, in its own ticks */
    double low, high; /* the remote clock showed its base between these two moments (local ticks
                         after the local base) */
    double smallest;  /* round trip, local ticks */
};

void bounds_begin(struct bounds *bounds, double ratio);

/* Adds an exchange, in which the remote clock showed `remote` at some time between the two local
 * readings. An exchange can only narrow the bounds (SKaMPI's rule). If clocks drift against each
 * other until exchanges contradict, the newer exchange replaces the bounds. */
void bounds_add(struct bounds *bounds, int64_t before, int64_t remote, int64_t after);

/* The map from local to remote in the middle of the bounds. */
struct clock_map bounds_map(const struct bounds *bounds);
/* Half the interval that the truth must lie in (local ticks). */
double bounds_half(const struct bounds *bounds);

/* An offset at one time (seconds), and the drift that several of them show. */
struct drift_point {
    double time, offset, bound;
};

struct drift {
    double slope;     /* seconds per second */
    double error;     /* standard error of the slope */
    bool significant; /* at 1 % (two-sided Student's t) */
    double intercept; /* offset at time 0 */
};

/* Least squares. Not significant with fewer than 4 points. */
struct drift drift_fit(const struct drift_point *points, size_t n);

/* Whether a second, independent fit confirms the first: it is also significant, and does not differ
 * significantly from the first one (at 1 %). */
bool drift_confirmed(const struct drift *first, const struct drift *second);

#endif
