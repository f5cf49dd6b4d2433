/*
 * One-sided communication of MPI by epochs: an exposure of windows, the operations in it, and its
 * end, of which a part is timed. A repetition goes through the same stages in each function.
 */
#include <string.h>

#include "measurements/mpi_window.h"

enum epoch {
    NO_EPOCH,
    FENCE,      /* MPI_Win_fence before and after, by all */
    START_POST, /* targets post and wait, origins start and complete */
    START_TEST, /* the same, but targets test once before they wait */
    LOCK,       /* MPI_Win_lock, MPI_Win_unlock; targets do nothing */
    LOCK_ALL    /* MPI_Win_lock_all, MPI_Win_unlock_all */
};

enum stage { POST, OPEN, OPERATE, CLOSE, WAIT, STAGES };

enum operation_kind { NOTHING, PUT, GET, ACCUMULATE };

/* Origins, and their targets. */
enum pattern {
    PAIR,        /* rank 0 and rank 1 */
    EXCHANGE,    /* ranks 0 and 1 and the other way round */
    TO_DEST,     /* rank 0 and the rank dest */
    ONE_TO_ALL,  /* rank 0 and all others */
    ALL_TO_ONE,  /* all others and rank 0 */
    EACH_TO_ONE, /* all and rank 0 */
    ALL_TO_ALL,  /* each and all others */
    EACH_TO_ALL, /* each and all, itself included */
    SELF,        /* each and itself */
    SHIFT,       /* each and the one dist (or 1) further on */
    NEIGHBOURS   /* each and the next msgs ones */
};

enum role { NOBODY, ORIGINS, TARGETS, EACH, THE_ONE };

struct epochs {
    enum epoch epoch;
    enum operation_kind operation;
    enum pattern pattern;
    enum stage first, last; /* timed */
    enum role reports;      /* ORIGINS, TARGETS, EACH; NOBODY: both origins and targets */
    enum stage late;        /* that these ranks come to us microseconds late */
    enum role who;
    bool twice;    /* closing fence: another epoch begins there */
    bool together; /* all origins work on the same place */
};

static int64_t value_of(const struct measurement *function, const struct argument *arguments,
                        const char *name, int64_t otherwise)
{
    return argument_value(function, arguments, name, otherwise);
}

/* Messages to each target. */
static int64_t messages(const struct measurement *function, const struct argument *arguments)
{
    const struct epochs *epochs = function->variant;
    return epochs->pattern == NEIGHBOURS ? 1 : value_of(function, arguments, "msgs", 1);
}

/* Each origin has places of its own in a window, unless all are to accumulate to the same. */
static int64_t places(const struct measurement *function, const struct argument *arguments, int pes)
{
    const struct epochs *epochs = function->variant;
    bool several = epochs->pattern == ALL_TO_ONE || epochs->pattern == EACH_TO_ONE ||
                   epochs->pattern == ALL_TO_ALL;
    if (epochs->pattern == NEIGHBOURS)
        return value_of(function, arguments, "msgs", 1);
    return several && !epochs->together && value_of(function, arguments, "disjoint", 1) ? pes : 1;
}

/* Blocks that a rank sends from: one for each target where each is to get another one. */
static int64_t sources(const struct measurement *function, int pes)
{
    const struct epochs *epochs = function->variant;
    return epochs->pattern == ALL_TO_ALL ? pes : 1;
}

static void demand_epochs(const struct measurement *function, const struct argument *arguments,
                          int pes, struct demand *demand)
{
    int64_t blocks;
    mpi_demand_message(function, arguments, pes, demand);
    if (__builtin_mul_overflow(messages(function, arguments), places(function, arguments, pes),
                               &blocks))
        blocks = INT64_MAX;
    const struct datatype *type = argument_datatype(function, arguments);
    int64_t count = argument_value(function, arguments, "count", 0);
    demand->remote = mpi_block_bytes(type, count, blocks ? blocks : 1);
    demand->local = mpi_block_bytes(type, count, sources(function, pes));
}

/* ---- What is refused ---- */

