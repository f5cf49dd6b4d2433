/*
 * What main asks of the engine: its options, its start and its end. All PEs, after comm_start().
 */
#ifndef SKAMPI_ENGINE_START_H
#define SKAMPI_ENGINE_START_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "known/known.h"
#include "output/output.h"

enum {
    DEBUG_BATCHES = 8,
    DEBUG_VERIFICATION = 16,
    DEBUG_SHARED = 64,
    DEBUG_CLOCKS = 128,
    DEBUG_COLLECTIVES = 256
};

enum progress { PROGRESS_NONE, PROGRESS_OVERWRITTEN, PROGRESS_LINES };

struct engine;

struct engine_options {
    struct output *output;    /* on PE 0, else NULL */
    const char *timer;        /* NULL: the default */
    int clock_sync;           /* enum clock_sync; -1: as the script says */
    int verify;               /* enum verify; -1: as the script says */
    double unit;              /* 0: as the script says; else the script cannot change it */
    bool estimate;            /* measure a few, say how many there are and how long they take */
    bool estimate_record;     /* say it as a record of JSON */
    bool explain;             /* the header also has what comm_choices() says then */
    bool raw;                 /* results come with every repetition */
    unsigned factors;         /* bits 1 << enum factor, to be tried at each point */
    bool factors_listed;      /* by name: one that cannot be tried at all is a failure */
    int rounds;               /* 0: as the script says */
    double rounds_spread;     /* seconds; below 0: as the script says */
    uint64_t seed;            /* 0: a new one in each run */
    const char *const *known; /* results of earlier runs, known_count of them, */
    size_t known_count;
    const struct earlier_runs *earlier; /* and what they say; PE 0, NULL: there are none */
    bool resuming;                      /* results are taken from an earlier run, */
    struct resume *resume;              /* which PE 0 knows; NULL elsewhere */
    const char *state;                  /* for state_wanted_parse(); NULL: any */
    double state_wait;                  /* seconds to wait for that state, for each point */
    double time_limit;                  /* seconds from then on; 0: none */
    int64_t memory;                     /* bytes on each PE for a point; 0: any */
    double launched;                    /* when the program was started, wall_seconds() */
    int debug;                          /* DEBUG_... bits: messages on standard error */
    enum progress progress;
    size_t blocks;                   /* in the script, for the progress line */
    const struct summary_next *next; /* for the summary at the end; NULL: no summary */
    /* For the output's header */
    const char *version, *command_line, *deciding, *script, *checksum;
};

/* Calibrates and characterizes the timer, prints the header, starts the watchdog. Collective. NULL
 * with *error (for the user, on every PE) when the timer cannot be used. */
struct engine *engine_create(const struct engine_options *options, const char **error);

/* Ends and closes the output; collective. The exit status: 0, or 3 when a measurement failed or is
 * unsupported. *report_end: a measurement wants the output to end with what the library's end
 * takes, so the output is left open; the same on all PEs. Releases the engine; comm_finish()
 * comes after it. */
int engine_finish(struct engine *, bool *report_end);

/* ---- The environment of the run (environment.c) ---- */

/* The output's header, to options->output; collective. */
void environment_print(const struct engine_options *options, uint64_t seed);
/* The library and its settings, for the caller to free: known_software(). */
char *environment_software(void);
/* Before the output ends: whether the clocks of each node agreed over the run; collective. */
void environment_end(struct output *);

/* ---- What is known to be wrong in a version of a library; pure ---- */

enum defect_kind {
    DEFECT_CRASHES,      /* listed, but never called */
    DEFECT_WRONG_VALUES, /* measured; wrong values are no failure, but a note with the result */
    DEFECT_WINDOW_SIZES  /* the library needs allocated windows in multiples of 16 bytes; a note */
};

/* What is wrong with the measurement function of this name on the library that comm_library()
 * describes so; NULL when nothing of that kind is known. */
const char *defect_of(enum defect_kind kind, const char *function, const char *library);

/* Below, equal to or above 0, as version a is older than, the same as or newer than b. Versions are
 * numbers with dots between them; missing ones count as 0, and what follows the numbers ("rc1",
 * "a1") counts for nothing. */
int version_compare(const char *a, const char *b);

#endif
