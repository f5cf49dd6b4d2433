/*
 * What files are, told by how they begin, and whether writing may replace them. Any thread; running
 * out of memory ends the job (base/memory.h). scripts/skampi_tools/kinds.py has the same table.
 */
#ifndef SKAMPI_BASE_KIND_H
#define SKAMPI_BASE_KIND_H

#include <stdbool.h>

struct kind {
    const char *begins; /* an extended regular expression for the first bytes of the file */
    const char *what;   /* "a result file" */
    const char *reader; /* the command that reads it, with %s for its name; NULL: there is none */
    bool ours;          /* a program of this project has written it */
};

/* NULL: a file that cannot be read, or is of no known kind. */
const struct kind *kind_of(const char *path);

/* For a message about a file that a program cannot use: what the file is and which command reads
 * it, such as "this is a result file: skampi table a.json". own: the program, which is no
 * answer. The caller frees it; NULL: unknown. */
char *kind_misfit(const char *path, const char *own);

/* Whether a file may be written: NULL, or why not, which the caller frees. A file that is not empty
 * and was written by none of our programs is refused, unless force is set. *replaced becomes what
 * to say once the file has been opened, such as "replaced a.json of 11:58", or NULL; the caller
 * frees it. */
char *kind_refuse_replacing(const char *path, bool force, char **replaced);

#endif
