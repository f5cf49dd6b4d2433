/*
 * What calls cost: a model is one file with four functions, and a line in models.c. The replay
 * knows who waits for whom; a model only says how long each part takes. Its functions are pure:
 * equal arguments give equal answers. Times are picoseconds.
 *
 * The phases of a transfer, and when the caller goes on:
 *
 * call wire begins wire ends at the target data are there caller knows
 * |--issue--|--request--|------wire-----|-----flight-----|---receive---|-acknowledge-|-answer-|
 * (quiet waits for this)
 *
 * Receiving is work of the target's library, and the answer that of the caller's library. A library
 * handles one message after the other. The request of a get is received before its data are on the
 * wire, and its flight is the way back.
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
    bool blocking; /* false for _nbi */
};

/* An atomic, or what a lock asks of the PE that holds it. This PE serves one after the other:
 *
 * call at the target done caller knows |--issue + request--|---service---|-back-|-answer-|
 *
 * With `received`, the service is work of the target's library, which handles messages, too, one
 * after the other. */
struct atomic {
    const struct way *way; /* of its class and size */
    uint64_t bytes;
    int64_t busy;  /* ps of service in the machine description, or -1 */
    bool fetching; /* the caller needs the old value */
    bool blocking;
};
struct service {
    int64_t issue, request, service, back, answer;
    bool returns_issued; /* the caller goes on after the issue; else when it knows the result */
    bool received;
};

/* A collective routine. Its time counts from the call of the last PE. */
struct together {
    enum collective collective;
    struct collective_rule rule;
    const struct way *way; /* the slowest latency and bandwidth between its PEs */
    int64_t pes;
    uint64_t bytes; /* as given in the call */
};

/* Calls that order or wait. They take the time that they wait, and a time of their own. */
enum order { ORDER_QUIET, ORDER_FENCE, ORDER_WAIT };

struct model {
    const char *name, *help;
    struct phases (*transfer)(const struct message *);
    struct service (*atomic)(const struct atomic *);
    /* The time of its own that a quiet, fence or wait takes, apart from waiting. own is that of the
     * machine description, or 0. */
    int64_t (*order)(enum order, int64_t own);
    int64_t (*collective)(const struct together *);
    bool one_interface; /* messages of all threads of a PE follow each other */
    bool receives;      /* the library of a target needs time for messages */
};

extern const struct model paper_model, loggp_model;
/* The model of that name, or NULL. */
const struct model *model_find(const char *name);
extern const struct model *const models[]; /* all; NULL is behind the last one */

static inline int64_t bytes_take(const struct way *way, uint64_t bytes)
{
    double time = way->per_byte * (double)bytes;
    return time < 1e18 ? (int64_t)(time + 0.5) : INT64_C(1000000000000000000);
}

/* The latency of both ways; half of it is that of one way. */
static inline int64_t round_trip(const struct way *way)
{
    return way->round_trip ? way->latency : 2 * way->latency;
}

/* The time of a collective: the number of its messages in a row times the cost of one, or the
 * measured time. */
int64_t collective_steps(const struct together *, int64_t message);
/* How many messages in a row a linear or logarithmic collective is. */
double shape_steps(enum shape, int64_t pes);
/* Whether that time is extrapolated to a number of PEs that was not measured. */
bool collective_extrapolates(const struct together *);

#endif
