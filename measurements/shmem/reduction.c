/*
 * Reductions: seven operations on the usual types.
 */
#include "measurements/common/collective.h"

#include <limits.h>

/* clang-format off */

/* ---- The routines; the word says what each does ---- */

#if SKAMPI_SHMEM
#include <shmem.h>
#define CALL(name, type) \
    static void call_##name(const struct collective_call *c) \
    { \
        name((type *)(void *)c->target, (type *)(void *)c->source, (int)c->elements, \
             c->start, c->log_stride, c->size, c->work, c->sync); \
    }
#else
#define CALL(name, type)
#endif

#define REDUCTION(name, type, does, by) \
    CALL(name, type) \
    static const struct measurement of_##name = { \
        .routine = #name, .word = does, \
        .variant = &(const struct routine){ \
            .call = WITH_SHMEM(call_##name), .fill = reduction_fill, .check = reduction_check, \
            .element = sizeof(type), .real = (type)0.5 != 0, .operation = &by, \
            .works = true, .most_elements = INT_MAX}};

REDUCTION(shmem_short_and_to_all, short, "and of shorts", reduction_and)
REDUCTION(shmem_short_or_to_all, short, "or of shorts", reduction_or)
REDUCTION(shmem_short_xor_to_all, short, "xor of shorts", reduction_xor)
REDUCTION(shmem_int_and_to_all, int, "and of ints", reduction_and)
REDUCTION(shmem_int_or_to_all, int, "or of ints", reduction_or)
REDUCTION(shmem_int_xor_to_all, int, "xor of ints", reduction_xor)
REDUCTION(shmem_long_and_to_all, long, "and of longs", reduction_and)
REDUCTION(shmem_long_or_to_all, long, "or of longs", reduction_or)
REDUCTION(shmem_long_xor_to_all, long, "xor of longs", reduction_xor)
REDUCTION(shmem_longlong_and_to_all, long long, "and of long longs", reduction_and)
REDUCTION(shmem_longlong_or_to_all, long long, "or of long longs", reduction_or)
REDUCTION(shmem_longlong_xor_to_all, long long, "xor of long longs", reduction_xor)
REDUCTION(shmem_short_sum_to_all, short, "sum of shorts", reduction_sum)
REDUCTION(shmem_short_prod_to_all, short, "prod of shorts", reduction_prod)
REDUCTION(shmem_short_min_to_all, short, "min of shorts", reduction_min)
REDUCTION(shmem_short_max_to_all, short, "max of shorts", reduction_max)
REDUCTION(shmem_int_sum_to_all, int, "sum of ints", reduction_sum)
REDUCTION(shmem_int_prod_to_all, int, "prod of ints", reduction_prod)
REDUCTION(shmem_int_min_to_all, int, "min of ints", reduction_min)
REDUCTION(shmem_int_max_to_all, int, "max of ints", reduction_max)
REDUCTION(shmem_long_sum_to_all, long, "sum of longs", reduction_sum)
REDUCTION(shmem_long_prod_to_all, long, "prod of longs", reduction_prod)
REDUCTION(shmem_long_min_to_all, long, "min of longs", reduction_min)
REDUCTION(shmem_long_max_to_all, long, "max of longs", reduction_max)
REDUCTION(shmem_longlong_sum_to_all, long long, "sum of long longs", reduction_sum)
REDUCTION(shmem_longlong_prod_to_all, long long, "prod of long longs", reduction_prod)
REDUCTION(shmem_longlong_min_to_all, long long, "min of long longs", reduction_min)
REDUCTION(shmem_longlong_max_to_all, long long, "max of long longs", reduction_max)
REDUCTION(shmem_float_sum_to_all, float, "sum of floats", reduction_sum)
REDUCTION(shmem_float_prod_to_all, float, "prod of floats", reduction_prod)
REDUCTION(shmem_float_min_to_all, float, "min of floats", reduction_min)
REDUCTION(shmem_float_max_to_all, float, "max of floats", reduction_max)
REDUCTION(shmem_double_sum_to_all, double, "sum of doubles", reduction_sum)
REDUCTION(shmem_double_prod_to_all, double, "prod of doubles", reduction_prod)
REDUCTION(shmem_double_min_to_all, double, "min of doubles", reduction_min)
REDUCTION(shmem_double_max_to_all, double, "max of doubles", reduction_max)

