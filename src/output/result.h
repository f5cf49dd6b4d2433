/*
 * The result of one measurement, as the engine hands it to the output. Times in seconds; NaN
 * where there is no value.
 */
#ifndef SKAMPI_OUTPUT_RESULT_H
#define SKAMPI_OUTPUT_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/location.h"
#include "base/text.h"
#include "settings/settings.h"
#include "stats/rounds.h"
#include "stats/states.h"

struct result_variable {
    const char *name, *value;
};

/* Events per operation. */
struct result_counter {
    const char *name;
    double most, mean; /* most and mean over PEs */
};

/* An argument of a call: the text in the script, or the value of its expression. */
struct result_argument {
    const char *name, *unit;
    enum { RESULT_INTEGER, RESULT_REAL, RESULT_STRING, RESULT_INTEGERS } type;
    int64_t integer; /* also the length of an array */
    double real;
    const char *string;
    const int64_t *array;
};

/* Reasons to doubt a result, for programs; a note tells people about each. */
enum result_flag {
    RESULT_LEVEL_SHIFT,      /* the samples do not come from one steady state */
    RESULT_AUTOCORRELATED,   /* neighbouring repetitions are alike */
    RESULT_LEVELS,           /* the result is reported level by level (set_levels) */
    RESULT_NOT_CONVERGED,    /* the stop rule's aim was not reached */
    RESULT_TIME_BUDGET,      /* stopped by set_max_time(), set_precision() or --time-limit */
    RESULT_BELOW_RESOLUTION, /* timed regions are not well above the timer's resolution */
    RESULT_NEGATIVE,         /* below zero: printed as 0, or a failure of the method */
    RESULT_CLOCKS_MOVED,     /* starts were not together */
    RESULT_FEW_VALID,        /* more repetitions invalid than valid */
    RESULT_SLOW_LEFT_OUT,    /* repetitions longer than their window are missing */
    RESULT_WARM_UP,  /* the first repetitions were slower than the later ones, and are left out */
    RESULT_UNSTABLE, /* rounds differ by more than their samples explain */
    RESULT_STATE_CHANGED, /* the machine's state changed, also when the measurement was repeated */
    RESULT_IMPRECISE,     /* the interval is not known, or too wide for the value */
    RESULT_FLAGS
};
/* Each flag: its name, such as "level_shift"; its meaning; what a user can do about it. */
extern const struct result_flag_row {
    const char *name, *means, *remedy;
    enum {
        FLAG_FINE, /* makes no result doubtful */
        FLAG_DOUBTFUL,
        FLAG_COVERED /* does, unless intervals of rounds cover the reason */
    } doubt;
} result_flags[RESULT_FLAGS];
/* Whether one of the flags, bits 1 << enum result_flag, makes a result doubtful. */
bool result_is_doubtful(unsigned flags);
/* Whether the interval is not known (NaN), or too wide for the value. */
bool result_is_imprecise(double value, double low, double high);

struct result_level {
    double value, share; /* share of the time spent in the level */
};

/* What script and command line state about a point; it is equal in all rounds. output_point_text()
 * makes one text of it. */
struct result_point {
    const char *block;
    size_t block_number;
    const char *function; /* script name */
    const char *text;     /* the call with its arguments */
    const struct result_argument *arguments;
    size_t argument_count;
    const struct result_variable *variables; /* of the loops around it, outermost first */
    size_t variable_count;
    const char *members; /* pe_set_text(); NULL if not known */
    const char *placement;
    size_t pes;
    const char *synchronization; /* "window", "barrier", "none" */
    const char *window_rule;     /* "" without windows */
    const char *run_time;        /* "local", "global" */
    char *const *settings;       /* what settings_stated() returns */
    size_t setting_count;
    size_t
        number; /* number of the point among the points of the run with equal statements, from 1 */
    int64_t bytes;
    bool is_time; /* the value is a time (seconds); else bytes */
    double unit;  /* reported units per second */
};

/* Whether a later variable has the same name: if nested loops have one variable, the inner loop
 * counts. */
bool variable_hidden(const struct result_point *point, size_t index);

/* What identifies a point in several files, as one text. Any PE.
 *
 * "put" count=8: Shmem_Put_Round(8, 10); 2 PEs 0-1 on one node; window start
 *
 * It holds what script and command line state: block and loop variables, then the call, the PEs and
 * their places, how repetitions start, and settings that differ from their defaults. It holds
 * nothing that skampi chooses or measures, and nothing about library and machine.
 * scripts/skampi_tools/points.py makes the text of records that do not have it. The caller frees
 * the text. Members that are NULL or 0 are not known, and are left out. */
char *output_point_text(const struct result_point *);
/* "window start (mpiperf)", "barrier start", "no synchronization"; "" where that is not known. The
 * caller frees it. */
char *output_point_start(const struct result_point *);

