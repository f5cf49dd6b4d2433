/* What the formats of other tools' traces share; one process each. */
#ifndef SKAMPI_TRACE_EXPORT_H
#define SKAMPI_TRACE_EXPORT_H

#include "trace/reader.h"

/* Seconds between which everything lies that is read; whole: *last, too, for which all is read.
 * Both 0 without events. */
void export_span(struct reader *, bool whole, double *first, double *last);

/* Nanoseconds since origin, not below 0. */
uint64_t export_ns(const struct source *, int64_t ticks, double origin);

void export_otf2(struct reader *, const char *folder);
void export_chrome(struct reader *, const char *path);
void export_paraver(struct reader *, const char *name);

#endif
