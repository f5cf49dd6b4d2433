/*
 * The lock of each PE that others work under, of different kinds.
 */
#ifndef SKAMPI_MEASUREMENTS_IMAGE_LOCKS_H
#define SKAMPI_MEASUREMENTS_IMAGE_LOCKS_H

#include "measurements/common/mcs_lock.h"

#include <stddef.h>

enum protection {
    MCS_OF_TARGET,
    LIBRARY_OF_TARGET, /* a lock of the library for each PE: they are many on every PE */
    LIBRARY_OF_ALL,    /* one lock of the library */
    NO_LOCK
};

/* Symmetric, zeroed before the first use. */
struct image_locks {
    struct mcs_lock mcs;
    long library[]; /* by rank */
};

/* Bytes for a set of this number of PEs, a multiple of a cache line. */
size_t image_locks_bytes(int pes);

/* The lock of a rank, which is that PE. Any one PE, for one rank at a time. */
void image_lock_set(struct image_locks *locks, enum protection, int rank, int pe);
/* All that this PE has put on the default context is complete before. */
void image_lock_clear(struct image_locks *locks, enum protection, int rank, int pe);

#endif
