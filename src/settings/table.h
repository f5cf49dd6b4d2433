/*
 * The table of settings: one row a setting. From it come the defaults, the functions of the
 * language that change settings with the checks of their arguments, their documentation, and what
 * PEs compare when they agree (settings_hash).
 *
 * To add a setting, declare its member in settings.h and add its row in table.c; where a function
 * has several arguments, their rows follow each other. A function that does more than store its
 * arguments is named in src/ski/builtins_settings.c.
 */
#ifndef SKAMPI_SETTINGS_TABLE_H
#define SKAMPI_SETTINGS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "settings/settings.h"

/* The type of the member. */
enum setting_type {
    SETTING_INT,   /* int */
    SETTING_BYTES, /* int64_t */
    SETTING_REAL,  /* double */
    SETTING_FLAG,  /* bool: 0 or 1 in scripts, or one of two words */
    SETTING_WORD,  /* an enum, a word in scripts */
    SETTING_INFO   /* struct info *; NULL at first */
};

struct setting_word {
    const char *name;
    const char *meaning; /* NULL: the name says it */
};

struct setting {
    const char *function; /* of the language */
    const char *argument; /* its name, for the reference; NULL: none, the function sets `initial` */
    enum setting_type type;
    size_t place;   /* of the member in struct settings */
    double initial; /* default of the member; of several rows for a member, the first has it */
    const char *initially;            /* the default in words, where the number would say nothing */
    double low, high;                 /* range; high 0: what the type holds */
    bool open;                        /* the limits themselves are not in the range */
    bool optional;                    /* an argument that may be left out: the default then */
    const struct setting_word *words; /* in the order of the values, then one without a name */
    bool names_unit;                  /* "ns" and its like are the units per second */
    const char *unit;                 /* "s", "bytes" or NULL */
    bool identifies;  /* says what is measured, not how long, how often or how exactly: points that
                         differ in it are different ones */
    const char *help; /* for the reference: what it means, without what is above */
};

extern const struct setting setting_rows[];
extern const size_t setting_row_count;

/* Rows of the function that begins with this one. */
size_t setting_arguments(const struct setting *first);

/* The range as integers; not of SETTING_REAL. */
void setting_limits(const struct setting *, int64_t *low, int64_t *high);
bool setting_contains(const struct setting *, double value);
/* "at least 1 bytes", "from 1 to 1000", "more than 0 and less than 1". The caller frees it. */
char *setting_range(const struct setting *);

/* For all types but SETTING_REAL and SETTING_INFO; of words: the index. */
void setting_store_integer(const struct setting *, struct settings *, int64_t value);
void setting_store_real(const struct setting *, struct settings *, double value);
void setting_store_initial(const struct setting *, struct settings *);

/* The index of a word, which is the value of its enum; -1: it is none of them. */
int setting_word_find(const struct setting_word *words, const char *name);
/* "a, b or c" for ("", "or"); the quote is put around each. The caller frees it. */
char *setting_word_list(const struct setting_word *words, const char *quote, const char *last);

/* NULL, or why the function of the language does not take this argument; the caller frees it. */
char *setting_refuse_word(const struct setting *, const char *word);
char *setting_refuse_number(const struct setting *, double value);

/* The settings that identify a point and are not as by default, each as a script sets it:
 * set_cache_state("cold"). *texts and what is in it are the caller's to free. Returns their number.
 */
size_t settings_stated(const struct settings *, char ***texts);

/* "(names of arguments) what it does; range; default", for the reference. The caller frees it. */
char *setting_help(const struct setting *first);

/* Words that others need, too. */
extern const struct setting_word clock_sync_words[], window_rule_words[], arrival_words[],
    verify_words[];

#endif
