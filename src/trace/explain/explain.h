/*
 * What `shmemtrace explain` knows of a run: who waited for whom, what made them wait, and where the
 * time went. One process; README.md says in which order its parts run.
 */
#ifndef SKAMPI_TRACE_EXPLAIN_EXPLAIN_H
#define SKAMPI_TRACE_EXPLAIN_EXPLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/table.h"
#include "sim/op.h"
#include "trace/explain/causes.h"
#include "trace/read/reader.h"

#define NOBODY UINT32_MAX

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
struct spent {
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
    struct spent *spent; /* by spot */
    size_t spent_room;
    uint32_t first_wait, call_waits; /* 1 + number of the first one of the present call */
    uint32_t *waits; /* after they are all known: its waits that make up the critical path */
    size_t wait_count;
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

struct flags;
struct meetings;
struct locks;
struct iterations;

struct spot_cached {
    uint32_t routine, spot; /* 1 + the routine, or 0 */
};

struct explain {
    struct reader *reader;
    char *command; /* of the program */
    int pes;
    double from, to;        /* the window */
    double start, finalize; /* seconds that starting and finalizing took */
    double first, last;
    struct explain_pe *pe;
    uint32_t *first_line; /* by file */
    struct line *lines;
    uint32_t line_count;
    uint64_t events;
    struct table routines, spots, phases;
    struct spot_cached *spot_cache; /* by site or routine */
    size_t spot_cache_room;
    struct routine_kind **kinds; /* by file; equal ones are shared */
    double *quickest;            /* by spot: the quickest atomic on another PE */
    size_t quickest_room;
    struct progress *progress; /* by spot */
    size_t progress_room;
    struct wait *waits;
    size_t wait_count, wait_room;
    struct part *parts;
    size_t part_count, part_room;
    double all_met; /* when all PEs last met */
    struct table pairs;
    double *pair_met; /* by pair */
    size_t pair_room;
    struct flags *flags;
    struct meetings **meetings; /* by set */
    size_t meeting_room;
    struct locks *locks;
    uint32_t *atomics; /* ATOMIC_BUCKETS of them: 1 + a line in an atomic */
    struct iterations *iterations;
    struct table finding_keys;
    struct finding *findings; /* after charging: the largest first */
    size_t finding_count, finding_room;
    struct table stay_keys;
    struct stay *stays; /* the longest first */
    size_t stay_count, stay_room;
    uint64_t hops; /* of the critical path, from PE to PE */
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
static inline const struct routine_kind *explain_kind(const struct explain *explain,
                                                      const struct source *source,
                                                      const struct trace_event *event)
{
    return &explain->kinds[source->index][event->routine];
}
/* The number of the first line of a PE; NOBODY: there is no such PE in the trace. */
static inline uint32_t explain_first_line(const struct explain *explain, int64_t pe)
{
    return pe < 0 || pe >= explain->pes ? NOBODY : explain->pe[pe].line;
}

/* ---- calls.c: what calls do ---- */

/* Bytes that a blocking call reads of one variable, as a loop that polls does; 0: it is none. */
uint64_t fetch_bytes(const struct routine_kind *, const struct trace_event *);
int64_t fetch_place(const struct routine_kind *, const struct trace_event *);
/* Whether a test, of a variable or a lock, has failed. */
bool test_failed(const struct routine_kind *, const struct trace_event *);
/* Whether a call may be part of a loop that polls, so that their number says nothing. */
bool call_polls(const struct routine_kind *, const struct trace_event *);

/* ---- spots.c: where calls are made from ---- */

uint32_t spot_of(struct explain *, struct source *, const struct trace_event *);
const char *spot_routine(const struct explain *, uint32_t spot);
/* "exchange (halo.c:212)"; NULL: not known. */
const char *spot_site(const struct explain *, uint32_t spot);

/* ---- The passes, in their order ---- */

void survey(struct explain *);    /* survey.c */
void follow(struct explain *);    /* follow.c */
void charge(struct explain *);    /* charge.c */
void find_path(struct explain *); /* path.c */
/* Write what was found; as JSON, at most so many rows of each list. */
void print_screen(const struct explain *, FILE *out);
void write_json(const struct explain *, size_t most, FILE *out);

/* ---- run.c: all of it, also for other commands ---- */

/* Takes --from and --to, and makes the first pass. Ends the program if there is nothing to explain.
 */
void explain_begin(struct explain *, struct reader *);
void explain_find(struct explain *); /* the other passes */
void explain_free(struct explain *);

#endif
