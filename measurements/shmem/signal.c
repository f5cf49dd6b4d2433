/*
 * Signals: words that a put with signal updates after its data, and that the target waits for. The
 * puts are taken apart as all puts are; their ping-pong shows when the target may use the data.
 */
#include "measurements/common/openshmem.h"
#include "measurements/common/rma_parts.h"

struct signal_state {
    struct partner partner; /* the other one of the pair */
    uint64_t turns;         /* of the ping-pong so far */
};

#if SKAMPI_SHMEM_1_5

#include <math.h>

static uint64_t *signal_of(const struct run *run)
{
    return (uint64_t *)(void *)run->scratch;
}

/* ---- The signal alone ---- */

#define HELD 42

static bool set_up_held(struct run *run)
{
    *signal_of(run) = HELD;
    run_barrier(run);
    if (shmem_signal_fetch(signal_of(run)) != HELD)
        return run_fail(run, "rank %d does not fetch its own signal", run->rank);
    if (shmem_signal_wait_until(signal_of(run), SHMEM_CMP_EQ, HELD) != HELD)
        return run_fail(run,
                        "signal_wait_until on rank %d returned another value than its signal has",
                        run->rank);
    return true;
}

static double run_fetch(struct run *run)
{
    const uint64_t *signal = signal_of(run);
    uint64_t sum = 0;
    int64_t started = run_start(run);
    for (int64_t i = 0; i < run->iterations; i++)
        sum += shmem_signal_fetch(signal);
    double seconds = run_elapsed(run, started, run_stop(run)) / (double)run->iterations;
    if (sum != HELD * (uint64_t)run->iterations)
        run_fail(run, "rank %d fetched other signals than its own", run->rank);
    return seconds;
}

static double run_wait(struct run *run)
{
    uint64_t *signal = signal_of(run);
    int64_t started = run_start(run);
    for (int64_t i = 0; i < run->iterations; i++)
        shmem_signal_wait_until(signal, SHMEM_CMP_EQ, HELD);
    return run_elapsed(run, started, run_stop(run)) / (double)run->iterations;
}

/* ---- Ping-pong ---- */

static bool playing(const struct run *run)
{
    return run->rank < 2;
}

/* Both ways; the signal only grows, so that none is lost. */
static void play(struct run *run, int64_t iteration)
{
    struct signal_state *state = run->state;
    uint64_t *signal = signal_of(run);
    state->turns++;
    if (run->rank == 1)
        shmem_signal_wait_until(signal, SHMEM_CMP_GE, state->turns);
    shmem_putmem_signal(run->remote + (size_t)iteration * run->remote_step,
                        run->local + (size_t)iteration * run->local_step, run->demand.local, signal,
                        1, SHMEM_SIGNAL_ADD, state->partner.pe);
    if (run->rank == 0)
        shmem_signal_wait_until(signal, SHMEM_CMP_GE, state->turns);
}

static bool set_up_ping_pong(struct run *run)
{
    struct signal_state *state = run->state;
    if (playing(run))
        state->partner = (struct partner){
            .acting = true, .rank = 1 - run->rank, .pe = pe_set_member(run->set, 1 - run->rank)};
    return true;
}

static bool verify(struct run *run)
{
    const struct signal_state *state = run->state;
    if (playing(run) && *signal_of(run) != state->turns)
        return run_fail(run, "wrong data: the signal on rank %d is %llu and should be %llu",
                        run->rank, (unsigned long long)*signal_of(run),
                        (unsigned long long)state->turns);
    return data_verify_moved(run, false, run->remote, playing(run) ? state->partner.rank : -1);
}

static double run_ping_pong(struct run *run)
{
    double seconds = time_iterations(run, playing(run), play);
    if (playing(run))
        shmem_quiet(); /* untimed: nobody answers this rank's last put */
    return run->rank == 0 ? seconds / 2 : NAN;
}

#endif

static const struct measurement held_already = {
    API_OPENSHMEM_1_5,
    .parameters = {ITERATIONS},
    .timing = TIMING_WHOLE,
    .no_data = true,
    .who = "all",
    .scratch_bytes = sizeof(uint64_t),
    .setup = WITH_SHMEM_1_5(set_up_held),
};

static const struct measurement ring = {SINCE_1_5, .like = {&rma_ring}};
static const struct measurement pair = {SINCE_1_5, .like = {&rma_pair}};
static const struct measurement single = {SINCE_1_5, .like = {&rma_single}};

