/*
 * Whether a lock excludes other PEs. All PEs of the set count up under it, in two steps: they read
 * the counter, and write it when all others have read it, too, if nothing keeps them from it. So a
 * lock that does not exclude loses increments, however the processors are shared.
 */
#ifndef SKAMPI_MEASUREMENTS_EXCLUSION_H
#define SKAMPI_MEASUREMENTS_EXCLUSION_H

#include "measurements/common/shapes.h"

/* Symmetric; on the PE where it is counted, zero on all PEs before the first use. */
struct exclusion {
    long asked; /* how often PEs were about to set the lock */
    long counter;
};

#if SKAMPI_SHMEM

/* Each increment, by all PEs of the set: this one, collective, then setting the lock, ... */
void exclusion_ask(struct run *, struct exclusion *, int pe);
/* ... this one, and clearing the lock. */
void exclusion_count(struct run *, struct exclusion *, int pe);
/* On the PE that has the counter, after `increments` increments by each PE and a barrier; false
 * after run_fail(). */
bool exclusion_proved(struct run *, const struct exclusion *, long increments);

#endif

#endif
