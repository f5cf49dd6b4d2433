/*
 * What the kernels share: parts of applications that are measured step by step, with the share of
 * communication in a step.
 *
 * A kernel is a struct kernel, the variant of its descriptors, and a state that begins with struct
 * kernel_state. Each repetition begins with data of its own, so that what an earlier one left
 * cannot pass for what this one had to move.
 */
#ifndef SKAMPI_MEASUREMENTS_KERNEL_H
#define SKAMPI_MEASUREMENTS_KERNEL_H

#include "measurements/common/shapes.h"

struct kernel {
    /* Untimed, before each repetition: this round's data. */
    void (*begin)(struct run *);
    void (*step)(struct run *);
    /* The step without what communicates, for those of which single operations are too short to
     * read the timer around them; else NULL. */
    void (*compute)(struct run *);
    /* What is reported: the time between kernel_communicate() and kernel_compute(), not that of the
     * complete step. */
    bool communication;
    const void *what; /* of the family */
};

struct kernel_state {
    int start, log_stride; /* of the active set */
    bool world;            /* that are all PEs of the job */
    long turn;             /* collective calls so far */
    uint64_t round;        /* repetitions so far: each has data of its own */
    bool timed;            /* the parts of a step */
    struct apart apart;
};

/* Bytes at the beginning of run->scratch that belong to the functions below. */
size_t kernel_scratch(void);

/* The most that a check of data computes, in simple operations: some tenths of a second. */
#define KERNEL_MOST_CHECKED 1e8

/* ---- Hooks and what they call; all members ---- */

void kernel_set_up(struct run *);
/* Subtracted where the kernel has a compute(): a step without communication. */
double kernel_computation(struct run *);

/* Of this round, for a rank or whatever else has data of its own. */
uint64_t kernel_key(const struct run *, int tag);

/* Around what a step communicates. */
void kernel_communicate(struct run *);
void kernel_compute(struct run *);

/* Collectives of the set, by the library; target and source are symmetric. The work memory is two
 * arrays of collective_work_elements(), which consecutive calls use in turn. */
void kernel_barrier(struct run *);
void kernel_sum_doubles(struct run *, double *target, double *source, int elements, double *work);
void kernel_sum_longs(struct run *, long *target, long *source, int elements, long *work);
void kernel_alltoall(struct run *, long *target, const long *source, size_t elements);

/* What kernels are like. */
extern const struct measurement kernel_common;

#endif
