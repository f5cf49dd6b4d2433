/*
 * Bindings of OpenSHMEM 1.4 for Fortran, made of those for C, where the library has none: so that
 * programs of shmembench in Fortran can run.
 */
#include <complex.h>
#include <shmem.h>
#include <stdint.h>
#include <stdlib.h>

#define MOVE(put, prefix, suffix, bytes)                                                           \
    void shmem_##prefix##suffix##_(void *target, const void *source, int *n, int *pe)              \
    {                                                                                              \
        shmem_##put##mem(target, source, (size_t)*n *(bytes), *pe);                                \
    }                                                                                              \
    void shmem_##prefix##suffix##_nbi_(void *target, const void *source, int *n, int *pe)          \
    {                                                                                              \
        shmem_##put##mem_nbi(target, source, (size_t)*n *(bytes), *pe);                            \
    }
#define STRIDED(put, name, bits)                                                                   \
    void shmem_##name##_(void *target, const void *source, int *tst, int *sst, int *n, int *pe)    \
    {                                                                                              \
        shmem_i##put##bits(target, source, *tst, *sst, (size_t)*n, *pe);                           \
    }
#define TYPE(type, bytes, bits)                                                                    \
    MOVE(put, type##_, put, bytes)                                                                 \
    MOVE(get, type##_, get, bytes)                                                                 \
    STRIDED(put, type##_iput, bits)                                                                \
    STRIDED(get, type##_iget, bits)
#define SIZE(size, bytes, bits)                                                                    \
    MOVE(put, put, size, bytes)                                                                    \
    MOVE(get, get, size, bytes)                                                                    \
    STRIDED(put, iput##size, bits)                                                                 \
    STRIDED(get, iget##size, bits)

TYPE(integer, 4, 32)
TYPE(real, 4, 32)
TYPE(double, 8, 64)
TYPE(complex, 8, 64)
TYPE(logical, 4, 32)
TYPE(character, 1, 8)
SIZE(4, 4, 32)
SIZE(8, 8, 64)
SIZE(16, 16, 128)
SIZE(32, 4, 32)
SIZE(64, 8, 64)
SIZE(128, 16, 128)
MOVE(put, put, mem, 1)
MOVE(get, get, mem, 1)

/* Arrays of long, whatever Fortran gave: the library wants 8 bytes an element. */
static long sync_array[2][SHMEM_COLLECT_SYNC_SIZE];
static char work_array[1 << 20];
static int turn;

static long *sync_of_this_call(void)
{
    turn = !turn;
    return sync_array[turn];
}

#define COLLECTIVES(size, bits)                                                                    \
    void shmem_broadcast##size##_(void *target, void *source, int *n, int *root, int *start,       \
                                  int *log, int *set)                                              \
    {                                                                                              \
        shmem_broadcast##bits(target, source, (size_t)*n, *root, *start, *log, *set,               \
                              sync_of_this_call());                                                \
    }                                                                                              \
    void shmem_collect##size##_(void *target, void *source, int *n, int *start, int *log,          \
                                int *set)                                                          \
    {                                                                                              \
        shmem_collect##bits(target, source, (size_t)*n, *start, *log, *set, sync_of_this_call());  \
    }                                                                                              \
    void shmem_fcollect##size##_(void *target, void *source, int *n, int *start, int *log,         \
                                 int *set)                                                         \
    {                                                                                              \
        shmem_fcollect##bits(target, source, (size_t)*n, *start, *log, *set, sync_of_this_call()); \
    }
COLLECTIVES(4, 32)
COLLECTIVES(8, 64)
COLLECTIVES(32, 32)
COLLECTIVES(64, 64)

#define ALLTOALL(bits)                                                                             \
    void shmem_alltoall##bits##_(void *target, void *source, int *n, int *start, int *log,         \
                                 int *set)                                                         \
    {                                                                                              \
        shmem_alltoall##bits(target, source, (size_t)*n, *start, *log, *set, sync_of_this_call()); \
    }                                                                                              \
    void shmem_alltoalls##bits##_(void *target, void *source, int *tst, int *sst, int *n,          \
                                  int *start, int *log, int *set)                                  \
    {                                                                                              \
        shmem_alltoalls##bits(target, source, *tst, *sst, (size_t)*n, *start, *log, *set,          \
                              sync_of_this_call());                                                \
    }
ALLTOALL(32)
ALLTOALL(64)

#define REDUCE(name, type, c)                                                                      \
    void shmem_##name##_to_all_(c *target, c *source, int *n, int *start, int *log, int *set)      \
    {                                                                                              \
        shmem_##type##_to_all(target, source, *n, *start, *log, *set, (c *)work_array,             \
                              sync_of_this_call());                                                \
    }
