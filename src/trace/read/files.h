/* The files that a trace consists of. */
#ifndef SKAMPI_TRACE_READ_FILES_H
#define SKAMPI_TRACE_READ_FILES_H

#include <stdbool.h>

/* Whether a path is a trace: its folder, a pack, or the file of a PE. */
bool trace_is(const char *path);
/* The sorted files of a trace, which is a folder, a pack or a single file. Returns their number, or
 * -1 with a text in *error. The caller frees the text and, by
 * trace_files_free(), the files. */
long trace_files(const char *path, char ***files, char **error);
/* Frees them, if there are any. */
void trace_files_free(char **files, long count);

#endif
