/*
 * A measurement function's descriptor as JSON, for --list and --describe with --format json. Any
 * PE.
 */
#ifndef SKAMPI_LIST_JSON_H
#define SKAMPI_LIST_JSON_H

#include "engine/measurement.h"

/* One line on standard output; members without a value are left out. */
void list_json(const struct measurement *);

#endif
