/*
 * The engine: its parts. Only the files that put them together include this: measure.c, rounds.c,
 * script.c and session.c.
 */
#ifndef SKAMPI_ENGINE_STATE_H
#define SKAMPI_ENGINE_STATE_H

#include <stdint.h>

#include "engine/accounting.h"
#include "engine/block.h"
#include "engine/clocks.h"
#include "engine/controls.h"
#include "engine/describe.h"
#include "engine/engine.h"
#include "engine/estimate.h"
#include "engine/judge.h"
#include "engine/latest.h"
#include "engine/limit.h"
#include "engine/missing.h"
#include "engine/options.h"
#include "engine/point.h"
#include "engine/progress.h"
#include "engine/repetition.h"
#include "engine/report.h"
#include "engine/round.h"
#include "engine/texts.h"

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
    struct display display;
    struct describer describer;
    struct missing missing;
    struct pending_text pending;
    struct reporter reporter;
    struct latest latest;
    size_t most_buffer; /* bytes that it grows to where the script gives no size */
    char *ended;        /* the script, before its end: why; NULL: not */
    struct controls controls;
    struct wanted wanted;        /* state of the machine */
    uint64_t seed, random_state; /* of shuffled rounds; of the script's random numbers */
};

#endif
