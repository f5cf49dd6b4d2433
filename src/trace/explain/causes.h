/* Why somebody waits: names, and what helps. */
#ifndef SKAMPI_TRACE_EXPLAIN_CAUSES_H
#define SKAMPI_TRACE_EXPLAIN_CAUSES_H

#include <stdbool.h>

enum cause {
    CAUSE_BARRIER,
    CAUSE_COLLECTIVE,
    CAUSE_WRITER,
    CAUSE_LOCK,
    CAUSE_PROGRESS, /* up to here another PE comes late */
    CAUSE_ATOMIC,
    CAUSE_QUIET,
    CAUSE_TRANSFER, /* no waiting: what communication itself takes */
    CAUSES
};

struct cause_row {
    const char *name;
    /* {who} wait{s} in {where} for the routine {call} of {whom}, called {at} a site. */
    const char *sentence;
    const char *remedy;       /* if the one that is late computes */
    const char *remedy_calls; /* if it communicates */
};
extern const struct cause_row cause_rows[CAUSES];

static inline bool cause_has_late_pe(enum cause cause)
{
    return cause <= CAUSE_PROGRESS;
}

#endif
