/*
 * The team of the PE set in use, for functions of teams: any set of PEs in ascending order at a
 * constant distance has one, also where it is no active set.
 */
#ifndef SKAMPI_MEASUREMENTS_TEAM_H
#define SKAMPI_MEASUREMENTS_TEAM_H

#include "measurements/common/openshmem.h"

/* Argument check: whether there is such a team. */
const char *team_check(const struct measurement *, const struct argument *, const struct pe_set *);

#if SKAMPI_SHMEM_1_5

/* The state of a function on a team begins with it. */
struct team_state {
    shmem_team_t team; /* of the set; SHMEM_TEAM_INVALID outside it */
};

/* The hooks prepare, setup and teardown: makes the team, refuses to go on without one, frees it. */
void team_prepare(struct run *);
bool team_set_up(struct run *);
void team_tear_down(struct run *);

static inline shmem_team_t team_of(const struct run *run)
{
    return ((const struct team_state *)run->state)->team;
}

#define TEAM_STATE_BYTES sizeof(struct team_state)
#else
#define TEAM_STATE_BYTES 0
#endif

/* In the descriptor of a function on a team. */
#define ON_TEAM(check_hook)                                                                        \
    API_OPENSHMEM_1_5, .check = check_hook, .prepare = WITH_SHMEM_1_5(team_prepare),               \
                       .teardown = WITH_SHMEM_1_5(team_tear_down), .state_bytes = TEAM_STATE_BYTES

#endif
