/*
 * What a program on a grid does with MPI: each rank has a square of numbers, exchanges its borders
 * with its neighbours in two dimensions, and may compute on them.
 */
#include "measurements/common/mpi_window.h"

enum way { BY_POSTS, BY_FENCES, BY_MESSAGES };

/* The square, and around it what comes from the neighbours. */
static void demand_square(struct run *run)
{
    size_t side = (size_t)run_integer(run, "count", 0);
    run->demand.remote = data_product(side + 2, (side + 2) * sizeof(double));
    run->demand.reported = side * sizeof(double);
}

#if SKAMPI_MPI

static enum way way_of(const struct run *run)
{
    return *(const enum way *)run->function->variant;
}

enum { NEIGHBOURS = 4 };

struct border_state {
    struct window window; /* its memory is used in each case */
    MPI_Comm comm;
    MPI_Group group;
    int side, sweeps;
    double *square;
    /* Up, down, left, right: rank, what it gets from here, and what comes from it. */
    int neighbours[NEIGHBOURS];
    MPI_Datatype types[NEIGHBOURS];
};

static int opposite(int direction)
{
    return direction ^ 1;
}

/* Index of the first element of the border there, in the square or outside. */
static int64_t border_at(const struct border_state *s, int direction, bool outside)
{
    int64_t line = s->side + 2, far = outside ? s->side + 1 : s->side, near = outside ? 0 : 1;
    int64_t edge = direction % 2 ? far : near;
    return direction < 2 ? edge * line + 1 : line + edge;
}

static void put_all(const struct border_state *s)
{
    for (int d = 0; d < NEIGHBOURS; d++)
        if (s->neighbours[d] != MPI_PROC_NULL)
            MPI_Put(s->square + border_at(s, d, false), 1, s->types[d], s->neighbours[d],
                    (MPI_Aint)border_at(s, opposite(d), true) * (MPI_Aint)sizeof(double), 1,
                    s->types[d], s->window.handle);
}

static void exchange_messages(const struct border_state *s)
{
    MPI_Request requests[2 * NEIGHBOURS];
    for (int d = 0; d < NEIGHBOURS; d++)
        MPI_Irecv(s->square + border_at(s, d, true), 1, s->types[d], s->neighbours[d], opposite(d),
                  s->comm, &requests[d]);
    for (int d = 0; d < NEIGHBOURS; d++)
        MPI_Isend(s->square + border_at(s, d, false), 1, s->types[d], s->neighbours[d], d, s->comm,
                  &requests[NEIGHBOURS + d]);
    mpi_wait_all(2 * NEIGHBOURS, requests);
}

/* Nobody writes to the borders of a rank that still computes with them. */
static void exchange(const struct run *run)
{
    const struct border_state *s = run->state;
    switch (way_of(run)) {
    case BY_POSTS:
        MPI_Win_post(s->group, 0, s->window.handle);
        MPI_Win_start(s->group, 0, s->window.handle);
        put_all(s);
        MPI_Win_complete(s->window.handle);
        MPI_Win_wait(s->window.handle);
        break;
    case BY_FENCES:
        MPI_Win_fence(0, s->window.handle);
        put_all(s);
        MPI_Win_fence(0, s->window.handle);
        break;
    case BY_MESSAGES:
        exchange_messages(s);
        break;
    }
}

/* Each number becomes the mean of those around it. */
static void compute(const struct border_state *s)
{
    int64_t line = s->side + 2;
    for (int sweep = 0; sweep < s->sweeps; sweep++)
        for (int64_t i = 1; i <= s->side; i++)
            for (int64_t k = i * line + 1; k <= i * line + s->side; k++)
                s->square[k] = 0.25 * (s->square[k - line] + s->square[k + line] +
                                       s->square[k - 1] + s->square[k + 1]);
}

static double run_border(struct run *run)
{
    const struct border_state *s = run->state;
    int64_t started = run_start(run);
    for (int64_t i = 0; i < run->iterations; i++) {
        exchange(run);
        compute(s);
    }
    return run_elapsed(run, started, run_stop(run)) / (double)run->iterations;
}

/* ---- Set-up ---- */

/* Ranks stand in rows. The ranks at the ends have no neighbour beyond them. */
static void find_neighbours(const struct run *run, struct border_state *s)
{
    int extents[2] = {0, 0}, members[NEIGHBOURS], count = 0;
    MPI_Group all;
    MPI_Dims_create(run->size, 2, extents);
    int rows = extents[0], columns = extents[1];
    int row = run->rank / columns, column = run->rank % columns;
    const bool there[NEIGHBOURS] = {row > 0, row<rows - 1, column> 0, column < columns - 1};
    const int steps[NEIGHBOURS] = {-columns, columns, -1, 1};
    for (int d = 0; d < NEIGHBOURS; d++) {
        s->neighbours[d] = there[d] ? run->rank + steps[d] : MPI_PROC_NULL;
        if (there[d])
            members[count++] = s->neighbours[d];
    }
    MPI_Comm_group(s->comm, &all);
    MPI_Group_incl(all, count, members, &s->group);
    MPI_Group_free(&all);
}

static void make_types(struct border_state *s)
{
    for (int d = 0; d < NEIGHBOURS; d++) {
        if (d < 2)
            MPI_Type_contiguous(s->side, MPI_DOUBLE, &s->types[d]);
        else
            MPI_Type_vector(s->side, 1, s->side + 2, MPI_DOUBLE, &s->types[d]);
        MPI_Type_commit(&s->types[d]);
    }
}

