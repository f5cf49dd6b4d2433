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

/* In the first pass: */
void flags_add(struct flags *, int64_t pe, int64_t place, uint64_t bytes);
void flags_sort(struct flags *, size_t pes); /* at its end */
/* The flag after *number (SIZE_MAX: the first one) that these bytes of a PE overlap, and its
 * number; NULL: there is none. */
const struct flag_place *flags_next(const struct flags *, int64_t pe, int64_t place, uint64_t bytes,
                                    size_t *number);
/* What an event waits for at its own PE. */
struct condition flags_condition(const struct routine_kind *, int pe, const struct trace_event *);
/* In the second one: notes what an event writes, if it does. */
void flags_write(struct flags *, const struct routine_kind *, const struct trace_event *,
                 const struct write *);
/* The write that satisfied it, or NULL. Of a counter the first one that did. */
const struct write *flags_find(const struct flags *, const struct condition *);
void flags_free(struct flags *);

#endif
