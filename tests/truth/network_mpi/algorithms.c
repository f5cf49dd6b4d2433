/*
 * Broadcasts and reductions to all of Open MPI whose algorithms have programmed costs, by the
 * simulated clock of the programmed network of OpenSHMEM (../network), with which this file is
 * linked. Open MPI decides which algorithm it calls, and moves the data; called.c sees which one
 * that is. SKAMPI_ALGORITHMS names a file with a line for each algorithm:
 *
 *   COLLECTIVE NAME START BYTE   all leave START + BYTE times the size, in ns, after the last one
 *                                entered. SIZE FACTOR behind it: messages of this size take FACTOR
 *                                times as long where a rules file is set.
 *   COLLECTIVE NAME crash        the last process ends by a signal
 *   COLLECTIVE NAME hang         nobody returns
 *   COLLECTIVE NAME wrong        the last process gets a wrong first byte
 *
 * Algorithms without a line cost nothing. The costs have the noise of the network; those of a
 * launch share one more factor of that kind. SKAMPI_ALGORITHMS_LAUNCH, any text, seeds all this.
 */
#define _GNU_SOURCE
#include "../network/network.h"
#include "called.h"

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#pragma GCC visibility push(default)

#define RULES "OMPI_MCA_coll_tuned_dynamic_rules_filename"

enum { MOST_ALGORITHMS = 100, WORD = 32 };

static struct algorithm {
    char collective[WORD], name[WORD], kind[WORD];
    double start, byte, factor;
    size_t size; /* to which the factor applies */
} algorithms[MOST_ALGORITHMS];
static int count;
static double launch_factor;

__attribute__((constructor)) static void begin_algorithms(void)
{
    const char *path = getenv("SKAMPI_ALGORITHMS"), *launch = getenv("SKAMPI_ALGORITHMS_LAUNCH");
    FILE *file = path ? fopen(path, "r") : NULL;
    if (!file)
        return;
    char line[4 * WORD], seed[WORD];
    while (count < MOST_ALGORITHMS && fgets(line, sizeof line, file)) {
        struct algorithm *one = &algorithms[count++];
        if (sscanf(line, "%31s %31s %31s", one->collective, one->name, one->kind) != 3)
            die("not COLLECTIVE NAME COST", line);
        sscanf(line, "%*s %*s %lf %lf %zu %lf", &one->start, &one->byte, &one->size, &one->factor);
    }
    fclose(file);
    unsigned number = 1;
    for (const char *at = launch ? launch : ""; *at != '\0'; at++)
        number = 31 * number + (unsigned char)*at;
    snprintf(seed, sizeof seed, "%u", number % 1000000);
    noise_seed(seed);
}

/* What the call has been programmed for; NULL: nothing. */
static const struct algorithm *algorithm_of(const char *collective)
{
    for (int i = 0; called && i < count; i++)
        if (strcmp(algorithms[i].collective, collective) == 0 &&
            strcmp(algorithms[i].name, called) == 0)
            return &algorithms[i];
    return NULL;
}

static void break_down(const char *kind, bool last, char *data, size_t bytes)
{
    if (strcmp(kind, "hang") == 0)
        for (;;)
            pause();
    if (strcmp(kind, "crash") == 0 && last) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        signal(SIGABRT, SIG_DFL);
        abort();
    }
    if (strcmp(kind, "wrong") == 0 && last && bytes > 0)
        data[0] ^= 1;
}

/* Behind the real call. */
static void finish(struct call call, const char *collective, void *data, size_t bytes,
                   MPI_Comm comm)
{
    const struct algorithm *one = algorithm_of(collective);
    int rank, size;
    if (call.entry != 0 && one) {
        PMPI_Comm_rank(comm, &rank);
        PMPI_Comm_size(comm, &size);
        break_down(one->kind, rank == size - 1, data, bytes);
        if (launch_factor == 0)
            launch_factor = network.factor;
        double ns = (one->start + one->byte * (double)bytes) * launch_factor * network.factor;
        if (one->factor > 0 && bytes == one->size && getenv(RULES))
            ns *= one->factor;
        int64_t own[] = {call.entry, (int64_t)ns}, all[2];
        PMPI_Allreduce(own, all, 2, MPI_INT64_T, MPI_MAX, comm);
        busy_until(COST_BROADCAST, all[0] + all[1]);
    }
    call_leave();
}

static size_t bytes_of(int elements, MPI_Datatype type)
{
    int size;
    PMPI_Type_size(type, &size);
    return (size_t)elements * (size_t)size;
}

int MPI_Bcast(void *buffer, int elements, MPI_Datatype type, int root, MPI_Comm comm)
{
    struct call call = call_enter();
    called = NULL;
    int code = PMPI_Bcast(buffer, elements, type, root, comm);
    finish(call, "bcast", buffer, bytes_of(elements, type), comm);
    return code;
}

int MPI_Allreduce(const void *from, void *to, int elements, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    struct call call = call_enter();
    called = NULL;
    int code = PMPI_Allreduce(from, to, elements, type, op, comm);
    finish(call, "allreduce", to, bytes_of(elements, type), comm);
    return code;
}
