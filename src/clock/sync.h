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

#endif
