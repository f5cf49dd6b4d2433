/*
 * Compares the names of routines and of measurement functions word by word.
 */
#define _GNU_SOURCE /* strcasestr */
#include "engine/alias.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"

#define MOST_WORDS 12
#define WORD_BYTES 32

/* How well a function's name matches the words of a routine, best first. */
enum { SAME, BEGINS, CONTAINS, TIMES, UNLIKE };

struct words {
    size_t count;
    char word[MOST_WORDS][WORD_BYTES];
    char type[WORD_BYTES]; /* of elements, "mem" or their bits; "": not said */
};

/* The routines of OpenSHMEM, by the words of their names without types and sizes. */
static const char *const routines[] = {"put",
                                       "get",
                                       "p",
                                       "g",
                                       "iput",
                                       "iget",
                                       "put nbi",
                                       "get nbi",
                                       "put signal",
                                       "put signal nbi",
                                       "signal fetch",
                                       "signal wait until",
                                       "signal set",
                                       "signal add",
                                       "wait",
                                       "wait until",
                                       "wait until all",
                                       "wait until any",
                                       "wait until some",
                                       "wait until all vector",
                                       "wait until any vector",
                                       "wait until some vector",
                                       "test",
                                       "test all",
                                       "test any",
                                       "test some",
                                       "test all vector",
                                       "test any vector",
                                       "test some vector",
                                       "atomic fetch",
                                       "atomic set",
                                       "atomic compare swap",
                                       "atomic swap",
                                       "atomic fetch inc",
                                       "atomic inc",
                                       "atomic fetch add",
                                       "atomic add",
                                       "atomic fetch and",
                                       "atomic and",
                                       "atomic fetch or",
                                       "atomic or",
                                       "atomic fetch xor",
                                       "atomic xor",
                                       "atomic fetch nbi",
                                       "atomic compare swap nbi",
                                       "atomic swap nbi",
                                       "atomic fetch inc nbi",
                                       "atomic fetch add nbi",
                                       "atomic fetch and nbi",
                                       "atomic fetch or nbi",
                                       "atomic fetch xor nbi",
                                       "fadd",
                                       "finc",
                                       "cswap",
                                       "swap",
                                       "add",
                                       "inc",
                                       "fetch",
                                       "set",
                                       "barrier",
                                       "barrier all",
                                       "sync",
                                       "sync all",
                                       "broadcast",
                                       "collect",
                                       "fcollect",
                                       "alltoall",
                                       "alltoalls",
                                       "sum to all",
                                       "prod to all",
                                       "min to all",
                                       "max to all",
                                       "and to all",
                                       "or to all",
                                       "xor to all",
                                       "sum reduce",
                                       "prod reduce",
                                       "min reduce",
                                       "max reduce",
                                       "and reduce",
                                       "or reduce",
                                       "xor reduce",
                                       "set lock",
                                       "clear lock",
                                       "test lock",
                                       "malloc",
                                       "malloc with hints",
                                       "calloc",
                                       "align",
                                       "realloc",
                                       "free",
                                       "quiet",
                                       "fence",
                                       "ctx create",
                                       "ctx destroy",
                                       "ctx quiet",
                                       "ctx fence",
                                       "team create ctx",
                                       "team split strided",
                                       "team split 2d",
                                       "team destroy",
                                       "team sync",
                                       "init",
                                       "init thread",
                                       "start pes",
                                       "finalize"};

/* Words of routines on the left, and what functions call them on the right, separated by blanks.
 * "^" marks words that must begin the name. */
static const char *const called[][2] = {
    {"nbi", "nonblocking"},
    {"bcast", "broadcast"},
    {"test lock", "lock test"},
    {"^barrier all", "barrier"},
    {"^sync all", "sync"},
    {"^init", "startup"},
    {"^init thread", "startup"},
    {"^fadd", "atomic fetch add"},
    {"^finc", "atomic fetch inc"},
    {"^cswap", "atomic compare swap"},
    {"^swap", "atomic swap"},
    {"^add", "atomic add"},
    {"^inc", "atomic inc"},
    {"^fetch", "atomic fetch"},
    {"^set", "atomic set"},
    {"^wait", "wait until"},
    {"^sum to all", "reduce sum"},
    {"^prod to all", "reduce prod"},
    {"^min to all", "reduce min"},
    {"^max to all", "reduce max"},
    {"^and to all", "reduce and"},
    {"^or to all", "reduce or"},
    {"^xor to all", "reduce xor"},
    {"^sum reduce", "team reduce sum"},
    {"^prod reduce", "team reduce prod"},
    {"^min reduce", "team reduce min"},
    {"^max reduce", "team reduce max"},
    {"^and reduce", "team reduce and"},
    {"^or reduce", "team reduce or"},
    {"^xor reduce", "team reduce xor"},
};

