/*
 * What the functions that measurements call (run_start(), run_note(), ...) share with the engine.
 * measurement.h declares those functions.
 */
#ifndef SKAMPI_ENGINE_HOOKS_H
#define SKAMPI_ENGINE_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clock/sync.h"
#include "engine/samples.h"
#include "engine/window.h"

/* What run_elapsed() saw on this PE. */
struct timing {
    int64_t shortest;     /* timed interval of this measurement, ticks; INT64_MAX: none */
    int64_t longest;      /* valid repetition, from start to stop, ticks */
    double total;         /* of all timed intervals since the start of the program, seconds */
    double shortest_part; /* of the last repetition, as run_shortest_part() said; else NaN */
};

struct hooks {
    struct window window;
    struct timing timing;
    struct notes notes;
    char *failure;    /* why this measurement fails on this PE, or NULL */
    bool unsupported; /* it does, since the library does not offer it */
    const struct sync_report *clocks;
    double pause_overhead;   /* seconds */
    bool pause_known;        /* by the timer in use */
    size_t library_measured; /* measurements of a library so far, except those marked `once` */
    bool report_end;         /* the output is to end with what the library's own end took */
};

#endif
