/* Start and end of the job, and hand-overs between two PEs. */
#include "comm/comm.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if SKAMPI_MPI
#include <mpi.h>
#endif

#include "base/memory.h"
#include "comm/link.h"
#include "comm/parts.h"
#include "comm/shared_words.h"
#include "crash/board.h"
#include "crash/last_words.h"
#include "crash/tally.h"

#define STATUS_INTERNAL 1
#define STATUS_REFUSED 2
/* Seconds that a PE waits for PE 0 to find the same error, and to end the job. */
#define REPORT_GRACE 1
/* Seconds that PE 0 waits for others that finish the library later. */
#define LONGEST_FAREWELL 5.0

/* The library is one per process; so is this. */
static struct {
    struct library_start cost;
    struct tally_offer *words; /* of each PE of this node, by its rank there: where others find its
                                  words; NULL: nobody asks for them */
} job;

/* The words of a PE that shares plain memory with this one, or NULL. */
static struct shared_words *words_of(int pe)
{
    bool near = job.words && comm_node_of(pe) == comm_node_of(comm_pe());
    return near ? shared_words_of(pe, &job.words[pe_group_rank_of(comm_own_node(), pe)]) : NULL;
}

/* The first word says whether its sender can reach the other's memory. */
bool comm_hand_over_begin(int partner, int lane)
{
    int64_t mine = words_of(partner) ? HAND_OVER_SHARED : HAND_OVER_APART;
    int64_t theirs = link_hand_over_begin(partner, lane, mine);
    return mine == HAND_OVER_SHARED && theirs == HAND_OVER_SHARED;
}

void comm_hand_over(int partner, int lane, bool shared, long from, int trips)
{
    if (shared)
        shared_words_trips(words_of(partner), lane, from, trips);
    else
        link_hand_over(partner, lane, from, trips);
}

void comm_hand_over_stop(int partner, int lane, bool shared)
{
    if (shared)
        shared_words_stop(words_of(partner), lane);
    else
        link_hand_over_stop(partner, lane);
}

void comm_hand_over_echo(int partner, int lane)
{
    struct shared_words *words = words_of(partner);
    int64_t mine = words ? HAND_OVER_SHARED : HAND_OVER_APART;
    int64_t theirs = link_hand_over_echo(partner, lane, mine);
    if (words && theirs == HAND_OVER_SHARED)
        shared_words_echo(words, lane);
}

const char *comm_heap_variable(void)
{
    if (strstr(comm_library(), "Open MPI"))
        return "SHMEM_SYMMETRIC_HEAP_SIZE or SMA_SYMMETRIC_SIZE";
    return "SHMEM_SYMMETRIC_SIZE";
}

#if SKAMPI_MPI
double comm_wtime(void)
{
    return MPI_Wtime();
}

const char *comm_mpi_unusable(void)
{
    int initialized, finalized;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    return initialized && !finalized ? NULL : "MPI is not started: use a launcher";
}

void *comm_mpi_allocate(size_t bytes)
{
    void *memory;
    return MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &memory) == MPI_SUCCESS ? memory : NULL;
}

void comm_mpi_free(void *memory)
{
    if (memory)
        MPI_Free_mem(memory);
}
#else
double comm_wtime(void)
{
    return 0;
}

const char *comm_mpi_unusable(void)
{
    return "built without MPI";
}

void *comm_mpi_allocate(size_t bytes)
{
    (void)bytes;
    return NULL;
}

void comm_mpi_free(void *memory)
{
    (void)memory;
}
#endif

/* Gives each PE of PE 0's node a place on its board. */
static void join_board(void)
{
    struct tally_offer offer = {0, -1};
    size_t n = (size_t)comm_node_size(0);
    if (comm_pe() == 0)
        board_create(n, &offer);
    comm_broadcast(comm_world(), &offer, sizeof offer);
    if (comm_node_of(comm_pe()) == 0)
        board_join(&offer, n, pe_group_rank_of(comm_own_node(), comm_pe()), comm_pe());
}