/* ---- The three ways to time a routine ---- */

static const struct measurement reduces = {
    .fill = WITH_SHMEM(collective_fill), .verify = WITH_SHMEM(collective_check_data),
    .moves = MOVES_REDUCED,
    .timed = "reduction",
    .who = "all",
    .cost = "reduce",
};
static const struct measurement in_a_row = {
    .summary = "%s over all PEs, in a row",
    .parameters = {ITERATIONS, COUNT_OF_ELEMENTS},
    .like = {&collective_in_a_row, &reduces},
};
static const struct measurement with_barriers = {
    .summary = "%s over all PEs, each followed by a barrier",
    .parameters = {ITERATIONS, COUNT_OF_ELEMENTS},
    .timed = "reduction + barrier",
    .like = {&collective_with_barriers, &reduces},
};
static const struct measurement by_the_clock = {
    .summary = "%s over all PEs, once, all starting by the clock",
    .parameters = {COUNT_OF_ELEMENTS},
    .like = {&collective_by_the_clock, &reduces},
};

const struct measurement measurements_reduction[] = {
    {"Shmem_Reduce_And_Consecutive", .like = {&in_a_row, &of_shmem_short_and_to_all}},
    {"Shmem_Reduce_And_Barrier", .like = {&with_barriers, &of_shmem_short_and_to_all}},
    {"Shmem_Reduce_And_Synchro", .like = {&by_the_clock, &of_shmem_short_and_to_all}},
    {"Shmem_Reduce_And_Int_Consecutive", .like = {&in_a_row, &of_shmem_int_and_to_all}},
    {"Shmem_Reduce_And_Int_Barrier", .like = {&with_barriers, &of_shmem_int_and_to_all}},
    {"Shmem_Reduce_And_Int_Synchro", .like = {&by_the_clock, &of_shmem_int_and_to_all}},
    {"Shmem_Reduce_And_Long_Consecutive", .like = {&in_a_row, &of_shmem_long_and_to_all}},
    {"Shmem_Reduce_And_Long_Barrier", .like = {&with_barriers, &of_shmem_long_and_to_all}},
    {"Shmem_Reduce_And_Long_Synchro", .like = {&by_the_clock, &of_shmem_long_and_to_all}},
    {"Shmem_Reduce_And_Longlong_Consecutive", .like = {&in_a_row, &of_shmem_longlong_and_to_all}},
    {"Shmem_Reduce_And_Longlong_Barrier", .like = {&with_barriers, &of_shmem_longlong_and_to_all}},
    {"Shmem_Reduce_And_Longlong_Synchro", .like = {&by_the_clock, &of_shmem_longlong_and_to_all}},
    {"Shmem_Reduce_Or_Consecutive", .like = {&in_a_row, &of_shmem_short_or_to_all}},
    {"Shmem_Reduce_Or_Barrier", .like = {&with_barriers, &of_shmem_short_or_to_all}},
    {"Shmem_Reduce_Or_Synchro", .like = {&by_the_clock, &of_shmem_short_or_to_all}},
    {"Shmem_Reduce_Or_Int_Consecutive", .like = {&in_a_row, &of_shmem_int_or_to_all}},
    {"Shmem_Reduce_Or_Int_Barrier", .like = {&with_barriers, &of_shmem_int_or_to_all}},
    {"Shmem_Reduce_Or_Int_Synchro", .like = {&by_the_clock, &of_shmem_int_or_to_all}},
    {"Shmem_Reduce_Or_Long_Consecutive", .like = {&in_a_row, &of_shmem_long_or_to_all}},
    {"Shmem_Reduce_Or_Long_Barrier", .like = {&with_barriers, &of_shmem_long_or_to_all}},
    {"Shmem_Reduce_Or_Long_Synchro", .like = {&by_the_clock, &of_shmem_long_or_to_all}},
    {"Shmem_Reduce_Or_Longlong_Consecutive", .like = {&in_a_row, &of_shmem_longlong_or_to_all}},
    {"Shmem_Reduce_Or_Longlong_Barrier", .like = {&with_barriers, &of_shmem_longlong_or_to_all}},
    {"Shmem_Reduce_Or_Longlong_Synchro", .like = {&by_the_clock, &of_shmem_longlong_or_to_all}},
    {"Shmem_Reduce_Xor_Consecutive", .like = {&in_a_row, &of_shmem_short_xor_to_all}},
    {"Shmem_Reduce_Xor_Barrier", .like = {&with_barriers, &of_shmem_short_xor_to_all}},
    {"Shmem_Reduce_Xor_Synchro", .like = {&by_the_clock, &of_shmem_short_xor_to_all}},
    {"Shmem_Reduce_Xor_Int_Consecutive", .like = {&in_a_row, &of_shmem_int_xor_to_all}},
    {"Shmem_Reduce_Xor_Int_Barrier", .like = {&with_barriers, &of_shmem_int_xor_to_all}},
    {"Shmem_Reduce_Xor_Int_Synchro", .like = {&by_the_clock, &of_shmem_int_xor_to_all}},
    {"Shmem_Reduce_Xor_Long_Consecutive", .like = {&in_a_row, &of_shmem_long_xor_to_all}},
    {"Shmem_Reduce_Xor_Long_Barrier", .like = {&with_barriers, &of_shmem_long_xor_to_all}},
    {"Shmem_Reduce_Xor_Long_Synchro", .like = {&by_the_clock, &of_shmem_long_xor_to_all}},
    {"Shmem_Reduce_Xor_Longlong_Consecutive", .like = {&in_a_row, &of_shmem_longlong_xor_to_all}},
    {"Shmem_Reduce_Xor_Longlong_Barrier", .like = {&with_barriers, &of_shmem_longlong_xor_to_all}},
    {"Shmem_Reduce_Xor_Longlong_Synchro", .like = {&by_the_clock, &of_shmem_longlong_xor_to_all}},
    {"Shmem_Reduce_Sum_Consecutive", .like = {&in_a_row, &of_shmem_short_sum_to_all}},
    {"Shmem_Reduce_Sum_Barrier", .like = {&with_barriers, &of_shmem_short_sum_to_all}},
    {"Shmem_Reduce_Sum_Synchro", .like = {&by_the_clock, &of_shmem_short_sum_to_all}},
    {"Shmem_Reduce_Sum_Int_Consecutive", .like = {&in_a_row, &of_shmem_int_sum_to_all}},
    {"Shmem_Reduce_Sum_Int_Barrier", .like = {&with_barriers, &of_shmem_int_sum_to_all}},
    {"Shmem_Reduce_Sum_Int_Synchro", .like = {&by_the_clock, &of_shmem_int_sum_to_all}},
    {"Shmem_Reduce_Sum_Long_Consecutive", .like = {&in_a_row, &of_shmem_long_sum_to_all}},
    {"Shmem_Reduce_Sum_Long_Barrier", .like = {&with_barriers, &of_shmem_long_sum_to_all}},
    {"Shmem_Reduce_Sum_Long_Synchro", .like = {&by_the_clock, &of_shmem_long_sum_to_all}},
    {"Shmem_Reduce_Sum_Longlong_Consecutive", .like = {&in_a_row, &of_shmem_longlong_sum_to_all}},
    {"Shmem_Reduce_Sum_Longlong_Barrier", .like = {&with_barriers, &of_shmem_longlong_sum_to_all}},
    {"Shmem_Reduce_Sum_Longlong_Synchro", .like = {&by_the_clock, &of_shmem_longlong_sum_to_all}},
    {"Shmem_Reduce_Sum_Float_Consecutive", .like = {&in_a_row, &of_shmem_float_sum_to_all}},
    {"Shmem_Reduce_Sum_Float_Barrier", .like = {&with_barriers, &of_shmem_float_sum_to_all}},
    {"Shmem_Reduce_Sum_Float_Synchro", .like = {&by_the_clock, &of_shmem_float_sum_to_all}},
    {"Shmem_Reduce_Sum_Double_Consecutive", .like = {&in_a_row, &of_shmem_double_sum_to_all}},
    {"Shmem_Reduce_Sum_Double_Barrier", .like = {&with_barriers, &of_shmem_double_sum_to_all}},
    {"Shmem_Reduce_Sum_Double_Synchro", .like = {&by_the_clock, &of_shmem_double_sum_to_all}},
    {"Shmem_Reduce_Prod_Consecutive", .like = {&in_a_row, &of_shmem_short_prod_to_all}},
    {"Shmem_Reduce_Prod_Barrier", .like = {&with_barriers, &of_shmem_short_prod_to_all}},
    {"Shmem_Reduce_Prod_Synchro", .like = {&by_the_clock, &of_shmem_short_prod_to_all}},
    {"Shmem_Reduce_Prod_Int_Consecutive", .like = {&in_a_row, &of_shmem_int_prod_to_all}},
    {"Shmem_Reduce_Prod_Int_Barrier", .like = {&with_barriers, &of_shmem_int_prod_to_all}},
    {"Shmem_Reduce_Prod_Int_Synchro", .like = {&by_the_clock, &of_shmem_int_prod_to_all}},
    {"Shmem_Reduce_Prod_Long_Consecutive", .like = {&in_a_row, &of_shmem_long_prod_to_all}},
    {"Shmem_Reduce_Prod_Long_Barrier", .like = {&with_barriers, &of_shmem_long_prod_to_all}},
    {"Shmem_Reduce_Prod_Long_Synchro", .like = {&by_the_clock, &of_shmem_long_prod_to_all}},
    {"Shmem_Reduce_Prod_Longlong_Consecutive", .like = {&in_a_row, &of_shmem_longlong_prod_to_all}},
    {"Shmem_Reduce_Prod_Longlong_Barrier", .like = {&with_barriers, &of_shmem_longlong_prod_to_all}},
    {"Shmem_Reduce_Prod_Longlong_Synchro", .like = {&by_the_clock, &of_shmem_longlong_prod_to_all}},
    {"Shmem_Reduce_Prod_Float_Consecutive", .like = {&in_a_row, &of_shmem_float_prod_to_all}},
    {"Shmem_Reduce_Prod_Float_Barrier", .like = {&with_barriers, &of_shmem_float_prod_to_all}},
    {"Shmem_Reduce_Prod_Float_Synchro", .like = {&by_the_clock, &of_shmem_float_prod_to_all}},
    {"Shmem_Reduce_Prod_Double_Consecutive", .like = {&in_a_row, &of_shmem_double_prod_to_all}},
    {"Shmem_Reduce_Prod_Double_Barrier", .like = {&with_barriers, &of_shmem_double_prod_to_all}},
    {"Shmem_Reduce_Prod_Double_Synchro", .like = {&by_the_clock, &of_shmem_double_prod_to_all}},
    {"Shmem_Reduce_Min_Consecutive", .like = {&in_a_row, &of_shmem_short_min_to_all}},
    {"Shmem_Reduce_Min_Barrier", .like = {&with_barriers, &of_shmem_short_min_to_all}},
    {"Shmem_Reduce_Min_Synchro", .like = {&by_the_clock, &of_shmem_short_min_to_all}},
    {"Shmem_Reduce_Min_Int_Consecutive", .like = {&in_a_row, &of_shmem_int_min_to_all}},
    {"Shmem_Reduce_Min_Int_Barrier", .like = {&with_barriers, &of_shmem_int_min_to_all}},
    {"Shmem_Reduce_Min_Int_Synchro", .like = {&by_the_clock, &of_shmem_int_min_to_all}},
    {"Shmem_Reduce_Min_Long_Consecutive", .like = {&in_a_row, &of_shmem_long_min_to_all}},
    {"Shmem_Reduce_Min_Long_Barrier", .like = {&with_barriers, &of_shmem_long_min_to_all}},
    {"Shmem_Reduce_Min_Long_Synchro", .like = {&by_the_clock, &of_shmem_long_min_to_all}},
    {"Shmem_Reduce_Min_Longlong_Consecutive", .like = {&in_a_row, &of_shmem_longlong_min_to_all}},
    {"Shmem_Reduce_Min_Longlong_Barrier", .like = {&with_barriers, &of_shmem_longlong_min_to_all}},
    {"Shmem_Reduce_Min_Longlong_Synchro", .like = {&by_the_clock, &of_shmem_longlong_min_to_all}},
    {"Shmem_Reduce_Min_Float_Consecutive", .like = {&in_a_row, &of_shmem_float_min_to_all}},
    {"Shmem_Reduce_Min_Float_Barrier", .like = {&with_barriers, &of_shmem_float_min_to_all}},
    {"Shmem_Reduce_Min_Float_Synchro", .like = {&by_the_clock, &of_shmem_float_min_to_all}},
    {"Shmem_Reduce_Min_Double_Consecutive", .like = {&in_a_row, &of_shmem_double_min_to_all}},
    {"Shmem_Reduce_Min_Double_Barrier", .like = {&with_barriers, &of_shmem_double_min_to_all}},
    {"Shmem_Reduce_Min_Double_Synchro", .like = {&by_the_clock, &of_shmem_double_min_to_all}},
    {"Shmem_Reduce_Max_Consecutive", .like = {&in_a_row, &of_shmem_short_max_to_all}},
    {"Shmem_Reduce_Max_Barrier", .like = {&with_barriers, &of_shmem_short_max_to_all}},
    {"Shmem_Reduce_Max_Synchro", .like = {&by_the_clock, &of_shmem_short_max_to_all}},
    {"Shmem_Reduce_Max_Int_Consecutive", .like = {&in_a_row, &of_shmem_int_max_to_all}},
    {"Shmem_Reduce_Max_Int_Barrier", .like = {&with_barriers, &of_shmem_int_max_to_all}},
    {"Shmem_Reduce_Max_Int_Synchro", .like = {&by_the_clock, &of_shmem_int_max_to_all}},
    {"Shmem_Reduce_Max_Long_Consecutive", .like = {&in_a_row, &of_shmem_long_max_to_all}},
    {"Shmem_Reduce_Max_Long_Barrier", .like = {&with_barriers, &of_shmem_long_max_to_all}},
    {"Shmem_Reduce_Max_Long_Synchro", .like = {&by_the_clock, &of_shmem_long_max_to_all}},
    {"Shmem_Reduce_Max_Longlong_Consecutive", .like = {&in_a_row, &of_shmem_longlong_max_to_all}},
    {"Shmem_Reduce_Max_Longlong_Barrier", .like = {&with_barriers, &of_shmem_longlong_max_to_all}},
    {"Shmem_Reduce_Max_Longlong_Synchro", .like = {&by_the_clock, &of_shmem_longlong_max_to_all}},
    {"Shmem_Reduce_Max_Float_Consecutive", .like = {&in_a_row, &of_shmem_float_max_to_all}},
    {"Shmem_Reduce_Max_Float_Barrier", .like = {&with_barriers, &of_shmem_float_max_to_all}},
    {"Shmem_Reduce_Max_Float_Synchro", .like = {&by_the_clock, &of_shmem_float_max_to_all}},
    {"Shmem_Reduce_Max_Double_Consecutive", .like = {&in_a_row, &of_shmem_double_max_to_all}},
    {"Shmem_Reduce_Max_Double_Barrier", .like = {&with_barriers, &of_shmem_double_max_to_all}},
    {"Shmem_Reduce_Max_Double_Synchro", .like = {&by_the_clock, &of_shmem_double_max_to_all}},
    {.name = NULL},
};
/* clang-format on */