/* clang-format off */
const struct measurement measurements_signal[] = {
    {"Shmem_Signal_Fetch", "fetching a PE's own signal", {&held_already}, .routine = "shmem_signal_fetch",
     .timed = "signal_fetch", .run = WITH_SHMEM_1_5(run_fetch)},
    {"Shmem_Signal_Wait_Until", "waiting for a signal that has already arrived", {&held_already},
     .routine = "shmem_signal_wait_until", .timed = "signal_wait_until", .cost = "wait",
     .run = WITH_SHMEM_1_5(run_wait)},
    {"Shmem_Put_Signal_Pingpong", "a put with signal there, and one back when it has arrived",
     .routine = "shmem_put_signal", .calls = "shmem_signal_wait_until", API_OPENSHMEM_1_5, .timing = TIMING_WHOLE,
     .parameters = {COUNT_BYTES, ITERATIONS}, .who = "rank 0", .minimum_pes = 2, .demand = data_demand,
     .scratch_bytes = sizeof(uint64_t), .state_bytes = sizeof(struct signal_state), .fill = WITH_SHMEM_1_5(data_fill_put), .verify = WITH_SHMEM_1_5(verify),
     .setup = WITH_SHMEM_1_5(set_up_ping_pong), .run = WITH_SHMEM_1_5(run_ping_pong), .moves = MOVES_MESSAGE,
     .timed = "half of put_signal + signal_wait_until, there and back", .cost = "post + wire"},

    {"Shmem_Put_Signal_Simple", "put with signal from rank 0 to rank 1 until it is complete there", {&rma_until_complete, &pair}, .word = "put_signal"},
    {"Shmem_Put_Signal_Round", "put with signal around the ring until it is complete at the target", {&rma_until_complete, &ring}, .word = "put_signal"},
    {"Shmem_Put_Signal_Full", "put with signal and quiet around the ring", {&rma_full, &ring}, .word = "put_signal"},
    {"Shmem_Put_Signal_Full_Single", "put with signal and quiet from one rank to the next", {&rma_full, &single}, .word = "put_signal"},
    {"Shmem_Put_Signal_Call", "the call of a put with signal alone", {&rma_post, &ring}, .word = "put_signal"},
    {"Shmem_Put_Signal_Nonblocking_Post", "posting a non-blocking put with signal around the ring", {&rma_post, &ring}, .word = "put_signal_nbi"},
    {"Shmem_Put_Signal_Nonblocking_Full", "non-blocking put with signal and quiet around the ring", {&rma_full, &ring}, .word = "put_signal_nbi"},
    {"Shmem_Put_Signal_Nonblocking_Quiet", "quiet right after a non-blocking put with signal around the ring",
     {&rma_quiet, &ring}, .word = "put_signal_nbi"},
    {"Shmem_Put_Signal_Nonblocking_Quiet_Delayed", "quiet long after a non-blocking put with signal around the ring",
     {&rma_quiet_delayed, &ring}, .word = "put_signal_nbi"},
    {"Shmem_Put_Signal_Nonblocking_Overlap",
     "part of a non-blocking put with signal that is not overlapped by computation around the ring",
     {&rma_overlap, &ring}, .word = "put_signal_nbi"},
    {"Shmem_Put_Signal_Nonblocking_Post_Single", "posting a non-blocking put with signal, one rank", {&rma_post, &single}, .word = "put_signal_nbi"},
    {"Shmem_Put_Signal_Nonblocking_Full_Single", "non-blocking put with signal and quiet, one rank", {&rma_full, &single}, .word = "put_signal_nbi"},
    {"Shmem_Put_Signal_Nonblocking_Quiet_Single", "quiet right after a non-blocking put with signal, one rank",
     {&rma_quiet, &single}, .word = "put_signal_nbi"},
    {"Shmem_Put_Signal_Nonblocking_Quiet_Delayed_Single", "quiet long after a non-blocking put with signal, one rank",
     {&rma_quiet_delayed, &single}, .word = "put_signal_nbi"},
    {"Shmem_Put_Signal_Nonblocking_Overlap_Single",
     "part of a non-blocking put with signal that is not overlapped by computation, one rank",
     {&rma_overlap, &single}, .word = "put_signal_nbi"},
    {.name = NULL},
};
/* clang-format on */
