/*
 * Files in the folder of the program: its scripts and inputs in a checkout. Any process.
 */
#ifndef SKAMPI_BASE_BESIDE_H
#define SKAMPI_BASE_BESIDE_H

#include <limits.h>
#include <stdbool.h>

/* The path of a file of this name in the program's folder; false if that folder is not known. */
bool beside_find(char path[PATH_MAX], const char *name);

/* Becomes a program of this name in scripts/ or in the program's folder; arguments[0] is replaced
 * by its path. Returns only if that fails, after a message that begins with the caller's name. */
void beside_start(const char *program, char **arguments, const char *caller);

/* For messages: the folder to type before the name of a program of scripts/, in the way in which
 * the user typed this program; "" if the scripts are installed. The caller frees it. */
char *beside_tools(void);

#endif
