/*
 * Start and end of the engine, for main. All PEs, after comm_start().
 */
#ifndef SKAMPI_ENGINE_CONTROL_H
#define SKAMPI_ENGINE_CONTROL_H

#include "engine/engine.h"
#include "output/output.h"

enum { DEBUG_BATCHES = 8, DEBUG_VERIFICATION = 16, DEBUG_CLOCKS = 128 };

struct engine_options {
    struct output *output; /* on PE 0, else NULL */
    const char *timer;     /* NULL: the default */
    int clock_sync;        /* enum clock_sync; -1: as the script says */
    int verify;            /* enum verify; -1: as the script says */
    double unit;           /* 0: as the script says; else the script cannot change it */
    bool estimate;         /* measure a few, say how many there are and how long they take */
    bool raw;              /* results come with every repetition */
    int rounds;            /* 0: as the script says */
    double rounds_spread;  /* seconds; below 0: as the script says */
    uint64_t seed;         /* 0: a new one in each run */
    double time_limit;     /* seconds from then on; 0: none */
    double launched;       /* when the program was started, wall_seconds() */
    int debug;             /* DEBUG_... bits: messages on standard error */
    bool show_progress;    /* lines on standard error that overwrite each other */
    size_t blocks;         /* in the script, for the progress line */
    /* For the output's header */
    const char *version, *command_line, *script, *checksum;
};

/* Blocks the signals that watch_start() takes; before comm_start(), so that the library's threads
 * do not get them. */
void engine_block_signals(void);
/* The signals end this process as usual again: for PEs that wait to be ended with the job. */
void engine_release_signals(void);

/* Whether somebody at a terminal sees this process's standard error, perhaps through a launcher,
 * and no results between. */
bool engine_terminal(bool results_on_stdout);

/* Calibrates and characterizes the timer, prints the header, starts the watchdog. Collective. NULL
 * with *error (for the user, on every PE) when the timer cannot be used. */
struct engine *engine_create(const struct engine_options *options, const char **error);

/* Ends and closes the output; collective. The exit status: 0, or 3 when a measurement failed or is
 * unsupported. *report_end: whether a measurement wants what the library's end takes to be behind
 * the output, which is then left open; the same on all PEs. Releases the engine; comm_finish()
 * comes after it. */
int engine_finish(struct engine *, bool *report_end);

#endif
