/*
 * OpenSHMEM 1.5, declarations only: what is written for it compiles where no library has it
 * (tests/check/test_openshmem15.py). Own work, from the specification; typed names only, of the
 * type-generic ones just shmem_sync(), whose meaning depends on its arguments. Names that were
 * deprecated before 1.5 are left out unless 1.5 gave active sets their end: nothing may use them.
 */
#ifndef SHMEM_H
#define SHMEM_H

#include <stddef.h>
#include <stdint.h>

#define SHMEM_MAJOR_VERSION 1
#define SHMEM_MINOR_VERSION 5
#define SHMEM_MAX_NAME_LEN 256
#define SHMEM_VENDOR_STRING "declarations only"

/* ---- Set-up, query, memory ---- */

enum { SHMEM_THREAD_SINGLE, SHMEM_THREAD_FUNNELED, SHMEM_THREAD_SERIALIZED, SHMEM_THREAD_MULTIPLE };

void shmem_init(void);
int shmem_init_thread(int requested, int *provided);
void shmem_query_thread(int *provided);
void shmem_finalize(void);
void shmem_global_exit(int status);
int shmem_my_pe(void);
int shmem_n_pes(void);
int shmem_pe_accessible(int pe);
int shmem_addr_accessible(const void *address, int pe);
void *shmem_ptr(const void *target, int pe);
void shmem_info_get_version(int *major, int *minor);
void shmem_info_get_name(char *name);

void *shmem_malloc(size_t size);
void *shmem_calloc(size_t count, size_t size);
void *shmem_align(size_t alignment, size_t size);
void *shmem_realloc(void *memory, size_t size);
void shmem_free(void *memory);

/* ---- Types: X(C type, name) ---- */

#define SHMEM_INTEGER_TYPES(X)                                                                     \
    X(int, int)                                                                                    \
    X(long, long)                                                                                  \
    X(long long, longlong)                                                                         \
    X(unsigned int, uint)                                                                          \
    X(unsigned long, ulong)                                                                        \
    X(unsigned long long, ulonglong)                                                               \
    X(int32_t, int32)                                                                              \
    X(int64_t, int64)                                                                              \
    X(uint32_t, uint32)                                                                            \
    X(uint64_t, uint64)                                                                            \
    X(size_t, size)                                                                                \
    X(ptrdiff_t, ptrdiff)
#define SHMEM_SMALL_TYPES(X)                                                                       \
    X(char, char)                                                                                  \
    X(signed char, schar)                                                                          \
    X(short, short)                                                                                \
    X(unsigned char, uchar)                                                                        \
    X(unsigned short, ushort)                                                                      \
    X(int8_t, int8)                                                                                \
    X(int16_t, int16)                                                                              \
    X(uint8_t, uint8)                                                                              \
    X(uint16_t, uint16)
#define SHMEM_FLOATING_TYPES(X)                                                                    \
    X(float, float)                                                                                \
    X(double, double)
#define SHMEM_BITWISE_TYPES(X)                                                                     \
    X(unsigned int, uint)                                                                          \
    X(unsigned long, ulong)                                                                        \
    X(unsigned long long, ulonglong)                                                               \
    X(int32_t, int32)                                                                              \
    X(int64_t, int64)                                                                              \
    X(uint32_t, uint32)                                                                            \
    X(uint64_t, uint64)
#define SHMEM_RMA_TYPES(X)                                                                         \
    SHMEM_INTEGER_TYPES(X)                                                                         \
    SHMEM_SMALL_TYPES(X)                                                                           \
    SHMEM_FLOATING_TYPES(X)                                                                        \
    X(long double, longdouble)

/* ---- Contexts ---- */

typedef struct shmem_context *shmem_ctx_t;
extern shmem_ctx_t SHMEM_CTX_DEFAULT;
#define SHMEM_CTX_SERIALIZED (1L << 0)
#define SHMEM_CTX_PRIVATE (1L << 1)
#define SHMEM_CTX_NOSTORE (1L << 2)

int shmem_ctx_create(long options, shmem_ctx_t *context);
void shmem_ctx_destroy(shmem_ctx_t context);
void shmem_ctx_quiet(shmem_ctx_t context);
void shmem_ctx_fence(shmem_ctx_t context);
void shmem_quiet(void);
void shmem_fence(void);

/* A routine with and without a context. */
#define SHMEM_BOTH(result, name, ...)                                                              \
    result shmem_##name(__VA_ARGS__);                                                              \
    result shmem_ctx_##name(shmem_ctx_t context, __VA_ARGS__);

