/*
 * Synchronized clocks: a global time for all PEs, in ticks of the timer in use on PE 0.
 *
 * Costs with n PEs on k nodes, in exchanges on the longest path: linear n, ring 3, tree log2 n,
 * hca log2 k + log2 (n / k), each exchange being at most `patience` round trips after its best one
 * (hca: fit_points times fit_exchanges, spread over `spread` seconds).
 */
#ifndef SKAMPI_CLOCK_SYNC_H
#define SKAMPI_CLOCK_SYNC_H

#include <stdbool.h>
#include <stdint.h>

#include "comm/pe_group.h"
#include "settings/clock_rules.h"

/* What a synchronization found; the same on all PEs, except own_.... */
struct sync_report {
    enum clock_sync algorithm; /* never the default */
    bool shared;   /* all PEs were seen to have one clock: nothing had to be estimated */
    bool drifting; /* some PE's clock drifts, and its model allows for it */
    double bound;  /* the largest error bound of a PE, seconds: half the interval that the truth was
                      in at the time of synchronization, summed along its path to PE 0 */
    double closure; /* ring: what the offsets around the ring do not add up to 0 by; else NaN */
    double drift;   /* the largest of a model, seconds per second */
    int rounds;     /* exchanges in a row on the longest path */
    double seconds;
    double own_bound, own_round_trip; /* of this PE to its partner */
};

/* Collective over the world. Sources: ring and rule d of Kurnosov's MPIPerf, section 5; tree of
 * Hoefler, Schneider & Lumsdaine 2010; hca after Hunold & Carpen-Amarie's HCA3: each level learns
 * the already corrected clock of the one above. */
void sync_synchronize(const struct clock_rules *rules, struct sync_report *report);

/* How far the global clock of some PE is off that of its partner now, beyond what an exchange can
 * tell; seconds, the same on all PEs; 0 where all have one clock. Models that allow for drift are
 * refined by what is seen. Collective over the world; O(log n) short exchanges. */
double sync_check(void);

/* What this PE's global time is ahead of that of the group's rank 0 by, now, and the error bound of
 * that; seconds. Nothing is learned from it. Collective over the group; O(log n) exchanges. */
double sync_compare(const struct pe_group *group, int rank, double *bound);

/* Ticks of this PE's timer at a global time, and back. */
int64_t sync_to_local(int64_t global);
int64_t sync_to_global(int64_t local);

/* Seconds for a difference of global times. */
double sync_seconds(int64_t global);

/* This PE's global clock less its own, now; seconds. */
double sync_offset(void);

#endif
