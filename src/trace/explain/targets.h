/* Calls that wait for their targets, contended atomics, needless quiets. In the second pass. */
#ifndef SKAMPI_TRACE_EXPLAIN_TARGETS_H
#define SKAMPI_TRACE_EXPLAIN_TARGETS_H

#include "trace/explain/step.h"

void target_start(struct step *);
void target_end(struct step *);
/* A PE that was in no call begins one; it ends the only one that it was in. */
void targets_enter(struct explain *, int pe, double time);
void targets_leave(struct explain *, int pe, double time);
/* Whether calls from there end only when their targets are in calls. */
bool progress_is_late(const struct explain *, uint32_t spot);
/* Whether another line ended the wait. */
bool wait_is_for_another(const struct explain *, const struct wait *);

#endif
