/*
 * What orders the threads of a PE, found from the trace before it is replayed: when a thread
 * begins, who waits for its end, and whose turn a collective call is. Only for runs in which a PE
 * has several threads.
 */
#ifndef SKAMPI_SIM_THREADS_H
#define SKAMPI_SIM_THREADS_H

#include "sim/streams.h"

/* A line begins when its PE's first line has executed that operation. */
struct fork {
    uint32_t pe, ordinal, line;
};

/* The PE's first line executes that operation after a line has ended, and has computed for so long,
 * or for the operation's own burst if that is shorter: it has waited for the thread meanwhile. */
struct join {
    uint32_t pe, ordinal, line;
    int64_t burst; /* ps */
};

struct threads {
    struct fork *forks;   /* by PE and ordinal */
    uint32_t *first_fork; /* by PE, and one more */
    struct join *joins;   /* likewise */
    uint32_t *first_join;
    int64_t
        *first_burst; /* ticks from there to the line's first call; by line behind those of PEs */
    /* Of the collective calls of a PE with one set, each is executed after so many others of it; in
     * the order of lines and their calls. */
    uint32_t *turns;
    uint32_t *first_turn; /* by line, and one more */
};

/* Reads the streams of PEs with several threads once; they must be at their beginning, and are put
 * back there. False: the streams have an error. */
bool threads_find(struct threads *, struct streams *);
void threads_free(struct threads *);

#endif
