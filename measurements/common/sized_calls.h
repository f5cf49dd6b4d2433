/*
 * The library's routines for elements of 1 to 16 bytes, in tables by size.
 */
#ifndef SKAMPI_MEASUREMENTS_SIZED_CALLS_H
#define SKAMPI_MEASUREMENTS_SIZED_CALLS_H

#include <stddef.h>

typedef void block_function(void *, const void *, size_t, int);
typedef void strided_function(void *, const void *, ptrdiff_t, ptrdiff_t, size_t, int);

#define ELEMENT_SIZES 5 /* 1, 2, 4, 8 and 16 bytes: entry i is of 1 << i */

extern block_function *const sized_put[ELEMENT_SIZES], *const sized_get[ELEMENT_SIZES];
extern block_function *const sized_put_nbi[ELEMENT_SIZES], *const sized_get_nbi[ELEMENT_SIZES];
extern strided_function *const sized_iput[ELEMENT_SIZES], *const sized_iget[ELEMENT_SIZES];

/* The logarithm of a power of two. */
int size_log2(size_t power);

#endif
