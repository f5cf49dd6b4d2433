/*
 * The collectives of a team, typed and of bytes (...mem). Each in three forms: a row of calls,
 * calls separated by team synchronizations, and one call that all PEs start by the clock.
 */
#include "measurements/common/shapes.h"
#include "measurements/common/team.h"

/* What a routine does with the data: who has which blocks before and after. */
enum exchange {
    BROADCAST, /* all have the root's block, the root itself, too */
    COLLECT,   /* all have the blocks of all */
    ALLTOALL,  /* rank i has the i-th block of everybody */
    REDUCE     /* all have the result of a reduction */
};

enum reduction { AND, OR, XOR, SUM, PROD, MIN, MAX };

#if SKAMPI_SHMEM_1_5
/* n elements; 0 when it went well. */
typedef int call(shmem_team_t team, void *target, const void *source, size_t n, int root);
#endif

struct routine {
#if SKAMPI_SHMEM_1_5
    call *call;
#endif
    enum exchange exchange;
    size_t element; /* bytes; sizeof(double) takes the place of that type in reductions */
    enum reduction reduction;
};

/* Whole elements, so that no call is empty: the size column shows what is really moved. */
static void demand(const struct measurement *function, const struct argument *arguments, int pes,
                   struct demand *demand)
{
    const struct routine *routine = function->variant;
    size_t count = (size_t)argument_value(function, arguments, "count", 0);
    size_t block = (count + routine->element - 1) / routine->element * routine->element;
    bool many = routine->exchange == COLLECT || routine->exchange == ALLTOALL;
    demand->reported = block;
    demand->local = routine->exchange == ALLTOALL ? block * (size_t)pes : block;
    demand->remote = many ? block * (size_t)pes : block;
}

static const char *check(const struct measurement *function, const struct argument *arguments,
                         const struct pe_set *set)
{
    const struct routine *routine = function->variant;
    uint64_t count = (uint64_t)argument_value(function, arguments, "count", 0);
    if (count > SIZE_MAX / 2 / (uint64_t)pe_set_size(set) - routine->element)
        return "count is more than can be addressed, with a block for each PE";
    return team_check(function, arguments, set);
}

#if SKAMPI_SHMEM_1_5

#include <string.h>

/* ---- The routines ---- */

#define CALL(name, ...)                                                                            \
    static int name(shmem_team_t team, void *target, const void *source, size_t n, int root)       \
    {                                                                                              \
        (void)root;                                                                                \
        return __VA_ARGS__;                                                                        \
    }
/* Elements of a strided exchange stand side by side, as in the classic function. */
#define SIDE_BY_SIDE 1

CALL(broadcast, shmem_int_broadcast(team, target, source, n, root))
CALL(collect, shmem_int_collect(team, target, source, n))
CALL(fcollect, shmem_int_fcollect(team, target, source, n))
CALL(alltoall, shmem_int_alltoall(team, target, source, n))
CALL(alltoalls, shmem_int_alltoalls(team, target, source, SIDE_BY_SIDE, SIDE_BY_SIDE, n))
CALL(broadcastmem, shmem_broadcastmem(team, target, source, n, root))
CALL(collectmem, shmem_collectmem(team, target, source, n))
CALL(fcollectmem, shmem_fcollectmem(team, target, source, n))
CALL(alltoallmem, shmem_alltoallmem(team, target, source, n))
CALL(alltoallsmem, shmem_alltoallsmem(team, target, source, SIDE_BY_SIDE, SIDE_BY_SIDE, n))
CALL(reduce_and, shmem_uint_and_reduce(team, target, source, n))
CALL(reduce_or, shmem_uint_or_reduce(team, target, source, n))
CALL(reduce_xor, shmem_uint_xor_reduce(team, target, source, n))
CALL(reduce_sum, shmem_int_sum_reduce(team, target, source, n))
CALL(reduce_prod, shmem_int_prod_reduce(team, target, source, n))
CALL(reduce_min, shmem_int_min_reduce(team, target, source, n))
CALL(reduce_max, shmem_int_max_reduce(team, target, source, n))
CALL(reduce_sum_double, shmem_double_sum_reduce(team, target, source, n))
CALL(reduce_max_double, shmem_double_max_reduce(team, target, source, n))

