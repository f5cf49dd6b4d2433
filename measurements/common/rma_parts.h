/*
 * Put, get and their relatives, taken apart: what the tables in rma.c and rma_elements.c share. A
 * function is a routine, in a shape, of which a part is timed.
 */
#ifndef SKAMPI_MEASUREMENTS_RMA_PARTS_H
#define SKAMPI_MEASUREMENTS_RMA_PARTS_H

#include "measurements/common/shapes.h"

/* What is timed where the timer is read inside the loop; both: RMA_POSTS | RMA_QUIETS. */
enum { RMA_POSTS = 1, RMA_QUIETS = 2 };

/* A static object has a size that no argument can change. */
#define RMA_STATIC_BYTES 65536

struct rma {
    enum shape shape;
    unsigned timed_inside;
    bool static_object; /* on the other side, instead of memory from the symmetric heap */
    bool user_context;
};

/* ---- What functions are like ---- */

/* The parts of an operation: what is run, what is taken off. The function's word is the routine's
 * name without "shmem_": "put_nbi"; single elements are "p" and "g". */
extern const struct measurement rma_blocking; /* the calls, nothing after them */
extern const struct measurement rma_full;     /* each call and a quiet */
extern const struct measurement
    rma_until_complete;                    /* rma_full, less a quiet with nothing to complete */
extern const struct measurement rma_post;  /* the calls, with untimed quiets between bursts */
extern const struct measurement rma_quiet; /* each call and a quiet, less the call */
extern const struct measurement rma_quiet_delayed; /* with a computation in between */
extern const struct measurement rma_overlap; /* post, computation and quiet, less the computation */
/* Without a cost formula, for what also depends on what the target is doing. */
extern const struct measurement rma_blocking_of_target, rma_full_of_target;
/* What all parts are like. */
extern const struct measurement rma_common;

/* Which ranks act, with blocks of bytes. */
extern const struct measurement rma_ring, rma_pair, rma_single;

/* ---- Descriptor hooks for further parts ---- */

bool rma_set_up(struct run *);
bool rma_set_up_pause(struct run *); /* for parts with a computation */
double rma_run_timed_inside(struct run *);

#endif
