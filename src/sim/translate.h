/* Makes operations of events. */
#ifndef SKAMPI_SIM_TRANSLATE_H
#define SKAMPI_SIM_TRANSLATE_H

#include "sim/streams.h"

/* An event makes at most so many, what was held back before it included. */
#define TRANSLATE_MOST 4

/* Adds the operations of an event to the line's window, which has room. False: error is set. */
bool translate(struct streams *, int line, const struct raw_event *);
/* At the end of a stream: what was held back. */
void translate_end(struct streams *, int line);

#endif
