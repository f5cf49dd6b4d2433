/* Makes operations of events. */
#ifndef SKAMPI_SIM_TRANSLATE_H
#define SKAMPI_SIM_TRANSLATE_H

#include "sim/streams.h"

/* Upper bound of operations per event, including operations held back earlier. */
#define TRANSLATE_MOST 4

/* Adds the operations of an event to the thread's window, which has room. False: error is set. */
bool translate(struct streams *, int thread, const struct raw_event *);
/* Adds the operations that were held back, at the end of a stream. */
void translate_end(struct streams *, int thread);

#endif
