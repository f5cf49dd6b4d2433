/*
 * Links and buses that transfers need while they are on the wire. One resource with three ways to
 * share it.
 */
#ifndef SKAMPI_SIM_LINKS_H
#define SKAMPI_SIM_LINKS_H

#include "sim/machine.h"
#include "sim/shares.h"

/* How transfers that need the same link or bus get it. */
enum contention {
    CONTENTION_NONE, /* each transfer goes as if it were alone */
    CONTENTION_FIFO, /* one after the other, in the order of the calls, each when a link is free */
    CONTENTION_FAIR, /* in fair shares (shares.h) */
    CONTENTIONS
};
extern const char *const contention_names[CONTENTIONS];
/* The kind of that name; CONTENTION_NONE if there is none. */
enum contention contention_find(const char *name);

struct links {
    enum contention contention;
    const struct machine *machine;
    int64_t *free_at; /* CONTENTION_FIFO: when each link and lane is free again (ps) */
    size_t *first;    /* index there, by number of a place that has links; and one more */
    struct shares shares;
};

void links_open(struct links *, const struct machine *, enum contention);
void links_close(struct links *);

/* How many transfers a bus carries at their own speed; 0 for any number. */
double links_bus_capacity(const struct medium *);

/* Whether a transfer between two nodes shares links, so that its end is not known when it begins.
 */
bool links_are_shared(const struct links *, int from, int to, int64_t wire);
int64_t links_queue(struct links *, int from, int to, int64_t ready, int64_t wire);
/* Of others: when a transfer whose data are ready gets its links, for `wire` ps. Calls come in the
 * order of time. */
static inline int64_t links_reserve(struct links *links, int from, int to, int64_t ready,
                                    int64_t wire)
{
    return links->contention == CONTENTION_FIFO ? links_queue(links, from, to, ready, wire) : ready;
}
/* A transfer that shares links begins. shares.h says when it ends. */
void links_share(struct links *, uint32_t number, int from, int to, int64_t now, int64_t wire);

#endif
