/* Compares a trace with the description of the machine on which it was recorded: by classes of
 * calls, it finds what they took beyond that. One process. */
#ifndef SKAMPI_SIM_TRACED_ON_H
#define SKAMPI_SIM_TRACED_ON_H

#include "sim/replay.h"
#include "sim/surplus.h"

/* Replays the trace on its machine, on which the ratio of processors is 1. path is the file of that
 * description, options are those of the prediction. NULL: *error, to be freed, says why the trace
 * cannot be replayed there; *damaged says whether it is damaged, or ends in a deadlock. */
struct surplus *traced_on(struct run *, const char *path, struct machine *,
                          const struct replay_options *options, char **error, bool *damaged);
void surplus_free(struct surplus *);

#endif
