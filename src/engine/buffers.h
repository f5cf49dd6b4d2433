/*
 * The blocks of memory that a measurement's buffers are cut from. All PEs have equal blocks.
 */
#ifndef SKAMPI_ENGINE_BUFFERS_H
#define SKAMPI_ENGINE_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/measurement.h"

struct buffer_block {
    unsigned char *memory; /* NULL: none yet */
    size_t bytes;
    enum placement placement;
    int node; /* NUMA node, for PLACEMENT_NODE */
    /* Of the measurement in progress: places, how far apart they are, and the first */
    size_t places, stride;
    unsigned char *first;
};

struct buffers {
    struct buffer_block local, remote, scratch;
    /* The measurement in progress */
    size_t turn;
    bool cold;  /* places follow each other within a repetition, and are flushed before it */
    bool fixed; /* all repetitions use the first place */
};

/* These ask for the function, the settings and the demand of a run. */

/* What set_skampi_buffer() must be at least for the demand to fit; SIZE_MAX: nothing is enough.
 * OpenSHMEM: the source alone counts. MPI: SKaMPI 5's rule, by which both buffers and what their
 * alignment may cost lie in one block of the buffer's size and 8 times the least common multiple of
 * the alignments; twice, when it cycles. */
size_t buffers_need(const struct run *);
/* Bytes of symmetric memory on each PE that the blocks of a measurement take together. */
size_t buffers_bytes(const struct run *);
/* NULL, or why the function cannot have its buffers where set_buffer_placement() wants them. The
 * same on all PEs. */
const char *buffers_refusal(const struct run *);
/* Makes the blocks large enough; collective over the world. Together they take at most limit bytes
 * (0: any number), which the demand fits. NULL, or why there are no blocks, on all PEs: "" when
 * symmetric memory is short. */
const char *buffers_prepare(struct buffers *, const struct run *, size_t limit);
/* Starts a measurement at the first place; pure. Cold: the iterations of one repetition use as
 * many places as the blocks have room for. */
void buffers_begin(struct buffers *, const struct run *);
/* The next place, for run->local and run->remote. */
void buffers_next(struct buffers *, struct run *);
/* Flushes the places that a repetition of this many iterations uses from the caches of all
 * processors. */
void buffers_flush(const struct buffers *, const struct run *, size_t iterations);
/* Iterations for which a repetition has fresh memory. */
size_t buffers_cold_places(const struct buffers *, const struct demand *);
void buffers_free(struct buffers *);
/* The place of that turn, without taking it. */
void buffers_at(const struct buffers *, struct run *, size_t turn);
/* The number of different places that follow each other when they are warm. */
size_t buffers_warm_places(const struct buffers *);
/* Bytes before and after each place that belong to no other place. */
#define BUFFER_GUARD 64
/* Address rule: the lowest one at or above address that is a multiple of alignment but not of
 * twice the alignment. */
uintptr_t buffers_align(uintptr_t address, size_t alignment);

#endif
