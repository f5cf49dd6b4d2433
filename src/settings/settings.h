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

/* How clocks are synchronized. */
enum clock_sync {
    CLOCK_SYNC_DEFAULT, /* none if exchanges show that all PEs have one clock, else hca */
    CLOCK_SYNC_NONE,
    CLOCK_SYNC_LINEAR,
    CLOCK_SYNC_RING,
    CLOCK_SYNC_TREE,
    CLOCK_SYNC_HCA
};

struct clock_rules {
    enum clock_sync algorithm;
    int patience;   /* an exchange ends after this many round trips in a row without improvement */
    int fit_points; /* offsets to which a drift is fitted */
    int fit_exchanges;  /* round trips for each offset */
    double spread;      /* seconds over which the offsets are spread */
    double long_spread; /* seconds for the two fits that have to confirm a drift */
};

/* Memory for buffers, of the kinds that programs have, in the order of the words in table.c. */
enum placement {
    PLACEMENT_DEFAULT, /* the symmetric heap; the target's: as the source's, if that is possible */
    PLACEMENT_HEAP,    /* the symmetric heap, by comm_allocate() */
    PLACEMENT_MALLOC,  /* as malloc() returns it */
    PLACEMENT_PAGES,   /* small pages of its own */
    PLACEMENT_HUGE,    /* huge pages: reserved ones, or else transparent ones */
    PLACEMENT_STATIC,  /* a static object, which is symmetric in OpenSHMEM */
    PLACEMENT_MPI,     /* by comm_mpi_allocate() */
    PLACEMENT_NODE,    /* small pages of one NUMA node */
    PLACEMENT_ATOMICS, /* the symmetric heap, by comm_allocate_hinted(): COMM_HINT_ATOMICS */
    PLACEMENT_SIGNAL,  /* the symmetric heap, by comm_allocate_hinted(): COMM_HINT_SIGNAL */
    PLACEMENTS
};

/* The size of both static objects, in bytes; scripts cannot change it. */
#define PLACEMENT_STATIC_BYTES (4 << 20)

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
    WINDOW_ROUND_TIME,   /* ReproMPI's: starts follow each other closely, until a slice of time is
                            over */
    WINDOW_DISSEMINATION /* no windows: starts follow the engine's own dissemination barrier */
};

/* How the window rules work; times in seconds. */
struct window_rules {
    enum window_rule rule;
    int discarded;         /* runs of stage 0 (k') */
    int runs;              /* runs of each later stage (k) */
    double invalid_share;  /* if a larger share of a stage is invalid, the window is chosen anew */
    double growth;         /* factor of a new window over the time needed (gamma) */
    bool stop_by_error;    /* stop rule "error", else "count" */
    int max_runs;          /* "count" ends with more runs than this, */
    int enough_valid;      /* or with more valid runs than this */
    double relative_error; /* "error" ends when SE / mean is at most this, */
    int least_valid;       /* and at least this many runs are valid */
    double trim;           /* share of the runs left out at each end (g') */
    double confidence;     /* confidence of the interval in the report */
    double slice;          /* round_time: seconds for one measurement */
};

/* Who comes late to a collective routine (set_arrival_skew). */
enum arrival {
    ARRIVAL_TOGETHER,
    ARRIVAL_ONE_LATE, /* the last rank */
    ARRIVAL_LINEAR    /* rank i of n is i / (n - 1) of the skew late */
};

enum stop_rule {
    STOP_STANDARD_ERROR, /* the default: stop when the mean's standard error is small enough */
    STOP_MEDIAN_INTERVAL /* stop when the median's interval is narrow enough */
};

/* The engine chooses the time over which rounds are spread. Negative, since no script can say that.
 */
#define ROUNDS_SPREAD_DEFAULT (-1.0)
/* The launch difference is that of earlier runs (--known), or a default. */
#define LAUNCH_DIFFERENCE_KNOWN (-1.0)
#define LAUNCH_DIFFERENCE_DEFAULT 0.01

struct info;

/* How the data of files are stored (MPI's representations). */
enum file_data { FILE_DATA_NATIVE, FILE_DATA_INTERNAL, FILE_DATA_EXTERNAL32 };

enum cache_state { CACHE_WARM, CACHE_COLD };

/* The repetitions whose data are checked. */
enum verify {
    VERIFY_LAST, /* the last timed repetition, and an untimed one before and after all */
    VERIFY_EVERY /* each repetition, with data of its own */
};

struct settings {
    int min_repetitions;
    int max_repetitions;
    double max_relative_standard_error; /* a fraction */
    enum stop_rule stop_rule;
    double median_width;      /* of the median's interval, as a share of the median */
    double median_confidence; /* of the median's interval */
    double max_time;          /* seconds for one measurement; 0: no limit */
    double precision;         /* half of the median's interval, as a share of the median; 0: the
                                 stop rule says when there is enough */
    double point_time;        /* seconds for reaching it, from the first call to the last check */
    int warm_up;              /* repetitions before the first timed one */
    bool adaptive_warm_up;    /* leave out repetitions before a steady state */
    double launch_difference; /* standard deviation from launch to launch, as a fraction of the
                                 median, or LAUNCH_DIFFERENCE_KNOWN */
    bool levels;              /* report each level of a result */
    bool controls;            /* measure controls of the machine's state around each batch */
    int rounds;               /* how often everything is measured, at different times */
    double rounds_spread;     /* seconds over which rounds are spread, or ROUNDS_SPREAD_DEFAULT */
    int max_nr_node_times;    /* most columns of single PEs in a line */
    double unit;              /* reported units per second, 1e6 is microseconds */
    enum synchronization synchronization;
    enum run_time_definition run_time;
    double max_window; /* limit of a window (seconds) */
    double watchdog;   /* a job without progress ends after this time (seconds); 0: never */
    int64_t buffer_bytes;
    bool buffer_given; /* the script gave the size; else the buffer is as large as a measurement
                          needs */
    bool buffer_cycling;
    int64_t send_alignment,
        send_offset; /* bytes: the address is an odd multiple, plus the offset */
    int64_t receive_alignment, receive_offset;
    enum placement source_placement, target_placement;
    int placement_node; /* NUMA node, for PLACEMENT_NODE */
    enum cache_state cache_state;
    int64_t cache_bytes;        /* size of the caches; 0: as the machine states it */
    struct info *memory_info;   /* for the memory of MPI's windows, or NULL; kept to the end */
    const char *file_directory; /* where files are measured; kept to the end */
    enum file_data file_data;
    bool file_atomic, file_preallocated, file_unique;
    bool file_synced;       /* writing ends when the data are on the storage device */
    struct info *file_info; /* hints for files, or NULL; kept to the end */
    int max_outstanding;    /* operations posted before a burst is drained */
    int sk_tasks;           /* tasks sampled by the _SK functions; 0: all */
    enum arrival arrival;
    double arrival_skew; /* delay of the last rank (seconds) */
    double autorefine_factor;
    double autorefine_tolerance;
    struct clock_rules clock;
    struct window_rules window;
    enum verify verify;
};

/* All settings with the defaults of table.h. */
struct settings settings_default(void);

/* The name in scripts and notes. */
const char *setting_arrival_name(enum arrival arrival);

/* A hash: equal settings have one hash, different ones hardly ever. Info objects do not count. */
uint64_t settings_hash(const struct settings *settings);

#endif
