/*
 * All measurement functions, the families' tables one after the other, where each function also has
 * what it shares with others (like, in measurement.h); functions by the routine that they measure,
 * and what they move.
 */
#include "engine/functions.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/text.h"

/* ---- All functions ---- */

#define MEMBER(name)                                                                               \
    {                                                                                              \
        offsetof(struct measurement, name), sizeof((struct measurement *)NULL)->name               \
    }

/* All that a function may take from others: each member but its name and like. */
static const struct member {
    size_t offset, size;
} members[] = {
    MEMBER(word),          MEMBER(summary),        MEMBER(routine),       MEMBER(calls),
    MEMBER(api),           MEMBER(version_major),  MEMBER(version_minor), MEMBER(parameters),
    MEMBER(timing),        MEMBER(clocks),         MEMBER(quantity),      MEMBER(any_sign),
    MEMBER(minimum_pes),   MEMBER(local_anywhere), MEMBER(one_place),     MEMBER(no_data),
    MEMBER(synchronizes),  MEMBER(arrives),        MEMBER(own_check),     MEMBER(accumulates),
    MEMBER(threads),       MEMBER(moves),          MEMBER(neighborhood),  MEMBER(timed),
    MEMBER(who),           MEMBER(subtracted),     MEMBER(cost),          MEMBER(variant),
    MEMBER(state_bytes),   MEMBER(check),          MEMBER(demand),        MEMBER(prepare),
    MEMBER(setup),         MEMBER(fill),           MEMBER(verify),        MEMBER(run),
    MEMBER(reference),     MEMBER(teardown),       MEMBER(operations),    MEMBER(fewest_iterations),
    MEMBER(scratch_bytes),
};

static bool is_stated(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i])
            return true;
    return false;
}

/* The members that are still left out, from what the other one is and, after that, is like. */
static void take_from(struct measurement *function, const struct measurement *other)
{
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        unsigned char *to = (unsigned char *)function + members[i].offset;
        const unsigned char *from = (const unsigned char *)other + members[i].offset;
        if (!is_stated(to, members[i].size))
            memcpy(to, from, members[i].size);
    }
    for (size_t i = 0; i < MEASUREMENT_MAX_LIKE && other->like[i]; i++)
        take_from(function, other->like[i]);
}

/* The text with the function's word in the place of each "%s". */
static const char *with_word(const char *text, const char *word)
{
    const char *place = text && word ? strstr(text, "%s") : NULL;
    struct text composed = {0};
    if (!place)
        return text;
    for (; place; text = place + 2, place = strstr(text, "%s")) {
        text_append_bytes(&composed, text, (size_t)(place - text));
        text_append(&composed, "%s", word);
    }
    text_append(&composed, "%s", text);
    return text_take(&composed);
}

static struct measurement complete(const struct measurement *stated)
{
    struct measurement function = *stated;
    take_from(&function, stated);
    function.summary = with_word(function.summary, function.word);
    function.routine = with_word(function.routine, function.word);
    function.calls = with_word(function.calls, function.word);
    function.timed = with_word(function.timed, function.word);
    return function;
}

/* Made once, when the first function is asked for, and the same from then on. */
static struct all {
    struct measurement *functions;
    const char **families; /* of each */
    size_t count;
} all;

static const struct all *all_functions(void)
{
    size_t count = 0;
    if (all.functions)
        return &all;
    for (size_t i = 0; measurement_families[i]; i++)
        for (const struct measurement *at = measurement_families[i]; at->name; at++)
            count++;
    all.functions = memory_zeroed(count, sizeof *all.functions);
    all.families = memory_zeroed(count, sizeof *all.families);
    for (size_t i = 0; measurement_families[i]; i++)
        for (const struct measurement *at = measurement_families[i]; at->name; at++) {
            all.families[all.count] = measurement_family_names[i];
            all.functions[all.count++] = complete(at);
        }
    return &all;
}

const struct measurement *measurement_at(size_t i)
{
    const struct all *known = all_functions();
    return i < known->count ? &known->functions[i] : NULL;
}

const char *measurement_family(const struct measurement *function)
{
    const struct all *known = all_functions();
    for (size_t i = 0; i < known->count; i++)
        if (&known->functions[i] == function)
            return known->families[i];
    return "";
}

const struct measurement *measurement_find(const char *name)
{
    const struct all *known = all_functions();
    for (size_t i = 0; i < known->count; i++)
        if (strcmp(known->functions[i].name, name) == 0)
            return &known->functions[i];
    return NULL;
}

