/*
 * What people are told while it runs: how far the run is, what is not measured, why the job ends,
 * how long a script will take, what the time limit cut off, and text that scripts print on any PE.
 * PE 0 prints.
 */
#ifndef SKAMPI_ENGINE_MESSAGES_H
#define SKAMPI_ENGINE_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/request.h"
#include "engine/start.h"
#include "output/output.h"
#include "output/result.h"

/* ---- How far the run is, on standard error ---- */

/* The round in progress, of those that all points are measured in. */
struct round {
    size_t number; /* from 1 */
    size_t total;
    double apart; /* seconds between the beginnings of two rounds */
};

struct display {
    const struct engine_options *options;
    const struct block *block;
    const struct round *round;
    bool wanted;
    double started; /* wall_seconds() when the engine began */
    double share;   /* of this block that is done */
    double shown;   /* wall_seconds() of the last line */
    char *result;   /* the last one, for the line */
};

/* How progress is shown: as a line that is overwritten where somebody at a terminal sees this
 * process's standard error, perhaps through a launcher, not at all among results, else as lines. */
enum progress progress_form(bool results_on_stdout);

/* What comes next, if it is time for a line. call: its text. */
void progress_show(struct display *, const char *call);
/* A measurement goes on. */
void progress_go_on(struct display *);
void progress_result(struct display *, const struct statistics *, bool is_time);
/* The next round begins after these seconds. */
void progress_wait(struct display *, double seconds);
/* Waits for a state of the machine, as the user named it. */
void progress_state(struct display *, const char *state);
/* Other lines follow on standard error: a line that is overwritten disappears. */
void progress_end(struct display *);

/* ---- What is not measured ---- */

struct missing_points {
    struct output *output; /* of PE 0, else NULL */
    struct display *display;
    const struct block *block;
    const struct describer *describer;
    bool silent;     /* nothing is told, the reason alone is kept */
    bool incomplete; /* something failed or is unsupported: exit status 3 */
    size_t left_out; /* since they could not be measured, or did not fit */
    /* Of this block, those of them that are not listed; what they were like, and the last call. */
    int64_t unlisted;
    enum result_missing kind;
    char *call, *reason;
    char **warned; /* places in this block that a warning was given for; PE 0 */
    size_t warned_count;
};

/* The output states what takes the place of a result. All PEs. */
void missing_state(const struct missing_points *, enum result_missing kind,
                   const struct measure_request *, const char *reason);
/* A measurement cannot be made, or does not fit: states it, as long as there are few. All PEs. */
void missing_leave_out(struct missing_points *, enum result_missing kind,
                       const struct measure_request *, const char *reason);
/* Whether what is left out is still listed one by one; then the number of further ones. All PEs. */
bool missing_listed(const struct missing_points *);
void missing_leave_out_more(struct missing_points *, int64_t count);
/* A measurement has failed: says so once. All PEs; reason: on PE 0. */
void missing_fail(struct missing_points *, const struct measure_request *, const char *reason);

/* Warnings are given once in a block; what was not listed is stated at its end as one. */
void missing_forget_warnings(struct missing_points *);
void missing_end_block(struct missing_points *);
void missing_free(struct missing_points *);

/* ---- The end by an error ---- */

#define STATUS_INTERNAL 1

/* Ends the job with this text, which is printed once when several PEs find the same error. */
_Noreturn void fatal_text(struct display *, int status, const char *text);
/* The job ends when the output cannot be written any more. */
void fatal_check_output(struct display *, struct output *);

/* ---- How long a script takes, from some of its measurements ---- */

struct estimate_point;

struct estimate {
    struct estimate_point *statements; /* one for each measure statement */
    size_t statement_count, measurements, probes, blocks;
    /* Of all measurements so far, except those skipped since a statement's last probe */
    double seconds;
    int rounds;    /* the most that was met, */
    double spread; /* and the seconds that they are to be spread over, as settings have it */
};

/* Whether this request is to be measured, as a probe: the first, second, fourth, ... of a
 * statement. All PEs agree, since they count alike. */
bool estimate_probes(struct estimate *, const char *place);
/* What a probe took; those skipped before it are taken to have cost the mean of both probes. */
void estimate_probed(struct estimate *, const char *place, double seconds, double reported);
/* What the last probe there reported, in seconds; NaN: it failed. */
double estimate_reported(struct estimate *, const char *place);
/* Seconds of the complete script. */
double estimate_total(const struct estimate *);
void estimate_free(struct estimate *);

/* ---- The time limit of the run, and what it cut off ---- */

struct limit {
    double seconds; /* of the command line */
    double ends;    /* wall_seconds(); infinite: there is no limit */
    bool reached;   /* as of the last limit_agree() */
    bool over;      /* it has ended before something that was to be measured */
    bool cut_short; /* a measurement has been ended by it */
    size_t skipped; /* measurements that it left out */
    bool endless;   /* one of them in a loop to ..., which would have gone on */
    size_t rounds;  /* of single points that are missing */
};

/* All PEs synchronize, and find out whether all have the same tag and whether the time limit has
 * ended. Collective over the world. */
bool limit_agree(struct limit *, uint64_t tag);
/* Whether the time limit has ended for what is to be measured now. The same on all PEs. */
bool limit_over(struct limit *);
/* More measurements may be missing than were counted. */
bool limit_unknown(const struct limit *);
/* What the limit cut off, for the end record; the caller frees it. */
char *limit_text(const struct limit *);
/* Writes limit_text() to standard error; PE 0. */
void limit_tell(const struct limit *, struct output *);

/* ---- Text of scripts ---- */

struct pending_text {
    struct output *output; /* of PE 0, else NULL */
    char *text;            /* of this PE for the next flush; not on PE 0 */
    size_t length;
};

void texts_add(struct pending_text *, struct display *, const char *text);
/* Brings all PEs' text to the output, in the order of PEs; collective over the world. */
void texts_bring(struct pending_text *);
/* As texts_bring(), but without the gather if no PE has text. */
void texts_flush(struct pending_text *);

#endif
