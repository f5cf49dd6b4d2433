/*
 * What a command line without a script asks for: functions, and values for their parameters. Any
 * PE.
 */
#ifndef SKAMPI_COMMAND_H
#define SKAMPI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "command/command_values.h"
#include "engine/measurement.h"

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

#endif
