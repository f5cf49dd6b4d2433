/*
 * One attempt at a measurement, by the members of the set. Only trial.c calls the hooks of
 * descriptors.
 */
#ifndef SKAMPI_ENGINE_TRIAL_H
#define SKAMPI_ENGINE_TRIAL_H

#include <stdbool.h>

#include "engine/batch.h"
#include "engine/batches.h"
#include "engine/clocks.h"
#include "engine/outcome.h"

struct trial {
    struct bench *bench;
    struct display *display;
    struct accounting *accounting;
    struct machine *machine;
    double ends;   /* the time limit, wall_seconds() */
    int64_t began; /* the attempt, timer ticks */
    bool debug;    /* each batch is reported on standard error */
    bool raw;      /* the outcome has every repetition */
};

/* All PEs of the world. False when it failed on some member, which has the reason in its services.
 */
bool trial_run(const struct trial *, struct outcome *);

#endif
