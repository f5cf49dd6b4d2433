/*
 * Operations of OpenSHMEM under load: put, get, atomic, barrier and reduction of some PEs while the
 * others flood the network or the memory.
 *
 * Each repetition times a single operation, so that percentiles are those of operations.
 */
#include "measurements/common/aggressors.h"
#include "measurements/common/collective.h"
#include "measurements/common/pair_operation.h"

enum action { PUT, GET, FETCH_ADD, BARRIER, SUM };

struct victim {
    enum victims_part part;
    enum action action;
};

static enum action action_of(const struct run *run)
{
    return ((const struct victim *)run->function->variant)->action;
}

static bool is_collective(enum action action)
{
    return action == BARRIER || action == SUM;
}

static const enum pair_action pair_actions[] = {
    [PUT] = PAIR_PUT, [GET] = PAIR_GET, [FETCH_ADD] = PAIR_FETCH_ADD};

static const char *check(const struct run *run)
{
    const char *refused = load_check(run);
    if (refused || !is_collective(action_of(run)))
        return refused;
    if (run_integer(run, "count", 0) / (int64_t)sizeof(long) >= INT_MAX)
        return "count is too large for the routine, which counts elements in an int";
    return collective_refused_set(run->set);
}

/* Symmetric memory: words that tell, the word of atomics, then the arrays of collectives. */
#define WORDS_BYTES ((LOAD_WORDS + 1) * LINE)

static void demand(struct run *run)
{
    enum action action = action_of(run);
    if (!is_collective(action))
        pair_demand(run, pair_actions[action]);
    if (action == SUM)
        data_demand_bytes(run, ROUND_UP((size_t)run_argument(run, "count")->integer, sizeof(long)));
    run->demand.scratch = WORDS_BYTES;
    size_t elements = run->demand.reported / sizeof(long);
    if (is_collective(action))
        run->demand.scratch += active_set_bytes();
    if (action == SUM)
        run->demand.scratch += 2 * collective_work_elements(elements) * sizeof(long);
    load_demand(run);
}

#if SKAMPI_SHMEM

#include <shmem.h>

struct load_state {
    struct load load;
    struct pair_operation pair;
    struct active_set victims;
    long *work;
};

static struct load_state *state_of(const struct run *run)
{
    return run->state;
}

static long *word_of(const struct run *run, enum load_word word)
{
    return (long *)(void *)(run->scratch + (size_t)word * LINE);
}

/* ---- The victims ---- */

static void operate(struct run *run, bool timed)
{
    struct load_state *state = state_of(run);
    switch (action_of(run)) {
    case PUT:
    case GET:
    case FETCH_ADD:
        pair_operate(run, &state->pair, timed);
        break;
    case BARRIER:
        active_set_barrier(&state->victims);
        break;
    case SUM:
        active_set_sum_longs(&state->victims, (long *)(void *)run->remote,
                             (const long *)(const void *)run->local,
                             (int)(run->demand.reported / sizeof(long)), state->work);
        break;
    }
}

static void fill(struct run *run)
{
    enum action action = action_of(run);
    if (action == SUM)
        load_sum_fill(run, run->local, run->remote);
    else if (action != BARRIER)
        pair_fill(run, &state_of(run)->pair);
    load_fill(run, run->remote);
}

static bool verify(struct run *run)
{
    enum action action = action_of(run);
    bool right = true;
    if (action == SUM)
        right = load_sum_verify(run, run->remote);
    else if (action != BARRIER)
        right = pair_verify(run, &state_of(run)->pair);
    return right && load_verify(run, run->remote);
}

/* ---- The aggressors ---- */

static void flood(struct run *run, const struct flood *flood)
{
    if (flood->flooding == FLOOD_PUT)
        shmem_putmem_nbi(run->remote + flood->there, run->local + flood->here, flood->bytes,
                         flood->pe);
    else
        shmem_getmem_nbi(run->local + flood->here, run->remote + flood->there, flood->bytes,
                         flood->pe);
}

static void complete(struct run *run, const struct flood *flood)
{
    (void)run;
    (void)flood;
    shmem_quiet();
}

