/*
 * Operations of OpenSHMEM under load: put, get, atomic, barrier and reduction of some PEs while the
 * others flood the network or the memory.
 *
 * Each repetition times a single operation, so that percentiles are those of operations.
 */
#include "measurements/common/aggressors.h"
#include "measurements/common/collective.h"

static bool is_collective(const struct run *run)
{
    return ((const struct victim *)run->function->variant)->part == VICTIMS_TOGETHER;
}

static const char *check(const struct run *run)
{
    const char *refused = load_check(run);
    if (refused || !is_collective(run))
        return refused;
    if (run_integer(run, "count", 0) / (int64_t)sizeof(long) >= INT_MAX)
        return "count is too large for the routine, which counts elements in an int";
    return collective_refused_set(run->set);
}

/* Symmetric memory: words that tell, the word of atomics, then the arrays of collectives. */
#define WORDS_BYTES ((LOAD_WORDS + 1) * LINE)

static void demand(struct run *run)
{
    load_demand(run);
    size_t elements = run->demand.reported / sizeof(long);
    run->demand.scratch = WORDS_BYTES;
    if (is_collective(run))
        run->demand.scratch +=
            active_set_bytes() + 2 * collective_work_elements(elements) * sizeof(long);
}

#if SKAMPI_SHMEM

#include <shmem.h>

struct load_state {
    struct load load;
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

static void operate(struct run *run, enum load_action action)
{
    struct load_state *state = state_of(run);
    if (action == LOAD_BARRIER)
        active_set_barrier(&state->victims);
    else
        active_set_sum_longs(&state->victims, (long *)(void *)run->remote,
                             (const long *)(const void *)run->local,
                             (int)(run->demand.reported / sizeof(long)), state->work);
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

static const struct load_routines routines = {operate, flood, complete, tell, told};

/* ---- Set-up ---- */

static bool set_up(struct run *run)
{
    struct load_state *state = state_of(run);
    if (!load_open(run))
        return false;
    if (is_collective(run))
        state->victims = active_set_open(run, state->load.victims, run->scratch + WORDS_BYTES);
    state->load.pair.word = LOAD_WORDS * LINE;
    state->work = (long *)(void *)(run->scratch + WORDS_BYTES + active_set_bytes());
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
    .setup = WITH_SHMEM(set_up), .fill = load_fill, .verify = load_verify, .run = WITH_SHMEM(run_loaded), .teardown = load_tear_down};

const struct measurement measurements_load[] = {
    {"Shmem_Put_Under_Load", "put from rank 0 to rank 1 while the other ranks flood", .routine = "shmem_put", .calls = "shmem_quiet", .like = {&loaded}, .variant = &(const struct victim){VICTIM_ALONE, LOAD_PUT}, .who = "rank 0",
     .parameters = {COUNT_BYTES, AGGRESSORS, FLOOD}, .moves = MOVES_MESSAGE, .timed = "one put + quiet",
     .cost = "post + wire + quiet"},
    {"Shmem_Get_Under_Load", "get by rank 0 from rank 1 while the other ranks flood", .routine = "shmem_get", .like = {&loaded}, .variant = &(const struct victim){VICTIM_ALONE, LOAD_GET}, .who = "rank 0",
     .parameters = {COUNT_BYTES, AGGRESSORS, FLOOD}, .moves = MOVES_MESSAGE, .timed = "one get", .cost = "post + wire"},
    {"Shmem_Atomic_Fetch_Add_Long_Under_Load", "fetching atomic by rank 0 on rank 1 while the other ranks flood", .routine = "shmem_long_atomic_fetch_add",
     .like = {&loaded}, .variant = &(const struct victim){VICTIM_ALONE, LOAD_FETCH_ADD}, .who = "rank 0", .parameters = {AGGRESSORS, FLOOD}, .moves = MOVES_MESSAGE, .timed = "one fetch-and-add", .cost = "fetch"},
    {"Shmem_Barrier_Under_Load", "barrier of the first ranks while the others flood", .routine = "shmem_barrier_all shmem_barrier", .like = {&loaded}, .variant = &(const struct victim){VICTIMS_TOGETHER, LOAD_BARRIER}, .who = "the victims",
     .parameters = {VICTIMS, AGGRESSORS, FLOOD}, .moves = MOVES_NOTHING, .timed = "one barrier, after another one", .cost = "barrier"},
    {"Shmem_Reduce_Sum_Long_Under_Load", "sum of longs over the first ranks while the others flood", .routine = "shmem_long_sum_to_all",
     .like = {&loaded}, .variant = &(const struct victim){VICTIMS_TOGETHER, LOAD_SUM}, .who = "the victims", .parameters = {COUNT_IN("longs"), VICTIMS, AGGRESSORS, FLOOD},
     .moves = MOVES_REDUCED, .timed = "one reduction, after another one", .cost = "reduce"},
    {.name = NULL},
};
/* clang-format on */
