/*
 * The data of collective routines: what each rank brings, and what it must find.
 */
#include "measurements/common/collective.h"

#include <string.h>

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

/* Values repeat along the elements, so that each result is computed once. */
#define PERIOD 32
/* The largest extent of a type that can be reduced (bytes). */
#define MOST_EXTENT 64
#define BITS 15
#define ALL_BITS ((1 << BITS) - 1)
#define SHIFTS 1009
/* Only this many ranks bring values above 0 to a sum, and above 1 to a product: results stay below
 * 2^15. Those of types of one byte wrap around. */
#define ADDENDS 500
#define FACTORS 12
/* Numbers that are compared fit into one byte. */
#define COMPARED 127

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
    return (rank * 5003 + position * 211) % COMPARED;
}

static int rarely_true(int rank, int position)
{
    return rank % PERIOD == position % PERIOD;
}

static int rarely_false(int rank, int position)
{
    return !rarely_true(rank, position);
}

static int truth(int rank, int position)
{
    return small(rank, position) & 1;
}

#define FOLD(name, result)                                                                         \
    static long double fold_##name(long double a, long double b)                                   \
    {                                                                                              \
        return result;                                                                             \
    }
FOLD(sum, a + b)
FOLD(prod, a *b)
FOLD(min, a < b ? a : b)
FOLD(max, a > b ? a : b)
FOLD(and, (int)a &(int)b)
FOLD(or, (int)a | (int)b)
FOLD(xor, (int)a ^ (int)b)
FOLD(both, a != 0 && b != 0)
FOLD(either, a != 0 || b != 0)
FOLD(one_of, (a != 0) != (b != 0))

const struct reduction_operation reduction_and = {all_but_one_bit, fold_and, false},
                                 reduction_or = {one_bit, fold_or, false},
                                 reduction_xor = {one_bit, fold_xor, false},
                                 reduction_sum = {small, fold_sum, false},
                                 reduction_prod = {factor, fold_prod, false},
                                 reduction_min = {any, fold_min, false},
                                 reduction_max = {any, fold_max, false};
static const struct reduction_operation both = {rarely_false, fold_both, true},
                                        either = {rarely_true, fold_either, true},
                                        one_of = {truth, fold_one_of, true};

const struct reduction_operation *reduction_find(const char *name)
{
    static const struct {
        const char *name;
        const struct reduction_operation *operation;
    } all[] = {{"MPI_SUM", &reduction_sum},
               {"MPI_PROD", &reduction_prod},
               {"MPI_MAX", &reduction_max},
               {"MPI_MIN", &reduction_min},
               {"MPI_MAXLOC", &reduction_max},
               {"MPI_MINLOC", &reduction_min},
               {"MPI_LAND", &both},
               {"MPI_LOR", &either},
               {"MPI_LXOR", &one_of},
               {"MPI_BAND", &reduction_and},
               {"MPI_BOR", &reduction_or},
               {"MPI_BXOR", &reduction_xor}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, name) == 0)
            return all[i].operation;
    return NULL;
}

/* A number, with its index for MPI_MINLOC and MPI_MAXLOC. */
struct reduced {
    long double number;
    int index;
};

/* Each repetition's values begin somewhere else. */
static struct reduced value_of(const struct run *run, const struct reduction_operation *operation,
                               int rank, int64_t element)
{
    int position = (int)(element % PERIOD) + (int)(run->seed % SHIFTS);
    return (struct reduced){operation->value(rank, position), rank};
}

/* The reduction over the ranks before `end`. Of equal numbers the first rank's counts. */
static struct reduced folded(const struct run *run, const struct reduction_operation *operation,
                             int end, int64_t element)
{
    struct reduced result = value_of(run, operation, 0, element);
    for (int rank = 1; rank < end; rank++) {
        long double other = value_of(run, operation, rank, element).number;
        long double number = operation->fold(result.number, other);
        if (number != result.number)
            result = (struct reduced){number, rank};
    }
    return result;
}

/* Where an integer of that many bytes lies in one of 8. */
static size_t low_bytes(size_t size)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? sizeof(int64_t) - size : 0;
}

