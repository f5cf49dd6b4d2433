/*
 * The traffic of pairs.c by several threads of each PE, which each have a private context of their
 * own: a window of operations and one quiet, in all threads at the same time.
 */
#include "measurements/common/pairs_pattern.h"

#define MOST_THREADS 64

enum routine { PUT, PUT_NBI, GET, GET_NBI };

struct traffic {
    struct pairs_traffic pairs;
    enum routine routine;
};

#if SKAMPI_SHMEM

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <shmem.h>
#include <stdatomic.h>

typedef void context_function(shmem_ctx_t, void *, const void *, size_t, int);

static context_function *const routines[] = {
    [PUT] = shmem_ctx_putmem,
    [PUT_NBI] = shmem_ctx_putmem_nbi,
    [GET] = shmem_ctx_getmem,
    [GET_NBI] = shmem_ctx_getmem_nbi,
};

struct worker {
    struct run *run;
    pthread_t thread;
    int64_t from, to; /* its steps in an iteration */
    shmem_ctx_t context;
    bool has_context;
};

/* Between repetitions the threads sleep, so that they disturb nothing. */
struct threads_state {
    struct pairs_work work;
    struct worker *workers; /* the first is the main thread */
    int count, started;     /* workers; threads that were created */
    sem_t wake;             /* a post for each thread that sleeps */
    bool end;
    int64_t iterations;
    atomic_int ready, go, done; /* threads in this round, but for the main one */
};

/* ---- Work ---- */

static void work(const struct worker *worker, int64_t iterations)
{
    const struct run *run = worker->run;
    const struct threads_state *state = run->state;
    context_function *routine = routines[((const struct traffic *)run->function->variant)->routine];
    bool get = pairs_gets(run);
    size_t bytes = run->demand.reported;
    for (int64_t i = 0; i < iterations; i++) {
        unsigned char *local = run->local + (size_t)i * run->local_step;
        unsigned char *remote = run->remote + (size_t)i * run->remote_step;
        for (int64_t k = worker->from; k < worker->to; k++) {
            const struct pairs_call *call = &state->work.calls[k];
            unsigned char *here = local + call->here, *there = remote + call->there;
            routine(worker->context, get ? here : there, get ? there : here, bytes, call->pe);
        }
        shmem_ctx_quiet(worker->context);
    }
}

/* A private context belongs to the thread that made it. */
static void make_context(struct worker *worker)
{
    worker->has_context = shmem_ctx_create(SHMEM_CTX_PRIVATE, &worker->context) == 0;
}

static void drop_context(struct worker *worker)
{
    if (worker->has_context)
        shmem_ctx_destroy(worker->context);
    worker->has_context = false;
}

/* Until all threads but the main one have counted up; there may be more threads than processors. */
static void await_all(const struct threads_state *state, const atomic_int *counter)
{
    while (atomic_load(counter) < state->started)
        sched_yield();
}

static void *thread_main(void *argument)
{
    struct worker *worker = argument;
    struct threads_state *state = worker->run->state;
    make_context(worker);
    atomic_fetch_add(&state->ready, 1);
    for (;;) {
        while (sem_wait(&state->wake) != 0)
            continue;
        if (state->end)
            break;
        atomic_fetch_add(&state->ready, 1);
        while (!atomic_load(&state->go))
            sched_yield();
        work(worker, state->iterations);
        atomic_fetch_add(&state->done, 1);
    }
    drop_context(worker);
    return NULL;
}

/* No thread takes the post of another one: none sleeps again before all are awake. */
static void wake_all(struct threads_state *state)
{
    for (int i = 0; i < state->started; i++)
        sem_post(&state->wake);
}

/* All threads have left their sleep, and wait for go. */
static void prepare_round(struct threads_state *state, int64_t iterations)
{
    state->iterations = iterations;
    atomic_store(&state->ready, 0);
    atomic_store(&state->go, 0);
    atomic_store(&state->done, 0);
    wake_all(state);
    await_all(state, &state->ready);
}

static void do_round(struct threads_state *state)
{
    atomic_store(&state->go, 1);
    work(&state->workers[0], state->iterations);
    await_all(state, &state->done);
}

/* ---- Set-up ---- */

