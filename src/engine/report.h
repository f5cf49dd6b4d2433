/*
 * A result of the engine in the words of the output: the point, how it was measured, its numbers.
 */
#ifndef SKAMPI_ENGINE_REPORT_H
#define SKAMPI_ENGINE_REPORT_H

#include "engine/messages.h"
#include "engine/outcome.h"
#include "engine/request.h"
#include "engine/services.h"

struct reporter {
    struct output *output;
    const struct engine_options *options;
    const struct describer *describer;
    struct block *block; /* whose totals a result adds to */
    const struct round *round;
    struct display *display;
    double started; /* the engine, wall_seconds() */
};

/* several: states of the machine were seen so far. PE 0. */
void report_result(const struct reporter *, const struct bench *, const struct measure_request *,
                   const struct outcome *, bool several, bool rounds_follow);
/* The result of an earlier run in place of a measurement: whether there is one. *time is its time
 * in seconds. PE 0. */
bool report_earlier(const struct reporter *, const struct measure_request *, double *time);
/* All rounds of a point. PE 0. */
void report_rounds(const struct reporter *, const struct rounds_record *, struct machine *);

#endif
