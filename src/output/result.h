/*
 * The result of one measurement, as the engine hands it to the output. Times in seconds; NaN
 * where there is no value.
 */
#ifndef SKAMPI_OUTPUT_RESULT_H
#define SKAMPI_OUTPUT_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "settings/settings.h"
#include "stats/states.h"

struct result_variable {
    const char *name, *value;
};

/* Events per operation. */
struct result_counter {
    const char *name;
    double most, mean; /* over PEs */
};

/* Of a call, as the script wrote it or what its expression was worth. */
struct result_argument {
    const char *name, *unit;
    enum { RESULT_INTEGER, RESULT_REAL, RESULT_STRING, RESULT_INTEGERS } type;
    int64_t integer; /* also the length of an array */
    double real;
    const char *string;
    const int64_t *array;
};

/* What speaks against a result, for programs; a note says the same for people. */
enum result_flag {
    RESULT_LEVEL_SHIFT,      /* the samples do not come from one steady state */
    RESULT_AUTOCORRELATED,   /* neighbouring repetitions are alike */
    RESULT_LEVELS,           /* reported by level (set_levels) */
    RESULT_NOT_CONVERGED,    /* the stop rule's aim was not reached */
    RESULT_TIME_BUDGET,      /* stopped by set_max_time() or --time-limit */
    RESULT_BELOW_RESOLUTION, /* timed regions are not well above the timer's resolution */
    RESULT_NEGATIVE,         /* below zero, printed as 0 or an error of the method */
    RESULT_CLOCKS_MOVED,     /* starts were not together */
    RESULT_FEW_VALID,        /* more repetitions invalid than valid */
    RESULT_SLOW_LEFT_OUT,    /* repetitions longer than their window are missing */
    RESULT_WARM_UP,          /* the first ones were slower than what followed, and are left out */
    RESULT_UNSTABLE,         /* rounds differ by more than their samples explain */
    RESULT_STATE_CHANGED,    /* the machine's state changed, however often it was measured again */
    RESULT_IMPRECISE,        /* the interval is not known, or too wide for the value */
    RESULT_FLAGS
};
/* "level_shift", ... */
const char *result_flag_name(enum result_flag flag);
/* Whether it makes a result doubtful. */
bool result_flag_doubtful(enum result_flag flag);
/* Whether it says nothing against a point over rounds, since their intervals cover it. */
bool result_flag_covered(enum result_flag flag);
const char *result_flag_means(enum result_flag flag);
/* What to do about it. */
const char *result_flag_remedy(enum result_flag flag);
/* Whether one of the flags, bits 1 << enum result_flag, makes a result doubtful. */
bool result_is_doubtful(unsigned flags);
/* Whether the interval is not known (NaN), or too wide for the value. */
bool result_is_imprecise(double value, double low, double high);

struct result_level {
    double value, share; /* of the time spent in it */
};

/* What is stated about a point: the same in every round. point_text() puts it together. */
struct result_point {
    const char *block;
    size_t block_number;
    const char *function; /* script name */
    const char *text;     /* the call with its arguments */
    const struct result_argument *arguments;
    size_t argument_count;
    const struct result_variable *variables; /* of the loops around it, outermost first */
    size_t variable_count;
    const char *members; /* as pe_set_text() gives them; NULL: not known */
    const char *placement;
    size_t pes;
    const char *synchronization; /* "window", "barrier", "none" */
    const char *window_rule;     /* "" without windows */
    const char *run_time;        /* "local", "global" */
    char *const *settings;       /* as settings_stated() gives them */
    size_t setting_count;
    size_t number; /* of points of the run that are stated alike, from 1 */
    int64_t bytes;
    bool is_time; /* else bytes */
    double unit;  /* reported units per second */
};

/* At most this many levels are distinguished. */
#define RESULT_LEVELS_MAX 8

/* The machine's controls around a measurement, seconds; NaN: not known. Members are doubles. */
struct result_controls {
    double hand_over, hand_over_slowest, hand_over_shared; /* one way between neighbouring PEs */
    double addition;                                       /* of a chain */
    double copy;                                           /* of a byte */
};

/* Those that tell the state; with one PE there are no hand-overs. */
struct states_values result_control_values(const struct result_controls *seen);
/* The one of a kind. */
double *result_control(struct result_controls *seen, size_t kind);
/* What kind of control that is, as records name it and as people read it. */
const char *result_control_name(size_t kind);
const char *result_control_words(size_t kind);

/* At most this many states are distinguished. */
#define RESULT_STATES_MAX 16

/* The repetitions of one measurement that were made in one state. */
struct result_part {
    struct states_values controls; /* of the repetitions, medians */
    size_t valid;
    double median, p25, p75;
};

