/*
 * Whether a measurement's repetitions were made in one state of the machine: controls before and
 * after each stretch of batches; a stretch in which the state changed is made again.
 */
#ifndef SKAMPI_ENGINE_JUDGE_H
#define SKAMPI_ENGINE_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/batch.h"
#include "machine/machine.h"

/* Of one measurement. Decisions are those of the set's rank 0. */
struct judge {
    struct machine *machine;     /* NULL: no controls are taken */
    bool waits;                  /* a state is asked for */
    struct control_log *log;     /* on rank 0 */
    size_t first;                /* control of this measurement in it */
    struct states_values before; /* the last controls (NaN: none) */
    double last;                 /* when they were, wall_seconds() */
    double judged;  /* when the last stretch, or wait, had ended, wall_seconds(); 0: none has */
    double lost;    /* seconds of waiting for the state, and of stretches made again */
    size_t batches; /* since the last control */
    size_t count;   /* repetitions in the last batch */
    size_t repeated, changed; /* stretches made again; those kept although the state changed */
    bool taken, idled;
    bool doubted; /* the last control, which is to be confirmed */
    bool missed;  /* the state did not come */
    bool failed;  /* the measurement, on some PE */
};

/* All members, before anything is set up. */
void judge_begin(struct judge *, struct machine *, const struct run *);
/* Rank 0: what comes next, when the rule has decided; sets step and verdict. */
void judge_decide(struct batches *, struct decision *);
/* All members: a control. */
void judge_control(struct batches *);
/* All members: the machine is in another state than the one asked for. */
void judge_idle(struct batches *);
/* A batch has been made. */
void judge_made(struct batches *, const struct batch *made);
/* The controls of this measurement; none except on rank 0. */
const struct control *judge_controls(const struct judge *, size_t *count);
/* Rank 0: what they say, for the result. */
void judge_conclude(const struct judge *, const struct samples *, struct statistics *);

#endif
