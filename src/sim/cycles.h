/*
 * Polling loops that make several calls in each turn: found in the trace before it is replayed, so
 * that turns can be left out while it is translated. Memory grows with the number of these loops.
 */
#ifndef SKAMPI_SIM_CYCLES_H
#define SKAMPI_SIM_CYCLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TURN_MOST 8 /* calls of a turn */

/* What a call can be in a turn. */
enum turn_call {
    TURN_EFFECT, /* it ends a loop */
    TURN_FREE,   /* without effect */
    TURN_FETCH,  /* reads what others may write */
    TURN_FAILED, /* a test that found nothing */
    TURN_MISSED, /* a test of a lock that did not get it */
    TURN_CAME    /* either of these, which did */
};

struct cycle {
    uint32_t line;
    uint32_t first, left_out; /* number of the first event that is left out, and how many are */
    uint32_t turn; /* events behind these, which fetch what a write ends the loop by; 0: the one
                      behind them is a test that has come */
    /* While a line is read: */
    int64_t from;     /* ticks: when the last call before them ended */
    uint32_t ordinal; /* of the operation that waits */
    bool written;     /* such a write was found */
};

enum cycles_state {
    CYCLES_NOTICE, /* whether there are any */
    CYCLES_FIND,   /* while lines are read one by one */
    CYCLES_KNOWN
};

struct cycles {
    enum cycles_state state;
    bool noticed;
    struct cycle *found; /* by line and event, when they are known */
    size_t count, room;
    uint32_t *next;         /* by line; NULL: there are none */
    struct watch **watches; /* by line, of what it does now; NULL: nothing to be watched */
};

/* An event of a line is such a call; what: equal for equal calls. True: it may be part of a loop
 * that a write ends, and is in its third turn. */
bool cycles_see(struct cycles *, size_t lines, uint32_t line, uint64_t number, enum turn_call,
                uint64_t what);
/* The events of a line have ended. */
void cycles_end(struct cycles *, uint32_t line, uint64_t number);
/* All lines have been read. */
void cycles_know(struct cycles *, size_t lines);
/* Those that no write has ended are none. Whether there were any. */
bool cycles_keep_written(struct cycles *, size_t lines);
void cycles_rewind(struct cycles *, size_t lines);
void cycles_free(struct cycles *, size_t lines);

/* Whether an event can be one of a loop, or end one. */
static inline bool cycles_concern(const struct cycles *cycles, uint32_t line, enum turn_call call)
{
    return call >= TURN_FETCH || (cycles->watches && cycles->watches[line]);
}

/* The next one of a line that is read; NULL: none is left. */
static inline struct cycle *cycles_next(const struct cycles *cycles, uint32_t line)
{
    if (!cycles->next || cycles->next[line] == cycles->count)
        return NULL;
    struct cycle *next = &cycles->found[cycles->next[line]];
    return next->line == line ? next : NULL;
}

#endif