static bool is_type(const char *word)
{
    static const char *const types[] = {
        "char",   "schar",  "short",    "int",      "long",      "longlong", "uchar",
        "ushort", "uint",   "ulong",    "size",     "ulonglong", "ptrdiff",  "float",
        "double", "int8",   "int16",    "int32",    "int64",     "uint8",    "uint16",
        "uint32", "uint64", "complexf", "complexd", "longdouble"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(word, types[i]) == 0)
            return true;
    return false;
}

/* Takes the size of an element off: put64, putmem and put differ in nothing else. */
static void strip_size(char *word, char type[WORD_BYTES])
{
    static const char *const sizes[] = {"mem", "8", "16", "32", "64", "128"};
    size_t length = strlen(word);
    for (size_t i = sizeof sizes / sizeof *sizes; i-- > 0;) {
        size_t size = strlen(sizes[i]);
        if (length > size && strcmp(word + length - size, sizes[i]) == 0) {
            memcpy(type, sizes[i], size + 1);
            word[length - size] = '\0';
            return;
        }
    }
}

static struct words split(const char *text, char separator)
{
    struct words words = {0};
    while (*text && words.count < MOST_WORDS) {
        size_t length = 0;
        char *word = words.word[words.count];
        for (; *text && *text != separator; text++)
            if (length + 1 < WORD_BYTES)
                word[length++] = (char)tolower((unsigned char)*text);
        word[length] = '\0';
        words.count += length > 0;
        text += *text == separator;
    }
    return words;
}

static bool has_at(const struct words *words, size_t at, const struct words *part)
{
    if (at + part->count > words->count)
        return false;
    for (size_t i = 0; i < part->count; i++)
        if (strcmp(words->word[at + i], part->word[i]) != 0)
            return false;
    return true;
}

static void replace(struct words *words, size_t at, size_t count, const struct words *by)
{
    struct words all = {0};
    memcpy(all.type, words->type, WORD_BYTES);
    for (size_t i = 0; i < at; i++)
        memcpy(all.word[all.count++], words->word[i], WORD_BYTES);
    for (size_t i = 0; i < by->count && all.count < MOST_WORDS; i++)
        memcpy(all.word[all.count++], by->word[i], WORD_BYTES);
    for (size_t i = at + count; i < words->count && all.count < MOST_WORDS; i++)
        memcpy(all.word[all.count++], words->word[i], WORD_BYTES);
    *words = all;
}

/* first: whether "^" may match; names of functions have their words in the right order already. */
static void rename_words(struct words *words, bool first)
{
    for (size_t i = 0; i < sizeof called / sizeof *called; i++) {
        bool begins = called[i][0][0] == '^';
        struct words from = split(called[i][0] + begins, ' '), to = split(called[i][1], ' ');
        /* What begins like this must be the entire name. Longer forms have entries of their own. */
        if (begins && first && words->count == from.count && has_at(words, 0, &from))
            replace(words, 0, from.count, &to);
        for (size_t at = 0; !begins && at < words->count; at++)
            if (has_at(words, at, &from)) {
                replace(words, at, from.count, &to);
                break;
            }
    }
}

/* Takes types and sizes off. Names of routines have them before all words but "ctx". */
static void strip_types(struct words *words, bool routine)
{
    size_t kept = 0;
    for (size_t i = 0; i < words->count; i++) {
        if (is_type(words->word[i]) &&
            (!routine || kept == 0 || strcmp(words->word[0], "ctx") == 0)) {
            memcpy(words->type, words->word[i], WORD_BYTES);
            continue;
        }
        strip_size(words->word[i], words->type);
        if (i != kept)
            memcpy(words->word[kept], words->word[i], WORD_BYTES);
        kept++;
    }
    words->count = kept;
}

