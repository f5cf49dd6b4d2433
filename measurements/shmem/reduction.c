/*
 * Reductions: seven operations on the usual types.
 */
#include "measurements/common/collective.h"

#include <limits.h>

#if SKAMPI_SHMEM

#include <shmem.h>

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
                    i, i * reduction->elements->size, shmem_my_pe(), call->run->rank, found,
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

#define REDUCTION(called, type, types, what)                                                       \
    static void call_##called(const struct collective_call *c)                                     \
    {                                                                                              \
        called((type *)(void *)c->target, (type *)(void *)c->source, (int)c->elements, c->start,   \
               c->log_stride, c->size, c->work, c->sync);                                          \
    }                                                                                              \
    static const struct reduction reduction_##called = {{.call = call_##called,                    \
                                                         .fill = fill,                             \
                                                         .check = check,                           \
                                                         .element = sizeof(type),                  \
                                                         .works = true,                            \
                                                         .most_elements = INT_MAX},                \
                                                        &(what),                                   \
                                                        &(types)};
#else
#define REDUCTION(called, type, types, what)                                                       \
    static const struct routine reduction_##called = {                                             \
        .element = sizeof(type), .works = true, .most_elements = INT_MAX};
#endif

REDUCTION(shmem_short_and_to_all, short, shorts, op_and)
REDUCTION(shmem_int_and_to_all, int, ints, op_and)
REDUCTION(shmem_long_and_to_all, long, longs, op_and)
REDUCTION(shmem_longlong_and_to_all, long long, longlongs, op_and)
REDUCTION(shmem_short_or_to_all, short, shorts, op_or)
REDUCTION(shmem_int_or_to_all, int, ints, op_or)
REDUCTION(shmem_long_or_to_all, long, longs, op_or)
REDUCTION(shmem_longlong_or_to_all, long long, longlongs, op_or)
REDUCTION(shmem_short_xor_to_all, short, shorts, op_xor)
REDUCTION(shmem_int_xor_to_all, int, ints, op_xor)
REDUCTION(shmem_long_xor_to_all, long, longs, op_xor)
REDUCTION(shmem_longlong_xor_to_all, long long, longlongs, op_xor)
REDUCTION(shmem_short_sum_to_all, short, shorts, op_sum)
REDUCTION(shmem_int_sum_to_all, int, ints, op_sum)
REDUCTION(shmem_long_sum_to_all, long, longs, op_sum)
REDUCTION(shmem_longlong_sum_to_all, long long, longlongs, op_sum)
REDUCTION(shmem_float_sum_to_all, float, floats, op_sum)
REDUCTION(shmem_double_sum_to_all, double, doubles, op_sum)
REDUCTION(shmem_short_prod_to_all, short, shorts, op_prod)
REDUCTION(shmem_int_prod_to_all, int, ints, op_prod)
REDUCTION(shmem_long_prod_to_all, long, longs, op_prod)
REDUCTION(shmem_longlong_prod_to_all, long long, longlongs, op_prod)
REDUCTION(shmem_float_prod_to_all, float, floats, op_prod)
REDUCTION(shmem_double_prod_to_all, double, doubles, op_prod)
REDUCTION(shmem_short_min_to_all, short, shorts, op_min)
REDUCTION(shmem_int_min_to_all, int, ints, op_min)
REDUCTION(shmem_long_min_to_all, long, longs, op_min)
REDUCTION(shmem_longlong_min_to_all, long long, longlongs, op_min)
REDUCTION(shmem_float_min_to_all, float, floats, op_min)
REDUCTION(shmem_double_min_to_all, double, doubles, op_min)
REDUCTION(shmem_short_max_to_all, short, shorts, op_max)
REDUCTION(shmem_int_max_to_all, int, ints, op_max)
REDUCTION(shmem_long_max_to_all, long, longs, op_max)
REDUCTION(shmem_longlong_max_to_all, long long, longlongs, op_max)
REDUCTION(shmem_float_max_to_all, float, floats, op_max)
REDUCTION(shmem_double_max_to_all, double, doubles, op_max)

/* clang-format off */
/* The three ways to time a routine. */
#define FORMS(name, what, called, elements)                                                        \
    {name "_Consecutive", what " over all PEs, in a row", CONSECUTIVE, REDUCES(called),            \
     .parameters = {ITERATIONS, COUNT_IN(elements)}, .timed = "reduction"},                        \
    {name "_Barrier", what " over all PEs, each followed by a barrier", SEPARATED, REDUCES(called),\
     .parameters = {ITERATIONS, COUNT_IN(elements)}, .calls = "shmem_barrier_all shmem_barrier",   \
     .timed = "reduction + barrier"},                                                              \
    {name "_Synchro", what " over all PEs, once, all starting by the clock", SYNCHRO,              \
     REDUCES(called), .parameters = {COUNT_IN(elements)}, .timed = "reduction"}
