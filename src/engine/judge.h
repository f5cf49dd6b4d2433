/*
 * Whether a measurement's repetitions were made in one state of the machine: controls before and
 * after each stretch of batches; a stretch in which the state changed is made again.
 */
#ifndef SKAMPI_ENGINE_JUDGE_H
#define SKAMPI_ENGINE_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/batch.h"
#include "engine/controls.h"
#include "engine/state_wanted.h"

/* What --state asks for. */
struct wanted {
    struct state_wanted state;
    const char *text; /* as the user wrote it */
    double wait;      /* seconds, for each point */
};

/* Of one measurement. Decisions are those of the set's rank 0. */
struct judge {
    struct controls *controls; /* NULL: none are taken */
    const struct wanted *wanted;
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

void judge_begin(struct judge *, struct controls *, const struct wanted *, const struct run *);
/* All members, before anything is set up: the control that leaves other caches behind. */
void judge_copy(struct judge *, const struct run *);
/* Rank 0: what comes next, when the rule has decided; sets step and verdict. */
void judge_decide(struct batches *, struct decision *);
/* All members: a control. */
void judge_control(struct batches *);
/* All members: the machine is in another state than the one asked for. */
void judge_idle(struct batches *);
/* A batch has been made. */
void judge_made(struct batches *, const struct batch *made);
/* Rank 0: what the controls say, for the result. */
void judge_conclude(const struct judge *, const struct samples *, struct statistics *);

#endif
