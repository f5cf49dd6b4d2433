/*
 * Values on the command line: "8", "8,64,1kb", "8:1mb", "8:1mb:*4", "0:3:+1". Each part is an
 * expression of the language, which the script's checker reads. Pure.
 */
#ifndef SKAMPI_COMMAND_VALUES_H
#define SKAMPI_COMMAND_VALUES_H

#include <stdbool.h>

#include "base/text.h"

enum command_values_kind { COMMAND_VALUE, COMMAND_LIST, COMMAND_RANGE };

struct command_values {
    enum command_values_kind kind;
    char **parts; /* the value; those of a list; start, end and step ("*2", "+8", "-1") or NULL */
    int count;
};

/* False with *error (allocated): what is wrong with the text, without saying whose value it is.
 * plain: colons have no meaning. */
bool command_values_read(const char *text, bool plain, struct command_values *, char **error);
void command_values_release(struct command_values *);

/* The head of a loop over them: "for NAME = 8 to 1mb step *2 do", "for NAME in [8, 64] do".
 * doubling: what a range without a step does, instead of counting. quoted: parts are strings.
 * multiple: what all values of a range are a multiple of; NULL: nothing. */
void command_values_loop(struct text *, const char *name, const struct command_values *,
                         bool doubling, bool quoted, const char *multiple);

#endif
