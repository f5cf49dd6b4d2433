/*
 * Routines of OpenSHMEM in the forms in which tables hold them: those for elements of 1 to 16 bytes
 * by size, and puts with signal as puts like others.
 */
#ifndef SKAMPI_MEASUREMENTS_LIBRARY_CALLS_H
#define SKAMPI_MEASUREMENTS_LIBRARY_CALLS_H

#include "measurements/common/openshmem.h"

typedef void block_function(void *, const void *, size_t, int);
typedef void strided_function(void *, const void *, ptrdiff_t, ptrdiff_t, size_t, int);

#define ELEMENT_SIZES 5 /* 1, 2, 4, 8 and 16 bytes: entry i is of 1 << i */

extern block_function *const sized_put[ELEMENT_SIZES], *const sized_get[ELEMENT_SIZES];
extern block_function *const sized_put_nbi[ELEMENT_SIZES], *const sized_get_nbi[ELEMENT_SIZES];
extern strided_function *const sized_iput[ELEMENT_SIZES], *const sized_iget[ELEMENT_SIZES];

/* The logarithm of a power of two. */
int size_log2(size_t power);

#if SKAMPI_SHMEM_1_5
/* The signal is one word of each PE that nobody waits for; each put adds 1 to it. */
void put_signal(void *target, const void *source, size_t bytes, int pe);
void put_signal_nbi(void *target, const void *source, size_t bytes, int pe);
#endif

#endif
