/*
 * The files in the folder of a trace, and which of them may be removed. The command asks before it
 * starts a program; the library removes an old trace when the new one has begun.
 */
#ifndef SKAMPI_TRACE_FOLDER_H
#define SKAMPI_TRACE_FOLDER_H

#include <stdbool.h>

/* The PE whose file has this name, or -1. */
long folder_pe_of(const char *name);

/* Why a file may not be removed, as text after "holds NAME, ". NULL if it may: it belongs to a
 * trace that nobody is writing. */
const char *folder_kept_because(int folder, const char *name);

/* Whether a folder belongs to a later job of another command than the one whose
 * FORMAT_JOBS_VARIABLE is given (NULL: of any command). */
bool folder_is_old_job(const char *path, const char *command);

#endif
