/* Links over MPI, where the program is built without OpenSHMEM. */
#include "comm/library.h"
#include "comm/link.h"

#if SKAMPI_MPI && !SKAMPI_SHMEM

#include <math.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORD_TAG (2 * LINK_PORTS)
#define HAND_OVER_TAG (WORD_TAG + 2)
#define SIGNAL_TAG (HAND_OVER_TAG + COMM_HAND_OVER_LANES)

/* A communicator of its own, so that the engine's messages never match those that are measured. */
static MPI_Comm engine_comm = MPI_COMM_NULL;

bool link_attach(void)
{
    MPI_Comm_dup(MPI_COMM_WORLD, &engine_comm);
    return true;
}

void link_detach(void)
{
    MPI_Comm_free(&engine_comm);
}

void comm_steady(void)
{
}

/* Whether an error has been claimed: one for all PEs of a node, which no library has to help with;
 * NULL where there is no such memory. */
static MPI_Win claim_window = MPI_WIN_NULL;
static atomic_int *claimed;

static void share_claim(void)
{
    MPI_Comm node;
    MPI_Aint bytes;
    int rank, unit;
    void *memory;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &rank);
    MPI_Comm_set_errhandler(node, MPI_ERRORS_RETURN);
    if (MPI_Win_allocate_shared(rank == 0 ? sizeof *claimed : 0, 1, MPI_INFO_NULL, node, &memory,
                                &claim_window) == MPI_SUCCESS) {
        MPI_Win_shared_query(claim_window, 0, &bytes, &unit, &claimed);
        if (rank == 0)
            atomic_init(claimed, 0);
        MPI_Barrier(node);
    } else {
        claim_window = MPI_WIN_NULL;
    }
    MPI_Comm_free(&node);
}

size_t link_start(int *argc, char ***argv, struct library_start *cost)
{
    cost->resident_before = resident_bytes();
    double begin = wall_seconds();
    process_enter("MPI_Init");
    MPI_Init(argc, argv);
    cost->mpi = wall_seconds() - begin;
    cost->shmem = cost->gets[0] = cost->gets[1] = NAN;
    cost->resident_after = resident_bytes();
    process_enter("the library's first barrier");
    link_attach();
    share_claim();
    return 0;
}

double link_finish(void)
{
    link_detach();
    claimed = NULL;
    if (claim_window != MPI_WIN_NULL)
        MPI_Win_free(&claim_window);
    double begin = wall_seconds();
    process_enter("MPI_Finalize");
    MPI_Finalize();
    return wall_seconds() - begin;
}

/* Time to wait before an abort: some launchers drop output that they have not passed on yet. */
#define FAREWELL_MICROSECONDS 100000

void comm_abort(int status)
{
    usleep(FAREWELL_MICROSECONDS);
    MPI_Abort(MPI_COMM_WORLD, status);
    _exit(status);
}

bool comm_claim(void)
{
    return !claimed || atomic_exchange(claimed, 1) == 0;
}

