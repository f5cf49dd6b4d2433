/*
 * Reductions: seven operations on the usual types.
 */
#include "measurements/common/collective.h"

#include <limits.h>

/* ---- Data with a known result, exact in every type: 15 bits ---- */

#define BITS 15
#define ALL_BITS ((1 << BITS) - 1)
/* Values repeat along the vector, so that each result is computed once. */
#define PERIOD 32
#define SHIFTS 1009
/* Ranks that say something in a sum, and in a product. */
#define ADDENDS 500
#define FACTORS 12

struct operation {
    int (*value)(int rank, int position); /* what a rank brings */
    int (*fold)(int a, int b);
};

/* Elements of one type in memory; values repeat along them. */
struct elements {
    size_t size;
    void (*fill)(void *memory, size_t count, const int values[PERIOD]);
    /* The first element that is another, and what it is; count: none. */
    size_t (*find_wrong)(const void *memory, size_t count, const int values[PERIOD], double *found);
};

struct reduction {
    struct routine routine; /* first: the common hooks find it there */
    const struct operation *operation;
    const struct elements *elements;
};

static int one_bit(int rank, int position)
{
    return 1 << (rank * 3 + position) % BITS;
}

static int all_but_one_bit(int rank, int position)
{
    return ALL_BITS ^ one_bit(rank, position);
}

static int small(int rank, int position)
{
    return rank < ADDENDS ? (rank * 7 + position * 3) % 61 + 1 : 0;
}

static int factor(int rank, int position)
{
    return rank < FACTORS ? 1 + (rank + position) % 2 : 1;
}

static int any(int rank, int position)
{
    return (rank * 5003 + position * 211) % ALL_BITS;
}

static int fold_and(int a, int b)
{
    return a & b;
}

static int fold_or(int a, int b)
{
    return a | b;
}

static int fold_xor(int a, int b)
{
    return a ^ b;
}

static int fold_sum(int a, int b)
{
    return a + b;
}

static int fold_prod(int a, int b)
{
    return a * b;
}

static int fold_min(int a, int b)
{
    return a < b ? a : b;
}

static int fold_max(int a, int b)
{
    return a > b ? a : b;
}

static const struct operation op_and = {all_but_one_bit, fold_and}, op_or = {one_bit, fold_or},
                              op_xor = {one_bit, fold_xor}, op_sum = {small, fold_sum},
                              op_prod = {factor, fold_prod}, op_min = {any, fold_min},
                              op_max = {any, fold_max};

/* Each repetition's values begin somewhere else. */
static int value_of(const struct operation *operation, const struct collective_call *call, int rank,
                    int position)
{
    return operation->value(rank, position + (int)(call->run->seed % SHIFTS));
}

static void fill_values(const struct operation *operation, const struct collective_call *call,
                        int rank, int values[PERIOD])
{
    for (int position = 0; position < PERIOD; position++)
        values[position] = value_of(operation, call, rank, position);
}

static void fold_values(const struct operation *operation, const struct collective_call *call,
                        int values[PERIOD])
{
    fill_values(operation, call, 0, values);
    for (int rank = 1; rank < call->size; rank++)
        for (int position = 0; position < PERIOD; position++)
            values[position] =
                operation->fold(values[position], value_of(operation, call, rank, position));
}

static const struct reduction *reduction_of(const struct collective_call *call)
{
    return (const struct reduction *)(const void *)call->routine;
}

static void fill(const struct collective_call *call)
{
    const struct reduction *reduction = reduction_of(call);
    int values[PERIOD];
    fill_values(reduction->operation, call, call->rank, values);
    reduction->elements->fill(call->source, call->elements, values);
}

static bool check(const struct collective_call *call)
{
    const struct reduction *reduction = reduction_of(call);
    int values[PERIOD];
    double found = 0;
    fold_values(reduction->operation, call, values);
    size_t i = reduction->elements->find_wrong(call->target, call->elements, values, &found);
    return i == call->elements ||
           run_fail(call->run,
                    "wrong data: element %zu (from byte %zu on) of the result on PE %d (rank %d) "
                    "is %.17g and should be %d",
                    i, i * reduction->elements->size,
                    pe_set_member(call->run->set, call->run->rank), call->run->rank, found,
                    values[i % PERIOD]);
}

