/*
 * Who exchanges what with whom in which step, in collectives that are made of one-sided operations.
 * Pure: nothing here communicates. made.c carries the steps out; tests/unit/test_made_plan.c does
 * so without a library.
 *
 * A collective works on a vector of elements in the target of each rank: the data of a broadcast,
 * the blocks of all ranks of a collect, the sums of a reduction. Each rank goes through its steps
 * in their order. A step sends a range of the vector to one rank, or waits for a range from one.
 *
 * A message goes into the same range of the receiver's target, or to a landing place from where
 * the receiver adds it. Behind it, the sender writes the message's number to a word of the receiver
 * that nobody else writes to. Numbers only grow, over all calls: nothing is ever reset, and a
 * sender that is ahead does no harm.
 *
 *  - Landing places exist twice, for calls in turns. No rank gets further ahead than one call where
 *    they are used, since a reduction ends for nobody before all have begun it.
 *  - A message with a permission may come before the receiver has entered the call, or while it
 *    still works on the one before. If the caller cannot promise that targets are free, the sender
 *    must wait until the receiver has written the number of the call to the sender's word
 *    `permission`, which it does for all its senders when it enters.
 *
 * Numbers of ranks that are no power of two: recursive doubling, and reduce-scatter + allgather,
 * leave out each odd one of the first 2 (n - p) ranks, p being the largest power of two up to n. It
 * gives its data to the rank before it, and gets the result from there. The other algorithms take
 * any number.
 */
#ifndef SKAMPI_MEASUREMENTS_MADE_PLAN_H
#define SKAMPI_MEASUREMENTS_MADE_PLAN_H

#include <stdbool.h>
#include <stddef.h>

enum made_collective { MADE_BARRIER, MADE_BROADCAST, MADE_COLLECT, MADE_REDUCE, MADE_COLLECTIVES };

enum made_algorithm {
    MADE_FLAT,
    MADE_BINOMIAL,
    MADE_DOUBLING,
    MADE_DISSEMINATION,
    MADE_SCATTER_ALLGATHER, /* reduction: reduce-scatter + allgather */
    MADE_RING,
    MADE_ALGORITHMS
};

struct made_task {
    enum made_collective collective;
    enum made_algorithm algorithm;
    int size;        /* ranks */
    int root;        /* of a broadcast, else 0 */
    size_t elements; /* collect: of a rank's block */
    size_t segment;  /* ring: elements of a message at most; 0: any number */
};

struct made_range {
    size_t first, count; /* elements of the vector */
};

struct made_step {
    bool sends;
    int rank; /* to which it sends, or from which it receives */
    struct made_range range;
    bool adds;      /* the message lands, and is added to the range */
    size_t landing; /* element at which it lands */
    int word;       /* of the receiver */
    long number;    /* within the call, from 1 on */
    int permission; /* word of the sender; -1: needs none */
};

struct made_plan {
    struct made_step *steps;
    size_t count;
};

/* What the memory of each rank must hold. */
struct made_needs {
    size_t landing; /* elements, for one call */
    int words;      /* for numbers of messages, and as many for permissions */
    long numbers;   /* that a call uses up in each word */
};

/* Pieces of a ring above which a task is refused: each takes some steps in memory. */
#define MADE_MOST_PIECES 65536

/* As scripts name them; NULL: the collective has no such algorithm. */
const char *made_name(enum made_collective, enum made_algorithm);
/* MADE_ALGORITHMS: none has that name. */
enum made_algorithm made_find(enum made_collective, const char *name);

/* Elements of the vector. */
size_t made_vector(const struct made_task *);
size_t made_pieces(const struct made_task *);
struct made_needs made_needs(const struct made_task *);

/* The steps of a rank; the caller frees them. */
struct made_plan made_plan(const struct made_task *, int rank);

#endif
