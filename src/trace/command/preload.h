/* How the library comes into the traced program: by LD_PRELOAD. */
#ifndef SKAMPI_TRACE_COMMAND_PRELOAD_H
#define SKAMPI_TRACE_COMMAND_PRELOAD_H

#include <limits.h>
#include <stddef.h>

struct preload {
    char library[PATH_MAX];
    char link[PATH_MAX]; /* by which it is named, to be removed at the end; "": by itself */
};

/* Finds the library. Status 0, or 2 after one line on standard error. */
int preload_find(struct preload *);
/* Finds a name for it that LD_PRELOAD can hold, perhaps a link in the folder of the trace or in
 * that for temporary files; command: what no other command names a link. */
int preload_name(struct preload *, const char *folder, const char *command);
/* Sets LD_PRELOAD, or returns the command with what hands it on. */
char **preload_command(const struct preload *, char **command, size_t count);
void preload_tidy(const struct preload *);

#endif