static int64_t constant(const char *name)
{
    const char *found;
    int64_t value = 0;
    for (size_t i = 0; (found = mpi_constant_at(i, &value)) && strcmp(found, name) != 0;)
        i++;
    return value;
}

static bool operates(const struct measurement *function, const struct argument *arguments)
{
    const struct epochs *epochs = function->variant;
    return epochs->operation != NOTHING && value_of(function, arguments, "doput", 1) != 0;
}

/* Assertions that mean nothing for the call are refused, and those that would be a lie. */
static const char *check_assertion(const struct measurement *function,
                                   const struct argument *arguments)
{
    const struct epochs *epochs = function->variant;
    int64_t assertion = value_of(function, arguments, "assert", 0);
    int64_t no_check = constant("MPI_MODE_NOCHECK"), no_put = constant("MPI_MODE_NOPUT");
    int64_t no_store = constant("MPI_MODE_NOSTORE");
    int64_t no_precede = constant("MPI_MODE_NOPRECEDE");
    int64_t no_succeed = constant("MPI_MODE_NOSUCCEED");
    int64_t of_fence = no_store | no_put | no_precede | no_succeed;
    bool puts = operates(function, arguments);
    if (epochs->epoch == FENCE && (assertion & ~of_fence))
        return "assert of a fence is 0 or MPI_MODE_NOSTORE, MPI_MODE_NOPUT, MPI_MODE_NOPRECEDE, "
               "MPI_MODE_NOSUCCEED or sums of them";
    if (epochs->epoch == LOCK && (assertion & ~no_check))
        return "assert of a lock is 0 or MPI_MODE_NOCHECK";
    if ((epochs->epoch == START_POST || epochs->epoch == START_TEST) &&
        (assertion & ~(no_check | no_put | no_store)))
        return "assert of start and post is 0 or MPI_MODE_NOCHECK, MPI_MODE_NOSTORE, "
               "MPI_MODE_NOPUT "
               "or sums of them";
    if (puts && epochs->first == CLOSE && (assertion & no_precede))
        return "MPI_MODE_NOPRECEDE does not hold: there are operations before the fence";
    if (puts && epochs->epoch != FENCE && (assertion & no_put))
        return "MPI_MODE_NOPUT does not hold: there are puts";
    if (epochs->twice && (assertion & no_succeed))
        return "MPI_MODE_NOSUCCEED does not hold: there are operations behind the fence";
    if (epochs->who == THE_ONE && epochs->late == POST && (assertion & no_check))
        return "MPI_MODE_NOCHECK does not hold: the post comes late";
    return NULL;
}

static const char *check_epochs(const struct measurement *function,
                                const struct argument *arguments, const struct pe_set *set)
{
    const struct epochs *epochs = function->variant;
    const char *wrong = mpi_check_accumulate(function, arguments, set);
    int64_t shared = constant("MPI_LOCK_SHARED"), exclusive = constant("MPI_LOCK_EXCLUSIVE");
    int64_t type = value_of(function, arguments, "type", shared);
    if (wrong)
        return wrong;
    if (type != shared && type != exclusive)
        return "type must be MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE";
    if (epochs->pattern == NEIGHBOURS &&
        value_of(function, arguments, "msgs", 1) > pe_set_size(set) - 1)
        return "msgs may be at most the number of other ranks";
    return check_assertion(function, arguments);
}

#if SKAMPI_MPI

#include <math.h>
#include <stdlib.h>

/* Ranks worked on: count from the first on, the last one before rank 0. */
struct targets {
    int first, count;
};

struct epoch_state {
    struct window window;
    MPI_Group origins, targets; /* MPI_GROUP_NULL: none */
    struct targets to;
    MPI_Datatype datatype;
    MPI_Op op;
    int count;
    MPI_Aint block, origin; /* bytes of a message's place, and where MPI says that it begins */
    int64_t messages, places;
    int assertion, type;
    double late; /* seconds that this rank is late by, 0: it is not */
    bool operates, reports, target;
};

