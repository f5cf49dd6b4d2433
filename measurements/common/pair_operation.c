/*
 * One operation of rank 0 on rank 1: its data, and how it is timed while rank 1 computes.
 */
#include "measurements/common/pair_operation.h"

#include <math.h>

#if SKAMPI_SHMEM
#include <shmem.h>
#endif

static bool by_mpi(const struct run *run)
{
    return run->function->api == API_MPI;
}

void pair_demand(struct run *run, enum pair_action action)
{
    if (action != PAIR_FETCH_ADD) {
        data_demand(run);
        return;
    }
    run->demand.reported = sizeof(long);
    if (by_mpi(run))
        data_demand_bytes(run, sizeof(long));
    else
        run->demand.scratch += sizeof(long);
}

bool pair_open(struct run *run, enum pair_action action, struct pair *pair)
{
    *pair = (struct pair){.action = action, .partner = shape_partner(run, SHAPE_PAIR, 0)};
#if SKAMPI_MPI
    if (by_mpi(run))
        return mpi_window_open_locked(run, (enum window_kind)run_word(run, "memory"),
                                      run->demand.remote, MPI_INFO_NULL, &pair->window);
#endif
    return true;
}

void pair_close(struct pair *pair)
{
#if SKAMPI_MPI
    mpi_window_close(&pair->window);
#endif
    (void)pair;
}

unsigned char *pair_memory(const struct run *run, const struct pair *pair)
{
#if SKAMPI_MPI
    if (by_mpi(run))
        return pair->window.memory;
#endif
    (void)pair;
    return run->remote;
}

static long *word_of(const struct run *run, const struct pair *pair)
{
    return (long *)(void *)(by_mpi(run) ? pair_memory(run, pair) : run->scratch + pair->word);
}

/* ---- The operation ---- */

#if SKAMPI_SHMEM
static void operate_by_shmem(struct run *run, struct pair *pair, long addend)
{
    int pe = pair->partner.pe;
    switch (pair->action) {
    case PAIR_PUT:
        shmem_putmem(run->remote, run->local, run->demand.reported, pe);
        shmem_quiet();
        break;
    case PAIR_GET:
        shmem_getmem(run->local, run->remote, run->demand.reported, pe);
        break;
    case PAIR_FETCH_ADD:
        pair->fetched = shmem_long_atomic_fetch_add(word_of(run, pair), addend, pe);
        break;
    }
}
#endif

#if SKAMPI_MPI
static void operate_by_mpi(struct run *run, struct pair *pair, long addend)
{
    int rank = pair->partner.rank, n = (int)run->demand.reported;
    MPI_Win window = pair->window.handle;
    switch (pair->action) {
    case PAIR_PUT:
        MPI_Put(run->local, n, MPI_BYTE, rank, 0, n, MPI_BYTE, window);
        break;
    case PAIR_GET:
        MPI_Get(run->local, n, MPI_BYTE, rank, 0, n, MPI_BYTE, window);
        break;
    case PAIR_FETCH_ADD:
        MPI_Fetch_and_op(&addend, &pair->fetched, MPI_LONG, rank, 0, MPI_SUM, window);
        break;
    }
    MPI_Win_flush(rank, window);
}
#endif

void pair_operate(struct run *run, struct pair *pair, long addend)
{
#if SKAMPI_MPI
    if (by_mpi(run)) {
        operate_by_mpi(run, pair, addend);
        return;
    }
#endif
#if SKAMPI_SHMEM
    operate_by_shmem(run, pair, addend);
#endif
}

void pair_meet(struct run *run)
{
#if SKAMPI_MPI
    if (by_mpi(run)) {
        MPI_Barrier(mpi_comm(run));
        return;
    }
#endif
    run_barrier(run);
}

/* ---- The data ---- */

static long first_value(const struct run *run)
{
    return (long)(run->seed & 0xffff);
}

