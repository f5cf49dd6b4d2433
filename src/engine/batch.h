/*
 * The batches of one measurement, and the interface of the rules that say how the next one goes.
 *
 * Costs of a batch of c repetitions with n PEs in the set: one broadcast and one reduction of 2c +
 * 4 numbers, O(log n) messages each.
 */
#ifndef SKAMPI_ENGINE_BATCH_H
#define SKAMPI_ENGINE_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/messages.h"
#include "engine/samples.h"
#include "engine/services.h"

struct batch_rule;
struct judge;

/* The batches of one measurement. */
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

/* What rank 0 decided. */
struct decision {
    /* By the rule, after a batch: */
    bool done;
    size_t refer;          /* how often the reference is measured before the next batch */
    size_t count, dropped; /* repetitions of the next batch; of those made, to be left out */
    double width;          /* of the next windows, ticks */
    /* By the judge of the machine's state: */
    enum batch_step step;
    enum batch_verdict verdict;
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

#endif
