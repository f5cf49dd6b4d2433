/*
 * The collectives of a team, typed and of bytes (...mem). Each in three forms: a row of calls,
 * calls separated by team synchronizations, and one call that all PEs start by the clock.
 */
#include "measurements/common/collective.h"

#if SKAMPI_SHMEM_1_5

static bool set_up(struct run *run)
{
    return team_set_up(run) && collective_set_up(run);
}

/* ---- The routines ---- */

#define CALL(name, ...)                                                                            \
    static void name(const struct collective_call *c)                                              \
    {                                                                                              \
        if (__VA_ARGS__ != 0)                                                                      \
            run_fail(c->run, "a collective failed on rank %d", c->rank);                           \
    }
#define OF_TEAM team_of(c->run), (void *)c->target, (const void *)c->source
/* Elements of a strided exchange stand side by side, as in the classic function. */
#define SIDE_BY_SIDE 1

CALL(broadcast, shmem_int_broadcast(OF_TEAM, c->elements, c->root))
CALL(collect, shmem_int_collect(OF_TEAM, c->elements))
CALL(fcollect, shmem_int_fcollect(OF_TEAM, c->elements))
CALL(alltoall, shmem_int_alltoall(OF_TEAM, c->elements))
CALL(alltoalls, shmem_int_alltoalls(OF_TEAM, SIDE_BY_SIDE, SIDE_BY_SIDE, c->elements))
CALL(broadcastmem, shmem_broadcastmem(OF_TEAM, c->elements, c->root))
CALL(collectmem, shmem_collectmem(OF_TEAM, c->elements))
CALL(fcollectmem, shmem_fcollectmem(OF_TEAM, c->elements))
CALL(alltoallmem, shmem_alltoallmem(OF_TEAM, c->elements))
CALL(alltoallsmem, shmem_alltoallsmem(OF_TEAM, SIDE_BY_SIDE, SIDE_BY_SIDE, c->elements))
CALL(reduce_and, shmem_uint_and_reduce(OF_TEAM, c->elements))
CALL(reduce_or, shmem_uint_or_reduce(OF_TEAM, c->elements))
CALL(reduce_xor, shmem_uint_xor_reduce(OF_TEAM, c->elements))
CALL(reduce_sum, shmem_int_sum_reduce(OF_TEAM, c->elements))
CALL(reduce_prod, shmem_int_prod_reduce(OF_TEAM, c->elements))
CALL(reduce_min, shmem_int_min_reduce(OF_TEAM, c->elements))
CALL(reduce_max, shmem_int_max_reduce(OF_TEAM, c->elements))
CALL(reduce_sum_double, shmem_double_sum_reduce(OF_TEAM, c->elements))
CALL(reduce_max_double, shmem_double_max_reduce(OF_TEAM, c->elements))

#endif

static const struct measurement common = {
    .who = "all",
    .state_bytes = sizeof(struct collective_state),
    .check = collective_check,
    .demand = collective_demand,
    .setup = WITH_SHMEM_1_5(set_up),
    .fill = WITH_SHMEM_1_5(collective_fill),
    .verify = WITH_SHMEM_1_5(collective_check_data),
    .like = {&team_common},
};

/* ---- The three forms of a routine; the word says what it does ---- */

static const struct measurement in_a_row = {
    .summary = "%s, in a row",
    .parameters = {ITERATIONS, COUNT_OF_ELEMENTS},
    .timing = TIMING_WHOLE,
    .timed = "the collective",
    .run = WITH_SHMEM_1_5(collective_loop),
    .like = {&common},
};

static const struct measurement with_syncs = {
    .summary = "%s, each followed by a team_sync",
    .calls = "shmem_team_sync",
    .parameters = {ITERATIONS, COUNT_OF_ELEMENTS},
    .timing = TIMING_PARTS,
    .timed = "the collective + team_sync",
    .subtracted = "a team_sync, measured alone",
    .run = WITH_SHMEM_1_5(collective_loop),
    .reference = WITH_SHMEM_1_5(collective_barriers_alone),
    .like = {&common},
};

static const struct measurement by_the_clock = {
    .summary = "one %s, all PEs starting by the clock",
    .parameters = {COUNT_OF_ELEMENTS},
    .like = {&in_a_row},
};

/* ---- The routines ---- */

/* clang-format off */
#define BLOCKS .of_team = true, .fill = collective_fill_blocks, .check = collective_check_blocks
#define REDUCES .of_team = true, .fill = reduction_fill, .check = reduction_check

