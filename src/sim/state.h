/*
 * Replays a run on a machine: what each PE does when, and who waits for whom. There is one queue of
 * events, in the order of time: calls of threads, and the next stage of each operation that is
 * under way (below). What nobody else can notice needs no event: it happens as soon as its
 * thread comes to it, since its time is known.
 */
#ifndef SKAMPI_SIM_STATE_H
#define SKAMPI_SIM_STATE_H

#include "sim/before.h"
#include "sim/links.h"
#include "sim/model.h"
#include "sim/path.h"
#include "sim/queue.h"

#define NODE_BITS 24
#define MOST_NODE ((UINT32_C(1) << NODE_BITS) - 1)

/* ---- Operations ----
 *
 * Puts, gets and atomics that may be under way, and what they need on their way. Each goes through
 * stages (operations.c); model.h draws the times of their parts.
 *
 *   put:    send, wire, sent, arrive, answer
 *   get:    send, arrive, wire, sent, answer
 *   atomic: send, arrive, answer
 *
 * A stage is an event if what happens meanwhile decides about it: the links are shared, or a
 * library has to work. Else it follows at once. */

enum stage {
    STAGE_SEND,   /* its interface takes it */
    STAGE_WIRE,   /* its data are ready for the links */
    STAGE_SENT,   /* the links have carried them */
    STAGE_ARRIVE, /* it is at its target, which serves it */
    STAGE_ANSWER, /* the answer is at the caller, which then knows that it is complete */
    STAGE_OVER
};

/* A time that is not known before the operation has gone further. */
#define UNKNOWN INT64_MIN

struct operation {
    struct op op; /* the call; a fence goes through its interface, too, where that is busy */
    struct phases takes;
    int64_t start;         /* ps: when the call was made, or its turn of a loop began */
    int64_t at;            /* ps: when its stage is to begin */
    int64_t ready;         /* ps: when its data were ready for the links */
    int64_t leaves;        /* ps: when its caller goes on, or UNKNOWN: the caller is blocked */
    int64_t waited;        /* ps that the caller has waited in this operation */
    uint32_t thread, next; /* next: 1 + the next operation of the list that it is in, or 0 */
    uint32_t slot;         /* of those who wait for what it writes, or NO_SLOT */
    uint8_t stage;
    bool atomic;
    bool library; /* the library of its target, and of its caller, handle its messages */
    bool shares;  /* its data share links with others */
};

/* All that are under way, by number. Numbers are used again. */
struct operations {
    struct operation *of;
    size_t count, room;
    uint32_t unused; /* 1 + the first number that can be used again, or 0 */
};

/* Lists of operations in the order in which they came. */
struct operation_list {
    uint32_t first, last; /* 1 + number; first is 0 if the list is empty */
};

/* The library of a PE. */
struct library {
    int64_t busy;      /* ps: until it has handled what has come so far */
    int64_t attentive; /* ps: end of its last call in which it serves others */
    int64_t called;    /* ps: end of its last call */
    int64_t trailing;  /* ps that the last messages of a collective will take from computing */
    int64_t lost;      /* ps that messages have taken from its computing so far */
    bool interrupted;  /* since it began to compute */
    struct operation_list waiting; /* for its next call */
};

/* A PE to which operations of a context may be outstanding; a quiet that has to wait sends it a
 * message. */
struct asked_peer {
    uint32_t peer;
    uint32_t next; /* 1 + the next one of the context */
    bool listed;
};

struct libraries {
    bool receive;       /* messages take a library time */
    bool asks;          /* a quiet asks some PEs */
    struct table pairs; /* the number of the asked_peer of a PE, a context and another PE */
    struct asked_peer *peers;
    size_t peer_room;
    struct library of[]; /* by PE */
};

/* What waits until the interface of a thread is free, where links are shared. */
struct interface {
    bool busy;       /* an operation has it; the others wait */
    uint32_t fences; /* that wait */
    struct operation_list list;
};

/* ---- Threads ---- */

