/*
 * Broadcast in six ways that answer different questions: the three of every collective routine, in
 * rounds, and acknowledged, without and with a pause (de Supinski & Karonis, HPDC 1999; algorithms
 * 1 to 5 of Coti & Malony, section 3.2, with the corrections of method.md section 7).
 */
#include "measurements/common/collective.h"

#define ELEMENT 4 /* of shmem_broadcast32 */
/* Broadcasts to each task in a row, where the script leaves it to the engine: the method is about
 * the mean of many, and each row costs a round trip and a warm-up. */
#define FEWEST_ACKNOWLEDGED 20

struct broadcast_state {
    struct collective_state collective; /* first: the common hooks find it there */
    long expected;                      /* of this PE's counter of acknowledgments */
    int *tasks;                         /* ranks that acknowledge, as set_sk_tasks says */
    int task_count;
    double pause; /* seconds between two broadcasts */
    double pause_overhead;
};

#if SKAMPI_SHMEM

#include <math.h>
#include <shmem.h>

#define ROUND_TRIPS 4
#define ROUND_TRIP_SAMPLES 5
/* Pauses last this many times a broadcast, so that all others wait for the next one. */
#define PAUSE_FACTOR 2

static void call_broadcast(const struct collective_call *c)
{
    shmem_broadcast32(c->target, c->source, c->elements, c->root, c->start, c->log_stride, c->size,
                      c->sync);
}

static void fill(const struct collective_call *call)
{
    pattern_fill(call->source, call->elements * ELEMENT, data_key(call->run, call->rank));
}

/* The root's own target is not touched. */
static bool check(const struct collective_call *call)
{
    size_t bytes = call->elements * ELEMENT;
    return call->rank == call->root
               ? data_verify_untouched(call->run, "the root's own target", call->target, bytes)
               : data_verify(call->run, "the target", call->target, bytes, call->root);
}

/* The place in memory of a timed operation that comes after `operations` others of the repetition.
 * Place 0 is for untimed operations. */
static int64_t place_of(const struct run *run, int64_t operations)
{
    return (int64_t)((size_t)(operations + 1) % run->places);
}

static int64_t rounds_of(const struct run *run)
{
    return run->size;
}

/* ---- In rounds ---- */

/* Each root's data arrive; after a repetition, that can be seen of the last ones only. A broadcast
 * that has returned on this PE has finished here, so that one barrier for each root is enough: many
 * PEs that share processors take long for more. */
static bool set_up_rounds(struct run *run)
{
    const struct collective_state *state = run->state;
    bool good = collective_set_up(run), right = true;
    for (int root = 0; good && root < run->size; root++) {
        collective_fill(run);
        run_barrier(run);
        collective_do(run, root, 0);
        right = check(&state->call) && right;
    }
    return good && run_max(run, !right) == 0;
}

/* Where each broadcast has a place of its own, this looks at the place of the last one. The last
 * rank is its root, so nobody may have written to the root's own target there, unless an earlier
 * broadcast with another root had the same place. */
static bool verify_cold_rounds(struct run *run)
{
    int last = run->size - 1;
    size_t bytes = run->demand.local;
    if (run->place == 0 || run->size == 1)
        return true;
    if (run->rank < last)
        return data_verify(run, "the target", run->remote, bytes, last);
    return (size_t)(run->iterations * run->size) >= run->places ||
           data_verify_untouched(run, "the root's own target", run->remote, bytes);
}

/* The last rank is the last root, and has the data of the one before it. */
static bool verify_rounds(struct run *run)
{
    if (run->remote_step > 0)
        return verify_cold_rounds(run);
    int last = run->size - 1, root = run->rank == last ? last - 1 : last;
    return run->size == 1 || data_verify(run, "the target", run->remote, run->demand.local, root);
}

static double run_rounds(struct run *run)
{
    for (int root = 0; warm_places(run) && root < run->size; root++)
        collective_do(run, root, 0);
    int64_t started = run_start(run);
    for (int64_t i = 0; i < run->iterations; i++)
        for (int root = 0; root < run->size; root++)
            collective_do(run, root, place_of(run, i * run->size + root));
    return run_elapsed(run, started, run_stop(run)) / (double)run->iterations / run->size;
}

/* ---- Acknowledged ---- */

