/*
 * Epochs of MPI one-sided communication: what their arguments mean, the memory they need, and which
 * arguments are refused. Works in every build.
 */
#include "measurements/common/epoch.h"

#include <string.h>

int64_t epoch_messages(const struct run *run)
{
    const struct epochs *epochs = run->function->variant;
    return epochs->pattern == NEIGHBOURS ? 1 : run_integer(run, "msgs", 1);
}

int64_t epoch_places(const struct run *run)
{
    const struct epochs *epochs = run->function->variant;
    bool several = epochs->pattern == ALL_TO_ONE || epochs->pattern == EACH_TO_ONE ||
                   epochs->pattern == ALL_TO_ALL;
    if (epochs->pattern == NEIGHBOURS)
        return run_integer(run, "msgs", 1);
    return several && !epochs->together && run_integer(run, "disjoint", 1) ? run->size : 1;
}

int64_t epoch_sources(const struct run *run)
{
    const struct epochs *epochs = run->function->variant;
    return epochs->pattern == ALL_TO_ALL ? run->size : 1;
}

void epoch_demand(struct run *run)
{
    int64_t blocks;
    mpi_demand_message(run);
    if (__builtin_mul_overflow(epoch_messages(run), epoch_places(run), &blocks))
        blocks = INT64_MAX;
    const struct datatype *type = mpi_datatype_of(run);
    int64_t count = run_integer(run, "count", 0);
    run->demand.remote = mpi_block_bytes(type, count, blocks ? blocks : 1);
    run->demand.local = mpi_block_bytes(type, count, epoch_sources(run));
}

/* ---- What is refused ---- */

static int64_t constant(const char *name)
{
    const char *found;
    int64_t value = 0;
    for (size_t i = 0; (found = mpi_constant_at(i, &value)) && strcmp(found, name) != 0;)
        i++;
    return value;
}

bool epoch_operates(const struct run *run)
{
    const struct epochs *epochs = run->function->variant;
    return epochs->operation != NOTHING && run_integer(run, "doput", 1) != 0;
}

/* Assertions that mean nothing for the call are refused, and those that would be a lie. */
static const char *check_assertion(const struct run *run)
{
    const struct epochs *epochs = run->function->variant;
    int64_t assertion = run_integer(run, "assert", 0);
    int64_t no_check = constant("MPI_MODE_NOCHECK"), no_put = constant("MPI_MODE_NOPUT");
    int64_t no_store = constant("MPI_MODE_NOSTORE");
    int64_t no_precede = constant("MPI_MODE_NOPRECEDE");
    int64_t no_succeed = constant("MPI_MODE_NOSUCCEED");
    int64_t of_fence = no_store | no_put | no_precede | no_succeed;
    bool puts = epoch_operates(run);
    if (epochs->epoch == FENCE && (assertion & ~of_fence))
        return "assert of a fence is 0 or MPI_MODE_NOSTORE, MPI_MODE_NOPUT, MPI_MODE_NOPRECEDE, "
               "MPI_MODE_NOSUCCEED or sums of them";
    if (epochs->epoch == LOCK && (assertion & ~no_check))
        return "assert of a lock is 0 or MPI_MODE_NOCHECK";
    if ((epochs->epoch == START_POST || epochs->epoch == START_TEST) &&
        (assertion & ~(no_check | no_put | no_store)))
        return "assert of start and post is 0 or MPI_MODE_NOCHECK, MPI_MODE_NOSTORE, "
               "MPI_MODE_NOPUT "
               "or sums of them";
    if (puts && epochs->first == CLOSE && (assertion & no_precede))
        return "MPI_MODE_NOPRECEDE does not hold: there are operations before the fence";
    if (puts && epochs->epoch != FENCE && (assertion & no_put))
        return "MPI_MODE_NOPUT does not hold: there are puts";
    if (epochs->twice && (assertion & no_succeed))
        return "MPI_MODE_NOSUCCEED does not hold: there are operations after the fence";
    if (epochs->who == THE_ONE && epochs->late == POST && (assertion & no_check))
        return "MPI_MODE_NOCHECK does not hold: the post comes late";
    return NULL;
}

const char *epoch_check(const struct run *run)
{
    const struct epochs *epochs = run->function->variant;
    const char *wrong = mpi_check_accumulate(run);
    int64_t shared = constant("MPI_LOCK_SHARED"), exclusive = constant("MPI_LOCK_EXCLUSIVE");
    int64_t type = run_integer(run, "type", shared);
    if (wrong)
        return wrong;
    if (type != shared && type != exclusive)
        return "type must be MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE";
    if (epochs->pattern == NEIGHBOURS && run_integer(run, "msgs", 1) > run->size - 1)
        return "msgs may be at most the number of other ranks";
    return check_assertion(run);
}