enum thread_state {
    THREAD_READY,
    THREAD_CALLS, /* it computes; its next call is an event */
    THREAD_TOGETHER,
    THREAD_WAITS,
    THREAD_ASKS,      /* its request is on the way to the PE of a lock: an event */
    THREAD_LOCK,      /* its request waits there */
    THREAD_UNDER_WAY, /* waits for an operation that is under way */
    THREAD_OPEN,      /* its call waits until what it completes is no longer under way */
    THREAD_TURN,      /* waits until another thread of the PE has executed its call with the set */
    THREAD_BEGIN,     /* an extra thread that has not begun */
    THREAD_JOIN,      /* waits until other threads of the PE have ended */
    THREAD_ENDED
};

/* When everything in a context is known to be complete, and when it has arrived; and the earliest
 * arrival of later puts and atomics, after a fence (ps). */
struct context_times {
    int64_t known, arrived, floor;
};

/* A thread. The first thread of its PE holds what is open in the default context. There
 * may be a million threads, and each operation reads several of them, so members that few runs need
 * are kept elsewhere. */
struct thread {
    /* ps; time - compute is spent in calls, of which `waiting` was spent blocked */
    int64_t time, compute, waiting;
    struct context_times context; /* the default one */
    int64_t interface;    /* when the next message can be sent; see sender_of() in operations.c */
    int64_t path_compute; /* computing on its path, up to its time (ps) */
    uint32_t hop;         /* the station of its path when it last had to wait */
    uint32_t next;        /* 1 + the next thread of the list that it is in, or 0 */
    uint32_t blocked_on;  /* set, slot, lock or context */
    uint32_t node : NODE_BITS;
    uint32_t state : 5;    /* enum thread_state */
    uint32_t first : 1;    /* its put, get or atomic is the first one of its PE to the other PE */
    uint32_t fetched : 1;  /* the last OP_FETCHES waited */
    uint32_t threaded : 1; /* the PE has other threads */
};
_Static_assert(MACHINE_MOST_NODES <= 1 << NODE_BITS, "a node's number fits into struct thread");

/* What a thread needs in addition if PEs have several. */
struct thread_extra {
    int64_t idle;               /* ps of its time before it began, and in THREAD_JOIN */
    uint32_t to_begin, to_join; /* of a first thread: so many other threads are still to */
    bool joined;                /* the first thread has waited for its end */
};

/* Sums over calls of a routine. [1]: to another node. */
struct call_sum {
    uint64_t calls, moves[2];
    double time, waiting, bytes[2]; /* ps */
};

/* What a thread that is blocked on an operation knows. */
struct rest {
    int64_t before;         /* ps that the call waited before this operation */
    uint64_t times;         /* that it makes the operation again afterwards */
    int64_t leaves, waited; /* ps: when the thread goes on; waited in this operation */
};

/* What is under way in a context. */
struct open_operations {
    uint32_t count;
    uint32_t peers; /* 1 + the last PE that a quiet asks, or 0 */
};

struct context_state {
    struct context_times times;
    struct open_operations open;
};

struct replay_options {
    const struct model *model;
    enum contention contention;
    bool per_pe;
    bool ignore_pointers;    /* predict, although data may move between nodes by pointers */
    struct profile *profile; /* is told where the critical path is, or NULL */
    struct simulated_trace *simulated; /* where the run is written as a trace, or NULL */
    struct surplus *surplus;           /* what calls take in addition, or NULL */
    struct comparison *comparison;     /* while that is found, or NULL: calls end as in the trace */
};

struct replay {
    struct run *run;
    const struct machine *machine;
    struct replay_options options;
    bool several; /* PEs are on several nodes */
    struct streams streams;
    struct waits waits;
    struct thread_order order; /* where PEs have several threads */

    struct queue queue; /* numbers: threads, then operations under way */
    int64_t now;        /* time of the last event */
    uint32_t ready;     /* list of threads that can go on, 1 + thread */
    char *error;
    bool found; /* the error is a deadlock or damage; else something was refused */

    struct thread *threads;             /* by thread */
    struct thread_extra *thread_extras; /* by thread; NULL: each PE has one */
    struct rest *rests; /* by thread; NULL if no stage of an operation is an event */
    struct paths paths;

