/*
 * Reductions: seven operations on the usual types.
 */
#include "measurements/common/collective.h"

#include <limits.h>

/* clang-format off */
#if SKAMPI_SHMEM
#include <shmem.h>
#define CALL(T, type, operation) \
    static void call_##T##_##operation(const struct collective_call *c) \
    { \
        shmem_##T##_##operation##_to_all((type *)(void *)c->target, (type *)(void *)c->source, \
            (int)c->elements, c->start, c->log_stride, c->size, c->work, c->sync); \
    }
#else
#define CALL(T, type, operation)
#endif

#define REDUCTION(T, type, name) \
    CALL(T, type, name) \
    static const struct routine T##_##name = { \
        .call = WITH_SHMEM(call_##T##_##name), .fill = reduction_fill, .check = reduction_check, \
        .element = sizeof(type), .real = (type)0.5 != 0, .operation = &reduction_##name, \
        .works = true, .most_elements = INT_MAX};

#define OF_BITS(T, type) REDUCTION(T, type, and) REDUCTION(T, type, or) REDUCTION(T, type, xor)
#define OF_NUMBERS(T, type) \
    REDUCTION(T, type, sum) REDUCTION(T, type, prod) REDUCTION(T, type, min) REDUCTION(T, type, max)

OF_BITS(short, short)
OF_BITS(int, int)
OF_BITS(long, long)
OF_BITS(longlong, long long)
OF_NUMBERS(short, short)
OF_NUMBERS(int, int)
OF_NUMBERS(long, long)
OF_NUMBERS(longlong, long long)
OF_NUMBERS(float, float)
OF_NUMBERS(double, double)

/* ---- The three ways to time a routine; the word says what it does ---- */

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

#define REDUCES(T, operation) .routine = "shmem_" #T "_" #operation "_to_all", .variant = &T##_##operation

