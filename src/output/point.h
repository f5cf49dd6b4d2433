/*
 * What identifies a point in several files, as one text. Any PE.
 *
 * "put" count=8: Shmem_Put_Round(8, 10); 2 PEs 0-1 on one node; window start
 *
 * It holds what script and command line state: block and loop variables, then the call, the PEs and
 * their places, how repetitions start, and settings that differ from their defaults. It holds
 * nothing that skampi chooses or measures, and nothing about library and machine.
 * scripts/skampi_tools/points.py makes the text of records that do not have it.
 */
#ifndef SKAMPI_OUTPUT_POINT_H
#define SKAMPI_OUTPUT_POINT_H

#include <stdio.h>

#include "output/result.h"

/* The caller frees the text. Members that are NULL or 0 are not known, and are left out. */
char *point_text(const struct result_point *);
/* "window start (mpiperf)", "barrier start", "no synchronization"; "" where that is not known. The
 * caller frees it. */
char *point_start(const struct result_point *);

#endif