/* Integers are cut off where they need more bytes. */
static void store(const struct reduction_element *type, struct reduced value,
                  unsigned char *address)
{
    int64_t integer = (int64_t)value.number;
    float single = (float)value.number;
    double twice = (double)value.number;
    const void *number = !type->real                   ? (char *)&integer + low_bytes(type->size)
                         : type->size == sizeof single ? (void *)&single
                         : type->size == sizeof twice  ? (void *)&twice
                                                       : (void *)&value.number;
    memcpy(address, number, type->size);
    if (type->indexed)
        memcpy(address + type->index_at, &value.index, sizeof value.index);
}

static struct reduced load(const struct reduction_element *type, const unsigned char *address)
{
    struct reduced value = {0, 0};
    int64_t integer = 0;
    float single;
    double twice;
    if (!type->real) {
        memcpy((char *)&integer + low_bytes(type->size), address, type->size);
        value.number = (long double)integer;
    } else if (type->size == sizeof single) {
        memcpy(&single, address, sizeof single);
        value.number = single;
    } else if (type->size == sizeof twice) {
        memcpy(&twice, address, sizeof twice);
        value.number = twice;
    } else {
        memcpy(&value.number, address, sizeof value.number);
    }
    if (type->indexed)
        memcpy(&value.index, address + type->index_at, sizeof value.index);
    return value;
}

void reduction_fill_elements(const struct run *run, const struct reduction_operation *operation,
                             const struct reduction_element *type, int rank, unsigned char *base,
                             int64_t count)
{
    struct reduced values[PERIOD];
    for (int i = 0; i < PERIOD; i++)
        values[i] = value_of(run, operation, rank, i);
    int64_t stored = type->indexed || count < PERIOD ? count : PERIOD;
    for (int64_t i = 0; i < stored; i++)
        store(type, values[i % PERIOD], base + (size_t)i * type->extent);
    for (int64_t done = stored; done < count; done *= 2) /* each copy doubles what is there */
        memcpy(base + (size_t)done * type->extent, base,
               (size_t)(count - done < done ? count - done : done) * type->extent);
}

bool reduction_check_elements(struct run *run, const struct reduction_operation *operation,
                              const struct reduction_element *type, int end, int64_t first,
                              const unsigned char *base, int64_t count)
{
    struct reduced wanted[PERIOD];
    unsigned char image[PERIOD * MOST_EXTENT] = {0};
    for (int i = 0; i < PERIOD; i++) {
        unsigned char *element = image + (size_t)i * type->extent;
        store(type, folded(run, operation, end, first + i), element);
        wanted[i] = load(type, element); /* wrapped around as in the type */
    }
    for (int64_t i = 0; i < count; i++) {
        if (i % PERIOD == 0 && count - i >= PERIOD &&
            memcmp(base + (size_t)i * type->extent, image, PERIOD * type->extent) == 0) {
            i += PERIOD - 1;
            continue;
        }
        struct reduced found = load(type, base + (size_t)i * type->extent);
        struct reduced right = wanted[i % PERIOD];
        bool same = operation->logical ? (found.number != 0) == (right.number != 0)
                                       : found.number == right.number;
        if (!same || (type->indexed && found.index != right.index))
            return run_fail(run,
                            "wrong data: element %lld (from byte %lld on) of the result on PE %d "
                            "(rank %d) is %.17Lg and should be %.17Lg%s",
                            (long long)i, (long long)i * (long long)type->extent,
                            pe_set_member(run->set, run->rank), run->rank, found.number,
                            right.number, same ? ", and its index is wrong" : "");
    }
    return true;
}

static struct reduction_element element_of(const struct routine *routine)
{
    return (struct reduction_element){
        .real = routine->real, .size = routine->element, .extent = routine->element};
}

void reduction_fill(const struct collective_call *call)
{
    struct reduction_element type = element_of(call->routine);
    reduction_fill_elements(call->run, call->routine->operation, &type, call->rank, call->source,
                            (int64_t)call->elements);
}

bool reduction_check(const struct collective_call *call)
{
    struct reduction_element type = element_of(call->routine);
    return reduction_check_elements(call->run, call->routine->operation, &type, call->size, 0,
                                    call->target, (int64_t)call->elements);
}
