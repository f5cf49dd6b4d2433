/*
 * What `shmemtrace explain` knows of a run: who waited for whom, what made them wait, and where the
 * time went. One process; README.md says in which order its parts run.
 */
#ifndef SKAMPI_TRACE_EXPLAIN_EXPLAIN_H
#define SKAMPI_TRACE_EXPLAIN_EXPLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/table.h"
#include "base/text.h"
#include "sim/op.h"
#include "trace/read/flag.h"
#include "trace/read/reader.h"

#define NOBODY UINT32_MAX

/* Why somebody waits. */
enum cause {
    CAUSE_BARRIER,
    CAUSE_COLLECTIVE,
    CAUSE_WRITER,
    CAUSE_LOCK,
    CAUSE_PROGRESS, /* up to here another PE comes late */
    CAUSE_ATOMIC,
    CAUSE_QUIET,
    CAUSE_TRANSFER, /* no waiting: what communication itself takes */
    CAUSES
};

static inline bool cause_has_late_pe(enum cause cause)
{
    return cause <= CAUSE_PROGRESS;
}

/* What a thread does: it computes after a call from a spot, or is in a call from there; in a phase
 * of the application. One number, so that it can be compared. */
typedef uint64_t activity_t;
static inline activity_t activity(bool computes, uint32_t spot, uint32_t phase)
{
    return (uint64_t)computes << 63 | (uint64_t)(spot & INT32_MAX) << 32 | phase;
}
static inline bool activity_computes(activity_t activity)
{
    return activity >> 63;
}
static inline uint32_t activity_spot(activity_t activity)
{
    return (uint32_t)(activity >> 32) & INT32_MAX;
}

/* What routines mean, by their numbers in the reader's table. Begins with zeros. */
struct kinds {
    struct routine_kind **of; /* NULL: not asked for yet */
    size_t room;
};
const struct routine_kind *kinds_find(struct kinds *, struct source *, const struct trace_event *);
void kinds_free(struct kinds *);

/* A call: where it is made from, and how many the line made from there before it and with it. */
struct call {
    uint32_t spot, ordinal;
};

/* Somebody waits, from `from` to `until`. */
struct wait {
    uint32_t line, by; /* who waits; who came last, or NOBODY */
    struct call call, by_call;
    enum cause cause;
    uint32_t phase;
    uint32_t first_part, parts; /* what made `by` late */
    double from, until;         /* seconds; `until` is when `by` came */
    double cost; /* charged: what all lines waited because of this wait, itself included */
};

/* A share of what made a line late: an activity of it, or an earlier wait of it. */
struct part {
    uint32_t wait; /* 1 + its number, or 0 */
    uint32_t ordinal;
    activity_t activity;
    double share; /* all parts of a wait: 1 */
};

/* A stretch of a line's past. */
struct segment {
    double start, end;
    activity_t activity;
    uint32_t wait; /* 1 + the wait's number, or 0 */
    uint32_t ordinal;
};

/* The latest segments of a line; older ones are forgotten. */
struct past {
    struct segment *segments; /* a ring */
    uint64_t first, last;     /* numbers of the segments that are kept: [first, last) */
    size_t room;
};

/* Time of a line in a phase, within the window. */
struct shares {
    double elapsed, useful; /* seconds: all; computing */
    double ideal;           /* how far the line comes where communication takes no time */
};

/* A loop that polls. */
struct poll {
    enum { POLL_NONE, POLL_TEST, POLL_LOCK, POLL_FETCH } kind;
    int64_t peer, place, value, condition;
    uint64_t bytes, calls, mark; /* mark: number of its first segment */
    double from, to;
    double useful; /* that was counted as computing meanwhile */
    uint32_t phase;
    struct call call; /* the last one */
};

#define WATCHED 4 /* targets of a call, at most */

/* A target of a call: when it was in no call meanwhile for the first time (seconds). */
struct watch {
    struct watch *next;   /* of the same target */
    double left, entered; /* INFINITY: not yet */
    int64_t peer;
    bool computed; /* when the call began */
    bool listed;
};

/* Calls of a line from a spot: how many, and their time without waits (seconds). */
struct spot_time {
    uint32_t calls;
    double seconds;
};