static int64_t argument_of(const struct run *run, const char *name, int64_t otherwise)
{
    return argument_value(run->function, run->arguments, name, otherwise);
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

/* How many before it the target is among those of a rank; -1: it is none of them. */
static int index_of(const struct run *run, int rank, int target)
{
    struct targets to = targets_of(run, rank);
    int i = (target - to.first + run->size) % run->size;
    return i < to.count ? i : -1;
}

/* Where the data of a rank lie at its i-th target. */
static int64_t place_of(const struct run *run, int rank, int i)
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
    return sources(run->function, run->size) > 1 ? target : 0;
}

static int pattern_of(const struct run *run, int origin, int target)
{
    return sources(run->function, run->size) > 1 ? origin * run->size + target : origin;
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
        MPI_Aint at = (MPI_Aint)(place_of(run, run->rank, i) * s->messages) * s->block + s->origin;
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

/* False when the window is still exposed behind a test. */
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
static double run_epochs(struct run *run)
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

/* ---- The data, set-up ---- */

static void fill(const struct run *run, void *memory, int64_t count, int rank)
{
    const struct epochs *epochs = run->function->variant;
    struct datatype *type = argument_datatype(run->function, run->arguments);
    window_fill(run, memory, count, type, rank, epochs->operation == ACCUMULATE);
}

/* The same data in the block as a rank of these left there by its operations. */
static bool check_block(struct run *run, int origin, int64_t block)
{
    const struct epochs *epochs = run->function->variant;
    const struct epoch_state *s = run->state;
    struct datatype *type = argument_datatype(run->function, run->arguments);
    unsigned char *found = s->window.memory + block * s->block;
    if (epochs->operation != ACCUMULATE)
        return mpi_verify(run, "the window", mpi_address(found, type), s->count, type,
                          epochs->operation == GET ? run->rank
                                                   : pattern_of(run, origin, run->rank));
    unsigned char *expected = malloc(2 * (size_t)s->block + 1);
    if (!expected)
        return false;
    fill(run, expected, s->count, run->rank);
    for (int rank = 0; rank < run->size; rank++)
        if (index_of(run, rank, run->rank) >= 0 && (s->places == 1 || rank == origin))
            window_accumulate(run, expected, expected + s->block, s->count, type, s->op, rank);
    /* Nobody knows who is the last to replace. */
    bool good = window_equal(expected, found, s->count, type) ||
                (s->op == MPI_REPLACE && s->places == 1) ||
                data_verify_equal(run, "the window", found, expected, (size_t)s->block);
    free(expected);
    return good;
}

/* What all origins of this rank did. */
static bool check_window(struct run *run)
{
    const struct epoch_state *s = run->state;
    bool good = true;
    for (int rank = 0; rank < run->size; rank++) {
        int i = index_of(run, rank, run->rank);
        for (int64_t m = 0; i >= 0 && m < s->messages && good; m++)
            good = check_block(run, rank, place_of(run, rank, i) * s->messages + m);
    }
    return good;
}

static bool check_got(struct run *run)
{
    const struct epoch_state *s = run->state;
    struct datatype *type = argument_datatype(run->function, run->arguments);
    return s->to.count == 0 || s->messages == 0 ||
           mpi_verify(run, "what was got", mpi_address(run->local, type), s->count, type,
                      s->to.first);
}

static void fill_epochs(struct run *run)
{
    const struct epochs *epochs = run->function->variant;
    const struct epoch_state *s = run->state;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, run->rank, 0, s->window.handle);
    data_poison(s->window.memory, run->demand.remote);
    for (int64_t i = 0; epochs->operation != PUT && i < s->messages * s->places; i++)
        fill(run, s->window.memory + i * s->block, s->count, run->rank);
    MPI_Win_unlock(run->rank, s->window.handle);
    data_poison(run->local, run->demand.local);
    for (int64_t i = 0; epochs->operation != GET && i < sources(run->function, run->size); i++)
        fill(run, run->local + i * s->block, s->count, pattern_of(run, run->rank, (int)i));
}

