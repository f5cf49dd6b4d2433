/* What the routines of each file mean; files with equal routines share it. */
#ifndef SKAMPI_TRACE_EXPLAIN_KINDS_H
#define SKAMPI_TRACE_EXPLAIN_KINDS_H

#include "sim/op.h"
#include "trace/read/reader.h"

/* Of the last file; begin with zeros. */
struct kinds {
    char *names; /* its routines; free it at the end */
    struct routine_kind *of;
};

/* Of the next file, by the number of the routine. Names get numbers in the table. */
struct routine_kind *kinds_read(struct kinds *, const struct source *, struct table *routines);
/* Frees the kinds of all files, and the array; NULL where a file has none. */
void kinds_free(struct routine_kind **by_file, size_t count);

#endif
