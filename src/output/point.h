/*
 * What identifies a point in several files, as one text. Any PE.
 *
 *     "put" count=8: Shmem_Put_Round(8, 10); 2 PEs 0-1 on one node; window start
 *
 * It holds what is stated: block and loop variables, then the call, the PEs and where they are, how
 * repetitions start, settings that are not as by default. Nothing in it is chosen or measured, and
 * nothing is of the library or the machine. scripts/skampi_tools/points.py makes the text of
 * records that do not have it.
 */
#ifndef SKAMPI_OUTPUT_POINT_H
#define SKAMPI_OUTPUT_POINT_H

#include <stdio.h>

#include "output/result.h"

/* The caller frees it. Members that are NULL or 0 are not known, and left out. */
char *point_text(const struct result_point *);
/* Appends what follows block and variables. */
void point_put_stated(FILE *text, const struct result_point *);
/* "window start (mpiperf)", "barrier start", "no synchronization"; "" where that is not known. The
 * caller frees it. */
char *point_start(const struct result_point *);

#endif