#define BITS(name, type, c)                                                                        \
    REDUCE(name##_and, type##_and, c)                                                              \
    REDUCE(name##_or, type##_or, c) REDUCE(name##_xor, type##_xor, c)
#define EXTREMES(name, type, c) REDUCE(name##_max, type##_max, c) REDUCE(name##_min, type##_min, c)
#define SUMS(name, type, c) REDUCE(name##_sum, type##_sum, c) REDUCE(name##_prod, type##_prod, c)
BITS(int4, int, int)
BITS(int8, long, long)
EXTREMES(int4, int, int)
EXTREMES(int8, long, long)
EXTREMES(real4, float, float)
EXTREMES(real8, double, double)
SUMS(int4, int, int)
SUMS(int8, long, long)
SUMS(real4, float, float)
SUMS(real8, double, double)
SUMS(comp4, complexf, float complex)
SUMS(comp8, complexd, double complex)

#define ATOMICS(name, type, c)                                                                     \
    c shmem_##name##_fetch_(c *target, int *pe)                                                    \
    {                                                                                              \
        return shmem_##type##_atomic_fetch(target, *pe);                                           \
    }                                                                                              \
    void shmem_##name##_set_(c *target, c *value, int *pe)                                         \
    {                                                                                              \
        shmem_##type##_atomic_set(target, *value, *pe);                                            \
    }                                                                                              \
    c shmem_##name##_swap_(c *target, c *value, int *pe)                                           \
    {                                                                                              \
        return shmem_##type##_atomic_swap(target, *value, *pe);                                    \
    }
#define COUNTERS(name, type, c)                                                                    \
    ATOMICS(name, type, c)                                                                         \
    void shmem_##name##_add_(c *target, c *value, int *pe)                                         \
    {                                                                                              \
        shmem_##type##_atomic_add(target, *value, *pe);                                            \
    }                                                                                              \
    c shmem_##name##_fadd_(c *target, c *value, int *pe)                                           \
    {                                                                                              \
        return shmem_##type##_atomic_fetch_add(target, *value, *pe);                               \
    }                                                                                              \
    void shmem_##name##_inc_(c *target, int *pe)                                                   \
    {                                                                                              \
        shmem_##type##_atomic_inc(target, *pe);                                                    \
    }                                                                                              \
    c shmem_##name##_finc_(c *target, int *pe)                                                     \
    {                                                                                              \
        return shmem_##type##_atomic_fetch_inc(target, *pe);                                       \
    }                                                                                              \
    void shmem_##name##_wait_until_(c *variable, int *comparison, c *value)                        \
    {                                                                                              \
        shmem_##type##_wait_until(variable, *comparison, *value);                                  \
    }                                                                                              \
    void shmem_##name##_wait_(c *variable, c *value)                                               \
    {                                                                                              \
        shmem_##type##_wait_until(variable, SHMEM_CMP_NE, *value);                                 \
    }
COUNTERS(int4, int, int)
COUNTERS(int8, long, long)
ATOMICS(real4, float, float)
ATOMICS(real8, double, double)

void shmem_init_(void)
{
    shmem_init();
    for (int i = 0; i < 2 * SHMEM_COLLECT_SYNC_SIZE; i++)
        sync_array[i / SHMEM_COLLECT_SYNC_SIZE][i % SHMEM_COLLECT_SYNC_SIZE] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
}

/* Ends without shmem_finalize, which crashes in Open MPI up to 4.1.5. */
void shmem_finalize_(void)
{
    shmem_barrier_all();
    shmem_global_exit(0);
}

int shmem_my_pe_(void)
{
    return shmem_my_pe();
}

int shmem_n_pes_(void)
{
    return shmem_n_pes();
}

void shmem_global_exit_(int *status)
{
    shmem_global_exit(*status);
}

void shmem_barrier_all_(void)
{
    shmem_barrier_all();
}

void shmem_barrier_(int *start, int *log, int *set)
{
    shmem_barrier(*start, *log, *set, sync_of_this_call());
}

void shmem_quiet_(void)
{
    shmem_quiet();
}

void shmem_fence_(void)
{
    shmem_fence();
}

void shmem_set_lock_(long *lock)
{
    shmem_set_lock(lock);
}

void shmem_clear_lock_(long *lock)
{
    shmem_clear_lock(lock);
}

void shpalloc_(void **address, int *words, int *error, int *abort)
{
    (void)abort;
    *address = shmem_malloc((size_t)*words * 4);
    *error = *address ? 0 : -1;
}

void shpdeallc_(void **address, int *error, int *abort)
{
    (void)abort;
    shmem_free(*address);
    *error = 0;
}
