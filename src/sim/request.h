/*
 * Requests need the library of their target: gets and atomics on nodes whose PEs answer only inside
 * calls, and all messages that take time to be received. The target serves one after the other,
 * while it is in a call (progress.h). With requests, the replay executes all operations in the
 * order of time.
 */
#ifndef SKAMPI_SIM_REQUEST_H
#define SKAMPI_SIM_REQUEST_H

#include "sim/state.h"

struct request {
    struct op op; /* the call */
    int64_t start;
    int64_t there;  /* when it arrives at the target */
    int64_t leaves; /* when the caller can go on; of an answer: when it arrives */
    int64_t waited; /* how long the caller has waited in this call */
    union {
        struct phases transfer;
        struct service atomic;
    } takes;
    uint64_t turns;    /* turns left of a loop of fetches, including this one */
    uint32_t pe, next; /* next: 1 + the next request at this library */
    uint32_t slot;     /* of the wait for what it writes, or NO_SLOT */
    bool atomic;
    bool blocks;   /* the PE waits for it */
    bool answered; /* the target has served it; it is now the answer, on its way to the caller */
};

struct progress_pe {
    uint32_t first, last; /* 1 + the first and the last request (or answer to its own request) that
                             waits for the PE's next call */
};

/* A PE to which operations of a context may be outstanding; a quiet that has to wait sends it a
 * request. */
struct asked_peer {
    uint32_t peer;
    uint32_t next; /* 1 + the next one of the context */
    bool listed;
};

struct progress {
    struct progress_pe *of;
    struct request *requests;
    size_t count, room;
    uint32_t unused;    /* 1 + the first of those that can be used again */
    int64_t now;        /* time of the last event */
    bool receives;      /* some messages take the library of their target */
    bool asks;          /* a quiet asks some PEs */
    struct table pairs; /* the number of the asked_peer of a PE, a context and another PE */
    struct asked_peer *peers;
    size_t peer_room;
};

/* NULL if no message needs the library of its target. */
struct progress *requests_open(const struct machine *, const struct model *, size_t pes);
void requests_close(struct progress *);

/* Whether a put, get or atomic must be served by its target. */
bool request_is_needed(const struct replay *, const struct step *);
static inline bool request_needed(const struct replay *replay, const struct step *step)
{
    return __builtin_expect(replay->progress != NULL, 0) && request_is_needed(replay, step);
}

/* The time that a call takes its PE before it waits for the answer of its target; 0 for a call
 * without a request. */
int64_t request_issue(const struct replay *, uint32_t pe, const struct op *);

/* A request that a call makes: when, after how much waiting, how many times in a row, and the slot
 * of those who wait for what it writes. */
struct question {
    int64_t from, waited;
    uint64_t turns;
    uint32_t slot;
};
/* False: the PE is blocked. */
bool request_ask(struct replay *, const struct step *, const struct question *);
/* A PE that has to wait until nothing of a context is open asks all PEs to which something may be
 * open. Returns when it has sent these requests, or, if it asks nobody, when the call begins. */
int64_t request_ask_all(struct replay *, uint32_t pe, const struct op *);
/* Makes the request of the next turn. */
void request_again(struct replay *, struct request *, int64_t from);

#endif
