/*
 * What one measurement found: on the set's rank 0, and once brought there, on PE 0.
 */
#ifndef SKAMPI_ENGINE_OUTCOME_H
#define SKAMPI_ENGINE_OUTCOME_H

#include <stddef.h>

#include "clock/counters.h"
#include "engine/samples.h"
#include "engine/services.h"
#include "machine/machine.h"
#include "output/result.h"

struct outcome {
    struct statistics statistics;
    struct result_counter counted[COUNTERS_MAX]; /* events per operation */
    double *per_pe;                              /* means, one for each rank; NaN: nothing */
    double *samples;                             /* in the order of time, or NULL */
    size_t sample_count;
    size_t window_changes;
    bool missed;              /* the state of the machine that was asked for */
    struct control *controls; /* taken meanwhile, where PE 0 is not the one that keeps them */
    size_t control_count;
};

/* Nothing is found so far; before an attempt. Where they are needed, there is room for the values
 * of each PE. Any PE. */
void outcome_begin(struct outcome *, const struct pe_set *);
void outcome_free(struct outcome *);

/* The confidence of the median's interval in a result. */
#define MEDIAN_CONFIDENCE 0.95

/* All members. references: what is subtracted, or NULL. outcome: its per-PE values on the set's
 * rank 0 only. */
void outcome_conclude(struct bench *, struct samples *, const struct references *,
                      struct outcome *);

/* Brings the outcome and the notes from the set's rank 0 to PE 0; all PEs. */
void outcome_bring(struct outcome *, struct notes *, const struct pe_set *);

/* Flags for programs, and notes for people. The set's rank 0. May sort samples->skew, and turns a
 * time within its error below zero into 0. */
void remarks_make(struct bench *, struct samples *, struct statistics *);

#endif
