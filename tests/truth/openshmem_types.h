/*
 * The standard types and sizes of OpenSHMEM 1.4's functions, as tables: one entry for each family
 * of functions shmem_NAME_put and so on.
 */
#ifndef TRUTH_TYPES_H
#define TRUTH_TYPES_H

#define TRUTH_TYPES(X)                                                                             \
    X(char, char)                                                                                  \
    X(schar, signed char)                                                                          \
    X(uchar, unsigned char)                                                                        \
    X(short, short)                                                                                \
    X(ushort, unsigned short)                                                                      \
    X(int, int)                                                                                    \
    X(uint, unsigned int)                                                                          \
    X(long, long)                                                                                  \
    X(ulong, unsigned long)                                                                        \
    X(longlong, long long)                                                                         \
    X(ulonglong, unsigned long long)                                                               \
    X(float, float)                                                                                \
    X(double, double)                                                                              \
    X(longdouble, long double)                                                                     \
    X(int8, int8_t)                                                                                \
    X(int16, int16_t)                                                                              \
    X(int32, int32_t)                                                                              \
    X(int64, int64_t)                                                                              \
    X(uint8, uint8_t)                                                                              \
    X(uint16, uint16_t)                                                                            \
    X(uint32, uint32_t)                                                                            \
    X(uint64, uint64_t)                                                                            \
    X(size, size_t)                                                                                \
    X(ptrdiff, ptrdiff_t)

#define TRUTH_SIZES(X) X(8) X(16) X(32) X(64) X(128)

/* Atomics: X(KIND, SHAPE, NAME, type). KIND: PAIR, when there is a form with a context, or ALONE.
 * SHAPE: POST_n and FETCH_n do something with n operands, and FETCH_n returns what was there; READ
 * only returns it. */
#define TRUTH_ATOMICS_ANY(X, name, type)                                                           \
    X(PAIR, READ, name##_atomic_fetch, type)                                                       \
    X(PAIR, POST_1, name##_atomic_set, type)                                                       \
    X(PAIR, FETCH_1, name##_atomic_swap, type)
#define TRUTH_ATOMICS_NUMBER(X, name, type)                                                        \
    X(PAIR, POST_0, name##_atomic_inc, type)                                                       \
    X(PAIR, POST_1, name##_atomic_add, type)                                                       \
    X(PAIR, FETCH_0, name##_atomic_fetch_inc, type)                                                \
    X(PAIR, FETCH_1, name##_atomic_fetch_add, type)                                                \
    X(PAIR, FETCH_2, name##_atomic_compare_swap, type)
#define TRUTH_ATOMICS_BITS(X, name, type)                                                          \
    X(PAIR, POST_1, name##_atomic_and, type)                                                       \
    X(PAIR, POST_1, name##_atomic_or, type)                                                        \
    X(PAIR, POST_1, name##_atomic_xor, type)                                                       \
    X(PAIR, FETCH_1, name##_atomic_fetch_and, type)                                                \
    X(PAIR, FETCH_1, name##_atomic_fetch_or, type)                                                 \
    X(PAIR, FETCH_1, name##_atomic_fetch_xor, type)
#define TRUTH_ATOMICS_INTEGER(X, name, type)                                                       \
    TRUTH_ATOMICS_ANY(X, name, type)                                                               \
    TRUTH_ATOMICS_NUMBER(X, name, type)                                                            \
    TRUTH_ATOMICS_BITS(X, name, type)

/* Names of versions before 1.4. */
#define TRUTH_ATOMICS_OLD_ANY(X, name, type)                                                       \
    X(ALONE, READ, name##_fetch, type)                                                             \
    X(ALONE, POST_1, name##_set, type)                                                             \
    X(ALONE, FETCH_1, name##_swap, type)
#define TRUTH_ATOMICS_OLD(X, name, type)                                                           \
    TRUTH_ATOMICS_OLD_ANY(X, name, type)                                                           \
    X(ALONE, POST_0, name##_inc, type)                                                             \
    X(ALONE, POST_1, name##_add, type)                                                             \
    X(ALONE, FETCH_0, name##_finc, type)                                                           \
    X(ALONE, FETCH_1, name##_fadd, type)                                                           \
    X(ALONE, FETCH_2, name##_cswap, type)

#define TRUTH_ATOMICS(X)                                                                           \
    TRUTH_ATOMICS_INTEGER(X, int, int)                                                             \
    TRUTH_ATOMICS_INTEGER(X, long, long)                                                           \
    TRUTH_ATOMICS_INTEGER(X, longlong, long long)                                                  \
    TRUTH_ATOMICS_INTEGER(X, uint, unsigned int)                                                   \
    TRUTH_ATOMICS_INTEGER(X, ulong, unsigned long)                                                 \
    TRUTH_ATOMICS_INTEGER(X, ulonglong, unsigned long long)                                        \
    TRUTH_ATOMICS_BITS(X, int32, int32_t)                                                          \
    TRUTH_ATOMICS_BITS(X, int64, int64_t)                                                          \
    TRUTH_ATOMICS_BITS(X, uint32, uint32_t)                                                        \
    TRUTH_ATOMICS_BITS(X, uint64, uint64_t)                                                        \
    TRUTH_ATOMICS_ANY(X, float, float)                                                             \
    TRUTH_ATOMICS_ANY(X, double, double)                                                           \
    TRUTH_ATOMICS_OLD(X, int, int)                                                                 \
    TRUTH_ATOMICS_OLD(X, long, long)                                                               \
    TRUTH_ATOMICS_OLD(X, longlong, long long)                                                      \
    TRUTH_ATOMICS_OLD_ANY(X, float, float)                                                         \
    TRUTH_ATOMICS_OLD_ANY(X, double, double)

/* shmem_NAME_wait_until and shmem_NAME_test */
#define TRUTH_WAIT_TYPES(X)                                                                        \
    X(short, short)                                                                                \
    X(int, int)                                                                                    \
    X(long, long)                                                                                  \
    X(longlong, long long)                                                                         \
    X(ushort, unsigned short)                                                                      \
    X(uint, unsigned int)                                                                          \
    X(ulong, unsigned long)                                                                        \
    X(ulonglong, unsigned long long)                                                               \
    X(int32, int32_t)                                                                              \
    X(int64, int64_t)                                                                              \
    X(uint32, uint32_t)                                                                            \
    X(uint64, uint64_t)                                                                            \
    X(size, size_t)                                                                                \
    X(ptrdiff, ptrdiff_t)

/* Reductions: X(NAME, type) for shmem_NAME_to_all. */
#define TRUTH_REDUCTIONS_NUMBER(X, name, type)                                                     \
    X(name##_max, type) X(name##_min, type) X(name##_sum, type) X(name##_prod, type)
#define TRUTH_REDUCTIONS_INTEGER(X, name, type)                                                    \
    TRUTH_REDUCTIONS_NUMBER(X, name, type)                                                         \
    X(name##_and, type) X(name##_or, type) X(name##_xor, type)
#define TRUTH_REDUCTIONS(X)                                                                        \
    TRUTH_REDUCTIONS_INTEGER(X, short, short)                                                      \
    TRUTH_REDUCTIONS_INTEGER(X, int, int)                                                          \
    TRUTH_REDUCTIONS_INTEGER(X, long, long)                                                        \
    TRUTH_REDUCTIONS_INTEGER(X, longlong, long long)                                               \
    TRUTH_REDUCTIONS_NUMBER(X, float, float)                                                       \
    TRUTH_REDUCTIONS_NUMBER(X, double, double)                                                     \
    TRUTH_REDUCTIONS_NUMBER(X, longdouble, long double)

#endif
