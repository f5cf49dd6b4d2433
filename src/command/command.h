/*
 * What a command line without a script asks for: functions, and values for their parameters. Any
 * PE.
 */
#ifndef SKAMPI_COMMAND_H
#define SKAMPI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "engine/measurement.h"

/* ---- Values: "8", "8,64,1kb", "8:1mb", "8:1mb:*4", "0:3:+1"; pure ---- */

/* Each part is an expression of the language, which the script's checker reads. */
enum command_values_kind { COMMAND_VALUE, COMMAND_LIST, COMMAND_RANGE };

struct command_values {
    enum command_values_kind kind;
    char **parts; /* the value; those of a list; start, end and step ("*2", "+8", "-1") or NULL */
    int count;
};

/* The head of a loop over them: "for NAME = 8 to 1mb step *2 do", "for NAME in [8, 64] do".
 * doubling: what a range without a step does, instead of counting. quoted: parts are strings.
 * multiple: what all values of a range are a multiple of; NULL: nothing. */
void command_values_loop(struct text *, const char *name, const struct command_values *,
                         bool doubling, bool quoted, const char *multiple);

/* ---- All words ---- */

struct command_words {
    const char *const *words; /* functions, routines, patterns and NAME=VALUE, in any order */
    size_t count;
    const char *sizes, *pes, *iterations; /* of the options; NULL: not given */
    double precision;                     /* of set_precision(); 0: the script does not call it */
    double point_time;                    /* seconds */
};

/* NAME=VALUE, or an option that is one. */
struct assignment {
    char *name;
    char *typed;      /* as messages show it */
    const char *text; /* of the values */
    struct command_values values;
    bool used;
};

struct command {
    const struct measurement **functions; /* each once */
    size_t function_count;
    struct assignment *givens;
    size_t given_count;
    struct assignment sizes, pes; /* count 0 of their values: not given */
    char *error;                  /* allocated: what is wrong, for the user; NULL: nothing */
};

/* Everything that is wrong with names is found here. */
void command_read(struct command *, const struct command_words *);
void command_release(struct command *);

/* Whether it has several values. */
bool command_loops(const struct assignment *);
/* What sets the parameter, or NULL: "count" also sets s_count and r_count. */
struct assignment *command_given(const struct command *, const struct parameter *);

/* ---- The script that they stand for, which then goes the way of every script: so ranges, sets and
 * expressions are checked in one place ---- */

/* The text; the caller frees it. NULL when the words name no function, or parameters that none has:
 * *error (allocated, one line) then says what to type. What patterns match depends on what can be
 * measured here, nothing else on the machine. Any PE. */
char *command_script(const struct command_words *, char **error);

#endif