    struct operations operations;
    struct libraries *libraries; /* NULL if no message needs the library of a PE */
    struct interface *waiting;   /* by thread; NULL unless links are shared (CONTENTION_FAIR) */
    struct links links;
    struct open_operations *open; /* by PE: of the default context; NULL if no stage is an event */
    int64_t *served; /* by PE: when its next atomic can be served; NULL before the first one */
    struct table connected; /* pairs of PEs, if it matters which message is the first one */
    bool connects;          /* it does */
    struct table context_numbers;
    struct context_state *contexts;
    size_t context_room;

    struct set_state *sets; /* by number */
    size_t set_room;
    struct table lock_numbers;
    struct lock_state *locks;
    size_t lock_room;

    struct call_sum *sums;     /* by routine */
    struct call_sum **pe_sums; /* by routine, then PE; NULL where not called */
    uint64_t extrapolated;     /* calls whose cost is extrapolated from another number of PEs */
};

/* False on failure, with the reason in replay->error. Call replay_close() in both cases. */
bool replay_run(struct replay *, struct run *, const struct machine *,
                const struct replay_options *);
void replay_close(struct replay *);

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
/* The thread can go on; replay_wake: with what it is blocked in. */
void replay_make_ready(struct replay *, uint32_t thread);
void replay_wake(struct replay *, uint32_t thread);
/* The PE continues the path of the PE that it waited for. */
void replay_follow(struct replay *, uint32_t thread, int64_t compute, uint32_t hop);
/* Reports the error that something happens after LAST_TIME. */
void replay_too_late(struct replay *, uint32_t thread);
/* The operation that a blocked PE is in. */
struct step replay_blocked(const struct replay *, uint32_t thread);

/* The PE of a thread. */
static inline uint32_t replay_pe(const struct replay *replay, uint32_t thread)
{
    return (uint32_t)sim_run_pe(replay->run, (int)thread);
}

/* The thread that holds the state which the threads of a PE share. */
static inline struct thread *replay_home(const struct replay *replay, uint32_t thread)
{
    return &replay->threads[replay_pe(replay, thread)];
}

static inline int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The ordinal of the operation that a thread executes. */
static inline uint32_t replay_ordinal(const struct replay *replay, uint32_t thread)
{
    const struct stream *stream = &replay->streams.of[thread];
    return stream->made - (stream->count - stream->next) - 1;
}

/* The way between two PEs. */
static inline const struct way *replay_bus(const struct replay *replay, uint32_t from, uint32_t to)
{
    return sim_machine_way(replay->machine, replay->threads[from].node, replay->threads[to].node);
}

/* The first thread of the PE at which the lock of a call is. */
static inline uint32_t replay_lock_home(const struct replay *replay, const struct step *step)
{
    uint64_t offset = step->op->place & OP_MOST_BYTES; /* in the heap, or among static variables */
    uint64_t number = offset / sizeof(long);
    return replay->machine->locks_spread ? (uint32_t)(number % (uint64_t)replay->run->pes) : 0;
}

/* How long an atomic of a PE keeps another one busy; -1: as long as its bytes take. */
static inline int64_t replay_busy(const struct replay *replay, uint32_t from, uint32_t to)
{
    int64_t busy = replay_bus(replay, from, to)->atomic;
    return busy >= 0 ? busy
                     : sim_machine_kind(replay->machine, replay->threads[to].node)->way.atomic;
}

/* Whether a PE handles messages only inside its calls. */
static inline bool serves_inside(const struct replay *replay, uint32_t pe)
{
    return sim_machine_kind(replay->machine, (int)replay->threads[pe].node)->progress_inside;
}

/* ---- What is open in contexts (step.c) ---- */

/* A context that is not the default one. Valid until the next call. */
struct context_state *context_of(struct replay *, uint32_t thread, unsigned context);

/* Valid until the next call. */
static inline struct context_times *times_of(struct replay *replay, uint32_t thread,
                                             unsigned context)
{
    return __builtin_expect(context == 0, 1) ? &replay_home(replay, thread)->context
                                             : &context_of(replay, thread, context)->times;
}

