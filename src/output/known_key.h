/*
 * What identifies a point in several files. Any PE.
 */
#ifndef SKAMPI_OUTPUT_KNOWN_KEY_H
#define SKAMPI_OUTPUT_KNOWN_KEY_H

#include "output/result.h"

/* Block, call, PEs and loop variables as one text, the same whether the point comes from the engine
 * or from a file: numbers by their value, texts as JSON writes them. The caller frees it. */
char *known_key(const struct result_point *);

#endif
