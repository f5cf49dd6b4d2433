/*
 * What the replay executes: events of a trace, made small, with bursts and places as the replay
 * needs them. A routine's kind says how its events become these.
 */
#ifndef SKAMPI_SIM_OP_H
#define SKAMPI_SIM_OP_H

#include "base/table.h"
#include "sim/machine.h"
#include "trace/event.h"

enum op_kind {
    OP_LOCAL, /* nothing that costs: contexts, queries, tests that found nothing */
    OP_START, /* shmem_init: time begins when it ends */
    OP_PUT,
    OP_GET,
    OP_ATOMIC,
    OP_QUIET, /* also what ends a context */
    OP_FENCE,
    OP_TOGETHER, /* collective; number of the set in peer */
    OP_WAIT,     /* for a write; also a loop of tests */
    OP_LOCK,     /* set_lock; also a loop of test_lock that got it */
    OP_TRY_LOCK, /* a test_lock that did not */
    OP_UNLOCK,
    OP_FETCHES, /* many equal fetches in a row, which may wait for a write; their number in place */
    OP_REST,    /* behind OP_FETCHES: their bursts, which were part of waiting if they did */
    OP_CYCLE    /* turns of a loop that are left out: waits for the write that ended it */
};

enum {
    OP_BLOCKING = 1,
    OP_FETCHING = 2,   /* the caller of an atomic needs its result */
    OP_QUIETS = 4,     /* completes what is open in the default context, as barriers do */
    OP_LAST = 8,       /* shmem_finalize: the other threads of the PE have ended */
    OP_COLLECTIVE = 16 /* times enum collective */
};

#define OP_MOST_BYTES ((UINT64_C(1) << 48) - 1)
#define OP_NO_CONTEXT 65535 /* the one of contexts beyond those that have numbers */

struct op {
    int64_t burst;  /* ps on the target machine */
    uint64_t place; /* of locks; elements of a strided put or get; else as kinds say */
    uint64_t bytes : 48, context : 16;
    uint32_t peer;
    uint16_t routine; /* number among those of all files */
    uint8_t kind, flags;
};

/* Whether a PE serves others in a call: in those that may wait. A fence does while it waits. A get
 * from the PE's own memory does not, nor an atomic on it: there is nothing to wait for. */
static inline bool call_serves(const struct op *op, uint32_t pe)
{
    switch ((enum op_kind)op->kind) {
    case OP_LOCAL:
    case OP_START:
    case OP_PUT:
    case OP_FENCE:
    case OP_REST:
        return false;
    case OP_GET:
        return op->flags & OP_BLOCKING && op->peer != pe;
    case OP_ATOMIC:
        return op->flags & OP_BLOCKING && op->flags & OP_FETCHING && op->peer != pe;
    default:
        return true;
    }
}

/* A routine as the trace of a PE has it. Index of each field among its values; TRACE_FIELDS: none.
 */
struct routine_kind {
    enum op_kind kind;
    uint8_t flags;
    bool test; /* a failed one has the result 0; test_lock: 1 */
    bool start, end, control;
    bool sets; /* a write whose value the event has: the number of an element, or the bytes of a put
                */
    bool sets_signal; /* likewise of its signal, if it sets that */
    bool integer, is_signed;
    bool read_only; /* an atomic that changes nothing: its repetition is a polling loop */
    bool any;       /* of several variables: the result of a failed test is SIZE_MAX */
    enum collective collective;
    uint16_t number;
    uint32_t element_bytes;
    uint32_t fields;
    uint8_t index[TRACE_FIELDS];
};

/* The kinds of the routines of a file in that version of the format, whose names get numbers in the
 * table. */
void routine_kinds(const struct trace_routine *routines, size_t count, int format,
                   struct table *names, struct routine_kind *kinds);

#endif
