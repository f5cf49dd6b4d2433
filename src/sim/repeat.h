/*
 * Repeats a prediction: on other machines, or to find out more of it. One process.
 */
#ifndef SKAMPI_SIM_REPEAT_H
#define SKAMPI_SIM_REPEAT_H

#include "sim/replay.h"

struct repeat {
    struct run *run;
    const struct machine *machine;
    const char *description; /* its file */
    bool several;            /* PEs are on several nodes */
    struct replay_options options;
    double run_time; /* ps, of the prediction */
    double work;     /* of a repetition: one event of the trace is 1 */
};

/* What must not take longer than some seconds unless it has been asked for may do so much work. */
#define REPEAT_WORK 1e7

struct repeat repeat_of(const struct replay *, const struct replay_options *,
                        const char *description);
/* The run time on a machine (ps); NaN: the run cannot be predicted for it. */
double repeat_time(const struct repeat *, const struct machine *);
/* Finds where the critical path of the prediction is. To be freed. */
struct profile repeat_profile(const struct repeat *, const struct replay *);

/* The thread that ends last, of a replay. */
uint32_t repeat_last(const struct replay *);

#endif
