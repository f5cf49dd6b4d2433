/* The folder into which a trace is recorded. */
#ifndef SKAMPI_TRACE_COMMAND_DESTINATION_H
#define SKAMPI_TRACE_COMMAND_DESTINATION_H

#include <limits.h>
#include <stdbool.h>

struct destination {
    char folder[PATH_MAX]; /* absolute */
    char command[40];      /* value of FORMAT_JOBS_VARIABLE */
    bool made;             /* the command has made the folder */
};

/* Checks whether a trace can be written to the folder. Leaves an old trace to the library, which
 * replaces it. Sets the variables that tell the library of the folder. Status 0, or 2 after one
 * line on standard error. */
int destination_prepare(struct destination *, const char *folder);
/* Removes temporary files after the program has ended, or if it could not be started. If it ran,
 * and nothing was recorded, says why. */
void destination_tidy(const struct destination *, bool ran);

/* One line on standard error; returns 2. */
__attribute__((format(printf, 1, 2))) int refuse(const char *format, ...);

#endif