const struct measurement measurements_reduction[] = {
    {"Shmem_Reduce_And_Consecutive", .word = "and of shorts", .like = {&in_a_row}, REDUCES(short, and)},
    {"Shmem_Reduce_And_Barrier", .word = "and of shorts", .like = {&with_barriers}, REDUCES(short, and)},
    {"Shmem_Reduce_And_Synchro", .word = "and of shorts", .like = {&by_the_clock}, REDUCES(short, and)},
    {"Shmem_Reduce_And_Int_Consecutive", .word = "and of ints", .like = {&in_a_row}, REDUCES(int, and)},
    {"Shmem_Reduce_And_Int_Barrier", .word = "and of ints", .like = {&with_barriers}, REDUCES(int, and)},
    {"Shmem_Reduce_And_Int_Synchro", .word = "and of ints", .like = {&by_the_clock}, REDUCES(int, and)},
    {"Shmem_Reduce_And_Long_Consecutive", .word = "and of longs", .like = {&in_a_row}, REDUCES(long, and)},
    {"Shmem_Reduce_And_Long_Barrier", .word = "and of longs", .like = {&with_barriers}, REDUCES(long, and)},
    {"Shmem_Reduce_And_Long_Synchro", .word = "and of longs", .like = {&by_the_clock}, REDUCES(long, and)},
    {"Shmem_Reduce_And_Longlong_Consecutive", .word = "and of long longs", .like = {&in_a_row}, REDUCES(longlong, and)},
    {"Shmem_Reduce_And_Longlong_Barrier", .word = "and of long longs", .like = {&with_barriers}, REDUCES(longlong, and)},
    {"Shmem_Reduce_And_Longlong_Synchro", .word = "and of long longs", .like = {&by_the_clock}, REDUCES(longlong, and)},
    {"Shmem_Reduce_Or_Consecutive", .word = "or of shorts", .like = {&in_a_row}, REDUCES(short, or)},
    {"Shmem_Reduce_Or_Barrier", .word = "or of shorts", .like = {&with_barriers}, REDUCES(short, or)},
    {"Shmem_Reduce_Or_Synchro", .word = "or of shorts", .like = {&by_the_clock}, REDUCES(short, or)},
    {"Shmem_Reduce_Or_Int_Consecutive", .word = "or of ints", .like = {&in_a_row}, REDUCES(int, or)},
    {"Shmem_Reduce_Or_Int_Barrier", .word = "or of ints", .like = {&with_barriers}, REDUCES(int, or)},
    {"Shmem_Reduce_Or_Int_Synchro", .word = "or of ints", .like = {&by_the_clock}, REDUCES(int, or)},
    {"Shmem_Reduce_Or_Long_Consecutive", .word = "or of longs", .like = {&in_a_row}, REDUCES(long, or)},
    {"Shmem_Reduce_Or_Long_Barrier", .word = "or of longs", .like = {&with_barriers}, REDUCES(long, or)},
    {"Shmem_Reduce_Or_Long_Synchro", .word = "or of longs", .like = {&by_the_clock}, REDUCES(long, or)},
    {"Shmem_Reduce_Or_Longlong_Consecutive", .word = "or of long longs", .like = {&in_a_row}, REDUCES(longlong, or)},
    {"Shmem_Reduce_Or_Longlong_Barrier", .word = "or of long longs", .like = {&with_barriers}, REDUCES(longlong, or)},
    {"Shmem_Reduce_Or_Longlong_Synchro", .word = "or of long longs", .like = {&by_the_clock}, REDUCES(longlong, or)},
    {"Shmem_Reduce_Xor_Consecutive", .word = "xor of shorts", .like = {&in_a_row}, REDUCES(short, xor)},
    {"Shmem_Reduce_Xor_Barrier", .word = "xor of shorts", .like = {&with_barriers}, REDUCES(short, xor)},
    {"Shmem_Reduce_Xor_Synchro", .word = "xor of shorts", .like = {&by_the_clock}, REDUCES(short, xor)},
    {"Shmem_Reduce_Xor_Int_Consecutive", .word = "xor of ints", .like = {&in_a_row}, REDUCES(int, xor)},
    {"Shmem_Reduce_Xor_Int_Barrier", .word = "xor of ints", .like = {&with_barriers}, REDUCES(int, xor)},
    {"Shmem_Reduce_Xor_Int_Synchro", .word = "xor of ints", .like = {&by_the_clock}, REDUCES(int, xor)},
    {"Shmem_Reduce_Xor_Long_Consecutive", .word = "xor of longs", .like = {&in_a_row}, REDUCES(long, xor)},
    {"Shmem_Reduce_Xor_Long_Barrier", .word = "xor of longs", .like = {&with_barriers}, REDUCES(long, xor)},
    {"Shmem_Reduce_Xor_Long_Synchro", .word = "xor of longs", .like = {&by_the_clock}, REDUCES(long, xor)},
    {"Shmem_Reduce_Xor_Longlong_Consecutive", .word = "xor of long longs", .like = {&in_a_row}, REDUCES(longlong, xor)},
    {"Shmem_Reduce_Xor_Longlong_Barrier", .word = "xor of long longs", .like = {&with_barriers}, REDUCES(longlong, xor)},
    {"Shmem_Reduce_Xor_Longlong_Synchro", .word = "xor of long longs", .like = {&by_the_clock}, REDUCES(longlong, xor)},
    {"Shmem_Reduce_Sum_Consecutive", .word = "sum of shorts", .like = {&in_a_row}, REDUCES(short, sum)},
    {"Shmem_Reduce_Sum_Barrier", .word = "sum of shorts", .like = {&with_barriers}, REDUCES(short, sum)},
    {"Shmem_Reduce_Sum_Synchro", .word = "sum of shorts", .like = {&by_the_clock}, REDUCES(short, sum)},
    {"Shmem_Reduce_Sum_Int_Consecutive", .word = "sum of ints", .like = {&in_a_row}, REDUCES(int, sum)},
    {"Shmem_Reduce_Sum_Int_Barrier", .word = "sum of ints", .like = {&with_barriers}, REDUCES(int, sum)},
    {"Shmem_Reduce_Sum_Int_Synchro", .word = "sum of ints", .like = {&by_the_clock}, REDUCES(int, sum)},
    {"Shmem_Reduce_Sum_Long_Consecutive", .word = "sum of longs", .like = {&in_a_row}, REDUCES(long, sum)},
    {"Shmem_Reduce_Sum_Long_Barrier", .word = "sum of longs", .like = {&with_barriers}, REDUCES(long, sum)},
    {"Shmem_Reduce_Sum_Long_Synchro", .word = "sum of longs", .like = {&by_the_clock}, REDUCES(long, sum)},
    {"Shmem_Reduce_Sum_Longlong_Consecutive", .word = "sum of long longs", .like = {&in_a_row}, REDUCES(longlong, sum)},
    {"Shmem_Reduce_Sum_Longlong_Barrier", .word = "sum of long longs", .like = {&with_barriers}, REDUCES(longlong, sum)},
    {"Shmem_Reduce_Sum_Longlong_Synchro", .word = "sum of long longs", .like = {&by_the_clock}, REDUCES(longlong, sum)},
    {"Shmem_Reduce_Sum_Float_Consecutive", .word = "sum of floats", .like = {&in_a_row}, REDUCES(float, sum)},
    {"Shmem_Reduce_Sum_Float_Barrier", .word = "sum of floats", .like = {&with_barriers}, REDUCES(float, sum)},
    {"Shmem_Reduce_Sum_Float_Synchro", .word = "sum of floats", .like = {&by_the_clock}, REDUCES(float, sum)},
    {"Shmem_Reduce_Sum_Double_Consecutive", .word = "sum of doubles", .like = {&in_a_row}, REDUCES(double, sum)},
    {"Shmem_Reduce_Sum_Double_Barrier", .word = "sum of doubles", .like = {&with_barriers}, REDUCES(double, sum)},
    {"Shmem_Reduce_Sum_Double_Synchro", .word = "sum of doubles", .like = {&by_the_clock}, REDUCES(double, sum)},
    {"Shmem_Reduce_Prod_Consecutive", .word = "prod of shorts", .like = {&in_a_row}, REDUCES(short, prod)},
    {"Shmem_Reduce_Prod_Barrier", .word = "prod of shorts", .like = {&with_barriers}, REDUCES(short, prod)},
    {"Shmem_Reduce_Prod_Synchro", .word = "prod of shorts", .like = {&by_the_clock}, REDUCES(short, prod)},
    {"Shmem_Reduce_Prod_Int_Consecutive", .word = "prod of ints", .like = {&in_a_row}, REDUCES(int, prod)},
    {"Shmem_Reduce_Prod_Int_Barrier", .word = "prod of ints", .like = {&with_barriers}, REDUCES(int, prod)},
    {"Shmem_Reduce_Prod_Int_Synchro", .word = "prod of ints", .like = {&by_the_clock}, REDUCES(int, prod)},
    {"Shmem_Reduce_Prod_Long_Consecutive", .word = "prod of longs", .like = {&in_a_row}, REDUCES(long, prod)},
    {"Shmem_Reduce_Prod_Long_Barrier", .word = "prod of longs", .like = {&with_barriers}, REDUCES(long, prod)},
    {"Shmem_Reduce_Prod_Long_Synchro", .word = "prod of longs", .like = {&by_the_clock}, REDUCES(long, prod)},
    {"Shmem_Reduce_Prod_Longlong_Consecutive", .word = "prod of long longs", .like = {&in_a_row}, REDUCES(longlong, prod)},
    {"Shmem_Reduce_Prod_Longlong_Barrier", .word = "prod of long longs", .like = {&with_barriers}, REDUCES(longlong, prod)},
    {"Shmem_Reduce_Prod_Longlong_Synchro", .word = "prod of long longs", .like = {&by_the_clock}, REDUCES(longlong, prod)},
    {"Shmem_Reduce_Prod_Float_Consecutive", .word = "prod of floats", .like = {&in_a_row}, REDUCES(float, prod)},
    {"Shmem_Reduce_Prod_Float_Barrier", .word = "prod of floats", .like = {&with_barriers}, REDUCES(float, prod)},
    {"Shmem_Reduce_Prod_Float_Synchro", .word = "prod of floats", .like = {&by_the_clock}, REDUCES(float, prod)},
    {"Shmem_Reduce_Prod_Double_Consecutive", .word = "prod of doubles", .like = {&in_a_row}, REDUCES(double, prod)},
    {"Shmem_Reduce_Prod_Double_Barrier", .word = "prod of doubles", .like = {&with_barriers}, REDUCES(double, prod)},
    {"Shmem_Reduce_Prod_Double_Synchro", .word = "prod of doubles", .like = {&by_the_clock}, REDUCES(double, prod)},
    {"Shmem_Reduce_Min_Consecutive", .word = "min of shorts", .like = {&in_a_row}, REDUCES(short, min)},
    {"Shmem_Reduce_Min_Barrier", .word = "min of shorts", .like = {&with_barriers}, REDUCES(short, min)},
    {"Shmem_Reduce_Min_Synchro", .word = "min of shorts", .like = {&by_the_clock}, REDUCES(short, min)},
    {"Shmem_Reduce_Min_Int_Consecutive", .word = "min of ints", .like = {&in_a_row}, REDUCES(int, min)},
    {"Shmem_Reduce_Min_Int_Barrier", .word = "min of ints", .like = {&with_barriers}, REDUCES(int, min)},
    {"Shmem_Reduce_Min_Int_Synchro", .word = "min of ints", .like = {&by_the_clock}, REDUCES(int, min)},
    {"Shmem_Reduce_Min_Long_Consecutive", .word = "min of longs", .like = {&in_a_row}, REDUCES(long, min)},
    {"Shmem_Reduce_Min_Long_Barrier", .word = "min of longs", .like = {&with_barriers}, REDUCES(long, min)},
    {"Shmem_Reduce_Min_Long_Synchro", .word = "min of longs", .like = {&by_the_clock}, REDUCES(long, min)},
    {"Shmem_Reduce_Min_Longlong_Consecutive", .word = "min of long longs", .like = {&in_a_row}, REDUCES(longlong, min)},
    {"Shmem_Reduce_Min_Longlong_Barrier", .word = "min of long longs", .like = {&with_barriers}, REDUCES(longlong, min)},
    {"Shmem_Reduce_Min_Longlong_Synchro", .word = "min of long longs", .like = {&by_the_clock}, REDUCES(longlong, min)},
    {"Shmem_Reduce_Min_Float_Consecutive", .word = "min of floats", .like = {&in_a_row}, REDUCES(float, min)},
    {"Shmem_Reduce_Min_Float_Barrier", .word = "min of floats", .like = {&with_barriers}, REDUCES(float, min)},
    {"Shmem_Reduce_Min_Float_Synchro", .word = "min of floats", .like = {&by_the_clock}, REDUCES(float, min)},
    {"Shmem_Reduce_Min_Double_Consecutive", .word = "min of doubles", .like = {&in_a_row}, REDUCES(double, min)},
    {"Shmem_Reduce_Min_Double_Barrier", .word = "min of doubles", .like = {&with_barriers}, REDUCES(double, min)},
    {"Shmem_Reduce_Min_Double_Synchro", .word = "min of doubles", .like = {&by_the_clock}, REDUCES(double, min)},
    {"Shmem_Reduce_Max_Consecutive", .word = "max of shorts", .like = {&in_a_row}, REDUCES(short, max)},
    {"Shmem_Reduce_Max_Barrier", .word = "max of shorts", .like = {&with_barriers}, REDUCES(short, max)},
    {"Shmem_Reduce_Max_Synchro", .word = "max of shorts", .like = {&by_the_clock}, REDUCES(short, max)},
    {"Shmem_Reduce_Max_Int_Consecutive", .word = "max of ints", .like = {&in_a_row}, REDUCES(int, max)},
    {"Shmem_Reduce_Max_Int_Barrier", .word = "max of ints", .like = {&with_barriers}, REDUCES(int, max)},
    {"Shmem_Reduce_Max_Int_Synchro", .word = "max of ints", .like = {&by_the_clock}, REDUCES(int, max)},
    {"Shmem_Reduce_Max_Long_Consecutive", .word = "max of longs", .like = {&in_a_row}, REDUCES(long, max)},
    {"Shmem_Reduce_Max_Long_Barrier", .word = "max of longs", .like = {&with_barriers}, REDUCES(long, max)},
    {"Shmem_Reduce_Max_Long_Synchro", .word = "max of longs", .like = {&by_the_clock}, REDUCES(long, max)},
    {"Shmem_Reduce_Max_Longlong_Consecutive", .word = "max of long longs", .like = {&in_a_row}, REDUCES(longlong, max)},
    {"Shmem_Reduce_Max_Longlong_Barrier", .word = "max of long longs", .like = {&with_barriers}, REDUCES(longlong, max)},
    {"Shmem_Reduce_Max_Longlong_Synchro", .word = "max of long longs", .like = {&by_the_clock}, REDUCES(longlong, max)},
    {"Shmem_Reduce_Max_Float_Consecutive", .word = "max of floats", .like = {&in_a_row}, REDUCES(float, max)},
    {"Shmem_Reduce_Max_Float_Barrier", .word = "max of floats", .like = {&with_barriers}, REDUCES(float, max)},
    {"Shmem_Reduce_Max_Float_Synchro", .word = "max of floats", .like = {&by_the_clock}, REDUCES(float, max)},
    {"Shmem_Reduce_Max_Double_Consecutive", .word = "max of doubles", .like = {&in_a_row}, REDUCES(double, max)},
    {"Shmem_Reduce_Max_Double_Barrier", .word = "max of doubles", .like = {&with_barriers}, REDUCES(double, max)},
    {"Shmem_Reduce_Max_Double_Synchro", .word = "max of doubles", .like = {&by_the_clock}, REDUCES(double, max)},
    {.name = NULL},
};
/* clang-format on */
