/*
 * What the families of MPI collectives share. A routine is described once, by a struct mpi_routine:
 * who has which data before and after, and how it is called in its blocking, non-blocking and
 * persistent form. Hooks here allocate, verify and time any of them; a measurement function is a
 * line of a table, whose variant says which routine and which form.
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

/* How blocks of several ranks are described. */
enum mpi_blocks {
    MPI_BLOCKS_EQUAL,
    MPI_BLOCKS_COUNTED, /* by counts and places, in elements */
    MPI_BLOCKS_TYPED    /* by counts, types, and places in bytes */
};

struct mpi_routine {
    enum mpi_flow flow;
    enum mpi_blocks blocks;
    bool one_charged; /* the counts of one rank are another multiple of count */
    bool temporary;   /* needs memory for count elements more */
    /* NULL where the library's header lacks it. post and init leave a request in the call. */
    void (*call)(struct mpi_call *);
    void (*post)(struct mpi_call *);
    void (*init)(struct mpi_call *);
};

/* Of a measurement function. */
struct mpi_use {
    const struct mpi_routine *routine;
    enum { MPI_CALLED, MPI_POSTED, MPI_PERSISTENT } form;
    bool in_place;
};

/* ---- Hooks of any routine ---- */

const char *mpi_collective_check(const struct measurement *, const struct argument *,
                                 const struct pe_set *);
/* peers: ranks with which each one exchanges blocks. */
void mpi_collective_demand(const struct measurement *, const struct argument *, int peers,
                           struct demand *);

#if SKAMPI_MPI

bool mpi_collective_set_up(struct run *);
void mpi_collective_fill(struct run *);
bool mpi_collective_verify(struct run *);
bool mpi_collective_set_up_overlap(struct run *);
void mpi_collective_tear_down(struct run *);

/* One operation, all ranks starting together: from its call, or its start, to its end. */
double mpi_collective_once(struct run *);
/* On the rank "node" after a computation of "delay" seconds, which counts; "n" in a row, all of
 * which count. */
double mpi_collective_delayed(struct run *);
double mpi_collective_several(struct run *);
double mpi_collective_consecutive(struct run *);
double mpi_collective_separated(struct run *);
double mpi_collective_barriers_alone(struct run *);
/* Parts of a non-blocking or persistent one. */
double mpi_collective_start_alone(struct run *);
double mpi_collective_wait_alone(struct run *);
double mpi_collective_overlap(struct run *);
double mpi_collective_pauses_alone(struct run *);
double mpi_collective_init_alone(struct run *);

/* ---- One call, for those who make it and those who look at its data ---- */

struct mpi_call {
    MPI_Comm comm;
    int root, rank, size;
    void *send, *receive;          /* either may be MPI_IN_PLACE */
    int send_count, receive_count; /* elements of a block */
    MPI_Datatype send_type, receive_type;
    MPI_Op op;
    /* Of MPI_BLOCKS_COUNTED and MPI_BLOCKS_TYPED, for each peer; the first also for the shares of a
     * reduction that is scattered. */
    int *send_counts, *send_places, *receive_counts, *receive_places;
    MPI_Aint *send_offsets, *receive_offsets;
    MPI_Datatype *send_types, *receive_types;
    MPI_Request request;
    /* For routines made of others: memory for count elements after the result, and 2 size
     * requests. */
    void *temporary;
    MPI_Request *requests;
};

