/*
 * Races: accesses to the same bytes that nothing orders, by the calls of all PEs. What programs do
 * with memory themselves, and by what else than OpenSHMEM they synchronize, is not in a trace.
 */
#ifndef SKAMPI_TRACE_CHECK_RACE_REPORT_H
#define SKAMPI_TRACE_CHECK_RACE_REPORT_H

#include "trace/check/order.h"
#include "trace/read/reader.h"

/* Takes the text of a race. */
typedef void races_tell(void *context, const char *text);

/* Finds and tells them: races.c. Reads the trace of a run twice; all files must be whole, with all
 * PEs. Says on standard error what it leaves out. */
void races_find(struct reader *, races_tell *tell, void *context);

/* ---- The report: those of the same two call sites together ---- */

/* What the first access lacks for being ordered before the second one. */
enum race_lack {
    LACK_SYNCHRONIZATION, /* nothing tells the second PE that the first one has come so far */
    LACK_COMPLETION,      /* it is told, but the access may still go on */
    LACK_FENCE,           /* both are puts of one PE */
    LACK_QUIET            /* of one PE */
};

struct race {
    struct access first, second;
    int first_pe, second_pe, owner;
    int64_t context; /* of the first access */
    bool pending;    /* it is complete by a quiet */
    enum race_lack lack;
    uint64_t begin, end; /* bytes */
};

struct race_report;

struct race_report *race_report_new(void);
void race_report_free(struct race_report *);
void race_report_add(struct race_report *, const struct race *);
/* Memory that the program has allocated on all PEs: until something else is there. */
void race_report_allocated(struct race_report *, uint64_t place, uint64_t bytes, uint32_t site);
/* Tells all, in the order in which they were found. */
void race_report_tell(const struct race_report *, struct reader *, races_tell *tell, void *context);
/* Races that it had no room for. */
uint64_t race_report_more(const struct race_report *);

#endif
