/*
 * What calls cost: a model is one file with four functions, and a line in models.c. The replay
 * knows who waits for whom; a model only says how long what takes. Pure, no state: the same
 * arguments always give the same answer. Times are picoseconds.
 *
 * What a transfer goes through, and when the caller goes on:
 *
 *     call       wire begins     wire ends    at the target    data are there   caller knows
 *      |--issue--|--request--|------wire-----|-----flight-----|---receive---|-acknowledge-|-answer-|
 *                                                                   (quiet waits for this)
 *
 * To receive takes the library of the target, and the answer that of the caller: a library handles
 * one message after the other. What a get asks for is received before its wire, and its flight is
 * the way back.
 *
 * The wire begins when the caller's interface is free: messages of a PE are at least a gap apart,
 * and one follows another. With contention, links and buses are busy for the time on the wire.
 */
#ifndef SKAMPI_SIM_MODEL_H
#define SKAMPI_SIM_MODEL_H

#include "sim/machine.h"

enum returns {
    RETURNS_ISSUED,  /* the caller goes on after the issue */
    RETURNS_SENT,    /* when the wire ends: the source can be used again */
    RETURNS_ARRIVED, /* when the data are there */
    RETURNS_KNOWN    /* when it has been acknowledged */
};

struct phases {
    int64_t issue, gap, request, wire, flight, receive, acknowledge, answer;
    enum returns returns;
};

struct message {
    const struct way *way; /* of its class and size */
    uint64_t bytes;
    bool get;      /* data come from the peer */
    bool blocking; /* not: _nbi */
};

/* An atomic, or what a lock asks of the PE that it is at, which does one after the other:
 *
 *     call       at the target         done            caller knows
 *      |--issue + request--|---service---|-back-|-answer-|
 *
 * received: the service is the work of the target's library, as receiving is.
 */
struct atomic {
    const struct way *way; /* of its class and size */
    uint64_t bytes;
    int64_t busy;  /* ps of service, as the machine description says; -1: it does not */
    bool fetching; /* the caller needs the old value */
    bool blocking;
};
struct service {
    int64_t issue, request, service, back, answer;
    bool returns_issued; /* the caller goes on after the issue; else when it knows */
    bool received;
};

/* A collective routine: what it takes from when the last PE has called it. */
struct together {
    enum collective collective;
    struct collective_rule rule;
    const struct way *way; /* the slowest latency and bandwidth between its PEs */
    int64_t pes;
    uint64_t bytes; /* as given in the call */
};

/* What orders and waits: its time is what it waits for, and what it takes itself. */
enum order { ORDER_QUIET, ORDER_FENCE, ORDER_WAIT };

struct model {
    const char *name, *help;
    struct phases (*transfer)(const struct message *);
    struct service (*atomic)(const struct atomic *);
    /* What a quiet, fence or wait takes itself, besides what it waits for. own: what the machine
     * description says, 0: nothing. */
    int64_t (*order)(enum order, int64_t own);
    int64_t (*collective)(const struct together *);
    bool one_interface; /* messages of a PE's threads follow each other, as those of one do */
    bool receives;      /* the library of a target needs time for messages */
};

extern const struct model paper_model, loggp_model;
/* NULL: there is none of that name. */
const struct model *model_find(const char *name);
const struct model *model_number(size_t); /* NULL behind the last */

static inline int64_t bytes_take(const struct way *way, uint64_t bytes)
{
    double time = way->per_byte * (double)bytes;
    return time < 1e18 ? (int64_t)(time + 0.5) : INT64_C(1000000000000000000);
}

/* The latency there and back; half of it is one way. */
static inline int64_t round_trip(const struct way *way)
{
    return way->round_trip ? way->latency : 2 * way->latency;
}

/* Messages one after the other that a collective takes, times what one costs; or what it was
 * measured to take. */
int64_t collective_steps(const struct together *, int64_t message);
/* Whether that is of another number of PEs than those that were measured. */
bool collective_extrapolates(const struct together *);

#endif
