/*
 * The list of families of measurement functions: a family is a file in this folder and a line here.
 *
 * A new function of a family that is there already is an entry in that family's table alone.
 */
#include "engine/measurement.h"

#define FAMILIES(FAMILY)                                                                           \
    FAMILY(rma)                                                                                    \
    FAMILY(rma_elements)                                                                           \
    FAMILY(atomic)                                                                                 \
    FAMILY(context)                                                                                \
    FAMILY(ordering)                                                                               \
    FAMILY(p2p_sync)                                                                               \
    FAMILY(barrier)                                                                                \
    FAMILY(broadcast)                                                                              \
    FAMILY(exchange)                                                                               \
    FAMILY(reduction)                                                                              \
    FAMILY(made)                                                                                   \
    FAMILY(process)                                                                                \
    FAMILY(lock)                                                                                   \
    FAMILY(memory)                                                                                 \
    FAMILY(team)                                                                                   \
    FAMILY(team_collective)                                                                        \
    FAMILY(signal)                                                                                 \
    FAMILY(wait_sets)                                                                              \
    FAMILY(clock)                                                                                  \
    FAMILY(mpi_pt2pt)                                                                              \
    FAMILY(mpi_rate)                                                                               \
    FAMILY(mpi_overlap)                                                                            \
    FAMILY(mpi_coll)                                                                               \
    FAMILY(mpi_algorithms)                                                                         \
    FAMILY(mpi_nonblocking)                                                                        \
    FAMILY(mpi_neighbor)                                                                           \
    FAMILY(mpi_persistent)                                                                         \
    FAMILY(mpi_first_call)                                                                         \
    FAMILY(mpi_win)                                                                                \
    FAMILY(mpi_rma)                                                                                \
    FAMILY(mpi_flush)                                                                              \
    FAMILY(mpi_activewait)                                                                         \
    FAMILY(mpi_typed)                                                                              \
    FAMILY(mpi_border)                                                                             \
    FAMILY(mpi_comm)

#define DECLARED(family) extern const struct measurement measurements_##family[];
FAMILIES(DECLARED)

/* clang-format off */
#define LISTED(family) measurements_##family,
const struct measurement *const measurement_families[] = {FAMILIES(LISTED) NULL};
/* clang-format on */