/* A thread of a PE. */
struct line {
    int pe;
    uint32_t thread;
    struct call call; /* the present one, or the last one */
    double begun, ended;
    bool started, over;
    struct past past;
    struct poll poll;
    struct shares *shares; /* by number of the phase */
    size_t share_room;
    double ideal;
    struct spot_time *spent; /* by spot */
    size_t spent_room;
    uint32_t first_wait, call_waits; /* 1 + number of the first one of the present call */
    uint32_t *waits; /* after they are all known: its waits that make up the critical path */
    size_t wait_count, wait_room;
    struct watch watches[WATCHED];
    size_t watch_count;
    int64_t open[WATCHED]; /* whom it has put to since the last quiet */
    size_t open_count;
    bool has_put; /* the last operation was a put, perhaps with a quiet after it */
    struct call put;
    uint64_t quiet; /* 1 + number of this quiet's segment, or 0 */
    uint32_t
        before; /* in an atomic: whose atomic on the same variable has ended meanwhile, the last */
    double before_end;    /* one; NOBODY: nobody's */
    uint32_t next_atomic; /* 1 + the next line in an atomic in the same bucket */
    int64_t atomic_peer, atomic_place;
};

struct explain_pe {
    uint32_t line;   /* its first thread; NOBODY: not in the trace */
    uint32_t inside; /* threads in calls */
    struct watch *watched;
};

/* Calls on targets that computed: that ended when the target had made a call; before it did. */
struct progress {
    uint64_t with, without;
};

/* What a line waits with a certain reason: one row of the answer. */
struct finding {
    enum cause cause;
    struct call call, by_call, root; /* the root's spot; ordinals of the longest wait */
    bool computes;
    double cost, own, longest;
    double waits;            /* each by its share; of communication calls */
    double *waited, *blamed; /* by line: own waiting; cost */
};

/* Time on the critical path by activity and PE: how much less the run could take at most if it cost
 * nothing (seconds). */
struct stay {
    bool computes;
    uint32_t spot;
    int pe;
    double seconds;
};

/* The places that lines wait for, and the latest writes to each: calls.c. */
struct flags {
    struct flag_list list;
    struct ring *rings; /* by flag */
};
struct meetings;
struct iterations;

struct spot_cached {
    uint32_t routine, spot; /* 1 + the routine, or 0 */
};

struct explain {
    struct reader *reader;
    int pes;
    double from, to;        /* the window */
    double start, finalize; /* seconds that starting and finalizing took */
    double first, last;
    struct explain_pe *pe;
    uint32_t *first_line; /* by file */
    struct line *lines;
    uint32_t line_count;
    uint64_t events;
    struct table spots, phases;
    struct spot_cached *spot_cache; /* by site or routine */
    size_t spot_cache_room;
    struct kinds kinds;
    double *quickest; /* by spot: the quickest atomic on another PE */
    size_t quickest_room;
    struct progress *progress; /* by spot */
    size_t progress_room;
    struct wait *waits;
    size_t wait_count, wait_room;
    struct part *parts;
    size_t part_count, part_room;
    double all_met;        /* when all PEs last met */
    struct table pair_met; /* by two lines: when they last met (seconds) */
    struct table sums;     /* what lines did before the wait that is being added: past.c */
    struct flags flags;
    struct meetings *meetings; /* by set */
    size_t meeting_room;
    struct table locks; /* by place: struct lock */
    uint32_t *atomics;  /* ATOMIC_BUCKETS of them: 1 + a line in an atomic */
    struct iterations *iterations;
    struct table findings; /* struct finding; after charging: the largest first */
    struct table stays;    /* struct stay; in the end: the longest first */
    uint64_t hops;         /* of the critical path, from PE to PE */
};

/* The part of [from, to] that lies in the window (seconds). */
static inline double explain_within(const struct explain *explain, double from, double to)
{
    from = from > explain->from ? from : explain->from;
    to = to < explain->to ? to : explain->to;
    return to > from ? to - from : 0;
}
static inline double wait_seconds(const struct explain *explain, const struct wait *wait)
{
    return explain_within(explain, wait->from, wait->until);
}
/* All the time of all lines (seconds). */
static inline double explain_time(const struct explain *explain)
{
    return (explain->to - explain->from) * explain->line_count;
}

/* The line of an event; NULL if the file did not announce its thread. */
struct line *explain_line(const struct explain *, const struct source *,
                          const struct trace_event *);
/* The number of the first line of a PE; NOBODY: there is no such PE in the trace. */
static inline uint32_t explain_first_line(const struct explain *explain, int64_t pe)
{
    return pe < 0 || pe >= explain->pes ? NOBODY : explain->pe[pe].line;
}

/* ---- calls.c: what routines and calls do, and where they are made from ---- */

