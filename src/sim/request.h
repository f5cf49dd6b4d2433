/*
 * What needs the library of its target: gets and atomics on nodes whose PEs answer only inside
 * calls, and every message that takes time to be received. These are served by the target one
 * after the other, when it is in a call (progress.h). Then all that happens must happen in the
 * order of time.
 */
#ifndef SKAMPI_SIM_REQUEST_H
#define SKAMPI_SIM_REQUEST_H

#include "sim/state.h"

struct request {
    struct op op; /* the call */
    int64_t start;
    int64_t there;  /* when it is at the target */
    int64_t leaves; /* when the caller can go on; of an answer: when it is there */
    int64_t waited; /* in this call until then */
    union {
        struct phases transfer;
        struct service atomic;
    } takes;
    uint64_t turns;    /* of a loop of fetches, with this one */
    uint32_t pe, next; /* 1 + the one behind it at the same library */
    uint32_t slot;     /* of the wait for what it writes; NO_SLOT */
    bool atomic;
    bool blocks;   /* the PE waits for it */
    bool answered; /* it is now the answer, on its way to the caller */
};

struct progress_pe {
    uint32_t first, last; /* 1 + requests, and answers to its own, that wait for its next call */
};

/* Another PE, to which something of a context may be open: a quiet that has to wait asks it. */
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
    int64_t now;        /* when the last one was served, or came */
    bool receives;      /* some messages take the library of their target */
    bool asks;          /* a quiet asks some PEs */
    struct table pairs; /* PE, context and other PE, by number of their asked_peer */
    struct asked_peer *peers;
    size_t peer_room;
};

/* NULL: nothing needs the library of its target. */
struct progress *requests_open(const struct machine *, const struct model *, size_t pes);
void requests_close(struct progress *);

/* Whether a put, get or atomic must be served by its target. */
bool request_is_needed(const struct replay *, const struct step *);
static inline bool request_needed(const struct replay *replay, const struct step *step)
{
    return __builtin_expect(replay->progress != NULL, 0) && request_is_needed(replay, step);
}

/* What a call that asks its target, and waits, takes its PE before it waits; 0: of another call. */
int64_t request_issue(const struct replay *, uint32_t pe, const struct op *);

/* What a call asks its target for: from when on, after waiting so long, how many times in turn, and
 * who waits for what it writes. */
struct asked {
    int64_t from, waited;
    uint64_t turns;
    uint32_t slot;
};
/* False: the PE is blocked. */
bool request_ask(struct replay *, const struct step *, const struct asked *);
/* A PE that has to wait until nothing of a context is open asks those to which something may be;
 * when it has sent that, or begins a call that asks nobody. */
int64_t request_ask_all(struct replay *, uint32_t pe, const struct op *);
/* The next turn. */
void request_again(struct replay *, struct request *, int64_t from);

#endif
