/*
 * Teams: splitting one, destroying it, synchronizing it.
 */
#include "measurements/common/openshmem.h"

#include "measurements/common/shapes.h"

#if SKAMPI_SHMEM_1_5

/* ---- Split and destroy ---- */

/* What a function of splits is made of: the split; what this PE's teams must be after it, its place
 * in each and how many PEs are there (0: no team); and whether destroying them is what is timed. */
struct place {
    int pe, pes;
};
struct parts {
    shmem_team_t team[2];
};
struct split {
    int (*split)(struct run *, struct parts *);
    void (*places)(const struct run *, struct place[2]);
    bool destroy;
};

static int stride_of(const struct run *run)
{
    return ((const struct split *)run->function->variant)->destroy
               ? 1
               : (int)run_argument(run, "stride")->integer;
}

static int split_strided(struct run *run, struct parts *parts)
{
    int stride = stride_of(run);
    return shmem_team_split_strided(team_of(run), 0, stride, (run->size + stride - 1) / stride,
                                    NULL, 0, &parts->team[0]);
}

static int split_2d(struct run *run, struct parts *parts)
{
    return shmem_team_split_2d(team_of(run), (int)run_argument(run, "xrange")->integer, NULL, 0,
                               &parts->team[0], NULL, 0, &parts->team[1]);
}

static void places_strided(const struct run *run, struct place place[2])
{
    int stride = stride_of(run);
    if (run->rank % stride == 0)
        place[0] = (struct place){run->rank / stride, (run->size + stride - 1) / stride};
}

static void places_2d(const struct run *run, struct place place[2])
{
    int range = (int)run_argument(run, "xrange")->integer, row = run->rank / range;
    int column = run->rank % range, left = run->size - row * range;
    place[0] = (struct place){column, left < range ? left : range};
    place[1] = (struct place){row, (run->size - column + range - 1) / range};
}

static const struct split strided = {split_strided, places_strided, false},
                          two_d = {split_2d, places_2d, false},
                          destroyed = {split_strided, places_strided, true};

static int do_split(struct run *run, struct parts *parts)
{
    const struct split *split = run->function->variant;
    *parts = (struct parts){{SHMEM_TEAM_INVALID, SHMEM_TEAM_INVALID}};
    return split->split(run, parts);
}

static void destroy(const struct parts *parts)
{
    for (int i = 0; i < 2; i++)
        if (parts->team[i] != SHMEM_TEAM_INVALID)
            shmem_team_destroy(parts->team[i]);
}

static bool set_up_split(struct run *run)
{
    const struct split *split = run->function->variant;
    struct parts parts;
    struct place place[2] = {{0, 0}, {0, 0}};
    bool right = true;
    if (!team_set_up(run))
        return false;
    split->places(run, place);
    int status = do_split(run, &parts);
    for (int i = 0; i < 2; i++) {
        bool there = parts.team[i] != SHMEM_TEAM_INVALID;
        right = right && there == (place[i].pes > 0) &&
                (!there || (shmem_team_my_pe(parts.team[i]) == place[i].pe &&
                            shmem_team_n_pes(parts.team[i]) == place[i].pes));
    }
    destroy(&parts);
    if (!right)
        return run_fail(run, "rank %d has wrong teams after a split, whose status was %d",
                        run->rank, status);
    return true;
}

/* One split a repetition: a library has room for few teams. */
static double run_split(struct run *run)
{
    const struct split *split = run->function->variant;
    struct parts parts;
    int status = split->destroy ? do_split(run, &parts) : 0;
    int64_t started = run_start(run);
    if (split->destroy)
        destroy(&parts);
    else
        status = do_split(run, &parts);
    int64_t stopped = run_stop(run);
    if (!split->destroy)
        destroy(&parts);
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
     .timed = "team_split_strided; destroying untimed", .variant = WITH_SHMEM_1_5(&strided)},
    {"Shmem_Team_Split_2D", "teams of rows and columns, from the communicator's", .like = {&split},
     .routine = "shmem_team_split_2d", .parameters = {X_RANGE},
     .timed = "team_split_2d; destroying untimed", .variant = WITH_SHMEM_1_5(&two_d)},
    {"Shmem_Team_Destroy", "destroying a copy of the communicator's team", .like = {&split},
     .routine = "shmem_team_destroy", .timed = "team_destroy; splitting untimed",
     .variant = WITH_SHMEM_1_5(&destroyed)},
    {"Shmem_Team_Sync", "one synchronization of the communicator's team", .like = {&sync}},
    {"Shmem_Team_Sync_Consecutive", "synchronizations of a team in a row", .like = {&sync},
     .parameters = {ITERATIONS}},
    {.name = NULL},
};
