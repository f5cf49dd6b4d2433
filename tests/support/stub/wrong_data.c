/*
 * Preloaded: a library that moves data wrongly, but says nothing. What it does is in SKAMPI_WRONG:
 *
 *   ROUTINE KIND FIRST LAST
 *
 * From the FIRST call of that routine with SIZE bytes (or elements) to the LAST one, KIND: "drop",
 * the call does nothing; "flip", a bit of its data is another one; "long", 8 bytes too many are
 * written. Only calls of one size count, so that those which the engine makes for itself are not
 * among them.
 */
#define _GNU_SOURCE
#include "preloaded.h"

#include <stdio.h>

#if SKAMPI_SHMEM
#include <shmem.h>
#endif
#if SKAMPI_MPI
#include <mpi.h>
#endif

#define SIZE 1000
#define TOO_MANY 8

enum kind { RIGHT, DROP, FLIP, LONG };

/* What this call of the routine is to do. */
static enum kind kind_of(const char *routine, size_t size)
{
    static char chosen[64], kind[16];
    static long first, last, calls;
    const char *text = getenv("SKAMPI_WRONG");
    if (first == 0 && text)
        sscanf(text, "%63s %15s %ld %ld", chosen, kind, &first, &last);
    if (strcmp(chosen, routine) != 0 || size != SIZE)
        return RIGHT;
    calls++;
    if (calls < first || calls > last)
        return RIGHT;
    return kind[0] == 'd' ? DROP : kind[0] == 'f' ? FLIP : LONG;
}

/* A copy of the data in which one bit is wrong. */
static const void *flipped(const void *data)
{
    static unsigned char copy[SIZE];
    memcpy(copy, data, SIZE);
    copy[SIZE / 2] ^= 0x10;
    return copy;
}

static void flip(void *data)
{
    ((unsigned char *)data)[SIZE / 2] ^= 0x10;
}

#if SKAMPI_SHMEM

#define PUT(name)                                                                                  \
    void name(void *target, const void *source, size_t bytes, int pe)                              \
    {                                                                                              \
        REAL(void, #name, (void *, const void *, size_t, int));                                    \
        enum kind kind = kind_of(#name, bytes);                                                    \
        if (kind == DROP)                                                                          \
            return;                                                                                \
        real(target, kind == FLIP ? flipped(source) : source,                                      \
             bytes + (kind == LONG ? TOO_MANY : 0), pe);                                           \
        if (kind == FLIP)                                                                          \
            shmem_quiet();                                                                         \
    }
#define GET(name)                                                                                  \
    void name(void *target, const void *source, size_t bytes, int pe)                              \
    {                                                                                              \
        REAL(void, #name, (void *, const void *, size_t, int));                                    \
        enum kind kind = kind_of(#name, bytes);                                                    \
        if (kind == DROP)                                                                          \
            return;                                                                                \
        real(target, source, bytes + (kind == LONG ? TOO_MANY : 0), pe);                           \
        if (kind != FLIP)                                                                          \
            return;                                                                                \
        shmem_quiet();                                                                             \
        flip(target);                                                                              \
    }

PUT(shmem_putmem)
PUT(shmem_putmem_nbi)
GET(shmem_getmem)
GET(shmem_getmem_nbi)

/* Of ints: one size fits all. */
void shmem_int_atomic_add(int *target, int value, int pe)
{
    REAL(void, "shmem_int_atomic_add", (int *, int, int));
    enum kind kind = kind_of("shmem_int_atomic_add", SIZE);
    if (kind != DROP)
        real(target, value ^ (kind == FLIP ? 8 : 0), pe);
}

int shmem_int_atomic_fetch_inc(int *target, int pe)
{
    REAL(int, "shmem_int_atomic_fetch_inc", (int *, int));
    enum kind kind = kind_of("shmem_int_atomic_fetch_inc", SIZE);
    return kind == DROP ? 0 : real(target, pe) ^ (kind == FLIP ? 8 : 0);
}

void shmem_broadcast32(void *target, const void *source, size_t elements, int root, int start,
                       int stride, int size, long *sync)
{
    REAL(void, "shmem_broadcast32", (void *, const void *, size_t, int, int, int, int, long *));
    enum kind kind = kind_of("shmem_broadcast32", 4 * elements);
    if (kind == DROP)
        return;
    real(target, source, elements + (kind == LONG ? TOO_MANY / 4 : 0), root, start, stride, size,
         sync);
    if (kind == FLIP)
        flip(target);
}

void shmem_int_sum_to_all(int *target, const int *source, int elements, int start, int stride,
                          int size, int *work, long *sync)
{
    REAL(void, "shmem_int_sum_to_all", (int *, const int *, int, int, int, int, int *, long *));
    enum kind kind = kind_of("shmem_int_sum_to_all", 4 * (size_t)elements);
    if (kind == DROP)
        return;
    real(target, source, elements, start, stride, size, work, sync);
    if (kind == FLIP)
        flip(target);
    if (kind == LONG)
        memset(target + elements, 0, TOO_MANY);
}

#endif
#if SKAMPI_MPI

/* All ranks call it equally often. */
int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int bytes, rank;
    PMPI_Type_size(type, &bytes);
    PMPI_Comm_rank(comm, &rank);
    enum kind kind = kind_of("MPI_Bcast", (size_t)bytes * (size_t)count);
    if (kind == DROP)
        return MPI_SUCCESS;
    int code = PMPI_Bcast(data, count, type, root, comm);
    if (kind == FLIP && rank != root)
        flip(data);
    if (kind == LONG && rank != root)
        memset((unsigned char *)data + SIZE, 0, TOO_MANY);
    return code;
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    int bytes;
    PMPI_Type_size(type, &bytes);
    enum kind kind = kind_of("MPI_Allreduce", (size_t)bytes * (size_t)count);
    if (kind == DROP)
        return MPI_SUCCESS;
    int code = PMPI_Allreduce(from, to, count, type, op, comm);
    if (kind == FLIP)
        flip(to);
    if (kind == LONG)
        memset((unsigned char *)to + SIZE, 0, TOO_MANY);
    return code;
}

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    int bytes;
    PMPI_Type_size(type, &bytes);
    enum kind kind = kind_of("MPI_Send", (size_t)bytes * (size_t)count);
    return PMPI_Send(kind == FLIP ? flipped(data) : data, count, type, to, tag, comm);
}

int MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    int bytes;
    PMPI_Type_size(type, &bytes);
    enum kind kind = kind_of("MPI_Recv", (size_t)bytes * (size_t)count);
    int code = PMPI_Recv(data, count, type, from, tag, comm, status);
    if (kind == FLIP)
        flip(data);
    if (kind == LONG)
        memset((unsigned char *)data + SIZE, 0, TOO_MANY);
    return code;
}

int MPI_Put(const void *data, int count, MPI_Datatype type, int target, MPI_Aint at, int there,
            MPI_Datatype as, MPI_Win window)
{
    int bytes;
    PMPI_Type_size(type, &bytes);
    enum kind kind = kind_of("MPI_Put", (size_t)bytes * (size_t)count);
    if (kind == DROP)
        return MPI_SUCCESS;
    int code =
        PMPI_Put(kind == FLIP ? flipped(data) : data, count, type, target, at, there, as, window);
    if (kind == FLIP)
        PMPI_Win_flush(target, window);
    return code;
}

#endif
