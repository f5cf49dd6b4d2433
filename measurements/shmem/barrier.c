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

#define WHOLE .no_data = true, .synchronizes = true, .who = "all"
#define HALF                                                                                       \
    .no_data = true, .synchronizes = true,                                                         \
    .who = "ranks 0, 2, 4, ...: half of all, rounded down, at least one"

const struct measurement measurements_barrier[] = {
    {"Shmem_Barrier", "one barrier", .routine = "shmem_barrier_all shmem_barrier", SYNCHRO, WHOLE,
     .variant = &barrier, .timed = "barrier", .cost = "barrier"},
    {"Shmem_Barrier_Consecutive", "barriers in a row", .routine = "shmem_barrier_all shmem_barrier",
     CONSECUTIVE, WHOLE, .variant = &barrier, .parameters = {ITERATIONS}, .timed = "barrier",
     .cost = "barrier"},
    {"Shmem_Barrier_Half", "one barrier of every other rank",
     .routine = "shmem_barrier_all shmem_barrier", SYNCHRO, HALF, .variant = &barrier_half,
     .timed = "barrier", .cost = "barrier"},
    {"Shmem_Barrier_Half_Consecutive", "barriers of every other rank in a row",
     .routine = "shmem_barrier_all shmem_barrier", CONSECUTIVE, HALF, .variant = &barrier_half,
     .parameters = {ITERATIONS}, .timed = "barrier", .cost = "barrier"},
    {"Shmem_Sync", "one sync", .routine = "shmem_sync_all shmem_sync", SYNCHRO, WHOLE,
     .variant = &sync, .timed = "sync", .cost = "sync"},
    {"Shmem_Sync_Consecutive", "syncs in a row", .routine = "shmem_sync_all shmem_sync",
     CONSECUTIVE, WHOLE, .variant = &sync, .parameters = {ITERATIONS}, .timed = "sync",
     .cost = "sync"},
    {"Shmem_Sync_Half", "one sync of every other rank", .routine = "shmem_sync_all shmem_sync",
     SYNCHRO, HALF, .variant = &sync_half, .timed = "sync", .cost = "sync"},
    {"Shmem_Sync_Half_Consecutive", "syncs of every other rank in a row",
     .routine = "shmem_sync_all shmem_sync", CONSECUTIVE, HALF, .variant = &sync_half,
     .parameters = {ITERATIONS}, .timed = "sync", .cost = "sync"},
    {.name = NULL},
};