/* How many acknowledge. */
static int64_t tasks_of(const struct run *run)
{
    int others = run->size - 1, wanted = run->settings->sk_tasks;
    return wanted > 0 && wanted < others ? wanted : others;
}

/* Ranks that acknowledge: all but the root, or the first, the last and some at random: the same on
 * all ranks, since nothing that could differ seeds them. Of one alone it is the last. */
static void choose_tasks(struct run *run)
{
    struct broadcast_state *state = run->state;
    int root = collective_root(run), others = run->size - 1, wanted = (int)tasks_of(run);
    int *tasks = run_allocate(run, (size_t)others + 1, sizeof *tasks);
    uint64_t draws = 12345;
    for (int rank = 0, i = 0; rank < run->size; rank++)
        if (rank != root)
            tasks[i++] = rank;
    state->tasks = tasks;
    state->task_count = wanted;
    if (wanted == others)
        return;
    int last = tasks[others - 1];
    tasks[others - 1] = tasks[1];
    tasks[1] = last;
    if (wanted == 1)
        tasks[0] = last;
    for (int i = 2; i < wanted; i++) {
        int other = i + (int)random_up_to(&draws, (uint64_t)(others - 1 - i)), swap = tasks[i];
        tasks[i] = tasks[other];
        tasks[other] = swap;
    }
    run_note(run, "%d of %d ranks acknowledge (set_sk_tasks)", wanted, others);
}

static bool set_up_acknowledged(struct run *run)
{
    choose_tasks(run);
    return collective_set_up(run);
}

static void broadcast_once(struct run *run, int64_t iteration)
{
    collective_do(run, collective_root(run), iteration);
}

static bool set_up_paused(struct run *run)
{
    struct broadcast_state *state = run->state;
    if (!collective_set_up(run))
        return false;
    state->pause = PAUSE_FACTOR * slowest_estimate(run, true, broadcast_once);
    state->pause_overhead = run_pause_overhead(run);
    choose_tasks(run);
    return true;
}

/* A fetching operation: a non-fetching one may return before it takes effect. */
static void acknowledge(struct run *run, int rank)
{
    shmem_long_atomic_fetch_inc(collective_counter(run, COLLECTIVE_ACKNOWLEDGED),
                                pe_set_member(run->set, rank));
}

/* The counter only grows: resetting it by a store would mix with remote increments. */
static void await(struct run *run)
{
    struct broadcast_state *state = run->state;
    shmem_long_wait_until(collective_counter(run, COLLECTIVE_ACKNOWLEDGED), SHMEM_CMP_GE,
                          ++state->expected);
}

/* Checks what the acknowledgment promises: when the root goes on, the task has left this broadcast,
 * and the root has not entered the next one. Other PEs may still be in this broadcast. Only in
 * debug builds, since the check takes time in the timed loop. */
#ifdef SKAMPI_DEBUG
static void tell_left(struct run *run)
{
    const struct broadcast_state *state = run->state;
    shmem_long_p(collective_counter(run, COLLECTIVE_LEFT), state->collective.calls, shmem_my_pe());
    shmem_quiet();
}

static void check_left(struct run *run, int task)
{
    const struct broadcast_state *state = run->state;
    long left =
        shmem_long_g(collective_counter(run, COLLECTIVE_LEFT), pe_set_member(run->set, task));
    if (left != state->collective.calls)
        run_fail(run,
                 "the root has finished broadcast %ld, but rank %d, which acknowledged it, has "
                 "left only %ld",
                 state->collective.calls, task, left);
}
#else
#define tell_left(run) ((void)0)
#define check_left(run, task) ((void)0)
#endif

/* A broadcast until the root knows that the task has it. */
static inline void acknowledged_broadcast(struct run *run, int root, int task, int64_t iteration)
{
    collective_do(run, root, iteration);
    if (run->rank == task) {
        tell_left(run);
        acknowledge(run, root);
    }
    if (run->rank == root) {
        await(run);
        check_left(run, task);
    }
}

/* Seconds for an acknowledgment from the root to the task and one back: the median of some means,
 * since one interruption would spoil the mean of all. On the root; NaN elsewhere. */
