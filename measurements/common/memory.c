/*
 * Which PEs can allocate symmetric memory.
 */
#include "measurements/common/memory.h"

const char *memory_refusal(const struct pe_set *set)
{
    bool world = measurement_pes() == 0 || pe_set_size(set) == measurement_pes();
    return !SKAMPI_SHMEM || world
               ? NULL
               : "symmetric memory is allocated and freed by all PEs of the job together: "
                 "measure it on MPI_COMM_WORLD";
}
