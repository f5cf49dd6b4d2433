/*
 * Epochs of MPI one-sided communication: what their arguments mean, the memory they need, and which
 * arguments are refused. Works in every build.
 */
#include "measurements/common/epoch.h"

#include <string.h>

int64_t epoch_messages(const struct measurement *function, const struct argument *arguments)
{
    const struct epochs *epochs = function->variant;
    return epochs->pattern == NEIGHBOURS ? 1 : argument_value(function, arguments, "msgs", 1);
}

int64_t epoch_places(const struct measurement *function, const struct argument *arguments, int pes)
{
    const struct epochs *epochs = function->variant;
    bool several = epochs->pattern == ALL_TO_ONE || epochs->pattern == EACH_TO_ONE ||
                   epochs->pattern == ALL_TO_ALL;
    if (epochs->pattern == NEIGHBOURS)
        return argument_value(function, arguments, "msgs", 1);
    return several && !epochs->together && argument_value(function, arguments, "disjoint", 1) ? pes
                                                                                              : 1;
}

int64_t epoch_sources(const struct measurement *function, int pes)
{
    const struct epochs *epochs = function->variant;
    return epochs->pattern == ALL_TO_ALL ? pes : 1;
}

void epoch_demand(const struct measurement *function, const struct argument *arguments, int pes,
                  struct demand *demand)
{
    int64_t blocks;
    mpi_demand_message(function, arguments, pes, demand);
    if (__builtin_mul_overflow(epoch_messages(function, arguments),
                               epoch_places(function, arguments, pes), &blocks))
        blocks = INT64_MAX;
    const struct datatype *type = argument_datatype(function, arguments);
    int64_t count = argument_value(function, arguments, "count", 0);
    demand->remote = mpi_block_bytes(type, count, blocks ? blocks : 1);
    demand->local = mpi_block_bytes(type, count, epoch_sources(function, pes));
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

bool epoch_operates(const struct measurement *function, const struct argument *arguments)
{
    const struct epochs *epochs = function->variant;
    return epochs->operation != NOTHING && argument_value(function, arguments, "doput", 1) != 0;
}

/* Assertions that mean nothing for the call are refused, and those that would be a lie. */
static const char *check_assertion(const struct measurement *function,
                                   const struct argument *arguments)
{
    const struct epochs *epochs = function->variant;
    int64_t assertion = argument_value(function, arguments, "assert", 0);
    int64_t no_check = constant("MPI_MODE_NOCHECK"), no_put = constant("MPI_MODE_NOPUT");
    int64_t no_store = constant("MPI_MODE_NOSTORE");
    int64_t no_precede = constant("MPI_MODE_NOPRECEDE");
    int64_t no_succeed = constant("MPI_MODE_NOSUCCEED");
    int64_t of_fence = no_store | no_put | no_precede | no_succeed;
    bool puts = epoch_operates(function, arguments);
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

const char *epoch_check(const struct measurement *function, const struct argument *arguments,
                        const struct pe_set *set)
{
    const struct epochs *epochs = function->variant;
    const char *wrong = mpi_check_accumulate(function, arguments, set);
    int64_t shared = constant("MPI_LOCK_SHARED"), exclusive = constant("MPI_LOCK_EXCLUSIVE");
    int64_t type = argument_value(function, arguments, "type", shared);
    if (wrong)
        return wrong;
    if (type != shared && type != exclusive)
        return "type must be MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE";
    if (epochs->pattern == NEIGHBOURS &&
        argument_value(function, arguments, "msgs", 1) > pe_set_size(set) - 1)
        return "msgs may be at most the number of other ranks";
    return check_assertion(function, arguments);
}
