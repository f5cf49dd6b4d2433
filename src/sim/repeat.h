/*
 * Repeats a prediction: on other machines, or to find out more of it. One process.
 */
#ifndef SKAMPI_SIM_REPEAT_H
#define SKAMPI_SIM_REPEAT_H

#include "sim/state.h"

struct repeat {
    struct run *run;
    const struct machine *machine;
    const char *description; /* its file */
    bool several;            /* PEs are on several nodes */
    struct replay_options options;
    double run_time; /* ps, of the prediction */
    double work;     /* of a repetition: one event of the trace is 1 */
};

/* What must not take longer than some seconds unless it has been asked for may do so much work. */
#define REPEAT_WORK 1e7

struct repeat repeat_of(const struct replay *, const struct replay_options *,
                        const char *description);
/* Finds where the critical path of the prediction is. To be freed. */
struct profile repeat_profile(const struct repeat *, const struct replay *);

/* The thread that ends last, of a replay. */
uint32_t repeat_last(const struct replay *);

/* ---- How sure a prediction is ----
 *
 * The interval of 95 % from what is known of three kinds of errors. The numbers of the description
 * are not exact: the prediction is repeated for descriptions whose numbers are at the ends of their
 * intervals. Several traces of a program differ. And the model has an error of its own, which the
 * description may state. */

enum errors_method {
    ERRORS_NONE,     /* the description states none */
    ERRORS_EACH,     /* each number varied by itself, as if errors were independent */
    ERRORS_TOGETHER, /* all numbers varied at once, which is faster, and gives a wider interval */
    ERRORS_LEFT_OUT  /* not computed, since it would take too long */
};

/* Predictions for several traces of one program. */
struct prediction_spread {
    size_t count;
    double half; /* ps: of the interval of their median */
};

struct errors {
    double low, high; /* ps: run time, of all kinds together, as if they were independent */
    struct prediction_spread traces;
    double model; /* the real run time over the predicted one, or the other way round, less 1; 0:
                     not stated */
    enum errors_method how;
    size_t numbers;         /* how many numbers of the description have errors */
    double shorter, longer; /* ps that these make of the run time */
    /* Numbers that are not known well, with their effect on the run time, the largest first. */
    struct cause {
        const char *text; /* of the machine */
        double low, high; /* ps: added to the run time */
    } * causes;           /* to be freed */
    size_t count;
};

/* always: compute it however long that takes. */
struct errors errors_find(const struct repeat *, const struct prediction_spread *, bool always);
/* The interval of a median of run times (ps) by Student's t. */
struct prediction_spread errors_sample(const double *times, size_t count);

/* ---- How much slower a machine may communicate before a run takes longer by a given share ---- */

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

#endif
