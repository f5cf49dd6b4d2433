/*
 * Synchronized clocks: a common ("global") time for the members of a PE set, in ticks of the timer
 * in use on the set's rank 0.
 */
#ifndef SKAMPI_CLOCK_SYNC_H
#define SKAMPI_CLOCK_SYNC_H

#include <stdint.h>

#include "comm/pe_set.h"

/* Estimates this PE's offset to rank 0 of the set by ping-pong, one rank after the other (SKaMPI's
 * two-sided bound): O(n) exchanges of at most 100 round trips. Collective over the set. */
void sync_linear(const struct pe_set *set);

/* Ticks of this PE's timer at a global time, and back. */
int64_t sync_to_local(int64_t global);
int64_t sync_to_global(int64_t local);

/* Half the interval that the true offset must lie in, seconds; 0 on rank 0. This PE's. */
double sync_error_bound(void);

/* Forget the estimate: the timer changed, or the set. */
void sync_invalidate(void);

/* Smallest round trip between this PE and the set's rank 0 seen by the last sync_linear(); seconds.
 */
double sync_round_trip(void);

#endif
