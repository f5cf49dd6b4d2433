/* Locks: who held them. In the second pass. */
#ifndef SKAMPI_TRACE_EXPLAIN_LOCKS_H
#define SKAMPI_TRACE_EXPLAIN_LOCKS_H

#include "trace/explain/step.h"

void lock_start(struct step *);
void lock_got(struct step *, double since);
void locks_free(struct locks *);

#endif