static const struct measurement of_broadcast = {.word = "broadcast of ints in a team", .routine = "shmem_int_broadcast", .moves = MOVES_TO_ALL,
    .variant = &(const struct routine){BLOCKS, .element = sizeof(int), .call = WITH_SHMEM_1_5(broadcast)}};
static const struct measurement of_collect = {.word = "collect of ints in a team", .routine = "shmem_int_collect", .moves = MOVES_BLOCKS,
    .variant = &(const struct routine){BLOCKS, .element = sizeof(int), .target_of_all = true, .call = WITH_SHMEM_1_5(collect)}};
static const struct measurement of_fcollect = {.word = "fcollect of ints in a team", .routine = "shmem_int_fcollect", .moves = MOVES_BLOCKS,
    .variant = &(const struct routine){BLOCKS, .element = sizeof(int), .target_of_all = true, .call = WITH_SHMEM_1_5(fcollect)}};
static const struct measurement of_alltoall = {.word = "alltoall of ints in a team", .routine = "shmem_int_alltoall", .moves = MOVES_BLOCKS,
    .variant = &(const struct routine){BLOCKS, .element = sizeof(int), .target_of_all = true, .source_of_all = true, .call = WITH_SHMEM_1_5(alltoall)}};
static const struct measurement of_alltoalls = {.word = "alltoalls of ints in a team", .routine = "shmem_int_alltoalls", .moves = MOVES_BLOCKS,
    .variant = &(const struct routine){BLOCKS, .element = sizeof(int), .target_of_all = true, .source_of_all = true, .call = WITH_SHMEM_1_5(alltoalls)}};
static const struct measurement of_reduce_and = {.word = "and of unsigned ints in a team", .routine = "shmem_uint_and_reduce", .moves = MOVES_REDUCED,
    .variant = &(const struct routine){REDUCES, .element = sizeof(int), .operation = &reduction_and, .call = WITH_SHMEM_1_5(reduce_and)}};
static const struct measurement of_reduce_or = {.word = "or of unsigned ints in a team", .routine = "shmem_uint_or_reduce", .moves = MOVES_REDUCED,
    .variant = &(const struct routine){REDUCES, .element = sizeof(int), .operation = &reduction_or, .call = WITH_SHMEM_1_5(reduce_or)}};
static const struct measurement of_reduce_xor = {.word = "xor of unsigned ints in a team", .routine = "shmem_uint_xor_reduce", .moves = MOVES_REDUCED,
    .variant = &(const struct routine){REDUCES, .element = sizeof(int), .operation = &reduction_xor, .call = WITH_SHMEM_1_5(reduce_xor)}};
static const struct measurement of_reduce_sum = {.word = "sum of ints in a team", .routine = "shmem_int_sum_reduce", .moves = MOVES_REDUCED,
    .variant = &(const struct routine){REDUCES, .element = sizeof(int), .operation = &reduction_sum, .call = WITH_SHMEM_1_5(reduce_sum)}};
static const struct measurement of_reduce_prod = {.word = "product of ints in a team", .routine = "shmem_int_prod_reduce", .moves = MOVES_REDUCED,
    .variant = &(const struct routine){REDUCES, .element = sizeof(int), .operation = &reduction_prod, .call = WITH_SHMEM_1_5(reduce_prod)}};
static const struct measurement of_reduce_min = {.word = "minimum of ints in a team", .routine = "shmem_int_min_reduce", .moves = MOVES_REDUCED,
    .variant = &(const struct routine){REDUCES, .element = sizeof(int), .operation = &reduction_min, .call = WITH_SHMEM_1_5(reduce_min)}};
static const struct measurement of_reduce_max = {.word = "maximum of ints in a team", .routine = "shmem_int_max_reduce", .moves = MOVES_REDUCED,
    .variant = &(const struct routine){REDUCES, .element = sizeof(int), .operation = &reduction_max, .call = WITH_SHMEM_1_5(reduce_max)}};
static const struct measurement of_reduce_sum_double = {.word = "sum of doubles in a team", .routine = "shmem_double_sum_reduce", .moves = MOVES_REDUCED,
    .variant = &(const struct routine){REDUCES, .element = sizeof(double), .operation = &reduction_sum, .real = true, .call = WITH_SHMEM_1_5(reduce_sum_double)}};
static const struct measurement of_reduce_max_double = {.word = "maximum of doubles in a team", .routine = "shmem_double_max_reduce", .moves = MOVES_REDUCED,
    .variant = &(const struct routine){REDUCES, .element = sizeof(double), .operation = &reduction_max, .real = true, .call = WITH_SHMEM_1_5(reduce_max_double)}};
