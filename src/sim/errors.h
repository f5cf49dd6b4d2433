/*
 * How sure a prediction is: the interval of 95 % from what is known of three kinds of errors. The
 * numbers of the description are not exact: the prediction is repeated for descriptions whose
 * numbers are at the ends of their intervals. Several traces of a program differ. And the model has
 * an error of its own, which the description may state. One process.
 */
#ifndef SKAMPI_SIM_ERRORS_H
#define SKAMPI_SIM_ERRORS_H

#include <stdio.h>

#include "sim/repeat.h"

enum errors_how {
    ERRORS_NONE,     /* the description states none */
    ERRORS_EACH,     /* each number varied by itself, as if errors were independent */
    ERRORS_TOGETHER, /* all numbers varied at once, which is faster, and gives a wider interval */
    ERRORS_LEFT_OUT  /* not computed, since it would take too long */
};

/* Predictions for several traces of one program. */
struct several_traces {
    size_t count;
    double half; /* ps: of the interval of their median */
};

struct errors {
    double low, high; /* ps: run time, of all kinds together, as if they were independent */
    struct several_traces traces;
    double model; /* the real run time over the predicted one, or the other way round, less 1; 0:
                     not stated */
    enum errors_how how;
    size_t numbers;         /* how many numbers of the description have errors */
    double shorter, longer; /* ps that these make of the run time */
    /* Numbers that are not known well, with their effect on the run time, the largest first. */
    struct cause {
        const char *text; /* of the machine */
        double low, high; /* ps: added to the run time */
    } * causes;
    size_t count;
};

/* always: compute it however long that takes. */
struct errors errors_find(const struct repeat *, const struct several_traces *, bool always);
void errors_free(struct errors *);
/* The interval of a median of run times (ps) by Student's t. */
struct several_traces errors_sample(const double *times, size_t count);

/* A run time for people, with as many digits as the interval deserves, and the interval: "0.827 s,
 * 95 %: 0.801 to 0.866 s". */
void errors_run_time(FILE *, const struct errors *, double run_time);
/* Lines below it: where the interval comes from. */
void errors_text(FILE *, const struct errors *, const struct repeat *);
/* "interval":{...},"errors":{...}, or nothing. */
void errors_json(FILE *, const struct errors *);

#endif
