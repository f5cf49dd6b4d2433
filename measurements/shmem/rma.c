/*
 * Put and get of blocks of bytes, blocking and non-blocking.
 */
#include "measurements/common/rma_parts.h"

/* clang-format off */
/* ---- Who does it, apart from what rma_parts.h has ---- */

static const struct measurement all_to_one = {.who = "all but rank 0", .minimum_pes = 2, .parameters = {COUNT_BYTES, ITERATIONS},
    .variant = &(const struct rma){.shape = SHAPE_ALL_TO_ONE}};
static const struct measurement one_to_all = {.who = "rank 0", .minimum_pes = 2, .parameters = {COUNT_BYTES, ITERATIONS},
    .variant = &(const struct rma){.shape = SHAPE_ONE_TO_ALL}};

/* ---- The timer is read inside the loop, which no cost formula knows ---- */

static const struct measurement inside = {
    .timing = TIMING_PARTS,
    .moves = MOVES_NOTHING,
    .setup = WITH_SHMEM(rma_set_up),
    .run = WITH_SHMEM(rma_run_timed_inside),
    .like = {&rma_common},
};
static const struct measurement posts_inside = {.routine = "shmem_put_nbi", .like = {&inside},
    .variant = &(const struct rma){.shape = SHAPE_RING, .timed_inside = RMA_POSTS}};
static const struct measurement quiets_inside = {.routine = "shmem_quiet", .calls = "shmem_put_nbi", .like = {&inside},
    .variant = &(const struct rma){.shape = SHAPE_RING, .timed_inside = RMA_QUIETS}};
static const struct measurement both_inside = {.routine = "shmem_put_nbi", .calls = "shmem_quiet", .like = {&inside},
    .variant = &(const struct rma){.shape = SHAPE_RING, .timed_inside = RMA_POSTS | RMA_QUIETS}};

