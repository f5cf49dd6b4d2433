/* The events of threads as operations, a window of them at a time. A file is only mapped while a
 * window is filled. */
#ifndef SKAMPI_SIM_STREAMS_H
#define SKAMPI_SIM_STREAMS_H

#include "sim/run.h"
#include "trace/encode.h"
#include "trace/read/flag.h"
#include "trace/read/read.h"

/* ---- cycles.c: polling loops with several calls in each turn. They are found before the trace is
 * replayed, so that turns can be left out during translation. Memory grows with the number of these
 * loops. ---- */

#define TURN_MOST 8 /* calls of a turn */

/* The part that a call plays in a turn. */
enum turn_call {
    TURN_EFFECT, /* has an effect, so it ends a loop */
    TURN_FREE,   /* has no effect */
    TURN_FETCH,  /* reads what others may write */
    TURN_FAILED, /* a test that found nothing */
    TURN_MISSED, /* a test of a lock that did not get it */
    TURN_CAME    /* a test that found something, or got the lock */
};

struct cycle {
    uint32_t thread;
    uint32_t first;    /* number of the first event that is left out */
    uint32_t left_out; /* number of events that are left out */
    uint32_t turn;     /* events of the last turn after these, in which a fetch reads what ended the
                          loop; 0 if the next event is a test that succeeds */
    /* While a thread is read: */
    int64_t from;     /* end of the last call before these events (ticks) */
    uint32_t ordinal; /* of the operation that waits */
    bool written;     /* a write that ends the loop was found */
};

struct cycles {
    bool known;          /* else they are to be found, while threads are read one by one */
    struct cycle *found; /* ordered by thread and event */
    size_t count, room;
    /* The calls without lasting effect that the thread which is read has made in a row. */
    struct watch {
        uint64_t count;
        uint64_t what[TURN_MOST]; /* the last ones, by their number modulo TURN_MOST */
        uint8_t calls[TURN_MOST];
        uint64_t same[TURN_MOST + 1]; /* by length of a turn: how many of the last calls equal the
                                         calls one turn before them */
    } watch;
};

/* Tells the part that an event of a thread plays, or that its events have ended, which is a
 * TURN_EFFECT; what is equal for equal calls. True if it may belong to a loop in its third turn
 * that a write ends. */
bool cycles_see(struct cycles *, uint32_t thread, uint64_t number, enum turn_call, uint64_t what);
/* Drops loops that no write has ended. Returns whether there were any. */
bool cycles_keep_written(struct cycles *);

/* Whether an event can belong to a loop, or end one. */
static inline bool cycles_concern(const struct cycles *cycles, enum turn_call call)
{
    return call >= TURN_FETCH || cycles->watch.count > 0;
}

/* ---- simulated.c: the simulated run as a trace, in the format of shmemtrace: the calls of the
 * recorded one, at the times that the replay gives them. Calls of a thread are kept for its window
 * of operations, and appended to its PE's file when that is empty; no file is kept open. Ticks are
 * picoseconds. ---- */

struct simulated_trace;

/* made: the folder is new, and goes when the trace is discarded. */
struct simulated_trace *simulated_open(const char *folder, bool made);
/* Call it before the first operation. window is the number of operations of a thread at a time;
 * hosts has the host of each PE, and is taken over. */
void simulated_begin(struct simulated_trace *, struct run *, size_t window, char **hosts,
                     const char *library);
/* Completes all files. The end of each PE (ps) is in times, `stride` bytes apart. NULL, or what
 * could not be written. */
const char *simulated_end(struct simulated_trace *, const int64_t *times, size_t stride);
/* Deletes what has been written. */
void simulated_discard(struct simulated_trace *);
void simulated_close(struct simulated_trace *);

/* The call that an operation of the thread's window is made of. */
void simulated_call(struct simulated_trace *, int thread, size_t index, const struct raw_event *);
/* A call that is held back until it is clear which operation it becomes. */
void simulated_hold(struct simulated_trace *, int thread, const struct raw_event *);
void simulated_held(struct simulated_trace *, int thread, size_t index, uint64_t calls);
/* Sets begin and end of an operation. waited is the wait that a row of fetches became, -1 for other
 * operations. */
void simulated_time(struct simulated_trace *, uint32_t thread, size_t index, int64_t start,
                    int64_t end, int64_t waited);
/* The window is empty: writes the calls of its operations. */
void simulated_flush(struct simulated_trace *, int thread);

/* ---- stream.c ---- */