/* The numbers of one measurement. */
struct statistics {
    double time, standard_error; /* trimmed mean and its standard error (classic, or mpiperf's) */
    size_t kept;                 /* repetitions that it is the mean of */
    /* mpiperf: E, and [T-E, T+E] at that confidence; else NaN */
    double error, time_low, time_high, time_confidence;
    double subtracted, subtracted_error;            /* on the PE where it was most */
    double subtracted_step;                         /* what a step of the timer is of it */
    size_t valid, invalid, late, overruns, warm_up; /* repetitions */
    double mean, deviation;
    double median, median_low, median_high; /* with its interval at `confidence`; NaN: too few */
    double confidence;
    double minimum, maximum, p5, p25, p75, p95, p99, p999;
    double autocorrelation, effective; /* effective: independent repetitions */
    int64_t iterations;
    double window;                                 /* the last one; 0: none */
    struct result_level levels[RESULT_LEVELS_MAX]; /* ascending */
    size_t level_count;                            /* 0: they are not distinguished */
    unsigned flags;                                /* bits 1 << enum result_flag */
    struct result_controls controls;
    struct result_part parts[RESULT_STATES_MAX]; /* by state, ascending */
    size_t part_count;                           /* 0: no control is known */
    size_t repeated; /* stretches made again, since the state of the machine changed */
};

/* At the median of the time, per second; NaN: there is no such value. */
struct result_rates {
    double bandwidth, bus_bandwidth; /* bytes */
    double rate;                     /* messages */
};

struct result {
    struct result_point point;
    struct result_rates rates;
    size_t round;       /* from 1 */
    bool rounds_follow; /* a struct result_rounds takes the place of this one */
    double at;          /* seconds since the start of the run */
    struct statistics statistics;
    const double *per_pe;  /* means over the kept repetitions, in the order of ranks; NULL: none */
    const double *samples; /* valid ones in the order of time, or NULL */
    size_t sample_count;
    const char *buffers; /* "same", "cycling", "fresh", "none" */
    const char *cache;   /* "warm", "cold"; "" without buffers */
    const struct result_counter *counters;
    size_t counter_count;     /* 0: nothing was counted */
    const char *const *notes; /* about this result alone */
    size_t note_count;
    const char *conditions; /* where, how synchronized, which buffers: equal for many results */
    bool several_states;    /* of the machine have been seen so far */
    struct settings settings;
};

/* A state of the machine, for one set of PEs. */
struct result_state {
    int number;          /* from 1 */
    const char *members; /* as pe_set_text() gives them; NULL: not known */
    size_t pes;
    bool only_set; /* no other set of this run has controls */
    struct states_range ranges[STATES_KINDS];
    double share;       /* of the time */
    double seconds;     /* the same */
    bool known, is_new; /* earlier runs have seen it; there were some, and none has */
    bool alone;         /* it is the only one, and there were no earlier runs */
};

/* Controls of one set over the run. */
struct result_control_series {
    const char *members;
    size_t pes, count;
    const double *at; /* seconds since the start of the run */
    const struct result_controls *seen;
};

/* What rounds say about one state. */
struct result_state_rounds {
    int state;
    size_t rounds;
    double median, median_low, median_high, reached, next_low, next_high, between;
};

/* One point over all rounds. */
struct result_rounds {
    struct result_point point;
    struct result_rates rates;
    size_t rounds;
    double median, median_low, median_high; /* with its interval, of a confidence of `reached` */
    double reached;
    double next_low, next_high; /* prediction interval at `confidence` */
    double confidence;
    double between, within;   /* spreads: interquartile range over the median */
    double launch_difference; /* that the prediction interval allows for, a fraction */
    const double *medians;    /* of each round in the order of time, `made` of them; NaN: none */
    size_t made;
    const struct result_level *levels;
    size_t level_count;
    const struct result_state_rounds *states;
    size_t state_count;      /* 0: no controls */
    const int *round_states; /* as medians; 0: several, or not known; NULL: no controls */
    bool several_states;     /* of the machine were seen, by these PEs */
    unsigned flags;
    const char *const *notes;
    size_t note_count;
    const char *conditions; /* as in a result, without buffers */
};

/* What takes the place of a result. */
enum result_missing {
    MISSING_FAILED,
    MISSING_UNSUPPORTED,
    MISSING_SKIPPED,
    MISSING_TIME_LIMIT,
    MISSING_REFUSED,   /* not with these arguments, or on this set of PEs */
    MISSING_TOO_LARGE, /* for the buffer, or for --memory */
    MISSING_STATE,     /* the machine was not in the state that was asked for */
    RESULT_MISSING     /* kinds */
};

/* A block that ends. */
struct output_block {
    const char *name;
    size_t number;   /* in the run, from 1 */
    double duration; /* seconds */
    bool windowed;   /* something in it used windows: */
    int64_t late_starts, overruns, window_changes;
};

#endif
