/*
 * Barrier and sync: of the complete set, and of every other rank while the rest stays out.
 */
#include "measurements/common/collective.h"

#if SKAMPI_SHMEM

#include <shmem.h>

static void call_barrier(const struct collective_call *call)
{
    if (call->world)
        shmem_barrier_all();
    else
        shmem_barrier(call->start, call->log_stride, call->size, call->sync);
}

static void call_sync(const struct collective_call *call)
{
    if (call->world)
        shmem_sync_all();
    else
        shmem_sync(call->start, call->log_stride, call->size, call->sync);
}

#endif

static const struct routine barrier = {.call = WITH_SHMEM(call_barrier)},
                            barrier_half = {.call = WITH_SHMEM(call_barrier), .on_half = true},
                            sync = {.call = WITH_SHMEM(call_sync)},
                            sync_half = {.call = WITH_SHMEM(call_sync), .on_half = true};

static const struct measurement whole = {.no_data = true, .synchronizes = true, .who = "all"};
static const struct measurement half = {
    .no_data = true,
    .synchronizes = true,
    .who = "ranks 0, 2, 4, ...: half of all, rounded down, at least one",
};
/* The word is the routine's. */
static const struct measurement one = {
    .routine = "shmem_%s_all shmem_%s", .timed = "%s", .like = {&collective_by_the_clock}};
static const struct measurement in_a_row = {.parameters = {ITERATIONS},
                                            .like = {&collective_in_a_row, &one}};

/* clang-format off */
const struct measurement measurements_barrier[] = {
    {"Shmem_Barrier", "one barrier", {&one, &whole}, .word = "barrier", .cost = "barrier", .variant = &barrier},
    {"Shmem_Barrier_Consecutive", "barriers in a row", {&in_a_row, &whole}, .word = "barrier", .cost = "barrier", .variant = &barrier},
    {"Shmem_Barrier_Half", "one barrier of every other rank", {&one, &half}, .word = "barrier", .cost = "barrier", .variant = &barrier_half},
    {"Shmem_Barrier_Half_Consecutive", "barriers of every other rank in a row", {&in_a_row, &half}, .word = "barrier", .cost = "barrier", .variant = &barrier_half},
    {"Shmem_Sync", "one sync", {&one, &whole}, .word = "sync", .cost = "sync", .variant = &sync},
    {"Shmem_Sync_Consecutive", "syncs in a row", {&in_a_row, &whole}, .word = "sync", .cost = "sync", .variant = &sync},
    {"Shmem_Sync_Half", "one sync of every other rank", {&one, &half}, .word = "sync", .cost = "sync", .variant = &sync_half},
    {"Shmem_Sync_Half_Consecutive", "syncs of every other rank in a row", {&in_a_row, &half}, .word = "sync", .cost = "sync", .variant = &sync_half},
    {.name = NULL},
};
/* clang-format on */
