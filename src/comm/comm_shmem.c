/*
 * Links over OpenSHMEM: each port is a block of symmetric memory that the sender puts into.
 *
 * A put is complete only after a quiet. Until then the library may store its data a second time:
 * inside a node UCX copies with memcpy, and glibc's memcpy stores 8 bytes twice. If the sender
 * loses its processor between the two stores, the second one undoes what the receiver has written
 * meanwhile. Therefore memory that can be reached directly is written by single stores.
 */
#define _GNU_SOURCE /* dl_iterate_phdr, RTLD_NODELETE */
#include "comm/library.h"
#include "comm/link.h"

#if SKAMPI_SHMEM

#include <dlfcn.h>
#include <link.h>
#include <math.h>
#include <shmem.h>
#if SKAMPI_MPI
#include <mpi.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct port {
    int64_t number; /* of the message in payload, written last */
    int64_t pad[7]; /* a cache line apart from the payload */
    unsigned char payload[LINK_CHUNK];
};

struct ports {
    struct port port[LINK_PORTS];
    int64_t ack[LINK_PORTS]; /* the highest number that the receiver has taken */
    int64_t signal[LINK_CHILDREN];
};

/* A word that is handed over, alone in its cache line. */
struct lane {
    int64_t word;
    int64_t pad[15];
};

struct symmetric_memory {
    struct ports ports[2]; /* of sets, of the world */
    struct lane library[COMM_HAND_OVER_LANES];
    int64_t word[2]; /* by channel */
    long claimed;
};

static struct symmetric_memory *symmetric; /* one per process, as the library */
static void (*progress)(void); /* the library's own function for it; NULL: it exports none */
static int64_t direct_number;

/* Open MPI up to 4.1.5 unloads mca_spml_ucx in shmem_finalize and jumps into it afterwards (issue
 * 11604): keep it loaded. */
