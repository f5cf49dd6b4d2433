/*
 * One operation of rank 0 on rank 1: how it is timed, and whether its data arrived.
 */
#include "measurements/common/pair_operation.h"

#include <math.h>

void pair_demand(struct run *run, enum pair_action action)
{
    if (action == PAIR_FETCH_ADD) {
        run->demand.scratch += sizeof(long);
        run->demand.reported = sizeof(long);
        return;
    }
    data_demand(run);
}

/* ---- The data ---- */

static long first_value(const struct run *run)
{
    return (long)(run->seed & 0xffff);
}

/* In run->local and there, the memory that others reach; word: the target of atomics. */
static void pair_fill_at(struct run *run, enum pair_action action, unsigned char *there, long *word)
{
    bool get = action == PAIR_GET;
    if (action == PAIR_FETCH_ADD) {
        *word = first_value(run);
        return;
    }
    pattern_fill(get ? there : run->local, run->demand.reported, data_key(run, run->rank));
    data_poison(get ? run->local : there, run->demand.reported);
}

static bool verify_word(struct run *run, const struct partner *partner, long found, long fetched)
{
    long first = first_value(run), last = first + (long)run->repeated;
    long wanted = partner->source < 0 ? first : last;
    if (found != wanted)
        return run_fail(run, "wrong data: rank %d has %ld and should have %ld", run->rank, found,
                        wanted);
    return !partner->acting || fetched == last - 1 ||
           run_fail(run, "wrong data: rank %d fetched %ld and should have fetched %ld", run->rank,
                    fetched, last - 1);
}

/* That demand.reported bytes were moved and their source is as it was, or that the word holds what
 * it must, and the last atomic fetched that. */
static bool pair_verify_at(struct run *run, enum pair_action action, const struct partner *partner,
                           const unsigned char *there, const long *word, long fetched)
{
    bool get = action == PAIR_GET;
    if (action == PAIR_FETCH_ADD)
        return verify_word(run, partner, *word, fetched);
    return data_verify_moved(run, get, there,
                             !get              ? partner->source
                             : partner->acting ? partner->rank
                                               : -1);
}

/* ---- While the target computes ---- */

/* Rank 0 begins when this part of the computation is over: what it has told the target takes a
 * while to get there. */
#define HEAD_START (1.0 / 8)

/* The target computes when rank 0 has left the start: it may have to help it out, where messages
 * need both. The barrier at the end lets the target, and those that only watch, wait inside a
 * library that makes progress, from the end of the computation until the operation is complete. */
double computing_run(struct run *run, const struct partner *partner,
                     void (*operate)(struct run *, long addend), void (*meet)(struct run *))
{
    double seconds = NAN, computation = run_argument(run, "computation")->real;
    if (partner->acting && warm_places(run))
        operate(run, 0);
    run_start(run);
    if (partner->acting) {
        if (computation > 0) {
            run_tell(run, partner->pe);
            run_hold(HEAD_START * computation); /* what it has told may need its help, too */
        }
        int64_t from = timer_now();
        operate(run, 1);
        seconds = run_elapsed(run, from, timer_now());
    } else if (partner->source >= 0 && computation > 0) {
        run_await_told(run);
        run_pause(computation);
    }
    run_stop(run);
    meet(run);
    return seconds;
}

#if SKAMPI_SHMEM

#include <shmem.h>

struct pair_operation pair_open(const struct run *run, enum pair_action action)
{
    return (struct pair_operation){.action = action, .partner = shape_partner(run, SHAPE_PAIR, 0)};
}

static long *word_of(const struct run *run, const struct pair_operation *pair)
{
    return (long *)(void *)(run->scratch + pair->word);
}

void pair_operate(struct run *run, struct pair_operation *pair, long addend)
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

void pair_fill(struct run *run, const struct pair_operation *pair)
{
    pair_fill_at(run, pair->action, run->remote, word_of(run, pair));
}

bool pair_verify(struct run *run, const struct pair_operation *pair)
{
    return pair_verify_at(run, pair->action, &pair->partner, run->remote, word_of(run, pair),
                          pair->fetched);
}

#endif

/* ---- By MPI ---- */

void mpi_pair_demand(struct run *run, enum pair_action action)
{
    data_demand_bytes(run, action == PAIR_FETCH_ADD ? sizeof(long)
                                                    : (size_t)run_argument(run, "count")->integer);
}

#if SKAMPI_MPI

bool mpi_pair_open(struct run *run, enum pair_action action, struct mpi_pair *pair)
{
    *pair = (struct mpi_pair){.action = action,
                              .partner = shape_partner(run, SHAPE_PAIR, 0),
                              .bytes = (int)run->demand.reported};
    return window_open_locked(run, (enum window_kind)run_word(run, "memory"), run->demand.remote,
                              MPI_INFO_NULL, &pair->window);
}

void mpi_pair_operate(struct run *run, struct mpi_pair *pair, long addend)
{
    int rank = pair->partner.rank, n = pair->bytes;
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

void mpi_pair_meet(struct run *run)
{
    MPI_Barrier(mpi_comm(run));
}

/* ---- The data ---- */

void mpi_pair_fill(struct run *run, struct mpi_pair *pair)
{
    unsigned char *window = pair->window.memory;
    pair_fill_at(run, pair->action, window, (long *)(void *)window);
    MPI_Win_sync(pair->window.handle);
}

bool mpi_pair_verify(struct run *run, struct mpi_pair *pair)
{
    const unsigned char *window = pair->window.memory;
    MPI_Win_sync(pair->window.handle);
    return pair_verify_at(run, pair->action, &pair->partner, window,
                          (const long *)(const void *)window, pair->fetched) &&
           window_verify_guards(run, &pair->window);
}

#endif