const struct measurement measurements_rma[] = {
    {"Shmem_Put_Simple", "put from rank 0 to rank 1 until it is complete there", {&rma_until_complete, &rma_pair}, .word = "put"},
    {"Shmem_Put_Round", "put around the ring until it is complete at the target", {&rma_until_complete, &rma_ring}, .word = "put"},
    {"Shmem_Put_Full", "put and quiet around the ring", {&rma_full, &rma_ring}, .word = "put"},
    {"Shmem_Put_Full_Single", "put and quiet from one rank to the next", {&rma_full, &rma_single}, .word = "put"},
    {"Shmem_Put_Call", "the put call alone, until the source may be used again", {&rma_post, &rma_ring}, .word = "put"},
    {"Shmem_Put_Nonblocking_Post", "posting a non-blocking put around the ring", {&rma_post, &rma_ring}, .word = "put_nbi"},
    {"Shmem_Put_Nonblocking_Post_Single", "posting a non-blocking put, one rank", {&rma_post, &rma_single}, .word = "put_nbi"},
    {"Shmem_Put_Nonblocking_Full", "non-blocking put and quiet around the ring", {&rma_full, &rma_ring}, .word = "put_nbi"},
    {"Shmem_Put_Nonblocking_Full_Single", "non-blocking put and quiet, one rank", {&rma_full, &rma_single}, .word = "put_nbi"},
    {"Shmem_Put_Nonblocking_Quiet", "quiet right after a non-blocking put", {&rma_quiet, &rma_ring}, .word = "put_nbi"},
    {"Shmem_Put_Nonblocking_Quiet_Single", "quiet right after a non-blocking put, one rank", {&rma_quiet, &rma_single}, .word = "put_nbi"},
    {"Shmem_Put_Nonblocking_Quiet_Delayed", "quiet long after a non-blocking put", {&rma_quiet_delayed, &rma_ring}, .word = "put_nbi"},
    {"Shmem_Put_Nonblocking_Quiet_Delayed_Single", "quiet long after a non-blocking put, one rank", {&rma_quiet_delayed, &rma_single}, .word = "put_nbi"},
    {"Shmem_Put_Nonblocking_Overlap", "part of a non-blocking put that is not overlapped by computation", {&rma_overlap, &rma_ring}, .word = "put_nbi"},
    {"Shmem_Put_Nonblocking_Overlap_Single",
     "part of a non-blocking put that is not overlapped by computation, one rank", {&rma_overlap, &rma_single},
     .word = "put_nbi"},
    {"Shmem_Put_All_To_One_Full", "put and quiet by all other ranks to rank 0", {&rma_full, &all_to_one}, .word = "put"},
    {"Shmem_Put_One_To_All_Full", "put and quiet by rank 0 to each other rank in turn", {&rma_full, &one_to_all}, .word = "put"},
    {"Shmem_Put_Nonblocking_All_To_One_Full", "non-blocking put and quiet by all other ranks to rank 0", {&rma_full, &all_to_one}, .word = "put_nbi"},
    {"Shmem_Put_Nonblocking_One_To_All_Post", "posting non-blocking puts by rank 0 to each other rank in turn",
     {&rma_post, &one_to_all}, .word = "put_nbi"},

    {"Shmem_Put_Nonblocking_Post_IterationTimer", "posting a non-blocking put, the timer read around each",
     {&posts_inside, &rma_ring}, .word = "put_nbi", .timed = "put_nbi and a reading of the timer"},
    {"Shmem_Put_Nonblocking_Full_IterationTimer", "non-blocking put and quiet, the timer read around each",
     {&both_inside, &rma_ring}, .word = "put_nbi", .moves = MOVES_MESSAGE,
     .timed = "put_nbi + quiet, and a reading of the timer"},
    {"Shmem_Put_Nonblocking_Quiet_IterationTimer", "quiet right after a non-blocking put, the timer read around each",
     {&quiets_inside, &rma_ring}, .word = "put_nbi", .timed = "quiet and a reading of the timer"},
    {"Shmem_Put_Nonblocking_Quiet_Delayed_IterationTimer",
     "quiet after a non-blocking put and a computation, the timer read around each", {&quiets_inside, &rma_ring},
     .word = "put_nbi", .setup = WITH_SHMEM(rma_set_up_pause),
     .timed = "quiet and a reading of the timer, after a computation of twice the full operation"},
    {"Shmem_Put_Nonblocking_Overlap_IterationTimer",
     "part of a non-blocking put that is not overlapped by computation, the timer read around each",
     {&both_inside, &rma_ring}, .word = "put_nbi", .setup = WITH_SHMEM(rma_set_up_pause),
     .subtracted = "the computation's measured length",
     .timed = "put_nbi + computation of twice the full operation + quiet, and a reading of the timer"},

    {"Shmem_Get_Simple", "get by rank 0 from rank 1", {&rma_blocking, &rma_pair}, .word = "get"},
    {"Shmem_Get_Round", "get around the ring", {&rma_blocking, &rma_ring}, .word = "get"},
    {"Shmem_Get_Nonblocking_Post", "posting a non-blocking get around the ring", {&rma_post, &rma_ring}, .word = "get_nbi"},
    {"Shmem_Get_Nonblocking_Post_Single", "posting a non-blocking get, one rank", {&rma_post, &rma_single}, .word = "get_nbi"},
    {"Shmem_Get_Nonblocking_Full", "non-blocking get and quiet around the ring", {&rma_full, &rma_ring}, .word = "get_nbi"},
    {"Shmem_Get_Nonblocking_Full_Single", "non-blocking get and quiet, one rank", {&rma_full, &rma_single}, .word = "get_nbi"},
    {"Shmem_Get_Nonblocking_Quiet", "quiet right after a non-blocking get", {&rma_quiet, &rma_ring}, .word = "get_nbi"},
    {"Shmem_Get_Nonblocking_Quiet_Single", "quiet right after a non-blocking get, one rank", {&rma_quiet, &rma_single}, .word = "get_nbi"},
    {"Shmem_Get_Nonblocking_Quiet_Delayed", "quiet long after a non-blocking get", {&rma_quiet_delayed, &rma_ring}, .word = "get_nbi"},
    {"Shmem_Get_Nonblocking_Quiet_Delayed_Single", "quiet long after a non-blocking get, one rank", {&rma_quiet_delayed, &rma_single}, .word = "get_nbi"},
    {"Shmem_Get_Nonblocking_Overlap", "part of a non-blocking get that is not overlapped by computation", {&rma_overlap, &rma_ring}, .word = "get_nbi"},
    {"Shmem_Get_Nonblocking_Overlap_Single",
     "part of a non-blocking get that is not overlapped by computation, one rank", {&rma_overlap, &rma_single},
     .word = "get_nbi"},
    {"Shmem_Get_All_To_One", "get by all other ranks from rank 0", {&rma_blocking, &all_to_one}, .word = "get"},
    {"Shmem_Get_One_To_All", "get by rank 0 from each other rank in turn", {&rma_blocking, &one_to_all}, .word = "get"},
    {.name = NULL},
};
/* clang-format on */
