/*
 * Routines of OpenSHMEM in the forms in which tables hold them.
 */
#include "measurements/common/library_calls.h"

int size_log2(size_t power)
{
    int log2 = 0;
    while (power > 1) {
        power /= 2;
        log2++;
    }
    return log2;
}

#if SKAMPI_SHMEM

#define SIZES(name)                                                                                \
    {                                                                                              \
        shmem_##name##8, shmem_##name##16, shmem_##name##32, shmem_##name##64, shmem_##name##128   \
    }
#define SIZES_NBI(name)                                                                            \
    {                                                                                              \
        shmem_##name##8_nbi, shmem_##name##16_nbi, shmem_##name##32_nbi, shmem_##name##64_nbi,     \
            shmem_##name##128_nbi                                                                  \
    }

block_function *const sized_put[] = SIZES(put), *const sized_get[] = SIZES(get);
block_function *const sized_put_nbi[] = SIZES_NBI(put), *const sized_get_nbi[] = SIZES_NBI(get);
strided_function *const sized_iput[] = SIZES(iput), *const sized_iget[] = SIZES(iget);

#endif

#if SKAMPI_SHMEM_1_5

/* Static, so symmetric. */
static uint64_t counted;

void put_signal(void *target, const void *source, size_t bytes, int pe)
{
    shmem_putmem_signal(target, source, bytes, &counted, 1, SHMEM_SIGNAL_ADD, pe);
}

void put_signal_nbi(void *target, const void *source, size_t bytes, int pe)
{
    shmem_putmem_signal_nbi(target, source, bytes, &counted, 1, SHMEM_SIGNAL_ADD, pe);
}

#endif
