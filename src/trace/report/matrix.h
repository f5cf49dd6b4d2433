/* Which PE communicates with which one, by groups of PEs if they are many. */
#ifndef SKAMPI_TRACE_REPORT_MATRIX_H
#define SKAMPI_TRACE_REPORT_MATRIX_H

#include "trace/explain/explain.h"
#include "trace/read/summary.h"

enum matrix_quantity {
    MATRIX_TO,   /* bytes that calls of the first one move to the second one */
    MATRIX_FROM, /* bytes that they read there */
    MATRIX_CALLS,
    MATRIX_WAITED, /* seconds that the first one waits for the second one */
    MATRIX_QUANTITIES
};

struct matrix {
    int pes, group; /* group: PEs in a row */
    size_t rows;
    double *values; /* by row, column and quantity */
};

/* For a run of so many PEs, with its waits. */
void matrix_begin(struct matrix *, const struct explain *);
void matrix_add(void *matrix, const struct summary_pair *);
/* As a value of JSON: cells that are not empty are [row, column, values...]. */
void matrix_write(const struct matrix *, FILE *out);
void matrix_free(struct matrix *);

#endif