/* What is under way in a context. Valid until the next call. */
struct open_operations *open_of(struct replay *, uint32_t thread, unsigned context);

/* An operation that was under way is over. */
void context_ends(struct replay *, const struct operation *);

/* Whether a call must wait for operations that are under way. The thread is then blocked until they
 * are over. */
bool context_blocks(struct replay *, uint32_t thread, const struct op *);

/* A fence: later puts and atomics in the context arrive no earlier than all before it. */
void context_fence(struct replay *, uint32_t thread, unsigned context);

/* When a caller knows of one more operation that it is complete, and when this is at its target, if
 * a fence orders it; 0: not known yet, or not ordered (ps). */
static inline void context_note(struct replay *replay, const struct operation *operation,
                                int64_t arrived, int64_t known)
{
    struct context_times *times = times_of(replay, operation->thread, operation->op.context);
    times->known = later(times->known, known);
    times->arrived = later(times->arrived, arrived);
}

/* The earliest arrival of what is put now (ps). */
static inline int64_t context_floor(struct replay *replay, const struct operation *operation)
{
    return times_of(replay, operation->thread, operation->op.context)->floor;
}

/* ---- Calls ---- */

/* In calls.c, together.c and locks.c: calls. A thread that is blocked then has another state than
 * THREAD_READY. */
void replay_operation(struct replay *, const struct step *); /* put, get, atomic */
void replay_quiet(struct replay *, const struct step *);
void replay_fence(struct replay *, const struct step *);
void replay_wait(struct replay *, const struct step *); /* also a loop of fetches */
void replay_together(struct replay *, const struct step *);
void replay_lock(struct replay *, const struct step *);
void replay_unlock(struct replay *, const struct step *);
void replay_try_lock(struct replay *, const struct step *);
/* The request of a set_lock has arrived at the PE of its lock. */
void replay_lock_arrives(struct replay *, uint32_t thread);
/* A thread goes on that is ready, and was blocked on an operation or a write. */
void replay_goes_on(struct replay *, uint32_t thread);
/* The thread for which a blocked thread waits: one that has not called the collective, or holds the
 * lock. */
int64_t replay_missing(const struct replay *, uint32_t thread);
int64_t replay_holder(const struct replay *, uint32_t thread);
/* A thread of a PE that has not ended, other than this one; -1: there is none. */
int64_t replay_other(const struct replay *, int64_t pe, int64_t thread);

/* ---- Puts, gets and atomics: what becomes of them (operations.c) ---- */

/* When a caller goes on, and how long it has waited (ps). */
struct departure {
    int64_t leaves, waited;
};

/* NULL if no message needs the library of a PE. */
struct libraries *libraries_open(const struct machine *, const struct model *, size_t pes);
void libraries_close(struct libraries *);

/* Makes the put, get or atomic of a call from `from` (ps) on; of a strided call that makes one for
 * each element, the first one of `times`. Leaves at UNKNOWN if the caller is blocked until then. */
struct departure sim_operation_make(struct replay *, const struct step *, int64_t from,
                                    uint64_t times);
/* How many operations a call makes, one after the other. */
uint64_t sim_operation_times(const struct replay *, const struct step *);
/* The next stage of an operation that is under way. */
void sim_operation_event(struct replay *, uint32_t number);
/* A PE computes from now on, for so long (ps): what collectives have left interrupts it. */
void sim_operation_computes(struct replay *, uint32_t pe, int64_t burst);
/* What messages have taken from the computing of a PE since this was asked last (ps). */
int64_t sim_operation_lost(struct replay *, uint32_t pe);
/* A fence: later puts of the context arrive after earlier ones. */
void sim_operation_fence(struct replay *, const struct step *);

/* Before a call: a library that serves others in this call serves what waits for that. True: the
 * thread is blocked until what the call completes is over. */
bool sim_operation_enter(struct replay *, uint32_t thread, const struct op *);
/* A thread has ended: the library of its PE serves others from now on. */
void sim_operation_last(struct replay *, uint32_t thread);

#endif