static void tell(struct run *run, int rank, enum load_word word)
{
    shmem_long_atomic_inc(word_of(run, word), pe_set_member(run->set, rank));
}

static bool told(struct run *run, enum load_word word, long times)
{
    if (shmem_long_test(word_of(run, word), SHMEM_CMP_GE, times))
        return true;
    run_idle(0); /* a test alone makes no progress in some libraries */
    return false;
}

static const struct load_routines routines = {.operate = operate,
                                              .flood = flood,
                                              .complete = complete,
                                              .tell = tell,
                                              .told = told,
                                              .meet = run_barrier};

/* ---- Set-up ---- */

static bool set_up(struct run *run)
{
    struct load_state *state = state_of(run);
    enum action action = action_of(run);
    load_open(run);
    if (is_collective(action))
        state->victims = active_set_open(run, state->load.victims, run->scratch + WORDS_BYTES);
    else
        state->pair = pair_open(run, pair_actions[action]);
    state->pair.word = LOAD_WORDS * LINE;
    state->work = (long *)(void *)(run->scratch + WORDS_BYTES + active_set_bytes());
    if (action == SUM && !load_sum_possible(run, run->local, run->remote))
        return false;
    run_barrier(run);
    return true;
}

static double run_loaded(struct run *run)
{
    return load_run(run, &routines);
}

#endif

/* clang-format off */
static const struct measurement loaded = {
    .api = API_OPENSHMEM, .minimum_pes = 2, .check = check, .demand = demand, SHMEM_STATE(struct load_state),
    .setup = WITH_SHMEM(set_up), .fill = WITH_SHMEM(fill), .verify = WITH_SHMEM(verify),
    .run = WITH_SHMEM(run_loaded), .teardown = WITH_SHMEM(load_note)};

const struct measurement measurements_load[] = {
    {"Shmem_Put_Under_Load", "put from rank 0 to rank 1 while the other ranks flood", .routine = "shmem_put", .calls = "shmem_quiet", .like = {&loaded}, .variant = &(const struct victim){VICTIM_ALONE, PUT}, .who = "rank 0",
     .parameters = {COUNT_BYTES, AGGRESSORS, FLOOD}, .moves = MOVES_MESSAGE, .timed = "one put + quiet",
     .cost = "post + wire + quiet"},
    {"Shmem_Get_Under_Load", "get by rank 0 from rank 1 while the other ranks flood", .routine = "shmem_get", .like = {&loaded}, .variant = &(const struct victim){VICTIM_ALONE, GET}, .who = "rank 0",
     .parameters = {COUNT_BYTES, AGGRESSORS, FLOOD}, .moves = MOVES_MESSAGE, .timed = "one get", .cost = "post + wire"},
    {"Shmem_Atomic_Fetch_Add_Long_Under_Load", "fetching atomic by rank 0 on rank 1 while the other ranks flood", .routine = "shmem_long_atomic_fetch_add",
     .like = {&loaded}, .variant = &(const struct victim){VICTIM_ALONE, FETCH_ADD}, .who = "rank 0", .parameters = {AGGRESSORS, FLOOD}, .moves = MOVES_MESSAGE, .timed = "one fetch-and-add", .cost = "fetch"},
    {"Shmem_Barrier_Under_Load", "barrier of the first ranks while the others flood", .routine = "shmem_barrier_all shmem_barrier", .like = {&loaded}, .variant = &(const struct victim){VICTIMS_TOGETHER, BARRIER}, .who = "the victims",
     .parameters = {VICTIMS, AGGRESSORS, FLOOD}, .moves = MOVES_NOTHING, .timed = "one barrier, after another one", .cost = "barrier"},
    {"Shmem_Reduce_Sum_Long_Under_Load", "sum of longs over the first ranks while the others flood", .routine = "shmem_long_sum_to_all",
     .like = {&loaded}, .variant = &(const struct victim){VICTIMS_TOGETHER, SUM}, .who = "the victims", .parameters = {COUNT_IN("longs"), VICTIMS, AGGRESSORS, FLOOD},
     .moves = MOVES_REDUCED, .timed = "one reduction, after another one", .cost = "reduce"},
    {.name = NULL},
};
/* clang-format on */
