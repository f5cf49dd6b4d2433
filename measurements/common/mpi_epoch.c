/*
 * Epochs of MPI one-sided communication: who works on whom, the stages of a repetition, set-up.
 */
#include "measurements/common/epoch.h"

#if SKAMPI_MPI

#include <math.h>
#include <stdlib.h>

static int64_t argument_of(const struct run *run, const char *name, int64_t otherwise)
{
    return run_integer(run, name, otherwise);
}

static struct targets targets_of(const struct run *run, int rank)
{
    const struct epochs *epochs = run->function->variant;
    int n = run->size, all = 1;
    switch (epochs->pattern) {
    case PAIR:
        return (struct targets){1, rank == 0};
    case EXCHANGE:
        return (struct targets){rank == 0, rank < 2};
    case TO_DEST:
        return (struct targets){(int)argument_of(run, "dest", 0), rank == 0};
    case ONE_TO_ALL:
        return (struct targets){1, rank == 0 ? n - 1 : 0};
    case ALL_TO_ONE:
        return (struct targets){0, rank > 0};
    case EACH_TO_ONE:
        return (struct targets){0, 1};
    case SELF:
        return (struct targets){rank, 1};
    case ALL_TO_ALL:
        return (struct targets){(rank + 1) % n, n - 1};
    case EACH_TO_ALL:
        return (struct targets){rank, n};
    case NEIGHBOURS:
        all = (int)argument_of(run, "msgs", 1);
        return (struct targets){(rank + 1) % n, all};
    case SHIFT:
        break;
    }
    return (struct targets){(int)((rank + argument_of(run, "dist", 1)) % n), 1};
}

int epoch_index(const struct run *run, int rank, int target)
{
    struct targets to = targets_of(run, rank);
    int i = (target - to.first + run->size) % run->size;
    return i < to.count ? i : -1;
}

int64_t epoch_place(const struct run *run, int rank, int i)
{
    const struct epochs *epochs = run->function->variant;
    const struct epoch_state *state = run->state;
    if (state->places == 1)
        return 0;
    return epochs->pattern == NEIGHBOURS ? i : rank;
}

/* The block of a rank's memory that the target gets, and whose pattern it has in the set-up. */
static int64_t source_of(const struct run *run, int target)
{
    const struct epoch_state *state = run->state;
    return state->sources > 1 ? target : 0;
}

int epoch_pattern(const struct run *run, int origin, int target)
{
    const struct epoch_state *state = run->state;
    return state->sources > 1 ? origin * run->size + target : origin;
}

static MPI_Group group_of(const struct run *run, const int *ranks, int count)
{
    MPI_Group all, some = MPI_GROUP_NULL;
    if (count == 0)
        return some;
    MPI_Comm_group(mpi_comm(run), &all);
    MPI_Group_incl(all, count, ranks, &some);
    MPI_Group_free(&all);
    return some;
}

/* ---- The stages ---- */

static void operate(const struct run *run)
{
    const struct epochs *epochs = run->function->variant;
    const struct epoch_state *s = run->state;
    for (int i = 0; s->operates && i < s->to.count; i++) {
        int target = (s->to.first + i) % run->size;
        unsigned char *from = run->local + source_of(run, target) * s->block + s->origin;
        MPI_Aint at =
            (MPI_Aint)(epoch_place(run, run->rank, i) * s->messages) * s->block + s->origin;
        for (int64_t m = 0; m < s->messages; m++, at += s->block) {
            if (epochs->operation == PUT)
                MPI_Put(from, s->count, s->datatype, target, at, s->count, s->datatype,
                        s->window.handle);
            else if (epochs->operation == GET)
                MPI_Get(from, s->count, s->datatype, target, at, s->count, s->datatype,
                        s->window.handle);
            else
                MPI_Accumulate(from, s->count, s->datatype, target, at, s->count, s->datatype,
                               s->op, s->window.handle);
        }
    }
}

static void post(const struct epoch_state *s)
{
    if (s->origins != MPI_GROUP_NULL)
        MPI_Win_post(s->origins, s->assertion, s->window.handle);
}

