/* Findings as sentences. */
#ifndef SKAMPI_TRACE_EXPLAIN_SENTENCE_H
#define SKAMPI_TRACE_EXPLAIN_SENTENCE_H

#include "base/text.h"
#include "trace/explain/explain.h"

/* The PEs that have at least a tenth of the largest value: "PEs 0, 1 and 2", "PEs 0-3". values: by
 * line. The caller frees it. */
char *sentence_pes(const struct explain *, const double *values);
/* Who waits where for whom, and why. The caller frees it. */
char *sentence_of(const struct explain *, const struct finding *);
const char *sentence_remedy(const struct explain *, const struct finding *);
/* A routine and its site, or which call of it, unless that is 0. The caller frees it. */
char *sentence_call(const struct explain *, struct call);
/* Prints a text in lines of 80 columns; those after the first one are indented. */
void sentence_print(FILE *out, int indent, const char *text);

#endif
