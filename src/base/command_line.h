/*
 * Takes a command line apart by a table of options (base/manual.h): short and long options before,
 * between and after other words, as getopt_long() does it. One thread.
 */
#ifndef SKAMPI_BASE_COMMAND_LINE_H
#define SKAMPI_BASE_COMMAND_LINE_H

#include "base/manual.h"

/* Calls take() for each option in the order of the command line, with the number of its row and its
 * value (NULL: it has none), and moves all other words to the end of argv. Returns the index in
 * argv of the first of these. The first mistake (an unknown option, a value that is missing or not
 * allowed) ends the parsing: *error is then a text that the caller frees, else NULL. help: what
 * lists the options, such as "skampi -h"; it is part of the text. */
int command_line_parse(const struct manual_option *rows, size_t count, const char *help, int argc,
                       char **argv, void (*take)(void *context, size_t row, const char *value),
                       void *context, char **error);

#endif
