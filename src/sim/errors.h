/*
 * How far a prediction may be off because the numbers of its description are not exact. The
 * prediction is repeated for descriptions whose numbers are at the ends of their intervals. One
 * process.
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

struct errors {
    enum errors_how how;
    size_t numbers;   /* how many numbers of the description have errors */
    double low, high; /* ps: run time */
    /* Numbers that are not known well, with their effect on the run time, the largest first. */
    struct cause {
        const char *text; /* of the machine */
        double low, high; /* ps: added to the run time */
    } * causes;
    size_t count;
};

/* always: compute it however long that takes. */
struct errors errors_find(const struct repeat *, bool always);
void errors_free(struct errors *);

/* Prints one line or more below the run time, for people. */
void errors_text(FILE *, const struct errors *, double run_time, const char *machine);
/* ,"errors":{...}, or nothing. */
void errors_json(FILE *, const struct errors *);
/* Significant digits that people are shown: 2 to 4. */
int errors_digits(const struct errors *, double run_time);

#endif
