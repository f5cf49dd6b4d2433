/*
 * A request from start to end.
 */
#ifndef SKAMPI_ENGINE_MEASURE_H
#define SKAMPI_ENGINE_MEASURE_H

#include "engine/engine.h"

/* Measures a request; collective, also for PEs outside request->set. The status is the same on all
 * PEs. */
enum measure_status measure(struct engine *, const struct measure_request *);

#endif
