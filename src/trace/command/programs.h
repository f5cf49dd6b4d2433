/* Recognizes launchers and other programs in a command line. */
#ifndef SKAMPI_TRACE_COMMAND_PROGRAMS_H
#define SKAMPI_TRACE_COMMAND_PROGRAMS_H

#include <stdbool.h>

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