static bool same_words(const struct words *a, const struct words *b)
{
    return a->count == b->count && has_at(a, 0, b);
}

/* Whether OpenSHMEM has a routine of these words, perhaps on a context. */
static bool is_routine(const struct words *words)
{
    struct words rest = *words;
    bool context = words->count > 1 && strcmp(words->word[0], "ctx") == 0;
    if (context)
        memmove(rest.word[0], rest.word[1], --rest.count * WORD_BYTES);
    for (size_t i = 0; i < sizeof routines / sizeof *routines; i++) {
        struct words known = split(routines[i], ' ');
        if (same_words(words, &known) || (context && same_words(&rest, &known)))
            return true;
    }
    return false;
}

/* Collectives with a type in their name are those of teams. */
static void mark_team(struct words *words)
{
    static const char *const names[] = {"broadcast", "collect", "fcollect", "alltoall",
                                        "alltoalls"};
    for (size_t i = 0; is_type(words->type) && i < sizeof names / sizeof *names; i++)
        if (words->count == 1 && strcmp(words->word[0], names[i]) == 0) {
            struct words team = split("team", ' ');
            team.count = 2;
            memcpy(team.word[1], words->word[0], WORD_BYTES);
            replace(words, 0, 1, &team);
            return;
        }
}

/* The words of a name without its prefix, as they are compared. No words: a routine that there is
 * not. */
static struct words words_of(const char *name, bool shmem, bool routine)
{
    struct words words = split(name, '_');
    if (shmem)
        strip_types(&words, routine);
    if (shmem && routine && !is_routine(&words))
        return (struct words){0};
    rename_words(&words, routine);
    if (shmem && routine)
        mark_team(&words);
    return words;
}

/* Whether the text names the routine, not only one whose name is longer. */
static bool names(const char *text, const char *routine)
{
    size_t length = strlen(routine);
    for (const char *at = text; (at = strcasestr(at, routine)); at++)
        if (!isalnum((unsigned char)at[length]) && at[length] != '_')
            return true;
    return false;
}

static const char prefix[] = "Shmem_";

static struct words words_of_function(const struct measurement *function)
{
    bool own = strncmp(function->name, prefix, sizeof prefix - 1) == 0;
    return words_of(function->name + (own ? sizeof prefix - 1 : 0), own, false);
}

static int likeness(const struct measurement *function, const char *routine, bool shmem,
                    const struct words *wanted)
{
    if (function->api != API_NONE && (function->api == API_OPENSHMEM) != shmem)
        return UNLIKE;
    struct words words = words_of_function(function);
    if (has_at(&words, 0, wanted))
        return words.count == wanted->count ? SAME : BEGINS;
    for (size_t at = 1; at < words.count; at++)
        if (has_at(&words, at, wanted))
            return CONTAINS;
    return !shmem && function->timed && names(function->timed, routine) ? TIMES : UNLIKE;
}

/* ---- Whether a function measures the routine itself ---- */

/* The type of the elements that the function's name or summary states: "shorts", "one int". */
static void find_type(const struct measurement *function, char type[WORD_BYTES])
{
    static const char *const stated[][2] = {{"unsigned ints", "uint"},
                                            {" ints", "int"},
                                            {" int ", "int"},
                                            {", int ", "int"},
                                            {" shorts", "short"},
                                            {"strided put of bytes", "8"},
                                            {"strided get of bytes", "8"},
                                            {"strided put of elements", "elements"},
                                            {"strided get of elements", "elements"}};
    struct words words = words_of_function(function);
    memcpy(type, words.type, WORD_BYTES);
    for (size_t i = 0; !*type && function->summary && i < sizeof stated / sizeof *stated; i++)
        if (strstr(function->summary, stated[i][0]))
            snprintf(type, WORD_BYTES, "%s", stated[i][1]);
}

/* Where the routine says nothing about types, any will do, and bytes are those of any type. */
static bool fits_type(const struct measurement *function, const char *wanted)
{
    char type[WORD_BYTES];
    find_type(function, type);
    return !*wanted || !*type || strcmp(type, wanted) == 0;
}

