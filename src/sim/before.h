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
bool thread_order_find(struct thread_order *, struct streams *);
void thread_order_free(struct thread_order *);
/* Where the next call of a PE with a set is among the turns. */
uint32_t *thread_order_next(struct thread_order *, uint32_t pe, uint32_t set);

/* ---- Waits: by addresses and times. Memory grows with the number of waits, and of writes to
 * what is waited for. ---- */

#define NO_SLOT UINT32_MAX

/* A write that somebody waits for, as the replay finds it. */
struct slot {
    int64_t arrival;      /* ps; -1 before the write */
    int64_t compute;      /* path of the writer, see path.h */
    uint32_t writer, hop; /* writer: a thread */
    uint32_t
        waiter; /* 1 + the first thread that is blocked on it, which leads to the others; or 0 */
};

struct need {
    uint32_t ordinal, slot;
};

struct waits {
    struct slot *slots;
    size_t slot_count;
    /* Those of thread i begin at first_write[i] and first_wait[i], and end where those of thread i
     * + 1 begin; ordered by ordinal. */
    struct need *writes, *waits;
    uint32_t *first_write, *first_wait; /* NULL if nobody waits */
    uint64_t alone;                     /* waits that no remote write of the trace ended */
};

/* Reads all streams once if nobody waits, else twice or three times; they must be at their
 * beginning, and are put back there. False: the streams have an error. */
bool waits_match(struct waits *, struct streams *);
void waits_free(struct waits *);

#endif
