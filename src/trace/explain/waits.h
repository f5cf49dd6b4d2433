/* Waits for writes, and loops that poll. In the second pass. */
#ifndef SKAMPI_TRACE_EXPLAIN_WAITS_H
#define SKAMPI_TRACE_EXPLAIN_WAITS_H

#include "trace/explain/step.h"

/* Whether the call goes on with a loop; else the loop before it has ended. Before the burst counts.
 */
bool poll_goes_on(struct step *);
/* The burst before a call of a loop. */
void poll_burst(struct step *, double useful);
/* At the end of each call; true: the loop's time was added to the past already. */
bool poll_end(struct step *);
/* Notes what the call writes. */
void wait_start(struct step *);
/* The line has waited from then on. False: nobody is known to have ended that. */
bool wait_for(struct step *, struct condition, double from);

#endif
