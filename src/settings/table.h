/*
 * The table of settings: one row a setting. From it come the defaults, the functions of the
 * language that change settings with the checks of their arguments, their documentation, and what
 * PEs compare when they agree (settings_hash).
 *
 * To add a setting, declare its member in settings.h and add its row in table.c; the rows of a
 * function with several arguments follow each other. List a function that does more than store its
 * arguments in src/ski/builtins_settings.c.
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
    SETTING_WORD,  /* an enum, in scripts one of `words` */
    SETTING_INFO,  /* struct info *; NULL at first */
    SETTING_TEXT   /* const char *: a string in scripts */
};

struct setting_word {
    const char *name;
    const char *meaning; /* NULL if the name says it */
};

struct setting {
    const char *function; /* its name in the language */
    const char *argument; /* name of the argument, for the reference; NULL if the function has none
                             and sets `initial` */
    enum setting_type type;
    size_t place;   /* of the member in struct settings */
    double initial; /* default of the member; if a member has several rows, that of the first row
                       counts */
    const char *initial_text; /* default of SETTING_TEXT */
    const char *initially;    /* the default in words, if the number says nothing to users */
    double low, high;         /* range; high 0: the limits of the type */
    bool open;                /* the range excludes its limits */
    bool readable;            /* get_... returns the value that set_... was given */
    bool optional;            /* a script may leave out the argument, and gets the default */
    const struct setting_word *words; /* in the order of the values; the last one has no name */
    /* The word after which no further arguments follow, or NULL; and the function that sets its
     * numbers. */
    const char *alone, *instead;
    bool
        names_unit; /* a script may give a unit of time ("ns"), which stands for units per second */
    const char *unit; /* "s", "bytes" or NULL */
    bool identifies;  /* says what is measured, not how long, how often or how exactly. Results that
                         differ in it are of different points */
    const char *help; /* for the reference: the meaning, without range and default */
};

extern const struct setting setting_rows[];
extern const size_t setting_row_count;

/* Number of rows of the function whose first row this is. */
size_t setting_arguments(const struct setting *first);

/* The range as integers; not for SETTING_REAL. */
void setting_limits(const struct setting *, int64_t *low, int64_t *high);
bool setting_contains(const struct setting *, double value);
/* "at least 1 bytes", "from 1 to 1000", "more than 0 and less than 1". The caller frees it. */
char *setting_range(const struct setting *);

/* Stores a value of any type but SETTING_REAL, SETTING_INFO and SETTING_TEXT; for a word its index.
 */
void setting_store_integer(const struct setting *, struct settings *, int64_t value);
void setting_store_real(const struct setting *, struct settings *, double value);
/* A copy of the text, which lives to the end of the program. */
void setting_store_text(const struct setting *, struct settings *, const char *text);
/* The info must live to the end of the program (info_keep()); NULL is allowed. */
void setting_store_info(const struct setting *, struct settings *, struct info *);
void setting_store_initial(const struct setting *, struct settings *);

/* The index of a word, which is the value of its enum; -1 if there is no such word. */
int setting_word_find(const struct setting_word *words, const char *name);
/* "a, b or c" for ("", "or"); the quote is put around each. The caller frees it. */
char *setting_word_list(const struct setting_word *words, const char *quote, const char *last);

/* NULL, or why the function of the language does not take this argument; the caller frees it. */
char *setting_refuse_word(const struct setting *, const char *word);
char *setting_refuse_number(const struct setting *, double value);

/* The settings that identify a point and differ from their defaults, each as a script sets it:
 * set_cache_state("cold"). The caller frees *texts and each text. Returns their number. */
size_t settings_stated(const struct settings *, char ***texts);

/* "(names of arguments) what it does; range; default", for the reference. The caller frees it. */
char *setting_help(const struct setting *first);

/* Words that other modules need, too. */
extern const struct setting_word setting_clock_sync_words[], setting_window_rule_words[],
    setting_arrival_words[], setting_verify_words[];

#endif