/* ---- Bandwidth and rate: a row for each kind of traffic ---- */

/* What each link carries for each byte of the operation (nccl-tests, doc/PERFORMANCE.md). */
enum bus { BUS_NONE, BUS_ONE, BUS_OTHERS, BUS_TWICE };

static const struct row {
    const char *bytes;
    int copies; /* of the reported bytes; 0: one for each rank */
    int messages;
    enum bus bus;
} rows[MOVES_COUNT] = {
    [MOVES_UNSTATED] = {"none", 0, 0, BUS_NONE},
    [MOVES_NOTHING] = {"none", 0, 0, BUS_NONE},
    [MOVES_MESSAGE] = {"the reported size", 1, 1, BUS_NONE},
    [MOVES_BOTH_WAYS] = {"twice the reported size", 2, 2, BUS_NONE},
    [MOVES_TO_ALL] = {"the reported size", 1, 1, BUS_ONE},
    [MOVES_BLOCKS] = {"the reported size times the PEs", 0, 1, BUS_OTHERS},
    [MOVES_SHARES] = {"the reported size", 1, 1, BUS_OTHERS},
    [MOVES_REDUCED] = {"the reported size", 1, 1, BUS_TWICE},
};

struct rates_words rates_words(const struct measurement *function)
{
    static const char *const messages[] = {"none", "1", "2"};
    static const char *const buses[] = {"none", "1", "(n - 1) / n", "2 (n - 1) / n"};
    const struct row *row = &rows[function->moves];
    return (struct rates_words){row->bytes, messages[row->messages], buses[row->bus]};
}

struct result_rates rates_of(const struct measurement *function, size_t pes, int64_t bytes,
                             double seconds)
{
    const struct row *row = &rows[function->moves];
    const double n = (double)pes, buses[] = {NAN, 1, (n - 1) / n, 2 * (n - 1) / n};
    if (row->messages == 0 || function->quantity != QUANTITY_TIME || bytes <= 0 || !(seconds > 0))
        return (struct result_rates){NAN, NAN, NAN};
    double bandwidth = (row->copies > 0 ? row->copies : n) * (double)bytes / seconds;
    return (struct result_rates){.bandwidth = bandwidth,
                                 .bus_bandwidth = bandwidth * buses[row->bus],
                                 .rate = row->messages / seconds};
}

/* ---- By routine ---- */

#define NAME_BYTES 128

/* A name of a routine in lower case, without its type: shmem_ctx_double_put is shmem_ctx_put with
 * the type double. */
struct routine {
    char base[NAME_BYTES];
    char type[16]; /* "": none */
};

/* How a function belongs to a routine, the closest first. */
enum relation { MEASURES, OTHER_TYPE, CALLS, UNRELATED };

struct match {
    const struct measurement *function;
    enum relation relation;
    size_t place; /* in the order of --list */
};

/* ---- Names ---- */

static bool is_type(const char *word, size_t length)
{
    static const char *const types[] = {
        "char",   "schar",  "short",    "int",      "long",      "longlong", "uchar",
        "ushort", "uint",   "ulong",    "size",     "ulonglong", "ptrdiff",  "float",
        "double", "int8",   "int16",    "int32",    "int64",     "uint8",    "uint16",
        "uint32", "uint64", "complexf", "complexd", "longdouble"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i]) == length && memcmp(types[i], word, length) == 0)
            return true;
    return false;
}

/* Routines that differ in the bits of their elements alone, such as put8 and put64, have one type.
 */
static size_t size_at_end(const char *word, size_t length, const char **type)
{
    static const char *const sizes[][2] = {{"mem", "mem"}, {"128", "bits"}, {"64", "bits"},
                                           {"32", "bits"}, {"16", "bits"},  {"8", "bits"}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t size = strlen(sizes[i][0]);
        if (length > size && memcmp(word + length - size, sizes[i][0], size) == 0) {
            *type = sizes[i][1];
            return size;
        }
    }
    return 0;
}

/* Takes bytes out of a text. */
static void cut(char *text, size_t bytes)
{
    memmove(text, text + bytes, strlen(text + bytes) + 1);
}

/* The type is the first word behind "shmem_" or "shmem_ctx_", the size the end of that word. */
static void strip_type(struct routine *routine, char *word)
{
    size_t length = strcspn(word, "_"), size;
    const char *type;
    if (is_type(word, length)) {
        snprintf(routine->type, sizeof routine->type, "%.*s", (int)length, word);
        cut(word, length + (word[length] == '_'));
    } else if ((size = size_at_end(word, length, &type)) > 0) {
        snprintf(routine->type, sizeof routine->type, "%s", type);
        cut(word + length - size, size);
    }
}

