/*
 * The events of all PEs and threads in the order of time. Only one block of each thread is in
 * memory, however long the trace is.
 */
#ifndef SKAMPI_TRACE_READ_MERGE_H
#define SKAMPI_TRACE_READ_MERGE_H

#include "trace/read/reader.h"

struct merge;

struct merge_event {
    struct source *source;
    const struct trace_event *event;     /* valid until the next call */
    const struct trace_event *following; /* the next event of this thread, or NULL */
    double seconds;                      /* of its start, or of its end */
    bool end;
};

/* With `ends`, each event comes twice, at its start and at its end. */
struct merge *merge_open(struct reader *, bool ends);
bool merge_next(struct merge *, struct merge_event *);
/* The present event comes once more, at that time (seconds): what it has waited for may come until
 * then, if clocks differ. */
void merge_again(struct merge *, double seconds);
void merge_close(struct merge *);

#endif
