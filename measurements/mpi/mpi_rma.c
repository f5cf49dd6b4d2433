/*
 * One-sided communication of MPI by epochs: an epoch on windows, the operations in it, and its end,
 * of which a part is timed.
 *
 * A repetition goes through the same stages in each function: POST, OPEN, OPERATE, CLOSE, WAIT.
 */
#include "measurements/common/mpi_window.h"

enum epoch {
    NO_EPOCH,
    FENCE,      /* MPI_Win_fence before and after, by all */
    START_POST, /* targets post and wait, origins start and complete */
    START_TEST, /* as START_POST, but targets test once before they wait */
    LOCK,       /* MPI_Win_lock, MPI_Win_unlock; targets do nothing */
    LOCK_ALL    /* MPI_Win_lock_all, MPI_Win_unlock_all */
};

enum stage { POST, OPEN, OPERATE, CLOSE, WAIT, STAGES };

enum operation_kind { NOTHING, PUT, GET, ACCUMULATE };

/* Who works on whom: the origin comes first, then the target. */
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

/* Targets post and wait for an epoch. */
static bool posts(const struct epochs *epochs)
{
    return epochs->epoch == START_POST || epochs->epoch == START_TEST;
}

/* ---- What the arguments say ---- */

/* Messages to each target. */
static int64_t messages_of(const struct run *run)
{
    const struct epochs *epochs = run->function->variant;
    return epochs->pattern == NEIGHBOURS ? 1 : run_integer(run, "msgs", 1);
}

/* Places in a window: each origin has its own, unless all origins are to accumulate to one place.
 */
static int64_t places_of(const struct run *run)
{
    const struct epochs *epochs = run->function->variant;
    bool several = epochs->pattern == ALL_TO_ONE || epochs->pattern == EACH_TO_ONE ||
                   epochs->pattern == ALL_TO_ALL;
    if (epochs->pattern == NEIGHBOURS)
        return run_integer(run, "msgs", 1);
    return several && !epochs->together && run_integer(run, "disjoint", 1) ? run->size : 1;
}

/* Blocks that a rank sends from: one for each target where each is to get another one. */
static int64_t sources_of(const struct run *run)
{
    const struct epochs *epochs = run->function->variant;
    return epochs->pattern == ALL_TO_ALL ? run->size : 1;
}

static void demand(struct run *run)
{
    int64_t blocks;
    mpi_demand_message(run);
    if (__builtin_mul_overflow(messages_of(run), places_of(run), &blocks))
        blocks = INT64_MAX;
    const struct datatype *type = mpi_datatype_of(run);
    int64_t count = run_integer(run, "count", 0);
    run->demand.remote = mpi_block_bytes(type, count, blocks ? blocks : 1);
    run->demand.local = mpi_block_bytes(type, count, sources_of(run));
}

/* ---- What is refused ---- */

/* Whether there are operations in the epoch. */
static bool operates(const struct run *run)
{
    const struct epochs *epochs = run->function->variant;
    return epochs->operation != NOTHING && run_integer(run, "doput", 1) != 0;
}

/* Assertions that mean nothing for the call are refused, and those that would be a lie. */
static const char *check_assertion(const struct run *run)
{
    const struct epochs *epochs = run->function->variant;
    int64_t assertion = run_integer(run, "assert", 0);
    int64_t no_check = mpi_constant("MPI_MODE_NOCHECK"), no_put = mpi_constant("MPI_MODE_NOPUT");
    int64_t no_store = mpi_constant("MPI_MODE_NOSTORE");
    int64_t no_precede = mpi_constant("MPI_MODE_NOPRECEDE");
    int64_t no_succeed = mpi_constant("MPI_MODE_NOSUCCEED");
    int64_t of_fence = no_store | no_put | no_precede | no_succeed;
    bool puts = operates(run);
    if (epochs->epoch == FENCE && (assertion & ~of_fence))
        return "assert of a fence is 0 or MPI_MODE_NOSTORE, MPI_MODE_NOPUT, MPI_MODE_NOPRECEDE, "
               "MPI_MODE_NOSUCCEED or sums of them";
    if (epochs->epoch == LOCK && (assertion & ~no_check))
        return "assert of a lock is 0 or MPI_MODE_NOCHECK";
    if (posts(epochs) && (assertion & ~(no_check | no_put | no_store)))
        return "assert of start and post is 0 or MPI_MODE_NOCHECK, MPI_MODE_NOSTORE, "
               "MPI_MODE_NOPUT "
               "or sums of them";
    if (puts && epochs->first == CLOSE && (assertion & no_precede))
        return "MPI_MODE_NOPRECEDE does not hold: there are operations before the fence";
    if (puts && epochs->epoch != FENCE && (assertion & no_put))
        return "MPI_MODE_NOPUT does not hold: there are puts";
    if (epochs->twice && (assertion & no_succeed))
        return "MPI_MODE_NOSUCCEED does not hold: there are operations after the fence";
    if (epochs->who == THE_ONE && epochs->late == POST && (assertion & no_check))
        return "MPI_MODE_NOCHECK does not hold: the post comes late";
    return NULL;
}