/* At most this many levels are distinguished. */
#define RESULT_LEVELS_MAX 8

/* The machine's controls around a measurement (seconds; NaN if not known). All members are doubles,
 * since result_control_values() and series address them by offset. */
struct result_controls {
    double hand_over, hand_over_slowest, hand_over_shared; /* one way between neighbouring PEs */
    double addition;                                       /* of a chain */
    double copy;                                           /* of a byte */
};

/* The controls that define the state; with one PE there are no hand-overs. */
struct states_values result_control_values(const struct result_controls *seen);
/* Each kind of control: its name in records, and for people; where it is in struct result_controls.
 */
extern const struct result_control_kind {
    const char *name, *words;
    size_t offset;
} result_control_kinds[STATES_KINDS];

/* At most this many states are distinguished. */
#define RESULT_STATES_MAX 16

/* The repetitions of one measurement that were made in one state. */
struct result_part {
    struct states_values controls; /* medians over the repetitions */
    size_t valid;
    double median, p25, p75;
};

/* What was subtracted, where that is much of the result. */
struct result_subtracted {
    const char *what; /* in words; NULL: it is not much */
    double seconds;
    double share; /* of the result; infinite if that is 0 */
};

/* The numbers of one measurement. */
struct statistics {
    double time, standard_error; /* trimmed mean and its standard error (classic, or mpiperf's) */
    size_t kept;                 /* number of repetitions in the mean */
    /* mpiperf: E, and [T-E, T+E] at time_confidence; else NaN */
    double error, time_low, time_high, time_confidence;
    double subtracted, subtracted_error; /* of the PE with the largest value */
    double subtracted_from;              /* the time without it, also where that is below 0 */
    double subtracted_step;              /* one step of the timer as a part of `subtracted` */
    size_t valid, invalid, late, overruns, warm_up; /* repetitions */
    double mean, deviation;
    double median, median_low,
        median_high; /* the interval is at `confidence`; NaN with too few repetitions */
    double confidence;
    double minimum, maximum, p5, p25, p75, p95, p99, p999;
    double autocorrelation, effective; /* effective: number of independent repetitions */
    int64_t iterations;
    double window;                                 /* the last window; 0 without windows */
    struct result_level levels[RESULT_LEVELS_MAX]; /* ascending */
    size_t level_count;                            /* 0 if levels are not distinguished */
    unsigned flags;                                /* bits 1 << enum result_flag */
    struct result_controls controls;
    struct result_part parts[RESULT_STATES_MAX]; /* by state, ascending */
    size_t part_count;                           /* 0 if no control is known */
    bool skewed;                                 /* PEs entered as set_arrival_skew() has it */
    size_t not_cold; /* operations of an iteration without cold memory of their own, where all were
                        to be cold */
    size_t repeated; /* how often batches were repeated because the state of the machine changed */
};

/* Rates per second at the median of the time; NaN if the function has no such rate. */
struct result_rates {
    double bandwidth, bus_bandwidth; /* bytes */
    double rate;                     /* messages */
};

struct result {
    struct result_point point;
    struct result_rates rates;
    size_t round;       /* from 1 */
    bool rounds_follow; /* a struct result_rounds will replace this result in tables */
    double at;          /* seconds since the start of the run */
    struct statistics statistics;
    const double *per_pe;  /* means over the kept repetitions, in the order of ranks; or NULL */
    const double *samples; /* valid repetitions in the order of time, or NULL */
    size_t sample_count;
    double source_in_page, target_in_page; /* bytes, of the first place; NaN: there is none */
    struct result_subtracted subtracted;
    const char *arrival; /* set_arrival_skew(): who comes late; NULL: nobody */
    double arrival_skew; /* by so many seconds */
    const char *buffers; /* "same", "cycling", "fresh", "none" */
    const char *cache;   /* "warm", "cold"; "" without buffers */
    const struct result_counter *counters;
    size_t counter_count;     /* 0 if nothing was counted */
    const char *const *notes; /* about this result alone */
    size_t note_count;
    const char
        *conditions;     /* places of PEs, synchronization, and buffers; equal for many results */
    bool several_states; /* the run has seen several states of the machine so far */
    struct settings settings;
    /* The record in JSON Lines, with its newline, of an earlier run, which stands for all members;
     * NULL: measured by this run. */
    const char *earlier;
};

/* A state of the machine, for one set of PEs. */
struct result_state {
    int number;          /* from 1 */
    const char *members; /* pe_set_text(); NULL if not known */
    size_t pes;
    bool only_set; /* no other set of this run has controls */
    struct states_range ranges[STATES_KINDS];
    double share;       /* of the time */
    double seconds;     /* the time spent in the state */
    bool known, is_new; /* known: an earlier run has seen the state; is_new: there were earlier
                           runs, and none has seen it */
    bool alone;         /* it is the only state, and there were no earlier runs */
};

