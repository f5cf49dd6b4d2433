/*
 * Communicators: how long it takes to make them, what memory they take, and what memory the library
 * takes for messages to others.
 */
#include <math.h>

#include "measurements/common/mpi_common.h"

#if SKAMPI_MPI

#include <stdlib.h>

/* How a communicator is made out of the set's. */
typedef int make_function(const struct run *, MPI_Comm, MPI_Comm *);

static int make_split(const struct run *run, MPI_Comm comm, MPI_Comm *made)
{
    return MPI_Comm_split(comm, run->rank % 2, run->rank, made);
}

static int make_split_type(const struct run *run, MPI_Comm comm, MPI_Comm *made)
{
    return MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, run->rank, MPI_INFO_NULL, made);
}

static int make_duplicate(const struct run *run, MPI_Comm comm, MPI_Comm *made)
{
    (void)run;
    return MPI_Comm_dup(comm, made);
}

static int make_half(const struct run *run, MPI_Comm comm, MPI_Comm *made)
{
    int range[1][3] = {{0, run->size - 1, 2}};
    MPI_Group all, half;
    MPI_Comm_group(comm, &all);
    MPI_Group_range_incl(all, 1, range, &half);
    int code = MPI_Comm_create(comm, half, made);
    MPI_Group_free(&half);
    MPI_Group_free(&all);
    return code;
}

struct making {
    make_function *make;
    bool frees;
    int distance; /* ranks in the new communicator are every other, or all */
    bool partial; /* the others get none */
};

static const struct making split = {make_split, false, 2, false},
                           duplicate = {make_duplicate, false, 1, false},
                           half = {make_half, false, 2, true},
                           split_type = {make_split_type, false, 0, false},
                           freeing = {make_duplicate, true, 1, false};

/* The communicator has the members that it should, in their order, and messages arrive in it. */
static bool set_up_making(struct run *run)
{
    const struct making *making = run->function->variant;
    MPI_Comm made;
    making->make(run, mpi_comm(run), &made);
    bool member = !making->partial || run->rank % 2 == 0;
    if (made == MPI_COMM_NULL)
        return !member || run_fail(run, "rank %d got no communicator", run->rank);
    int size, rank, last = run->rank, step = making->distance;
    bool good = member;
    MPI_Comm_size(made, &size);
    MPI_Comm_rank(made, &rank);
    MPI_Bcast(&last, 1, MPI_INT, size - 1, made);
    if (step > 0)
        good = good && rank == run->rank / step &&
               size == (run->size - run->rank % step + step - 1) / step &&
               last == run->rank % step + (size - 1) * step;
    MPI_Comm_free(&made);
    return good || run_fail(run, "the communicator has the wrong members");
}

static double run_making(struct run *run)
{
    const struct making *making = run->function->variant;
    MPI_Comm comm = mpi_comm(run), made = MPI_COMM_NULL;
    if (making->frees)
        making->make(run, comm, &made);
    int64_t started = run_start(run);
    if (!making->frees)
        making->make(run, comm, &made);
    else if (made != MPI_COMM_NULL)
        MPI_Comm_free(&made);
    int64_t stopped = run_stop(run);
    if (!making->frees && made != MPI_COMM_NULL)
        MPI_Comm_free(&made);
    return run_elapsed(run, started, stopped);
}

/* ---- Memory ---- */

static double run_memory(struct run *run)
{
    int64_t n = run_integer(run, "n", 0), count = 0;
    MPI_Comm *made = memory_zeroed((size_t)n, sizeof *made), comm = mpi_comm(run);
    double before = resident_bytes();
    int code = MPI_SUCCESS;
    MPI_Errhandler usual = mpi_errors_return(comm); /* a library may run out of communicators */
    while (count < n && (code = MPI_Comm_dup(comm, &made[count])) == MPI_SUCCESS)
        count++;
    mpi_errors_end_job(comm, usual);
    double after = resident_bytes();
    while (count > 0)
        MPI_Comm_free(&made[--count]);
    free(made);
    mpi_succeeded(run, "MPI_Comm_dup", code);
    double most = run_max(run, before), then = run_max(run, after);
    run_note(run,
             "before: %.0f bytes, with the duplicates: %.0f; %.0f more for each (most of any PE)",
             most, then, run_max(run, after - before) / (double)n);
    return after - before;
}

/* ---- Memory of the library's ---- */

static bool been_through;

