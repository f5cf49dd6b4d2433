/*
 * Puts, gets and atomics that may be under way, and what they need on their way. Each goes through
 * stages (operations.h); model.h draws the times of their parts.
 *
 *   put:    send, wire, sent, arrive, answer
 *   get:    send, arrive, wire, sent, answer
 *   atomic: send, arrive, answer
 *
 * A stage is an event if what happens meanwhile decides about it: the links are shared, or a
 * library has to work. Else it follows at once.
 */
#ifndef SKAMPI_SIM_OPERATION_H
#define SKAMPI_SIM_OPERATION_H

#include "base/table.h"
#include "sim/model.h"
#include "sim/op.h"

enum stage {
    STAGE_SEND,   /* its interface takes it */
    STAGE_WIRE,   /* its data are ready for the links */
    STAGE_SENT,   /* the links have carried them */
    STAGE_ARRIVE, /* it is at its target, which serves it */
    STAGE_ANSWER, /* the answer is at the caller, which then knows that it is complete */
    STAGE_OVER
};

/* A time that is not known before the operation has gone further. */
#define UNKNOWN INT64_MIN

struct operation {
    struct op op; /* the call; a fence goes through its interface, too, where that is busy */
    struct phases takes;
    int64_t start;         /* ps: when the call was made, or its turn of a loop began */
    int64_t at;            /* ps: when its stage is to begin */
    int64_t ready;         /* ps: when its data were ready for the links */
    int64_t leaves;        /* ps: when its caller goes on, or UNKNOWN: the caller is blocked */
    int64_t waited;        /* ps that the caller has waited in this operation */
    uint32_t thread, next; /* next: 1 + the next operation of the list that it is in, or 0 */
    uint32_t slot;         /* of those who wait for what it writes, or NO_SLOT */
    uint8_t stage;
    bool atomic;
    bool library; /* the library of its target, and of its caller, handle its messages */
    bool shares;  /* its data share links with others */
};

/* All that are under way, by number. Numbers are used again. */
struct operations {
    struct operation *of;
    size_t count, room;
    uint32_t unused; /* 1 + the first number that can be used again, or 0 */
};

/* Lists of operations in the order in which they came. */
struct operation_list {
    uint32_t first, last; /* 1 + number; first is 0 if the list is empty */
};

/* The library of a PE. */
struct library {
    int64_t busy;                  /* ps: until it has handled what has come so far */
    int64_t attentive;             /* ps: end of its last call in which it serves others */
    struct operation_list waiting; /* for its next call */
};

/* A PE to which operations of a context may be outstanding; a quiet that has to wait sends it a
 * message. */
struct asked_peer {
    uint32_t peer;
    uint32_t next; /* 1 + the next one of the context */
    bool listed;
};

struct libraries {
    bool receive;       /* messages take a library time */
    bool asks;          /* a quiet asks some PEs */
    struct table pairs; /* the number of the asked_peer of a PE, a context and another PE */
    struct asked_peer *peers;
    size_t peer_room;
    struct library of[]; /* by PE */
};

/* What waits until the interface of a thread is free, where links are shared. */
struct interface {
    bool busy;       /* an operation has it; the others wait */
    uint32_t fences; /* that wait */
    struct operation_list list;
};

#endif