/* ---- Remote memory access ---- */

#define SHMEM_RMA(T, name)                                                                         \
    SHMEM_BOTH(void, name##_put, T *target, const T *source, size_t n, int pe)                     \
    SHMEM_BOTH(void, name##_get, T *target, const T *source, size_t n, int pe)                     \
    SHMEM_BOTH(void, name##_put_nbi, T *target, const T *source, size_t n, int pe)                 \
    SHMEM_BOTH(void, name##_get_nbi, T *target, const T *source, size_t n, int pe)                 \
    SHMEM_BOTH(void, name##_iput, T *target, const T *source, ptrdiff_t step, ptrdiff_t from_step, \
               size_t n, int pe)                                                                   \
    SHMEM_BOTH(void, name##_iget, T *target, const T *source, ptrdiff_t step, ptrdiff_t from_step, \
               size_t n, int pe)                                                                   \
    SHMEM_BOTH(void, name##_p, T *target, T value, int pe)                                         \
    SHMEM_BOTH(T, name##_g, const T *source, int pe)
SHMEM_RMA_TYPES(SHMEM_RMA)

#define SHMEM_SIZED_MOVES(suffix)                                                                  \
    SHMEM_BOTH(void, put##suffix, void *target, const void *source, size_t n, int pe)              \
    SHMEM_BOTH(void, get##suffix, void *target, const void *source, size_t n, int pe)              \
    SHMEM_BOTH(void, put##suffix##_nbi, void *target, const void *source, size_t n, int pe)        \
    SHMEM_BOTH(void, get##suffix##_nbi, void *target, const void *source, size_t n, int pe)
#define SHMEM_STRIDED_MOVES(suffix)                                                                \
    SHMEM_BOTH(void, iput##suffix, void *target, const void *source, ptrdiff_t step,               \
               ptrdiff_t from_step, size_t n, int pe)                                              \
    SHMEM_BOTH(void, iget##suffix, void *target, const void *source, ptrdiff_t step,               \
               ptrdiff_t from_step, size_t n, int pe)
#define SHMEM_SIZES(X) X(8) X(16) X(32) X(64) X(128)
SHMEM_SIZED_MOVES(mem)
SHMEM_SIZES(SHMEM_SIZED_MOVES)
SHMEM_SIZES(SHMEM_STRIDED_MOVES)

/* ---- Atomics ---- */

#define SHMEM_ATOMIC_ACCESS(T, name)                                                               \
    SHMEM_BOTH(T, name##_atomic_fetch, const T *source, int pe)                                    \
    SHMEM_BOTH(void, name##_atomic_set, T *target, T value, int pe)                                \
    SHMEM_BOTH(T, name##_atomic_swap, T *target, T value, int pe)
#define SHMEM_ATOMIC_ARITHMETIC(T, name)                                                           \
    SHMEM_BOTH(T, name##_atomic_compare_swap, T *target, T condition, T value, int pe)             \
    SHMEM_BOTH(T, name##_atomic_fetch_inc, T *target, int pe)                                      \
    SHMEM_BOTH(void, name##_atomic_inc, T *target, int pe)                                         \
    SHMEM_BOTH(T, name##_atomic_fetch_add, T *target, T value, int pe)                             \
    SHMEM_BOTH(void, name##_atomic_add, T *target, T value, int pe)
#define SHMEM_ATOMIC_BITWISE(T, name)                                                              \
    SHMEM_BOTH(T, name##_atomic_fetch_and, T *target, T value, int pe)                             \
    SHMEM_BOTH(void, name##_atomic_and, T *target, T value, int pe)                                \
    SHMEM_BOTH(T, name##_atomic_fetch_or, T *target, T value, int pe)                              \
    SHMEM_BOTH(void, name##_atomic_or, T *target, T value, int pe)                                 \
    SHMEM_BOTH(T, name##_atomic_fetch_xor, T *target, T value, int pe)                             \
    SHMEM_BOTH(void, name##_atomic_xor, T *target, T value, int pe)
SHMEM_INTEGER_TYPES(SHMEM_ATOMIC_ACCESS)
SHMEM_FLOATING_TYPES(SHMEM_ATOMIC_ACCESS)
SHMEM_INTEGER_TYPES(SHMEM_ATOMIC_ARITHMETIC)
SHMEM_BITWISE_TYPES(SHMEM_ATOMIC_BITWISE)

/* ---- Synchronization of two ---- */

enum { SHMEM_CMP_EQ, SHMEM_CMP_NE, SHMEM_CMP_GT, SHMEM_CMP_LE, SHMEM_CMP_LT, SHMEM_CMP_GE };

#define SHMEM_WAIT(T, name)                                                                        \
    void shmem_##name##_wait_until(T *variable, int comparison, T value);                          \
    int shmem_##name##_test(T *variable, int comparison, T value);
SHMEM_INTEGER_TYPES(SHMEM_WAIT)
SHMEM_WAIT(short, short)
SHMEM_WAIT(unsigned short, ushort)

void shmem_set_lock(long *lock);
void shmem_clear_lock(long *lock);
int shmem_test_lock(long *lock);

/* ---- Collectives: of all, and on active sets, which 1.5 deprecates and keeps ---- */

#define SHMEM_SYNC_VALUE (-1L)
#define SHMEM_SYNC_SIZE 8
#define SHMEM_BCAST_SYNC_SIZE 4
#define SHMEM_BARRIER_SYNC_SIZE 5
#define SHMEM_REDUCE_SYNC_SIZE 6
#define SHMEM_COLLECT_SYNC_SIZE 7
#define SHMEM_ALLTOALL_SYNC_SIZE 8
#define SHMEM_ALLTOALLS_SYNC_SIZE 8
#define SHMEM_REDUCE_MIN_WRKDATA_SIZE 16

void shmem_barrier_all(void);
void shmem_sync_all(void);

/* As in Sandia OpenSHMEM, whose users are to see it. */
#define SHMEM_DEPRECATED __attribute__((deprecated))
#define SHMEM_SET int start, int log_stride, int size
SHMEM_DEPRECATED void shmem_barrier(SHMEM_SET, long *sync);
void shmem_sync_deprecated(SHMEM_SET, long *sync);

#define SHMEM_SET_COLLECTIVES(bits)                                                                \
    void shmem_broadcast##bits(void *target, const void *source, size_t n, int root, SHMEM_SET,    \
                               long *sync);                                                        \
    void shmem_collect##bits(void *target, const void *source, size_t n, SHMEM_SET, long *sync);   \
    void shmem_fcollect##bits(void *target, const void *source, size_t n, SHMEM_SET, long *sync);  \
    void shmem_alltoall##bits(void *target, const void *source, size_t n, SHMEM_SET, long *sync);  \
    void shmem_alltoalls##bits(void *target, const void *source, ptrdiff_t step,                   \
                               ptrdiff_t from_step, size_t n, SHMEM_SET, long *sync);
SHMEM_SET_COLLECTIVES(32)
SHMEM_SET_COLLECTIVES(64)

#define SHMEM_SET_REDUCTION(T, name, operation)                                                    \
    void shmem_##name##_##operation##_to_all(T *target, const T *source, int n, SHMEM_SET,         \
                                             T *work, long *sync);
#define SHMEM_SET_BITWISE(T, name)                                                                 \
    SHMEM_SET_REDUCTION(T, name, and)                                                              \
    SHMEM_SET_REDUCTION(T, name, or)                                                               \
    SHMEM_SET_REDUCTION(T, name, xor)
#define SHMEM_SET_NUMERIC(T, name)                                                                 \
    SHMEM_SET_REDUCTION(T, name, min)                                                              \
    SHMEM_SET_REDUCTION(T, name, max)                                                              \
    SHMEM_SET_REDUCTION(T, name, sum)                                                              \
    SHMEM_SET_REDUCTION(T, name, prod)
#define SHMEM_SET_INTEGER_TYPES(X)                                                                 \
    X(short, short)                                                                                \
    X(int, int)                                                                                    \
    X(long, long)                                                                                  \
    X(long long, longlong)
SHMEM_SET_INTEGER_TYPES(SHMEM_SET_BITWISE)
SHMEM_SET_INTEGER_TYPES(SHMEM_SET_NUMERIC)
SHMEM_FLOATING_TYPES(SHMEM_SET_NUMERIC)
SHMEM_SET_NUMERIC(long double, longdouble)

#include "additions.inc"

/* One name, two meanings: of a team, or of an active set. */
#define SHMEM_FIRST(first, ...) first
#define shmem_sync(...)                                                                            \
    _Generic(SHMEM_FIRST(__VA_ARGS__, 0), shmem_team_t                                             \
             : shmem_team_sync, default                                                            \
             : shmem_sync_deprecated)(__VA_ARGS__)

#endif
