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

#endif

#define COUNT COUNT_IN("4-byte elements")

/* The word is the routine's, without its size. */
static const struct measurement common = {
    .routine = "shmem_%s32",
    .parameters = {ITERATIONS, COUNT},
    .moves = MOVES_BLOCKS,
    .timed = "%s",
    .who = "all",
    .fill = WITH_SHMEM(collective_fill),
    .verify = WITH_SHMEM(collective_check_data),
};
static const struct measurement in_a_row = {.like = {&collective_in_a_row, &common}};
static const struct measurement with_barriers = {.timed = "%s + barrier",
                                                 .like = {&collective_with_barriers, &common}};
static const struct measurement by_the_clock = {.parameters = {COUNT},
                                                .like = {&collective_by_the_clock, &common}};

/* clang-format off */
#define BLOCKS .fill = collective_fill_blocks, .check = collective_check_blocks, .element = ELEMENT, .target_of_all = true

static const struct measurement of_collect = {.word = "collect", .cost = "collect",
    .variant = &(const struct routine){BLOCKS, .call = WITH_SHMEM(call_collect)}};
static const struct measurement of_fcollect = {.word = "fcollect", .cost = "fcollect",
    .variant = &(const struct routine){BLOCKS, .call = WITH_SHMEM(call_fcollect)}};
static const struct measurement of_alltoall = {.word = "alltoall", .cost = "alltoall",
    .variant = &(const struct routine){BLOCKS, .source_of_all = true, .call = WITH_SHMEM(call_alltoall)}};
static const struct measurement of_alltoalls = {.word = "alltoalls", .cost = "alltoalls",
    .variant = &(const struct routine){BLOCKS, .source_of_all = true, .call = WITH_SHMEM(call_alltoalls)}};

const struct measurement measurements_exchange[] = {
    {"Shmem_Collect_Consecutive", "blocks of all PEs, of any size, concatenated on all, in a row", .like = {&in_a_row, &of_collect}},
    {"Shmem_Collect_Barrier", "blocks of all PEs, of any size, concatenated on all, each followed by a barrier", .like = {&with_barriers, &of_collect}},
    {"Shmem_Collect_Synchro", "blocks of all PEs, of any size, concatenated on all, once, all PEs starting by the clock", .like = {&by_the_clock, &of_collect}},
    {"Shmem_Fcollect_Consecutive", "blocks of all PEs, of equal size, concatenated on all, in a row", .like = {&in_a_row, &of_fcollect}},
    {"Shmem_Fcollect_Barrier", "blocks of all PEs, of equal size, concatenated on all, each followed by a barrier", .like = {&with_barriers, &of_fcollect}},
    {"Shmem_Fcollect_Synchro", "blocks of all PEs, of equal size, concatenated on all, once, all PEs starting by the clock", .like = {&by_the_clock, &of_fcollect}},
    {"Shmem_Alltoall_Consecutive", "a block from each PE to each other, in a row", .like = {&in_a_row, &of_alltoall}},
    {"Shmem_Alltoall_Barrier", "a block from each PE to each other, each followed by a barrier", .like = {&with_barriers, &of_alltoall}},
    {"Shmem_Alltoall_Synchro", "a block from each PE to each other, once, all PEs starting by the clock", .like = {&by_the_clock, &of_alltoall}},
    {"Shmem_Alltoalls_Consecutive", "a block from each PE to each other, by a strided call, in a row", .like = {&in_a_row, &of_alltoalls}},
    {"Shmem_Alltoalls_Barrier", "a block from each PE to each other, by a strided call, each followed by a barrier", .like = {&with_barriers, &of_alltoalls}},
    {"Shmem_Alltoalls_Synchro", "a block from each PE to each other, by a strided call, once, all PEs starting by the clock", .like = {&by_the_clock, &of_alltoalls}},
    {.name = NULL},
};
/* clang-format on */
