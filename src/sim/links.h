/*
 * Links and buses that transfers need while they are on the wire. One resource with three ways to
 * share: none (each transfer is alone), FIFO (network.h), or fair shares (shares.h).
 */
#ifndef SKAMPI_SIM_LINKS_H
#define SKAMPI_SIM_LINKS_H

#include "sim/network.h"
#include "sim/shares.h"

struct links {
    enum contention contention;
    const struct machine *machine;
    struct network network;
    struct shares shares;
};

void links_open(struct links *, const struct machine *, enum contention);
void links_close(struct links *);

/* Whether a transfer between two nodes shares links, so that its end is not known when it begins.
 */
bool links_are_shared(const struct links *, int from, int to, int64_t wire);
/* Of others: when a transfer whose data are ready gets its links, for `wire` ps. */
static inline int64_t links_reserve(struct links *links, int from, int to, int64_t ready,
                                    int64_t wire)
{
    if (links->contention != CONTENTION_FIFO)
        return ready;
    return network_reserve(&links->network, from, to, ready, wire);
}
/* A transfer that shares links begins. shares.h says when it ends. */
void links_share(struct links *, uint32_t number, int from, int to, int64_t now, int64_t wire);

#endif
