/*
 * The order of the threads of a PE, which is found from the trace before it is replayed: when a
 * thread begins, who waits for its end, and which thread makes the next collective call. Only for
 * runs in which a PE has several threads.
 */
#ifndef SKAMPI_SIM_THREADS_H
#define SKAMPI_SIM_THREADS_H

#include "sim/streams.h"

/* An additional thread begins when its PE's first thread has executed operation `ordinal`. */
struct fork {
    uint32_t pe, ordinal, thread;
};

/* The first thread of a PE executes operation `ordinal` only after another thread has ended and
 * after `burst` of computing, or the operation's own burst if that is shorter: it joined the thread
 * there. */
struct join {
    uint32_t pe, ordinal, thread;
    int64_t burst; /* ps */
};

struct thread_order {
    struct fork *forks;   /* by PE and ordinal */
    uint32_t *first_fork; /* by PE, and one more */
    struct join *joins;   /* by PE and ordinal */
    uint32_t *first_join;
    int64_t *first_burst; /* ticks from the fork to the thread's first call, by additional thread */
    /* The calls of a PE with one set keep the order of the trace: turns has, for each call in the
     * order of threads, how many such calls of the PE come before. */
    uint32_t *turns;
    uint32_t *first_turn; /* by thread, and one more */
};

/* Reads the streams of PEs with several threads once; they must be at their beginning, and are put
 * back there. False: the streams have an error. */
bool thread_order_find(struct thread_order *, struct streams *);
void thread_order_free(struct thread_order *);

#endif
