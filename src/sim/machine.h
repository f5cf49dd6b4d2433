/*
 * The machine that a run is predicted for: nodes, buses between them, and which PE is where. Read
 * from a text file (docs/tools/shmemsim.md). Times are picoseconds in integers, so that sums are
 * exact and do not depend on the order of events.
 */
#ifndef SKAMPI_SIM_MACHINE_H
#define SKAMPI_SIM_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PS_PER_SECOND 1e12
#define MACHINE_MOST_BUSES 64
#define MACHINE_MOST_NODES (1 << 20)
#define MACHINE_MOST_LINKS 1024 /* of a node or a bus */

/* Calls whose cost a description may state; those that are messages first. */
enum cost_class {
    COST_PUT,
    COST_GET,
    COST_PUT_NBI,
    COST_GET_NBI,
    COST_ATOMIC, /* and locks that have no costs of their own */
    COST_LOCK,
    COST_UNLOCK,
    COST_LOCK_HELD, /* the least cost of a set_lock that has to wait */
    COST_HAND_OVER, /* from a clear_lock until the set_lock of the next in the queue returns */
    COST_CONNECT,   /* what the first put, get or atomic to a PE takes more */
    COST_MESSAGES,
    COST_QUIET = COST_MESSAGES, /* which have an overhead alone */
    COST_FENCE,
    COST_WAIT,
    COST_CLASSES
};
extern const char *const cost_names[COST_CLASSES];

/* The way of data from one PE to another: a bus, or the inside of a node. Also the costs there of
 * one class of calls and sizes. */
struct way {
    int64_t latency;  /* ps, one way */
    int64_t overhead; /* ps of the caller's processor for each call */
    int64_t gap;      /* ps between the beginnings of two messages of a PE */
    int64_t receive;  /* ps that the target's library needs per message; part of the latency */
    int64_t answer; /* ps that the caller's library needs per answer; part of the latency of the way
                       back */
    int64_t interrupt;       /* ps that a message takes from a PE that computes at either end */
    int64_t first_interrupt; /* ps that the first one during a burst takes more */
    int64_t atomic;  /* ps that an atomic that comes this way keeps its target busy. -1 of a bus: as
                        the target's node says; -1 of a node: as long as the bytes take. Not used in
                        classes */
    double per_byte; /* ps */
    uint64_t header; /* bytes that keep the interface of a sender busy for each message, request or
                        answer besides its data. Not used in classes */
    bool round_trip; /* the latency is that of both ways, as gets and atomics measure it */
    /* Of a bus or node: each element of a strided put or get goes by itself, not all as one
     * message; a quiet that has to wait first sends a message to each PE, to ask whether everything
     * has arrived. */
    bool iput_each, iget_each, asks;
    struct costs
        *costs; /* of classes of calls; NULL if all classes cost what the way itself says */
};

/* The costs of calls with at least this many bytes, up to the next piece. */
struct cost_pieces {
    struct cost_piece {
        uint64_t from;
        struct way way; /* without costs */
    } * of;             /* ascending, the first from 0 */
    size_t count;
};
struct costs {
    struct cost_pieces of[COST_CLASSES]; /* empty where a class is not described */
};

/* What carries data: a bus, or nodes of a kind, which one description stands for. */
struct medium {
    char *name;
    struct way way; /* of a bus, or inside a node */
    /* Of a bus: */
    int lanes;    /* transfers at a time; 0: any number */
    double total; /* ps per byte of all transfers together; 0 without limit */
    /* Of nodes: */
    double ratio;         /* speed of its cores: a burst of the trace takes 1 / ratio of its time */
    uint64_t buses;       /* bits of the buses to which it is connected */
    int first, count;     /* numbers of these nodes */
    int cores;            /* PEs that a node can have; 0: any number */
    bool progress_inside; /* PEs serve gets and atomics of others only inside their calls */
    int in_links, out_links; /* transfers at a time; 0: any number */
};

/* How the time of a collective grows with the number of PEs: in steps, each of which costs a
 * message, or as measured. */
enum shape { SHAPE_LINEAR, SHAPE_LOGARITHMIC, SHAPE_FACTOR, SHAPE_TABLE };

/* Measured times by PEs and bytes: the latency of the way is the time of the whole collective. */
struct time_row {
    int pes;
    struct cost_pieces pieces;
};
struct time_table {
    struct time_row *rows; /* ascending; the last one has 2 PEs or more */
    size_t count;
    enum shape beyond; /* how times grow with PEs outside the rows: linear or logarithmic */
};

enum collective {
    COLLECTIVE_BARRIER, /* and sync, and what creates or ends teams */
    COLLECTIVE_BROADCAST,
    COLLECTIVE_REDUCE,
    COLLECTIVE_COLLECT, /* of any sizes, which libraries exchange first */
    COLLECTIVE_FCOLLECT,
    COLLECTIVE_ALLTOALL,
    COLLECTIVES
};
extern const char *const sim_collective_names[COLLECTIVES];