/* Each number tells which rank it is from, and its place there. */
static double number_of(const struct run *run, int rank, int64_t index)
{
    const struct border_state *s = run->state;
    double line = (double)(s->side + 2);
    return (double)rank * line * line + (double)index + (double)(run->seed % 1009) / 1024;
}

/* The seed is in all of them. */
static void fill(struct run *run)
{
    const struct border_state *s = run->state;
    int64_t line = s->side + 2;
    for (int64_t k = 0; k < line * line; k++)
        s->square[k] = -1;
    for (int64_t i = 1; i <= s->side; i++)
        for (int64_t k = i * line + 1; k <= i * line + s->side; k++)
            s->square[k] = number_of(run, run->rank, k);
}

/* A computation changes the numbers that the next exchange sends. */
static bool verify(struct run *run)
{
    const struct border_state *s = run->state;
    int64_t line = s->side + 2;
    if (s->sweeps > 0 && !run->untimed)
        return true;
    for (int d = 0; d < NEIGHBOURS; d++)
        for (int64_t i = 0; i < s->side; i++) {
            int64_t step = d < 2 ? i : i * line;
            double found = s->square[border_at(s, d, true) + step], wanted = -1;
            if (s->neighbours[d] != MPI_PROC_NULL)
                wanted = number_of(run, s->neighbours[d], border_at(s, opposite(d), false) + step);
            if (found != wanted)
                return run_fail(run,
                                "wrong data: element %lld (byte %lld) of border %d on PE %d (rank "
                                "%d) is %.17g and should be %.17g",
                                (long long)i, (long long)i * (long long)sizeof found, d,
                                pe_set_member(run->set, run->rank), run->rank, found, wanted);
        }
    return mpi_window_verify_guards(run, &s->window);
}

static bool set_up_border(struct run *run)
{
    struct border_state *s = run->state;
    struct info *info = mpi_info_of(run);
    s->group = MPI_GROUP_NULL;
    for (int d = 0; d < NEIGHBOURS; d++)
        s->types[d] = MPI_DATATYPE_NULL;
    s->comm = mpi_comm(run);
    s->side = (int)run_integer(run, "count", 0);
    s->sweeps = (int)run_integer(run, "compute", 0);
    if (way_of(run) != BY_MESSAGES &&
        !mpi_window_open(run, WINDOW_CREATE, run->demand.remote, mpi_info(info), &s->window))
        return false;
    s->square = way_of(run) == BY_MESSAGES ? run_allocate(run, 1, run->demand.remote)
                                           : (double *)(void *)s->window.memory;
    find_neighbours(run, s);
    make_types(s);
    return true;
}

static void tear_down_border(struct run *run)
{
    struct border_state *s = run->state;
    for (int d = 0; d < NEIGHBOURS; d++)
        if (s->types[d] != MPI_DATATYPE_NULL)
            MPI_Type_free(&s->types[d]);
    if (s->group != MPI_GROUP_NULL && s->group != MPI_GROUP_EMPTY)
        MPI_Group_free(&s->group);
    mpi_window_close(&s->window);
}

#endif

/* clang-format off */
#define SIDE {"count", PARAMETER_INT, "doubles", "length of each side of a rank's square", .size = true, .minimum = 1, .maximum = INT_MAX, .element = "MPI_DOUBLE", .example = "64"}
#define COMPUTE {"compute", PARAMETER_INT, "", "computations on the square after each exchange", .maximum = INT_MAX, .example = "1"}
static const struct measurement exchanges_borders = {
    .api = API_MPI, .version_major = 3, .timing = TIMING_PARTS, .who = "all", .moves = MOVES_NOTHING,
    .demand = demand_square, .setup = WITH_MPI(set_up_border), .fill = WITH_MPI(fill),
    .verify = WITH_MPI(verify), .run = WITH_MPI(run_border), .teardown = WITH_MPI(tear_down_border),
    MPI_STATE(struct border_state)};

const struct measurement measurements_mpi_border[] = {
    {"onesided_borderexchange", "exchange of the borders on a grid of ranks, by puts to neighbours",
     .like = {&exchanges_borders}, .variant = &(const enum way){BY_POSTS}, .parameters = {SIDE, INFO, ITERATIONS, COMPUTE},
     .calls = "MPI_Win_post MPI_Win_start MPI_Put MPI_Win_complete MPI_Win_wait", .timed = "MPI_Win_post, MPI_Win_start, MPI_Put, MPI_Win_complete, MPI_Win_wait; computation"},
    {"onesided_borderexchange_fence", "exchange of the borders on a grid of ranks, by puts and fences",
     .like = {&exchanges_borders}, .variant = &(const enum way){BY_FENCES}, .parameters = {SIDE, INFO, ITERATIONS, COMPUTE},
     .calls = "MPI_Win_fence MPI_Put", .timed = "MPI_Win_fence, MPI_Put, MPI_Win_fence; computation"},
    {"twosided_borderexchange", "exchange of the borders on a grid of ranks, by messages",
     .like = {&exchanges_borders}, .variant = &(const enum way){BY_MESSAGES}, .parameters = {SIDE, ITERATIONS, COMPUTE},
     .calls = "MPI_Irecv MPI_Isend MPI_Waitall", .timed = "MPI_Irecv, MPI_Isend, MPI_Waitall; computation"},
    {.name = NULL},
};
/* clang-format on */
