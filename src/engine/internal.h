/*
 * What the files of the engine share; nobody else includes this.
 */
#ifndef SKAMPI_ENGINE_INTERNAL_H
#define SKAMPI_ENGINE_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/text.h"
#include "clock/sync.h"
#include "comm/process.h"
#include "engine/control.h"
#include "engine/counters.h"
#include "engine/engine.h"
#include "output/output.h"

/* The blocks that a measurement's buffers are cut from; symmetric, equal on all PEs. */
struct buffers {
    unsigned char *local, *remote, *scratch;         /* blocks; NULL: none yet */
    size_t local_bytes, remote_bytes, scratch_bytes; /* of the blocks */
    /* The measurement in progress */
    unsigned char *local_first, *remote_first;
    size_t local_stride, remote_stride, local_places, remote_places, turn;
    bool cold;  /* places follow each other within a repetition, and are flushed before it */
    bool fixed; /* all repetitions use the first place */
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
    double reported;       /* that it measured, seconds */
};

struct estimate {
    struct estimated *statements;
    size_t statement_count, measurements, probes, blocks;
    double
        seconds; /* of all measurements so far but those skipped since a statement's last probe */
};

/* A point that is measured in several rounds. */
struct rounds_record {
    struct measure_request request; /* with everything that it points to */
    struct settings settings;
    const char *timer;
    char *block;
    size_t block_number, region; /* region: of sorted results, 0: none */
    double key;                  /* among them */
    int64_t bytes, iterations;
    double effective; /* independent repetitions of the first round */
    size_t rounds, made;
    double *medians, *within; /* of each round made: median, interquartile range; PE 0 */
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
    int64_t shortest;     /* timed interval of this measurement, ticks */
    int64_t longest;      /* valid repetition, from start to stop, ticks */
    double timed;         /* in timed intervals since the start of the program, seconds */
    double shortest_part; /* of the last repetition, as run_shortest_part() said; else NaN */
    double *raw; /* valid repetitions in the order of time, or NULL; on the set's rank 0 and,
                    once brought there, PE 0 */
    int64_t last_iterations;
    double last_effective;           /* independent repetitions */
    double last_median, last_within; /* of the last measurement; PE 0 */
    double time_left_at;   /* wall_seconds() when the time limit ends; infinite: there is none */
    bool time_over;        /* it has ended */
    bool cut_short;        /* a measurement has been stopped by it */
    size_t missing_rounds; /* of single points */
    size_t skipped_late;   /* measurements that the time limit left out */
    bool skipped_endless;  /* one of them in a loop to ..., which would have gone on */
    size_t left_out;       /* since they could not be measured, or did not fit */
    /* Of this block, those of them that are not listed; what they were like, and the last call. */
    int64_t unlisted;
    enum result_missing unlisted_kind;
    char *unlisted_call, *unlisted_reason;
    struct rounds_record *records; /* to be measured in further rounds, see rounds.c */
    size_t record_count, record_room;
    size_t round, round_total; /* round: in progress, from 1 */
    uint64_t seed, random_state;
    double rounds_apart;  /* seconds between their beginnings */
    int estimated_rounds; /* that --estimate has met */
    double estimated_spread;
    size_t sort_region; /* autorefine: sorted results, numbered; 0 outside */
    size_t sort_regions;
    double sort_key;
    double progress_share, progress_shown; /* of this block; wall_seconds() of the last line */
    char *progress_result;                 /* the last one, for the line */
    double pause_overhead;
    bool pause_known;
    uint64_t data_seed; /* of the last data that were made, the same on all members */
    double verifying;   /* seconds that data and their checks took */
    bool filling;       /* the next repetition's memory gets data of its own before it begins */
    size_t filled;      /* turns of the buffers before this one have data */
    char *failure;      /* why this measurement fails on this PE */
    char **notes;
    size_t note_count;
    struct accounting accounting;
    /* The block in progress */
    size_t block_number;
    char *block_name;
    double block_start;      /* wall_seconds() */
    size_t library_measured; /* measurements of a library so far, but for those marked `once` */
    bool report_end;         /* of the library, behind the last line */
    int64_t late_starts, overruns, window_changes; /* in this block; PE 0 */
    bool windowed;                                 /* something in this block used windows; PE 0 */
    char **warned; /* places in this block that a warning was given for; PE 0 */
    size_t warned_count;
    double started;   /* of the engine, wall_seconds() */
    double last_time; /* that was reported, seconds */
    double
        assumed_time; /* the same, but where an estimate measured nothing that of the last probe */
    bool incomplete;  /* something failed or is unsupported: exit status 3 */
    /* Seen by the watching thread and by handlers */
    atomic_long progress;
    _Atomic(const char *) doing; /* text of the measurement in progress, or NULL */
    atomic_bool outside;         /* waits for the members of a set */
    char doing_text[512];
};

