/*
 * Says which algorithm Open MPI calls for collectives of several sizes: "bcast 1024 basic_linear" a
 * line. The component tuned calls algorithms by names that other libraries export, so a program
 * that has these names is called first.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LARGEST = 4096, MOST_PROCESSES = 16 };

static const char *called;

/* All have at most 12 arguments, which are numbers and pointers. */
#define ARGUMENTS                                                                                  \
    long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k, long l
#define SPY(collective, algorithm)                                                                 \
    int ompi_coll_base_##collective##_intra_##algorithm(ARGUMENTS);                                \
    int ompi_coll_base_##collective##_intra_##algorithm(ARGUMENTS)                                 \
    {                                                                                              \
        int (*real)(ARGUMENTS) = (int (*)(ARGUMENTS))(long)dlsym(                                  \
            RTLD_NEXT, "ompi_coll_base_" #collective "_intra_" #algorithm);                        \
        called = called ? called : #algorithm;                                                     \
        return real(a, b, c, d, e, f, g, h, i, j, k, l);                                           \
    }

SPY(allgather, basic_linear)
SPY(allgather, ring)
SPY(allgatherv, basic_default)
SPY(allgatherv, ring)
SPY(allreduce, basic_linear)
SPY(allreduce, ring)
SPY(alltoall, basic_linear)
SPY(alltoall, pairwise)
SPY(alltoallv, basic_linear)
SPY(alltoallv, pairwise)
SPY(barrier, basic_linear)
SPY(barrier, bruck)
SPY(bcast, basic_linear)
SPY(bcast, binomial)
SPY(gather, basic_linear)
SPY(gather, binomial)
SPY(reduce, basic_linear)
SPY(reduce, binomial)
SPY(reduce_scatter, nonoverlapping)
SPY(reduce_scatter, ring)
SPY(reduce_scatter_block, recursivedoubling)
SPY(reduce_scatter_block, butterfly)
SPY(scatter, basic_linear)
SPY(scatter, binomial)

#define SHOW(collective, call)                                                                     \
    called = NULL;                                                                                 \
    call;                                                                                          \
    if (rank == size - 1)                                                                          \
    printf("%s %d %s\n", #collective, bytes, called ? called : "-")

int main(int argc, char **argv)
{
    int rank, size, counts[MOST_PROCESSES], places[MOST_PROCESSES], shares[MOST_PROCESSES];
    MPI_Comm all = MPI_COMM_WORLD;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    char *from = calloc(MOST_PROCESSES, LARGEST), *to = calloc(MOST_PROCESSES, LARGEST);
    for (int bytes = 32; bytes <= LARGEST; bytes *= 2) {
        int n = bytes / (int)sizeof(int);
        for (int i = 0; i < size; i++) {
            counts[i] = n;
            places[i] = i * n;
            shares[i] = n / size;
        }
        SHOW(allgather, MPI_Allgather(from, n, MPI_INT, to, n, MPI_INT, all));
        SHOW(allgatherv, MPI_Allgatherv(from, n, MPI_INT, to, counts, places, MPI_INT, all));
        SHOW(allreduce, MPI_Allreduce(from, to, n, MPI_INT, MPI_SUM, all));
        SHOW(alltoall, MPI_Alltoall(from, n, MPI_INT, to, n, MPI_INT, all));
        SHOW(alltoallv,
             MPI_Alltoallv(from, counts, places, MPI_INT, to, counts, places, MPI_INT, all));
        SHOW(barrier, MPI_Barrier(all));
        SHOW(bcast, MPI_Bcast(from, n, MPI_INT, 0, all));
        SHOW(gather, MPI_Gather(from, n, MPI_INT, to, n, MPI_INT, 0, all));
        SHOW(reduce, MPI_Reduce(from, to, n, MPI_INT, MPI_SUM, 0, all));
        SHOW(reduce_scatter, MPI_Reduce_scatter(from, to, shares, MPI_INT, MPI_SUM, all));
        SHOW(reduce_scatter_block, MPI_Reduce_scatter_block(from, to, n, MPI_INT, MPI_SUM, all));
        SHOW(scatter, MPI_Scatter(from, n, MPI_INT, to, n, MPI_INT, 0, all));
    }
    free(from);
    free(to);
    MPI_Finalize();
    return 0;
}
