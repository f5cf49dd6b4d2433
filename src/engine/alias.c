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

#define MOST_WORDS 12
#define WORD_BYTES 32

/* How well a function's name matches the words of a routine, best first. */
enum { SAME, BEGINS, CONTAINS, TIMES, UNLIKE };

struct words {
    size_t count;
    char word[MOST_WORDS][WORD_BYTES];
};

/* Words of routines on the left, and what functions call them on the right, separated by blanks.
 * "^" marks words that must begin the name. */
static const char *const called[][2] = {
    {"nbi", "nonblocking"},          {"bcast", "broadcast"},
    {"test lock", "lock test"},      {"^barrier all", "barrier"},
    {"^sync all", "sync"},           {"^init", "startup"},
    {"^init thread", "startup"},     {"^fadd", "atomic fetch add"},
    {"^finc", "atomic fetch inc"},   {"^cswap", "atomic compare swap"},
    {"^swap", "atomic swap"},        {"^add", "atomic add"},
    {"^inc", "atomic inc"},          {"^fetch", "atomic fetch"},
    {"^set", "atomic set"},          {"^wait", "wait until"},
    {"^sum to all", "reduce sum"},   {"^prod to all", "reduce prod"},
    {"^min to all", "reduce min"},   {"^max to all", "reduce max"},
    {"^and to all", "reduce and"},   {"^or to all", "reduce or"},
    {"^xor to all", "reduce xor"},   {"^sum reduce", "reduce sum"},
    {"^prod reduce", "reduce prod"}, {"^min reduce", "reduce min"},
    {"^max reduce", "reduce max"},   {"^and reduce", "reduce and"},
    {"^or reduce", "reduce or"},     {"^xor reduce", "reduce xor"},
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

/* Removes the size of an element: put64, putmem and put are the same. */
static void strip_size(char *word)
{
    static const char *const sizes[] = {"mem", "8", "16", "32", "64", "128"};
    size_t length = strlen(word);
    for (size_t i = sizeof sizes / sizeof *sizes; i-- > 0;) {
        size_t size = strlen(sizes[i]);
        if (length > size && strcmp(word + length - size, sizes[i]) == 0) {
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

/* The words of a name without its prefix, as they are compared. */
static struct words words_of(const char *name, bool shmem, bool routine)
{
    struct words words = split(name, '_');
    size_t kept = 0;
    for (size_t i = 0; shmem && i < words.count; i++) {
        if (is_type(words.word[i]))
            continue;
        strip_size(words.word[i]);
        if (i != kept)
            memcpy(words.word[kept], words.word[i], WORD_BYTES);
        kept++;
    }
    if (shmem)
        words.count = kept;
    rename_words(&words, routine);
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

static int likeness(const struct measurement *function, const char *routine, bool shmem,
                    const struct words *wanted)
{
    static const char prefix[] = "Shmem_";
    bool own = strncmp(function->name, prefix, sizeof prefix - 1) == 0;
    if (function->api != API_NONE && (function->api == API_OPENSHMEM) != shmem)
        return UNLIKE;
    struct words words = words_of(function->name + (own ? sizeof prefix - 1 : 0), own, false);
    if (has_at(&words, 0, wanted))
        return words.count == wanted->count ? SAME : BEGINS;
    for (size_t at = 1; at < words.count; at++)
        if (has_at(&words, at, wanted))
            return CONTAINS;
    return !shmem && function->timed && names(function->timed, routine) ? TIMES : UNLIKE;
}

struct found {
    const struct measurement *function;
    int likeness;
    size_t length, place;
};

static int compare_found(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    if (x->likeness != y->likeness)
        return x->likeness < y->likeness ? -1 : 1;
    if (x->length != y->length)
        return x->length < y->length ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

size_t alias_find(const char *routine, const struct measurement **functions, size_t room)
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
    struct found *found = calloc(all + 1, sizeof *found);
    int best = UNLIKE;
    if (!found || wanted.count == 0) {
        free(found);
        return 0;
    }
    for (size_t i = 0; i < all; i++) {
        const struct measurement *function = measurement_at(i);
        int like = likeness(function, routine, shmem, &wanted);
        if (like < UNLIKE)
            found[count++] = (struct found){function, like, strlen(function->name), i};
        if (like < best)
            best = like;
    }
    qsort(found, count, sizeof *found, compare_found);
    /* Names that begin like this are one family. Names that merely contain the words come second.
     */
    size_t kept = 0;
    while (kept < count && found[kept].likeness <= (best < BEGINS ? BEGINS : best))
        kept++;
    for (size_t i = 0; i < kept && i < room; i++)
        functions[i] = found[i].function;
    free(found);
    return kept;
}