#define LEVELS_MAX 8
#define MEDIAN_CONFIDENCE 0.95

/* What the result's owner knows when it is done. */
struct numbers {
    double time, standard_error, window;
    double error, time_low, time_high; /* mpiperf: of the time, half of its interval and that */
    double reference_error;            /* of what was subtracted: a standard error, part of all */
    double subtracted;                 /* on the PE where it was most */
    double mean, deviation, median, median_low, median_high;
    double minimum, maximum, p5, p25, p75, p95, p99, autocorrelation, effective;
    int64_t valid, invalid, late, overruns, warm_up, changes, iterations, flags, notes_length;
    int64_t kept; /* repetitions that the time is the mean of */
    int64_t level_count, raw_count;
    struct result_level levels[LEVELS_MAX];                   /* ascending */
    double counted[COUNTERS_MAX], counted_mean[COUNTERS_MAX]; /* counted per operation, over PEs */
};

/* ---- measure.c ---- */

/* Starts by the clock, or behind the engine's barrier, whose skew the clocks tell. */
bool measure_in_windows(const struct engine *);
/* set_run_time("global") is in force. */
bool measure_global_run_times(const struct engine *);
/* Events are counted in measurements of this function. */
bool measure_counts_events(const struct measurement *);

/* ---- verify.c; by all members ---- */

/* Whether it has data that are verified. */
bool verify_has(const struct measurement *);

/* Around a repetition: its memory gets data of its own, which are checked after it. */
void verify_begin(struct engine *);
void verify_end(struct engine *);
/* The memory that a repetition in progress is to use gets its data; nobody may begin before all
 * have them. False where nothing was to be done. */
bool verify_fill(struct engine *);
/* Data and guards for the places of the next repetitions, and their check after the last one. */
void verify_fill_ahead(struct engine *, size_t repetitions);
void verify_last(struct engine *);

/* ---- report.c ---- */

/* The result of the measurement in progress, to the output; PE 0. per_pe: in the order of ranks. */
void report_result(struct engine *, const struct measure_request *, const struct numbers *,
                   const double *per_pe);
/* All rounds of a point; PE 0. */
void report_rounds(struct engine *, const struct rounds_record *);

/* ---- rounds.c ---- */

/* Keeps a request that has been measured once, with what came of it, if it is to be measured again
 * in later rounds. All PEs. */
void rounds_record(struct engine *, const struct measure_request *);
/* The later rounds, and the block of their results; collective. */
void rounds_replay(struct engine *);
/* What all rounds take when one takes so many seconds. */
double rounds_estimate(const struct engine *, double seconds);
/* Seconds until the last round ends, if it takes as long as those before. */
double rounds_left(const struct engine *);
void rounds_free(struct engine *);

/* ---- progress.c ---- */

/* A line on standard error about what comes next, if there is a terminal; PE 0. */
void progress_show(struct engine *, const struct measure_request *);
/* A measurement goes on. */
void progress_go_on(struct engine *);
void progress_result(struct engine *, const struct numbers *, double unit);
void progress_wait(struct engine *, double seconds);
void progress_end(struct engine *);

/* ---- buffers.c ---- */

/* What set_skampi_buffer() must be at least for the demand to fit; SIZE_MAX: nothing is enough.
 * OpenSHMEM: the source alone counts. MPI: SKaMPI 5's rule, by which both buffers and what their
 * alignment may cost lie in one block of the buffer's size and 8 times the least common multiple of
 * the alignments; twice, when it cycles. */
