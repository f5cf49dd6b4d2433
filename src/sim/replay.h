/* Replays a run on a machine; state.h has the result. One process. */
#ifndef SKAMPI_SIM_REPLAY_H
#define SKAMPI_SIM_REPLAY_H

#include "sim/state.h"

struct replay_options {
    const struct model *model;
    enum contention contention;
    bool per_pe;
    bool ignore_pointers; /* predict, although data may move between nodes by pointers */
    size_t window_bytes;
    struct profile *profile;           /* is told where the critical path is, or NULL */
    struct simulated_trace *simulated; /* where the run is written as a trace, or NULL */
    struct surplus *surplus;           /* what calls take in addition, or NULL */
    struct comparison *comparison;     /* with what they took in the trace, or NULL (traced_on.h) */
};

#define REPLAY_DEFAULTS                                                                            \
    {                                                                                              \
        .model = models, .window_bytes = 128 * 1024 * 1024                                         \
    }

/* False on failure, with the reason in replay->error. Call replay_close() in both cases. */
bool replay_run(struct replay *, struct run *, const struct machine *,
                const struct replay_options *);
void replay_close(struct replay *);

#endif
