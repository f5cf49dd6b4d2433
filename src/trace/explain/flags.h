/* The places that lines wait for, and the latest writes to each. */
#ifndef SKAMPI_TRACE_EXPLAIN_FLAGS_H
#define SKAMPI_TRACE_EXPLAIN_FLAGS_H

#include "trace/explain/explain.h"

struct write {
    uint32_t line;
    struct call call;
    double time, ideal; /* of its beginning; of the line, where communication takes no time */
    bool valued;
    uint64_t value; /* the bytes of the flag, the first one lowest */
};

/* What somebody waits for. */
struct condition {
    int64_t pe, place;
    struct flag_condition flag;
    double from, to; /* when the write must have been made */
};

/* At the end of the first pass, in which flags were added to the list. */
void flags_sort(struct flags *, size_t pes);
/* What an event waits for at its own PE. */
struct condition flags_condition(const struct routine_kind *, int pe, const struct trace_event *);
/* In the second one: notes what an event writes, if it does. */
void flags_write(struct flags *, const struct routine_kind *, const struct trace_event *,
                 const struct write *);
/* The write that satisfied it, or NULL. Of a counter the first one that did. */
const struct write *flags_find(const struct flags *, const struct condition *);
void flags_free(struct flags *);

#endif
