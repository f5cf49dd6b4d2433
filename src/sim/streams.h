/* The events of threads as operations, a window of them at a time. A file is only mapped while a
 * window is filled. */
#ifndef SKAMPI_SIM_STREAMS_H
#define SKAMPI_SIM_STREAMS_H

#include "sim/cycles.h"
#include "sim/run.h"
#include "sim/simulated.h"
#include "trace/read/read.h"

struct stream {
    struct op *ops; /* the window */
    uint32_t next, count;
    uint32_t made; /* operations */
    bool started, finished;
    struct trace_mark mark; /* where the next window begins in the file */
    struct poll *poll;      /* a loop that the last events may be part of */
    uint64_t read;          /* events */
};

/* What matching waits with writes needs to know of an operation (waits.h). */
struct observation {
    int thread, peer;
    uint32_t ordinal; /* of the operation in its thread's stream */
    const struct op *op;
    struct cycle *cycle;   /* the loop whose end this fetch sees, or NULL */
    uint64_t place, bytes; /* that are written or waited for; bytes is their number */
    uint64_t element,
        step;           /* bytes of an element that is written, and from one element to the next */
    uint64_t signal;    /* place that a put changes after its data, or 0 */
    int64_t start, end; /* ticks of the PE */
    int64_t value;      /* that is written or compared with, or to which the signal is set */
    bool valued;        /* the value is known; that of a write is its bytes, the first one lowest */
    bool signal_valued;
    bool is_signed; /* the variable that is waited for is signed */
    int comparison;
};

#define NOT_RECORDED INT64_MIN

/* The times of a thread, from when the first PE went on after shmem_init (ps). begin and
 * ps_per_tick are those of its PE. */
struct recorded {
    int64_t begin; /* ticks: when its PE went on after shmem_init, and the tracer's work there */
    int64_t begin_time; /* that time */
    int64_t last;       /* ticks: when its last call ended */
    int64_t end;        /* when it called shmem_finalize, or its last call ended */
    double ps_per_tick;
};

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
    struct recorded *recorded; /* by thread */
    const int64_t
        *first_burst; /* ticks before the first call of each additional thread; NULL if not known */
    void (*observe)(void *context, const struct observation *);
    bool observe_all;   /* observe all operations, not only waits and writes */
    bool observe_waits; /* observe waits alone; other calls with an effect are left out */
    void *context;
};

/* Takes speed over: that of each PE's processor over that of the trace. window_bytes is the size of
 * all windows together. */
void streams_open(struct streams *, struct run *, double *speed, size_t window_bytes);
/* Also notes when calls ended in the trace. Then bursts contain what the tracer added to them. */
void streams_note_times(struct streams *);
/* Puts these times on one clock, once all streams have been read. False: the streams have an error.
 */
bool streams_set_clocks(struct streams *);
/* Goes back to the beginning. */
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
