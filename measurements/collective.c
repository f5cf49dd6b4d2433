/*
 * Barrier and broadcast. The broadcast in five ways that answer different questions: separated by
 * barriers, started by the clock, in rounds, and acknowledged (de Supinski & Karonis, HPDC 1999;
 * algorithms 1 to 5 of Coti & Malony, section 3.2, with the corrections of method.md section 7).
 */
#include "measurements/shapes.h"

#if SKAMPI_SHMEM

#include <math.h>
#include <shmem.h>
#include <stdlib.h>
#include <string.h>

#define ELEMENT 4 /* of shmem_broadcast32 */
/* Consecutive calls use these in turn: the first must be restored before it is used again. */
#define SYNC_ARRAYS 2
#define ROUND_TRIPS 10
#define ROUND_TRIP_SAMPLES 5
#define SYNC_LONGS                                                                                 \
    (SHMEM_BCAST_SYNC_SIZE > SHMEM_BARRIER_SYNC_SIZE ? SHMEM_BCAST_SYNC_SIZE                       \
                                                     : SHMEM_BARRIER_SYNC_SIZE)

/* Symmetric. */
struct sync {
    long broadcast[SYNC_ARRAYS][SYNC_LONGS];
    long barrier[SYNC_ARRAYS][SYNC_LONGS];
    long counter; /* of acknowledgments; only grows */
};

struct collective_state {
    int start, log_stride; /* active set */
    bool world;
    long broadcasts, barriers; /* done so far, to alternate the arrays */
    long expected;             /* of this PE's counter */
    int *tasks;                /* ranks that acknowledge; rank 0 ... as set_sk_tasks says */
    int task_count;
};

static struct sync *sync_of(const struct run *run)
{
    return (struct sync *)(void *)run->scratch;
}

static bool set_up(struct run *run)
{
    struct collective_state *state = run->state;
    struct sync *sync = sync_of(run);
    pe_set_active(run->set, &state->start, &state->log_stride);
    state->world = run->size == shmem_n_pes();
    for (int array = 0; array < SYNC_ARRAYS; array++)
        for (int i = 0; i < SYNC_LONGS; i++)
            sync->broadcast[array][i] = sync->barrier[array][i] = SHMEM_SYNC_VALUE;
    run_barrier(run);
    return true;
}

static inline void barrier(struct run *run, struct collective_state *state)
{
    if (state->world)
        shmem_barrier_all();
    else
        shmem_barrier(state->start, state->log_stride, run->size,
                      sync_of(run)->barrier[state->barriers++ % SYNC_ARRAYS]);
}

/* iteration: in the repetition, for the memory that it uses. */
static inline void broadcast(struct run *run, struct collective_state *state, int root,
                             int64_t iteration)
{
    shmem_broadcast32(run->remote + (size_t)iteration * run->remote_step,
                      run->local + (size_t)iteration * run->local_step, run->demand.local / ELEMENT,
                      root, state->start, state->log_stride, run->size,
                      sync_of(run)->broadcast[state->broadcasts++ % SYNC_ARRAYS]);
}

/* ---- Barrier ---- */

static double run_barriers(struct run *run)
{
    int64_t started = run_start(run);
    for (int64_t i = 0; i < run->iterations; i++)
        barrier(run, run->state);
    return run_elapsed(run, started, run_stop(run)) / (double)run->iterations;
}

/* ---- Broadcast ---- */

static int root_of(const struct run *run)
{
    for (size_t i = 0; i < measurement_parameter_count(run->function); i++)
        if (run->function->parameters[i].type == PARAMETER_RANK)
            return (int)run->arguments[i].integer;
    return 0;
}

static bool check_broadcast(struct run *run, int root)
{
    size_t bytes = run->demand.local;
    pattern_fill(run->local, bytes, run->rank);
    memset(run->remote, 0, bytes);
    run_barrier(run);
    broadcast(run, run->state, root, 0);
    run_barrier(run);
    if (run->rank != root && !pattern_check(run->remote, bytes, root))
        return run_fail(run, "rank %d did not receive what rank %d broadcast", run->rank, root);
    return true;
}

static bool set_up_broadcast(struct run *run)
{
    return set_up(run) && check_broadcast(run, root_of(run));
}

static bool set_up_rounds(struct run *run)
{
    bool good = set_up(run);
    for (int root = 0; root < run->size; root++)
        good = check_broadcast(run, root) && good;
    return good;
}

static double run_broadcast_barrier(struct run *run)
{
    int root = root_of(run);
    int64_t started = run_start(run);
    for (int64_t i = 0; i < run->iterations; i++) {
        broadcast(run, run->state, root, i);
        barrier(run, run->state);
    }
    return run_elapsed(run, started, run_stop(run)) / (double)run->iterations;
}

