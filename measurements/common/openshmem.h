/*
 * The OpenSHMEM library, and every test of its version: what a later version brought is compiled
 * where it is there, and is listed as unsupported, with the version that it needs, where it is not.
 */
#ifndef SKAMPI_MEASUREMENTS_OPENSHMEM_H
#define SKAMPI_MEASUREMENTS_OPENSHMEM_H

#include "engine/measurement.h"

#if SKAMPI_SHMEM
#include <shmem.h>
#define SKAMPI_SHMEM_1_5                                                                           \
    (SHMEM_MAJOR_VERSION > 1 || (SHMEM_MAJOR_VERSION == 1 && SHMEM_MINOR_VERSION >= 5))
#else
#define SKAMPI_SHMEM_1_5 0
#endif

/* In a descriptor: the version that the function needs, with or without the API, and its hooks. */
#define SINCE_1_5 .version_major = 1, .version_minor = 5
#define API_OPENSHMEM_1_5 .api = API_OPENSHMEM, SINCE_1_5
#if SKAMPI_SHMEM_1_5
#define WITH_SHMEM_1_5(hook) (hook)
#else
#define WITH_SHMEM_1_5(hook) NULL
#endif

/* Why a set cannot allocate symmetric memory; NULL: it can, since it has all PEs of the job. */
static inline const char *memory_refusal(const struct run *run)
{
    bool world = measurement_pes() == 0 || run->size == measurement_pes();
    return !SKAMPI_SHMEM || world
               ? NULL
               : "symmetric memory is allocated and freed by all PEs of the job together: "
                 "measure it on MPI_COMM_WORLD";
}

#endif