static const struct measurement of_broadcastmem = {.word = "broadcast of bytes in a team", .routine = "shmem_broadcastmem", .moves = MOVES_TO_ALL,
    .variant = &(const struct routine){BLOCKS, .element = 1, .call = WITH_SHMEM_1_5(broadcastmem)}};
static const struct measurement of_collectmem = {.word = "collect of bytes in a team", .routine = "shmem_collectmem", .moves = MOVES_BLOCKS,
    .variant = &(const struct routine){BLOCKS, .element = 1, .target_of_all = true, .call = WITH_SHMEM_1_5(collectmem)}};
static const struct measurement of_fcollectmem = {.word = "fcollect of bytes in a team", .routine = "shmem_fcollectmem", .moves = MOVES_BLOCKS,
    .variant = &(const struct routine){BLOCKS, .element = 1, .target_of_all = true, .call = WITH_SHMEM_1_5(fcollectmem)}};
static const struct measurement of_alltoallmem = {.word = "alltoall of bytes in a team", .routine = "shmem_alltoallmem", .moves = MOVES_BLOCKS,
    .variant = &(const struct routine){BLOCKS, .element = 1, .target_of_all = true, .source_of_all = true, .call = WITH_SHMEM_1_5(alltoallmem)}};
static const struct measurement of_alltoallsmem = {.word = "alltoalls of bytes in a team", .routine = "shmem_alltoallsmem", .moves = MOVES_BLOCKS,
    .variant = &(const struct routine){BLOCKS, .element = 1, .target_of_all = true, .source_of_all = true, .call = WITH_SHMEM_1_5(alltoallsmem)}};

