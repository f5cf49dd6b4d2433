/*
 * Non-blocking collectives of MPI taken apart: the post, the wait after it, both together, and the
 * part that is not overlapped by computation, without and with calls that let the library progress.
 * One operation at a time, all ranks starting together.
 */
#include "measurements/common/mpi_call.h"

#define PARTS(name, iname, major, minor, moved, what, ...)                                         \
    MPI_NONBLOCKING_PARTS(#iname, mpi_##name, MPI_SINCE(3, 0), moved, what, __VA_ARGS__),

#define WITHOUT_DATA MPI_SINCE(3, 0), .no_data = true, .synchronizes = true

/* clang-format off */
const struct measurement measurements_mpi_nonblocking[] = {
    MPI_NONBLOCKING_PARTS("Ibarrier", mpi_Barrier, WITHOUT_DATA, MOVES_NOTHING, "barrier", ),
    MPI_COLLECTIVES(PARTS)
    {.name = NULL},
};
/* clang-format on */