static bool verify(struct run *run)
{
    const struct epochs *epochs = run->function->variant;
    const struct epoch_state *s = run->state;
    bool known = s->operates && !epochs->twice && (epochs->operation != ACCUMULATE || run->untimed);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, run->rank, 0, s->window.handle);
    bool good = !known || check_window(run);
    MPI_Win_unlock(run->rank, s->window.handle);
    return good && window_verify_guards(run, &s->window) &&
           (epochs->operation != GET || !s->operates || check_got(run));
}

/* For posts and starts only. */
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
        if (index_of(run, rank, run->rank) >= 0)
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

static bool set_up_epochs(struct run *run)
{
    const struct epochs *epochs = run->function->variant;
    struct epoch_state *s = run->state;
    struct datatype *type = argument_datatype(run->function, run->arguments);
    const struct operation *op = argument_operation(run->function, run->arguments);
    int64_t count = argument_of(run, "count", 0);
    s->origins = s->targets = MPI_GROUP_NULL;
    s->window.handle = MPI_WIN_NULL;
    if (!window_open(run, WINDOW_CREATE, run->demand.remote,
                     mpi_info(argument_info(run->function, run->arguments)), &s->window))
        return false;
    s->datatype = mpi_datatype(type);
    s->op = op ? mpi_operation(op) : MPI_OP_NULL;
    s->count = (int)count;
    s->block = (MPI_Aint)(count * datatype_extent(type));
    s->origin = (MPI_Aint)datatype_origin(type);
    s->messages = messages(run->function, run->arguments);
    s->places = places(run->function, run->arguments, run->size);
    s->assertion = (int)argument_of(run, "assert", 0);
    s->type = (int)argument_of(run, "type", MPI_LOCK_SHARED);
    s->operates = operates(run->function, run->arguments);
    s->to = targets_of(run, run->rank);
    form_groups(run, s);
    s->reports = epochs->reports == NOBODY ? has_role(run, s, ORIGINS) || has_role(run, s, TARGETS)
                                           : has_role(run, s, epochs->reports);
    if (has_role(run, s, epochs->who))
        s->late = 1e-6 * (double)argument_of(run, "us", 0);
    return true;
}

static void tear_down_epochs(struct run *run)
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

static double run_pingpong(struct run *run)
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

#define EPOCH_STATE .state_bytes = sizeof(struct epoch_state)
#else
#define EPOCH_STATE .state_bytes = 0
#endif

/* clang-format off */
#define ASSERT {"assert", PARAMETER_INT, "", "sum of the MPI_MODE_... that hold for the calls of the epoch (0: none)", .maximum = INT_MAX, .example = "0"}
#define DOPUT {"doput", PARAMETER_INT, "", "whether data are put before (0: no)", .maximum = INT_MAX, .example = "1"}
#define MSGS {"msgs", PARAMETER_INT, "", "messages to each target, or the number of targets", .maximum = INT_MAX, .example = "1"}
#define US {"us", PARAMETER_INT, "microseconds", "length of the computation", .maximum = INT_MAX, .example = "10"}
#define LATE_RANK {"rank", PARAMETER_RANK, "", "rank that is late", .example = "1"}
#define TYPE {"type", PARAMETER_INT, "", "kind of lock", .maximum = INT_MAX, .allowed = "MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE", .example = "MPI_LOCK_SHARED"}
#define DEST {"dest", PARAMETER_RANK, "", "rank whose window is locked", .example = "1"}
#define DIST {"dist", PARAMETER_INT, "ranks", "distance from each origin to its target", .maximum = INT_MAX, .example = "1"}
#define DISJOINT {"disjoint", PARAMETER_INT, "", "whether each origin has a place of its own (0: no)", .maximum = INT_MAX, .example = "1"}

#define TAKES(...) .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, __VA_ARGS__}
#define PLAIN .parameters = {COUNT_ELEMENTS, DATATYPE, INFO}
/* clang-format on */

#define EPOCHS                                                                                     \
    MPI_FUNCTION_CHECKED(check_epochs), .version_major = 3, .synchronized = true,                  \
                                        .demand = demand_epochs, .setup = WITH_MPI(set_up_epochs), \
                                        .fill = WITH_MPI(fill_epochs), .verify = WITH_MPI(verify), \
                                        .teardown = WITH_MPI(tear_down_epochs), EPOCH_STATE