static double round_trip(struct run *run, int root, int task)
{
    double samples[ROUND_TRIP_SAMPLES];
    for (int sample = 0; sample < ROUND_TRIP_SAMPLES; sample++) {
        int64_t start = timer_now();
        for (int i = 0; i < ROUND_TRIPS; i++) {
            if (run->rank == root) {
                acknowledge(run, task);
                await(run);
            } else if (run->rank == task) {
                await(run);
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
static double run_acknowledged(struct run *run)
{
    const struct broadcast_state *state = run->state;
    int root = collective_root(run);
    double slowest = NAN, shortest = NAN;
    run_start(run);
    for (int i = 0; i < state->task_count; i++) {
        int task = state->tasks[i];
        double paused = 0, trip = round_trip(run, root, task);
        acknowledged_broadcast(run, root, task, 0); /* warms up and lines up */
        int64_t start = timer_now();
        for (int64_t k = 0; k < run->iterations; k++) {
            if (run->rank == root && state->pause > 0)
                paused += run_pause(state->pause) + state->pause_overhead;
            acknowledged_broadcast(run, root, task, place_of(run, i * run->iterations + k));
        }
        double seconds = run_elapsed(run, start, timer_now()) - paused;
        shortest = fmin(shortest, seconds);
        slowest = fmax(slowest, seconds / (double)run->iterations - trip / 2);
    }
    run_stop(run);
    run_shortest_part(run, shortest);
    return run->rank == root ? slowest : NAN;
}

#endif

static const struct routine broadcast = {.call = WITH_SHMEM(call_broadcast),
                                         .fill = WITH_SHMEM(fill),
                                         .check = WITH_SHMEM(check),
                                         .element = ELEMENT};

#define COUNT COUNT_IN("4-byte elements")

static const struct measurement common = {
    .routine = "shmem_broadcast32",
    .parameters = {ITERATIONS, COUNT, ROOT},
    .moves = MOVES_TO_ALL,
    .who = "all",
    .variant = &broadcast,
    .fill = WITH_SHMEM(collective_fill),
    .verify = WITH_SHMEM(collective_check_data),
    .like = {&collective_common},
};

static const struct measurement acknowledged = {
    .calls = "shmem_long_atomic_fetch_inc shmem_long_wait_until",
    .timing = TIMING_PARTS,
    .minimum_pes = 2,
    .who = "root",
    .state_bytes = sizeof(struct broadcast_state),
    .run = WITH_SHMEM(run_acknowledged),
    .operations = WITH_SHMEM(tasks_of),
    .fewest_iterations = FEWEST_ACKNOWLEDGED,
    .like = {&common},
};

const struct measurement measurements_broadcast[] = {
    {"Shmem_Bcast_All_Consecutive", "broadcasts in a row: they may overlap", .timed = "broadcast",
     .like = {&collective_in_a_row, &common}},
    {"Shmem_Bcast_All", "broadcast, each followed by a barrier", .timed = "broadcast + barrier",
     .cost = "broadcast", .like = {&collective_with_barriers, &common}},
    {"Shmem_Bcast_All_Synchro", "one broadcast, all PEs starting by the clock",
     .parameters = {COUNT, ROOT}, .timed = "broadcast", .cost = "broadcast",
     .like = {&collective_by_the_clock, &common}},
    {"Shmem_Bcast_All_Rounds", "broadcasts, each PE being the root in turn", .timing = TIMING_PARTS,
     .parameters = {ITERATIONS, COUNT}, .setup = WITH_SHMEM(set_up_rounds),
     .verify = WITH_SHMEM(verify_rounds), .run = WITH_SHMEM(run_rounds),
     .operations = WITH_SHMEM(rounds_of),
     .timed = "broadcasts, divided by their number; they may overlap", .like = {&common}},
    {"Shmem_Bcast_All_SK", "broadcast until the last PE has the data, by acknowledgments",
     .setup = WITH_SHMEM(set_up_acknowledged),
     .timed = "broadcast + acknowledgment of one PE, for each PE; the slowest counts",
     .subtracted = "half a round trip of acknowledgments", .like = {&acknowledged}},
    {"Shmem_Bcast_All_SK_time",
     "broadcast until the last PE has the data, by acknowledgments; all PEs wait for the root, "
     "which pauses before each",
     .setup = WITH_SHMEM(set_up_paused),
     .timed = "pause + broadcast + acknowledgment of one PE, for each PE; the slowest counts",
     .subtracted = "the pause's measured length, and half a round trip of acknowledgments",
     .like = {&acknowledged}},
    {.name = NULL},
};
