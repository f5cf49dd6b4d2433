/*
 * Locks of the library: set, cleared and tested one PE after the other, and with all PEs in the
 * queue.
 */
#include "measurements/common/locks.h"

static const struct locking library = {.kind = LIBRARY_LOCK};

static const struct measurement test_held = {
    .routine = "shmem_test_lock",
    .minimum_pes = 2,
    .timed = "test_lock of 16 locks that are held, in a row",
    .cost = "test_lock",
    .like = {&lock_acts},
};

/* clang-format off */

const struct measurement measurements_lock[] = {
    {"Shmem_Set_Lock", "setting free locks, one PE after the other", {&lock_acts}, .routine = "shmem_set_lock",
     .timing = TIMING_PARTS, .timed = "set_lock of 16 free locks in a row", .who = "all", .cost = "set_lock",
     .variant = &(const struct locking){LIBRARY_LOCK, LOCK_SET, HELD_BY_NOBODY, ACT_IN_TURN}},
    {"Shmem_Clear_Lock", "clearing locks that nobody waits for, one PE after the other", {&lock_acts}, .routine = "shmem_clear_lock",
     .timing = TIMING_PARTS, .timed = "clear_lock of 16 locks in a row", .who = "all", .cost = "clear_lock",
     .variant = &(const struct locking){LIBRARY_LOCK, LOCK_CLEAR, HELD_BY_NOBODY, ACT_IN_TURN}},
    {"Shmem_Put_Clear_Lock", "clearing locks, each behind a non-blocking put to the next rank, one PE after the other", {&lock_acts},
     .timing = TIMING_PARTS, .calls = "shmem_long_put_nbi shmem_clear_lock",
     .timed = "put_nbi of 8 bytes and clear_lock, 16 times in a row", .who = "all", .cost = "post + clear_lock",
     .variant = &(const struct locking){LIBRARY_LOCK, LOCK_PUT_CLEAR, HELD_BY_NOBODY, ACT_IN_TURN}},
    {"Shmem_Lock_Test_Free", "testing and so acquiring free locks, one PE after the other", {&lock_acts}, .routine = "shmem_test_lock",
     .timed = "test_lock of 16 free locks in a row", .who = "all", .cost = "test_lock",
     .variant = &(const struct locking){LIBRARY_LOCK, LOCK_TEST_FREE, HELD_BY_NOBODY, ACT_IN_TURN}},
    {"Shmem_Lock_Test_Busy", "rank 0 tests locks that rank 1 holds", {&test_held}, .who = "rank 0",
     .variant = &(const struct locking){LIBRARY_LOCK, LOCK_TEST_HELD, HELD_BY_RANK_1, ACTS_RANK_0}},
    {"Shmem_Lock_Test_Busy_All", "all at the same time test locks that the last rank holds", {&test_held}, .who = "all but the last rank",
     .variant = &(const struct locking){LIBRARY_LOCK, LOCK_TEST_HELD, HELD_BY_LAST_RANK, ACT_TOGETHER}},
    {"Shmem_Lock_Test_Busy_Turns", "one rank after the other tests locks that the last rank holds", {&test_held}, .who = "all but the last rank",
     .variant = &(const struct locking){LIBRARY_LOCK, LOCK_TEST_HELD, HELD_BY_LAST_RANK, ACT_IN_TURN}},
    {"Shmem_Lock_Test_Busy_Round", "each rank in turn holds locks, which the others test one after the other", {&test_held}, .who = "all",
     .variant = &(const struct locking){LIBRARY_LOCK, LOCK_TEST_HELD, HELD_BY_EACH_IN_TURN, ACT_IN_TURN}},
    {"Shmem_Lock_Set_Busy", "setting locks that rank 0 holds, and clears as soon as it is asked for them", {&lock_set_busy},
     .routine = "shmem_set_lock", .timed = "set_lock of 16 locks that are held, each by itself", .variant = &library},
    {"Shmem_Lock_Contended", "one lock handed over between all PEs, each holding it for 2 us", {&lock_contended},
     .calls = "shmem_set_lock shmem_clear_lock shmem_barrier_all shmem_barrier",
     .timed = "set_lock + 2 us + clear_lock on all PEs and a barrier, divided by their number",
     .cost = "set_lock + clear_lock", .variant = &library},
    {"Shmem_Lock_Contended_Wait", "waiting for one lock that all PEs want, each holding it for 2 us", {&lock_waits},
     .routine = "shmem_set_lock", .timed = "set_lock", .variant = &library},
    {"Shmem_Lock_Handed_Over", "one lock handed on in a queue in which all PEs stand already", {&lock_handed_over},
     .routine = "shmem_clear_lock", .calls = "shmem_set_lock",
     .timed = "clear_lock by rank 0, until its set_lock behind all others returns, divided by the number of PEs",
     .cost = "set_lock + clear_lock", .variant = &library},
    {.name = NULL},
};
/* clang-format on */
