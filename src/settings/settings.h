/*
 * The settings: the rules under which results are obtained. One struct; a copy is part of every
 * result, so that a result says how it was obtained. A script changes them with its set_... and
 * choose_... functions; they are equal on all PEs. Times in seconds, sizes in bytes.
 *
 * Defaults, ranges, words and the functions of the language are in the table of settings, table.h,
 * which also says how to add a setting.
 */
#ifndef SKAMPI_SETTINGS_SETTINGS_H
#define SKAMPI_SETTINGS_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "settings/clock_rules.h"

enum synchronization {
    SYNCHRONIZE_WINDOW, /* choose_real_synchronization, the default */
    SYNCHRONIZE_BARRIER,
    SYNCHRONIZE_NONE
};

enum run_time_definition {
    RUN_TIME_LOCAL, /* maximum over PEs of own finish - own start */
    RUN_TIME_GLOBAL /* latest finish - scheduled start, on the global clock */
};

enum window_rule {
    WINDOW_CLASSIC,      /* SKaMPI's */
    WINDOW_MPIPERF,      /* Kurnosov's MPIPerf */
    WINDOW_ROUND_TIME,   /* ReproMPI's: each start soon after the last end, for a slice of time */
    WINDOW_DISSEMINATION /* no windows: after a dissemination barrier of the engine's own */
};

/* How the window rules work; times in seconds. */
struct window_rules {
    enum window_rule rule;
    int discarded;         /* runs of stage 0 (k') */
    int runs;              /* of each later stage (k) */
    double invalid_share;  /* of a stage, above which the window is chosen anew */
    double growth;         /* of the window above what was needed (gamma) */
    bool stop_by_error;    /* or by count */
    int max_runs;          /* by count: more runs than this, or */
    int enough_valid;      /* more valid ones than this, are enough */
    double relative_error; /* by error: SE / mean, with */
    int least_valid;       /* this many valid ones at least */
    double trim;           /* share left out at each end (g') */
    double confidence;     /* of the interval in the report */
    double slice;          /* round_time: seconds for one measurement */
};

/* Who comes late to a collective routine (set_arrival_skew). */
enum arrival {
    ARRIVAL_TOGETHER,
    ARRIVAL_ONE_LATE, /* the last rank */
    ARRIVAL_LINEAR    /* rank i of n by i / (n - 1) of it */
};

enum stop_rule {
    STOP_STANDARD_ERROR, /* SKaMPI's, the default */
    STOP_MEDIAN_INTERVAL /* the median's interval is narrow enough */
};

/* Negative: the engine chooses. */
#define ROUNDS_SPREAD_DEFAULT (-1.0)
/* As earlier runs show, or this. */
#define LAUNCH_DIFFERENCE_KNOWN (-1.0)
#define LAUNCH_DIFFERENCE_DEFAULT 0.01

struct info;

enum cache_state { CACHE_WARM, CACHE_COLD };

/* Which repetitions' data are checked. */
enum verify {
    VERIFY_LAST, /* an untimed one before, the last timed one, an untimed one after */
    VERIFY_EVERY /* each, with data of its own */
};

struct settings {
    int min_repetitions;
    int max_repetitions;
    double max_relative_standard_error; /* a fraction */
    enum stop_rule stop_rule;
    double median_width;      /* of its interval, as a share of the median, */
    double median_confidence; /* at this confidence */
    double max_time;          /* seconds for one measurement; 0: any */
    int warm_up;              /* repetitions before the first timed one */
    bool adaptive_warm_up;    /* repetitions before a steady state are left out */
    double launch_difference; /* standard deviation, as a fraction of medians, or KNOWN above */
    bool levels;              /* reported one by one */
    bool controls;            /* of the machine's state, around each batch */
    int rounds;               /* everything is measured this often, at different times */
    double rounds_spread;     /* seconds that all rounds are spread over, or the default */
    int max_nr_node_times;    /* per-PE columns printed */
    double unit;              /* reported units per second, 1e6 is microseconds */
    enum synchronization synchronization;
    enum run_time_definition run_time;
    double max_window; /* a window may not grow beyond this */
    double watchdog;   /* no progress for so long ends the job; 0 turns it off */
    int64_t buffer_bytes;
    bool buffer_given; /* by the script; else it is as large as a measurement needs */
    bool buffer_cycling;
    int64_t send_alignment;
    int64_t receive_alignment;
    enum cache_state cache_state;
    int64_t cache_bytes;      /* 0: found on the machine */
    struct info *memory_info; /* for the memory of MPI's windows; NULL: none. Kept to the end. */
    int max_outstanding;      /* operations posted before a burst is drained */
    int sk_tasks;             /* tasks sampled by the _SK functions; 0: all */
    enum arrival arrival;
    double arrival_skew; /* by how much the last one comes late */
    double autorefine_factor;
    double autorefine_tolerance;
    struct clock_rules clock;
    struct window_rules window;
    enum verify verify;
};

/* The defaults, as table.h has them. */
struct settings settings_default(void);

/* As scripts and notes name it. */
const char *arrival_name(enum arrival arrival);

/* The same for equal settings, and hardly for others. Info objects do not count. */
uint64_t settings_hash(const struct settings *settings);

#endif
