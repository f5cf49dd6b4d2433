/*
 * Requests need the library of their target: gets and atomics on nodes whose PEs answer only inside
 * calls, and all messages that take time to be received. The target serves one after the other,
 * while it is in a call (progress.h). With requests, the replay executes all operations in the
 * order of time.
 */
#ifndef SKAMPI_SIM_REQUEST_H
#define SKAMPI_SIM_REQUEST_H

#include "sim/plan.h"

/* A PE to which operations of a context may be outstanding; a quiet that has to wait sends it a
 * request. */
struct asked_peer {
    uint32_t peer;
    uint32_t next; /* 1 + the next one of the context */
    bool listed;
};

struct progress {
    struct operation_list *waiting; /* by PE: requests, and answers to its own requests, that wait
                                       for its next call */
    int64_t now;                    /* time of the last event */
    bool receives;                  /* some messages take the library of their target */
    bool asks;                      /* a quiet asks some PEs */
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
    return replay->progress && request_is_needed(replay, step);
}

/* The time that a call takes its PE before it waits for the answer of its target; 0 for a call
 * without a request. */
int64_t request_issue(const struct replay *, uint32_t pe, const struct op *);

/* Sends what an operation asks of its target. Leaves at UNKNOWN if the PE waits for the answer. */
struct departure request_ask(struct replay *, const struct step *, int64_t from, uint32_t slot);
/* A PE that has to wait until nothing of a context is open asks all PEs to which something may be
 * open. Returns when it has sent these requests, or, if it asks nobody, when the call begins. */
int64_t request_ask_all(struct replay *, uint32_t pe, const struct op *);

#endif
