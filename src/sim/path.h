/*
 * Chains of PEs that ended each other's waiting: the last PE's chain is the critical path. Parts
 * that no chain needs any more are used again, and long chains lose their beginning.
 */
#ifndef SKAMPI_SIM_PATH_H
#define SKAMPI_SIM_PATH_H

#include <stddef.h>
#include <stdint.h>

#define PATH_KEPT 4096 /* stations of a chain, at least, once it has so many */

/* PE pe was what others waited for, until that time. */
struct hop {
    uint32_t parent, pe, users;
    uint32_t depth;
    int64_t until; /* ps */
};

struct paths {
    struct hop *hops; /* hops[0]: none */
    size_t count, room;
    uint32_t unused; /* the first of those that can be used again, by parent */
};

/* A new station behind another one; used by nobody yet. */
uint32_t path_station(struct paths *, uint32_t pe, int64_t until, uint32_t parent);
/* One more user; and one less, which may end it and what is before it. */
void path_keep(struct paths *, uint32_t hop);
void path_drop(struct paths *, uint32_t hop);
void path_free(struct paths *);

#endif
