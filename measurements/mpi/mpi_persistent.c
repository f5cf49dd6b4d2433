/*
 * Persistent collectives of MPI 4: made once, started again and again. They work in the same memory
 * in all repetitions.
 */
#include "measurements/common/mpi_call.h"

#define PART(name, part, what, since, ...)                                                         \
    {                                                                                              \
#name "_Persistent_" part, what, since, MPI_USE(&mpi_##name, .form = MPI_PERSISTENT),      \
            .one_place = true, __VA_ARGS__                                                         \
    }
#define PARTS(name, iname, major, minor, moved, what, ...)                                         \
    PARTS_SINCE(name, MPI_SINCE(4, 0), moved, what, __VA_ARGS__)
#define PARTS_SINCE(name, since, moved, what, ...)                                                 \
    PART(name, "Init", what ", persistent: creating the request", since, MPI_COLLECTIVE,           \
         .timing = TIMING_WHOLE, .moves = MOVES_NOTHING,                                           \
         .run = WITH_MPI(mpi_collective_init_alone), .parameters = {__VA_ARGS__},                  \
         .routine = "MPI_" #name "_init", .timed = "MPI_" #name "_init"),                          \
        PART(name, "Start", what ", persistent: the start alone, always in the same memory",       \
             since, MPI_COLLECTIVE, .timing = TIMING_PARTS, .moves = MOVES_NOTHING,                \
             .run = WITH_MPI(mpi_collective_start_alone), .parameters = {__VA_ARGS__},             \
             .routine = "MPI_Start", .timed = "MPI_Start"),                                        \
        PART(name, "Full", what ", persistent: start and wait, always in the same memory", since,  \
             MPI_COLLECTIVE_ONCE, .moves = moved, .parameters = {__VA_ARGS__},                     \
             .calls = "MPI_Start MPI_Wait", .timed = "MPI_Start + MPI_Wait"),

#define SYNCHRONIZING MPI_SINCE(4, 0), .no_data = true, .synchronizes = true

/* clang-format off */
const struct measurement measurements_mpi_persistent[] = {
    PARTS_SINCE(Barrier, SYNCHRONIZING, MOVES_NOTHING, "barrier", )
    MPI_COLLECTIVES(PARTS)
    {.name = NULL},
};
/* clang-format on */
