/*
 * Point-to-point synchronization: wait_until and test of a condition that already holds, and how
 * long it takes until another PE's put is seen by them.
 */
#include "measurements/common/shapes.h"

/* A token goes from rank to rank. */
struct token {
    bool ring;    /* around all ranks; else back and forth between ranks 0 and 1 */
    bool payload; /* count bytes go before it */
    bool test;    /* polled for by test, instead of wait_until */
};

#if SKAMPI_SHMEM

#include <math.h>
#include <shmem.h>

/* ---- What holds already ---- */

static double run_wait_until(struct run *run)
{
    int *flag = (int *)(void *)run->scratch;
    int64_t started = run_start(run);
    for (int64_t i = 0; i < run->iterations; i++)
        shmem_int_wait_until(flag, SHMEM_CMP_EQ, 0);
    return run_elapsed(run, started, run_stop(run)) / (double)run->iterations;
}

static double run_test(struct run *run)
{
    int *flag = (int *)(void *)run->scratch;
    int64_t held = 0, started = run_start(run);
    for (int64_t i = 0; i < run->iterations; i++)
        held += shmem_int_test(flag, SHMEM_CMP_EQ, 0) != 0;
    double seconds = run_elapsed(run, started, run_stop(run)) / (double)run->iterations;
    if (held != run->iterations)
        run_fail(run, "test returned false for a condition that holds");
    return seconds;
}

/* ---- What another PE brings about ---- */

struct token_state {
    int stations;     /* ranks that the token visits */
    int next;         /* PE that this one passes it to */
    long laps;        /* so far; the token is the lap's number, so nothing has to be reset */
    int64_t payloads; /* sent in this repetition */
};

static long *token_of(const struct run *run)
{
    return (long *)(void *)run->scratch;
}

/* The payload is there when the token is: the fence orders both. */
static inline void pass_on(struct run *run, struct token_state *state, bool payload)
{
    if (payload) {
        shmem_putmem(run->remote + (size_t)state->payloads * run->remote_step,
                     run->local + (size_t)state->payloads * run->local_step, run->demand.local,
                     state->next);
        state->payloads++;
        shmem_fence();
    }
    shmem_long_p(token_of(run), state->laps, state->next);
}

static inline void await(struct run *run, const struct token_state *state, bool test)
{
    if (!test)
        shmem_long_wait_until(token_of(run), SHMEM_CMP_GE, state->laps);
    else
        while (!shmem_long_test(token_of(run), SHMEM_CMP_GE, state->laps))
            ;
}

/* Starts at rank 0 and ends there. */
static inline void lap(struct run *run, struct token_state *state, const struct token *token)
{
    state->laps++;
    if (run->rank > 0)
        await(run, state, token->test);
    pass_on(run, state, token->payload);
    if (run->rank == 0)
        await(run, state, token->test);
}

static bool visited(const struct run *run)
{
    return run->rank < ((const struct token_state *)run->state)->stations;
}

static bool verify(struct run *run)
{
    const struct token *token = run->function->variant;
    const struct token_state *state = run->state;
    int before = (run->rank + state->stations - 1) % state->stations;
    if (visited(run) && *token_of(run) != state->laps)
        return run_fail(run, "wrong data: the token on rank %d is %ld and should be %ld", run->rank,
                        *token_of(run), state->laps);
    return !token->payload ||
           data_verify_moved(run, false, run->remote, visited(run) ? before : -1);
}

static bool set_up_token(struct run *run)
{
    const struct token *token = run->function->variant;
    struct token_state *state = run->state;
    state->stations = token->ring ? run->size : 2;
    state->next = pe_set_member(run->set, (run->rank + 1) % state->stations);
    data_fill_put(run);
    run_barrier(run);
    if (visited(run))
        lap(run, state, token);
    /* Looks without a barrier: the token promises that the payload is there. */
    bool good = verify(run);
    run_barrier(run);
    return good;
}