static int root_of(const struct run *run)
{
    return (int)argument_value(run->function, run->arguments, "root", 0);
}

/* iteration: in the repetition, for the memory that it uses. */
static inline int do_call(struct run *run, const struct routine *routine, int root,
                          int64_t iteration)
{
    return routine->call(team_of(run), run->remote + (size_t)iteration * run->remote_step,
                         run->local + (size_t)iteration * run->local_step,
                         run->demand.reported / routine->element, root);
}

/* ---- The data ---- */

/* Element i is 3 on one rank, 1 on all others. */
static int64_t operand(const struct run *run, int rank, size_t i)
{
    return rank == (int)((i + run->seed) % (size_t)run->size) ? 3 : 1;
}

static int64_t reduced(enum reduction reduction, int size)
{
    int ones = size - 1;
    switch (reduction) {
    case AND:
    case MIN:
        return ones > 0 ? 1 : 3;
    case XOR:
        return ones % 2 > 0 ? 2 : 3;
    case SUM:
        return ones + 3;
    case OR:
    case PROD:
    case MAX:
        break;
    }
    return 3;
}

static void store(void *memory, size_t i, const struct routine *routine, int64_t value)
{
    if (routine->element == sizeof(double))
        ((double *)memory)[i] = (double)value;
    else
        ((int *)memory)[i] = (int)value;
}

static int64_t load(const void *memory, size_t i, const struct routine *routine)
{
    return routine->element == sizeof(double) ? (int64_t)((const double *)memory)[i]
                                              : ((const int *)memory)[i];
}

/* The tag of the block that one rank has for another. */
static int tag(const struct run *run, const struct routine *routine, int from, int to)
{
    return routine->exchange == ALLTOALL ? from * run->size + to : from;
}

static void fill(struct run *run)
{
    const struct routine *routine = run->function->variant;
    size_t block = run->demand.reported, blocks = run->demand.local / block;
    data_poison(run->remote, run->demand.remote);
    if (routine->exchange == REDUCE)
        for (size_t i = 0; i < block / routine->element; i++)
            store(run->local, i, routine, operand(run, run->rank, i));
    else
        for (size_t to = 0; to < blocks; to++)
            pattern_fill(run->local + to * block, block,
                         data_key(run, tag(run, routine, run->rank, (int)to)));
}

static bool verify(struct run *run)
{
    const struct routine *routine = run->function->variant;
    size_t block = run->demand.reported, blocks = run->demand.remote / block;
    int64_t expected = reduced(routine->reduction, run->size);
    bool good = true;
    if (routine->exchange == REDUCE) {
        for (size_t i = 0; i < block / routine->element; i++)
            if (load(run->remote, i, routine) != expected)
                return run_fail(run,
                                "wrong data: element %zu (from byte %zu on) of the result on PE %d "
                                "(rank %d) is %lld and should be %lld",
                                i, i * routine->element, shmem_my_pe(), run->rank,
                                (long long)load(run->remote, i, routine), (long long)expected);
        return true;
    }
    for (size_t i = 0; good && i < blocks; i++) {
        int from = routine->exchange == BROADCAST ? root_of(run) : (int)i;
        good = data_verify(run, "a block of the target", run->remote + i * block, block,
                           tag(run, routine, from, run->rank));
    }
    return good;
}

/* ---- What is timed ---- */

/* An untimed call at each new place makes it warm. */
static void warm(struct run *run)
{
    if (run->demand.remote > 0 && warm_places(run))
        do_call(run, run->function->variant, root_of(run), 0);
}

