/*
 * Chains of PEs that ended each other's waiting. The chain of the PE that ends last is the critical
 * path. Memory of parts that no chain needs is reused, and long chains lose their beginning.
 */
#ifndef SKAMPI_SIM_PATH_H
#define SKAMPI_SIM_PATH_H

#include <stddef.h>
#include <stdint.h>

#define PATH_KEPT 4096 /* a chain keeps at least its last 4,096 stations */

/* A station of a chain: other PEs waited for this PE, until that time. */
struct hop {
    uint32_t parent, pe, users;
    uint32_t depth;
    int64_t until; /* ps */
};

struct paths {
    struct hop *hops; /* hops[0] is unused */
    size_t count, room;
    uint32_t unused; /* first of the reusable hops, linked by parent */
};

/* Makes a station that follows another one. It has no user yet. */
uint32_t path_station(struct paths *, uint32_t pe, int64_t until, uint32_t parent);
/* Adds a user (path_keep), or removes one (path_drop), which may free the station and those before
 * it. */
void path_keep(struct paths *, uint32_t hop);
void path_drop(struct paths *, uint32_t hop);
void path_free(struct paths *);

#endif