/* Tells PEs of other nodes where to send their last words. */
static void agree_on_last_words(void)
{
    struct last_words_place place;
    int pe = comm_pe();
    if (comm_node_count() == 1)
        return;
    if (pe == 0)
        last_words_listen(&place);
    comm_broadcast(comm_world(), &place, sizeof place);
    if (comm_node_of(pe) != 0)
        last_words_know(&place, pe);
}

/* Tells the PEs of each node where to find the shared words of the others. */
static void offer_words(void)
{
    struct tally_offer own;
    const struct pe_group *node = comm_own_node();
    size_t n = (size_t)node->size;
    shared_words_offer(&own);
    job.words = memory_zeroed(n, sizeof *job.words);
    comm_enter(node);
    comm_gather(node, &own, sizeof own, job.words);
    comm_broadcast(node, job.words, n * sizeof *job.words);
}

/* Ends the program with an error before PEs can exchange anything. */
static _Noreturn void refuse_start(int status, const char *format, ...)
{
    va_list arguments;
    if (comm_pe() != 0)
        sleep(REPORT_GRACE);
    fputs("skampi: error: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    comm_abort(status);
}

static bool numbers_make_sense(void)
{
    return comm_pe() >= 0 && comm_pe() < comm_pes();
}

void comm_start(int *argc, char ***argv)
{
    size_t lacking = link_start(argc, argv, &job.cost);
    if (!numbers_make_sense())
        refuse_start(STATUS_INTERNAL,
                     "the library says that this is PE %d of %d: it is damaged, or the launcher is "
                     "that of another library",
                     comm_pe(), comm_pes());
    if (lacking)
        refuse_start(STATUS_REFUSED,
                     "PE %d has no room for skampi itself in its symmetric heap (%zu bytes): make "
                     "the heap larger (%s)",
                     comm_pe(), lacking, comm_heap_variable());
    process_enter("the first exchange between the PEs");
    trees_begin();
    nodes_find();
    join_board();
    offer_words();
    agree_on_last_words();
    process_enter(NULL);
}

bool comm_attach(void)
{
    if (!numbers_make_sense() || !link_attach())
        return false;
    job.words = NULL;
    trees_begin();
    nodes_find();
    return true;
}

const struct library_start *comm_start_cost(void)
{
    return &job.cost;
}

static void look_away(void)
{
    comm_quiet();
    comm_barrier(comm_world());
    nodes_forget();
    free(job.words);
    shared_words_forget();
}

void comm_detach(void)
{
    look_away();
    link_detach();
}

static double finish(void)
{
    look_away();
    double seconds = link_finish();
    last_words_close();
    return seconds;
}

void comm_finish(void)
{
    finish();
}

/* Only PE 0's node is reported: without the library, PE 0 hears nothing of other nodes. */
const double *comm_finish_timed(int *count)
{
    struct tally_offer offer = {0, -1};
    int pe = comm_pe();
    bool here = comm_node_of(pe) == 0;
    int place = here ? pe_group_rank_of(comm_own_node(), pe) : -1;
    *count = comm_node_size(0);
    size_t n = (size_t)*count;
    double *tally = pe == 0 ? tally_create(n, &offer) : NULL;
    comm_broadcast(comm_world(), &offer, sizeof offer);
    if (pe != 0 && here)
        tally = tally_join(&offer, n);
    int64_t reporting = here && tally;
    comm_allreduce_int(comm_world(), COMM_SUM, &reporting, 1);
    double seconds = finish();
    if (tally)
        tally[place] = seconds;
    if (pe != 0)
        return NULL;
    if (tally) {
        tally_wait(tally, n, (size_t)reporting, LONGEST_FAREWELL);
        return tally;
    }
    static double own;
    own = seconds;
    *count = 1;
    return &own;
}
