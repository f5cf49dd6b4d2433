/* Puts the library into the traced program by LD_PRELOAD. */
#ifndef SKAMPI_TRACE_COMMAND_PRELOAD_H
#define SKAMPI_TRACE_COMMAND_PRELOAD_H

#include <limits.h>
#include <stddef.h>

struct preload {
    char library[PATH_MAX];
    char link[PATH_MAX]; /* link that names the library, removed at the end; "" without one */
};

/* Finds the library. Status 0, or 2 after one line on standard error. */
int preload_find(struct preload *);
/* Finds a name of the library that LD_PRELOAD can hold: its path, or a link in the folder of the
 * trace or the folder for temporary files. command is a name for the link that no other command
 * uses. */
int preload_name(struct preload *, const char *folder, const char *command);
/* Sets LD_PRELOAD. Returns the command, with options that make the launcher pass it on. */
char **preload_command(const struct preload *, char **command, size_t count);
void preload_tidy(const struct preload *);

#endif