#define STAGED EPOCHS, .run = WITH_MPI(run_epochs)
#define BY_ALL STAGED, .who = "all"
#define BY_PAIR STAGED, .minimum_pes = 2, .who = "ranks 0 and 1"
#define BY_FIRST STAGED, .minimum_pes = 2, .who = "rank 0"
#define BY_ALL_OF_TWO STAGED, .minimum_pes = 2, .who = "all"
#define OF_LATE(is, does, shape, from, to, by, at, whose)                                          \
    .variant = &(const struct epochs)                                                              \
    {                                                                                              \
        .epoch = is, .operation = does, .pattern = shape, .first = from, .last = to,               \
        .reports = by, .late = at, .who = whose                                                    \
    }
#define OF(is, does, shape, from, to, by) OF_LATE(is, does, shape, from, to, by, POST, NOBODY)
#define TOGETHER(shape)                                                                            \
    .variant = &(const struct epochs)                                                              \
    {                                                                                              \
        .epoch = FENCE, .operation = ACCUMULATE, .pattern = shape, .first = OPERATE,               \
        .last = CLOSE, .reports = EACH, .together = true                                           \
    }

static const struct epochs two_epochs = {.epoch = FENCE,
                                         .operation = PUT,
                                         .pattern = SHIFT,
                                         .first = CLOSE,
                                         .last = CLOSE,
                                         .reports = EACH,
                                         .twice = true};

