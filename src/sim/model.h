/*
 * What calls cost: a model is two functions and a row in models.c. The replay knows who waits for
 * whom; a model only says how long each part takes. Its functions are pure: equal arguments give
 * equal answers. Times are picoseconds.
 *
 * The phases of a put or get, and when the caller goes on:
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
 * Headers only keep interfaces busy: what they take from a message alone is a part of the latency.
 *
 * An atomic, or what a lock asks of the PE that holds it, has no wire, and needs no interface apart
 * from its header. Its flight is the way back. A PE serves one after the other:
 *
 * call at the target done caller knows |--issue + request--|---receive---|-flight-|-answer-|
 */
#ifndef SKAMPI_SIM_MODEL_H
#define SKAMPI_SIM_MODEL_H

#include "sim/machine.h"

/* ps, 46 days: the sum of two such times still fits into 64 bits. */
#define LAST_TIME INT64_C(4000000000000000000)

enum return_kind {
    RETURNS_ISSUED,  /* the caller goes on after the issue */
    RETURNS_SENT,    /* when the wire ends: the source can be used again */
    RETURNS_ARRIVED, /* when the data are there */
    RETURNS_KNOWN    /* when it has been acknowledged */
};

struct phases {
    int64_t issue, gap, request, wire, flight, receive, acknowledge, answer;
    int64_t
        back; /* that the answer keeps the interface of the target busy, if its library sends it */
    enum return_kind returns;
    bool
        received; /* an atomic is served by the library that receives messages, in turn with them */
};

struct message {
    const struct way *bus; /* or the inside of a node */
    const struct way *way; /* there, of its class and size */
    uint64_t bytes;
    enum { MESSAGE_PUT, MESSAGE_GET, MESSAGE_ATOMIC } kind;
    bool blocking; /* false for _nbi */
    bool fetching; /* the caller of an atomic needs the old value */
    int64_t busy;  /* ps that an atomic keeps its target busy by the description, or -1 */
};

/* A collective routine. Its time counts from the call of the last PE. */
struct collective_operation {
    struct collective_rule rule;
    const struct way *way; /* the slowest latency and bandwidth between its PEs */
    int64_t pes;
    uint64_t bytes; /* as given in the call */
};

struct model {
    const char *name, *help;
    struct phases (*takes)(const struct message *);
    /* One of the messages in a row of which a collective consists. */
    int64_t (*step)(const struct way *, uint64_t bytes);
    bool
        has_overheads; /* quiet, fence and wait take a time of their own, too, apart from waiting */
    bool one_interface; /* messages of all threads of a PE follow each other */
    bool receives;      /* the library of a target needs time for messages */
};

extern const struct model models[]; /* the default is the first; behind the last, name is NULL */
/* The model of that name, or NULL. */
const struct model *model_find(const char *name);

/* One transfer that begins and ends as `count` of them in a row, each of which begins when the one
 * before has returned and the interface is free. Exact for blocking calls without contention. */
struct phases sim_phases_in_a_row(const struct phases *, uint64_t count, bool get);
/* The time of a collective: the number of its messages in a row times the cost of one, or the
 * measured time. A PE leaves it so long after all others have come; and, last, at least so long
 * after it has come itself, which is less if that is described. */
int64_t sim_collective_time(const struct model *, const struct collective_operation *, bool last);
/* How many messages in a row a linear or logarithmic collective is. */
double sim_shape_steps(enum shape, int64_t pes);
/* Whether that time is extrapolated to a number of PEs that was not measured. */
bool sim_collective_extrapolates(const struct collective_operation *);

#endif
