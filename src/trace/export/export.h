/* What the formats of other tools' traces share; one process each. */
#ifndef SKAMPI_TRACE_EXPORT_EXPORT_H
#define SKAMPI_TRACE_EXPORT_EXPORT_H

#include "trace/read/reader.h"

/* Seconds between which everything lies that is read; whole: *last, too, for which all is read.
 * Both 0 without events. */
void export_span(struct reader *, bool whole, double *first, double *last);

/* The PEs of a trace, as each file says how many there are. */
struct export_pes {
    int count; /* 0 before the first file */
    bool *has_file;
};

/* For each file: notes its PE. Ends the program when the file is of a run with another number of
 * PEs, or its PE had one already. true: it is the first file, and the PEs are known now. */
bool export_pe(struct export_pes *, const struct source *);

/* Nanoseconds since origin, not below 0. */
uint64_t export_ns(const struct source *, int64_t ticks, double origin);

/* A name from a file, which may be anything, as one line of UTF-8; to be freed. */
char *export_name(const char *);

extern const struct reader_command export_command;

void export_otf2(struct reader *, const char *folder);
void export_chrome(struct reader *, const char *path);
void export_paraver(struct reader *, const char *name);

#endif