static const char *check(const struct run *run)
{
    const struct epochs *epochs = run->function->variant;
    int64_t shared = mpi_constant("MPI_LOCK_SHARED"),
            exclusive = mpi_constant("MPI_LOCK_EXCLUSIVE");
    int64_t type = run_integer(run, "type", shared);
    if (type != shared && type != exclusive)
        return "type must be MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE";
    if (epochs->pattern == NEIGHBOURS && run_integer(run, "msgs", 1) > run->size - 1)
        return "msgs may be at most the number of other ranks";
    return check_assertion(run);
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
    int64_t messages, places, sources;
    int assertion, type;
    double late; /* seconds that this rank is late by, 0: it is not */
    bool operates, reports, target;
};

/* ---- Who works on whom ---- */

static struct targets targets_of(const struct run *run, int rank)
{
    const struct epochs *epochs = run->function->variant;
    int n = run->size, next = (rank + 1) % n;
    const struct targets by_pattern[] = {
        [PAIR] = {1, rank == 0},
        [EXCHANGE] = {rank == 0, rank < 2},
        [TO_DEST] = {(int)run_integer(run, "dest", 0), rank == 0},
        [ONE_TO_ALL] = {1, rank == 0 ? n - 1 : 0},
        [ALL_TO_ONE] = {0, rank > 0},
        [EACH_TO_ONE] = {0, 1},
        [ALL_TO_ALL] = {next, n - 1},
        [EACH_TO_ALL] = {rank, n},
        [SELF] = {rank, 1},
        [SHIFT] = {(int)((rank + run_integer(run, "dist", 1)) % n), 1},
        [NEIGHBOURS] = {next, (int)run_integer(run, "msgs", 1)},
    };
    return by_pattern[epochs->pattern];
}

/* How many targets of a rank come before this one; -1: it is no target of that rank. */
static int index_of(const struct run *run, int rank, int target)
{
    struct targets to = targets_of(run, rank);
    int i = (target - to.first + run->size) % run->size;
    return i < to.count ? i : -1;
}

/* Place of a rank's data at its i-th target. */
static int64_t place_of(const struct run *run, int rank, int i)
{
    const struct epochs *epochs = run->function->variant;
    const struct epoch_state *state = run->state;
    if (state->places == 1)
        return 0;
    return epochs->pattern == NEIGHBOURS ? i : rank;
}

/* Tag of the data that go from a rank to another. */
static int tag_of(const struct run *run, int origin, int target)
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

static void transfer(const struct run *run, unsigned char *from, int target, MPI_Aint at)
{
    const struct epochs *epochs = run->function->variant;
    const struct epoch_state *s = run->state;
    MPI_Datatype type = s->datatype;
    if (epochs->operation == PUT)
        MPI_Put(from, s->count, type, target, at, s->count, type, s->window.handle);
    else if (epochs->operation == GET)
        MPI_Get(from, s->count, type, target, at, s->count, type, s->window.handle);
    else
        MPI_Accumulate(from, s->count, type, target, at, s->count, type, s->op, s->window.handle);
}

static void operate(const struct run *run)
{
    const struct epoch_state *s = run->state;
    for (int i = 0; s->operates && i < s->to.count; i++) {
        int target = (s->to.first + i) % run->size;
        unsigned char *from = run->local + (s->sources > 1 ? target : 0) * s->block + s->origin;
        MPI_Aint at = (MPI_Aint)(place_of(run, run->rank, i) * s->messages) * s->block + s->origin;
        for (int64_t m = 0; m < s->messages; m++, at += s->block)
            transfer(run, from, target, at);
    }
}

/* Opens the epoch, or closes it. */
static void turn(const struct run *run, const struct epoch_state *s, enum stage stage)
{
    const struct epochs *epochs = run->function->variant;
    MPI_Win window = s->window.handle;
    bool opens = stage == OPEN;
    switch (epochs->epoch) {
    case FENCE:
        MPI_Win_fence(epochs->first == stage ? s->assertion : 0, window);
        break;
    case START_POST:
    case START_TEST:
        if (s->targets != MPI_GROUP_NULL && opens)
            MPI_Win_start(s->targets, s->assertion & MPI_MODE_NOCHECK, window);
        else if (s->targets != MPI_GROUP_NULL)
            MPI_Win_complete(window);
        break;
    case LOCK:
        for (int i = 0; i < s->to.count; i++)
            if (opens)
                MPI_Win_lock(s->type, (s->to.first + i) % run->size, s->assertion, window);
            else
                MPI_Win_unlock((s->to.first + i) % run->size, window);
        break;
    case LOCK_ALL:
        if (s->to.count > 0 && opens)
            MPI_Win_lock_all(0, window);
        else if (s->to.count > 0)
            MPI_Win_unlock_all(window);
        break;
    case NO_EPOCH:
        break;
    }
}

