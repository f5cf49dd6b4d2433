/*
 * Synchronized clocks: a global time for all PEs, in ticks of the timer in use on PE 0.
 *
 * Costs with n PEs on k nodes, in exchanges on the longest path: linear n, ring 3, tree log2 n, hca
 * log2 k + log2 (n / k). An exchange ends `patience` round trips after its best one; those of hca
 * make fit_points times fit_exchanges round trips over `spread` seconds.
 */
#ifndef SKAMPI_CLOCK_SYNC_H
#define SKAMPI_CLOCK_SYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "comm/pe_group.h"
#include "settings/settings.h"

/* What a synchronization found. All members but own_... are equal on all PEs. */
struct sync_report {
    enum clock_sync algorithm; /* never the default */
    bool
        shared; /* all PEs have one clock, as exchanges confirmed, so nothing had to be estimated */
    bool drifting; /* some PE's clock drifts, and its model allows for it */
    double bound; /* the largest error bound of a PE (seconds): half the interval that the truth lay
                     in during synchronization, summed along the PE's path to PE 0 */
    double closure; /* ring: the sum of the offsets around the ring, which would be 0 without errors
                       (seconds); else NaN */
    double drift;   /* the largest drift of a PE's model (seconds per second) */
    int rounds;     /* exchanges in a row on the longest path */
    double seconds;
    double own_bound, own_round_trip; /* of this PE and its partner (seconds) */
};

/* Collective over the world. Sources: ring and rule d of Kurnosov's MPIPerf, section 5; tree of
 * Hoefler, Schneider & Lumsdaine 2010; hca after Hunold & Carpen-Amarie's HCA3: each level learns
 * the already corrected clock of the one above. */
void sync_synchronize(const struct clock_rules *rules, struct sync_report *report);

/* The largest present difference between the global clock of a PE and that of its partner, less the
 * error of the exchange that shows it (seconds); equal on all PEs, and 0 if all have one clock. The
 * exchanges also refine models that allow for drift. Collective over the world; O(log n) short
 * exchanges. */
double sync_check(void);

/* How far this PE's global time is ahead of that of the group's rank 0 now, and the error bound of
 * that (seconds). Changes no model. Collective over the group; O(log n) exchanges. */
double sync_compare(const struct pe_group *group, double *bound);

/* Ticks of this PE's timer at a global time, and back. */
int64_t sync_to_local(int64_t global);
int64_t sync_to_global(int64_t local);

/* Converts a difference of global times to seconds. */
double sync_seconds(int64_t global);

/* This PE's global time minus the time of its own timer, now (seconds). */
double sync_offset(void);

/* ---- What time stamps say about two clocks: pure functions, without any communication ----
 *
 * "local" is the clock of the PE that asks, "remote" that of the PE that answers. The asker reads
 * its clock before and after the exchange, and the other PE reads its own in between (all in ticks
 * of the PE's timer). */

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
