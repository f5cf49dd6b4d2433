/*
 * One-sided communication of MPI with derived datatypes beside that with plain ones, of as
 * many ints: what the type costs in each transfer, and what making it costs.
 */
#include "measurements/common/mpi_window.h"

enum form {
    PLAIN,      /* MPI_INT */
    CONTIGUOUS, /* one element of all ints */
    COMPLEX     /* a struct of ints with gaps (indexed), and others without */
};

struct typed_access {
    enum form origin, target;
    bool gets, each_time; /* the types are made, and freed, in the timed part */
};

/* Reserves room for the ints with the widest gaps; a complex type spreads over less. */
static void demand_typed(struct run *run)
{
    size_t count = (size_t)run_integer(run, "count", 0);
    run->demand.local = run->demand.remote = 2 * count * sizeof(int);
    run->demand.reported = count * sizeof(int);
}

#if SKAMPI_MPI

#include <math.h>
#include <stdlib.h>

struct elements {
    enum form form;
    MPI_Datatype type;
    int count;
};

struct typed_state {
    struct window window;
    int count, *places; /* places of the ints with gaps */
    struct elements origin, target;
};

/* Half of the ints have gaps. */
static int spread(const struct typed_state *s)
{
    return s->count / 2;
}

/* Where the i-th int lies. */
static int place(const struct typed_state *s, enum form form, int i)
{
    return form == COMPLEX ? i < spread(s) ? 2 * i : spread(s) + i : i;
}

static void make_type(const struct typed_state *s, struct elements *elements)
{
    MPI_Datatype indexed;
    int lengths[] = {1, s->count - spread(s)};
    MPI_Aint offsets[] = {0, 2 * (MPI_Aint)spread(s) * (MPI_Aint)sizeof(int)};
    elements->count = 1;
    switch (elements->form) {
    case PLAIN:
        elements->type = MPI_INT;
        elements->count = s->count;
        return;
    case CONTIGUOUS:
        MPI_Type_contiguous(s->count, MPI_INT, &elements->type);
        break;
    case COMPLEX:
        MPI_Type_create_indexed_block(spread(s), 1, s->places, MPI_INT, &indexed);
        MPI_Type_create_struct(2, lengths, offsets, (MPI_Datatype[]){indexed, MPI_INT},
                               &elements->type);
        MPI_Type_free(&indexed);
        break;
    }
    MPI_Type_commit(&elements->type);
}

static void free_type(struct elements *elements)
{
    if (elements->form != PLAIN && elements->type != MPI_DATATYPE_NULL)
        MPI_Type_free(&elements->type);
}

/* By rank 0, the fence by all. */
static void operate(struct run *run, int64_t iteration)
{
    const struct typed_access *how = run->function->variant;
    struct typed_state *s = run->state;
    struct elements *origin = &s->origin, *target = &s->target;
    bool acts = run->rank == 0;
    (void)iteration;
    if (acts && how->each_time) {
        make_type(s, origin);
        make_type(s, target);
    }
    if (acts && how->gets)
        MPI_Get(run->local, origin->count, origin->type, 1, 0, target->count, target->type,
                s->window.handle);
    else if (acts)
        MPI_Put(run->local, origin->count, origin->type, 1, 0, target->count, target->type,
                s->window.handle);
    MPI_Win_fence(0, s->window.handle);
    if (acts && how->each_time) {
        free_type(origin);
        free_type(target);
    }
}

static double run_typed(struct run *run)
{
    struct typed_state *s = run->state;
    MPI_Win_fence(0, s->window.handle);
    double seconds = time_iterations(run, true, operate);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, s->window.handle);
    return run->rank == 0 ? seconds : NAN;
}

static void fill(struct run *run)
{
    const struct typed_access *how = run->function->variant;
    const struct typed_state *s = run->state;
    data_fill(run, how->gets, s->window.memory);
}

/* Each int arrives at its place, and gaps stay as they were. */
static bool verify(struct run *run)
{
    const struct typed_access *how = run->function->variant;
    const struct typed_state *s = run->state;
    enum form from = how->gets ? s->target.form : s->origin.form;
    enum form to = how->gets ? s->origin.form : s->target.form;
    size_t bytes = run->demand.remote;
    int *sent = memory_allocate(bytes), *expected = memory_allocate(bytes);
    pattern_fill(sent, bytes, data_key(run, 1 - run->rank));
    data_poison(expected, bytes);
    for (int i = 0; i < s->count; i++)
        expected[place(s, to, i)] = sent[place(s, from, i)];
    bool good = run->rank != (how->gets ? 0 : 1) ||
                data_verify_equal(run, "the target", how->gets ? run->local : s->window.memory,
                                  expected, bytes);
    free(expected);
    free(sent);
    return good && mpi_window_verify_guards(run, &s->window);
}