static bool make_threads(struct run *run)
{
    struct threads_state *state = run->state;
    bool good = sem_init(&state->wake, 0, 0) == 0;
    for (int i = 0; i < state->count; i++)
        state->workers[i] = (struct worker){.run = run,
                                            .from = state->work.steps / state->count * i,
                                            .to = state->work.steps / state->count * (i + 1)};
    make_context(&state->workers[0]);
    for (int i = 1; good && i < state->count; i++) {
        good =
            pthread_create(&state->workers[i].thread, NULL, thread_main, &state->workers[i]) == 0;
        state->started += good;
    }
    await_all(state, &state->ready);
    return good || run_fail(run, "rank %d could start only %d of %d threads", run->rank,
                            state->started + 1, state->count);
}

static bool set_up(struct run *run)
{
    struct threads_state *state = run->state;
    state->count = (int)run_argument(run, "threads")->integer;
    state->workers = run_allocate(run, (size_t)state->count, sizeof *state->workers);
    state->work = pairs_work_open(run);
    if (state->work.steps == 0)
        return true;
    if (!make_threads(run))
        return false;
    int have = 0;
    for (int i = 0; i < state->count; i++)
        have += state->workers[i].has_context;
    return have == state->count ||
           run_fail(run, "rank %d could create private contexts for only %d of %d threads",
                    run->rank, have, state->count);
}

static void tear_down(struct run *run)
{
    struct threads_state *state = run->state;
    state->end = true;
    wake_all(state);
    for (int i = 1; i <= state->started; i++)
        pthread_join(state->workers[i].thread, NULL);
    if (state->workers)
        drop_context(&state->workers[0]);
}

/* ---- What is timed ---- */

static double run_threads(struct run *run)
{
    struct threads_state *state = run->state;
    bool works = state->work.steps > 0;
    if (works && warm_places(run)) {
        prepare_round(state, 1);
        do_round(state);
    }
    if (works)
        prepare_round(state, run->iterations);
    int64_t started = run_start(run);
    if (works)
        do_round(state);
    int64_t stopped = run_stop(run);
    return works ? run_elapsed(run, started, stopped) / (double)run->iterations /
                       (double)state->work.steps
                 : NAN;
}

#endif

/* clang-format off */
#define THREADS {"threads", PARAMETER_INT, "", "threads of each rank that works, each with a private context and a window of its own", .minimum = 1, .maximum = MOST_THREADS, .example = "2"}
static const struct measurement threaded = {
    .api = API_OPENSHMEM, .threads = true, .timing = TIMING_WHOLE, .moves = MOVES_MESSAGE, .minimum_pes = 2,
    .who = "the ranks that work", .check = pairs_check, .demand = pairs_demand_traffic,
    SHMEM_STATE(struct threads_state),
    .parameters = {COUNT_BYTES, PATTERN, PAIRS, DIRECTIONS, THREADS, WINDOW_OF("operations"), ITERATIONS},
    .setup = WITH_SHMEM(set_up), .fill = WITH_SHMEM(pairs_fill_traffic),
    .verify = WITH_SHMEM(pairs_verify_traffic), .run = WITH_SHMEM(run_threads),
    .teardown = WITH_SHMEM(tear_down), .routine = "shmem_ctx_%s", .calls = "shmem_ctx_quiet",
    .timed = "in each thread a window of %s, and quiet of its context; divided by the operations of all threads"};

const struct measurement measurements_pairs_threads[] = {
    {"Shmem_Ctx_Put_Pairs_Rate_Threads",
     "put, a window of them by several threads of many ranks at once", .like = {&threaded}, .word = "put",
     .variant = &(const struct traffic){{false}, PUT}},
    {"Shmem_Ctx_Put_Nonblocking_Pairs_Rate_Threads",
     "non-blocking put, a window of them by several threads of many ranks at once",
     .like = {&threaded}, .word = "put_nbi",
     .variant = &(const struct traffic){{false}, PUT_NBI}},
    {"Shmem_Ctx_Get_Pairs_Rate_Threads",
     "get, a window of them by several threads of many ranks at once", .like = {&threaded}, .word = "get",
     .variant = &(const struct traffic){{true}, GET}},
    {"Shmem_Ctx_Get_Nonblocking_Pairs_Rate_Threads",
     "non-blocking get, a window of them by several threads of many ranks at once",
     .like = {&threaded}, .word = "get_nbi",
     .variant = &(const struct traffic){{true}, GET_NBI}},
    {.name = NULL},
};
/* clang-format on */
