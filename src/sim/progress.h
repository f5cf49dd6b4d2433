/* When targets serve requests. */
#ifndef SKAMPI_SIM_PROGRESS_H
#define SKAMPI_SIM_PROGRESS_H

#include "sim/request.h"

/* A request has arrived at its target. */
void progress_arrives(struct replay *, uint32_t request);
/* The PE begins a call, or has ended: it serves the requests that wait for that. Its library
 * handles messages from then on. */
void progress_call(struct replay *, uint32_t pe, int64_t from);

#endif
