/*
 * What is in the folder of a trace, and what may be removed from it: the command asks before it
 * starts a program, the library removes an old trace when the new one has begun. Pure but for the
 * files.
 */
#ifndef SKAMPI_TRACE_FOLDER_H
#define SKAMPI_TRACE_FOLDER_H

#include <stdbool.h>

/* The PE whose file has this name; -1: no file of a PE has. */
long folder_pe_of(const char *name);

/* Why a file may not be removed: completes "holds NAME, "; NULL: it is a part of a trace, or of
 * making one, and nobody writes it. */
const char *folder_kept_because(int folder, const char *name);

/* Whether a folder is a further job's of an earlier command than that with this value of
 * FORMAT_JOBS_VARIABLE; NULL: of any command. */
bool folder_is_old_job(const char *path, const char *command);

#endif
