/*
 * Open MPI's component tuned calls algorithms by names that its library exports, so a program or
 * preloaded library that has these names is called first. It notes the name, and calls the real
 * one.
 */
#define _GNU_SOURCE
#include "called.h"

#include <dlfcn.h>
#include <stddef.h>

const char *called;

#pragma GCC visibility push(default)

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
SPY(allgather, bruck)
SPY(allgather, neighborexchange)
SPY(allgather, recursivedoubling)
SPY(allgather, ring)
SPY(allgather, two_procs)
SPY(allgatherv, basic_default)
SPY(allgatherv, bruck)
SPY(allgatherv, neighborexchange)
SPY(allgatherv, ring)
SPY(allgatherv, two_procs)
SPY(allreduce, basic_linear)
SPY(allreduce, nonoverlapping)
SPY(allreduce, recursivedoubling)
SPY(allreduce, redscat_allgather)
SPY(allreduce, ring)
SPY(allreduce, ring_segmented)
SPY(alltoall, basic_linear)
SPY(alltoall, bruck)
SPY(alltoall, linear_sync)
SPY(alltoall, pairwise)
SPY(alltoall, two_procs)
SPY(alltoallv, basic_linear)
SPY(alltoallv, pairwise)
SPY(barrier, basic_linear)
SPY(barrier, bruck)
SPY(barrier, doublering)
SPY(barrier, recursivedoubling)
SPY(barrier, tree)
SPY(barrier, two_procs)
SPY(bcast, basic_linear)
SPY(bcast, binomial)
SPY(bcast, bintree)
SPY(bcast, chain)
SPY(bcast, knomial)
SPY(bcast, pipeline)
SPY(bcast, scatter_allgather)
SPY(bcast, scatter_allgather_ring)
SPY(bcast, split_bintree)
SPY(gather, basic_linear)
SPY(gather, binomial)
SPY(gather, linear_sync)
SPY(reduce, basic_linear)
SPY(reduce, binary)
SPY(reduce, binomial)
SPY(reduce, chain)
SPY(reduce, in_order_binary)
SPY(reduce, pipeline)
SPY(reduce, redscat_gather)
SPY(reduce_scatter, basic_recursivehalving)
SPY(reduce_scatter, butterfly)
SPY(reduce_scatter, nonoverlapping)
SPY(reduce_scatter, ring)
SPY(reduce_scatter_block, basic_linear)
SPY(reduce_scatter_block, butterfly)
SPY(reduce_scatter_block, recursivedoubling)
SPY(reduce_scatter_block, recursivehalving)
SPY(scatter, basic_linear)
SPY(scatter, binomial)
SPY(scatter, linear_nb)