/* False when the window is still exposed after a test. */
static bool go_through(struct run *run, enum stage stage)
{
    const struct epochs *epochs = run->function->variant;
    const struct epoch_state *s = run->state;
    int over = 1;
    if (stage == OPEN || stage == CLOSE)
        turn(run, s, stage);
    else if (stage == OPERATE)
        operate(run);
    else if (stage == POST && s->origins != MPI_GROUP_NULL)
        MPI_Win_post(s->origins, s->assertion, s->window.handle);
    if (stage == WAIT && epochs->twice) {
        operate(run);
        MPI_Win_fence(0, s->window.handle);
    }
    if (stage == WAIT && s->origins != MPI_GROUP_NULL) {
        if (epochs->epoch == START_TEST)
            MPI_Win_test(s->window.handle,
                         &over); /* after which there may be nothing to wait for */
        else
            MPI_Win_wait(s->window.handle);
    }
    return over;
}

/* A rank that reports has computed before the start: all of its time counts. */
static double run_stages(struct run *run)
{
    const struct epochs *epochs = run->function->variant;
    const struct epoch_state *s = run->state;
    MPI_Comm comm = mpi_comm(run);
    int64_t started = 0, stopped = 0;
    bool over = true;
    for (enum stage stage = POST; stage < STAGES; stage++) {
        bool late = s->late > 0 && stage == epochs->late;
        if (stage == OPEN && posts(epochs) && s->assertion & MPI_MODE_NOCHECK)
            MPI_Barrier(comm); /* the assertion promises that the matching posts have been made */
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
    bool needed = posts(epochs);
    int *ranks = memory_zeroed((size_t)run->size, sizeof *ranks), count = 0;
    for (int i = 0; i < s->to.count; i++)
        ranks[i] = (s->to.first + i) % run->size;
    s->targets = group_of(run, ranks, needed ? s->to.count : 0);
    for (int rank = 0; rank < run->size; rank++)
        if (index_of(run, rank, run->rank) >= 0)
            ranks[count++] = rank;
    s->target = count > 0;
    s->origins = group_of(run, ranks, needed ? count : 0);
    free(ranks);
}

static bool set_up(struct run *run)
{
    const struct epochs *epochs = run->function->variant;
    struct epoch_state *s = run->state;
    struct datatype *type = mpi_datatype_of(run);
    const struct operation *op = mpi_operation_of(run);
    int64_t count = run_integer(run, "count", 0);
    s->origins = s->targets = MPI_GROUP_NULL;
    if (!mpi_window_open(run, WINDOW_CREATE, run->demand.remote, mpi_info(mpi_info_of(run)),
                         &s->window))
        return false;
    s->datatype = mpi_datatype(type);
    s->op = op ? mpi_operation(op) : MPI_OP_NULL;
    s->count = (int)count;
    s->block = (MPI_Aint)(count * datatype_extent(type));
    s->origin = (MPI_Aint)datatype_origin(type);
    s->messages = messages_of(run);
    s->sources = sources_of(run);
    s->places = places_of(run);
    s->assertion = (int)run_integer(run, "assert", 0);
    s->type = (int)run_integer(run, "type", MPI_LOCK_SHARED);
    s->operates = operates(run);
    s->to = targets_of(run, run->rank);
    form_groups(run, s);
    const bool roles[] = {[NOBODY] = false,
                          [ORIGINS] = s->to.count > 0,
                          [TARGETS] = s->target,
                          [EACH] = true,
                          [THE_ONE] = run->rank == run_integer(run, "rank", 0)};
    s->reports =
        epochs->reports == NOBODY ? roles[ORIGINS] || roles[TARGETS] : roles[epochs->reports];
    if (roles[epochs->who])
        s->late = 1e-6 * (double)run_integer(run, "us", 0);
    return true;
}

static void tear_down(struct run *run)
{
    struct epoch_state *s = run->state;
    if (s->origins != MPI_GROUP_NULL)
        MPI_Group_free(&s->origins);
    if (s->targets != MPI_GROUP_NULL)
        MPI_Group_free(&s->targets);
    mpi_window_close(&s->window);
}

/* ---- To and fro ---- */

/* Rank 0's message, a fence, rank 1's, a fence. */
static void round_trip(const struct run *run)
{
    const struct epoch_state *s = run->state;
    for (int rank = 0; rank < 2; rank++) {
        if (run->rank == rank)
            transfer(run, run->local + s->origin, 1 - rank, s->origin);
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

/* ---- The data ---- */

static void fill(const struct run *run, void *memory, int64_t count, int rank)
{
    const struct epochs *epochs = run->function->variant;
    struct datatype *type = mpi_datatype_of(run);
    mpi_window_fill(run, memory, count, type, rank, epochs->operation == ACCUMULATE);
}

/* Checks that the block holds what the operations of this origin left there. */
static bool check_block(struct run *run, int origin, int64_t block)
{
    const struct epochs *epochs = run->function->variant;
    const struct epoch_state *s = run->state;
    struct datatype *type = mpi_datatype_of(run);
    unsigned char *found = s->window.memory + block * s->block;
    if (epochs->operation != ACCUMULATE)
        return mpi_verify(run, "the window", mpi_address(found, type), s->count, type,
                          epochs->operation == GET ? run->rank : tag_of(run, origin, run->rank));
    unsigned char *expected = memory_allocate(mpi_block_bytes(type, s->count, 2) + 1);
    fill(run, expected, s->count, run->rank);
    for (int rank = 0; rank < run->size; rank++)
        if (index_of(run, rank, run->rank) >= 0 && (s->places == 1 || rank == origin))
            mpi_window_accumulate(run, expected, expected + s->block, s->count, type, s->op, rank);
    /* The order of several MPI_REPLACE at one place is not known: any of them may be the last. */
    bool good = mpi_window_equal(expected, found, s->count, type) ||
                (s->op == MPI_REPLACE && s->places == 1) ||
                data_verify_equal(run, "the window", found, expected, (size_t)s->block);
    free(expected);
    return good;
}

static void fill_all(struct run *run)
{
    const struct epochs *epochs = run->function->variant;
    const struct epoch_state *s = run->state;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, run->rank, 0, s->window.handle);
    data_poison(s->window.memory, run->demand.remote);
    for (int64_t i = 0; epochs->operation != PUT && i < s->messages * s->places; i++)
        fill(run, s->window.memory + i * s->block, s->count, run->rank);
    MPI_Win_unlock(run->rank, s->window.handle);
    data_poison(run->local, run->demand.local);
    for (int64_t i = 0; epochs->operation != GET && i < s->sources; i++)
        fill(run, run->local + i * s->block, s->count, tag_of(run, run->rank, (int)i));
}

static bool verify(struct run *run)
{
    const struct epochs *epochs = run->function->variant;
    const struct epoch_state *s = run->state;
    bool known = s->operates && !epochs->twice && (epochs->operation != ACCUMULATE || run->untimed);
    struct datatype *type = mpi_datatype_of(run);
    bool good = true;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, run->rank, 0, s->window.handle);
    for (int origin = 0; known && origin < run->size; origin++) {
        int i = index_of(run, origin, run->rank);
        for (int64_t m = 0; i >= 0 && m < s->messages && good; m++)
            good = check_block(run, origin, place_of(run, origin, i) * s->messages + m);
    }
    MPI_Win_unlock(run->rank, s->window.handle);
    bool got = epochs->operation == GET && s->operates && s->to.count > 0 && s->messages > 0;
    return good && mpi_window_verify_guards(run, &s->window) &&
           (!got || mpi_verify(run, "the data got", mpi_address(run->local, type), s->count, type,
                               s->to.first));
}

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

static const struct measurement by_any = {
    .api = API_MPI, .accumulates = true, .check = check, .version_major = 3, .timing = TIMING_PARTS, .parameters = {COUNT_ELEMENTS, DATATYPE, INFO},
    MPI_STATE(struct epoch_state), .demand = demand, .setup = WITH_MPI(set_up), .fill = WITH_MPI(fill_all), .verify = WITH_MPI(verify),
    .run = WITH_MPI(run_stages), .teardown = WITH_MPI(tear_down)};
static const struct measurement by_all = {.like = {&by_any}, .who = "all"};
static const struct measurement by_all_of_two = {.like = {&by_any}, .who = "all", .minimum_pes = 2};
static const struct measurement by_pair = {.like = {&by_any}, .who = "ranks 0 and 1", .minimum_pes = 2};
static const struct measurement by_first = {.like = {&by_any}, .who = "rank 0", .minimum_pes = 2};

const struct measurement measurements_mpi_rma[] = {
    {"onesided_dummy", "one-sided measurement without communication: the cost of measuring", .like = {&by_first}, .variant = &(const struct epochs){NO_EPOCH, NOTHING, PAIR, OPERATE, OPERATE, .reports = ORIGINS},
     .moves = MOVES_NOTHING, .calls = "", .timed = "nothing"},

    /* Fences */
    {"Win_fence_open", "opening fence", .like = {&by_all}, .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, ASSERT},
     .variant = &(const struct epochs){FENCE, NOTHING, SELF, OPEN, OPEN, .reports = EACH}, .moves = MOVES_NOTHING, .routine = "MPI_Win_fence", .timed = "MPI_Win_fence"},
    {"Win_fence_close", "closing fence after a put of each rank to itself", .like = {&by_all},
     .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, ASSERT, DOPUT}, .variant = &(const struct epochs){FENCE, PUT, SELF, CLOSE, CLOSE, .reports = EACH}, .moves = MOVES_NOTHING, .routine = "MPI_Win_fence", .timed = "MPI_Win_fence"},
    {"Win_fence_close_collective", "closing fence after puts of all others to rank 0",
     .like = {&by_all_of_two}, .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, ASSERT, DOPUT}, .variant = &(const struct epochs){FENCE, PUT, ALL_TO_ONE, CLOSE, CLOSE, .reports = EACH},
     .moves = MOVES_NOTHING, .routine = "MPI_Win_fence", .timed = "MPI_Win_fence"},
    {"Win_fence_close_delayed", "closing fence after puts to the next rank and a computation", .like = {&by_all},
     .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, MSGS, US}, .variant = &(const struct epochs){FENCE, PUT, SHIFT, CLOSE, CLOSE, .reports = EACH, .late = CLOSE, .who = EACH},
     .moves = MOVES_NOTHING, .routine = "MPI_Win_fence", .timed = "MPI_Win_fence"},
    {"Win_fence_openclose", "fence between two epochs that both put to the next rank", .like = {&by_all},
     .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, DOPUT}, .variant = &(const struct epochs){FENCE, PUT, SHIFT, CLOSE, CLOSE, EACH, .twice = true},
     .moves = MOVES_NOTHING, .routine = "MPI_Win_fence", .timed = "MPI_Win_fence"},
    {"Caching", "closing fence after puts of rank 0 to all others and a computation", .like = {&by_first}, .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, US},
     .variant = &(const struct epochs){FENCE, PUT, ONE_TO_ALL, CLOSE, CLOSE, .reports = ORIGINS, .late = CLOSE, .who = ORIGINS}, .moves = MOVES_NOTHING, .calls = "MPI_Win_fence", .timed = "MPI_Win_fence"},

    /* Start, post, complete, wait */
    {"Win_start", "starting an epoch with all others, which have already posted", .like = {&by_first}, .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, ASSERT},
     .variant = &(const struct epochs){START_POST, NOTHING, ONE_TO_ALL, OPEN, OPEN, .reports = ORIGINS}, .moves = MOVES_NOTHING, .routine = "MPI_Win_start", .timed = "MPI_Win_start"},
    {"Win_start_delayed_post", "starting an epoch with all others, of which one posts late", .like = {&by_first},
     .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, ASSERT, US, LATE_RANK},
     .variant = &(const struct epochs){START_POST, NOTHING, ONE_TO_ALL, POST, OPEN, .reports = ORIGINS, .late = POST, .who = THE_ONE},
     .moves = MOVES_NOTHING, .routine = "MPI_Win_start", .calls = "MPI_Win_post", .timed = "MPI_Win_start, while the others call MPI_Win_post"},
    {"Win_post", "posting an epoch to the previous rank, around the ring", .like = {&by_all}, .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, ASSERT},
     .variant = &(const struct epochs){START_POST, NOTHING, SHIFT, POST, POST, .reports = EACH}, .moves = MOVES_NOTHING, .routine = "MPI_Win_post", .timed = "MPI_Win_post"},
    {"Win_complete", "completing an epoch after puts to all others", .like = {&by_first}, .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, ASSERT, DOPUT},
     .variant = &(const struct epochs){START_POST, PUT, ONE_TO_ALL, CLOSE, CLOSE, .reports = ORIGINS}, .moves = MOVES_NOTHING, .routine = "MPI_Win_complete", .timed = "MPI_Win_complete"},
    {"Win_startcomplete", "access epoch with puts to all others, which have already posted", .like = {&by_first},
     .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, ASSERT, DOPUT}, .variant = &(const struct epochs){START_POST, PUT, ONE_TO_ALL, OPEN, CLOSE, .reports = ORIGINS},
     .moves = MOVES_NOTHING, .routine = "MPI_Win_start", .calls = "MPI_Win_complete", .timed = "MPI_Win_start, puts, MPI_Win_complete"},
    {"Win_complete_n", "completing an epoch after puts to all others and a computation", .like = {&by_first},
     .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, ASSERT, MSGS, US}, .variant = &(const struct epochs){START_POST, PUT, ONE_TO_ALL, CLOSE, CLOSE, .reports = ORIGINS, .late = CLOSE, .who = ORIGINS},
     .moves = MOVES_NOTHING, .routine = "MPI_Win_complete", .timed = "MPI_Win_complete"},
    {"Win_complete_delayed_wait", "completing an epoch whose targets compute before they wait", .like = {&by_first},
     .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, ASSERT, DOPUT, US},
     .variant = &(const struct epochs){START_POST, PUT, ONE_TO_ALL, CLOSE, CLOSE, .reports = ORIGINS, .late = WAIT, .who = TARGETS},
     .moves = MOVES_NOTHING, .routine = "MPI_Win_complete", .timed = "MPI_Win_complete"},
    {"Win_wait_early_complete", "waiting, after a computation, for the end of an epoch that the others have completed", .like = {&by_first},
     .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, ASSERT, DOPUT, US}, .variant = &(const struct epochs){START_POST, PUT, ALL_TO_ONE, WAIT, WAIT, .reports = TARGETS, .late = WAIT, .who = TARGETS},
     .moves = MOVES_NOTHING, .routine = "MPI_Win_wait", .timed = "MPI_Win_wait"},
    {"Win_wait_delayed_complete", "waiting for the end of an epoch that the others complete late", .like = {&by_first},
     .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, ASSERT, DOPUT, US}, .variant = &(const struct epochs){START_POST, PUT, ALL_TO_ONE, CLOSE, WAIT, .reports = TARGETS, .late = CLOSE, .who = ORIGINS},
     .moves = MOVES_NOTHING, .routine = "MPI_Win_wait", .calls = "MPI_Win_complete", .timed = "MPI_Win_wait, while the others call MPI_Win_complete"},
    {"Win_test", "one test for the end of an epoch that the others have completed", .like = {&by_first}, .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, ASSERT, DOPUT},
     .variant = &(const struct epochs){START_TEST, PUT, ALL_TO_ONE, WAIT, WAIT, .reports = TARGETS}, .moves = MOVES_NOTHING, .routine = "MPI_Win_test", .timed = "MPI_Win_test"},
    {"Win_test_delayed", "one test for the end of an epoch that the others complete late", .like = {&by_first},
     .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, ASSERT, DOPUT, US}, .variant = &(const struct epochs){START_TEST, PUT, ALL_TO_ONE, CLOSE, WAIT, .reports = TARGETS, .late = CLOSE, .who = ORIGINS},
     .moves = MOVES_NOTHING, .routine = "MPI_Win_test", .timed = "MPI_Win_test"},

    /* Locks */
    {"Win_lock", "locking a window", .like = {&by_first}, .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, ASSERT, TYPE, DEST},
     .variant = &(const struct epochs){LOCK, NOTHING, TO_DEST, OPEN, OPEN, .reports = ORIGINS}, .moves = MOVES_NOTHING, .routine = "MPI_Win_lock", .timed = "MPI_Win_lock; MPI_Win_unlock untimed"},
    {"Win_lock_desync", "locking a window, after a computation", .like = {&by_first},
     .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, ASSERT, TYPE, DEST, US}, .variant = &(const struct epochs){LOCK, NOTHING, TO_DEST, OPEN, OPEN, .reports = ORIGINS, .late = OPEN, .who = ORIGINS},
     .moves = MOVES_NOTHING, .routine = "MPI_Win_lock", .timed = "MPI_Win_lock; MPI_Win_unlock untimed"},
    {"Win_unlock", "unlocking a window after a put and a computation", .like = {&by_first},
     .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, ASSERT, TYPE, DEST, DOPUT, US},
     .variant = &(const struct epochs){LOCK, PUT, TO_DEST, CLOSE, CLOSE, .reports = ORIGINS, .late = CLOSE, .who = ORIGINS}, .moves = MOVES_NOTHING, .routine = "MPI_Win_unlock", .timed = "MPI_Win_unlock"},
    {"Win_lock_all", "locking all windows", .like = {&by_all},
     .variant = &(const struct epochs){LOCK_ALL, NOTHING, SHIFT, OPEN, OPEN, .reports = EACH},
     .moves = MOVES_NOTHING, .routine = "MPI_Win_lock_all", .timed = "MPI_Win_lock_all; MPI_Win_unlock_all untimed"},
    {"Win_unlock_all", "unlocking all windows after a put to the next rank", .like = {&by_all}, .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, DOPUT},
     .variant = &(const struct epochs){LOCK_ALL, PUT, SHIFT, CLOSE, CLOSE, .reports = EACH}, .moves = MOVES_NOTHING, .routine = "MPI_Win_unlock_all", .timed = "MPI_Win_unlock_all"},

    /* Put */
    {"Put", "the call of a put alone, between fences", .like = {&by_first},
     .variant = &(const struct epochs){FENCE, PUT, PAIR, OPERATE, OPERATE, .reports = ORIGINS}, .moves = MOVES_NOTHING, .routine = "MPI_Put", .timed = "MPI_Put; fences untimed"},
    {"Put_fence", "put and fence", .like = {&by_all_of_two}, .variant = &(const struct epochs){FENCE, PUT, PAIR, OPERATE, CLOSE, .reports = EACH},
     .moves = MOVES_MESSAGE, .routine = "MPI_Put", .calls = "MPI_Win_fence", .timed = "MPI_Put on rank 0; MPI_Win_fence"},
    {"Put_fence_bidirectional", "puts of two ranks to each other, and fence", .like = {&by_all_of_two},
     .variant = &(const struct epochs){FENCE, PUT, EXCHANGE, OPERATE, CLOSE, .reports = EACH},
     .moves = MOVES_NOTHING, .routine = "MPI_Put", .calls = "MPI_Win_fence", .timed = "MPI_Put on ranks 0 and 1; MPI_Win_fence"},
    {"Put_dedicated", "put and the end of the epoch on both sides", .like = {&by_pair},
     .variant = &(const struct epochs){START_POST, PUT, PAIR, OPERATE, WAIT, .reports = NOBODY},
     .moves = MOVES_MESSAGE, .calls = "MPI_Put MPI_Win_complete MPI_Win_wait", .timed = "rank 0: MPI_Put, MPI_Win_complete; rank 1: MPI_Win_wait"},
    {"Put_passive", "put and unlock", .like = {&by_first},
     .variant = &(const struct epochs){LOCK, PUT, PAIR, OPERATE, CLOSE, .reports = ORIGINS}, .moves = MOVES_MESSAGE, .routine = "MPI_Put", .calls = "MPI_Win_unlock", .timed = "MPI_Put, MPI_Win_unlock"},
    {"Put_passive_concurrent", "all lock the window of rank 0, put and unlock", .like = {&by_all},
     .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, TYPE}, .variant = &(const struct epochs){LOCK, PUT, EACH_TO_ONE, OPEN, CLOSE, .reports = EACH},
     .moves = MOVES_NOTHING, .routine = "MPI_Win_lock", .calls = "MPI_Put MPI_Win_unlock", .timed = "MPI_Win_lock, MPI_Put, MPI_Win_unlock"},
    {"Put_Shift", "put to the rank that is dist ranks further, and fence", .like = {&by_all}, .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, DIST},
     .variant = &(const struct epochs){FENCE, PUT, SHIFT, OPERATE, CLOSE, .reports = EACH}, .moves = MOVES_MESSAGE, .routine = "MPI_Put", .calls = "MPI_Win_fence", .timed = "MPI_Put, MPI_Win_fence"},
    {"Put_Exchange", "puts to the next msgs ranks, and fence", .like = {&by_all}, .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, MSGS},
     .variant = &(const struct epochs){FENCE, PUT, NEIGHBOURS, OPERATE, CLOSE, .reports = EACH}, .moves = MOVES_NOTHING, .calls = "MPI_Put MPI_Win_fence", .timed = "all MPI_Put, MPI_Win_fence"},
    {"Put_Exchange_passive", "puts to the next msgs ranks, whose windows are locked", .like = {&by_all},
     .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, MSGS}, .variant = &(const struct epochs){LOCK, PUT, NEIGHBOURS, OPEN, CLOSE, .reports = EACH},
     .moves = MOVES_NOTHING, .calls = "MPI_Win_lock MPI_Put MPI_Win_unlock", .timed = "all MPI_Win_lock, all MPI_Put, all MPI_Win_unlock"},
    {"onesided_bcast", "broadcast by msgs puts of rank 0 to each other rank, and fence",
     .like = {&by_all_of_two}, .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, MSGS}, .variant = &(const struct epochs){FENCE, PUT, ONE_TO_ALL, OPERATE, CLOSE, .reports = EACH},
     .moves = MOVES_NOTHING, .calls = "MPI_Put MPI_Win_fence", .timed = "all MPI_Put on rank 0; MPI_Win_fence"},
    {"onesided_alltoall", "all-to-all by msgs puts of each rank to each other, and fence", .like = {&by_all},
     .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, MSGS}, .variant = &(const struct epochs){FENCE, PUT, ALL_TO_ALL, OPERATE, CLOSE, .reports = EACH},
     .moves = MOVES_NOTHING, .calls = "MPI_Put MPI_Win_fence", .timed = "all MPI_Put, MPI_Win_fence"},
    {"Combining_Put_fence", "fence after many puts to one rank", .like = {&by_all_of_two}, .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, MSGS},
     .variant = &(const struct epochs){FENCE, PUT, PAIR, CLOSE, CLOSE, .reports = EACH}, .moves = MOVES_NOTHING, .calls = "MPI_Win_fence", .timed = "MPI_Win_fence"},
    {"Combining_Put_dedicated", "the end of an epoch with many puts to one rank", .like = {&by_pair},
     .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, MSGS}, .variant = &(const struct epochs){START_POST, PUT, PAIR, CLOSE, WAIT, .reports = NOBODY},
     .moves = MOVES_NOTHING, .calls = "MPI_Win_complete MPI_Win_wait", .timed = "rank 0: MPI_Win_complete; rank 1: MPI_Win_wait"},
    {"Pingpong_Put_Put", "round trip by puts and fences", .like = {&by_all_of_two},
     .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, ITERATIONS}, .run = WITH_MPI(run_pingpong),
     .variant = &(const struct epochs){FENCE, PUT, EXCHANGE, OPEN, CLOSE, .reports = EACH},
     .moves = MOVES_NOTHING, .routine = "MPI_Put", .calls = "MPI_Win_fence", .timed = "MPI_Put from rank 0 to 1, MPI_Win_fence, MPI_Put back, MPI_Win_fence"},

    /* Get */
    {"Get_callduration", "the call of a get alone, between fences", .like = {&by_first},
     .variant = &(const struct epochs){FENCE, GET, PAIR, OPERATE, OPERATE, .reports = ORIGINS}, .moves = MOVES_NOTHING, .routine = "MPI_Get", .timed = "MPI_Get; fences untimed"},
    {"Get_fence", "get and fence", .like = {&by_all_of_two}, .variant = &(const struct epochs){FENCE, GET, PAIR, OPERATE, CLOSE, .reports = EACH},
     .moves = MOVES_MESSAGE, .routine = "MPI_Get", .calls = "MPI_Win_fence", .timed = "MPI_Get on rank 0; MPI_Win_fence"},
    {"Get_dedicated", "get and the end of the epoch on both sides", .like = {&by_pair},
     .variant = &(const struct epochs){START_POST, GET, PAIR, OPERATE, WAIT, .reports = NOBODY},
     .moves = MOVES_MESSAGE, .calls = "MPI_Get MPI_Win_complete MPI_Win_wait", .timed = "rank 0: MPI_Get, MPI_Win_complete; rank 1: MPI_Win_wait"},
    {"Get_passive", "get and unlock", .like = {&by_first},
     .variant = &(const struct epochs){LOCK, GET, PAIR, OPERATE, CLOSE, .reports = ORIGINS}, .moves = MOVES_MESSAGE, .routine = "MPI_Get", .calls = "MPI_Win_unlock", .timed = "MPI_Get, MPI_Win_unlock"},
    {"Get_Pingpong", "get by rank 0, fence, get by rank 1, fence", .like = {&by_all_of_two}, .run = WITH_MPI(run_pingpong),
     .variant = &(const struct epochs){FENCE, GET, EXCHANGE, OPEN, CLOSE, .reports = EACH},
     .moves = MOVES_NOTHING, .routine = "MPI_Get", .calls = "MPI_Win_fence", .timed = "MPI_Get of rank 0, MPI_Win_fence, MPI_Get of rank 1, MPI_Win_fence"},

    /* Accumulate */
    {"Accumulate", "accumulate and the end of the epoch on both sides", .like = {&by_pair}, .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, OPERATION},
     .variant = &(const struct epochs){START_POST, ACCUMULATE, PAIR, OPERATE, WAIT, .reports = NOBODY},
     .moves = MOVES_NOTHING, .calls = "MPI_Accumulate MPI_Win_complete MPI_Win_wait", .timed = "rank 0: MPI_Accumulate, MPI_Win_complete; rank 1: MPI_Win_wait"},
    {"Accumulate_fence", "accumulate and fence", .like = {&by_all_of_two}, .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, OPERATION},
     .variant = &(const struct epochs){FENCE, ACCUMULATE, PAIR, OPERATE, CLOSE, .reports = EACH},
     .moves = MOVES_MESSAGE, .routine = "MPI_Accumulate", .calls = "MPI_Win_fence", .timed = "MPI_Accumulate on rank 0; MPI_Win_fence"},
    {"Accumulate_passive", "accumulate and unlock", .like = {&by_first}, .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, OPERATION},
     .variant = &(const struct epochs){LOCK, ACCUMULATE, PAIR, OPERATE, CLOSE, .reports = ORIGINS}, .moves = MOVES_MESSAGE, .routine = "MPI_Accumulate", .calls = "MPI_Win_unlock", .timed = "MPI_Accumulate, MPI_Win_unlock"},
    {"Accumulate_concurrent", "accumulates by all others on rank 0, and fence", .like = {&by_all_of_two},
     .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, OPERATION, DISJOINT}, .variant = &(const struct epochs){FENCE, ACCUMULATE, ALL_TO_ONE, OPERATE, CLOSE, .reports = EACH},
     .moves = MOVES_NOTHING, .routine = "MPI_Accumulate", .calls = "MPI_Win_fence", .timed = "MPI_Accumulate on all but rank 0; MPI_Win_fence"},
    {"Accumulate_concurrent_multi", "accumulates around the ring, and fence", .like = {&by_all},
     .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, MSGS, OPERATION}, .variant = &(const struct epochs){FENCE, ACCUMULATE, SHIFT, OPERATE, CLOSE, .reports = EACH},
     .moves = MOVES_NOTHING, .calls = "MPI_Accumulate MPI_Win_fence", .timed = "all MPI_Accumulate, MPI_Win_fence"},
    {"onesided_reduce", "reduction on rank 0 by accumulates of all ranks, and fence", .like = {&by_all},
     .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, OPERATION}, .variant = &(const struct epochs){FENCE, ACCUMULATE, EACH_TO_ONE, OPERATE, CLOSE, EACH, .together = true}, .moves = MOVES_NOTHING, .calls = "MPI_Accumulate MPI_Win_fence", .timed = "MPI_Accumulate, MPI_Win_fence"},
    {"onesided_allreduce", "reduction on all ranks by accumulates of each rank on all, and fence", .like = {&by_all},
     .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, OPERATION}, .variant = &(const struct epochs){FENCE, ACCUMULATE, EACH_TO_ALL, OPERATE, CLOSE, EACH, .together = true}, .moves = MOVES_NOTHING, .calls = "MPI_Accumulate MPI_Win_fence", .timed = "all MPI_Accumulate, MPI_Win_fence"},
    {.name = NULL},
};
/* clang-format on */
