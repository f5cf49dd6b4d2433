/*
 * The other programs of skampi by one name: `skampi table my.json` starts skampi-table. Any
 * process.
 */
#ifndef SKAMPI_TOOLS_H
#define SKAMPI_TOOLS_H

#include <stdbool.h>

/* If the first argument is a tool or "help", starts that tool in place of this process, or shows
 * the list of tools. Returns false where the first argument is neither, or after "help" a function
 * follows: argv then asks to describe it; true, with the exit status in *status, where nothing can
 * be started or acts is false. acts: false in all processes of a launch but one, where nothing is
 * to be done. */
bool tools_start(int argc, char **argv, bool acts, int *status);

/* The tool that somebody meant who typed this word, or NULL. certain: the word is the tool's, or
 * the name of its program. */
const char *tools_closest(const char *word, bool *certain);

#endif
