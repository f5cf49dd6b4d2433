/*
 * The script that a command line without one stands for: functions, patterns and parameters by name
 * become the text of a .ski script, which then goes the way of every script. So ranges, sets and
 * expressions are checked in one place.
 */
#ifndef SKAMPI_COMMAND_SCRIPT_H
#define SKAMPI_COMMAND_SCRIPT_H

#include "command/command.h"

/* The text; the caller frees it. NULL when the words name no function, or parameters that none has:
 * *error (allocated, one line) then says what to type. What patterns match depends on what can be
 * measured here, nothing else on the machine. Any PE. */
char *command_script(const struct command_words *, char **error);

#endif
