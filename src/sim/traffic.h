/*
 * Transfers under way on links that are shared fairly. Begin and end of each depend on the others,
 * so both are events. Transfers of one PE follow each other at its interface.
 */
#ifndef SKAMPI_SIM_TRAFFIC_H
#define SKAMPI_SIM_TRAFFIC_H

#include "sim/agenda.h"
#include "sim/operation.h"
#include "sim/shares.h"

/* What a PE sends. */
struct interface {
    int64_t free_at;
    struct operation_list list; /* those that wait for the interface or use it */
    uint32_t marks;             /* number of marks among these */
};

struct traffic {
    const struct machine *machine;
    struct shares shares;
    struct agenda agenda;
    struct interface *interfaces;
    int64_t now; /* of the last event */
};

void traffic_open(struct traffic *, const struct machine *, size_t pes);
void traffic_close(struct traffic *);
/* A PE's next transfer, in the order of its calls. */
void traffic_issue(struct traffic *, struct operations *, const struct operation *);
/* Time of the next event; INT64_MAX if there is none. Finds new shares first, unless something else
 * happens at the present time: `other` is when. */
int64_t traffic_next(struct traffic *, int64_t other);
/* Executes that event. True if it ends a transfer. */
bool traffic_step(struct traffic *, struct operations *, struct operation *ended);

#endif
