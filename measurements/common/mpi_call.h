/*
 * What the families of MPI collectives share. A routine is described once, by a struct mpi_routine:
 * who has which data before and after, and how it is called in its blocking, non-blocking and
 * persistent form. Hooks here allocate, verify and time any of them; a measurement function is a
 * line of a table, which is like a form and a routine. Its variant is the routine.
 */
#ifndef SKAMPI_MEASUREMENTS_MPI_CALL_H
#define SKAMPI_MEASUREMENTS_MPI_CALL_H

#include "measurements/common/collective.h"
#include "measurements/common/mpi_common.h"

struct mpi_call; /* the arguments of one call; below */

/* Who has what before and after. */
enum mpi_flow {
    MPI_FLOW_NONE,
    MPI_FLOW_BCAST,
    MPI_FLOW_GATHER,
    MPI_FLOW_SCATTER,
    MPI_FLOW_ALLGATHER,
    MPI_FLOW_ALLTOALL,
    MPI_FLOW_REDUCE,
    MPI_FLOW_ALLREDUCE,
    MPI_FLOW_SCAN,
    MPI_FLOW_EXSCAN,
    MPI_FLOW_REDUCE_SCATTER_BLOCK,
    MPI_FLOW_REDUCE_SCATTER
};

/* What a rank has memory for, by flow. */
extern const struct mpi_flow_facts {
    enum mpi_block_count { MPI_NO_BLOCK, MPI_ONE_BLOCK, MPI_BLOCK_A_PEER } sent, received;
    bool reduces; /* values are combined: in place, the result replaces what was sent */
} mpi_flow_facts[];

/* How blocks of several ranks are described. */
enum mpi_blocks {
    MPI_BLOCKS_EQUAL,
    MPI_BLOCKS_COUNTED, /* by counts and places, in elements */
    MPI_BLOCKS_TYPED    /* by counts, types, and places in bytes */
};

struct mpi_routine {
    enum mpi_flow flow;
    enum mpi_blocks blocks;
    bool temporary; /* needs memory for count elements more */
    /* NULL where the library has none. post and init leave a request in the call. */
    void (*call)(struct mpi_call *);
    void (*post)(struct mpi_call *);
    void (*init)(struct mpi_call *);
};

/* ---- Hooks that functions name; mpi_collective.c has the others, which forms have ---- */

void mpi_collective_demand_in_place(struct run *);

#if SKAMPI_MPI

/* Made once and started. */
bool mpi_collective_set_up_persistent(struct run *);
double mpi_collective_init_alone(struct run *);
double mpi_collective_start_alone(struct run *);
/* One operation, all ranks starting together: from its call, or its start, to its end. */
double mpi_collective_once_run(struct run *);
/* On the rank "node" after a computation of "delay" seconds, which counts; "n" in a row, all of
 * which count. */
double mpi_collective_delayed(struct run *);
double mpi_collective_several(struct run *);

/* ---- One call, for those who make it and those who look at its data ---- */

struct mpi_call {
    MPI_Comm comm;
    int root, rank, size;
    void *send, *receive;          /* either may be MPI_IN_PLACE */
    int send_count, receive_count; /* elements of a block */
    MPI_Datatype send_type, receive_type;
    MPI_Op op;
    struct mpi_block_lists {
        int *counts, *places;
        MPI_Aint *offsets;
        MPI_Datatype *types;
    } sent, received; /* of MPI_BLOCKS_COUNTED, MPI_BLOCKS_TYPED, and of shares: for each peer */
    MPI_Request request;
    /* For routines made of others: memory for count elements after the result, and 2 size
     * requests. */
    void *temporary;
    MPI_Request *requests;
};

/* The state of a measurement of a collective. */
struct mpi_collective_state {
    const struct mpi_routine *routine;
    struct mpi_call call;
    enum { MPI_CALLED, MPI_POSTED, MPI_PERSISTENT } form;
    bool in_place;
    /* In the script's terms; NULL without data. */
    struct datatype *sends, *receives;
    const struct operation *operation;
    /* Ranks that this one gets a block from and sends one to, in this order; -1: none. NULL: all
     * of the set. */
    int peers, *peer_ranks;
    bool send_in_place, receive_in_place;
    /* Of this repetition's first iteration, where MPI looks for the data. */
    unsigned char *send_base, *receive_base;
    double pause;
    int64_t tests;
};

