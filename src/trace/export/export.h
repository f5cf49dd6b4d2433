/* Functions that the exports to other tools' formats share. */
#ifndef SKAMPI_TRACE_EXPORT_EXPORT_H
#define SKAMPI_TRACE_EXPORT_EXPORT_H

#include "trace/read/reader.h"

/* The seconds between which all selected events lie. *last is only found with `whole`, since that
 * reads the complete trace. Both are 0 without events. */
void export_span(struct reader *, bool whole, double *first, double *last);

/* Nanoseconds since origin, at least 0. */
uint64_t export_ns(const struct source *, int64_t ticks, double origin);

/* A name from a file, which may hold any bytes, as one line of UTF-8. The caller frees it. */
char *export_name(const char *);

extern const struct reader_command export_command;

void export_otf2(struct reader *, const char *folder);
void export_chrome(struct reader *, const char *path);
void export_perfetto(struct reader *, const char *path);
void export_paraver(struct reader *, const char *name);
void export_goal(struct reader *, const char *path);

#endif