/* The controls of one set of PEs over the run. */
struct result_control_series {
    const char *members;
    size_t pes, count;
    const double *at; /* seconds since the start of the run */
    const struct result_controls *seen;
};

/* What rounds say about one state. */
struct result_state_rounds {
    int state;
    struct rounds found;
};

/* One point over all rounds. */
struct result_rounds {
    struct result_point point;
    struct result_rates rates;
    struct rounds found;
    struct result_subtracted subtracted;
    double launch_difference; /* from launch to launch, for which the prediction interval allows (a
                                 fraction) */
    const double *medians;    /* of `made` rounds in the order of time; NaN if a round has none */
    size_t made;
    const struct result_level *levels;
    size_t level_count;
    const struct result_state_rounds *states;
    size_t state_count; /* 0: no controls */
    const int
        *round_states;   /* state of each round; 0 if several or not known; NULL without controls */
    bool several_states; /* these PEs have seen several states of the machine */
    unsigned flags;
    const char *const *notes;
    size_t note_count;
    const char *conditions; /* `conditions` of a result, without buffers */
};

/* Whether the medians in two states of the machine differ by more than their intervals. */
bool result_states_differ(const struct result_rounds *rounds);

/* What an experiment (--factors) says about one factor, or about two together, at one point. */
struct result_factor {
    struct result_point point;
    const char *factor;                /* "relative"; "relative and cache" */
    const struct result_level_effect { /* of each level */
        const char *name;
        double effect; /* how many times as long as the middle level */
    } * levels;
    size_t level_count, blocks;
    double p, adjusted; /* the second one for all tests together */
    bool named;         /* the factor makes a difference */
    /* The slowest and the fastest level or combination; the time of the one over that of the other,
     * measured once more, with its interval. Of two factors, `ratio` says how many times as long
     * both together take as each by itself lets expect. NaN where nothing is named. */
    const char *slowest, *fastest;
    double ratio, low, high;
};

/* A factor that was not tried. */
struct result_untried {
    const char *factor, *call; /* call: NULL for all points */
    const char *reason;
};

/* All that the experiment says. */
struct result_factors {
    uint64_t seed; /* of the order of levels, and of addresses */
    size_t points, blocks, tests;
    double seconds, alpha, confidence; /* alpha: the chance that anything is named wrongly */
    const struct result_factor *rows;
    size_t row_count;
    const char *const *findings; /* a sentence each */
    size_t finding_count;
    const struct result_untried *untried;
    size_t untried_count;
};

/* What takes the place of a result. */
enum result_missing {
    MISSING_FAILED,
    MISSING_UNSUPPORTED,
    MISSING_SKIPPED,
    MISSING_TIME_LIMIT,
    MISSING_REFUSED,   /* impossible with these arguments, or on this set of PEs */
    MISSING_TOO_LARGE, /* the buffer, or --memory, is too small */
    MISSING_STATE,     /* the machine was not in the state that was asked for */
    RESULT_MISSING     /* number of kinds */
};

/* A block that ends. */
struct output_block {
    const char *name;
    size_t number;   /* number in the run, from 1 */
    double duration; /* seconds */
    bool windowed;   /* a measurement in it used windows, with these statistics: */
    int64_t late_starts, overruns, window_changes;
};

/* ---- The header of the results: everything needed to repeat the run, and reasons not to trust it
 * ---- */

struct header_node {
    const char *name, *cpu, *smt, *governor;
    int pes, processors;
    double load; /* load average at the start; below 0 if unknown */
};

struct header {
    const char *version, *command_line, *script, *checksum, *library;
    const char *options;  /* those that decide what results are; NULL or "": none */
    const char *launcher; /* its command, in front of command_line; NULL if it is not known */
    time_t started;
    int pes, nodes;
    const struct header_node *node;      /* of the first `listed` nodes */
    int listed, bound;                   /* PEs bound to one processor */
    const struct location_group *groups; /* where PEs run */
    size_t group_count;
    int unlisted;                 /* PEs in none of the groups */
    const char *const *variables; /* NAME=VALUE */
    size_t variable_count;
    const char *const *modules; /* of the environment (LOADEDMODULES), in the order of loading */
    size_t module_count;
    struct named_texts choices; /* what the library has chosen, by the library's names */
    const char *const *warnings;
    size_t warning_count;
    const char *timer, *clock_source;
    double resolution, cost, ticks_per_second, disagreement;
    /* Rounds and limits of the command line; 0: none */
    int rounds;
    double round_seconds, time_limit;
    uint64_t seed;
    bool controls;            /* the run takes controls, unless the script turns them off */
    const char *state;        /* --state, or NULL */
    double state_wait;        /* how long to wait for the state at each point (seconds) */
    const char *const *known; /* files of earlier runs */
    size_t known_count;
    double known_difference; /* launch_difference of struct earlier_runs; NaN if not known */
};

#endif