bool pair_synchronize(struct run *run, struct pair *pair)
{
#if SKAMPI_MPI
    if (by_mpi(run)) {
        MPI_Win_sync(pair->window.handle);
        return mpi_window_verify_guards(run, &pair->window);
    }
#endif
    (void)run;
    (void)pair;
    return true;
}

void pair_fill(struct run *run, struct pair *pair)
{
    bool get = pair->action == PAIR_GET;
    unsigned char *there = pair_memory(run, pair);
    if (pair->action == PAIR_FETCH_ADD) {
        *word_of(run, pair) = first_value(run);
    } else {
        pattern_fill(get ? there : run->local, run->demand.reported, data_key(run, run->rank));
        data_poison(get ? run->local : there, run->demand.reported);
    }
    pair_synchronize(run, pair);
}

/* The word holds what it must, and the last atomic fetched that. */
static bool verify_word(struct run *run, const struct pair *pair)
{
    long first = first_value(run), last = first + (long)run->repeated;
    long wanted = pair->partner.source < 0 ? first : last, found = *word_of(run, pair);
    if (found != wanted)
        return run_fail(run, "wrong data: rank %d has %ld and should have %ld", run->rank, found,
                        wanted);
    return !pair->partner.acting || pair->fetched == last - 1 ||
           run_fail(run, "wrong data: rank %d fetched %ld and should have fetched %ld", run->rank,
                    pair->fetched, last - 1);
}

bool pair_verify(struct run *run, struct pair *pair)
{
    bool get = pair->action == PAIR_GET;
    if (!pair_synchronize(run, pair))
        return false;
    if (pair->action == PAIR_FETCH_ADD)
        return verify_word(run, pair);
    return data_verify_moved(run, get, pair_memory(run, pair),
                             get ? pair->partner.rank : pair->partner.source);
}

/* ---- While the target computes ---- */

/* Rank 0 begins when this part of the computation is over: what it has told the target takes a
 * while to get there. */
#define HEAD_START (1.0 / 8)

/* The target computes when rank 0 has left the start: it may have to help it out, where messages
 * need both. The barrier at the end lets the target, and those that only watch, wait inside a
 * library that makes progress, from the end of the computation until the operation is complete. */
static double run_operation(struct run *run)
{
    struct pair *pair = run->state;
    double seconds = NAN, computation = run_argument(run, "computation")->real;
    if (pair->partner.acting && warm_places(run))
        pair_operate(run, pair, 0);
    run_start(run);
    if (pair->partner.acting) {
        if (computation > 0) {
            run_tell(run, pair->partner.pe);
            run_hold(HEAD_START * computation); /* what it has told may need its help, too */
        }
        int64_t from = timer_now();
        pair_operate(run, pair, 1);
        seconds = run_elapsed(run, from, timer_now());
    } else if (pair->partner.source >= 0 && computation > 0) {
        run_await_told(run);
        run_pause(computation);
    }
    run_stop(run);
    pair_meet(run);
    return seconds;
}

static enum pair_action action_of(const struct run *run)
{
    return *(const enum pair_action *)run->function->variant;
}

static void demand(struct run *run)
{
    pair_demand(run, action_of(run));
}

static bool set_up(struct run *run)
{
    return pair_open(run, action_of(run), run->state);
}

static void fill(struct run *run)
{
    pair_fill(run, run->state);
}

static bool verify(struct run *run)
{
    return pair_verify(run, run->state);
}

static void tear_down(struct run *run)
{
    pair_close(run->state);
}

const struct measurement pair_computing = {
    .timing = TIMING_PARTS,
    .minimum_pes = 2,
    .moves = MOVES_MESSAGE,
    .who = "rank 0",
    .state_bytes = sizeof(struct pair),
    .demand = demand,
    .setup = set_up,
    .fill = fill,
    .verify = verify,
    .run = run_operation,
    .teardown = tear_down,
};
