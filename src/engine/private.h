/*
 * The engine: its parts. Only the files that put them together include this: measure.c with
 * report.c, rounds.c, factor_experiment.c with factor_report.c, and session.c.
 */
#ifndef SKAMPI_ENGINE_PRIVATE_H
#define SKAMPI_ENGINE_PRIVATE_H

#include <stdint.h>

#include "comm/comm.h"
#include "engine/clocks.h"
#include "engine/engine.h"
#include "engine/judge.h"
#include "engine/messages.h"
#include "engine/request.h"
#include "engine/services.h"
#include "engine/start.h"
#include "machine/machine.h"

/* Results that autorefine has printed in the order of their keys. */
struct sorting {
    size_t region;  /* of the results in progress; 0: they are not sorted */
    size_t regions; /* so far */
    double key;
};

/* What the last measurement found, the same on all PEs unless it says otherwise. */
struct latest {
    bool measured;      /* not left to an estimate */
    const char *absent; /* why there is no time; NULL: nothing was to be measured yet */
    double time;        /* that was reported, seconds; NaN: none */
    double assumed;     /* `time`; where an estimate left the measurement out, the time of its last
                           probe */
    size_t weight;      /* see measurement_weight() */
    double median;      /* of several levels, the one that is the result; PE 0 */
    struct statistics statistics; /* PE 0 */
};

struct factors;

struct engine {
    struct engine_options options;
    struct settings settings; /* in force */
    struct output *output;    /* of PE 0, else NULL */
    double started;           /* wall_seconds() */
    struct bench bench;
    struct clocks clocks;
    struct accounting accounting;
    struct limit limit;
    struct estimate estimate;
    struct block block;
    struct sorting sorting;
    struct round round;
    struct replay replay;
    struct factors *factors; /* NULL: none are to be tried, or there is no point */
    struct display display;
    struct describer describer;
    struct missing_points missing;
    struct pending_text pending;
    struct latest latest;
    size_t most_buffer;          /* bytes that it grows to where the script gives no size */
    char *ended;                 /* the script, before its end: why; NULL: not */
    struct machine *machine;     /* its states */
    struct comm_shared shared;   /* when the last point had ended */
    uint64_t seed, random_state; /* of shuffled rounds; of the script's random numbers */
};

/* Measures a request; collective, also for PEs outside request->set. The status is the same on all
 * PEs. */
enum measure_status measure(struct engine *, const struct measure_request *);

/* Back to the timer of an earlier measurement, which all PEs had then. All PEs. */
void measure_select_timer(struct engine *, const char *name);

/* ---- Points that are measured again at other times of the run (rounds.c) ---- */

/* Keeps a request that has been measured once, with what came of it: in all it is to be measured
 * `wanted` times. All PEs. */
void engine_rounds_record(struct engine *, const struct measure_request *, int wanted);
/* The later rounds; collective. */
void engine_rounds_replay(struct engine *);
/* The blocks of their results. Any PE. */
void engine_rounds_print(struct engine *);
/* The seconds that all rounds take when one takes this many. */
double engine_rounds_estimate(const struct engine *, double seconds);
void engine_rounds_free(struct engine *);

/* ---- What times depend on (factor_experiment.c) ---- */

/* Keeps a request that has been measured, where factors are to be tried. All PEs. */
void factors_record(struct engine *, const struct measure_request *);
/* The experiment; collective. */
void factors_run(struct engine *);
/* What it says. Any PE. In factor_report.c. */
void factors_print(struct engine *);
void factors_free(struct engine *);

#endif
