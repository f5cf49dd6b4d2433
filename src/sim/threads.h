/*
 * The order of the threads of a PE, which is found from the trace before it is replayed: when a
 * thread begins, who waits for its end, and which thread makes the next collective call. Only for
 * runs in which a PE has several threads.
 */
#ifndef SKAMPI_SIM_THREADS_H
#define SKAMPI_SIM_THREADS_H

#include "sim/streams.h"

/* What happens when the first thread of a PE comes to an operation. A fork: another thread begins
 * after it has executed operation `ordinal`. A join: it executes this operation only after another
 * thread has ended and after `burst` of computing, or the operation's own burst if that is shorter.
 */
struct thread_event {
    uint32_t pe, ordinal, thread;
    int64_t burst; /* ps, of a join */
};

struct thread_order {
    struct thread_event *forks, *joins; /* each by PE and ordinal */
    uint32_t *first_fork, *first_join;  /* by PE, and one more */
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