/* A message to each rank and from each, at a distance that grows, so that no two are late. */
static bool call_peers(const struct run *run, MPI_Comm comm)
{
    bool good = true;
    for (int i = 0; i < run->size; i++) {
        int to = (run->rank + i) % run->size, from = (run->rank - i + run->size) % run->size;
        int found = -1;
        MPI_Sendrecv(&run->rank, 1, MPI_INT, to, 0, &found, 1, MPI_INT, from, 0, comm,
                     MPI_STATUS_IGNORE);
        good = good && found == from;
    }
    return good;
}

static double run_footprint(struct run *run)
{
    const struct library_start *start = run_library_start(run);
    MPI_Comm comm = mpi_comm(run);
    if (run_max(run, isnan(start->resident_after)) > 0) {
        run_fail(run, "the system of some PE does not report the memory of a process");
        return NAN;
    }
    int *words = memory_zeroed((size_t)run->size, 2 * sizeof *words);
    note_memory(run, "init", start->resident_before, start->resident_after);
    bool good = call_peers(run, comm);
    double peers = resident_bytes();
    note_memory(run, "the first message to each peer", start->resident_after, peers);
    for (int i = 0; i < run->size; i++)
        words[i] = run->rank;
    MPI_Alltoall(words, 1, MPI_INT, words + run->size, 1, MPI_INT, comm);
    for (int i = 0; i < run->size; i++)
        good = good && words[run->size + i] == i;
    double last = resident_bytes();
    note_memory(run, "the first all-to-all", peers, last);
    if (run_max(run, been_through) > 0)
        run_note(run, "an earlier measurement of this run had done all of this before");
    been_through = true;
    note_earlier(run, "peers");
    free(words);
    if (!good)
        run_fail(run, "rank %d does not have the others' data", run->rank);
    return last;
}

#endif

/* clang-format off */
#define DUPLICATES {"n", PARAMETER_INT, "", "number of duplicates", .minimum = 1, .maximum = INT_MAX, .example = "10"}
/* clang-format on */
static const struct measurement making = {.api = API_MPI,
                                          .timing = TIMING_PARTS,
                                          .who = "all",
                                          .no_data = true,
                                          .setup = WITH_MPI(set_up_making),
                                          .run = WITH_MPI(run_making)};
#define MEMORY .api = API_MPI, .timing = TIMING_ONCE, .quantity = QUANTITY_BYTES, .who = "all"

const struct measurement measurements_mpi_comm[] = {
    {"Comm_split", "two communicators, of the even and of the odd ranks", .like = {&making},
     .variant = WITH_MPI(&split), .routine = "MPI_Comm_split",
     .timed = "MPI_Comm_split; MPI_Comm_free untimed"},
    {"Comm_dup", "a duplicate of the communicator", .like = {&making},
     .variant = WITH_MPI(&duplicate), .routine = "MPI_Comm_dup",
     .timed = "MPI_Comm_dup; MPI_Comm_free untimed"},
    {"Comm_create", "a communicator of the even ranks, by all", .like = {&making},
     .variant = WITH_MPI(&half), .calls = "MPI_Comm_create",
     .timed = "creating its group, MPI_Comm_create; MPI_Comm_free untimed"},
    {"Comm_split_type", "communicators of the ranks on a node", .like = {&making},
     .variant = WITH_MPI(&split_type), .version_major = 3, .routine = "MPI_Comm_split_type",
     .timed = "MPI_Comm_split_type; MPI_Comm_free untimed"},
    {"Comm_free", "freeing a duplicate of the communicator", .like = {&making},
     .variant = WITH_MPI(&freeing), .routine = "MPI_Comm_free",
     .timed = "MPI_Comm_free; MPI_Comm_dup untimed"},
    {"Comm_dup_memory", "memory that duplicates of the communicator need in a process", MEMORY,
     .no_data = true, .any_sign = true, .parameters = {DUPLICATES}, .run = WITH_MPI(run_memory),
     .calls = "MPI_Comm_dup", .timed = "nothing: growth of resident memory by n duplicates"},
    {"Memory_Footprint_MPI",
     "memory of a process after init, messages to each peer and an all-to-all of MPI", MEMORY,
     .own_check = true, .moves = MOVES_NOTHING, .run = WITH_MPI(run_footprint),
     .calls = "MPI_Send MPI_Recv MPI_Alltoall", .timed = "nothing: resident memory"},
    {.name = NULL},
};