static bool has_type(const struct measurement *function, const char *wanted)
{
    char type[WORD_BYTES];
    find_type(function, type);
    return strcmp(type, wanted) == 0;
}

/* Whether another routine, with a longer name, is what the function is about: put_nbi, not put. */
static bool is_of_longer(const struct measurement *function, const struct words *wanted)
{
    struct words words = words_of_function(function);
    for (size_t i = 0; i < sizeof routines / sizeof *routines; i++) {
        struct words known = split(routines[i], ' ');
        rename_words(&known, true);
        if (known.count > wanted->count && has_at(&known, 0, wanted) && has_at(&words, 0, &known))
            return true;
    }
    return false;
}

/* MPI: what is timed begins with it. */
static bool measures(const struct measurement *function, const char *routine, bool shmem,
                     const struct words *wanted)
{
    int like = likeness(function, routine, shmem, wanted);
    if (shmem)
        return (like == SAME || like == BEGINS) && fits_type(function, wanted->type) &&
               !is_of_longer(function, wanted);
    size_t length = strlen(routine);
    return like != UNLIKE && function->timed && names(function->timed, routine) &&
           strncasecmp(function->timed, routine, length) == 0 &&
           !isalnum((unsigned char)function->timed[length]) && function->timed[length] != '_';
}

/* ---- All of them ---- */

struct found {
    const struct measurement *function;
    bool itself, typed; /* it measures the routine; with the very type of its name */
    int likeness;
    size_t length, place;
};

static int compare_found(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    if (x->itself != y->itself)
        return x->itself ? -1 : 1;
    if (x->typed != y->typed)
        return x->typed ? -1 : 1;
    if (x->likeness != y->likeness)
        return x->likeness < y->likeness ? -1 : 1;
    if (x->length != y->length)
        return x->length < y->length ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* Names that begin like this are one family. Names that merely contain the words come second. */
static size_t keep_closest(struct found *found, size_t count)
{
    size_t kept = 0;
    int best = UNLIKE;
    for (size_t i = 0; i < count; i++)
        best = found[i].likeness < best ? found[i].likeness : best;
    for (size_t i = 0; i < count; i++)
        if (found[i].itself || found[i].likeness <= (best < BEGINS ? BEGINS : best))
            found[kept++] = found[i];
    return kept;
}

/* Those that measure it, and where some have the very type, only those. */
static size_t keep_itself(const struct found *found, size_t count)
{
    size_t kept = 0;
    while (kept < count && found[kept].itself && found[kept].typed == found[0].typed)
        kept++;
    return kept;
}

static size_t find(const char *routine, bool only, const struct measurement **functions,
                   size_t room)
{
    if (tolower((unsigned char)*routine) == 'p')
        routine++; /* of the profiling interfaces */
    bool mpi = strncasecmp(routine, "mpi_", 4) == 0;
    bool shmem = strncasecmp(routine, "shmem_", 6) == 0 || strncasecmp(routine, "shmemx_", 7) == 0;
    if (!mpi && !shmem)
        return 0;
    struct words wanted = words_of(strchr(routine, '_') + 1, shmem, true);
    size_t all = 0, count = 0;
    while (measurement_at(all))
        all++;
    struct found *found = memory_zeroed(all + 1, sizeof *found);
    for (size_t i = 0; wanted.count > 0 && i < all; i++) {
        const struct measurement *function = measurement_at(i);
        int like = likeness(function, routine, shmem, &wanted);
        bool itself = like < UNLIKE && measures(function, routine, shmem, &wanted);
        if (like < UNLIKE)
            found[count++] =
                (struct found){function,
                               itself,
                               itself && *wanted.type && has_type(function, wanted.type),
                               like,
                               strlen(function->name),
                               i};
    }
    qsort(found, count, sizeof *found, compare_found);
    count = only ? keep_itself(found, count) : keep_closest(found, count);
    for (size_t i = 0; i < count && i < room; i++)
        functions[i] = found[i].function;
    free(found);
    return count;
}

size_t alias_find(const char *routine, const struct measurement **functions, size_t room)
{
    return find(routine, true, functions, room);
}

size_t alias_find_related(const char *routine, const struct measurement **functions, size_t room)
{
    return find(routine, false, functions, room);
}