static double barriers_alone(struct run *run)
{
    int64_t start = timer_now();
    for (int64_t i = 0; i < run->iterations; i++)
        barrier(run, run->state);
    return run_elapsed(run, start, timer_now()) / (double)run->iterations;
}

static double run_broadcast_synchro(struct run *run)
{
    int root = root_of(run);
    int64_t started = run_start(run);
    broadcast(run, run->state, root, 0);
    return run_elapsed(run, started, run_stop(run));
}

static double run_broadcast_rounds(struct run *run)
{
    int64_t started = run_start(run);
    for (int64_t i = 0; i < run->iterations; i++)
        for (int root = 0; root < run->size; root++)
            broadcast(run, run->state, root, i);
    return run_elapsed(run, started, run_stop(run)) / (double)run->iterations / run->size;
}

/* ---- Broadcast, acknowledged ---- */

/* Ranks that acknowledge: all but the root, or the first, the last and some at random. The same on
 * all ranks, from a generator of our own, seeded by nothing that could differ. */
static bool set_up_acknowledged(struct run *run)
{
    struct collective_state *state = run->state;
    if (!set_up_broadcast(run))
        return false;
    int root = root_of(run), others = run->size - 1, wanted = run->settings->sk_tasks;
    int *tasks = calloc((size_t)others + 1, sizeof *tasks);
    if (!tasks)
        return run_fail(run, "out of memory");
    for (int rank = 0, i = 0; rank < run->size; rank++)
        if (rank != root)
            tasks[i++] = rank;
    state->tasks = tasks;
    state->task_count = others;
    if (wanted <= 0 || wanted >= others)
        return true;
    uint32_t random = 12345;
    int fixed = wanted > 1 ? 2 : 1; /* the last and, when there is room, the first */
    int swap = tasks[1];
    tasks[1] = tasks[others - 1];
    tasks[others - 1] = swap;
    if (fixed == 1)
        tasks[0] = tasks[1];
    for (int i = fixed; i < wanted; i++) {
        random = random * 1664525u + 1013904223u; /* Numerical Recipes' quick generator */
        int other = i + (int)(random >> 8) % (others - i);
        swap = tasks[i];
        tasks[i] = tasks[other];
        tasks[other] = swap;
    }
    state->task_count = wanted;
    run_note(run, "%d of %d ranks acknowledge (set_sk_tasks)", wanted, others);
    return true;
}

static void tear_down_acknowledged(struct run *run)
{
    free(((struct collective_state *)run->state)->tasks);
}

/* A fetching operation: a non-fetching one may return before it takes effect. */
static void acknowledge(struct run *run, int rank)
{
    shmem_long_atomic_fetch_inc(&sync_of(run)->counter, pe_set_member(run->set, rank));
}

static void await(struct run *run, struct collective_state *state)
{
    shmem_long_wait_until(&sync_of(run)->counter, SHMEM_CMP_GE, ++state->expected);
}

/* Seconds for an acknowledgment from the root to the task and one back: the median of some means,
 * since one interruption would spoil the mean of all. On the root; NaN elsewhere. */
static double round_trip(struct run *run, struct collective_state *state, int root, int task)
{
    double samples[ROUND_TRIP_SAMPLES];
    for (int sample = 0; sample < ROUND_TRIP_SAMPLES; sample++) {
        int64_t start = timer_now();
        for (int i = 0; i < ROUND_TRIPS; i++) {
            if (run->rank == root) {
                acknowledge(run, task);
                await(run, state);
            } else if (run->rank == task) {
                await(run, state);
                acknowledge(run, root);
            }
        }
        int64_t stop = timer_now();
        samples[sample] = run->rank == root ? run_elapsed(run, start, stop) / ROUND_TRIPS : NAN;
    }
    for (int i = 1; i < ROUND_TRIP_SAMPLES; i++)
        for (int j = i; j > 0 && samples[j] < samples[j - 1]; j--) {
            double swap = samples[j];
            samples[j] = samples[j - 1];
            samples[j - 1] = swap;
        }
    return samples[ROUND_TRIP_SAMPLES / 2];
}

/* The time until the task has the data, for the slowest task: timed at the root from its call to
 * the task's acknowledgment, less half a round trip. O(tasks x iterations) broadcasts. */
