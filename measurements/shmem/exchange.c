/*
 * Collect, fcollect, alltoall, alltoalls: each PE's block goes to every other one, or each other
 * one gets a block of its own.
 */
#include "measurements/common/collective.h"

#define ELEMENT 4 /* of the routines' 32-bit forms */

#if SKAMPI_SHMEM

#include <shmem.h>

static void call_collect(const struct collective_call *c)
{
    shmem_collect32(c->target, c->source, c->elements, c->start, c->log_stride, c->size, c->sync);
}

static void call_fcollect(const struct collective_call *c)
{
    shmem_fcollect32(c->target, c->source, c->elements, c->start, c->log_stride, c->size, c->sync);
}

static void call_alltoall(const struct collective_call *c)
{
    shmem_alltoall32(c->target, c->source, c->elements, c->start, c->log_stride, c->size, c->sync);
}

static void call_alltoalls(const struct collective_call *c)
{
    shmem_alltoalls32(c->target, c->source, 1, 1, c->elements, c->start, c->log_stride, c->size,
                      c->sync);
}

/* What one rank has for another: the same for all others where it has but one block. */
static int block_of(const struct collective_call *call, int from, int to)
{
    return from * call->size + (call->routine->source_of_all ? to : 0);
}

static void fill(const struct collective_call *call)
{
    size_t bytes = call->elements * ELEMENT;
    int blocks = call->routine->source_of_all ? call->size : 1;
    for (int to = 0; to < blocks; to++)
        pattern_fill(call->source + (size_t)to * bytes, bytes,
                     data_key(call->run, block_of(call, call->rank, to)));
}

static bool check(const struct collective_call *call)
{
    size_t bytes = call->elements * ELEMENT;
    bool good = true;
    for (int from = 0; good && from < call->size; from++)
        good = data_verify(call->run, "a block of the target", call->target + (size_t)from * bytes,
                           bytes, block_of(call, from, call->rank));
    return good;
}

#endif

#define ROUTINE(function)                                                                          \
    .call = WITH_SHMEM(function), .fill = WITH_SHMEM(fill), .check = WITH_SHMEM(check),            \
    .element = ELEMENT, .target_of_all = true

static const struct routine collect = {ROUTINE(call_collect)}, fcollect = {ROUTINE(call_fcollect)},
                            alltoall = {ROUTINE(call_alltoall), .source_of_all = true},
                            alltoalls = {ROUTINE(call_alltoalls), .source_of_all = true};

#define COUNT COUNT_IN("4-byte elements")
/* The three ways to time a routine. */
#define FORMS(name, which, what)                                                                   \
    {"Shmem_" name "_Consecutive",                                                                 \
     what ", in a row",                                                                            \
     CONSECUTIVE,                                                                                  \
     COLLECTIVE_DATA,                                                                              \
     .who = "all",                                                                                 \
     .parameters = {ITERATIONS, COUNT},                                                            \
     .moves = MOVES_BLOCKS,                                                                        \
     .variant = &which,                                                                            \
     .routine = "shmem_" #which "32",                                                              \
     .timed = #which,                                                                              \
     .cost = #which},                                                                              \
        {"Shmem_" name "_Barrier",                                                                 \
         what ", each followed by a barrier",                                                      \
         SEPARATED,                                                                                \
         COLLECTIVE_DATA,                                                                          \
         .who = "all",                                                                             \
         .parameters = {ITERATIONS, COUNT},                                                        \
         .moves = MOVES_BLOCKS,                                                                    \
         .variant = &which,                                                                        \
         .routine = "shmem_" #which "32",                                                          \
         .calls = "shmem_barrier_all shmem_barrier",                                               \
         .timed = #which " + barrier",                                                             \
         .cost = #which},                                                                          \
    {                                                                                              \
        "Shmem_" name "_Synchro", what ", once, all PEs starting by the clock", SYNCHRO,           \
            COLLECTIVE_DATA, .who = "all", .parameters = {COUNT}, .moves = MOVES_BLOCKS,           \
                             .variant = &which, .routine = "shmem_" #which "32", .timed = #which,  \
                             .cost = #which                                                        \
    }

const struct measurement measurements_exchange[] = {
    FORMS("Collect", collect, "blocks of all PEs, of any size, concatenated on all"),
    FORMS("Fcollect", fcollect, "blocks of all PEs, of equal size, concatenated on all"),
    FORMS("Alltoall", alltoall, "a block from each PE to each other"),
    FORMS("Alltoalls", alltoalls, "a block from each PE to each other, by a strided call"),
    {.name = NULL},
};
