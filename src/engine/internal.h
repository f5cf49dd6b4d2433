/*
 * What the files of the engine share; nobody else includes this.
 */
#ifndef SKAMPI_ENGINE_INTERNAL_H
#define SKAMPI_ENGINE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clock/sync.h"
#include "comm/process.h"
#include "engine/control.h"
#include "engine/engine.h"
#include "output/output.h"

/* The blocks that a measurement's buffers are cut from; symmetric, equal on all PEs. */
struct buffers {
    unsigned char *local, *remote, *scratch;         /* blocks; NULL: none yet */
    size_t local_bytes, remote_bytes, scratch_bytes; /* of the blocks */
    /* The measurement in progress */
    unsigned char *local_first, *remote_first;
    size_t local_stride, remote_stride, local_places, remote_places, turn;
    bool cold; /* places follow each other within a repetition, and are flushed before it */
};

/* Window synchronization of the batch in progress. Global ticks (of the set's rank 0). */
struct window {
    enum synchronization synchronization; /* in force for this call, */
    enum window_rule rule;                /* and how windows are laid */
    int64_t origin, width;
    int64_t index;       /* of the repetition in the batch */
    int64_t scheduled;   /* start of this repetition */
    int64_t start, stop; /* local ticks */
    bool started_late, took_too_long;
    int64_t longest_poll;
    int64_t broadcast; /* upper estimate of the engine's broadcast, ticks */
};

struct accounting {
    double sync, comm, wait, over, total; /* seconds, this PE */
};

/* What --estimate knows of one measure statement of the script. */
struct estimated {
    char *place;
    size_t count, skipped; /* since the last probe */
    double last;           /* seconds of the last probe */
};

struct estimate {
    struct estimated *statements;
    size_t statement_count, measurements, probes, blocks;
    double
        seconds; /* of all measurements so far but those skipped since a statement's last probe */
};

struct engine {
    struct engine_options options;
    struct estimate estimate;
    struct settings settings;
    struct output *output;
    char *pending; /* text of this PE for the next flush; not on PE 0 */
    size_t pending_length;
    struct buffers buffers;
    struct window window;
    struct run run;
    struct clock_rules clock_rules; /* that clocks were synchronized by, */
    bool clocks_known;              /* if they were, with this timer */
    struct sync_report clocks;
    int64_t shortest; /* timed interval of this measurement, ticks */
    int64_t longest;  /* valid repetition, from start to stop, ticks */
    double *samples;  /* valid repetitions of this measurement in the order of time, for --raw */
    double timed;     /* in timed intervals since the start of the program, seconds */
    double pause_overhead;
    bool pause_known;
    char *failure; /* why this measurement fails on this PE */
    char **notes;
    size_t note_count;
    struct accounting accounting;
    /* The block in progress */
    size_t block_number;
    char *block_name;
    double block_start; /* wall_seconds() */
    size_t measured_in_block;
    size_t library_measured; /* measurements of a library so far, but for those marked `once` */
    bool report_end;         /* of the library, behind the last line */
    int64_t late_starts, overruns, window_changes; /* in this block; PE 0 */
    bool windowed;                                 /* something in this block used windows; PE 0 */
    bool warned_too_large;
    double started;   /* of the engine, wall_seconds() */
    double last_time; /* that was reported, seconds */
    bool incomplete;  /* something failed or is unsupported: exit status 3 */
    /* Seen by the watching thread and by handlers */
    atomic_long progress;
    _Atomic(const char *) doing; /* text of the measurement in progress, or NULL */
    atomic_bool ending, outside; /* outside: waits for the members of a set */
    pthread_t watcher;
    bool watching;
    atomic_long watchdog_ms;
    char doing_text[512];
};

/* ---- buffers.c ---- */

