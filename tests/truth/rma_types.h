/*
 * The standard types and sizes of remote memory access, as tables: one entry for each family of
 * functions shmem_NAME_put and so on.
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

#endif
