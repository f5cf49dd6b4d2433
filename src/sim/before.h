/*
 * What is found from the trace before it is replayed: the order of the threads of a PE, and which
 * remote write ended which wait.
 */
#ifndef SKAMPI_SIM_BEFORE_H
#define SKAMPI_SIM_BEFORE_H

#include "sim/streams.h"

/* ---- Threads: when a thread begins, who waits for its end, and which one makes the next
 * collective call. Only for runs in which a PE has several. ---- */

struct thread_order {
    struct extra_thread *extra; /* by additional thread */
    /* The calls of a PE with one set keep the order of the trace. turns has the threads in that
     * order, and next where the next call is there, by number of a PE and a set. */
    uint32_t *turns, *next;
    struct table sets;
    size_t room; /* of next */
};

/* Reads the streams of PEs with several threads once; they must be at their beginning, and are put
 * back there. False: the streams have an error. */
bool sim_thread_order_find(struct thread_order *, struct streams *);
void sim_thread_order_free(struct thread_order *);
/* Where the next call of a PE with a set is among the turns. */
uint32_t *sim_thread_order_next(struct thread_order *, uint32_t pe, uint32_t set);

/* ---- Waits: by addresses and times. Memory grows with the number of waits, and of writes to
 * what is waited for. ---- */

#define NO_SLOT UINT32_MAX

/* A write that somebody waits for, as the replay finds it. */
struct slot {
    int64_t arrival;               /* ps; -1 before the write */
    int64_t compute;               /* path of the writer, see path.h */
    uint32_t writer, ordinal, hop; /* the thread that writes, and with which operation */
    uint32_t
        waiter; /* 1 + the first thread that is blocked on it, which leads to the others; or 0 */
};

/* An operation that waits. */
struct need {
    uint32_t thread, ordinal, slot;
};

struct waits {
    /* By thread and ordinal of the operation; behind the last one, one of no thread. */
    struct slot *slots;
    struct need *needs;
    struct next_waits { /* of a thread: the next write for which somebody waits, and the next wait
                         */
        uint32_t write, wait;
    } * next;       /* by thread; NULL if nobody waits */
    uint64_t alone; /* waits that no remote write of the trace ended */
};

/* Reads all streams once if nobody waits, else twice or three times; they must be at their
 * beginning, and are put back there. False: the streams have an error. */
bool waits_match(struct waits *, struct streams *);
void waits_free(struct waits *);

#endif
