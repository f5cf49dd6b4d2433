/*
 * Teams: splitting one, destroying it, synchronizing it.
 */
#include "measurements/common/openshmem.h"

#include "measurements/common/shapes.h"

/* What is split, or a copy of the team whose destruction is timed. */
enum split { STRIDED, TWO_D, DESTROYED };

#if SKAMPI_SHMEM_1_5

/* ---- Split and destroy ---- */

static enum split split_of(const struct run *run)
{
    return *(const enum split *)run->function->variant;
}

static int stride_of(const struct run *run)
{
    return (int)run_integer(run, "stride", 1);
}

static int do_split(struct run *run, shmem_team_t teams[2])
{
    int stride = stride_of(run);
    teams[0] = teams[1] = SHMEM_TEAM_INVALID;
    if (split_of(run) == TWO_D)
        return shmem_team_split_2d(team_of(run), (int)run_argument(run, "xrange")->integer, NULL, 0,
                                   &teams[0], NULL, 0, &teams[1]);
    return shmem_team_split_strided(team_of(run), 0, stride, (run->size + stride - 1) / stride,
                                    NULL, 0, &teams[0]);
}

static void destroy(const shmem_team_t teams[2])
{
    for (int i = 0; i < 2; i++)
        if (teams[i] != SHMEM_TEAM_INVALID)
            shmem_team_destroy(teams[i]);
}

/* The place of this PE in each of its teams after a split, and how many PEs are there; 0: no team.
 */
struct place {
    int pe, pes;
};

static void find_places(const struct run *run, struct place place[2])
{
    int stride = stride_of(run), range = (int)run_integer(run, "xrange", 1);
    int row = run->rank / range, column = run->rank % range, left = run->size - row * range;
    if (split_of(run) == TWO_D) {
        place[0] = (struct place){column, left < range ? left : range};
        place[1] = (struct place){row, (run->size - column + range - 1) / range};
    } else if (run->rank % stride == 0) {
        place[0] = (struct place){run->rank / stride, (run->size + stride - 1) / stride};
    }
}

static bool set_up_split(struct run *run)
{
    shmem_team_t teams[2];
    struct place place[2] = {{0, 0}, {0, 0}};
    bool right = true;
    if (!team_set_up(run))
        return false;
    find_places(run, place);
    int status = do_split(run, teams);
    for (int i = 0; i < 2; i++) {
        bool there = teams[i] != SHMEM_TEAM_INVALID;
        right = right && there == (place[i].pes > 0) &&
                (!there || (shmem_team_my_pe(teams[i]) == place[i].pe &&
                            shmem_team_n_pes(teams[i]) == place[i].pes));
    }
    destroy(teams);
    return right || run_fail(run, "rank %d has wrong teams after a split, whose status was %d",
                             run->rank, status);
}

/* One split a repetition: a library has room for few teams. */
static double run_split(struct run *run)
{
    bool destroys = split_of(run) == DESTROYED;
    shmem_team_t teams[2];
    int status = destroys ? do_split(run, teams) : 0;
    int64_t started = run_start(run);
    if (destroys)
        destroy(teams);
    else
        status = do_split(run, teams);
    int64_t stopped = run_stop(run);
    if (!destroys)
        destroy(teams);
    if (status != 0)
        run_fail(run, "a split returned %d on rank %d: the library may have no teams left", status,
                 run->rank);
    return run_elapsed(run, started, stopped);
}

/* ---- Synchronization ---- */

static double run_syncs(struct run *run)
{
    shmem_team_t team = team_of(run);
    int64_t started = run_start(run);
    for (int64_t i = 0; i < run->iterations; i++)
        shmem_team_sync(team);
    return run_elapsed(run, started, run_stop(run)) / (double)run->iterations;
}

#endif

static const char *check_split(const struct run *run)
{
    int64_t stride = run_integer(run, "stride", 1);
    if (run_integer(run, "xrange", stride) > run->size)
        return "its argument may be at most the size of the communicator";
    return team_check(run);
}

/* clang-format off */
#define STRIDE {"stride", PARAMETER_INT, "", "the new team has the ranks 0, stride, 2 stride, ...", .minimum = 1, .allowed = "at most the size of the communicator", .example = "1"}
#define X_RANGE {"xrange", PARAMETER_INT, "", "PEs in a row of the two-dimensional arrangement", .minimum = 1, .allowed = "at most the size of the communicator", .example = "1"}
/* clang-format on */

static const struct measurement split = {
    .timing = TIMING_WHOLE,
    .no_data = true,
    .who = "all",
    .check = check_split,
    .setup = WITH_SHMEM_1_5(set_up_split),
    .run = WITH_SHMEM_1_5(run_split),
    .like = {&team_common},
};
static const struct measurement sync = {
    .routine = "shmem_team_sync",
    .timing = TIMING_WHOLE,
    .no_data = true,
    .synchronizes = true,
    .timed = "team_sync",
    .who = "all",
    .cost = "sync",
    .run = WITH_SHMEM_1_5(run_syncs),
    .like = {&team_common},
};

const struct measurement measurements_team[] = {
    {"Shmem_Team_Split_Strided", "a team of every stride-th PE, from the communicator's",
     .like = {&split}, .routine = "shmem_team_split_strided", .parameters = {STRIDE},
     .timed = "team_split_strided; destroying untimed", .variant = &(const enum split){STRIDED}},
    {"Shmem_Team_Split_2D", "teams of rows and columns, from the communicator's", .like = {&split},
     .routine = "shmem_team_split_2d", .parameters = {X_RANGE},
     .timed = "team_split_2d; destroying untimed", .variant = &(const enum split){TWO_D}},
    {"Shmem_Team_Destroy", "destroying a copy of the communicator's team", .like = {&split},
     .routine = "shmem_team_destroy", .timed = "team_destroy; splitting untimed",
     .variant = &(const enum split){DESTROYED}},
    {"Shmem_Team_Sync", "one synchronization of the communicator's team", .like = {&sync}},
    {"Shmem_Team_Sync_Consecutive", "synchronizations of a team in a row", .like = {&sync},
     .parameters = {ITERATIONS}},
    {.name = NULL},
};
