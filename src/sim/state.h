/*
 * Replays a run on a machine: what each PE does when, and who waits for whom. Operations that no
 * other PE can notice are executed as soon as their PE reaches them. Operations whose result
 * depends on the order (atomics, locks, busy links) are executed in the order of time over all PEs.
 * The result equals that of executing every operation in time order, but only the ordered ones are
 * queued. If PEs answer only inside calls (progress.h), all operations are queued.
 */
#ifndef SKAMPI_SIM_STATE_H
#define SKAMPI_SIM_STATE_H

#include "sim/model.h"
#include "sim/network.h"
#include "sim/path.h"
#include "sim/queue.h"
#include "sim/threads.h"
#include "sim/traffic.h"
#include "sim/waits.h"

#define LAST_TIME                                                                                  \
    INT64_C(                                                                                       \
        4000000000000000000) /* ps, 46 days: the sum of two such times still fits into 64 bits */

#define NODE_BITS 24
#define MOST_NODE ((UINT32_C(1) << NODE_BITS) - 1)

enum thread_state {
    THREAD_READY,
    THREAD_ORDERED, /* its burst is over, and its next operation is the first in the order of time
                     */
    THREAD_TOGETHER,
    THREAD_WAITS,
    THREAD_LOCK,
    THREAD_UNDER_WAY, /* a transfer or request that it waits for is under way */
    THREAD_OPEN,      /* its next operation waits until none of a context is left */
    THREAD_TURN,      /* waits until another thread of the PE has executed its call with the set */
    THREAD_BEGIN,     /* an extra thread that has not begun */
    THREAD_JOIN,      /* waits until other threads of the PE have ended */
    THREAD_ENDED
};

/* A thread. The first thread of its PE holds the interface, and what is open. There
 * may be a million threads, and each operation reads several of them, so members that few runs need
 * are kept elsewhere. */
struct thread {
    int64_t time, compute,
        waiting; /* ps; time - compute is spent in calls, of which `waiting` was spent blocked */
    /* When everything in the default context is known to be complete, and when it has arrived (ps).
     */
    int64_t known, arrived;
    int64_t interface;    /* when the next message can be sent */
    int64_t path_compute; /* computing on its path, up to its time (ps) */
    uint32_t hop;         /* the station of its path when it last had to wait */
    uint32_t next;        /* 1 + the next PE of the list that it is in, or 0 */
    uint32_t blocked_on;  /* set, slot, lock or context */
    uint32_t node : NODE_BITS;
    uint32_t state : 6;    /* enum thread_state */
    uint32_t fetched : 1;  /* the last OP_FETCHES waited */
    uint32_t threaded : 1; /* the PE has other threads */
};
_Static_assert(MACHINE_MOST_NODES <= 1 << NODE_BITS, "a node's number fits into struct thread");

/* What a thread needs in addition if PEs have several. */
struct thread_extra {
    int64_t idle;       /* ps of its time before it began, and in THREAD_JOIN */
    uint32_t next_fork; /* of a first thread: the next thread that it begins */
    uint32_t next_join; /* of a first thread: the next thread for whose end it waits */
    uint32_t next_turn;
};

/* The next write that somebody waits for, and the next wait. */
struct next_waits {
    uint32_t write, wait;
};

/* Sums over PEs. [1]: to another node. */
struct routine_sum {
    uint64_t calls, moves[2];
    double time, waiting, bytes[2]; /* ps */
};
/* Sums of one PE. */
struct pe_sum {
    uint64_t calls, moves[2];
    int64_t time;
    double bytes[2];
};

/* What is left of a loop of fetches after the one that is under way. */
struct rest {
    int64_t waited; /* ps, so far */
    uint64_t times;
};

/* Requests not served (progress.h), or transfers not ended (contexts.h). */
struct open_counts {
    uint32_t unordered, ordered; /* ordered: those for which a fence waits */
    uint32_t peers;              /* 1 + the last PE that a quiet asks, or 0 */
};

struct replay {
    struct run *run;
    const struct machine *machine;
    const struct model *model;
    enum contention contention;
    bool per_pe;
    bool several; /* PEs are on several nodes */
    bool ignore_pointers;
    struct streams streams;
    struct waits waits;
    struct network network;
    struct progress *progress; /* NULL if no message needs the library of its target */
    int64_t *answers_until;    /* by PE: end of its last call that serves; NULL without progress */
    int64_t *handled; /* by PE: when its library has handled all messages so far; NULL without
                         progress */
    struct open_counts *open; /* by PE: of its default context; NULL if all ends are known at the
                                 begin of an operation */
    struct operations operations; /* under way: those that end in events */
    struct rest *rests;           /* by PE; NULL if no operation ends in an event */
    struct traffic traffic;       /* with CONTENTION_FAIR */
    struct paths paths;
    struct queue queue;
    struct thread *threads; /* by thread */
    int64_t *floors; /* by PE: earliest arrival of later puts in the default context, after a fence;
                        NULL before the first fence */
    int64_t
        *served; /* by PE: when the next atomic on it can be served; NULL before the first one */
    struct next_waits *next_waits;      /* by thread; NULL: nobody waits */
    struct thread_extra *thread_extras; /* by thread; NULL: each PE has one */
    uint32_t ready;                     /* list of threads that can go on, 1 + thread */
    struct thread_order order;          /* where PEs have several */
    struct table turn_numbers;          /* of PE and set */
    uint32_t *turns_done;
    size_t turn_room;
    struct routine_sum *sums; /* by routine */
    struct pe_sum **pe_sums;  /* by routine, then PE; NULL where not called */
    struct set_state *sets;   /* by number */
    size_t set_room;
    struct lock_state *locks;
    size_t lock_room;
    struct table lock_numbers, context_numbers;
    bool connects;          /* first calls between two PEs take longer */
    struct table connected; /* pairs of PEs that had theirs */
    struct context_state *contexts;
    size_t context_room;
    uint64_t executed;
    uint64_t extrapolated; /* calls whose cost is extrapolated from another number of PEs */
    char *error;
    bool found; /* the error is a deadlock or damage; else something was refused */
};

