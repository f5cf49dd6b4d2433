/* `shmemtrace [options] LAUNCHER... PROGRAM...` starts a program under the tracer: record.c, with
 * what the other files here offer. */
#ifndef SKAMPI_TRACE_COMMAND_COMMAND_H
#define SKAMPI_TRACE_COMMAND_COMMAND_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* argv[0] is the command. commands are the names of commands that read traces, for hints. Returns
 * the exit status. */
int record_main(int argc, char **argv, const char *const *commands, int command_count);

/* The classes of routines as a sentence, which the caller frees. */
char *record_classes(void);

/* ---- destination.c: the folder into which a trace is recorded ---- */

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

/* ---- programs.c: recognizes launchers and other programs in a command line ---- */

/* Whether the word is a launcher, of Open MPI or another library, judged by its name. */
bool programs_is_launcher(const char *word);
/* Whether the launcher passes on variables only with -x. Asks it for its version if its name does
 * not tell. */
bool programs_is_open_mpi(const char *launcher);
/* Whether a shell would start the word: an executable file, or the name of one on the path. */
bool programs_exists(const char *word);
/* "; did you mean ...", or another hint for a word that is neither a program nor a command. Never
 * NULL; the caller frees it. */
char *programs_advice(const char *word, const char *const *commands, int count);

#endif