struct collective_rule {
    enum shape shape;
    double factor;                  /* steps for each PE, of SHAPE_FACTOR */
    const struct time_table *table; /* of SHAPE_TABLE */
    bool named;                     /* by a statement of its own */
};

enum placement { PLACE_ROUND_ROBIN, PLACE_BLOCKS, PLACE_LIST };

/* A number of the description with an error: "latency 995 ps +- 790 %". The error may also stand in
 * a comment after the number. */
struct uncertainty {
    char *text;      /* "FILE:LINE: latency 995 ps +- 790 %" */
    double relative; /* half of the interval over the number; infinite if the number is 0 */
};

/* Which of the uncertain numbers are taken at an end of their intervals, either the end that makes
 * communication longer, or the other one. */
struct variation {
    bool longer;
    double below; /* numbers with a smaller relative error */
    size_t only;  /* the only number that varies; SIZE_MAX for all these */
};

struct machine {
    struct medium *buses, *kinds;
    size_t bus_count, kind_count;
    int nodes;
    struct collective_rule collectives[COLLECTIVES];
    struct time_table **tables; /* all tables, also those that a later statement replaced */
    size_t table_count;
    bool locks_spread;     /* locks are at all PEs; else all are at PE 0 */
    bool unlock_overtakes; /* clear_lock does not wait for what is open in the default context */
    enum placement placement;
    int *list; /* the node of each PE */
    size_t list_count;
    struct uncertainty *uncertain;
    size_t uncertain_count;
    struct model_error { /* run times that a model predicts lie within a factor of 1 + share, in 95
                            % */
        char *model;
        bool threads; /* of runs in which PEs have several threads */
        double share;
    } * model_errors;
    size_t model_error_count;
    bool has_overhead; /* the description gives an overhead, which loggp needs */
};

/* Reads a description, with the numbers of variation (NULL: as described). NULL after errors;
 * *error, which the caller frees, then has one line for each, with place and remedy. */
struct machine *sim_machine_read(const char *path, const struct variation *variation, char **error);
void sim_machine_free(struct machine *);

/* The kind of a node. O(log kinds). */
const struct medium *sim_machine_kind(const struct machine *, int node);
/* The bus between two nodes; NULL: both are the same node, which has its inside. Every two nodes
 * have one (sim_machine_read refuses others). */
const struct medium *sim_machine_bus(const struct machine *, int from, int to);
static inline const struct way *sim_machine_way(const struct machine *machine, int from, int to)
{
    const struct medium *bus = sim_machine_bus(machine, from, to);
    return bus ? &bus->way : &sim_machine_kind(machine, from)->way;
}

/* What any bus or kind of nodes has. */
struct sim_machine_has {
    bool receiving; /* libraries need time for messages of others or for answers, or a quiet asks */
    bool asking;    /* a quiet asks */
    bool connecting; /* a first call between two PEs takes longer */
    bool inside;     /* PEs serve others only inside their calls */
};
struct sim_machine_has sim_machine_has(const struct machine *);
static inline bool way_interrupts(const struct way *way)
{
    return way->interrupt > 0 || way->first_interrupt > 0;
}

void costs_free(struct way *);
const struct way *cost_piece(const struct cost_pieces *, uint64_t bytes);
static inline bool way_has(const struct way *way, enum cost_class class)
{
    return way->costs && way->costs->of[class].count;
}
/* What holds on a way for a class: the way itself if the class is not described. */
static inline const struct way *way_of(const struct way *way, enum cost_class class, uint64_t bytes)
{
    return way_has(way, class) ? cost_piece(&way->costs->of[class], bytes) : way;
}
/* What a way says about one of the classes that have a latency alone, COST_HAND_OVER and
 * COST_CONNECT: ps; -1 if it is not described. */
static inline int64_t way_latency(const struct way *way, enum cost_class class)
{
    return way_has(way, class) ? way->costs->of[class].of->way.latency : -1;
}
/* What a quiet, fence or wait takes itself on a node: the most that its inside says, or, if the run
 * is on several nodes, its inside and its buses; 0 where nothing is said. */
int64_t sim_machine_own(const struct machine *, int node, bool several, enum cost_class);

/* Puts PEs on nodes: node of each in nodes. NULL, or why that cannot be, to be freed. */
char *sim_machine_place(const struct machine *, int pes, int *nodes);

/* platform.c: writes the machine, whose description is at path, as a platform of SimGrid, XML of
 * version 4.1. The caller checks the stream for errors (ferror). O(nodes + kinds^2). */
void platform_write(FILE *, const struct machine *, const char *path);

#endif
