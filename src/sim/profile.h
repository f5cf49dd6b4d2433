/*
 * Where the critical path is: how long on which PE, in which routine or computing. A replay knows
 * its path only when it has ended, so that the run is then replayed once more. One process.
 *
 * The path is cut into intervals, each on one thread. A thread that waits for another one continues
 * that thread's path: what happens between the end of the other's interval and the end of the wait,
 * such as a message on its way, belongs to the call that waits.
 */
#ifndef SKAMPI_SIM_PROFILE_H
#define SKAMPI_SIM_PROFILE_H

#include "base/table.h"
#include "sim/run.h"

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
};

struct profile {
    struct profile_part
        *parts; /* their sum is the run time exactly; by PE, then the longest first */
    size_t count;
    /* What follows is needed while the run is replayed. */
    const struct run *run;
    struct interval *intervals; /* those of a thread together, in the order of time */
    struct walk *walks;         /* by thread */
    struct table keys;          /* of parts */
    size_t room;
};

/* Replay the run in between. The intervals are those of the path, from its end to its beginning,
 * and stay the caller's. */
void profile_begin(struct profile *, const struct run *, const struct interval *, size_t count);
void profile_end(struct profile *);
void profile_free(struct profile *);

/* Told by the replay: a thread that is at this time (ps) continues the path that another one has
 * left at `until`; a thread leaves a path that others continue; a thread has made a call. */
void profile_follow(struct profile *, uint32_t thread, int64_t time, uint32_t before,
                    int64_t until);
void profile_station(struct profile *, uint32_t thread, int64_t until);
void profile_call(struct profile *, uint32_t thread, uint16_t routine, int64_t start,
                  int64_t leaves);

#endif
