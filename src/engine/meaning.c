/* Which functions move what, by family and name. */
#define _GNU_SOURCE /* FNM_CASEFOLD */
#include "engine/meaning.h"

#include <fnmatch.h>
#include <math.h>

enum moved {
    MOVES_NOTHING, /* or the time is not that of moving all of it */
    MOVES_ONE,     /* the reported bytes, in one message */
    MOVES_TWO,     /* there and back */
    MOVES_BLOCKS   /* the reported bytes are one rank's share */
};

/* nccl-tests, doc/PERFORMANCE.md: what each link carries, for each byte of the operation. */
enum bus { BUS_NONE, BUS_ONE, BUS_OTHERS, BUS_TWICE };

/* The first row that fits counts. Patterns are those of the shell; case does not count in names. */
static const struct row {
    const char *family, *name;
    enum moved moved;
    enum bus bus;
} rows[] = {
    /* Parts of a transfer: their time is not that of moving the data. */
    {"*", "*_Post", MOVES_NOTHING, BUS_NONE},
    {"*", "*_Post_*", MOVES_NOTHING, BUS_NONE},
    {"*", "*_Quiet", MOVES_NOTHING, BUS_NONE},
    {"*", "*_Nonblocking_Quiet_*", MOVES_NOTHING, BUS_NONE},
    {"*", "*_Overlap*", MOVES_NOTHING, BUS_NONE},
    {"*", "*_Call", MOVES_NOTHING, BUS_NONE},
    {"*", "*_callduration", MOVES_NOTHING, BUS_NONE},
    {"*", "*_Pairs_Fence", MOVES_NOTHING, BUS_NONE},
    {"mpi_pairs", "*_Flush_Local", MOVES_NOTHING, BUS_NONE},
    {"mpi_flush", "*_Flush_Local", MOVES_NOTHING, BUS_NONE},
    {"mpi_overlap", "*_Wait", MOVES_NOTHING, BUS_NONE},
    {"mpi_n*", "*_Wait", MOVES_NOTHING, BUS_NONE},
    {"mpi_persistent", "*_Init", MOVES_NOTHING, BUS_NONE},
    {"mpi_persistent", "*_Start", MOVES_NOTHING, BUS_NONE},
    /* OpenSHMEM */
    {"rma", "*", MOVES_ONE, BUS_NONE},
    {"rma_elements", "*", MOVES_ONE, BUS_NONE},
    {"section", "*", MOVES_ONE, BUS_NONE},
    {"pointer", "*", MOVES_ONE, BUS_NONE},
    {"atomic", "*", MOVES_ONE, BUS_NONE},
    {"context", "*_Put_*", MOVES_ONE, BUS_NONE},
    {"context", "*_Get_*", MOVES_ONE, BUS_NONE},
    {"progress", "*", MOVES_ONE, BUS_NONE},
    {"load", "*", MOVES_ONE, BUS_NONE},
    {"caf_order", "Shmem_Put_Quiet_Get", MOVES_TWO, BUS_NONE},
    {"image_lock", "*_Random_*", MOVES_ONE, BUS_NONE},
    {"p2p_sync", "*_Pingpong_*", MOVES_ONE, BUS_NONE},
    {"signal", "*_Put_Signal_*", MOVES_ONE, BUS_NONE},
    {"round_trip", "*", MOVES_TWO, BUS_NONE},
    {"pairs", "*", MOVES_ONE, BUS_NONE},
    {"pairs_threads", "*", MOVES_ONE, BUS_NONE},
    {"broadcast", "*", MOVES_ONE, BUS_ONE},
    {"exchange", "*", MOVES_BLOCKS, BUS_OTHERS},
    {"reduction", "*", MOVES_ONE, BUS_TWICE},
    {"made", "*_Broadcast_*", MOVES_ONE, BUS_ONE},
    {"made", "*_Collect_*", MOVES_BLOCKS, BUS_OTHERS},
    {"made", "*_Reduce_*", MOVES_ONE, BUS_TWICE},
    {"team_collective", "*_Broadcast*", MOVES_ONE, BUS_ONE},
    {"team_collective", "*_Reduce_*", MOVES_ONE, BUS_TWICE},
    {"team_collective", "*", MOVES_BLOCKS, BUS_OTHERS},
    /* MPI */
    {"mpi_pt2pt", "Send_Recv_One_Way", MOVES_ONE, BUS_NONE},
    {"mpi_pt2pt", "*Pingpong_*", MOVES_TWO, BUS_NONE},
    {"mpi_rate", "*", MOVES_ONE, BUS_NONE},
    {"mpi_pairs", "*", MOVES_ONE, BUS_NONE},
    {"mpi_round_trip", "*", MOVES_TWO, BUS_NONE},
    {"mpi_overlap", "*_Full", MOVES_ONE, BUS_NONE},
    {"mpi_flush", "Put_*", MOVES_ONE, BUS_NONE},
    {"mpi_flush", "Get_Flush*", MOVES_ONE, BUS_NONE},
    {"mpi_flush", "R*t_Wait", MOVES_ONE, BUS_NONE},
    {"mpi_flush", "*ccumulate_*", MOVES_ONE, BUS_NONE},
    {"mpi_flush", "Shared_*", MOVES_ONE, BUS_NONE},
    {"mpi_progress", "*", MOVES_ONE, BUS_NONE},
    {"mpi_load", "Pingpong_*", MOVES_TWO, BUS_NONE},
    {"mpi_load", "*", MOVES_ONE, BUS_NONE},
    {"mpi_rma", "Put_fence", MOVES_ONE, BUS_NONE},
    {"mpi_rma", "Put_passive", MOVES_ONE, BUS_NONE},
    {"mpi_rma", "Put_Shift", MOVES_ONE, BUS_NONE},
    {"mpi_rma", "Get_dedicated", MOVES_ONE, BUS_NONE},
    {"mpi_rma", "Put_dedicated", MOVES_ONE, BUS_NONE},
    {"mpi_rma", "Get_fence", MOVES_ONE, BUS_NONE},
    {"mpi_rma", "Get_passive", MOVES_ONE, BUS_NONE},
    {"mpi_rma", "Accumulate_fence", MOVES_ONE, BUS_NONE},
    {"mpi_rma", "Accumulate_passive", MOVES_ONE, BUS_NONE},
    {"mpi_typed", "*", MOVES_ONE, BUS_NONE},
    {"mpi_algorithms", "Bcast_*", MOVES_ONE, BUS_ONE},
    {"mpi_algorithms", "Allreduce_*", MOVES_ONE, BUS_TWICE},
    {"mpi_[cnp]*", "*scan*", MOVES_ONE, BUS_NONE},
    {"mpi_[cnp]*", "*bcast*", MOVES_ONE, BUS_ONE},
    {"mpi_[cnp]*", "*allreduce*", MOVES_ONE, BUS_TWICE},
    {"mpi_[cnp]*", "*reduce_scatter_block*", MOVES_BLOCKS, BUS_OTHERS},
    {"mpi_[cnp]*", "*reduce_scatter*", MOVES_ONE, BUS_OTHERS},
    {"mpi_[cnp]*", "*reduce*", MOVES_ONE, BUS_ONE},
    {"mpi_coll", "*gather*", MOVES_BLOCKS, BUS_OTHERS},
    {"mpi_nonblocking", "*gather*", MOVES_BLOCKS, BUS_OTHERS},
    {"mpi_persistent", "*gather*", MOVES_BLOCKS, BUS_OTHERS},
    {"mpi_coll", "*scatter*", MOVES_BLOCKS, BUS_OTHERS},
    {"mpi_nonblocking", "*scatter*", MOVES_BLOCKS, BUS_OTHERS},
    {"mpi_persistent", "*scatter*", MOVES_BLOCKS, BUS_OTHERS},
    {"mpi_coll", "*alltoall*", MOVES_BLOCKS, BUS_OTHERS},
    {"mpi_nonblocking", "*alltoall*", MOVES_BLOCKS, BUS_OTHERS},
    {"mpi_persistent", "*alltoall*", MOVES_BLOCKS, BUS_OTHERS},
    {"*", "*", MOVES_NOTHING, BUS_NONE},
};

