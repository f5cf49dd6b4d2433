/*
 * What lies beside the program: its scripts and inputs in a checkout. Any process.
 */
#ifndef SKAMPI_BASE_BESIDE_H
#define SKAMPI_BASE_BESIDE_H

#include <limits.h>
#include <stdbool.h>

/* The path of this name in the program's folder; false: that is not known. */
bool beside_find(char path[PATH_MAX], const char *name);

/* What is typed before the name of a program of scripts/, as this program itself was typed; ""
 * where they are installed; the caller frees it. */
char *beside_tools(void);

#endif
