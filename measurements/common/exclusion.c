/*
 * Increments that get lost where a lock does not exclude.
 */
#include "measurements/common/exclusion.h"

#if SKAMPI_SHMEM

#include <shmem.h>

/* From "about to set the lock" to having read the counter, on a PE that keeps its processor. All
 * PEs hold the lock in turn: the more there are, the shorter. */
#define HOLD_SECONDS 100e-6
#define LEAST_SECONDS 2e-6

void exclusion_ask(struct run *run, struct exclusion *exclusion, int pe)
{
    run_barrier(run); /* nobody asks for the next increment before all have made the last one */
    shmem_long_atomic_inc(&exclusion->asked, pe);
    shmem_quiet();
}

void exclusion_count(struct run *run, struct exclusion *exclusion, int pe)
{
    long counter = shmem_long_g(&exclusion->counter, pe);
    double seconds = HOLD_SECONDS / run->size;
    while (shmem_long_atomic_fetch(&exclusion->asked, pe) % run->size != 0)
        run_idle(LEAST_SECONDS);
    run_hold(seconds > LEAST_SECONDS ? seconds : LEAST_SECONDS);
    shmem_long_p(&exclusion->counter, counter + 1, pe);
    shmem_quiet();
}

bool exclusion_proved(struct run *run, const struct exclusion *exclusion, long increments)
{
    long wanted = increments * run->size;
    return exclusion->counter == wanted ||
           run_fail(run,
                    "%ld increments under the lock counted to %ld on rank %d: it does not exclude "
                    "other PEs",
                    wanted, exclusion->counter, run->rank);
}

#else
typedef int exclusion_absent; /* ISO C wants a declaration */
#endif
