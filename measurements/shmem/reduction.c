/*
 * Reductions: seven operations on the usual types, all made from one list.
 */
#include "measurements/common/collective.h"

#include <limits.h>

/* ROW(Operation, operation, _Type, type, C type): names in scripts, without a type for short, and
 * in the library. */
#define INTEGERS(ROW, Operation, operation)                                                        \
    ROW(Operation, operation, , short, short)                                                      \
    ROW(Operation, operation, _Int, int, int)                                                      \
    ROW(Operation, operation, _Long, long, long)                                                   \
    ROW(Operation, operation, _Longlong, longlong, long long)
#define NUMBERS(ROW, Operation, operation)                                                         \
    INTEGERS(ROW, Operation, operation)                                                            \
    ROW(Operation, operation, _Float, float, float)                                                \
    ROW(Operation, operation, _Double, double, double)
#define REDUCTIONS(ROW)                                                                            \
    INTEGERS(ROW, And, and)                                                                        \
    INTEGERS(ROW, Or, or)                                                                          \
    INTEGERS(ROW, Xor, xor)                                                                        \
    NUMBERS(ROW, Sum, sum)                                                                         \
    NUMBERS(ROW, Prod, prod)                                                                       \
    NUMBERS(ROW, Min, min)                                                                         \
    NUMBERS(ROW, Max, max)

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

static bool wrong_element(const struct collective_call *call, size_t i, double found, int expected)
{
    return run_fail(
        call->run,
        "wrong data: element %zu (from byte %zu on) of the result on PE %d (rank %d) is "
        "%.17g and should be %d",
        i, i * call->routine->element, shmem_my_pe(), call->run->rank, found, expected);
}

/* The routine, and its data before and after. */
#define HOOKS(Operation, operation, _Type, type, c_type)                                           \
    static void call_##operation##_##type(const struct collective_call *c)                         \
    {                                                                                              \
        shmem_##type##_##operation##_to_all((c_type *)(void *)c->target,                           \
                                            (c_type *)(void *)c->source, (int)c->elements,         \
                                            c->start, c->log_stride, c->size, c->work, c->sync);   \
    }                                                                                              \
    static void fill_##operation##_##type(const struct collective_call *c)                         \
    {                                                                                              \
        int values[PERIOD];                                                                        \
        c_type *source = (c_type *)(void *)c->source;                                              \
        fill_values(&op_##operation, c, c->rank, values);                                          \
        for (size_t i = 0; i < c->elements; i++)                                                   \
            source[i] = (c_type)values[i % PERIOD];                                                \
    }                                                                                              \
    static bool check_##operation##_##type(const struct collective_call *c)                        \
    {                                                                                              \
        int values[PERIOD];                                                                        \
        const c_type *target = (const c_type *)(const void *)c->target;                            \
        fold_values(&op_##operation, c, values);                                                   \
        for (size_t i = 0; i < c->elements; i++)                                                   \
            if (target[i] != (c_type)values[i % PERIOD])                                           \
                return wrong_element(c, i, (double)target[i], values[i % PERIOD]);                 \
        return true;                                                                               \
    }

REDUCTIONS(HOOKS)

#endif

#define ROUTINE(Operation, operation, _Type, type, c_type)                                         \
    static const struct routine operation##_##type = {                                             \
        .call = WITH_SHMEM(call_##operation##_##type),                                             \
        .fill = WITH_SHMEM(fill_##operation##_##type),                                             \
        .check = WITH_SHMEM(check_##operation##_##type),                                           \
        .element = sizeof(c_type),                                                                 \
        .works = true,                                                                             \
        .most_elements = INT_MAX};

REDUCTIONS(ROUTINE)

/* The three ways to time it. */
#define FORMS(Operation, operation, _Type, type, c_type)                                           \
    {"Shmem_Reduce_" #Operation #_Type "_Consecutive",                                             \
     #operation " of " #c_type "s over all PEs, in a row",                                         \
     CONSECUTIVE,                                                                                  \
     COLLECTIVE_DATA,                                                                              \
     .parameters = {ITERATIONS, COUNT_IN(#c_type "s")},                                            \
     .moves = MOVES_REDUCED,                                                                       \
     .variant = &operation##_##type,                                                               \
     .routine = "shmem_" #type "_" #operation "_to_all",                                           \
     .timed = "reduction",                                                                         \
     .who = "all",                                                                                 \
     .cost = "reduce"},                                                                            \
        {"Shmem_Reduce_" #Operation #_Type "_Barrier",                                             \
         #operation " of " #c_type "s over all PEs, each followed by a barrier",                   \
         SEPARATED,                                                                                \
         COLLECTIVE_DATA,                                                                          \
         .parameters = {ITERATIONS, COUNT_IN(#c_type "s")},                                        \
         .moves = MOVES_REDUCED,                                                                   \
         .variant = &operation##_##type,                                                           \
         .routine = "shmem_" #type "_" #operation "_to_all",                                       \
         .calls = "shmem_barrier_all shmem_barrier",                                               \
         .timed = "reduction + barrier",                                                           \
         .who = "all",                                                                             \
         .cost = "reduce"},                                                                        \
        {"Shmem_Reduce_" #Operation #_Type "_Synchro",                                             \
         #operation " of " #c_type "s over all PEs, once, all starting by the clock",              \
         SYNCHRO,                                                                                  \
         COLLECTIVE_DATA,                                                                          \
         .parameters = {COUNT_IN(#c_type "s")},                                                    \
         .moves = MOVES_REDUCED,                                                                   \
         .variant = &operation##_##type,                                                           \
         .routine = "shmem_" #type "_" #operation "_to_all",                                       \
         .timed = "reduction",                                                                     \
         .who = "all",                                                                             \
         .cost = "reduce"},

const struct measurement measurements_reduction[] = {
    REDUCTIONS(FORMS){.name = NULL},
};
