/* shmemtrace report: one page for a browser with all that is known of a run. */
#ifndef SKAMPI_TRACE_REPORT_REPORT_H
#define SKAMPI_TRACE_REPORT_REPORT_H

#include "trace/explain/explain.h"
#include "trace/read/summary.h"

extern const struct reader_command report_command;

/* ---- The texts of the page, which the build takes from their files (Makefile). $name is replaced
 * ---- */

extern const char page_frame[]; /* of all reports: scripts/skampi_tools/report/page.html */
extern const char page_body[];  /* body.html */
extern const char page_style[], page_program[];

/*
 * ---- timeline.c ----
 *
 * The time line of a run, at two levels of detail: of each row, a thread of a PE, the shares of
 * what it does in even stretches of time; and its calls, of which short neighbours are taken
 * together if they are too many.
 */

/* What calls are shown as. What is left of the time is computation. */
enum category {
    CATEGORY_PUT,
    CATEGORY_COLLECTIVE,
    CATEGORY_OTHER,
    CATEGORY_LOCK,
    CATEGORY_ATOMIC,
    CATEGORY_SYNCHRONIZATION,
    CATEGORY_GET,
    CATEGORIES
};

#define TIMELINE_LEVELS 45 /* of taking calls together: not at all, then in 2, 4, 8, ... ns */

struct timeline {
    struct explain *explain; /* all passes were made */
    uint64_t most;           /* calls that are kept */
    uint32_t rows, lines_per_row, buckets;
    float *shares; /* by row, bucket and category: seconds */
    struct timeline_line {
        double last;                   /* end of its last call (seconds) */
        double begun[TIMELINE_LEVELS]; /* of what is taken together at a level; seconds */
    } * lines;
    uint64_t counts[TIMELINE_LEVELS]; /* of what is kept at a level */
    int level;
    uint64_t calls;            /* in the window */
    enum category *categories; /* by spot */
    size_t category_room;
    char *blocks, *waits; /* where they are in the packed text, as JSON */
    uint64_t shares_at;
};

/* When all waits are known. */
void timeline_begin(struct timeline *);
/* Then for each call; those of a thread in their order. */
void timeline_survey(struct timeline *, struct source *, const struct trace_event *);
/* Then reads the trace again, and writes what the page unpacks. */
void timeline_write(struct timeline *, FILE *out);
/* After that: the description, as members of an object of JSON. */
void timeline_members(const struct timeline *, FILE *out);
void timeline_free(struct timeline *);

#endif
