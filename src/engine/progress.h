/*
 * How far the run is, on standard error, for people who wait. PE 0 prints.
 */
#ifndef SKAMPI_ENGINE_PROGRESS_H
#define SKAMPI_ENGINE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/block.h"
#include "engine/options.h"
#include "engine/round.h"
#include "output/result.h"

struct display {
    const struct engine_options *options;
    const struct block *block;
    const struct round *round;
    double started; /* the engine, wall_seconds() */
    double share;   /* of this block that is done */
    double shown;   /* wall_seconds() of the last line */
    char *result;   /* the last one, for the line */
};

/* What comes next, if it is time for a line. call: its text. */
void progress_show(struct display *, const char *call);
/* A measurement goes on. */
void progress_go_on(struct display *);
void progress_result(struct display *, const struct statistics *, bool is_time);
/* The next round begins after these seconds. */
void progress_wait(struct display *, double seconds);
/* Waits for a state of the machine, as the user named it. */
void progress_state(struct display *, const char *state);
/* Other lines follow on standard error: a line that is overwritten disappears. */
void progress_end(struct display *);

#endif
