/* The races that were found, as a report. Private to races.c and races_report.c. */
#ifndef SKAMPI_TRACE_CHECK_RACES_REPORT_H
#define SKAMPI_TRACE_CHECK_RACES_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "trace/check/shadow.h"
#include "trace/read/reader.h"

#define RACES_MOST_ALLOCATIONS 4096 /* the latest ones */

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

struct allocation {
    uint64_t place, bytes;
    uint32_t site;
};

/* The races that were found, counted by their pairs of call sites. */
struct race_report {
    struct table pairs;                                    /* struct race_entry */
    uint64_t more;                                         /* that are not kept */
    struct allocation allocations[RACES_MOST_ALLOCATIONS]; /* a ring */
    size_t allocation_count;
};

void races_report_add(struct race_report *, const struct race *);
/* Memory that races may lie in from here on. */
void races_report_allocation(struct race_report *, struct allocation);
/* Tells the text of each pair of call sites. */
void races_report_tell(const struct race_report *, struct reader *,
                       void (*tell)(void *context, const char *), void *context);
void races_report_free(struct race_report *);

#endif
