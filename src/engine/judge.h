/*
 * What is known of the batches of one measurement to those who decide how they go on: the rules
 * (rules.c), and the judge of the machine's state (judge.c).
 *
 * Costs of a batch of c repetitions with n PEs in the set: one broadcast and one reduction of 3c +
 * 4 numbers, O(log n) messages each.
 */
#ifndef SKAMPI_ENGINE_JUDGE_H
#define SKAMPI_ENGINE_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/messages.h"
#include "engine/outcome.h"
#include "engine/samples.h"
#include "engine/services.h"
#include "machine/machine.h"

struct batch_rule;
struct judge;

/* The batches of one measurement, in one attempt. */
struct batches {
    struct bench *bench;
    const struct batch_rule *rule;
    struct judge *judge; /* of the machine's state, or NULL; not used here */
    struct display *display;
    double ends; /* the time limit, wall_seconds() */
    bool debug;  /* each batch is reported on standard error */
    struct samples *samples;
    struct references *references; /* what is subtracted; NULL: nothing is */
    int64_t referring;             /* iterations of the reference */
    double referred;               /* seconds that references took so far */
    int64_t began;                 /* the attempt, timer ticks: set_precision() counts from here */
    /* For the rule */
    bool first;         /* batch */
    int64_t slice_ends; /* timer ticks */
};

/* What a batch said besides its values; the same on all members. */
struct batch {
    size_t count, flawed, invalid; /* repetitions; flawed ones may still count as valid */
    size_t late_run;               /* most late starts in a row */
    double used;                   /* ticks from the origin to the last finish */
    bool failed;
};

/* What all members do next. */
enum batch_step { BATCH_STOP, BATCH_GIVE_UP, BATCH_MAKE, BATCH_REFER, BATCH_CONTROL, BATCH_IDLE };
/* On what was made since the last verdict: none yet, it is good, it is made again. */
enum batch_verdict { VERDICT_NONE, VERDICT_GOOD, VERDICT_AGAIN };

/* What rank 0 decided; all members get it. */
struct decision {
    /* By the rule, after a batch: */
    bool done;
    size_t refer;          /* how often the reference is measured before the next batch */
    size_t count, dropped; /* repetitions of the next batch; of those made, to be left out */
    double width;          /* of the next windows, ticks */
    /* By the judge of the machine's state: */
    enum batch_step step;
    enum batch_verdict verdict;
    int64_t origin; /* of the next windows, global ticks */
};

/* A rule: all members call its functions, but what the set's rank 0 decides is what is done. */
struct batch_rule {
    /* The most repetitions that it makes. */
    size_t (*most)(const struct run *);
    /* Before the first batch, whose size it sets. Collective over the set. */
    void (*begin)(struct batches *, struct decision *next);
    /* After each batch. */
    void (*decide)(struct batches *, const struct batch *made, struct decision *next);
};

/* ---- The judge (judge.c): whether repetitions were made in one state of the machine: controls
 * before and after each stretch of batches; a stretch in which the state changed is made again ----
 */

/* The judge of one measurement. Rank 0 of the set decides. */
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
/* Rank 0, where controls were taken: those of this measurement, to be brought to PE 0. */
void judge_keep_controls(const struct judge *, struct outcome *);
/* Rank 0: what they say, for the result. */
void judge_conclude(const struct judge *, const struct samples *, struct statistics *);

#endif
