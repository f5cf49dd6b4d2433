/* Puts, gets and atomics that are under way, where their ends are events. */
#ifndef SKAMPI_SIM_OPERATION_H
#define SKAMPI_SIM_OPERATION_H

#include "sim/model.h"
#include "sim/op.h"

struct plan {
    int64_t there;  /* ps: when it arrives at its target */
    int64_t leaves; /* ps: when the caller can go on; of an answer: when it arrives */
    int64_t waited; /* ps that the caller has waited in this operation */
    bool blocks;    /* the PE waits for its end */
};

struct operation {
    struct op op;  /* the call */
    int64_t start; /* ps: when the call was made, or its turn of a loop began */
    struct plan plan;
    union {
        struct phases transfer;
        struct service atomic;
    } takes;
    int64_t begun, ended; /* ps: on the wire (traffic.h) */
    int32_t from, to;     /* nodes that data go from and to (traffic.h) */
    uint32_t pe, next;    /* next: 1 + the next operation of the list that it is in, or 0 */
    uint32_t slot;        /* of those who wait for what it writes, or NO_SLOT */
    bool atomic;
    bool answered; /* it has been served; it is now the answer, on its way to the caller */
    bool mark;     /* no data: it ends when all operations before it at the interface have ended */
    bool moving, shared; /* it is on the wire; it shares links */
};

/* All that are under way, by number. Numbers are used again. */
struct operations {
    struct operation *of;
    size_t count, room;
    uint32_t unused; /* 1 + the first number that can be used again, or 0 */
};

uint32_t operations_add(struct operations *, const struct operation *);
void operations_remove(struct operations *, uint32_t number);

/* Lists of operations in the order in which they came. */
struct operation_list {
    uint32_t first, last; /* 1 + number; first is 0 if the list is empty */
};
void operations_append(struct operations *, struct operation_list *, uint32_t number);

#endif
