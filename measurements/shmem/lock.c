/*
 * Locks of the library: set, cleared and tested one PE after the other, and with all PEs in the
 * queue.
 */
#include "measurements/common/lock_scenes.h"

#define ACTS(act, ...) LOCK_COMMON, LOCK_ACTS(shmem_lock_kind, act, __VA_ARGS__)
#define HELD(...)                                                                                  \
    ACTS(lock_act_test_held, __VA_ARGS__),                                                         \
        .minimum_pes = 2, .timed = "test_lock of 16 locks that are held, in a row",                \
        .cost = "test_lock"

const struct measurement measurements_lock[] = {
    {"Shmem_Set_Lock", "setting free locks, one PE after the other", .routine = "shmem_set_lock",
     ACTS(lock_act_set, NOBODY, IN_TURN), .timing = TIMING_PARTS,
     .timed = "set_lock of 16 free locks in a row", .who = "all", .cost = "set_lock"},
    {"Shmem_Clear_Lock", "clearing locks that nobody waits for, one PE after the other",
     .routine = "shmem_clear_lock", ACTS(lock_act_clear, NOBODY, IN_TURN), .timing = TIMING_PARTS,
     .timed = "clear_lock of 16 locks in a row", .who = "all", .cost = "clear_lock"},
    {"Shmem_Lock_Test_Free", "testing and so acquiring free locks, one PE after the other",
     .routine = "shmem_test_lock", ACTS(lock_act_test_free, NOBODY, IN_TURN),
     .timed = "test_lock of 16 free locks in a row", .who = "all", .cost = "test_lock"},
    {"Shmem_Lock_Test_Busy", "rank 0 tests locks that rank 1 holds", .routine = "shmem_test_lock",
     HELD(RANK_1, RANK_0), .who = "rank 0"},
    {"Shmem_Lock_Test_Busy_All", "all at the same time test locks that the last rank holds",
     .routine = "shmem_test_lock", HELD(LAST_RANK, TOGETHER), .who = "all but the last rank"},
    {"Shmem_Lock_Test_Busy_Turns", "one rank after the other tests locks that the last rank holds",
     .routine = "shmem_test_lock", HELD(LAST_RANK, IN_TURN), .who = "all but the last rank"},
    {"Shmem_Lock_Test_Busy_Round",
     "each rank in turn holds locks, which the others test one after the other",
     .routine = "shmem_test_lock", HELD(EACH_IN_TURN, IN_TURN), .who = "all"},
    {"Shmem_Lock_Set_Busy",
     "setting locks that rank 0 holds, and clears as soon as it is asked for them",
     .routine = "shmem_set_lock", LOCK_COMMON, LOCKING(.kind = WITH_SHMEM(&shmem_lock_kind)),
     .minimum_pes = 2, .setup = WITH_SHMEM(lock_set_up_busy), .run = WITH_SHMEM(lock_run_set_busy),
     .timed = "set_lock of 16 locks that are held, each by itself", .who = "rank 1"},
    {"Shmem_Lock_Contended", "one lock handed over between all PEs, each holding it for 2 us",
     .calls = "shmem_set_lock shmem_clear_lock shmem_barrier_all shmem_barrier",
     LOCK_CONTENDED(shmem_lock_kind),
     .timed = "set_lock + 2 us + clear_lock on all PEs and a barrier, divided by their number",
     .cost = "set_lock + clear_lock"},
    {"Shmem_Lock_Contended_Wait",
     "waiting for one lock that all PEs want, each holding it for 2 us",
     .routine = "shmem_set_lock", LOCK_WAITS(shmem_lock_kind), .timed = "set_lock"},
    {"Shmem_Lock_Handed_Over", "one lock handed on in a queue in which all PEs stand already",
     .routine = "shmem_clear_lock", .calls = "shmem_set_lock", LOCK_HANDED_OVER(shmem_lock_kind),
     .timed = "clear_lock by rank 0, until its set_lock behind all others returns, divided by the "
              "number of PEs",
     .cost = "set_lock + clear_lock"},
    {.name = NULL},
};
