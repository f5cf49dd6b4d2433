/*
 * Replays a run on a machine: what each PE does when, who waits for whom. Operations that nobody
 * else can notice are executed as soon as their PE is there; those whose result depends on the
 * order (atomics, locks, links that are busy) in the order of time, over all PEs. The result is
 * that of executing all in the order of time, without a queue of all. Where PEs answer only inside
 * calls (progress.h), all are in the queue.
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

#define LAST_TIME INT64_C(4000000000000000000) /* ps: 46 days; a sum of few fits behind it */

#define NODE_BITS 24
#define MOST_NODE ((UINT32_C(1) << NODE_BITS) - 1)

enum pe_state {
    PE_READY,
    PE_ORDERED, /* its next operation has its turn, and its burst is over */
    PE_TOGETHER,
    PE_WAITS,
    PE_LOCK,
    PE_MOVES, /* a transfer or request that it waits for is under way */
    PE_OPEN,  /* its next operation waits until none of a context is left */
    PE_TURN,  /* another thread of the PE must be through with the set before */
    PE_BEGIN, /* a further thread, which has not begun */
    PE_JOIN,  /* until other threads of the PE have ended */
    PE_ENDED
};

/* A line: a thread of a PE. What is open, and the interface, is that of the PE, in its first line.
 * There may be a million of them, and each operation reads several: what few runs need is kept
 * elsewhere. */
struct pe {
    int64_t time, compute, waiting; /* ps: waiting is a part of what is not computing */
    /* In the default context: when all is known to be complete, and when all is there. */
    int64_t known, arrived;
    int64_t interface;    /* when the next message can be sent */
    int64_t path_compute; /* computing on the path to where it is */
    uint32_t hop;         /* the path until it was last waited for */
    uint32_t next;        /* in the list that it is in, 1 + PE; 0: the last */
    uint32_t blocked_on;  /* set, slot, lock or context */
    uint32_t node : NODE_BITS;
    uint32_t state : 6;    /* enum pe_state */
    uint32_t fetched : 1;  /* the last OP_FETCHES waited */
    uint32_t threaded : 1; /* the PE has other threads */
};
_Static_assert(MACHINE_MOST_NODES <= 1 << NODE_BITS, "a node's number fits into struct pe");