const struct measurement measurements_team_collective[] = {
    {"Shmem_Team_Broadcast_Consecutive", .like = {&in_a_row, &of_broadcast}, .parameters = {ITERATIONS, COUNT_OF_ELEMENTS, ROOT}},
    {"Shmem_Team_Broadcast_Barrier", .like = {&with_syncs, &of_broadcast}, .parameters = {ITERATIONS, COUNT_OF_ELEMENTS, ROOT}},
    {"Shmem_Team_Broadcast_Synchro", .like = {&by_the_clock, &of_broadcast}, .parameters = {COUNT_OF_ELEMENTS, ROOT}, .cost = "broadcast"},
    {"Shmem_Team_Collect_Consecutive", .like = {&in_a_row, &of_collect}},
    {"Shmem_Team_Collect_Barrier", .like = {&with_syncs, &of_collect}},
    {"Shmem_Team_Collect_Synchro", .like = {&by_the_clock, &of_collect}, .cost = "collect"},
    {"Shmem_Team_Fcollect_Consecutive", .like = {&in_a_row, &of_fcollect}},
    {"Shmem_Team_Fcollect_Barrier", .like = {&with_syncs, &of_fcollect}},
    {"Shmem_Team_Fcollect_Synchro", .like = {&by_the_clock, &of_fcollect}, .cost = "fcollect"},
    {"Shmem_Team_Alltoall_Consecutive", .like = {&in_a_row, &of_alltoall}},
    {"Shmem_Team_Alltoall_Barrier", .like = {&with_syncs, &of_alltoall}},
    {"Shmem_Team_Alltoall_Synchro", .like = {&by_the_clock, &of_alltoall}, .cost = "alltoall"},
    {"Shmem_Team_Alltoalls_Consecutive", .like = {&in_a_row, &of_alltoalls}},
    {"Shmem_Team_Alltoalls_Barrier", .like = {&with_syncs, &of_alltoalls}},
    {"Shmem_Team_Alltoalls_Synchro", .like = {&by_the_clock, &of_alltoalls}, .cost = "alltoalls"},
    {"Shmem_Team_Reduce_And_Consecutive", .like = {&in_a_row, &of_reduce_and}},
    {"Shmem_Team_Reduce_And_Barrier", .like = {&with_syncs, &of_reduce_and}},
    {"Shmem_Team_Reduce_And_Synchro", .like = {&by_the_clock, &of_reduce_and}, .cost = "reduce"},
    {"Shmem_Team_Reduce_Or_Consecutive", .like = {&in_a_row, &of_reduce_or}},
    {"Shmem_Team_Reduce_Or_Barrier", .like = {&with_syncs, &of_reduce_or}},
    {"Shmem_Team_Reduce_Or_Synchro", .like = {&by_the_clock, &of_reduce_or}, .cost = "reduce"},
    {"Shmem_Team_Reduce_Xor_Consecutive", .like = {&in_a_row, &of_reduce_xor}},
    {"Shmem_Team_Reduce_Xor_Barrier", .like = {&with_syncs, &of_reduce_xor}},
    {"Shmem_Team_Reduce_Xor_Synchro", .like = {&by_the_clock, &of_reduce_xor}, .cost = "reduce"},
    {"Shmem_Team_Reduce_Sum_Consecutive", .like = {&in_a_row, &of_reduce_sum}},
    {"Shmem_Team_Reduce_Sum_Barrier", .like = {&with_syncs, &of_reduce_sum}},
    {"Shmem_Team_Reduce_Sum_Synchro", .like = {&by_the_clock, &of_reduce_sum}, .cost = "reduce"},
    {"Shmem_Team_Reduce_Prod_Consecutive", .like = {&in_a_row, &of_reduce_prod}},
    {"Shmem_Team_Reduce_Prod_Barrier", .like = {&with_syncs, &of_reduce_prod}},
    {"Shmem_Team_Reduce_Prod_Synchro", .like = {&by_the_clock, &of_reduce_prod}, .cost = "reduce"},
    {"Shmem_Team_Reduce_Min_Consecutive", .like = {&in_a_row, &of_reduce_min}},
    {"Shmem_Team_Reduce_Min_Barrier", .like = {&with_syncs, &of_reduce_min}},
    {"Shmem_Team_Reduce_Min_Synchro", .like = {&by_the_clock, &of_reduce_min}, .cost = "reduce"},
    {"Shmem_Team_Reduce_Max_Consecutive", .like = {&in_a_row, &of_reduce_max}},
    {"Shmem_Team_Reduce_Max_Barrier", .like = {&with_syncs, &of_reduce_max}},
    {"Shmem_Team_Reduce_Max_Synchro", .like = {&by_the_clock, &of_reduce_max}, .cost = "reduce"},
    {"Shmem_Team_Reduce_Sum_Double_Consecutive", .like = {&in_a_row, &of_reduce_sum_double}},
    {"Shmem_Team_Reduce_Sum_Double_Barrier", .like = {&with_syncs, &of_reduce_sum_double}},
    {"Shmem_Team_Reduce_Sum_Double_Synchro", .like = {&by_the_clock, &of_reduce_sum_double}, .cost = "reduce"},
    {"Shmem_Team_Reduce_Max_Double_Consecutive", .like = {&in_a_row, &of_reduce_max_double}},
    {"Shmem_Team_Reduce_Max_Double_Barrier", .like = {&with_syncs, &of_reduce_max_double}},
    {"Shmem_Team_Reduce_Max_Double_Synchro", .like = {&by_the_clock, &of_reduce_max_double}, .cost = "reduce"},
    {"Shmem_Broadcastmem_Consecutive", .like = {&in_a_row, &of_broadcastmem}, .parameters = {ITERATIONS, COUNT_OF_ELEMENTS, ROOT}},
    {"Shmem_Broadcastmem_Barrier", .like = {&with_syncs, &of_broadcastmem}, .parameters = {ITERATIONS, COUNT_OF_ELEMENTS, ROOT}},
    {"Shmem_Broadcastmem_Synchro", .like = {&by_the_clock, &of_broadcastmem}, .parameters = {COUNT_OF_ELEMENTS, ROOT}, .cost = "broadcast"},
    {"Shmem_Collectmem_Consecutive", .like = {&in_a_row, &of_collectmem}},
    {"Shmem_Collectmem_Barrier", .like = {&with_syncs, &of_collectmem}},
    {"Shmem_Collectmem_Synchro", .like = {&by_the_clock, &of_collectmem}, .cost = "collect"},
    {"Shmem_Fcollectmem_Consecutive", .like = {&in_a_row, &of_fcollectmem}},
    {"Shmem_Fcollectmem_Barrier", .like = {&with_syncs, &of_fcollectmem}},
    {"Shmem_Fcollectmem_Synchro", .like = {&by_the_clock, &of_fcollectmem}, .cost = "fcollect"},
    {"Shmem_Alltoallmem_Consecutive", .like = {&in_a_row, &of_alltoallmem}},
    {"Shmem_Alltoallmem_Barrier", .like = {&with_syncs, &of_alltoallmem}},
    {"Shmem_Alltoallmem_Synchro", .like = {&by_the_clock, &of_alltoallmem}, .cost = "alltoall"},
    {"Shmem_Alltoallsmem_Consecutive", .like = {&in_a_row, &of_alltoallsmem}},
    {"Shmem_Alltoallsmem_Barrier", .like = {&with_syncs, &of_alltoallsmem}},
    {"Shmem_Alltoallsmem_Synchro", .like = {&by_the_clock, &of_alltoallsmem}, .cost = "alltoalls"},
    {.name = NULL},
};
/* clang-format on */
