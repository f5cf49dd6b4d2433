/*
 * Calls a collective, "called bcast FILE", or all, with messages of several sizes. Before each call
 * it notes in the file "bcast 1024", and behind it the algorithm and a new line. Which one that is
 * only truth/network_mpi/called.c sees, with which it is linked for Open MPI (-DSPIED); else it
 * says "-". It is a file since a launcher may lose what is printed by a program that crashes.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef SPIED
#include "../../truth/network_mpi/called.h"
#else
static const char *called;
#endif

static const char *const collectives[] = {"allgather",
                                          "allgatherv",
                                          "allreduce",
                                          "alltoall",
                                          "alltoallv",
                                          "barrier",
                                          "bcast",
                                          "gather",
                                          "reduce",
                                          "reduce_scatter",
                                          "reduce_scatter_block",
                                          "scatter"};

enum { LARGEST = 4096, MOST_PROCESSES = 16 };

static char out[MOST_PROCESSES * LARGEST], in[MOST_PROCESSES * LARGEST];

static void call(const char *name, int bytes, int size)
{
    const MPI_Comm all = MPI_COMM_WORLD;
    int blocks[MOST_PROCESSES], parts[MOST_PROCESSES], places[MOST_PROCESSES];
    for (int i = 0; i < size; i++) {
        blocks[i] = bytes;
        parts[i] = bytes / size;
        places[i] = i * bytes;
    }
    if (strcmp(name, "bcast") == 0)
        MPI_Bcast(out, bytes, MPI_BYTE, 0, all);
    else if (strcmp(name, "reduce") == 0)
        MPI_Reduce(out, in, bytes, MPI_BYTE, MPI_BOR, 0, all);
    else if (strcmp(name, "allreduce") == 0)
        MPI_Allreduce(out, in, bytes, MPI_BYTE, MPI_BOR, all);
    else if (strcmp(name, "allgather") == 0)
        MPI_Allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, all);
    else if (strcmp(name, "allgatherv") == 0)
        MPI_Allgatherv(out, bytes, MPI_BYTE, in, blocks, places, MPI_BYTE, all);
    else if (strcmp(name, "alltoall") == 0)
        MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, all);
    else if (strcmp(name, "alltoallv") == 0)
        MPI_Alltoallv(out, blocks, places, MPI_BYTE, in, blocks, places, MPI_BYTE, all);
    else if (strcmp(name, "barrier") == 0)
        MPI_Barrier(all);
    else if (strcmp(name, "gather") == 0)
        MPI_Gather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, all);
    else if (strcmp(name, "scatter") == 0)
        MPI_Scatter(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, all);
    else if (strcmp(name, "reduce_scatter") == 0)
        MPI_Reduce_scatter(out, in, parts, MPI_BYTE, MPI_BOR, all);
    else
        MPI_Reduce_scatter_block(out, in, bytes, MPI_BYTE, MPI_BOR, all);
}

/* Until process 0 has noted the size: another one may crash at once. */
static void wait_for_first(int rank, int size)
{
    int nothing = 0;
    if (rank > 0)
        MPI_Recv(&nothing, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int to = 1; rank == 0 && to < size; to++)
        MPI_Send(&nothing, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {8, 248, 256, 1016, 1024, 4096};
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    FILE *file = fopen(rank == 0 ? argv[2] : "/dev/null", "w");
    if (!file)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t which = 0; which < sizeof collectives / sizeof *collectives; which++) {
            const char *name = collectives[which];
            if (strcmp(argv[1], "all") != 0 && strcmp(argv[1], name) != 0)
                continue;
            fprintf(file, "%s %d", name, sizes[i]);
            fflush(file);
            wait_for_first(rank, size);
            called = NULL;
            call(name, sizes[i], size);
            fprintf(file, " %s\n", called ? called : "-");
        }
    fclose(file);
    MPI_Finalize();
    return 0;
}
