/*
 * The families of measurement functions. A new family is a line here; a new function is an entry
 * of its family's table.
 */
#include "engine/measurement.h"

extern const struct measurement measurements_rma[], measurements_rma_elements[],
    measurements_atomic[], measurements_context[], measurements_ordering[], measurements_p2p_sync[],
    measurements_barrier[], measurements_broadcast[], measurements_exchange[],
    measurements_reduction[], measurements_process[], measurements_lock[], measurements_memory[],
    measurements_team[], measurements_team_collective[], measurements_signal[],
    measurements_wait_sets[], measurements_clock[], measurements_mpi_pt2pt[],
    measurements_mpi_rate[], measurements_mpi_coll[], measurements_mpi_algorithms[],
    measurements_mpi_nonblocking[], measurements_mpi_neighbor[], measurements_mpi_persistent[],
    measurements_mpi_first_call[], measurements_mpi_win[], measurements_mpi_rma[],
    measurements_mpi_flush[], measurements_mpi_comm[];
extern const size_t measurements_rma_count, measurements_rma_elements_count,
    measurements_atomic_count, measurements_context_count, measurements_ordering_count,
    measurements_p2p_sync_count, measurements_barrier_count, measurements_broadcast_count,
    measurements_exchange_count, measurements_reduction_count, measurements_process_count,
    measurements_lock_count, measurements_memory_count, measurements_team_count,
    measurements_team_collective_count, measurements_signal_count, measurements_wait_sets_count,
    measurements_clock_count, measurements_mpi_pt2pt_count, measurements_mpi_rate_count,
    measurements_mpi_coll_count, measurements_mpi_algorithms_count,
    measurements_mpi_nonblocking_count, measurements_mpi_neighbor_count,
    measurements_mpi_persistent_count, measurements_mpi_first_call_count,
    measurements_mpi_win_count, measurements_mpi_rma_count, measurements_mpi_flush_count,
    measurements_mpi_comm_count;

const struct measurement_family measurement_families[] = {
    {measurements_rma, &measurements_rma_count},
    {measurements_rma_elements, &measurements_rma_elements_count},
    {measurements_atomic, &measurements_atomic_count},
    {measurements_context, &measurements_context_count},
    {measurements_ordering, &measurements_ordering_count},
    {measurements_p2p_sync, &measurements_p2p_sync_count},
    {measurements_barrier, &measurements_barrier_count},
    {measurements_broadcast, &measurements_broadcast_count},
    {measurements_exchange, &measurements_exchange_count},
    {measurements_reduction, &measurements_reduction_count},
    {measurements_process, &measurements_process_count},
    {measurements_lock, &measurements_lock_count},
    {measurements_memory, &measurements_memory_count},
    {measurements_team, &measurements_team_count},
    {measurements_team_collective, &measurements_team_collective_count},
    {measurements_signal, &measurements_signal_count},
    {measurements_wait_sets, &measurements_wait_sets_count},
    {measurements_clock, &measurements_clock_count},
    {measurements_mpi_pt2pt, &measurements_mpi_pt2pt_count},
    {measurements_mpi_rate, &measurements_mpi_rate_count},
    {measurements_mpi_coll, &measurements_mpi_coll_count},
    {measurements_mpi_algorithms, &measurements_mpi_algorithms_count},
    {measurements_mpi_nonblocking, &measurements_mpi_nonblocking_count},
    {measurements_mpi_neighbor, &measurements_mpi_neighbor_count},
    {measurements_mpi_persistent, &measurements_mpi_persistent_count},
    {measurements_mpi_first_call, &measurements_mpi_first_call_count},
    {measurements_mpi_win, &measurements_mpi_win_count},
    {measurements_mpi_rma, &measurements_mpi_rma_count},
    {measurements_mpi_flush, &measurements_mpi_flush_count},
    {measurements_mpi_comm, &measurements_mpi_comm_count},
};
const size_t measurement_family_count = MEASUREMENT_COUNT(measurement_families);
