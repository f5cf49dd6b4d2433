/* Busy links and buses: transfers get a link in the order of the calls, when it is free. */
#ifndef SKAMPI_SIM_NETWORK_H
#define SKAMPI_SIM_NETWORK_H

#include "sim/machine.h"

/* How transfers that need the same link or bus get it. */
enum contention {
    CONTENTION_NONE, /* each transfer goes as if it were alone */
    CONTENTION_FIFO, /* one after the other */
    CONTENTION_FAIR, /* in fair shares (shares.h) */
    CONTENTIONS
};
extern const char *const contention_names[CONTENTIONS];
/* The kind of that name; CONTENTION_NONE if there is none. */
enum contention contention_find(const char *name);

/* How many transfers a bus carries at their own speed; 0 for any number. */
double network_bus_capacity(const struct bus *);

struct network {
    const struct machine *machine;
    int64_t *free_at; /* when each link and lane is free again (ps) */
    size_t *in, *out,
        *lanes; /* index in free_at of the first entry, by node (in, out) or bus (lanes) */
};

void network_open(struct network *, const struct machine *);
void network_close(struct network *);

/* When data that are ready to leave can go from node to node (ps). Reserves all links that they
 * need for the time on the wire. Calls come in the order of time. */
int64_t network_reserve(struct network *, int from, int to, int64_t ready, int64_t wire);

#endif
