/*
 * The window of the repetition in progress: when it starts, and whether it kept to that.
 */
#ifndef SKAMPI_ENGINE_WINDOW_H
#define SKAMPI_ENGINE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/measurement.h"
#include "settings/settings.h"

/* Global ticks (of the set's rank 0), except where it says otherwise. */
struct window {
    enum synchronization synchronization; /* in force for this call, */
    enum window_rule rule;                /* and how windows are laid */
    int64_t origin, width;                /* width 0: not known yet */
    int64_t index;                        /* of the repetition in the batch */
    int64_t scheduled;                    /* start of this repetition */
    int64_t start, stop;                  /* local ticks */
    bool started_late, took_too_long;
    int64_t longest_poll; /* local ticks */
    int64_t broadcast;    /* upper estimate of the engine's broadcast */
};

/* Repetitions start by the clock, or after the engine's barrier, whose skew the clocks measure. */
bool window_applies(const struct run *);
/* set_run_time("global") is in force. */
bool window_global_run_time(const struct run *);

#endif
