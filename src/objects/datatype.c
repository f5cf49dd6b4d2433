/* Descriptions of datatypes, and the types of MPI made of them. */
#define _GNU_SOURCE /* open_memstream */
#include "objects/datatype.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#if SKAMPI_MPI
#include <mpi.h>
#endif

#include "base/memory.h"
#include "objects/mpi_constant.h"

/* How deep constructors may nest: libraries, and the functions here, recurse over them. */
#define DEEPEST 64
/* Longest text of a type. A longer one would only fill the line of a result, so it is cut. */
#define LONGEST_TEXT 100
/* Most numbers in the descriptions of all types, so that no script fills the memory with them. */
#define MOST_NUMBERS ((size_t)1 << 22)

enum combiner {
    COMBINER_NAMED,
    COMBINER_CONTIGUOUS,
    COMBINER_VECTOR,
    COMBINER_HVECTOR,
    COMBINER_INDEXED,
    COMBINER_HINDEXED,
    COMBINER_STRUCT,
    COMBINER_SUBARRAY,
    COMBINER_DARRAY
};

struct datatype {
    int references, depth;
    enum combiner combiner;
    enum datatype_class class;
    size_t index;     /* of a named type: its row in the table */
    char *text;       /* of a derived type: datatype_text() */
    int64_t *numbers; /* of a derived type: the constructor's arguments in MPI's order, without the
                         types */
    size_t number_count;
    struct datatype **parts;
    size_t part_count;
    int64_t size, lower, upper, true_lower, true_upper, alignment; /* bytes */
    bool bounded;                                                  /* a block has set the bounds */
    void *handle; /* the MPI_Datatype of a derived type; NULL until it is made */
};

/* ---- Named types ---- */

struct float_int {
    float value;
    int index;
};
struct double_int {
    double value;
    int index;
};
struct long_int {
    long value;
    int index;
};
struct two_int {
    int value, index;
};
struct short_int {
    short value;
    int index;
};
struct long_double_int {
    long double value;
    int index;
};

/* The name of a type in MPI and in C, and its parts, whose sizes add up to the bytes of data. */
#define NAMED_TYPES(TYPE, PAIR)                                                                    \
    TYPE(MPI_CHAR, char, DATATYPE_CHARACTER)                                                       \
    TYPE(MPI_SIGNED_CHAR, signed char, DATATYPE_INTEGER)                                           \
    TYPE(MPI_UNSIGNED_CHAR, unsigned char, DATATYPE_INTEGER)                                       \
    TYPE(MPI_BYTE, unsigned char, DATATYPE_BYTE)                                                   \
    TYPE(MPI_SHORT, short, DATATYPE_INTEGER)                                                       \
    TYPE(MPI_UNSIGNED_SHORT, unsigned short, DATATYPE_INTEGER)                                     \
    TYPE(MPI_INT, int, DATATYPE_INTEGER)                                                           \
    TYPE(MPI_UNSIGNED, unsigned, DATATYPE_INTEGER)                                                 \
    TYPE(MPI_LONG, long, DATATYPE_INTEGER)                                                         \
    TYPE(MPI_UNSIGNED_LONG, unsigned long, DATATYPE_INTEGER)                                       \
    TYPE(MPI_LONG_LONG_INT, long long, DATATYPE_INTEGER)                                           \
    TYPE(MPI_LONG_LONG, long long, DATATYPE_INTEGER)                                               \
    TYPE(MPI_UNSIGNED_LONG_LONG, unsigned long long, DATATYPE_INTEGER)                             \
    TYPE(MPI_FLOAT, float, DATATYPE_FLOATING)                                                      \
    TYPE(MPI_DOUBLE, double, DATATYPE_FLOATING)                                                    \
    TYPE(MPI_LONG_DOUBLE, long double, DATATYPE_FLOATING)                                          \
    TYPE(MPI_WCHAR, wchar_t, DATATYPE_CHARACTER)                                                   \
    PAIR(MPI_FLOAT_INT, float, struct float_int)                                                   \
    PAIR(MPI_DOUBLE_INT, double, struct double_int)                                                \
    PAIR(MPI_LONG_INT, long, struct long_int)                                                      \
    PAIR(MPI_2INT, int, struct two_int)                                                            \
    PAIR(MPI_SHORT_INT, short, struct short_int)                                                   \
    PAIR(MPI_LONG_DOUBLE_INT, long double, struct long_double_int)

