/*
 * The list of families of measurement functions: a family is a file in this folder and a line here.
 *
 * A new function of a family that is there already is an entry in that family's table alone.
 */
#include "engine/measurement.h"

#define FAMILIES(FAMILY)                                                                           \
    FAMILY(rma)                                                                                    \
    FAMILY(rma_elements)                                                                           \
    FAMILY(section)                                                                                \
    FAMILY(pointer)                                                                                \
    FAMILY(atomic)                                                                                 \
    FAMILY(context)                                                                                \
    FAMILY(ordering)                                                                               \
    FAMILY(progress)                                                                               \
    FAMILY(load)                                                                                   \
    FAMILY(caf_order)                                                                              \
    FAMILY(p2p_sync)                                                                               \
    FAMILY(barrier)                                                                                \
    FAMILY(broadcast)                                                                              \
    FAMILY(exchange)                                                                               \
    FAMILY(reduction)                                                                              \
    FAMILY(made)                                                                                   \
    FAMILY(process)                                                                                \
    FAMILY(lock)                                                                                   \
    FAMILY(image_lock)                                                                             \
    FAMILY(hash_table)                                                                             \
    FAMILY(memory)                                                                                 \
    FAMILY(segment)                                                                                \
    FAMILY(team)                                                                                   \
    FAMILY(team_collective)                                                                        \
    FAMILY(signal)                                                                                 \
    FAMILY(wait_sets)                                                                              \
    FAMILY(round_trip)                                                                             \
    FAMILY(pairs)                                                                                  \
    FAMILY(pairs_threads)                                                                          \
    FAMILY(kernel_grid)                                                                            \
    FAMILY(kernel_random_access)                                                                   \
    FAMILY(kernel_key_exchange)                                                                    \
    FAMILY(clock)                                                                                  \
    FAMILY(mpi_pt2pt)                                                                              \
    FAMILY(mpi_pairs)                                                                              \
    FAMILY(mpi_round_trip)                                                                         \
    FAMILY(mpi_overlap)                                                                            \
    FAMILY(mpi_coll)                                                                               \
    FAMILY(mpi_algorithms)                                                                         \
    FAMILY(mpi_nonblocking)                                                                        \
    FAMILY(mpi_neighbor)                                                                           \
    FAMILY(mpi_persistent)                                                                         \
    FAMILY(mpi_first_call)                                                                         \
    FAMILY(mpi_win)                                                                                \
    FAMILY(mpi_io)                                                                                 \
    FAMILY(mpi_io_open)                                                                            \
    FAMILY(mpi_io_whole)                                                                           \
    FAMILY(mpi_rma)                                                                                \
    FAMILY(mpi_flush)                                                                              \
    FAMILY(mpi_progress)                                                                           \
    FAMILY(mpi_load)                                                                               \
    FAMILY(mpi_activewait)                                                                         \
    FAMILY(mpi_typed)                                                                              \
    FAMILY(mpi_border)                                                                             \
    FAMILY(mpi_comm)

#define DECLARED(family) extern const struct measurement measurements_##family[];
FAMILIES(DECLARED)

/* clang-format off */
#define LISTED(family) measurements_##family,
const struct measurement *const measurement_families[] = {FAMILIES(LISTED) NULL};
#define NAMED(family) #family,
const char *const measurement_family_names[] = {FAMILIES(NAMED) NULL};
/* clang-format on */