static int pin_component(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    if (strstr(info->dlpi_name, "mca_spml_ucx"))
        dlopen(info->dlpi_name, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
    return 0;
}

bool link_attach(void)
{
    void *symbol = dlsym(RTLD_DEFAULT, "opal_progress");
    memcpy(&progress, &symbol, sizeof progress); /* ISO C has no cast between these */
    symmetric = shmem_align(COMM_PAGE, sizeof *symmetric);
    if (!symmetric)
        return false;
    memset(symmetric, 0, sizeof *symmetric);
    shmem_barrier_all();
    return true;
}

#if SKAMPI_MPI
static void start_mpi(int *argc, char ***argv)
{
    int provided;
    process_enter("MPI_Init");
    if (process_threads() == THREADS_NOT_ASKED)
        MPI_Init(argc, argv);
    else
        MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
}
#endif

static void start_shmem(void)
{
    int provided = SHMEM_THREAD_SINGLE;
    process_enter("shmem_init");
    if (process_threads() == THREADS_NOT_ASKED) {
        shmem_init();
        return;
    }
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    process_set_threads(provided == SHMEM_THREAD_MULTIPLE ? THREADS_GIVEN : THREADS_REFUSED);
}

/* Times the first get of this process, which connects two PEs in some libraries, and one more. The
 * other PE is in a call meanwhile, and serves it. By a routine that nothing else here calls. */
static void time_first_gets(double gets[2])
{
    int pes = shmem_n_pes(); /* a broken library may say 0, which is reported later */
    for (int i = 0; i < 2; i++) {
        gets[i] = NAN;
        if (pes < 2)
            continue;
        double begin = wall_seconds();
        (void)shmem_long_g(&symmetric->claimed, (shmem_my_pe() + 1) % pes);
        gets[i] = wall_seconds() - begin;
        shmem_barrier_all();
    }
}

size_t link_start(int *argc, char ***argv, struct library_start *cost)
{
    cost->resident_before = resident_bytes();
    double begin = wall_seconds();
#if SKAMPI_MPI
    /* In this order: Open MPI aborts when MPI is initialized after OpenSHMEM. */
    start_mpi(argc, argv);
    cost->mpi = wall_seconds() - begin;
    begin += cost->mpi;
#else
    (void)argc;
    (void)argv;
    cost->mpi = NAN;
#endif
    start_shmem();
    cost->shmem = wall_seconds() - begin;
    cost->resident_after = resident_bytes();
    process_enter("the library's first barrier");
    if (!link_attach())
        return sizeof *symmetric;
    time_first_gets(cost->gets);
    return 0;
}

void link_detach(void)
{
    shmem_free(symmetric);
}

void comm_steady(void)
{
    dl_iterate_phdr(pin_component, NULL);
}

double link_finish(void)
{
    link_detach();
    comm_steady();
    double begin = wall_seconds();
    process_enter("shmem_finalize");
    shmem_finalize();
#if SKAMPI_MPI
    int finalized;
    process_enter("MPI_Finalize");
    MPI_Finalized(&finalized);
    if (!finalized)
        MPI_Finalize();
#endif
    return wall_seconds() - begin;
}

void comm_abort(int status)
{
    shmem_global_exit(status);
    _exit(status);
}

bool comm_claim(void)
{
    return shmem_long_atomic_fetch_inc(&symmetric->claimed, 0) == 0;
}

int comm_pe(void)
{
    return shmem_my_pe();
}

int comm_pes(void)
{
    return shmem_n_pes();
}

/* shmem_test alone makes no progress in some libraries, and wait_until never yields. */
static void wait_for(int64_t *flag, int comparison, int64_t value)
{
    for (unsigned turn = 0; !shmem_int64_test(flag, comparison, value); turn++) {
        comm_poll();
        comm_yield(turn);
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

/* Puts a word. A payload that was put to the PE before, and fenced, arrives before the word. */
static void put_word(int64_t *word, int64_t value, int pe)
{
    int64_t *there = shmem_ptr(word, pe);
    if (there)
        __atomic_store_n(there, value, __ATOMIC_RELEASE);
    else
        shmem_int64_p(word, value, pe);
}

void link_send(int to_pe, const struct link_end *end, bool first, const void *data, size_t bytes)
{
    struct ports *ports = &symmetric->ports[end->world];
    struct port *port = &ports->port[end->port];
    int64_t number = end->number;
    if (end->port == LINK_DIRECT) {
        /* Wait until the receiver is ready; its word is the number of the message. */
        wait_for(&ports->ack[LINK_DIRECT], SHMEM_CMP_NE, 0);
        number = ports->ack[LINK_DIRECT];
        ports->ack[LINK_DIRECT] = 0;
    } else if (!first) {
        wait_for(&ports->ack[end->ack], SHMEM_CMP_GE, number - 1);
    }
    unsigned char *there = bytes ? shmem_ptr(port->payload, to_pe) : NULL;
    if (there) {
        memcpy(there, data, bytes);
    } else if (bytes) {
        shmem_putmem(port->payload, data, bytes, to_pe);
        shmem_fence();
    }
    put_word(&port->number, number, to_pe);
}

void link_receive(int from_pe, const struct link_end *end, void *data, size_t bytes)
{
    struct ports *ports = &symmetric->ports[end->world];
    struct port *port = &ports->port[end->port];
    int64_t number = end->number;
    if (end->port == LINK_DIRECT) {
        number = ++direct_number;
        put_word(&ports->ack[LINK_DIRECT], number, from_pe);
    }
    wait_for(&port->number, SHMEM_CMP_EQ, number);
    if (bytes)
        memcpy(data, port->payload, bytes);
    if (end->port != LINK_DIRECT)
        put_word(&ports->ack[end->ack], number, from_pe);
}

void link_signal(int to_pe, bool world, int round, int64_t number)
{
    put_word(&symmetric->ports[world].signal[round], number, to_pe);
}

void link_await_signal(int from_pe, bool world, int round, int64_t number)
{
    (void)from_pe;
    wait_for(&symmetric->ports[world].signal[round], SHMEM_CMP_GE, number);
}

void comm_word_send(int to_pe, enum comm_word channel, int64_t word)
{
    put_word(&symmetric->word[channel], word, to_pe);
}

int64_t comm_word_receive(enum comm_word channel)
{
    wait_for(&symmetric->word[channel], SHMEM_CMP_NE, 0);
    int64_t word = symmetric->word[channel];
    symmetric->word[channel] = 0;
    return word;
}

bool comm_word_is(enum comm_word channel, int64_t word)
{
    return __atomic_load_n(&symmetric->word[channel], __ATOMIC_ACQUIRE) == word;
}

int64_t link_hand_over_begin(int partner, int lane, int64_t mine)
{
    int64_t *word = &symmetric->library[lane].word;
    put_word(word, mine, partner);
    shmem_int64_wait_until(word, SHMEM_CMP_NE, HAND_OVER_NOTHING);
    return *word;
}

void link_hand_over(int partner, int lane, long from, int trips)
{
    int64_t *word = &symmetric->library[lane].word;
    for (int64_t number = from; number < from + trips; number++) {
        shmem_int64_p(word, number, partner);
        shmem_int64_wait_until(word, SHMEM_CMP_EQ, number);
    }
}

/* The library may store a number of the other PE again until that PE has confirmed the stop. */
void link_hand_over_stop(int partner, int lane)
{
    int64_t *word = &symmetric->library[lane].word;
    put_word(word, HAND_OVER_STOP, partner);
    shmem_int64_wait_until(word, SHMEM_CMP_EQ, HAND_OVER_STOP);
    *word = HAND_OVER_NOTHING;
}

int64_t link_hand_over_echo(int partner, int lane, int64_t mine)
{
    int64_t *word = &symmetric->library[lane].word;
    shmem_int64_wait_until(word, SHMEM_CMP_NE, HAND_OVER_NOTHING);
    int64_t last = *word, theirs = last;
    put_word(word, mine, partner);
    for (;;) {
        shmem_int64_wait_until(word, SHMEM_CMP_NE, last);
        last = *word;
        if (last == HAND_OVER_STOP)
            break;
        shmem_int64_p(word, last, partner);
    }
    *word = HAND_OVER_NOTHING;
    put_word(word, HAND_OVER_STOP, partner);
    return theirs;
}

void comm_poll(void)
{
    if (progress) {
        progress();
        return;
    }
#if SKAMPI_MPI
    int flag;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
#else
    /* A blocking operation on another PE makes any library progress. A single PE uses its own
     * memory. */
    shmem_int64_g(&symmetric->word[0], (shmem_my_pe() + 1) % shmem_n_pes());
#endif
}

void comm_quiet(void)
{
    shmem_quiet();
}

void *comm_allocate(size_t bytes)
{
    return shmem_align(COMM_PAGE, bytes);
}

void comm_free(void *memory)
{
    if (memory)
        shmem_free(memory);
}

/* What OpenSHMEM's own inquiry says of Open MPI is an address without a version, on which known
 * defects depend. */
static void get_name(char name[SHMEM_MAX_NAME_LEN])
{
    shmem_info_get_name(name);
#ifdef OSHMEM_RELEASE_VERSION
    snprintf(name, SHMEM_MAX_NAME_LEN, "Open MPI %d.%d.%d", OSHMEM_MAJOR_VERSION,
             OSHMEM_MINOR_VERSION, OSHMEM_RELEASE_VERSION);
#endif
#if defined OSHMEM_RELEASE_VERSION && SKAMPI_MPI
    /* The library that is really loaded knows better than the header. */
    char text[MPI_MAX_LIBRARY_VERSION_STRING], version[32];
    int length;
    MPI_Get_library_version(text, &length);
    if (sscanf(text, "Open MPI v%31[0-9.]", version) == 1)
        snprintf(name, SHMEM_MAX_NAME_LEN, "Open MPI %s", version);
#endif
}

const char *comm_library(void)
{
    static char text[SHMEM_MAX_NAME_LEN + 64];
    char name[SHMEM_MAX_NAME_LEN];
    int major, minor;
    if (*text)
        return text;
    get_name(name);
    shmem_info_get_version(&major, &minor);
    int length = snprintf(text, sizeof text, "OpenSHMEM %d.%d", major, minor);
#if SKAMPI_MPI
    MPI_Get_version(&major, &minor);
    length += snprintf(text + length, sizeof text - (size_t)length, ", MPI %d.%d", major, minor);
#endif
    snprintf(text + length, sizeof text - (size_t)length, " (%s)", name);
    return text;
}

bool comm_has_shmem(int *major, int *minor)
{
    *major = SHMEM_MAJOR_VERSION;
    *minor = SHMEM_MINOR_VERSION;
    return true;
}

bool comm_has_mpi(int *major, int *minor)
{
#if SKAMPI_MPI
    *major = MPI_VERSION;
    *minor = MPI_SUBVERSION;
    return true;
#else
    *major = *minor = 0;
    return false;
#endif
}

#else
typedef int comm_shmem_absent; /* ISO C wants a declaration */
#endif