static double run_token(struct run *run)
{
    const struct token *token = run->function->variant;
    struct token_state *state = run->state;
    bool visits = visited(run);
    state->payloads = 0;
    if (visits && token->payload && warm_places(run))
        lap(run, state, token);
    state->payloads = 0;
    int64_t started = run_start(run);
    for (int64_t i = 0; visits && i < run->iterations; i++)
        lap(run, state, token);
    int64_t stopped = run_stop(run);
    /* The others' laps begin and end with a wait for rank 0. */
    return run->rank == 0
               ? run_elapsed(run, started, stopped) / ((double)run->iterations * state->stations)
               : NAN;
}

#endif

static const struct measurement holding = {
    .api = API_OPENSHMEM,
    .parameters = {ITERATIONS},
    .timing = TIMING_WHOLE,
    .no_data = true,
    .who = "all",
    .scratch_bytes = sizeof(long),
    .demand = data_demand,
};

static const struct measurement passing = {
    .api = API_OPENSHMEM,
    .parameters = {ITERATIONS},
    .timing = TIMING_PARTS,
    .who = "rank 0",
    SHMEM_STATE(struct token_state),
    .scratch_bytes = sizeof(long),
    .demand = data_demand,
    .setup = WITH_SHMEM(set_up_token),
    .fill = WITH_SHMEM(data_fill_put),
    .verify = WITH_SHMEM(verify),
    .run = WITH_SHMEM(run_token),
};

static const struct measurement ping_pong = {
    .minimum_pes = 2,
    .moves = MOVES_MESSAGE,
    .like = {&passing},
};

static const struct measurement ping_pong_of_puts = {
    .parameters = {COUNT_BYTES, ITERATIONS},
    .like = {&ping_pong},
};

static const struct token flag = {.test = false}, flag_tested = {.test = true},
                          data = {.payload = true}, data_tested = {.payload = true, .test = true},
                          ring = {.ring = true};

const struct measurement measurements_p2p_sync[] = {
    {"Shmem_Wait_Until", "wait_until on a condition that already holds", .like = {&holding},
     .routine = "shmem_wait_until", .run = WITH_SHMEM(run_wait_until), .timed = "wait_until",
     .cost = "wait"},
    {"Shmem_Test", "test of a condition that already holds", .like = {&holding},
     .routine = "shmem_test", .run = WITH_SHMEM(run_test), .timed = "test", .cost = "test"},
    {"Shmem_Pingpong_Put_Put",
     "ping-pong of puts: half a round trip between ranks 0 and 1, each waiting for the other",
     .like = {&ping_pong_of_puts},
     .calls = "shmem_put shmem_fence shmem_long_p shmem_long_wait_until", .variant = &data,
     .timed = "put + fence + p of a flag, until the other's wait_until for it returns; the mean of "
              "both directions",
     .cost = "2 * post + wire + fence"},
    {"Shmem_Pingpong_Put_Put_Test",
     "ping-pong of puts, polling by test: half a round trip between ranks 0 and 1",
     .like = {&ping_pong_of_puts}, .calls = "shmem_put shmem_fence shmem_long_p shmem_long_test",
     .variant = &data_tested,
     .timed = "put + fence + p of a flag, until a test by the other sees it; the mean of both "
              "directions"},
    {"Shmem_Pingpong_P_P",
     "signalling latency: p of a flag between ranks 0 and 1, half a round trip",
     .like = {&ping_pong}, .calls = "shmem_long_p shmem_long_wait_until", .variant = &flag,
     .timed = "p of a flag, until the other's wait_until for it returns; the mean of both "
              "directions",
     .cost = "post + wire"},
    {"Shmem_Pingpong_P_P_Test",
     "signalling latency, polling by test: half a round trip between ranks 0 and 1",
     .like = {&ping_pong}, .calls = "shmem_long_p shmem_long_test", .variant = &flag_tested,
     .timed = "p of a flag, until a test by the other sees it; the mean of both directions"},
    {"Shmem_Token_Round", "signalling latency around the ring: a token passed from rank to rank",
     .like = {&passing}, .calls = "shmem_long_p shmem_long_wait_until", .moves = MOVES_NOTHING,
     .variant = &ring,
     .timed = "p of a flag, until the next rank's wait_until for it returns; the mean of all hops",
     .cost = "post + wire"},
    {.name = NULL},
};
