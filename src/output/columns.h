/*
 * Members of results that have a number, by which .sko shows further columns. Any PE.
 */
#ifndef SKAMPI_OUTPUT_COLUMNS_H
#define SKAMPI_OUTPUT_COLUMNS_H

#include <stddef.h>

/* The name of the one at this index, from 0; NULL after the last one. */
const char *column_name(size_t index);
/* The index of that name; -1: there is no such number. */
int column_find(const char *name);

#endif