size_t buffers_need(const struct settings *, const struct demand *, enum api);
/* Makes the blocks large enough; collective over the world. False, on all PEs, when memory is
 * short; there are no blocks then. *symmetric: bytes that they take together. */
bool buffers_prepare(struct buffers *, const struct settings *, const struct demand *,
                     size_t *symmetric);
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
/* The place of that turn, without taking it. */
void buffers_at(const struct buffers *, struct run *, size_t turn);
/* So many different places follow each other where they are warm. */
size_t buffers_warm_places(const struct buffers *);
/* Bytes before and after each place that belong to no other place. */
#define BUFFER_GUARD 64
/* Address rule: the lowest one at or above address that is a multiple of alignment but not of
 * twice the alignment. */
uintptr_t buffers_align(uintptr_t address, size_t alignment);

/* ---- stop.c: stop rules, pure ---- */

/* Hard limit of valid repetitions: max(4, floor(1.5 max_repetitions + 0.5)). */
size_t stop_hard_limit(int max_repetitions);
/* Valid repetitions that no rule asks for more than, but for the last batch's. */
size_t stop_most(const struct settings *);
/* The median's interval, NaN where there is none; whether it is as narrow as the rule wants it. */
bool stop_median_interval(const struct settings *, const double *m, size_t n, double *low,
                          double *high);
/* Whether what the rule aims at has been reached by the n valid repetitions m, in the order of
 * time. */
bool stop_reached(const struct settings *, const double *m, size_t n);
/* Enough? Asked behind each batch; *passes, 0 at first, belongs to the rule: an interval of the
 * median must be narrow enough twice in a row. */
bool stop_enough(const struct settings *, const double *m, size_t n, int *passes);
/* A batch that grows with what there is, where the rule wants many. */
size_t stop_grown_batch(const struct settings *, size_t batch, size_t valid);
/* Repetitions of the next batch. synchronized: the function starts in windows; first: after the
 * first batch; late_run: most late starts in a row. */
size_t stop_next_batch(const struct settings *, size_t batch, bool window, bool first,
                       size_t late_run);
/* The classic window rule after a batch: flawed of count repetitions invalid; used: from the
 * origin to the last finish. Same unit for all. */
double stop_next_window(double window, size_t flawed, size_t count, double used);
/* MPIPerf's after a stage of count runs: as it should be for what was used, gamma used / count,
 * after stage 0 (window: 0) and where too many were invalid, but then gamma times the old one at
 * least; half of it where it is many times what the longest valid run needed. Why it differs from
 * Kurnosov's: docs/method.md. Same unit for all. */
double stop_mpiperf_window(const struct window_rules *, double window, size_t invalid, size_t count,
                           double used, double longest);

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
void estimate_probed(struct estimate *, const char *place, double seconds, double reported);
/* What the last probe there reported, in seconds; NaN: it failed. */
double estimate_reported(struct estimate *, const char *place);
/* Seconds of the whole script. */
double estimate_total(const struct estimate *);
void estimate_free(struct estimate *);

/* ---- watch.c ---- */

/* From then on the engine is watched instead of the steps of the start; watch_stop(): those of the
 * end are. */
void watch_start(struct engine *);
void watch_stop(void);
void watch_progress(struct engine *);
/* The last words of this run; nothing on PEs without an output. */
void watch_last_words(int status, const char *said, const char *reason);
/* When a run is to begin to end in order, wall_seconds(). */
double watch_limit_near(double launched, double time_limit);
/* Says on standard error that the time limit has ended the run, what there is, and what to do.
 * missing: how much, with its verb. */
void watch_tell_limit(struct output *, const char *what, const char *missing);

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
/* Before the output ends: whether the clocks of each node agreed over the run; collective. */
void environment_end(struct engine *);

/* ---- engine.c ---- */

/* Whether the time limit has ended, the same on all PEs; collective over the world. */
bool engine_time_over(struct engine *);

void engine_note(struct engine *, const char *text); /* takes the text over */
void engine_clear_notes(struct engine *);
/* Reports what is not measured, but for failures; all PEs. */
void engine_miss(struct engine *, enum result_missing kind, const struct measure_request *,
                 const char *reason);
/* Reports a failed measurement once; PE 0. */
void engine_report(struct engine *, const char *place, const char *call, const char *reason);

#endif
