/*
 * The data of collective routines: what each rank brings, and what it must find.
 */
#include "measurements/common/collective.h"

/* ---- Blocks ---- */

/* The tag of the block that one rank has for another; with one block it is that for rank 0. */
static int block_of(const struct collective_call *call, int from, int to)
{
    return from * call->size + (call->routine->source_of_all ? to : 0);
}

void collective_fill_blocks(const struct collective_call *call)
{
    size_t bytes = call->elements * call->routine->element;
    int blocks = call->routine->source_of_all ? call->size : 1;
    for (int to = 0; to < blocks; to++)
        pattern_fill(call->source + (size_t)to * bytes, bytes,
                     data_key(call->run, block_of(call, call->rank, to)));
}

bool collective_check_blocks(const struct collective_call *call)
{
    size_t bytes = call->elements * call->routine->element;
    bool of_all = call->routine->target_of_all, good = true;
    for (int i = 0; good && i < (of_all ? call->size : 1); i++)
        good = data_verify(call->run, "a block of the target", call->target + (size_t)i * bytes,
                           bytes, block_of(call, of_all ? i : call->root, call->rank));
    return good;
}

/* ---- Reductions: values whose result is exact in every type, in 15 bits ---- */

#define BITS 15
#define ALL_BITS ((1 << BITS) - 1)
#define SHIFTS 1009
/* Only this many ranks bring values above 0 to a sum, and above 1 to a product: results stay below
 * 2^15. */
#define ADDENDS 500
#define FACTORS 12

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

long double reduction_fold(enum folding folding, long double a, long double b)
{
    switch (folding) {
    case FOLD_SUM:
        return a + b;
    case FOLD_PROD:
        return a * b;
    case FOLD_MIN:
        return a < b ? a : b;
    case FOLD_MAX:
        return a > b ? a : b;
    case FOLD_AND:
        return (int)a & (int)b;
    case FOLD_OR:
        return (int)a | (int)b;
    case FOLD_XOR:
        return (int)a ^ (int)b;
    case FOLD_BOTH:
        return a != 0 && b != 0;
    case FOLD_EITHER:
        return a != 0 || b != 0;
    case FOLD_ONE_OF:
        return (a != 0) != (b != 0);
    }
    return a;
}

const struct reduction_operation reduction_and = {all_but_one_bit, FOLD_AND},
                                 reduction_or = {one_bit, FOLD_OR},
                                 reduction_xor = {one_bit, FOLD_XOR},
                                 reduction_sum = {small, FOLD_SUM},
                                 reduction_prod = {factor, FOLD_PROD},
                                 reduction_min = {any, FOLD_MIN}, reduction_max = {any, FOLD_MAX};

/* Each repetition's values begin somewhere else. */
static int value_of(const struct reduction_operation *operation, const struct collective_call *call,
                    int rank, int position)
{
    return operation->value(rank, position + (int)(call->run->seed % SHIFTS));
}

static void fill_values(const struct reduction_operation *operation,
                        const struct collective_call *call, int rank, int values[REDUCTION_PERIOD])
{
    for (int position = 0; position < REDUCTION_PERIOD; position++)
        values[position] = value_of(operation, call, rank, position);
}

static void fold_values(const struct reduction_operation *operation,
                        const struct collective_call *call, int values[REDUCTION_PERIOD])
{
    fill_values(operation, call, 0, values);
    for (int rank = 1; rank < call->size; rank++)
        for (int position = 0; position < REDUCTION_PERIOD; position++)
            values[position] = (int)reduction_fold(operation->folding, values[position],
                                                   value_of(operation, call, rank, position));
}

void reduction_fill(const struct collective_call *call)
{
    const struct routine *routine = call->routine;
    int values[REDUCTION_PERIOD];
    fill_values(routine->operation, call, call->rank, values);
    routine->elements->fill(call->source, call->elements, values);
}

bool reduction_check(const struct collective_call *call)
{
    const struct routine *routine = call->routine;
    int values[REDUCTION_PERIOD];
    double found = 0;
    fold_values(routine->operation, call, values);
    size_t i = routine->elements->find_wrong(call->target, call->elements, values, &found);
    return i == call->elements ||
           run_fail(call->run,
                    "wrong data: element %zu (from byte %zu on) of the result on PE %d (rank %d) "
                    "is %.17g and should be %d",
                    i, i * routine->elements->size, pe_set_member(call->run->set, call->run->rank),
                    call->run->rank, found, values[i % REDUCTION_PERIOD]);
}

#define ELEMENTS(name, type)                                                                       \
    static void fill_##name(void *memory, size_t count, const int values[REDUCTION_PERIOD])        \
    {                                                                                              \
        type *element = memory;                                                                    \
        for (size_t i = 0; i < count; i++)                                                         \
            element[i] = (type)values[i % REDUCTION_PERIOD];                                       \
    }                                                                                              \
    static size_t find_wrong_##name(const void *memory, size_t count,                              \
                                    const int values[REDUCTION_PERIOD], double *found)             \
    {                                                                                              \
        const type *element = memory;                                                              \
        size_t i = 0;                                                                              \
        while (i < count && element[i] == (type)values[i % REDUCTION_PERIOD])                      \
            i++;                                                                                   \
        if (i < count)                                                                             \
            *found = (double)element[i];                                                           \
        return i;                                                                                  \
    }                                                                                              \
    const struct reduction_elements reduction_##name = {sizeof(type), fill_##name,                 \
                                                        find_wrong_##name};

ELEMENTS(shorts, short)
ELEMENTS(ints, int)
ELEMENTS(longs, long)
ELEMENTS(longlongs, long long)
ELEMENTS(floats, float)
ELEMENTS(doubles, double)