static bool set_up_typed(struct run *run)
{
    const struct typed_access *how = run->function->variant;
    struct typed_state *s = run->state;
    s->count = (int)run_integer(run, "count", 0);
    s->origin = (struct elements){how->origin, MPI_DATATYPE_NULL, 0};
    s->target = (struct elements){how->target, MPI_DATATYPE_NULL, 0};
    if (!mpi_window_open(run, WINDOW_CREATE, run->demand.remote, mpi_info(mpi_info_of(run)),
                         &s->window))
        return false;
    s->places = run_allocate(run, (size_t)spread(s), sizeof *s->places);
    for (int i = 0; i < spread(s); i++)
        s->places[i] = 2 * i;
    if (!how->each_time) {
        make_type(s, &s->origin);
        make_type(s, &s->target);
    }
    return true;
}

static void tear_down_typed(struct run *run)
{
    struct typed_state *s = run->state;
    free_type(&s->origin);
    free_type(&s->target);
    mpi_window_close(&s->window);
}

#endif

/* clang-format off */
/* Open MPI 4.1 never ends a put of derived types without data. */
#define INTS {"count", PARAMETER_INT, "ints", "length of each message", .size = true, .minimum = 1, .maximum = INT_MAX, .element = "MPI_INT", .example = "256"}
static const struct measurement typed = {
    .api = API_MPI, .version_major = 3, .timing = TIMING_PARTS, .minimum_pes = 2, .who = "rank 0",
    .parameters = {INTS, INFO}, .moves = MOVES_MESSAGE, .demand = demand_typed,
    .setup = WITH_MPI(set_up_typed), .fill = WITH_MPI(fill), .verify = WITH_MPI(verify),
    .run = WITH_MPI(run_typed), .teardown = WITH_MPI(tear_down_typed), MPI_STATE(struct typed_state)};
#define PUTS .routine = "MPI_Put", .calls = "MPI_Win_fence", .timed = "MPI_Put, MPI_Win_fence"
#define GETS .routine = "MPI_Get", .calls = "MPI_Win_fence", .timed = "MPI_Get, MPI_Win_fence"
#define MAKES .calls = "MPI_Put MPI_Win_fence", .timed = "making the types, MPI_Put, MPI_Win_fence, freeing the types"

const struct measurement measurements_mpi_typed[] = {
    {"Datatype_int", "put of ints, and fence", .like = {&typed}, .variant = &(const struct typed_access){.origin = PLAIN, .target = PLAIN}, PUTS},
    {"Datatype_simple", "put of one element of contiguous ints, and fence",
     .like = {&typed}, .variant = &(const struct typed_access){.origin = CONTIGUOUS, .target = CONTIGUOUS}, PUTS},
    {"Datatype_simple_Get", "get of one element of contiguous ints, and fence",
     .like = {&typed}, .variant = &(const struct typed_access){.origin = CONTIGUOUS, .target = CONTIGUOUS, .gets = true}, GETS},
    {"Datatype_complex_once", "put of a struct of ints, half of them with gaps, and fence",
     .like = {&typed}, .variant = &(const struct typed_access){.origin = COMPLEX, .target = COMPLEX}, PUTS},
    {"Datatype_complex_everytime",
     "put of a struct of ints, half of them with gaps, its datatype made each time, and fence",
     .like = {&typed}, .variant = &(const struct typed_access){.origin = COMPLEX, .target = COMPLEX, .each_time = true}, MAKES},
    {"Datatype_complex_mixed_once",
     "put of a struct of ints, half of them with gaps, to plain ints, and fence",
     .like = {&typed}, .variant = &(const struct typed_access){.origin = COMPLEX, .target = PLAIN}, PUTS},
    {"Datatype_complex_mixed_everytime",
     "put of a struct of ints, half of them with gaps, its datatype made each time, to plain ints, and fence",
     .like = {&typed}, .variant = &(const struct typed_access){.origin = COMPLEX, .target = PLAIN, .each_time = true}, MAKES},
    {"Datatype_complex_Get", "get of a struct of ints, half of them with gaps, and fence",
     .like = {&typed}, .variant = &(const struct typed_access){.origin = COMPLEX, .target = COMPLEX, .gets = true}, GETS},
    {.name = NULL},
};
/* clang-format on */
