/*
 * Transfers under way on links that are shared fairly. Begin and end of each depend on the others,
 * so both are events. Transfers of one PE follow each other at its interface.
 */
#ifndef SKAMPI_SIM_TRAFFIC_H
#define SKAMPI_SIM_TRAFFIC_H

#include "sim/agenda.h"
#include "sim/model.h"
#include "sim/op.h"
#include "sim/shares.h"

enum shipment_kind {
    SHIPMENT_PUT,
    SHIPMENT_GET, /* its data do not occupy the interface of the caller after the request */
    SHIPMENT_MARK /* no data: it ends when all transfers before it at the interface have ended */
};

struct shipment {
    struct op op; /* the call, and when it was made */
    int64_t start;
    struct phases phases;
    int64_t begun, ended; /* on the wire */
    int32_t from, to;     /* nodes that data go from and to */
    uint32_t pe, next;    /* next: 1 + the next one at the interface */
    uint32_t slot;        /* of the wait for it, or NO_SLOT */
    uint8_t kind;
    bool blocks;         /* the PE waits for it */
    bool moving, shared; /* it is on the wire; it shares links */
};

/* What a PE sends. */
struct interface {
    int64_t free_at;
    int64_t waited; /* ps in earlier turns of the loop that is under way */
    uint64_t turns; /* turns of this loop that are left */
    uint32_t first,
        last; /* 1 + the first and the last shipment that waits for the interface or uses it */
    uint32_t marks; /* number of marks among these */
};

struct traffic {
    const struct machine *machine;
    struct shares shares;
    struct agenda agenda;
    struct shipment *transfers;
    size_t count, room;
    uint32_t unused; /* 1 + the first reusable shipment */
    struct interface *interfaces;
    int64_t now; /* of the last event */
};

void traffic_open(struct traffic *, const struct machine *, size_t pes);
void traffic_close(struct traffic *);
/* A PE's next transfer, in the order of its calls. */
void traffic_issue(struct traffic *, const struct shipment *);
/* Time of the next event; INT64_MAX if there is none. Finds new shares first, unless something else
 * happens at the present time: `other` is when. */
int64_t traffic_next(struct traffic *, int64_t other);
/* Executes that event. True if it ends a transfer. */
bool traffic_step(struct traffic *, struct shipment *ended);

#endif
