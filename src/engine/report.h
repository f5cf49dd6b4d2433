/*
 * A result of the engine in the words of the output: the point, how it was measured, its numbers.
 */
#ifndef SKAMPI_ENGINE_REPORT_H
#define SKAMPI_ENGINE_REPORT_H

#include <stdbool.h>

#include "engine/outcome.h"
#include "engine/request.h"

struct engine;

/* PE 0 of all. */
void report_result(struct engine *, const struct measure_request *, const struct outcome *);
/* The result of an earlier run in place of a measurement: whether there is one. *time is its time
 * in seconds. */
bool report_earlier(struct engine *, const struct measure_request *, double *time);
/* All rounds of a point. */
void report_rounds(struct engine *, const struct engine_rounds_record *);

#endif