static const struct named_type {
    const char *name;
    enum datatype_class class;
    bool real; /* a cast to its value keeps a half */
    int64_t size, extent, alignment;
} named[] = {
#define TYPE(name, type, class)                                                                    \
    {#name, class, (type)0.5 != 0, sizeof(type), sizeof(type), _Alignof(type)},
#define PAIR(name, value, type)                                                                    \
    {#name,        DATATYPE_PAIR, (value)0.5 != 0, sizeof(value) + sizeof(int),                    \
     sizeof(type), _Alignof(type)},
    NAMED_TYPES(TYPE, PAIR)
#undef TYPE
#undef PAIR
};

#define NAMED_COUNT (sizeof named / sizeof *named)

const char *datatype_name_at(size_t i)
{
    return i < NAMED_COUNT ? named[i].name : NULL;
}

struct datatype *datatype_predefined(const char *name)
{
    for (size_t i = 0; i < NAMED_COUNT; i++) {
        struct datatype *made;

        if (strcmp(named[i].name, name) != 0)
            continue;
        made = memory_zeroed(1, sizeof *made);
        *made = (struct datatype){.references = 1,
                                  .combiner = COMBINER_NAMED,
                                  .class = named[i].class,
                                  .index = i,
                                  .size = named[i].size,
                                  .upper = named[i].extent,
                                  .true_upper = named[i].extent,
                                  .alignment = named[i].alignment};
        return made;
    }
    return NULL;
}

/* ---- Sharing ---- */

static size_t numbers_in_use;

struct datatype *datatype_reference(struct datatype *type)
{
    type->references++;
    return type;
}

static void forget_handle(struct datatype *type);

void datatype_release(struct datatype *type)
{
    if (!type || --type->references > 0)
        return;
    forget_handle(type);
    for (size_t i = 0; i < type->part_count; i++)
        datatype_release(type->parts[i]);
    numbers_in_use -= type->number_count;
    free(type->parts);
    free(type->numbers);
    free(type->text);
    free(type);
}

/* ---- Making ---- */

static const char too_large[] = "the type would be larger than can be counted";

/* Appends several numbers as {1,2}, and a single one as 1. */
static void append_numbers(FILE *stream, size_t count, const int64_t *numbers)
{
    fputc('{', stream);
    for (size_t i = 0; i < count && ftell(stream) <= LONGEST_TEXT; i++)
        fprintf(stream, "%s%lld", i > 0 ? "," : "", (long long)numbers[i]);
    fputc('}', stream);
}

/* Sets the text of a type: "vector(2,1,4,MPI_INT)". The first `singles` numbers are single
 * arguments, the others are arrays of `array` numbers each. */
static void describe(struct datatype *made, size_t singles, size_t array)
{
    static const char *const names[] = {"",         "contiguous", "vector",   "hvector", "indexed",
                                        "hindexed", "struct",     "subarray", "darray"};
    size_t bytes;
    FILE *stream = memory_stream(&made->text, &bytes);

    fprintf(stream, "%s(", names[made->combiner]);
    for (size_t i = 0; i < singles; i++)
        fprintf(stream, "%lld,", (long long)made->numbers[i]);
    for (size_t i = singles; array > 0 && i < made->number_count; i += array) {
        append_numbers(stream, array, made->numbers + i);
        fputc(',', stream);
    }
    if (made->combiner == COMBINER_STRUCT)
        fputc('{', stream);
    for (size_t i = 0; i < made->part_count && ftell(stream) <= LONGEST_TEXT; i++)
        fprintf(stream, "%s%s", i > 0 ? "," : "", datatype_text(made->parts[i]));
    fputs(made->combiner == COMBINER_STRUCT ? "})" : ")", stream);
    if (fclose(stream) != 0)
        memory_missing();
    if (bytes > LONGEST_TEXT)
        strcpy(made->text, "<datatype>");
}

/* Adds a block of `length` parts at a place to the bounds of the type; false if they do not fit
 * into 64 bits. */
static bool add_block(struct datatype *made, const struct datatype *part, int64_t place,
                      int64_t length)
{
    int64_t extent = part->upper - part->lower, further, last, size;
    int64_t lower, upper, true_lower, true_upper;

    if (length == 0)
        return true;
    if (__builtin_mul_overflow(length - 1, extent, &further) ||
        __builtin_add_overflow(place, further, &last) ||
        __builtin_add_overflow(place, part->lower, &lower) ||
        __builtin_add_overflow(place, part->true_lower, &true_lower) ||
        __builtin_add_overflow(last, part->upper, &upper) ||
        __builtin_add_overflow(last, part->true_upper, &true_upper) ||
        __builtin_mul_overflow(length, part->size, &size) ||
        __builtin_add_overflow(made->size, size, &made->size))
        return false;
    if (!made->bounded || lower < made->lower)
        made->lower = lower;
    if (!made->bounded || upper > made->upper)
        made->upper = upper;
    if (!made->bounded || true_lower < made->true_lower)
        made->true_lower = true_lower;
    if (!made->bounded || true_upper > made->true_upper)
        made->true_upper = true_upper;
    made->bounded = true;
    return true;
}

/* What a constructor was called with: single numbers, and arrays of `length` numbers each. */
struct numbers {
    size_t singles, arrays, length;
    const int64_t *single, *array[4];
};

/* NULL, or why no type can be made of these parts. */
static const char *refuse(size_t numbers, size_t parts, struct datatype *const *of)
{
    for (size_t i = 0; i < parts; i++)
        if (of[i]->depth >= DEEPEST)
            return "types may be built on each other 64 times at most";
    return numbers > MOST_NUMBERS - numbers_in_use
               ? "all datatypes together would have more than 4194304 blocks"
               : NULL;
}

/* A type with the bounds of the draft. NULL with *error after the constructor's own error, or
 * another one. */
static struct datatype *make(const struct datatype *draft, const char *wrong,
                             const struct numbers *numbers, size_t parts,
                             struct datatype *const *of, const char **error)
{
    size_t count = numbers->singles + numbers->arrays * numbers->length;
    const char *refusal = refuse(count, parts, of);
    int64_t extent;

    *error = refusal ? refusal : wrong;
    if (!*error && (__builtin_sub_overflow(draft->upper, draft->lower, &extent) ||
                    extent > INT64_MAX / 4 || draft->true_lower < INT64_MIN / 4))
        *error = too_large;
    if (*error)
        return NULL;
    struct datatype *made = memory_zeroed(1, sizeof *made);
    *made = *draft;
    made->references = 1;
    made->class = DATATYPE_DERIVED;
    made->alignment = 1;
    made->numbers = memory_zeroed(count, sizeof *made->numbers);
    made->number_count = count;
    made->parts = memory_zeroed(parts, sizeof *made->parts);
    made->part_count = parts;
    numbers_in_use += count;
    for (size_t i = 0; i < count; i++) {
        size_t at = i - numbers->singles;
        made->numbers[i] = i < numbers->singles
                               ? numbers->single[i]
                               : numbers->array[at / numbers->length][at % numbers->length];
    }
    for (size_t i = 0; i < parts; i++) {
        made->parts[i] = datatype_reference(of[i]);
        made->depth = of[i]->depth >= made->depth ? of[i]->depth + 1 : made->depth;
        if (of[i]->alignment > made->alignment)
            made->alignment = of[i]->alignment;
    }
    describe(made, numbers->singles, numbers->length);
    return made;
}

/* Whether all numbers fit into an int, and none is below the lowest. */
static bool are_counts(size_t count, const int64_t *numbers, int64_t lowest)
{
    for (size_t i = 0; i < count; i++)
        if (numbers[i] < lowest || numbers[i] > INT_MAX)
            return false;
    return true;
}

static const char bad_count[] = "counts and lengths must be 0 to 2147483647";

struct datatype *datatype_contiguous(int64_t count, struct datatype *of, const char **error)
{
    struct datatype draft = {.combiner = COMBINER_CONTIGUOUS};
    const char *wrong = !are_counts(1, &count, 0)          ? bad_count
                        : !add_block(&draft, of, 0, count) ? too_large
                                                           : NULL;
    return make(&draft, wrong, &(struct numbers){.singles = 1, .single = &count}, 1, &of, error);
}

struct datatype *datatype_vector(int64_t count, int64_t length, int64_t stride, bool in_bytes,
                                 struct datatype *of, const char **error)
{
    struct datatype draft = {.combiner = in_bytes ? COMBINER_HVECTOR : COMBINER_VECTOR};
    int64_t numbers[] = {count, length, stride}, distance = stride, last, size;
    const char *wrong = are_counts(2, numbers, 0) ? NULL : bad_count;

    if (!wrong && !in_bytes && (stride < INT_MIN || stride > INT_MAX))
        wrong = "the stride must be -2147483648 to 2147483647";
    if (!wrong && count > 0 &&
        ((!in_bytes && __builtin_mul_overflow(stride, of->upper - of->lower, &distance)) ||
         __builtin_mul_overflow(count - 1, distance, &last) || !add_block(&draft, of, 0, length) ||
         !add_block(&draft, of, last, length) || __builtin_mul_overflow(length, of->size, &size) ||
         __builtin_mul_overflow(count, size, &draft.size)))
        wrong = too_large;
    return make(&draft, wrong, &(struct numbers){.singles = 3, .single = numbers}, 1, &of, error);
}

struct datatype *datatype_indexed(size_t count, const int64_t *lengths, const int64_t *places,
                                  bool in_bytes, struct datatype *of, const char **error)
{
    struct datatype draft = {.combiner = in_bytes ? COMBINER_HINDEXED : COMBINER_INDEXED};
    const char *wrong = are_counts(count, lengths, 0) ? NULL : bad_count;

    if (!wrong && !in_bytes && !are_counts(count, places, INT_MIN))
        wrong = "displacements must be -2147483648 to 2147483647";
    for (size_t i = 0; !wrong && i < count; i++) {
        int64_t place = places[i];

        if ((!in_bytes && __builtin_mul_overflow(place, of->upper - of->lower, &place)) ||
            !add_block(&draft, of, place, lengths[i]))
            wrong = too_large;
    }
    return make(&draft, wrong,
                &(struct numbers){.arrays = 2, .length = count, .array = {lengths, places}}, 1, &of,
                error);
}

struct datatype *datatype_struct(size_t count, const int64_t *lengths, const int64_t *places,
                                 struct datatype *const *of, const char **error)
{
    struct datatype draft = {.combiner = COMBINER_STRUCT};
    const char *wrong = are_counts(count, lengths, 0) ? NULL : bad_count;
    int64_t alignment = 1;

    for (size_t i = 0; !wrong && i < count; i++) {
        if (!add_block(&draft, of[i], places[i], lengths[i]))
            wrong = too_large;
        alignment = of[i]->alignment > alignment ? of[i]->alignment : alignment;
    }
    if (!wrong && draft.upper < INT64_MAX / 4 && draft.lower > INT64_MIN / 4) {
        int64_t rest = (draft.upper - draft.lower) % alignment;
        draft.upper += rest > 0 ? alignment - rest : 0;
    }
    return make(&draft, wrong,
                &(struct numbers){.arrays = 2, .length = count, .array = {lengths, places}}, count,
                of, error);
}

/* Sets the extent of the type to that of the whole array, of which it holds a part. */
static const char *set_whole(struct datatype *made, size_t dimensions, const int64_t *sizes,
                             const struct datatype *of)
{
    made->upper = of->upper - of->lower;
    for (size_t i = 0; i < dimensions; i++)
        if (__builtin_mul_overflow(made->upper, sizes[i], &made->upper))
            return too_large;
    made->true_upper = made->upper;
    return of->lower != 0 ? "its elements must not have data before their start" : NULL;
}

struct datatype *datatype_subarray(size_t dimensions, const int64_t *sizes, const int64_t *subsizes,
                                   const int64_t *starts, struct datatype *of, const char **error)
{
    struct datatype draft = {.combiner = COMBINER_SUBARRAY, .size = of->size};
    const char *wrong = dimensions > 0 ? NULL : "it must have at least one dimension";

    if (!wrong && (!are_counts(dimensions, sizes, 1) || !are_counts(dimensions, subsizes, 1)))
        wrong = "sizes must be 1 to 2147483647";
    for (size_t i = 0; !wrong && i < dimensions; i++)
        if (subsizes[i] > sizes[i] || starts[i] < 0 || starts[i] > sizes[i] - subsizes[i])
            wrong = "the part must lie within the array in each dimension";
    if (!wrong)
        wrong = set_whole(&draft, dimensions, sizes, of);
    for (size_t i = 0; !wrong && i < dimensions; i++)
        draft.size *= subsizes[i]; /* cannot overflow: it is at most the size of the whole, which
                                      was checked */
    return make(
        &draft, wrong,
        &(struct numbers){.arrays = 3, .length = dimensions, .array = {sizes, subsizes, starts}}, 1,
        &of, error);
}

/* Number of elements of dimension i that belong to a place of the grid (MPI 3.1, section 4.1.4); -1
 * with the reason in *wrong if the dimension cannot be distributed like this. */
static int64_t distributed(const struct darray *d, size_t i, int64_t place, const char **wrong)
{
    int64_t n = d->sizes[i], pes = d->grid[i], argument = d->arguments[i], whole, rest;
    bool by_default = argument == mpi_constant("MPI_DISTRIBUTE_DFLT_DARG");

    if (!by_default && (argument < 1 || argument > INT_MAX)) {
        *wrong = "distribution arguments must be at least 1 or MPI_DISTRIBUTE_DFLT_DARG";
        return -1;
    }
    if (d->distributions[i] == mpi_constant("MPI_DISTRIBUTE_NONE")) {
        if (pes != 1)
            *wrong = "with MPI_DISTRIBUTE_NONE, the grid has one place in that dimension";
        return n;
    }
    if (d->distributions[i] == mpi_constant("MPI_DISTRIBUTE_BLOCK")) {
        if (by_default)
            argument = (n + pes - 1) / pes;
        if (argument * pes < n)
            *wrong = "blocks of this size do not cover the array";
        whole = n - place * argument;
        return whole < 0 ? 0 : whole < argument ? whole : argument;
    }
    if (d->distributions[i] != mpi_constant("MPI_DISTRIBUTE_CYCLIC")) {
        *wrong = "distributions are MPI_DISTRIBUTE_BLOCK, _CYCLIC or _NONE";
        return -1;
    }
    if (by_default)
        argument = 1;
    whole = n / (argument * pes) * argument;
    rest = n % (argument * pes) - place * argument;
    return whole + (rest < 0 ? 0 : rest < argument ? rest : argument);
}

struct datatype *datatype_darray(const struct darray *d, struct datatype *of, const char **error)
{
    size_t n = d->dimensions;
    struct datatype draft = {.combiner = COMBINER_DARRAY, .size = of->size};
    int64_t numbers[] = {d->pes, d->rank}, places = 1, rank = d->rank;
    const char *wrong = n > 0 ? NULL : "it must have at least one dimension";

    if (!wrong &&
        (!are_counts(n, d->sizes, 1) || !are_counts(n, d->grid, 1) || !are_counts(1, &d->pes, 1)))
        wrong = "sizes must be 1 to 2147483647";
    for (size_t i = 0; !wrong && i < n; i++)
        if (__builtin_mul_overflow(places, d->grid[i], &places) || places > INT_MAX)
            wrong = too_large;
    if (!wrong && places != d->pes)
        wrong = "the grid must have as many places as there are processes";
    if (!wrong && (d->rank < 0 || d->rank >= d->pes))
        wrong = "the rank must be one of the grid's";
    if (!wrong)
        wrong = set_whole(&draft, n, d->sizes, of);
    for (size_t i = n; !wrong && i-- > 0; rank /= d->grid[i])
        draft.size *= distributed(d, i, rank % d->grid[i], &wrong);
    return make(&draft, wrong,
                &(struct numbers){.singles = 2,
                                  .single = numbers,
                                  .arrays = 4,
                                  .length = n,
                                  .array = {d->sizes, d->distributions, d->arguments, d->grid}},
                1, &of, error);
}

/* ---- Asking ---- */

const char *datatype_text(const struct datatype *type)
{
    return type->combiner == COMBINER_NAMED ? named[type->index].name : type->text;
}

enum datatype_class datatype_class(const struct datatype *type)
{
    return type->class;
}

bool datatype_real(const struct datatype *type)
{
    return type->combiner == COMBINER_NAMED && named[type->index].real;
}

int64_t datatype_size(const struct datatype *type)
{
    return type->size;
}

int64_t datatype_extent(const struct datatype *type)
{
    return type->upper - type->lower;
}

size_t datatype_origin(const struct datatype *type)
{
    return type->true_lower < 0 ? (size_t)-type->true_lower : 0;
}

size_t datatype_span(const struct datatype *type, int64_t count, size_t *first)
{
    *first = type->true_lower > 0 ? (size_t)type->true_lower : 0;
    if (count <= 0 || type->size == 0)
        return 0;
    return (size_t)((count - 1) * datatype_extent(type) + type->true_upper - type->true_lower);
}

size_t datatype_bytes(const struct datatype *type, int64_t count)
{
    size_t extent = (size_t)(type->upper - type->lower), whole, end;
    size_t last = type->true_upper > 0 ? (size_t)type->true_upper : 0;

    if (count <= 0)
        return 0;
    if (__builtin_mul_overflow((size_t)count, extent, &whole) ||
        __builtin_add_overflow(whole - extent, last, &end) ||
        __builtin_add_overflow(end, datatype_origin(type), &end) || whole > SIZE_MAX / 4)
        return SIZE_MAX;
    return end > whole ? end : whole;
}

/* ---- In the library ---- */

#if SKAMPI_MPI

/* In some libraries, handles are not constants, so they cannot stand in a static table. */
static const void *named_handle(size_t i)
{
    static MPI_Datatype handles[NAMED_COUNT];
    const MPI_Datatype all[] = {
#define TYPE(name, type, class) name,
#define PAIR(name, value, type) name,
        NAMED_TYPES(TYPE, PAIR)};
#undef TYPE
#undef PAIR

    memcpy(handles, all, sizeof handles);
    return &handles[i];
}

/* A copy of count numbers of the type, from number `first` on, as int; the caller frees it. */
static int *ints(const struct datatype *type, size_t first, size_t count)
{
    int *made = memory_zeroed(count, sizeof *made);

    for (size_t i = 0; i < count; i++)
        made[i] = (int)type->numbers[first + i];
    return made;
}

static MPI_Aint *places(const struct datatype *type, size_t first, size_t count)
{
    MPI_Aint *made = memory_zeroed(count, sizeof *made);

    for (size_t i = 0; i < count; i++)
        made[i] = (MPI_Aint)type->numbers[first + i];
    return made;
}

static MPI_Datatype combine(const struct datatype *type, const MPI_Datatype *parts)
{
    size_t n = type->number_count;
    int *all = type->combiner == COMBINER_HINDEXED || type->combiner == COMBINER_STRUCT
                   ? ints(type, 0, n / 2)
                   : ints(type, 0, n);
    int half = (int)(n / 2), third = (int)(n / 3), quarter = (int)((n - 2) / 4);
    MPI_Aint *bytes = NULL;
    MPI_Datatype made = MPI_DATATYPE_NULL;

    switch (type->combiner) {
    case COMBINER_NAMED:
        break;
    case COMBINER_CONTIGUOUS:
        MPI_Type_contiguous(all[0], parts[0], &made);
        break;
    case COMBINER_VECTOR:
        MPI_Type_vector(all[0], all[1], all[2], parts[0], &made);
        break;
    case COMBINER_HVECTOR:
        MPI_Type_create_hvector(all[0], all[1], (MPI_Aint)type->numbers[2], parts[0], &made);
        break;
    case COMBINER_INDEXED:
        MPI_Type_indexed(half, all, all + half, parts[0], &made);
        break;
    case COMBINER_HINDEXED:
        bytes = places(type, n / 2, n / 2);
        MPI_Type_create_hindexed(half, all, bytes, parts[0], &made);
        break;
    case COMBINER_STRUCT:
        bytes = places(type, n / 2, n / 2);
        MPI_Type_create_struct(half, all, bytes, (MPI_Datatype *)(uintptr_t)parts, &made);
        break;
    case COMBINER_SUBARRAY:
        MPI_Type_create_subarray(third, all, all + third, all + 2 * third, MPI_ORDER_C, parts[0],
                                 &made);
        break;
    case COMBINER_DARRAY:
        MPI_Type_create_darray(all[0], all[1], quarter, all + 2, all + 2 + quarter,
                               all + 2 + 2 * quarter, all + 2 + 3 * quarter, MPI_ORDER_C, parts[0],
                               &made);
        break;
    }
    free(bytes);
    free(all);
    return made;
}

/* Resizes a type to the extent of its description: libraries pad differently, and buffers have the
 * size that the description says. */
static MPI_Datatype with_our_extent(const struct datatype *type, MPI_Datatype made)
{
    MPI_Aint lower, extent;
    MPI_Datatype resized;

    MPI_Type_get_extent(made, &lower, &extent);
    if (lower == type->lower && extent == type->upper - type->lower)
        return made;
    MPI_Type_create_resized(made, (MPI_Aint)type->lower, (MPI_Aint)(type->upper - type->lower),
                            &resized);
    MPI_Type_free(&made);
    return resized;
}

const void *datatype_handle(struct datatype *type)
{
    MPI_Datatype *parts, *handle;

    if (type->combiner == COMBINER_NAMED)
        return named_handle(type->index);
    if (type->handle)
        return type->handle;
    parts = memory_zeroed(type->part_count, sizeof *parts);
    for (size_t i = 0; i < type->part_count; i++)
        parts[i] = *(const MPI_Datatype *)datatype_handle(type->parts[i]);
    type->handle = handle = memory_zeroed(1, sizeof *handle);
    *handle = with_our_extent(type, combine(type, parts));
    MPI_Type_commit(handle);
    free(parts);
    return handle;
}

static void forget_handle(struct datatype *type)
{
    int finalized;

    if (!type->handle)
        return;
    MPI_Finalized(&finalized);
    if (!finalized)
        MPI_Type_free(type->handle);
    free(type->handle);
}

#else

const void *datatype_handle(struct datatype *type)
{
    (void)type;
    return NULL;
}

static void forget_handle(struct datatype *type)
{
    (void)type;
}

#endif
