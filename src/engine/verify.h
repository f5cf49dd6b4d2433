/*
 * Whether the data are right, and what surrounds them is untouched. All members of the set call
 * these.
 */
#ifndef SKAMPI_ENGINE_VERIFY_H
#define SKAMPI_ENGINE_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/buffers.h"

struct verification {
    struct run *run;
    const struct buffers *buffers;
    uint64_t seed;  /* of the last data that were made, the same on all members */
    double seconds; /* that data and their checks took */
    bool filling;   /* the next repetition's memory gets data of its own before it begins */
    size_t filled;  /* turns of the buffers before this one have data */
};

/* Whether the function has data that are verified. */
bool verify_has(const struct measurement *);
/* A new measurement begins; on all PEs, also outside the set. */
void verify_restart(struct verification *);

/* Around a repetition: its memory gets data of its own, which are checked after it. */
void verify_begin(struct verification *);
void verify_end(struct verification *);
/* The memory that a repetition in progress is to use gets its data; nobody may begin before all
 * have them. False where nothing had to be done. */
bool verify_fill(struct verification *);
/* Data and guards for the places of the next repetitions, and their check after the last one. */
void verify_fill_ahead(struct verification *, size_t repetitions);
void verify_last(struct verification *);

#endif
