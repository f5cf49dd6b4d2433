/* Collectives: who came last. In the second pass. */
#ifndef SKAMPI_TRACE_EXPLAIN_MEETINGS_H
#define SKAMPI_TRACE_EXPLAIN_MEETINGS_H

#include "trace/explain/step.h"

void meet_start(struct step *);
void meetings_free(struct explain *);

#endif
