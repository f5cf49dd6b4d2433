/*
 * Start and end of the engine, for main. All PEs, after comm_start().
 */
#ifndef SKAMPI_ENGINE_CONTROL_H
#define SKAMPI_ENGINE_CONTROL_H

#include "engine/engine.h"
#include "output/output.h"

enum { DEBUG_BATCHES = 8, DEBUG_VERIFICATION = 16, DEBUG_CLOCKS = 128 };

enum progress { PROGRESS_NONE, PROGRESS_OVERWRITTEN, PROGRESS_LINES };

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
    enum progress progress;
    size_t blocks; /* in the script, for the progress line */
    /* For the output's header */
    const char *version, *command_line, *script, *checksum;
};

/* From the first line of main, before comm_start(): signals that are to end the job write an end
 * record, and so does the end of the launcher; each step of the start and of the end may take so
 * many seconds (0: any time), the run no longer than the time limit (0: none) from launched on,
 * wall_seconds(). On every PE, by a thread of its own. */
void engine_watch(double step_limit, double launched, double time_limit);
/* The library is there, and can end the job. */
void engine_watch_started(void);
/* The job is being ended by the caller, or by another PE: no other reason counts any more. */
void engine_watch_ending(void);
/* PE 0: where the end record goes; NULL: nowhere any more. */
void engine_watch_output(struct output *);

/* How progress is shown: as a line that is overwritten where somebody at a terminal sees this
 * process's standard error, perhaps through a launcher, not at all among results, else as lines. */
enum progress engine_progress_form(bool results_on_stdout);

/* Calibrates and characterizes the timer, prints the header, starts the watchdog. Collective. NULL
 * with *error (for the user, on every PE) when the timer cannot be used. */
struct engine *engine_create(const struct engine_options *options, const char **error);

/* Ends and closes the output; collective. The exit status: 0, or 3 when a measurement failed or is
 * unsupported. *report_end: whether a measurement wants what the library's end takes to be behind
 * the output, which is then left open; the same on all PEs. Releases the engine; comm_finish()
 * comes after it. */
int engine_finish(struct engine *, bool *report_end);

#endif