/* Names of OpenSHMEM before 1.4. */
static void rename_old(char *word)
{
    static const char *const old[][2] = {{"fadd", "atomic_fetch_add"},
                                         {"finc", "atomic_fetch_inc"},
                                         {"cswap", "atomic_compare_swap"},
                                         {"swap", "atomic_swap"},
                                         {"add", "atomic_add"},
                                         {"inc", "atomic_inc"},
                                         {"fetch", "atomic_fetch"},
                                         {"set", "atomic_set"},
                                         {"wait", "wait_until"}};
    for (size_t i = 0; i < sizeof old / sizeof *old; i++)
        if (strcmp(word, old[i][0]) == 0) {
            memcpy(word, old[i][1], strlen(old[i][1]) + 1);
            return;
        }
}

/* False: no name of a routine. */
static bool read_routine(const char *name, size_t length, struct routine *routine)
{
    static const char shmem[] = "shmem_", extension[] = "shmemx_", ctx[] = "ctx_";
    char *base = routine->base, *word = base + sizeof shmem - 1;
    *routine = (struct routine){0};
    if (length >= NAME_BYTES / 2)
        return false;
    for (size_t i = 0; i < length; i++)
        base[i] = (char)tolower((unsigned char)name[i]);
    if (*base == 'p')
        cut(base, 1); /* of the profiling interfaces */
    if (strncmp(base, extension, sizeof extension - 1) == 0)
        cut(base + sizeof shmem - 2, 1);
    if (strncmp(base, shmem, sizeof shmem - 1) != 0)
        return strncmp(base, "mpi_", 4) == 0;
    if (strncmp(word, ctx, sizeof ctx - 1) == 0)
        word += sizeof ctx - 1;
    strip_type(routine, word);
    rename_old(word);
    return true;
}

/* ---- Functions ---- */

/* How closely the names of a list, separated by blanks, name the routine; MEASURES: this very one.
 */
static enum relation relation_of(const char *names, const struct routine *wanted)
{
    enum relation closest = UNRELATED;
    for (size_t length; names && *names; names += length + (names[length] == ' ')) {
        struct routine named;
        length = strcspn(names, " ");
        if (!read_routine(names, length, &named) || strcmp(named.base, wanted->base) != 0)
            continue;
        if (!*named.type || !*wanted->type || strcmp(named.type, wanted->type) == 0)
            return MEASURES;
        closest = OTHER_TYPE;
    }
    return closest;
}

static enum relation relation_to(const struct measurement *function, const struct routine *wanted)
{
    enum relation relation = relation_of(function->routine, wanted);
    if (relation != UNRELATED)
        return relation;
    /* A function may have a routine's name, and measure another one like it: Send measures
     * MPI_Ssend. */
    bool named = strcasecmp(function->name, strchr(wanted->base, '_') + 1) == 0;
    return named || relation_of(function->calls, wanted) != UNRELATED ? CALLS : UNRELATED;
}

static int compare_found(const void *a, const void *b)
{
    const struct match *x = a, *y = b;
    size_t x_length = strlen(x->function->name), y_length = strlen(y->function->name);
    if (x->relation != y->relation)
        return x->relation < y->relation ? -1 : 1;
    if (x_length != y_length)
        return x_length < y_length ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static size_t find(const char *name, enum relation farthest, const struct measurement **functions,
                   size_t room)
{
    const struct measurement *function;
    struct routine wanted;
    size_t all = 0, count = 0;
    if (!read_routine(name, strlen(name), &wanted))
        return 0;
    while (measurement_at(all))
        all++;
    struct match *found = memory_zeroed(all + 1, sizeof *found);
    for (size_t i = 0; (function = measurement_at(i)); i++) {
        enum relation relation = relation_to(function, &wanted);
        if (relation <= farthest)
            found[count++] = (struct match){function, relation, i};
    }
    qsort(found, count, sizeof *found, compare_found);
    while (count > 0 && found[count - 1].relation == CALLS && found[0].relation < CALLS)
        count--;
    for (size_t i = 0; i < count && i < room; i++)
        functions[i] = found[i].function;
    free(found);
    return count;
}

size_t alias_find(const char *routine, const struct measurement **functions, size_t room)
{
    return find(routine, MEASURES, functions, room);
}

size_t alias_find_related(const char *routine, const struct measurement **functions, size_t room)
{
    return find(routine, CALLS, functions, room);
}
