/*
 * Calls a collective, "called bcast FILE", with messages of several sizes, and notes each of them
 * in the file before; 0 at the end. A launcher may lose what is printed by a program that crashes.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        fprintf(file, "%d\n", sizes[i]);
        fflush(file);
        wait_for_first(rank, size);
        call(argv[1], sizes[i], size);
    }
    fputs("0\n", file);
    fclose(file);
    MPI_Finalize();
    return 0;
}
