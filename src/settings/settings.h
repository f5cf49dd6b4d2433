/*
 * The rules under which results are obtained. One struct; a copy is part of every result, so that
 * a result says how it came about. Changed by the script's set_... and choose_... functions, equal
 * on all PEs. Times in seconds, sizes in bytes.
 */
#ifndef SKAMPI_SETTINGS_SETTINGS_H
#define SKAMPI_SETTINGS_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

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
    WINDOW_DISSEMINATION /* no windows: behind a dissemination barrier of the engine's own */
};

/* What MPIPerf and round_time need to know; times in seconds. */
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
    int least_valid;       /* so many valid ones at least */
    double trim;           /* share left out at each end (g') */
    double confidence;     /* of the interval in the report */
    double slice;          /* round_time: seconds for one measurement */
};

enum clock_sync {
    CLOCK_SYNC_DEFAULT, /* none where all PEs are seen to have one clock, else hca */
    CLOCK_SYNC_NONE,
    CLOCK_SYNC_LINEAR,
    CLOCK_SYNC_RING,
    CLOCK_SYNC_TREE,
    CLOCK_SYNC_HCA
};

/* How clocks are synchronized. */
struct clock_rules {
    enum clock_sync algorithm;
    int patience;       /* an exchange ends when the round trip has not improved for so long */
    int fit_points;     /* offsets that a drift is fitted to */
    int fit_exchanges;  /* of each of them */
    double spread;      /* seconds over which the points are spread, */
    double long_spread; /* and where they seem to show a drift */
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

/* Negative seconds between rounds: as the engine finds right. */
#define ROUNDS_SPREAD_DEFAULT (-1.0)

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
    bool adaptive_warm_up;    /* repetitions before a steady state are left out */
    bool levels;              /* reported one by one */
    int rounds;               /* measured so often, at different times */
    double rounds_spread;     /* seconds that all rounds are spread over, or the default */
    int max_nr_node_times;    /* per-PE columns printed */
    double unit;              /* reported units per second, 1e6 is microseconds */
    enum synchronization synchronization;
    enum run_time_definition run_time;
    double max_window; /* a window may not grow beyond this */
    double watchdog;   /* no progress for so long ends the job; 0 turns it off */
    int64_t buffer_bytes;
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

/* The same for equal settings, and hardly for others. */
uint64_t settings_hash(const struct settings *settings);

/* The defaults of the language reference. */
struct settings settings_default(void);

/* Words of set_window_rule(): the value of an enum window_rule, or -1. */
int window_rule_find(const char *name);
const char *window_rule_name(enum window_rule rule);

/* Words of set_stop_rule(): the value of an enum stop_rule, or -1. */
int stop_rule_find(const char *name);
const char *stop_rule_name(enum stop_rule rule);

/* Words of set_arrival_skew(): the value of an enum arrival, or -1. */
int arrival_find(const char *name);
const char *arrival_name(enum arrival arrival);

/* Words of set_verify() and --verify: the value of an enum verify, or -1. */
int verify_find(const char *name);
const char *verify_name(enum verify verify);

/* Words of set_clock_sync(): the value of an enum clock_sync, or -1. */
int clock_sync_find(const char *name);
const char *clock_sync_name(enum clock_sync algorithm);

#endif