static void open_epoch(const struct run *run, const struct epoch_state *s)
{
    const struct epochs *epochs = run->function->variant;
    bool asserted = epochs->first == OPEN;
    switch (epochs->epoch) {
    case FENCE:
        MPI_Win_fence(asserted ? s->assertion : 0, s->window.handle);
        break;
    case START_POST:
    case START_TEST:
        if (s->targets != MPI_GROUP_NULL)
            MPI_Win_start(s->targets, s->assertion & MPI_MODE_NOCHECK, s->window.handle);
        break;
    case LOCK:
        for (int i = 0; i < s->to.count; i++)
            MPI_Win_lock(s->type, (s->to.first + i) % run->size, s->assertion, s->window.handle);
        break;
    case LOCK_ALL:
        if (s->to.count > 0)
            MPI_Win_lock_all(0, s->window.handle);
        break;
    case NO_EPOCH:
        break;
    }
}

static void close_epoch(const struct run *run, const struct epoch_state *s)
{
    const struct epochs *epochs = run->function->variant;
    switch (epochs->epoch) {
    case FENCE:
        MPI_Win_fence(epochs->first == CLOSE ? s->assertion : 0, s->window.handle);
        break;
    case START_POST:
    case START_TEST:
        if (s->targets != MPI_GROUP_NULL)
            MPI_Win_complete(s->window.handle);
        break;
    case LOCK:
        for (int i = 0; i < s->to.count; i++)
            MPI_Win_unlock((s->to.first + i) % run->size, s->window.handle);
        break;
    case LOCK_ALL:
        if (s->to.count > 0)
            MPI_Win_unlock_all(s->window.handle);
        break;
    case NO_EPOCH:
        break;
    }
}

/* Whether a test found the epoch at its end; then there is nothing left to wait for. */
static bool wait_or_test(const struct run *run, const struct epoch_state *s)
{
    const struct epochs *epochs = run->function->variant;
    int over = 1;
    if (epochs->twice) {
        operate(run);
        MPI_Win_fence(0, s->window.handle);
    }
    if (s->origins == MPI_GROUP_NULL)
        return true;
    if (epochs->epoch == START_TEST)
        MPI_Win_test(s->window.handle, &over);
    else
        MPI_Win_wait(s->window.handle);
    return over;
}

/* False when the window is still exposed after a test. */
static bool go_through(const struct run *run, enum stage stage)
{
    const struct epoch_state *s = run->state;
    switch (stage) {
    case POST:
        post(s);
        break;
    case OPEN:
        open_epoch(run, s);
        break;
    case OPERATE:
        operate(run);
        break;
    case CLOSE:
        close_epoch(run, s);
        break;
    case WAIT:
        return wait_or_test(run, s);
    case STAGES:
        break;
    }
    return true;
}

/* No check means that the posts are there. */
static bool waits_for_posts(const struct run *run, enum stage stage)
{
    const struct epochs *epochs = run->function->variant;
    const struct epoch_state *s = run->state;
    return stage == OPEN && s->assertion & MPI_MODE_NOCHECK &&
           (epochs->epoch == START_POST || epochs->epoch == START_TEST);
}

/* A rank that reports has computed before the start: all of its time counts. */
double epoch_run(struct run *run)
{
    const struct epochs *epochs = run->function->variant;
    const struct epoch_state *s = run->state;
    MPI_Comm comm = mpi_comm(run);
    int64_t started = 0, stopped = 0;
    bool over = true;
    for (enum stage stage = POST; stage < STAGES; stage++) {
        bool late = s->late > 0 && stage == epochs->late;
        if (waits_for_posts(run, stage))
            MPI_Barrier(comm);
        if (late && s->reports)
            run_pause(s->late);
        if (stage == epochs->first)
            started = run_start(run);
        if (late && !s->reports)
            run_pause(s->late);
        over = go_through(run, stage);
        if (stage == epochs->last)
            stopped = run_stop(run);
    }
    if (!over)
        MPI_Win_wait(s->window.handle);
    /* Ranks that are done help the others on: libraries need the target for some operations. */
    MPI_Barrier(comm);
    return s->reports ? run_elapsed(run, started, stopped) : NAN;
}

/* ---- Set-up ---- */

