/*
 * The lock of each PE: an MCS lock, or locks of the library.
 */
#include "measurements/common/image_locks.h"

#include "engine/measurement.h"

size_t image_locks_bytes(int pes)
{
    size_t bytes = sizeof(struct image_locks) + (size_t)pes * sizeof(long);
    return (bytes + MCS_LINE - 1) / MCS_LINE * MCS_LINE;
}

#if SKAMPI_SHMEM

#include <shmem.h>

static long *library_lock(struct image_locks *locks, enum protection protection, int rank)
{
    return &locks->library[protection == LIBRARY_OF_ALL ? 0 : rank];
}

void image_lock_set(struct image_locks *locks, enum protection protection, int rank, int pe)
{
    if (protection == MCS_OF_TARGET)
        mcs_set(&locks->mcs, pe);
    else
        shmem_set_lock(library_lock(locks, protection, rank));
}

void image_lock_clear(struct image_locks *locks, enum protection protection, int rank, int pe)
{
    if (protection == MCS_OF_TARGET) {
        mcs_clear(&locks->mcs, pe);
        return;
    }
    shmem_quiet();
    shmem_clear_lock(library_lock(locks, protection, rank));
}

#endif
