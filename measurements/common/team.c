/*
 * The team of the PE set in use.
 */
#include "measurements/common/team.h"

const char *team_check(const struct run *run)
{
    int start, stride;
    return pe_set_regular(run->set, &start, &stride) && stride > 0
               ? NULL
               : "a team needs PEs in ascending order at a constant distance";
}

#if SKAMPI_SHMEM_1_5

static void prepare(struct run *run)
{
    struct team_state *state = run->state;
    int start, stride;
    state->team = SHMEM_TEAM_INVALID;
    /* Of the world, so that a function finds the same kind of team on every set. */
    if (pe_set_regular(run->set, &start, &stride) &&
        shmem_team_split_strided(SHMEM_TEAM_WORLD, start, stride, run->size, NULL, 0,
                                 &state->team) != 0)
        state->team = SHMEM_TEAM_INVALID;
}

bool team_set_up(struct run *run)
{
    shmem_team_t team = team_of(run);
    bool good = team != SHMEM_TEAM_INVALID && shmem_team_my_pe(team) == run->rank &&
                shmem_team_n_pes(team) == run->size;
    if (!good)
        run_fail(run,
                 "shmem_team_split_strided gave rank %d another team than that of the communicator",
                 run->rank);
    /* All go on or none: what follows needs them all. */
    return run_max(run, !good) == 0;
}

static void tear_down(struct run *run)
{
    struct team_state *state = run->state;
    if (state->team != SHMEM_TEAM_INVALID)
        shmem_team_destroy(state->team);
    state->team = SHMEM_TEAM_INVALID;
}

#endif

const struct measurement team_common = {
    API_OPENSHMEM_1_5,
#if SKAMPI_SHMEM_1_5
    .state_bytes = sizeof(struct team_state),
#endif
    .check = team_check,
    .prepare = WITH_SHMEM_1_5(prepare),
    .setup = WITH_SHMEM_1_5(team_set_up),
    .teardown = WITH_SHMEM_1_5(tear_down),
};