static double run_calls(struct run *run)
{
    const struct routine *routine = run->function->variant;
    int root = root_of(run);
    warm(run);
    int status = 0;
    int64_t started = run_start(run);
    for (int64_t i = 0; i < run->iterations; i++)
        status |= do_call(run, routine, root, i);
    if (status != 0)
        run_fail(run, "a collective failed on rank %d", run->rank);
    return run_elapsed(run, started, run_stop(run)) / (double)run->iterations;
}

static double run_separated(struct run *run)
{
    const struct routine *routine = run->function->variant;
    shmem_team_t team = team_of(run);
    int root = root_of(run);
    warm(run);
    int status = 0;
    int64_t started = run_start(run);
    for (int64_t i = 0; i < run->iterations; i++) {
        status |= do_call(run, routine, root, i) | shmem_team_sync(team);
    }
    if (status != 0)
        run_fail(run, "a collective failed on rank %d", run->rank);
    return run_elapsed(run, started, run_stop(run)) / (double)run->iterations;
}

static double syncs_alone(struct run *run)
{
    shmem_team_t team = team_of(run);
    int64_t start = timer_now();
    for (int64_t i = 0; i < run->iterations; i++)
        shmem_team_sync(team);
    return run_elapsed(run, start, timer_now()) / (double)run->iterations;
}

#define ROUTINE(...)                                                                               \
    &(const struct routine)                                                                        \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#else
#define ROUTINE(call, ...)                                                                         \
    &(const struct routine)                                                                        \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#endif

/* clang-format off */
#define COUNT {"count", PARAMETER_INT, "bytes", "data in each PE's block, rounded up to complete elements", .size = true, .minimum = 1, .example = "1024"}
/* clang-format on */
#define COMMON                                                                                     \
    ON_TEAM(check), .who = "all", .demand = demand, .setup = WITH_SHMEM_1_5(team_set_up),          \
                    .fill = WITH_SHMEM_1_5(fill), .verify = WITH_SHMEM_1_5(verify)

/* clang-format off */
/* The three forms of a routine; ...: its further parameters. */
#define FORMS(name, what, called, moved, cost_of_one, how, ...)                                               \
    {name "_Consecutive", what ", in a row", COMMON, .moves = moved, .parameters = {ITERATIONS, COUNT __VA_ARGS__},\
     .run = WITH_SHMEM_1_5(run_calls), .timing = TIMING_WHOLE, .timed = "the collective",                   \
     .routine = called, .variant = how},                                                                          \
    {name "_Barrier", what ", each followed by a team_sync", COMMON, .moves = moved,                               \
     .parameters = {ITERATIONS, COUNT __VA_ARGS__}, .run = WITH_SHMEM_1_5(run_separated),          \
     .timing = TIMING_PARTS, .reference = WITH_SHMEM_1_5(syncs_alone), .calls = "shmem_team_sync", .timed = "the collective + team_sync",              \
     .subtracted = "a team_sync, measured alone", .routine = called, .variant = how},                             \
    {name "_Synchro", "one " what ", all PEs starting by the clock", COMMON, .moves = moved,                       \
     .parameters = {COUNT __VA_ARGS__}, .run = WITH_SHMEM_1_5(run_calls), .timing = TIMING_WHOLE,           \
     .timed = "the collective", .cost = cost_of_one, .routine = called, .variant = how}
/* clang-format on */
#define OF_INT(call, exchange) ROUTINE(call, exchange, sizeof(int), 0)
#define OF_BYTES(call, exchange) ROUTINE(call, exchange, 1, 0)
#define REDUCTION(call, operation, type) ROUTINE(call, REDUCE, sizeof(type), operation)