/* Forms the groups that MPI_Win_post and MPI_Win_start need; other epochs have none. */
static void form_groups(const struct run *run, struct epoch_state *s)
{
    const struct epochs *epochs = run->function->variant;
    bool posts = epochs->epoch == START_POST || epochs->epoch == START_TEST;
    int *ranks = malloc((size_t)run->size * sizeof *ranks), count = 0;
    if (!ranks)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < s->to.count; i++)
        ranks[i] = (s->to.first + i) % run->size;
    s->targets = group_of(run, ranks, posts ? s->to.count : 0);
    for (int rank = 0; rank < run->size; rank++)
        if (epoch_index(run, rank, run->rank) >= 0)
            ranks[count++] = rank;
    s->target = count > 0;
    s->origins = group_of(run, ranks, posts ? count : 0);
    free(ranks);
}

static bool has_role(const struct run *run, const struct epoch_state *s, enum role role)
{
    bool origin = s->to.count > 0;
    switch (role) {
    case NOBODY:
        return false;
    case ORIGINS:
        return origin;
    case TARGETS:
        return s->target;
    case EACH:
        return true;
    case THE_ONE:
        return run->rank == argument_of(run, "rank", 0);
    }
    return false;
}

bool epoch_set_up(struct run *run)
{
    const struct epochs *epochs = run->function->variant;
    struct epoch_state *s = run->state;
    struct datatype *type = mpi_datatype_of(run);
    const struct operation *op = mpi_operation_of(run);
    int64_t count = argument_of(run, "count", 0);
    s->origins = s->targets = MPI_GROUP_NULL;
    s->window.handle = MPI_WIN_NULL;
    if (!window_open(run, WINDOW_CREATE, run->demand.remote, mpi_info(mpi_info_of(run)),
                     &s->window))
        return false;
    s->datatype = mpi_datatype(type);
    s->op = op ? mpi_operation(op) : MPI_OP_NULL;
    s->count = (int)count;
    s->block = (MPI_Aint)(count * datatype_extent(type));
    s->origin = (MPI_Aint)datatype_origin(type);
    s->messages = epoch_messages(run);
    s->sources = epoch_sources(run);
    s->places = epoch_places(run);
    s->assertion = (int)argument_of(run, "assert", 0);
    s->type = (int)argument_of(run, "type", MPI_LOCK_SHARED);
    s->operates = epoch_operates(run);
    s->to = targets_of(run, run->rank);
    form_groups(run, s);
    s->reports = epochs->reports == NOBODY ? has_role(run, s, ORIGINS) || has_role(run, s, TARGETS)
                                           : has_role(run, s, epochs->reports);
    if (has_role(run, s, epochs->who))
        s->late = 1e-6 * (double)argument_of(run, "us", 0);
    return true;
}

void epoch_tear_down(struct run *run)
{
    struct epoch_state *s = run->state;
    if (s->origins != MPI_GROUP_NULL)
        MPI_Group_free(&s->origins);
    if (s->targets != MPI_GROUP_NULL)
        MPI_Group_free(&s->targets);
    window_close(&s->window);
}

/* ---- To and fro ---- */

/* Rank 0's message, a fence, rank 1's, a fence. */
static void round_trip(const struct run *run)
{
    const struct epochs *epochs = run->function->variant;
    const struct epoch_state *s = run->state;
    for (int turn = 0; turn < 2; turn++) {
        if (run->rank == turn && epochs->operation == PUT)
            MPI_Put(run->local + s->origin, s->count, s->datatype, 1 - turn, s->origin, s->count,
                    s->datatype, s->window.handle);
        if (run->rank == turn && epochs->operation == GET)
            MPI_Get(run->local + s->origin, s->count, s->datatype, 1 - turn, s->origin, s->count,
                    s->datatype, s->window.handle);
        MPI_Win_fence(0, s->window.handle);
    }
}

double epoch_run_pingpong(struct run *run)
{
    const struct epoch_state *s = run->state;
    MPI_Win_fence(0, s->window.handle);
    int64_t started = run_start(run);
    for (int64_t i = 0; i < run->iterations; i++)
        round_trip(run);
    int64_t stopped = run_stop(run);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, s->window.handle);
    return s->reports ? run_elapsed(run, started, stopped) / (double)run->iterations : NAN;
}

#endif
