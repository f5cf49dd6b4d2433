/* The folder that a trace is recorded into. */
#ifndef SKAMPI_TRACE_COMMAND_DESTINATION_H
#define SKAMPI_TRACE_COMMAND_DESTINATION_H

#include <limits.h>
#include <stdbool.h>

struct destination {
    char folder[PATH_MAX]; /* absolute */
    char command[40];      /* value of FORMAT_JOBS_VARIABLE */
    bool made;             /* the folder was not there */
};

/* Finds out whether there can be a trace. An old one stays as it is: the library replaces it. Sets
 * the variables by which that knows of the folder. Status 0, or 2 after one line on standard error.
 */
int destination_prepare(struct destination *, const char *folder);
/* After the program has ended, or where it could not be started: removes what was there for its
 * time alone. ran: and says if nothing was recorded, since whoever finds no trace should know why.
 */
void destination_tidy(const struct destination *, bool ran);

/* One line on standard error; returns 2. */
__attribute__((format(printf, 1, 2))) int refuse(const char *format, ...);

#endif
