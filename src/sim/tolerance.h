/*
 * How much slower a machine may communicate before the run takes longer by a given share. One
 * process.
 */
#ifndef SKAMPI_SIM_TOLERANCE_H
#define SKAMPI_SIM_TOLERANCE_H

#include <stdio.h>

#include "sim/repeat.h"

struct tolerance {
    double slower; /* share of the run time: 0.05; 0: was not looked for */
    bool between;  /* messages between nodes count; else those inside them */
    /* s more latency of each message, share of bandwidth less, s more overhead of each message; NaN
     * where nothing makes the run so much slower. */
    double latency, bandwidth, overhead;
    size_t replays; /* that it took */
};

/* always: however long it takes; else nothing if that is more than some seconds. */
struct tolerance tolerance_find(const struct repeat *, double slower, bool always);
/* A line for people, a member of JSON with a comma behind it, or nothing. */
void tolerance_text(FILE *, const struct tolerance *);
void tolerance_json(FILE *, const struct tolerance *);

#endif
