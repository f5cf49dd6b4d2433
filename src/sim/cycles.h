/*
 * Polling loops with several calls in each turn. They are found before the trace is replayed, so
 * that turns can be left out during translation. Memory grows with the number of these loops.
 */
#ifndef SKAMPI_SIM_CYCLES_H
#define SKAMPI_SIM_CYCLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TURN_MOST 8 /* calls of a turn */

/* The part that a call plays in a turn. */
enum turn_call {
    TURN_EFFECT, /* has an effect, so it ends a loop */
    TURN_FREE,   /* has no effect */
    TURN_FETCH,  /* reads what others may write */
    TURN_FAILED, /* a test that found nothing */
    TURN_MISSED, /* a test of a lock that did not get it */
    TURN_CAME    /* a test that found something, or got the lock */
};

struct cycle {
    uint32_t thread;
    uint32_t first;    /* number of the first event that is left out */
    uint32_t left_out; /* number of events that are left out */
    uint32_t turn;     /* events of the last turn after these, in which a fetch reads what ended the
                          loop; 0 if the next event is a test that succeeds */
    /* While a thread is read: */
    int64_t from;     /* end of the last call before these events (ticks) */
    uint32_t ordinal; /* of the operation that waits */
    bool written;     /* a write that ends the loop was found */
};

struct cycles {
    size_t threads;
    bool known;          /* else they are to be found, while threads are read one by one */
    struct cycle *found; /* ordered by thread and event, once all are known */
    size_t count, room;
    uint32_t *next;         /* by thread; NULL if there are no loops */
    struct watch **watches; /* by thread: the loop that it may be in; NULL: nothing to watch */
};

/* Tells the part that an event of a thread plays; what is equal for equal calls. True if it may
 * belong to a loop in its third turn that a write ends. */
bool cycles_see(struct cycles *, uint32_t thread, uint64_t number, enum turn_call, uint64_t what);
/* The events of a thread have ended. */
void cycles_end(struct cycles *, uint32_t thread, uint64_t number);
/* All threads have been read. */
void cycles_know(struct cycles *);
/* Drops loops that no write has ended. Returns whether there were any. */
bool cycles_keep_written(struct cycles *);
void cycles_rewind(struct cycles *);
void cycles_free(struct cycles *);

/* Whether an event can belong to a loop, or end one. */
static inline bool cycles_concern(const struct cycles *cycles, uint32_t thread, enum turn_call call)
{
    return call >= TURN_FETCH || (cycles->watches && cycles->watches[thread]);
}

/* The next loop of a thread that is read; NULL if none is left. */
static inline struct cycle *cycles_next(const struct cycles *cycles, uint32_t thread)
{
    if (!cycles->next || cycles->next[thread] == cycles->count)
        return NULL;
    struct cycle *next = &cycles->found[cycles->next[thread]];
    return next->thread == thread ? next : NULL;
}

#endif
