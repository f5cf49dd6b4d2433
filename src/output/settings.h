/*
 * The rules under which results are obtained. One struct; a copy is part of every result, so that
 * a result says how it came about. Changed by the script's set_... and choose_... functions, equal
 * on all PEs. Times in seconds, sizes in bytes.
 */
#ifndef SKAMPI_OUTPUT_SETTINGS_H
#define SKAMPI_OUTPUT_SETTINGS_H

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

enum cache_state { CACHE_WARM, CACHE_COLD };

struct settings {
    int min_repetitions;
    int max_repetitions;
    double max_relative_standard_error; /* a fraction */
    int max_nr_node_times;              /* per-PE columns printed */
    double unit;                        /* reported units per second, 1e6 is microseconds */
    enum synchronization synchronization;
    enum run_time_definition run_time;
    double max_window; /* a window may not grow beyond this */
    double watchdog;   /* no progress for so long ends the job; 0 turns it off */
    int64_t buffer_bytes;
    bool buffer_cycling;
    int64_t send_alignment;
    int64_t receive_alignment;
    enum cache_state cache_state;
    int64_t cache_bytes; /* 0: found on the machine */
    int max_outstanding; /* operations posted before a burst is drained */
    int sk_tasks;        /* tasks sampled by the _SK functions; 0: all */
    double autorefine_factor;
    double autorefine_tolerance;
};

/* The defaults of the language reference. */
struct settings settings_default(void);

#endif