static const struct row *row_of(const struct measurement *function)
{
    const char *family = measurement_family(function);
    const struct row *row = rows;
    while (fnmatch(row->family, family, 0) != 0 ||
           fnmatch(row->name, function->name, FNM_CASEFOLD) != 0)
        row++;
    return row;
}

struct meaning_words meaning_words(const struct measurement *function)
{
    static const char *const bytes[] = {"none", "the reported size", "twice the reported size",
                                        "the reported size times the PEs"};
    static const char *const messages[] = {"none", "1", "2", "1"};
    static const char *const buses[] = {"none", "1", "(n - 1) / n", "2 (n - 1) / n"};
    const struct row *row = row_of(function);
    return (struct meaning_words){bytes[row->moved], messages[row->moved], buses[row->bus]};
}

static double bus_factor(enum bus bus, double pes)
{
    const double factors[] = {NAN, 1, (pes - 1) / pes, 2 * (pes - 1) / pes};
    return factors[bus];
}

struct result_rates meaning_rates(const struct measurement *function, size_t pes, int64_t bytes,
                                  double seconds)
{
    const struct row *row = row_of(function);
    const double times[] = {0, 1, 2, (double)pes};
    bool any = row->moved != MOVES_NOTHING && function->quantity == QUANTITY_TIME && bytes > 0 &&
               seconds > 0;
    double bandwidth = any ? times[row->moved] * (double)bytes / seconds : NAN;
    return (struct result_rates){
        .bandwidth = bandwidth,
        .bus_bandwidth = bandwidth * bus_factor(row->bus, (double)pes),
        .rate = any ? (row->moved == MOVES_TWO ? 2 : 1) / seconds : NAN,
    };
}