/* What a line has where PEs have several. */
struct thread_state {
    int64_t idle;       /* of its time: until it began, and in PE_JOIN */
    uint32_t next_fork; /* of a first line: of those that it begins */
    uint32_t next_join; /* of a first line */
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
/* The same of one PE. */
struct pe_sum {
    uint64_t calls, moves[2];
    int64_t time;
    double bytes[2];
};

/* Requests not served (progress.h), or transfers not ended (contexts.h). */
struct open {
    uint32_t unordered, ordered; /* ordered: a fence waits for it */
    uint32_t peers;              /* that a quiet asks, 1 + the last one; 0: none */
};

struct replay {
    struct run *run;
    const struct machine *machine;
    const struct model *model;
    enum contention contention;
    bool per_pe;
    bool several; /* PEs are on several nodes */
    struct streams streams;
    struct waits waits;
    struct network network;
    struct progress *progress; /* NULL: nothing needs the library of its target */
    int64_t *answers_until;    /* by PE: the end of its last call that serves; NULL: likewise */
    int64_t *handled;       /* by PE: when its library has handled what has come; NULL: likewise */
    struct open *open;      /* by PE, of default contexts: as in struct context_state; NULL: the
                               ends of all are known when they begin */
    struct traffic traffic; /* with CONTENTION_FAIR */
    struct paths paths;
    struct queue queue;
    struct pe *pes;  /* by line */
    int64_t *floors; /* by PE: from when on what is put later, in the default context, may be
                        there; NULL: there was no fence */
    int64_t *served; /* by PE: when the next atomic on it can be; NULL: there was none */
    struct next_waits *next_waits;      /* by line; NULL: nobody waits */
    struct thread_state *thread_states; /* by line; NULL: each PE has one */
    uint32_t ready;                     /* list of lines that can go on, 1 + line */
    struct threads threads;             /* where PEs have several */
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
    struct context_state *contexts;
    size_t context_room;
    uint64_t executed;
    uint64_t extrapolated; /* calls whose cost is of another number of PEs than what was measured */
    char *error;
    bool found; /* the error is a finding, such as a deadlock, or damage; else something refused */
};

/* ---- For the parts of the replay ---- */

/* A line's operation, whose place in its stream has been passed. */
struct step {
    uint32_t pe; /* the line */
    const struct op *op;
    int64_t start; /* behind the burst */
};

/* Ends an operation: the PE goes on then, after waiting so long. */
void replay_finish(struct replay *, const struct step *, int64_t leaves, int64_t waited);
/* Likewise, of a PE that was blocked: it can go on. */
void replay_release(struct replay *, const struct step *, int64_t leaves, int64_t waited);
/* The PE can go on. */
void replay_make_ready(struct replay *, uint32_t pe);
/* Likewise, with an operation that it has not begun, but whose burst is over. */
void replay_retry(struct replay *, uint32_t pe);
/* The PE goes on because of that path. */
void replay_follow(struct replay *, uint32_t pe, int64_t compute, uint32_t hop);
/* Something happens after LAST_TIME, which is an error. */
void replay_too_late(struct replay *, uint32_t pe);
/* The operation that a blocked PE is in. */
struct step replay_blocked(const struct replay *, uint32_t pe);

/* The PE of a line. */
static inline uint32_t replay_pe(const struct replay *replay, uint32_t line)
{
    return (uint32_t)run_pe(replay->run, (int)line);
}

/* Where the state is that the threads of a PE share. */
static inline struct pe *replay_home(const struct replay *replay, uint32_t line)
{
    return &replay->pes[replay_pe(replay, line)];
}

/* When the next atomic on a PE can be served. */
int64_t *replay_served(struct replay *, uint32_t pe);

/* The ordinal of the operation that a line executes. */
static inline uint32_t replay_ordinal(const struct replay *replay, uint32_t line)
{
    const struct stream *stream = &replay->streams.of[line];
    return stream->made - (stream->count - stream->next) - 1;
}

/* What a call of a class costs between two PEs. */
static inline const struct way *replay_way(const struct replay *replay, uint32_t from, uint32_t to,
                                           enum cost_class class, uint64_t bytes)
{
    const struct way *way =
        machine_way(replay->machine, replay->pes[from].node, replay->pes[to].node);
    return way_of(way, class, bytes);
}

/* How long an atomic of a PE keeps another one busy; -1: as long as its bytes take. */
static inline int64_t replay_busy(const struct replay *replay, uint32_t from, uint32_t to)
{
    int node = replay->pes[to].node;
    int64_t busy = machine_way(replay->machine, replay->pes[from].node, node)->atomic;
    return busy >= 0 ? busy : machine_kind(replay->machine, node)->inside.atomic;
}

/* Whether the PEs of a node handle what comes only inside their calls. */
static inline bool serves_inside(const struct replay *replay, uint32_t pe)
{
    return machine_kind(replay->machine, replay->pes[pe].node)->progress == PROGRESS_INSIDE;
}

/* What is open in a context of a PE. */
struct context_state {
    int64_t known, arrived, floor;
    struct open open;
};

/* transfers.c: false: the PE is blocked. */
void replay_transfer(struct replay *, const struct step *);
bool replay_begin_transfer(struct replay *, const struct step *); /* with CONTENTION_FAIR */
bool replay_atomic(struct replay *, const struct step *);
bool replay_fetches(struct replay *, const struct step *);
void replay_quiet(struct replay *, const struct step *);
void replay_fence(struct replay *, const struct step *);
bool replay_wait(struct replay *, const struct step *);
/* A put, get or atomic whose target must serve it (request.h). */
bool replay_ask(struct replay *, const struct step *);
/* What is waited for has been written. */
void replay_arrive(struct replay *, uint32_t slot, int64_t arrival);
/* With CONTENTION_FAIR or progress: whether the operation completes transfers or requests of which
 * some have not ended; the PE is then blocked until they have. */
bool replay_is_open(struct replay *, uint32_t pe, const struct op *);
/* A transfer of traffic.h has ended. */
void replay_ended(struct replay *, const struct shipment *);
/* together.c, locks.c: likewise. */
bool replay_together(struct replay *, const struct step *);
bool replay_lock(struct replay *, const struct step *);
void replay_unlock(struct replay *, const struct step *);
void replay_try_lock(struct replay *, const struct step *);
/* Whom a blocked line waits for: one that has not come, or holds the lock. */
int64_t replay_missing(const struct replay *, uint32_t pe);
int64_t replay_holder(const struct replay *, uint32_t pe);
/* deadlock.c: the text of the error, when PEs are left that wait. */
char *replay_deadlock(const struct replay *);

#endif
