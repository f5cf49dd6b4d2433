/* Start and end of the job. */
#include "comm/comm.h"

#include <math.h>
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
#include "crash/board.h"
#include "crash/last_words.h"
#include "crash/tally.h"

#define STATUS_INTERNAL 1
#define STATUS_REFUSED 2
/* Seconds that a PE waits for PE 0 to find the same error, and to end the job. */
#define REPORT_GRACE 1
/* Seconds that PE 0 waits for others that finish the library later. */
#define LONGEST_FAREWELL 5.0
#define PAUSE_MICROSECONDS 200

static struct library_start start_cost;

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
    size_t lacking = link_start(argc, argv, &start_cost);
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
    hand_overs_begin();
    agree_on_last_words();
    process_enter(NULL);
}

bool comm_attach(void)
{
    if (!numbers_make_sense() || !link_attach())
        return false;
    trees_begin();
    nodes_find();
    return true;
}

const struct library_start *comm_start_cost(void)
{
    return &start_cost;
}

static void look_away(void)
{
    comm_quiet();
    comm_barrier(comm_world());
    nodes_forget();
    hand_overs_end();
}

void comm_detach(void)
{
    look_away();
    link_detach();
}

double comm_finish(void)
{
    look_away();
    double seconds = link_finish();
    last_words_close();
    return seconds;
}

/* Waits until `count` of n numbers are no longer NaN, no longer than LONGEST_FAREWELL. */
static void await_numbers(const double *numbers, size_t n, size_t count)
{
    double until = wall_seconds() + LONGEST_FAREWELL;
    for (size_t there = 0; there < count && wall_seconds() <= until;) {
        there = 0;
        for (size_t i = 0; i < n; i++)
            there += !isnan(((const volatile double *)numbers)[i]);
        if (there < count)
            usleep(PAUSE_MICROSECONDS);
    }
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
    double *tally = pe == 0 ? tally_offer(n * sizeof *tally, &offer) : NULL;
    for (size_t i = 0; tally && i < n; i++)
        tally[i] = NAN;
    comm_broadcast(comm_world(), &offer, sizeof offer);
    if (pe != 0 && here)
        tally = tally_find(&offer, n * sizeof *tally);
    int64_t reporting = here && tally;
    comm_allreduce_int(comm_world(), COMM_SUM, &reporting, 1);
    double seconds = comm_finish();
    if (tally)
        tally[place] = seconds;
    if (pe != 0)
        return NULL;
    if (tally) {
        await_numbers(tally, n, (size_t)reporting);
        return tally;
    }
    static double own;
    own = seconds;
    *count = 1;
    return &own;
}
