/* What words of a command line name: launchers, and other programs. */
#ifndef SKAMPI_TRACE_COMMAND_PROGRAMS_H
#define SKAMPI_TRACE_COMMAND_PROGRAMS_H

#include <stdbool.h>

/* A launcher by its name alone, of Open MPI or not. */
bool programs_is_launcher(const char *word);
/* Whether -x is needed to hand on variables. Asks the launcher who it is, where its name does not
 * say. */
bool programs_is_open_mpi(const char *launcher);
/* Whether a shell would start it: a file that may be executed, or the name of one on the path. */
bool programs_exists(const char *word);
/* "; did you mean ...", or what else may be meant by a word that is neither a program nor one of
 * the commands; never NULL, to be freed. */
char *programs_advice(const char *word, const char *const *commands, int count);

#endif