/* Bytes that a blocking call reads of one variable, as a loop that polls does; 0: it is none. */
uint64_t fetch_bytes(const struct routine_kind *, const struct trace_event *);
int64_t fetch_place(const struct routine_kind *, const struct trace_event *);
/* Whether a test, of a variable or a lock, has failed. */
bool test_failed(const struct routine_kind *, const struct trace_event *);
/* Whether a call may be part of a loop that polls, so that their number says nothing. */
bool call_polls(const struct routine_kind *, const struct trace_event *);

uint32_t spot_of(struct explain *, struct source *, const struct trace_event *);
const char *spot_routine(const struct explain *, uint32_t spot);
/* "exchange (halo.c:212)"; NULL: not known. */
const char *spot_site(const struct explain *, uint32_t spot);

/* Writes that end waits. */

struct write {
    uint32_t line;
    struct call call;
    double time, ideal; /* of its beginning; of the line, where communication takes no time */
    bool valued;
    uint64_t value; /* the bytes of the flag, the first one lowest */
};

/* What somebody waits for. */
struct condition {
    int64_t pe, place;
    struct flag_condition flag;
    double from, to; /* when the write must have been made */
};

/* In the first pass: notes what a wait is for; of other calls nothing. */
void flags_wait(struct flags *, const struct routine_kind *, int pe, const struct trace_event *);
/* At its end. */
void flags_sort(struct flags *, size_t pes);
/* What an event waits for at its own PE. */
struct condition flags_condition(const struct routine_kind *, int pe, const struct trace_event *);
/* In the second one: notes what an event writes, if it does. */
void flags_write(struct flags *, const struct routine_kind *, const struct trace_event *,
                 const struct write *);
/* The write that satisfied it, or NULL. Of a counter the first one that did. */
const struct write *flags_find(const struct flags *, const struct condition *);
void flags_free(struct flags *);

/* ---- targets.c, once all waits are known ---- */

/* Whether calls from there end only when their targets are in calls. */
bool explain_progress_is_late(const struct explain *, uint32_t spot);
/* Whether another line ended the wait. */
bool wait_is_for_another(const struct explain *, const struct wait *);

/* ---- iterations.c: the repeating sequence of calls of the first thread ---- */

struct iterations {
    struct anchor *anchors; /* by spot: calls that may begin an iteration */
    size_t anchor_room;
    uint64_t sum;    /* of what was called so far, without repetitions */
    uint32_t last;   /* 1 + the spot of the last call */
    uint32_t begins; /* the spot that begins an iteration; NOBODY: there are none */
    double *starts;  /* of iterations; the last one ends the last iteration */
    size_t count, room;
};

/* In the first pass: a call of the first thread. */
void explain_iterations_see(struct iterations *, uint32_t spot, double start);
void explain_iterations_decide(struct iterations *);
/* In the second one. */
void explain_iterations_note(struct iterations *, uint32_t spot, double start);

static inline double iteration_seconds(const struct iterations *all, size_t number)
{
    return all->starts[number + 1] - all->starts[number];
}
void explain_iterations_free(struct iterations *);

/* ---- sentence.c: findings as sentences ---- */

struct cause_row {
    const char *name;
    /* {who} wait{s} in {where} for the routine {call} of {whom}, called {at} a site. */
    const char *sentence;
    const char *remedy;       /* if the one that is late computes */
    const char *remedy_calls; /* if it communicates */
};
extern const struct cause_row cause_rows[CAUSES];

/* The values of lines as values of their PEs. *most: the largest one. The caller frees it. */
double *values_by_pe(const struct explain *, const double *values, double *most);
/* Who waits where for whom, and why. The caller frees it. */
char *sentence_of(const struct explain *, const struct finding *);
const char *sentence_remedy(const struct explain *, const struct finding *);
/* A routine and its site, or which call of it, unless that is 0. The caller frees it. */
char *sentence_call(const struct explain *, struct call);
/* Prints a text in lines of 80 columns; those after the first one are indented. */
void sentence_print(FILE *out, int indent, const char *text);

/* ---- The passes after the first one, in their order ---- */

void follow(struct explain *);    /* follow.c */
void charge(struct explain *);    /* charge.c */
void find_path(struct explain *); /* path.c */
/* Write what was found; as JSON, at most so many rows of each list. */
void print_screen(const struct explain *, FILE *out);
void write_json(const struct explain *, size_t most, FILE *out);

/* ---- run.c: all of it, also for other commands ---- */

extern const struct reader_command explain_command;

/* Takes --from and --to, and makes the first pass. Ends the program if there is nothing to explain.
 */
void explain_begin(struct explain *, struct reader *);
void explain_find(struct explain *); /* the other passes */
void explain_free(struct explain *);

#endif
