/*
 * The members of results that hold a number: .sko can show each of them as a further column. Any
 * PE.
 */
#ifndef SKAMPI_OUTPUT_COLUMNS_H
#define SKAMPI_OUTPUT_COLUMNS_H

#include <stddef.h>

/* The name of the member at this index, from 0; NULL after the last one. */
const char *column_name(size_t index);
/* The index of the member of that name, or -1. */
int column_find(const char *name);

#endif
