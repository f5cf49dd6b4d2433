/*
 * Epochs of MPI one-sided communication: the data, filled before repetitions and verified after
 * them.
 */
#include "measurements/common/epoch.h"

#if SKAMPI_MPI

#include <stdlib.h>

static void fill(const struct run *run, void *memory, int64_t count, int rank)
{
    const struct epochs *epochs = run->function->variant;
    struct datatype *type = mpi_datatype_of(run);
    window_fill(run, memory, count, type, rank, epochs->operation == ACCUMULATE);
}

/* Checks that the block holds what the operations of this origin left there. */
static bool check_block(struct run *run, int origin, int64_t block)
{
    const struct epochs *epochs = run->function->variant;
    const struct epoch_state *s = run->state;
    struct datatype *type = mpi_datatype_of(run);
    unsigned char *found = s->window.memory + block * s->block;
    if (epochs->operation != ACCUMULATE)
        return mpi_verify(run, "the window", mpi_address(found, type), s->count, type,
                          epochs->operation == GET ? run->rank
                                                   : epoch_pattern(run, origin, run->rank));
    unsigned char *expected = malloc(mpi_block_bytes(type, s->count, 2) + 1);
    if (!expected)
        return false;
    fill(run, expected, s->count, run->rank);
    for (int rank = 0; rank < run->size; rank++)
        if (epoch_index(run, rank, run->rank) >= 0 && (s->places == 1 || rank == origin))
            window_accumulate(run, expected, expected + s->block, s->count, type, s->op, rank);
    /* The order of several MPI_REPLACE at one place is not known: any of them may be the last. */
    bool good = window_equal(expected, found, s->count, type) ||
                (s->op == MPI_REPLACE && s->places == 1) ||
                data_verify_equal(run, "the window", found, expected, (size_t)s->block);
    free(expected);
    return good;
}

/* What all origins of this rank did. */
static bool check_window(struct run *run)
{
    const struct epoch_state *s = run->state;
    bool good = true;
    for (int rank = 0; rank < run->size; rank++) {
        int i = epoch_index(run, rank, run->rank);
        for (int64_t m = 0; i >= 0 && m < s->messages && good; m++)
            good = check_block(run, rank, epoch_place(run, rank, i) * s->messages + m);
    }
    return good;
}

static bool check_got(struct run *run)
{
    const struct epoch_state *s = run->state;
    struct datatype *type = mpi_datatype_of(run);
    return s->to.count == 0 || s->messages == 0 ||
           mpi_verify(run, "the data got", mpi_address(run->local, type), s->count, type,
                      s->to.first);
}

void epoch_fill(struct run *run)
{
    const struct epochs *epochs = run->function->variant;
    const struct epoch_state *s = run->state;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, run->rank, 0, s->window.handle);
    data_poison(s->window.memory, run->demand.remote);
    for (int64_t i = 0; epochs->operation != PUT && i < s->messages * s->places; i++)
        fill(run, s->window.memory + i * s->block, s->count, run->rank);
    MPI_Win_unlock(run->rank, s->window.handle);
    data_poison(run->local, run->demand.local);
    for (int64_t i = 0; epochs->operation != GET && i < s->sources; i++)
        fill(run, run->local + i * s->block, s->count, epoch_pattern(run, run->rank, (int)i));
}

bool epoch_verify(struct run *run)
{
    const struct epochs *epochs = run->function->variant;
    const struct epoch_state *s = run->state;
    bool known = s->operates && !epochs->twice && (epochs->operation != ACCUMULATE || run->untimed);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, run->rank, 0, s->window.handle);
    bool good = !known || check_window(run);
    MPI_Win_unlock(run->rank, s->window.handle);
    return good && window_verify_guards(run, &s->window) &&
           (epochs->operation != GET || !s->operates || check_got(run));
}

#endif