struct stream {
    struct op *ops; /* the window */
    uint32_t next, count;
    uint32_t made;  /* operations */
    uint32_t cycle; /* the next loop of this thread, or of a later one */
    bool started, finished;
    struct trace_mark mark; /* where the next window begins in the file */
    struct poll *poll;      /* a loop that the last events may be part of */
    uint64_t read;          /* events */
};

/* What matching waits with writes needs to know of an operation (before.h). */
struct observation {
    int thread, peer;
    uint32_t ordinal; /* of the operation in its thread's stream */
    const struct op *op;
    struct cycle *cycle;             /* the loop whose end this fetch sees, or NULL */
    struct flag_change change;       /* what is written or waited for */
    struct flag_condition condition; /* its value is also the one that is written, the first byte
                                        lowest, or to which the signal is set */
    bool valued;                     /* the written value is known */
    uint64_t signal;                 /* place that a put changes after its data, or 0 */
    bool signal_valued;
    int64_t start, end; /* ticks of the PE */
};

#define NOT_RECORDED INT64_MIN

/* The times of a thread, from when the first PE went on after shmem_init (ps). begin and
 * ps_per_tick are those of its PE. */
struct recorded_times {
    int64_t begin; /* ticks: when its PE went on after shmem_init, and the tracer's work there */
    int64_t begin_time; /* that time */
    int64_t last;       /* ticks: when its last call ended */
    int64_t end;        /* when it called shmem_finalize, or its last call ended */
    double ps_per_tick;
};

/* An additional thread of a PE. It begins after the PE's first thread has executed operation
 * `fork`. That one executes operation `join` only after this thread has ended and after `burst` of
 * computing, or the operation's own burst if that is shorter. */
struct extra_thread {
    uint32_t fork, join; /* join: NO_JOIN if nobody waits */
    int64_t burst;       /* ps */
    int64_t first_burst; /* ticks from the fork to the thread's first call */
};
#define NO_JOIN UINT32_MAX

/* What all streams of a run share. */
struct streams {
    struct run *run;
    struct stream *of;  /* by thread */
    struct op *windows; /* of all */
    double *speed;      /* by PE: speed of its processor over that of the trace */
    double ps_per_tick; /* ps on the target machine per tick of the PE that is read now */
    int64_t cost;      /* ps on the target machine that the tracer added to each burst of this PE */
    int64_t taken_off; /* ps of this cost taken off so far */
    uint32_t window;   /* operations */
    struct trace_cursor *cursor; /* one for all threads */
    uint64_t events;
    struct table pointed;  /* pairs of a PE and another one of whose memory it has a pointer */
    uint64_t loops, polls; /* polling loops, and the calls in them that were left out */
    struct cycles cycles;
    char *error;
    bool damaged;                      /* the error is one of the file */
    struct simulated_trace *simulated; /* where calls and their times are noted, or NULL */
    /* When it was recorded, or NULL: ends of calls, of each operation in the windows
     * (NOT_RECORDED: it is a part of a loop, or of the start or end of the run). */
    int64_t *ends;
    struct recorded_times *recorded;  /* by thread */
    const struct extra_thread *extra; /* by additional thread; NULL if not known */
    void (*observe)(void *context, const struct observation *);
    bool observe_all;   /* observe all operations, not only waits and writes */
    bool observe_waits; /* observe waits alone; other calls with an effect are left out */
    void *context;
};

/* Takes speed over: that of each PE's processor over that of the trace. */
void streams_open(struct streams *, struct run *, double *speed);
/* Also notes when calls ended in the trace. Then bursts contain what the tracer added to them. */
void streams_note_times(struct streams *);
/* Puts these times on one clock, once all streams have been read. False: the streams have an error.
 */
bool streams_set_clocks(struct streams *);
/* Goes back to the beginning. Call it whenever other loops are known. */
void streams_rewind(struct streams *);
void streams_close(struct streams *);

/* Fills an empty window. False if there are no more operations or after an error. */
bool stream_fill(struct streams *, int thread);

/* The next operation; NULL where stream_fill() returns false. */
static inline const struct op *stream_peek(struct streams *streams, int thread)
{
    struct stream *stream = &streams->of[thread];
    if (__builtin_expect(stream->next == stream->count, 0) && !stream_fill(streams, thread))
        return NULL;
    return &stream->ops[stream->next];
}

/* ---- translate.c: makes operations of events ---- */

/* Upper bound of operations per event, including operations held back earlier. */
#define TRANSLATE_MOST 4

/* Adds the operations of an event to the thread's window, which has room. False: error is set. */
bool translate(struct streams *, int thread, const struct raw_event *);
/* Adds the operations that were held back, at the end of a stream. */
void translate_end(struct streams *, int thread);

#endif
