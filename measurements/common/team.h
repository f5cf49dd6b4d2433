/*
 * The team of the PE set in use, for functions of teams: any set of PEs in ascending order at a
 * constant distance has one, also where it is no active set.
 */
#ifndef SKAMPI_MEASUREMENTS_TEAM_H
#define SKAMPI_MEASUREMENTS_TEAM_H

#include "measurements/common/openshmem.h"

/* Argument check: whether there is such a team. */
const char *team_check(const struct run *);

#if SKAMPI_SHMEM_1_5

/* The state of a function on a team begins with it. */
struct team_state {
    shmem_team_t team; /* of the set; SHMEM_TEAM_INVALID outside it */
};

/* The hook setup: refuses to go on without the team. */
bool team_set_up(struct run *);

static inline shmem_team_t team_of(const struct run *run)
{
    return ((const struct team_state *)run->state)->team;
}

#endif

/* What functions on a team are like; those with a check of their own call team_check(). */
extern const struct measurement team_common;

#endif