static double run_broadcast_acknowledged(struct run *run)
{
    struct collective_state *state = run->state;
    int root = root_of(run);
    double slowest = NAN;
    run_start(run);
    for (int i = 0; i < state->task_count; i++) {
        int task = state->tasks[i];
        double trip = round_trip(run, state, root, task);
        broadcast(run, state, root, 0); /* warms up and lines up */
        if (run->rank == task)
            acknowledge(run, root);
        if (run->rank == root)
            await(run, state);
        int64_t start = timer_now();
        for (int64_t k = 0; k < run->iterations; k++) {
            broadcast(run, state, root, k);
            if (run->rank == task)
                acknowledge(run, root);
            if (run->rank == root)
                await(run, state);
        }
        double seconds = run_elapsed(run, start, timer_now()) / (double)run->iterations - trip / 2;
        slowest = fmax(slowest, seconds);
    }
    run_stop(run);
    return run->rank == root ? slowest : NAN;
}

#define SCRATCH sizeof(struct sync)
#define STATE sizeof(struct collective_state)

#else
#define SCRATCH 0
#define STATE 0
#define ELEMENT 4
#endif

static void demand_sync(const struct measurement *function, const struct argument *arguments,
                        int pes, struct demand *demand)
{
    (void)function;
    (void)arguments;
    (void)pes;
    demand->scratch = SCRATCH;
}

/* Whole elements, so that no call is empty: the size column shows what is really moved. */
static void demand_broadcast(const struct measurement *function, const struct argument *arguments,
                             int pes, struct demand *demand)
{
    demand_sync(function, arguments, pes, demand);
    for (size_t i = 0; i < measurement_parameter_count(function); i++)
        if (function->parameters[i].type == PARAMETER_INT)
            demand->local = demand->remote = demand->reported =
                ((size_t)arguments[i].integer + ELEMENT - 1) / ELEMENT * ELEMENT;
}

static const char *check_active(const struct measurement *function,
                                const struct argument *arguments, const struct pe_set *set)
{
    (void)function;
    (void)arguments;
    int start, log_stride;
    return pe_set_active(set, &start, &log_stride)
               ? NULL
               : "OpenSHMEM collectives need an active set: PEs in ascending order with a constant "
                 "distance that is a power of two";
}

/* clang-format off */
#define COUNT_ELEMENTS {"count", PARAMETER_INT, "bytes", "broadcast, rounded up to whole 4-byte elements", 1}
/* clang-format on */
#define COMMON                                                                                     \
    .api = API_OPENSHMEM, .synchronized = true, .check = check_active, .state_bytes = STATE
#define BARRIER                                                                                    \
    .demand = demand_sync, .setup = WITH_SHMEM(set_up), .run = WITH_SHMEM(run_barriers),           \
    .whole = true, .timed = "barrier", .who = "all", .cost = "barrier"

const struct measurement measurements_collective[] = {
    {"Shmem_Barrier", "one barrier", COMMON, BARRIER},
    {"Shmem_Barrier_Consecutive", "barriers in a row", COMMON, BARRIER, .parameters = {ITERATIONS}},
    {"Shmem_Bcast_All", "broadcast, each followed by a barrier", COMMON,
     .parameters = {ITERATIONS, COUNT_ELEMENTS, ROOT}, .demand = demand_broadcast,
     .setup = WITH_SHMEM(set_up_broadcast), .run = WITH_SHMEM(run_broadcast_barrier),
     .reference = WITH_SHMEM(barriers_alone), .timed = "broadcast + barrier",
     .subtracted = "a barrier, measured alone", .who = "all"},
    {"Shmem_Bcast_All_Synchro", "one broadcast, all PEs starting by the clock", COMMON,
     .parameters = {COUNT_ELEMENTS, ROOT}, .demand = demand_broadcast,
     .setup = WITH_SHMEM(set_up_broadcast), .run = WITH_SHMEM(run_broadcast_synchro), .whole = true,
     .timed = "broadcast", .who = "all", .cost = "broadcast"},
    {"Shmem_Bcast_All_Rounds", "broadcasts, each PE being the root in turn", COMMON,
     .parameters = {ITERATIONS, COUNT_ELEMENTS}, .demand = demand_broadcast,
     .setup = WITH_SHMEM(set_up_rounds), .run = WITH_SHMEM(run_broadcast_rounds),
     .timed = "broadcasts, divided by their number; they may overlap", .who = "all"},
    {"Shmem_Bcast_All_SK", "broadcast until the last PE has the data, by acknowledgments", COMMON,
     .parameters = {ITERATIONS, COUNT_ELEMENTS, ROOT}, .minimum_pes = 2, .demand = demand_broadcast,
     .setup = WITH_SHMEM(set_up_acknowledged), .run = WITH_SHMEM(run_broadcast_acknowledged),
     .teardown = WITH_SHMEM(tear_down_acknowledged),
     .timed = "broadcast + acknowledgment of one PE, for each PE; the slowest counts",
     .subtracted = "half a round trip of acknowledgments", .who = "root"},
};
const size_t measurements_collective_count = MEASUREMENT_COUNT(measurements_collective);
