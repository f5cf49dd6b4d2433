/*
 * One-sided communication of MPI by epochs: the functions. mpi_epoch.h says what they are made of.
 */
#include "measurements/common/epoch.h"

/* clang-format off */
#define ASSERT {"assert", PARAMETER_INT, "", "sum of the MPI_MODE_... that hold for the calls of the epoch (0: none)", .maximum = INT_MAX, .example = "0"}
#define DOPUT {"doput", PARAMETER_INT, "", "whether data are put before (0: no)", .maximum = INT_MAX, .example = "1"}
#define MSGS {"msgs", PARAMETER_INT, "", "messages to each target, or the number of targets", .maximum = INT_MAX, .example = "1"}
#define US {"us", PARAMETER_INT, "microseconds", "length of the computation", .maximum = INT_MAX, .example = "10"}
#define LATE_RANK {"rank", PARAMETER_RANK, "", "rank that is late", .example = "1"}
#define TYPE {"type", PARAMETER_INT, "", "kind of lock", .maximum = INT_MAX, .allowed = "MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE", .example = "MPI_LOCK_SHARED"}
#define DEST {"dest", PARAMETER_RANK, "", "rank whose window is locked", .example = "1"}
#define DIST {"dist", PARAMETER_INT, "ranks", "distance from each origin to its target", .maximum = INT_MAX, .example = "1"}
#define DISJOINT {"disjoint", PARAMETER_INT, "", "whether each origin has a place of its own (0: no)", .maximum = INT_MAX, .example = "1"}

#define TAKES(...) .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, __VA_ARGS__}
#define PLAIN .parameters = {COUNT_ELEMENTS, DATATYPE, INFO}
/* clang-format on */

#define EPOCHS                                                                                     \
    MPI_FUNCTION_CHECKED(epoch_check),                                                             \
        .version_major = 3, .timing = TIMING_PARTS, .demand = epoch_demand,                        \
        .setup = WITH_MPI(epoch_set_up), .fill = WITH_MPI(epoch_fill),                             \
        .verify = WITH_MPI(epoch_verify), .teardown = WITH_MPI(epoch_tear_down),                   \
        MPI_STATE(struct epoch_state)
#define STAGED EPOCHS, .run = WITH_MPI(epoch_run)
#define BY_ALL STAGED, .who = "all"
#define BY_PAIR STAGED, .minimum_pes = 2, .who = "ranks 0 and 1"
#define BY_FIRST STAGED, .minimum_pes = 2, .who = "rank 0"
#define BY_ALL_OF_TWO STAGED, .minimum_pes = 2, .who = "all"
#define OF_LATE(is, does, shape, from, to, by, at, whose)                                          \
    .variant = &(const struct epochs)                                                              \
    {                                                                                              \
        .epoch = is, .operation = does, .pattern = shape, .first = from, .last = to,               \
        .reports = by, .late = at, .who = whose                                                    \
    }
#define OF(is, does, shape, from, to, by) OF_LATE(is, does, shape, from, to, by, POST, NOBODY)
#define TOGETHER(shape)                                                                            \
    .variant = &(const struct epochs)                                                              \
    {                                                                                              \
        .epoch = FENCE, .operation = ACCUMULATE, .pattern = shape, .first = OPERATE,               \
        .last = CLOSE, .reports = EACH, .together = true                                           \
    }

static const struct epochs two_epochs = {.epoch = FENCE,
                                         .operation = PUT,
                                         .pattern = SHIFT,
                                         .first = CLOSE,
                                         .last = CLOSE,
                                         .reports = EACH,
                                         .twice = true};