/* ---- For the parts of the replay ---- */

/* The operation that a thread executes. Its stream is already past it. */
struct step {
    uint32_t thread;
    const struct op *op;
    int64_t start; /* after the burst */
};

/* Ends an operation: the PE goes on at `leaves`, after waiting `waited` (ps). */
void replay_finish(struct replay *, const struct step *, int64_t leaves, int64_t waited);
/* Ends the operation of a PE that was blocked, and makes it ready. */
void replay_release(struct replay *, const struct step *, int64_t leaves, int64_t waited);
/* The PE can go on. */
void replay_make_ready(struct replay *, uint32_t pe);
/* Makes a PE ready whose next operation has not begun, but whose burst is over. */
void replay_retry(struct replay *, uint32_t pe);
/* The PE continues the path of the PE that it waited for. */
void replay_follow(struct replay *, uint32_t pe, int64_t compute, uint32_t hop);
/* Reports the error that something happens after LAST_TIME. */
void replay_too_late(struct replay *, uint32_t pe);
/* The operation that a blocked PE is in. */
struct step replay_blocked(const struct replay *, uint32_t pe);

/* The PE of a thread. */
static inline uint32_t replay_pe(const struct replay *replay, uint32_t thread)
{
    return (uint32_t)run_pe(replay->run, (int)thread);
}

/* The thread that holds the state which the threads of a PE share. */
static inline struct thread *replay_home(const struct replay *replay, uint32_t thread)
{
    return &replay->threads[replay_pe(replay, thread)];
}

/* When the next atomic on a PE can be served. */
int64_t *replay_served(struct replay *, uint32_t pe);

/* The ordinal of the operation that a thread executes. */
static inline uint32_t replay_ordinal(const struct replay *replay, uint32_t thread)
{
    const struct stream *stream = &replay->streams.of[thread];
    return stream->made - (stream->count - stream->next) - 1;
}

/* What a call of a class costs between two PEs. */
static inline const struct way *replay_way(const struct replay *replay, uint32_t from, uint32_t to,
                                           enum cost_class class, uint64_t bytes)
{
    const struct way *way =
        machine_way(replay->machine, replay->threads[from].node, replay->threads[to].node);
    return way_of(way, class, bytes);
}

/* How long an atomic of a PE keeps another one busy; -1: as long as its bytes take. */
static inline int64_t replay_busy(const struct replay *replay, uint32_t from, uint32_t to)
{
    int node = replay->threads[to].node;
    int64_t busy = machine_way(replay->machine, replay->threads[from].node, node)->atomic;
    return busy >= 0 ? busy : machine_kind(replay->machine, node)->inside.atomic;
}

/* Whether a PE handles messages only inside its calls. */
static inline bool serves_inside(const struct replay *replay, uint32_t pe)
{
    return machine_kind(replay->machine, replay->threads[pe].node)->progress == PROGRESS_INSIDE;
}

/* What is open in a context of a PE. */
struct context_state {
    int64_t known, arrived, floor;
    struct open_counts open;
};

/* In transfers.c. Functions that return bool return false if the PE is blocked. */
bool replay_operation(struct replay *, const struct step *); /* put, get, atomic */
bool replay_fetches(struct replay *, const struct step *);
void replay_quiet(struct replay *, const struct step *);
void replay_fence(struct replay *, const struct step *);
bool replay_wait(struct replay *, const struct step *);
/* A PE goes on that waited for an operation. */
void replay_goes_on(struct replay *, uint32_t pe, int64_t leaves, int64_t waited);
/* A write that PEs wait for has arrived. */
void replay_arrive(struct replay *, uint32_t slot, int64_t arrival);
/* With CONTENTION_FAIR or progress: whether the operation completes transfers or requests of which
 * some have not ended; the PE is then blocked until they have. */
bool replay_is_open(struct replay *, uint32_t pe, const struct op *);
/* An operation has ended that was handed over to traffic.h. */
void replay_ended(struct replay *, struct operation *);
/* In together.c and locks.c. Functions that return bool return false if the thread is blocked. */
bool replay_together(struct replay *, const struct step *);
bool replay_lock(struct replay *, const struct step *);
void replay_unlock(struct replay *, const struct step *);
void replay_try_lock(struct replay *, const struct step *);
/* The thread for which a blocked thread waits: one that has not called the collective, or holds the
 * lock. */
int64_t replay_missing(const struct replay *, uint32_t pe);
int64_t replay_holder(const struct replay *, uint32_t pe);
/* In deadlock.c: the text of the error if PEs are left that wait for ever. */
char *replay_deadlock(const struct replay *);

#endif
