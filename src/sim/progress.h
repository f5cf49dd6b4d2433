/* Progress at the targets of requests. */
#ifndef SKAMPI_SIM_PROGRESS_H
#define SKAMPI_SIM_PROGRESS_H

#include "sim/request.h"

/* A request is at its target. */
void progress_arrives(struct replay *, uint32_t request);
/* The PE begins a call, or has ended: what waits for that is served. A library that handles
 * messages does so from then on. */
void progress_call(struct replay *, uint32_t pe, int64_t from);

#endif