#define ELEMENTS(name, type)                                                                       \
    static void fill_##name(void *memory, size_t count, const int values[PERIOD])                  \
    {                                                                                              \
        type *element = memory;                                                                    \
        for (size_t i = 0; i < count; i++)                                                         \
            element[i] = (type)values[i % PERIOD];                                                 \
    }                                                                                              \
    static size_t find_wrong_##name(const void *memory, size_t count, const int values[PERIOD],    \
                                    double *found)                                                 \
    {                                                                                              \
        const type *element = memory;                                                              \
        size_t i = 0;                                                                              \
        while (i < count && element[i] == (type)values[i % PERIOD])                                \
            i++;                                                                                   \
        if (i < count)                                                                             \
            *found = (double)element[i];                                                           \
        return i;                                                                                  \
    }                                                                                              \
    static const struct elements name = {sizeof(type), fill_##name, find_wrong_##name};

ELEMENTS(shorts, short)
ELEMENTS(ints, int)
ELEMENTS(longs, long)
ELEMENTS(longlongs, long long)
ELEMENTS(floats, float)
ELEMENTS(doubles, double)

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

#define REDUCTION(T, type, operation) \
    CALL(T, type, operation) \
    static const struct reduction T##_##operation = { \
        {.call = WITH_SHMEM(call_##T##_##operation), .fill = fill, .check = check, \
         .element = sizeof(type), .works = true, .most_elements = INT_MAX}, \
        &op_##operation, &T##s};

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
    COLLECTIVE_DATA,
    .moves = MOVES_REDUCED,
    .timed = "reduction",
    .who = "all",
    .cost = "reduce",
};
static const struct measurement in_a_row = {
    .summary = "%s over all PEs, in a row",
    .like = {&collective_in_a_row, &reduces},
};
static const struct measurement with_barriers = {
    .summary = "%s over all PEs, each followed by a barrier",
    .timed = "reduction + barrier",
    .like = {&collective_with_barriers, &reduces},
};
static const struct measurement by_the_clock = {
    .summary = "%s over all PEs, once, all starting by the clock",
    .like = {&collective_by_the_clock, &reduces},
};

static const struct measurement many_of_shorts = {.parameters = {ITERATIONS, COUNT_IN("shorts")}};
static const struct measurement many_of_ints = {.parameters = {ITERATIONS, COUNT_IN("ints")}};
static const struct measurement many_of_longs = {.parameters = {ITERATIONS, COUNT_IN("longs")}};
static const struct measurement many_of_longlongs = {.parameters = {ITERATIONS, COUNT_IN("long longs")}};
static const struct measurement many_of_floats = {.parameters = {ITERATIONS, COUNT_IN("floats")}};
static const struct measurement many_of_doubles = {.parameters = {ITERATIONS, COUNT_IN("doubles")}};
static const struct measurement one_of_shorts = {.parameters = {COUNT_IN("shorts")}};
static const struct measurement one_of_ints = {.parameters = {COUNT_IN("ints")}};
static const struct measurement one_of_longs = {.parameters = {COUNT_IN("longs")}};
static const struct measurement one_of_longlongs = {.parameters = {COUNT_IN("long longs")}};
static const struct measurement one_of_floats = {.parameters = {COUNT_IN("floats")}};
static const struct measurement one_of_doubles = {.parameters = {COUNT_IN("doubles")}};

#define REDUCES(T, operation) .routine = "shmem_" #T "_" #operation "_to_all", .variant = &T##_##operation

const struct measurement measurements_reduction[] = {
    {"Shmem_Reduce_And_Consecutive", .word = "and of shorts", .like = {&in_a_row, &many_of_shorts}, REDUCES(short, and)},
    {"Shmem_Reduce_And_Barrier", .word = "and of shorts", .like = {&with_barriers, &many_of_shorts}, REDUCES(short, and)},
    {"Shmem_Reduce_And_Synchro", .word = "and of shorts", .like = {&by_the_clock, &one_of_shorts}, REDUCES(short, and)},
    {"Shmem_Reduce_And_Int_Consecutive", .word = "and of ints", .like = {&in_a_row, &many_of_ints}, REDUCES(int, and)},
    {"Shmem_Reduce_And_Int_Barrier", .word = "and of ints", .like = {&with_barriers, &many_of_ints}, REDUCES(int, and)},
    {"Shmem_Reduce_And_Int_Synchro", .word = "and of ints", .like = {&by_the_clock, &one_of_ints}, REDUCES(int, and)},
    {"Shmem_Reduce_And_Long_Consecutive", .word = "and of longs", .like = {&in_a_row, &many_of_longs}, REDUCES(long, and)},
    {"Shmem_Reduce_And_Long_Barrier", .word = "and of longs", .like = {&with_barriers, &many_of_longs}, REDUCES(long, and)},
    {"Shmem_Reduce_And_Long_Synchro", .word = "and of longs", .like = {&by_the_clock, &one_of_longs}, REDUCES(long, and)},
    {"Shmem_Reduce_And_Longlong_Consecutive", .word = "and of long longs", .like = {&in_a_row, &many_of_longlongs}, REDUCES(longlong, and)},
    {"Shmem_Reduce_And_Longlong_Barrier", .word = "and of long longs", .like = {&with_barriers, &many_of_longlongs}, REDUCES(longlong, and)},
    {"Shmem_Reduce_And_Longlong_Synchro", .word = "and of long longs", .like = {&by_the_clock, &one_of_longlongs}, REDUCES(longlong, and)},
    {"Shmem_Reduce_Or_Consecutive", .word = "or of shorts", .like = {&in_a_row, &many_of_shorts}, REDUCES(short, or)},
    {"Shmem_Reduce_Or_Barrier", .word = "or of shorts", .like = {&with_barriers, &many_of_shorts}, REDUCES(short, or)},
    {"Shmem_Reduce_Or_Synchro", .word = "or of shorts", .like = {&by_the_clock, &one_of_shorts}, REDUCES(short, or)},
    {"Shmem_Reduce_Or_Int_Consecutive", .word = "or of ints", .like = {&in_a_row, &many_of_ints}, REDUCES(int, or)},
    {"Shmem_Reduce_Or_Int_Barrier", .word = "or of ints", .like = {&with_barriers, &many_of_ints}, REDUCES(int, or)},
    {"Shmem_Reduce_Or_Int_Synchro", .word = "or of ints", .like = {&by_the_clock, &one_of_ints}, REDUCES(int, or)},
    {"Shmem_Reduce_Or_Long_Consecutive", .word = "or of longs", .like = {&in_a_row, &many_of_longs}, REDUCES(long, or)},
    {"Shmem_Reduce_Or_Long_Barrier", .word = "or of longs", .like = {&with_barriers, &many_of_longs}, REDUCES(long, or)},
    {"Shmem_Reduce_Or_Long_Synchro", .word = "or of longs", .like = {&by_the_clock, &one_of_longs}, REDUCES(long, or)},
    {"Shmem_Reduce_Or_Longlong_Consecutive", .word = "or of long longs", .like = {&in_a_row, &many_of_longlongs}, REDUCES(longlong, or)},
    {"Shmem_Reduce_Or_Longlong_Barrier", .word = "or of long longs", .like = {&with_barriers, &many_of_longlongs}, REDUCES(longlong, or)},
    {"Shmem_Reduce_Or_Longlong_Synchro", .word = "or of long longs", .like = {&by_the_clock, &one_of_longlongs}, REDUCES(longlong, or)},
    {"Shmem_Reduce_Xor_Consecutive", .word = "xor of shorts", .like = {&in_a_row, &many_of_shorts}, REDUCES(short, xor)},
    {"Shmem_Reduce_Xor_Barrier", .word = "xor of shorts", .like = {&with_barriers, &many_of_shorts}, REDUCES(short, xor)},
    {"Shmem_Reduce_Xor_Synchro", .word = "xor of shorts", .like = {&by_the_clock, &one_of_shorts}, REDUCES(short, xor)},
    {"Shmem_Reduce_Xor_Int_Consecutive", .word = "xor of ints", .like = {&in_a_row, &many_of_ints}, REDUCES(int, xor)},
    {"Shmem_Reduce_Xor_Int_Barrier", .word = "xor of ints", .like = {&with_barriers, &many_of_ints}, REDUCES(int, xor)},
    {"Shmem_Reduce_Xor_Int_Synchro", .word = "xor of ints", .like = {&by_the_clock, &one_of_ints}, REDUCES(int, xor)},
    {"Shmem_Reduce_Xor_Long_Consecutive", .word = "xor of longs", .like = {&in_a_row, &many_of_longs}, REDUCES(long, xor)},
    {"Shmem_Reduce_Xor_Long_Barrier", .word = "xor of longs", .like = {&with_barriers, &many_of_longs}, REDUCES(long, xor)},
    {"Shmem_Reduce_Xor_Long_Synchro", .word = "xor of longs", .like = {&by_the_clock, &one_of_longs}, REDUCES(long, xor)},
    {"Shmem_Reduce_Xor_Longlong_Consecutive", .word = "xor of long longs", .like = {&in_a_row, &many_of_longlongs}, REDUCES(longlong, xor)},
    {"Shmem_Reduce_Xor_Longlong_Barrier", .word = "xor of long longs", .like = {&with_barriers, &many_of_longlongs}, REDUCES(longlong, xor)},
    {"Shmem_Reduce_Xor_Longlong_Synchro", .word = "xor of long longs", .like = {&by_the_clock, &one_of_longlongs}, REDUCES(longlong, xor)},
    {"Shmem_Reduce_Sum_Consecutive", .word = "sum of shorts", .like = {&in_a_row, &many_of_shorts}, REDUCES(short, sum)},
    {"Shmem_Reduce_Sum_Barrier", .word = "sum of shorts", .like = {&with_barriers, &many_of_shorts}, REDUCES(short, sum)},
    {"Shmem_Reduce_Sum_Synchro", .word = "sum of shorts", .like = {&by_the_clock, &one_of_shorts}, REDUCES(short, sum)},
    {"Shmem_Reduce_Sum_Int_Consecutive", .word = "sum of ints", .like = {&in_a_row, &many_of_ints}, REDUCES(int, sum)},
    {"Shmem_Reduce_Sum_Int_Barrier", .word = "sum of ints", .like = {&with_barriers, &many_of_ints}, REDUCES(int, sum)},
    {"Shmem_Reduce_Sum_Int_Synchro", .word = "sum of ints", .like = {&by_the_clock, &one_of_ints}, REDUCES(int, sum)},
    {"Shmem_Reduce_Sum_Long_Consecutive", .word = "sum of longs", .like = {&in_a_row, &many_of_longs}, REDUCES(long, sum)},
    {"Shmem_Reduce_Sum_Long_Barrier", .word = "sum of longs", .like = {&with_barriers, &many_of_longs}, REDUCES(long, sum)},
    {"Shmem_Reduce_Sum_Long_Synchro", .word = "sum of longs", .like = {&by_the_clock, &one_of_longs}, REDUCES(long, sum)},
    {"Shmem_Reduce_Sum_Longlong_Consecutive", .word = "sum of long longs", .like = {&in_a_row, &many_of_longlongs}, REDUCES(longlong, sum)},
    {"Shmem_Reduce_Sum_Longlong_Barrier", .word = "sum of long longs", .like = {&with_barriers, &many_of_longlongs}, REDUCES(longlong, sum)},
    {"Shmem_Reduce_Sum_Longlong_Synchro", .word = "sum of long longs", .like = {&by_the_clock, &one_of_longlongs}, REDUCES(longlong, sum)},
    {"Shmem_Reduce_Sum_Float_Consecutive", .word = "sum of floats", .like = {&in_a_row, &many_of_floats}, REDUCES(float, sum)},
    {"Shmem_Reduce_Sum_Float_Barrier", .word = "sum of floats", .like = {&with_barriers, &many_of_floats}, REDUCES(float, sum)},
    {"Shmem_Reduce_Sum_Float_Synchro", .word = "sum of floats", .like = {&by_the_clock, &one_of_floats}, REDUCES(float, sum)},
    {"Shmem_Reduce_Sum_Double_Consecutive", .word = "sum of doubles", .like = {&in_a_row, &many_of_doubles}, REDUCES(double, sum)},
    {"Shmem_Reduce_Sum_Double_Barrier", .word = "sum of doubles", .like = {&with_barriers, &many_of_doubles}, REDUCES(double, sum)},
    {"Shmem_Reduce_Sum_Double_Synchro", .word = "sum of doubles", .like = {&by_the_clock, &one_of_doubles}, REDUCES(double, sum)},
    {"Shmem_Reduce_Prod_Consecutive", .word = "prod of shorts", .like = {&in_a_row, &many_of_shorts}, REDUCES(short, prod)},
    {"Shmem_Reduce_Prod_Barrier", .word = "prod of shorts", .like = {&with_barriers, &many_of_shorts}, REDUCES(short, prod)},
    {"Shmem_Reduce_Prod_Synchro", .word = "prod of shorts", .like = {&by_the_clock, &one_of_shorts}, REDUCES(short, prod)},
    {"Shmem_Reduce_Prod_Int_Consecutive", .word = "prod of ints", .like = {&in_a_row, &many_of_ints}, REDUCES(int, prod)},
    {"Shmem_Reduce_Prod_Int_Barrier", .word = "prod of ints", .like = {&with_barriers, &many_of_ints}, REDUCES(int, prod)},
    {"Shmem_Reduce_Prod_Int_Synchro", .word = "prod of ints", .like = {&by_the_clock, &one_of_ints}, REDUCES(int, prod)},
    {"Shmem_Reduce_Prod_Long_Consecutive", .word = "prod of longs", .like = {&in_a_row, &many_of_longs}, REDUCES(long, prod)},
    {"Shmem_Reduce_Prod_Long_Barrier", .word = "prod of longs", .like = {&with_barriers, &many_of_longs}, REDUCES(long, prod)},
    {"Shmem_Reduce_Prod_Long_Synchro", .word = "prod of longs", .like = {&by_the_clock, &one_of_longs}, REDUCES(long, prod)},
    {"Shmem_Reduce_Prod_Longlong_Consecutive", .word = "prod of long longs", .like = {&in_a_row, &many_of_longlongs}, REDUCES(longlong, prod)},
    {"Shmem_Reduce_Prod_Longlong_Barrier", .word = "prod of long longs", .like = {&with_barriers, &many_of_longlongs}, REDUCES(longlong, prod)},
    {"Shmem_Reduce_Prod_Longlong_Synchro", .word = "prod of long longs", .like = {&by_the_clock, &one_of_longlongs}, REDUCES(longlong, prod)},
    {"Shmem_Reduce_Prod_Float_Consecutive", .word = "prod of floats", .like = {&in_a_row, &many_of_floats}, REDUCES(float, prod)},
    {"Shmem_Reduce_Prod_Float_Barrier", .word = "prod of floats", .like = {&with_barriers, &many_of_floats}, REDUCES(float, prod)},
    {"Shmem_Reduce_Prod_Float_Synchro", .word = "prod of floats", .like = {&by_the_clock, &one_of_floats}, REDUCES(float, prod)},
    {"Shmem_Reduce_Prod_Double_Consecutive", .word = "prod of doubles", .like = {&in_a_row, &many_of_doubles}, REDUCES(double, prod)},
    {"Shmem_Reduce_Prod_Double_Barrier", .word = "prod of doubles", .like = {&with_barriers, &many_of_doubles}, REDUCES(double, prod)},
    {"Shmem_Reduce_Prod_Double_Synchro", .word = "prod of doubles", .like = {&by_the_clock, &one_of_doubles}, REDUCES(double, prod)},
    {"Shmem_Reduce_Min_Consecutive", .word = "min of shorts", .like = {&in_a_row, &many_of_shorts}, REDUCES(short, min)},
    {"Shmem_Reduce_Min_Barrier", .word = "min of shorts", .like = {&with_barriers, &many_of_shorts}, REDUCES(short, min)},
    {"Shmem_Reduce_Min_Synchro", .word = "min of shorts", .like = {&by_the_clock, &one_of_shorts}, REDUCES(short, min)},
    {"Shmem_Reduce_Min_Int_Consecutive", .word = "min of ints", .like = {&in_a_row, &many_of_ints}, REDUCES(int, min)},
    {"Shmem_Reduce_Min_Int_Barrier", .word = "min of ints", .like = {&with_barriers, &many_of_ints}, REDUCES(int, min)},
    {"Shmem_Reduce_Min_Int_Synchro", .word = "min of ints", .like = {&by_the_clock, &one_of_ints}, REDUCES(int, min)},
    {"Shmem_Reduce_Min_Long_Consecutive", .word = "min of longs", .like = {&in_a_row, &many_of_longs}, REDUCES(long, min)},
    {"Shmem_Reduce_Min_Long_Barrier", .word = "min of longs", .like = {&with_barriers, &many_of_longs}, REDUCES(long, min)},
    {"Shmem_Reduce_Min_Long_Synchro", .word = "min of longs", .like = {&by_the_clock, &one_of_longs}, REDUCES(long, min)},
    {"Shmem_Reduce_Min_Longlong_Consecutive", .word = "min of long longs", .like = {&in_a_row, &many_of_longlongs}, REDUCES(longlong, min)},
    {"Shmem_Reduce_Min_Longlong_Barrier", .word = "min of long longs", .like = {&with_barriers, &many_of_longlongs}, REDUCES(longlong, min)},
    {"Shmem_Reduce_Min_Longlong_Synchro", .word = "min of long longs", .like = {&by_the_clock, &one_of_longlongs}, REDUCES(longlong, min)},
    {"Shmem_Reduce_Min_Float_Consecutive", .word = "min of floats", .like = {&in_a_row, &many_of_floats}, REDUCES(float, min)},
    {"Shmem_Reduce_Min_Float_Barrier", .word = "min of floats", .like = {&with_barriers, &many_of_floats}, REDUCES(float, min)},
    {"Shmem_Reduce_Min_Float_Synchro", .word = "min of floats", .like = {&by_the_clock, &one_of_floats}, REDUCES(float, min)},
    {"Shmem_Reduce_Min_Double_Consecutive", .word = "min of doubles", .like = {&in_a_row, &many_of_doubles}, REDUCES(double, min)},
    {"Shmem_Reduce_Min_Double_Barrier", .word = "min of doubles", .like = {&with_barriers, &many_of_doubles}, REDUCES(double, min)},
    {"Shmem_Reduce_Min_Double_Synchro", .word = "min of doubles", .like = {&by_the_clock, &one_of_doubles}, REDUCES(double, min)},
    {"Shmem_Reduce_Max_Consecutive", .word = "max of shorts", .like = {&in_a_row, &many_of_shorts}, REDUCES(short, max)},
    {"Shmem_Reduce_Max_Barrier", .word = "max of shorts", .like = {&with_barriers, &many_of_shorts}, REDUCES(short, max)},
    {"Shmem_Reduce_Max_Synchro", .word = "max of shorts", .like = {&by_the_clock, &one_of_shorts}, REDUCES(short, max)},
    {"Shmem_Reduce_Max_Int_Consecutive", .word = "max of ints", .like = {&in_a_row, &many_of_ints}, REDUCES(int, max)},
    {"Shmem_Reduce_Max_Int_Barrier", .word = "max of ints", .like = {&with_barriers, &many_of_ints}, REDUCES(int, max)},
    {"Shmem_Reduce_Max_Int_Synchro", .word = "max of ints", .like = {&by_the_clock, &one_of_ints}, REDUCES(int, max)},
    {"Shmem_Reduce_Max_Long_Consecutive", .word = "max of longs", .like = {&in_a_row, &many_of_longs}, REDUCES(long, max)},
    {"Shmem_Reduce_Max_Long_Barrier", .word = "max of longs", .like = {&with_barriers, &many_of_longs}, REDUCES(long, max)},
    {"Shmem_Reduce_Max_Long_Synchro", .word = "max of longs", .like = {&by_the_clock, &one_of_longs}, REDUCES(long, max)},
    {"Shmem_Reduce_Max_Longlong_Consecutive", .word = "max of long longs", .like = {&in_a_row, &many_of_longlongs}, REDUCES(longlong, max)},
    {"Shmem_Reduce_Max_Longlong_Barrier", .word = "max of long longs", .like = {&with_barriers, &many_of_longlongs}, REDUCES(longlong, max)},
    {"Shmem_Reduce_Max_Longlong_Synchro", .word = "max of long longs", .like = {&by_the_clock, &one_of_longlongs}, REDUCES(longlong, max)},
    {"Shmem_Reduce_Max_Float_Consecutive", .word = "max of floats", .like = {&in_a_row, &many_of_floats}, REDUCES(float, max)},
    {"Shmem_Reduce_Max_Float_Barrier", .word = "max of floats", .like = {&with_barriers, &many_of_floats}, REDUCES(float, max)},
    {"Shmem_Reduce_Max_Float_Synchro", .word = "max of floats", .like = {&by_the_clock, &one_of_floats}, REDUCES(float, max)},
    {"Shmem_Reduce_Max_Double_Consecutive", .word = "max of doubles", .like = {&in_a_row, &many_of_doubles}, REDUCES(double, max)},
    {"Shmem_Reduce_Max_Double_Barrier", .word = "max of doubles", .like = {&with_barriers, &many_of_doubles}, REDUCES(double, max)},
    {"Shmem_Reduce_Max_Double_Synchro", .word = "max of doubles", .like = {&by_the_clock, &one_of_doubles}, REDUCES(double, max)},
    {.name = NULL},
};
/* clang-format on */
