/*
 * The repetitions of one measurement on a member of the set.
 */
#ifndef SKAMPI_ENGINE_SAMPLES_H
#define SKAMPI_ENGINE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/states.h"

/* A change of level counts when a steady series shows it this rarely, and by this share at least.
 */
#define CHANGE_P 0.01
#define CHANGE_LEAST 0.1

struct samples {
    size_t capacity, valid, invalid, late, overruns, changes, warm_up;
    size_t too_long;  /* on time, but longer than their window, and left out for that */
    int passes;       /* of the stop rule */
    bool out_of_time; /* ended by a limit; known to rank 0 */
    bool reached;     /* what the stop rule aims at */
    int64_t until;    /* timer ticks, for set_max_time() */
    double *own;      /* this PE's valid repetitions, the first reference subtracted */
    double *max;      /* over PEs, the same on all members */
    double *message;  /* room for a batch's message */
    double *skew;     /* of the starts, seconds; dissemination only */
    struct states_values *controls; /* around each; NaN: not known; on the set's rank 0 */
    double *counts; /* of events in this PE's valid repetitions, where they are counted */
    /* So many valid ones are good for certain; what was counted until then. */
    size_t good, good_invalid, good_late, good_overruns, good_too_long;
};

/* What a batch's message has besides three numbers for each repetition. */
#define BATCH_EXTRA 4

void samples_reserve(struct samples *, size_t limit, bool counting);
void samples_release(struct samples *);
/* Leaves out the first ones. */
void samples_drop(struct samples *, size_t dropped);
/* All that there are now are good; and back to what was good then. */
void samples_good(struct samples *);
void samples_back(struct samples *);

#endif
