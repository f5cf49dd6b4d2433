/*
 * Operations, which the replay executes: events of a trace in little memory, with bursts in ps. The
 * kind of a routine says how its events become operations.
 */
#ifndef SKAMPI_SIM_OP_H
#define SKAMPI_SIM_OP_H

#include "base/table.h"
#include "sim/machine.h"
#include "trace/event.h"

enum op_kind {
    OP_LOCAL, /* costs nothing: contexts, queries, tests that found nothing */
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
    OP_FETCHES, /* many equal fetches in a row, which may wait for a write; place is their number */
    OP_REST,    /* follows OP_FETCHES: the bursts between the fetches, which take no time if the
                   fetches waited */
    OP_CYCLE    /* turns of a loop that are left out: waits for the write that ended it */
};

enum {
    OP_BLOCKING = 1,
    OP_FETCHING = 2,   /* the caller of an atomic needs its result */
    OP_QUIETS = 4,     /* also completes what is open in the default context, as a barrier does */
    OP_LAST = 8,       /* shmem_finalize: the other threads of the PE have ended */
    OP_COLLECTIVE = 16 /* times enum collective */
};

#define OP_MOST_BYTES ((UINT64_C(1) << 48) - 1)
#define OP_NO_CONTEXT 65535 /* number of all contexts that are beyond the numbered ones */

struct op {
    int64_t burst;  /* ps on the target machine */
    uint64_t place; /* of locks; elements of a strided put or get; else as kinds say */
    uint64_t bytes : 48, context : 16;
    uint32_t peer;
    uint16_t routine; /* number among those of all files */
    uint8_t kind, flags;
};

static inline bool op_moves(const struct op *op)
{
    return op->kind == OP_PUT || op->kind == OP_GET || op->kind == OP_ATOMIC ||
           op->kind == OP_FETCHES;
}

/* Whether a PE serves other PEs during a call: it does if the call may wait. A get from the PE's
 * own memory, or an atomic on it, has nothing to wait for. */
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

/* A routine as the trace of a PE has it, with the index of each field among its values
 * (TRACE_FIELDS: it does not have the field). */
struct routine_kind {
    enum op_kind kind;
    uint8_t flags;
    bool test; /* a failed test has the result 0, a failed test_lock 1 */
    bool start, end, control;
    bool sets; /* a write whose value the event has: the number of an element, or the bytes of a put
                */
    bool sets_signal; /* a put that sets its signal, whose value the event has */
    bool integer, is_signed;
    bool read_only; /* an atomic that changes nothing: its repetition is a polling loop */
    bool any;       /* a test of several variables, which returns SIZE_MAX if it fails */
    enum collective collective;
    uint16_t number;
    uint32_t element_bytes;
    uint32_t fields;
    uint8_t index[TRACE_FIELDS];
};

/* The kinds of the routines of a file in that version of the format. Their names get numbers in the
 * table. */
void routine_kinds(const struct trace_routine *routines, size_t count, int format,
                   struct table *names, struct routine_kind *kinds);

#endif
