/* The events of lines, which are threads of PEs, as operations, a window of them at a time;
 * stream.h reads them. */
#ifndef SKAMPI_SIM_STREAMS_H
#define SKAMPI_SIM_STREAMS_H

#include "sim/cycles.h"
#include "sim/run.h"
#include "sim/simulated.h"
#include "trace/encode.h"

struct stream {
    struct op *ops; /* the window */
    uint32_t next, count;
    uint32_t made; /* operations */
    bool started, finished;
    int64_t block;       /* where the current block begins, or the next one if nothing is left */
    struct saved *saved; /* of an unfinished block */
    struct poll *poll;   /* a loop that the last events may be part of */
    uint64_t read;       /* events */
};

/* What a matching of waits and writes needs of an operation (waits.h). */
struct seen {
    int line, peer;
    uint32_t ordinal; /* of the operation in its line's stream */
    const struct op *op;
    struct cycle *cycle;    /* whose end is seen by this, one of its fetches; NULL */
    uint64_t place, bytes;  /* that are written or waited for */
    uint64_t element, step; /* bytes of those that are written, and from one to the next */
    uint64_t signal;        /* place that a put changes behind its data; 0: none */
    int64_t start, end;     /* ticks of the PE */
    int64_t value;          /* that is written, or compared with, or that the signal is set to */
    bool valued;            /* the value is known: of a write its bytes, the first one lowest */
    bool signal_valued;
    bool is_signed; /* what is waited for */
    int comparison;
};

/* What all streams of a run share. */
struct streams {
    struct run *run;
    struct stream *of;  /* by line */
    struct op *windows; /* of all */
    double *speed;      /* by PE: of its processor, in that of the trace; NULL: all are 1 */
    double ps_per_tick; /* of the PE that is read now: of the target machine */
    int64_t cost;       /* ps of the tracer in each burst, likewise */
    int64_t taken_off;  /* ps of these, so far */
    uint32_t window;    /* operations */
    struct decoder decoder;
    uint64_t events, blocks_read;
    uint64_t loops, polls; /* polling loops, and the calls in them that were left out */
    struct cycles cycles;
    char *error;
    bool damaged;                /* the error is one of the file */
    struct simulated *simulated; /* where calls and their times are noted; NULL: nowhere */
    const int64_t *first_burst;  /* ticks before the first call of further lines; NULL: not known */
    void (*observe)(void *context, const struct seen *);
    bool observe_all; /* not waits and writes alone */
    void *context;
};

#endif