int comm_pe(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int comm_pes(void)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

static int tag_of(const struct link_end *end)
{
    return end->port + (end->world ? 0 : LINK_PORTS);
}

static void wait_for(MPI_Request *request)
{
    int done = 0;
    for (unsigned turn = 0; MPI_Test(request, &done, MPI_STATUS_IGNORE), !done; turn++)
        comm_yield(turn);
}

static void send_message(int to, int tag, const void *data, size_t bytes)
{
    MPI_Request request;
    MPI_Isend(data, (int)bytes, MPI_BYTE, to, tag, engine_comm, &request);
    wait_for(&request);
}

static void receive_message(int from, int tag, void *data, size_t bytes)
{
    MPI_Request request;
    MPI_Irecv(data, (int)bytes, MPI_BYTE, from, tag, engine_comm, &request);
    wait_for(&request);
}

void link_send(int to_pe, const struct link_end *end, bool first, const void *data, size_t bytes)
{
    (void)first; /* MPI orders messages of one pair and tag, and buffers them */
    send_message(to_pe, tag_of(end), data, bytes);
}

void link_receive(int from_pe, const struct link_end *end, void *data, size_t bytes)
{
    /* Receive into a full chunk, whatever size is expected: PEs at different places of the script
     * send other sizes, and the engine can only report that if the message arrives. */
    static char chunk[LINK_CHUNK];
    receive_message(from_pe, tag_of(end), chunk, sizeof chunk);
    if (bytes)
        memcpy(data, chunk, bytes);
}

static int signal_tag(bool world, int round)
{
    return SIGNAL_TAG + round + (world ? 0 : LINK_CHILDREN);
}

void link_signal(int to_pe, bool world, int round, int64_t number)
{
    (void)number; /* MPI keeps the order */
    send_message(to_pe, signal_tag(world, round), NULL, 0);
}

void link_await_signal(int from_pe, bool world, int round, int64_t number)
{
    (void)number;
    receive_message(from_pe, signal_tag(world, round), NULL, 0);
}

void comm_word_send(int to_pe, enum comm_word channel, int64_t word)
{
    send_message(to_pe, WORD_TAG + (int)channel, &word, sizeof word);
}

int64_t comm_word_receive(enum comm_word channel)
{
    int64_t word;
    receive_message(MPI_ANY_SOURCE, WORD_TAG + (int)channel, &word, sizeof word);
    return word;
}

bool comm_word_is(enum comm_word channel, int64_t word)
{
    int there;
    (void)word; /* no message comes twice */
    MPI_Iprobe(MPI_ANY_SOURCE, WORD_TAG + (int)channel, engine_comm, &there, MPI_STATUS_IGNORE);
    return there;
}

int64_t link_hand_over_begin(int partner, int lane, int64_t mine)
{
    int tag = HAND_OVER_TAG + lane;
    long own = mine, theirs;
    MPI_Send(&own, 1, MPI_LONG, partner, tag, engine_comm);
    MPI_Recv(&theirs, 1, MPI_LONG, partner, tag, engine_comm, MPI_STATUS_IGNORE);
    return theirs;
}

void link_hand_over(int partner, int lane, long from, int trips)
{
    int tag = HAND_OVER_TAG + lane;
    for (long number = from, answer; number < from + trips; number++) {
        MPI_Send(&number, 1, MPI_LONG, partner, tag, engine_comm);
        MPI_Recv(&answer, 1, MPI_LONG, partner, tag, engine_comm, MPI_STATUS_IGNORE);
    }
}

void link_hand_over_stop(int partner, int lane)
{
    long stop = HAND_OVER_STOP;
    MPI_Send(&stop, 1, MPI_LONG, partner, HAND_OVER_TAG + lane, engine_comm);
}

int64_t link_hand_over_echo(int partner, int lane, int64_t mine)
{
    int tag = HAND_OVER_TAG + lane;
    long own = mine, theirs, word;
    MPI_Recv(&theirs, 1, MPI_LONG, partner, tag, engine_comm, MPI_STATUS_IGNORE);
    MPI_Send(&own, 1, MPI_LONG, partner, tag, engine_comm);
    for (;;) {
        MPI_Recv(&word, 1, MPI_LONG, partner, tag, engine_comm, MPI_STATUS_IGNORE);
        if (word == HAND_OVER_STOP)
            break;
        MPI_Send(&word, 1, MPI_LONG, partner, tag, engine_comm);
    }
    return theirs;
}

void comm_poll(void)
{
    int flag;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, engine_comm, &flag, MPI_STATUS_IGNORE);
}

void comm_quiet(void)
{
    /* Sends are waited for one by one. */
}

void *comm_allocate(size_t bytes)
{
    return aligned_alloc(COMM_PAGE, (bytes + COMM_PAGE - 1) / COMM_PAGE * COMM_PAGE);
}

void comm_free(void *memory)
{
    free(memory);
}

const char *comm_library(void)
{
    static char text[MPI_MAX_LIBRARY_VERSION_STRING + 64];
    char name[MPI_MAX_LIBRARY_VERSION_STRING];
    int length, major, minor;
    MPI_Get_library_version(name, &length);
    name[strcspn(name, "\n,")] = '\0';
    /* "MPICH Version:\t4.0.2": name and number are enough. */
    char *word = strstr(name, " Version:");
    if (word)
        memmove(word, word + strlen(" Version:"), strlen(word + strlen(" Version:")) + 1);
    for (char *c = name; *c; c++)
        if (*c == '\t')
            *c = ' ';
    MPI_Get_version(&major, &minor);
    snprintf(text, sizeof text, "MPI %d.%d (%s)", major, minor, name);
    return text;
}

bool comm_has_shmem(int *major, int *minor)
{
    *major = *minor = 0;
    return false;
}

bool comm_has_mpi(int *major, int *minor)
{
    *major = MPI_VERSION;
    *minor = MPI_SUBVERSION;
    return true;
}

#else
typedef int comm_mpi_absent; /* ISO C wants a declaration */
#endif
