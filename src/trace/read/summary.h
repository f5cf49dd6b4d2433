/* What a summary collects in one pass over a trace, and functions that show it. Times are in
 * seconds, sizes in bytes. */
#ifndef SKAMPI_TRACE_READ_SUMMARY_H
#define SKAMPI_TRACE_READ_SUMMARY_H

#include <math.h>

#include "trace/read/reader.h"

/*
 * ---- distribution.c ----
 *
 * The distribution of the times of many calls (seconds), in constant memory: sums, extremes, and a
 * histogram with steps of at most an eighth of an octave, which gives quantiles within 7 %.
 */

#define DISTRIBUTION_STEPS 8    /* an octave */
#define DISTRIBUTION_OCTAVES 45 /* above 1 ns; times above 9 hours count as 9 hours */

struct distribution {
    uint64_t count;
    double sum, squares, min, max;
    uint64_t bins[DISTRIBUTION_STEPS * DISTRIBUTION_OCTAVES];
};

/* Adds a time. A distribution begins as all zeros. */
void distribution_add(struct distribution *, double seconds);
double distribution_mean(const struct distribution *);
double distribution_deviation(const struct distribution *); /* NaN with fewer than two times */
/* The quantile of a share from 0 to 1; NaN without times. */
double distribution_quantile(const struct distribution *, double share);
/* Mean without the quarters at both ends. */
double distribution_middle(const struct distribution *);

/* ---- The summary ---- */

struct total {
    uint64_t calls, bytes;
    double seconds, longest;
};

static inline void total_add(struct total *sum, const struct total *part)
{
    sum->calls += part->calls;
    sum->bytes += part->bytes;
    sum->seconds += part->seconds;
    sum->longest = fmax(sum->longest, part->longest);
}

/* Calls of one routine, or of one routine from one line of the program. */
struct summary_row {
    size_t routine, site; /* numbers of the reader's; site 0: from all lines */
    enum trace_class class;
    struct total total;
};

enum waiting {
    WAITING_BARRIERS,
    WAITING_POINT, /* wait_until, test */
    WAITING_COMPLETION,
    WAITING_LOCKS,
    WAITING_COLLECTIVES,
    WAITING_MEMORY, /* barriers inside of allocation and end */
    WAITINGS
};

/* What is compared over PEs. */
enum quantity {
    QUANTITY_CALLS,
    QUANTITY_BYTES,
    QUANTITY_INSIDE,  /* routines of OpenSHMEM, all threads (seconds) */
    QUANTITY_WAITING, /* a part of inside */
    QUANTITY_OUTSIDE, /* computation between calls (seconds) */
    QUANTITIES
};

struct summary_pe {
    int pe;
    double elapsed; /* from its first call's start to the last one's end */
    double of[QUANTITIES];
};

/* Calls of a PE to a peer. */
struct summary_pair {
    int pe;
    int64_t peer;
    uint64_t calls, to, from; /* bytes */
    double seconds;
};

#define SUMMARY_SIZES 65     /* bytes 0; 1; 2-3; 4-7; ... */
#define SUMMARY_PAIRS 32     /* most pairs that the text shows: those with most bytes */
#define SUMMARY_SITES 32     /* most call sites that the text shows: those with most time */
#define SUMMARY_MOST_PES 256 /* with more PEs, results have no means of single PEs */

struct summary_phase {
    uint32_t phase;
    struct total total;
    double outside;
    double counted;   /* seconds for which counters were on, over all threads */
    double *counters; /* sums over PEs and threads */
};

/* Calls of one routine with sizes of one power of two. */
struct summary_group {
    size_t routine, size;
    uint64_t bytes, least, most;
    struct distribution times;
    double *sums; /* by PE; empty if the run has more than SUMMARY_MOST_PES */
    uint64_t *counts;
};

struct summary {
    struct reader *reader;
    size_t counter_count; /* of all files */

    struct summary_row *routines; /* by number in the reader's table */
    size_t routine_room;
    struct table sites; /* by site and routine: struct summary_row */
    double waiting[WAITINGS];
    struct total sizes[SUMMARY_SIZES][TRACE_CLASSES];
    struct distribution bursts;
    struct summary_pe *per_pe;
    size_t pe_count;
    struct table phases; /* struct summary_phase */
    struct table pairs;  /* struct summary_pair, of the PE that is being read */
    struct summary_pair best[SUMMARY_PAIRS];
    size_t best_count;
    uint64_t pair_count;

    FILE *out;
    bool json;    /* whether JSON is wanted */
    bool grouped; /* whether groups are wanted */
    /* Takes each pair in the place of JSON; NULL: nothing does. */
    void (*take_pair)(void *context, const struct summary_pair *);
    /* Takes each call that is added, too, as the file has them; NULL: nothing does. */
    void (*take_event)(void *context, struct source *, const struct trace_event *);
    void *context;
    struct table groups; /* struct summary_group */

    uint64_t events, dropped;
    uint64_t pointers;  /* calls that gave a pointer to memory of another PE */
    size_t start_alone; /* PEs whose clocks were synchronized only at the start */
    size_t incomplete;
    double first, last;
    bool profile;                     /* recorded without events */
    double cost_between, cost_inside; /* what the tracer added to a call: sums over PEs */
};

/* PEs of which results have means. */
static inline size_t trace_summary_pes(const struct summary *summary)
{
    int pes = summary->reader->run->pes;
    return pes <= SUMMARY_MOST_PES ? (size_t)pes : 0;
}

/* Reads the trace. A summary begins with the reader, and what is wanted. Ends the program if
 * nothing can be read. Returns the exit status. */
int trace_summary_collect(struct summary *);
void trace_summary_release(struct summary *); /* what it holds */

void trace_summary_as_text(const struct summary *);
/* Around the pairs, which are written as they come: */
void trace_summary_json_begin(const struct summary *);
void trace_summary_json_pair(const struct summary *, const struct summary_pair *);
void trace_summary_json_end(const struct summary *);
void trace_summary_results(struct summary *); /* sorts the groups */

#endif