/* clang-format off */
const struct measurement measurements_mpi_rma[] = {
    {"onesided_dummy", "what a measurement of one-sided communication costs without any", BY_FIRST,
     PLAIN, OF(NO_EPOCH, NOTHING, PAIR, OPERATE, OPERATE, ORIGINS),
     .timed = "nothing"},

    /* Fences */
    {"Win_fence_open", "opening fence", BY_ALL, TAKES(ASSERT),
     OF(FENCE, NOTHING, SELF, OPEN, OPEN, EACH), .timed = "MPI_Win_fence"},
    {"Win_fence_close", "closing fence, behind a put of each rank to itself", BY_ALL,
     TAKES(ASSERT, DOPUT), OF(FENCE, PUT, SELF, CLOSE, CLOSE, EACH), .timed = "MPI_Win_fence"},
    {"Win_fence_close_collective", "closing fence, behind puts of all others to rank 0",
     BY_ALL_OF_TWO, TAKES(ASSERT, DOPUT), OF(FENCE, PUT, ALL_TO_ONE, CLOSE, CLOSE, EACH),
     .timed = "MPI_Win_fence"},
    {"Win_fence_close_delayed", "closing fence, some time after puts to the next rank", BY_ALL,
     TAKES(MSGS, US), OF_LATE(FENCE, PUT, SHIFT, CLOSE, CLOSE, EACH, CLOSE, EACH),
     .timed = "MPI_Win_fence"},
    {"Win_fence_openclose", "fence between two epochs, with puts to the next rank in both", BY_ALL,
     TAKES(DOPUT), .variant = &two_epochs,
     .timed = "MPI_Win_fence"},
    {"Caching", "closing fence, some time after puts of rank 0 to all others", BY_FIRST, TAKES(US),
     OF_LATE(FENCE, PUT, ONE_TO_ALL, CLOSE, CLOSE, ORIGINS, CLOSE, ORIGINS), .timed = "MPI_Win_fence"},

    /* Start, post, complete, wait */
    {"Win_start", "start to all others, who have posted", BY_FIRST, TAKES(ASSERT),
     OF(START_POST, NOTHING, ONE_TO_ALL, OPEN, OPEN, ORIGINS), .timed = "MPI_Win_start"},
    {"Win_start_delayed_post", "start to all others, of whom one posts late", BY_FIRST,
     TAKES(ASSERT, US, LATE_RANK),
     OF_LATE(START_POST, NOTHING, ONE_TO_ALL, POST, OPEN, ORIGINS, POST, THE_ONE),
     .timed = "MPI_Win_start, while the others call MPI_Win_post"},
    {"Win_post", "post to the rank before, around the ring", BY_ALL, TAKES(ASSERT),
     OF(START_POST, NOTHING, SHIFT, POST, POST, EACH), .timed = "MPI_Win_post"},
    {"Win_complete", "complete, behind puts to all others", BY_FIRST, TAKES(ASSERT, DOPUT),
     OF(START_POST, PUT, ONE_TO_ALL, CLOSE, CLOSE, ORIGINS), .timed = "MPI_Win_complete"},
    {"Win_startcomplete", "an access epoch with puts to all others, who have posted", BY_FIRST,
     TAKES(ASSERT, DOPUT), OF(START_POST, PUT, ONE_TO_ALL, OPEN, CLOSE, ORIGINS),
     .timed = "MPI_Win_start, puts, MPI_Win_complete"},
    {"Win_complete_n", "complete, some time after puts to all others", BY_FIRST,
     TAKES(ASSERT, MSGS, US), OF_LATE(START_POST, PUT, ONE_TO_ALL, CLOSE, CLOSE, ORIGINS, CLOSE, ORIGINS),
     .timed = "MPI_Win_complete"},
    {"Win_complete_delayed_wait", "complete, while the targets are late to wait", BY_FIRST,
     TAKES(ASSERT, DOPUT, US),
     OF_LATE(START_POST, PUT, ONE_TO_ALL, CLOSE, CLOSE, ORIGINS, WAIT, TARGETS),
     .timed = "MPI_Win_complete"},
    {"Win_wait_early_complete", "wait, some time after the others have completed", BY_FIRST,
     TAKES(ASSERT, DOPUT, US), OF_LATE(START_POST, PUT, ALL_TO_ONE, WAIT, WAIT, TARGETS, WAIT, TARGETS),
     .timed = "MPI_Win_wait"},
    {"Win_wait_delayed_complete", "wait for others that are late to complete", BY_FIRST,
     TAKES(ASSERT, DOPUT, US), OF_LATE(START_POST, PUT, ALL_TO_ONE, CLOSE, WAIT, TARGETS, CLOSE, ORIGINS),
     .timed = "MPI_Win_wait, while the others call MPI_Win_complete"},
    {"Win_test", "one test, when the others have completed", BY_FIRST, TAKES(ASSERT, DOPUT),
     OF(START_TEST, PUT, ALL_TO_ONE, WAIT, WAIT, TARGETS), .timed = "MPI_Win_test"},
    {"Win_test_delayed", "one test, while the others are late to complete", BY_FIRST,
     TAKES(ASSERT, DOPUT, US), OF_LATE(START_TEST, PUT, ALL_TO_ONE, CLOSE, WAIT, TARGETS, CLOSE, ORIGINS),
     .timed = "MPI_Win_test"},

    /* Locks */
    {"Win_lock", "locking a window", BY_FIRST, TAKES(ASSERT, TYPE, DEST),
     OF(LOCK, NOTHING, TO_DEST, OPEN, OPEN, ORIGINS), .timed = "MPI_Win_lock; MPI_Win_unlock untimed"},
    {"Win_lock_desync", "locking a window, after a computation", BY_FIRST,
     TAKES(ASSERT, TYPE, DEST, US), OF_LATE(LOCK, NOTHING, TO_DEST, OPEN, OPEN, ORIGINS, OPEN, ORIGINS),
     .timed = "MPI_Win_lock; MPI_Win_unlock untimed"},
    {"Win_unlock", "unlocking a window, some time after a put", BY_FIRST,
     TAKES(ASSERT, TYPE, DEST, DOPUT, US),
     OF_LATE(LOCK, PUT, TO_DEST, CLOSE, CLOSE, ORIGINS, CLOSE, ORIGINS), .timed = "MPI_Win_unlock"},
    {"Win_lock_all", "locking all windows", BY_ALL, PLAIN,
     OF(LOCK_ALL, NOTHING, SHIFT, OPEN, OPEN, EACH),
     .timed = "MPI_Win_lock_all; MPI_Win_unlock_all untimed"},
    {"Win_unlock_all", "unlocking all windows, behind a put to the next rank", BY_ALL, TAKES(DOPUT),
     OF(LOCK_ALL, PUT, SHIFT, CLOSE, CLOSE, EACH), .timed = "MPI_Win_unlock_all"},

    /* Put */
    {"Put", "the call of a put alone, between fences", BY_FIRST, PLAIN,
     OF(FENCE, PUT, PAIR, OPERATE, OPERATE, ORIGINS), .timed = "MPI_Put; fences untimed"},
    {"Put_fence", "put and fence", BY_ALL_OF_TWO, PLAIN, OF(FENCE, PUT, PAIR, OPERATE, CLOSE, EACH),
     .timed = "MPI_Put on rank 0; MPI_Win_fence"},
    {"Put_fence_bidirectional", "puts of two ranks to each other, and fence", BY_ALL_OF_TWO, PLAIN,
     OF(FENCE, PUT, EXCHANGE, OPERATE, CLOSE, EACH),
     .timed = "MPI_Put on ranks 0 and 1; MPI_Win_fence"},
    {"Put_dedicated", "put and the end of the epoch on both sides", BY_PAIR, PLAIN,
     OF(START_POST, PUT, PAIR, OPERATE, WAIT, NOBODY),
     .timed = "rank 0: MPI_Put, MPI_Win_complete; rank 1: MPI_Win_wait"},
    {"Put_passive", "put and unlock", BY_FIRST, PLAIN,
     OF(LOCK, PUT, PAIR, OPERATE, CLOSE, ORIGINS), .timed = "MPI_Put, MPI_Win_unlock"},
    {"Put_passive_concurrent", "lock, put and unlock by all on the window of rank 0", BY_ALL,
     TAKES(TYPE), OF(LOCK, PUT, EACH_TO_ONE, OPEN, CLOSE, EACH),
     .timed = "MPI_Win_lock, MPI_Put, MPI_Win_unlock"},
    {"Put_Shift", "put to the rank dist further on, and fence", BY_ALL, TAKES(DIST),
     OF(FENCE, PUT, SHIFT, OPERATE, CLOSE, EACH), .timed = "MPI_Put, MPI_Win_fence"},
    {"Put_Exchange", "puts to the next msgs ranks, and fence", BY_ALL, TAKES(MSGS),
     OF(FENCE, PUT, NEIGHBOURS, OPERATE, CLOSE, EACH), .timed = "all MPI_Put, MPI_Win_fence"},
    {"Put_Exchange_passive", "puts to the next msgs ranks, whose windows are locked", BY_ALL,
     TAKES(MSGS), OF(LOCK, PUT, NEIGHBOURS, OPEN, CLOSE, EACH),
     .timed = "all MPI_Win_lock, all MPI_Put, all MPI_Win_unlock"},
    {"onesided_bcast", "broadcast by msgs puts of rank 0 to each other rank, and fence",
     BY_ALL_OF_TWO, TAKES(MSGS), OF(FENCE, PUT, ONE_TO_ALL, OPERATE, CLOSE, EACH),
     .timed = "all MPI_Put on rank 0; MPI_Win_fence"},
    {"onesided_alltoall", "all-to-all by msgs puts of each rank to each other, and fence", BY_ALL,
     TAKES(MSGS), OF(FENCE, PUT, ALL_TO_ALL, OPERATE, CLOSE, EACH),
     .timed = "all MPI_Put, MPI_Win_fence"},
    {"Combining_Put_fence", "fence behind many puts to one rank", BY_ALL_OF_TWO, TAKES(MSGS),
     OF(FENCE, PUT, PAIR, CLOSE, CLOSE, EACH), .timed = "MPI_Win_fence"},
    {"Combining_Put_dedicated", "the end of an epoch with many puts to one rank", BY_PAIR,
     TAKES(MSGS), OF(START_POST, PUT, PAIR, CLOSE, WAIT, NOBODY),
     .timed = "rank 0: MPI_Win_complete; rank 1: MPI_Win_wait"},
    {"Pingpong_Put_Put", "round trip by puts and fences", EPOCHS, .minimum_pes = 2, .who = "all",
     .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, ITERATIONS}, .run = WITH_MPI(run_pingpong),
     OF(FENCE, PUT, EXCHANGE, OPEN, CLOSE, EACH),
     .timed = "MPI_Put from rank 0 to 1, MPI_Win_fence, MPI_Put back, MPI_Win_fence"},

    /* Get */
    {"Get_callduration", "the call of a get alone, between fences", BY_FIRST, PLAIN,
     OF(FENCE, GET, PAIR, OPERATE, OPERATE, ORIGINS), .timed = "MPI_Get; fences untimed"},
    {"Get_fence", "get and fence", BY_ALL_OF_TWO, PLAIN, OF(FENCE, GET, PAIR, OPERATE, CLOSE, EACH),
     .timed = "MPI_Get on rank 0; MPI_Win_fence"},
    {"Get_dedicated", "get and the end of the epoch on both sides", BY_PAIR, PLAIN,
     OF(START_POST, GET, PAIR, OPERATE, WAIT, NOBODY),
     .timed = "rank 0: MPI_Get, MPI_Win_complete; rank 1: MPI_Win_wait"},
    {"Get_passive", "get and unlock", BY_FIRST, PLAIN,
     OF(LOCK, GET, PAIR, OPERATE, CLOSE, ORIGINS), .timed = "MPI_Get, MPI_Win_unlock"},
    {"Get_Pingpong", "a get each by two ranks, one after the other, and fences", EPOCHS,
     .minimum_pes = 2, .who = "all", PLAIN, .run = WITH_MPI(run_pingpong),
     OF(FENCE, GET, EXCHANGE, OPEN, CLOSE, EACH),
     .timed = "MPI_Get of rank 0, MPI_Win_fence, MPI_Get of rank 1, MPI_Win_fence"},

    /* Accumulate */
    {"Accumulate", "accumulate and the end of the epoch on both sides", BY_PAIR, TAKES(OPERATION),
     OF(START_POST, ACCUMULATE, PAIR, OPERATE, WAIT, NOBODY),
     .timed = "rank 0: MPI_Accumulate, MPI_Win_complete; rank 1: MPI_Win_wait"},
    {"Accumulate_fence", "accumulate and fence", BY_ALL_OF_TWO, TAKES(OPERATION),
     OF(FENCE, ACCUMULATE, PAIR, OPERATE, CLOSE, EACH),
     .timed = "MPI_Accumulate on rank 0; MPI_Win_fence"},
    {"Accumulate_passive", "accumulate and unlock", BY_FIRST, TAKES(OPERATION),
     OF(LOCK, ACCUMULATE, PAIR, OPERATE, CLOSE, ORIGINS), .timed = "MPI_Accumulate, MPI_Win_unlock"},
    {"Accumulate_concurrent", "accumulates of all others on rank 0, and fence", BY_ALL_OF_TWO,
     TAKES(OPERATION, DISJOINT), OF(FENCE, ACCUMULATE, ALL_TO_ONE, OPERATE, CLOSE, EACH),
     .timed = "MPI_Accumulate on all but rank 0; MPI_Win_fence"},
    {"Accumulate_concurrent_multi", "accumulates around the ring, and fence", BY_ALL,
     TAKES(MSGS, OPERATION), OF(FENCE, ACCUMULATE, SHIFT, OPERATE, CLOSE, EACH),
     .timed = "all MPI_Accumulate, MPI_Win_fence"},
    {"onesided_reduce", "reduction by accumulates of all ranks on rank 0, and fence", BY_ALL,
     TAKES(OPERATION), TOGETHER(EACH_TO_ONE), .timed = "MPI_Accumulate, MPI_Win_fence"},
    {"onesided_allreduce", "reduction to all by accumulates of each rank on all, and fence", BY_ALL,
     TAKES(OPERATION), TOGETHER(EACH_TO_ALL), .timed = "all MPI_Accumulate, MPI_Win_fence"},
    {.name = NULL},
};
/* clang-format on */
