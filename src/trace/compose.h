/*
 * The parts of a trace file as bytes: the tracer and shmemsim write the same format by the same
 * code. Pure, no allocation, safe in signal handlers.
 */
#ifndef SKAMPI_TRACE_COMPOSE_H
#define SKAMPI_TRACE_COMPOSE_H

#include "trace/encode.h"

/* What a file says of its run, in this order. Texts and arrays stay the caller's. */
struct run_description {
    int pe, pes;
    const char *host, *command, *library, *date;
    bool profile;      /* profiles instead of events */
    const char *clock; /* how clocks were to be synchronized */
    double ticks_per_second;
    int64_t beginning; /* global ticks that times count from */
    struct clock_fix start;
    size_t counters; /* number of hardware counters of each phase */
    const char *const *counter_names;
    size_t objects; /* number of objects that places lie in */
    const char *const *object_names;
    size_t routines;
    const struct trace_routine *routine;
    const char *selection;                  /* options by which calls were left out, or "" */
    double cost_between_ns, cost_inside_ns; /* what the tracer adds to a call */
};

/* Writes at most what the output has room for; output->full says that there was too little. */
void compose_description(struct output *, const struct run_description *);

/* The head that stands before a description of this length. */
struct format_head compose_head(const unsigned char *description, uint32_t bytes);

/* How a run ended. */
struct run_ending {
    const char *reason;
    uint64_t events;  /* in the file */
    uint64_t dropped; /* recorded, but not in the file */
    uint64_t lost;    /* of the dropped ones: for want of room or memory */
    uint64_t threads;
    struct clock_fix fix; /* its rate is not written */
    int64_t realtime;     /* ns since 1970, UTC, at the start's fix; 0: not known */
};

void compose_ending(unsigned char bytes[FORMAT_ENDING_BYTES], const struct run_ending *);

/* The head of the block that an encoder fills; done: encoder->done, which is read once. Magic and
 * checksum are still missing. */
struct block_head compose_events_head(uint32_t thread, const struct encoder *, uint64_t done);

/* Sets magic and checksum of a block's head. The caller has filled in the rest, and the payload. */
void compose_block_head(struct block_head *, const void *payload);

#endif
