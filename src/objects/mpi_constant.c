/* MPI's integer constants, with values for a build without MPI. */
#include "objects/mpi_constant.h"

#include <stdlib.h>
#include <string.h>

#if SKAMPI_MPI
#include <mpi.h>
#endif

#define CONSTANTS(CONSTANT)                                                                        \
    CONSTANT(MPI_MODE_NOCHECK, 1)                                                                  \
    CONSTANT(MPI_MODE_NOPRECEDE, 2)                                                                \
    CONSTANT(MPI_MODE_NOPUT, 4)                                                                    \
    CONSTANT(MPI_MODE_NOSTORE, 8)                                                                  \
    CONSTANT(MPI_MODE_NOSUCCEED, 16)                                                               \
    CONSTANT(MPI_LOCK_EXCLUSIVE, 1)                                                                \
    CONSTANT(MPI_LOCK_SHARED, 2)                                                                   \
    CONSTANT(MPI_MODE_APPEND, 128)                                                                 \
    CONSTANT(MPI_MODE_CREATE, 1)                                                                   \
    CONSTANT(MPI_MODE_DELETE_ON_CLOSE, 16)                                                         \
    CONSTANT(MPI_MODE_EXCL, 64)                                                                    \
    CONSTANT(MPI_MODE_RDONLY, 2)                                                                   \
    CONSTANT(MPI_MODE_RDWR, 8)                                                                     \
    CONSTANT(MPI_MODE_SEQUENTIAL, 256)                                                             \
    CONSTANT(MPI_MODE_UNIQUE_OPEN, 32)                                                             \
    CONSTANT(MPI_MODE_WRONLY, 4)                                                                   \
    CONSTANT(MPI_DISTRIBUTE_BLOCK, 0)                                                              \
    CONSTANT(MPI_DISTRIBUTE_CYCLIC, 1)                                                             \
    CONSTANT(MPI_DISTRIBUTE_NONE, 2)                                                               \
    CONSTANT(MPI_DISTRIBUTE_DFLT_DARG, -1)

static const struct integer {
    const char *name;
    int64_t value;
} integers[] = {
#if SKAMPI_MPI
#define CONSTANT(name, without) {#name, name},
#else
#define CONSTANT(name, without) {#name, without},
#endif
    CONSTANTS(CONSTANT)};

const char *mpi_constant_at(size_t i, int64_t *value)
{
    if (i >= sizeof integers / sizeof *integers)
        return NULL;
    *value = integers[i].value;
    return integers[i].name;
}

int64_t mpi_constant(const char *name)
{
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        if (strcmp(integers[i].name, name) == 0)
            return integers[i].value;
    abort();
}