#define REDUCES(called)                                                                            \
    COLLECTIVE_DATA, .moves = MOVES_REDUCED, .routine = #called, .variant = &reduction_##called,   \
    .who = "all", .cost = "reduce"

const struct measurement measurements_reduction[] = {
    FORMS("Shmem_Reduce_And", "and of shorts", shmem_short_and_to_all, "shorts"),
    FORMS("Shmem_Reduce_And_Int", "and of ints", shmem_int_and_to_all, "ints"),
    FORMS("Shmem_Reduce_And_Long", "and of longs", shmem_long_and_to_all, "longs"),
    FORMS("Shmem_Reduce_And_Longlong", "and of long longs", shmem_longlong_and_to_all, "long longs"),
    FORMS("Shmem_Reduce_Or", "or of shorts", shmem_short_or_to_all, "shorts"),
    FORMS("Shmem_Reduce_Or_Int", "or of ints", shmem_int_or_to_all, "ints"),
    FORMS("Shmem_Reduce_Or_Long", "or of longs", shmem_long_or_to_all, "longs"),
    FORMS("Shmem_Reduce_Or_Longlong", "or of long longs", shmem_longlong_or_to_all, "long longs"),
    FORMS("Shmem_Reduce_Xor", "xor of shorts", shmem_short_xor_to_all, "shorts"),
    FORMS("Shmem_Reduce_Xor_Int", "xor of ints", shmem_int_xor_to_all, "ints"),
    FORMS("Shmem_Reduce_Xor_Long", "xor of longs", shmem_long_xor_to_all, "longs"),
    FORMS("Shmem_Reduce_Xor_Longlong", "xor of long longs", shmem_longlong_xor_to_all, "long longs"),
    FORMS("Shmem_Reduce_Sum", "sum of shorts", shmem_short_sum_to_all, "shorts"),
    FORMS("Shmem_Reduce_Sum_Int", "sum of ints", shmem_int_sum_to_all, "ints"),
    FORMS("Shmem_Reduce_Sum_Long", "sum of longs", shmem_long_sum_to_all, "longs"),
    FORMS("Shmem_Reduce_Sum_Longlong", "sum of long longs", shmem_longlong_sum_to_all, "long longs"),
    FORMS("Shmem_Reduce_Sum_Float", "sum of floats", shmem_float_sum_to_all, "floats"),
    FORMS("Shmem_Reduce_Sum_Double", "sum of doubles", shmem_double_sum_to_all, "doubles"),
    FORMS("Shmem_Reduce_Prod", "prod of shorts", shmem_short_prod_to_all, "shorts"),
    FORMS("Shmem_Reduce_Prod_Int", "prod of ints", shmem_int_prod_to_all, "ints"),
    FORMS("Shmem_Reduce_Prod_Long", "prod of longs", shmem_long_prod_to_all, "longs"),
    FORMS("Shmem_Reduce_Prod_Longlong", "prod of long longs", shmem_longlong_prod_to_all, "long longs"),
    FORMS("Shmem_Reduce_Prod_Float", "prod of floats", shmem_float_prod_to_all, "floats"),
    FORMS("Shmem_Reduce_Prod_Double", "prod of doubles", shmem_double_prod_to_all, "doubles"),
    FORMS("Shmem_Reduce_Min", "min of shorts", shmem_short_min_to_all, "shorts"),
    FORMS("Shmem_Reduce_Min_Int", "min of ints", shmem_int_min_to_all, "ints"),
    FORMS("Shmem_Reduce_Min_Long", "min of longs", shmem_long_min_to_all, "longs"),
    FORMS("Shmem_Reduce_Min_Longlong", "min of long longs", shmem_longlong_min_to_all, "long longs"),
    FORMS("Shmem_Reduce_Min_Float", "min of floats", shmem_float_min_to_all, "floats"),
    FORMS("Shmem_Reduce_Min_Double", "min of doubles", shmem_double_min_to_all, "doubles"),
    FORMS("Shmem_Reduce_Max", "max of shorts", shmem_short_max_to_all, "shorts"),
    FORMS("Shmem_Reduce_Max_Int", "max of ints", shmem_int_max_to_all, "ints"),
    FORMS("Shmem_Reduce_Max_Long", "max of longs", shmem_long_max_to_all, "longs"),
    FORMS("Shmem_Reduce_Max_Longlong", "max of long longs", shmem_longlong_max_to_all, "long longs"),
    FORMS("Shmem_Reduce_Max_Float", "max of floats", shmem_float_max_to_all, "floats"),
    FORMS("Shmem_Reduce_Max_Double", "max of doubles", shmem_double_max_to_all, "doubles"),
    {.name = NULL},
};
/* clang-format on */
