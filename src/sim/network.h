/* Links and buses that are busy: who wants one waits until it is free, in the order of calls. */
#ifndef SKAMPI_SIM_NETWORK_H
#define SKAMPI_SIM_NETWORK_H

#include "sim/machine.h"

/* How transfers that need the same link or bus get it. */
enum contention {
    CONTENTION_NONE, /* as if each were alone */
    CONTENTION_FIFO, /* one after the other */
    CONTENTION_FAIR, /* in fair shares (shares.h) */
    CONTENTIONS
};
extern const char *const contention_names[CONTENTIONS];
/* CONTENTION_NONE: there is none of that name. */
enum contention contention_find(const char *name);

/* A bus carries so many transfers at their own speed; 0: any number. */
double network_bus_capacity(const struct bus *);

struct network {
    const struct machine *machine;
    int64_t *free_at;         /* of each link and lane: when it is free again */
    size_t *in, *out, *lanes; /* by node, node, bus: where its own begin in free_at */
};

void network_open(struct network *, const struct machine *);
void network_close(struct network *);

/* When data that are ready to leave can go from node to node; all that they need is then taken for
 * the time on the wire. Calls are in the order of time. */
int64_t network_reserve(struct network *, int from, int to, int64_t ready, int64_t wire);

#endif
