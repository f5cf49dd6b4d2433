/*
 * The repetitions of one measurement on a member of the set: their times, notes about them, what is
 * subtracted from them, and when there are enough of them.
 */
#ifndef SKAMPI_ENGINE_SAMPLES_H
#define SKAMPI_ENGINE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/result.h"
#include "settings/settings.h"
#include "stats/states.h"

/* A change of level counts when a steady series shows it this rarely, and by this share at least.
 */
#define CHANGE_P 0.01
#define CHANGE_LEAST 0.1

/* What a measurement is to reach. */
struct aim {
    size_t least, most; /* valid repetitions before it may stop, and after which it stops */
    size_t limit;       /* of valid repetitions, however large the last batch is: half as many again
                           as the script says, but 4 at least */
    bool precise;       /* set_precision() says what, */
    bool lengthened;    /* what disturbs makes it longer, never shorter */
    bool median;        /* an interval of the median, else SKaMPI's standard error of the mean */
    double width;       /* of the interval, or the standard error, as a share of the value */
    double confidence;  /* of the interval */
};

struct samples {
    struct aim aim;
    size_t capacity, valid, invalid, late, overruns, changes, warm_up;
    size_t too_long;         /* on time, but longer than their window, and left out for that */
    int passes;              /* of the stop rule */
    bool out_of_time;        /* ended by a limit; known to rank 0 */
    bool reached;            /* what the stop rule aims at */
    int64_t began;           /* timer ticks */
    int64_t until;           /* timer ticks, for set_max_time() and set_precision(); 0: no limit */
    double subtracted;       /* from own and max so far: the mean of all references */
    double subtracted_error; /* standard error of the mean of all references, of the worst PE */
    double *own;     /* this PE's valid repetitions, the mean of all references subtracted */
    double *max;     /* over PEs, the same on all members */
    double *message; /* room for a batch's message */
    double *skew;    /* of the starts, seconds; dissemination only */
    struct states_values *controls; /* around each; NaN: not known; on the set's rank 0 */
    double *counts; /* of events in this PE's valid repetitions, where they are counted */
    /* The number of valid repetitions that are good for certain, and the other counts at that time.
     */
    size_t good, good_invalid, good_late, good_overruns, good_too_long;
};

/* What a batch's message has of all of it, and of each repetition at most. */
#define BATCH_EXTRA 4
#define SAMPLES_TOLD 5

void samples_reserve(struct samples *, size_t limit, bool counting);
void samples_release(struct samples *);
/* Leaves out the first ones. */
void samples_drop(struct samples *, size_t dropped);
/* samples_good() marks the present end; samples_back() drops everything after the mark. */
void samples_good(struct samples *);
void samples_back(struct samples *);

/* ---- Notes about the measurement in progress; those of the set's rank 0 reach the output ---- */

struct notes {
    char **text;
    size_t count;
};

/* Takes the text over. A text that is already there is kept once. */
void notes_add(struct notes *, char *text);
void notes_clear(struct notes *);

/* ---- What is subtracted: the cost of what surrounds the measured call ---- */

/* A cost measured apart: trimmed mean and the variance of that mean. Seconds. */
struct reference {
    double mean, variance;
    double step; /* what a step of the timer is of it */
};
struct reference reference_of(const double *values, size_t n);

/* The cost, measured several times between the repetitions. All zero: not measured. */
struct references {
    size_t count;
    double first;              /* the mean of the first one */
    double above, squares;     /* sums of what the others are above it, and of the squares */
    double variance_sum, step; /* of the variances; the longest */
};
void references_add(struct references *, const struct reference *);
/* All count alike, and that conditions changed from one to another is part of the error: the
 * variance of the mean of these means is added to that of each. */
struct reference references_mean(const struct references *);

/* What is subtracted, where that is much of the result. what: in words, or NULL. Seconds. */
struct result_subtracted reference_much(const char *what, double subtracted, double time);
/* Says that for people; the caller frees it. NULL: it is not much. */
char *reference_text(const struct result_subtracted *);

/* ---- When there are enough, and how long windows must be; pure ---- */

/* precise: the settings' precision applies to what is measured. */
struct aim aim_of(const struct settings *, bool precise);
/* The interval of the median of n sorted values that are worth `effective` independent ones; NaN
 * where there is none. error: of what is subtracted from all, seconds. Few repetitions may all lie
 * in one disturbed stretch of time: then it reaches down to where undisturbed ones would begin. */
void samples_interval(const struct aim *, const double *sorted, size_t n, double effective,
                      double error, double confidence, double *low, double *high);
/* As samples_interval(), of values in the order of time, at the aim's confidence. Returns its width
 * as a share of the median, or NaN. */
double stop_median_interval(const struct aim *, const double *m, size_t n, double error,
                            double *low, double *high);
/* Whether what is aimed at has been reached by the n valid repetitions m, in the order of time.
 * error: as above. */
bool stop_reached(const struct aim *, const double *m, size_t n, double error);
/* Enough? Asked after each batch, with what stop_reached() says of the n repetitions; *passes, 0 at
 * first, belongs to the rule: an interval of the median must be narrow enough twice in a row. */
bool stop_enough(const struct aim *, size_t n, bool reached, int *passes);
/* A batch that grows with what there is, where the aim needs many. */
size_t stop_grown_batch(const struct aim *, size_t batch, size_t valid);
/* Repetitions of the next batch. synchronized: the function starts in windows; first: after the
 * first batch; late_run: most late starts in a row. */
size_t stop_next_batch(const struct settings *, size_t batch, bool window, bool first,
                       size_t late_run);
/* The classic window rule after a batch: flawed of count repetitions invalid; used: from the
 * origin to the last finish. Same unit for all. */
double stop_next_window(double window, size_t flawed, size_t count, double used);
/* MPIPerf's after a stage of count runs: as it should be for what was used, gamma used / count,
 * after stage 0 (window: 0) and where too many were invalid, but then gamma times the old one at
 * least; half of it where it is many times what the longest valid run needed. Why it differs from
 * Kurnosov's: docs/method.md. Same unit for all. */
double stop_mpiperf_window(const struct window_rules *, double window, size_t invalid, size_t count,
                           double used, double longest);

#endif