/* clang-format off */
const struct measurement measurements_team_collective[] = {
    FORMS("Shmem_Team_Broadcast", "broadcast of ints in a team", "shmem_int_broadcast", MOVES_TO_ALL, "broadcast", OF_INT(broadcast, BROADCAST), , ROOT),
    FORMS("Shmem_Team_Collect", "collect of ints in a team", "shmem_int_collect", MOVES_BLOCKS, "collect", OF_INT(collect, COLLECT)),
    FORMS("Shmem_Team_Fcollect", "fcollect of ints in a team", "shmem_int_fcollect", MOVES_BLOCKS, "fcollect", OF_INT(fcollect, COLLECT)),
    FORMS("Shmem_Team_Alltoall", "alltoall of ints in a team", "shmem_int_alltoall", MOVES_BLOCKS, "alltoall", OF_INT(alltoall, ALLTOALL)),
    FORMS("Shmem_Team_Alltoalls", "alltoalls of ints in a team", "shmem_int_alltoalls", MOVES_BLOCKS, "alltoalls", OF_INT(alltoalls, ALLTOALL)),
    FORMS("Shmem_Team_Reduce_And", "and of unsigned ints in a team", "shmem_uint_and_reduce", MOVES_REDUCED, "reduce", REDUCTION(reduce_and, AND, int)),
    FORMS("Shmem_Team_Reduce_Or", "or of unsigned ints in a team", "shmem_uint_or_reduce", MOVES_REDUCED, "reduce", REDUCTION(reduce_or, OR, int)),
    FORMS("Shmem_Team_Reduce_Xor", "xor of unsigned ints in a team", "shmem_uint_xor_reduce", MOVES_REDUCED, "reduce", REDUCTION(reduce_xor, XOR, int)),
    FORMS("Shmem_Team_Reduce_Sum", "sum of ints in a team", "shmem_int_sum_reduce", MOVES_REDUCED, "reduce", REDUCTION(reduce_sum, SUM, int)),
    FORMS("Shmem_Team_Reduce_Prod", "product of ints in a team", "shmem_int_prod_reduce", MOVES_REDUCED, "reduce", REDUCTION(reduce_prod, PROD, int)),
    FORMS("Shmem_Team_Reduce_Min", "minimum of ints in a team", "shmem_int_min_reduce", MOVES_REDUCED, "reduce", REDUCTION(reduce_min, MIN, int)),
    FORMS("Shmem_Team_Reduce_Max", "maximum of ints in a team", "shmem_int_max_reduce", MOVES_REDUCED, "reduce", REDUCTION(reduce_max, MAX, int)),
    FORMS("Shmem_Team_Reduce_Sum_Double", "sum of doubles in a team", "shmem_double_sum_reduce", MOVES_REDUCED, "reduce", REDUCTION(reduce_sum_double, SUM, double)),
    FORMS("Shmem_Team_Reduce_Max_Double", "maximum of doubles in a team", "shmem_double_max_reduce", MOVES_REDUCED, "reduce", REDUCTION(reduce_max_double, MAX, double)),
    FORMS("Shmem_Broadcastmem", "broadcast of bytes in a team", "shmem_broadcastmem", MOVES_TO_ALL, "broadcast", OF_BYTES(broadcastmem, BROADCAST), , ROOT),
    FORMS("Shmem_Collectmem", "collect of bytes in a team", "shmem_collectmem", MOVES_BLOCKS, "collect", OF_BYTES(collectmem, COLLECT)),
    FORMS("Shmem_Fcollectmem", "fcollect of bytes in a team", "shmem_fcollectmem", MOVES_BLOCKS, "fcollect", OF_BYTES(fcollectmem, COLLECT)),
    FORMS("Shmem_Alltoallmem", "alltoall of bytes in a team", "shmem_alltoallmem", MOVES_BLOCKS, "alltoall", OF_BYTES(alltoallmem, ALLTOALL)),
    FORMS("Shmem_Alltoallsmem", "alltoalls of bytes in a team", "shmem_alltoallsmem", MOVES_BLOCKS, "alltoalls", OF_BYTES(alltoallsmem, ALLTOALL)),
    {.name = NULL},
};
/* clang-format on */