/* The state of a measurement of a collective. */
struct mpi_collective_state {
    struct mpi_call call;
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
#define S_COUNT {"s_count", PARAMETER_INT, "elements", "length of each block that is sent", .size = true, .maximum = INT_MAX, .example = "256"}
#define S_DATATYPE {"s_datatype", PARAMETER_DATATYPE, "", "type of the elements sent", .example = "MPI_INT"}
#define R_COUNT {"r_count", PARAMETER_INT, "elements", "length of each block that is received", .size = true, .maximum = INT_MAX, .example = "256"}
#define R_DATATYPE {"r_datatype", PARAMETER_DATATYPE, "", "type of the elements received", .example = "MPI_INT"}
#define BLOCK_COUNT {"count", PARAMETER_INT, "elements", "length of each block", .size = true, .maximum = INT_MAX, .example = "256"}
#define TOTAL_COUNT {"count", PARAMETER_INT, "elements", "length of all shares together", .size = true, .maximum = INT_MAX, .example = "256"}
#define TARGET_ROOT {"root", PARAMETER_RANK, "", "rank that the data go to", .example = "0"}
#define IGNORED_ROOT {"root", PARAMETER_RANK, "", "ignored", .example = "0"}
#define EXCHANGED S_COUNT, S_DATATYPE, R_COUNT, R_DATATYPE

/* LINE(routine, its non-blocking form, version of MPI, what it is, parameters). Neither barriers, which
 * have no data, nor neighbourhoods are among them. */
#define MPI_COLLECTIVES(LINE)                                                                      \
    LINE(Bcast, Ibcast, 1, 0, MOVES_TO_ALL, "broadcast", COUNT_ELEMENTS, DATATYPE, ROOT)                         \
    LINE(Gather, Igather, 1, 0, MOVES_BLOCKS, "gather", EXCHANGED, TARGET_ROOT)                                  \
    LINE(Gatherv, Igatherv, 1, 0, MOVES_BLOCKS, "gather by counts", EXCHANGED, TARGET_ROOT)                      \
    LINE(Scatter, Iscatter, 1, 0, MOVES_BLOCKS, "scatter", EXCHANGED, ROOT)                                      \
    LINE(Scatterv, Iscatterv, 1, 0, MOVES_BLOCKS, "scatter by counts", EXCHANGED, ROOT)                          \
    LINE(Allgather, Iallgather, 1, 0, MOVES_BLOCKS, "gather to all", EXCHANGED)                                  \
    LINE(Allgatherv, Iallgatherv, 1, 0, MOVES_BLOCKS, "gather to all by counts", EXCHANGED)                      \
    LINE(Alltoall, Ialltoall, 1, 0, MOVES_BLOCKS, "all-to-all", EXCHANGED)                                       \
    LINE(Alltoallv, Ialltoallv, 1, 0, MOVES_BLOCKS, "all-to-all by counts", EXCHANGED)                           \
    LINE(Alltoallw, Ialltoallw, 2, 0, MOVES_BLOCKS, "all-to-all by counts and datatypes", EXCHANGED)             \
    LINE(Reduce, Ireduce, 1, 0, MOVES_TO_ALL, "reduction", COUNT_ELEMENTS, DATATYPE, OPERATION, TARGET_ROOT)     \
    LINE(Allreduce, Iallreduce, 1, 0, MOVES_REDUCED, "reduction to all", COUNT_ELEMENTS, DATATYPE, OPERATION)     \
    LINE(Reduce_scatter, Ireduce_scatter, 1, 0, MOVES_SHARES, "reduction scattered evenly", TOTAL_COUNT, DATATYPE, OPERATION, IGNORED_ROOT) \
    LINE(Reduce_scatter_block, Ireduce_scatter_block, 2, 2, MOVES_BLOCKS, "reduction scattered in blocks", BLOCK_COUNT, DATATYPE, OPERATION) \
    LINE(Scan, Iscan, 1, 0, MOVES_MESSAGE, "inclusive prefix reduction", COUNT_ELEMENTS, DATATYPE, OPERATION) \
    LINE(Exscan, Iexscan, 2, 0, MOVES_MESSAGE, "exclusive prefix reduction", COUNT_ELEMENTS, DATATYPE, OPERATION)

extern const struct mpi_routine mpi_Barrier;
#define DECLARED(name, iname, major, minor, what, ...) extern const struct mpi_routine mpi_##name;
MPI_COLLECTIVES(DECLARED)
#undef DECLARED
/* clang-format on */

/* ---- Descriptors ---- */

#define MPI_COLLECTIVE_WITH(hook)                                                                  \
    MPI_FUNCTION_CHECKED(mpi_collective_check),                                                    \
        .demand = mpi_collective_demand, .who = "all",                                             \
        .teardown = WITH_MPI(mpi_collective_tear_down), .setup = WITH_MPI(hook),                   \
        .fill = WITH_MPI(mpi_collective_fill), .verify = WITH_MPI(mpi_collective_verify),          \
        MPI_STATE(struct mpi_collective_state)
#define MPI_COLLECTIVE MPI_COLLECTIVE_WITH(mpi_collective_set_up)
#define MPI_COLLECTIVE_ONCE                                                                        \
    MPI_COLLECTIVE, .run = WITH_MPI(mpi_collective_once), .timing = TIMING_WHOLE
#define MPI_COLLECTIVE_CONSECUTIVE                                                                 \
    MPI_COLLECTIVE, .run = WITH_MPI(mpi_collective_consecutive), .timing = TIMING_WHOLE
#define MPI_COLLECTIVE_SEPARATED                                                                   \
    MPI_COLLECTIVE, .timing = TIMING_PARTS, .run = WITH_MPI(mpi_collective_separated),             \
                    .reference = WITH_MPI(mpi_collective_barriers_alone),                          \
                    .subtracted = "a barrier, measured alone"
#define MPI_USE(...)                                                                               \
    .variant = &(const struct mpi_use)                                                             \
    {                                                                                              \
        .routine = __VA_ARGS__                                                                     \
    }
#define MPI_SINCE(major, minor) .version_major = major, .version_minor = minor

/* The three forms of a blocking routine; since: further initializers. */
/* clang-format off */
#define MPI_COLLECTIVE_FORMS(name, used, since, moved, what, ...)                                         \
    {name, what, MPI_COLLECTIVE_ONCE, since, .moves = moved, MPI_USE(&used),                                       \
     .parameters = {__VA_ARGS__}, .routine = "MPI_" name, .timed = "MPI_" name},                                           \
    {name "_Consecutive", what ", calls in a row: they may overlap",                               \
     MPI_COLLECTIVE_CONSECUTIVE, since, .moves = moved, MPI_USE(&used),                                            \
     .parameters = {ITERATIONS, __VA_ARGS__}, .routine = "MPI_" name, .timed = "MPI_" name},                               \
    {name "_Barrier", what ", each followed by a barrier",                                         \
     MPI_COLLECTIVE_SEPARATED, since, .moves = moved, MPI_USE(&used),                                              \
     .parameters = {ITERATIONS, __VA_ARGS__}, .routine = "MPI_" name, .calls = "MPI_Barrier", .timed = "MPI_" name " + MPI_Barrier"}

/* The five parts of a non-blocking routine. */
#define MPI_OVERLAP                                                                                \
    MPI_COLLECTIVE_WITH(mpi_collective_set_up_overlap), .timing = TIMING_PARTS, .run = WITH_MPI(mpi_collective_overlap),   \
    .reference = WITH_MPI(mpi_collective_pauses_alone),                                            \
    .subtracted = "the computation's measured length, and its overhead"
#define MPI_NONBLOCKING_PARTS(name, used, since, moved, what, ...)                                        \
    {name "_Post", what ", non-blocking: the post alone",                                          \
     MPI_COLLECTIVE, .timing = TIMING_PARTS, .run = WITH_MPI(mpi_collective_start_alone), since, .moves = MOVES_NOTHING,                           \
     MPI_USE(&used, .form = MPI_POSTED), .parameters = {__VA_ARGS__}, .routine = "MPI_" name, .timed = "MPI_" name},               \
    {name "_Wait", what ", non-blocking: the wait right after the post",                          \
     MPI_COLLECTIVE, .timing = TIMING_PARTS, .run = WITH_MPI(mpi_collective_wait_alone), since, .moves = MOVES_NOTHING,                            \
     MPI_USE(&used, .form = MPI_POSTED), .parameters = {__VA_ARGS__}, .routine = "MPI_Wait", .timed = "MPI_Wait"},                \
    {name "_Full", what ", non-blocking: post and wait",                                           \
     MPI_COLLECTIVE_ONCE, since, .moves = moved,                                                                   \
     MPI_USE(&used, .form = MPI_POSTED), .parameters = {__VA_ARGS__}, .routine = "MPI_" name, .calls = "MPI_Wait", .timed = "MPI_" name " + MPI_Wait"}, \
    {name "_Overlap", what ", non-blocking: the part that is not overlapped by computation",                     \
     MPI_OVERLAP, since, .moves = MOVES_NOTHING, MPI_USE(&used, .form = MPI_POSTED), .parameters = {__VA_ARGS__},                  \
     .routine = "MPI_" name, .calls = "MPI_Wait", .timed = "MPI_" name " + computation + MPI_Wait"},                                            \
    {name "_Overlap_Test", what ", non-blocking: the part that is not overlapped by computation with tests",     \
     MPI_OVERLAP, since, .moves = MOVES_NOTHING, MPI_USE(&used, .form = MPI_POSTED), .parameters = {TESTS, __VA_ARGS__},           \
     .routine = "MPI_" name, .calls = "MPI_Test MPI_Wait", .timed = "MPI_" name " + computation with calls of MPI_Test + MPI_Wait"}
/* clang-format on */

#endif