/* Whether the demand fits the buffer that the script set (OpenSHMEM rule: the source alone). */
bool buffers_fit(const struct settings *, const struct demand *);
/* Makes the blocks large enough; collective over the world. False when memory is short. */
bool buffers_prepare(struct buffers *, const struct settings *, const struct demand *);
/* Starts a measurement at the first place; pure. Cold: so many places as the blocks have room for
 * are used by the iterations of one repetition. */
void buffers_begin(struct buffers *, const struct settings *, const struct demand *);
void buffers_clear_scratch(const struct buffers *, const struct demand *);
/* The next place, for run->local and run->remote. */
void buffers_next(struct buffers *, struct run *);
/* The places that a repetition of so many iterations uses leave the caches of all processors. */
void buffers_flush(const struct buffers *, const struct demand *, const struct settings *,
                   size_t iterations);
/* Iterations for which a repetition has fresh memory. */
size_t buffers_cold_places(const struct buffers *, const struct demand *);
/* The last-level cache of this machine in bytes; 32 MiB when it does not tell. */
size_t buffers_cache_bytes(void);
void buffers_free(struct buffers *);
/* Address rule: the lowest one at or above address that is a multiple of alignment but not of
 * twice the alignment. */
uintptr_t buffers_align(uintptr_t address, size_t alignment);

/* ---- stop.c: the classic stop rule, pure ---- */

/* Hard limit of valid repetitions: max(4, floor(1.5 max_repetitions + 0.5)). */
size_t stop_hard_limit(int max_repetitions);
/* Enough? m: the n valid repetitions so far. */
bool stop_enough(const struct settings *, const double *m, size_t n);
/* Repetitions of the next batch. synchronized: the function starts in windows; first: after the
 * first batch; late_run: most late starts in a row. */
size_t stop_next_batch(const struct settings *, size_t batch, bool window, bool first,
                       size_t late_run);
/* The classic window rule after a batch: flawed of count repetitions invalid; used: from the
 * origin to the last finish. Same unit for all. */
double stop_next_window(double window, size_t flawed, size_t count, double used);

/* ---- reference.c: what is subtracted, pure ---- */

/* A cost measured apart: trimmed mean and the variance of that mean. Seconds. */
struct reference {
    double mean, variance;
};
struct reference reference_of(const double *values, size_t n);
/* Measured before and after the repetitions: both count alike, and that conditions changed from
 * one to the other is part of the error (half the difference, as a standard error). */
struct reference reference_combine(const struct reference *before, const struct reference *after);

/* ---- estimate.c: for --estimate ---- */

/* Whether this request is to be measured, as a probe: the first, second, fourth, ... of a
 * statement. All PEs agree, since they count alike. */
bool estimate_probes(struct estimate *, const char *place);
/* What a probe took; those skipped before it are taken to have cost the mean of both probes. */
void estimate_probed(struct estimate *, const char *place, double seconds);
/* Seconds of the whole script. */
double estimate_total(const struct estimate *);
void estimate_free(struct estimate *);

/* ---- watch.c ---- */

void watch_start(struct engine *);
void watch_stop(struct engine *);
void watch_progress(struct engine *);

/* ---- clocks.c ---- */

/* Makes clocks wrong as SKAMPI_TEST_CLOCK_SKEW says, for tests; before a timer is selected. */
void clocks_skew(void);

struct sync_rules clocks_rules(const struct settings *);
/* Synchronizes the clocks as the settings say, and states how well; collective over the world. */
void clocks_synchronize(struct engine *);
/* The same, unless it has been done like this before. */
void clocks_need(struct engine *);
/* At the end of a block: how far they have moved. Collective over the world. */
void clocks_report(struct engine *);

/* ---- environment.c ---- */

/* The output's header; collective. */
void environment_print(struct engine *);

/* ---- engine.c ---- */

void engine_note(struct engine *, const char *text); /* takes the text over */
void engine_clear_notes(struct engine *);
/* Reports a failed measurement once; PE 0. */
void engine_report(struct engine *, const char *place, const char *call, const char *reason);

#endif
