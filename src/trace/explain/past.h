/* What lines did lately, and what therefore made one of them late. */
#ifndef SKAMPI_TRACE_EXPLAIN_PAST_H
#define SKAMPI_TRACE_EXPLAIN_PAST_H

#include "trace/explain/explain.h"

void past_push(const struct explain *, struct line *, struct segment);
/* Forgets the segments from that number on. */
void past_cut(struct past *, uint64_t number);
/* The segment of that number; NULL: it is forgotten. */
struct segment *past_segment(struct past *, uint64_t number);

/* Adds a wait and says what made it: `by` is late. The delay is what `by` did more than the one
 * that waits since they last met (Boehme et al., Identifying the root causes of wait states in
 * large-scale parallel applications, 2016, section 3). With `meanwhile` it is what `by` did during
 * the wait. Returns 1 + the wait's number; 0 if nobody waited. */
uint32_t wait_add(struct explain *, struct wait, bool meanwhile);
/* Notes that both met at that time. */
void lines_met(struct explain *, uint32_t, uint32_t, double time);

#endif