/* Memory and data as they have to be before the call, and whether they are as they must be after
 * it; as the state says. On any rank. */
void mpi_data_prepare(const struct run *);
bool mpi_data_check(struct run *);

/* How many elements rank's share has of count that are scattered as evenly as possible: the first
 * ranks have one more. */
int mpi_share(int count, int size, int rank);

#endif

/* ---- The collectives of the standard ---- */

/* clang-format off */
#define S_COUNT {"s_count", PARAMETER_INT, "elements", "length of each block that is sent", .size = true, .maximum = INT_MAX, .element = "s_datatype", .also = "count", .example = "256"}
#define S_DATATYPE {"s_datatype", PARAMETER_DATATYPE, "", "type of the elements sent", .also = "datatype", .example = "MPI_INT"}
#define R_COUNT {"r_count", PARAMETER_INT, "elements", "length of each block that is received", .size = true, .maximum = INT_MAX, .element = "r_datatype", .also = "count", .example = "256"}
#define R_DATATYPE {"r_datatype", PARAMETER_DATATYPE, "", "type of the elements received", .also = "datatype", .example = "MPI_INT"}
#define BLOCK_COUNT {"count", PARAMETER_INT, "elements", "length of each block", .size = true, .maximum = INT_MAX, .element = "datatype", .example = "256"}
#define TOTAL_COUNT {"count", PARAMETER_INT, "elements", "length of all shares together", .size = true, .maximum = INT_MAX, .element = "datatype", .example = "256"}
#define TARGET_ROOT {"root", PARAMETER_RANK, "", "rank that the data go to", .example = "0"}
#define IGNORED_ROOT {"root", PARAMETER_RANK, "", "ignored", .example = "0"}

/* What the routines take, in this order. */
#define EXCHANGED S_COUNT, S_DATATYPE, R_COUNT, R_DATATYPE
#define ELEMENTS COUNT_ELEMENTS, DATATYPE
#define COMBINED ELEMENTS, OPERATION
#define SHARED TOTAL_COUNT, DATATYPE, OPERATION
#define IN_BLOCKS BLOCK_COUNT, DATATYPE, OPERATION
/* clang-format on */

extern const struct mpi_routine mpi_Barrier, mpi_Bcast, mpi_Gather, mpi_Gatherv, mpi_Scatter,
    mpi_Scatterv, mpi_Allgather, mpi_Allgatherv, mpi_Alltoall, mpi_Alltoallv, mpi_Alltoallw,
    mpi_Reduce, mpi_Allreduce, mpi_Reduce_scatter, mpi_Reduce_scatter_block, mpi_Scan, mpi_Exscan,
    mpi_Neighbor_allgather, mpi_Neighbor_allgatherv, mpi_Neighbor_alltoall, mpi_Neighbor_alltoallv,
    mpi_Neighbor_alltoallw;

/* ---- What functions are like ---- */

extern const struct measurement mpi_of_Barrier, mpi_of_Bcast, mpi_of_Gather, mpi_of_Gatherv,
    mpi_of_Scatter, mpi_of_Scatterv, mpi_of_Allgather, mpi_of_Allgatherv, mpi_of_Alltoall,
    mpi_of_Alltoallv, mpi_of_Alltoallw, mpi_of_Reduce, mpi_of_Allreduce, mpi_of_Reduce_scatter,
    mpi_of_Reduce_scatter_block, mpi_of_Scan, mpi_of_Exscan, mpi_of_Neighbor_allgather,
    mpi_of_Neighbor_allgatherv, mpi_of_Neighbor_alltoall, mpi_of_Neighbor_alltoallv,
    mpi_of_Neighbor_alltoallw;

/* Any function, and one whose value is a whole operation. */
extern const struct measurement mpi_collective, mpi_collective_once;

/* The forms of a routine. The word is its name without MPI_, for which non-blocking functions state
 * another ("Igather"). Blocking: a call, several in a row, each followed by a barrier. */
extern const struct measurement mpi_form_call, mpi_form_consecutive, mpi_form_separated;
/* Non-blocking: parts of an operation, and all of it. */
extern const struct measurement mpi_form_post, mpi_form_wait, mpi_form_full, mpi_form_overlap,
    mpi_form_overlap_test;

#endif
