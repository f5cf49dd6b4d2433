/*
 * Transfers under way, where links are shared fairly: when each begins and ends depends on the
 * others, so both are events. Those that a PE sends follow each other at its interface.
 */
#ifndef SKAMPI_SIM_TRAFFIC_H
#define SKAMPI_SIM_TRAFFIC_H

#include "sim/agenda.h"
#include "sim/model.h"
#include "sim/op.h"
#include "sim/shares.h"

enum shipment_kind {
    SHIPMENT_PUT,
    SHIPMENT_GET, /* its data leave the interface of the PE to others after the request */
    SHIPMENT_MARK /* no data: ends when all before it at the interface have */
};

struct shipment {
    struct op op; /* the call, and when it was made */
    int64_t start;
    struct phases phases;
    int64_t begun, ended; /* on the wire */
    int32_t from, to;     /* nodes that data go from and to */
    uint32_t pe, next;    /* 1 + the one behind it at the interface */
    uint32_t slot;        /* of the wait for it; NO_SLOT */
    uint8_t kind;
    bool blocks;         /* the PE waits for it */
    bool moving, shared; /* it is on the wire; it shares links */
};

/* What a PE sends. */
struct interface {
    int64_t free_at;
    int64_t waited;       /* in turns of a loop before the one that is under way */
    uint64_t turns;       /* of this loop that are left */
    uint32_t first, last; /* 1 + those that wait for it or use it */
    uint32_t marks;       /* among them */
};

struct traffic {
    const struct machine *machine;
    struct shares shares;
    struct agenda agenda;
    struct shipment *transfers;
    size_t count, room;
    uint32_t unused; /* 1 + the first of those that can be used again */
    struct interface *interfaces;
    int64_t now; /* of the last event */
};

void traffic_open(struct traffic *, const struct machine *, size_t pes);
void traffic_close(struct traffic *);
/* A PE's next transfer, in the order of its calls. */
void traffic_issue(struct traffic *, const struct shipment *);
/* When the next event is, of those before what else happens first at that time; INT64_MAX: there is
 * none. */
int64_t traffic_next(struct traffic *, int64_t other);
/* Lets it happen. True: the transfer has ended. */
bool traffic_step(struct traffic *, struct shipment *ended);

#endif