/* clang-format off */
const struct measurement measurements_mpi_rma[] = {
    {"onesided_dummy", "one-sided measurement without communication: the cost of measuring", BY_FIRST,
     PLAIN, OF(NO_EPOCH, NOTHING, PAIR, OPERATE, OPERATE, ORIGINS),
     .moves = MOVES_NOTHING, .calls = "", .timed = "nothing"},

    /* Fences */
    {"Win_fence_open", "opening fence", BY_ALL, TAKES(ASSERT),
     OF(FENCE, NOTHING, SELF, OPEN, OPEN, EACH), .moves = MOVES_NOTHING, .routine = "MPI_Win_fence", .timed = "MPI_Win_fence"},
    {"Win_fence_close", "closing fence after a put of each rank to itself", BY_ALL,
     TAKES(ASSERT, DOPUT), OF(FENCE, PUT, SELF, CLOSE, CLOSE, EACH), .moves = MOVES_NOTHING, .routine = "MPI_Win_fence", .timed = "MPI_Win_fence"},
    {"Win_fence_close_collective", "closing fence after puts of all others to rank 0",
     BY_ALL_OF_TWO, TAKES(ASSERT, DOPUT), OF(FENCE, PUT, ALL_TO_ONE, CLOSE, CLOSE, EACH),
     .moves = MOVES_NOTHING, .routine = "MPI_Win_fence", .timed = "MPI_Win_fence"},
    {"Win_fence_close_delayed", "closing fence after puts to the next rank and a computation", BY_ALL,
     TAKES(MSGS, US), OF_LATE(FENCE, PUT, SHIFT, CLOSE, CLOSE, EACH, CLOSE, EACH),
     .moves = MOVES_NOTHING, .routine = "MPI_Win_fence", .timed = "MPI_Win_fence"},
    {"Win_fence_openclose", "fence between two epochs that both put to the next rank", BY_ALL,
     TAKES(DOPUT), .variant = &two_epochs,
     .moves = MOVES_NOTHING, .routine = "MPI_Win_fence", .timed = "MPI_Win_fence"},
    {"Caching", "closing fence after puts of rank 0 to all others and a computation", BY_FIRST, TAKES(US),
     OF_LATE(FENCE, PUT, ONE_TO_ALL, CLOSE, CLOSE, ORIGINS, CLOSE, ORIGINS), .moves = MOVES_NOTHING, .calls = "MPI_Win_fence", .timed = "MPI_Win_fence"},

    /* Start, post, complete, wait */
    {"Win_start", "starting an epoch with all others, which have already posted", BY_FIRST, TAKES(ASSERT),
     OF(START_POST, NOTHING, ONE_TO_ALL, OPEN, OPEN, ORIGINS), .moves = MOVES_NOTHING, .routine = "MPI_Win_start", .timed = "MPI_Win_start"},
    {"Win_start_delayed_post", "starting an epoch with all others, of which one posts late", BY_FIRST,
     TAKES(ASSERT, US, LATE_RANK),
     OF_LATE(START_POST, NOTHING, ONE_TO_ALL, POST, OPEN, ORIGINS, POST, THE_ONE),
     .moves = MOVES_NOTHING, .routine = "MPI_Win_start", .calls = "MPI_Win_post", .timed = "MPI_Win_start, while the others call MPI_Win_post"},
    {"Win_post", "posting an epoch to the previous rank, around the ring", BY_ALL, TAKES(ASSERT),
     OF(START_POST, NOTHING, SHIFT, POST, POST, EACH), .moves = MOVES_NOTHING, .routine = "MPI_Win_post", .timed = "MPI_Win_post"},
    {"Win_complete", "completing an epoch after puts to all others", BY_FIRST, TAKES(ASSERT, DOPUT),
     OF(START_POST, PUT, ONE_TO_ALL, CLOSE, CLOSE, ORIGINS), .moves = MOVES_NOTHING, .routine = "MPI_Win_complete", .timed = "MPI_Win_complete"},
    {"Win_startcomplete", "access epoch with puts to all others, which have already posted", BY_FIRST,
     TAKES(ASSERT, DOPUT), OF(START_POST, PUT, ONE_TO_ALL, OPEN, CLOSE, ORIGINS),
     .moves = MOVES_NOTHING, .routine = "MPI_Win_start", .calls = "MPI_Win_complete", .timed = "MPI_Win_start, puts, MPI_Win_complete"},
    {"Win_complete_n", "completing an epoch after puts to all others and a computation", BY_FIRST,
     TAKES(ASSERT, MSGS, US), OF_LATE(START_POST, PUT, ONE_TO_ALL, CLOSE, CLOSE, ORIGINS, CLOSE, ORIGINS),
     .moves = MOVES_NOTHING, .routine = "MPI_Win_complete", .timed = "MPI_Win_complete"},
    {"Win_complete_delayed_wait", "completing an epoch whose targets compute before they wait", BY_FIRST,
     TAKES(ASSERT, DOPUT, US),
     OF_LATE(START_POST, PUT, ONE_TO_ALL, CLOSE, CLOSE, ORIGINS, WAIT, TARGETS),
     .moves = MOVES_NOTHING, .routine = "MPI_Win_complete", .timed = "MPI_Win_complete"},
    {"Win_wait_early_complete", "waiting, after a computation, for the end of an epoch that the others have completed", BY_FIRST,
     TAKES(ASSERT, DOPUT, US), OF_LATE(START_POST, PUT, ALL_TO_ONE, WAIT, WAIT, TARGETS, WAIT, TARGETS),
     .moves = MOVES_NOTHING, .routine = "MPI_Win_wait", .timed = "MPI_Win_wait"},
    {"Win_wait_delayed_complete", "waiting for the end of an epoch that the others complete late", BY_FIRST,
     TAKES(ASSERT, DOPUT, US), OF_LATE(START_POST, PUT, ALL_TO_ONE, CLOSE, WAIT, TARGETS, CLOSE, ORIGINS),
     .moves = MOVES_NOTHING, .routine = "MPI_Win_wait", .calls = "MPI_Win_complete", .timed = "MPI_Win_wait, while the others call MPI_Win_complete"},
    {"Win_test", "one test for the end of an epoch that the others have completed", BY_FIRST, TAKES(ASSERT, DOPUT),
     OF(START_TEST, PUT, ALL_TO_ONE, WAIT, WAIT, TARGETS), .moves = MOVES_NOTHING, .routine = "MPI_Win_test", .timed = "MPI_Win_test"},
    {"Win_test_delayed", "one test for the end of an epoch that the others complete late", BY_FIRST,
     TAKES(ASSERT, DOPUT, US), OF_LATE(START_TEST, PUT, ALL_TO_ONE, CLOSE, WAIT, TARGETS, CLOSE, ORIGINS),
     .moves = MOVES_NOTHING, .routine = "MPI_Win_test", .timed = "MPI_Win_test"},

    /* Locks */
    {"Win_lock", "locking a window", BY_FIRST, TAKES(ASSERT, TYPE, DEST),
     OF(LOCK, NOTHING, TO_DEST, OPEN, OPEN, ORIGINS), .moves = MOVES_NOTHING, .routine = "MPI_Win_lock", .timed = "MPI_Win_lock; MPI_Win_unlock untimed"},
    {"Win_lock_desync", "locking a window, after a computation", BY_FIRST,
     TAKES(ASSERT, TYPE, DEST, US), OF_LATE(LOCK, NOTHING, TO_DEST, OPEN, OPEN, ORIGINS, OPEN, ORIGINS),
     .moves = MOVES_NOTHING, .routine = "MPI_Win_lock", .timed = "MPI_Win_lock; MPI_Win_unlock untimed"},
    {"Win_unlock", "unlocking a window after a put and a computation", BY_FIRST,
     TAKES(ASSERT, TYPE, DEST, DOPUT, US),
     OF_LATE(LOCK, PUT, TO_DEST, CLOSE, CLOSE, ORIGINS, CLOSE, ORIGINS), .moves = MOVES_NOTHING, .routine = "MPI_Win_unlock", .timed = "MPI_Win_unlock"},
    {"Win_lock_all", "locking all windows", BY_ALL, PLAIN,
     OF(LOCK_ALL, NOTHING, SHIFT, OPEN, OPEN, EACH),
     .moves = MOVES_NOTHING, .routine = "MPI_Win_lock_all", .timed = "MPI_Win_lock_all; MPI_Win_unlock_all untimed"},
    {"Win_unlock_all", "unlocking all windows after a put to the next rank", BY_ALL, TAKES(DOPUT),
     OF(LOCK_ALL, PUT, SHIFT, CLOSE, CLOSE, EACH), .moves = MOVES_NOTHING, .routine = "MPI_Win_unlock_all", .timed = "MPI_Win_unlock_all"},

    /* Put */
    {"Put", "the call of a put alone, between fences", BY_FIRST, PLAIN,
     OF(FENCE, PUT, PAIR, OPERATE, OPERATE, ORIGINS), .moves = MOVES_NOTHING, .routine = "MPI_Put", .timed = "MPI_Put; fences untimed"},
    {"Put_fence", "put and fence", BY_ALL_OF_TWO, PLAIN, OF(FENCE, PUT, PAIR, OPERATE, CLOSE, EACH),
     .moves = MOVES_MESSAGE, .routine = "MPI_Put", .calls = "MPI_Win_fence", .timed = "MPI_Put on rank 0; MPI_Win_fence"},
    {"Put_fence_bidirectional", "puts of two ranks to each other, and fence", BY_ALL_OF_TWO, PLAIN,
     OF(FENCE, PUT, EXCHANGE, OPERATE, CLOSE, EACH),
     .moves = MOVES_NOTHING, .routine = "MPI_Put", .calls = "MPI_Win_fence", .timed = "MPI_Put on ranks 0 and 1; MPI_Win_fence"},
    {"Put_dedicated", "put and the end of the epoch on both sides", BY_PAIR, PLAIN,
     OF(START_POST, PUT, PAIR, OPERATE, WAIT, NOBODY),
     .moves = MOVES_MESSAGE, .calls = "MPI_Put MPI_Win_complete MPI_Win_wait", .timed = "rank 0: MPI_Put, MPI_Win_complete; rank 1: MPI_Win_wait"},
    {"Put_passive", "put and unlock", BY_FIRST, PLAIN,
     OF(LOCK, PUT, PAIR, OPERATE, CLOSE, ORIGINS), .moves = MOVES_MESSAGE, .routine = "MPI_Put", .calls = "MPI_Win_unlock", .timed = "MPI_Put, MPI_Win_unlock"},
    {"Put_passive_concurrent", "all lock the window of rank 0, put and unlock", BY_ALL,
     TAKES(TYPE), OF(LOCK, PUT, EACH_TO_ONE, OPEN, CLOSE, EACH),
     .moves = MOVES_NOTHING, .routine = "MPI_Win_lock", .calls = "MPI_Put MPI_Win_unlock", .timed = "MPI_Win_lock, MPI_Put, MPI_Win_unlock"},
    {"Put_Shift", "put to the rank that is dist ranks further, and fence", BY_ALL, TAKES(DIST),
     OF(FENCE, PUT, SHIFT, OPERATE, CLOSE, EACH), .moves = MOVES_MESSAGE, .routine = "MPI_Put", .calls = "MPI_Win_fence", .timed = "MPI_Put, MPI_Win_fence"},
    {"Put_Exchange", "puts to the next msgs ranks, and fence", BY_ALL, TAKES(MSGS),
     OF(FENCE, PUT, NEIGHBOURS, OPERATE, CLOSE, EACH), .moves = MOVES_NOTHING, .calls = "MPI_Put MPI_Win_fence", .timed = "all MPI_Put, MPI_Win_fence"},
    {"Put_Exchange_passive", "puts to the next msgs ranks, whose windows are locked", BY_ALL,
     TAKES(MSGS), OF(LOCK, PUT, NEIGHBOURS, OPEN, CLOSE, EACH),
     .moves = MOVES_NOTHING, .calls = "MPI_Win_lock MPI_Put MPI_Win_unlock", .timed = "all MPI_Win_lock, all MPI_Put, all MPI_Win_unlock"},
    {"onesided_bcast", "broadcast by msgs puts of rank 0 to each other rank, and fence",
     BY_ALL_OF_TWO, TAKES(MSGS), OF(FENCE, PUT, ONE_TO_ALL, OPERATE, CLOSE, EACH),
     .moves = MOVES_NOTHING, .calls = "MPI_Put MPI_Win_fence", .timed = "all MPI_Put on rank 0; MPI_Win_fence"},
    {"onesided_alltoall", "all-to-all by msgs puts of each rank to each other, and fence", BY_ALL,
     TAKES(MSGS), OF(FENCE, PUT, ALL_TO_ALL, OPERATE, CLOSE, EACH),
     .moves = MOVES_NOTHING, .calls = "MPI_Put MPI_Win_fence", .timed = "all MPI_Put, MPI_Win_fence"},
    {"Combining_Put_fence", "fence after many puts to one rank", BY_ALL_OF_TWO, TAKES(MSGS),
     OF(FENCE, PUT, PAIR, CLOSE, CLOSE, EACH), .moves = MOVES_NOTHING, .calls = "MPI_Win_fence", .timed = "MPI_Win_fence"},
    {"Combining_Put_dedicated", "the end of an epoch with many puts to one rank", BY_PAIR,
     TAKES(MSGS), OF(START_POST, PUT, PAIR, CLOSE, WAIT, NOBODY),
     .moves = MOVES_NOTHING, .calls = "MPI_Win_complete MPI_Win_wait", .timed = "rank 0: MPI_Win_complete; rank 1: MPI_Win_wait"},
    {"Pingpong_Put_Put", "round trip by puts and fences", EPOCHS, .minimum_pes = 2, .who = "all",
     .parameters = {COUNT_ELEMENTS, DATATYPE, INFO, ITERATIONS}, .run = WITH_MPI(epoch_run_pingpong),
     OF(FENCE, PUT, EXCHANGE, OPEN, CLOSE, EACH),
     .moves = MOVES_NOTHING, .routine = "MPI_Put", .calls = "MPI_Win_fence", .timed = "MPI_Put from rank 0 to 1, MPI_Win_fence, MPI_Put back, MPI_Win_fence"},

    /* Get */
    {"Get_callduration", "the call of a get alone, between fences", BY_FIRST, PLAIN,
     OF(FENCE, GET, PAIR, OPERATE, OPERATE, ORIGINS), .moves = MOVES_NOTHING, .routine = "MPI_Get", .timed = "MPI_Get; fences untimed"},
    {"Get_fence", "get and fence", BY_ALL_OF_TWO, PLAIN, OF(FENCE, GET, PAIR, OPERATE, CLOSE, EACH),
     .moves = MOVES_MESSAGE, .routine = "MPI_Get", .calls = "MPI_Win_fence", .timed = "MPI_Get on rank 0; MPI_Win_fence"},
    {"Get_dedicated", "get and the end of the epoch on both sides", BY_PAIR, PLAIN,
     OF(START_POST, GET, PAIR, OPERATE, WAIT, NOBODY),
     .moves = MOVES_MESSAGE, .calls = "MPI_Get MPI_Win_complete MPI_Win_wait", .timed = "rank 0: MPI_Get, MPI_Win_complete; rank 1: MPI_Win_wait"},
    {"Get_passive", "get and unlock", BY_FIRST, PLAIN,
     OF(LOCK, GET, PAIR, OPERATE, CLOSE, ORIGINS), .moves = MOVES_MESSAGE, .routine = "MPI_Get", .calls = "MPI_Win_unlock", .timed = "MPI_Get, MPI_Win_unlock"},
    {"Get_Pingpong", "get by rank 0, fence, get by rank 1, fence", EPOCHS,
     .minimum_pes = 2, .who = "all", PLAIN, .run = WITH_MPI(epoch_run_pingpong),
     OF(FENCE, GET, EXCHANGE, OPEN, CLOSE, EACH),
     .moves = MOVES_NOTHING, .routine = "MPI_Get", .calls = "MPI_Win_fence", .timed = "MPI_Get of rank 0, MPI_Win_fence, MPI_Get of rank 1, MPI_Win_fence"},

    /* Accumulate */
    {"Accumulate", "accumulate and the end of the epoch on both sides", BY_PAIR, TAKES(OPERATION),
     OF(START_POST, ACCUMULATE, PAIR, OPERATE, WAIT, NOBODY),
     .moves = MOVES_NOTHING, .calls = "MPI_Accumulate MPI_Win_complete MPI_Win_wait", .timed = "rank 0: MPI_Accumulate, MPI_Win_complete; rank 1: MPI_Win_wait"},
    {"Accumulate_fence", "accumulate and fence", BY_ALL_OF_TWO, TAKES(OPERATION),
     OF(FENCE, ACCUMULATE, PAIR, OPERATE, CLOSE, EACH),
     .moves = MOVES_MESSAGE, .routine = "MPI_Accumulate", .calls = "MPI_Win_fence", .timed = "MPI_Accumulate on rank 0; MPI_Win_fence"},
    {"Accumulate_passive", "accumulate and unlock", BY_FIRST, TAKES(OPERATION),
     OF(LOCK, ACCUMULATE, PAIR, OPERATE, CLOSE, ORIGINS), .moves = MOVES_MESSAGE, .routine = "MPI_Accumulate", .calls = "MPI_Win_unlock", .timed = "MPI_Accumulate, MPI_Win_unlock"},
    {"Accumulate_concurrent", "accumulates by all others on rank 0, and fence", BY_ALL_OF_TWO,
     TAKES(OPERATION, DISJOINT), OF(FENCE, ACCUMULATE, ALL_TO_ONE, OPERATE, CLOSE, EACH),
     .moves = MOVES_NOTHING, .routine = "MPI_Accumulate", .calls = "MPI_Win_fence", .timed = "MPI_Accumulate on all but rank 0; MPI_Win_fence"},
    {"Accumulate_concurrent_multi", "accumulates around the ring, and fence", BY_ALL,
     TAKES(MSGS, OPERATION), OF(FENCE, ACCUMULATE, SHIFT, OPERATE, CLOSE, EACH),
     .moves = MOVES_NOTHING, .calls = "MPI_Accumulate MPI_Win_fence", .timed = "all MPI_Accumulate, MPI_Win_fence"},
    {"onesided_reduce", "reduction on rank 0 by accumulates of all ranks, and fence", BY_ALL,
     TAKES(OPERATION), TOGETHER(EACH_TO_ONE), .moves = MOVES_NOTHING, .calls = "MPI_Accumulate MPI_Win_fence", .timed = "MPI_Accumulate, MPI_Win_fence"},
    {"onesided_allreduce", "reduction on all ranks by accumulates of each rank on all, and fence", BY_ALL,
     TAKES(OPERATION), TOGETHER(EACH_TO_ALL), .moves = MOVES_NOTHING, .calls = "MPI_Accumulate MPI_Win_fence", .timed = "all MPI_Accumulate, MPI_Win_fence"},
    {.name = NULL},
};
/* clang-format on */
