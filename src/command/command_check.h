/*
 * What is wrong with the values of a command line, in the words of who typed them.
 */
#ifndef SKAMPI_COMMAND_CHECK_H
#define SKAMPI_COMMAND_CHECK_H

#include "command/command.h"

/* NULL, or what is wrong with the first value that is; the caller frees it. After the words have
 * been read. Pure. */
char *command_check(const struct command *);

#endif
