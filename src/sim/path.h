/*
 * Chains of threads that ended each other's waiting. The chain of the thread that ends last is the
 * critical path. Memory of parts that no chain needs is reused.
 *
 * A profile says where that path is: how long on which PE, in which routine or computing. A replay
 * knows its path only when it has ended, so that the run is then replayed once more. The path is
 * cut into intervals, each on one thread. A thread that waits for another one continues that
 * thread's path: what happens between the end of the other's interval and the end of the wait, such
 * as a message on its way, belongs to the call that waits. One process.
 */
#ifndef SKAMPI_SIM_PATH_H
#define SKAMPI_SIM_PATH_H

#include "base/table.h"
#include "sim/run.h"

/* A station of a chain: another thread waited for this thread, until that time. */
struct hop {
    uint32_t parent, thread, users;
    int64_t until; /* ps */
};

struct paths {
    struct hop *hops; /* to be freed; hops[0] is unused */
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

/* ---- Profiles ---- */

#define PROFILE_COMPUTING UINT32_MAX
#define PROFILE_NOBODY UINT32_MAX

/* A part of a path. */
struct interval {
    uint32_t thread, before; /* before: the thread on which the path was until then, or nobody */
    int64_t from, to;        /* ps */
};

struct profile_part {
    uint32_t pe, routine; /* of the run, or PROFILE_COMPUTING */
    int64_t time;         /* ps */
    int64_t most;         /* of a sum of parts: the longest of them, whose PE and routine it has */
};

struct profile {
    struct profile_part
        *parts; /* to be freed; their sum is the run time exactly; by PE, then the longest first */
    size_t count;
    /* What follows is needed while the run is replayed. */
    const struct run *run;
    struct interval *intervals; /* those of a thread together, in the order of time */
    struct walk *walks;         /* by thread */
    struct table keys;          /* of parts */
    size_t room;
};

/* Replay the run in between. The path ends on the thread of the last interval, at its end, and
 * comes there from that station. */
void sim_profile_begin(struct profile *, const struct run *, const struct paths *,
                       const struct interval *last, uint32_t hop);
void sim_profile_end(struct profile *);

/* Told by the replay: a thread that is at this time (ps) continues the path that another one has
 * left at `until`; a thread leaves a path that others continue; a thread has made a call. */
void sim_profile_follow(struct profile *, uint32_t thread, int64_t time, uint32_t before,
                        int64_t until);
void sim_profile_station(struct profile *, uint32_t thread, int64_t until);
void sim_profile_call(struct profile *, uint32_t thread, uint16_t routine, int64_t start,
                      int64_t leaves);

#endif
