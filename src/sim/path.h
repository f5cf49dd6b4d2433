/*
 * Chains of threads that ended each other's waiting. The chain of the thread that ends last is the
 * critical path. Memory of parts that no chain needs is reused.
 */
#ifndef SKAMPI_SIM_PATH_H
#define SKAMPI_SIM_PATH_H

#include "sim/profile.h"

/* A station of a chain: another thread waited for this thread, until that time. */
struct hop {
    uint32_t parent, thread, users;
    int64_t until; /* ps */
};

struct paths {
    struct hop *hops; /* hops[0] is unused */
    size_t count, room;
    uint32_t unused;         /* first of the reusable hops, linked by parent */
    struct profile *profile; /* is told of what happens on the path; NULL: nothing is */
};

/* Makes a station that follows another one. It has no user yet. */
uint32_t path_station(struct paths *, uint32_t thread, int64_t until, uint32_t parent);
/* Adds a user (path_keep), or removes one (path_drop), which may free the station and those before
 * it. */
void path_keep(struct paths *, uint32_t hop);
void path_drop(struct paths *, uint32_t hop);
void path_free(struct paths *);
/* The path of a thread that ends at this time (ps), from its end to its beginning. To be freed. */
struct interval *path_intervals(const struct paths *, uint32_t thread, int64_t end, uint32_t hop,
                                size_t *count);

#endif
