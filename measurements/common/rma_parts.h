/*
 * Put, get and their relatives, taken apart: what the tables in rma.c and rma_elements.c share. A
 * function is a routine, in a shape, of which a part is timed.
 */
#ifndef SKAMPI_MEASUREMENTS_RMA_PARTS_H
#define SKAMPI_MEASUREMENTS_RMA_PARTS_H

#include "measurements/common/shapes.h"

enum rma_routine {
    RMA_PUT,
    RMA_PUT_NBI,
    RMA_GET,
    RMA_GET_NBI,
    RMA_P,
    RMA_G,
    RMA_IPUT,
    RMA_IGET,
    RMA_PUT_SIGNAL,
    RMA_PUT_SIGNAL_NBI
};

/* What is timed where the timer is read inside the loop; both: RMA_POSTS | RMA_QUIETS. */
enum { RMA_POSTS = 1, RMA_QUIETS = 2 };

/* A static object has a size that no argument can change. */
#define RMA_STATIC_BYTES 65536

struct rma {
    enum rma_routine routine;
    enum shape shape;
    unsigned timed_inside;
    bool static_object; /* on the other side, instead of memory from the symmetric heap */
};

struct rma_state {
    struct partner partner;
    int *pes;     /* the partner's targets */
    double pause; /* seconds of computation between post and quiet */
};

/* Descriptor hooks. */
const char *rma_check(const struct measurement *, const struct argument *, const struct pe_set *);
void rma_demand(const struct measurement *, const struct argument *, int pes, struct demand *);

bool rma_set_up(struct run *);
bool rma_set_up_pause(struct run *); /* for parts with a computation */
void rma_tear_down(struct run *);
void rma_fill(struct run *);
bool rma_verify(struct run *);

double rma_run_blocking(struct run *); /* the calls, nothing after them */
double rma_run_full(struct run *);     /* each call and a quiet */
double rma_run_post(struct run *);     /* the calls, with untimed quiets between bursts */
double rma_run_paused(struct run *);   /* call, computation and quiet, less the computation */
double rma_run_timed_inside(struct run *);

double rma_empty_quiet(struct run *);
double rma_post_alone(struct run *); /* and what follows it up to its quiet */
double rma_pause_alone(struct run *);

/* ---- Pieces of descriptors ---- */

#define RMA(what, where)                                                                           \
    .variant = &(const struct rma)                                                                 \
    {                                                                                              \
        .routine = what, .shape = where                                                            \
    }
#define RMA_STATIC(what)                                                                           \
    .variant = &(const struct rma)                                                                 \
    {                                                                                              \
        .routine = what, .shape = SHAPE_RING, .static_object = true                                \
    }
#define RMA_COMMON                                                                                 \
    .api = API_OPENSHMEM, .check = rma_check, .demand = rma_demand,                                \
    .state_bytes = sizeof(struct rma_state), .teardown = WITH_SHMEM(rma_tear_down),                \
    .fill = WITH_SHMEM(rma_fill), .verify = WITH_SHMEM(rma_verify)

/* Of blocks of bytes. */
#define FOR_ALL .parameters = {COUNT_BYTES, ITERATIONS}, .who = "all"
#define FOR_PAIR .parameters = {COUNT_BYTES, ITERATIONS}, .who = "rank 0", .minimum_pes = 2
#define FOR_SINGLE .parameters = {COUNT_BYTES, ITERATIONS, THE_RANK}, .who = "therank"

/* The parts of an operation, whose name in the texts is given: what is run, what is taken off. */
/* Without a cost formula, for what also depends on what the target is doing. */
#define BLOCKING_OF_TARGET(op)                                                                     \
    .moves = MOVES_MESSAGE, .setup = WITH_SHMEM(rma_set_up), .run = WITH_SHMEM(rma_run_blocking),  \
    .timing = TIMING_WHOLE, .timed = op
#define FULL_OF_TARGET(op)                                                                         \
    .moves = MOVES_MESSAGE, .setup = WITH_SHMEM(rma_set_up), .run = WITH_SHMEM(rma_run_full),      \
    .timing = TIMING_WHOLE, .timed = op " + quiet"
#define BLOCKING(op) BLOCKING_OF_TARGET(op), .cost = "post + wire"
#define FULL(op) FULL_OF_TARGET(op), .cost = "post + wire + quiet"
#define MINUS_QUIET(op)                                                                            \
    .timing = TIMING_PARTS, .moves = MOVES_MESSAGE, .setup = WITH_SHMEM(rma_set_up),               \
    .run = WITH_SHMEM(rma_run_full), .timed = op " + quiet",                                       \
    .reference = WITH_SHMEM(rma_empty_quiet), .subtracted = "an empty quiet",                      \
    .cost = "post + wire"
#define POST(op)                                                                                   \
    .timing = TIMING_PARTS, .moves = MOVES_NOTHING, .setup = WITH_SHMEM(rma_set_up),               \
    .run = WITH_SHMEM(rma_run_post), .timed = op "; quiet untimed", .cost = "post"
#define QUIET(op)                                                                                  \
    .timing = TIMING_PARTS, .moves = MOVES_NOTHING, .setup = WITH_SHMEM(rma_set_up),               \
    .run = WITH_SHMEM(rma_run_full), .timed = op " + quiet",                                       \
    .reference = WITH_SHMEM(rma_post_alone),                                                       \
    .subtracted = "the post, with nothing outstanding before it", .cost = "wire + quiet"
#define QUIET_DELAYED(op)                                                                          \
    .timing = TIMING_PARTS, .moves = MOVES_NOTHING, .setup = WITH_SHMEM(rma_set_up_pause),         \
    .run = WITH_SHMEM(rma_run_paused),                                                             \
    .timed = op " + computation of twice the full operation + quiet",                              \
    .reference = WITH_SHMEM(rma_post_alone),                                                       \
    .subtracted =                                                                                  \
        "the computation's measured length, and the post, with nothing outstanding before it",     \
    .cost = "hidden + quiet"
#define OVERLAP(op)                                                                                \
    .timing = TIMING_PARTS, .moves = MOVES_NOTHING, .setup = WITH_SHMEM(rma_set_up_pause),         \
    .run = WITH_SHMEM(rma_run_paused),                                                             \
    .timed = op " + computation of twice the full operation + quiet",                              \
    .reference = WITH_SHMEM(rma_pause_alone), .subtracted = "the computation's measured length",   \
    .cost = "post + hidden + quiet"

/* Parts of a non-blocking put for which the timer is read inside the loop, which no cost formula
 * knows: what is timed, and the set-up, with a computation or without. */
#define TIMED_INSIDE(what, prepare)                                                                \
    .timing = TIMING_PARTS, .setup = WITH_SHMEM(prepare), .run = WITH_SHMEM(rma_run_timed_inside), \
    .variant = &(const struct rma)                                                                 \
    {                                                                                              \
        .routine = RMA_PUT_NBI, .shape = SHAPE_RING, .timed_inside = (what)                        \
    }

#endif
